"""Scores by two-level models of counts: how much better do the rates of one author explain both sides than of two?

In: ``DirichletMultinomial`` and ``PoissonGamma`` take ``Problems`` (n) and, for ``fit``, their truth (n,) bool, which
shows which texts share an author; ``counts`` takes a ``TextTable`` and rows, ``llr`` counts of either side (n, units)
and of all units (n,).
Out: raw scores (n,): log10 likelihood ratios before calibration, unbounded, higher = same author, 0 if a side is
empty (``DirichletMultinomial``: has none of the units); ``llr``: natural logarithms (n,); ``counts``: of the chosen
units (n, units) and of all (n,). SpecError for a parameter out of range, when the scorer is made.

Each author has separate rates for words or character sequences, drawn from a distribution over all authors; texts
are draws at these rates. The distribution over authors is learned from training texts, so training pairs are not
needed. With known counts y, questioned counts x, and m(·) the probability of counts if an author's rates are
integrated over that distribution,

    LR = m(x, y) / (m(x) · m(y)),

which is symmetric, measures how typical a habit is and not only how alike two texts are, and has a closed form in both
models. Both treat words as independent draws, which they are not, so raw LRs are far too strong: they are
scores, which a calibrator scales, as in the papers.

References
----------
Aitken & Gold 2013, Evidence evaluation for discrete data. Forensic Science International 230 (Poisson and gamma).
Bolck & Stamouli 2017, Likelihood ratios for categorical evidence. Law, Probability and Risk 16 (Dirichlet).
Carne & Ishihara 2020, Feature-based forensic text comparison using a Poisson model. ALTA 2020.
Ishihara & Carne 2022, Likelihood ratio estimation for authorship text evidence. Forensic Science International 334.
Ishihara 2023, Weight of authorship evidence with multiple categories of stylometric features. Science & Justice 63.
Minka 2000, Estimating a Dirichlet distribution (the fixed point for counts).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np

from ravenbench.problems.transplant import known_authors
from ravenbench.text.counting import CountStore, frequencies, largest, with_counts
from ravenbench.text.lexicon import ALL_TOKENS, WORD, Tokens
from ravenbench.text.ngrams import CharNgrams
from ravenbench.text.tfidf import spread_counts
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Floats, Ints, Problems, Several, Size
from ravenbench.verifiers.contract.base import Scorer

LN10 = float(np.log(10))


@dataclass(eq=False, repr=False)
class TwoLevel(Scorer):
    """Base of both models: the units to count, and the authors whose rates are learned.

    Authors are distinguished as far as training truth shows: known texts of one problem have one author, and so have both
    sides of a same-author problem. Known texts of a problem are joined.
    """

    reads = "units"

    unit: Literal["word", "character"] = "word"
    n: Size = 3
    size: Several = 400

    @property
    def counted(self) -> Tokens | CharNgrams:
        """Return the units that are counted in complete texts."""
        return ALL_TOKENS if self.unit == "word" else CharNgrams(self.n)

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Choose the most frequent units, and learn how their rates differ between authors."""
        texts = problems.texts
        documents = problems.documents
        self.units_ = with_counts(
            self.counted, lambda store: self._frequent(store, texts, documents)
        )
        counts, sizes = self.counts(texts, documents)
        _, author = np.unique(
            known_authors([(problems, same)]).codes[documents], return_inverse=True
        )
        total = np.zeros((int(author.max(initial=-1)) + 1, counts.shape[1]))
        np.add.at(total, author, counts)
        self._learn(total, np.bincount(author, sizes, len(total)).astype(np.float64))
        return self

    def score(self, problems: Problems) -> Floats:
        """Return log10 LRs (n,) of the model, before any calibration; 0 if a side is empty."""
        counts, sizes = self.counts(problems.texts, problems.documents)
        known, questioned = problems.places
        starts = problems.known_ptr[:-1]
        y = np.add.reduceat(counts[known], starts)
        size = np.add.reduceat(sizes[known], starts)
        return self.llr(counts[questioned], y, sizes[questioned], size) / LN10

    def _frequent(self, store: CountStore, texts: TextTable, documents: Ints) -> list[str]:
        total = frequencies(store, texts, documents)[0]
        if self.unit == "word":
            fold = store.lexicon.fold
            kind = store.lexicon.kind
            total = np.bincount(fold, weights=total, minlength=len(fold)).astype(np.int64) * (
                kind == WORD
            )
        return largest(store, total, self.size)[0]

    def counts(self, texts: TextTable, documents: Ints) -> tuple[Floats, Floats]:
        """Return counts of the chosen units (n, units), and of all units (n,), in these texts."""
        return with_counts(self.counted, lambda store: self._spread(store, texts, documents))

    def _spread(
        self, store: CountStore, texts: TextTable, documents: Ints
    ) -> tuple[Floats, Floats]:
        width = len(self.units_)
        result = np.zeros((len(documents), width + 2))
        ids = store.ids(self.units_)
        for rows in store.blocks(texts, documents):
            column = np.full(len(store.lexicon), width, dtype=np.int64)
            column[ids] = np.arange(width)
            if self.unit == "word":
                # Marks and numbers are not among the words of a text.
                column = np.where(store.lexicon.kind == WORD, column[store.lexicon.fold], width + 1)
            some = slice(rows.first, rows.first + len(rows))
            result[some] = spread_counts(
                rows.ids, rows.counts, rows.starts, rows.stops, column, width + 2
            )
        return result[:, :width], result[:, : width + 1].sum(axis=1)

    @abstractmethod
    def _learn(self, counts: Floats, sizes: Floats) -> None:
        """Learn from counts (authors, units) in texts of so many units in all (authors,)."""

    @abstractmethod
    def llr(self, x: Floats, y: Floats, size_x: Floats, size_y: Floats) -> Floats:
        """Return natural log LRs (n,) of questioned and known counts (n, units) in texts with these total units (n,)."""


@dataclass(eq=False, repr=False)
class DirichletMultinomial(TwoLevel):
    """Shares of the most frequent words or character sequences: multinomial within an author, Dirichlet over authors.

    The parameters of the Dirichlet distribution maximise the likelihood of the training authors' counts.

    Parameters
    ----------
    unit : {"word", "character"}
        What is counted: lowercase words, or sequences of ``n`` characters.
    n : int
        Length of character sequences; no effect on words.
    size : int
        Number of the most frequent training units that are counted.

    Attributes
    ----------
    units_ : list of str
    alpha_ : (units,) float

    References
    ----------
    Ishihara 2023; Bolck & Stamouli 2017. The papers count word, character and part-of-speech sequences in separate
    systems and fuse these; here a verifier counts one kind, and several can be fused (``raven compare``, ``stacked``).
    """

    name = "dirichlet-multinomial"

    def _learn(self, counts: Floats, sizes: Floats) -> None:
        from scipy.special import psi

        counts = counts[counts.sum(axis=1) > 0]
        share = (counts.sum(axis=0) + 0.5) / (counts.sum() + 0.5 * counts.shape[1])
        alpha = share * counts.shape[1]
        own = counts.sum(axis=1)
        for _ in range(STEPS if len(counts) > 1 else 0):
            before = alpha
            up = (psi(counts + alpha) - psi(alpha)).sum(axis=0)
            alpha = np.maximum(
                alpha * up / (psi(own + alpha.sum()) - psi(alpha.sum())).sum(), LEAST
            )
            if np.abs(alpha - before).sum() < 1e-6 * alpha.sum():
                break
        self.alpha_ = np.minimum(alpha, MOST)

    def llr(self, x: Floats, y: Floats, size_x: Floats, size_y: Floats) -> Floats:
        return (
            self._log_beta(x + y)
            + self._log_beta(np.zeros_like(x))
            - self._log_beta(x)
            - self._log_beta(y)
        )

    def _log_beta(self, counts: Floats) -> Floats:
        """Logarithm of the multivariate beta function of alpha and counts, (n,)."""
        from scipy.special import gammaln

        alpha = self.alpha_ + counts
        return np.asarray(gammaln(alpha).sum(axis=1) - gammaln(alpha.sum(axis=1)))


@dataclass(eq=False, repr=False)
class PoissonGamma(TwoLevel):
    """Rates of the most frequent words or character sequences, each separately: Poisson within an author, gamma over
    authors.

    Expected counts depend on the text's length, in which all words (or sequences) count. The mean rate of a unit
    is that of the training texts; the shape of its gamma distribution maximises the likelihood. The LR is the
    product over all units, as if these were independent.

    Parameters are those of ``dirichlet-multinomial``; Ishihara & Carne 2022 count 400 words.

    Attributes
    ----------
    units_ : list of str
    shape_, rate_ : (units,) float
        Parameters of the gamma distributions.

    References
    ----------
    Ishihara & Carne 2022; Aitken & Gold 2013. Carne & Ishihara 2020 has the model with one level.
    """

    name = "poisson-gamma"

    def _learn(self, counts: Floats, sizes: Floats) -> None:
        from scipy.special import psi

        used = sizes > 0
        counts = counts[used]
        sizes = sizes[used, None]
        mean = (counts.sum(axis=0) + 0.5) / (sizes.sum() + 1.0)
        low = np.full(len(mean), np.log(LEAST))
        high = np.full(len(mean), np.log(MOST))
        # The slope of the likelihood in the shape changes its sign once, from + to −; without a root the unit varies
        # no more than chance lets it, and says nothing.
        for _ in range(BISECTIONS):
            shape = np.exp((low + high) / 2)
            whole = shape + mean * sizes
            slope = (
                psi(counts + shape)
                - psi(shape)
                + np.log(shape / whole)
                + 1
                - (counts + shape) / whole
            )
            rises = slope.sum(axis=0) > 0
            low, high = (
                np.where(rises, (low + high) / 2, low),
                np.where(rises, high, (low + high) / 2),
            )
        self.shape_ = np.exp((low + high) / 2)
        self.rate_ = self.shape_ / mean

    def llr(self, x: Floats, y: Floats, size_x: Floats, size_y: Floats) -> Floats:
        either = self._log_marginal(x, size_x) + self._log_marginal(y, size_y)
        return np.asarray((self._log_marginal(x + y, size_x + size_y) - either).sum(axis=1))

    def _log_marginal(self, counts: Floats, sizes: Floats) -> Floats:
        """Log probability of each unit's count, (n, units), but for what cancels in the LR."""
        from scipy.special import gammaln

        shape = self.shape_
        rate = self.rate_
        whole = counts + shape
        rises = gammaln(whole) - gammaln(shape) - counts * np.log(rate)
        return np.asarray(rises - whole * np.log1p(sizes[:, None] / rate))


STEPS = 500
"""Maximum steps of the fixed point."""
BISECTIONS = 50
LEAST = 1e-6
MOST = 1e6
"""Bound of the parameters."""
