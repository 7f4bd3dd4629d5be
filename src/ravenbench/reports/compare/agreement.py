"""Whether a case's known texts agree as little as hardly any texts of one background author do."""

from __future__ import annotations

import numpy as np

from ravenbench.reports.compare.model import FUSED, Validated
from ravenbench.reports.compare.scores import PairScores
from ravenbench.reports.compare.words import signed
from ravenbench.types import Floats

RARE = 0.01
"""Share of the background's sets of texts by one author that may agree less than a case that is answered."""


def sets_llr(sets: PairScores, valid: Validated) -> Floats:
    """Agreement (sets,) of the background's sets of texts, each by one author: the lowest log10 LR of a text against
    the others of its set, by verifiers that learned without that author."""
    if not len(sets):
        return np.zeros(0)
    llr = valid.system.written.llr(sets.scores, sets.content)[FUSED]
    _, place = np.unique(sets.authors, axis=0, return_inverse=True)
    return np.array([llr[place.ravel() == i].min() for i in range(int(place.max()) + 1)])


def disagreement(known: Floats, sets: Floats) -> str | None:
    """The reason not to answer, or None.

    Parameters
    ----------
    known : (texts,) float
        Log10 LR of each known text of the case against the others; above 0 for one writer.
    sets : (sets,) float
        Agreement of the background's sets, as `sets_llr` gives it.

    Returns
    -------
    str or None
        A sentence where a text speaks against the others (log10 LR below 0) and at most a hundredth of the background's
        sets agree as little; where they are fewer than a hundred, none of them may.
    """
    if not len(known) or not len(sets):
        return None
    least = float(known.min())
    as_low = int((sets <= least).sum())
    if least >= 0 or as_low > RARE * len(sets):
        return None
    return (
        "the known texts disagree among themselves: one of them, held against the others, has a log10 LR of "
        f"{signed(least)}; of {len(sets)} sets of as many texts by one background author each, {as_low} agree as "
        "little; they may not be by one writer"
    )
