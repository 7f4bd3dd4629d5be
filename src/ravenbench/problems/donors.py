"""Finds donors: texts that give content words to a questioned text, on the known texts' topic or far from it (ours).

In: ``ByContent`` or ``ByTopic``: a ``Splicer``, counts of content words (texts, 25) by letters (``splicing.LONGEST`` =
24 and more last), rows that may give content, ``Draws``, languages (``Labels`` or None); ``ByTopic`` also topics and
similarities (T, T), higher = more alike, or None; ``find``: a ``DonorQuery``, rows of one problem's known and
questioned texts, and of barred texts (the caller bars texts by the same authors).
Out: ``find`` returns ``DonorRows`` (rows from 0, up to ``TOGETHER`` = 4 of each: on topic, off topic, and off topic
again; the best first), or the reason (text) why there are none. Donors have the language of the questioned text.

If documents have topics, donors *on* topic have the known texts' most frequent topic, and
donors *off* topic have topics far from those of known and questioned texts: the least similar quarter of the other
topics (at least two), or any other topic if similarities are not given. If documents have no topics, they are
compared by the cosine of tf-idf weights of their content words: *on* are the best of up to ``NEAREST`` (6) texts that
are most similar to the known texts, *off* is the quarter least similar to known and questioned texts.

From up to ``TRIES`` (10) donors drawn at random (all of those *on* by content), Raven takes the donor that has, for most
places, a word of exactly the length of the word there; while places remain without a word, it adds up to three further
texts. The lengths of words are therefore the same in the three versions of a text, as far as possible.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from ravenbench.randomness import Draws
from ravenbench.text.splicing import Cut, Splicer
from ravenbench.types import Bools, Floats, Int32s, Ints, Labels

FAR = 0.25
"""Share of topics, or of documents, that count as far (the least similar)."""
TRIES = 10
"""Number of donors drawn; Raven takes those whose word lengths fit best."""
TOGETHER = 4
"""Maximum number of texts that give content together."""
NEAREST = 6
"""Documents that count as most similar to the known texts."""
FEWEST_WORDS = 5
"""Minimum content words of a donor; a questioned text needs as many content words and function words."""
MOST_CANDIDATES = 3_000
"""Maximum number of documents compared by content similarity (of more, a seeded sample), and of donors of a topic."""

NO_TOPIC = "the topic of the known texts or of the questioned text is not known"
NOBODY_ON = "no other author writes on the topic of the known texts"
NOBODY_LEFT = "fewer than three texts by other authors can give content"
NOBODY_OFF = "fewer than two other authors' texts are on topics far from both"


class DonorQuery(NamedTuple):
    """One problem: ``known`` (k,) and ``questioned`` rows, ``barred`` (b,) rows that may not give content."""

    id: str
    known: Ints
    questioned: int
    barred: Ints


class DonorRows(NamedTuple):
    """Rows of the donors on topic, off topic, and off topic again: up to ``TOGETHER`` each (by topic: each from one topic),
    the best first."""

    on: Ints
    off: Ints
    off2: Ints


class Donors(ABC):
    """Base of donor searches; the result depends on seed and problem, not on the order of problems.

    ``lengths`` (texts, LONGEST + 1) counts the content words of each text by number of letters; ``usable`` are rows that
    may give content.
    """

    by: str

    def __init__(
        self, splicer: Splicer, lengths: Int32s, usable: Ints, draws: Draws, language: Labels | None
    ) -> None:
        self.splicer = splicer
        self.draws = draws
        self._allowed = np.zeros(len(splicer.texts), dtype=np.bool_)
        self._allowed[usable] = True
        self._language = None if language is None else language.codes
        self._lengths = lengths

    @abstractmethod
    def find(self, query: DonorQuery) -> DonorRows | str:
        """Return the donors of a problem, or the reason why there are none."""

    def _open(self, query: DonorQuery) -> Bools:
        """Rows that may give content to this problem, in the language of its questioned text, (texts,)."""
        allowed: Bools = self._allowed.copy()
        if self._language is not None:
            allowed &= self._language == self._language[query.questioned]
        allowed[query.barred] = False
        allowed[query.known] = False
        allowed[query.questioned] = False
        return allowed

    def _fitting(self, rows: Ints, into: Cut) -> Ints:
        """Those of the rows that leave fewest places of ``into`` without a word of just their length, few of them."""
        from ravenbench.text.splicing_kernel import least_missing  # numba takes a while

        best: Ints = least_missing(self._lengths[rows], into.lengths.copy(), TOGETHER)
        return rows[best]


class ByTopic(Donors):
    """Donors by topics; ``similarity`` (T, T) of topics, higher = more alike, or None."""

    by = "topic"

    def __init__(
        self,
        splicer: Splicer,
        lengths: Int32s,
        usable: Ints,
        draws: Draws,
        language: Labels | None,
        topic: Labels,
        similarity: Floats | None,
    ) -> None:
        super().__init__(splicer, lengths, usable, draws, language)
        self._topic = topic.codes
        self._similarity = similarity
        code = topic.codes[usable]
        self._rows = [
            _limited(usable[code == topic_code], draws("transplant-topic", topic_code))
            for topic_code in range(len(topic.names))
        ]
        self._filled = np.flatnonzero([len(rows) > 0 for rows in self._rows])
        self._far: dict[tuple[int, int], Ints] = {}

    def find(self, query: DonorQuery) -> DonorRows | str:
        known = self._topic[query.known]
        known = known[known >= 0]
        about = int(self._topic[query.questioned])
        if not len(known) or about < 0:
            return NO_TOPIC
        topic = int(np.bincount(known).argmax())
        rng = self.draws("transplant", query.id)
        into = self.splicer.cut(query.questioned)
        allowed = self._open(query)
        donor_same = self._draw(topic, allowed, rng)
        if not len(donor_same):
            return NOBODY_ON
        chosen = [self._fitting(donor_same, into)]
        # A second round lets a topic give twice, though never the same text, where there are too few.
        for far in 2 * rng.permutation(self._far_from(topic, about)).tolist():
            rows = self._draw(far, allowed, rng)
            if len(rows):
                chosen.append(self._fitting(rows, into))
                allowed[chosen[-1]] = False
            if len(chosen) == 3:
                return DonorRows(*chosen)
        return NOBODY_OFF

    def _draw(self, topic: int, allowed: Bools, rng: np.random.Generator) -> Ints:
        rows = self._rows[topic]
        rows = rows[allowed[rows]]
        return (
            rows
            if len(rows) <= TRIES
            else rows[rng.choice(len(rows), TRIES, replace=False, shuffle=False)]
        )

    def _far_from(self, left_topic: int, right_topic: int) -> Ints:
        """Topics with documents that are far from both."""
        far = self._far.get((left_topic, right_topic))
        if far is None:
            far = self._filled[(self._filled != left_topic) & (self._filled != right_topic)]
            if self._similarity is not None and len(far):
                near = np.maximum(
                    self._similarity[far, left_topic], self._similarity[far, right_topic]
                )
                far = far[np.argsort(near, kind="stable")[: max(2, round(FAR * len(far)))]]
            self._far[left_topic, right_topic] = far
        return far


class ByContent(Donors):
    """Donors by the cosine of tf-idf weights of content words."""

    by = "content similarity"

    def __init__(
        self, splicer: Splicer, lengths: Int32s, usable: Ints, draws: Draws, language: Labels | None
    ) -> None:
        super().__init__(splicer, lengths, usable, draws, language)
        self._candidates = _limited(usable, draws("transplant-candidates"))
        self._weight = np.zeros(0)
        self._matrix = None
        self._matrix = self._vectors(self._candidates) if len(self._candidates) else None

    def find(self, query: DonorQuery) -> DonorRows | str:
        if self._matrix is None:
            return NOBODY_LEFT
        vectors = self._vectors(np.concatenate([query.known, [query.questioned]]))
        similarities = np.asarray((self._matrix @ vectors.T).todense())
        to_known = similarities[:, :-1].mean(axis=1)
        to_questioned = similarities[:, -1]
        open_places = np.flatnonzero(self._open(query)[self._candidates])
        if len(open_places) < 3:
            return NOBODY_LEFT
        rng = self.draws("transplant", query.id)
        into = self.splicer.cut(query.questioned)
        near = open_places[np.argsort(-to_known[open_places], kind="stable")[:NEAREST]]
        apart = np.maximum(to_known, to_questioned)[open_places]
        # Many share no word at all with either; chance decides among them.
        far = open_places[
            np.lexsort((rng.random(len(open_places)), apart))[
                : max(2, round(FAR * len(open_places)))
            ]
        ]
        chosen = [self._fitting(self._candidates[near[: max(1, len(open_places) // 3)]], into)]
        remaining = self._candidates[far]
        while len(chosen) < 3:
            remaining = remaining[~np.isin(remaining, np.concatenate(chosen))]
            if not len(remaining):
                return NOBODY_LEFT
            # So many are tried that as many are left for the other.
            tries = min(TRIES, max(1, len(remaining) // (4 - len(chosen))))
            chosen.append(
                self._fitting(
                    remaining[rng.choice(len(remaining), tries, replace=False, shuffle=False)], into
                )
            )
        return DonorRows(*chosen)

    def _vectors(self, rows: Ints):  # type: ignore[no-untyped-def]
        """Unit vectors of sublinear tf-idf weights, sparse (rows, words); idf is that of the candidates."""
        from scipy.sparse import csr_array

        bounds, words, width = self.splicer.content_counts(rows.tolist())
        counts = csr_array((np.ones(len(words)), words, bounds), shape=(len(rows), width))
        counts.sum_duplicates()
        if self._matrix is None:
            document_counts = np.bincount(counts.indices, minlength=width)
            self._weight = np.log((1 + len(rows)) / (1 + document_counts))
        else:
            width = len(self._weight)
            counts = counts[:, :width] if counts.shape[1] > width else counts
        counts.data = (1 + np.log(counts.data)) * self._weight[counts.indices]
        length = np.sqrt(np.asarray(counts.multiply(counts).sum(axis=1)).ravel())
        counts.data /= np.repeat(np.where(length > 0, length, 1.0), np.diff(counts.indptr))
        return counts


def _limited(rows: Ints, rng: np.random.Generator) -> Ints:
    """At most ``MOST_CANDIDATES`` of the rows, in ascending order."""
    return (
        rows
        if len(rows) <= MOST_CANDIDATES
        else np.sort(rng.choice(rows, MOST_CANDIDATES, replace=False))
    )
