"""Gives verdicts by interval against a margin: on content and on the training domain (ours).

In: ``content_axis``: the ``ContentFigures`` of a verifier (and ``behind``, those of its scores), a margin δ;
``gain_figure``: its repetitions, pairs of ``Crossed`` test sets (``same`` (n,) bool, scores ``home`` and ``away`` (n,),
higher = same author); ``domain_axis``: the ``Estimate`` that ``gain_figure`` gave and the number of repetitions.
Out: a ``Judged``, with an outcome (``Content`` or ``Domain``); figures and margins δ are in AUC or shares, 0 to 1, or
differences of such, −1 to 1; ``needed`` counts problems or repetitions that would decide an open case, None = none.
``gain_figure`` gives an ``Estimate`` of a difference of AUC or None, ``detectable`` the smallest effect found or None,
``wrong_by_chance`` an expected number of verdicts, ``alike`` bool.

With an interval of a figure and a margin δ: wholly above δ it is an *effect*, wholly inside ±δ there is *none beyond
δ*, which is a positive statement of equivalence; anything else is *open*, with the number of problems or repetitions
that would decide it. A verdict rests on one verifier only: it does not change with who else is listed. An effect is
stated wrongly with a chance of at most (1 − level)/2, so of k firm verdicts at most k·(1 − level)/2 are expected to be
wrong by chance.

On the content axis *no effect* must be shown five ways, for a scorer that goes by content can pass any single one:
topic does not move AUC (swing), content words are not needed (drop), as many problems are answered once content is
replaced (silence), single answers are not moved both ways (sway), and neither decisions nor ranks are others once
content is replaced (turned, shift: displacement). All is asked of the answers, which are what is published, and of the
scores behind them where these order problems otherwise. A verifier whose answers depend on their batch cannot show it,
nor one that guesses, nor one that two foreign contents move far apart, for chance hides then what topic does. Texts
without sense may move answers too, so a small displacement does not count as an effect, but a verifier with it is not
cleared. An interval wholly below −δ is an effect too (shared content counts against one author). On the domain axis
nothing in the rule expects that, and it is undecided.

The domain axis is judged by the gain of the crossed probe, whose standard error is estimated and not assumed.
Every repetition r has two test sets s, each answered by the fit from its own domain (*home*) and the one from the other
domain (*away*): D = AUC(home) − AUC(away), and the repetition's gain is the mean of its two D. What is meant is the
mean over repetitions, and over topics of the kind at hand.

Repetitions draw their domains from the same topics, so they are correlated, and nothing in one number a repetition
shows by how much: all pairs of repetitions share about as many topics. The problems show it. With
placements (see ``estimates``) each problem has its part in D, a topic has the sum over its problems, and a topic whose
problems gain much in one repetition and again in the next shows what repetitions have in common. So

    variance = (between repetitions) + (over topics, across repetitions) − (over topics, within a repetition):

pairs of problems count where they share a repetition or a topic. The first term is s²/R; the variance is never taken
below it.

By construction the null of permuted similarities has expectation 0 (exchanging the two training sets turns the sign
and is as likely), so the gain stands for itself.

References
----------
Cameron, Gelbach & Miller 2011, Robust inference with multiway clustering. JBES 29(2). DeLong et al. 1988.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import takewhile
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from ravenbench.problems.transplant import shortage
from ravenbench.statistics.content import ContentFigures
from ravenbench.statistics.estimates import (
    Estimate,
    Units,
    both_quantiles,
    from_variances,
    placements,
)
from ravenbench.types import Bools, Floats, Interval, Ints

CONTENT_MARGIN = 0.02
"""δ of swing and drop in AUC, fixed on worlds 0 to 1,059 of ``benchmarks simulate``, shown on later ones
(docs/validation.md)."""
SWAY_MARGIN = 0.015
"""Of ranks from 0 to 1; .05 standard deviations of normal scores are as much."""
DISPLACEMENT_MARGIN = 0.02
"""Of ranks from 0 to 1, and share of decisions."""
SENSE = 0.03
"""Of both: so far beyond the margin answers may change for want of sense."""
RESTLESS = 0.03
"""Of both: what two foreign contents move farther hides in chance what topic does."""
SILENCE_MARGIN = 0.05
"""Share of problems."""
GUESS = 0.05
"""A verifier guesses if the interval of its AUC includes .5 and no value farther from it than this."""
DOMAIN_MARGIN = 0.02
"""δ of the gain in AUC."""
FEWEST_UNITS = 10
"""Authors (or groups, repetitions' topics) without which no interval is believed."""
FEWEST_REPETITIONS = 5
POWER = 0.8
MOST_NEEDED = 1_000_000
"""A larger number needed is not stated: the figure is next to the margin."""


class Content(StrEnum):
    """Outcomes of the content axis, the worst for a verifier first; of several effects the first is the
    outcome, the others are among the findings."""

    RELIES = "relies on content"
    LOSES = "content words matter to it"
    NOTICES = "notices the replacement"
    SWAYED = "content changes its answers both ways"
    DISPLACED = "its answers change with content"
    FOLLOWS = "follows topic"
    GUESSES = "no better than guessing"
    NO_VERDICT = "no verdict"
    UNDECIDED = "undecided"
    FLOOR = "no content effect beyond δ, and no more left than the floor"
    LESS = "no content effect beyond δ"


EFFECTS = frozenset(takewhile(lambda outcome: outcome is not Content.GUESSES, Content))
"""Outcomes that state an effect of content, or of topic."""


class Domain(StrEnum):
    """Outcomes of the training-domain axis."""

    DEPENDS = "depends on its training domain"
    LESS = "no training-domain effect beyond δ"
    UNDECIDED = "undecided"
    NOT_APPLICABLE = "not applicable: nothing is learned from training"
    NO_VERDICT = "no verdict"


Outcome = TypeVar("Outcome", Content, Domain)


class State(StrEnum):
    """Position of an interval relative to a margin."""

    EFFECT = "effect"
    NONE = "none beyond the margin"
    EXCUSED = "beyond the margin, but lengths of words or lost sense may explain it"
    OPEN = "open"
    UNKNOWN = "unknown"


class Check(NamedTuple):
    """One of the ways in which content may show: its figure, the margin, and the position of the interval; ``raw``
    where it is asked of the scores behind the answers."""

    name: str
    figure: Estimate | None
    margin: float
    state: State
    effect: Content
    raw: bool = False


class Judged(NamedTuple, Generic[Outcome]):
    """An outcome on one axis. ``margin`` is δ, in the unit of the figure; ``needed`` is the count of how many problems
    (or repetitions) would decide four times in five where it is undecided, None where none is expected to; ``shows`` is
    the smallest true figure that would be called an effect four times in five; ``reason`` says why there is no verdict,
    or what is peculiar; ``checks`` are those of the content axis; ``confinement`` accompanies every verdict that clears
    a method of other authors.
    """

    outcome: Outcome
    margin: float
    needed: int | None = None
    shows: float | None = None
    reason: str | None = None
    checks: tuple[Check, ...] = ()
    confinement: str = ""

    @property
    def effects(self) -> list[Content]:
        """Those that were found, of answers or of scores."""
        return list(
            dict.fromkeys(check.effect for check in self.checks if check.state is State.EFFECT)
        )

    @property
    def open(self) -> list[str]:
        """Names of the checks that an interval does not decide."""
        return list(dict.fromkeys(check.name for check in self.checks if check.state is State.OPEN))


def content_axis(
    figures: ContentFigures,
    margin: float = CONTENT_MARGIN,
    *,
    lengths: Interval | None = None,
    behind: ContentFigures | None = None,
    barred: str | None = None,
    floor: float | None = None,
    misleads: Estimate | None = None,
) -> Judged[Content]:
    """The verdict (``Judged``) on what content does to one verifier, by 95 % intervals.

    ``lengths`` is the interval of the swing of a scorer that sees only lengths of words: what it has for certain is not
    put down to content. ``behind`` are the figures of the scores behind the answers, where these order problems
    otherwise. ``barred`` says why a verifier cannot be cleared by any answers, for example because a program gets all
    test sets: effects are then stated as usual; without an effect the outcome is *no verdict* with this reason.
    ``floor`` is the style left of a scorer that sees content words alone: a verifier whose interval is not above it is
    called free of content only with that addition. ``misleads`` is the AUC on the original texts where topic
    contradicts the truth: if its interval is below .5, the verifier follows topic, by content words or by the words
    that stay.
    """
    few = shortage(figures.same, figures.different, {})
    notes = []
    if figures.missing:
        notes.append(
            f"answers are missing on {figures.missing} of {figures.folds + figures.missing} folds"
        )
        if figures.missing > figures.folds:
            return Judged(Content.NO_VERDICT, margin, reason=notes[0])
    checks = content_checks(figures, margin, lengths)
    if behind is not None:
        scored = [
            one._replace(raw=True)
            for one in content_checks(behind, margin, lengths)
            if one.name != "turned"
        ]
        # Answers first: what holds of both is said of what is published.
        checks = tuple(
            sorted((*checks, *scored), key=lambda check: list(Content).index(check.effect))
        )
    if misleads is not None and misleads.interval is not None:
        state = State.EFFECT if misleads.interval[1] < 0.5 else State.NONE
        checks = (*checks, Check("misleads", misleads, 0.5, state, Content.FOLLOWS))
    noticed = [
        check for check in checks if check.effect is Content.NOTICES and check.state is State.EFFECT
    ]
    if few is not None:
        if noticed:
            return Judged(
                Content.NOTICES, margin, reason=_joined([few, *notes]), checks=tuple(noticed)
            )
        return Judged(Content.NO_VERDICT, margin, reason=_joined([few, *notes]))
    if figures.swing is None or figures.swing.interval is None or figures.units < FEWEST_UNITS:
        reason = (
            f"{figures.units} authors (or groups of linked problems), and {FEWEST_UNITS} are needed"
        )
        return Judged(Content.NO_VERDICT, margin, reason=reason)
    shows = detectable(figures.swing, margin)
    if figures.swing.interval[1] < -margin:
        notes.insert(0, "shared content counts against the same author")
    outcome = next((check.effect for check in checks if check.state is State.EFFECT), None)
    if outcome is not None:
        return Judged(outcome, margin, shows=shows, reason=_joined(notes), checks=checks)
    low, high = (
        (0.0, 1.0) if figures.auc is None or figures.auc.interval is None else figures.auc.interval
    )
    if 0.5 - GUESS <= low <= 0.5 <= high <= 0.5 + GUESS:
        return Judged(Content.GUESSES, margin, shows=shows, reason=_joined(notes), checks=checks)
    if barred is not None or figures.missing:  # it may fail where words were replaced alone
        why = _joined([*filter(None, [barred]), *notes])
        return Judged(Content.NO_VERDICT, margin, shows=shows, reason=why, checks=checks)
    if low <= 0.5:
        notes.append(
            "its AUC is below .5" if high < 0.5 else "its AUC does not differ from guessing"
        )
    nulls = [figures.null_shift, figures.null_turned, None if behind is None else behind.null_shift]
    restless = any(
        null is not None and null.interval is not None and null.interval[1] >= RESTLESS
        for null in nulls
    )
    if restless:
        notes.append(
            "two kinds of other content change its answers too much to show that content has"
            " no effect"
        )
    elif (
        low > 0.5
        and figures.batched is False
        and all(check.state is State.NONE for check in checks)
    ):
        left = figures.style_left
        at_floor = floor is not None and (
            left is None or left.interval is None or left.interval[0] <= floor
        )
        outcome = Content.FLOOR if at_floor else Content.LESS
        return Judged(outcome, margin, shows=shows, reason=_joined(notes), checks=checks)
    if figures.batched:
        notes.append(
            "its answers depend on the batch, so Raven cannot show that content has no effect"
        )
    elif figures.batched is None:
        notes.append(
            "it was not run on another batch, so Raven cannot show that content has no effect"
        )
    excused = {check.name for check in checks if check.state is State.EXCUSED}
    if "swing" in excused:
        notes.append("its swing is not larger than lengths of words may explain")
    if excused - {"swing"}:
        notes.append(
            "its answers change when content is replaced, because of content or because of"
            " lost sense"
        )
    undecided = [
        (check.figure, check.margin)
        for check in checks
        if check.state is State.OPEN and check.figure is not None
    ]
    size = figures.same + figures.different
    never = figures.batched or excused or restless or not undecided
    more = None if never else needed(undecided, size)
    return Judged(Content.UNDECIDED, margin, more, shows, _joined(notes), checks)


def content_checks(
    figures: ContentFigures, margin: float = CONTENT_MARGIN, lengths: Interval | None = None
) -> tuple[Check, ...]:
    """The checks of the content axis in order of precedence; ``lengths`` as in ``content_axis``."""
    # What the scorer of lengths has for certain, to either side.
    up, down = (0.0, 0.0) if lengths is None else (max(0.0, lengths[0]), max(0.0, -lengths[1]))
    # That single answers move less than by chance is no effect.
    beyond = {"swing": (up, down), "sway": (0.0, math.inf)} | dict.fromkeys(
        ("turned", "shift"), (SENSE, math.inf)
    )
    every = (
        ("swing", figures.swing, margin, Content.RELIES),
        ("drop", figures.drop, margin, Content.LOSES),
        ("silence", figures.silence, SILENCE_MARGIN, Content.NOTICES),
        ("sway", figures.sway, SWAY_MARGIN, Content.SWAYED),
        ("turned", figures.turned, DISPLACEMENT_MARGIN, Content.DISPLACED),
        ("shift", figures.shift, DISPLACEMENT_MARGIN, Content.DISPLACED),
    )
    return tuple(
        Check(name, figure, bound, _state(figure, bound, *beyond.get(name, (0.0, 0.0))), effect)
        for name, figure, bound, effect in every
    )


def _state(figure: Estimate | None, margin: float, up: float, down: float) -> State:
    """Return the position of an interval; effects begin ``up`` above and ``down`` below the margins (infinite: there is
    none)."""
    if figure is None or figure.interval is None:
        return State.UNKNOWN
    low, high = figure.interval
    if low > margin + up or high < -margin - down:
        return State.EFFECT
    if low > margin or (high < -margin and math.isfinite(down)):
        return State.EXCUSED
    return State.NONE if high < margin and (low > -margin or math.isinf(down)) else State.OPEN


def _joined(notes: Sequence[str]) -> str | None:
    return "; ".join(notes) or None


def domain_axis(
    gain: Estimate, repetitions: int, *, alike: bool = False, margin: float = DOMAIN_MARGIN
) -> Judged[Domain]:
    """The verdict (``Judged``) on one verifier's gain in AUC (``gain_figure``) over so many complete repetitions.

    ``alike`` says whether the two fits of every repetition answered alike (function ``alike``): the verifier learns
    nothing from training, or nothing but a calibrator.
    """
    if alike:
        return Judged(Domain.NOT_APPLICABLE, margin)
    if repetitions < FEWEST_REPETITIONS or gain.interval is None:
        reason = f"{repetitions} complete repetitions, and {FEWEST_REPETITIONS} are needed"
        return Judged(Domain.NO_VERDICT, margin, reason=reason)
    low, high = gain.interval
    shows = detectable(gain, margin)
    if low > margin:
        return Judged(Domain.DEPENDS, margin, shows=shows)
    if -margin < low and high < margin:
        return Judged(Domain.LESS, margin, shows=shows)
    reason = (
        "it is better outside its training domain, which dependence on the domain does not explain"
    )
    more = needed([(gain, margin)], repetitions)
    return Judged(Domain.UNDECIDED, margin, more, shows, reason if high < -margin else None)


def detectable(
    figure: Estimate, margin: float, level: float = 0.95, power: float = POWER
) -> float | None:
    """Return the smallest true figure, in its unit, whose interval is above the margin with this power: for one
    verifier, uncorrected."""
    if figure.error is None or figure.freedom is None:
        return None
    return margin + both_quantiles(figure.freedom, level, power) * figure.error


def needed(undecided: Sequence[tuple[Estimate, float]], size: int) -> int | None:
    """How many problems (repetitions) where there are now ``size`` would decide four times in five.

    Decided is what has an effect in one of the figures (with its margin), or none beyond the margin in all of them. The
    true figure is not the one seen: it is assumed to vary around that value by its standard error (assurance, O'Hagan
    et al. 2005), and the error to shrink with the square root of the number, authors growing with it. None where more
    than ``MOST_NEEDED`` would be needed.
    """
    from scipy.special import ndtr, ndtri

    quantile = float(ndtri(0.975))
    draws = ndtri((np.arange(200) + 0.5) / 200)
    each = [(f.value + f.error * draws, f.error, margin) for f, margin in undecided if f.error]
    if len(each) < len(undecided) or not each:
        return None

    def decided(count: float) -> float:
        no_effect = 1.0
        all_none = 1.0
        for truth, error, margin in each:
            now = error * np.sqrt(size / count)
            above = ndtr((truth - margin) / now - quantile)
            below = ndtr((-margin - truth) / now - quantile)
            inside = (
                ndtr((margin - truth) / now - quantile)
                + ndtr((margin + truth) / now - quantile)
                - 1
            )
            no_effect *= 1 - float(np.mean(above + below))
            all_none *= float(np.mean(np.maximum(inside, 0)))
        return 1 - no_effect + all_none

    if decided(MOST_NEEDED) < POWER:
        return None
    low = size
    high = MOST_NEEDED
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if decided(middle) >= POWER else (middle, high)
    return high


def wrong_by_chance(verdicts: int) -> float:
    """How many of so many verdicts other than *undecided* are expected to be wrong by chance, at most."""
    return verdicts * 0.025


SAME = 1e-9
"""Standardised scores this near are the same but for rounding."""


@dataclass(frozen=True, eq=False)
class Crossed:
    """One test set of a repetition: ``same`` (n,), truth; ``home`` and ``away`` (n,), scores after training near the
    test topics and in the other domain, higher = same author; ``topics`` (n, 2), codes of known and questioned texts.
    """

    same: Bools
    home: Floats
    away: Floats
    topics: Ints

    @property
    def usable(self) -> bool:
        """Whether both classes occur."""
        return bool(self.same.any() and not self.same.all())


Repetition = tuple[Crossed, Crossed]


def alike(repetitions: Sequence[Repetition]) -> bool:
    """Whether home and away answered alike throughout: then the probe does not apply.

    Alike are scores in the same order, ties included, or equal but for place and scale (and rounding): a calibrator or
    a standardisation is then all that was learned.
    """
    return bool(repetitions) and all(
        _same_order(test.home, test.away) for pair in repetitions for test in pair
    )


def gain_of(pair: Repetition) -> float | None:
    """The gain of one repetition, a difference of AUC; None where a test set lacks a class."""
    if not all(test.usable for test in pair):
        return None
    return float(np.mean([_difference(test)[0] for test in pair]))


def gain_figure(repetitions: Sequence[Repetition]) -> Estimate | None:
    """Mean gain in AUC with standard error and interval; repetitions that lack a class are left out; None where all
    do."""
    used = [pair for pair in repetitions if all(test.usable for test in pair)]
    if not used:
        return None
    mean = float(np.mean([gain_of(pair) for pair in used]))
    if len(used) < 2:
        return Estimate(mean, None, None, None)
    effects = np.concatenate([_effects(test, mean) for pair in used for test in pair]) / len(used)
    topics = np.concatenate([test.topics for pair in used for test in pair])
    owner = np.repeat(np.arange(len(used)), [sum(len(test.same) for test in pair) for pair in used])
    single = np.arange(len(owner), dtype=np.int64)
    size = int(topics.max()) + 1
    of_topics = Units(topics, single)
    within = np.where(topics >= 0, topics + size * owner[:, None], -1)
    between = float((np.bincount(owner, effects) ** 2).sum()) * len(used) / (len(used) - 1)
    across = max(of_topics.variance(effects) - Units(within, single).variance(effects), 0.0)
    return from_variances(mean, [(between, len(used) - 1), (across, of_topics.count - 1)], 0.95)


def _same_order(a: Floats, b: Floats) -> bool:
    place_a, place_b = (np.unique(x, return_inverse=True)[1] for x in (a, b))
    if np.array_equal(a, b) or np.array_equal(place_a, place_b):
        return True
    one, two = (np.asarray((x - x.mean()) / (x.std() or 1.0)) for x in (a, b))
    return bool(np.allclose(one, two, rtol=0.0, atol=SAME))


def _difference(test: Crossed) -> tuple[float, Floats]:
    """D of a test set, and by how much each problem's placement differs between home and away, (n,)."""
    home, of_home = placements(test.same, test.home, test.home)
    away, of_away = placements(test.same, test.away, test.away)
    return home - away, of_home - of_away


def _effects(test: Crossed, mean: float) -> Floats:
    """Return the part (n,) of each problem in the distance of a test set, half of its repetition, from the mean gain."""
    difference, moved = _difference(test)
    size = np.where(test.same, test.same.sum(), len(test.same) - test.same.sum())
    return np.asarray(
        0.5 * ((moved - difference) + 0.5 * (difference - mean)) / size, dtype=np.float64
    )
