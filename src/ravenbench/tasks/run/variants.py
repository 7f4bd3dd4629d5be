"""Compares methods, with all their runs, with one of them: is my variant better? Runs are nested in methods.

In: the ``Store`` and plan of a run; for ``runs_of`` truth (n,) bool and scores (n,) of each fold and run, higher =
same author; means of metrics by setup and verifier.
Out: ``Variants`` (None where nothing is compared) with one ``MethodRow`` a method and setup: AUC from 0 to 1 with a 95
% interval, difference of AUC to the reference (−1 to 1), two-sided p, a share of variance from 0 to 1. Helpers:
``mean_of`` and ``difference`` give ``Estimate``s, ``told_variants`` a sentence, ``variants_table`` a ``Table``.

A method with several seeds is one method. What is meant by its AUC is the mean over further seeds and over further
problems, so both are sampled: all runs answer the same problems (crossed), and each run belongs to one method (nested).
This is the design of multi-reader studies in radiology with runs as readers and problems as cases, and the model is
theirs (Obuchowski & Rockette; Hillis for readers nested within modalities), in closed form:

    variance of a difference = s²_A / runs_A + s²_B / runs_B + (problems: what moves all runs of a method alike),

where s² is the variance of the AUC between the runs of a method. Runs also differ from problem to problem; that part is
in s² already, so it is taken off the variance over problems, which is never negative. Degrees of freedom are
Satterthwaite's. Variances over problems are those of ``estimates``: authors, and topics if they are known, are
resampled in all folds together. Folds are those of the run: how other training texts would change a method is not in
it. A method with one run has no s²: one that draws nothing has none to have, another is given that of the method it is
compared with. If both have only one run, the figures are those of these two runs.

References
----------
Obuchowski & Rockette 1995, Hypothesis testing of diagnostic accuracy for multiple readers and multiple tests: an ANOVA
approach with dependent observations. Communications in Statistics – Simulation and Computation 24(2).
Hillis 2014, A marginal-mean ANOVA approach for analyzing multireader multicase radiological imaging data. Statistics in
Medicine 33(2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ravenbench.reports.cells import mean, sides_of
from ravenbench.reports.view import Measure, Table, col, each, figure, table
from ravenbench.statistics.estimates import (
    Estimate,
    Units,
    estimate,
    from_variances,
    influence,
    placements,
    within,
)
from ravenbench.statistics.ranks import holm
from ravenbench.tasks.run.spec import methods_of
from ravenbench.types import Bools, Floats, Measures

if TYPE_CHECKING:
    from ravenbench.store.store import Store
    from ravenbench.tasks.run.record import RunPlan


class Drawn(NamedTuple):
    """What is resampled in addition to runs: authors, topics where they are known, and how alike topics are (T, T)."""

    units: Units
    topics: Units | None = None
    similarity: Floats | None = None

    def variance(self, effects: Floats) -> tuple[float, float]:
        """Return the variance of the sum of effects (n,), and its degrees of freedom."""
        known = estimate(0.0, effects, *self)
        return (0.0 if known.error is None else known.error**2), known.freedom or 1.0


@dataclass(frozen=True, eq=False)
class Runs:
    """The runs of one method: the AUC (0 to 1) of each, (runs,), and its problems' influence on it, (runs, n).

    ``fixed``: the method draws nothing, so another run would be the same.
    """

    values: Floats
    effects: Floats
    fixed: bool = False

    def between(self, other: Runs | None, drawn: Drawn) -> tuple[float, float, float]:
        """What drawing runs adds to the variance of the mean, its degrees of freedom, and what of it is from problem to
        problem, which the variance over problems includes too; one run that is not ``fixed`` takes ``other``'s.
        """
        n = len(self.values)
        runs = self
        if n == 1 and not self.fixed and other is not None:
            runs = other
        if (count := len(runs.values)) < 2:
            return 0.0, 1.0, 0.0
        apart = runs.effects - runs.effects.mean(axis=0)
        interplay = sum(drawn.variance(weights)[0] for weights in apart) / (count - 1)
        return float(runs.values.var(ddof=1)) / n, count - 1.0, interplay / n


def runs_of(same: Sequence[Bools], scores: Sequence[Sequence[Floats]], fixed: bool = False) -> Runs:
    """Runs of a method: truth of each fold's problems, and for each run its scores, fold by fold; higher = same author.

    A run's AUC is the mean over folds. Both classes occur in every fold.
    """
    values = []
    effects = []
    for run in scores:
        areas = [
            placements(truth, scores_of_fold, scores_of_fold)
            for truth, scores_of_fold in zip(same, run, strict=True)
        ]
        values.append(np.mean([value for value, _ in areas]))
        influences = [influence(truth, *area) for truth, area in zip(same, areas, strict=True)]
        effects.append(np.concatenate(influences) / len(same))
    return Runs(np.array(values), np.array(effects), fixed)


def mean_of(runs: Runs, drawn: Drawn) -> tuple[Estimate, float | None]:
    """Return the AUC (0 to 1) of a method over runs and problems, and the proportion (0 to 1) of the variance of a
    single run's AUC that is between runs. The proportion is None for one run. With many runs that part of the variance
    would vanish from the mean.
    """
    variance, freedom = drawn.variance(runs.effects.mean(axis=0))
    between, runs_freedom, interplay = runs.between(None, drawn)
    common = max(variance - interplay, 0.0)
    known = _estimate(
        float(runs.values.mean()), [(common, freedom), (between, runs_freedom)], drawn
    )
    single = between * len(runs.values)
    return known, (
        single / (single + common) if len(runs.values) > 1 and single + common > 0 else None
    )


def difference(left: Runs, right: Runs, drawn: Drawn) -> Estimate:
    """Return the AUC of ``a`` minus that of ``b`` on the same problems, with an interval over runs and problems."""
    variance, freedom = drawn.variance(left.effects.mean(axis=0) - right.effects.mean(axis=0))
    (of_a, freedom_a, twice_a), (of_b, freedom_b, twice_b) = (
        left.between(right, drawn),
        right.between(left, drawn),
    )
    common = max(variance - twice_a - twice_b, 0.0)
    borrowed = min(len(left.values), len(right.values)) == 1
    of_runs = (
        [(of_a + of_b, max(freedom_a, freedom_b))]
        if borrowed
        else [(of_a, freedom_a), (of_b, freedom_b)]
    )
    return _estimate(
        float(left.values.mean() - right.values.mean()), [(common, freedom), *of_runs], drawn
    )


def p_of(known: Estimate) -> float | None:
    """Return the two-sided p, 0 to 1, that an estimate is 0; None without a standard error."""
    from scipy.special import stdtr

    if known.error is None or known.freedom is None:
        return None
    return (
        float(2 * stdtr(known.freedom, -abs(known.value) / known.error))
        if known.error
        else float(known.value == 0)
    )


def _estimate(value: float, parts: Sequence[tuple[float, float]], drawn: Drawn) -> Estimate:
    if drawn.units.count < 2:
        return Estimate(value, None, None, None)
    return from_variances(value, parts)


LEVEL = 0.05


@dataclass(frozen=True)
class MethodRow:
    """A method in a setup: count of its runs; over them the mean and standard deviation of each metric; its AUC with
    an interval over runs, authors and topics, of whose variance for a single run ``share`` is between runs; its AUC
    less that of the reference on the folds that both completed, with two-sided ``p`` corrected for all rows, None
    for the reference.
    """

    method: str
    setup: str
    runs: int
    mean: Measures
    spread: Measures
    auc: Estimate
    share: float | None
    difference: Estimate | None
    p: float | None

    @property
    def verdict(self) -> str | None:
        """What was shown."""
        if self.difference is None:
            return "reference"
        return (
            "none shown"
            if self.p is None or self.p >= LEVEL
            else "better"
            if self.difference.value > 0
            else "worse"
        )


@dataclass(frozen=True)
class Variants:
    """The methods of a run in each setup; ``reference`` is the method for comparison, ``single`` are methods that draw
    something and ran only once."""

    reference: str
    rows: tuple[MethodRow, ...]
    single: tuple[str, ...]


def variants(
    store: Store, plan: RunPlan, results: Mapping[tuple[str, str], Measures]
) -> Variants | None:
    """Return the figures of all methods; None if no method has several runs and none was named for comparison.

    ``results`` are the means of metrics by setup and verifier, setups in the order of tables.
    """
    identities = {verifier.name: verifier.identity for verifier in plan.verifiers}
    methods = methods_of(
        identities, store.run.spec.get("group") or (), store.run.spec.get("against")
    )
    if methods.reference is None:
        return None
    sides = cache(lambda fold: sides_of(store, fold, plan.topics))
    answers = cache(store.answers)

    @cache
    def complete(setup: str, *among: str) -> tuple[str, ...]:
        names = [name for method in among for name in methods.members[method]]
        folds = (
            fold
            for planned_setup in plan.setups
            if planned_setup.setup == setup
            for fold in planned_setup.folds
        )
        known = (fold for fold in folds if all(answers(name, fold) is not None for name in names))
        return tuple(fold for fold in known if 0 < sides(fold).same.sum() < len(sides(fold).same))

    @cache
    def drawn(folds: tuple[str, ...]) -> Drawn:
        problem, authors, topics = (
            np.concatenate([getattr(sides(fold), field) for fold in folds])
            for field in ("problem", "authors", "topics")
        )
        known = bool(plan.topics) and bool((topics >= 0).all())
        return Drawn(
            Units(authors, problem),
            *((Units(topics, problem), store.similarity()) if known else ()),
        )

    @cache
    def runs(method: str, folds: tuple[str, ...]) -> Runs:
        scores: Any = [[answers(name, fold) for fold in folds] for name in methods.members[method]]
        return runs_of([sides(fold).same for fold in folds], scores, method in methods.fixed)

    rows = []
    for setup in dict.fromkeys(setup for setup, _ in results):
        for method, names in methods.members.items():
            if not (folds := complete(setup, method)):
                continue
            auc, share = mean_of(runs(method, folds), drawn(folds))
            folds_of_both = (
                () if method == methods.reference else complete(setup, method, methods.reference)
            )
            moved = (
                difference(
                    runs(method, folds_of_both),
                    runs(methods.reference, folds_of_both),
                    drawn(folds_of_both),
                )
                if folds_of_both
                else None
            )
            results_of_method = [results[setup, name] for name in names]
            means = {
                metric: mean(result[metric] for result in results_of_method)
                for metric in results_of_method[0]
            }
            spread = {
                metric: spread_of([result[metric] for result in results_of_method])
                for metric in means
            }
            p_value = None if moved is None else p_of(moved)
            rows.append(
                MethodRow(
                    method,
                    setup,
                    len(names),
                    means,
                    spread,
                    within(auc, 0.0, 1.0),
                    share,
                    moved,
                    p_value,
                )
            )
    corrected = iter(holm([row.p for row in rows if row.p is not None]).tolist())
    rows = [row if row.p is None else replace(row, p=next(corrected)) for row in rows]
    single = (
        method
        for method, names in methods.members.items()
        if len(names) == 1 and method not in methods.fixed
    )
    return Variants(methods.reference, tuple(rows), tuple(single))


def told_variants(variants: Variants) -> str:
    """Return a sentence on which methods are shown to be better or worse than the reference."""
    setups = {row.setup for row in variants.rows}
    against = [
        row.method
        + (f" in {row.setup}" if len(setups) > 1 else "")
        + f" {row.verdict}"
        + (f" ({figure(row.difference.value, signed=True)})" if row.verdict != "none shown" else "")
        for row in variants.rows
        if row.difference is not None
    ]
    return (
        f"AUC against {variants.reference}: {'; '.join(against) or 'nothing was compared with it'}."
    )


def spread_of(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.std(known, ddof=1)) if len(known) > 1 else None


def variants_table(
    variants: Variants | None, metrics: Sequence[str], titles: Mapping[str, str]
) -> Table:
    """Return a table with one row for each method, with all its seeds, against the reference."""
    rows = () if variants is None else variants.rows
    note = (
        "Mean over runs ±standard deviation between runs (seeds). Difference: in AUC, on the"
        " same problems. Intervals: 95 %, over runs, authors and topics; runs are nested in"
        " methods, so several seeds count as one method (Obuchowski & Rockette 1995; Hillis"
        " 2014). p: two-sided, Holm’s correction for all rows."
    )
    if variants is not None and variants.single:
        several = any(row.runs > 1 for row in rows)
        borrowed = (
            "; for these Raven assumes the spread of the method they are compared with"
            if several
            else ""
        )
        note += (
            " Run only once, although another seed may give another result: "
            f"{', '.join(variants.single)}{borrowed}."
        )

    def measure(row: MethodRow, metric: str) -> Measure:
        return Measure(row.mean[metric], row.spread[metric])

    other_metrics = [metric for metric in metrics if metric != "auc"]
    return table(
        "variants",
        f"Methods against {variants.reference}" if variants is not None else "",
        rows,
        col("method", "method", text=True, json="method"),
        col("setup", "setup", text=True, json="setup", show=titles.__getitem__),
        col("runs", "runs", json="runs"),
        *each(["auc"], lambda _: "AUC", measure, json=str),
        col("difference", "difference.value", signed=True, json="difference"),
        col("interval", "difference.interval", signed=True, json="interval"),
        col("p", "p", probability=True, json="p"),
        col("verdict", "verdict", text=True, json="verdict"),
        col("interval of AUC", "auc.interval", json="auc_interval", terminal=False),
        col(
            "from seeds",
            "share",
            digits=2,
            json="share",
            terminal=False,
            about=(
                "From seeds: proportion of the variance of a single run’s AUC that is between"
                " runs; the rest comes from the choice of authors and topics."
            ),
        ),
        *each(other_metrics, lambda metric: titles[metric], measure, json=str, terminal=()),
        col(None, lambda r: dict(r.spread), json="std"),
        note=note,
    )
