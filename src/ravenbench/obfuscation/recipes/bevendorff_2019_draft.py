"""A text under repeated edits that still knows where each character came from."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ravenbench.formats.pan_obfuscation import Part
from ravenbench.obfuscation.guards.stretches import Stretches
from ravenbench.obfuscation.parts import pack
from ravenbench.obfuscation.recipes.bevendorff_2019_profile import plain_bytes
from ravenbench.types import Ints

_PLAIN = str.maketrans(dict.fromkeys("‘’‚“”„«»–—−", "-"))


@dataclass(frozen=True)
class Change:
    """A change: characters ``[start, end)`` of a draft are replaced by ``new``."""

    start: int
    end: int
    new: str
    operation: str
    cost: float


@dataclass(frozen=True, eq=False)
class Draft:
    """``text`` with ``data``, its plain bytes, and ``origin``, the original place of each character
    (never falling); ``log`` holds the original place and name of each edit; ``kept`` what of the original is to be
    left alone, None if nothing.
    """

    text: str
    data: bytes
    origin: Ints
    log: tuple[tuple[int, str], ...] = ()
    kept: Stretches | None = None

    @classmethod
    def of(cls, text: str, kept: Stretches | None = None) -> Draft:
        """Make a draft without edits."""
        return cls(text, plain_bytes(text), np.arange(len(text), dtype=np.int64), kept=kept)

    def may_touch(self, start: int, end: int) -> bool:
        """Whether characters ``[start, end)`` came from what may be changed."""
        if self.kept is None or not len(self.origin):
            return True
        last = len(self.origin) - 1
        return not self.kept.touch(
            int(self.origin[min(start, last)]), int(self.origin[min(max(start, end - 1), last)]) + 1
        )

    def occurrences(self, gram: bytes) -> list[int]:
        """First bytes of a trigram's occurrences, overlapping ones included."""
        found = []
        place = self.data.find(gram)
        while place >= 0:
            found.append(place)
            place = self.data.find(gram, place + 1)
        return found

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The characters that bytes ``[start, end)`` belong to."""
        if len(self.data) == len(self.text):
            return start, end
        starts = self._starts()
        return int(np.searchsorted(starts, start, "right")) - 1, int(np.searchsorted(starts, end, "left"))

    def windows(self, change: Change) -> tuple[bytes, bytes]:
        """The bytes a change touches with two bytes of context a side, before and after."""
        low, high = change.start, change.end
        if len(self.data) != len(self.text):
            starts = np.append(self._starts(), len(self.data))
            low, high = int(starts[low]), int(starts[high])
        left, right = self.data[max(0, low - 2) : low], self.data[high : high + 2]
        return left + self.data[low:high] + right, left + plain_bytes(change.new) + right

    def apply(self, change: Change) -> Draft:
        """The draft with this change made."""
        low, high = change.start, change.end
        here = int(self.origin[min(low, len(self.origin) - 1)]) if len(self.origin) else 0
        middle = np.full(len(change.new), here, dtype=np.int64)
        text = self.text[:low] + change.new + self.text[high:]
        origin = np.concatenate([self.origin[:low], middle, self.origin[high:]])
        return replace(
            self, text=text, data=plain_bytes(text), origin=origin, log=(*self.log, (here, change.operation))
        )

    def parts(self, original: str) -> tuple[Part, ...]:
        """Parts of the original with what became of each."""
        spans = pack(original)
        ends = np.array([end for _, end in spans], dtype=np.int64)
        cuts = [0, *np.searchsorted(self.origin, ends, "left").tolist()]
        names: list[list[str]] = [[] for _ in spans]
        for place, name in self.log:
            names[min(int(np.searchsorted(ends, place, "right")), len(spans) - 1)].append(name)
        return tuple(
            Part(start, end, original[start:end], self.text[low:high], tuple(done))
            for (start, end), low, high, done in zip(spans, cuts[:-1], cuts[1:], names, strict=True)
        )

    def _starts(self) -> Ints:
        """The place of each character's first byte."""
        code = np.frombuffer(self.text.translate(_PLAIN).encode("utf-32-le"), dtype=np.uint32)
        size = 1 + (code >= 0x80) + (code >= 0x800) + (code >= 0x10000)
        return np.concatenate([[0], np.cumsum(size)[:-1]]).astype(np.int64)
