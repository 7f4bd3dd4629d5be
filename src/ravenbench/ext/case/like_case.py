"""Makes background pairs like a case: as many known texts, of the same lengths, by authors at hand (ours).

In: texts, topics and documents (n,) of background authors, a ``Shape`` (counts of words of known texts and questioned
one), a seed.
Out: ``portions`` (pieces of documents), ``writer``: ``AuthorTexts`` of one author, and ``pairs``: a list of
``SidePair`` (author and number of each side, from 0; ``same`` where one author wrote both). ``rounded``, ``shape_of``
and ``shorter`` give lengths in words.

A case has known texts of certain lengths and a questioned text of a certain length: its *shape*. From the background
every author with texts enough gives problems of that shape. A text that is too long is cut; one that is too short is
joined with another by the same author where there is none long enough; a very long one gives several portions. Known
and questioned side never share a document. The questioned text of a different-author problem is also that of
same-author problems of its author.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ravenbench.randomness import stream
from ravenbench.text.tokens import count_words, cut
from ravenbench.types import Bools, Floats, Ints

MOST_KNOWN = 6
"""Maximum number of known texts of a shape; further texts are joined."""
LEAST_FILLED = 0.8
"""A background text must have this proportion of a wanted length."""
MOST_PORTIONS = 6
"""Maximum number of portions from one long document."""
QUESTIONED_EACH = 5
"""Questioned texts by one author."""


class Shape(NamedTuple):
    """Numbers of words: of the known texts, longest first, and of the questioned text."""

    known: tuple[int, ...]
    questioned: int


class Portion(NamedTuple):
    """Words of a document: text, length in words, document, and topic number (−1 unknown)."""

    text: str
    words: int
    document: int
    topic: int


class ProblemSide(NamedTuple):
    """Texts of one side of a problem, with their documents and topics."""

    texts: tuple[str, ...]
    documents: frozenset[int]
    topics: frozenset[int]


@dataclass(frozen=True)
class AuthorTexts:
    """Texts of an author: known sides, questioned sides, and (known, questioned) numbers of same-author problems."""

    author: int
    known: tuple[ProblemSide, ...]
    questioned: tuple[ProblemSide, ...]
    own: tuple[tuple[int, int], ...]


def rounded(words: int) -> int:
    """Round a length in words to a grid of factor 2^(1/4), so that cases of similar shapes share background pairs."""
    return round(math.pow(2.0, round(4 * math.log2(max(words, 1))) / 4))


def shape_of(known: Sequence[int], questioned: int) -> Shape:
    """Return the shape of a case with known texts of these lengths."""
    return Shape(tuple(sorted((rounded(n) for n in known), reverse=True)), rounded(questioned))


def shorter(shape: Shape, most: int) -> Shape:
    """Return the shape with no text longer than ``most`` words."""
    return Shape(tuple(min(n, most) for n in shape.known), min(shape.questioned, most))


def portions(texts: Sequence[str], topics: Ints, documents: Ints, longest: int) -> list[Portion]:
    """Return portions of one author's documents: a document over twice the longest wanted length gives several, evenly
    spaced."""
    cuts = []
    for text, topic, document in zip(texts, topics.tolist(), documents.tolist(), strict=True):
        words = count_words(text)
        pieces = words // max(longest, 1)
        if pieces < 2:
            cuts.append(Portion(text, words, document, topic))
            continue
        for number in range(min(pieces, MOST_PORTIONS)):
            start = number * (words - longest) // max(min(pieces, MOST_PORTIONS) - 1, 1)
            cuts.append(Portion(cut(text, longest, start), longest, document, topic))
    return cuts


Fits = Callable[[int, int], bool]
"""Whether texts with these two topics may be on the known and on the questioned side of one problem."""


def writer(
    author: int,
    portions: Sequence[Portion],
    shape: Shape,
    seed: int,
    most: int = QUESTIONED_EACH,
    fits: Fits | None = None,
) -> AuthorTexts:
    """Return what an author's portions give in this shape; sides are left out if there are too few texts or these are
    too short. With ``fits`` the topics of both sides of same-author problems fit each other."""
    drawn = stream(seed, "like-case", author, len(portions)).permutation(len(portions)).tolist()
    # One portion of each document before the second of any.
    earlier = [
        sum(portions[j].document == portions[i].document for j in drawn[:n])
        for n, i in enumerate(drawn)
    ]
    order = [i for _, i in sorted(zip(earlier, drawn, strict=True), key=lambda pair: pair[0])]
    questioned = list[ProblemSide]()
    own = list[tuple[int, int]]()
    place = dict[ProblemSide, int]()
    for i in order:
        if len(questioned) == most:
            break
        target = _fill(
            [shape.questioned],
            [portions[i], *(portions[j] for j in order if j != i)],
            portions[i].document,
        )
        if target is None:
            continue
        questioned.append(target)
        rest = [
            p
            for p in (portions[j] for j in order)
            if p.document not in target.documents
            and (fits is None or all(fits(p.topic, t) for t in target.topics))
        ]
        side = _fill(shape.known, rest)
        if side is not None:
            own.append((place.setdefault(side, len(place)), len(questioned) - 1))
    known = list(place)
    if not known:
        side = _fill(shape.known, [portions[i] for i in order])
        known = [] if side is None else [side]
    return AuthorTexts(author, tuple(known), tuple(questioned), tuple(own))


def _fill(
    slots: Sequence[int], portions: Sequence[Portion], document: int | None = None
) -> ProblemSide | None:
    """Texts of these lengths from portions in order; with a document, its own portions go first, else those that are
    long enough by themselves: texts joined from several tell more of their author than one of a case does.
    """
    if document is not None:
        portions = sorted(portions, key=lambda p: p.document != document)
    rest = list(portions)
    texts = []
    documents = set()
    topics = set()
    for wanted in slots:
        if document is None:
            rest.sort(key=lambda p: p.words < LEAST_FILLED * wanted)
        parts: list[str] = []
        size = 0
        while rest and size < LEAST_FILLED * wanted:
            part = rest.pop(0)
            parts.append(cut(part.text, wanted - size))
            size += min(part.words, wanted - size)
            documents.add(part.document)
            topics.add(part.topic)
        if size < LEAST_FILLED * wanted:
            return None
        texts.append("\n\n".join(parts))
    return ProblemSide(tuple(texts), frozenset(documents), frozenset(topics))


class SidePair(NamedTuple):
    """A problem: the author and number of its known side, the author and number of its questioned side."""

    known: tuple[int, int]
    questioned: tuple[int, int]

    @property
    def same(self) -> bool:
        """Whether one author wrote both sides."""
        return self.known[0] == self.questioned[0]


def pairs(
    writers: Sequence[AuthorTexts],
    drawn: int,
    near: int,
    seed: int,
    similarity: Floats | None = None,
    allowed: Bools | None = None,
) -> list[SidePair]:
    """Return all same-author pairs and questioned texts for each known side by others: ``drawn`` at random, and the
    ``near`` most similar in content by ``similarity`` (known sides, questioned sides), in order of the writers; none of
    the latter without it. Different-author pairs are only those ``allowed`` (known sides, questioned sides), by default
    all."""
    drawn_pairs = [SidePair((i, k), (i, q)) for i, one in enumerate(writers) for k, q in one.own]
    sides = [(i, q) for i, one in enumerate(writers) for q in range(len(one.questioned))]
    row = 0
    for i, one in enumerate(writers):
        by_others = [place for place, (j, _) in enumerate(sides) if j != i]
        for k in range(len(one.known)):
            others = (
                by_others
                if allowed is None
                else [place for place in by_others if allowed[row, place]]
            )
            order = stream(seed, "like-case-others", one.author, k).permutation(len(others))
            chosen = {others[j] for j in order[:drawn]}
            if similarity is not None:
                nearest = sorted(
                    set(others) - chosen, key=lambda place: (-similarity[row, place], place)
                )
                chosen |= set(nearest[:near])
            drawn_pairs += [SidePair((i, k), sides[place]) for place in sorted(chosen)]
            row += 1
    return drawn_pairs
