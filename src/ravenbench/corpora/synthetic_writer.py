"""How a synthetic author writes a document: the generating model of the synthetic corpus (docs/synthetic.md).

``synthetic_fast`` writes the same bytes quicker; this is what it is tested against.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np

from ravenbench.corpora.synthetic_language import FUNCTION_WORDS, HABITS, Words, invented_words
from ravenbench.randomness import stream
from ravenbench.types import Floats

GENERAL, SLOTS = 1200, 60
"""Content words of the whole language; words of one topic."""
FAMILY_SIZE = 3
_FUNCTION_SHARE, _HABIT_SHARE = 0.46, 0.04
_TOPIC_SHARE, _MOST_TOPIC = 0.22, 0.45
MARKS = np.array([".", "!", "?", "...", ";"])
_MARK_LOGITS = np.log([0.82, 0.04, 0.06, 0.03, 0.05])
JOINTS = np.array(["", ",", " -", ":"])
_JOINT_LOGITS = np.log([0.89, 0.09, 0.01, 0.01])
_WORD_TILT, _HABIT_TILT, _MARK_TILT, _LENGTH_TILT = 0.45, 1.2, 0.4, 0.2
_SLANT = 0.9
_LOUDER = np.log(4.0)
"""A loud word of a topic is four times as frequent as its others: a thousandth of all words in 20 families."""


@dataclass(frozen=True, eq=False)
class Habits:
    """An author's style: probabilities, shapes in brackets."""

    function: Floats
    """Of each function word (F,)."""
    habit: Floats
    """Of the second spelling of each pair (H,)."""
    mark: Floats
    """Of each sentence mark (5,)."""
    joint: Floats
    """Of each mark, or none, after a word (4,)."""
    sentence: float
    """Mean words a sentence."""


class Writer:
    """Writes documents; everything it draws depends on ``seed`` and the names of author, topic and document."""

    def __init__(
        self, seed: int, style: float, topic: float, families: float, topics: int, words: int, loud: int = 0
    ) -> None:
        self.seed, self.style, self.topic, self.topics, self.words = seed, style, topic, topics, words
        self._shared = round(families * SLOTS)
        self._loud = loud

    def document(self, number: int, author: int, topic: int) -> str:
        """Write the text that seed, dials and these three numbers determine."""
        rng = stream(self.seed, "synthetic-document", number)
        habits = self._draw_habits(author)
        n = self._length(rng)
        tokens = self._tokens(rng, n, habits, author, topic)
        ends = np.cumsum(3 + rng.poisson(max(habits.sentence - 3, 1), size=n // 3 + 1))
        last = np.zeros(n, dtype=bool)
        last[ends[ends < n] - 1] = True
        last[-1] = True
        first = np.roll(last, 1)
        joints = JOINTS[rng.choice(len(JOINTS), size=n, p=habits.joint)]
        marks = MARKS[rng.choice(len(MARKS), size=n, p=habits.mark)]
        tails = np.where(last, marks, joints)
        tokens = np.where(first, np.char.capitalize(tokens), tokens)
        return " ".join(np.char.add(tokens, tails).tolist())

    def _length(self, rng: np.random.Generator) -> int:
        return max(20, int(self.words * np.exp(0.3 * rng.standard_normal())))

    def _kinds(self) -> Floats:
        """The shares of the four kinds of word, (4,)."""
        topical = min(_TOPIC_SHARE * self.topic, _MOST_TOPIC)
        return np.array([_FUNCTION_SHARE, _HABIT_SHARE, topical, 1 - _FUNCTION_SHARE - _HABIT_SHARE - topical])

    def _tokens(self, rng: np.random.Generator, n: int, habits: Habits, author: int, topic: int) -> Words:
        kind = rng.choice(4, size=n, p=self._kinds())
        tokens = np.empty(n, dtype="U24")
        count = np.bincount(kind, minlength=4)
        tokens[kind == 0] = rng.choice(FUNCTION_WORDS, size=count[0], p=habits.function)
        pair = rng.integers(len(HABITS), size=count[1])
        second = rng.random(count[1]) < habits.habit[pair]
        tokens[kind == 1] = np.array(HABITS)[pair, second.astype(np.int64)]
        tokens[kind == 2] = self._topic_words(topic)[rng.choice(SLOTS, size=count[2], p=self._slant(author, topic))]
        tokens[kind == 3] = rng.choice(self._general, size=count[3], p=zipf(GENERAL, 0.6))
        return tokens

    def _draw_habits(self, author: int) -> Habits:
        rng = stream(self.seed, "synthetic-author", author)
        s = self.style
        function = np.log(zipf(len(FUNCTION_WORDS), 0.35)) + s * _WORD_TILT * rng.standard_normal(len(FUNCTION_WORDS))
        habit = 1 / (1 + np.exp(-s * _HABIT_TILT * rng.standard_normal(len(HABITS))))
        mark = _MARK_LOGITS + s * _MARK_TILT * rng.standard_normal(len(MARKS))
        joint = _JOINT_LOGITS + s * _MARK_TILT * rng.standard_normal(len(JOINTS))
        sentence = 14 * np.exp(s * _LENGTH_TILT * rng.standard_normal())
        return Habits(_softmax(function), habit, _softmax(mark), _softmax(joint), float(sentence))

    def _slant(self, author: int, topic: int) -> Floats:
        """An author's preferences (SLOTS,) among a topic's words; for words of the family, one for the family."""
        own = stream(self.seed, "synthetic-slant", author, "topic", topic).standard_normal(SLOTS)
        family = stream(self.seed, "synthetic-slant", author, "family", topic // FAMILY_SIZE).standard_normal(SLOTS)
        taste = np.where(np.arange(SLOTS) < self._shared, family, own)
        count = -(-self.topics // FAMILY_SIZE)
        loud = self._loud // count + (topic // FAMILY_SIZE < self._loud % count)
        louder = np.where(np.arange(SLOTS) < loud, _LOUDER, 0.0)
        return _softmax(np.log(zipf(SLOTS, 0.3)) + louder + self.topic * _SLANT * taste)

    def _topic_words(self, topic: int) -> Words:
        family, own = self._families[topic // FAMILY_SIZE], self._own[topic]
        words: Words = np.where(np.arange(SLOTS) < self._shared, family, own)
        return words

    @cached_property
    def _lexicon(self) -> tuple[Words, Words, Words]:
        families = -(-self.topics // FAMILY_SIZE)
        source = invented_words(self.seed)
        general = np.array(list(islice(source, GENERAL)))
        family = np.array(list(islice(source, families * SLOTS))).reshape(families, SLOTS)
        own = np.array(list(islice(source, self.topics * SLOTS))).reshape(self.topics, SLOTS)
        return general, family, own

    @property
    def _general(self) -> Words:
        return self._lexicon[0]

    @property
    def _families(self) -> Words:
        return self._lexicon[1]

    @property
    def _own(self) -> Words:
        return self._lexicon[2]


def zipf(n: int, exponent: float) -> Floats:
    weights: Floats = np.arange(2, n + 2, dtype=np.float64) ** -exponent
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def _softmax(logits: Floats) -> Floats:
    weights = np.exp(logits - logits.max())
    return np.asarray(weights / weights.sum(), dtype=np.float64)
