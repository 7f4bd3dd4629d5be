"""Defines raven-style, Raven's own attribution method: views of texts without content, calibrated on out-of-fold scores.

In: for ``RavenStyle.fit`` texts, their authors' names (two authors or more), and optionally topics; for ``predict``,
``scores`` and ``probabilities`` n texts; for ``likeliest_weight`` scores (n, authors), author codes (n,) from 0, and
which authors count for each text, (n, authors) bool.
Out: ``probabilities`` (n, authors) from 0 to 1, columns as ``classes_``, whose rows sum to 1; ``scores`` their natural
log up to a constant for each text, higher = more likely; ``predict`` names (n,); ``likeliest_weight`` a factor of scores,
0 or more. InputError if numbers of texts, authors and topics differ, or for fewer than two authors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Self

import numpy as np

from ravenbench.attribution.base import Attributor
from ravenbench.attribution.counts import Counts
from ravenbench.errors import InputError
from ravenbench.ext.shelf.raven.mask import ContentMask
from ravenbench.text.ngrams import CharNgrams
from ravenbench.text.tfidf import unit
from ravenbench.text.views import View, Views, chunks
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Floats, Ints

Scale = Literal["root", "z"]
Families = dict[str, tuple[tuple[View | Literal["raw", "letters"], int, Scale, int], ...]]
FAMILIES: Families = {
    "characters": tuple(("raw", n, "root", 8000) for n in (2, 3, 4, 5)),
    "words": tuple(("token", n, "root", 8000) for n in (1, 2, 3)),
    "syntax": (
        *(("mask", n, "root", 8000) for n in (2, 3)),
        *(("shape", n, "z", 8000) for n in (1, 2, 3)),
        *(("marks", n, "root", 8000) for n in (1, 2, 3)),
    ),
    "letters": tuple(("letters", n, "z", 3000) for n in (2, 3, 4)),
}
"""View, length of n-grams, scale and number of n-grams of each family."""
_KEPT = 300
_LAMBDA = 0.5
_PIECE = 6000
"""Characters of a piece where texts are long, and least of a piece where an author's only text is cut."""
_SHORTEST = 600
_ROWS = 3000
"""Rows above which texts of authors who have many are joined."""
_FOLDS = 3
_TOPIC_FOLDS = 5
_PSEUDO = 10.0
_START = 1.0
_PENALTY = 5.0
_ENOUGH = 20
"""Texts of authors who have several, from which on pieces of an author's only text calibrate nothing."""
_CELLS = 4_000_000


@dataclass(eq=False, repr=False)
class RavenStyle(Attributor):
    """Names authors by a sum of four families of views of texts without their content words, with probabilities.

    Texts are read through ``content-mask``; lengths of words stay. Each family (characters; words and marks; masked
    syntax, shapes and marks; characters with every letter hidden) is a kernel ridge regression of all authors at once
    on the mean of its views' inner products; every author has the same weight, regardless of the amount of text. Its scores
    are standardised for each author by the out-of-fold scores of other authors' texts. A conditional logistic regression
    over candidates gives their sum one weight of at least 0, and so probabilities.

    Everything learned from scores is learned on out-of-fold scores. Folds are complete topics if ``topics`` are given to
    ``fit``. Otherwise an author's texts are divided by content, so that similar texts are held out together, because a new
    text is about something new. Long texts are cut, and so is the only text of an author.

    Attributes
    ----------
    mask_ : ContentMask
    share_ : float
        Weight of each family.
    """

    name = "raven-style"
    version = 2
    provenance = "ours"
    reads_topics = True

    def fit(
        self, texts: Sequence[str], authors: Sequence[str], topics: Sequence[str] | None = None
    ) -> Self:
        """Learn from texts with their authors and, if known, their topics.

        InputError if lengths differ or fewer than two authors are given.
        """
        if topics is not None and len(topics) != len(texts):
            raise InputError(
                "texts and topics differ in number", found=f"{len(texts)} and {len(topics)}"
            )
        self._topics = (
            None
            if topics is None
            else np.unique(np.asarray(topics, dtype=np.str_), return_inverse=True)[1]
        )
        return super().fit(texts, authors)

    def probabilities(self, texts: Sequence[str]) -> Floats:
        """Return the probability of each author, (texts, authors), columns as ``classes_``; rows sum to 1."""
        from scipy.special import softmax

        return np.asarray(softmax(self.scores(texts), axis=1))

    def _fit(self, texts: TextTable, rows: Ints, codes: Ints) -> None:
        authors = len(self.classes_)
        read = texts.rows(rows)
        self.mask_ = ContentMask(lengths=True).fit(read)
        pieces = _pieces(self.mask_.transform(read), codes, self._topics)
        self.views_ = Views(_KEPT).fit(pieces.texts)
        shown = self._shown(pieces.texts)
        self.spaces_ = {name: [_Space(*view) for view in views] for name, views in FAMILIES.items()}
        values = dict[str, list[Any]]()
        grams = list[Floats]()
        for name, spaces in self.spaces_.items():
            values[name] = [space.fit(shown[space.view]) for space in spaces]
            grams.append(np.mean([v @ v.T for v in values[name]], axis=0, dtype=np.float64))
        fold = _folds(pieces, grams[1])
        scores, there = _held_out(grams, pieces.codes, authors, fold)
        self.mean_, self.deviation_ = _standards(scores, there, pieces.codes)
        scores = (scores - self.mean_) / self.deviation_
        can = np.flatnonzero(there[np.arange(len(there)), pieces.codes] & pieces.single)
        several = can[~pieces.alone[can]]
        can = several if len(several) >= _ENOUGH else can
        can = can[:: max(1, len(can) * authors // _CELLS)]
        self.share_ = likeliest_weight(
            scores[can].mean(axis=2), pieces.codes[can], there[can]
        ) / len(FAMILIES)
        self.primal_ = {}
        for name, gram in zip(FAMILIES, grams, strict=True):
            dual = _solve(gram, pieces.codes, authors)
            parts = [
                np.asarray(v.T @ dual.astype(v.dtype)) / len(values[name]) for v in values[name]
            ]
            self.primal_[name] = parts, dual.sum(axis=0)

    def _scores(self, texts: TextTable, rows: Ints) -> Floats:
        """Return log odds up to a constant a text; their softmax is the probability."""
        shown = self._shown(self.mask_.transform(texts.rows(rows)))
        total = np.zeros((len(rows), len(self.classes_)))
        for i, (name, spaces) in enumerate(self.spaces_.items()):
            parts, bias = self.primal_[name]
            score = bias + sum(
                s.transform(shown[s.view]) @ part for s, part in zip(spaces, parts, strict=True)
            )
            total += self.share_ * (score - self.mean_[:, i]) / self.deviation_[:, i]
        return total

    def _shown(self, texts: list[str]) -> dict[str, list[str]]:
        """Texts as each view shows them."""
        views = {str(view): read for view, read in self.views_.read(texts).items()}
        return {"raw": texts, "letters": [_hidden(text) for text in texts]} | views


class _Pieces(NamedTuple):
    """Texts as they are learned from: ``codes``, ``source`` (which text) and ``topic`` (or −1) of each, (n,); whether
    it is one text or a piece of it, not several joined; and whether its author has no other text.
    """

    texts: list[str]
    codes: Ints
    source: Ints
    topic: Ints
    single: Bools
    alone: Bools


def _pieces(texts: Sequence[str], codes: Ints, topics: Ints | None) -> _Pieces:
    """Distinct texts of each author, in an order of their own, long ones cut, and the only text of an author too."""
    topic = np.full(len(texts), -1) if topics is None else topics
    place: dict[tuple[int, str], int] = {}
    for i, (code, text) in enumerate(zip(codes.tolist(), texts, strict=True)):
        place.setdefault((code, text), i)
    order = sorted(place.items())
    alone = np.bincount([c for (c, _), _ in order], minlength=int(codes.max()) + 1) == 1
    cut = list[tuple[str, int, int, int]]()
    for number, ((code, text), i) in enumerate(order):
        length = _PIECE
        if alone[code]:
            length = min(_PIECE, max(_SHORTEST, len(text) // 4), max(1, len(text) // 2))
        cut += [(part, code, number, int(topic[i])) for part in chunks(text, length)]
    parts, owner, source, about = (
        [row[0] for row in cut],
        *np.array([row[1:] for row in cut], dtype=np.int64).T,
    )
    limit = max(2 * _FOLDS, _ROWS // len(alone))
    if len(cut) <= _ROWS or np.bincount(owner).max() <= limit:
        return _Pieces(parts, owner, source, about, np.ones(len(cut), dtype=bool), alone[owner])
    rows = [
        group
        for a in range(len(alone))
        for group in _grouped(np.flatnonzero(owner == a), source, about, limit)
    ]
    first = np.array([group[0] for group in rows])
    single = np.array([len(group) == 1 for group in rows])
    texts = ["\n".join(parts[i] for i in group) for group in rows]
    return _Pieces(texts, owner[first], source[first], about[first], single, alone[owner[first]])


def _grouped(mine: Ints, source: Ints, topic: Ints, limit: int) -> list[list[int]]:
    """An author's pieces, some left single and the others in groups of one topic, where they are more than a limit."""
    if len(mine) <= limit:
        return [[i] for i in mine.tolist()]
    half = limit // 2
    sources = np.unique(source[mine]).tolist()
    chosen = set(sources[:: -(-len(sources) // half)])
    groups: dict[tuple[bool, int], list[int]] = {}
    single = list[list[int]]()
    for i in mine.tolist():
        number = int(source[i])
        if number in chosen:
            chosen.remove(number)
            single.append([i])
            sources[sources.index(number)] = -1
        elif number not in sources:
            groups.setdefault((True, number), []).append(i)
        else:
            groups.setdefault(
                (False, int(topic[i]) if topic[i] >= 0 else number % half), []
            ).append(i)
    return [*single, *groups.values()]


class _Space:
    """Rows of length 1 of the square roots of frequencies of a view's n-grams, centred, or standardised (``z``)."""

    def __init__(self, view: str, n: int, scale: Scale, size: int) -> None:
        self.view = view
        self.n = n
        self.scale = scale
        self.size = size

    def fit(self, texts: list[str]) -> Floats:
        """Learn vocabulary, centre and scale from texts; returns their rows."""
        table, rows = TextTable.collect(texts)
        self.counts = Counts(CharNgrams(self.n, lowercase=False)).fit(table, rows)
        counts = self.counts.transform(table, rows)
        total = np.asarray(counts.sum(axis=0)).ravel()
        first = np.argsort(-total, kind="stable")[: self.size]
        self.columns: Ints = np.sort(first[total[first] >= 2])
        frequencies = self._frequencies(counts)
        self.centre = frequencies.mean(axis=0)
        deviation = frequencies.std(axis=0)
        self.spread = np.where((deviation > 1e-9) & (self.scale == "z"), deviation, 1.0)
        return self._rows(frequencies)

    def transform(self, texts: list[str]) -> Floats:
        """Rows of further texts, (texts, columns) float32."""
        return self._rows(self._frequencies(self.counts.transform(*TextTable.collect(texts))))

    def _frequencies(self, counts: Any) -> Floats:
        size = np.maximum(np.asarray(counts.sum(axis=1)).ravel(), 1)
        shares = counts[:, self.columns].toarray().astype(np.float32) / size[:, None].astype(
            np.float32
        )
        return np.asarray(np.sqrt(shares))

    def _rows(self, frequencies: Floats) -> Floats:
        return unit((frequencies - self.centre) / self.spread).astype(np.float32)


def _folds(pieces: _Pieces, gram: Floats) -> Ints:
    """Fold of each piece, (n,): by topic, or author by author by what texts are about."""
    if (pieces.topic >= 0).all() and len(np.unique(pieces.topic)) > 1:
        sizes = np.bincount(pieces.topic)
        load = np.zeros(min(_TOPIC_FOLDS, int((sizes > 0).sum())))
        place = np.zeros(len(sizes), dtype=np.int64)
        for t in np.argsort(-sizes, kind="stable"):
            place[t] = load.argmin()
            load[place[t]] += sizes[t]
        return np.asarray(place[pieces.topic])
    fold = np.zeros(len(pieces.codes), dtype=np.int64)
    for a in np.unique(pieces.codes):
        mine = np.flatnonzero(pieces.codes == a)
        texts, of = np.unique(pieces.source[mine], return_inverse=True)
        if len(texts) == 1:
            fold[mine] = (np.arange(len(mine)) * min(_FOLDS, len(mine)) // len(mine) + a) % _FOLDS
            continue
        # Texts in the order of the first principal component of the words of this author's texts.
        means = np.zeros((len(texts), len(mine)))
        means[of, np.arange(len(mine))] = 1 / np.bincount(of)[of]
        own = means @ gram[np.ix_(mine, mine)] @ means.T
        own = own - own.mean(axis=0) - own.mean(axis=1)[:, None] + own.mean()
        first = np.linalg.eigh(own)[1][:, -1]
        first *= np.sign(first[np.abs(first).argmax()]) or 1.0
        rank = np.empty(len(texts), dtype=np.int64)
        rank[np.argsort(np.round(first, 9), kind="stable")] = np.arange(len(texts))
        fold[mine] = (rank[of] * min(_FOLDS, len(texts)) // len(texts) + a) % _FOLDS
    return fold


def _solve(gram: Floats, codes: Ints, authors: int) -> Floats:
    """Dual coefficients (n, authors) of ridge regressions on who wrote what, authors weighing alike."""
    from scipy.linalg import solve

    count = np.bincount(codes, minlength=authors)
    weight = count[codes] / (len(codes) / max(1, int((count > 0).sum())))
    wanted = np.full((len(codes), authors), -1 / authors)
    wanted[np.arange(len(codes)), codes] += 1
    matrix = gram + 1
    matrix[np.diag_indices_from(matrix)] += _LAMBDA * weight
    return np.asarray(solve(matrix, wanted, assume_a="pos"))


def _held_out(grams: list[Floats], codes: Ints, authors: int, fold: Ints) -> tuple[Floats, Bools]:
    """Scores (n, authors, families) of every piece by what learned from other folds, and which authors these knew."""
    scores = np.zeros((len(codes), authors, len(grams)))
    there = np.zeros((len(codes), authors), dtype=bool)
    for f in np.unique(fold):
        rest = np.flatnonzero(fold != f)
        out = np.flatnonzero(fold == f)
        if len(rest):
            there[out] = np.bincount(codes[rest], minlength=authors) > 0
            for i, gram in enumerate(grams):
                dual = _solve(gram[np.ix_(rest, rest)], codes[rest], authors)
                scores[out, :, i] = (gram[np.ix_(out, rest)] + 1) @ dual
    return scores, there


def _standards(scores: Floats, there: Bools, codes: Ints) -> tuple[Floats, Floats]:
    """Mean and deviation of what texts of others score under each author, (authors, families), drawn towards all's."""
    other = there.copy()
    other[np.arange(len(codes)), codes] = False
    n = other.sum(axis=0)[:, None]
    others = np.where(other[:, :, None], scores, 0.0)
    total = max(1, int(n.sum()))
    overall = others.sum(axis=(0, 1)) / total
    mean = (others.sum(axis=0) + _PSEUDO * overall) / (n + _PSEUDO)
    square = np.where(other[:, :, None], (scores - mean) ** 2, 0.0)
    spread = square.sum(axis=(0, 1)) / total
    deviation = np.sqrt((square.sum(axis=0) + _PSEUDO * spread) / (n + _PSEUDO))
    return mean, np.where(deviation > 1e-12, deviation, 1.0)


def likeliest_weight(scores: Floats, codes: Ints, there: Bools) -> float:
    """Return the weight of scores (n, authors) that makes true authors likeliest among present authors, by softmax."""
    from scipy.optimize import minimize
    from scipy.special import log_softmax

    hidden = np.where(there, 0.0, -np.inf)
    row = np.arange(len(scores))

    def loss(weight: Floats) -> tuple[float, Floats]:
        logs = log_softmax(scores * weight + hidden, axis=1)
        slope = np.einsum("na,na->", np.exp(logs), scores) - scores[row, codes].sum()
        away = weight - _START
        return float(_PENALTY * away @ away / 2 - logs[row, codes].sum()), slope + _PENALTY * away

    return float(
        minimize(loss, np.array([_START]), jac=True, method="L-BFGS-B", bounds=[(0, None)]).x[0]
    )


def _hidden(text: str) -> str:
    """A text with ``X`` for every capital and ``x`` for every other letter."""
    return text.translate({ord(c): "X" if c.isupper() else "x" for c in set(text) if c.isalpha()})
