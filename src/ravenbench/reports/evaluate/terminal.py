"""An evaluation in 80 columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import compress
from typing import TYPE_CHECKING

from ravenbench.metrics.base import title_of
from ravenbench.reports.evaluate import tables as evaluation_tables
from ravenbench.reports.evaluate.records import Findings
from ravenbench.reports.view import Measure, Table, Value, for_terminal, number, printable

if TYPE_CHECKING:
    from rich.console import RenderableType

WITH_INTERVAL = ("auc", "c@1", "f05u", "overall")
"""Metrics whose intervals fit beside each other."""
MOST_COLUMNS = 13
"""Systems or parts that fit side by side."""


def shown(evaluation: Findings) -> list[RenderableType]:
    """Scores, intervals, star matrix of the ranking metric, hull, break-downs, notes."""
    from rich.text import Text

    scores = _starred(evaluation_tables.scores(evaluation))
    # Metrics from outside take the place of those that 80 columns have no room for beside them.
    left_out = [title_of(evaluation.metrics[m]) for m in ("f1", "brier", "f05u", "final") if evaluation.added]
    found: list[RenderableType] = [_tight(_columns(scores, [c.title not in left_out for c in scores.columns]))]
    found.append(_tight(_chosen(evaluation, evaluation_tables.intervals(evaluation))))
    if 1 < len(evaluation.systems) <= MOST_COLUMNS:
        found.append(_tight(evaluation_tables.significance(evaluation, evaluation.ranked_by)))
    if evaluation.hull is not None:
        found.append(_tight(evaluation_tables.hull(evaluation)))
    for b in evaluation.breakdowns:
        if len(b.parts) <= MOST_COLUMNS - 3:
            metrics = dict.fromkeys(("auc", evaluation.ranked_by))
            found += [_tight(evaluation_tables.parts(evaluation, b, m)) for m in metrics]
        else:
            found.append(Text(f"By {b.by}: {len(b.parts)} parts; they are in the JSON object and with --out."))
    if evaluation.band is not None:
        found.append(
            Text(f"meta-band leaves open what lies within ± {evaluation.band:g} of 0.5, as learned in training.")
        )
    return [*found, *(Text(f"note: {printable(note)}") for note in evaluation.notes)]


def _tight(table: Table) -> RenderableType:
    from rich.console import Group
    from rich.text import Text

    # Title and note stand apart: inside, they would break at the width of a narrow table.
    made = for_terminal(replace(table, note=""))
    made.title, made.padding, made.show_edge = None, 0, False
    note = [Text(printable(table.note), style="italic dim")] if table.note else []
    return Group(Text(printable(table.title), style="bold"), made, *note)


def _starred(table: Table) -> Table:
    """The best of a column is starred, since bold is lost in a pipe."""

    def cell(value: Value, place: int) -> Value:
        if not isinstance(value, Measure):
            return value
        return number(value.mean, table.columns[place], short=True) + ("*" if value.best else " ")

    rows = tuple(tuple(cell(v, i) for i, v in enumerate(row)) for row in table.rows)
    return replace(table, rows=rows, note=f"* best of its column. {table.note}")


def _chosen(evaluation: Findings, table: Table) -> Table:
    """The intervals that fit."""
    titles = [title_of(evaluation.metrics[m]) for m in (*WITH_INTERVAL, *evaluation.added)]
    return _columns(table, [not i or c.title in titles for i, c in enumerate(table.columns)])


def _columns(table: Table, kept: Sequence[bool]) -> Table:
    rows = tuple(tuple(compress(row, kept)) for row in table.rows)
    return replace(table, columns=tuple(compress(table.columns, kept)), rows=rows)
