"""Training episodes: for each author two spans of consecutive pieces that share no token."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ravenbench.randomness import stream
from ravenbench.types import Ints
from ravenbench.verifiers.neural.training.authors import Written

Pieces = Sequence[Ints]


def tiles(tokens: Ints, width: int, before: Sequence[int], after: Sequence[int]) -> list[Ints]:
    """A text's tokens in pieces of ``width``, special tokens around each included; an empty text is one piece."""
    inner = width - len(before) - len(after)
    count = max(1, math.ceil(len(tokens) / inner))
    return [np.concatenate([before, tokens[i * inner : (i + 1) * inner], after]).astype(np.int64) for i in range(count)]


class Drawn:
    """Draws the batches of an epoch.

    An author can be drawn who has two texts, or one text of two pieces. An epoch draws each about once for every two
    texts they have; a batch holds an author once. Two episodes come from two texts where there are two, else from two
    disjoint spans of one. Lengths are 1 + ⌈(pieces − 1)·Beta(3, 1)⌉, one for a batch, as published; where a text is
    shorter its episode is, since the network has masks.
    """

    def __init__(self, texts: Sequence[Pieces], written: Written, *, authors: int, pieces: int, seed: int) -> None:
        self.texts, self.written, self.pieces, self.seed = texts, written, pieces, seed
        lengths = np.array([len(text) for text in texts])
        usable = [
            a for a in range(len(written.sizes)) if written.sizes[a] >= 2 or lengths[written.of(a)].max(initial=0) >= 2
        ]
        self.authors = np.array(usable, dtype=np.int64)
        self.size = min(authors, len(usable))

    def epoch(self, number: int) -> list[tuple[list[Pieces], Ints]]:
        """(episodes, author of each) of every batch; at least two authors in each."""
        if len(self.authors) < 2:
            return []
        rng = stream(self.seed, "luar-epoch", number)
        turns = np.maximum(1, self.written.sizes[self.authors] // 2)
        order = np.concatenate([rng.permutation(self.authors[turns > turn]) for turn in range(turns.max())])
        parts: list[list[int]] = [[]]
        waiting = order.tolist()
        while waiting:
            later: list[int] = []
            for author in waiting:
                if len(parts[-1]) == self.size:
                    parts.append([])
                (later if author in parts[-1] else parts[-1]).append(author)
            if len(later) == len(waiting):
                parts.append([])
            waiting = later
        return [self._batch(rng, np.array(part)) for part in parts if len(part) >= 2]

    def _batch(self, rng: np.random.Generator, authors: Ints) -> tuple[list[Pieces], Ints]:
        length = min(self.pieces, 1 + math.ceil((self.pieces - 1) * rng.beta(3, 1)))
        episodes: list[Pieces] = []
        for author in authors:
            mine = self.written.of(author)
            if len(mine) >= 2:
                episodes += [_span(rng, self.texts[d], length) for d in rng.permutation(mine)[:2]]
                continue
            text = self.texts[mine[0]]
            cut = int(rng.integers(1, len(text)))
            halves = [text[:cut], text[cut:]]
            episodes += [_span(rng, half, length) for half in halves]
        return episodes, np.repeat(authors, 2)


def _span(rng: np.random.Generator, text: Pieces, length: int) -> Pieces:
    start = int(rng.integers(0, max(1, len(text) - length + 1)))
    return text[start : start + length]
