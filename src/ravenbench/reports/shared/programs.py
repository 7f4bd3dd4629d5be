"""How the outside programs of a run were run: shut in, or free to read all that the user may read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from ravenbench.files import write_json, write_text
from ravenbench.reports.shared.public import public_json
from ravenbench.reports.shared.tables import Column, Table, to_csv, to_html, to_latex

if TYPE_CHECKING:
    from ravenbench.store.store import Store

NOTE = (
    "A confined program saw its input, the files that its command names and the system; no network, no other process, "
    "no truth. One that was not confined could read whatever the user may, truth included."
)


def programs(store: Store) -> list[dict[str, Any]]:
    """Each verifier that ran outside programs: its cells, whether all ran confined, and how they were run."""
    names = [v.name for v in store.plan.verifiers if '"component": "command"' in json.dumps(v.identity)]
    found = []
    for name in names:
        cells = (store.read_cell(place.key) for place in store.plan.cells if place.verifier == name)
        ways = [cell.record.programs for cell in cells if cell is not None and cell.record.programs]
        if ways:
            how = "; ".join(dict.fromkeys(ways))
            found.append({"verifier": name, "cells": len(ways), "confined": set(ways) == {"confined"}, "how": how})
    return found


def programs_table(found: list[dict[str, Any]]) -> Table:
    """The same as a table."""
    columns = (Column("verifier", text=True), Column("cells"), Column("outside program", text=True))
    rows = tuple((p["verifier"], p["cells"], p["how"]) for p in found)
    return Table("programs", "Outside programs", columns, rows, NOTE)


def add_programs(folder: Path, found: list[dict[str, Any]]) -> None:
    """Add them to a report: a section of its page, a table, and ``programs`` in ``report.json``."""
    kept = json.loads((folder / "report.json").read_text("utf-8"))
    write_json(folder / "report.json", {**kept, "programs": public_json(found)})
    if not found:
        return
    table = programs_table(found)
    write_text(folder / "tables" / "programs.csv", to_csv(table))
    write_text(folder / "tables" / "programs.tex", to_latex(table))
    section = Markup('<section aria-labelledby="programs"><h2 id="programs">Outside programs</h2>{}</section>\n</main>')
    page = (folder / "index.html").read_text("utf-8")
    write_text(folder / "index.html", page.replace("</main>", section.format(to_html(table)), 1))
