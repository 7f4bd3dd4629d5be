"""One split of a fold: equalised documents, and pairs to learn from, to calibrate on and to test on (contract 6)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ravenbench.errors import CorpusError
from ravenbench.problems.base import PairRule, Pairs
from ravenbench.problems.calibration import Parts, by_author, by_topic
from ravenbench.problems.equalise import equalise
from ravenbench.randomness import stream
from ravenbench.types import Bools, Corpus, Ints

FEWEST = 10
"""Pairs of each class a calibration part must have; with fewer the next way of dividing is tried."""


@dataclass(frozen=True)
class Split:
    """What both halves of a fold are drawn with; ``code`` (n,) is the topic each document counts as, or −1."""

    corpus: Corpus
    code: Ints
    rule: PairRule
    documents: int | None
    share: float
    limit: int | None
    seed: int
    name: str

    def rows(self, of_topics: Ints, part: str) -> Ints:
        """Rows of equally many documents of each of these topics."""
        inside = np.flatnonzero(np.isin(self.code, of_topics))
        rng = stream(self.seed, "equalise", self.name, part)
        return inside[equalise(self.corpus.author.codes[inside], self.code[inside], self.documents, rng)]

    def draw(self, rows: Ints, part: str, limit: int | None) -> Pairs:
        """Draw pairs among these documents.

        Raises
        ------
        CorpusError
            If there are none, naming the fold and its part.
        """
        rng = stream(self.seed, "pairs", self.name, part)
        try:
            return self.rule.draw(rows, self.corpus.author.codes[rows], self.code[rows], rng, limit)
        except CorpusError as error:
            raise CorpusError(
                f"fold {self.name}, {part} documents: {error.problem}",
                found=error.found,
                expected=error.expected,
                fix=error.fix,
            ) from None

    def train(self, rows: Ints) -> tuple[Pairs, Bools | None, str, int]:
        """Training pairs, which of them to calibrate on, how they were divided, documents dropped."""
        author, topic = self.corpus.author.codes[rows], self.code[rows]
        ways = (
            ("topics", by_topic(author, topic, self.share, stream(self.seed, "calibration", self.name))),
            ("authors", by_author(author, self.share, stream(self.seed, "calibration-authors", self.name))),
        )
        for way, parts in ways:
            drawn = None if parts is None else self._both(rows, parts)
            if parts is not None and drawn is not None:
                return *joined(*drawn), way, parts.crossing
        return self.draw(rows, "training", self.limit), None, "cross-fit", 0

    def _both(self, rows: Ints, parts: Parts) -> tuple[Pairs, Pairs] | None:
        """Pairs to fit and to calibrate on, or None where either has too few of a class."""
        limits: tuple[int | None, int | None] = (None, None)
        if self.limit is not None:
            apart = max(2, round(self.share * self.limit))
            limits = (max(2, self.limit - apart), apart)
        drawn = []
        for mask, part, limit in ((parts.fit, "fitting", limits[0]), (parts.calibrate, "calibration", limits[1])):
            try:
                pairs = self.draw(rows[mask], part, limit)
            except CorpusError:
                return None
            if min(pairs.same.sum(), (~pairs.same).sum()) < FEWEST:
                return None
            drawn.append(pairs)
        return drawn[0], drawn[1]


def joined(fit: Pairs, apart: Pairs) -> tuple[Pairs, Bools]:
    """Join the pairs of both parts, and mark those to calibrate on."""
    dropped = {why: fit.dropped.get(why, 0) + apart.dropped.get(why, 0) for why in {**fit.dropped, **apart.dropped}}
    pairs = Pairs(
        np.concatenate([fit.known, apart.known]),
        np.concatenate([fit.questioned, apart.questioned]),
        np.concatenate([fit.same, apart.same]),
        dropped,
    )
    return pairs, np.arange(len(pairs)) >= len(fit)
