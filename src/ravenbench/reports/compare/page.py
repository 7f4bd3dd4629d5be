"""The page and the terminal's lines of a comparison."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ravenbench.files import write_json
from ravenbench.reports.compare.analysis import MOST_SHOWN
from ravenbench.reports.compare.figures import pav_figure, place_figure, tippett_figure
from ravenbench.reports.compare.heat import heat
from ravenbench.reports.compare.json_form import to_json
from ravenbench.reports.compare.records import CaseFound, Comparison
from ravenbench.reports.compare.tables import case_table, feature_tables, material_table, slice_table, verifier_table
from ravenbench.reports.compare.words import NO_PROBABILITY, sided, signed, support, times
from ravenbench.reports.page import inline, render, style
from ravenbench.reports.report import write_parts
from ravenbench.reports.view import Table, public_json, to_html
from ravenbench.reports.view import for_terminal as shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType


def write(found: Comparison, folder: Path) -> None:
    """Fill a report's folder."""
    tables: list[Table] = [case_table(found)]
    figures: dict[str, Figure] = {}
    cases = []
    for number, case in enumerate(found.cases[:MOST_SHOWN]):
        mark = "" if len(found.cases) == 1 else f"-{number + 1}"
        own = _tables(case, mark)
        drawn = _figures(case, mark)
        tables += own.values()
        figures |= drawn
        cases.append({
            "found": case,
            "mark": mark,
            "tables": {name: to_html(table) for name, table in own.items()},
            "figures": {name.removesuffix(mark): inline(figure, name) for name, figure in drawn.items()},
            "heat": heat(case.evidence),
            **_words(case),
        })  # fmt: skip
    page = render(
        "compare.html.j2",
        sections=_sections(found),
        found=found,
        cases=cases,
        case_table=to_html(tables[0]),
        run=msgspec.to_builtins(found.run),
        most=MOST_SHOWN,
        signed=signed,
    )
    told = to_json(found)
    write_json(folder / "case.json", public_json(told))
    write_parts(folder, kind="compare", page=page, json=told, tables=tables, figures=figures)


def terminal(found: Comparison) -> list[RenderableType]:
    """The answer in a few lines, or the table of cases."""
    from rich.text import Text

    parts: list[RenderableType] = []
    if len(found.cases) > 1:
        parts.append(shown(case_table(found)))
    for case in found.cases if len(found.cases) == 1 else ():
        parts += [Text(line) for line in _lines(case)]
        if case.answer is not None and case.answered:
            parts.append(shown(verifier_table(case.answer)))
    parts += [Text(f"note: {note}") for note in found.plan.notes]
    parts += [Text(f"left out of the background: {text}") for text in found.plan.background.left_out]
    parts += [Text(f"failed: {f.verifier} on {f.fold}: {f.error.splitlines()[0]}") for f in found.failures]
    return parts


def _lines(case: CaseFound) -> list[str]:
    answer, name = case.answer, case.record.candidate
    if answer is None or not case.answered:
        return ["No answer is given:", *(f"  {reason}" for reason in case.reasons)]
    llr, (low, high) = answer.fused.llr, answer.fused.interval
    lines = [
        support(llr, name),
        f"log10 LR {signed(llr)}, 95% interval {signed(low)} to {signed(high)} ({sided(llr)}).",
        NO_PROBABILITY.format(name=name),
    ]
    if answer.content is not None:
        lines.append(answer.content.sentence)
    return [*lines, *(f"note: {note}" for note in answer.notes)]


def _tables(case: CaseFound, mark: str) -> dict[str, Table]:
    own = {"material": material_table(case, f"material{mark}")}
    if case.answer is not None:
        own |= {
            "verifiers": verifier_table(case.answer, f"verifiers{mark}"),
            "validation": slice_table(case.answer, f"validation{mark}"),
        }
    if case.evidence is not None:
        own |= {table.key.removesuffix(mark): table for table in feature_tables(case.evidence, mark)}
    return own


def _figures(case: CaseFound, mark: str) -> dict[str, Figure]:
    if case.answer is None:
        return {}
    drawn = {"place": place_figure, "tippett": tippett_figure, "calibration": pav_figure}
    with style():
        return {f"{name}{mark}": draw(case.answer) for name, draw in drawn.items()}


def _words(case: CaseFound) -> dict[str, Any]:
    """Sentences about a case."""
    answer, name = case.answer, case.record.candidate
    if answer is None:
        return {"support": "", "verbal": "", "times": "", "likelier": "", "caution": NO_PROBABILITY.format(name=name)}
    llr = answer.fused.llr
    return {
        "support": support(llr, name),
        "verbal": sided(llr),
        "times": times(llr),
        "likelier": f"{name} wrote both" if llr > 0 else "two people wrote them",
        "caution": NO_PROBABILITY.format(name=name),
    }


def _sections(found: Comparison) -> list[tuple[str, str]]:
    if len(found.cases) == 1:
        names = [("answer", "Answer"), ("trust", "How far to trust it"), ("evidence", "What it rests on")]
        names = names if found.cases[0].answer is not None else [("answer", "Answer")]
        return [*names, ("material", "Material"), ("method", "Method"), ("provenance", "Provenance")]
    return [("cases", "Cases"), ("method", "Method"), ("provenance", "Provenance")]
