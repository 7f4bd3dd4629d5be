"""Verifies as Zamani et al. 2014 (``Zamani2014``): nearest neighbours in the distributions that distinguish an author.

In: ``Problems`` (n); for ``fit`` training ``Problems`` and truth, whose other authors give documents for comparison.
For ``neighbours`` distances, the first ``known`` of them to the author's documents; for ``jensen_shannon`` a
distribution and others (n, values), without zeros.
Out: raw scores (n,), shares of the known author among the neighbours, from 0 to 1, higher = same author;
``neighbours``: one such share; ``jensen_shannon``: distances (n,) from 0 to 1, roots of divergences in bits, higher =
less alike. CorpusError for fewer than two authors, SpecError for a parameter out of range, when the scorer is made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ravenbench.ext.shelf.published.impostors import Background
from ravenbench.ext.shelf.published.one_class import sides
from ravenbench.ext.shelf.published.shelf_views import Family, Members, symbols, units_of, written
from ravenbench.randomness import stream
from ravenbench.text.grams import Grams
from ravenbench.text.tokens import frequent_words, normalised
from ravenbench.types import Bools, Count, Floats, Ints, Problems
from ravenbench.verifiers.contract.base import Scorer

FAMILIES: tuple[tuple[Family, int, int], ...] = (
    ("char", 1, 100),
    ("char", 2, 500),
    ("char", 3, 1000),
    ("word", 1, 1000),
    ("stop", 1, 150),
    ("mark", 1, 40),
    ("sentence", 1, 30),
    ("length", 1, 20),
)
"""Family, n, and how many of its most frequent values are distinguished."""
_SMOOTHING = 0.1


@dataclass(eq=False, repr=False)
class Zamani2014(Scorer):
    """Share of the known author among the questioned document's nearest neighbours.

    From the abstract: every feature is a probability distribution, distances between documents are those of distributions,
    neighbours decide, and for each author the features are chosen that distinguish the author from others (the best two at
    PAN-2014, without knee detection); it never abstains. Ours: character 1–3-grams, words, frequent words,
    punctuation, sentence and word lengths (parts of speech are left out: they need a tagger for each language); add-0.1
    smoothing; Jensen-Shannon distance. A feature discriminates by (mean distance K–others − mean distance within K) /
    pooled deviation; the two best are averaged, each divided by its mean distance. Neighbours are the 2k + 1 nearest of
    K and ``others`` documents by other authors of the training problems, weighted by inverse distance and so that K
    in total has the same weight as the others. A single known document is cut into halves, which count as two. Logistic
    regression turns shares into answers.

    Parameters
    ----------
    others : int
        Number of documents by other authors drawn for a problem.
    best : int
        Number of features chosen for a problem.
    seed : int

    Attributes
    ----------
    background_ : Background
    words_ : list of str
    symbols_ : list of list of str
        Units of each family that have a separate character.
    grams_ : list of Grams
    profiles_ : list of (documents, values) float64
        Distributions of the background documents.

    References
    ----------
    Zamani, Nasr, Babaie, Abnar, Dehghani & Shakery 2014, Authorship identification using dynamic selection of features
    from probabilistic feature set (CLEF).
    """

    name = "zamani-2014"
    reads = "both"
    calibrated_by = "logistic(radius=0.0)"
    symmetric = False
    provenance = "reconstructed"

    others: Count = 30
    best: Count = 2
    seed: int = 0

    def fit(self, problems: Problems, same: Bools) -> Self:
        self.background_ = Background(500, self.seed).fit(problems, same)
        texts = self.background_.texts_
        self.words_ = frequent_words(texts, FAMILIES[4][2])
        self.symbols_ = []
        self.grams_ = []
        for family, n, size in FAMILIES:
            sequences = [units_of(text, family, frozenset(self.words_)) for text in texts]
            self.symbols_.append([] if family == "char" else symbols(sequences))
            self.grams_.append(Grams(n, size).fit(written(sequences, self.symbols_[-1])))
        self.profiles_ = self._distributions(texts)
        return self

    def score(self, problems: Problems) -> Floats:
        members = Members(problems)
        profiles = self._distributions(members.texts)
        result = np.empty(len(problems))
        for i, (known, questioned) in enumerate(sides(problems, normalised)):
            allowed = self.background_.allowed([*known, questioned])
            rng = stream(self.seed, "zamani-others", str(problems.ids[i]))
            chosen = np.sort(
                rng.choice(allowed, size=min(self.others, len(allowed)), replace=False)
            )
            result[i] = self._share(profiles, members.known[i], int(members.questioned[i]), chosen)
        return result

    def _distributions(self, texts: list[str]) -> list[Floats]:
        """Smoothed distributions of texts over each family's values."""
        distributions = []
        for (family, n, _), grams, known in zip(FAMILIES, self.grams_, self.symbols_, strict=True):
            read = written(
                [units_of(text, family, frozenset(self.words_)) for text in texts], known
            )
            total = np.array([max(len(text) - n + 1, 0) for text in read], dtype=np.float64)
            counts = grams.dense(read) * total[:, None] + _SMOOTHING
            distributions.append(counts / counts.sum(axis=1)[:, None])
        return distributions

    def _share(self, profiles: list[Floats], known: Ints, questioned: int, others: Ints) -> float:
        separations = []
        distances = []
        k = len(known)
        for own, background in zip(profiles, self.profiles_, strict=True):
            every = np.concatenate([own[known], background[others]])
            among = np.concatenate(
                [jensen_shannon(own[known[j]], own[known[j + 1 :]]) for j in range(k - 1)]
            )
            between = np.concatenate(
                [jensen_shannon(own[row], background[others]) for row in known]
            )
            deviation = float(np.sqrt((among.var() + between.var()) / 2))
            separations.append(
                (between.mean() - among.mean()) / deviation if deviation > 1e-12 else -np.inf
            )
            towards = jensen_shannon(own[questioned], every)
            distances.append(towards / max(float(between.mean()), 1e-12))
        best = np.argsort(-np.array(separations), kind="stable")[: self.best]
        return neighbours(np.mean([distances[f] for f in best], axis=0), k)


def neighbours(distance: Floats, known: int) -> float:
    """Return the share (0 to 1) of the first ``known`` members among the 2k + 1 nearest, with equal weight for both sides.

    A neighbour's weight is one over its distance, times one over the size of its side.
    """
    nearest = np.argsort(distance, kind="stable")[: 2 * known + 1]
    own = nearest < known
    side = np.where(own, known, max(len(distance) - known, 1))
    weight = 1 / (np.maximum(distance[nearest], 1e-9) * side)
    return float(weight[own].sum() / weight.sum())


def jensen_shannon(one: Floats, others: Floats) -> Floats:
    """Return the Jensen-Shannon distance (root of the divergence in bits, in [0, 1]) of a distribution to others (n, values).

    No share may be zero.
    """
    middle = (one + others) / 2
    divergence = _entropy(middle) - (_entropy(one) + _entropy(others)) / 2
    return np.asarray(np.sqrt(np.clip(divergence, 0, 1)), dtype=np.float64)


def _entropy(shares: Floats) -> Floats:
    return np.asarray(-(shares * np.log2(shares)).sum(axis=-1))
