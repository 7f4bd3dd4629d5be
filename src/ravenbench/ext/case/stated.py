"""Defines the common part of reports of a case and of an unknown text: whether there is an answer, why not, and notes.

In: reasons and notes of one text.
Out: ``Stated`` and its plain values (``to_json``); ``DrawnPairs``: log10 LRs (n,), truth (n,), True = same author, and
weights (n,) of pairs for figures.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from ravenbench.ext.case.compare.record import Reason
from ravenbench.store.records import Record
from ravenbench.types import Bools, Floats


class Stated(Record, frozen=True, kw_only=True, omit_defaults=True):
    """The answer on one text: a ``sentence``, reasons if there is no answer, and notes."""

    sentence: str
    reasons: list[Reason]
    notes: list[str]

    @property
    def answered(self) -> bool:
        """Whether there is an answer."""
        return not self.reasons

    def to_json(self) -> dict[str, Any]:
        """Return an object of plain values."""
        plain: dict[str, Any] = msgspec.to_builtins(self)
        return plain | {"answered": self.answered, "reasons": list(map(str, self.reasons))}


@dataclass(frozen=True, eq=False)
class DrawnPairs:
    """Background pairs (n,) for figures: log10 LRs that know no author of the pair, truth and weight."""

    llr: Floats
    same: Bools
    weight: Floats
