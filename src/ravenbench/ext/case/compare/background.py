"""Makes the background of a comparison: the authors used, pairs in the shape of a case, and folds.

In: a ``Corpus``, cases (``CaseTexts``), a ``Shape`` (words of the known texts and of the questioned text), a seed.
Out: ``choose``: a ``Population``, CorpusError for fewer than two authors with two documents; ``writers``: the texts of
an author; ``fitting_shape``, ``case_shape``: a ``Shape``; ``Shaped``: folds (parts of the authors, as written and with
content words replaced, and the cases) and reasons not to answer a case; ``cross_pairs``, ``strangers``,
``similarities``: cosines from 0 to 1; ``problems_of``: truth, True = same author. ``shared_out``, ``joined_known``,
``left_out`` arrange texts; ``passages``, ``few_like``: a ``Reason`` or None.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from ravenbench.errors import CorpusError
from ravenbench.ext.case.compare.material import CaseTexts
from ravenbench.ext.case.compare.record import (
    Asks,
    CaseProblem,
    FoldRole,
    PairColumn,
    Reason,
    ShapeRecord,
    Why,
    part_of,
)
from ravenbench.ext.case.compare.spec import CompareSpec
from ravenbench.ext.case.like_case import (
    MOST_KNOWN,
    AuthorTexts,
    Shape,
    SidePair,
    pairs,
    portions,
    shape_of,
    shorter,
    writer,
)
from ravenbench.ext.case.likeness import ContentSpace
from ravenbench.ext.case.register import as_far, profile
from ravenbench.problems.transplant import Transplanter
from ravenbench.randomness import Draws, stream
from ravenbench.reading.build import sentence_on_dropped
from ravenbench.reports.view import unlike
from ravenbench.text.tokens import count_words, cut
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Corpus, Floats, Fold, Ints, Labels, Problems

FEWEST_AUTHORS = 20
"""Minimum number of authors with same-author pairs; with fewer, LRs that looked good on the background's own pairs were
worse than none on other authors (benchmarks/study_few_authors.py)."""
FEWEST_ADVISED = 10
"""The same minimum for advice, which is not a likelihood ratio."""
LIKE = FEWEST_AUTHORS
"""Minimum effective number of background authors with pairs similar to the case, for same-author and for
different-author pairs; with fewer Raven does not answer."""
AMPLE = 1.25
"""Raven chooses a shape only if this many times the minimum number of authors have pairs in it, so that enough remain
after weighting."""
NEIGHBOURS = 0.93
"""If similarity in content separates same-author pairs from random different-author pairs with this AUC or more, Raven
takes the texts of each author for neighbouring passages; for posts, essays and distant parts of novels the AUC is below
.87."""
MOST_DOCUMENTS = 12
"""Maximum number of documents of one author."""
SHRINK = (1.0, 0.71, 0.5, 0.35, 0.25, 0.18, 0.125)
"""Lengths to try, as proportions of the case's, if the background's texts are too short or too few."""
LEAST = 80
"""Raven shortens no text below this number of words."""
SIDES = ("known", "questioned")
ORDER = 0
"""Seed of the order of an author's texts that decides the shape, and whether a case is of another kind."""
OTHER_KIND = 0.075
"""A case is of another kind if at most this proportion of the background's authors, counting the case, differ as much
from the others as the case does."""


@dataclass(frozen=True, eq=False)
class Population:
    """The n documents of the authors used.

    ``corpus`` contains only these; ``document`` (n,) shows which of its texts come from one document; ``fewest`` is the
    number of authors that must fill a shape.
    """

    corpus: Corpus
    document: Ints
    space: ContentSpace
    dropped: int
    fewest: int

    @property
    def authors(self) -> tuple[str, ...]:
        """Names of the authors, in the order of their codes."""
        return self.corpus.author.names


def choose(
    corpus: Corpus, usable: Bools, most: int, seed: int, fewest: int | None = None
) -> Population:
    """Choose authors with at least two documents, at most ``most`` of them; ``fewest``, by default ``FEWEST_AUTHORS``,
    must fill a shape. Raises CorpusError if fewer than two authors have two documents."""
    whole = corpus.columns.get("document")
    document = (
        np.arange(len(corpus))
        if whole is None
        else np.where(whole.codes >= 0, whole.codes, -1 - np.arange(len(corpus)))
    )
    rows_of = [
        rows
        for code in range(len(corpus.author.names))
        if len(np.unique(document[rows := np.flatnonzero((corpus.author.codes == code) & usable)]))
        > 1
    ]
    if len(rows_of) < 2:
        gone = sentence_on_dropped(corpus.notes.get("dropped", {}))
        raise CorpusError(
            "the background is too small: Raven learns likelihood ratios from same-author and"
            " different-author pairs",
            found=f"{len(rows_of)} authors with two texts or more{gone}",
            expected=f"at least {fewest or FEWEST_AUTHORS}, better 40",
            fix="check the texts that Raven left out, or " * bool(gone)
            + "add texts by other authors, of the same kind and language as the case",
        )
    dropped = max(0, len(rows_of) - most)
    if dropped:
        chosen = np.sort(stream(seed, "compare-authors").choice(len(rows_of), most, replace=False))
        rows_of = [rows_of[i] for i in chosen]
    drawn = []
    for rows in rows_of:
        order = stream(seed, "compare-documents", corpus.author[rows[0]] or "").permutation(
            len(rows)
        )
        drawn.append(np.sort(rows[order[:MOST_DOCUMENTS]]))
    rows = np.concatenate(drawn).astype(np.int64)
    small = replace(
        corpus,
        texts=TextTable.collect(corpus.texts.rows(rows))[0],
        ids=tuple(corpus.ids[row] for row in rows),
        author=Labels.of(corpus.author.take(rows)),
        topic=Labels.of(corpus.topic.take(rows)),
        language=None,
        columns={},
    )
    space = ContentSpace(small.texts.rows(np.arange(len(small))))
    least = FEWEST_AUTHORS if fewest is None else fewest
    return Population(small, document[rows].astype(np.int64), space, dropped, least)


def writers(
    background: Population,
    shape: Shape,
    seed: int,
    most: int,
    authors: Sequence[int],
) -> list[AuthorTexts]:
    """Return the texts of these authors in a shape."""
    longest = max(*shape.known, shape.questioned)
    writers_of_side = []
    for author in authors:
        rows = np.flatnonzero(background.corpus.author.codes == author)
        texts = background.corpus.texts.rows(rows)
        cut = portions(texts, np.zeros_like(rows), background.document[rows], longest)
        writers_of_side.append(writer(author, cut, shape, seed, most))
    return writers_of_side


@lru_cache(maxsize=8)
def fitting_shape(background: Population, shape: Shape) -> tuple[Shape, tuple[int, ...]]:
    """Return the shape nearest to the wanted one that enough authors (``AMPLE``) can fill, and these authors.

    If too few can fill it, known texts become fewer and all texts shorter; of the shapes that enough authors can fill,
    the one with most text on both sides is taken. If enough authors fill none, the same is tried with the minimum
    number of authors; if too few fill any, the shape with the most authors is taken.
    """
    everyone = range(len(background.authors))
    least = max(background.fewest, len(everyone) // 2)
    best: tuple[tuple[int, float], Shape, list[int]] | None = None
    for count in range(len(shape.known), 0, -1):
        for share in SHRINK:
            tried = Shape(shape.known[:count], shape.questioned)
            if share < 1.0:
                tried = shorter(
                    tried, max(LEAST, round(share * max(*tried.known, tried.questioned)))
                )
            able = [w.author for w in writers(background, tried, ORDER, 1, everyone) if w.own]
            suits = sum(
                len(able) >= bound for bound in (least, max(AMPLE * background.fewest, least))
            )
            worth = (
                float(np.sqrt(sum(tried.known) * tried.questioned)) if suits else float(len(able))
            )
            if best is None or (suits, worth) > best[0]:
                best = ((suits, worth), tried, able)
            if suits == 2:
                break
        if best is not None and best[0][0] == 2 and best[1] == shape:
            break
    assert best is not None
    return best[1], tuple(best[2])


def shared_out(
    background: Population, by_author: Sequence[AuthorTexts], folds: int
) -> list[list[int]]:
    """Divide authors among folds, keeping together groups who write about the same subjects; few authors give fewer
    folds.

    Methods that know neither author score a pair, so both authors are in the same fold: only there can a different
    author's text be as similar in content as the questioned text of a case may be. A group is at most half a fold, so
    that random different-author pairs are not all from one group.
    """
    count = max(2, min(folds, len(by_author) // 4))
    most = max(2, len(by_author) // count // 2)
    known, questioned = (
        [i for i, one in enumerate(by_author) for _ in getattr(one, side)] for side in SIDES
    )
    nearest = np.zeros((len(by_author), len(by_author)))
    np.maximum.at(
        nearest,
        (np.array(known)[:, None], np.array(questioned)[None, :]),
        similarities(background, by_author),
    )
    nearest = np.triu(np.maximum(nearest, nearest.T), 1)
    group = list(range(len(by_author)))
    for place in np.argsort(-nearest, axis=None, kind="stable"):
        one, other = (group[i] for i in divmod(int(place), len(by_author)))
        if one != other and group.count(one) + group.count(other) <= most:
            group = [one if it == other else it for it in group]
    parts: list[list[int]] = [[] for _ in range(count)]
    for name in sorted(set(group), key=lambda name: (-group.count(name), name)):
        min(parts, key=len).extend(
            one.author for one, its in zip(by_author, group, strict=True) if its == name
        )
    return [sorted(part) for part in parts]


def similarities(background: Population, by_author: Sequence[AuthorTexts]) -> Floats:
    """Return the content similarity (cosine) of every known side with every questioned side, (known, questioned), in
    order of the writers."""
    known = ["\n".join(side.texts) for one in by_author for side in one.known]
    queries = [side.texts[0] for one in by_author for side in one.questioned]
    if not known or not queries:
        return np.zeros((len(known), len(queries)))
    return background.space.cosines(known, queries)


def strangers(
    background: Population, by_author: Sequence[AuthorTexts], allowed: Bools | None = None
) -> list[float]:
    """Return a hundred content similarities (cosines), ascending, with the distribution of all different-author pairs
    of the writers, or of those that are ``allowed``; an empty list without such pairs."""
    known, questioned = (
        np.array([one.author for one in by_author for _ in getattr(one, side)]) for side in SIDES
    )
    others = known[:, None] != questioned[None, :]
    alike = similarities(background, by_author)[others if allowed is None else others & allowed]
    if not len(alike):
        return []
    return [float(value) for value in np.quantile(alike, (np.arange(100) + 0.5) / 100)]


def cross_pairs(
    background: Population,
    by_author: Sequence[AuthorTexts],
    seed: int,
    near: int,
    allowed: Bools | None = None,
) -> list[tuple[SidePair, float]]:
    """Return pairs of writers with the content similarity of their sides: for each known side a random different-author
    pair and the ``near`` most similar in content, of those that are ``allowed`` (default: all)."""
    alike = similarities(background, by_author)
    row, column = (
        np.cumsum([0, *(len(getattr(one, side)) for one in by_author)]) for side in SIDES
    )
    return [
        (
            pair,
            float(
                alike[
                    row[pair.known[0]] + pair.known[1],
                    column[pair.questioned[0]] + pair.questioned[1],
                ]
            ),
        )
        for pair in pairs(by_author, 1, near, seed, alike, allowed)
    ]


AGAIN = 1_000_003
"""Added to a seed for another draw."""
DRAWN = 3
"""Number of draws of the tested pairs."""
TESTED = 4
TAUGHT = 2
"""Questioned texts of one background author that are tested, and that verifiers learn from."""
NEAREST = 3
"""Number of tested different-author pairs for each known side that are the most similar in content."""
Labelled = tuple[Problems, Bools]
"""Problems and their truth."""
Question = tuple[Asks, str, int, Sequence[str], str]
"""A question about a case: what it asks, the case, a number, the known texts and the questioned text."""
Part = tuple[Fold, Floats | None]
"""A fold, and the properties of each of its pairs: (n, 3) authors of both sides, content similarity."""


def case_shape(case: CaseTexts) -> Shape:
    """Return the shape of a case; if there are many known texts, some are joined."""
    words = sorted((text.words for text in case.candidate.texts), reverse=True)
    joined = [sum(words[i::MOST_KNOWN]) for i in range(min(MOST_KNOWN, len(words)))]
    return shape_of(joined, case.questioned.words)


class Shaped:
    """The ``record`` of a shape and its ``parts``; no parts if too few background authors can fill it. Without cases it
    has only background pairs. With ``whole``, verifiers that learned from all authors score the cases once, which suits
    answers without calibration."""

    def __init__(
        self,
        spec: CompareSpec,
        background: Population,
        wanted: Shape,
        name: str,
        cases: Sequence[CaseTexts],
        whole: bool = False,
    ) -> None:
        self.seed = spec.seed
        self.donors = spec.donors
        self.background = background
        self.name = name
        self.cases = cases
        members = spec.each is not None
        self.code = (
            {author: code for code, author in enumerate(background.authors)} if members else {}
        )
        self.part: dict[str, int] = {}
        self.case_folds: list[str] = []
        self.shape, able = fitting_shape(background, wanted)
        self.parts: list[Part] = []
        self.problems: list[CaseProblem] = []
        self.folds: list[str] = []
        self.strangers: list[float] = []
        self.refused: dict[str, list[Reason]] = {}
        """Reasons not to answer each case, by its id."""
        self.count = len(able) - members
        """Number of authors whose pairs judge a case: all others judge a member of a class."""
        if self.count >= background.fewest:
            self.drawn = [
                writers(background, self.shape, spec.seed + again * AGAIN, TESTED, able)
                for again in range(DRAWN)
            ]
            everyone = self.drawn[0]
            self.strangers = strangers(background, everyone)
            parts = shared_out(background, everyone, spec.folds)
            self.tested = [self._tested(part) for part in parts]
            ordered = writers(background, self.shape, ORDER, 1, able)
            self.refused = self._refused(ordered, whole) if cases else {}
            self.cases = [case for case in cases if not self.refused[case.id]]
        if self.count >= background.fewest and (self.cases or not cases):
            self._transplanter = self._splicer([one for draw in self.drawn for one in draw])
            trained = [self._fold(number, able, part) for number, part in enumerate(parts)]
            if members:
                self._class(parts, trained)
            elif whole:
                learned_from = self._learned_from(able, self.seed)
                self._cases(len(parts), learned_from, self._questions_of(self.cases))
            elif cases:
                # A verifier that learned from all authors scores lower than those that scored the background's pairs:
                # calibration holds for scores of the folds' verifiers alone.
                questions = self._questions_of(self.cases)
                for number, training in enumerate(trained):
                    self._cases(number, training, questions)
        self.record = ShapeRecord(
            name=name,
            known=list(self.shape.known),
            questioned=self.shape.questioned,
            wanted=None if self.shape == wanted else [*wanted.known, wanted.questioned],
            authors=list(able),
            folds=self.folds,
            strangers=self.strangers,
            problems=self.problems,
            case_folds=self.case_folds,
        )

    def _refused(self, everyone: Sequence[AuthorTexts], whole: bool) -> dict[str, list[Reason]]:
        """Why each case is not answered, by its id. A case is of another kind if it is farther from the background in
        register than nearly all its authors are from one another, in texts of the same lengths."""
        authors = [
            profile([*one.known[0].texts, *one.questioned[0].texts])
            for one in everyone
            if one.known and one.questioned
        ]
        count = len(authors)
        sides = [(case.id, self.known(case), self.questioned(case)) for case in self.cases]
        cases = [profile([*known, questioned]) for _, known, questioned in sides]
        shares = as_far(np.array(authors), np.array(cases)).tolist()
        about = np.concatenate([rows for *_, rows in self.tested])
        refused = {}
        for case, share, alike in zip(self.cases, shares, self._alike(sides).tolist(), strict=True):
            reasons = list[Reason]()
            if not whole:
                judging = about[without(self.code.get(case.candidate.name), about)]
                of_pairs = [passages(judging, self.strangers), few_like(judging, alike)]
                reasons += [reason for reason in of_pairs if reason is not None]
            if share <= OTHER_KIND:
                differ = round(share * (1 + count)) - 1
                reasons.append(Reason.of(Why.OTHER_KIND, as_far=differ, of=count))
            refused[case.id] = reasons
        return refused

    def _tested(self, part: Sequence[int]) -> tuple[Problems, Bools, Floats]:
        """Pairs of one part of the authors, their truth, and the ``PairColumn``s of each."""
        rows = list[tuple[int, int, float]]()
        problems = dict[tuple[str, ...], bool]()
        for draw in self.drawn:
            tested = [one for one in draw if one.author in part]
            for pair, alike in cross_pairs(self.background, tested, self.seed, NEAREST):
                known = tested[pair.known[0]]
                other = tested[pair.questioned[0]]
                texts = (
                    known.known[pair.known[1]].texts + other.questioned[pair.questioned[1]].texts
                )
                if texts not in problems:
                    problems[texts] = pair.same
                    rows.append((known.author, other.author, alike))
        test = Problems.of((f"{i}", texts[:-1], texts[-1]) for i, texts in enumerate(problems))
        about = np.array(rows, dtype=np.float64).reshape(-1, len(PairColumn))
        return test, np.array(list(problems.values()), dtype=np.bool_), about

    def _fold(self, number: int, able: Sequence[int], part: Sequence[int]) -> Labelled:
        """One part of the authors: learned from the others. Returns what is learned from."""
        rest = [author for author in able if author not in part]
        train, train_same = self._learned_from(rest, self.seed)
        name = part_of(self.name, number)
        self._add_pairs(name, (train, train_same), *self.tested[number])
        self.folds.append(name)
        if self.cases and len(self.shape.known) > 1:
            own = [one for one in self.drawn[0] if one.author in part]
            self.parts.append(self._sets(name, train, train_same, own))
        return train, train_same

    def _add_pairs(
        self,
        name: str,
        training: Labelled,
        test: Problems,
        same: Bools,
        about: Floats,
    ) -> None:
        """The folds of these pairs and of their transplants; ``about`` are the ``PairColumn``s of each."""
        self.parts.append((Fold(FoldRole.PAIRS.of(name), *training, test.blind(), same), about))
        moved = self._transplanter.transplant(test, same)
        role = FoldRole.TRANSPLANTED
        labels = {"transplanted": role[1:], "source": FoldRole.PAIRS.of(name)}
        truth = same[moved.rows]
        fold = Fold(role.of(name), *training, moved.off.blind(), truth, labels=labels)
        self.parts.append((fold, about[moved.rows]))

    def _class(self, parts: Sequence[Sequence[int]], trained: Sequence[Labelled]) -> None:
        """Cases whose candidates are of the background: verifiers that learned without a candidate's part score the case,
        and all pairs without the candidate judge it. A candidate without pairs is in no training, and any part serves."""
        place = {author: number for number, part in enumerate(parts) for author in part}
        for number, case in enumerate(self.cases):
            self.part[case.id] = place.get(
                self.code.get(case.candidate.name, -1), number % len(parts)
            )
        for number, training in enumerate(trained):
            cases = [case for case in self.cases if self.part[case.id] == number]
            if not cases:
                continue
            questions = self._questions_of(cases)
            self._cases(number, training, questions)
            # Verifiers that learn from other pairs of the same authors show how far the draw of pairs decides.
            rest = [author for one in parts if one is not parts[number] for author in one]
            again = self._learned_from(sorted(rest), self.seed + AGAIN)
            self._cases(number + len(parts), again, questions)

    def _learned_from(self, authors: Sequence[int], seed: int) -> Labelled:
        """Pairs of these authors that verifiers learn from."""
        taught = writers(self.background, self.shape, seed, TAUGHT, authors)
        pairs = cross_pairs(self.background, taught, seed, 1)
        return problems_of(taught, [pair for pair, _ in pairs])

    def _sets(
        self, name: str, train: Problems, train_same: Bools, tested: Sequence[AuthorTexts]
    ) -> Part:
        """Each known text of a background author against the others, as the known texts of a case are compared."""
        rows: list[tuple[str, Sequence[str], str]] = []
        about: list[list[float]] = []
        for one in tested:
            for number, side in enumerate(one.known):
                for text, rest in left_out(side.texts):
                    about.append([one.author, number, 0])
                    rows.append((f"{len(rows)}", rest, text))
        test = Problems.of(rows)
        truth = np.ones(len(rows), dtype=np.bool_)
        measured = np.array(about, dtype=np.float64).reshape(-1, len(PairColumn))
        measured[:, PairColumn.CONTENT] = self._alike(rows)
        return Fold(FoldRole.SETS.of(name), train, train_same, test.blind(), truth), measured

    def _splicer(self, everyone: Sequence[AuthorTexts]) -> Transplanter:
        """Transplants among the background's texts and those of the cases; the cases' texts give no content."""
        rows: list[tuple[str, str | None]] = [
            (text, str(one.author))
            for one in everyone
            for side in (*one.known, *one.questioned)
            for text in side.texts
        ]
        for case in self.cases:
            code = self.code.get(case.candidate.name)
            by = None if code is None else str(code)
            rows += [(text, by) for text in (self.questioned(case), *self.known(case))]
        texts, place = TextTable.collect(text for text, _ in rows)
        author: list[str | None] = [None] * len(texts)
        for (_, name), row in zip(rows, place.tolist(), strict=True):
            author[row] = author[row] or name
        return Transplanter(texts, author=Labels.of(author), draws=Draws(self.seed))

    def _alike(self, rows: Sequence[tuple[str, Sequence[str], str]]) -> Floats:
        """Content similarity (n,) of the sides of problems (id, known, questioned)."""
        sides = (
            ["\n".join(known) for _, known, _ in rows],
            [questioned for _, _, questioned in rows],
        )
        return self.background.space.paired(*sides)

    def questioned(self, case: CaseTexts) -> str:
        """Return the questioned text, cut if it is longer than this shape's."""
        return _held(case.questioned.text, self.shape.questioned)

    def known(self, case: CaseTexts) -> list[str]:
        """Return the known texts in this shape: joined if there are more, cut if they are longer."""
        joined = joined_known(case, len(self.shape.known))
        return [_held(text, words) for text, words in zip(joined, self.shape.known, strict=False)]

    def _questions_of(self, cases: Sequence[CaseTexts]) -> list[Question]:
        """What is asked of cases: themselves, with content words replaced, and their known texts one by one."""
        questions: list[Question] = []
        for case in cases:
            known = self.known(case)
            questioned = self.questioned(case)
            questions.append(("plain", case.id, 0, known, questioned))
            versions = Problems.of(
                [(f"{case.id}#{i}", known, questioned) for i in range(self.donors)]
            )
            moved = self._transplanter.transplant(versions)
            texts = [
                version.texts[row]
                for version in (moved.off, moved.off2)
                for row in version.questioned_index
            ]
            questions += [("off", case.id, i, known, text) for i, text in enumerate(texts)]
            if len(known) > 1:
                questions += [
                    ("known", case.id, i, rest, text)
                    for i, (text, rest) in enumerate(left_out(known))
                ]
        return questions

    def _cases(self, number: int, training: Labelled, questions: Sequence[Question]) -> None:
        """A fold that asks about cases; its truth is not known, stands as False and is never read."""
        name = FoldRole.CASES.of(part_of(self.name, number))
        rows = [(f"{i}", known, text) for i, (*_, known, text) in enumerate(questions)]
        self.problems += [
            CaseProblem(asks=asks, case=case, number=of, content=alike)
            for (asks, case, of, *_), alike in zip(
                questions, self._alike(rows).tolist(), strict=True
            )
        ]
        test = Problems.of(rows)
        self.parts.append(
            (Fold(name, *training, test.blind(), np.zeros(len(test), dtype=np.bool_)), None)
        )
        self.case_folds.append(name)


def joined_known(case: CaseTexts, most: int) -> list[str]:
    """Return the known texts of a case, the longest first, joined if there are more than ``most``."""
    texts = sorted(case.candidate.texts, key=lambda text: (-text.words, text.path))
    count = min(most, len(texts))
    return ["\n\n".join(text.text for text in texts[i::count]) for i in range(count)]


def left_out(texts: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Return every text together with the others."""
    return [(text, [*texts[:i], *texts[i + 1 :]]) for i, text in enumerate(texts)]


def _held(text: str, words: int) -> str:
    """A text of about so many words as it is, a much longer one cut."""
    return cut(text, words) if count_words(text) > 1.1 * words else text


def problems_of(by_author: Sequence[AuthorTexts], made: Sequence[SidePair]) -> Labelled:
    """Return problems of these n pairs and their truth (n,), True for the same author."""
    rows = []
    for number, (known, questioned) in enumerate(made):
        side = by_author[known[0]].known[known[1]]
        other = by_author[questioned[0]].questioned[questioned[1]]
        rows.append((f"{number}", side.texts, other.texts[0]))
    return Problems.of(rows), np.array([pair.same for pair in made], dtype=np.bool_)


def without(author: int | None, about: Floats | Ints) -> Bools:
    """Return whether an author is on neither side of each pair (n,), given their ``PairColumn``s or authors (n, 2)."""
    return np.asarray(
        (about[:, : PairColumn.CONTENT] != (-1 if author is None else author)).all(axis=1)
    )


def passages(about: Floats, strangers: Sequence[float]) -> Reason | None:
    """Return the reason not to answer if content alone separates the background's same-author pairs from random
    different-author pairs (``strangers``: cosines, ascending), as for neighbouring passages of one document. ``about``
    are the ``PairColumn``s of its pairs."""
    own, content = _likeness(about)
    auc = float(np.searchsorted(strangers, content[own]).mean()) / max(len(strangers), 1)
    return Reason.of(Why.PASSAGES, auc=auc) if auc >= NEIGHBOURS else None


def few_like(about: Floats, alike: float) -> Reason | None:
    """Return the reason not to answer if too few background authors have same-author or different-author pairs about as
    similar in content (cosine) as the two sides of a case."""
    counts = {same: authors_like(about, alike, same) for same in (True, False)}
    same = min(counts, key=lambda side: counts[side])
    if counts[same] >= LIKE:
        return None
    own, content = _likeness(about)
    usual = float(np.median(content[own == same]))
    here, _ = unlike(alike, usual)
    missing = "on the case's subject" if alike > usual else "on different subjects"
    kind = "same-author" if same else "different-author"
    return Reason.of(
        Why.FEW_LIKE, count=int(counts[same]), least=LIKE, kind=kind, here=here, missing=missing
    )


def authors_like(about: Floats, alike: float, same: bool) -> float:
    """Return the effective number of authors of known texts with same-author pairs, or different-author pairs, similar
    to a case in content: each author counts, up to 1, by the most similar pair, with a Gaussian kernel over square
    roots of cosines, twice as wide as the standard deviation of same-author pairs."""
    own, content = _likeness(about)
    root = np.sqrt(np.maximum(content, 0.0))
    away = (root - np.sqrt(max(alike, 0.0))) / max(2 * float(root[own].std()), 1e-9)
    authors = about[:, PairColumn.KNOWN].astype(np.int64)
    nearest = np.zeros(int(authors.max()) + 1)
    side = own == same
    np.maximum.at(nearest, authors[side], np.exp(-(away[side] ** 2) / 2))
    return float(nearest.sum())


def _likeness(about: Floats) -> tuple[Bools, Floats]:
    """Whether one author wrote both sides of each pair (n,), and their cosines (n,)."""
    return about[:, PairColumn.KNOWN] == about[:, PairColumn.QUESTIONED], about[
        :, PairColumn.CONTENT
    ]
