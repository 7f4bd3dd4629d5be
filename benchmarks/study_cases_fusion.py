"""Ways to fuse verifiers, compared on the runs of ``benchmarks.study_cases``; and lists of verifiers.

``python -m benchmarks.study_cases_fusion OUT`` reads runs that hold the verifiers of both lists, and sets each fusion
beside its best member.

Each way learns from the background's log10 LRs. It is asked about background pairs whose authors it did not learn from,
and about the cases. Ways were chosen on EBG's part 1, newsgroups and a part 0 that is no longer run.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.study_cases_corpora import NEAREST, OWN, RANDOM
from ravenbench.ext.case.compare.model import (
    FUSED,
    ShapeScores,
    System,
    learn,
    read_scores,
    subset,
    validate,
)
from ravenbench.ext.case.compare.record import ComparePlan
from ravenbench.ext.case.likelihood_ratios import LN10, Fusion, calibrate, cllr, fuse
from ravenbench.randomness import stream
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


def compared(
    store: Store, kinds: Mapping[str, str], verifiers: list[str]
) -> dict[str, dict[str, float]]:
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
        told[name] = {
            "background": round(float(np.mean(costs)), 3),
            "cases": round(cllr(llr, same), 3),
        }
    return told


def _background(found: ShapeScores, way: Way, verifiers: list[str]) -> float:
    pairs, llr = found.pairs, np.zeros(len(found.pairs))
    for fold in np.unique(pairs.fold):
        out = pairs.fold == fold
        members = _members(learn(pairs, pairs.weight, ~out), verifiers, pairs.scores, pairs.content)
        llr[out] = way(members[~out], pairs.same[~out], pairs.weight[~out]).llr(members[out])
    return cllr(llr, pairs.same, pairs.weight)


def _cases(
    found: ShapeScores, way: Way, verifiers: list[str], kinds: Mapping[str, str]
) -> tuple[Floats, Bools]:
    pairs = found.pairs
    rows = [
        row
        for row, problem in enumerate(found.problems)
        if problem.asks == "plain" and kinds[problem.case] in ("same", "different")
    ]
    learned = learn(pairs, pairs.weight)
    fusion = way(
        _members(learned, verifiers, pairs.scores, pairs.content), pairs.same, pairs.weight
    )
    llr = fusion.llr(_members(learned, verifiers, subset(found.cases, rows), found.content[rows]))
    return llr, np.array([kinds[found.problems[row].case] == "same" for row in rows])


def _members(
    learned: System, verifiers: list[str], scores: Mapping[str, Floats], content: Floats
) -> Floats:
    """Log10 LRs (n, m) of the verifiers, what likeness in content adds taken off."""
    each = learned.llr(scores, content)
    return np.column_stack([each[name] for name in verifiers])


USED = (
    "raven-2026",
    "impostors",
    "masked(lambdag, frequency-mask)",
    "ppm",
    "char-ngram",
    "function-words",
)
TRIED = (*USED, "poisson-gamma(unit='character')")
"""The default list, and the one that was tried. What to add was settled on background pairs of EBG's part 2 and of
newsgroups, whose authors are in no case, before any of these cases was looked at with it."""
SETS: Mapping[str, Sequence[tuple[str, tuple[str, str]]]] = {
    "ebg2": [("EBG, part 2", ("same", "different"))],
    "newsgroups": [("20 Newsgroups", ("same", "different"))],
    "newsgroups-show": [
        ("20 Newsgroups, other people, random strangers", (OWN, RANDOM)),
        ("20 Newsgroups, other people, nearest strangers", (OWN, NEAREST)),
    ],
}
DRAWS = 2000


@dataclass(frozen=True)
class Asked:
    """Log10 LRs as they are issued, by verifier and for the fusion, (n,) each; kinds and people (n,); and the member of
    least C_llr on background pairs."""

    llr: Mapping[str, Floats]
    kind: list[str]
    person: list[str]
    best: str


def issue_llr(store: Store, kinds: Mapping[str, str], names: Sequence[str]) -> Asked:
    """What these verifiers and their fusion say of all cases, whether or not they would be answered."""
    plan = store.plan_as(ComparePlan)
    (found,) = (read_scores(store, plan, shape) for shape in plan.shapes if shape.problems)
    pairs = found.pairs
    kept = {
        field: {name: getattr(pairs, field)[name] for name in names}
        for field in ("scores", "moved")
    }
    valid = validate(replace(pairs, **kept))
    cost = {name: cllr(valid.llr[name], pairs.same, pairs.weight) for name in names}
    problems, llr = found.problems, list[dict[str, Floats]]()
    plain = [row for row, problem in enumerate(problems) if problem.asks == "plain"]
    for row in plain:
        off = [
            i for i, p in enumerate(problems) if p.asks == "off" and p.case == problems[row].case
        ]
        moved = {
            name: np.mean(found.cases[name][off], axis=0, keepdims=True)
            if off
            else np.full_like(found.cases[name][:1], np.nan)
            for name in names
        }
        scores, content = (
            subset({name: found.cases[name] for name in names}, [row]),
            found.content[[row]],
        )
        llr.append(valid.limits.bounded(valid.system.combined(scores, moved, content), content))
    cases = [problems[row].case for row in plain]
    joined = {name: np.concatenate([one[name] for one in llr]) for name in llr[0]}
    return Asked(
        joined,
        [kinds[case] for case in cases],
        [case.partition("-")[0] for case in cases],
        min(cost, key=cost.__getitem__),
    )


def difference(
    one: Floats, other: Floats, same: Bools, person: Sequence[str]
) -> tuple[float, float, float]:
    """C_llr of the first less that of the other, with a 95 % interval when people are drawn anew."""
    _, code = np.unique(person, return_inverse=True)
    rng, drawn = stream(7, "lists-people"), []
    for _ in range(DRAWS):
        rows = np.concatenate(
            [np.flatnonzero(code == i) for i in rng.integers(code.max() + 1, size=code.max() + 1)]
        )
        if same[rows].any() and not same[rows].all():
            drawn.append(cllr(one[rows], same[rows]) - cllr(other[rows], same[rows]))
    low, high = np.quantile(drawn, [0.025, 0.975])
    return cllr(one, same) - cllr(other, same), float(low), float(high)


def lists(asked: Mapping[str, Asked], title: str, own: str, other: str) -> dict[str, Any]:
    """Both lists on the same cases: C_llr of all members and of the fusion, that less the best member's, and the
    fusions' difference."""
    used = asked["used"]
    rows = [i for i, kind in enumerate(used.kind) if kind in (own, other)]
    same, person = np.array([used.kind[i] == own for i in rows]), [used.person[i] for i in rows]
    line: dict[str, Any] = {
        "cases": title,
        "same": int(same.sum()),
        "different": int((~same).sum()),
    }
    llr = {
        label: {name: values[rows] for name, values in one.llr.items()}
        for label, one in asked.items()
    }

    def less(one: Floats, than: Floats) -> list[float]:
        return [round(value, 3) for value in difference(one, than, same, person)]

    for label, one in asked.items():
        costs = {name: round(cllr(values, same), 3) for name, values in llr[label].items()}
        hindsight = min((name for name in costs if name != FUSED), key=costs.__getitem__)
        line[label] = {
            "cllr": costs,
            "foreseen": [one.best, *less(llr[label][FUSED], llr[label][one.best])],
            "hindsight": [hindsight, *less(llr[label][FUSED], llr[label][hindsight])],
        }
    return line | {"tried less used": less(llr["tried"][FUSED], llr["used"][FUSED])}


def together(each: Sequence[Mapping[str, Asked]]) -> dict[str, Asked]:
    """Cases of several runs as one: plain ones, and those with strangers at random."""
    kinds = {OWN: "same", RANDOM: "different"}
    joined = {}
    for label in each[0]:
        parts = [one[label] for one in each]
        joined[label] = Asked(
            {name: np.concatenate([part.llr[name] for part in parts]) for name in parts[0].llr},
            [kinds.get(kind, kind) for part in parts for kind in part.kind],
            [f"{number}-{name}" for number, part in enumerate(parts) for name in part.person],
            parts[0].best,
        )
    return joined


def main() -> None:
    """Write ``CORPUS.lists.json`` beside each run, and ``all.lists.json``."""
    from benchmarks.study_cases import MADE

    out, each = Path(sys.argv[1]), []
    for name in SETS:
        kinds = MADE[name](out / name).truth
        store = Store.open(str(out / name / "run"))
        each.append(
            {
                label: issue_llr(store, kinds, names)
                for label, names in (("used", USED), ("tried", TRIED))
            }
        )
        _write(
            out / f"{name}.lists.json",
            [lists(each[-1], title, *pair) for title, pair in SETS[name]],
        )
    _write(
        out / "all.lists.json",
        [lists(together(each), "all but the nearest strangers", "same", "different")],
    )


def _write(path: Path, told: list[dict[str, Any]]) -> None:
    path.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
