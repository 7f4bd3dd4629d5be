"""Human obfuscations: ``python -m benchmarks.study_human_obfuscation CORPUS.zip [--verifiers NAMES]``

People of the Extended Brennan–Greenstadt corpus hid their own style (obfuscation) or wrote in another's (imitation).
Verifiers learn from 20 authors and judge the others' texts: one sample as control, and both attacks.

- Known texts are up to four samples, no two from one source document and none from the control's.
- Each author gives a same-author problem; the different-author problem is the next author's text *of the same
  condition*. τ is the most accurate threshold on the control problems.
- All attack texts answer one prompt, which no sample does: part of the loss is the change of topic, so the impacts are
  upper bounds of what hiding did.
"""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

import numpy as np

from ravenbench import registry
from ravenbench.randomness import stream
from ravenbench.reading.archive import Archive
from ravenbench.statistics.attacks import best_threshold, impact, impact_intervals
from ravenbench.statistics.ranks import sign_test
from ravenbench.types import Bools, Problems
from ravenbench.verifiers.contract.base import as_verifier

VERIFIERS = "char-ngram, ppm, function-words, cng-2013, jankowska-2014, spatium-2015, satyam-2014"
ATTACKS = {"obfuscation": "obfuscation", "imitation_01": "imitation"}
TRAINING, KNOWN, ASKED = 20, 4, 3
"""Authors to learn from, most known texts, questioned texts of each training author."""

Sample = tuple[frozenset[str], str]
"""Source documents of a sample, and its text."""


def main() -> None:
    """Print one line a verifier and one an attack."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpus")
    parser.add_argument("--verifiers", default=VERIFIERS)
    arguments = parser.parse_args()
    samples, attacks = read(arguments.corpus)
    names = [author for author in sorted(samples) if known(samples[author])]
    order = [names[i] for i in stream(0, "human-obfuscation").permutation(len(names))]
    train, same = training(order[:TRAINING], samples)
    authors = order[TRAINING:]
    control, truth = problems(authors, samples, {a: samples[a][-1][1] for a in authors})
    hidden = {name: problems(authors, samples, texts)[0] for name, texts in attacks.items()}
    print(f"{len(same)} training problems, {len(truth)} problems of each condition")
    before, after = [], defaultdict(list)
    for verifier in registry.parse_list("verifier", arguments.verifiers):
        fitted = as_verifier(verifier).fit(train, same)
        answers = fitted.verify(control)
        threshold = best_threshold(truth, answers)
        right = answers[truth] >= threshold
        before.append(right)
        line = f"{verifier!s:16} accuracy {((answers >= threshold) == truth).mean():.3f} recall {right.mean():.3f}"
        for name, attacked in hidden.items():
            found = fitted.verify(attacked)
            now = found[truth] >= threshold
            after[name].append(now)
            p = sign_test(int((right & ~now).sum()), int((~right & now).sum()))
            rejected = float((found[~truth] < threshold).mean())
            line += f" | {name}: impact {impact(right.mean(), now.mean()):+.3f} p {p:.2g} tnr {rejected:.2f}"
        print(line, flush=True)
    for name, rows in after.items():
        made = impact_intervals(np.array(before), np.array([rows]))
        average = np.mean([impact(b.mean(), a.mean()) for b, a in zip(before, rows, strict=True)])
        (low, high), (least, most) = (
            made.average or (np.nan, np.nan),
            made.problems or (np.nan, np.nan),
        )
        print(
            f"{name}: impact {average:+.3f}, 95 % {low:+.3f} to {high:+.3f}; problems alone {least:+.3f} to {most:+.3f}"
        )


def read(place: str) -> tuple[dict[str, list[Sample]], dict[str, dict[str, str]]]:
    """Samples by author, in order, and attack texts by attack and author."""
    samples: dict[str, list[Sample]] = defaultdict(list)
    attacks: dict[str, dict[str, str]] = {name: {} for name in ATTACKS.values()}
    with Archive(place) as archive:
        for name in archive.names:
            path = PurePosixPath(name)
            author, _, rest = path.stem.partition("_")
            if path.suffix != ".txt" or author != path.parent.name:
                continue
            if rest in ATTACKS:
                attacks[ATTACKS[rest]][author] = archive.text(name)
            elif re.fullmatch(r"\d+(_\d+)+", rest):
                samples[author].append((frozenset(rest.split("_")[1:]), archive.text(name)))
    return dict(samples), attacks


def known(of_author: Sequence[Sample]) -> list[Sample]:
    """Samples that share no source document with each other or with the author's last sample."""
    used, found = set(of_author[-1][0]), []
    for sources, text in of_author[:-1]:
        if len(found) < KNOWN and not sources & used:
            found.append((sources, text))
            used |= sources
    return found


def problems(
    authors: Sequence[str], samples: Mapping[str, Sequence[Sample]], texts: Mapping[str, str]
) -> tuple[Problems, Bools]:
    """A same-author and a different-author problem of every author."""
    rows, same = [], []
    for i, author in enumerate(authors):
        for answer, other in ((True, author), (False, authors[(i + 1) % len(authors)])):
            rows.append(
                (
                    f"{author}-{'Y' if answer else 'N'}",
                    [t for _, t in known(samples[author])],
                    texts[other],
                )
            )
            same.append(answer)
    return Problems.of(rows), np.array(same)


def training(
    authors: Sequence[str], samples: Mapping[str, Sequence[Sample]]
) -> tuple[Problems, Bools]:
    """Several questioned samples of every author, against his own known texts and the author's before."""
    rows, same = [], []
    for i, author in enumerate(authors):
        mine = known(samples[author])
        read = frozenset().union(*(sources for sources, _ in mine))
        for answer, other in ((True, author), (False, authors[(i + 1) % len(authors)])):
            for k, (sources, text) in enumerate(samples[other][-ASKED:]):
                if other != author or not sources & read:
                    rows.append(
                        (f"{author}-{k}-{'Y' if answer else 'N'}", [t for _, t in mine], text)
                    )
                    same.append(answer)
    return Problems.of(rows), np.array(same)


if __name__ == "__main__":
    main()
