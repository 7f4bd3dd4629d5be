"""Style or content of two sentences: STEL for the whole shelf. ``python -m benchmarks.study_stel [--verifiers ppm,…]``

Needs ``RAVEN_DATA/stel``: 300 questions of two anchors and two alternatives (Wegmann & Nguyen 2021) on contraction,
number substitution and simplicity. Every verifier learns from 200 pairs of posts (the first training set of the shelf's
small design on 20 Newsgroups, ``SCIKIT_LEARN_DATA``) and gives each pair of sentences a similarity s: its score,
or its answer where it has none, put on a scale from 0 to 1 between the least and the largest of a dimension.

*STEL*: which alternative has the style of which anchor? The order is chosen that has the smaller sum of (1 − s)².
*STEL-or-Content*: is anchor 1 more alike with the alternative in its style, or with anchor 2, which has its content?
Equal similarities count one half. Written: ``docs/data/stel.csv``, accuracies with Wilson's 95 % intervals.
"""

from __future__ import annotations

import argparse
import csv
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from benchmarks.study_shelf import COMMON, SHELF, SMALL, corpus, form
from ravenbench import registry
from ravenbench.engine.guard import answer
from ravenbench.statistics.estimates import wilson
from ravenbench.tasks.run.spec import build
from ravenbench.tasks.run.task import Run
from ravenbench.types import Bools, Floats, Problems
from ravenbench.verifiers.contract.base import as_verifier

DIMENSIONS = {
    "contraction": "quad_questions_char_contraction.tsv",
    "substitution": "quad_questions_char_substitution.tsv",
    "simplicity": "quad_stel-dimension_simple-100_sample.tsv",
}
TABLE = Path(__file__).parent.parent / "docs" / "data" / "stel.csv"
EQUAL = 1e-12
"""Difference up to which two sides of a comparison are equal."""
Pairs = Sequence[tuple[str, str]]
Likeness = Callable[[Pairs], Floats]
"""Similarities (n,) of pairs of sentences, 0 to 1."""


class Question(NamedTuple):
    """Two anchors, and the alternatives in the style of the first and of the second."""

    first: str
    second: str
    like_first: str
    like_second: str


def questions(folder: Path, dimension: str) -> list[Question]:
    """The questions of a dimension."""
    with (folder / DIMENSIONS[dimension]).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    made = []
    for row in rows:
        alternatives = [row["Alternative 1.1"], row["Alternative 1.2"]]
        if row["Correct Alternative"] == "2":
            alternatives.reverse()
        made.append(Question(row["Anchor 1"], row["Anchor 2"], *alternatives))
    return made


def accuracies(asked: Sequence[Question], likeness: Likeness) -> tuple[Floats, Floats]:
    """Whether each question is answered right (1, 0, or .5 where both sides are equal): STEL, STEL-or-Content."""
    pairs = [
        pair
        for q in asked
        for pair in (
            (q.first, q.like_first),
            (q.second, q.like_second),
            (q.first, q.like_second),
            (q.second, q.like_first),
            (q.first, q.second),
        )
    ]
    alike = likeness(pairs).reshape(-1, 5)
    far = (1 - alike) ** 2
    right, swapped = far[:, :2].sum(axis=1), far[:, 2:4].sum(axis=1)
    return _smaller(right, swapped), _smaller(far[:, 0], far[:, 4])


def _smaller(left: Floats, right: Floats) -> Floats:
    return np.where(np.abs(left - right) <= EQUAL, 0.5, (left < right).astype(float))


def by_value(value: Callable[[str], float]) -> Likeness:
    """One minus the difference of a value of the two sentences."""
    return lambda pairs: np.array([1 - abs(value(a) - value(b)) for a, b in pairs])


def word_length(text: str) -> float:
    """Mean number of characters between blanks."""
    return float(np.mean([len(word) for word in text.split()]))


def capitals(text: str) -> float:
    """Share of characters that are capitals."""
    return sum(map(str.isupper, text)) / len(text)


PUBLISHED = {"word length": by_value(word_length), "capitals": by_value(capitals)}
"""Two simple scorers whose accuracies are published."""


def training(folder: Path) -> tuple[Problems, Bools]:
    """What verifiers learn from, with its truth."""
    given = {**corpus("newsgroups"), **COMMON, **SMALL, "probe": "none", "verifiers": "length"}
    store = Run({"spec": build(given), "out": folder}).prepare()
    fold = store.fold(next(iter(store.plan.folds)))
    return fold.train, fold.train_same


def learned(spec: str, problems: Problems, same: Bools) -> Likeness:
    """What a verifier that has learned says of pairs; NaN, which says nothing, lies in the middle."""
    fitted = as_verifier(registry.parse("verifier", spec)).fit(problems, same)

    def likeness(pairs: Pairs) -> Floats:
        asked = Problems.of([(f"q{i}", [a], b) for i, (a, b) in enumerate(pairs)])
        if hasattr(fitted, "log_odds"):
            scores = fitted.log_odds(asked)
        else:
            scores, answers = answer(fitted, asked)
            scores = answers if scores.ndim > 1 else scores
        low, high = np.nanmin(scores), np.nanmax(scores)
        return np.nan_to_num((scores - low) / max(high - low, EQUAL), nan=0.5)

    return likeness


def main() -> None:
    """Ask every verifier, write a line for each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--verifiers", help="default: the shelf")
    given = parser.parse_args()
    data = Path(os.environ["RAVEN_DATA"])
    asked = {dimension: questions(data / "stel", dimension) for dimension in DIMENSIONS}
    with TemporaryDirectory() as folder:
        problems, same = training(Path(folder) / "run")
    kept: dict[str, list[str]] = {}
    if TABLE.exists():
        with TABLE.open(encoding="utf-8", newline="") as file:
            kept = {row[0]: row for row in list(csv.reader(file))[1:]}
    named = registry.split(given.verifiers or ", ".join(SHELF.values()))
    for name in (*PUBLISHED, *named):
        spec, began = None if name in PUBLISHED else form(name), time.process_time()
        if name not in PUBLISHED and spec is None:
            continue
        try:
            likeness = PUBLISHED[name] if spec is None else learned(spec, problems, same)
            cells = [told for q in asked.values() for told in figures(q, likeness)]
        except Exception as error:  # What fails is named; the others are asked.
            print(name, type(error).__name__, error, flush=True)
            continue
        kept[name] = [name, *cells, f"{time.process_time() - began:.1f}"]
        print(*kept[name], flush=True)
        write(kept)


def figures(asked: Sequence[Question], likeness: Likeness) -> list[str]:
    """Accuracy with its interval, on STEL and on STEL-or-Content."""
    cells = []
    for right in accuracies(asked, likeness):
        low, high = wilson(float(right.mean()), len(right))
        cells += [f"{right.mean():.3f}", f"{low:.3f}", f"{high:.3f}"]
    return cells


def write(rows: dict[str, list[str]]) -> None:
    """Write all lines, the highest mean accuracy on STEL first."""
    head = [
        f"{kind}{dimension}{end}"
        for dimension in DIMENSIONS
        for kind in ("", "or_content_")
        for end in ("", "_low", "_high")
    ]
    order = sorted(rows.values(), key=lambda row: -sum(float(row[i]) for i in (1, 7, 13)))
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        lines = [["verifier", *head, "cpu_seconds"], *order]
        csv.writer(file, lineterminator="\n").writerows(lines)


if __name__ == "__main__":
    main()
