"""Texts cut into equal pieces, so that a method with leave-one-out distances has something to leave out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeVar

S = TypeVar("S", str, Sequence[str])


def cut(whole: S, count: int) -> list[S]:
    """``count`` consecutive pieces whose lengths differ by at most one; fewer where there is not that much."""
    count = min(count, len(whole))
    edges = [len(whole) * i // count for i in range(count + 1)] if count else [0]
    return [whole[a:b] for a, b in pairwise(edges)]


def known_and_questioned(known: Sequence[S], joined: S, questioned: S, least: int) -> tuple[list[S], list[S]]:
    """Pieces of the known documents, at least ``least``, and pieces of the questioned text as long as these.

    Documents stay whole where there are enough (empty ones are left out); otherwise they are joined (``joined``) and
    cut anew. Both lists are empty where there is too little text.
    """
    parts = [one for one in known if len(one)]
    if len(parts) < least:
        parts = cut(joined, least)
    if len(parts) < least or not len(questioned):
        return [], []
    size = sum(len(part) for part in parts) / len(parts)
    return parts, cut(questioned, max(1, round(len(questioned) / size)))
