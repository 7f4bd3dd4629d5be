"""Makes the table that compares the figures of a paper with those found here.

In: one ``Beside`` a figure: the value found here, its 95 % interval and the printed value, all in one unit; a run's
spec.
Out: a list of one ``Table``, a row a figure, empty without figures; ``theirs_is`` gives text: the printed value is
above, below or within the interval, or "n/a"; ``of_collection`` whether a spec's corpus is one that others have too
(bool).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ravenbench import registry
from ravenbench.reports.view import Table, col, table
from ravenbench.types import Interval

LACKED = "not compared"
WITHOUT = (
    " Not compared, because the method ran without parts that it needs; the notes say which"
    " parts, and how to get them."
)
MADE_UP = ("synthetic",)


def of_collection(spec: Mapping[str, Any]) -> bool:
    """Whether a spec's corpus is a collection that others have too: for your own texts, the figures of a paper mean
    nothing."""
    name = str(spec.get("corpus")).partition("(")[0]
    return name in registry.targets("corpus") and name not in MADE_UP


class Beside(NamedTuple):
    """A figure of a paper: its subject, the value found here with its 95 % interval, the printed value, and whether the
    method here ``lacked`` parts, so that its value belongs to another method."""

    figure: str
    ours: float | None
    interval: Interval | None
    printed: float
    lacked: bool = False


def theirs_is(printed: float | None, ours: float | None, interval: Interval | None = None) -> str:
    """How a printed figure compares with ours; above and below mean beyond our interval, where there is one."""
    if printed is None or ours is None:
        return "n/a"
    low, high = interval or (ours, ours)
    if low <= printed <= high:
        return "the same" if interval is None else "within our interval"
    return "below ours" if printed < low else "above ours"


def beside(rows: Iterable[Beside], source: str, why: str) -> list[Table]:
    """Return the table of these figures, none without rows."""
    rows = [row for row in rows if row.ours is not None]
    comparison = table(
        "published",
        f"Compared with published figures: {source}",
        rows,
        col("figure", "figure", text=True, json="figure"),
        col("here", "ours", json="here"),
        *([col("95%", "interval", json="interval")] if any(row.interval for row in rows) else []),
        col("printed", "printed", json="printed"),
        col(
            "theirs is",
            lambda row: LACKED if row.lacked else theirs_is(row.printed, row.ours, row.interval),
            text=True,
            json="theirs_is",
        ),
        note=f"Why they may differ: {why}" + WITHOUT * any(row.lacked for row in rows),
    )
    return [comparison] if rows else []
