"""The background of a comparison: who is in it, and what its authors give in the shape of a case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ravenbench.errors import CorpusError
from ravenbench.problems.like_case import Pair, Shape, Writer, pairs, portions, shorter, writer
from ravenbench.randomness import stream
from ravenbench.text.content_words import ContentSpace
from ravenbench.texts import TextTable
from ravenbench.topics.extract import Extract
from ravenbench.types import Bools, Corpus, Floats, Ints, Labels

FEWEST_AUTHORS = 10
"""Authors with same-author pairs below which nothing is said."""
MOST_DOCUMENTS = 12
"""Documents of one author."""
SHRINK = (1.0, 0.71, 0.5, 0.35, 0.25, 0.18, 0.125)
"""Lengths tried, as shares of the case's, where the background's texts are too short or too few."""
LEAST = 80
"""Words to which a text is shortened at most."""
SIDES = ("known", "questioned")


@dataclass(frozen=True, eq=False)
class Background:
    """Documents of the authors used.

    ``corpus`` holds them alone; ``document`` (n,) says which of its texts come from one document; ``group`` (n,) is the
    part of the topics that a text's topic is in, and ``by`` says where topics come from.
    """

    corpus: Corpus
    document: Ints
    group: Ints
    by: str
    space: ContentSpace
    dropped: int

    @property
    def authors(self) -> tuple[str, ...]:
        """Names of the authors; their codes count these."""
        return self.corpus.author.names


def choose(corpus: Corpus, kept: Bools, most: int, folds: int, seed: int) -> Background:
    """The authors with two documents or more, at most so many, and their texts' topics in as many parts as folds.

    Raises
    ------
    CorpusError
        If fewer than two authors have two documents.
    """
    whole = corpus.columns.get("document")
    document = (
        np.arange(len(corpus))
        if whole is None
        else np.where(whole.codes >= 0, whole.codes, -1 - np.arange(len(corpus)))
    )
    rows_of = [
        rows for code in range(len(corpus.author.names))
        if len(np.unique(document[rows := np.flatnonzero((corpus.author.codes == code) & kept)])) > 1
    ]  # fmt: skip
    if len(rows_of) < 2:
        raise CorpusError(
            "the background is too small: likelihood ratios are learned from pairs by one author and by two",
            found=f"{len(rows_of)} authors with two texts or more", expected=f"at least {FEWEST_AUTHORS}, better 40",
            fix="add texts by other people, of the kind and language of the case",
        )  # fmt: skip
    dropped = max(0, len(rows_of) - most)
    if dropped:
        chosen = np.sort(stream(seed, "compare-authors").choice(len(rows_of), most, replace=False))
        rows_of = [rows_of[i] for i in chosen]
    taken = []
    for rows in rows_of:
        order = stream(seed, "compare-documents", corpus.author[rows[0]] or "").permutation(len(rows))
        taken.append(np.sort(rows[order[:MOST_DOCUMENTS]]))
    rows = np.concatenate(taken).astype(np.int64)
    small = _only(corpus, rows)
    group, by = _groups(small, folds, seed)
    texts = small.texts.rows(np.arange(len(small)))
    return Background(small, document[rows].astype(np.int64), group, by, ContentSpace(texts), dropped)


def _only(corpus: Corpus, rows: Ints) -> Corpus:
    texts, _ = TextTable.collect(corpus.texts.rows(rows))
    author = Labels.of(corpus.author.take(rows))
    topic = Labels.of(corpus.topic.take(rows))
    return replace(
        corpus,
        texts=texts,
        ids=tuple(corpus.ids[row] for row in rows),
        author=author,
        topic=topic,
        language=None,
        columns={},
    )


def _groups(corpus: Corpus, folds: int, seed: int) -> tuple[Ints, str]:
    """Topics shared out to as many parts as folds, the parts about equally large: (n,) part of each text."""
    topic, by = corpus.topic, "the background's own topics"
    if len(topic.names) < folds or (topic.codes < 0).any():
        topic, by = Extract(clusters=2 * folds, seed=seed).labels(corpus), "topics extracted from the texts"
    part = np.zeros(len(topic.names), dtype=np.int64)
    filled = np.zeros(folds)
    for code in np.argsort(-topic.counts(), kind="stable"):
        part[code] = int(np.argmin(filled))
        filled[part[code]] += topic.counts()[code]
    return part[topic.codes], by


def writers(
    background: Background, shape: Shape, seed: int, most: int, authors: Sequence[int], without: int | None = None
) -> list[Writer]:
    """What these authors give in a shape; ``without`` leaves out texts in one part of the topics."""
    longest = max(*shape.known, shape.questioned)
    found = []
    for author in authors:
        rows = np.flatnonzero((background.corpus.author.codes == author) & (background.group != without))
        texts = background.corpus.texts.rows(rows)
        given = portions(texts, background.group[rows], background.document[rows], longest)
        found.append(writer(author, given, shape, seed, most))
    return found


def fitting_shape(background: Background, shape: Shape, seed: int) -> tuple[Shape, list[int]]:
    """The shape nearest to the one wanted that enough authors can fill, and these authors.

    Where too few can fill it, known texts are made fewer and all shorter; of the shapes that enough authors can fill,
    the one with most text on both sides is taken. Where no shape suits enough of them, that with the most authors.
    """
    everyone = range(len(background.authors))
    enough = max(FEWEST_AUTHORS, len(everyone) // 2)
    best: tuple[tuple[bool, float], Shape, list[int]] | None = None
    for count in range(len(shape.known), 0, -1):
        for share in SHRINK:
            tried = Shape(shape.known[:count], shape.questioned)
            if share < 1.0:
                tried = shorter(tried, max(LEAST, round(share * max(*tried.known, tried.questioned))))
            able = [w.author for w in writers(background, tried, seed, 1, everyone) if w.own]
            suits = len(able) >= enough
            worth = float(np.sqrt(sum(tried.known) * tried.questioned)) if suits else float(len(able))
            if best is None or (suits, worth) > best[0]:
                best = ((suits, worth), tried, able)
            if suits:
                break
        if best is not None and best[0][0] and best[1] == shape:
            break
    assert best is not None
    return best[1], best[2]


def shared_out(background: Background, found: Sequence[Writer], folds: int) -> list[list[int]]:
    """Authors shared out to folds, groups who write about the same things together; fewer folds where they are few.

    A pair is scored by methods that know neither of its authors, so it lies within a fold: only there can a stranger's
    text be found that is as alike in content as the questioned text of a case may be. A group is at most half a fold,
    so that the strangers at random in it are not all of one group.
    """
    count = max(2, min(folds, len(found) // 4))
    most = max(2, len(found) // count // 2)
    known, asked = ([i for i, one in enumerate(found) for _ in getattr(one, side)] for side in SIDES)
    nearest = np.zeros((len(found), len(found)))
    np.maximum.at(nearest, (np.array(known)[:, None], np.array(asked)[None, :]), similarities(background, found))
    nearest = np.triu(np.maximum(nearest, nearest.T), 1)
    group = list(range(len(found)))
    for place in np.argsort(-nearest, axis=None, kind="stable"):
        one, other = (group[i] for i in divmod(int(place), len(found)))
        if one != other and group.count(one) + group.count(other) <= most:
            group = [one if it == other else it for it in group]
    parts: list[list[int]] = [[] for _ in range(count)]
    for name in sorted(set(group), key=lambda name: (-group.count(name), name)):
        min(parts, key=len).extend(one.author for one, its in zip(found, group, strict=True) if its == name)
    return [sorted(part) for part in parts]


def similarities(background: Background, found: Sequence[Writer]) -> Floats:
    """Content similarity of every known side with every questioned side, in order of the writers."""
    known = ["\n".join(side.texts) for one in found for side in one.known]
    asked = [side.texts[0] for one in found for side in one.questioned]
    if not known or not asked:
        return np.zeros((len(known), len(asked)))
    return background.space.cosines(known, asked)


def strangers(background: Background, found: Sequence[Writer]) -> list[float]:
    """A hundred content similarities, ascending, that lie as those of all different-author pairs of the writers do."""
    known, asked = (np.array([one.author for one in found for _ in getattr(one, side)]) for side in SIDES)
    alike = similarities(background, found)[known[:, None] != asked[None, :]]
    return [float(value) for value in np.quantile(alike, (np.arange(100) + 0.5) / 100)]


def cross_pairs(background: Background, found: Sequence[Writer], seed: int, near: int) -> list[tuple[Pair, float]]:
    """Pairs of some writers with the content similarity of their sides: one different-author pair drawn for each known
    side, and so many that are most alike in content."""
    alike = similarities(background, found)
    row = _places([len(one.known) for one in found])
    column = _places([len(one.questioned) for one in found])
    made = pairs(found, 1, near, seed, alike)
    return [
        (pair, float(alike[row[pair.known[0]] + pair.known[1], column[pair.questioned[0]] + pair.questioned[1]]))
        for pair in made
    ]  # fmt: skip


def _places(counts: Sequence[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
