"""What changed between a text and its rewriting: tokens aligned by longest common subsequence and read as runs, and
sentences aligned 1-1, 1-2, 2-1, 1-0 and 0-1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numba import njit

from ravenbench.text.tokens import HAN, HIRAGANA, MARKS, joined
from ravenbench.types import Floats, Ints

Kind = Literal["same", "light", "edit"]
_WORD = joined(rf"[^\W{HAN}{HIRAGANA}]+")
_PLAIN = rf"{_WORD}(?:['’]{_WORD})*|[{HAN}{HIRAGANA}][{MARKS}]*"
_PIECE = re.compile(rf"\s*(?:{_PLAIN}|[^\w\s])|\s+\Z")
_WORDS = re.compile(_PLAIN)
LARGEST = 40_000_000
"""Most cells of one table of the alignment (bytes); longer stretches are cut in halves first."""


@dataclass(frozen=True)
class EqualRun:
    """Tokens ``a[start:stop]`` of the original and ``b[start:stop]`` of the rewriting that belong together.

    ``same``: equal to the character; ``light``: equal but for case, white space or punctuation; ``edit``: the rest.
    """

    kind: Kind
    a_start: int
    a_stop: int
    b_start: int
    b_stop: int


def pieces(text: str) -> list[str]:
    """Cut a text into words and single marks, each with the white space before it; joined they are the text again."""
    return _PIECE.findall(text)


def plain_words(text: str) -> list[str]:
    """The words of a text with their inner apostrophes, case intact; a Chinese character or sign of hiragana is one."""
    return _WORDS.findall(text)


def runs(a: Sequence[str], b: Sequence[str], merge: int = 2) -> list[EqualRun]:
    """Runs that tile both sequences of pieces, in order; edits with at most ``merge`` equal words between them become
    one."""
    matched = match(a, b, lambda piece: piece.strip().casefold())
    tiles: list[EqualRun] = []
    i = j = 0
    for x, y in [*matched, (len(a), len(b))]:
        if i < x or j < y:
            spoken = any(c.isalnum() for piece in (*a[i:x], *b[j:y]) for c in piece)
            _add(tiles, EqualRun("edit" if spoken else "light", i, x, j, y))
        if x < len(a):
            _add(tiles, EqualRun("same" if a[x] == b[y] else "light", x, x + 1, y, y + 1))
        i, j = x + 1, y + 1
    return _merged(tiles, a, merge)


def changed(a: Sequence[str], b: Sequence[str]) -> tuple[int, int]:
    """Number of changes between two word sequences (maximal runs of inserted, deleted and substituted words), and of
    words of ``a`` and ``b`` they touch."""
    matched = match(a, b, lambda word: word)
    count = i = j = 0
    for x, y in [*matched, (len(a), len(b))]:
        count += i < x or j < y
        i, j = x + 1, y + 1
    return count, len(a) + len(b) - 2 * len(matched)


def match(a: Sequence[str], b: Sequence[str], key: Callable[[str], Hashable]) -> list[tuple[int, int]]:
    """Places of a longest common subsequence; equal ends are matched first, very long texts in halves."""
    left, right = _numbered(a, b, key)
    return [(int(i), int(j)) for i, j in _match(left, right, 0, 0)]


def edits(a: Sequence[str], b: Sequence[str]) -> int:
    """Least number of words inserted, deleted or replaced that makes ``b`` of ``a``."""
    return int(levenshtein(*_numbered(a, b, str)))


def _numbered(a: Sequence[str], b: Sequence[str], key: Callable[[str], Hashable]) -> tuple[Ints, Ints]:
    """Numbers for words, the same for those with equal keys."""
    ids: dict[Hashable, int] = {}
    left, right = (np.array([ids.setdefault(key(t), len(ids)) for t in side], dtype=np.int64) for side in (a, b))
    return left, right


def _match(a: Ints, b: Ints, a0: int, b0: int) -> list[tuple[int, int]]:
    size = min(len(a), len(b))
    differs = np.flatnonzero(a[:size] != b[:size])
    head = int(differs[0]) if len(differs) else size
    differs = np.flatnonzero(a[::-1][: size - head] != b[::-1][: size - head])
    tail = int(differs[0]) if len(differs) else size - head
    front = [(a0 + i, b0 + i) for i in range(head)]
    back = [(a0 + len(a) - i, b0 + len(b) - i) for i in range(tail, 0, -1)]
    inner_a, inner_b = a[head : len(a) - tail], b[head : len(b) - tail]
    if (len(inner_a) + 1) * (len(inner_b) + 1) > LARGEST:
        i, j = len(inner_a) // 2, len(inner_b) // 2
        middle = _match(inner_a[:i], inner_b[:j], a0 + head, b0 + head)
        middle += _match(inner_a[i:], inner_b[j:], a0 + head + i, b0 + head + j)
    elif len(inner_a) and len(inner_b):
        middle = [(a0 + head + i, b0 + head + j) for i, j in common(inner_a, inner_b).tolist()]
    else:
        middle = []
    return front + middle + back


@njit(cache=True)
def common(a: Ints, b: Ints) -> Ints:
    """Index pairs (k, 2) of a longest common subsequence; ties keep matches together and early in ``a``."""
    n, m = len(a), len(b)
    length = np.zeros((2, m + 1), dtype=np.int32)
    step = np.zeros((n + 1, m + 1), dtype=np.uint8)
    for i in range(n - 1, -1, -1):
        now, below = i % 2, (i + 1) % 2
        length[now, m] = 0
        for j in range(m - 1, -1, -1):
            if a[i] == b[j]:
                length[now, j] = length[below, j + 1] + 1
                step[i, j] = 1
            elif length[below, j] >= length[now, j + 1]:
                length[now, j] = length[below, j]
                step[i, j] = 2
            else:
                length[now, j] = length[now, j + 1]
                step[i, j] = 3
    pairs = np.empty((min(n, m), 2), dtype=np.int64)
    i = j = k = 0
    while i < n and j < m:
        if step[i, j] == 1:
            pairs[k, 0], pairs[k, 1] = i, j
            i, j, k = i + 1, j + 1, k + 1
        elif step[i, j] == 2:
            i += 1
        else:
            j += 1
    return pairs[:k]


@njit(cache=True)
def levenshtein(a: Ints, b: Ints) -> Any:
    """Least number of insertions, deletions and substitutions between two sequences."""
    row = np.arange(len(b) + 1)
    for i in range(len(a)):
        diagonal = row[0]
        row[0] = i + 1
        for j in range(len(b)):
            cost = diagonal + (a[i] != b[j])
            diagonal = row[j + 1]
            row[j + 1] = min(cost, row[j] + 1, diagonal + 1)
    return row[len(b)]


def _add(tiles: list[EqualRun], run: EqualRun) -> None:
    last = tiles[-1] if tiles else None
    if last is not None and last.kind == run.kind == "same":
        tiles[-1] = EqualRun("same", last.a_start, run.a_stop, last.b_start, run.b_stop)
    else:
        tiles.append(run)


def _merged(tiles: list[EqualRun], a: Sequence[str], merge: int) -> list[EqualRun]:
    """Edits with only few equal words between them as one run."""
    joined: list[EqualRun] = []
    for run in tiles:
        joined.append(run)
        if run.kind != "edit":
            continue
        place = len(joined) - 2
        while place >= 0 and joined[place].kind != "edit":
            place -= 1
        if place < 0:
            continue
        between = joined[place + 1 : -1]
        words = sum(any(c.isalnum() for c in a[i]) for r in between for i in range(r.a_start, r.a_stop))
        if words <= merge:
            first = joined[place]
            joined[place:] = [EqualRun("edit", first.a_start, run.a_stop, first.b_start, run.b_stop)]
    return joined


_SHAPES = ((1, 1), (1, 0), (0, 1), (1, 2), (2, 1))
SKIP = 0.05
"""What leaving a sentence unaligned is worth, so that unlike sentences are not forced together."""
MOVED = 0.6
"""Similarity from which two unaligned sentences are one that moved."""


@dataclass(frozen=True)
class Bead:
    """Sentences ``a[a_start:a_stop]`` and ``b[b_start:b_stop]`` that render each other; one side may be empty.
    ``moved`` marks an unaligned sentence whose like is unaligned elsewhere."""

    a_start: int
    a_stop: int
    b_start: int
    b_stop: int
    moved: bool = False


def align_sentences(a: Sequence[str], b: Sequence[str]) -> list[Bead]:
    """Beads in order that tile both lists, of the largest summed similarity: the F1 of shared distinct character
    trigrams (chrF of one order that favours neither side). The search keeps near the diagonal."""
    n, m = len(a), len(b)
    if not n or not m:
        return [Bead(i, i + 1, 0, 0) for i in range(n)] + [Bead(0, 0, j, j + 1) for j in range(m)]
    worth = _Worth(a, b)
    band = max(12, abs(n - m) + 6, n // 12)
    best: dict[tuple[int, int], tuple[float, int, int]] = {(0, 0): (0.0, 0, 0)}
    for i in range(n + 1):
        middle = i * m // n
        for j in range(max(0, middle - band), min(m, middle + band) + 1):
            reached = best.get((i, j))
            for di, dj in _SHAPES:
                before = best.get((i - di, j - dj))
                if before is not None:
                    total = before[0] + worth(i, j, di, dj)
                    if reached is None or total > reached[0]:
                        reached = (total, di, dj)
            if reached is not None:
                best[i, j] = reached
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
