"""Ways to fuse verifiers, compared on the runs of ``benchmarks.study_cases``.

Each way learns from the background's log10 LRs. It is asked about background pairs whose authors it did not learn from,
and about the cases. Ways were chosen on EBG's part 1, newsgroups and a part 0 that is no longer run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from ravenbench.bench.compare.record import ComparePlan
from ravenbench.reports.compare.model import ShapeScores, System, learn, read_scores, taken
from ravenbench.statistics.likelihood_ratios import LN10, Fusion, calibrate, cllr, fuse
from ravenbench.store.store import Store
from ravenbench.types import Bools, Floats

Way = Callable[[Floats, Bools, Floats], Fusion]


def equal(members: Floats, same: Bools, weight: Floats) -> Fusion:
    """The mean of the members, calibrated."""
    return _scaled(np.ones(members.shape[1]), members, same, weight)


def best(members: Floats, same: Bools, weight: Floats) -> Fusion:
    """The member of least C_llr on the background, alone."""
    cost = [cllr(member, same, weight) for member in members.T]
    return _scaled(np.arange(len(cost)) == np.argmin(cost), members, same, weight)


def regression(members: Floats, same: Bools, weight: Floats) -> Fusion:
    """The usual fusion: logistic regression on the members, with scikit-learn's default ridge."""
    from sklearn.linear_model import LogisticRegression

    each = np.where(same, weight / weight[same].sum(), weight / weight[~same].sum()) * len(same) / 2
    found = LogisticRegression(C=1.0, max_iter=1000).fit(members * LN10, same, sample_weight=each)
    return Fusion(found.coef_[0], float(found.intercept_[0]) / LN10)


def _scaled(weights: Floats, members: Floats, same: Bools, weight: Floats) -> Fusion:
    found = calibrate(members @ weights, same, weight)
    slope = float(found.slope[0] / found.scale[0])
    return Fusion(weights * slope, found.offset - slope * float(found.centre[0]))


WAYS: dict[str, Way] = {
    "weights by information squared (used)": fuse,
    "logistic regression": regression,
    "equal weights": equal,
    "the best verifier alone": best,
}


def compared(store: Store, kinds: Mapping[str, str], verifiers: list[str]) -> dict[str, dict[str, float]]:
    """C_llr of every way on the background's pairs and on the cases, LRs without bounds."""
    plan = store.plan_as(ComparePlan)
    told: dict[str, dict[str, float]] = {}
    for name, way in WAYS.items():
        sums: list[tuple[Floats, Bools]] = []
        costs = []
        for shape in plan.shapes:
            if shape.problems:
                found = read_scores(store, plan, shape)
                costs.append(_background(found, way, verifiers))
                sums.append(_cases(found, way, verifiers, kinds))
        llr, same = (np.concatenate(part) for part in zip(*sums, strict=True))
        told[name] = {"background": round(float(np.mean(costs)), 3), "cases": round(cllr(llr, same), 3)}
    return told


def _background(found: ShapeScores, way: Way, verifiers: list[str]) -> float:
    pairs, llr = found.pairs, np.zeros(len(found.pairs))
    for fold in np.unique(pairs.fold):
        out = pairs.fold == fold
        members = _members(learn(pairs, pairs.weight, ~out), verifiers, pairs.scores, pairs.content)
        llr[out] = way(members[~out], pairs.same[~out], pairs.weight[~out]).llr(members[out])
    return cllr(llr, pairs.same, pairs.weight)


def _cases(found: ShapeScores, way: Way, verifiers: list[str], kinds: Mapping[str, str]) -> tuple[Floats, Bools]:
    pairs = found.pairs
    rows = [
        row
        for row, problem in enumerate(found.shape.problems)
        if problem.asks == "plain" and kinds[problem.case] in ("same", "different")
    ]
    learned = learn(pairs, pairs.weight)
    fusion = way(_members(learned, verifiers, pairs.scores, pairs.content), pairs.same, pairs.weight)
    llr = fusion.llr(_members(learned, verifiers, taken(found.cases, rows), found.content[rows]))
    return llr, np.array([kinds[found.shape.problems[row].case] == "same" for row in rows])


def _members(learned: System, verifiers: list[str], scores: Mapping[str, Floats], content: Floats) -> Floats:
    """Log10 LRs (n, m) of the verifiers, what likeness in content adds taken off."""
    each = learned.llr(scores, content)
    return np.column_stack([each[name] for name in verifiers])
