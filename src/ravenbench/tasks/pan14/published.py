"""Gives figures printed for methods in the PAN 2014 overview, for comparison on corpora of the same names.

In: the name of a verifier.
Out: a ``Publication``: the method's name there, why Raven's figures may differ, and one ``Printed`` a corpus (final
score = AUC · c@1, AUC and c@1, each from 0 to 1); None for a method that the tables do not have.

Stamatatos et al. 2014, Overview of the Author Identification Task at PAN 2014, Tables 3–8: the meta-classifier, the
participants and the baseline. Methods of other years were published on other data.
"""

from __future__ import annotations

import csv
from importlib.resources import files
from typing import NamedTuple


class Printed(NamedTuple):
    """One row of the overview: final score (AUC · c@1), AUC and c@1, 0 to 1."""

    final: float
    auc: float
    c_at_1: float


class Publication(NamedTuple):
    """A method as printed: its name there, figures by corpus (empty where it was published on other data), and why
    those of Raven's may differ."""

    system: str
    why: str
    figures: dict[str, Printed]


CORPORA = ("du_essays", "du_reviews", "en_essays", "en_novels", "gr_articles", "sp_articles")


def _published() -> dict[str, Publication]:
    """Methods with their rows of Tables 3–8, from a table of thousandths: final, AUC and c@1 of each corpus in turn."""
    methods = {}
    with (files("ravenbench.tasks.pan14") / "published.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            values = [int(value) / 1000 for value in row["figures"].split()]
            figures = [Printed(*values[i : i + 3]) for i in range(0, len(values), 3)]
            methods[row["method"]] = Publication(
                row["system"], row["why"], dict(zip(CORPORA, figures, strict=False))
            )
    return methods


PUBLISHED = _published()
"""By what a verifier prints, parameters left out where they do not name another method."""


def publication(name: str) -> Publication | None:
    """What was printed for a verifier, None for methods of no publication's tables."""
    return PUBLISHED.get(name.replace('"', "'")) or PUBLISHED.get(name.split("(", 1)[0])
