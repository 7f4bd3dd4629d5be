"""Shows any result: its finding in a sentence, tables as data frames, figures; in a notebook as HTML.

In: a subclass of ``View``, which names its tables and figures; the name of a table or figure, or None = the first. Out:
polars data frames (unrounded, in the units of the tables), matplotlib figures, and HTML as text. InputError for an
unknown table or figure.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from markupsafe import Markup

from ravenbench.errors import InputError, did_you_mean
from ravenbench.files import check_not_forked
from ravenbench.reports.view import Table, flat, printable, public, to_html
from ravenbench.shown import Shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from polars import DataFrame

ROWS = 12
"""Rows of a table that a notebook shows where there is no chart."""
T = TypeVar("T")
_TYPED = str.maketrans({"−": "-", "≠": "!=", "ρ": "rho", "Δ": "delta "})
"""What can be typed for signs in headings."""


class View(Shown, ABC):
    """A finding (a sentence), tables and figures, and the page with them."""

    _shown_by = "reports.results:View"

    def _view(self) -> View:
        return self

    @abstractmethod
    def finding(self) -> str:
        """Return the finding in one sentence."""

    @abstractmethod
    def tables(self) -> Sequence[Table]:
        """Return the tables of the page, the main table first; each is also a CSV and a LaTeX file."""

    def listings(self) -> Sequence[Table]:
        """Return long tables that are only CSV files."""
        return ()

    def long(self) -> list[str]:
        """Names of the long tables."""
        return [table.key for table in self.listings() if table.rows]

    def figures(self) -> Mapping[str, Figure]:
        """Return figures by name, the main figure first."""
        return {}

    def page(self) -> tuple[Path | None, str]:
        """Return the page if it was written, and how to write it otherwise."""
        return None, ""

    def line(self) -> str:
        """Return the text of ``repr``."""
        return self.finding()

    def named(self) -> dict[str, Table]:
        """Return the tables that have rows, by name."""
        return {table.key: table for table in (*self.tables(), *self.listings()) if table.rows}

    def frame(self, name: str | None = None) -> DataFrame:
        """Return a table as a polars data frame, unrounded; columns with the same title are numbered, and all
        characters in titles can be typed."""
        import polars as pl

        check_not_forked()
        header, rows = flat(_item_named(self.named(), name, "table"))
        header = [title.translate(_TYPED) for title in header]
        titles = [
            title if header.index(title) == i else f"{title} ({header[: i + 1].count(title)})"
            for i, title in enumerate(header)
        ]
        return pl.DataFrame(
            rows, schema=titles, orient="row", infer_schema_length=None, strict=False
        )

    def drawn(self, name: str | None = None) -> Figure:
        """Return a matplotlib figure, by default the main figure."""
        return _item_named(self.figures(), name, "figure")

    def html(self) -> str:
        """Return the HTML for a notebook; every text of a user is escaped."""
        from ravenbench.reports.page import inline

        figures = self.figures()
        tables = [table for table in self.tables() if table.rows]
        pieces = [Markup("<p><strong>{}</strong></p>").format(public(printable(self.finding())))]
        if figures:
            name, figure = next(iter(figures.items()))
            pieces.append(
                Markup('<div style="max-width: 46rem">{}</div>').format(
                    inline(figure, f"shown-{name}")
                )
            )
        elif tables:
            first_table = replace(tables[0], rows=tables[0].rows[:ROWS], links=(), note="")
            pieces.append(to_html(first_table, sortable=False))
        listed = [
            ("to_polars", [*(table.key for table in tables), *self.long()]),
            ("figure", list(figures)),
        ]
        calls = [
            Markup("<code>.{}(…)</code>: {}").format(call, public(printable(", ".join(names))))
            for call, names in listed
            if names
        ]
        path, hint = self.page()
        if path is not None:
            address = Path(os.path.relpath(path)).as_posix()
            calls.append(
                Markup('<a href="{}" target="_blank">the whole report</a>').format(address)
            )
        elif hint:
            calls.append(Markup("the whole report: <code>{}</code>").format(hint))
        pieces.append(
            Markup('<p style="font-size: smaller">{}</p>').format(Markup("<br>").join(calls))
        )
        return str(Markup('<div class="raven-result">{}</div>').format(Markup("\n").join(pieces)))


def _item_named(named: Mapping[str, T], name: str | None, kind: str) -> T:
    if name is None and named:
        return next(iter(named.values()))
    if name is None or name not in named:
        names = ", ".join(named) or "none"
        raise InputError(
            f"this result has no {kind}" + ("" if name is None else f" {name!r}"),
            expected=names,
            fix=did_you_mean(name or "", named, listing=False),
        )
    return named[name]
