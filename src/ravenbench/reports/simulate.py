"""The report of ``raven simulate``: false convictions, power and coverage on both axes.

Every world is judged as a run is, by ``statistics.axes``, one scorer at a time. The truth of a scorer is its mean
figure over the worlds of a kind.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ravenbench.bench.options import checked
from ravenbench.bench.simulate.adversaries import HIDDEN, LENGTHS
from ravenbench.bench.simulate.plan import SimulatePlan
from ravenbench.bench.simulate.scorers import BLIND, COMPARED, names, shown
from ravenbench.bench.simulate.spec import SimulateSpec
from ravenbench.bench.simulate.trials import Found
from ravenbench.bench.simulate.unit import found_of
from ravenbench.bench.simulate.worlds import sample
from ravenbench.errors import InputError
from ravenbench.reports import view
from ravenbench.reports.page import FAINT, INK, SETUP, canvas, inline, render, style
from ravenbench.reports.report import write_parts
from ravenbench.reports.view import Column, Range, Table, Value, to_html
from ravenbench.statistics.axes import (
    CONTENT_MARGIN,
    DOMAIN_MARGIN,
    FOUND,
    Content,
    Domain,
    Judged,
    State,
    content_axis,
    content_checks,
    domain_axis,
)
from ravenbench.statistics.estimates import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from rich.console import RenderableType

    from ravenbench.store.store import Store


Interval = tuple[float, float]


@dataclass(frozen=True)
class Share:
    """So many of so many."""

    count: int
    of: int

    @property
    def interval(self) -> Interval | None:
        """Wilson's 95 % interval; None of nothing."""
        if not self.of:
            return None
        from scipy.stats import binomtest

        found = binomtest(self.count, self.of).proportion_ci(method="wilson")
        return float(found.low), float(found.high)

    def __str__(self) -> str:
        return f"{self.count} of {self.of}"


class Mean(NamedTuple):
    """A mean over worlds with its 95 % interval (t), None with fewer than two."""

    value: float
    interval: Interval | None


@dataclass(frozen=True)
class Axis:
    """One scorer on one axis, over worlds.

    ``figure`` is the mean swing or gain; ``convicted``, ``less``, ``undecided``, ``unasked`` and ``none`` count the
    outcomes: any effect, none beyond the margin, neither, *not applicable*, no verdict. ``covered`` counts
    intervals that hold the mean of worlds of the same kind, ``covered_alone`` those of the simpler error (see
    ``bench.simulate.trials``). ``shows`` is the median of the smallest true figure that is convicted four times in
    five.
    """

    figure: Mean | None
    convicted: Share
    less: Share
    undecided: Share
    unasked: Share
    none: Share
    covered: Share
    covered_alone: Share
    shows: float | None


@dataclass(frozen=True)
class ScorerRow:
    """A scorer of known reliance.

    ``dose`` is its share of topic: 0 where it cannot see content, 1 for topic alone, None where it is not known;
    ``trained`` whether its topic part was trained, None where it has none. ``null`` counts convictions of the null,
    content off topic against other content off topic. ``outcomes`` counts those of the content axis; ``covered_drop``
    and ``covered_left`` count intervals as ``Axis.covered`` does those of the swing. ``domain`` is None where the
    crossed probe does not apply.
    """

    scorer: str
    dose: float | None
    trained: bool | None
    auc: Mean | None
    style_left: Mean | None
    drop: Mean | None
    null: Share
    outcomes: dict[Content, Share]
    covered_drop: Share
    covered_left: Share
    content: Axis
    domain: Axis | None


@dataclass(frozen=True)
class Simulation:
    """Everything a simulation shows; ``worlds`` are the numbers of those with figures, ``failures`` the others."""

    design: SimulateSpec
    worlds: tuple[int, ...]
    margins: dict[str, float]
    pairs: float
    rows: tuple[ScorerRow, ...]
    failures: tuple[tuple[str, str], ...] = ()

    @property
    def replicates(self) -> int:
        """How many worlds have figures."""
        return len(self.worlds)

    @property
    def blind(self) -> tuple[ScorerRow, ...]:
        """Scorers that must not be convicted of content."""
        return tuple(row for row in self.rows if row.scorer in BLIND)

    @property
    def false_convictions(self) -> Share:
        """Of all scorers that cannot see content, in all worlds."""
        return pooled([row.content.convicted for row in self.blind])


def pooled(shares: Sequence[Share]) -> Share:
    """Several shares as one."""
    return Share(sum(s.count for s in shares), sum(s.of for s in shares))


def to_json(simulation: Simulation) -> dict[str, Any]:
    """``simulate`` in the JSON contract: every key is always there, and null where nothing is known.

    ``doses`` repeats the scorers of known dose from style (0) to topic (1), ``gain`` and ``interval`` being the crossed
    probe's; ``false_alarm_rate`` is the share of ``false_convictions``; ``power`` has the scorers that must be found.
    """
    found = simulation.false_convictions
    rows = [(row, _row_json(row)) for row in simulation.rows]
    return {
        "corpus": simulation.design.corpus,
        "pairs": simulation.design.pairs,
        "replicates": simulation.replicates,
        "seeds": list(simulation.worlds),
        "margins": simulation.margins,
        "failures": [{"replicate": name, "error": error} for name, error in simulation.failures],
        "scorers": [made for _, made in rows],
        "doses": [
            {
                "dose": row.dose,
                "scorer": row.scorer,
                "trained": row.trained,
                "auc": made["auc"],
                "style_left": made["style_left"],
                "swing": made["content"]["figure"],
                "swing_interval": made["content"]["interval"],
                "convicted_by_swing": made["content"]["convicted"],
                "gain": made["domain"]["figure"] if made["domain"] else None,
                "interval": made["domain"]["interval"] if made["domain"] else None,
                "convicted_by_gain": made["domain"]["convicted"] if made["domain"] else None,
            }
            for row, made in rows
            if row.dose is not None
            and not row.scorer.startswith("texts")
            and row.scorer not in ("oracle", "length", LENGTHS)
        ],
        "false_convictions": _share_json(found),
        "false_alarm_rate": found.count / found.of if found.of else None,
        "power": [
            {"scorer": row.scorer, "dose": row.dose, **made["content"]["convicted"], "shows": row.content.shows}
            for row, made in rows
            if row.dose
        ],
    }


def _row_json(row: ScorerRow) -> dict[str, Any]:
    return {
        "scorer": row.scorer,
        "dose": row.dose,
        "trained": row.trained,
        "auc": None if row.auc is None else row.auc.value,
        "style_left": None if row.style_left is None else row.style_left.value,
        "drop": None if row.drop is None else row.drop.value,
        "null_convicted": _share_json(row.null),
        "outcomes": {outcome.name.lower(): share.count for outcome, share in row.outcomes.items()},
        "covered_drop": _share_json(row.covered_drop),
        "covered_style_left": _share_json(row.covered_left),
        "content": _axis_json(row.content),
        "domain": None if row.domain is None else _axis_json(row.domain),
    }


def _axis_json(axis: Axis) -> dict[str, Any]:
    interval = None if axis.figure is None else axis.figure.interval
    shares = ("convicted", "less", "undecided", "unasked", "none", "covered", "covered_alone")
    return {
        "figure": None if axis.figure is None else axis.figure.value,
        "interval": None if interval is None else list(interval),
        **{name: _share_json(getattr(axis, name)) for name in shares},
        "shows": axis.shows,
    }


def _share_json(share: Share) -> dict[str, Any]:
    interval = share.interval
    return {"count": share.count, "of": share.of, "interval": None if interval is None else list(interval)}


ROUNDING = 1e-12
"""Figures of no spread agree with their mean to rounding."""


def analyse(store: Store) -> Simulation:
    """Every figure of a simulation's report, over the worlds that have figures.

    Raises
    ------
    InputError
        If the folder belongs to another task, or no world has figures.
    """
    store.expect("simulate")
    design = checked(store.run.spec, SimulateSpec)
    plan = store.plan_as(SimulatePlan)
    numbers = {replicate.fold: replicate.seed for replicate in plan.replicates}
    failures: list[tuple[str, str]] = []
    worlds: dict[int, list[Found]] = {}
    for place in plan.cells:
        cell = store.read_cell(place.key)
        if cell is None or cell.error is not None:
            failures.append((place.fold, "not simulated yet" if cell is None else str(cell.error).splitlines()[0]))
        else:
            worlds[numbers[place.fold]] = found_of(cell.arrays)
    if not worlds:
        raise InputError(
            "no world of this simulation has figures", file=store.path, found=failures[0][1],
            fix="repeat raven simulate",
        )  # fmt: skip
    return summarise(design, worlds, tuple(failures))


def summarise(
    design: SimulateSpec, worlds: dict[int, list[Found]], failures: tuple[tuple[str, str], ...] = ()
) -> Simulation:
    """What the worlds show; each has the scorers in the order of ``names``."""
    kinds = [sample(number) for number in worlds]
    columns = zip(*worlds.values(), strict=True)
    every = dict(zip(names(design.doses), columns, strict=True))
    lengths = [one.content.swing for one in every[LENGTHS]]
    rows = [_scorer(design, name, found, kinds, lengths) for name, found in every.items()]
    pairs = [found[0].content.same + found[0].content.different for found in worlds.values()]
    margins = {"content": CONTENT_MARGIN, "domain": DOMAIN_MARGIN}
    return Simulation(design, tuple(worlds), margins, float(np.mean(pairs)), tuple(rows), failures)


def _scorer(
    design: SimulateSpec, name: str, found: Sequence[Found], kinds: Sequence[int], lengths: Sequence[Estimate | None]
) -> ScorerRow:
    dose, trained = _known(design, name)
    null = [content_checks(one.content._replace(swing=one.content.null_swing))[0].state for one in found]
    judged = [
        # The scorer of lengths itself has no excuse.
        content_axis(one.content, lengths=None if own is None or name == LENGTHS else own.interval)
        for one, own in zip(found, lengths, strict=True)
    ]
    content = _on_axis([one.content.swing for one in found], [one.swing_alone for one in found], judged, kinds)
    asked = any(one.gain is not None or one.alike for one in found)
    outcomes: list[Any] = [one.outcome for one in judged]
    left, drop = [one.content.style_left for one in found], [one.content.drop for one in found]
    return ScorerRow(
        scorer=name,
        dose=dose,
        trained=trained,
        auc=_mean([one.content.auc for one in found]),
        style_left=_mean(left),
        drop=_mean(drop),
        null=_count(null, lambda state: state is State.EFFECT),
        outcomes={outcome: Share(outcomes.count(outcome), len(outcomes)) for outcome in Content},
        covered_drop=_covered(drop, kinds),
        covered_left=_covered(left, kinds),
        content=content,
        domain=_on_axis([one.gain for one in found], [one.gain_alone for one in found], _domain(found), kinds)
        if asked
        else None,
    )


def _known(design: SimulateSpec, name: str) -> tuple[float | None, bool | None]:
    """The dose of a scorer, and whether its topic part was trained."""
    if name in BLIND:
        return 0.0, None
    if name in (*COMPARED, *HIDDEN):
        return None, None
    dose = next((dose for dose in design.doses if shown(dose) in name.split()), 1.0)
    return dose, not name.startswith("texts") and "untrained" not in name


def _domain(found: Sequence[Found]) -> list[Judged]:
    nothing = Estimate(math.nan, None, None, None)
    return [domain_axis(one.gain or nothing, one.repetitions, alike=one.alike) for one in found]


def _on_axis(
    figures: Sequence[Estimate | None], alone: Sequence[Estimate | None], judged: Sequence[Judged], kinds: Sequence[int]
) -> Axis:
    outcomes: list[Any] = [one.outcome for one in judged]
    shows = [one.shows for one in judged if one.shows is not None]
    return Axis(
        figure=_mean(figures),
        convicted=_count(outcomes, lambda o: o in FOUND or o is Domain.DEPENDS),
        less=_count(outcomes, lambda o: o is Content.LESS or o is Domain.LESS),
        undecided=_count(outcomes, lambda o: o in (Content.UNDECIDED, Content.GUESSES, Domain.UNDECIDED)),
        unasked=_count(outcomes, lambda o: o is Domain.CANNOT_ASK),
        none=_count(outcomes, lambda o: o is Content.NO_VERDICT or o is Domain.NO_VERDICT),
        covered=_covered(figures, kinds),
        covered_alone=_covered(alone, kinds),
        shows=float(np.median(shows)) if shows else None,
    )


def _count(outcomes: Sequence[Any], wanted: Callable[[Any], bool]) -> Share:
    return Share(sum(map(wanted, outcomes)), len(outcomes))


def _covered(figures: Sequence[Estimate | None], kinds: Sequence[int]) -> Share:
    """How many intervals hold the mean figure of their kind of world."""
    known = [(figure, kind) for figure, kind in zip(figures, kinds, strict=True) if figure is not None]
    values: dict[int, list[float]] = {}
    for figure, kind in known:
        values.setdefault(kind, []).append(figure.value)
    held = [
        figure.interval[0] - ROUNDING <= float(np.mean(values[kind])) <= figure.interval[1] + ROUNDING
        for figure, kind in known
        if figure.interval is not None
    ]
    return Share(sum(held), len(held))


def _mean(figures: Sequence[Estimate | None]) -> Mean | None:
    values = [figure.value for figure in figures if figure is not None]
    if not values:
        return None
    mean = float(np.mean(values))
    if len(values) < 2:
        return Mean(mean, None)
    from scipy.special import stdtrit

    half = float(stdtrit(len(values) - 1, 0.975)) * float(np.std(values, ddof=1)) / math.sqrt(len(values))
    return Mean(mean, (mean - half, mean + half))


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
    return [
        view.for_terminal(content),
        outcomes,
        view.for_terminal(domain),
        *(Text(line) for line in findings(simulation)),
    ]


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
