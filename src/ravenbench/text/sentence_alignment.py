"""Aligning the sentences of a text with those of its rewriting: 1-1, 1-2, 2-1, 1-0 and 0-1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ravenbench.types import Floats

_SHAPES = ((1, 1), (1, 0), (0, 1), (1, 2), (2, 1))
SKIP = 0.05
"""What leaving a sentence alone is worth, so that unlike sentences are not forced together."""
MOVED = 0.6
"""Similarity from which two sentences left alone are one that moved."""


@dataclass(frozen=True)
class Bead:
    """Sentences ``a[a_start:a_stop]`` and ``b[b_start:b_stop]`` that render each other; one side may be empty.

    ``moved`` marks a sentence left alone here whose like was left alone elsewhere.
    """

    a_start: int
    a_stop: int
    b_start: int
    b_stop: int
    moved: bool = False


def align_sentences(a: Sequence[str], b: Sequence[str]) -> list[Bead]:
    """Beads in order that tile both lists, of the largest summed similarity.

    Similarity is the F1 of shared distinct character trigrams: chrF of one order that favours neither side. The
    search keeps near the diagonal.
    """
    n, m = len(a), len(b)
    if not n or not m:
        return [Bead(i, i + 1, 0, 0) for i in range(n)] + [Bead(0, 0, j, j + 1) for j in range(m)]
    worth = _Worth(a, b)
    band = max(12, abs(n - m) + 6, n // 12)
    best: dict[tuple[int, int], tuple[float, int, int]] = {(0, 0): (0.0, 0, 0)}
    for i in range(n + 1):
        middle = i * m // n
        for j in range(max(0, middle - band), min(m, middle + band) + 1):
            found = best.get((i, j))
            for di, dj in _SHAPES:
                before = best.get((i - di, j - dj))
                if before is not None:
                    total = before[0] + worth(i, j, di, dj)
                    if found is None or total > found[0]:
                        found = (total, di, dj)
            if found is not None:
                best[i, j] = found
    beads: list[Bead] = []
    i, j = n, m
    while (i, j) != (0, 0):
        _, di, dj = best[i, j]
        beads.append(Bead(i - di, i, j - dj, j))
        i, j = i - di, j - dj
    return _mark_moved(beads[::-1], worth)


class _Worth:
    """Similarity of neighbouring sentences, from counts of shared trigrams (n, m)."""

    def __init__(self, a: Sequence[str], b: Sequence[str]) -> None:
        from scipy.sparse import csr_array

        ids: dict[str, int] = {}
        sides = []
        for side in (a, b):
            grams = [sorted(_trigrams(s)) for s in side]
            columns = np.array([ids.setdefault(g, len(ids)) for one in grams for g in one], dtype=np.int64)
            sides.append((columns, np.concatenate([[0], np.cumsum([len(one) for one in grams])])))
        left, right = (
            csr_array((np.ones(len(columns)), columns, ptr), shape=(len(ptr) - 1, len(ids))) for columns, ptr in sides
        )
        shared: Floats = (left @ right.T).toarray()
        self.shared: list[list[float]] = shared.tolist()
        self.a, self.b = (np.diff(ptr).tolist() for _, ptr in sides)

    def __call__(self, i: int, j: int, di: int, dj: int) -> float:
        """The similarity of sentences i−di…i−1 with sentences j−dj…j−1."""
        if not di or not dj:
            return SKIP
        rows, columns = range(i - di, i), range(j - dj, j)
        size_a, size_b = sum(self.a[x] for x in rows), sum(self.b[y] for y in columns)
        shared = min(sum(self.shared[x][y] for x in rows for y in columns), size_a, size_b)
        return 2 * shared / (size_a + size_b) if size_a + size_b else 1.0


def _trigrams(sentence: str) -> set[str]:
    text = " ".join(sentence.casefold().split())
    return {text[k : k + 3] for k in range(max(1, len(text) - 2))} if text else set()


def _mark_moved(beads: list[Bead], worth: _Worth) -> list[Bead]:
    gone = [k for k, bead in enumerate(beads) if bead.b_start == bead.b_stop]
    come = [k for k, bead in enumerate(beads) if bead.a_start == bead.a_stop]
    for g in gone:
        for c in come:
            if not beads[c].moved and worth(beads[g].a_stop, beads[c].b_stop, 1, 1) >= MOVED:
                for k in (g, c):
                    bead = beads[k]
                    beads[k] = Bead(bead.a_start, bead.a_stop, bead.b_start, bead.b_stop, True)
                break
    return beads
