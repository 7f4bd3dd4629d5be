"""The pairs of the released HITS code (Sawatphol et al. 2024), its faults repaired or kept."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ravenbench.problems.base import PairRule, Pairs
from ravenbench.problems.drawing import first_of_each, no_same_author_pair, one_author
from ravenbench.types import Bools, Ints


@dataclass(eq=False, repr=False)
class Reference(PairRule):
    """For each text one same-author pair, if its author has another text, and one different-author pair.

    The different author is drawn uniformly, then one of their texts. Topics are ignored, so same-author pairs
    often share a topic and different-author pairs rarely do: a shortcut inside every fold. Authors of one text
    give different-author pairs alone, which leaves 20–25 % of same-author pairs in the paper's data.

    Parameters
    ----------
    faithful : bool
        Keep what the released code does wrong: a same-author pair drawn from both ends stands twice, and under
        a ``limit`` the *different* pairs hold another text of the same author. Repaired by default, with the
        repeated pairs counted as dropped.
    """

    name = "reference"

    faithful: bool = False

    def draw(
        self, documents: Ints, author: Ints, topic: Ints, rng: np.random.Generator, limit: int | None = None
    ) -> Pairs:
        order = np.argsort(author, kind="stable")
        _, writer, sizes = np.unique(author[order], return_inverse=True, return_counts=True)
        if len(sizes) == len(author):
            raise no_same_author_pair(author)
        if len(sizes) == 1:
            raise one_author(author)
        starts = np.cumsum(sizes) - sizes
        each = np.arange(len(order))
        rest = sizes[writer] - 1
        other = starts[writer] + np.floor(rng.random(len(order)) * rest).astype(np.int64)
        other += other >= each
        several = rest > 0
        stranger = rng.integers(len(sizes) - 1, size=len(order))
        stranger += stranger >= writer
        theirs = starts[stranger] + np.floor(rng.random(len(order)) * sizes[stranger]).astype(np.int64)
        known = np.concatenate([each[several], each])
        questioned = np.concatenate([other[several], theirs])
        same = np.arange(len(known)) < several.sum()
        if limit is not None and self.faithful:
            twin = several[known] & ~same
            questioned[twin] = other[known[twin]]
        keep = np.arange(len(known)) if self.faithful else first_of_each(known, questioned, len(order))
        dropped = {"drawn from both ends": len(known) - len(keep)} if len(keep) < len(known) else {}
        keep = rng.permutation(keep)
        if limit is not None:
            keep = _balanced(keep, same, limit)
        rows = documents[order]
        return Pairs(rows[known[keep]], rows[questioned[keep]], same[keep], dropped)


def _balanced(order: Ints, same: Bools, limit: int) -> Ints:
    """At most ``limit`` of these pairs, in their order, with the classes in their proportion (one each at least)."""
    if limit >= len(order):
        return order
    yes, no = order[same[order]], order[~same[order]]
    positives = min(len(yes), max(1, round(limit * len(yes) / len(order))))
    kept = np.concatenate([yes[:positives], no[: max(1, limit - positives)]])
    return order[np.isin(order, kept)]
