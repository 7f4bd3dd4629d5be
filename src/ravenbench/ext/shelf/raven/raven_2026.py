"""Defines raven-2026 (``Raven2026``), Raven's own verifier: one recipe for every language and genre.

In: ``Problems`` (n) and, for ``fit``, their truth (n,) bool, True = same author. For ``Ridge`` features (n, f) and
truth; for ``s_norms`` similarities of known and questioned documents (m,), and of each with impostors (m, impostors).
Out: ``verify`` gives answers (n,), probabilities of the same author from 0 to 1, 0.5 = unanswered; ``log_odds`` natural
log-odds (n,), unbounded, higher = same author, 0 for an empty text. ``Extractor.measure`` gives features (n, features),
mean z-scores against impostors (texts by others), higher = more alike (the last, ``length``, is |ln of the ratio of
lengths|), and which problems can be decided (n,) bool; ``s_norms`` such z-scores (m,). SpecError for C or impostors out
of range, CorpusError for one class or one author. ``families``, ``whitened`` and ``feature_names`` list the features.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, Self
from weakref import WeakKeyDictionary

import numpy as np

from ravenbench.errors import SpecError
from ravenbench.ext.shelf.published.impostors import Background
from ravenbench.ext.shelf.raven.families import Chunked, Delta, Family, MinMax
from ravenbench.ext.shelf.raven.whitened import (
    Cases,
    Layout,
    ScratchBuffer,
    Whitened,
    WhitenedBatch,
)
from ravenbench.metrics.calibration import newton
from ravenbench.randomness import stream
from ravenbench.text.ppm import cross_entropies
from ravenbench.text.tfidf import centre_of
from ravenbench.text.tokens import TOKEN, normalised
from ravenbench.text.views import View, Views, chunks
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Floats, Ints, Problems
from ravenbench.verifiers.calibrators import apply_band, best_radius
from ravenbench.verifiers.contract.base import Verifier
from ravenbench.verifiers.contract.folds import both_classes, calibration_folds, out_of_fold

_FURTHEST = 3.0
_FREER = 10.0


@dataclass(eq=False)
class Ridge:
    """Probabilities of "same author" from features.

    Features are standardised by training mean and deviation and clipped at ± 3, so that one odd text does not
    dominate all others.

    Parameters
    ----------
    C : float
        Inverse strength of the L2 penalty.
    common : float
        How much less regularised the weight shared by all features is than single weights; 0: no shared weight.
    free : int
        Number of the last features with ten times less regularised weights.

    Attributes
    ----------
    mean_, deviation_, coef_ : (features,) float64
    intercept_ : float
    """

    C: float
    common: float = 0.0
    free: int = 0

    def fit(self, features: Floats, same: Bools) -> Self:
        """Learn from features (n, f) of problems of both classes."""
        self.mean_, self.deviation_ = centre_of(features)
        rows = self._standard(features)
        count = features.shape[1]
        share = self.common / np.sqrt(count)
        if share:
            rows = np.concatenate([rows, share * rows.sum(axis=1, keepdims=True)], axis=1)
        solution = newton(rows, same, np.full(len(rows), self.C), 1.0, np.zeros(rows.shape[1]))
        self.coef_: Floats = solution[:count] + share * solution[count:-1].sum()
        self.intercept_ = float(solution[-1])
        return self

    def answers(self, features: Floats) -> Floats:
        """Return probabilities of the same author (n,), 0 to 1, from features (n, f)."""
        from scipy.special import expit

        return np.asarray(expit(self.log_odds(features)), dtype=np.float64)

    def log_odds(self, features: Floats) -> Floats:
        """Return natural log-odds of the same author (n,) from features (n, f)."""
        # Not a matrix product: its rounding may depend on how many rows there are.
        odds = (self._standard(features) * self.coef_).sum(axis=1) + self.intercept_
        return np.asarray(odds, dtype=np.float64)

    def _standard(self, features: Floats) -> Floats:
        rows = np.clip((features - self.mean_) / self.deviation_, -_FURTHEST, _FURTHEST)
        rows[:, features.shape[1] - self.free :] *= _FREER
        return np.asarray(rows)


_PART = 4
_LEAST = 10


def s_norms(linked: Floats, known: Floats, questioned: Floats, allowed: Bools) -> Floats:
    """Return the mean of two z-scores of a similarity, (m,), each against one side's nearest impostors.

    The nearest are the largest quarter, but at least ten; if these are all equal, the score is 0.

    Parameters
    ----------
    linked : (m,)
        Mean similarity of a problem's questioned to its known documents.
    known, questioned : (m, impostors)
        Similarities to impostors of its known documents, on average, and of its questioned document.
    allowed : (m, impostors)
        Impostors that count; at least one for each problem.
    """
    return (_z_scores(linked, known, allowed) + _z_scores(linked, questioned, allowed)) / 2


def _z_scores(values: Floats, impostors: Floats, allowed: Bools) -> Floats:
    left = allowed.sum(axis=1)
    count = np.minimum(left, np.maximum(_LEAST, left // _PART))
    first = allowed.shape[1] - count.max()
    ranked = np.where(allowed, impostors, -np.inf)
    ranked.partition(first, axis=1)
    ranked = np.sort(ranked[:, first:], axis=1)
    inside = np.arange(ranked.shape[1]) >= ranked.shape[1] - count[:, None]
    mean = np.where(inside, ranked, 0.0).sum(axis=1) / count
    away = np.where(inside, ranked - mean[:, None], 0.0)
    deviation = np.sqrt(np.einsum("ij,ij->i", away, away) / count)
    flat = deviation <= 1e-12
    return np.asarray(np.where(flat, 0.0, (values - mean) / np.where(flat, 1.0, deviation)))


_BLOCK = 2000
_PPM_IMPOSTORS = 20


_DELTAS: dict[str, tuple[View, int, int]] = {
    "token-100": ("token", 1, 100),
    "token-150": ("token", 1, 150),
    "token-300": ("token", 1, 300),
    "token-500": ("token", 1, 500),
    "token2-delta": ("token", 2, 300),
    "mask2-delta": ("mask", 2, 300),
    "mask3-delta": ("mask", 3, 500),
    "marks1-delta": ("marks", 1, 20),
    "marks2-delta": ("marks", 2, 60),
    "marks3-delta": ("marks", 3, 150),
    "shape1-delta": ("shape", 1, 40),
    "shape2-delta": ("shape", 2, 300),
    "shape3-delta": ("shape", 3, 500),
    "char2-delta": ("char", 2, 500),
    "char3-delta": ("char", 3, 1500),
}
_MINMAXES: dict[str, tuple[View, int, int]] = {
    "char2-minmax": ("char", 2, 5000),
    "char3-minmax": ("char", 3, 5000),
    "char4-minmax": ("char", 4, 5000),
    "char5-minmax": ("char", 5, 5000),
    "mask2-minmax": ("mask", 2, 3000),
    "mask3-minmax": ("mask", 3, 5000),
    "token-minmax": ("token", 1, 5000),
}
_WHITENED: dict[str, tuple[View, int, int]] = {
    "white-150": ("token", 1, 150),
    "white-250": ("token", 1, 250),
    "white-400": ("token", 1, 400),
    "white-token2": ("token", 2, 250),
    "white-mask2": ("mask", 2, 250),
    "white-mask3": ("mask", 3, 250),
    "white-shape2": ("shape", 2, 200),
    "white-char2": ("char", 2, 400),
    "white-char3": ("char", 3, 400),
}
"""View, length of n-grams, and how many are taken up, by the name of a feature."""


def families() -> dict[str, Family]:
    """Return every family by the name of its feature."""
    deltas: dict[str, Family] = {name: Delta(*settings) for name, settings in _DELTAS.items()}
    return deltas | {name: MinMax(*settings) for name, settings in _MINMAXES.items()}


def whitened() -> dict[str, Whitened]:
    """Return every whitened family by the name of its feature."""
    return {name: Whitened(*settings) for name, settings in _WHITENED.items()}


def feature_names() -> list[str]:
    """Return the names of the features, in order; the last is ``length``, |log ratio of the two sides' lengths|."""
    return [*families(), *whitened(), "ppm", "length"]


@dataclass(eq=False)
class Extractor:
    """Learns impostors, vocabularies and scales from training problems and measures problems.

    Parameters
    ----------
    impostors, seed : int
    names : sequence of str
        The features to measure, in the order of ``feature_names``.

    Attributes
    ----------
    background_ : Background
    views_ : Views
    length_ : int
        Median length of training documents in characters.
    families_, whitened_ : fitted
    order_ : (impostors,) int64
        The order in which PPM uses impostors, because it is too slow for all of them.
    """

    impostors: int = 400
    seed: int = 0
    names: Sequence[str] = tuple(feature_names())

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Learn from training problems. CorpusError if fewer than two authors can be distinguished."""
        self.background_ = Background(self.impostors, self.seed).fit(problems, same)
        texts = self.background_.texts_
        self.length_ = int(np.median([len(text) for text in texts]))
        pieces = [chunks(text, self.length_) for text in texts]
        self.views_ = Views().fit([part for piece in pieces for part in piece])
        impostors = self._impostors()
        author = np.repeat(self.background_.author_, np.diff(impostors.bounds))
        plain = {name: family for name, family in families().items() if name in self.names}
        white = {name: family for name, family in whitened().items() if name in self.names}
        self.families_ = {name: f.fit(impostors.counts(f.view, f.n)) for name, f in plain.items()}
        self.whitened_ = {
            name: f.fit(impostors.counts(f.view, f.n), author) for name, f in white.items()
        }
        self.order_ = stream(self.seed, "ppm-impostors").permutation(len(texts))
        return self

    def measure(self, problems: Problems) -> tuple[Floats, Bools]:
        """Return features (n, features), and which problems can be decided (n,); the others' features are 0.

        A problem cannot be decided if its questioned document, or every known document, has no word and no mark.
        """
        result = np.zeros((len(problems), len(self.names)))
        able = np.zeros(len(problems), dtype=bool)
        impostors = self._impostors()
        for first in range(0, len(problems), _BLOCK):
            block = np.arange(first, min(first + _BLOCK, len(problems)))
            able[block], result[block] = self._block(problems.select(block), impostors)
        return result, able

    def _block(self, problems: Problems, impostors: Chunked) -> tuple[Bools, Floats]:
        texts, known, questioned = _documents(problems)
        able = np.array([u >= 0 and len(k) > 0 for k, u in zip(known, questioned, strict=True)])
        mask = self._allowed(texts, known, questioned)
        able &= mask.any(axis=1)
        answerable = np.flatnonzero(able)
        out = np.zeros((len(problems), len(self.names)))
        if not len(answerable):
            return able, out
        documents = self._chunked(texts)
        place = {text: i for i, text in enumerate(self.background_.texts_)}
        twin = np.array([place.get(text, -1) for text in texts], dtype=np.int64)
        cases = Cases(
            [known[i] for i in answerable], questioned[answerable], mask[answerable], twin
        )
        links = cases.links
        column = 0
        for family in self.families_.values():
            each, linked = family.between(documents, impostors, links)
            out[answerable, column] = s_norms(
                cases.over_known(linked), *cases.sides(each), cases.allowed
            )
            column += 1
        without = np.flatnonzero(~cases.allowed.all(axis=1))
        # Those that leave out the same author stand together: what they read is near then.
        without = without[np.argsort(cases.allowed[without].argmin(axis=1), kind="stable")]
        batches = cases.batches(without, documents.bounds)
        layouts = [(some, Layout.of(cases.take(some), documents, impostors)) for some in batches]
        room = ScratchBuffer()
        for white in self.whitened_.values():
            batch = WhitenedBatch(white, documents, impostors, self.background_.author_, room)
            out[answerable, column] = s_norms(*batch.between(cases, layouts), cases.allowed)
            column += 1
        if "ppm" in self.names:
            out[answerable, column] = self._ppm(texts, cases)
            column += 1
        if "length" in self.names:
            size = np.array([len(text) for text in texts], dtype=np.float64)
            for i in answerable:
                out[i, column] = abs(np.log(size[questioned[i]] / size[known[i]].mean()))
        return able, out

    def _ppm(self, texts: list[str], cases: Cases) -> Floats:
        cut = [text[: self.length_] for text in [*texts, *self.background_.texts_]]
        table, row = TextTable.collect(cut)
        # The first so many allowed impostors in a fixed order; where there are fewer, others stand in and are ignored.
        ordered = cases.allowed[:, self.order_]
        first = np.argsort(~ordered, axis=1, kind="stable")[:, :_PPM_IMPOSTORS]
        pool = self.order_[first] + len(texts)
        links = cases.links
        owner = np.repeat(np.arange(len(cases)), cases.sizes)
        count = pool.shape[1]
        left = np.concatenate(
            [links[:, 0], np.repeat(links[:, 1], count), np.repeat(cases.questioned, count)]
        )
        right = np.concatenate([links[:, 1], pool[owner].ravel(), pool.ravel()])
        value = -cross_entropies(table, row[left], row[right]).mean(axis=1)
        linked, known, questioned = np.split(value, np.cumsum([len(links), len(links) * count]))
        counts = np.take_along_axis(ordered, first, axis=1)
        sides = cases.over_known(known.reshape(-1, count)), questioned.reshape(-1, count)
        return s_norms(cases.over_known(linked), *sides, counts)

    def _allowed(self, texts: list[str], known: list[Ints], questioned: Ints) -> Bools:
        """Impostors that are not by a problem's authors, as far as is known, (problems, impostors)."""
        cluster = self.background_.cluster_
        # The last row stands for a document that is left out (−1).
        whose = np.array([*(cluster.get(text, -1) for text in texts), -1], dtype=np.int64)
        same_author = self.background_.author_ == whose[:, None]
        ends = np.cumsum([len(rows) + 1 for rows in known])
        used = np.concatenate(
            [np.append(rows, row) for rows, row in zip(known, questioned, strict=True)]
        )
        return np.asarray(
            ~np.logical_or.reduceat(same_author[used], np.concatenate([[0], ends[:-1]]), axis=0)
        )

    def _impostors(self) -> Chunked:
        """The impostors' chunks; fit and every measurement share them while this object lives."""
        if self not in _read:
            _read[self] = self._chunked(self.background_.texts_)
        return _read[self]

    def _chunked(self, texts: Sequence[str]) -> Chunked:
        parts = [chunks(text, self.length_) for text in texts]
        bounds = np.concatenate([[0], np.cumsum([len(p) for p in parts])]).astype(np.int64)
        return Chunked(self.views_.read([part for p in parts for part in p]), bounds)


_read: WeakKeyDictionary[Extractor, Chunked] = WeakKeyDictionary()
"""Chunks that can be read again; they are not learned, so the object does not store them."""


def _documents(problems: Problems) -> tuple[list[str], list[Ints], Ints]:
    """Distinct normalised texts, and of each problem the rows of its known documents and its questioned one.

    Documents without a word or mark are left out (−1 for a questioned one), repeated known documents count once.
    """
    used = problems.documents
    row: dict[str, int] = {}
    place = np.full(len(problems.texts), -1, dtype=np.int64)
    for document, text in zip(used, map(normalised, problems.texts.rows(used)), strict=True):
        if TOKEN.search(text):
            place[document] = row.setdefault(text, len(row))
    known = [place[problems.known(i)] for i in range(len(problems))]
    return (
        list(row),
        [np.unique(rows[rows >= 0]) for rows in known],
        place[problems.questioned_index],
    )


_FOLDS = 10
_MOST_PROBLEMS = 2000


class Measurer(Protocol):
    """Learns features from training problems, and measures problems."""

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Learn from training problems. CorpusError if fewer than two authors can be distinguished."""
        ...

    def measure(self, problems: Problems) -> tuple[Floats, Bools]:
        """Return features (n, features), and which problems can be decided (n,); the others' features are 0."""
        ...


class Fused(Verifier):
    """A ridge logistic regression over measured similarities, with a small band of non-answers.

    Of more than 2,000 training problems, the regression learns from 2,000 drawn at random.
    """

    C: float
    impostors: int
    seed: int

    @abstractmethod
    def _measurer(self) -> Measurer:
        """What measures problems, not fitted yet."""

    @abstractmethod
    def _names(self) -> tuple[str, ...]:
        """Names of the features that are used, the first of those that are measured."""

    def _ridge(self) -> Ridge:
        return Ridge(self.C)

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Learn from training problems.

        SpecError if a parameter is out of range. CorpusError if one class is absent, or all documents have one
        author.
        """
        if not self.C > 0 or self.impostors < 2:
            raise SpecError(
                f"a parameter of {self.name} is out of range",
                found=str(self),
                expected="C > 0, impostors ≥ 2",
            )
        same = both_classes(same, self.name)
        self.extractor_ = self._measurer().fit(problems, same)
        if len(problems) > _MOST_PROBLEMS:
            rng = stream(self.seed, "raven-2026-problems", len(problems))
            sample = np.sort(rng.choice(len(problems), size=_MOST_PROBLEMS, replace=False))
            problems = problems.select(sample)
            same = same[sample]
        return self.learn(problems, same, *self.extractor_.measure(problems))

    def learn(self, problems: Problems, same: Bools, features: Floats, able: Bools) -> Self:
        """Learn regression and band from the result of ``Extractor.measure`` (variants may share it).

        CorpusError if one class is absent among the problems that can be decided.
        """
        problems = problems.select(able)
        same = both_classes(same[able], self.name)
        features = self._used(features[able])
        self.features_ = self._names()
        self.radius_ = self._band(problems, same, features)
        self.ridge_ = self._ridge().fit(features, same)
        return self

    def verify(self, problems: Problems) -> Floats:
        return self.answer(*self.extractor_.measure(problems))

    def log_odds(self, problems: Problems) -> Floats:
        """Return natural log-odds of the same author (n,), without the band of non-answers; 0 if a text is empty."""
        features, able = self.extractor_.measure(problems)
        return np.where(able, self.ridge_.log_odds(self._used(features)), 0.0)

    def answer(self, features: Floats, able: Bools) -> Floats:
        """Return answers (n,) from 0 to 1, from the result of ``Extractor.measure``."""
        answers = apply_band(self.ridge_.answers(self._used(features)), self.radius_)
        answers[~able] = 0.5
        return answers

    def _used(self, features: Floats) -> Floats:
        return features[:, : len(self._names())]

    def _band(self, problems: Problems, same: Bools, features: Floats) -> float:
        def answered(rest: Bools, out: Bools) -> Floats:
            return self._ridge().fit(features[rest], same[rest]).answers(features[out])

        folds = calibration_folds(problems, same, _FOLDS)
        answers = out_of_fold(answered, folds, same, otherwise=np.nan)
        finite = ~np.isnan(answers)
        return (
            best_radius(answers[finite], same[finite], folds.widest)
            if finite.sum() * 2 > len(finite)
            else 0.0
        )


@dataclass(eq=False, repr=False)
class Raven2026(Fused):
    """A ridge logistic regression over similarities normalised by impostors, with a small band of non-answers.

    Thirty-odd families of features (frequent tokens and marks, masked syntax, marks, shapes, character n-grams,
    compression; see ``families``, ``whitened`` and ``Extractor``) each give one similarity of questioned and known
    documents. It is used as its mean z-score against both sides' similarities to their nearest impostors (training
    documents by other authors than the problem's). Only two things are learned from the truth: the regression, and the
    half-width ≤ .1 of the band, chosen on out-of-fold answers (≤ .2 if problems share documents so widely that authors are
    separated instead of groups).

    Features of a training problem are computed without its authors among the impostors, as for a test problem.
    All training problems therefore serve both purposes, and ``Problems.calibrate`` is not needed.

    Problems with an empty text stay unanswered. Long documents are compared in chunks of the training median.

    Expensive: some thirteen CPU minutes for a default run on newsgroups (``docs/scale.md``), many of them for nine
    whitenings that are learned separately for every training problem, without its authors.

    Parameters
    ----------
    C : float
        Inverse strength of the ridge.
    impostors : int
        Maximum number of training documents used as impostors.
    length : bool
        Add |log ratio of lengths| as a feature. It says nothing of style; in some collections it gives authors away.
    seed : int
        Seed for drawing impostors if there are more.

    Attributes
    ----------
    extractor_ : Extractor
    ridge_ : Ridge
    features_ : tuple of str
        Names of the features, in the order of ``ridge_.coef_``.
    radius_ : float
        Half-width of the band.

    Notes
    -----
    ``docs/raven-2026.md`` has the protocol of its development, and its results.
    """

    name = "raven-2026"
    reads = "both"
    version = 2
    provenance = "ours"

    C: float = 0.05
    impostors: int = 400
    length: bool = False
    seed: int = 0

    def _measurer(self) -> Extractor:
        return Extractor(self.impostors, self.seed)

    def _names(self) -> tuple[str, ...]:
        names = feature_names()
        return tuple(names if self.length else names[:-1])
