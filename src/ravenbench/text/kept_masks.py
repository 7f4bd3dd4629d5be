"""Masked texts, kept by content while the process lives: folds, probes and test sets ask about the same ones."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence

from ravenbench.texts import content_hash

MOST = 2**27
"""Characters that are kept; those that were not asked for longest go first."""


class KeptMasks:
    """Masked texts by (how they are masked, hash of the text)."""

    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self._size = 0
        self._kept: OrderedDict[tuple[str, bytes], str] = OrderedDict()

    def of(self, how: str, texts: Sequence[str], mask: Callable[[list[str]], Iterable[str]]) -> list[str]:
        """The masked texts, in order; each that is not kept is masked once."""
        places = [(how, content_hash(text)) for text in texts]
        found = {place: self._kept[place] for place in places if place in self._kept}
        for place in found:
            self._kept.move_to_end(place)
        missing = {place: text for place, text in zip(places, texts, strict=True) if place not in found}
        for place, masked in zip(missing, mask(list(missing.values())), strict=True):
            found[place] = self._kept[place] = masked
            self._size += len(masked)
        while self._size > self.most:
            self._size -= len(self._kept.popitem(last=False)[1])
        return [found[place] for place in places]
