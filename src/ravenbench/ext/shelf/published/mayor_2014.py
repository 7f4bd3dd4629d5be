"""Verifies as Mayor et al. 2014 (``Mayor2014``): sparse representation by documents of the author and of impostors.

In: ``Problems`` (n); for ``fit`` training ``Problems`` and truth, whose other authors are the impostors. For
``sparse_weights`` inner products (n, n) of columns and (n,) with the document, and a penalty; for ``concentration``
weights (n,) and the class of each, from 0.
Out: raw scores (n,), shares of iterations from 0 to 1, higher = same author; ``sparse_weights``: (n,), unbounded;
``concentration``: 0 (evenly spread, or no weight) to 1 (all in one class). CorpusError for fewer than two authors,
SpecError for a parameter out of range, when the scorer is made.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Self

import numpy as np

from ravenbench.ext.shelf.published.impostors import Background
from ravenbench.ext.shelf.published.shelf_views import Family, symbols, units_of, written
from ravenbench.randomness import stream
from ravenbench.text.grams import Grams
from ravenbench.text.tokens import frequent_words, normalised
from ravenbench.types import Bools, Count, Floats, Ints, NotNegative, Problems, Share, Size
from ravenbench.verifiers.contract.base import Scorer

FAMILIES: tuple[tuple[Family, int], ...] = (
    ("word", 1),
    ("word", 2),
    ("word", 3),
    ("prefix", 1),
    ("prefix", 2),
    ("suffix", 1),
    ("suffix", 2),
    ("mark", 1),
    ("sentence", 1),
    ("stop", 2),
)
"""Words, affixes and their bigrams, punctuation, words of a sentence, bigrams of frequent words."""
_STOPWORDS = 50
_CONCENTRATED = 0.1


@dataclass(eq=False, repr=False)
class Mayor2014(Scorer):
    """Share of iterations in which the author's documents clearly explain the questioned document best.

    From the authors' code: 35 iterations; eight impostor authors, each with as many documents as the known set; every
    example keeps a random 60% of its tokens; of each representation the 200 most frequent items, weighted by tf·idf
    (idf is constant there); unit columns; the ℓ1-regularised representation x of the questioned document; class-wise
    residuals; the sparsity concentration index SCI = (c · max ‖δ_i(x)‖₁ / ‖x‖₁ − 1) / (c − 1); a vote of 1 if
    SCI ≥ .1 and the author has the smallest residual.

    Ours: impostors are authors of training problems and never of the problem itself; an author with too few
    documents gives some of them twice, each time with other tokens kept; the 200 items are the most frequent in the
    training texts, without a minimum count (the code's was 5), and occurrences are kept item by item; least angle
    regression solves min λ‖x‖₁ + ½‖y − Ax‖². Logistic regression turns the shares of votes into answers, with a band of
    non-answers chosen on out-of-fold answers. After a second reading: representations, iterations, residuals, SCI and the
    vote are the code's; how the original computed answers from the share of votes is unknown (35 votes never give one
    half, but it left problems open); docs/pan14.md says how shares as answers would score.

    Expensive, more than an hour of a core for a default run on newsgroups (``docs/scale.md``): each of the 35 votes
    of each problem has separate impostors, thinned counts and a regression.

    Parameters
    ----------
    iterations, impostors, items : int
        Votes of a problem, impostor authors of a vote, items of a representation.
    share : float
        Share of tokens kept.
    penalty : float
        λ, the weight of the ℓ1 norm.
    seed : int

    Attributes
    ----------
    background_ : Background
    words_ : list of str
    symbols_, grams_ : list
        Units and items of every representation.
    counts_ : (documents, items) int64
        Counts of the background.

    References
    ----------
    Mayor, Gutierrez, Toledo, Martinez, Ledesma, Fuentes & Meza 2014, A single author style representation for the
    author verification task (PAN at CLEF); Wright et al. 2009 (SCI).
    """

    name = "mayor-2014"
    reads = "both"
    calibrated_by = "banded(most=0.05)"
    symmetric = False
    provenance = "sourced"

    iterations: Count = 35
    impostors: Count = 8
    share: Share = 0.6
    items: Size = 200
    penalty: NotNegative = 1e-7
    seed: int = 0

    def fit(self, problems: Problems, same: Bools) -> Self:
        self.background_ = Background(1000, self.seed).fit(problems, same)
        texts = self.background_.texts_
        self.words_ = frequent_words(texts, _STOPWORDS)
        self.symbols_ = []
        self.grams_ = []
        for family, n in FAMILIES:
            sequences = [units_of(text, family, frozenset(self.words_)) for text in texts]
            self.symbols_.append(symbols(sequences))
            self.grams_.append(Grams(n, self.items).fit(written(sequences, self.symbols_[-1])))
        self.counts_ = self._counts(texts)
        return self

    def score(self, problems: Problems) -> Floats:
        used = problems.documents
        own = self._counts([normalised(problems.texts[row]) for row in used])
        result = np.empty(len(problems))
        for i in range(len(problems)):
            rows = [*problems.known(i), problems.questioned_index[i]]
            allowed = self.background_.allowed([normalised(problems.texts[row]) for row in rows])
            rng = stream(self.seed, "mayor-2014", str(problems.ids[i]))
            examples = own[np.searchsorted(used, rows)]
            result[i] = np.mean(
                [self._vote(examples, allowed, rng) for _ in range(self.iterations)]
            )
        return result

    def _counts(self, texts: list[str]) -> Ints:
        """Counts of every item, (texts, items of all representations)."""
        blocks = [np.zeros((len(texts), 0), dtype=np.int64)]
        for (family, n), grams, known in zip(FAMILIES, self.grams_, self.symbols_, strict=True):
            read = (
                written([units_of(text, family, frozenset(self.words_)) for text in texts], known)
                if known
                else []
            )
            if read:
                total = np.array([max(len(text) - n + 1, 0) for text in read])
                blocks.append(np.rint(grams.dense(read) * total[:, None]).astype(np.int64))
        return np.concatenate(blocks, axis=1)

    def _vote(self, examples: Ints, allowed: Ints, rng: np.random.Generator) -> bool:
        """One iteration; the last of ``examples`` is the questioned document."""
        k = len(examples) - 1
        author = self.background_.author_[allowed]
        writers = np.unique(author)
        drawn = rng.choice(writers, size=min(self.impostors, len(writers)), replace=False)
        others = []
        for writer in drawn:
            documents = allowed[author == writer]
            others.append(rng.choice(documents, size=k, replace=len(documents) < k))
        counts = np.concatenate([examples, *(self.counts_[rows] for rows in others)])
        reduced = np.zeros(counts.shape)
        present = counts > 0
        reduced[present] = rng.binomial(counts[present], self.share)
        length = np.sqrt((reduced * reduced).sum(axis=1))
        unit = reduced / np.where(length > 0, length, 1)[:, None]
        products = unit @ unit.T
        columns = np.delete(np.arange(len(unit)), k)
        gram = products[np.ix_(columns, columns)]
        towards = products[columns, k]
        weights = sparse_weights(gram, towards, self.penalty)
        owner = np.repeat(np.arange(len(drawn) + 1), k)
        residual = []
        for c in range(len(drawn) + 1):
            part = np.where(owner == c, weights, 0.0)
            residual.append(float(part @ gram @ part - 2 * part @ towards))
        return concentration(weights, owner) >= _CONCENTRATED and int(np.argmin(residual)) == 0


def sparse_weights(gram: Floats, towards: Floats, penalty: float) -> Floats:
    """Return the x that minimises ``penalty`` · ‖x‖₁ + ½ ‖y − A x‖², shape (n,).

    So small a penalty hardly changes the least-squares solution: if it changes no sign, the result is
    the minimum (its optimality conditions are true); otherwise least angle regression follows the complete path.

    ``gram`` (n, n) float64: AᵀA. ``towards`` (n,) float64: Aᵀy.
    """
    try:
        plain, signs = np.linalg.solve(
            gram, np.stack([towards, np.sign(np.linalg.solve(gram, towards))], axis=1)
        ).T
        moved = plain - penalty * signs
        if (np.sign(moved) == np.sign(plain)).all() and np.allclose(
            gram @ plain, towards, atol=1e-9
        ):
            return np.asarray(moved, dtype=np.float64)
    except np.linalg.LinAlgError:
        pass
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import lars_path_gram

    with warnings.catch_warnings():
        # Said of columns that are nearly alike; the path up to there stands.
        warnings.simplefilter("ignore", ConvergenceWarning)
        _, _, path = lars_path_gram(
            towards, gram, n_samples=1, alpha_min=penalty, method="lasso", return_path=False
        )
    return np.asarray(path, dtype=np.float64)


def concentration(weights: Floats, owner: Ints) -> float:
    """Return the sparsity concentration index: 1 if all weight is in one class, 0 if it is spread evenly.

    ``weights`` (n,) float64. ``owner`` (n,) int64: class of each, from 0.
    """
    total = float(np.abs(weights).sum())
    classes = int(owner.max()) + 1
    if total == 0 or classes < 2:
        return 0.0
    most = float(np.bincount(owner, weights=np.abs(weights)).max())
    return (classes * most / total - 1) / (classes - 1)
