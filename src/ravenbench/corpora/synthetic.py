"""The embedded default corpus: seeded texts of which style, topic and their dependence are known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ravenbench.corpora.generated import Generated
from ravenbench.corpora.synthetic_writer import FAMILY_SIZE
from ravenbench.randomness import stream
from ravenbench.types import Corpus, Document, Labels


@dataclass(eq=False, repr=False)
class Synthetic(Generated):
    """A corpus drawn from a known model; docs/synthetic.md describes it.

    Document i has topic ``i mod topics`` and depends on (seed, dials, i) alone, so a prefix of a larger corpus
    is a smaller one. Topics come in families of three that share words. Column ``family`` holds the families.

    Parameters
    ----------
    documents, authors, topics : int
        How many in all; at most so many authors occur.
    words : int
        Median length of a document in words (at least 20).
    style : float
        How far authors differ in function words, spelling, punctuation and sentence length; 0 = not at all.
    topic : float
        How topical texts are, and how far authors differ in what they prefer within a topic; 0 = no topics.
    families : float
        Share of its words that a topic has in common with the others of its family, 0 to 1.
    dependence : float
        Share of documents written by authors at home in the topic's family, 0 (independent) to 1.
    loud : int
        Topic words that are as frequent as function words, shared out among the families: those rank alone takes for
        such.
    seed : int
        Everything else being equal, another seed is another language, other authors, other texts.

    Examples
    --------
    >>> corpus = Synthetic(documents=40, authors=8, topics=4).load()
    >>> len(corpus), len(corpus.topic.names)
    (40, 4)
    """

    name = "synthetic"
    # The words of all topics are in memory; longer documents are more than other readers take; a stronger author's
    # weights would be more than a float can hold.
    limits = {
        "documents": (1, 10**10),
        "authors": (1, 10**10),
        "topics": (1, 9_999),
        "words": (20, 10**6),
        "style": (0, 50),
        "topic": (0, 50),
        "families": (0, 1),
        "dependence": (0, 1),
        "loud": (0, 1_200),
        "seed": (-(2**63), 2**63 - 1),
    }

    documents: int = 3000
    authors: int = 300
    topics: int = 60
    words: int = 200
    style: float = 1.0
    topic: float = 1.0
    families: float = 0.8
    dependence: float = 0.7
    loud: int = 0
    seed: int = 0

    def stream(self, which: Iterable[int] | None = None) -> Iterator[Document]:
        """Write documents one by one, in bounded memory: those of these numbers, or all.

        Raises
        ------
        SpecError
            If a dial is out of range.
        """
        from ravenbench.corpora.synthetic_fast import FastWriter

        self.check()
        writer = FastWriter(self.seed, self.style, self.topic, self.families, self.topics, self.words, self.loud)
        homes = -(-self.topics // FAMILY_SIZE)
        for i in range(self.documents) if which is None else which:
            topic = i % self.topics
            family = topic // FAMILY_SIZE
            rng = stream(self.seed, "synthetic-byline", i)
            at_home = -(-(self.authors - family) // homes)
            if rng.random() < self.dependence and at_home > 0:
                author = family + homes * int(rng.integers(at_home))
            else:
                author = int(rng.integers(self.authors))
            yield Document(f"d{i:05d}", writer.document(i, author, topic), f"a{author:04d}", _topic(topic), "en")

    def functions(self) -> frozenset[str]:
        """The words that carry style and no content."""
        from ravenbench.corpora.synthetic_language import FUNCTION_WORDS, HABITS

        return frozenset([*FUNCTION_WORDS.tolist(), *(word for pair in HABITS for word in pair)])

    def load(self) -> Corpus:
        """Write the whole corpus, with column ``family`` (about a second at the defaults).

        Raises
        ------
        SpecError
            If a dial is out of range.
        """
        corpus = super().load()
        return replace(corpus, columns={"family": Labels.of(name[:-1] for name in corpus.topic if name)})


def _topic(number: int) -> str:
    """The name of a topic; ``f03b`` is the second topic of family 3."""
    return f"f{number // FAMILY_SIZE:02d}{chr(ord('a') + number % FAMILY_SIZE)}"
