"""Texts as Bagnall's character model reads them."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ravenbench.types import Ints

START = 0
"""The number of what stands before a text; characters begin at 1."""
_CAPITAL, _DIGIT = "\ue000", "0"
_RARE = 1e-5
_SAME = str.maketrans(
    {**dict.fromkeys("–—―‒‐‑", "-"), **dict.fromkeys("[{⟨", "("), **dict.fromkeys("]}⟩", ")"),
     **dict.fromkeys("“”„«»", '"'), **dict.fromkeys("‘’‚`´", "'")}
)  # fmt: skip
_SPACE, _DIGITS = re.compile(r"\s+"), re.compile(r"\d+")


def mapped(text: str) -> str:
    """Decomposed characters; a capital is a marker and the small letter; digits, dashes, brackets, spaces are one."""
    text = unicodedata.normalize("NFKD", text.replace("\ufeff", "")).translate(_SAME)
    text = _DIGITS.sub(_DIGIT, _SPACE.sub(" ", text)).strip()
    return "".join(_CAPITAL + c.lower() if c.isupper() else c for c in text)


@dataclass(frozen=True)
class Alphabet:
    """Characters that are not rare, numbered from 1."""

    characters: str

    @classmethod
    def of(cls, texts: Iterable[str]) -> Alphabet:
        """The characters that make up at least 10⁻⁵ of the training texts."""
        counts = Counter(c for text in texts for c in mapped(text))
        total = sum(counts.values())
        return cls("".join(sorted(c for c, n in counts.items() if n >= _RARE * total)))

    def __len__(self) -> int:
        return 1 + len(self.characters)

    def read(self, text: str, most: int | None = None) -> Ints:
        """Numbers of a text from its end to its beginning, the first ``most`` of it; what is unknown is dropped."""
        number = {c: i for i, c in enumerate(self.characters, start=1)}
        codes = [number[c] for c in mapped(text) if c in number]
        return np.array(codes[:most][::-1], dtype=np.int64)
