"""Makes the report of ``raven validate``: every condition's measures, verdict and figures, and ``dossier.json``.

In: the folder (``Store``) of a validation; measures by key with a ``Criterion``; log10 LRs (n,) with their pairs.
Out: ``analyse``: a ``Validation``; ``ValidateReport``; log10 LRs (n,) of each cell (one condition; unbounded, higher =
same author), C_llr and cross-entropy in bits, devPAV in log10, rates as shares from 0 to 1, 95 % intervals.
``failing``, ``in_words`` and ``remedies``: sentences; ``measures_table``: a table; ``tippett_figure``, ``pav_figure``,
``entropy_figure``: figures. ``raven compare`` cites the dossier.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from ravenbench.ext.case.compare.dossier import FILE, CellResult, Criterion, Dossier
from ravenbench.ext.case.compare.dossier import Figure as Measure
from ravenbench.ext.case.compare.model import FUSED, PairScores, issue_llr, read_scores, validate
from ravenbench.ext.case.compare.record import ShapeRecord, part_under
from ravenbench.ext.case.compare.report import SAME, css_text, pav_figure, tippett_figure
from ravenbench.ext.case.content import (
    VerifierContent,
    contents_json,
    contents_sentence,
    contents_table,
    verifier_contents,
)
from ravenbench.ext.case.likelihood_ratios import DRAWS, cllr, entropy, estimated
from ravenbench.ext.case.likelihood_ratios import measures as all_measures
from ravenbench.ext.case.validate.plan import TestedRecord, ValidatePlan, criterion_lines
from ravenbench.reports.page import FAINT, INK, canvas, style
from ravenbench.reports.report import Report
from ravenbench.reports.view import (
    Column,
    Table,
    Value,
    col,
    figure,
    for_terminal,
    number,
    public_head,
    table,
)
from ravenbench.shown import Shown
from ravenbench.store.records import write_record
from ravenbench.types import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType

    from ravenbench.store.store import Store

TITLES = {
    "cllr": "C_llr",
    "cllr_listed": "C_llr of the LRs as listed, all counting alike",
    "cllr_min": "C_llr min",
    "eer": "equal error rate",
    "devpav": "devPAV",
    "ece_worst": "ECE at the worst prior, as a share of that without LRs",
    "overstated": "over-estimation of strength (log10)",
    "mean_for": "mean LR of strangers",
    "mean_against": "mean 1/LR of own texts",
    "misleading_for": "strongly misleading for one author",
    "misleading_against": "strongly misleading against",
}
NOTE = (
    "C_llr: cost of the LRs, 0 if all are right and certain, 1 if they say nothing. Means: at most"
    " 1 where LRs mean what they say. In brackets: 95% intervals, from drawing the background's"
    " authors anew. Pairs count by the weights that are listed."
)


@dataclass(frozen=True, eq=False)
class DossierCell:
    """A cell: its record, what was found, and the log10 LRs (n,), higher = same author, of its ``pairs``; none where
    it was not tested. ``contents`` says what was done about content of each verifier."""

    record: TestedRecord
    result: CellResult
    pairs: PairScores | None
    llr: Floats
    contents: tuple[VerifierContent, ...] = ()

    def about(self, key: str) -> Measure | None:
        """A measure, None where the cell was not tested."""
        return self.result.measures.get(key)


@dataclass(frozen=True, eq=False, repr=False)
class Validation(Shown):
    """A whole dossier, and its cells with their LRs."""

    plan: ValidatePlan
    dossier: Dossier
    cells: tuple[DossierCell, ...]


def analyse(store: Store) -> Validation:
    """What a dossier says; nothing is scored here."""
    store.expect("validate")
    plan = store.plan_as(ValidatePlan)
    cells = tuple(_cell(store, plan, record) for record in plan.tested)
    dossier = Dossier(
        run=public_head(store.run),
        background=plan.background.name,
        criterion=plan.criterion,
        fixed=plan.fixed,
        cells=[cell.result for cell in cells],
    )
    return Validation(plan, dossier, cells)


def _cell(store: Store, plan: ValidatePlan, record: TestedRecord) -> DossierCell:
    def untested(reason: str) -> DossierCell:
        result = CellResult(
            condition=record.condition,
            authors=0,
            same=0,
            different=0,
            measures={},
            verdict="not tested",
            reasons=[reason],
        )
        return DossierCell(record, result, None, np.zeros(0))

    if record.shape is None or record.pairs is None:
        return untested(record.reason or "")
    shape = next(one for one in plan.shapes if one.name == record.shape)
    learned_from = read_scores(store, plan, shape)
    scores = (
        learned_from if record.pairs.name == shape.name else read_scores(store, plan, record.pairs)
    )
    if len(scores.verifiers) < len(plan.verifiers) or len(learned_from.verifiers) < len(
        plan.verifiers
    ):
        return untested("not tested: a verifier failed")
    pairs = _placed(scores.pairs, record.pairs, shape)
    llr = issue_llr(learned_from.pairs, pairs)[FUSED]
    strong = plan.criterion.strong
    drawn = pairs.authors, store.run.seed, DRAWS
    estimates = estimated(llr, pairs.same, pairs.weight, *drawn, all_measures(strong))
    estimates["cllr_listed"] = estimated(
        llr, pairs.same, pairs.weight * 0 + 1, *drawn, {"cllr": cllr}
    )["cllr"]
    measures = {
        key: Measure(value=one.value, low=one.low, high=one.high) for key, one in estimates.items()
    }
    authors = len(np.unique(pairs.authors[pairs.same, 0]))
    reasons = failing(measures, plan.criterion)
    result = CellResult(
        condition=record.condition,
        authors=authors,
        same=int(pairs.same.sum()),
        different=int((~pairs.same).sum()),
        measures=measures,
        verdict="failed" if reasons else "passed",
        reasons=reasons,
    )
    return DossierCell(
        record, result, pairs, llr, verifier_contents(learned_from, validate(learned_from.pairs))
    )


def _placed(pairs: PairScores, under: ShapeRecord, shape: ShapeRecord) -> PairScores:
    """Pairs under a condition with the numbers of the shape's folds, of which some may have none."""
    numbers = [shape.folds.index(part_under(name)) for name in under.folds]
    return replace(pairs, fold=np.array(numbers, dtype=np.int64)[pairs.fold])


def failing(measures: dict[str, Measure], criterion: Criterion) -> list[str]:
    """Why a cell does not keep its criterion, first in words and then by figures; empty where it does."""
    reasons = []
    if (high := measures["cllr"].high) >= criterion.cllr:
        reasons.append(
            f"C_llr may be as high as {figure(high)} (below {criterion.cllr:g} is asked)"
        )
    if (high := measures["devpav"].high) > criterion.devpav:
        reasons.append(f"devPAV may be as high as {figure(high)} (at most {criterion.devpav:g})")
    for key, kind in (("mean_for", "LR of strangers"), ("mean_against", "1/LR of own texts")):
        mean = measures[key]
        if mean.high > criterion.mean:
            reasons.append(
                f"the mean {kind} may be as high as {figure(mean.high)} (at most"
                f" {criterion.mean:g})"
            )
        elif mean.low > 1:
            reasons.append(
                f"the mean {kind} is at least {figure(mean.low)} (at most 1 where LRs mean what"
                " they say)"
            )
    for key, side in (("misleading_for", "for one author"), ("misleading_against", "against")):
        if (high := measures[key].high) > criterion.misleading:
            reasons.append(
                f"LRs of {10**criterion.strong:,.3g} or more may mislead {side} in a share of"
                f" {figure(high)} (at most {criterion.misleading:g})"
            )
    return [in_words(measures, criterion), *reasons] if reasons else []


def in_words(measures: dict[str, Measure], criterion: Criterion) -> str:
    """Which way the LRs of a cell that failed err, as far as the interval of their over-estimation shows it."""
    strength = measures["overstated"]
    strong = f"{10**criterion.strong:,.3g}"
    rates = [measures["misleading_for"], measures["misleading_against"]]
    if all(rate.value == 0 for rate in rates):
        misled = f"no pair has a misleading LR of {strong} or more"
    elif all(rate.high <= criterion.misleading for rate in rates):
        misled = f"misleading LRs of {strong} or more are as rare as is asked"
    else:
        misled = f"misleading LRs of {strong} or more may be too frequent"
    if strength.high < 0:
        return (
            "the LRs are weaker than the evidence, they say too little rather than too much:"
            f" {misled}"
        )
    if strength.low > 0:
        return f"the LRs are stronger than the evidence, they say too much: {misled}"
    return (
        "it is not shown that the LRs mean what they say, nor that they are too strong or too"
        f" weak: {misled}"
    )


def remedies(dossier: Dossier) -> list[str]:
    """What can be done about cells that failed; empty where none did."""
    failed = [cell for cell in dossier.cells if cell.verdict == "failed"]
    criterion = dossier.criterion
    if not failed:
        return []
    devpav = max(cell.measures["devpav"].high for cell in failed)
    wider = (
        f"A wider --most-devpav is a weaker criterion: {criterion.devpav:g} allows LRs to be wrong"
        f" by a factor of {10**criterion.devpav:.2g} on the mean, {figure(devpav)} by"
        f" {10**devpav:.2g}. Chosen after these figures it is not fixed beforehand: say so, or test"
        " it on other authors."
    )
    return [
        (
            "What to do: validate with more authors or longer texts (intervals get narrower, and"
            " LRs may be stronger)."
        ),
        *([wider] if devpav > criterion.devpav else []),
        (
            "raven compare --validated gives no answer for cases of a cell that failed;"
            " --unvalidated gives one, and says so."
        ),
    ]


class ValidateReport(Report[Validation]):
    """A validation dossier."""

    kind = "validate"
    template = "ravenbench.ext.case.validate:template.html.j2"

    def analyse(self) -> Validation:
        return analyse(self.store)

    def tables(self) -> list[Table]:
        return [
            self.summary(),
            *(measures_table(c, f"cell-{i}", self.analysis.plan) for i, c, _ in self.tested()),
            *(contents_table(c.contents, f"contents-{i}") for i, c, _ in self.tested()),
        ]

    def tested(self) -> list[tuple[int, DossierCell, PairScores]]:
        """Cells with LRs, numbered from 1 in the order of all, and their pairs."""
        return [
            (i, cell, cell.pairs)
            for i, cell in enumerate(self.analysis.cells, 1)
            if cell.pairs is not None
        ]

    def summary(self) -> Table:
        """A row for each cell."""

        def shown(key: str) -> Any:
            return lambda cell: None if (one := cell.about(key)) is None else _with_interval(one)

        return table(
            "cells",
            "Cells",
            self.analysis.cells,
            col("condition", lambda c: c.result.condition.name, text=True),
            col("verdict", lambda c: c.result.verdict, text=True),
            col("authors", lambda c: c.result.authors),
            col("pairs: one author", lambda c: c.result.same, terminal=False),
            col("two", lambda c: c.result.different, terminal=False),
            col("C_llr", shown("cllr"), text=True),
            col(
                "C_llr min",
                lambda c: c.about("cllr_min") and c.about("cllr_min").value,
                digits=2,
                terminal=False,
            ),
            col("EER", lambda c: c.about("eer") and c.about("eer").value, digits=2, terminal=False),
            col("devPAV", shown("devpav"), text=True),
            col("mean LR of strangers", shown("mean_for"), text=True, terminal=False),
            col("mean 1/LR of own", shown("mean_against"), text=True, terminal=False),
            note=NOTE,
        )

    def listings(self) -> list[Table]:
        """Every LR, so that others can measure them again."""
        names = self.analysis.plan.background.authors
        rows = [
            (cell.result.condition.name, *(names[author] for author in authors), llr, weight)
            for _, cell, pairs in self.tested()
            for authors, llr, weight in zip(
                pairs.authors.tolist(), cell.llr.tolist(), pairs.weight.tolist(), strict=True
            )
        ]
        titles = ("condition", "known texts by", "questioned text by", "log10 LR", "weight")
        cols = [col(title, itemgetter(i), text=i < 3) for i, title in enumerate(titles)]
        return [table("lrs", "Every likelihood ratio", rows, *cols)]

    def figures(self) -> dict[str, Figure]:
        with style():
            drawn = {
                "tippett": tippett_figure,
                "calibration": pav_figure,
                "entropy": entropy_figure,
            }
            return {
                f"{n}-{i}": draw(cell.llr, pairs)
                for i, cell, pairs in self.tested()
                for n, draw in drawn.items()
            }

    def finding(self) -> str:
        cells = self.analysis.cells
        return (
            f"{sum(c.result.verdict == 'passed' for c in cells)} of {len(cells)} cells of the"
            " dossier passed."
        )

    def context(self) -> dict[str, Any]:
        return {
            "validation": self.analysis,
            "head": css_text(f"Validation on {self.analysis.dossier.background}"),
            "numbered": list(enumerate(self.analysis.cells, 1)),
            "remedies": remedies(self.analysis.dossier),
            "criterion": criterion_lines(self.analysis.plan.criterion),
            "passed": sum(cell.result.verdict == "passed" for cell in self.analysis.cells),
            "run": msgspec.to_builtins(self.analysis.dossier.run),
        }

    def to_json(self) -> dict[str, Any]:
        """The dossier as plain values."""
        return {
            **msgspec.to_builtins(self.analysis.dossier),
            "background_notes": dict(self.analysis.plan.background.notes),
            "notes": list(self.analysis.plan.notes),
            "verifiers_and_content": {
                cell.result.condition.name: contents_json(cell.contents)
                for _, cell, _ in self.tested()
            },
        }

    def fill(self, folder: Path) -> None:
        """Also the dossier that a comparison cites, under a hash."""
        super().fill(folder)
        write_record(folder / FILE, "validate", self.analysis.dossier)

    def closing(self) -> Sequence[RenderableType]:
        from rich.text import Text

        dossier = self.analysis.dossier
        reasons = [
            (cell.condition.name, reason) for cell in dossier.cells for reason in cell.reasons
        ]
        return [
            for_terminal(self.summary()),
            *(Text(f"{name}: {reason}") for name, reason in reasons),
            *map(Text, remedies(dossier)),
            *(
                Text(f"{c.result.condition.name}: {contents_sentence(c.contents)}")
                for _, c, _ in self.tested()
            ),
            *(Text(f"note: {note}") for note in self.analysis.plan.notes),
            Text(f"criterion and conditions, fixed beforehand: SHA-256 {dossier.fixed}"),
        ]


def _with_interval(one: Measure) -> Value:
    value, low, high = (
        number(end, Column("", digits=2), short=True) for end in (one.value, one.low, one.high)
    )
    return f"{value} [{low}, {high}]"


def measures_table(cell: DossierCell, key: str, plan: ValidatePlan) -> Table:
    """Every measure of a cell, and what the criterion asks of it."""
    criterion = plan.criterion
    rate = f"upper end at most {criterion.misleading:g}"
    limits = {
        "cllr": f"upper end below {criterion.cllr:g}",
        "devpav": f"upper end at most {criterion.devpav:g}",
        "mean_for": f"upper end at most {criterion.mean:g}, lower end at most 1",
        "mean_against": f"upper end at most {criterion.mean:g}, lower end at most 1",
        "misleading_for": rate,
        "misleading_against": rate,
    }
    return table(
        key,
        cell.result.condition.name,
        cell.result.measures.items(),
        col("measure", lambda r: TITLES[r[0]], text=True),
        col("value", lambda r: r[1].value, digits=2),
        col("95% interval", lambda r: (r[1].low, r[1].high), digits=2),
        col("criterion", lambda r: limits.get(r[0], ""), text=True),
    )


def entropy_figure(llr: Floats, pairs: PairScores) -> Figure:
    """Empirical cross-entropy, in bits, over log10 prior odds."""
    figure, (axes,) = canvas(3.3, 2.6)
    curves = entropy(llr, pairs.same, pairs.weight)
    axes.plot(curves.prior, curves.neutral, color=FAINT, linewidth=1.0, label="without LRs")
    axes.plot(curves.prior, curves.llr, color=SAME, linewidth=1.4, label="these LRs")
    axes.plot(
        curves.prior,
        curves.best,
        color=INK,
        linewidth=0.9,
        linestyle="--",
        label="best calibration",
    )
    axes.set(
        xlabel="prior log10 odds",
        ylabel="cross-entropy in bits",
        ylim=(0, 1.3 * max(1.0, float(curves.llr.max()))),
    )
    axes.legend(fontsize=7, loc="upper center", ncols=3, columnspacing=0.8, handlelength=1.2)
    return figure
