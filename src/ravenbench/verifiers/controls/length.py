"""Likeness of length alone: another floor that every method should beat."""

from __future__ import annotations

import numpy as np

from ravenbench.texts import TextTable
from ravenbench.types import Floats, Ints
from ravenbench.verifiers.calibrators.logistic import Logistic
from ravenbench.verifiers.contract.base import Calibrator, FoldFree


class Length(FoldFree):
    """Minus the absolute logarithm of the ratio of lengths (characters, each plus one): 0 for equal lengths."""

    name = "length"
    provenance = "ours"

    def pair_features(self, texts: TextTable, known: Ints, questioned: Ints) -> Floats:
        used, place = np.unique(np.concatenate([known, questioned]), return_inverse=True)
        size = np.log1p([len(texts[row]) for row in used])[place]
        return np.asarray(-np.abs(size[: len(known)] - size[len(known) :]), dtype=np.float64)

    def default_calibrator(self) -> Calibrator:
        return Logistic(radius=0.01)
