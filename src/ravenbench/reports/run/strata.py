"""Hard pairs: scores where same-author pairs cross topics and different-author pairs share one, and by topic distance.

A description, not a verdict: communities have styles too, so some of what makes shared topics hard is style.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ravenbench.metrics.calibration import cllr
from ravenbench.reports.cells import Sides, ranked, sides_of
from ravenbench.statistics.estimates import Estimate, Units, estimate, influence, placements
from ravenbench.types import Bools, Floats

if TYPE_CHECKING:
    from ravenbench.bench.run.record import RunPlan
    from ravenbench.store.store import Store

PARTS = 3
"""Equal parts of the distances between topics."""
FEWEST = 10
"""Pairs of a class in a fold below which it says nothing of a stratum."""


@dataclass(frozen=True)
class Stratum:
    """One verifier on same-author pairs of one kind against different-author pairs of one kind.

    ``auc`` is the mean over folds, with an interval over authors; ``cllr`` the cost of the log-likelihood ratio in
    bits of the answers of all folds together, None where it is infinite. ``same`` and ``different`` count pairs.
    """

    verifier: str
    same_author: str
    different_author: str
    same: int
    different: int
    auc: Estimate | None
    cllr: float | None


def strata(store: Store, plan: RunPlan, names: Sequence[str]) -> tuple[Stratum, ...]:
    """Every stratum of the Random folds (of all, where none is Random); empty where topics of pairs are unknown."""
    setups = [s for s in plan.setups if s.setup == "random"] or plan.setups
    folds = list(dict.fromkeys(fold for setup in setups for fold in setup.folds))
    if not plan.topics:
        return ()
    sides = {fold: sides_of(store, fold, plan.topics) for fold in folds}
    kinds = _kinds(sides, store.similarity())
    found = []
    for name in names:
        cells = {fold: store.cell(name, fold) for fold in folds}
        known = [fold for fold in folds if (cell := cells[fold]) is not None and cell.answers is not None]
        for same_author, different_author, which in kinds:
            parts = []
            for fold in known:
                cell, kept = cells[fold], which[fold]
                scores = ranked(cell)
                assert cell is not None and cell.answers is not None and scores is not None
                same = sides[fold].same[kept]
                if min(same.sum(), (~same).sum()) >= FEWEST:
                    parts.append((sides[fold], kept, scores[kept], cell.answers[kept]))
            found.append(_stratum(name, same_author, different_author, parts))
    return tuple(s for s in found if s.auc is not None)


Part = tuple[Sides, Bools, Floats, Floats]
"""Problems of a fold, which of them, and their scores and answers."""
Kind = tuple[str, str, dict[str, Bools]]


def _kinds(sides: dict[str, Sides], similarity: Floats) -> list[Kind]:
    """Name of the same-author pairs, of the different-author pairs, and which problems of each fold those are."""
    shared = {fold: s.topics[:, 0] == s.topics[:, 1] for fold, s in sides.items()}
    words = {True: "one topic", False: "two topics"}
    found: list[Kind] = []
    for a in (True, False):
        for b in (True, False):
            which = {f: np.where(s.same, shared[f] == a, shared[f] == b) for f, s in sides.items()}
            found.append((words[a], words[b], which))
    apart = {f: np.where(shared[f], np.nan, 1 - similarity[s.topics[:, 0], s.topics[:, 1]]) for f, s in sides.items()}
    every = np.concatenate(list(apart.values()))
    if np.isfinite(every).any():
        ends = np.quantile(every[np.isfinite(every)], np.linspace(0, 1, PARTS + 1))
        for low, high in pairwise(ends):
            name = f"{low:.2f} to {high:.2f} apart"
            found.append((name, name, {f: (d >= low) & (d <= high) for f, d in apart.items()}))
    return found


def _stratum(name: str, same_author: str, different_author: str, parts: list[Part]) -> Stratum:
    if not parts:
        return Stratum(name, same_author, different_author, 0, 0, None, None)
    same = np.concatenate([sides.same[kept] for sides, kept, _, _ in parts])
    areas = [placements(sides.same[kept], scores, scores) for sides, kept, scores, _ in parts]
    effects = [influence(s.same[k], value, place) for (s, k, _, _), (value, place) in zip(parts, areas, strict=True)]
    units = Units(
        np.concatenate([sides.authors[kept] for sides, kept, _, _ in parts]),
        np.concatenate([sides.problem[kept] for sides, kept, _, _ in parts]),
    )
    auc = estimate(float(np.mean([value for value, _ in areas])), np.concatenate(effects) / len(parts), units)
    answers = np.concatenate([answers for _, _, _, answers in parts])
    count = int(same.sum())
    return Stratum(name, same_author, different_author, count, len(same) - count, auc, cllr(same, answers).cllr)
