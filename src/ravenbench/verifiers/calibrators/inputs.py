"""Checks that calibrators make of the scores they are given."""

from __future__ import annotations

import numpy as np

from ravenbench.errors import SpecError
from ravenbench.types import Bools, Floats
from ravenbench.verifiers.contract.folds import both_classes


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
    usable = told(scores)
    return scores[usable], both_classes(np.asarray(same, dtype=bool)[usable], name)


def told(scores: Floats) -> Bools:
    """Marks problems whose scores are all numbers, (n,)."""
    known = ~np.isnan(scores)
    return np.asarray(known if scores.ndim == 1 else known.all(axis=1), dtype=bool)
