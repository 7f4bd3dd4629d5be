"""What a part of the campaign found: how often it tried, what survived, what was lost."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field


@dataclass
class Outcome:
    """One row of the table; ``lost`` holds what went wrong, with all that is needed to try it again."""

    what: str
    tried: int = 0
    survived: int = 0
    lost: list[str] = field(default_factory=list)
    notes: dict[str, int] = field(default_factory=dict)
    ends: float = math.inf
    """When this piece of the part stops, by ``time.monotonic``; what it tried is kept for the next."""

    def wants(self, total: int) -> bool:
        """Whether the part has tried less than this, in this piece and earlier ones, and has time left."""
        return self.tried < total and time.monotonic() < self.ends

    def count(self, well: bool, told: str) -> None:
        """One more try; ``told`` is kept where it did not go well."""
        self.tried += 1
        if well:
            self.survived += 1
        else:
            self.lost.append(told)

    def note(self, what: str) -> None:
        """Count something that is no loss, such as how a damaged file was met."""
        self.notes[what] = self.notes.get(what, 0) + 1

    def to_json(self) -> dict[str, object]:
        """What is kept of it."""
        return {
            "tried": self.tried,
            "survived": self.survived,
            "lost": self.lost,
            "notes": self.notes,
        }

    def row(self) -> str:
        """The row as Markdown."""
        notes = "; ".join(f"{n:,} {what}" for what, n in sorted(self.notes.items()))
        return (
            f"| {self.what} | {self.tried:,} | {self.survived:,} | {len(self.lost):,} | {notes} |"
        )
