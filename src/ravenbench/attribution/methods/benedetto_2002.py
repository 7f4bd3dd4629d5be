"""Attribution by zipping: the text after which a questioned text costs least."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np

from ravenbench.attribution.base import Attributor
from ravenbench.texts import TextTable
from ravenbench.types import Floats, Ints

WINDOW = 32_768
"""Bytes that LZ77, as zlib has it, looks back."""


@dataclass(eq=False, repr=False)
class Benedetto2002(Attributor):
    """The author of the known text A for which zip(A + x) − zip(A) is least, x being the questioned text.

    Only the last 32 kB of a known text can serve, which is LZ77's window. The paper appends short stretches of x, so
    that the zipper does not learn x itself; here all of x is appended unless ``length`` is given.

    Parameters
    ----------
    length : int, optional
        Bytes of a questioned text that are appended.

    References
    ----------
    Benedetto, Caglioti & Loreto 2002, Language trees and zipping. Physical Review Letters 88(4).
    """

    name = "benedetto-2002"

    length: int | None = None

    def _fit(self, texts: TextTable, rows: Ints, codes: Ints) -> None:
        self.known_ = [text.encode()[-WINDOW:] for text in texts.rows(rows)]
        self.codes_ = codes

    def _scores(self, texts: TextTable, rows: Ints) -> Floats:
        """Bits a byte of the appended text, negative, at each author's cheapest known text."""
        asked = [text.encode()[: self.length] for text in texts.rows(rows)]
        least = np.full((len(asked), len(self.classes_)), np.inf)
        for known, code in zip(self.known_, self.codes_, strict=True):
            primed = zlib.compressobj(9)
            head = len(primed.compress(known))
            alone = head + len(primed.copy().flush())
            for i, text in enumerate(asked):
                joint = primed.copy()
                size = head + len(joint.compress(text)) + len(joint.flush())
                least[i, code] = min(least[i, code], 8 * (size - alone) / max(1, len(text)))
        return -least
