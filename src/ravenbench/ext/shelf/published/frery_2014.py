"""Verifies as Fréry, Largeron & Juganaru-Mathieu 2014 (``Frery2014``): a decision tree over eight similarities.

In: ``Problems`` (n) and, for ``fit``, their truth (n,) bool, True = same author.
Out: answers (n,) between 0 and 1, higher = same author, the corrected share of same-author training problems in the
tree's leaf, 0.5 = as many of both, unanswered. CorpusError if training lacks one class; SpecError for a parameter out
of range, when the verifier is made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ravenbench.ext.shelf.published.impostor_spaces import ImpostorSpace
from ravenbench.ext.shelf.published.shelf_views import Members, sentence_lengths, units_of
from ravenbench.metrics.pan import METRICS, scores
from ravenbench.text.tfidf import row_cosines, unit
from ravenbench.types import Bools, Count, Floats, Ints, Problems, Size
from ravenbench.verifiers.contract.base import Verifier
from ravenbench.verifiers.contract.folds import both_classes, calibration_folds, out_of_fold

_SPACES = ("char8", "char3", "word2", "word1", "word1")
_PLAIN = 3
_NEAR = 1e-9


@dataclass(eq=False, repr=False)
class Frery2014(Verifier):
    """A decision tree (CART) for each corpus, over 17 attributes of a problem.

    The tree is the paper's; the attributes are recalled, not verified. Eight representations: tf-idf of character
    8-grams, character 3-grams, word bigrams and words, word frequencies without the 30% most frequent words,
    punctuation rates (all compared by cosine), mean and deviation of sentence length, and vocabulary diversity (by
    Euclidean distance, negative). Each gives the *mean* similarity of the questioned to the known documents and the
    *count* of known documents to which it is at least as close as their least similar known sibling; the last attribute
    is the sum of the counts.

    Ours: counts are shares of the known documents; a single known document is cut in halves; weights and standard
    deviations are learned on training texts; Gini impurity, at least five problems in a leaf, cost-complexity pruning
    chosen by ten-fold AUC · c@1 (the smallest tree, if several are equal), Laplace-corrected leaves. A leaf with as many
    of both leaves its problems unanswered.

    After a second reading: the overview confirms only a decision tree for each corpus; neither attributes nor the
    optimisation of the trees (the notebook's title mentions it) could be checked, nor whether several trees
    were tried for a corpus.

    Expensive, more than an hour of a core for a default run on newsgroups (``docs/scale.md``): every possible
    pruning needs a new tree in every fold of the cross-validation that chooses one.

    Parameters
    ----------
    leaf : int
        Minimum training problems in a leaf.
    folds : int
        Number of folds of the cross-validation that chooses the pruning.
    size : int
        Number of n-grams used in each representation.

    Attributes
    ----------
    spaces_ : list of ImpostorSpace
    rare_ : (features,) bool
        Words that are not among the 30% most frequent.
    marks_ : list of str
    scale_ : (3,) float64
        Standard deviations over training texts of sentence length (mean, deviation) and diversity.
    alpha_ : float
        Chosen pruning.
    tree_ : DecisionTreeClassifier

    References
    ----------
    Fréry, Largeron & Juganaru-Mathieu 2014, UJM at CLEF in author identification based on
    optimized classification trees (PAN at CLEF).
    """

    name = "frery-2014"
    reads = "both"
    version = 2
    symmetric = False
    provenance = "reconstructed"

    leaf: Count = 5
    folds: Count = 10
    size: Size = 20_000

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Learn weights, the pruning and the tree. CorpusError if one class is absent."""
        same = both_classes(same, self.name)
        members = Members(problems)
        self.spaces_ = [
            ImpostorSpace(units, self.size, "tf" if i == _PLAIN else "tfidf").fit(members.texts)
            for i, units in enumerate(_SPACES)
        ]
        vectors = _csr(self.spaces_[_PLAIN], members.texts)
        total = np.asarray(vectors.sum(axis=0)).ravel()
        rank = np.empty(len(total), dtype=np.int64)
        rank[np.argsort(-total, kind="stable")] = np.arange(len(total))
        self.rare_ = rank >= round(0.3 * len(total))
        self.marks_ = sorted({mark for text in members.texts for mark in units_of(text, "mark")})
        raw = np.array([_style(text) for text in members.texts])
        self.scale_ = np.where(raw.std(axis=0) > 0, raw.std(axis=0), 1.0)
        attributes = self._attributes(members)
        self.alpha_ = self._pruning(attributes, problems, same)
        self.tree_ = self._tree(self.alpha_).fit(attributes, same)
        return self

    def verify(self, problems: Problems) -> Floats:
        return _leaves(self.tree_, self._attributes(Members(problems)))

    def _tree(self, alpha: float) -> Any:
        from sklearn.tree import DecisionTreeClassifier

        return DecisionTreeClassifier(min_samples_leaf=self.leaf, ccp_alpha=alpha, random_state=0)

    def _pruning(self, attributes: Floats, problems: Problems, same: Bools) -> float:
        path = self._tree(0.0).cost_complexity_pruning_path(attributes, same).ccp_alphas
        # Midway between two prunings; never negative by rounding.
        alphas = np.maximum(np.append((path[:-1] + path[1:]) / 2, path[-1]), 0.0)

        def answered(rest: Bools, out: Bools) -> Floats:
            trees = [self._tree(float(alpha)).fit(attributes[rest], same[rest]) for alpha in alphas]
            return np.stack([_leaves(tree, attributes[out]) for tree in trees], axis=1)

        folds = calibration_folds(problems, same, self.folds)
        out_of_fold_answers = out_of_fold(answered, folds, same, columns=len(alphas)).T
        finals = [
            scores(same, row, metrics={"final": METRICS["final"]})["final"] or 0.0
            for row in out_of_fold_answers
        ]
        return float(alphas[len(finals) - 1 - int(np.argmax(finals[::-1]))])

    def _attributes(self, members: Members) -> Floats:
        """(n, 17): eight means, eight counts, their sum."""
        left, right, bounds = _pairs(members)
        similarity = np.stack(self._similarities(members.texts, left, right), axis=1)
        attributes = np.zeros((len(bounds), similarity.shape[1] * 2 + 1))
        for i, (start, middle, end) in enumerate(bounds):
            k = middle - start
            towards = similarity[start:middle]
            among = similarity[middle:end]
            first, second = np.triu_indices(k, 1)
            farthest = np.full((k, similarity.shape[1]), np.inf)
            np.minimum.at(farthest, first, among)
            np.minimum.at(farthest, second, among)
            counts = (towards >= farthest - _NEAR).mean(axis=0)
            attributes[i] = [*towards.mean(axis=0), *counts, counts.sum()]
        # A hair's breadth of rounding must not send a problem down another branch.
        return np.asarray(np.round(attributes, 9), dtype=np.float64)

    def _similarities(self, texts: list[str], left: Ints, right: Ints) -> list[Floats]:
        similarities = []
        for i, space in enumerate(self.spaces_):
            similarities.append(
                row_cosines(_csr(space, texts), left, right, self.rare_ if i == _PLAIN else None)
            )
        number = {mark: i for i, mark in enumerate(self.marks_)}
        marks = np.zeros((len(texts), len(number) + 1))
        for row, text in enumerate(texts):
            for mark in units_of(text, "mark"):
                marks[row, number.get(mark, len(number))] += 1
        marks = unit(marks)
        similarities.append(np.einsum("ij,ij->i", marks[left], marks[right]))
        style = np.array([_style(text) for text in texts]) / self.scale_
        differences = style[left] - style[right]
        similarities.append(-np.sqrt((differences[:, :2] ** 2).sum(axis=1)))
        similarities.append(-np.abs(differences[:, 2]))
        return similarities


def _pairs(members: Members) -> tuple[Ints, Ints, list[tuple[int, int, int]]]:
    """Pairs of texts to compare, and where each problem's lie: known–questioned up to ``middle``, then siblings."""
    left = [np.zeros(0, np.int64)]
    right = [np.zeros(0, np.int64)]
    bounds = []
    at = 0
    for known, questioned in zip(members.known, members.questioned, strict=True):
        first, second = np.triu_indices(len(known), 1)
        left += [known, known[first]]
        right += [np.full(len(known), questioned), known[second]]
        bounds.append((at, at + len(known), at + len(known) + len(first)))
        at = bounds[-1][-1]
    return np.concatenate(left), np.concatenate(right), bounds


def _csr(space: ImpostorSpace, texts: list[str]) -> Any:
    from scipy.sparse import csr_array

    rows = np.arange(len(texts), dtype=np.int64)
    longest = max((len(text) for text in texts), default=0)
    matrix = space.vectors(space.read(texts, space.forest()), rows, longest)
    return csr_array(
        (matrix.values, matrix.ids.astype(np.int32), matrix.bounds.astype(np.int32)),
        shape=(len(texts), matrix.features),
    )


def _style(text: str) -> tuple[float, float, float]:
    """Mean and deviation of sentence length in words, and types per root of tokens."""
    words = units_of(text, "word")
    sizes = np.array(sentence_lengths(text) or [0], dtype=np.float64)
    return (
        float(sizes.mean()),
        float(sizes.std()),
        len(set(words)) / float(np.sqrt(max(len(words), 1))),
    )


def _leaves(tree: Any, attributes: Floats) -> Floats:
    """Laplace-corrected share of same-author training problems in each problem's leaf."""
    leaf = tree.apply(attributes)
    total = tree.tree_.n_node_samples[leaf]
    share = tree.tree_.value[leaf, 0, int(np.argmax(tree.classes_))] / tree.tree_.value[
        leaf, 0
    ].sum(axis=1)
    return np.asarray((np.round(share * total) + 1) / (total + 2), dtype=np.float64)
