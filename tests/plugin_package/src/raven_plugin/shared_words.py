"""A small verifier that uses only Raven's public contract."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from ravenbench.registry import resolve
from ravenbench.texts import TextTable
from ravenbench.types import Floats, Ints
from ravenbench.verifiers.contract.base import Calibrator, FoldFree


class SharedWords(FoldFree):
    """Jaccard index of the words of two texts.

    Parameters
    ----------
    shortest : int
        Words of fewer characters are left out.
    """

    name: ClassVar[str] = "shared-words"
    provenance: ClassVar[Literal["sourced", "reconstructed", "ours"]] = "ours"

    def __init__(self, shortest: int = 1) -> None:
        self.shortest = shortest

    def pair_features(self, texts: TextTable, known: Ints, questioned: Ints) -> Floats:
        words = {row: self._words(texts[row]) for row in {*known.tolist(), *questioned.tolist()}}
        pairs = (
            (words[a], words[b]) for a, b in zip(known.tolist(), questioned.tolist(), strict=True)
        )
        return np.array([len(a & b) / max(1, len(a | b)) for a, b in pairs], dtype=np.float64)

    def _words(self, text: str) -> set[str]:
        return {word for word in text.lower().split() if len(word) >= self.shortest}

    def default_calibrator(self) -> Calibrator:
        calibrator: Calibrator = resolve("calibrator", "threshold-band")()
        return calibrator
