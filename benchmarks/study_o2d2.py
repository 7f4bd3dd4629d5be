"""``o2d2`` on people of 20 Newsgroups whom it was not trained on.

    python -m benchmarks.study_o2d2 [--verifiers "o2d2, char-ngram"]

Half of the people who write in several groups are set apart (drawn once); a verifier learns from all others and is asked
about pairs of posts of those people from two groups: AUC with an interval over people, and the share left open.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from benchmarks.accelerator import asked
from ravenbench import registry
from ravenbench.statistics.estimates import mean_auc, within
from ravenbench.types import Problems
from ravenbench.verifiers.contract.base import as_verifier

SEED = 20211


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--verifiers", default="o2d2(detector_epochs=0), o2d2, char-ngram")
    corpus = registry.parse("corpus", "newsgroups").load()
    author, topic = corpus.author.codes, corpus.topic.codes
    several = [code for code in np.unique(author) if len(set(topic[author == code])) > 1]
    apart = np.random.default_rng(SEED).permutation(several)[: len(several) // 2]
    mine = np.flatnonzero(~np.isin(author, apart))
    other = np.roll(mine, 1)
    learned = Problems.pairs(corpus.texts, mine, other, author=corpus.author, topic=corpus.topic)
    a, b = asked(np.flatnonzero(np.isin(author, apart)), corpus.author, corpus.topic)
    same, sides = author[a] == author[b], author[np.stack([a, b], axis=1)]
    questions = Problems.pairs(corpus.texts, a, b).blind()
    for verifier in registry.parse_list("verifier", parser.parse_args().verifiers):
        began = time.process_time()
        fitted = as_verifier(verifier).fit(learned, author[mine] == author[other])
        seconds = time.process_time() - began
        answers = fitted.verify(questions)
        estimate = within(mean_auc([(same, answers, sides, a * len(corpus) + b)]), 0, 1)
        low, high = estimate.interval
        print(
            f"{verifier}: AUC {estimate.value:.3f} [{low:.3f}, {high:.3f}], {len(same):,} pairs of "
            f"{len(apart)} people, {np.mean(answers == 0.5):.0%} open, learned in {seconds:.0f} CPU s"
        )


if __name__ == "__main__":
    main()
