"""Modified Kneser–Ney from its definition, with dictionaries: what the array model is compared with."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from ravenbench.text.language_model import ORDER


def reference_log10(training: Sequence[Sequence[str]], tokens: Sequence[str]) -> list[float]:
    """log10 probability of each token of a sentence and of its end, under a model of ``training``."""
    raw: list[Counter[tuple[str, ...]]] = [Counter() for _ in range(ORDER + 1)]
    for sentence in training:
        marked = ["<s>", *sentence, "</s>"]
        for n in range(1, ORDER + 1):
            raw[n].update(tuple(marked[i : i + n]) for i in range(len(marked) - n + 1))
    counts = raw[:]
    for n in range(1, ORDER):
        counts[n] = Counter(gram[1:] for gram in raw[n + 1])
        counts[n].update({gram: c for gram, c in raw[n].items() if gram[0] == "<s>"})
    del counts[1][("<s>",)]
    types = len(raw[1]) - 1 + 1
    discount = [[0.0] * 4] + [_discounts(counts[n]) for n in range(1, ORDER + 1)]

    def probability(gram: tuple[str, ...]) -> float:
        if not gram:
            return 1 / types
        n = len(gram)
        followers = {g: c for g, c in counts[n].items() if g[:-1] == gram[:-1]}
        if not followers:
            return probability(gram[1:])
        total = sum(followers.values())
        freed = sum(discount[n][min(c, 3)] for c in followers.values())
        count = followers.get(gram, 0)
        return (count - discount[n][min(count, 3)]) / total + freed / total * probability(gram[1:])

    known = {gram[0] for gram in raw[1]}
    marked = ["<s>", *(t if t in known else "<unk>" for t in tokens), "</s>"]
    return [
        math.log10(probability(tuple(marked[max(0, i - ORDER + 1) : i + 1])))
        for i in range(1, len(marked))
    ]


def _discounts(counts: Counter[tuple[str, ...]]) -> list[float]:
    n1, n2, n3, n4 = (sum(c == k for c in counts.values()) for k in range(1, 5))
    plain = [0.0, 0.5, 1.0, 1.5]
    if 0 in (n1, n2, n3, n4):
        return plain
    y = n1 / (n1 + 2 * n2)
    found = [0.0, 1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3]
    return found if all(0 <= d <= k for k, d in enumerate(found)) else plain
