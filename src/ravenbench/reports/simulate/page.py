"""A simulation's page, figure, tables and sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ravenbench.bench.simulate.adversaries import HIDDEN
from ravenbench.reports import view
from ravenbench.reports.page import FAINT, INK, SETUP, canvas, inline, render, style
from ravenbench.reports.report import write_parts
from ravenbench.reports.simulate.records import Axis, Mean, ScorerRow, Share, Simulation, to_json
from ravenbench.reports.view import Column, Range, Table, Value, to_html
from ravenbench.statistics.axes import Content

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from rich.console import RenderableType

WIDE = (
    "AUC", "null", "none", "interval of swing", "alone", "shows", "interval", "covered: drop", "covered: left",
)  # fmt: skip
"""Columns that 80 characters do not hold."""
Pick = Callable[[Axis], tuple[float | None, tuple[float, float] | None]]
"""A figure of an axis and its interval, None where there is none."""


def write(simulation: Simulation, folder: Path) -> None:
    """Fill a report's folder."""
    made = (content_table(simulation), outcome_table(simulation), domain_table(simulation))
    figures = outcomes(simulation)
    page = render(
        "simulate.html.j2",
        sections=[("found", "Findings"), ("content", "Content"), ("domain", "Training domain"), ("method", "Method")],
        simulation=simulation,
        findings=findings(simulation),
        figures={name: inline(figure, name) for name, figure in figures.items()},
        tables={table.key: to_html(table) for table in made},
        worlds=numbers(simulation),
    )
    write_parts(folder, kind="simulate", page=page, json=to_json(simulation), tables=made, figures=figures)


def terminal(simulation: Simulation) -> list[RenderableType]:
    """Both tables for 80 columns, and what was found."""
    from rich.text import Text

    content = view.without(content_table(simulation), *WIDE)
    domain = view.without(domain_table(simulation), "less", "interval of gain", "alone", "shows", "interval")
    outcomes = view.for_terminal(outcome_table(simulation))
    tables = [view.for_terminal(content), outcomes, view.for_terminal(domain)]
    return [*tables, *(Text(line) for line in findings(simulation))]


def findings(simulation: Simulation) -> list[str]:
    """What the simulation shows, in sentences with counts."""
    false = simulation.false_convictions
    said = [
        f"False positives: an effect of content was stated in {false} verdicts on scorers that cannot see it"
        f"{_interval(false)} (" + ", ".join(f"{row.scorer} {row.content.convicted}" for row in simulation.blind) + ")."
    ]
    found = [f"{row.scorer} in {row.content.convicted}" for row in simulation.rows if row.dose]
    said.append(f"Effect of content found: {', '.join(found)} worlds.")
    cleared = [
        f"{row.scorer} in {row.content.less}"
        for row in simulation.rows
        if row.scorer in HIDDEN and row.content.less.count
    ]
    said.append(
        f"Said to have no effect of content, though made to hide one: {', '.join(cleared)} worlds."
        if cleared
        else "None of the scorers that are made to hide what they go by was said to have no effect of content."
    )
    domain = [row for row in simulation.rows if row.domain is not None]
    depends = [f"{row.scorer} in {row.domain.convicted}" for row in domain if row.domain and row.domain.convicted.count]
    unasked = [row.scorer for row in domain if row.domain and row.domain.unasked.count == row.domain.unasked.of]
    if depends:
        said.append(f"Found to depend on the training domain: {', '.join(depends)} worlds.")
    else:
        said.append("No scorer was found to depend on its training domain.")
    if unasked:
        said.append(
            f"The training domain of {' and '.join(unasked)} is not applicable: nothing is learned from training."
        )
    if simulation.failures:
        said.append(f"{lacking(simulation)}.")
    return said


def lacking(simulation: Simulation) -> str:
    """How many worlds have no figures, and why the first has none."""
    name, error = simulation.failures[0]
    planned = simulation.replicates + len(simulation.failures)
    return f"{len(simulation.failures)} of {planned} worlds have no figures, the first: {name}, {error}"


def numbers(simulation: Simulation) -> str:
    """The worlds' numbers, as first to last where none is missing."""
    first, last = simulation.worlds[0], simulation.worlds[-1]
    if last - first + 1 == simulation.replicates:
        return f"{first} to {last}"
    return ", ".join(map(str, simulation.worlds))


def content_table(simulation: Simulation) -> Table:
    """Swings of all scorers, how often they were convicted of content, and coverage."""
    rows = tuple(
        (
            row.scorer,
            _value(row.auc),
            _value(row.style_left),
            _value(row.drop),
            *_judged(row.content),
            str(row.covered_drop),
            str(row.covered_left),
            str(row.null),
        )
        for row in simulation.rows
    )
    columns = (
        Column("scorer", text=True),
        Column("AUC"),
        Column("style left"),
        Column("drop", signed=True),
        Column("swing", signed=True),
        Column("interval of swing", signed=True),
        Column("effect"),
        Column("interval", digits=2),
        Column("none"),
        Column("covered"),
        Column("alone"),
        Column("shows"),
        Column("covered: drop"),
        Column("covered: left"),
        Column("null"),
    )
    note = (
        f"Means over {simulation.replicates} worlds. Effect, none: worlds in which an effect of content was stated, "
        f"or none beyond ±{simulation.margins['content']:g}; the interval beside is Wilson's. Covered: intervals that "
        "hold the mean swing (drop, style left); alone: with authors only drawn, not topics. Shows: smallest true "
        "swing found four times in five. Null: effects stated where content off topic was set against other content "
        "off topic."
    )
    return Table("content", "Does content move it?", columns, rows, note)


def outcome_table(simulation: Simulation) -> Table:
    """Which outcome every scorer had on the content axis, in how many worlds."""
    shown = {
        Content.RELIES: "relies",
        Content.LOSES: "words matter",
        Content.NOTICES: "notices",
        Content.SWAYED: "both ways",
        Content.GUESSES: "guesses",
        Content.LESS: "no effect",
        Content.UNDECIDED: "undecided",
    }
    rows = tuple((row.scorer, *(str(row.outcomes[outcome].count) for outcome in shown)) for row in simulation.rows)
    note = "Worlds by the first outcome that holds, from left to right."
    columns = (Column("scorer", text=True), *map(Column, shown.values()))
    return Table("outcomes", "What was said of content", columns, rows, note)


def domain_table(simulation: Simulation) -> Table:
    """Gains of all scorers that the crossed probe was asked about."""
    rows: list[tuple[Value, ...]] = [
        (row.scorer, *_judged(row.domain), str(row.domain.unasked)) for row in simulation.rows if row.domain is not None
    ]
    columns = (
        Column("scorer", text=True),
        Column("gain", signed=True),
        Column("interval of gain", signed=True),
        Column("depends"),
        Column("interval", digits=2),
        Column("less"),
        Column("covered"),
        Column("alone"),
        Column("shows"),
        Column("not asked"),
    )
    note = (
        f"Depends, less: worlds in which the interval of gain was wholly above or within "
        f"±{simulation.margins['domain']:g}. Alone: coverage with repetitions taken for independent. Not asked: both "
        "fits answered alike. Others as above."
    )
    return Table("domain", "Does its training domain matter?", columns, tuple(rows), note)


def outcomes(simulation: Simulation) -> dict[str, Figure]:
    """For each scorer the mean swing and gain, and the share of worlds in which it was convicted."""
    rows = simulation.rows[::-1]
    with style():
        differences, axes = _drawn(rows, _of_figure, "mean difference in AUC")
        axes.axvline(0, color=INK, linewidth=0.8)
        convicted, axes = _drawn(rows, _of_convicted, "share of worlds with an effect stated")
        axes.axvline(0.05, color=FAINT, linewidth=1, linestyle=(0, (4, 3)))
        axes.set_xlim(-0.03, 1.03)
    return {"differences": differences, "convicted": convicted}


def _drawn(rows: Sequence[ScorerRow], pick: Pick, title: str) -> tuple[Figure, Axes]:
    """Both axes of the verdict in one picture, narrow enough for a phone."""
    figure, (axes,) = canvas(4.4, 1.1 + 0.24 * len(rows))
    for name, color, mark, up in (("content", SETUP["hits"], "o", 0.13), ("domain", SETUP["random"], "s", -0.13)):
        at = [(y + up, *pick(axis)) for y, row in enumerate(rows) if (axis := _side(row, name)) is not None]
        for y, value, interval in at:
            if value is not None and interval is not None:
                axes.plot(interval, (y, y), color=color, linewidth=2, alpha=0.6)
        points = [(value, y) for y, value, _ in at if value is not None]
        label = {"content": "content: swing", "domain": "training domain: gain"}[name]
        axes.plot(*zip(*points, strict=True), mark, color=color, markersize=4, label=label)
    axes.set_yticks(range(len(rows)), [row.scorer for row in rows])
    axes.set_title(title, color=INK)
    axes.grid(axis="x", color=FAINT, alpha=0.25, linewidth=0.6)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=2, fontsize=9)
    return figure, axes


def _side(row: ScorerRow, name: str) -> Axis | None:
    return row.content if name == "content" else row.domain


def _of_figure(axis: Axis) -> tuple[float | None, tuple[float, float] | None]:
    return (None, None) if axis.figure is None else (axis.figure.value, axis.figure.interval)


def _of_convicted(axis: Axis) -> tuple[float | None, tuple[float, float] | None]:
    if axis.unasked.count == axis.unasked.of:
        return None, None
    return axis.convicted.count / axis.convicted.of, axis.convicted.interval


def _judged(axis: Axis) -> tuple[Value, ...]:
    interval = None if axis.figure is None or axis.figure.interval is None else Range(*axis.figure.interval)
    wilson = axis.convicted.interval
    return (
        _value(axis.figure),
        interval,
        str(axis.convicted),
        None if wilson is None else Range(*wilson),
        str(axis.less),
        str(axis.covered),
        str(axis.covered_alone),
        axis.shows,
    )


def _value(mean: Mean | None) -> float | None:
    return None if mean is None else mean.value


def _interval(share: Share) -> str:
    if share.interval is None:
        return ""
    low, high = (view.figure(end) for end in share.interval)
    return f", 95 % interval {low} to {high}"
