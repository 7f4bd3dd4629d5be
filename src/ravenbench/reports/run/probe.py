"""What a run's crossed probe shows: gains by verifier, and the verdicts on them.

AUC is taken of raw scores where a verifier gives one a problem, so that its calibrator's non-answers make no ties;
else of answers. The overall score is always of answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ravenbench.bench.run.record import RunPlan
from ravenbench.reports.run.fold_rows import Failure
from ravenbench.reports.run.records import ProbeRow, Probing
from ravenbench.statistics.gains import gain_test
from ravenbench.statistics.pools import correlation
from ravenbench.statistics.verdict import judge

if TYPE_CHECKING:
    from ravenbench.bench.run.record import RepetitionRecord
    from ravenbench.bench.shared.record import FoldRecord
    from ravenbench.bench.shared.store import Cell, Store
    from ravenbench.types import Bools

FOUR = ("aa", "ab", "ba", "bb")
"""Training domain, test domain."""


def probing(store: Store, names: Sequence[str]) -> Probing | None:
    """Gains and verdicts of a run's probe; None for runs that have no topics, and so no place for one."""
    plan = store.plan_as(RunPlan)
    section = plan.probe
    if section is None:
        return None
    found: dict[tuple[str, str, bool], list[float]] = {}
    failures = []
    for entry in section.repetitions:
        truth = {name: store.truth(name) for name in entry.folds.values()}
        for verifier in names:
            values: dict[str, dict[str, float | None]] = {"auc": {}, "overall": {}}
            for place in FOUR:
                fold = entry.folds[place]
                cell = store.cell(verifier, fold)
                if cell is None or cell.answers is None:
                    error = "not computed" if cell is None else cell.error or "no answers"
                    failures.append(Failure(store.keys.get((verifier, fold), ""), verifier, fold, error))
                else:
                    for metric, value in _scores(truth[fold], cell).items():
                        values[metric][place] = value
            for metric, four in values.items():
                gain = gain_of(four)
                if gain is not None:
                    found.setdefault((verifier, metric, entry.null), []).append(gain)
    rho = correlation([entry.topics for entry in section.repetitions])
    rows = tuple(
        ProbeRow(v, m, gain_test(found.get((v, m, False), []), found.get((v, m, True), []), correlation=rho))
        for m in ("auc", "overall")
        for v in names
    )
    pairs = _pairs(plan.folds, section.repetitions)
    judged = judge([row.test for row in rows if row.metric == "auc"], pairs, plan.pairs)
    real = [entry for entry in section.repetitions if not entry.null]
    return Probing(
        section=section,
        rows=rows,
        verdicts=dict(zip(names, judged, strict=True)),
        pairs=pairs,
        matched_similarity=_mean([entry.matched_similarity for entry in real]),
        mismatched_similarity=_mean([entry.mismatched_similarity for entry in real]),
        failures=tuple(failures),
    )


def gain_of(four: Mapping[str, float | None]) -> float | None:
    """½·[(aa − ba) + (bb − ab)] of values by (training domain, test domain); None where one is missing."""
    aa, ab, ba, bb = (four.get(place) for place in FOUR)
    if aa is None or ab is None or ba is None or bb is None:
        return None
    return ((aa - ba) + (bb - ab)) / 2


def _scores(truth: Bools, cell: Cell) -> dict[str, float | None]:
    from ravenbench.metrics import scores
    from ravenbench.metrics.auc import auc_of_scores

    assert cell.answers is not None and cell.scores is not None
    raw = cell.scores if cell.scores.ndim == 1 else cell.answers
    return {"auc": auc_of_scores(truth, raw), "overall": scores(truth, cell.answers)["overall"]}


def _pairs(folds: Mapping[str, FoldRecord], repetitions: Sequence[RepetitionRecord]) -> float | None:
    """Test pairs of the rarer class, mean over test sets."""
    tests = [folds[entry.folds[place]].counts for entry in repetitions for place in ("aa", "bb")]
    return _mean([min(counts.test.same, counts.test.different) for counts in tests if counts is not None])


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None
