"""The dissimilarity of common n-grams by its definition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence


def reference(a: Sequence[Hashable], b: Sequence[Hashable], size: int) -> float:
    """D of two sequences of (sortable) n-grams by its definition."""

    def profile(grams: Sequence[Hashable]) -> dict[Hashable, float]:
        counts = Counter(grams)
        top = sorted(counts, key=lambda gram: (-counts[gram], gram))[:size]  # type: ignore[operator]
        return {gram: counts[gram] / len(grams) for gram in top}

    p, q = profile(a), profile(b)
    total = 0.0
    for gram in p.keys() | q.keys():
        x, y = p.get(gram, 0.0), q.get(gram, 0.0)
        total += ((x - y) / ((x + y) / 2)) ** 2
    return total
