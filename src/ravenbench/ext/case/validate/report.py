"""Makes the report of ``raven validate``: every condition's measures, verdict and figures, and ``dossier.json``.

In: the folder (``Store``) of a validation, which has a ``Validation``.
Out: ``ValidateReport``; C_llr and cross-entropy in bits, devPAV in log10, rates as shares from 0 to 1, 95 % intervals.
``raven compare`` cites the dossier.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ravenbench.errors import counted
from ravenbench.ext.case.compare.dossier import FILE, Criterion
from ravenbench.ext.case.content import contents_sentence, contents_table
from ravenbench.ext.case.figures import entropy_figure, pav_figure, tippett_figure
from ravenbench.ext.case.likelihood_ratios import MeasureEstimate
from ravenbench.ext.case.report import css_text
from ravenbench.ext.case.sentences import digits
from ravenbench.ext.case.validate.analysis import (
    TITLES,
    CellPairs,
    DossierCell,
    Figures,
    Validation,
    remedies,
)
from ravenbench.ext.case.validate.plan import criterion_lines
from ravenbench.reports.page import style
from ravenbench.reports.report import Report
from ravenbench.reports.view import Column, Table, Value, col, for_terminal, number, table
from ravenbench.store.records import write_record

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType

NOTE = (
    "C_llr: cost of the LRs, 0 if all are right and certain, 1 if they are uninformative. Means: at"
    " most 1 if LRs are well calibrated. In brackets: 95% intervals from drawing the background's"
    " authors with replacement. Each pair is weighted; the table 'Every likelihood ratio' lists the"
    " weights."
)


class ValidateReport(Report[Validation]):
    """A validation dossier."""

    kind = "validate"
    template = "ravenbench.ext.case.validate:template.html.j2"

    def tables(self) -> list[Table]:
        return [
            self.summary(),
            *(self._measures(cell, f"cell-{i}") for i, cell, _ in self.tested()),
            *(contents_table(cell.contents, f"contents-{i}") for i, cell, _ in self.tested()),
        ]

    def tested(self) -> list[tuple[int, DossierCell, CellPairs]]:
        """Cells with LRs, numbered from 1 in the order of all, and their pairs."""
        return [
            (i, cell, cell.pairs)
            for i, cell in enumerate(self.analysis.cells, 1)
            if cell.pairs is not None
        ]

    def summary(self) -> Table:
        """A row for each cell."""
        criterion = self.analysis.plan.criterion

        def shown(key: str) -> Any:
            return lambda cell: (
                (one := cell.result.measures.get(key))
                and _with_interval(one, _digits(criterion, {key: one}))
            )

        return table(
            "cells",
            "Cells",
            self.analysis.cells,
            col("condition", "result.condition.name", text=True),
            col("verdict", "result.verdict", text=True),
            col("authors", "result.authors"),
            col("same-author pairs", "result.same", terminal=False),
            col("different-author pairs", "result.different", terminal=False),
            col("C_llr", shown("cllr"), text=True),
            col("C_llr min", shown("cllr_min"), text=True, terminal=False),
            col("EER", shown("eer"), text=True, terminal=False),
            col("devPAV", shown("devpav"), text=True),
            col("mean LR, different authors", shown("mean_for"), text=True, terminal=False),
            col("mean 1/LR, same author", shown("mean_against"), text=True, terminal=False),
            note=NOTE,
        )

    def _measures(self, cell: DossierCell, key: str) -> Table:
        """Every measure of a cell, and what the criterion asks of it."""
        criterion = self.analysis.plan.criterion
        by_key = cell.result.measures
        fine = _digits(criterion, by_key)
        return table(
            key,
            cell.result.condition.name,
            by_key.items(),
            col("measure", lambda r: TITLES[r[0]], text=True),
            col("value", "1.value", digits=fine),
            col("95% interval", lambda r: (r[1].low, r[1].high), digits=fine),
            col("criterion", lambda r: _asked(criterion, r[0], cell.people), text=True),
        )

    def listings(self) -> list[Table]:
        """Every LR, so that others can measure them again."""
        names = self.analysis.plan.background.authors
        rows = [
            (cell.result.condition.name, *(names[author] for author in authors), llr, weight)
            for _, cell, pairs in self.tested()
            for authors, llr, weight in zip(
                pairs.authors.tolist(), pairs.llr.tolist(), pairs.weight.tolist(), strict=True
            )
        ]
        titles = ("condition", "known texts by", "questioned text by", "log10 LR", "weight")
        cols = [col(title, itemgetter(i), text=i < 3) for i, title in enumerate(titles)]
        return [table("lrs", "Every likelihood ratio", rows, *cols)]

    def figures(self) -> dict[str, Figure]:
        drawn = {"tippett": tippett_figure, "calibration": pav_figure, "entropy": entropy_figure}
        with style():
            return {
                f"{name}-{i}": draw(pairs)
                for i, _, pairs in self.tested()
                for name, draw in drawn.items()
            }

    def finding(self) -> str:
        cells = self.analysis.cells
        return (
            f"{sum(c.result.verdict == 'passed' for c in cells)} of"
            f" {counted(len(cells), 'cell')} of the dossier passed."
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
                cell.result.condition.name: msgspec.to_builtins(cell.contents)
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


def _asked(criterion: Criterion, key: str, people: int) -> str:
    """What a criterion asks of a measure of LRs that so many people support."""
    limit = criterion.limits().get(key)
    if limit is None:
        return ""
    if key not in criterion.limits(people):
        return "not applicable"
    lower = ", lower limit at most 1" * key.startswith("mean")
    return f"upper limit {'below' if key == 'cllr' else 'at most'} {limit:g}{lower}"


def _digits(criterion: Criterion, measures: Figures) -> int:
    """As many digits of measures, two or more, as show on which side of their limits they lie."""
    limits = criterion.limits().items()
    ends = [(one.high, limit) for key, limit in limits if (one := measures.get(key))]
    ends += [(one.low, 1.0) for key, one in measures.items() if key.startswith("mean")]
    return max((digits(end, limit, 2) for end, limit in ends), default=2)


def _with_interval(one: MeasureEstimate, fine: int) -> Value:
    column = Column("", digits=fine)
    value, low, high = (number(end, column, short=True) for end in (one.value, one.low, one.high))
    return f"{value} [{low}, {high}]"
