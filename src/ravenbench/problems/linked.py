"""Texts that must be taken to share an author with a problem's, where authors are not known."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ravenbench.types import Ints, Problems


class Linked:
    """Texts linked with each problem of a set by ``Problems.groups``; what is asked for is worked out."""

    def __init__(self, problems: Problems, row: Ints, same: ArrayLike | None) -> None:
        self._problems, self._row, self._same = problems, row, same

    @cached_property
    def _group(self) -> Ints:
        problems = self._problems
        return problems.groups(np.zeros(len(problems), dtype=bool) if self._same is None else self._same)

    @cached_property
    def _members(self) -> list[Ints]:
        problems, group = self._problems, self._group
        owner: Ints = np.concatenate([problems.owner, np.arange(len(problems))])
        cited = self._row[np.concatenate([problems.known_index, problems.questioned_index])]
        order = np.argsort(group[owner], kind="stable")
        ends = np.cumsum(np.bincount(group[owner], minlength=int(group.max()) + 1))[:-1]
        return [np.unique(part) for part in np.split(cited[order], ends)]

    def rows(self, problem: int) -> Ints:
        """Rows of the texts linked with a problem."""
        linked: Ints = self._members[int(self._group[problem])]
        return linked
