"""Says how recognisable a text is: how many texts by other people come as near to the known texts.

In: for ``Standing`` a count of texts by others that come as near, and of how many; for ``sentence`` what measured it.
Out: a ``Standing``, whose ``share`` (0 to 1, lower = more recognisable) has Wilson's 95 % interval, one verdict
(recognised, perhaps, not) and one sentence, the same for every command. No error of its own; ``of`` must be above 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ravenbench.errors import counted
from ravenbench.statistics.estimates import wilson
from ravenbench.types import Floats, Interval

NEAREST = 0.1
"""Largest proportion of others' texts that may come as near if a text is called recognised: a searcher reads the
nearest."""


class Standing(NamedTuple):
    """A text's rank among texts by other people; the nearest to the known texts is first."""

    nearer: int
    of: int

    @property
    def share(self) -> float:
        return self.nearer / self.of

    @property
    def interval(self) -> Interval:
        return wilson(self.share, self.of)

    @property
    def recognised(self) -> bool:
        """Whether the text is among the nearest tenth."""
        return self.share <= NEAREST

    @property
    def verdict(self) -> str:
        """The verdict: *not recognised* only if the whole interval is beyond the nearest tenth."""
        if self.recognised:
            return "recognised"
        return "perhaps recognised" if self.interval[0] <= NEAREST else "not recognised"

    @classmethod
    def of_median(cls, answers: Floats, strangers: Floats) -> Standing | None:
        """The place of the median of some texts by their answers (texts,), higher = nearer, among others' (n,).

        None where there are too few texts by others for a nearest tenth.
        """
        if len(strangers) * NEAREST < 1:
            return None
        nearer = np.sort((strangers >= answers[:, None]).sum(axis=1))
        return cls(int(nearer[(len(nearer) - 1) // 2]), len(strangers))

    def sentence(self, measured_by: str) -> str:
        """Return verdict, rank and interval as one sentence that names what measured them."""
        low, high = self.interval
        comes = "comes" if 1 in (self.nearer, self.of) else "come"
        return (
            f"{self.verdict} by {measured_by}: {self.nearer or 'none'} of"
            f" {counted(self.of, 'text')} by other people {comes} as near to the known texts"
            f" ({self.share:.0%} [{low:.0%}, {high:.0%}]; up to {NEAREST:.0%} is recognised)"
        )
