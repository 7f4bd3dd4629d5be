"""The distance of byte trigram profiles from its definition: what the search keeps up to date must equal it."""

from __future__ import annotations

import math
from collections import Counter


def reference_distance(known: bytes, questioned: bytes) -> float:
    """√(2·JSD) in bits from the definition, between 0 and √2."""
    p, q = (Counter(text[i : i + 3] for i in range(len(text) - 2)) for text in (known, questioned))
    n, m = sum(p.values()), sum(q.values())
    total = 0.0
    for gram in p.keys() | q.keys():
        a, b = p[gram] / n, q[gram] / m
        middle = (a + b) / 2
        total += sum(x * math.log2(x / middle) for x in (a, b) if x) / 2
    return math.sqrt(2 * max(0.0, total))
