"""The impostors' contest: whether a text is closer to another than to impostors, on random subsets of the features.

Every function takes similarities on ``T`` subsets: ``pair`` (T,) of the two texts in question, and of a text with
``c`` candidate impostors, (c, T). ``draws`` (T, n) are the candidates that take part on each subset.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from ravenbench.types import Floats, Ints

Contest = Literal["wins", "product", "graded", "rank"]


def draw_impostors(candidates: int, draw: int, subsets: int, rng: np.random.Generator) -> Ints:
    """``draw`` of the candidates (all, if there are fewer) for each subset, without replacement: (subsets, n)."""
    order = np.argsort(rng.random((subsets, candidates)), axis=1, kind="stable")
    return order[:, :draw].astype(np.int64)


def drawn(similarities: Floats, draws: Ints) -> Floats:
    """Similarities of the impostors that take part, (T, n)."""
    return np.asarray(similarities[draws, np.arange(len(draws))[:, None]])


def wins(pair: Floats, one: Floats, other: Floats, draws: Ints) -> float:
    """Koppel & Winter 2014: share of subsets on which the pair is more similar than every impostor, averaged over
    the two roles.

    ``one`` holds the similarities of the first text with impostors of the second, ``other`` those of the second
    text with impostors of the first. Ties count against.
    """
    return float(sum((pair > drawn(s, draws).max(axis=1)).mean() for s in (one, other)) / 2)


def product(pair: Floats, own: Floats, other_own: Floats, draws: Ints) -> float:
    """Seidman 2013: share of subsets with sim(X, Y)² > sim(X, I) · sim(Y, J), I and J the most similar impostors
    to either side (``own`` of X with its impostors, ``other_own`` of Y with its own)."""
    return float((pair**2 > drawn(own, draws).max(axis=1) * drawn(other_own, draws).max(axis=1)).mean())


def graded(pair: Floats, own: Floats, other_own: Floats, draws: Ints) -> float:
    """Khonji & Iraqi 2014: mean of sim(X, Y)² / (sim(X, I) · sim(Y, J)); subsets where that is 0/0 or undefined
    are left out, NaN if all are. Not bounded by 1."""
    below = drawn(own, draws).max(axis=1) * drawn(other_own, draws).max(axis=1)
    usable = below > 0
    return float((pair[usable] ** 2 / below[usable]).mean()) if usable.any() else float("nan")


def rank(pair: Floats, impostors: Floats, draws: Ints) -> float:
    """Potha & Stamatatos 2017: mean of 1 / rank of the known text among its impostors by similarity to the
    questioned text (``impostors``). Ties count against."""
    return float((1 / (1 + (drawn(impostors, draws) >= pair[:, None]).sum(axis=1))).mean())
