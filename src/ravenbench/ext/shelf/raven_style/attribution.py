"""raven-style: Raven's attribution method on what texts are without their content."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ravenbench.ext.shelf.raven_2026.attribution import Families, Raven2026, likeliest_weights
from ravenbench.ext.shelf.raven_style.mask import ContentMask
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Floats, Ints


@dataclass(eq=False, repr=False)
class RavenStyle(Raven2026):
    """``raven-2026`` through ``content-mask``: names authors by what is left of texts without their content words.

    It reads more orders of n-grams than ``raven-2026``, and a fourth family: characters with every letter hidden.
    Lengths of words stay. Families weigh alike. For who wrote about something else than the candidates' texts.

    Attributes
    ----------
    mask_ : ContentMask
    """

    name = "raven-style"
    version = 2
    provenance = "ours"
    families: ClassVar[Families] = {
        "characters": tuple(("raw", n, "root", 8000) for n in (2, 3, 4, 5)),
        "words": tuple(("token", n, "root", 8000) for n in (1, 2, 3)),
        "syntax": (
            *(("mask", n, "root", 8000) for n in (2, 3)),
            *(("shape", n, "z", 8000) for n in (1, 2, 3)),
            *(("marks", n, "root", 8000) for n in (1, 2, 3)),
        ),
        "letters": tuple(("letters", n, "z", 3000) for n in (2, 3, 4)),
    }

    def _fit(self, texts: TextTable, rows: Ints, codes: Ints) -> None:
        read = texts.rows(rows)
        self.mask_ = ContentMask(lengths=True).fit(read)
        super()._fit(*TextTable.collect(self.mask_.transform(read)), codes)

    def _scores(self, texts: TextTable, rows: Ints) -> Floats:
        return super()._scores(*TextTable.collect(self.mask_.transform(texts.rows(rows))))

    def _shown(self, texts: list[str]) -> dict[str, list[str]]:
        return super()._shown(texts) | {"letters": [_hidden(text) for text in texts]}

    def _shares(self, scores: Floats, codes: Ints, there: Bools) -> Floats:
        families = scores.shape[2]
        return np.repeat(likeliest_weights(scores.mean(axis=2, keepdims=True), codes, there) / families, families)


def _hidden(text: str) -> str:
    """A text with ``X`` for every capital and ``x`` for every other letter."""
    return text.translate({ord(c): "X" if c.isupper() else "x" for c in set(text) if c.isalpha()})
