"""Evaluate several systems' answers to the same problems: metrics, intervals, tests, hull, meta-classifiers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ravenbench.errors import InputError, did_you_mean
from ravenbench.formats.answers import SystemAnswers, Truth, align
from ravenbench.metrics.calibration import Cllr, cllr, reliability
from ravenbench.metrics.pan import METRICS, TESTABLE
from ravenbench.metrics.roc import Hull, curve, hull
from ravenbench.metrics.scores import scores
from ravenbench.metrics.sums import checked
from ravenbench.reports.evaluation_tables import hull_table, intervals_table, scores_table, significance_table
from ravenbench.reports.tables import Table, to_html, to_latex
from ravenbench.statistics.combine import choose_band, mean_of, rank_mean, stacked, with_band
from ravenbench.statistics.multiplicity import holm
from ravenbench.statistics.ties import tie_groups
from ravenbench.types import Bools, Floats, Ints

if TYPE_CHECKING:
    import polars

    from ravenbench.statistics.bootstrap import Replicates
    from ravenbench.statistics.randomization import Answered

Interval = tuple[float, float]


@dataclass(frozen=True, eq=False)
class SystemScores:
    """One system: every metric (None where undefined), its intervals, calibration, and its tie group (1 = best).

    ``value`` (n,) are its answers in truth's order, ``missing`` counts those filled with 0.5. A meta-classifier
    has no tie group.
    """

    name: str
    value: Floats
    scores: Mapping[str, float | None]
    interval: Mapping[str, Interval | None]
    ece: float
    cllr: Cllr
    missing: int = 0
    tie_group: int | None = None

    def to_json(self) -> dict[str, Any]:
        """The system's object in the ``evaluate`` schema."""
        known = {m: v for m, v in self.scores.items() if m != "unanswered"}
        return {
            "system": self.name,
            **known,
            "unanswered": int(self.scores["unanswered"] or 0),
            "missing": self.missing,
            "interval": {m: None if r is None else list(r) for m, r in self.interval.items()},
            "tie_group": self.tie_group,
            "calibration": {"ece": self.ece, **self.cllr._asdict()},
        }


@dataclass(frozen=True)
class PairTest:
    """Difference a − b in a metric, its bootstrap interval, raw and Holm-corrected p; None where undefined."""

    a: str
    b: str
    metric: str
    difference: float | None
    interval: Interval | None
    p: float | None
    p_holm: float | None


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What ``evaluate`` found.

    ``ranked_by`` is the tested metric that tie groups are by; ``unit`` says what the bootstrap drew (problems or
    authors); ``band`` is the half-width chosen on training answers, None without.
    """

    systems: tuple[SystemScores, ...]
    meta: tuple[SystemScores, ...]
    pairs: tuple[PairTest, ...]
    hull: Hull | None
    tests: tuple[str, ...]
    problems: int
    same: int
    unit: str
    replicates: int
    level: float
    alpha: float
    band: float | None

    @property
    def ranked_by(self) -> str:
        """The metric that tie groups are by."""
        return self.tests[0]

    def tables(self) -> tuple[Table, ...]:
        """Scores, intervals, significance of each tested metric, hull."""
        matrices = [significance_table(self, m) for m in self.tests] if len(self.systems) > 1 else []
        return (scores_table(self), intervals_table(self), *matrices, hull_table(self))

    def to_json(self) -> dict[str, Any]:
        """One object of plain values, the ``evaluate`` schema; undefined values are None."""
        stretches = [] if self.hull is None else self.hull.stretches
        return {
            "systems": [s.to_json() for s in self.systems],
            "pairs": [
                {
                    "a": p.a,
                    "b": p.b,
                    "metric": p.metric,
                    "difference": p.difference,
                    "interval": None if p.interval is None else list(p.interval),
                    "p": p.p,
                    "p_holm": p.p_holm,
                }
                for p in self.pairs
            ],
            "hull": [s._asdict() for s in stretches],
            "meta": {s.name: s.to_json() for s in self.meta},
        }

    def to_polars(self) -> polars.DataFrame:
        """One row a system, meta-classifiers last: every metric with ``_low`` and ``_high`` of its interval."""
        import polars

        rows = []
        for s in (*self.systems, *self.meta):
            row: dict[str, Any] = {"system": s.name, "meta": s.tie_group is None, "tie_group": s.tie_group}
            for m in METRICS:
                low, high = s.interval[m] or (None, None)
                row |= {m: s.scores[m], f"{m}_low": low, f"{m}_high": high}
            row |= {"unanswered": int(s.scores["unanswered"] or 0), "missing": s.missing}
            rows.append(row | {"ece": s.ece} | s.cllr._asdict())
        return polars.DataFrame(rows, infer_schema_length=None)

    def to_latex(self) -> str:
        """All tables for LaTeX."""
        return "\n".join(to_latex(table) for table in self.tables())

    def _repr_html_(self) -> str:
        return "\n".join(to_html(table) for table in self.tables())


def evaluate_answers(truth: Truth, answers: Sequence[SystemAnswers], **options: Any) -> Evaluation:
    """``evaluate`` for answers as read from files: aligned to truth, missing ones 0.5 and counted.

    Raises
    ------
    InputError
        If two systems share a name, or answers name problems that truth does not have.
    """
    names = [a.system for a in answers]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InputError("two systems have one name", found=twice[0], fix="rename a file or folder")
    aligned = {a.system: align(truth, a) for a in answers}
    return evaluate(
        truth,
        {name: a.value for name, a in aligned.items()},
        decisions={name: a.decision for name, a in aligned.items() if a.decision is not None},
        missing={name: int(a.missing.sum()) for name, a in aligned.items()},
        **options,
    )


def evaluate(
    truth: Truth,
    systems: Mapping[str, ArrayLike],
    *,
    decisions: Mapping[str, ArrayLike] | None = None,
    missing: Mapping[str, int] | None = None,
    training: tuple[ArrayLike, Mapping[str, ArrayLike]] | None = None,
    tests: Sequence[str] = ("c@1", "accuracy"),
    replicates: int = 10_000,
    trials: int = 10_000,
    level: float = 0.95,
    alpha: float = 0.05,
    seed: int = 0,
    workers: int = 1,
) -> Evaluation:
    """Metrics of every system with intervals, tests of every pair, the ROC hull, and meta-classifiers.

    Parameters
    ----------
    truth : Truth
        n problems; where it names authors, intervals come from the pigeonhole bootstrap over authors.
    systems : mapping of str to (n,) float
        Answers in truth's order, in [0, 1], higher = same author, 0.5 = unanswered.
    decisions : mapping of str to (n,) float, optional
        Decisions given apart from the scores (PAN 2013): 1, 0 or 0.5.
    missing : mapping of str to int, optional
        How many answers of a system were filled with 0.5.
    training : (m,) bool and mapping of str to (m,) float, optional
        Truth and the same systems' answers on a training set: adds the banded mean and stacking.
    tests : sequence of str
        Metrics to test all pairs in, tie groups by the first. Counts are quick; AUC, Brier, overall and final
        swap answers problem by problem, about a second a pair for 14,000 problems.
    replicates, trials : int
        Of the bootstrap and of each test.
    seed, workers : int
        Digits depend on the seed, never on the number of workers.

    Raises
    ------
    InputError
        If there is no system, an answer is not a number in [0, 1], lengths differ, a test is unknown, or a system
        lacks training answers.
    """
    from ravenbench.metrics.weighted import rank
    from ravenbench.statistics.bootstrap import bootstrap
    from ravenbench.statistics.randomization import Answered

    if not systems:
        raise InputError("there are no answers to evaluate", expected="at least one system")
    for name in tests:
        if name not in TESTABLE:
            raise InputError(f"no test for the metric {name!r}", fix=did_you_mean(name, TESTABLE))
    if not tests:
        raise InputError("no metric to test", expected=f"some of {', '.join(TESTABLE)}")
    answered: dict[str, Answered] = {}
    for name, value in systems.items():
        try:
            answered[name] = Answered(*checked(truth.same, value, (decisions or {}).get(name))[1:])
        except InputError as error:
            raise InputError(f"{name}: {error.problem}", found=error.found, expected=error.expected) from None
    combined, band = _combine({name: a.value for name, a in answered.items()}, training)
    everyone = answered | {name: Answered(value, value) for name, value in combined.items()}
    resampled = bootstrap(
        [rank(truth.same, *a) for a in everyone.values()],
        truth.same,
        authors=_authors(truth),
        replicates=replicates,
        seed=seed,
        workers=workers,
        metrics={**METRICS, **{m: TESTABLE[m] for m in tests}},
    )
    pairs = _pairs(truth.same, answered, tests, resampled, trials, level, seed, workers)
    groups = _groups(list(answered), pairs, tests[0], resampled.observed[tests[0]], alpha)
    rows = tuple(
        SystemScores(
            name,
            a.value,
            scores(truth.same, a.value, None if a.decision is a.value else a.decision),
            {m: resampled.interval(m, i, level) for m in METRICS},
            reliability(truth.same, a.value).ece,
            cllr(truth.same, a.value),
            (missing or {}).get(name, 0),
            groups.get(name),
        )
        for i, (name, a) in enumerate(everyone.items())
    )
    curves = {name: c for name, a in answered.items() if (c := curve(truth.same, a.value)) is not None}
    return Evaluation(
        systems=rows[: len(answered)],
        meta=rows[len(answered) :],
        pairs=pairs,
        hull=hull(curves) if curves else None,
        tests=tuple(tests),
        problems=len(truth),
        same=int(truth.same.sum()),
        unit="problems" if truth.authors is None else "authors",
        replicates=replicates,
        level=level,
        alpha=alpha,
        band=band,
    )


def _combine(
    values: Mapping[str, Floats], training: tuple[ArrayLike, Mapping[str, ArrayLike]] | None
) -> tuple[dict[str, Floats], float | None]:
    """Meta-classifiers' answers, and the band chosen; nothing where there is one system."""
    if len(values) < 2:
        return {}, None
    stack = np.stack(list(values.values()))
    found = {"meta-mean": mean_of(stack), "meta-rank": rank_mean(stack)}
    if training is None:
        return found, None
    same, given = training
    if lacking := [name for name in values if name not in given]:
        raise InputError(f"{lacking[0]} has no training answers", fix="give the same systems' answers on both sets")
    checks = [checked(same, given[name]) for name in values]
    train = np.stack([c[1] for c in checks])
    band = choose_band(same, mean_of(train))
    found["meta-band"] = with_band(found["meta-mean"], band)
    found["meta-stacked"] = stacked(same, train, stack)
    return found, band


def _authors(truth: Truth) -> Ints | None:
    """Author codes ≥ 0; a problem without authors is given its own, and a same-author problem one author."""
    if truth.authors is None:
        return None
    authors, start = truth.authors.astype(np.int64), int(truth.authors.max()) + 1
    fresh = start + np.arange(authors.size).reshape(authors.shape)
    authors = np.where(authors < 0, fresh, authors)
    authors[truth.same, 1] = authors[truth.same, 0]
    return authors


def _pairs(
    same: Bools,
    answered: Mapping[str, Answered],
    tests: Sequence[str],
    resampled: Replicates,
    trials: int,
    level: float,
    seed: int,
    workers: int,
) -> tuple[PairTest, ...]:
    from ravenbench.statistics.randomization import randomization_test

    names = list(answered)
    jobs = [(metric, i, j) for metric in tests for i, j in combinations(range(len(names)), 2)]

    def test(job: tuple[str, int, int]) -> float | None:
        metric, i, j = job
        a, b = names[i], names[j]
        return randomization_test(same, answered[a], answered[b], metric, trials=trials, seed=seed, pair=f"{a}\x1f{b}")

    with ThreadPoolExecutor(max(1, workers)) as pool:
        raw = list(pool.map(test, jobs))
        intervals = list(pool.map(lambda job: resampled.difference(job[0], job[1], job[2], level), jobs))
    corrected: dict[int, float] = {}
    for metric in tests:
        defined = [k for k, job in enumerate(jobs) if job[0] == metric and raw[k] is not None]
        corrected |= dict(zip(defined, holm([raw[k] for k in defined]).tolist(), strict=True))  # type: ignore[arg-type]
    found = []
    for k, (metric, i, j) in enumerate(jobs):
        gap = float(resampled.observed[metric][i] - resampled.observed[metric][j])
        known = None if np.isnan(gap) else gap
        found.append(PairTest(names[i], names[j], metric, known, intervals[k], raw[k], corrected.get(k)))
    return tuple(found)


def _groups(
    names: Sequence[str], pairs: Sequence[PairTest], metric: str, observed: Floats, alpha: float
) -> dict[str, int]:
    apart = np.zeros((len(names), len(names)), dtype=np.bool_)
    for pair in pairs:
        if pair.metric == metric and pair.p_holm is not None and pair.p_holm <= alpha:
            i, j = names.index(pair.a), names.index(pair.b)
            apart[i, j] = apart[j, i] = True
    return dict(zip(names, tie_groups(observed[: len(names)], apart).tolist(), strict=True))
