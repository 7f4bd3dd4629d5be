"""Is my variant better? Methods with all their runs, each against one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ravenbench.reports.cells import mean, sides_of
from ravenbench.reports.view import Measure, Table, col, each, figure, interval_of, table, value_of
from ravenbench.statistics.estimates import Estimate, Units, within
from ravenbench.statistics.nested import Drawn, Runs, difference, mean_of, p_of, runs_of
from ravenbench.statistics.significance import holm
from ravenbench.tasks.run.spec import methods_of

if TYPE_CHECKING:
    from ravenbench.store.store import Store
    from ravenbench.tasks.run.record import RunPlan
    from ravenbench.types import Floats

LEVEL = 0.05
Means = Mapping[str, float | None]


@dataclass(frozen=True)
class MethodRow:
    """A method in a setup: over its runs the mean and standard deviation of each metric; its AUC with an interval over
    runs, authors and topics, of whose variance for a single run ``share`` is between runs; its AUC less that of the
    reference on the folds that both completed, with two-sided ``p`` corrected for all rows, None for the reference."""

    method: str
    setup: str
    runs: int
    mean: Means
    spread: Means
    auc: Estimate
    share: float | None
    difference: Estimate | None
    p: float | None

    @property
    def verdict(self) -> str | None:
        """What was shown."""
        if self.difference is None:
            return "reference"
        return "none shown" if self.p is None or self.p >= LEVEL else "better" if self.difference.value > 0 else "worse"


@dataclass(frozen=True)
class Variants:
    """A run's methods in each setup; ``reference`` is the one that others are compared with, ``single`` are those that
    draw something and were run once."""

    reference: str
    rows: tuple[MethodRow, ...]
    single: tuple[str, ...]


def variants(store: Store, plan: RunPlan, results: Mapping[tuple[str, str], Means]) -> Variants | None:
    """Figures of all methods; None where none has several runs and none was named to compare with.

    ``results`` are the means of metrics by setup and verifier, setups in the order of tables.
    """
    identities = {entry.name: entry.identity for entry in plan.verifiers}
    methods = methods_of(identities, store.run.spec.get("group") or (), store.run.spec.get("against"))
    if methods.reference is None:
        return None
    sides = cache(lambda fold: sides_of(store, fold, plan.topics))

    @cache
    def answers(name: str, fold: str) -> Floats | None:
        cell = store.cell(name, fold)
        return None if cell is None else cell.answers

    @cache
    def complete(setup: str, *among: str) -> tuple[str, ...]:
        names = [name for method in among for name in methods.members[method]]
        folds = (fold for entry in plan.setups if entry.setup == setup for fold in entry.folds)
        known = (fold for fold in folds if all(answers(name, fold) is not None for name in names))
        return tuple(fold for fold in known if 0 < sides(fold).same.sum() < len(sides(fold).same))

    @cache
    def drawn(folds: tuple[str, ...]) -> Drawn:
        problem, authors, topics = (
            np.concatenate([getattr(sides(fold), part) for fold in folds]) for part in ("problem", "authors", "topics")
        )
        known = bool(plan.topics) and bool((topics >= 0).all())
        return Drawn(Units(authors, problem), *((Units(topics, problem), store.similarity()) if known else ()))

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
            both = () if method == methods.reference else complete(setup, method, methods.reference)
            moved = difference(runs(method, both), runs(methods.reference, both), drawn(both)) if both else None
            own = [results[setup, name] for name in names]
            means = {metric: mean(result[metric] for result in own) for metric in own[0]}
            spread = {metric: _spread([result[metric] for result in own]) for metric in means}
            p = None if moved is None else p_of(moved)
            rows.append(MethodRow(method, setup, len(names), means, spread, within(auc, 0.0, 1.0), share, moved, p))
    corrected = iter(holm([row.p for row in rows if row.p is not None]).tolist())
    rows = [row if row.p is None else replace(row, p=next(corrected)) for row in rows]
    single = (m for m, names in methods.members.items() if len(names) == 1 and m not in methods.fixed)
    return Variants(methods.reference, tuple(rows), tuple(single))


def told_variants(variants: Variants) -> str:
    """Which methods were shown to be better or worse than the reference, in a sentence."""
    setups = {row.setup for row in variants.rows}
    against = [
        row.method
        + (f" in {row.setup}" if len(setups) > 1 else "")
        + f" {row.verdict}"
        + (f" ({figure(row.difference.value, signed=True)})" if row.verdict != "none shown" else "")
        for row in variants.rows
        if row.difference is not None
    ]
    return f"AUC against {variants.reference}: {'; '.join(against) or 'nothing was compared with it'}."


def _spread(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.std(known, ddof=1)) if len(known) > 1 else None


def variants_table(variants: Variants | None, metrics: Sequence[str], titles: Mapping[str, str]) -> Table:
    """Every method once, however many seeds it has, against the reference."""
    rows = () if variants is None else variants.rows
    note = (
        "Mean over runs ±standard deviation between runs (seeds). From seeds: share of the variance of a single run’s "
        "AUC that is between runs; the rest comes from which authors and topics are tested. Difference: in AUC, on the "
        "same problems. Intervals: 95 %, over runs, authors and topics; runs are nested in methods, so that several "
        "seeds are one method (Obuchowski & Rockette 1995; Hillis 2014). p: two-sided, Holm’s correction for all rows."
    )
    if variants is not None and variants.single:
        several = any(row.runs > 1 for row in rows)
        borrowed = "; such a method is taken to have the spread of the one it is compared with" if several else ""
        note += f" Run once, though another seed may give another result: {', '.join(variants.single)}{borrowed}."

    def measure(row: MethodRow, metric: str) -> Measure:
        return Measure(row.mean[metric], row.spread[metric])

    others = [metric for metric in metrics if metric != "auc"]
    return table(
        "variants", f"Methods against {variants.reference}" if variants is not None else "", rows,
        col("method", lambda r: r.method, text=True, json="method"),
        col("setup", lambda r: r.setup, text=True, json="setup", show=titles.__getitem__),
        col("runs", lambda r: r.runs, json="runs"),
        *each(["auc"], lambda _: "AUC", measure, json=str),
        col("difference", lambda r: value_of(r.difference), signed=True, json="difference"),
        col("interval", lambda r: interval_of(r.difference), signed=True, json="interval"),
        col("p", lambda r: r.p, probability=True, json="p"),
        col("verdict", lambda r: r.verdict, text=True, json="verdict"),
        col("interval of AUC", lambda r: interval_of(r.auc), json="auc_interval", terminal=False),
        col("from seeds", lambda r: r.share, digits=2, json="share", terminal=False),
        *each(others, lambda metric: titles[metric], measure, json=str, terminal=()),
        col(None, lambda r: dict(r.spread), json="std"),
        note=note,
    )  # fmt: skip
