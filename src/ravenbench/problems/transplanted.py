"""What a transplant gives: versions of a test set, which problems they hold and what was left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ravenbench.types import Ints, Problems

FEWEST_PAIRS = 20
"""Transplanted problems of each class below which nothing is said."""


@dataclass(frozen=True, eq=False)
class Transplanted:
    """Versions of a test set: with its own content, and with three others'.

    Attributes
    ----------
    plain, on, off, off2 : Problems
        Blind problems with the ids, order and known documents of the test problems that were kept, over one table.
    rows : (k,) int64
        Which test problems were kept, ascending.
    left_out : mapping of str to int
        Problems that were not, by reason.
    by : str
        How donors were chosen: ``topic`` or ``content similarity``.
    repeated : int
        Kept problems in which a donor had too few content words, so that they were given again.
    reason : str or None
        Why nothing could be transplanted at all.
    """

    plain: Problems
    on: Problems
    off: Problems
    off2: Problems
    rows: Ints
    left_out: Mapping[str, int]
    by: str
    repeated: int
    reason: str | None

    def __len__(self) -> int:
        return len(self.rows)

    def select(self, which: Ints) -> Transplanted:
        """These of the kept problems, in all versions."""
        versions = {name: getattr(self, name).select(which) for name in ("plain", "on", "off", "off2")}
        return replace(self, rows=self.rows[which], **versions)


def shortage(same: int, different: int, left_out: Mapping[str, int]) -> str | None:
    """The sentence that says that too few problems are left, with counts by reason; None where there are enough."""
    if min(same, different) >= FEWEST_PAIRS:
        return None
    why = "; ".join(f"{count} left out: {reason}" for reason, count in sorted(left_out.items()))
    found = f"{same} same-author and {different} different-author problems could be transplanted"
    return f"{found}, {FEWEST_PAIRS} of each are needed" + (f" ({why})" if why else "")
