"""Do more texts of the language help ``raven-2026`` on short texts? ``python -m benchmarks.study_background DATA``

    python -m benchmarks.study_background DATA            # cross-validation on one half of the authors
    python -m benchmarks.study_background DATA --show     # once, on the other half

DATA is the folder of data sets. Problems have one known text and all texts are cut to their first 120 or 250 words: two
documents of an author of the Extended Brennan–Greenstadt corpus, or what an author wrote in two threads of
20 Newsgroups (``novel``: of two groups). The background of one corpus is the other. Half A are authors whose names have
an even hash, as in ``study_attribution``; there regressions are cross-fitted in ten folds of author groups.

Candidates: ``own-1000``, at most 1,000 impostors from the training problems, in the place of 400; ``all-400`` and
``all-1000``, as many and as many again from the background, from which vocabularies, scales and covariances are learned
too; ``words-1000``, vocabularies and scales alone from these.

The rule, fixed beforehand: the candidate with the largest mean gain in AUC over the six cells and three seeds is
taken if its 95 % interval (a paired bootstrap over authors of the questioned texts) lies above 0 and its mean falls in
no cell by more than .01. Otherwise nothing is.
"""

from __future__ import annotations

import argparse
import time
from functools import lru_cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.study_attribution import half
from benchmarks.study_unknown import documents
from ravenbench.engine.guard import one_thread
from ravenbench.ext.problems.command import Built, Cross, build_problems
from ravenbench.ext.shelf.published.impostors import Background
from ravenbench.ext.shelf.raven.raven_2026 import Extractor, Raven2026
from ravenbench.problems.rewritten import FirstWords
from ravenbench.randomness import stream
from ravenbench.reading.load import load_corpus
from ravenbench.text.tokens import normalised
from ravenbench.text.views import chunks
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Corpus, Floats, Ints, Labels, Problems
from ravenbench.verifiers.contract.folds import calibration_folds

CELLS = [
    (name, words) for name in ("ebg", "newsgroups", "newsgroups-novel") for words in (120, 250)
]
SEEDS, PROBLEMS, FOLDS, DRAWS = range(3), 300, 10, 300
CANDIDATES = ("raven-2026", "own-1000", "all-400", "all-1000", "words-1000")


def drawn(data: Path, name: str, words: int, side: int, seed: int) -> Built:
    """Problems about the authors of one half."""
    rows = [
        (author, topic or document, text)
        for author, own in documents(data, name.partition("-")[0]).items()
        if half(author) == side
        for document, topic, text in own
    ]
    authors, topics, texts = zip(*rows, strict=True)
    table, place = TextTable.collect(texts)
    first = {int(row): i for i, row in enumerate(place)}
    kept = [first[row] for row in range(len(table))]
    corpus = Corpus(
        name,
        table,
        tuple(map(str, range(len(table)))),
        Labels.of([authors[i] for i in kept]),
        Labels.of([topics[i] for i in kept]),
    )
    cross = Cross("topic") if name.endswith("novel") else None
    built = build_problems(corpus, known=(1, 1), match=[], min_words=words, seed=seed, cross=cross)
    chosen = np.arange(min(PROBLEMS, len(built.same)))
    return Built(
        built.problems.select(chosen).map_texts(FirstWords(words)),
        built.same[chosen],
        built.dropped,
    )


@lru_cache
def background(data: Path, name: str) -> Corpus:
    """The other corpus."""
    path = data / "ebg" / "extended-brennan-greenstadt.zip"
    return load_corpus("newsgroups" if name == "ebg" else f"ebg(path={str(path)!r})")


class WithMore(Extractor):
    """Cuts texts to the median of the training documents, as without a background."""

    length_ = property(lambda self: self.background_.own_length_, lambda self, value: None)


def with_more(background: Background, more: Corpus, most: int) -> Background:
    """Impostors, and one piece of their median length of at most so many texts by others; copies are left out."""
    background.own_length_ = length = int(np.median([len(text) for text in background.texts_]))
    first, order = (
        max(background.cluster_.values()) + 1,
        stream(0, "raven-2026-background").permutation(len(more)),
    )
    usable = [
        row
        for row in order.tolist()
        if more.author.codes[row] >= 0 and len(more.texts[row]) >= length / 2
    ]
    for row in usable[:most]:
        author, piece = (
            first + int(more.author.codes[row]),
            normalised(chunks(more.texts[row], length)[0]),
        )
        if piece not in background.cluster_:
            background.cluster_[piece] = author
            background.texts_.append(piece)
            background.author_ = np.append(background.author_, author)
    return background


def learned(candidate: str, problems: Problems, same: Bools, more: Corpus) -> Extractor:
    """What a candidate learns from training problems without their truth."""
    kind, _, most = candidate.partition("-")
    impostors = 1000 if most == "1000" else 400
    if kind in ("raven", "own"):
        return Extractor(impostors).fit(problems, same)
    extractor, fit = WithMore(impostors), Background.fit
    with patch.object(
        Background, "fit", lambda self, *given: with_more(fit(self, *given), more, self.most)
    ):
        extractor.fit(problems, same)
    if kind == "words":
        own = Extractor(extractor.impostors).fit(problems, same)
        own.views_, own.families_, own.whitened_ = (
            extractor.views_,
            extractor.families_,
            extractor.whitened_,
        )
        return own
    return extractor


def cross_fitted(extractor: Extractor, problems: Problems, same: Bools) -> Floats:
    """Log odds of training problems by regressions that saw neither them nor their authors."""
    features, able = extractor.measure(problems)
    folds, odds = calibration_folds(problems, same, FOLDS), np.zeros(len(same))
    for f in np.unique(folds.fold):
        out, rest = folds.fold == f, folds.rest(f)
        verifier = Raven2026().learn(problems.select(rest), same[rest], features[rest], able[rest])
        odds[out] = np.where(
            able[out], verifier.ridge_.log_odds(verifier._used(features[out])), 0.0
        )
    return odds


def shown(extractor: Extractor, train: Built, test: Built) -> Floats:
    """Log odds of test problems."""
    verifier = Raven2026().learn(train.problems, train.same, *extractor.measure(train.problems))
    features, able = extractor.measure(test.problems.blind())
    return np.where(able, verifier.ridge_.log_odds(verifier._used(features)), 0.0)


def auc(same: Bools, odds: Floats, weight: Floats) -> float:
    """Weighted area under the ROC curve."""
    from sklearn.metrics import roc_auc_score

    kept = weight > 0
    return float(roc_auc_score(same[kept], odds[kept], sample_weight=weight[kept]))


def gains(answers: dict[tuple[Any, ...], tuple[Bools, Ints, dict[str, Floats]]]) -> None:
    """Print AUCs and gains, and their intervals."""
    rng, names = np.random.default_rng(0), list(next(iter(answers.values()))[2])
    table = {
        key: [auc(same, odds[n], np.ones(len(same))) for n in names]
        for key, (same, _, odds) in answers.items()
    }
    for cell in CELLS:
        rows = np.array([row for key, row in table.items() if key[:2] == cell])
        if len(rows):
            print(
                cell,
                len(next(v for k, v in answers.items() if k[:2] == cell)[0]),
                "problems",
                dict(zip(names, np.round(rows.mean(axis=0), 3).tolist(), strict=True)),
                flush=True,
            )
    draws = []
    for _ in range(DRAWS):
        rows = []
        for name in dict.fromkeys(key[0] for key in answers):
            count = 1 + max(
                int(author.max()) for key, (_, author, _) in answers.items() if key[0] == name
            )
            times = np.bincount(rng.integers(0, count, count), minlength=count).astype(float)
            rows += [
                [auc(same, odds[n], times[author]) for n in names]
                for key, (same, author, odds) in answers.items()
                if key[0] == name
            ]
        draws.append(np.array(rows).mean(axis=0))
    mean, spread = np.array(list(table.values())).mean(axis=0), np.array(draws)
    low, high = np.quantile(spread - spread[:, :1], (0.025, 0.975), axis=0)
    for i, name in enumerate(names):
        print(
            f"{name}: AUC {mean[i]:.3f}, gain {mean[i] - mean[0]:+.3f} [{low[i]:+.3f}, {high[i]:+.3f}]",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--show", action="store_true", help="on the other half of the authors")
    parser.add_argument("--candidates", default=",".join(CANDIDATES))
    parser.add_argument("--only", help="one data set")
    given = parser.parse_args()
    answers = {}
    for name, words in CELLS:
        for seed in SEEDS:
            if given.only not in (None, name):
                continue
            train = drawn(given.data, name, words, 0, seed)
            asked = drawn(given.data, name, words, 1, seed) if given.show else train
            assert asked.problems.author is not None
            author = asked.problems.author.codes[asked.problems.questioned_index]
            found, began = {}, time.process_time()
            for candidate in given.candidates.split(","):
                with one_thread():
                    extractor = learned(
                        candidate, train.problems, train.same, background(given.data, name)
                    )
                    found[candidate] = (
                        shown(extractor, train, asked)
                        if given.show
                        else cross_fitted(extractor, train.problems, train.same)
                    )
            answers[name, words, seed] = (asked.same, author, found)
            spent = time.process_time() - began
            print(
                f"{name} {words} words, seed {seed}: {len(asked.same)} problems, {spent:.0f} s",
                flush=True,
            )
    gains(answers)


if __name__ == "__main__":
    main()
