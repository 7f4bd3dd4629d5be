"""The report of ``benchmarks simulate``: false positives, power and coverage on both axes.

Every world is judged as a run is, by ``statistics.axes``, one scorer at a time. The truth of a scorer is its mean
figure over the worlds of a kind.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.lab.plan import SimulatePlan
from benchmarks.lab.spec import SimulateSpec
from benchmarks.lab.trials import Trial, trials_of
from benchmarks.lab.worlds import BLIND, COMPANY, COMPARED, HIDDEN, LENGTHS, names, sample, shown
from ravenbench.engine.options import checked
from ravenbench.errors import InputError
from ravenbench.reports.page import FAINT, INK, SETUP, canvas, style
from ravenbench.reports.report import Report
from ravenbench.reports.view import (
    Col,
    Number,
    Table,
    col,
    figure,
    for_terminal,
    interval_of,
    rows_json,
    table,
    value_of,
)
from ravenbench.shown import Shown
from ravenbench.statistics.axes import (
    CONTENT_MARGIN,
    DOMAIN_MARGIN,
    EFFECTS,
    Content,
    Domain,
    Judged,
    State,
    content_axis,
    content_checks,
    domain_axis,
)
from ravenbench.statistics.estimates import Estimate, wilson

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from rich.console import RenderableType

ROUNDING = 1e-12
"""Figures of no spread agree with their mean to rounding."""
Interval = tuple[float, float]
Pick = Callable[["Axis"], tuple[float | None, Interval | None]]
"""A figure of an axis and its interval, None where there is none."""


@dataclass(frozen=True)
class Share:
    """So many of so many."""

    count: int
    of: int

    @property
    def interval(self) -> Interval | None:
        """Wilson's 95 % interval; None of nothing."""
        return wilson(self.count / self.of, self.of) if self.of else None

    def __str__(self) -> str:
        return f"{self.count} of {self.of}"

    def to_json(self) -> dict[str, Any]:
        """Every value by name."""
        return {
            "count": self.count,
            "of": self.of,
            "interval": None if self.interval is None else list(self.interval),
        }


@dataclass(frozen=True)
class Axis:
    """One scorer on one axis, over worlds.

    ``figure`` is the mean swing or gain with its 95 % interval (t); ``flagged``, ``less``, ``undecided``,
    ``not_applicable`` and ``none`` count the outcomes: any effect, none beyond the margin, neither, not applicable, no
    verdict. ``covered`` counts intervals that hold the mean of worlds of the same kind, ``covered_alone`` those of the
    simpler error (see ``trials``). ``shows`` is the median of the smallest true figure that is flagged
    four times in five.
    """

    figure: Number | None
    flagged: Share
    less: Share
    undecided: Share
    not_applicable: Share
    none: Share
    covered: Share
    covered_alone: Share
    shows: float | None

    @property
    def value(self) -> float | None:
        """The mean without its interval."""
        return value_of(self.figure)

    @property
    def interval(self) -> Interval | None:
        """The interval of the mean."""
        return interval_of(self.figure)

    def to_json(self) -> dict[str, Any]:
        """Every value by name."""
        shares = ("less", "undecided", "not_applicable", "none", "covered", "covered_alone")
        return {
            "figure": self.value,
            "interval": None if self.interval is None else list(self.interval),
            "flagged": self.flagged.to_json(),
            **{name: getattr(self, name).to_json() for name in shares},
            "shows": self.shows,
        }


@dataclass(frozen=True)
class ScorerRow:
    """A scorer of known reliance.

    ``dose`` is its share of topic: 0 where it cannot see content, 1 for topic alone, None where it is not known;
    ``trained`` whether its topic part was trained, None where it has none. ``null`` counts false positives of the null,
    content off topic against other content off topic, by both replacements. ``outcomes`` counts those of the content
    axis, ``fitted`` the same where words are fitted alone; ``covered_drop`` and ``covered_left``, ``covered_free`` (the
    swing of words replaced freely) and ``covered_misleads`` count intervals as ``Axis.covered`` does those of the swing.
    ``helps`` and ``misleads`` are AUCs on untouched texts. ``domain`` is None where the crossed probe does not apply.
    """

    scorer: str
    dose: float | None
    trained: bool | None
    auc: Number | None
    style_left: Number | None
    drop: Number | None
    null: Share
    outcomes: dict[Content, Share]
    fitted: dict[Content, Share]
    free: Number | None
    helps: Number | None
    misleads: Number | None
    covered_drop: Share
    covered_left: Share
    covered_free: Share
    covered_misleads: Share
    content: Axis
    domain: Axis | None


@dataclass(frozen=True, repr=False)
class Simulation(Shown):
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
        """Scorers that must not be flagged for content."""
        return tuple(row for row in self.rows if row.scorer in BLIND)

    @property
    def false_positives(self) -> Share:
        """Of all scorers that cannot see content, in all worlds."""
        shares = [row.content.flagged for row in self.blind]
        return Share(sum(s.count for s in shares), sum(s.of for s in shares))

    def findings(self) -> list[str]:
        """What the simulation shows, in sentences with counts."""
        false = self.false_positives
        low_high = (
            ""
            if false.interval is None
            else ", 95 % interval {} to {}".format(*map(figure, false.interval))
        )
        blind = ", ".join(f"{row.scorer} {row.content.flagged}" for row in self.blind)
        effects = [f"{row.scorer} in {row.content.flagged}" for row in self.rows if row.dose]
        hidden = [
            row for row in self.rows if row.scorer in (*HIDDEN, *COMPANY) and row.content.less.count
        ]
        cleared = [f"{row.scorer} in {row.content.less}" for row in hidden]
        domain = [(row.scorer, row.domain) for row in self.rows if row.domain is not None]
        depends = [f"{scorer} in {axis.flagged}" for scorer, axis in domain if axis.flagged.count]
        untrained = [
            scorer for scorer, axis in domain if axis.not_applicable.count == axis.not_applicable.of
        ]
        sentences = [
            f"False positives: a content effect was stated in {false} verdicts on scorers that cannot use content"
            f"{low_high} ({blind}).",
            f"Content effects detected: {', '.join(effects)} worlds.",
            f"Wrongly cleared (no content effect stated, though the scorer hides one): {', '.join(cleared)} worlds."
            if cleared
            else "No scorer that hides its use of content was said to show no content effect.",
            f"Found to depend on the training domain: {', '.join(depends)} worlds."
            if depends
            else "No scorer was found to depend on its training domain.",
        ]
        if untrained:
            names = " and ".join(untrained)
            sentences.append(
                f"The training domain of {names} is not applicable: nothing is learned from training."
            )
        if self.failures:
            (name, error), planned = self.failures[0], self.replicates + len(self.failures)
            sentences.append(
                f"{len(self.failures)} of {planned} worlds have no figures, the first: {name}, {error}."
            )
        return sentences


def summarise(
    design: SimulateSpec, worlds: dict[int, list[Trial]], failures: tuple[tuple[str, str], ...] = ()
) -> Simulation:
    """What the worlds show; each has the scorers in the order of ``names``."""
    kinds = [sample(number) for number in worlds]
    columns = zip(*worlds.values(), strict=True)
    every = dict(zip(names(design.doses, design.company), columns, strict=True))
    lengths = [one.content.swing for one in every[LENGTHS]]
    floors = [one.content.style_left for one in every["content"]]
    rows = [_scorer(design, name, own, kinds, lengths, floors) for name, own in every.items()]
    pairs = [own[0].content.same + own[0].content.different for own in worlds.values()]
    margins = {"content": CONTENT_MARGIN, "domain": DOMAIN_MARGIN}
    return Simulation(design, tuple(worlds), margins, float(np.mean(pairs)), tuple(rows), failures)


def _scorer(
    design: SimulateSpec,
    name: str,
    worlds: Sequence[Trial],
    kinds: Sequence[int],
    lengths: Sequence[Estimate | None],
    floors: Sequence[Estimate | None],
) -> ScorerRow:
    dose, trained = _known(design, name)
    freely = [one.free[0] for one in worlds if one.free is not None]
    null = [
        content_checks(figures._replace(swing=figures.null_swing))[0].state
        for figures in [*(one.content for one in worlds), *freely]
    ]
    judged, fitted = (
        [
            # The scorer of lengths itself has no excuse.
            _judged(one, None if own is None or name == LENGTHS else own.interval, floor)
            for one, own, floor in zip(tried, lengths, floors, strict=True)
        ]
        for tried in (worlds, [replace(one, free=None) for one in worlds])
    )
    free = [figures.swing for figures in freely]
    misleads = [one.misleads for one in worlds]
    applicable = any(one.gain is not None or one.alike for one in worlds)
    nothing = Estimate(math.nan, None, None, None)
    domain = [domain_axis(one.gain or nothing, one.repetitions, alike=one.alike) for one in worlds]
    style_left, drop = (
        [one.content.style_left for one in worlds],
        [one.content.drop for one in worlds],
    )
    return ScorerRow(
        scorer=name,
        dose=dose,
        trained=trained,
        auc=_mean([one.content.auc for one in worlds]),
        style_left=_mean(style_left),
        drop=_mean(drop),
        null=_count(null, State.EFFECT),
        outcomes={outcome: _count([one.outcome for one in judged], outcome) for outcome in Content},
        fitted={outcome: _count([one.outcome for one in fitted], outcome) for outcome in Content},
        free=_mean(free),
        helps=_mean([one.helps for one in worlds]),
        misleads=_mean(misleads),
        covered_free=_covered(free, kinds if free else ()),
        covered_misleads=_covered(misleads, kinds),
        covered_drop=_covered(drop, kinds),
        covered_left=_covered(style_left, kinds),
        content=_axis(
            [one.content.swing for one in worlds],
            [one.swing_alone for one in worlds],
            judged,
            kinds,
        ),
        domain=_axis(
            [one.gain for one in worlds], [one.gain_alone for one in worlds], domain, kinds
        )
        if applicable
        else None,
    )


def _judged(one: Trial, lengths: Interval | None, floor: Estimate | None) -> Judged[Content]:
    """The outcome as a run has it, of the replacement that speaks most against a scorer."""
    at_least = None if floor is None else floor.value
    ways = [(one.content, one.behind, lengths)]
    if one.free is not None:
        ways.append((*one.free, None))
    return min(
        (
            content_axis(
                figures, lengths=excuse, behind=behind, floor=at_least, misleads=one.misleads
            )
            for figures, behind, excuse in ways
        ),
        key=lambda judged: list(Content).index(judged.outcome),
    )


def _known(design: SimulateSpec, name: str) -> tuple[float | None, bool | None]:
    """The dose of a scorer, and whether its topic part was trained."""
    if name in BLIND:
        return 0.0, None
    if name in (*COMPARED, *HIDDEN, *COMPANY):
        return None, None
    dose = next((dose for dose in design.doses if shown(dose) in name.split()), 1.0)
    return dose, not name.startswith("texts") and "untrained" not in name


def _axis(
    figures: Sequence[Estimate | None],
    alone: Sequence[Estimate | None],
    judged: Sequence[Judged[Any]],
    kinds: Sequence[int],
) -> Axis:
    outcomes = [one.outcome for one in judged]
    shows = [one.shows for one in judged if one.shows is not None]
    return Axis(
        figure=_mean(figures),
        flagged=_count(outcomes, *EFFECTS, Domain.DEPENDS),
        less=_count(outcomes, Content.LESS, Content.FLOOR, Domain.LESS),
        undecided=_count(outcomes, Content.UNDECIDED, Content.GUESSES, Domain.UNDECIDED),
        not_applicable=_count(outcomes, Domain.NOT_APPLICABLE),
        none=_count(outcomes, Content.NO_VERDICT, Domain.NO_VERDICT),
        covered=_covered(figures, kinds),
        covered_alone=_covered(alone, kinds),
        shows=float(np.median(shows)) if shows else None,
    )


def _count(outcomes: Sequence[Any], *counted: Any) -> Share:
    """How many outcomes are among those wanted; outcomes of both axes may compare as equal text, so the kind counts."""
    return Share(sum(any(one is other for other in counted) for one in outcomes), len(outcomes))


def _covered(figures: Sequence[Estimate | None], kinds: Sequence[int]) -> Share:
    """How many intervals hold the mean figure of their kind of world."""
    known = [(one, kind) for one, kind in zip(figures, kinds, strict=True) if one is not None]
    values: dict[int, list[float]] = {}
    for one, kind in known:
        values.setdefault(kind, []).append(one.value)
    covers = [
        one.interval[0] - ROUNDING <= float(np.mean(values[kind])) <= one.interval[1] + ROUNDING
        for one, kind in known
        if one.interval is not None
    ]
    return Share(sum(covers), len(covers))


def _mean(figures: Sequence[Estimate | None]) -> Number | None:
    values = [one.value for one in figures if one is not None]
    if not values:
        return None
    mean = float(np.mean(values))
    if len(values) < 2:
        return Number(mean, None)
    from scipy.special import stdtrit

    half = (
        float(stdtrit(len(values) - 1, 0.975))
        * float(np.std(values, ddof=1))
        / math.sqrt(len(values))
    )
    return Number(mean, (mean - half, mean + half))


def _so_many(share: dict[str, Any]) -> str:
    return f"{share['count']} of {share['of']}"


OLD_NAMES = {
    "flagged": "convicted",
    "null_flagged": "null_convicted",
    "flagged_by_swing": "convicted_by_swing",
    "flagged_by_gain": "convicted_by_gain",
    "not_applicable": "unasked",
    "false_positives": "false_convictions",
    "false_positive_rate": "false_alarm_rate",
}
"""Keys of ``report.json`` under their former names, which stay beside the new ones for one release."""


def _with_old_names(value: Any) -> Any:
    if isinstance(value, list):
        return [_with_old_names(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    named = {key: _with_old_names(inner) for key, inner in value.items()}
    return named | {old: named[new] for new, old in OLD_NAMES.items() if new in named}


class SimulateReport(Report[Simulation]):
    """Every figure of a simulation, over the worlds that have figures."""

    kind = "simulate"
    template = "benchmarks.lab:template.html.j2"

    def analyse(self) -> Simulation:
        store = self.store
        plan = store.plan_as(SimulatePlan)
        numbers = {replicate.fold: replicate.seed for replicate in plan.replicates}
        failures: list[tuple[str, str]] = []
        worlds: dict[int, list[Trial]] = {}
        for place in plan.cells:
            cell = store.read_cell(place.key)
            if cell is None or cell.error is not None:
                failures.append(
                    (
                        place.fold,
                        "not simulated yet" if cell is None else str(cell.error).splitlines()[0],
                    )
                )
            else:
                worlds[numbers[place.fold]] = trials_of(cell.arrays)
        if not worlds:
            raise InputError(
                "no world of this simulation has figures",
                file=store.path,
                found=failures[0][1],
                fix="repeat raven simulate",
            )
        return summarise(checked(store.run.spec, SimulateSpec), worlds, tuple(failures))

    def finding(self) -> str:
        return self.analysis.findings()[0]

    def content(self) -> Table:
        """Swings of all scorers, how often they were flagged for content, and coverage."""
        a = self.analysis

        def share(title: str, get: Callable[[ScorerRow], Share], json: str) -> Col[ScorerRow]:
            return col(title, lambda r: get(r).to_json(), show=_so_many, json=json, terminal=False)

        return table(
            "content",
            "Content effect of each scorer",
            a.rows,
            col("scorer", lambda r: r.scorer, text=True, json="scorer"),
            col(None, lambda r: r.dose, json="dose"),
            col(None, lambda r: r.trained, json="trained"),
            col("AUC", lambda r: value_of(r.auc), json="auc", terminal=False),
            col("style left", lambda r: value_of(r.style_left), json="style_left"),
            col("drop", lambda r: value_of(r.drop), signed=True, json="drop"),
            *_axis_columns(lambda r: r.content, "swing", "effect", "none"),
            col("free swing", lambda r: value_of(r.free), signed=True, json="free_swing"),
            col("helps", lambda r: value_of(r.helps), json="helps", terminal=False),
            col("misleads", lambda r: value_of(r.misleads), json="misleads", terminal=False),
            share("covered: free", lambda r: r.covered_free, "covered_free_swing"),
            share("covered: misleads", lambda r: r.covered_misleads, "covered_misleads"),
            share(
                "none, fitted alone",
                lambda r: Share(
                    sum(r.fitted[cleared].count for cleared in (Content.LESS, Content.FLOOR)),
                    r.content.less.of,
                ),
                "none_fitted",
            ),
            share("covered: drop", lambda r: r.covered_drop, "covered_drop"),
            share("covered: left", lambda r: r.covered_left, "covered_style_left"),
            share("null", lambda r: r.null, "null_flagged"),
            col(
                None,
                lambda r: {o.name.lower(): share.count for o, share in r.outcomes.items()},
                json="outcomes",
            ),
            col(None, lambda r: r.content.to_json(), json="content"),
            col(None, lambda r: None if r.domain is None else r.domain.to_json(), json="domain"),
            note=f"Means over {a.replicates} worlds. Effect, none: worlds in which a content effect was stated, or "
            f"none beyond ±{a.margins['content']:g}; the interval beside is Wilson's. Covered: "
            "intervals that hold the mean swing (free: by words replaced freely; drop, style left, AUC where topic "
            "misleads); alone: intervals from drawing authors only, not "
            "topics. Detectable: smallest true swing detected with 80 % power. Null: effects stated where one "
            "content off topic was compared with another content off topic.",
        )

    def outcomes(self) -> Table:
        """Which outcome every scorer had on the content axis, in how many worlds."""

        def count(title: str, outcome: Content) -> Col[ScorerRow]:
            return col(title, lambda r: str(r.outcomes[outcome].count))

        return table(
            "outcomes",
            "Verdicts on content",
            self.analysis.rows,
            col("scorer", lambda r: r.scorer, text=True),
            count("relies", Content.RELIES),
            count("words matter", Content.LOSES),
            count("notices", Content.NOTICES),
            count("both ways", Content.SWAYED),
            count("answers change", Content.DISPLACED),
            count("follows topic", Content.FOLLOWS),
            count("guesses", Content.GUESSES),
            count("no effect", Content.LESS),
            count("at the floor", Content.FLOOR),
            count("undecided", Content.UNDECIDED),
            note="Worlds by the first outcome that holds, from left to right.",
        )

    def domain(self) -> Table:
        """Gains of all scorers that the crossed probe applies to."""
        return table(
            "domain",
            "Training-domain effect of each scorer",
            [(row.scorer, row.domain) for row in self.analysis.rows if row.domain is not None],
            col("scorer", lambda r: r[0], text=True),
            *_axis_columns(lambda r: r[1], "gain", "depends", "less"),
            col("not applicable", lambda r: str(r[1].not_applicable)),
            note="Depends, less: worlds in which the interval of gain was wholly above or within "
            f"±{self.analysis.margins['domain']:g}. Alone: coverage of intervals that take repetitions as "
            "independent. Not "
            "applicable: both fits answered alike. Others as above.",
        )

    def tables(self) -> list[Table]:
        return [self.content(), self.outcomes(), self.domain()]

    def context(self) -> dict[str, Any]:
        a = self.analysis
        first, last = a.worlds[0], a.worlds[-1]
        whole = last - first + 1 == a.replicates
        worlds = f"{first} to {last}" if whole else ", ".join(map(str, a.worlds))
        return {"simulation": a, "findings": a.findings(), "worlds": worlds}

    def to_json(self) -> dict[str, Any]:
        """``simulate`` in the JSON contract: every key is always there, and null where nothing is known.

        ``doses`` repeats the scorers of known dose from style (0) to topic (1), ``gain`` and ``interval`` being the
        crossed probe's; ``false_positive_rate`` is the share of ``false_positives``; ``power`` has the scorers that
        must be found. Keys of ``OLD_NAMES`` stand there under both names.
        """
        a, false = self.analysis, self.analysis.false_positives
        plain = [
            row
            for row in a.rows
            if row.dose is not None
            and not row.scorer.startswith("texts")
            and row.scorer not in {*BLIND} - {"style"}
        ]
        named = {
            "corpus": a.design.corpus,
            "pairs": a.design.pairs,
            "replicates": a.replicates,
            "seeds": list(a.worlds),
            "margins": a.margins,
            "failures": [{"replicate": name, "error": error} for name, error in a.failures],
            "scorers": rows_json(self.content()),
            "doses": [
                {
                    "dose": row.dose,
                    "scorer": row.scorer,
                    "trained": row.trained,
                    "auc": value_of(row.auc),
                    "style_left": value_of(row.style_left),
                    "swing": row.content.value,
                    "swing_interval": row.content.to_json()["interval"],
                    "flagged_by_swing": row.content.flagged.to_json(),
                    "gain": row.domain.value if row.domain else None,
                    "interval": row.domain.to_json()["interval"] if row.domain else None,
                    "flagged_by_gain": row.domain.flagged.to_json() if row.domain else None,
                }
                for row in plain
            ],
            "false_positives": false.to_json(),
            "false_positive_rate": false.count / false.of if false.of else None,
            "power": [
                {
                    "scorer": r.scorer,
                    "dose": r.dose,
                    **r.content.flagged.to_json(),
                    "shows": r.content.shows,
                }
                for r in a.rows
                if r.dose
            ],
        }
        return dict(_with_old_names(named))

    def closing(self) -> list[RenderableType]:
        from rich.text import Text

        return [*map(for_terminal, self.tables()), *map(Text, self.analysis.findings()[1:])]

    def figures(self) -> dict[str, Figure]:
        """For each scorer the mean swing and gain, and the share of worlds in which it was flagged."""
        rows = self.analysis.rows[::-1]
        with style():
            differences, axes = _plot(
                rows, lambda axis: (axis.value, axis.interval), "mean difference in AUC"
            )
            axes.axvline(0, color=INK, linewidth=0.8)
            flagged, axes = _plot(rows, _flagged, "share of worlds with an effect stated")
            axes.axvline(0.05, color=FAINT, linewidth=1, linestyle=(0, (4, 3)))
            axes.set_xlim(-0.03, 1.03)
        return {"differences": differences, "flagged": flagged}


def _axis_columns(
    side: Callable[[Any], Axis], value: str, effect: str, less: str
) -> tuple[Col[Any], ...]:
    """What both tables say of an axis."""
    return (
        col(value, lambda r: side(r).value, signed=True),
        col(f"interval of {value}", lambda r: side(r).interval, signed=True, terminal=False),
        col(effect, lambda r: str(side(r).flagged)),
        col("interval", lambda r: side(r).flagged.interval, digits=2, terminal=False),
        col(less, lambda r: str(side(r).less), terminal=False),
        col("covered", lambda r: str(side(r).covered)),
        col("alone", lambda r: str(side(r).covered_alone), terminal=False),
        col("detectable", lambda r: side(r).shows, terminal=False),
    )


def _flagged(axis: Axis) -> tuple[float | None, Interval | None]:
    if axis.not_applicable.count == axis.not_applicable.of:
        return None, None
    return axis.flagged.count / axis.flagged.of, axis.flagged.interval


def _plot(rows: Sequence[ScorerRow], pick: Pick, title: str) -> tuple[Figure, Axes]:
    """Both axes of the verdict in one picture, narrow enough for a phone."""
    figure, (axes,) = canvas(4.4, 1.1 + 0.24 * len(rows))
    for label, color, mark, up, sides in (
        ("content: swing", SETUP["hits"], "o", 0.13, [row.content for row in rows]),
        ("training domain: gain", SETUP["random"], "s", -0.13, [row.domain for row in rows]),
    ):
        at = [(y + up, *pick(axis)) for y, axis in enumerate(sides) if axis is not None]
        for y, value, interval in at:
            if value is not None and interval is not None:
                axes.plot(interval, (y, y), color=color, linewidth=2, alpha=0.6)
        points = [(value, y) for y, value, _ in at if value is not None]
        axes.plot(*zip(*points, strict=True), mark, color=color, markersize=4, label=label)
    axes.set_yticks(range(len(rows)), [row.scorer for row in rows])
    axes.set_title(title, color=INK)
    axes.grid(axis="x", color=FAINT, alpha=0.25, linewidth=0.6)
    figure.legend(
        *axes.get_legend_handles_labels(), loc="outside lower center", ncols=2, fontsize=9
    )
    return figure, axes
