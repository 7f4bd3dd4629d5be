"""A second synthetic corpus, of other mechanics than ``synthetic``: graded topics on a torus, one shared vocabulary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from benchmarks.lab.spelling import LANGUAGE, Spelt
from ravenbench.corpora.synthetic import cumulated, drawn_places
from ravenbench.randomness import stream
from ravenbench.types import Document, Floats, Ints

CONTENT, FUNCTIONS = 4_000, 140
"""Content words and function words of the language."""
MARKS = np.array([".", "!", "?", "..."])
JOINTS = np.array(["", ",", ";", " -"])
_MARK_LOGITS = np.log([0.86, 0.04, 0.06, 0.04])
_JOINT_LOGITS = np.log([0.88, 0.09, 0.01, 0.02])
_FUNCTION_TILT, _SHARE_TILT, _MARK_TILT, _LENGTH_TILT = 0.35, 0.12, 0.5, 0.2
_DRIFT_TILT = 0.5
_LEAN, _SCATTER = 0.5, 0.03
_SHARPEST = 30.0
_LOUD_BASE, _LOUD_SHARPNESS = 75.0, 3.0
"""A loud word is some two thousandths of all words, and seventeen times as frequent at its point."""
_CONSONANTS, _VOWELS = list("bcdfghjklmnpqrtvwxz"), list("aeiouy")

Words = NDArray[np.object_]


@dataclass(frozen=True, eq=False)
class ManifoldHabits:
    """An author's style: log-odds of function words (FUNCTIONS,) and of a function word against a content word,
    cumulated shares of sentence marks and of marks inside a sentence, mean words a sentence, shares of sentences begun
    in lowercase, of double spaces and of numbers."""

    function: Floats
    share: float
    mark: Floats
    joint: Floats
    sentence: float
    lowercase: float
    double: float
    number: float


class ManifoldWriter:
    """Writes documents; what it draws depends on ``seed`` and the names of author, topic and document, words and their
    laws on ``language``."""

    def __init__(
        self,
        seed: int,
        language: int,
        style: float,
        topic: float,
        drift: float,
        topics: int,
        words: int,
        loud: int = 0,
    ) -> None:
        self.seed, self.language = seed, language
        self.style, self.topic, self.drift, self.words, self.loud = style, topic, drift, words, loud
        self.places = stream(seed, "manifold-topics").random((topics, 2))
        self.habits = lru_cache(8_192)(self._draw_habits)

    def home(self, author: int) -> Floats:
        """Where an author is at home, (2,)."""
        return stream(self.seed, "manifold-home", author).random(2)

    def document(self, number: int, author: int, topic: int) -> str:
        """One text: a function of seed, dials and these three numbers."""
        rng = stream(self.seed, "manifold-document", number)
        place = self.places[topic]
        place = place + _LEAN * offset(self.home(author), place) + _SCATTER * rng.standard_normal(2)
        habits = self.habits(author)
        n = max(20, int(self.words * np.exp(0.3 * rng.standard_normal())))
        is_function = rng.random(n) < 1 / (1 + np.exp(-habits.share))
        tokens = np.empty(n, dtype=object)
        tokens[is_function] = self._functions[
            draw(self._function_shares(habits, place), rng, is_function.sum())
        ]
        tokens[~is_function] = self._contents[
            draw(self._content_shares(place), rng, n - is_function.sum())
        ]
        numbers = rng.random(n) < habits.number
        tokens[numbers] = rng.integers(2, 2_000, numbers.sum()).astype(str)
        return self._punctuated(tokens, habits, rng)

    def _punctuated(
        self, tokens: NDArray[np.object_], h: ManifoldHabits, rng: np.random.Generator
    ) -> str:
        n = len(tokens)
        lengths = np.maximum(3, h.sentence * np.exp(0.5 * rng.standard_normal(n // 3 + 1))).astype(
            np.int64
        )
        last = np.zeros(n, dtype=np.bool_)
        ends = np.cumsum(lengths)
        last[ends[ends < n] - 1] = True
        last[-1] = True
        first = np.roll(last, 1)
        tails = np.where(last, MARKS[draw(h.mark, rng, n)], JOINTS[draw(h.joint, rng, n)])
        gaps = np.where(last & (rng.random(n) < h.double), "  ", " ")
        big = first & (rng.random(n) >= h.lowercase)
        pieces = [
            (word.capitalize() if upper else word) + tail + gap
            for word, upper, tail, gap in zip(tokens, big, tails, gaps, strict=True)
        ]
        return "".join(pieces).rstrip()

    def _function_shares(self, h: ManifoldHabits, place: Floats) -> Floats:
        logits = h.function
        if self.drift:
            logits = logits + self.drift * _DRIFT_TILT * (self._loadings @ _waves(place))
        return cumulated(np.exp(logits))

    def _content_shares(self, place: Floats) -> Floats:
        """The nearer a word's point the likelier; sharp words much more so, dull ones hardly."""
        base, points, sharpness = self._content_laws
        nearness = np.cos(2 * np.pi * (points - place)).sum(axis=1) - 2
        return cumulated(base * np.exp(self.topic * sharpness * nearness))

    def _draw_habits(self, author: int) -> ManifoldHabits:
        rng = stream(self.seed, "manifold-author", author)
        s = self.style
        function = self._function_law + s * _FUNCTION_TILT * rng.standard_normal(FUNCTIONS)
        mark = _MARK_LOGITS + s * _MARK_TILT * rng.standard_normal(len(MARKS))
        joint = _JOINT_LOGITS + s * _MARK_TILT * rng.standard_normal(len(JOINTS))
        odds = np.array([-2.5, -2.0, -3.8]) + s * np.array([1.2, 1.5, 0.6]) * rng.standard_normal(3)
        lowercase, double, number = 1 / (1 + np.exp(-odds))
        share = 0.05 + s * _SHARE_TILT * rng.standard_normal()
        sentence = 15 * np.exp(s * _LENGTH_TILT * rng.standard_normal())
        marks, joints = cumulated(np.exp(mark)), cumulated(np.exp(joint))
        return ManifoldHabits(
            function, share, marks, joints, float(sentence), lowercase, double, number
        )

    @cached_property
    def _content_laws(self) -> tuple[Floats, Floats, Floats]:
        rng = stream(self.language, "manifold-vocabulary")
        base = np.exp(1.1 * rng.standard_normal(CONTENT))
        points, sharpness = rng.random((CONTENT, 2)), _SHARPEST * rng.random(CONTENT) ** 2
        base[: self.loud], sharpness[: self.loud] = _LOUD_BASE, _LOUD_SHARPNESS
        return base, points, sharpness

    @cached_property
    def _function_law(self) -> Floats:
        return np.asarray(-0.9 * np.log(np.arange(FUNCTIONS) + 4.0), dtype=np.float64)

    @cached_property
    def _loadings(self) -> Floats:
        return stream(self.language, "manifold-drift").standard_normal((FUNCTIONS, 4))

    @cached_property
    def _lexicon(self) -> Words:
        """Distinct words, function words first: one or two syllables; content words have two to four."""
        rng = stream(self.language, "manifold-words")
        lexicon: dict[str, None] = {}
        while len(lexicon) < FUNCTIONS + CONTENT:
            many = 1 + rng.integers(2) if len(lexicon) < FUNCTIONS else 2 + rng.integers(3)
            syllables = [
                _CONSONANTS[rng.integers(len(_CONSONANTS))] + _VOWELS[rng.integers(len(_VOWELS))]
                for _ in range(many)
            ]
            tail = _CONSONANTS[rng.integers(len(_CONSONANTS))] if rng.random() < 0.4 else ""
            lexicon.setdefault("".join(syllables) + tail)
        return np.array(list(lexicon), dtype=object)

    @property
    def vocabulary(self) -> tuple[list[str], list[str]]:
        """The function words of the language, the most frequent first, and its content words."""
        return self._functions.tolist(), self._contents.tolist()

    def groups(self) -> list[tuple[str, list[str]]]:
        """Content words by the square of the torus, one of 64, in which each is at home, and its name."""
        place = (8 * self._content_laws[1]).astype(int)
        found = dict[str, list[str]]()
        for (x, y), word in zip(place.tolist(), self._contents.tolist(), strict=True):
            found.setdefault(f"{x} {y}", []).append(word)
        return [*found.items()]

    @property
    def _functions(self) -> Words:
        return self._lexicon[:FUNCTIONS]

    @property
    def _contents(self) -> Words:
        return self._lexicon[FUNCTIONS:]


def offset(a: Floats, b: Floats) -> Floats:
    """The shortest way from b to a on the torus of circumference 1."""
    return np.asarray((a - b + 0.5) % 1.0 - 0.5, dtype=np.float64)


def draw(shares: Floats, rng: np.random.Generator, count: int) -> Ints:
    """So many places, drawn by cumulated shares."""
    return drawn_places(shares, rng.random(count))


def _waves(place: Floats) -> Floats:
    angle = 2 * np.pi * place
    return np.concatenate([np.cos(angle), np.sin(angle)])


_EVERYWHERE = 0.02
"""Weight of an author who is not at home near a topic, against 1 for one who lives on it."""


@dataclass(eq=False, repr=False)
class Manifold(Spelt):
    """Seeded texts on topics that shade into each other, drawn from a known model.

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
    script : str
        How texts are written: "latin", or "unspaced", "suffixes", "rtl", "clitics", "prefixes" (docs/languages.md).
    traces : int
        1: topic shows in names, their lengths, numbers and addresses too.
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
        "traces": (0, 1),
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
    script: str = "latin"
    traces: int = 0
    language: int | None = None
    seed: int = 0

    def stream(self) -> Iterator[Document]:
        """Write documents one by one, in bounded memory. SpecError if a dial is out of range."""
        self.check()
        writer, (write, _), language = self._writer(), self.spelling(), LANGUAGE.get(self.script)
        homes = np.array([writer.home(author) for author in range(self.authors)])

        @lru_cache(None)
        def writing_on(topic: int) -> Floats:
            away = (offset(homes, writer.places[topic]) ** 2).sum(axis=1)
            return cumulated(np.exp(-away / (2 * self.interest**2)) + _EVERYWHERE)

        for i in range(self.documents):
            topic = i % self.topics
            drawn = stream(self.seed, "manifold-byline", i).random()
            author = int(np.searchsorted(writing_on(topic), drawn, side="right"))
            text = write(writer.document(i, author, topic))
            yield Document(f"d{i:05d}", text, f"a{author:04d}", f"t{topic:04d}", language)

    def vocabulary(self) -> tuple[Sequence[str], Sequence[str]]:
        return self._writer().vocabulary

    def groups(self) -> list[tuple[str, list[str]]]:
        return self._writer().groups()

    def _writer(self) -> ManifoldWriter:
        language = self.seed if self.language is None else self.language
        return ManifoldWriter(
            self.seed,
            language,
            self.style,
            self.topic,
            self.drift,
            self.topics,
            self.words,
            self.loud,
        )
