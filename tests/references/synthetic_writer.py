"""The synthetic writer word by word: what ``corpora.synthetic.Writer`` must write byte for byte."""

from __future__ import annotations

import numpy as np

from ravenbench.corpora.synthetic import (
    FUNCTION_WORDS,
    GENERAL,
    HABITS,
    JOINTS,
    MARKS,
    SLOTS,
    MadeUpAuthor,
    zipf,
)
from ravenbench.randomness import stream


class PlainWriter(MadeUpAuthor):
    """The same draws from the same streams, as numpy's ``Generator.choice`` makes them."""

    def document(self, number, author, topic):
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

    def _tokens(self, rng, n, habits, author, topic):
        kind = rng.choice(4, size=n, p=self._kinds())
        tokens = np.empty(n, dtype="U24")
        count = np.bincount(kind, minlength=4)
        tokens[kind == 0] = rng.choice(FUNCTION_WORDS, size=count[0], p=habits.function)
        pair = rng.integers(len(HABITS), size=count[1])
        second = rng.random(count[1]) < habits.habit[pair]
        tokens[kind == 1] = np.array(HABITS)[pair, second.astype(np.int64)]
        tokens[kind == 2] = self._topic_words(topic)[
            rng.choice(SLOTS, size=count[2], p=self._slant(author, topic))
        ]
        tokens[kind == 3] = rng.choice(self._lexicon[0], size=count[3], p=zipf(GENERAL, 0.6))
        return tokens
