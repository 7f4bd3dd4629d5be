"""The folds of one shape of case: parts of the background's authors, with and without transplants, and the cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ravenbench.bench.compare.background import (
    FEWEST_AUTHORS,
    Background,
    cross_pairs,
    fitting_shape,
    shared_out,
    strangers,
    writers,
)
from ravenbench.bench.compare.material import Case
from ravenbench.bench.compare.record import Asks, CaseProblem, ShapeRecord
from ravenbench.bench.compare.spec import CompareSpec
from ravenbench.problems.like_case import MOST_KNOWN, Pair, Shape, Writer, shape_of
from ravenbench.problems.transplant import Transplanter
from ravenbench.text.tokens import cut
from ravenbench.texts import TextTable, content_hash
from ravenbench.types import Bools, Floats, Fold, Labels, Problems

TESTED, TAUGHT = 4, 2
"""Questioned texts by one background author that are tested, and that verifiers learn from."""
NEAREST = 3
"""Different-author pairs that are tested for each known side because no others are as alike in content."""
Part = tuple[Fold, Floats | None]
"""A fold, and what is known of each of its pairs: (n, 4) authors of both sides, topic unseen, content similarity."""


def case_shape(case: Case) -> Shape:
    """The shape of a case; of many known texts some are joined."""
    words = sorted((text.words for text in case.candidate.texts), reverse=True)
    joined = [sum(words[i::MOST_KNOWN]) for i in range(min(MOST_KNOWN, len(words)))]
    return shape_of(joined, case.questioned.words)


class Shaped:
    """The ``record`` of a shape and its ``parts``; none where too few background authors can fill it."""

    def __init__(
        self,
        spec: CompareSpec,
        background: Background,
        wanted: Shape,
        name: str,
        cases: Sequence[Case],
        row: Mapping[bytes, int],
    ) -> None:
        self.seed, self.donors = spec.seed, spec.donors
        self.background, self.name, self.cases, self.row = background, name, cases, row
        self.shape, able = fitting_shape(background, wanted, spec.seed)
        self.parts: list[Part] = []
        self.problems: list[CaseProblem] = []
        self.folds: list[str] = []
        self.unseen = True
        self.strangers: list[float] = []
        if len(able) >= FEWEST_AUTHORS:
            everyone = writers(background, self.shape, spec.seed, TESTED, able)
            self.strangers = strangers(background, everyone)
            self._transplanter = self._splicer(everyone)
            for number, part in enumerate(shared_out(background, everyone, spec.folds)):
                self._fold(number, able, part)
            self._cases(able, everyone)
        self.record = ShapeRecord(
            name=name,
            known=list(self.shape.known),
            questioned=self.shape.questioned,
            wanted=None if self.shape == wanted else [*wanted.known, wanted.questioned],
            authors=able,
            folds=self.folds,
            unseen=self.unseen,
            strangers=self.strangers,
            problems=self.problems,
        )

    def _fold(self, number: int, able: Sequence[int], part: Sequence[int]) -> None:
        """One part of the authors: learned from the others, without one part of the topics where that leaves enough."""
        rest = [author for author in able if author not in part]
        taught = writers(self.background, self.shape, self.seed, TAUGHT, rest, without=number)
        if sum(bool(one.own) for one in taught) < 0.6 * len(rest):
            taught = writers(self.background, self.shape, self.seed, TAUGHT, rest)
            self.unseen = False
        tested = writers(self.background, self.shape, self.seed, TESTED, part)
        found = cross_pairs(self.background, tested, self.seed, NEAREST)
        train, train_same = self._learned_from(taught)
        test, test_same = _problems(tested, [pair for pair, _ in found])
        name = f"{self.name}-f{number}"
        about = np.array(
            [
                [
                    tested[pair.known[0]].author, tested[pair.questioned[0]].author,
                    tested[pair.questioned[0]].questioned[pair.questioned[1]].topics == {number}, alike,
                ]
                for pair, alike in found
            ],
            dtype=np.float64,
        ).reshape(-1, 4)  # fmt: skip
        self.parts.append((Fold(name, train, train_same, test.blind(), test_same), about))
        self.folds.append(name)
        moved = self._transplanter.transplant(test, test_same)
        self.parts.append((
            Fold(f"{name}-off", train, train_same, moved.off.blind(), test_same[moved.rows]),
            about[moved.rows],
        ))  # fmt: skip
        if len(self.shape.known) > 1:
            self.parts.append(self._sets(name, train, train_same, tested))

    def _learned_from(self, taught: Sequence[Writer]) -> tuple[Problems, Bools]:
        return _problems(taught, [pair for pair, _ in cross_pairs(self.background, taught, self.seed, 1)])

    def _sets(self, name: str, train: Problems, train_same: Bools, tested: Sequence[Writer]) -> Part:
        """Each known text of a background author against the others, as the known texts of a case are compared."""
        rows: list[tuple[str, Sequence[str], str]] = []
        about: list[list[float]] = []
        for one in tested:
            for number, side in enumerate(one.known):
                for text, rest in left_out(side.texts):
                    about.append([one.author, number, 0, 0])
                    rows.append((f"{len(rows)}", rest, text))
        test, truth = Problems.of(rows), np.ones(len(rows), dtype=np.bool_)
        told = np.array(about, dtype=np.float64).reshape(-1, 4)
        told[:, 3] = self._alike(rows)
        return Fold(f"{name}-known", train, train_same, test.blind(), truth), told

    def _splicer(self, everyone: Sequence[Writer]) -> Transplanter:
        """Transplants among the background's texts and those of the cases; the cases' texts give no content."""
        rows: list[tuple[str, str | None]] = [
            (text, str(one.author)) for one in everyone for side in (*one.known, *one.questioned) for text in side.texts
        ]
        for case in self.cases:
            rows += [(text, None) for text in (self._asked(case), *self._known(case))]
        texts, place = TextTable.collect(text for text, _ in rows)
        author: list[str | None] = [None] * len(texts)
        for (_, name), row in zip(rows, place.tolist(), strict=True):
            author[row] = author[row] or name
        return Transplanter(texts, author=Labels.of(author), seed=self.seed)

    def _alike(self, rows: Sequence[tuple[str, Sequence[str], str]]) -> Floats:
        """Content similarity (n,) of the sides of problems (id, known, questioned)."""
        sides = ["\n".join(known) for _, known, _ in rows], [questioned for _, _, questioned in rows]
        return self.background.space.paired(*sides)

    def _asked(self, case: Case) -> str:
        return _held(case.questioned.text, self.shape.questioned)

    def _known(self, case: Case) -> list[str]:
        """The case's known texts in this shape: joined where they are more, cut where they are longer."""
        texts = sorted(case.candidate.texts, key=lambda text: (-text.words, text.path))
        count = min(len(self.shape.known), len(texts))
        joined = ["\n\n".join(text.text for text in texts[i::count]) for i in range(count)]
        return [_held(text, words) for text, words in zip(joined, self.shape.known, strict=False)]

    def _cases(self, able: Sequence[int], everyone: Sequence[Writer]) -> None:
        """The fold that asks about the cases; its truth is not known, stands as False and is never read."""
        taught = writers(self.background, self.shape, self.seed, TAUGHT, able)
        train, train_same = self._learned_from(taught)
        rows: list[tuple[str, Sequence[str], str]] = []
        asked: list[tuple[Asks, str, int]] = []

        def ask(asks: Asks, case: str, known: Sequence[str], questioned: str, number: int = 0) -> None:
            asked.append((asks, case, number))
            rows.append((f"{len(rows)}", known, questioned))

        for case in self.cases:
            known, questioned = self._known(case), self._asked(case)
            ask("plain", case.id, known, questioned)
            versions = Problems.of([(f"{case.id}#{i}", known, questioned) for i in range(self.donors)])
            moved = self._transplanter.transplant(versions)
            made: tuple[tuple[Asks, Problems], ...] = (("on", moved.on), ("off", moved.off), ("off", moved.off2))
            for asks, problems in made:
                for i in range(len(problems)):
                    ask(asks, case.id, known, problems.texts[problems.questioned_index[i]], i)
            if len(known) > 1:
                for i, (text, rest) in enumerate(left_out(known)):
                    ask("known", case.id, rest, text, i)
        for row, questioned in {self.row[content_hash(c.questioned.text)]: self._asked(c) for c in self.cases}.items():
            for one in everyone:
                if one.known:
                    ask("author", f"text {row}", one.known[0].texts, questioned, one.author)
        self.problems = [
            CaseProblem(asks=asks, case=case, number=number, content=alike)
            for (asks, case, number), alike in zip(asked, self._alike(rows).tolist(), strict=True)
        ]
        test = Problems.of(rows)
        fold = Fold(f"{self.name}-case", train, train_same, test.blind(), np.zeros(len(test), dtype=np.bool_))
        self.parts.append((fold, None))


def left_out(texts: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Every text, with the others."""
    return [(text, [*texts[:i], *texts[i + 1 :]]) for i, text in enumerate(texts)]


def _held(text: str, words: int) -> str:
    """A text of about so many words as it is, a much longer one cut."""
    return cut(text, words) if len(text.split()) > 1.1 * words else text


def _problems(found: Sequence[Writer], made: Sequence[Pair]) -> tuple[Problems, Bools]:
    """Problems of these pairs, and their truth."""
    rows = []
    for number, (known, questioned) in enumerate(made):
        side, asked = found[known[0]].known[known[1]], found[questioned[0]].questioned[questioned[1]]
        rows.append((f"{number}", side.texts, asked.texts[0]))
    return Problems.of(rows), np.array([pair.same for pair in made], dtype=np.bool_)
