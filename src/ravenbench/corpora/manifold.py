"""A second synthetic corpus, of other mechanics than ``synthetic``: graded topics on a torus, one shared vocabulary."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ravenbench.corpora.generated import Generated
from ravenbench.corpora.manifold_writer import ManifoldWriter, cumulated, offset
from ravenbench.randomness import stream
from ravenbench.types import Document, Floats

_EVERYWHERE = 0.02
"""Weight of an author who is not at home near a topic, against 1 for one who lives on it."""


@dataclass(eq=False, repr=False)
class Manifold(Generated):
    """Seeded texts on topics that shade into each other, drawn from a known model.

    The model is in ``manifold_writer``.

    Document i has topic ``i mod topics`` and depends on (seed, dials, i) alone. Its author is drawn among those at
    home near the topic, so everyone writes on several topics that are alike.

    Parameters
    ----------
    documents, authors, topics : int
        How many in all; at most so many authors occur.
    words : int
        Median length of a document in words (at least 20).
    style : float
        How far authors differ in function words, sentence length, marks, numbers and typing; 0 = not at all.
    topic : float
        How sharply content words belong to places of the torus; 0 = no topics.
    interest : float
        Standard distance of an author's topics from home, as a share of the torus; smaller = narrower.
    drift : float
        How far the function words of all authors change along the torus; 0 = register does not depend on topic.
    loud : int
        Content words that are as frequent as function words: those rank alone takes for such.
    language : int, optional
        Seed of the words and of how each is used; ``seed`` unless given. Corpora of one language and other seeds are
        samples of one kind.
    seed : int
        Everything else being equal, another seed is another language, other topics, authors and texts.

    Examples
    --------
    >>> corpus = Manifold(documents=40, authors=8, topics=4).load()
    >>> len(corpus), len(corpus.topic.names)
    (40, 4)
    """

    name = "manifold"
    limits = {
        "documents": (1, 10**8),
        "authors": (1, 10**6),
        "topics": (1, 9_999),
        "words": (20, 10**6),
        "style": (0, 20),
        "topic": (0, 20),
        "interest": (0.001, 10),
        "drift": (0, 20),
        "loud": (0, 4_000),
        "language": (-(2**63), 2**63 - 1),
        "seed": (-(2**63), 2**63 - 1),
    }

    documents: int = 3000
    authors: int = 200
    topics: int = 60
    words: int = 200
    style: float = 1.0
    topic: float = 1.0
    interest: float = 0.15
    drift: float = 0.0
    loud: int = 0
    language: int | None = None
    seed: int = 0

    def stream(self) -> Iterator[Document]:
        """Write documents one by one, in bounded memory.

        Raises
        ------
        SpecError
            If a dial is out of range.
        """
        self.check()
        writer = self._writer()
        homes = np.array([writer.home(author) for author in range(self.authors)])

        @lru_cache(None)
        def writing_on(topic: int) -> Floats:
            away = (offset(homes, writer.places[topic]) ** 2).sum(axis=1)
            return cumulated(np.exp(-away / (2 * self.interest**2)) + _EVERYWHERE)

        for i in range(self.documents):
            topic = i % self.topics
            drawn = stream(self.seed, "manifold-byline", i).random()
            author = int(np.searchsorted(writing_on(topic), drawn, side="right"))
            yield Document(f"d{i:05d}", writer.document(i, author, topic), f"a{author:04d}", f"t{topic:04d}")

    def functions(self) -> frozenset[str]:
        """The words that carry style and no content."""
        return self._writer().functions

    def _writer(self) -> ManifoldWriter:
        language = self.seed if self.language is None else self.language
        return ManifoldWriter(
            self.seed, language, self.style, self.topic, self.drift, self.topics, self.words, self.loud
        )
