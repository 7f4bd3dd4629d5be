"""Encodes texts as vectors: the base class of encoders, and encoders that learn from the corpus (LSA, NMF, LDA).

In: ``LSA(…)``, ``NMF(…)``, ``LDA(…)`` (numbers of dimensions and words, limits on the texts that contain a word (shares
or counts), a seed), whose ``encode`` takes n texts; ``counts`` and ``fitted``: texts and these limits; ``chunked``: texts
and the number of words of a chunk.
Out: ``encode`` gives vectors (n, d) float64: of LSA any sign, of NMF weights from 0, of LDA shares of topics, 0 to 1. A
text longer than a window of words has the mean of its chunks. ``counts`` returns a sparse matrix (n, v) and its words,
``chunked`` chunks and the text (from 0) of each, ``sampled`` rows, None = all. CorpusError if no word is left,
MissingPart if Thai, Lao, Khmer or Burmese words need ICU.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise, takewhile
from typing import Any

import numpy as np

from ravenbench.components import Component
from ravenbench.errors import CorpusError, counted
from ravenbench.randomness import stream
from ravenbench.text.tokens import lowered
from ravenbench.types import Count, Floats, Ints, Size


class Encoder(Component):
    """Base of encoders, which turn texts into vectors.

    An encoder uses no labels, is fitted on the texts that it encodes, and returns the same vectors for the same seed.

    Examples
    --------
    >>> from ravenbench.topics.encoders import LSA
    >>> texts = ["a ship at sea", "the sea and the ship", "a goal for the team", "the team and its goal"]
    >>> LSA(dimensions=2, min_df=1, max_df=1.0).encode(texts).shape
    (4, 2)
    """

    @abstractmethod
    def encode(self, texts: Sequence[str]) -> Floats:
        """Return document vectors, (len(texts), d); for long texts, the mean of the vectors of their chunks."""

    def learn(self, texts: Sequence[str]) -> Callable[[Sequence[str]], Floats] | None:
        """Learn from texts too many to encode at once; return a function that encodes them part by part.

        None if a text's vector depends on more than that, or the texts are few enough for ``encode``.
        """
        return None


def chunked(texts: Sequence[str], words: int) -> tuple[list[str], Ints]:
    """Cut texts into chunks of about equal length, of at most ``words`` white-space-separated words each.

    Returns
    -------
    chunks : list of str
        In order of the texts; every text has at least one chunk, and a short text is one chunk.
    owner : (len(chunks),) int64
        The text each chunk belongs to.
    """
    chunks: list[str] = []
    owner: list[int] = []
    for number, text in enumerate(texts):
        tokens = text.split()
        count = max(1, -(-len(tokens) // words))
        if count == 1:
            chunks.append(text)
        else:
            ends = [len(tokens) * i // count for i in range(count + 1)]
            chunks += [" ".join(tokens[start:end]) for start, end in pairwise(ends)]
        owner += [number] * count
    return chunks, np.asarray(owner, dtype=np.int64)


def averaged(vectors: Floats, owner: Ints) -> Floats:
    """Return the mean vector of each text, (n, d), from the vectors of its chunks; ``owner`` is ascending without gaps."""
    if not len(owner):
        return np.asarray(vectors, dtype=np.float64)
    sizes = np.bincount(owner)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    total = np.add.reduceat(np.asarray(vectors, dtype=np.float64), starts, axis=0)
    return np.asarray(total / sizes[:, None], dtype=np.float64)


def sampled(
    texts: Sequence[str], words: int, text_limit: int, rng: np.random.Generator
) -> Ints | None:
    """Return rows of texts drawn at random until they have ``text_limit`` chunks, ascending; None if all have no more."""
    # Long texts are counted without splitting them: words are at least two characters with the space.
    bounds = accumulate(len(text) // (2 * words) + 1 for text in texts)
    if all(bound <= text_limit for bound in bounds):
        return None
    order = rng.permutation(len(texts))
    sizes = (max(1, -(-len(texts[int(row)].split()) // words)) for row in order)
    # Texts behind the last that is drawn are not read.
    drawn = sum(1 for _ in takewhile(lambda total: total <= text_limit, accumulate(sizes)))
    return None if drawn == len(texts) else np.sort(order[: max(1, drawn)])


SMALL = 0.02
"""Upper limit of an absolute ``min_df``, as a share of the texts: otherwise small corpora would lose every word."""
_BATCH = 1 << 16
"""Characters counted at a time."""


def counts(
    texts: Sequence[str],
    *,
    min_df: int | float,
    max_df: int | float,
    features: int | None,
    tfidf: bool = False,
    binary: bool = False,
) -> tuple[Any, list[str]]:
    """Return a sparse (len(texts), v) matrix of word weights, and the v words in sorted order: as scikit-learn, but faster.

    A word is two letters or more, of any script, in lowercase, or a Chinese character.

    Parameters
    ----------
    min_df, max_df : int or float
        Minimum and maximum number of documents that contain a word; a float is a share. An integer ``min_df`` above
        ``SMALL`` of the texts is lowered to that.
    features : int, optional
        Keep this many words, those with the highest total count.

    Raises
    ------
    CorpusError
        If no word is left.
    """
    words, matrix = fitted(texts, min_df=min_df, max_df=max_df, features=features, binary=binary)
    return (words.weighed(matrix) if tfidf else matrix), words.names


def fitted(
    texts: Sequence[str],
    *,
    min_df: int | float,
    max_df: int | float,
    features: int | None,
    binary: bool = False,
) -> tuple[Words, Any]:
    """Return the words that ``counts`` keeps, and the sparse (len(texts), v) matrix of their counts."""
    if isinstance(min_df, int):
        min_df = max(1, min(min_df, int(SMALL * len(texts))))
    words = Words()
    matrix = words.counted(texts)
    if binary:
        matrix.data[:] = 1
    documents_with = np.bincount(matrix.indices, minlength=matrix.shape[1])
    least, most_documents = (
        bound if isinstance(bound, int) else bound * len(texts) for bound in (min_df, max_df)
    )
    columns = np.flatnonzero((documents_with >= max(least, 1)) & (documents_with <= most_documents))
    if features is not None and len(columns) > features:
        columns = columns[
            np.sort((-np.asarray(matrix.sum(axis=0)).ravel()[columns]).argsort()[:features])
        ]
    if not len(columns):
        raise CorpusError(
            "no word is left for comparing these texts",
            found=(
                f"{counted(len(texts), 'text')},"
                f" {counted(int(np.count_nonzero(documents_with)), 'word')}, min_df={min_df},"
                f" max_df={max_df}"
            ),
            fix="lower min_df or raise max_df, for example lsa(min_df=1, max_df=1.0)",
        )
    matrix = matrix[:, columns]
    words.keep(
        columns,
        np.log((1 + len(texts)) / (1.0 + np.bincount(matrix.indices, minlength=len(columns)))) + 1,
    )
    return words, matrix


SCRIPT = 100
"""Number of texts from which Raven recognises how words are separated."""


class Words:
    """Words by column of a matrix, at first all words, in sorted order.

    Thai, Lao, Khmer and Burmese words are found by ICU's dictionary (MissingPart without it).

    Attributes
    ----------
    names : list of str
    idf : (len(names),) float64
    """

    def __init__(self) -> None:
        # Here, for the command line names encoders without numba.
        from ravenbench.text.lexicon import LETTERS

        self._lexicon: Any = LETTERS.lexicon()
        self._segmenter: Any = None
        self.names: list[str] = []
        self.idf: Floats = np.zeros(0)

    def keep(self, columns: Ints, idf: Floats) -> None:
        """Keep only these columns, ascending, with their weights."""
        self.names = [self.names[i] for i in columns]
        self.idf = idf

    def counted(self, texts: Sequence[str]) -> Any:
        """Return counts of words, a sparse (len(texts), v) matrix with sorted columns, without words that have no column."""
        from scipy.sparse import csr_matrix

        from ravenbench.text.segmenters import ICU, writing_of

        if not self.names and writing_of(texts[:SCRIPT]) == "runs":
            self._segmenter = ICU()
            self._segmenter.require()
        blocks = [(np.empty(0, np.int32), np.empty(0, np.int32))]
        ends = [0]
        batch = list[str]()
        size = 0
        for number, text in enumerate(texts, start=1):
            batch.append(
                lowered(text) if self._segmenter is None else " ".join(self._segmenter.words(text))
            )
            size += len(batch[-1])
            if size > _BATCH or number == len(texts):
                bounds, ids, times = self._lexicon.count(batch)
                blocks.append((ids, times))
                ends += (bounds[1:] + ends[-1]).tolist()
                batch = []
                size = 0
        ids, times = map(np.concatenate, zip(*blocks, strict=True))
        if not self.names:
            self.names = sorted(self._lexicon.names(np.unique(ids)))
        column = np.full(len(self._lexicon), -1, np.int32)
        column[self._lexicon.ids(self.names)] = np.arange(len(self.names))
        columns = column[ids]
        known = columns >= 0
        pointers = np.concatenate([[0], np.cumsum(known)])[ends]
        shape = len(texts), len(self.names)
        matrix = csr_matrix((times[known].astype(np.int64), columns[known], pointers), shape=shape)
        matrix.sort_indices()
        return matrix

    def weighed(self, matrix: Any, *, sublinear: bool = False) -> Any:
        """Return counts (n, v) as tf-idf, rows of length 1; ``sublinear`` uses one plus the natural logarithm of a
        count."""
        weights = matrix.astype(np.float64)
        if sublinear:
            weights.data = np.log(weights.data) + 1
        weights.data *= self.idf[weights.indices]
        length = np.sqrt(np.asarray(weights.multiply(weights).sum(axis=1)).ravel())
        weights.data /= np.repeat(length, np.diff(weights.indptr))
        return weights


PART = 1_000
"""Number of texts encoded at a time if the corpus is too large for one matrix."""


@dataclass(eq=False, repr=False)
class LSA(Encoder):
    """Encodes a text as its sublinear tf-idf of words, reduced to few dimensions.

    Also called: latent semantic analysis, SVD.

    Latent semantic analysis (Deerwester et al. 1990), the default if nothing may be downloaded;
    the paper's own encoder is ``sbert``.

    Parameters
    ----------
    dimensions : int
        Number of dimensions; fewer if there are fewer words or texts.
    min_df, max_df : int or float
        Minimum and maximum number of texts (chunks) that contain a word; a float is a share.
    features : int
        Maximum number of words.
    window : int
        Words of a chunk.
    seed : int
    sample : int
        If the texts have more chunks than this, words and dimensions are learned from whole texts with about this many
        chunks, drawn at random, and all texts are then encoded part by part: memory does not grow with the corpus.
    """

    name = "lsa"

    dimensions: Size = 100
    seed: int = 0
    min_df: int | float = 3
    max_df: int | float = 0.3
    features: Size = 30000
    window: Size = 500
    sample: Size = 50_000

    def encode(self, texts: Sequence[str]) -> Floats:
        encoder = self.learn(texts)
        if encoder is not None:
            return np.concatenate(
                [encoder(texts[start : start + PART]) for start in range(0, len(texts), PART)]
            )
        chunks, owner = chunked(texts, self.window)
        return averaged(self._fit(chunks)[1](), owner)

    def learn(self, texts: Sequence[str]) -> Callable[[Sequence[str]], Floats] | None:
        rows = sampled(texts, self.window, self.sample, stream(self.seed, "lsa-sample"))
        if rows is None:
            return None
        encode, _ = self._fit(chunked([texts[int(row)] for row in rows], self.window)[0])

        def part(texts: Sequence[str]) -> Floats:
            chunks, owner = chunked(texts, self.window)
            return averaged(encode(chunks), owner)

        return part

    def _fit(self, chunks: list[str]) -> tuple[Callable[[list[str]], Floats], Callable[[], Floats]]:
        """Learn from chunks; return functions that encode further chunks, and these."""
        from threadpoolctl import threadpool_limits

        words, counted = fitted(
            chunks, min_df=self.min_df, max_df=self.max_df, features=self.features
        )
        weights = words.weighed(counted, sublinear=True)
        rank = min(self.dimensions, min(weights.shape) - 1)
        # One thread: the order of BLAS's sums, and so the last bits, would depend on their number.
        with threadpool_limits(1):
            axes = directions(weights, rank, self.seed).T if rank > 0 else None

        def encode(weights: Any) -> Floats:
            with threadpool_limits(1):
                return np.asarray(
                    weights.toarray() if axes is None else weights @ axes, dtype=np.float64
                )

        return (
            lambda texts: encode(words.weighed(words.counted(texts), sublinear=True))
        ), lambda: encode(weights)


def directions(matrix: Any, rank: int, seed: int) -> Floats:
    """Return, approximately, the right singular vectors of a sparse matrix (n, v) with the largest values, (rank, v).

    Uses seven power iterations on a random subspace (Halko et al. 2011), as scikit-learn's ``TruncatedSVD``, with the
    largest entry of each positive.
    """
    from sklearn.utils.extmath import randomized_svd

    axes = randomized_svd(matrix, rank, n_iter=7, random_state=seed, flip_sign=False)[2]
    largest = axes[np.arange(rank), np.abs(axes).argmax(axis=1)]
    return np.asarray(axes * np.sign(largest)[:, None], dtype=np.float64)


@dataclass(eq=False, repr=False)
class NMF(Encoder):
    """Encodes a text as its weights on non-negative components.

    One of the encoders of Sawatphol et al. 2024, §7.3, whose code keeps words in at least a tenth of the texts
    (``min_df=.1``), which leaves 109 words of 20 Newsgroups; here the default is an absolute 20, as for ``lda``.

    Parameters
    ----------
    components : int
        Number of components; fewer if there are fewer words or texts.
    min_df, max_df : int or float
        Minimum and maximum number of texts (chunks) that contain a word; a float is a share. The paper: .1 and .5.
    features : int
        Maximum number of words.
    window : int
        Words of a chunk.
    iterations : int
        Maximum number of updates (the paper's 2,000); it stops earlier after convergence.
    seed : int
        Seed of the random initial factors.
    """

    name = "nmf"

    components: Size = 50
    seed: int = 0
    min_df: int | float = 20
    max_df: int | float = 0.5
    features: Size = 5000
    window: Size = 500
    iterations: Size = 2000

    def encode(self, texts: Sequence[str]) -> Floats:
        from sklearn.decomposition import NMF as Factorisation
        from sklearn.exceptions import ConvergenceWarning
        from threadpoolctl import threadpool_limits

        chunks, owner = chunked(texts, self.window)
        weights, _ = counts(
            chunks, min_df=self.min_df, max_df=self.max_df, features=self.features, tfidf=True
        )
        rank = max(1, min(self.components, min(weights.shape)))
        # One thread: the last bits, and so the point of convergence, would depend on their number.
        with threadpool_limits(1), warnings.catch_warnings():
            # The number of iterations is a parameter: stopping there is what was asked.
            warnings.simplefilter("ignore", ConvergenceWarning)
            factors = Factorisation(
                rank, init="random", max_iter=self.iterations, random_state=self.seed
            )
            vectors = factors.fit_transform(weights)
        return averaged(vectors, owner)


@dataclass(eq=False, repr=False)
class LDA(Encoder):
    """Encodes a text as its proportions of latent topics.

    Also called: topic model, latent Dirichlet allocation.

    It uses binary word counts (Blei et al. 2003; Sawatphol et al. 2024, §7.3).

    Parameters
    ----------
    components : int
    min_df, max_df : int or float
        Minimum and maximum number of texts (chunks) that contain a word; a float is a share. The paper: .1 and .5.
    features : int
        Maximum number of words.
    window : int
        Words of a chunk.
    seed : int
    """

    name = "lda"

    components: Count = 50
    seed: int = 0
    min_df: int | float = 20
    max_df: int | float = 0.5
    features: Size = 5000
    window: Size = 500

    def encode(self, texts: Sequence[str]) -> Floats:
        from sklearn.decomposition import LatentDirichletAllocation
        from threadpoolctl import threadpool_limits

        chunks, owner = chunked(texts, self.window)
        present, _ = counts(
            chunks, min_df=self.min_df, max_df=self.max_df, features=self.features, binary=True
        )
        with threadpool_limits(1):
            model = LatentDirichletAllocation(self.components, random_state=self.seed)
            proportions = model.fit_transform(present)
        return averaged(proportions, owner)
