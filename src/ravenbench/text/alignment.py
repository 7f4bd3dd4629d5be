"""Aligns a text and its rewriting: tokens by longest common subsequence, sentences 1-1, 1-2, 2-1, 1-0 and 0-1.

In: two sequences, the original and its rewriting: of ``pieces`` for ``runs`` (and how many equal words two edits may
join across), of words for ``changed``, of sentences for ``align_sentences``, of any tokens and a key function for
``match``; for ``pieces`` and ``plain_words`` a text.
Out: ``EqualRun``s (``runs``; kind "same", "light" or "edit") or ``Bead``s (``align_sentences``): half-open ranges of
indices from 0 that belong together, in order, and cover both sequences; one side may be empty; ``changed`` two counts
(changes, words inserted or deleted); ``match`` pairs of indices of equal tokens; ``pieces`` (joined they are the text)
and ``plain_words`` lists of text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from rapidfuzz.distance import LCSseq

from ravenbench.text.tokens import HAN, HIRAGANA, MARKS, joined
from ravenbench.types import Floats

Kind = Literal["same", "light", "edit"]
_WORD = joined(rf"[^\W{HAN}{HIRAGANA}]+")
_PLAIN = rf"{_WORD}(?:['’]{_WORD})*|[{HAN}{HIRAGANA}][{MARKS}]*"
_PIECE = re.compile(rf"\s*(?:{_PLAIN}|[^\w\s])|\s+\Z")
_WORDS = re.compile(_PLAIN)
LARGEST = 320_000_000
"""Most cells of one table of the alignment (bits); longer sequences are cut in halves first."""


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
    """Return the words and single marks of a text, each with the white space before it; joined, they are the text."""
    return _PIECE.findall(text)


def plain_words(text: str) -> list[str]:
    """Return the words of a text with inner apostrophes, case intact; a Chinese character or hiragana sign is one
    word."""
    return _WORDS.findall(text)


def runs(a: Sequence[str], b: Sequence[str], merge: int = 2) -> list[EqualRun]:
    """Return runs that cover both sequences of pieces, in order; edits with at most ``merge`` equal words between them
    are joined."""
    matched = match(a, b, lambda piece: piece.strip().casefold())
    tiles: list[EqualRun] = []
    i = j = 0
    for x, y in [*matched, (len(a), len(b))]:
        if i < x or j < y:
            spoken = any(character.isalnum() for piece in (*a[i:x], *b[j:y]) for character in piece)
            _add(tiles, EqualRun("edit" if spoken else "light", i, x, j, y))
        if x < len(a):
            _add(tiles, EqualRun("same" if a[x] == b[y] else "light", x, x + 1, y, y + 1))
        i = x + 1
        j = y + 1
    return _merged(tiles, a, merge)


def changed(a: Sequence[str], b: Sequence[str]) -> tuple[int, int]:
    """Return the number of changes between two word sequences (maximal runs of inserted, deleted and substituted
    words), and the number of changed words of ``a`` and ``b``."""
    matched = match(a, b, lambda word: word)
    count = i = j = 0
    for x, y in [*matched, (len(a), len(b))]:
        count += i < x or j < y
        i = x + 1
        j = y + 1
    return count, len(a) + len(b) - 2 * len(matched)


def match(
    a: Sequence[str], b: Sequence[str], key: Callable[[str], Hashable]
) -> list[tuple[int, int]]:
    """Return pairs (index in ``a``, index in ``b``) of a longest common subsequence; equal ends are matched first, very
    long texts in halves."""
    return _match([key(token) for token in a], [key(token) for token in b], 0, 0)


def _match(a: list[Hashable], b: list[Hashable], a0: int, b0: int) -> list[tuple[int, int]]:
    head = _equal(a, b)
    tail = _equal(a[head:][::-1], b[head:][::-1])
    front = [(a0 + i, b0 + i) for i in range(head)]
    back = [(a0 + len(a) - i, b0 + len(b) - i) for i in range(tail, 0, -1)]
    inner_a = a[head : len(a) - tail]
    inner_b = b[head : len(b) - tail]
    a0 = a0 + head
    b0 = b0 + head
    if len(inner_a) * len(inner_b) > LARGEST:
        i = len(inner_a) // 2
        j = len(inner_b) // 2
        middle = _match(inner_a[:i], inner_b[:j], a0, b0) + _match(
            inner_a[i:], inner_b[j:], a0 + i, b0 + j
        )
    else:
        steps = LCSseq.opcodes(inner_b, inner_a)
        equal = (
            (step.dest_start, step.src_start, step.dest_end - step.dest_start)
            for step in steps
            if step.tag == "equal"
        )
        middle = [(a0 + i + k, b0 + j + k) for i, j, size in equal for k in range(size)]
    return front + middle + back


def _equal(a: list[Hashable], b: list[Hashable]) -> int:
    """How many items both begin with."""
    return next(
        (i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
    )


def _add(tiles: list[EqualRun], run: EqualRun) -> None:
    last_run = tiles[-1] if tiles else None
    if last_run is not None and last_run.kind == run.kind == "same":
        tiles[-1] = EqualRun("same", last_run.a_start, run.a_stop, last_run.b_start, run.b_stop)
    else:
        tiles.append(run)


def _merged(tiles: list[EqualRun], a: Sequence[str], merge: int) -> list[EqualRun]:
    """Edits with only few equal words between them as one run."""
    joined: list[EqualRun] = []
    for run in tiles:
        joined.append(run)
        if run.kind != "edit":
            continue
        edit_index = len(joined) - 2
        while edit_index >= 0 and joined[edit_index].kind != "edit":
            edit_index -= 1
        if edit_index < 0:
            continue
        runs_between = joined[edit_index + 1 : -1]
        words = sum(
            any(character.isalnum() for character in a[i])
            for run_between in runs_between
            for i in range(run_between.a_start, run_between.a_stop)
        )
        if words <= merge:
            earlier_edit = joined[edit_index]
            joined[edit_index:] = [
                EqualRun("edit", earlier_edit.a_start, run.a_stop, earlier_edit.b_start, run.b_stop)
            ]
    return joined


_SHAPES = ((1, 1), (1, 0), (0, 1), (1, 2), (2, 1))
SKIP = 0.05
"""Value of an unaligned sentence, so that unlike sentences are not aligned."""
MOVED = 0.6
"""Smallest similarity of two unaligned sentences that count as one moved sentence."""


@dataclass(frozen=True)
class Bead:
    """Sentences ``a[a_start:a_stop]`` and ``b[b_start:b_stop]`` that correspond; one side may be empty. ``moved`` marks
    an unaligned sentence if a similar sentence is unaligned elsewhere."""

    a_start: int
    a_stop: int
    b_start: int
    b_stop: int
    moved: bool = False


def align_sentences(a: Sequence[str], b: Sequence[str]) -> list[Bead]:
    """Return beads in order that cover both lists, with the largest summed similarity: the F1 of shared distinct
    character trigrams (chrF of one order that favours neither side). The search keeps near the diagonal."""
    n = len(a)
    m = len(b)
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
                reached_before = best.get((i - di, j - dj))
                if reached_before is not None:
                    total = reached_before[0] + worth(i, j, di, dj)
                    if reached is None or total > reached[0]:
                        reached = (total, di, dj)
            if reached is not None:
                best[i, j] = reached
    beads: list[Bead] = []
    i = n
    j = m
    while (i, j) != (0, 0):
        _, di, dj = best[i, j]
        beads.append(Bead(i - di, i, j - dj, j))
        i = i - di
        j = j - dj
    return _mark_moved(beads[::-1], worth)


class _Worth:
    """Similarity of neighbouring sentences, from counts of shared trigrams (n, m)."""

    def __init__(self, a: Sequence[str], b: Sequence[str]) -> None:
        from scipy.sparse import csr_array

        ids: dict[str, int] = {}
        trigram_counts = []
        for text_sentences in (a, b):
            grams = [sorted(_trigrams(sentence)) for sentence in text_sentences]
            columns = np.array(
                [ids.setdefault(trigram, len(ids)) for trigrams in grams for trigram in trigrams],
                dtype=np.int64,
            )
            trigram_counts.append(
                (columns, np.concatenate([[0], np.cumsum([len(trigrams) for trigrams in grams])]))
            )
        rows_a, rows_b = (
            csr_array((np.ones(len(columns)), columns, ptr), shape=(len(ptr) - 1, len(ids)))
            for columns, ptr in trigram_counts
        )
        shared_counts: Floats = (rows_a @ rows_b.T).toarray()
        self.shared: list[list[float]] = shared_counts.tolist()
        self.a, self.b = (np.diff(ptr).tolist() for _, ptr in trigram_counts)

    def __call__(self, i: int, j: int, di: int, dj: int) -> float:
        """The similarity of sentences i−di…i−1 with sentences j−dj…j−1."""
        if not di or not dj:
            return SKIP
        rows = range(i - di, i)
        columns = range(j - dj, j)
        size_a = sum(self.a[x] for x in rows)
        size_b = sum(self.b[y] for y in columns)
        shared_trigrams = min(sum(self.shared[x][y] for x in rows for y in columns), size_a, size_b)
        return 2 * shared_trigrams / (size_a + size_b) if size_a + size_b else 1.0


def _trigrams(sentence: str) -> set[str]:
    text = " ".join(sentence.casefold().split())
    return {text[k : k + 3] for k in range(max(1, len(text) - 2))} if text else set()


def _mark_moved(beads: list[Bead], worth: _Worth) -> list[Bead]:
    only_in_a = [k for k, bead in enumerate(beads) if bead.b_start == bead.b_stop]
    only_in_b = [k for k, bead in enumerate(beads) if bead.a_start == bead.a_stop]
    for bead_a in only_in_a:
        for bead_b in only_in_b:
            if (
                not beads[bead_b].moved
                and worth(beads[bead_a].a_stop, beads[bead_b].b_stop, 1, 1) >= MOVED
            ):
                for k in (bead_a, bead_b):
                    bead = beads[k]
                    beads[k] = Bead(bead.a_start, bead.a_stop, bead.b_start, bead.b_stop, True)
                break
    return beads
