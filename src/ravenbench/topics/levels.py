"""Takes a corpus at a level of topic, keeps topics with enough documents, and computes their similarities.

In: a ``Corpus``; ``at_level``: a level's name and the levels of the catalogue (name to spec); ``keep_topics``: a minimum
number of documents; ``by_authors``: ``Draws``; ``topic_similarity``: an encoder; ``document_vectors``: encoder,
``TextTable``, rows; ``topic_vectors``: vectors (n, d), topic codes (n,), −1 = left out, the number T of topics.
Out: a ``Corpus`` with that topic (``at_level`` also returns True if it was extracted; ``keep_topics``, ``by_authors``);
``document_vectors`` (n, d) and ``topic_vectors`` (T, d); ``topic_similarity`` cosines (T, T) from −1 to 1, higher =
more alike; ``has_no_topics`` bool; ``kept_in`` a cache folder. CorpusError for an unknown level or a topic without
documents, SpecError for a level that does not parse.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from ravenbench import registry
from ravenbench.components import identity_hash, parts
from ravenbench.errors import CorpusError, did_you_mean
from ravenbench.files import cache_folder, code_of, kept_array, make_room
from ravenbench.randomness import Draws
from ravenbench.reading.account import ACCOUNT, Note
from ravenbench.reading.kept import HOME
from ravenbench.texts import TextTable
from ravenbench.topics.encoders import Encoder
from ravenbench.types import Corpus, Floats, Ints, Labels

BLOCK = 256


def topic_vectors(
    document_vectors: Floats, codes: Ints, topics: int, normalise: bool = True
) -> Floats:
    """Return the mean document vector of each topic, shape (topics, d).

    Parameters
    ----------
    document_vectors : (n, d)
    codes : (n,) int
        Topic of each document; −1 leaves it out.
    topics : int
    normalise : bool
        Scale documents to unit length first, as in the paper's code (Eq. 1 does not say so).

    Raises
    ------
    CorpusError
        If a topic has no document.
    """
    from scipy.sparse import csr_array

    known = np.flatnonzero(codes >= 0)
    counts = np.bincount(codes[known], minlength=topics)
    if (counts == 0).any():
        empty = int(np.argmin(counts))
        raise CorpusError(
            f"topic number {empty} has no document, so it has no vector",
            expected="at least one for each topic",
        )
    vectors = np.asarray(document_vectors[known], dtype=np.float64)
    if normalise:
        vectors = unit_length(vectors)
    member = csr_array(
        (1.0 / counts[codes[known]], (codes[known], np.arange(len(known)))),
        shape=(topics, len(known)),
    )
    return np.asarray(member @ vectors, dtype=np.float64)


def cosine_similarity(vectors: Floats) -> Floats:
    """Return the cosine of each pair of rows, (T, T): exactly symmetric, in [−1, 1], 1 on the diagonal, 0 for a zero row."""
    scaled = unit_length(vectors)
    similarity: Floats = scaled @ scaled.T
    np.clip(similarity, -1.0, 1.0, out=similarity)
    # The upper triangle is copied down block by block, which stays in the cache.
    for start in range(0, len(similarity), BLOCK):
        end = start + BLOCK
        corner = similarity[start:end, start:end]
        corner[:] = np.triu(corner) + np.triu(corner, 1).T
        for right in range(end, len(similarity), BLOCK):
            similarity[right : right + BLOCK, start:end] = similarity[
                start:end, right : right + BLOCK
            ].T
    np.fill_diagonal(similarity, 1.0)
    return similarity


def unit_length(vectors: Floats) -> Floats:
    """Return rows (n, d) scaled to length 1; a zero row stays zero."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: Floats = np.divide(
        vectors, length, out=np.zeros_like(vectors, dtype=np.float64), where=length > 0
    )
    return scaled


FORMAT = 1
LARGE = 2**20
"""Bytes of texts above which vectors, and topics found in the texts, are stored in the cache folder."""
MOST = 2 * 2**30
"""Maximum size in bytes of all of them."""
PART = 2_000


def document_vectors(encoder: Encoder, texts: TextTable, rows: Ints) -> Floats:
    """Return vectors of these rows, (len(rows), d) float64; those of all but small corpora are stored in the cache folder.

    The cache finds vectors by the encoder, the versions of the code that computes them, and the texts; a part written by
    another version, or damaged, is not read, and what cannot be written is not stored.
    """
    view = texts.view(rows)
    if int((texts.offsets[rows + 1] - texts.offsets[rows]).sum()) < LARGE:
        return encoder.encode(view)
    learned = cache(lambda: encoder.learn(view))
    vectors_of_all = cache(lambda: encoder.encode(view))

    def part(start: int) -> Floats:
        encode = learned()
        return (
            vectors_of_all()[start : start + PART]
            if encode is None
            else encode(view[start : start + PART])
        )

    folder = kept_in(encoder, texts, rows)
    return np.concatenate(
        [
            kept_array(folder, f"{start // PART:06d}-", partial(part, start))
            for start in range(0, len(rows), PART)
        ]
    )


def kept_in(maker: Any, texts: TextTable, rows: Ints) -> Path:
    """Return the cache folder for what an encoder or a topic extractor makes of these rows."""
    folder = cache_folder() / "vectors"
    with suppress(OSError):
        make_room(folder.iterdir(), MOST)
    return folder / _parts_key(maker, texts, rows)


def _parts_key(encoder: Encoder, texts: TextTable, rows: Ints) -> str:
    files = [
        getattr(sys.modules.get(type(component).__module__), "__file__", None)
        for component in parts(encoder)
    ]
    folders = [Path(file).parent for file in files if file]
    code = code_of(*dict.fromkeys([*folders, HOME / "topics", HOME / "text"]))
    tools = [FORMAT, code, *(version(name) for name in ("numpy", "scipy", "scikit-learn"))]
    texts_hash = hashlib.sha256(texts.hashes[rows].tobytes()).hexdigest()
    return f"{identity_hash(encoder)}-{identity_hash([tools, texts_hash])}"


def at_level(corpus: Corpus, level: str, levels: Mapping[str, str]) -> tuple[Corpus, bool]:
    """Return the corpus at a level of topic, and whether that level had to be extracted from the texts.

    ``level`` is a column, a level of the catalogue entry, or a component such as
    ``extract(within='group', clusters=5)``.
    """
    text = levels.get(level, level)
    if text == corpus.notes.get("columns", {}).get("topic"):
        text = "topic"
    if text in corpus.columns or text == "topic":
        return corpus.at(text), False
    if "(" not in text and text not in registry.names("topics"):
        known = ["topic", *corpus.columns, *levels]
        raise CorpusError(
            f"corpus {corpus.name} has no topic level {level!r}",
            expected="one of: " + ", ".join(known),
            fix=did_you_mean(level, known),
        )
    return replace(corpus, topic=_extracted(registry.parse("topics", text), corpus)), True


def _extracted(topics: Any, corpus: Corpus) -> Labels:
    """Topics found in the texts, of all but small corpora kept in the cache folder as vectors are."""
    if corpus.texts.offsets[-1] < LARGE:
        labels: Labels = topics.labels(corpus)
        return labels
    labelled = [
        corpus.digest(),
        *((name, labels.codes.tolist()) for name, labels in sorted(corpus.columns.items())),
    ]
    folder = kept_in(topics, corpus.texts, np.arange(len(corpus.texts)))
    names = kept_array(
        folder,
        identity_hash(labelled),
        lambda: np.array([label or "" for label in topics.labels(corpus)]),
    )
    return Labels.of(name or None for name in names.tolist())


MOST_GROUPS = 10
LEAST_AUTHORS = 2
_GROUP = re.compile(r"authors \d\d")


def has_no_topics(corpus: Corpus, level: str) -> bool:
    """Return whether the corpus has no topics at a level: the level is "none", or no text has a topic."""
    return level == "none" or (level == "topic" and not (corpus.topic.codes >= 0).any())


def parted_by(names: Sequence[str]) -> str:
    """Return what the parts of a corpus are: topics, or groups of authors instead of topics (``by_authors``)."""
    return "groups of authors" if names and all(map(_GROUP.fullmatch, names)) else "topics"


def by_authors(corpus: Corpus, draws: Draws) -> Corpus:
    """Return the corpus with groups of authors instead of topics, so that folds test authors from whom nothing was learned.

    Each group has at least two authors of several texts, if there are enough. The corpus' account says so."""
    counts = corpus.author.counts()
    several = np.flatnonzero(counts >= 2)
    groups = max(2, min(MOST_GROUPS, len(several) // LEAST_AUTHORS))
    order = draws("groups-of-authors").permutation(len(counts))
    order = order[
        np.argsort(counts[order] < 2, kind="stable")
    ]  # those of several texts are dealt out first
    group = np.empty(len(counts), dtype=np.int64)
    group[order] = np.arange(len(counts)) % groups
    names = tuple(f"authors {number:02d}" for number in range(1, groups + 1))
    codes = np.where(corpus.author.codes >= 0, group[corpus.author.codes], -1)
    account = [*corpus.notes.get(ACCOUNT, ()), Note("no-topics", groups)]
    return replace(corpus, topic=Labels(codes, names), notes={**corpus.notes, ACCOUNT: account})


def keep_topics(corpus: Corpus, min_docs: int) -> Corpus:
    """Return the corpus in which documents of topics with fewer than ``min_docs`` have no topic (code −1); all documents
    stay."""
    counts = corpus.topic.counts()
    frequent = np.flatnonzero(counts >= min_docs)
    code_of = np.full(len(counts) + 1, -1, dtype=np.int64)
    code_of[frequent] = np.arange(len(frequent))
    names = tuple(corpus.topic.names[i] for i in frequent)
    return replace(corpus, topic=Labels(code_of[corpus.topic.codes], names))


def topic_similarity(corpus: Corpus, encoder: Any) -> Floats:
    """Return the cosine similarity of topic vectors (Eq. 1), shape (T, T), from −1 to 1."""
    rows = np.flatnonzero(corpus.topic.codes >= 0)
    vectors = document_vectors(encoder, corpus.texts, rows)
    return cosine_similarity(
        topic_vectors(vectors, corpus.topic.codes[rows], len(corpus.topic.names))
    )
