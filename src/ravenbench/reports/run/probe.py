"""What a run's crossed probe shows: how far every verifier depends on the domain it was trained on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ravenbench.bench.run.record import RunPlan
from ravenbench.reports.cells import Failure, mean, ranked, sides_of
from ravenbench.statistics.axes import Domain, Judged, domain_axis
from ravenbench.statistics.domain import Crossed, Repetition, alike, gain_figure
from ravenbench.statistics.estimates import Estimate

if TYPE_CHECKING:
    from ravenbench.bench.run.record import ProbeRecord
    from ravenbench.store.store import Store

FOUR = ("aa", "ab", "ba", "bb")
"""Training domain, test domain."""
FEWEST_PAIRS = 20
"""Test pairs of the rarer class, on average, without which there is no verdict."""


@dataclass(frozen=True)
class DomainRow:
    """One verifier: its gain from training near the test topics, that of the null, complete repetitions, verdict."""

    verifier: str
    gain: Estimate | None
    null: Estimate | None
    repetitions: int
    judged: Judged


@dataclass(frozen=True, eq=False)
class Probing:
    """The crossed probe of a run.

    ``section`` is the plan's; ``pairs`` is the mean number of test pairs of the rarer class; similarities are means
    over train × test topics of the same and of the other domain.
    """

    section: ProbeRecord
    rows: tuple[DomainRow, ...]
    pairs: float | None
    matched_similarity: float | None
    mismatched_similarity: float | None
    failures: tuple[Failure, ...]

    def row(self, verifier: str) -> DomainRow:
        """A verifier's row."""
        return next(row for row in self.rows if row.verifier == verifier)


def probing(store: Store, names: Sequence[str]) -> Probing | None:
    """Gains and verdicts of a run's probe; None for runs that have no topics, and so no place for one."""
    plan = store.plan_as(RunPlan)
    section = plan.probe
    if section is None:
        return None
    sides = {
        entry.folds[k]: sides_of(store, entry.folds[k], plan.topics)
        for entry in section.repetitions
        for k in ("aa", "ab")
    }
    counts = [min(s.same.sum(), (~s.same).sum()) for s in sides.values()]
    pairs = float(np.mean(counts)) if counts else None
    rows, failures = [], []
    for verifier in names:
        found: dict[bool, list[Repetition]] = {False: [], True: []}
        for entry in section.repetitions:
            scores = {}
            for place in FOUR:
                cell = store.cell(verifier, entry.folds[place])
                values = ranked(cell)
                if values is None:
                    error = "not computed" if cell is None else cell.error or "no answers"
                    key = store.keys.get((verifier, entry.folds[place]), "")
                    failures.append(Failure(key, verifier, entry.folds[place], error))
                else:
                    scores[place] = values
            if len(scores) == len(FOUR):
                a, b = sides[entry.folds["aa"]], sides[entry.folds["ab"]]
                first = Crossed(a.same, scores["aa"], scores["ba"], a.topics)
                second = Crossed(b.same, scores["bb"], scores["ab"], b.topics)
                found[entry.null].append((first, second))
        rows.append(_row(verifier, found[False], found[True], pairs, plan.pairs))
    real = [entry for entry in section.repetitions if not entry.null]
    return Probing(
        section=section,
        rows=tuple(rows),
        pairs=pairs,
        matched_similarity=mean([entry.matched_similarity for entry in real]),
        mismatched_similarity=mean([entry.mismatched_similarity for entry in real]),
        failures=tuple(failures),
    )


def _row(verifier: str, real: list[Repetition], null: list[Repetition], pairs: float | None, rule: str) -> DomainRow:
    gain = gain_figure(real)
    if not rule.startswith("matched"):
        reason = f"verdicts are given under matched pairs, and these are {rule}"
        judged = Judged(Domain.NO_VERDICT, 0.0, reason=reason)
    elif pairs is not None and pairs < FEWEST_PAIRS:
        reason = f"{pairs:.0f} pairs of the rarer class in a test set, {FEWEST_PAIRS} are needed"
        judged = Judged(Domain.NO_VERDICT, 0.0, reason=reason)
    elif gain is None:
        judged = Judged(Domain.NO_VERDICT, 0.0, reason="no repetition is complete")
    else:
        judged = domain_axis(gain, len(real), alike=alike(real))
    return DomainRow(verifier, gain, gain_figure(null), len(real), judged)
