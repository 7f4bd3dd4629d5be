"""Measures how near a text is to its author's other texts, by four fast views, for the search of ``raven-hide``.

In: ``HidingPanel`` takes the known texts, a ``Crowd`` (pieces of other authors' texts) and the words of a piece;
``near`` a text; ``search`` a text and ``SafeEdit``s of it; ``Crowd.of`` texts and the words of a piece.
Out: ``HidingPanel.near`` returns nearness, a number, unbounded: 0 = as texts of the crowd on average, 1 = as the known
texts are to each other; ``search`` an ``EditSearch``, whose ``near`` returns nearness (edits,) after each edit and whose
``make`` applies one; ``telling`` words. Single views (``Ratios``, in natural log, ``Deviations``, cosines) are
put on that scale. ``grams`` returns n-grams as integers, ``GramChanges`` changes of their counts, ``pieces`` texts. No
error of its own.

Two views measure how much likelier n-grams are in the known texts than in a crowd's (of characters; of common words
with all others masked), two compare deviations from the crowd's means (Burrows's Delta with the cosine; of characters
and common words). Each is put on one scale: 0 is the mean of the crowd's texts, 1 the mean of the author's known texts
among themselves. All are sums over n-grams, so the effects of hundreds of edits are known at once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ravenbench.ext.shelf.obfuscation.raven_hide_edits import SafeEdit
from ravenbench.types import Floats

Codes = NDArray[np.uint64]
_TOKEN = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")
COMMON = 200
"""Number of the crowd's most frequent words and marks that are distinguished; all others count as one."""
TYPES = 1500
"""Maximum n-grams of the views that compare deviations."""
UNSEEN = 1e5
"""Number of n-grams that a crowd may still have, each counted as a half."""
PRIOR = 2000.0
"""Number of the author's n-grams that have the same weight as a crowd's share."""
CONTEXT = 3
"""Number of words on either side of an edit whose n-grams it may change."""


def grams(symbols: NDArray[np.uint64], n: int) -> Codes:
    """Return the n-grams of a sequence of symbols below 2¹⁶, n ≤ 4, one integer each."""
    codes = symbols[: max(0, len(symbols) - n + 1)].copy()
    for k in range(1, n):
        codes = (codes << np.uint64(16)) | symbols[k : len(symbols) - n + 1 + k]
    return codes


@dataclass(frozen=True, eq=False)
class Crowd:
    """Texts by other authors, cut into pieces as long as the text, and their common words."""

    pieces: tuple[str, ...]
    common: dict[str, int]

    @classmethod
    def of(cls, texts: Sequence[str], words: int, most: int = 120) -> Crowd:
        """Return evenly chosen pieces of this many words of each text; a shorter text is one piece."""
        cut = [piece for text in texts for piece in pieces(text, words)]
        chosen = [
            cut[i]
            for i in np.unique(
                np.linspace(0, len(cut) - 1, min(most, len(cut))).round().astype(int)
            )
        ]
        counts = Counter(
            token.lower().replace("’", "'") for text in chosen for token in _TOKEN.findall(text)
        )
        frequent = sorted(counts, key=lambda word: (-counts[word], word))[:COMMON]
        return cls(tuple(chosen), {word: i for i, word in enumerate(frequent, start=1)})

    def characters(self, text: str) -> NDArray[np.uint64]:
        """Return characters; white space is a space, two spaces, or the end of a line."""
        plain = re.sub(r"[^\S\n]*\n\s*", "\n", re.sub(r"\t|[^\S\n]{2,}", "  ", text))
        return (np.frombuffer(plain.encode("utf-32-le"), dtype=np.uint32) & 0xFFFF).astype(
            np.uint64
        )

    def words(self, text: str) -> NDArray[np.uint64]:
        """Return common words and marks by number, other words as 0."""
        numbers = [
            self.common.get(token.lower().replace("’", "'"), 0) for token in _TOKEN.findall(text)
        ]
        return np.array(numbers, dtype=np.uint64)


def pieces(text: str, words: int) -> list[str]:
    """Return the text cut into pieces of at least this many words; a shorter text is one piece."""
    starts = [match.start() for match in re.finditer(r"\S+", text)]
    if not starts:
        return []
    many = max(1, len(starts) // max(1, words))
    cuts = [starts[i * len(starts) // many] for i in range(many)]
    return [text[a:b] for a, b in zip(cuts, [*cuts[1:], len(text)], strict=True)]


def _look(keys: Codes, counts: Floats, codes: Codes) -> Floats:
    """The counts of codes, 0 where a code is not among the sorted keys."""
    if not len(keys):
        return np.zeros(len(codes))
    place = np.minimum(np.searchsorted(keys, codes), len(keys) - 1)
    values: Floats = np.where(keys[place] == codes, counts[place], 0.0)
    return values


@dataclass(frozen=True, eq=False)
class GramChanges:
    """The changes that edits would make in the n-grams of one view.

    ``rows`` (edits, columns) are changes of counts, ``total`` (edits,) of the number of n-grams, ``codes`` (columns,)
    ascending, ``counts`` (columns,) the text's, ``size`` its number of n-grams.
    """

    codes: Codes
    rows: csr_array
    total: Floats
    counts: Floats
    size: float

    @classmethod
    def of(
        cls, text: Codes, windows: Sequence[tuple[Codes, Codes]], columns: Codes | None
    ) -> GramChanges:
        """Return the changes of a text, given the n-grams around each edit before and after it, in ``columns``."""
        both = [codes for pair in windows for codes in pair]
        every = np.concatenate([text, *both])
        codes = np.unique(every) if columns is None else columns
        sizes = np.array([len(one) for one in both], dtype=np.int64)
        owner = np.repeat(np.repeat(np.arange(len(windows)), 2), sizes)
        sign = np.repeat(np.tile([-1.0, 1.0], len(windows)), sizes)
        changed = every[len(text) :]
        place = np.minimum(np.searchsorted(codes, changed), len(codes) - 1)
        here = codes[place] == changed
        shape = (len(windows), len(codes))
        rows = csr_array((sign[here], (owner[here], place[here])), shape=shape)
        rows.sum_duplicates()
        present, counts = np.unique(text, return_counts=True)
        total = np.bincount(owner, weights=sign, minlength=len(windows)).astype(float)
        return cls(
            codes, rows, total, _look(present, counts.astype(float), codes), float(len(text))
        )


class Ratios:
    """Mean natural log ratio of the n-grams' shares in the known texts and in the crowd's."""

    columns = None
    _known: Codes
    _known_counts: Floats

    def __init__(self, crowd: Sequence[Codes]) -> None:
        self._crowd, crowd_counts = np.unique(np.concatenate(crowd), return_counts=True)
        self._crowd_counts = crowd_counts.astype(float)

    def taught(self, known: Codes) -> Self:
        """Return the same view of the crowd with these known texts."""
        view = copy(self)
        view._known, known_counts = np.unique(known, return_counts=True)
        view._known_counts = known_counts.astype(float)
        return view

    def of_text(self, codes: Codes) -> float:
        """Return the nearness of an unchanged text."""
        present, counts = np.unique(codes, return_counts=True)
        return float((counts.astype(float) @ self._weights(present)) / max(1, len(codes)))

    def _weights(self, codes: Codes) -> Floats:
        share = (_look(self._crowd, self._crowd_counts, codes) + 0.5) / (
            self._crowd_counts.sum() + UNSEEN
        )
        own = _look(self._known, self._known_counts, codes) + PRIOR * share
        weights: Floats = np.log(own / (self._known_counts.sum() + PRIOR) / share)
        return weights

    def near(self, changes: GramChanges, made: Floats) -> Floats:
        """Return the nearness (edits,) of the text with ``made`` (columns,) changed, after each edit."""
        weights = self._weights(changes.codes)
        near: Floats = (changes.rows @ weights + (changes.counts + made) @ weights) / np.maximum(
            1, changes.size + changes.total
        )
        return near


class Deviations:
    """Cosine of the deviations of the n-grams' shares from the crowd's means, in the crowd's standard deviations."""

    _author: Floats

    def __init__(self, crowd: Sequence[Codes]) -> None:
        codes, counts = np.unique(np.concatenate(crowd), return_counts=True)
        self.columns = np.sort(codes[np.argsort(-counts, kind="stable")[:TYPES]])
        shares = np.stack([self._shares(one) for one in crowd])
        self._mean = shares.mean(axis=0)
        self._spread = shares.std(axis=0) + 0.2 / np.mean([len(one) for one in crowd])

    def taught(self, known: Codes) -> Self:
        """Return the same view of the crowd with these known texts."""
        view = copy(self)
        author = (self._shares(known) - self._mean) / self._spread
        view._author = author / max(1e-12, float(np.linalg.norm(author)))
        return view

    def _shares(self, codes: Codes) -> Floats:
        present, counts = np.unique(codes, return_counts=True)
        return _look(present, counts.astype(float), self.columns) / max(1, len(codes))

    def pull(self, codes: Codes) -> Floats:
        """Return what each column adds to the cosine, up to a factor."""
        deviations: Floats = (self._shares(codes) - self._mean) / self._spread * self._author
        return deviations

    def near(self, changes: GramChanges, made: Floats) -> Floats:
        """Return the nearness (edits,) of the text with ``made`` (columns,) changed, after each edit."""
        rows = changes.rows
        size = np.maximum(1, changes.size + changes.total)
        counts = (changes.counts + made) / self._spread
        mean = self._mean / self._spread
        dot = (
            counts @ self._author + rows @ (self._author / self._spread)
        ) / size - mean @ self._author
        squares = (
            counts @ counts
            + 2 * rows @ (counts / self._spread)
            + rows.power(2) @ self._spread**-2.0
        )
        crossed = counts @ mean + rows @ (mean / self._spread)
        norm = squares / size**2 - 2 * crossed / size + mean @ mean
        near: Floats = dot / np.sqrt(np.maximum(norm, 1e-12))
        return near


VIEWS = {"characters": ((Ratios, 4), (Deviations, 3)), "words": ((Ratios, 3), (Deviations, 1))}


class HidingPanel:
    """The views, fitted to the known texts and a crowd, on one scale."""

    def __init__(self, known: Sequence[str], crowd: Crowd, words: int) -> None:
        self.crowd = crowd
        own = [piece for text in known for piece in pieces(text, words)]
        if len(own) == 1:
            own = pieces(own[0], max(1, len(own[0].split()) // 2))
        own = own[:: max(1, len(own) // 6)]
        makers = [
            (kind, symbols, n)
            for symbols in (crowd.characters, crowd.words)
            for kind, n in VIEWS[symbols.__name__]
        ]
        self._views = []
        for kind, symbols, n in makers:
            crowd_grams = [grams(symbols(piece), n) for piece in crowd.pieces]
            known_grams = [grams(symbols(text), n) for text in known]
            untaught = kind(crowd_grams)
            view = untaught.taught(np.concatenate(known_grams))
            others = float(np.mean([self._one(view, one) for one in crowd_grams]))
            # The author's own scale: each piece against all others of his.
            parts = [grams(symbols(piece), n) for piece in own]
            among = [
                self._one(untaught.taught(np.concatenate([*parts[:i], *parts[i + 1 :]])), part)
                for i, part in enumerate(parts)
                if len(parts) > 1
            ]
            mine = float(np.mean(among)) if among else 1.0
            if mine > others:
                self._views.append((view, symbols, n, others, mine - others))

    @staticmethod
    def _one(view: Ratios | Deviations, codes: Codes) -> float:
        if isinstance(view, Ratios):
            return view.of_text(codes)
        return float(
            view.near(GramChanges.of(codes, [(codes[:0], codes[:0])], view.columns), np.zeros(1))[0]
        )

    def near(self, text: str) -> float:
        """Return how near a text is: 0 as texts of the crowd on average, 1 as the known texts are to each other."""
        scaled = [
            (self._one(view, grams(symbols(text), n)) - low) / width
            for view, symbols, n, low, width in self._views
        ]
        return float(np.mean(scaled)) if scaled else 0.0

    def telling(self, text: str, most: int = 3) -> list[str]:
        """Return common words whose rates are most like the known texts' and unlike the crowd's."""
        views = [
            view for view, symbols, n, *_ in self._views if n == 1 and isinstance(view, Deviations)
        ]
        names = {number: word for word, number in self.crowd.common.items()}
        if not views:
            return []
        pull = views[0].pull(grams(self.crowd.words(text), 1))
        order = [int(views[0].columns[i]) for i in np.argsort(-pull, kind="stable") if pull[i] > 0]
        return [names[number] for number in order if names.get(number, "")[:1].isalpha()][:most]

    def search(self, text: str, edits: Sequence[SafeEdit]) -> EditSearch:
        """Return a search among these edits of a text."""
        windows = [_window(text, edit) for edit in edits]
        prepared = []
        for view, symbols, n, low, width in self._views:
            around = [
                (
                    np.concatenate([grams(symbols(a), n) for a, _ in one]),
                    np.concatenate([grams(symbols(b), n) for _, b in one]),
                )
                for one in windows
            ]
            prepared.append(
                (view, GramChanges.of(grams(symbols(text), n), around, view.columns), low, width)
            )
        return EditSearch(prepared)


class EditSearch:
    """Nearness after each remaining edit, while edits are made one by one."""

    def __init__(
        self, views: Sequence[tuple[Ratios | Deviations, GramChanges, float, float]]
    ) -> None:
        self._views = [
            (view, changes, low, width, np.zeros(len(changes.codes)))
            for view, changes, low, width in views
        ]

    def near(self) -> Floats:
        """Return the mean nearness (edits,) after each edit."""
        scaled = [
            (view.near(changes, made) - low) / width
            for view, changes, low, width, made in self._views
        ]
        means: Floats = np.mean(scaled, axis=0)
        return means

    def make(self, edit: int) -> None:
        """Apply the edit of this number."""
        for _, changes, _, _, made in self._views:
            made += changes.rows[[edit]].toarray()[0]


def _window(text: str, edit: SafeEdit) -> list[tuple[str, str]]:
    """Text around each stretch of an edit, before and after."""
    around = []
    for one in edit.edits:
        low = _step(text, one.start, -1)
        high = _step(text, one.end, 1)
        around.append((text[low:high], text[low : one.start] + one.new + text[one.end : high]))
    return around


def _step(text: str, place: int, way: int) -> int:
    """The place ``CONTEXT`` words before or after."""
    at = place
    for _ in range(CONTEXT + 1):
        at = text.rfind(" ", 0, at) if way < 0 else text.find(" ", at + 1)
        if at < 0:
            return 0 if way < 0 else len(text)
    return at
