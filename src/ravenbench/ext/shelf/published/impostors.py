"""The impostors methods: are two texts more similar to each other than to texts by other authors?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self

import numpy as np

from ravenbench.errors import CorpusError, SpecError, did_you_mean
from ravenbench.ext.shelf.calibrators import Banded
from ravenbench.ext.shelf.minmax import (
    Contest,
    Masks,
    Measure,
    Vectors,
    draw_impostors,
    graded,
    norms,
    product,
    rank,
    similarities,
    subset_masks,
    whole_similarities,
    wins,
)
from ravenbench.ext.shelf.published.impostor_spaces import ImpostorSpace, Readings, Weights
from ravenbench.randomness import stream
from ravenbench.text.segmenters import writing_of
from ravenbench.text.tokens import normalised
from ravenbench.types import Bools, Count, Floats, Ints, Problems
from ravenbench.verifiers.contract.base import Calibrator, Scorer


@dataclass(eq=False)
class Background:
    """Distinct training documents (white space aside) and the author clusters they are known to form.

    Documents of one known set, and the sides of a same-author problem, are one author's; so are copies.

    Parameters
    ----------
    most : int
        Impostor documents kept; more are thinned out at random.
    seed : int

    Attributes
    ----------
    texts_ : list of str
        Impostor documents, normalised.
    written_ : list of str
        The same as they were written, line breaks and all.
    author_ : (len(texts_),) int64
        Their author clusters.
    cluster_ : dict of str to int
        Author cluster of every training document, by its normalised text.
    """

    most: int
    seed: int

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Collect the documents of training problems. CorpusError if fewer than two authors can be told apart."""
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
                "the training problems hold no impostors",
                found=f"{len(nonempty)} documents that are all one author's",
                expected="documents of two authors or more",
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
        """Impostors for a problem with these normalised texts: none of its authors', as far as is known."""
        own = [self.cluster_[text] for text in texts if text in self.cluster_]
        return np.flatnonzero(~np.isin(self.author_, own)).astype(np.int64)


VariantName = Literal["koppel-winter", "seidman", "khonji-iraqi", "potha"]


@dataclass(frozen=True)
class Variant:
    """What a publication fixes; a parameter of ``Impostors`` that is None takes its value from here."""

    contest: Contest
    units: str
    size: int
    least: int
    candidates: int
    iterations: int
    draw: int


# Reimplementations of Koppel & Winter take char 4-grams, 125 candidates and 25 of them, from thousands of web texts.
# A training split has hundreds of documents: ours are char 5-grams, 50 and 10, chosen on the training splits of three
# PAN-2014 corpora. The original vocabulary is, as we recall it, the 100,000 most frequent.
# Where a character is a word, as in Chinese, few texts of usual lengths share five in a row; pairs of characters were
# chosen on simulated texts (docs/languages.md).
_CHAR5 = ("char5", 50_000, 1)
VARIANTS: dict[str, Variant] = {
    "koppel-winter": Variant("wins", *_CHAR5, candidates=50, iterations=100, draw=10),
    # Settings of the winning system of PAN13 are lost; those above stand in.
    "seidman": Variant("product", *_CHAR5, candidates=50, iterations=100, draw=10),
    # Letters, words, function words and shapes, n = 1..10, seen ≥ 5 times in some document, by the abstract. Ours: no
    # POS tags and no type/token ratio, since no tagger covers every language; 125 candidates, 25 of them.
    "khonji-iraqi": Variant(
        "graded", "char1-10 word1-10 function1-10 shape1-10", 5_000, 5, candidates=125, iterations=100, draw=25
    ),
    # K candidates, K/5 iterations, K/10 of them, as in the code; K = 100 is ours.
    "potha": Variant("rank", *_CHAR5, candidates=100, iterations=20, draw=10),
}


@dataclass(eq=False, repr=False)
class Impostors(Scorer):
    """Scores by contests with impostors: training documents of authors other than the problem's own.

    Also called: impostor method, imposters, IM, Koppel and Winter.

    On each of many random halves of the features, the similarity of the questioned to a known document is held
    against their similarities to impostors, drawn anew each time (as published code does) among the candidates most
    similar to the side they stand in for. Scores of several known documents are averaged (our choice).

    ``koppel-winter`` (default)
        Share of iterations in which the pair is more similar than either text to every impostor of the other.
        In [0, 1]; the best threshold is low (about .1 in PAN19).
    ``seidman``
        Share of iterations with sim(X, Y)² > sim(X, I) · sim(Y, J), the mode "original" of Moreau's code; that it is
        Seidman's is recalled, not verified.
    ``khonji-iraqi``
        Mean of sim(X, Y)² / (sim(X, I) · sim(Y, J)) over many features, after the code. Unbounded.
    ``potha``
        Mean of 1 / rank of the known document among its impostors by similarity to the questioned one, after the
        code. Not symmetric.

    Every pair is compared at equal length: both texts and the impostors are cut to the shorter one's. Seidman, as we
    recall, cuts impostors; cutting all of them, on a grid of factor 2^(1/4) and not below 500 characters, is ours.

    Parameters
    ----------
    variant : str
        The contest, one of those above.
    measure : {"minmax", "cosine"}
        Similarity of two texts.
    units : str, optional
        Families of n-grams, e.g. ``'char4'`` or ``'char2-5 word1'``; by default ``'char5'``, in Chinese and Japanese
        ``'char2'``.
    size : int, optional
        Features kept of each family and length.
    weights : {"tfidf", "tf"}
        Of features.
    iterations, candidates, draw : int, optional
        Iterations, candidate impostors a text, and how many of them take part in an iteration.
    share : float
        Features in an iteration.
    background : int
        Impostor documents kept at fit.
    cut : bool
        Bring texts to equal length.
    seed : int
        Decides features and impostors; impostors are drawn by problem id, so that rewritten twins share them.

    Attributes
    ----------
    background_ : Background
    space_ : ImpostorSpace
    subsets_ : (features, ⌈iterations / 8⌉) uint8
        Bit t of a row: whether the feature takes part in iteration t.

    References
    ----------
    Koppel & Winter 2014 (JASIST 65); Seidman 2013 and Khonji & Iraqi 2014 (PAN at CLEF); Potha & Stamatatos 2017.
    """

    name = "impostors"
    reads = "units"
    version = 3
    provenance = "reconstructed"

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

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        """True for all variants but ``potha``."""
        return self.variant != "potha"

    def settings(self) -> Variant:
        """The variant with the parameters that were given. SpecError if a parameter is out of range."""
        if self.variant not in VARIANTS:
            raise SpecError(
                f"impostors has no variant {self.variant!r}",
                expected=", ".join(VARIANTS),
                fix=did_you_mean(str(self.variant), VARIANTS),
            )
        base = VARIANTS[self.variant]
        options = {name: getattr(self, name) for name in ("units", "size", "iterations", "candidates", "draw")}
        chosen = Variant(**{**vars(base), **{k: v for k, v in options.items() if v is not None}})
        counts = (chosen.size, chosen.iterations, chosen.candidates, chosen.draw, self.background)
        measured = self.measure in ("minmax", "cosine") and self.weights in ("tf", "tfidf")
        if min(counts) < 1 or not 0 < self.share <= 1 or not measured:
            raise SpecError(
                "a parameter of impostors is out of range",
                found=str(self),
                expected="positive numbers, 0 < share ≤ 1, measure minmax or cosine, weights tfidf or tf",
            )
        return chosen

    def fit(self, problems: Problems, same: Bools) -> Self:
        chosen = self.settings()
        self.background_ = Background(self.background, self.seed).fit(problems, same)
        texts, units = self.background_.texts_, chosen.units
        if self.units is None and writing_of(texts) == "characters":
            units = units.replace("char5", "char2")
        self.space_ = ImpostorSpace(units, chosen.size, self.weights, chosen.least).fit(texts)
        rng = stream(self.seed, "impostor-features")
        masks = subset_masks(len(self.space_.weight_), chosen.iterations, self.share, rng)
        self.subsets_ = np.packbits(masks > 0, axis=1, bitorder="little")
        return self

    def score(self, problems: Problems) -> Floats:
        """Mean score over the known documents, (n,); NaN where a problem's texts, or all impostors, are empty."""
        chosen = self.settings()
        used = problems.documents
        texts = [normalised(text) for text in problems.texts.rows(used)]
        place = np.full(len(problems.texts), -1, dtype=np.int64)
        place[used] = np.arange(len(used))
        known, owner = place[problems.known_index], problems.owner
        questioned = place[problems.questioned_index]
        masks = np.unpackbits(self.subsets_, axis=1, count=chosen.iterations, bitorder="little").astype(np.float32)
        allowed, draws = self._draws(problems, texts, place, chosen)
        forest = self.space_.forest()
        level = self._levels(texts, known, questioned[owner])
        own, others = self.space_.read(texts, forest), self.space_.read(self.background_.texts_, forest)
        each = np.full(len(known), np.nan)
        for length in np.unique(level):
            pairs = np.flatnonzero(level == length)
            arena = _Arena(
                self, chosen, masks, own, others, int(length), np.union1d(known[pairs], questioned[owner[pairs]])
            )
            for j in pairs:
                i = owner[j]
                if len(allowed[i]):
                    each[j] = arena.contest(known[j], questioned[i], allowed[i], draws[i])
        finite = ~np.isnan(each)
        count = np.bincount(owner[finite], minlength=len(problems))
        total = np.bincount(owner[finite], weights=each[finite], minlength=len(problems))
        return np.where(count > 0, total / np.maximum(count, 1), np.nan)

    def default_calibrator(self) -> Calibrator:
        """Logistic regression with a band of non-answers chosen out of fold, our choice.

        The published thresholds were tuned, and scores are no probabilities. In cross-validation inside the training
        splits of three PAN-2014 corpora it had the best mean final score (koppel-winter) of seven calibrators.
        """
        return Banded()

    def _draws(
        self, problems: Problems, texts: list[str], place: Ints, chosen: Variant
    ) -> tuple[list[Ints], list[Ints]]:
        allowed, draws = [], []
        for i in range(len(problems)):
            rows = place[[*problems.known(i), problems.questioned_index[i]]]
            allowed.append(self.background_.allowed([texts[row] for row in rows]))
            rng = stream(self.seed, "impostors", str(problems.ids[i]))
            candidates = min(chosen.candidates, len(allowed[i]))
            draws.append(draw_impostors(candidates, chosen.draw, chosen.iterations, rng))
        return allowed, draws

    def _levels(self, texts: list[str], known: Ints, questioned: Ints) -> Ints:
        if not self.cut:
            return np.full(len(known), max((len(text) for text in [*texts, *self.background_.texts_]), default=0))
        length = np.array([len(text) for text in texts], dtype=np.float64)
        shorter = np.maximum(np.minimum(length[known], length[questioned]), _SHORTEST)
        grid: Floats = 2 ** (np.floor(4 * np.log2(shorter)) / 4)
        return grid.astype(np.int64)


_SHORTEST = 500


class _Arena:
    """Problem documents and impostors at one length, with what all contests at this length share."""

    def __init__(
        self,
        method: Impostors,
        chosen: Variant,
        masks: Masks,
        own: Readings,
        others: Readings,
        length: int,
        documents: Ints,
    ) -> None:
        self.measure, self.chosen, self.masks = method.measure, chosen, masks
        self.row = {int(document): i for i, document in enumerate(documents)}
        self.own = method.space_.vectors(own, documents, length)
        self.others = method.space_.vectors(others, np.arange(len(method.background_.texts_)), length)
        self.own_norms, self.others_norms = (norms(v, masks, self.measure) for v in (self.own, self.others))
        self.closeness = whole_similarities(self.own, self.others, self.measure)

    def contest(self, known: int, questioned: int, allowed: Ints, draws: Ints) -> float:
        """Score of one known document, NaN if either text has no feature."""
        k, u = self.row[int(known)], self.row[int(questioned)]
        if self.own.bounds[k] == self.own.bounds[k + 1] or self.own.bounds[u] == self.own.bounds[u + 1]:
            return float("nan")
        pair = self._against(u, self.own, self.own_norms, np.array([k]))[0]
        near_k = self._nearest(k, allowed)
        if self.chosen.contest == "rank":
            return rank(pair, self._against_impostors(u, near_k), draws)
        near_u = self._nearest(u, allowed)
        if self.chosen.contest == "wins":
            return wins(pair, self._against_impostors(k, near_u), self._against_impostors(u, near_k), draws)
        of = product if self.chosen.contest == "product" else graded
        return of(pair, self._against_impostors(k, near_k), self._against_impostors(u, near_u), draws)

    def _nearest(self, row: int, allowed: Ints) -> Ints:
        order = np.argsort(-self.closeness[row, allowed], kind="stable")
        return allowed[order[: self.chosen.candidates]]

    def _against_impostors(self, row: int, impostors: Ints) -> Floats:
        return self._against(row, self.others, self.others_norms, impostors)

    def _against(self, row: int, vectors: Vectors, vector_norms: Floats, rows: Ints) -> Floats:
        x = self.own.dense(row)
        return similarities(x, self.own_norms[row], vectors, vector_norms, rows, self.masks, self.measure)
