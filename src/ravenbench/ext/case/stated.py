"""Holds what reports of a case and of an unknown text state alike: whether there is an answer, why not, and notes.

In: reasons and notes of one text.
Out: ``Stated`` and its plain values (``to_json``); ``DrawnPairs``: log10 LRs (n,), truth (n,), True = one author, and
weights (n,) of pairs that figures show.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from ravenbench.ext.case.compare.record import Reason
from ravenbench.store.records import Record
from ravenbench.types import Bools, Floats


class Stated(Record, frozen=True, kw_only=True, omit_defaults=True):
    """What is stated of one text: in a ``sentence``, with reasons where no answer is given, and notes."""

    sentence: str
    reasons: list[Reason]
    notes: list[str]

    @property
    def answered(self) -> bool:
        """Whether an answer is given."""
        return not self.reasons

    def to_json(self) -> dict[str, Any]:
        """One object of plain values."""
        plain: dict[str, Any] = msgspec.to_builtins(self)
        return plain | {"answered": self.answered, "reasons": list(map(str, self.reasons))}


@dataclass(frozen=True, eq=False)
class DrawnPairs:
    """Background pairs (n,) as figures show them: log10 LRs that know no author of the pair, truth and weight."""

    llr: Floats
    same: Bools
    weight: Floats
