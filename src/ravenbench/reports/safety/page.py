"""A safety run's page, and what all its forms are written to."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ravenbench.metrics.safety import REASONS
from ravenbench.obfuscation.measures.soundness import SURVIVAL
from ravenbench.reports import view
from ravenbench.reports.page import inline, render
from ravenbench.reports.report import write_parts
from ravenbench.reports.safety.figures import trade_off
from ravenbench.reports.safety.json_form import to_json
from ravenbench.reports.safety.records import FEW, ObfuscatorRow, SafetyAnalysis, listed
from ravenbench.reports.safety.tables import all_tables, title
from ravenbench.reports.view import Column, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType


def write(analysis: SafetyAnalysis, folder: Path) -> None:
    """Fill a report's folder."""
    made, figure = all_tables(analysis), trade_off(analysis)
    write_parts(
        folder,
        kind="safety",
        page=page(analysis, made, figure),
        json=to_json(analysis),
        tables=made.values(),
        figures={} if figure is None else {"trade-off": figure},
    )


def terminal(analysis: SafetyAnalysis) -> list[RenderableType]:
    """The closing tables for 80 columns."""
    made = all_tables(analysis)
    shown = (
        "impact",
        "attribution",
        "quality",
        "people",
        "agreement",
        "measures-people",
        "shame",
        "recovery",
        "detection",
        "failures",
    )
    return [view.for_terminal(made[key]) for key in shown if key in made and made[key].rows]


def page(analysis: SafetyAnalysis, made: Mapping[str, Table], figure: Figure | None) -> str:
    """The report as one self-contained page."""
    sections = {
        "summary": "Findings", "trade": "Trade-off" if figure is not None else "", "safety": "Safety",
        "soundness": "Soundness", "sensibleness": "Sensibleness",
        "people": "Readers" if analysis.people is not None else "",
        "attacks": "Detection and recovery" if analysis.attribution is None else "",
        "shame": "Hall of shame" if analysis.shame else "", "method": "Method", "provenance": "Provenance",
    }  # fmt: skip
    ranked = [o for o in listed(analysis) if o.average_impact is not None]
    return render(
        "safety.html.j2",
        sections=[item for item in sections.items() if item[1]],
        analysis=analysis,
        run=msgspec.to_builtins(analysis.run),
        ranked=ranked,
        few=FEW if analysis.attacked < FEW else None,
        findings=[{"obfuscator": o.name, "text": finding(o)} for o in ranked],
        counted=sum(v is None for v in analysis.verifiers.values()),
        figure="" if figure is None else inline(figure, "trade-off"),
        tables={key: view.to_html(table) if table.rows else "" for key, table in made.items()},
        reasons=REASONS,
        survival={title(name): limits for name, limits in SURVIVAL.items()},
    )


def finding(o: ObfuscatorRow) -> str:
    """What was found of one obfuscator, as a sentence that claims no more than the interval."""
    assert o.average_impact is not None
    form = Column("", signed=True)
    text = f"average impact {view.number(o.average_impact, form)}"
    if o.interval is not None:
        low, high = o.interval
        text += f" (95 % interval {view.number(low, form)} to {view.number(high, form)})"
    if o.survivors is not None and o.changed:
        text += f"; {o.survivors:.0%} of the texts kept within the stated limits of meaning"
        if o.surviving is not None:
            text += f", with impact {view.number(o.surviving, form)} on these"
    unsafe = [r.attack for r in o.recovery if r.unsafe]
    if unsafe:
        text += f"; unsafe: {' and '.join(unsafe)} recovers most of it"
    return text + "."
