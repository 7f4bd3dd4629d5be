"""Verifies as Modaresi & Gross 2014 (``Modaresi2014``): fuzzy c-means over differences of style features.

In: ``Problems`` (n) and, for ``fit``, their truth (n,) bool, True = same author. For ``fuzzy_c_means`` points (n, d),
numbers of clusters and restarts, a tolerance, a seed; for ``memberships`` points and centres (clusters, d).
Out: answers (n,) from 0 to 1, higher = same author, never unanswered on purpose; ``memberships``: (n, clusters), 0 to
1, whose rows sum to 1; ``fuzzy_c_means``: centres (clusters, d). CorpusError if one class is absent.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Self

import numpy as np

from ravenbench.ext.shelf.published.shelf_views import Members, sentence_lengths, units_of
from ravenbench.randomness import stream
from ravenbench.text.grams import Grams
from ravenbench.text.tfidf import centre_of, unit
from ravenbench.text.tokens import frequent_words, lowered
from ravenbench.types import Bools, Count, Floats, Problems
from ravenbench.verifiers.contract.base import Verifier
from ravenbench.verifiers.contract.folds import both_classes

_MARKS = ((1, 30), (2, 60), (3, 100))
_CHARS = (3, 3000)


@dataclass(eq=False, repr=False)
class Modaresi2014(Verifier):
    """Membership of a problem in the cluster of same-author problems.

    The paper says that fuzzy c-means extracts a description of the corpus; its features are lost. Ours: for each
    family the mean of |f(u) − mean f(K)| / training deviation, for rates of punctuation 1-, 2- and 3-grams, commas,
    semicolons, mean sentence and word length, types per token and the 50 most frequent words; and one minus the mean
    cosine of character 3-grams. Columns are standardised on training problems. Two clusters, fuzzifier 2; the cluster
    with the higher share of same-author training problems, weighted by membership, is the same-author cluster.

    Like the published system, it never abstains on purpose.

    Parameters
    ----------
    words : int
        Number of frequent words.
    restarts : int
        Number of random starts; the partition with the smallest objective is kept.
    tolerance : float
        Largest change of a membership at which the clustering ends.
    seed : int

    Attributes
    ----------
    words_ : list of str
    grams_ : list of Grams
        Punctuation 1–3-grams, then characters.
    deviation_ : (features,) float64
        Deviation of every style feature over training texts.
    mean_, scale_ : (10,) float64
        Mean and scale of the problems' columns.
    centres_ : (2, 10) float64
        The same-author cluster first.

    References
    ----------
    Modaresi & Gross 2014, A language independent author verifier using fuzzy c-means clustering (PAN at CLEF);
    Bezdek 1981.
    """

    name = "modaresi-2014"
    reads = "both"
    provenance = "reconstructed"
    symmetric = False

    words: int = 50
    restarts: Count = 10
    tolerance: float = 1e-5
    seed: int = 0

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Learn features, clusters and which cluster means same author. CorpusError if one class is absent."""
        same = both_classes(same, self.name)
        members = Members(problems)
        self.words_ = frequent_words(members.texts, self.words)
        marks = ["".join(units_of(text, "mark")) for text in members.texts]
        self.grams_ = [Grams(n, size).fit(marks) for n, size in _MARKS]
        self.grams_.append(Grams(*_CHARS).fit([lowered(text) for text in members.texts]))
        style, _ = self._features(members.texts)
        self.deviation_ = np.concatenate(
            [np.where(part.std(axis=0) > 1e-12, part.std(axis=0), np.inf) for part in style]
        )
        raw = self._raw(members)
        self.mean_, self.scale_ = centre_of(raw)
        points = (raw - self.mean_) / self.scale_
        centres = fuzzy_c_means(points, 2, self.restarts, self.tolerance, self.seed)
        member = memberships(points, centres)
        share = (member * same[:, None]).sum(axis=0) / member.sum(axis=0)
        self.centres_ = centres[::-1] if share[1] > share[0] else centres
        return self

    def verify(self, problems: Problems) -> Floats:
        points = (self._raw(Members(problems)) - self.mean_) / self.scale_
        return np.asarray(memberships(points, self.centres_)[:, 0], dtype=np.float64)

    def _features(self, texts: list[str]) -> tuple[list[Floats], Floats]:
        """Style features by family, and unit rows of character 3-grams."""
        marks = ["".join(units_of(text, "mark")) for text in texts]
        style = [grams.dense(marks) * _rate(marks, texts) for grams in self.grams_[:-1]]
        words = [units_of(text, "word") for text in texts]
        tokens = np.array([max(len(part), 1) for part in words], dtype=np.float64)
        style += [
            np.array([[sum(m in kind for m in text)] for text in marks]) / tokens[:, None]
            for kind in (",،、", ";·")
        ]
        style.append(np.array([[np.mean(sentence_lengths(text) or [0])] for text in texts]))
        style.append(np.array([[sum(map(len, part))] for part in words]) / tokens[:, None])
        style.append(np.array([[len(set(part))] for part in words]) / np.sqrt(tokens)[:, None])
        counts = [Counter(part) for part in words]
        style.append(
            np.array([[counted[w] for w in self.words_] for counted in counts]).reshape(
                len(texts), -1
            )
            / tokens[:, None]
        )
        chars = self.grams_[-1].dense([lowered(text) for text in texts])
        return style, unit(chars)

    def _raw(self, members: Members) -> Floats:
        """(n, 10): mean standardised difference of each family, and one minus the cosine."""
        style, chars = self._features(members.texts)
        ends = np.cumsum([part.shape[1] for part in style])
        every = np.concatenate(style, axis=1) / self.deviation_
        features = np.zeros((len(members.known), len(style) + 1))
        for i, (known, questioned) in enumerate(
            zip(members.known, members.questioned, strict=True)
        ):
            distance = np.abs(every[questioned] - every[known].mean(axis=0))
            features[i, :-1] = [
                part.mean() if len(part) else 0.0 for part in np.split(distance, ends[:-1])
            ]
            features[i, -1] = 1 - (chars[known] * chars[questioned]).sum(axis=1).mean()
        return features


def fuzzy_c_means(
    points: Floats, clusters: int, restarts: int, tolerance: float, seed: int
) -> Floats:
    """Return centres (clusters, d) of fuzzy c-means with fuzzifier 2: the best of several random starts.

    Each start draws memberships; centres and memberships are then updated in turn until no membership changes by
    more than ``tolerance``. Centres are ordered by their coordinates, so that restarts do not decide their order.
    """
    best: Floats | None = None
    least = np.inf
    for restart in range(restarts):
        member = stream(seed, "fuzzy-c-means", restart).dirichlet(
            np.ones(clusters), size=len(points)
        )
        for _ in range(1000):
            weight = member**2
            centres = (weight.T @ points) / weight.sum(axis=0)[:, None]
            before = member
            member = memberships(points, centres)
            if np.abs(member - before).max() <= tolerance:
                break
        objective = float((member**2 * _squares(points, centres)).sum())
        if objective < least - 1e-12:
            best = centres
            least = objective
    assert best is not None
    return best[np.lexsort(best.T[::-1])]


def memberships(points: Floats, centres: Floats) -> Floats:
    """Return μ (n, clusters) = 1 / Σ_j (‖x − c_k‖ / ‖x − c_j‖)², rows sum to 1; a point on a centre belongs to it."""
    square = _squares(points, centres)
    on = square == 0
    inverse = 1 / np.where(on, 1.0, square)
    inverse = np.where(on.any(axis=1)[:, None], on.astype(np.float64), inverse)
    return np.asarray(inverse / inverse.sum(axis=1)[:, None], dtype=np.float64)


def _squares(points: Floats, centres: Floats) -> Floats:
    return np.asarray(((points[:, None, :] - centres[None]) ** 2).sum(axis=2))


def _rate(marks: list[str], texts: list[str]) -> Floats:
    """Punctuation marks a character of text, (texts, 1)."""
    return np.array(
        [[len(mark) / max(len(text), 1)] for mark, text in zip(marks, texts, strict=True)]
    )
