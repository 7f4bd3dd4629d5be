"""Computes the findings of a validation from its cells: measures of every condition with intervals, and verdicts.

In: the folder (``Store``) of a validation; measures by key with a ``Criterion``.
Out: a ``Validation`` with a ``DossierCell`` for each condition: log10 LRs (n,), unbounded, higher = same author, C_llr
and cross-entropy in bits, devPAV in log10, rates as proportions from 0 to 1, 95 % intervals. ``failing`` and
``remedies``: sentences.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ravenbench.ext.case.compare.dossier import CellResult, Criterion, Dossier
from ravenbench.ext.case.compare.model import FUSED, issue_llr, read_scores, validate
from ravenbench.ext.case.compare.record import part_under
from ravenbench.ext.case.content import VerifierContent, verifier_contents
from ravenbench.ext.case.likelihood_ratios import (
    RATES,
    MeasureEstimate,
    estimated,
    measures,
)
from ravenbench.ext.case.sentences import beside, say
from ravenbench.ext.case.stated import DrawnPairs
from ravenbench.ext.case.validate.plan import TestedRecord, ValidatePlan
from ravenbench.reports.answers import Answer
from ravenbench.types import Ints

if TYPE_CHECKING:
    from ravenbench.store.store import Store

Figures = Mapping[str, MeasureEstimate]
TITLES = {
    "cllr": "C_llr",
    "cllr_min": "C_llr min",
    "eer": "equal error rate",
    "devpav": "devPAV",
    "mean_for": "mean LR of different-author pairs",
    "mean_against": "mean 1/LR of same-author pairs",
    "misleading_for": "rate of strongly misleading LRs for the same author",
    "misleading_against": "rate of strongly misleading LRs for different authors",
}
MOST_PEOPLE = 500
"""Raven does not advise more people than this, because nobody collects texts of so many."""


@dataclass(frozen=True, eq=False)
class CellPairs(DrawnPairs):
    """Pairs under a condition, with the numbers of the authors (n, 2) of their known and questioned side."""

    authors: Ints


@dataclass(frozen=True, eq=False)
class DossierCell:
    """A cell: its findings, its ``pairs`` (None if it was not tested), what was done about content for each verifier,
    and the number of ``people`` whose texts support its LRs."""

    result: CellResult
    pairs: CellPairs | None = None
    contents: tuple[VerifierContent, ...] = ()
    people: int = 0


@dataclass(frozen=True, eq=False, repr=False)
class Validation(Answer[ValidatePlan]):
    """A whole dossier: its cells with their LRs."""

    Plan = ValidatePlan
    cells: tuple[DossierCell, ...]

    @classmethod
    def of(cls, store: Store) -> Validation:
        """Return the findings of a dossier; nothing is scored here."""
        store.expect("validate")
        plan = store.plan_as(ValidatePlan)
        return cls(tuple(_cell(store, plan, record) for record in plan.tested))

    @property
    def dossier(self) -> Dossier:
        """The part that a comparison cites."""
        return Dossier(
            run=self.run,
            background=self.plan.background.name,
            criterion=self.plan.criterion,
            fixed=self.plan.fixed,
            cells=[cell.result for cell in self.cells],
        )


def _cell(store: Store, plan: ValidatePlan, record: TestedRecord) -> DossierCell:
    reason = record.reason or say("failed verifier")
    untested = CellResult(
        condition=record.condition,
        authors=0,
        same=0,
        different=0,
        measures={},
        verdict="not tested",
        reasons=[reason],
    )
    if record.shape is None or record.pairs is None:
        return DossierCell(untested)
    shape = next(one for one in plan.shapes if one.name == record.shape)
    learned_from = read_scores(store, plan, shape)
    itself = record.pairs.name == shape.name
    scores = learned_from if itself else read_scores(store, plan, record.pairs)
    if min(len(one.verifiers) for one in (scores, learned_from)) < len(plan.verifiers):
        return DossierCell(untested)
    # Pairs under a condition have the numbers of the shape's folds, of which some may have none.
    numbers = np.array([shape.folds.index(part_under(name)) for name in record.pairs.folds])
    pairs = replace(scores.pairs, fold=numbers[scores.pairs.fold])
    llr = issue_llr(learned_from.pairs, pairs)[FUSED]
    drawn = pairs.authors, store.run.seed
    figures = estimated(llr, pairs.same, pairs.weight, *drawn, measures(plan.criterion.strong))
    people = len(shape.authors)
    authors = len(np.unique(pairs.authors[pairs.same, 0]))
    failed = failing(figures, plan.criterion, people)
    result = CellResult(
        condition=record.condition,
        authors=authors,
        same=int(pairs.same.sum()),
        different=int((~pairs.same).sum()),
        measures=figures,
        verdict="failed" if failed else "passed",
        reasons=[*failed, *plan.criterion.beforehand(people, authors)],
    )
    return DossierCell(
        result,
        CellPairs(llr, pairs.same, pairs.weight, pairs.authors),
        tuple(verifier_contents(learned_from, validate(learned_from.pairs))),
        people,
    )


def failing(figures: Figures, criterion: Criterion, people: int) -> list[str]:
    """Return why a cell, with LRs supported by this number of people, does not meet its criterion; an empty list if it
    does."""
    reasons = []
    for key, limit in criterion.limits(people).items():
        one = figures[key]
        how = "below" if key == "cllr" else "at most"
        if one.high > limit or (key == "cllr" and one.high == limit):
            more = _more_people(one, limit, people) if key not in RATES else ""
            high = beside(one.high, limit)
            reasons.append(
                say("fails", what=TITLES[key], high=high, how=how, limit=limit, more=more)
            )
        elif key.startswith("mean") and one.low > 1:
            reasons.append(say("mean above one", what=TITLES[key], low=beside(one.low, 1)))
    return reasons


def _more_people(one: MeasureEstimate, limit: float, people: int) -> str:
    """How many people would bring an upper end down to a limit: an interval narrows with the square root of them."""
    left = limit - one.value
    if left <= 0:
        return ""
    needed = people * ((one.high - one.value) / left) ** 2
    return say("more people", people=round(needed), value=one.value) if needed < MOST_PEOPLE else ""


def remedies(dossier: Dossier) -> list[str]:
    """Return what to do about cells that failed; an empty list if none did."""
    failed = any(one.verdict == "failed" for one in dossier.cells)
    return [say("what to do"), say("no answer there")] * failed
