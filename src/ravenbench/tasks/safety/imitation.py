"""What an imitation of the known author did to a verifier: false acceptance, and how far its answers move."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ravenbench.statistics.estimates import Interval, Units, estimate, mean_effects, share_of
from ravenbench.types import Bools, Floats, Ints

LIMIT = 1e-3
"""Answers nearer to 0 or 1 than this are taken for this near: one certain answer would be the whole mean."""


@dataclass(frozen=True)
class ImitationRow:
    """One verifier and one imitation, on the different-author problems whose questioned text was imitated.

    ``genuine`` is the share of same-author problems accepted (answer above .5, where the verifier decides),
    ``strangers`` that of the different-author texts as they were, ``imitated`` that of the imitations in their place.
    ``shift`` is the mean change of log10 odds from the one to the other. ``failed`` counts texts without an imitation,
    mostly because of ``why``.
    """

    imitation: str
    verifier: str = ""
    texts: int = 0
    genuine: float | None = None
    strangers: float | None = None
    imitated: float | None = None
    interval: Interval | None = None
    shift: float | None = None
    shift_interval: Interval | None = None
    failed: int = 0
    why: str = ""
    error: str | None = None


def imitation_row(
    imitation: str, verifier: str, same: Bools, imitated: Bools, sides: Ints, before: Floats, after: Floats
) -> ImitationRow:
    """Compare a verifier's answers (n,) to the problems as they were and with imitations where ``imitated``; ``sides``
    (n, 2) are the codes of their two authors, of whom the first is imitated."""

    def odds(answers: Floats) -> Floats:
        bounded = np.clip(answers[imitated], LIMIT, 1 - LIMIT)
        return np.asarray(np.log10(bounded / (1 - bounded)))

    known, change = sides[imitated, 0], odds(after) - odds(before)
    share, interval = share_of(after[imitated] > 0.5, known)
    units = Units(np.repeat(known[:, None], 2, axis=1), np.arange(len(known)))
    shift = estimate(*mean_effects(change), units)
    return ImitationRow(
        imitation,
        verifier,
        texts=len(known),
        genuine=float((before[same] > 0.5).mean()) if same.any() else None,
        strangers=float((before[imitated] > 0.5).mean()),
        imitated=share,
        interval=interval,
        shift=shift.value,
        shift_interval=shift.interval if shift.error else None,
    )
