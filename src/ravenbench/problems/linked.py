"""Texts that must be taken to share an author with a problem's, where authors are not known."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ravenbench.types import Bools, Ints, Labels, Problems


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


def known_authors(sets: Sequence[tuple[Problems, Bools]]) -> Labels:
    """Whom truth lets one tell apart: documents of one known set, or of both sides of a same-author problem, have one
    label, over the one table that all sets lie on. Two labels may still be one author, where no problem says so.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    left, right = [], []
    for problems, same in sets:
        lead = problems.known_index[problems.known_ptr[:-1]]
        left += [lead[problems.owner], lead[same]]
        right += [problems.known_index, problems.questioned_index[same]]
    ends = np.concatenate(left), np.concatenate(right)
    size = len(sets[0][0].texts)
    count, code = connected_components(coo_array((np.ones(len(ends[0])), ends), shape=(size, size)), directed=False)
    return Labels(code.astype(np.int64), tuple(map(str, range(count))))
