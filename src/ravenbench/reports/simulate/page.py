"""A simulation's page, figure and tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ravenbench.reports.shared import tables
from ravenbench.reports.shared.figures import FAINT, INK, SETUP, canvas, style
from ravenbench.reports.shared.folder import write_parts
from ravenbench.reports.shared.page import inline, render
from ravenbench.reports.shared.tables import Column, Range, Table, to_html
from ravenbench.reports.simulate.records import Power, Simulation, to_json
from ravenbench.statistics.verdict import SHOWN, shown_under

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType

TESTS = {"hits-random": "HITS − Random", "probe": "crossed probe"}


def write(simulation: Simulation, folder: Path) -> None:
    """Fill a report's folder."""
    made = (dose_table(simulation), power_table(simulation))
    figure = dose_response(simulation)
    page = render(
        "simulate.html.j2",
        sections=[("found", "Findings"), ("doses", "Doses"), ("power", "Power"), ("method", "Method")],
        simulation=simulation,
        false_alarm=simulation.false_alarm,
        standing=standing(simulation),
        lacking=lacking(simulation) if simulation.failures else None,
        figure=inline(figure, "doses"),
        signed=lambda value: tables.number(value, Column("", signed=True)),
        tables={table.key: to_html(table) for table in made},
    )
    write_parts(folder, kind="simulate", page=page, json=to_json(simulation), tables=made, figures={"doses": figure})


def terminal(simulation: Simulation) -> list[RenderableType]:
    """Both tables for 80 columns, and what the pair rule means."""
    from rich.text import Text

    doses = tables.without(dose_table(simulation), "coverage", "null")
    power = tables.without(power_table(simulation), "interval")
    shown: list[RenderableType] = [tables.terminal(doses), tables.terminal(power), Text(standing(simulation))]
    if simulation.failures:
        shown.append(Text(f"{lacking(simulation)}."))
    return shown


def lacking(simulation: Simulation) -> str:
    """How many replicates have no scores, and why the first has none."""
    name, error = simulation.failures[0]
    planned = simulation.replicates + len(simulation.failures)
    return f"{len(simulation.failures)} of {planned} replicates have no scores, the first: {name}, {error}"


def standing(simulation: Simulation) -> str:
    """What the simulated pair rule means for verdicts, as a sentence."""
    rule = simulation.design.pairs
    if shown_under(rule):
        return f"Verdicts are given under {rule} pairs, which these are, and under no other pair rule."
    return (
        f"Runs give no verdict under {rule} pairs, only under {' or '.join(SHOWN)} ones: convictions here are what the "
        "same tests would say if they did."
    )


def dose_table(simulation: Simulation) -> Table:
    """What both tests measure and how often they convict, dose by dose."""
    rows = tuple((d.dose, d.auc, d.diff, d.by_diff, d.coverage, d.gain, d.null, d.by_gain) for d in simulation.doses)
    columns = (
        Column("dose", digits=2),
        Column("AUC"),
        Column("HITS−Random", signed=True),
        Column("convicted", digits=2),
        Column("coverage", digits=2),
        Column("gain", signed=True),
        Column("null", signed=True),
        Column("convicted by probe", digits=2),
    )
    note = (
        f"Means over {simulation.replicates} fresh corpora. Dose: share of topic-only in the blend. AUC on Random's "
        "folds. Convicted: interval over pools below zero; verdict topic-reliant. Coverage: shares of intervals that "
        "hold the mean over corpora; 0.95 is wanted."
    )
    return Table("doses", "Doses of known reliance", columns, rows, note)


def power_table(simulation: Simulation) -> Table:
    """Share convicted by designs of several sizes, at the smallest dose above zero that tells them apart."""
    dose = telling(simulation)
    rows = []
    for p in sorted((p for p in simulation.power if p.dose == dose), key=_order):
        size = p.pools if p.test == "hits-random" else p.repetitions
        interval = None if p.interval is None else Range(*p.interval)
        alarms = next((q.power for q in simulation.power if q.dose == 0 and _order(q) == _order(p)), None)
        pairs = "all" if p.pairs is None else str(p.pairs)
        rows.append((TESTS[p.test], size, p.folds, pairs, p.detectable, p.power, interval, alarms))
    columns = (
        Column("test", text=True),
        Column("times"),
        Column("folds"),
        Column("pairs"),
        Column("shows"),
        Column("power", digits=2),
        Column("interval", digits=2),
        Column("false alarms", digits=2),
    )
    note = (
        f"Power: share of {simulation.replicates} corpora in which a blend of dose {dose:g} is convicted, with "
        "Wilson's interval; false alarms: the same at dose 0. Times: pools, or repetitions of the probe. "
        "Pairs: kept of each test set. Shows: median of the smallest difference found four times in five."
    )
    return Table("power", "Power of smaller designs", columns, tuple(rows), note)


def telling(simulation: Simulation) -> float:
    """The dose above zero at which the designs' power spreads most."""
    above = [d.dose for d in simulation.doses if d.dose > 0] or [0.0]

    def spread(dose: float) -> float:
        powers = [p.power for p in simulation.power if p.dose == dose]
        return max(powers) - min(powers)

    return max(above, key=lambda dose: (spread(dose), -dose))


def _order(p: Power) -> tuple[Any, ...]:
    return p.test, p.pools or 0, p.folds or 0, p.repetitions or 0, p.pairs or 10**9


def dose_response(simulation: Simulation) -> Figure:
    """Both tests over doses: what they measure on the left, how often they convict on the right."""
    with style():
        figure, (left, right) = canvas(7.2, 3.0, columns=2)
        at = [d.dose for d in simulation.doses]
        series = (
            ("HITS − Random", SETUP["random"], [d.diff for d in simulation.doses], "s", "diff_interval", "by_diff"),
            ("crossed probe", SETUP["hits"], [d.gain for d in simulation.doses], "o", "gain_interval", "by_gain"),
        )
        for name, color, values, mark, interval, convicted in series:
            for d in simulation.doses:
                left.plot((d.dose, d.dose), getattr(d, interval), color=color, linewidth=2, alpha=0.6)
            left.plot(at, values, mark + "-", color=color, markersize=4.5, linewidth=1.3, label=name)
            shares = [getattr(d, convicted) for d in simulation.doses]
            right.plot(at, shares, mark + "-", color=color, markersize=4.5, linewidth=1.3)
        left.axhline(0, color=INK, linewidth=0.8)
        left.set_title("difference in AUC", color=INK)
        right.axhline(0.05, color=FAINT, linewidth=1, linestyle=(0, (4, 3)))
        right.set_ylim(-0.03, 1.03)
        right.set_title("share convicted", color=INK)
        for axes in (left, right):
            axes.set_xlabel("dose of topic")
            axes.grid(axis="y", color=FAINT, alpha=0.25, linewidth=0.6)
        figure.legend(loc="outside lower center", ncols=2, fontsize=9)
    return figure
