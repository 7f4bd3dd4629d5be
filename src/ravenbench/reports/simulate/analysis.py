"""From a simulation's worlds to what it shows: false convictions, power and coverage on both axes.

Every world is judged as a run is, by ``statistics.axes``, one scorer at a time. The truth of a scorer is its mean
figure over the worlds of a kind.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ravenbench.bench.options import checked
from ravenbench.bench.simulate.adversaries import HIDDEN, LENGTHS
from ravenbench.bench.simulate.record import SimulatePlan
from ravenbench.bench.simulate.scorers import BLIND, COMPARED, names, shown
from ravenbench.bench.simulate.spec import SimulateSpec
from ravenbench.bench.simulate.trials import Found
from ravenbench.bench.simulate.unit import found_of
from ravenbench.bench.simulate.worlds import sample
from ravenbench.errors import InputError
from ravenbench.reports.simulate.records import Axis, Mean, ScorerRow, Share, Simulation
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
from ravenbench.statistics.estimates import Figure

if TYPE_CHECKING:
    from ravenbench.store.store import Store

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
    rows = [_row(design, name, found, kinds, lengths) for name, found in every.items()]
    pairs = [found[0].content.same + found[0].content.different for found in worlds.values()]
    margins = {"content": CONTENT_MARGIN, "domain": DOMAIN_MARGIN}
    return Simulation(design, tuple(worlds), margins, float(np.mean(pairs)), tuple(rows), failures)


def _row(
    design: SimulateSpec, name: str, found: Sequence[Found], kinds: Sequence[int], lengths: Sequence[Figure | None]
) -> ScorerRow:
    dose, trained = _known(design, name)
    null = [content_checks(one.content._replace(swing=one.content.null_swing))[0].state for one in found]
    judged = [
        # The scorer of lengths itself has no excuse.
        content_axis(one.content, lengths=None if own is None or name == LENGTHS else own.interval)
        for one, own in zip(found, lengths, strict=True)
    ]
    content = _axis([one.content.swing for one in found], [one.swing_alone for one in found], judged, kinds)
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
        domain=_axis([one.gain for one in found], [one.gain_alone for one in found], _domain(found), kinds)
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
    nothing = Figure(math.nan, None, None, None)
    return [domain_axis(one.gain or nothing, one.repetitions, alike=one.alike) for one in found]


def _axis(
    figures: Sequence[Figure | None], alone: Sequence[Figure | None], judged: Sequence[Judged], kinds: Sequence[int]
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


def _covered(figures: Sequence[Figure | None], kinds: Sequence[int]) -> Share:
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


def _mean(figures: Sequence[Figure | None]) -> Mean | None:
    values = [figure.value for figure in figures if figure is not None]
    if not values:
        return None
    mean = float(np.mean(values))
    if len(values) < 2:
        return Mean(mean, None)
    from scipy.special import stdtrit

    half = float(stdtrit(len(values) - 1, 0.975)) * float(np.std(values, ddof=1)) / math.sqrt(len(values))
    return Mean(mean, (mean - half, mean + half))
