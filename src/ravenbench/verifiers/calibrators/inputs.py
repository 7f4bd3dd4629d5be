"""What calibrators ask of the scores they are given."""

from __future__ import annotations

import numpy as np

from ravenbench.errors import CorpusError, SpecError
from ravenbench.types import Bools, Floats


def one_column(scores: Floats, name: str) -> Floats:
    """Scores as (n,).

    Raises
    ------
    SpecError
        If the scorer gives several features a problem.
    """
    scores = np.asarray(scores, dtype=np.float64)
    if scores.ndim == 2 and scores.shape[1] == 1:
        return scores[:, 0]
    if scores.ndim != 1:
        raise SpecError(
            f"{name} calibrates a single score", found=f"{scores.shape[1]} features a problem", fix="use logistic"
        )
    return scores


def learnable(scores: Floats, same: Bools, name: str) -> tuple[Floats, Bools]:
    """The problems a calibrator can learn from: those whose scores are numbers.

    NaN is a scorer's way of saying that it cannot tell (an empty text): such problems are not learned from
    and are left unanswered.

    Raises
    ------
    CorpusError
        If one class is absent.
    """
    same = np.asarray(same, dtype=bool)
    usable = told(scores)
    scores, same = scores[usable], same[usable]
    if not same.any() or same.all():
        raise CorpusError(
            f"{name} cannot learn from one class",
            found=f"{int(same.sum())} same-author and {int((~same).sum())} different-author problems",
            expected="problems of both classes for calibration",
        )
    return scores, same


def told(scores: Floats) -> Bools:
    """Problems whose scores are all numbers, (n,)."""
    known = ~np.isnan(scores)
    return np.asarray(known if scores.ndim == 1 else known.all(axis=1), dtype=bool)
