"""Verdicts by interval against a margin: content and training domain, three outcomes each (ours).

With an interval of a figure and a margin δ: wholly above δ, it *relies* (or *depends*); wholly inside ±δ, it does so
*by less than δ*, which is a positive statement of equivalence; anything else is *undecided*, with the number of
problems or repetitions that would decide it. A verdict rests on one verifier alone: it does not change with who else
is listed. A verdict other than *undecided* is wrong with a chance of at most (1 − level)/2, so of k such verdicts at
most k·(1 − level)/2 are expected to be wrong by chance.

An interval wholly below −δ says that the figure is moved the other way: on the content axis that is reliance too
(shared content counts against one author); on the domain axis nothing in the rule expects it, and it is undecided.
"""

from __future__ import annotations

import math
from enum import StrEnum
from typing import NamedTuple

from ravenbench.problems.transplanted import shortage
from ravenbench.statistics.clustered import Figure
from ravenbench.statistics.content import ContentFigures

CONTENT_MARGIN = 0.02
"""δ of the swing in AUC, fixed on worlds 0 to 1,059 of ``raven simulate`` shown on later ones (docs/validation.md)."""
DOMAIN_MARGIN = 0.02
"""δ of the gain in AUC."""
FEWEST_UNITS = 10
"""Authors (or groups, repetitions' topics) without which no interval is believed."""
FEWEST_REPETITIONS = 5
POWER = 0.8
MOST_NEEDED = 1_000_000
"""A larger number needed is not told: the figure lies next to the margin."""


class Content(StrEnum):
    """Outcomes of the content axis."""

    RELIES = "relies on content"
    LESS = "content moves it by less than δ"
    UNDECIDED = "undecided"
    NO_VERDICT = "no verdict"


class Domain(StrEnum):
    """Outcomes of the training-domain axis."""

    DEPENDS = "depends on its training domain"
    LESS = "by less than δ"
    UNDECIDED = "undecided"
    CANNOT_ASK = "cannot be asked: it learns nothing from training"
    NO_VERDICT = "no verdict"


class Judged(NamedTuple):
    """An outcome on one axis.

    ``margin`` is δ; ``needed`` is how many problems (or repetitions) would decide where it is undecided, None where
    none is expected to; ``shows`` is the smallest true figure that would be called reliant four times in five;
    ``reason`` says why there is no verdict, or what is peculiar.
    """

    outcome: Content | Domain
    margin: float
    needed: int | None = None
    shows: float | None = None
    reason: str | None = None


def content_axis(figures: ContentFigures, margin: float = CONTENT_MARGIN, level: float = 0.95) -> Judged:
    """The verdict on one verifier's swing; ``level`` is that of the interval."""
    few = shortage(figures.same, figures.different, {})
    swing = figures.swing
    note = None
    if figures.missing:
        note = f"answers are missing on {figures.missing} of {figures.folds + figures.missing} folds"
        if figures.missing > figures.folds:
            return Judged(Content.NO_VERDICT, margin, reason=note)
    if few is not None:
        return Judged(Content.NO_VERDICT, margin, reason=few if note is None else f"{few}; {note}")
    if swing is None or swing.interval is None or figures.units < FEWEST_UNITS:
        return Judged(
            Content.NO_VERDICT,
            margin,
            reason=f"{figures.units} authors (or groups of linked problems), {FEWEST_UNITS} are needed",
        )
    size, shows = figures.same + figures.different, detectable(swing, margin, level)
    low, high = swing.interval
    if low > margin:
        return Judged(Content.RELIES, margin, shows=shows, reason=note)
    if high < -margin:
        against = "shared content counts against one author"
        return Judged(Content.RELIES, margin, shows=shows, reason=f"{against}; {note}" if note else against)
    if -margin < low and high < margin:
        return Judged(Content.LESS, margin, shows=shows, reason=note)
    return Judged(Content.UNDECIDED, margin, needed(swing, margin, size), shows, note)


def domain_axis(
    gain: Figure, repetitions: int, *, alike: bool = False, margin: float = DOMAIN_MARGIN, level: float = 0.95
) -> Judged:
    """The verdict on one verifier's gain.

    Parameters
    ----------
    gain : Figure
        Of ``statistics.domain``.
    repetitions : int
        Complete ones.
    alike : bool
        Whether the two fits of every repetition answered alike (``domain.alike``): the verifier learns nothing from
        training, or nothing but a calibrator.
    """
    if alike:
        return Judged(Domain.CANNOT_ASK, margin)
    if repetitions < FEWEST_REPETITIONS or gain.interval is None:
        reason = f"{repetitions} complete repetitions, {FEWEST_REPETITIONS} are needed"
        return Judged(Domain.NO_VERDICT, margin, reason=reason)
    low, high = gain.interval
    shows = detectable(gain, margin, level)
    if low > margin:
        return Judged(Domain.DEPENDS, margin, shows=shows)
    if -margin < low and high < margin:
        return Judged(Domain.LESS, margin, shows=shows)
    reason = "it does better away from its training domain, which dependence on it does not explain"
    return Judged(
        Domain.UNDECIDED, margin, needed(gain, margin, repetitions), shows, reason if high < -margin else None
    )


def detectable(figure: Figure, margin: float, level: float = 0.95, power: float = POWER) -> float | None:
    """The smallest true figure whose interval lies above the margin with this power: for one verifier, uncorrected."""
    if figure.error is None or figure.freedom is None:
        return None
    from scipy.special import stdtrit

    quantiles = stdtrit(figure.freedom, (1 + level) / 2) + stdtrit(figure.freedom, power)
    return margin + float(quantiles) * figure.error


def needed(figure: Figure, margin: float, size: int) -> int | None:
    """How many problems (repetitions) where there are now ``size`` would bring the interval to one side of a margin.

    The interval's half-width is taken to shrink with the square root of their number, authors growing with them, and
    the figure to stay what it is.
    """
    if figure.interval is None:
        return None
    half = (figure.interval[1] - figure.interval[0]) / 2
    room = abs(abs(figure.value) - margin)
    if room <= 0 or size * (half / room) ** 2 > MOST_NEEDED:
        return None
    return max(size + 1, math.ceil(size * (half / room) ** 2))


def wrong_by_chance(verdicts: int, level: float = 0.95) -> float:
    """How many of so many verdicts other than *undecided* are expected to be wrong by chance, at most."""
    return verdicts * (1 - level) / 2
