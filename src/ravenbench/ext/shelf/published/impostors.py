"""Verifies by contests with impostors: are two texts more similar to each other than to texts by other authors?

In: ``Impostors`` and ``GeneralImpostors`` take ``Problems`` (n), and for ``fit`` training ``Problems`` and their truth,
whose texts by other authors are the impostors.
Out: raw scores (n,), higher = same author: the share of contests won, from 0 to 1, or a mean ratio ≥ 0, unbounded
(variant ``khonji-iraqi``); NaN if a side has no features or too few impostors are left (none; for
``GeneralImpostors`` fewer than two; for ``khonji-iraqi`` none that shares a feature with a side). SpecError for a
parameter, CorpusError for fewer than two authors. ``Background``, fitted likewise, stores impostors: ``texts_`` and
``author_`` by row from 0; ``allowed`` returns rows for a problem's texts.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Literal, Self

import numpy as np

from ravenbench.errors import CorpusError, SpecError, counted, did_you_mean
from ravenbench.ext.shelf.calibrators import Banded
from ravenbench.ext.shelf.published.impostor_spaces import ImpostorSpace, Readings, Weights
from ravenbench.randomness import stream
from ravenbench.text.minmax import (
    Masks,
    Measure,
    Vectors,
    draw_impostors,
    drawn,
    graded,
    norms,
    similarities,
    subset_masks,
    whole_similarities,
)
from ravenbench.text.segmenters import writing_of
from ravenbench.text.tokens import normalised
from ravenbench.types import Bools, Count, Floats, Ints, Problems
from ravenbench.verifiers.contract.base import Calibrator, Scorer


@dataclass(eq=False)
class Background:
    """Distinct training documents (except white space) and their known author clusters.

    Documents of one known set, and the sides of a same-author problem, have one author; so have copies.

    Parameters
    ----------
    most : int
        Maximum impostor documents; if there are more, a random choice.
    seed : int

    Attributes
    ----------
    texts_ : list of str
        Impostor documents, normalised.
    written_ : list of str
        The same documents unchanged, with line breaks.
    author_ : (len(texts_),) int64
        Their author clusters.
    cluster_ : dict of str to int
        Author cluster of every training document, by its normalised text.
    """

    most: int
    seed: int

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Collect the documents of training problems. CorpusError if fewer than two authors can be distinguished."""
        used = problems.documents
        row: dict[str, int] = {}
        originals: list[str] = []
        of = np.full(len(problems.texts), -1, dtype=np.int64)
        for document in used:
            text = problems.texts[document]
            of[document] = row.setdefault(normalised(text), len(row))
            if of[document] == len(originals):
                originals.append(text)
        cluster = problems.author_clusters(same, of, len(row))
        texts = list(row)
        nonempty = np.array([i for i, text in enumerate(texts) if text], dtype=np.int64)
        if len(np.unique(cluster[nonempty])) < 2:
            raise CorpusError(
                "the training problems contain no impostors",
                found=f"{counted(len(nonempty), 'document')}, all by one author",
                expected="documents by two authors or more",
            )
        if len(nonempty) > self.most:
            rng = stream(self.seed, "impostor-documents")
            nonempty = np.sort(rng.choice(nonempty, size=self.most, replace=False))
        self.texts_ = [texts[i] for i in nonempty]
        self.written_ = [originals[i] for i in nonempty]
        self.author_ = cluster[nonempty]
        self.cluster_ = {text: int(c) for text, c in zip(texts, cluster, strict=True)}
        return self

    def allowed(self, texts: list[str]) -> Ints:
        """Return impostors for a problem with these normalised texts: none by its authors, as far as known."""
        own = [self.cluster_[text] for text in texts if text in self.cluster_]
        return np.flatnonzero(~np.isin(self.author_, own)).astype(np.int64)


Contest = Literal["both", "graded", "questioned"]
Together = Literal["each", "centroid", "nearest"]
VariantName = Literal["koppel-winter", "khonji-iraqi"]


@dataclass(frozen=True)
class Settings:
    """The settings of a method's contests: the parameters, and what a publication fixes.

    ``known``: how several known documents enter a contest, one each or together. ``candidates`` are the
    nearest impostors of a text, None for all; ``others`` is the minimum number of impostors. ``features`` and
    ``impostors`` name the random streams that they are drawn from.
    """

    contest: Contest
    units: str
    size: int
    least: int
    candidates: int | None
    iterations: int
    draw: int | str
    known: Together = "each"
    cut: bool = False
    others: int = 1
    features: str = "impostor-features"
    impostors: str = "impostors"

    def drawn(self, impostors: int) -> int:
        """Return how many of these impostors are used in an iteration."""
        if isinstance(self.draw, str):
            return (
                math.ceil(math.sqrt(impostors)) if self.draw == "root" else max(1, impostors // 2)
            )
        return self.draw


# Reimplementations of Koppel & Winter take char 4-grams, 125 candidates and 25 of them, from thousands of web texts.
# A training split has hundreds of documents: ours are char 5-grams, 50 and 10, chosen on the training splits of three
# PAN-2014 corpora. The original vocabulary is, as we recall it, the 100,000 most frequent.
# Where a character is a word, as in Chinese, few texts of usual lengths share five in a row; pairs of characters were
# chosen on simulated texts (docs/languages.md).
VARIANTS: dict[str, Settings] = {
    "koppel-winter": Settings("both", "char5", 50_000, 1, candidates=50, iterations=100, draw=10),
    # Letters, words, function words and shapes, n = 1..10, seen ≥ 5 times in some document, by the abstract. Ours: no
    # POS tags and no type/token ratio, since no tagger covers every language; 125 candidates, 25 of them.
    "khonji-iraqi": Settings(
        "graded",
        "char1-10 word1-10 function1-10 shape1-10",
        5_000,
        5,
        candidates=125,
        iterations=100,
        draw=25,
    ),
}


class Contests(Scorer):
    """Base of the impostors methods: a subclass has the parameters and returns its settings.

    Attributes
    ----------
    background_ : Background
    space_ : ImpostorSpace
    subsets_ : (features, ⌈iterations / 8⌉) uint8
        Bit t of a row: whether the feature is used in iteration t.
    """

    reads = "units"

    measure: Measure
    units: str | None
    weights: Weights
    share: float
    background: int
    seed: int

    @abstractmethod
    def settings(self) -> Settings:
        """Return the settings of the contests. SpecError if a parameter is out of range."""

    def check(self, chosen: Settings, known: bool = True) -> Settings:
        """Return the settings if all are in range. SpecError if not."""
        counts = [chosen.size, chosen.iterations, self.background]
        counts += [count for count in (chosen.draw, chosen.candidates) if isinstance(count, int)]
        measured = self.measure in ("minmax", "cosine") and self.weights in ("tf", "tfidf")
        named = isinstance(chosen.draw, int) or chosen.draw in ("root", "half")
        if min(counts) < 1 or not 0 < self.share <= 1 or not measured or not named or not known:
            raise SpecError(
                f"a parameter of {self.name} is out of range",
                found=str(self),
                expected=(
                    "positive numbers, 0 < share ≤ 1, measure minmax or cosine, weights tfidf or tf"
                )
                + (
                    ", known centroid or nearest, draw root, half or a number"
                    if chosen.known != "each"
                    else ""
                ),
            )
        return chosen

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Collect impostors, features and their subsets.

        SpecError if a parameter is out of range. CorpusError if fewer than two authors can be distinguished.
        """
        chosen = self.settings()
        self.background_ = Background(self.background, self.seed).fit(problems, same)
        texts = self.background_.texts_
        units = chosen.units
        if self.units is None and writing_of(texts) == "characters":
            units = units.replace("char5", "char2")
        self.space_ = ImpostorSpace(units, chosen.size, self.weights, chosen.least).fit(texts)
        rng = stream(self.seed, chosen.features)
        masks = subset_masks(len(self.space_.weight_), chosen.iterations, self.share, rng)
        self.subsets_ = np.packbits(masks > 0, axis=1, bitorder="little")
        return self

    def score(self, problems: Problems) -> Floats:
        """Return the score of each problem, (n,): the mean over known documents if each has its own contests. NaN if a
        side of a problem has no features, or too few impostors are left."""
        chosen = self.settings()
        texts = [normalised(text) for text in problems.texts.rows(problems.documents)]
        places, queried = problems.places
        masks = np.unpackbits(
            self.subsets_, axis=1, count=chosen.iterations, bitorder="little"
        ).astype(np.float32)
        allowed = []
        sides = []
        owner = []
        for i in range(len(problems)):
            known = places[problems.known_ptr[i] : problems.known_ptr[i + 1]]
            documents = [*known, queried[i]]
            allowed.append(self.background_.allowed([texts[row] for row in documents]))
            parts = known[:, None] if chosen.known == "each" else [known]
            sides += [*parts]
            owner += [i] * len(parts)
        questioned = queried[owner]
        forest = self.space_.forest()
        level = self._levels(texts, sides, questioned, chosen.cut)
        own = self.space_.read(texts, forest)
        others = self.space_.read(self.background_.texts_, forest)
        each = np.full(len(sides), np.nan)
        for length in np.unique(level):
            contests = np.flatnonzero(level == length)
            there = np.unique(np.concatenate([*(sides[j] for j in contests), questioned[contests]]))
            arena = _Arena(self, chosen, masks, own, others, int(length), there)
            for j in contests:
                impostors = allowed[owner[j]]
                if len(impostors) >= chosen.others:
                    among = min(chosen.candidates or len(impostors), len(impostors))
                    rng = stream(self.seed, chosen.impostors, str(problems.ids[owner[j]]))
                    draws = draw_impostors(
                        among, chosen.drawn(len(impostors)), chosen.iterations, rng
                    )
                    each[j] = arena.contest(sides[j], questioned[j], impostors, draws)
        finite = np.flatnonzero(~np.isnan(each))
        owners = np.array(owner)[finite]
        count = np.bincount(owners, minlength=len(problems))
        total = np.bincount(owners, weights=each[finite], minlength=len(problems))
        return np.where(count > 0, total / np.maximum(count, 1), np.nan)

    def _levels(self, texts: list[str], sides: list[Ints], questioned: Ints, cut: bool) -> Ints:
        if not cut:
            return np.full(
                len(sides),
                max((len(text) for text in [*texts, *self.background_.texts_]), default=0),
            )
        length = np.array([len(text) for text in texts], dtype=np.float64)
        known = np.array([length[rows].min() for rows in sides])
        shorter = np.maximum(np.minimum(known, length[questioned]), _SHORTEST)
        grid: Floats = 2 ** (np.floor(4 * np.log2(shorter)) / 4)
        return grid.astype(np.int64)


@dataclass(eq=False, repr=False)
class Impostors(Contests):
    """Scores by contests with impostors: training documents by authors other than the problem's.

    Also called: impostor method, imposters, IM, Koppel and Winter.

    On each of many random halves of the features, the similarity of the questioned to a known document is compared
    with their similarities to impostors, drawn again each time (as in published code) from the candidates most
    similar to the side that they replace. Scores of several known documents are averaged (our choice).

    ``koppel-winter`` (default)
        Share of iterations in which the pair is more similar than either text to every impostor of the other.
        In [0, 1]; the best threshold is low (about .1 in PAN19).
    ``khonji-iraqi``
        Mean of sim(X, Y)² / (sim(X, I) · sim(Y, J)) on many features, as in the authors' code. Unbounded.

    Every pair is compared at equal length: both texts and the impostors are cut to the length of the shorter text. As we
    recall, Seidman cuts impostors; cutting all texts, on a grid of factor 2^(1/4) and not below 500 characters, is ours.

    Parameters
    ----------
    variant : str
        The contest, as above.
    measure : {"minmax", "cosine"}
        Similarity of two texts.
    units : str, optional
        Families of n-grams, e.g. ``'char4'`` or ``'char2-5 word1'``; by default ``'char5'``, in Chinese and Japanese
        ``'char2'``.
    size : int, optional
        Number of features of each family and length.
    weights : {"tfidf", "tf"}
        Weights of features.
    iterations, candidates, draw : int, optional
        Iterations, candidate impostors of a text, and how many of them are used in an iteration.
    share : float
        Share of features in an iteration.
    background : int
        Maximum impostor documents at fit.
    cut : bool
        Cut texts to equal length.
    seed : int
        Decides features and impostors; impostors are drawn by problem id, so that rewritten twins share them.

    References
    ----------
    Koppel & Winter 2014 (JASIST 65); Seidman 2013 and Khonji & Iraqi 2014 (PAN at CLEF).
    """

    name = "impostors"
    version = 3
    provenance = "reconstructed"
    symmetric = True

    variant: VariantName = "koppel-winter"
    measure: Measure = "minmax"
    units: str | None = None
    size: int | None = None
    weights: Weights = "tfidf"
    iterations: Count | None = None
    candidates: int | None = None
    draw: int | None = None
    share: float = 0.5
    background: int = 1000
    cut: bool = True
    seed: int = 0

    def settings(self) -> Settings:
        if self.variant not in VARIANTS:
            raise SpecError(
                f"impostors has no variant {self.variant!r}",
                expected=", ".join(VARIANTS),
                fix=did_you_mean(str(self.variant), VARIANTS),
            )
        names = ("units", "size", "iterations", "candidates", "draw")
        given = {name: value for name in names if (value := getattr(self, name)) is not None}
        return self.check(replace(VARIANTS[self.variant], cut=self.cut, **given))

    def default_calibrator(self) -> Calibrator:
        """Return logistic regression with a band of non-answers chosen on out-of-fold answers (our choice).

        The published thresholds were tuned, and scores are not probabilities. In cross-validation inside the training
        splits of three PAN-2014 corpora, it had the best mean final score (koppel-winter) of seven calibrators.
        """
        return Banded()


@dataclass(eq=False, repr=False)
class GeneralImpostors(Contests):
    """Share of random subsets of features and impostors on which the known author is nearer to the questioned text
    than every impostor.

    This is the plain form in common packages: impostors are drawn again each time from all other authors' training
    texts, and nothing is cut or chosen by similarity. ``impostors`` has the published variants.

    Defaults are those of ``bitig`` on the n-grams of ``idiolect``. ``general-impostors(known='nearest', draw='half')``
    is the form of Kestemont et al. 2016 as in ``idiolect`` (KGI). With the same features and draws, scores equal
    those of ``bitig``.

    Parameters
    ----------
    known : {"centroid", "nearest"}
        Whether several known documents are averaged, or only the nearest counts.
    draw : {"root", "half"} or int
        Impostors in an iteration: the square root of their number (rounded up), half of them, or a number.
    iterations : int
    share : float
        Share of features in an iteration.
    measure : {"minmax", "cosine"}
    units : str
        Families of n-grams, as in ``impostors``.
    size : int
        Number of features of each family and length.
    weights : {"tfidf", "tf"}
    background : int
        Maximum impostor documents at fit.
    seed : int
        Features are drawn once, impostors by problem id.

    Notes
    -----
    A problem has no score (NaN, so it stays unanswered) if a text has no feature, or training contains fewer
    than two documents by other authors.

    References
    ----------
    Koppel and Winter 2014; Seidman 2013; Kestemont et al. 2016, Authenticating the writings of Julius Caesar.
    """

    name = "general-impostors"
    symmetric = False

    known: Together = "centroid"
    draw: int | str = "root"
    iterations: Count = 100
    share: float = 0.5
    measure: Measure = "minmax"
    units: str = "char4"
    size: int = 20_000
    weights: Weights = "tfidf"
    background: int = 500
    seed: int = 0

    def settings(self) -> Settings:
        chosen = Settings(
            "questioned",
            self.units,
            self.size,
            1,
            None,
            self.iterations,
            self.draw,
            self.known,
            others=2,
            features="general-impostors-features",
            impostors="general-impostors",
        )
        return self.check(chosen, self.known in ("centroid", "nearest"))


_SHORTEST = 500


class _Arena:
    """Problem documents and impostors at one length, with what all contests at this length share."""

    def __init__(
        self,
        method: Contests,
        chosen: Settings,
        masks: Masks,
        own: Readings,
        others: Readings,
        length: int,
        documents: Ints,
    ) -> None:
        self.measure = method.measure
        self.chosen = chosen
        self.masks = masks
        self.row = {int(document): i for i, document in enumerate(documents)}
        self.own = method.space_.vectors(own, documents, length)
        self.others = method.space_.vectors(
            others, np.arange(len(method.background_.texts_)), length
        )
        self.own_norms, self.others_norms = (
            norms(v, masks, self.measure) for v in (self.own, self.others)
        )
        if chosen.candidates is not None:
            self.closeness = whole_similarities(self.own, self.others, self.measure)

    def contest(self, known: Ints, questioned: int, allowed: Ints, draws: Ints) -> float:
        """Score of known documents, NaN if they or the questioned text have no feature."""
        rows = np.array([self.row[int(document)] for document in known])
        u = self.row[int(questioned)]
        filled = np.diff(self.own.bounds) > 0
        if not filled[rows].any() or not filled[u]:
            return float("nan")
        pair = self._pair(u, rows)
        if self.chosen.contest == "questioned":
            return float((pair > self._best(u, allowed, draws)).mean())
        k = int(rows[0])
        near_k = self._nearest(k, allowed)
        near_u = self._nearest(u, allowed)
        if self.chosen.contest == "both":
            won = [
                (pair > self._best(k, near_u, draws)).mean(),
                (pair > self._best(u, near_k, draws)).mean(),
            ]
            return float(sum(won) / 2)
        return graded(pair, self._best(k, near_k, draws) * self._best(u, near_u, draws))

    def _pair(self, questioned: int, known: Ints) -> Floats:
        """Similarity of the questioned text to the known side on every subset."""
        if self.chosen.known != "centroid":
            return np.asarray(
                self._against(questioned, self.own, self.own_norms, known).max(axis=0)
            )
        centroid = Vectors.of(np.mean([self.own.dense(row) for row in known], axis=0)[None])
        size = norms(centroid, self.masks, self.measure)
        return np.asarray(self._against(questioned, centroid, size, np.array([0]))[0])

    def _nearest(self, row: int, allowed: Ints) -> Ints:
        order = np.argsort(-self.closeness[row, allowed], kind="stable")
        return allowed[order[: self.chosen.candidates]]

    def _best(self, row: int, impostors: Ints, draws: Ints) -> Floats:
        """Similarity of a text to the nearest of the impostors that take part, on every subset."""
        return np.asarray(
            drawn(self._against(row, self.others, self.others_norms, impostors), draws).max(axis=1)
        )

    def _against(self, row: int, vectors: Vectors, vector_norms: Floats, rows: Ints) -> Floats:
        x = self.own.dense(row)
        return similarities(
            x, self.own_norms[row], vectors, vector_norms, rows, self.masks, self.measure
        )
