"""Where does the author of a text change? Learned from problems whose truth is known, or from texts by known authors.

Segments are compared by the two-level models of the one-hand test (``case.compare.one_hand``), content words hidden: a
segment with the next one, and up to three before a place with up to three behind it. How alike the same sides are in
content words stands beside that. Logistic regressions learn from both (``AS_WRITTEN``), from *style* alone (models and
lengths) and from *content* alone. A hidden word is the same whatever it was, so *content replaced*, where every segment
has the content words of another problem's, changes content alone.

A change is said from the probability on that has the best macro F1 on training problems, each answered by what was
learned from others; where all training problems of a part have one change, it is the likeliest place.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ravenbench.ext.case.compare.one_hand import fitted_models, portions
from ravenbench.ext.case.likeness import ContentSpace
from ravenbench.ext.changes.forms import ChangeProblem, Hands
from ravenbench.randomness import stream
from ravenbench.text.content_words import hidden
from ravenbench.text.splicing import Splicer
from ravenbench.text.tokens import count_words
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Corpus, Floats, Ints


def label_counts(truth: Sequence[int], answer: Sequence[int], labels: Sequence[int]) -> Floats:
    """Hits, answers and truths of each label, (labels, 3), which add up over problems (Zangerle et al. 2019 to 2021,
    Overview of the Style Change Detection Task at PAN)."""
    true, said = (np.asarray(side)[:, None] == np.asarray(labels) for side in (truth, answer))
    return np.stack([(true & said).sum(axis=0), said.sum(axis=0), true.sum(axis=0)], axis=1).astype(np.float64)


def macro_f1(counts: Floats) -> float:
    """Mean F1 over all labels; 0 for a label that neither truth nor answers have."""
    both = counts[:, 1] + counts[:, 2]
    return float(np.mean(2 * counts[:, 0] / np.where(both > 0, both, 1.0)))


def micro_f1(counts: Floats) -> float:
    """F1 over all labels together, which is accuracy where each thing has one label."""
    return float(2 * counts[:, 0].sum() / max(counts[:, 1:].sum(), 1.0))


def ordinal_index(confusion: Floats) -> float:
    """The ordinal classification index of a table (k, k), true classes in rows: 0 is perfect, 1 the worst.

    Over all paths from the first to the last cell, the least of 1 − what lies on it, plus .75 of the distances that
    what lies on it is wrong by, both as shares (Cardoso & Sousa 2011, Measuring the performance of ordinal
    classification).
    """
    k, n = len(confusion), float(confusion.sum())
    wrong = confusion * np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
    step = 0.75 * wrong / max(n * (k - 1), 1.0) - confusion / max(n + wrong.sum(), 1.0)
    best = np.full((k + 1, k + 1), np.inf)
    best[0, 0] = 1.0
    for row in range(k):
        for column in range(k):
            best[row + 1, column + 1] = step[row, column] + best[row : row + 2, column : column + 2].min()
    return float(best[k, k])


AS_WRITTEN, REPLACED, STYLE, CONTENT = "as written", "content replaced", "style", "content"
NEAR = 3
"""Segments on either side of a place at most."""
MOST_AUTHORS = 5
HANDS, PAIRS = 1500, 20_000
"""Authors that models learn from, and pairs of segments by which authors are recognised, at most."""
FOLDS = 5
MADE, LONG = 300, 8
"""Problems made of a background, and their segments."""


class BoundarySides(NamedTuple):
    """Features of pairs of sides, (n, columns) each."""

    style: Floats
    content: Floats

    def of(self, basis: str) -> Floats:
        """The columns that a basis stands on."""
        return {STYLE: self.style, CONTENT: self.content}.get(basis, np.hstack(self))


class Rule(NamedTuple):
    """What judges places, pairs of segments and whole texts on one basis, each None where training truth does not tell;
    the probability from which a change is said; and whether every text has exactly ``one``."""

    change: Any
    threshold: float
    one: bool
    same: Any
    whole: Any


class Segments:
    """The segments of problems as the reader's models count them; ``first`` (problems + 1,) is where each begins."""

    def __init__(self, reader: ChangeReader, problems: Sequence[ChangeProblem], seed: int) -> None:
        self.texts = [text for problem in problems for text in problem.segments]
        self.first = np.cumsum([0, *(len(problem.segments) for problem in problems)])
        self.owner = np.repeat(np.arange(len(problems)), np.diff(self.first))
        self.places = np.flatnonzero(self.owner[1:] == self.owner[:-1]) + 1
        self.reader, table_rows = reader, TextTable.collect([hidden(text, reader.functions) for text in self.texts])
        table, rows = table_rows
        counted = [model.counts(table, np.arange(len(table))) for model in reader.models]
        self.summed = [(_running(counts[rows]), _running(sizes[rows])) for counts, sizes in counted]
        self.words = _running(np.array([count_words(text) for text in self.texts], dtype=np.float64))
        order = stream(seed, "changes-content").permutation(len(self.texts))
        clash = np.flatnonzero(self.owner[order] == self.owner)
        order[clash] = order[(clash + len(order) // 2) % len(order)]
        self.others = [self.texts[i] for i in order]

    def sides(self, left: tuple[Ints, Ints], right: tuple[Ints, Ints], replaced: bool = False) -> BoundarySides:
        """Features of the segments from ``left[0]`` up to ``left[1]`` against those of ``right``, (n,) each."""
        style = [
            model.llr(*(c[b] - c[a] for a, b in (left, right)), *(s[b] - s[a] for a, b in (left, right))) / math.log(10)
            for model, (c, s) in zip(self.reader.models, self.summed, strict=True)
        ]
        words = np.log1p([self.words[b] - self.words[a] for a, b in (left, right)])
        texts = self.others if replaced else self.texts
        joined = [[" ".join(texts[a:b]) for a, b in zip(*side, strict=True)] for side in (left, right)]
        content = self.reader.space.paired(*joined)[:, None]
        return BoundarySides(np.stack([*style, abs(words[0] - words[1]), words.min(axis=0)], axis=1), content)

    def around(self, replaced: bool = False) -> BoundarySides:
        """Features of every place between segments: of the two, of those near, and how both stand to their text's
        mean."""
        at, owner = self.places, self.owner[self.places]
        low, high = np.maximum(self.first[owner], at - NEAR), np.minimum(self.first[owner + 1], at + NEAR)
        both = self.sides((at - 1, at), (at, at + 1), replaced), self.sides((low, at), (at, high), replaced)
        every = [np.hstack(one) for one in zip(*both, strict=True)]
        return BoundarySides(*(np.hstack([one, one - _means(one, owner)[owner]]) for one in every))

    def whole(self, x: Floats) -> Floats:
        """The least, mean and greatest of each text's features (places, columns), and how many places it has."""
        summary = np.zeros((len(self.first) - 1, 3 * x.shape[1] + 1))
        for number, own in enumerate(np.split(x, np.cumsum(np.diff(self.first) - 1)[:-1])):
            if len(own):
                summary[number] = [*own.min(axis=0), *own.mean(axis=0), *own.max(axis=0), len(own)]
        return summary


@dataclass(frozen=True, eq=False)
class ChangeReader:
    """What was learned from problems with truth of one form."""

    problems: Sequence[ChangeProblem]
    form: int
    seed: int

    @cached_property
    def functions(self) -> frozenset[str]:
        """The words that are not hidden."""
        return Splicer(TextTable.collect([text for p in self.problems for text in p.segments])[0]).functions

    @cached_property
    def space(self) -> ContentSpace:
        """The space of the words that are hidden."""
        return ContentSpace([text for p in self.problems for text in p.segments], functions=self.functions)

    @cached_property
    def models(self) -> Any:
        """The two-level models, from segments that surely are by one hand."""
        hands: list[list[str]] = []
        for problem in self.problems:
            truth, size = problem.truth or Hands(), len(problem.segments)
            code = truth.paragraph_authors or (range(size) if truth.multi else [0] * size)
            code = code if truth.changes is None or truth.paragraph_authors else np.cumsum([0, *truth.changes]).tolist()
            hands += [[hidden(s, self.functions) for s, c in zip(problem.segments, code, strict=True) if c == one]
                      for one in dict.fromkeys(code)]  # fmt: skip
        own = [hands[i] for i in stream(self.seed, "changes-hands").permutation(len(hands))[:HANDS]]
        return fitted_models([s for one in own for s in one], np.repeat(np.arange(len(own)), list(map(len, own))))

    @cached_property
    def rules(self) -> Mapping[tuple[str, str], Rule]:
        """The rule of every part of the training set ("": of all of it) on every basis."""
        rules = {}
        for part in ("", *sorted({p.part for p in self.problems} - {""})):
            own = [p for p in self.problems if part in (p.part, "")]
            truths = [p.truth or Hands() for p in own]
            segments = Segments(self, own, self.seed)
            around, owner = segments.around(), segments.owner[segments.places]
            i, j = _pairs(segments, self.seed)
            pairs = segments.sides((i, i + 1), (j, j + 1)) if all(t.paragraph_authors for t in truths) else None
            for basis in (AS_WRITTEN, STYLE, CONTENT):
                x, change, threshold, same, whole = around.of(basis), None, 0.5, None, None
                if self.form < 2020:
                    authors = np.minimum([t.authors or 1 for t in truths], MOST_AUTHORS)
                    whole = _fit(segments.whole(x), authors)
                else:
                    change, threshold = _with_threshold(x, np.hstack([t.changes or () for t in truths]), owner)
                if pairs is not None:
                    authors = np.hstack([t.paragraph_authors or () for t in truths])
                    same = _fit(pairs.of(basis), authors[i] == authors[j])
                rules[part, basis] = Rule(
                    change, threshold, all(sum(t.changes or ()) == 1 for t in truths), same, whole
                )
        return rules

    def answer(self, problems: Sequence[ChangeProblem]) -> dict[str, list[Hands]]:
        """What is said of every problem on every basis, and as written where content is another problem's."""
        segments, answers = Segments(self, problems, self.seed), {}
        for title in (AS_WRITTEN, REPLACED, STYLE, CONTENT):
            basis, replaced = (AS_WRITTEN, True) if title == REPLACED else (title, False)
            x = segments.around(replaced).of(basis)
            whole, owner = segments.whole(x), segments.owner[segments.places]
            answers[title] = [
                self._one(self.rules.get((p.part, basis)) or self.rules["", basis], x[owner == number],
                          whole[number : number + 1], segments, number, (basis, replaced))
                for number, p in enumerate(problems)
            ]  # fmt: skip
        return answers

    def _one(
        self, rule: Rule, x: Floats, whole: Floats, segments: Segments, number: int, basis: tuple[str, bool]
    ) -> Hands:
        if rule.whole is not None:
            return Hands(authors=int(rule.whole.predict(whole)[0]))
        chance = _chance(rule.change, x)
        at = np.arange(len(chance)) == np.argmax(chance) if rule.one and len(chance) else chance >= rule.threshold
        changes = tuple(at.astype(int).tolist())
        if rule.same is None:
            return Hands(None, changes)
        # Each run is by the earlier author (not the last) whose first run is likeliest by the same hand, or a new one.
        start, stop = segments.first[number : number + 2]
        runs = list(pairwise([start, *(start + 1 + np.flatnonzero(at)), stop]))
        author, firsts = [0], [runs[0]]
        for first, last in runs[1:]:
            left, right = np.array(firsts).T, np.full((2, len(firsts)), [[first], [last]])
            likely = _chance(rule.same, segments.sides((left[0], left[1]), (right[0], right[1]), basis[1]).of(basis[0]))
            likely[author[-1]] = -1.0
            new = likely.max() < (0.5 if len(firsts) < MOST_AUTHORS else 0)
            author.append(len(firsts) if new else int(np.argmax(likely)))
            firsts += [(first, last)] if new else []
        return Hands(None, changes, tuple(a + 1 for a, (i, j) in zip(author, runs, strict=True) for _ in range(i, j)))


def _running(values: Floats) -> Floats:
    return np.concatenate([np.zeros((1, *values.shape[1:])), np.cumsum(values, axis=0)])


def _means(values: Floats, owner: Ints) -> Floats:
    """Means (owners, columns) of rows by owner."""
    total = np.zeros((int(owner.max(initial=-1)) + 1, values.shape[1]))
    np.add.at(total, owner, values)
    return total / np.maximum(np.bincount(owner, minlength=len(total)), 1)[:, None]


def _pairs(segments: Segments, seed: int) -> tuple[Ints, Ints]:
    """Pairs i < j of segments of one problem, a sample of all."""
    every = np.hstack([np.stack(np.triu_indices(b - a, 1)) + a for a, b in pairwise(segments.first)])
    drawn = stream(seed, "changes-pairs").permutation(every.shape[1])[:PAIRS]
    return every[0, drawn], every[1, drawn]


def _fit(x: Floats, y: Ints | Bools) -> Any:
    from sklearn.dummy import DummyClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    if len(np.unique(y)) < 2:
        return DummyClassifier(strategy="prior").fit(x, y)
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)).fit(x, y)


def _with_threshold(x: Floats, changes: Ints, owner: Ints) -> tuple[Any, float]:
    """What tells changes (n,), and the probability from which they are said."""
    chance = np.full(len(x), np.nan)
    for fold in range(FOLDS):
        left_out = owner % FOLDS == fold
        if left_out.any() and not left_out.all():
            chance[left_out] = _chance(_fit(x[~left_out], changes[~left_out]), x[left_out])
    some = ~np.isnan(chance)
    tried = np.quantile(chance[some], np.linspace(0.02, 0.98, 49)) if some.any() else [0.5]
    worth = [macro_f1(label_counts(changes[some], chance[some] >= at, (0, 1))) for at in tried]
    return _fit(x, changes), float(tried[int(np.argmax(worth))])


def _chance(model: Any, x: Floats) -> Floats:
    """Probability (n,) of the class 1."""
    if not len(x) or 1 not in model.classes_:
        return np.zeros(len(x))
    return np.asarray(model.predict_proba(x)[:, list(model.classes_).index(1)])


def made_of(corpus: Corpus, words: int, seed: int) -> list[ChangeProblem]:
    """Problems of segments of so many words by two or three authors of a corpus; every other place is a change."""
    documents = [corpus.texts.rows(np.flatnonzero(corpus.author.codes == a)) for a in range(len(corpus.author.names))]
    texts, author = portions(documents, words, LONG)
    able = [own for a in np.unique(author) if len(own := np.flatnonzero(author == a)) > 1]
    problems = []
    for number in range(MADE if len(able) > 1 else 0):
        rng = stream(seed, "changes-made", number)
        people = rng.choice(len(able), min(len(able), 2 + number % 2), replace=False)
        changes = (rng.random(LONG - 1) < 0.5).astype(int)
        steps = np.cumsum([0, *(changes * rng.integers(1, len(people), LONG - 1))]) % len(people)
        order = {a: place for place, a in enumerate(dict.fromkeys(steps.tolist()), start=1)}
        chosen = [able[people[a]][place % len(able[people[a]])] for place, a in enumerate(steps)]
        truth = Hands(None, tuple(changes.tolist()), tuple(order[a] for a in steps.tolist()))
        problems.append(ChangeProblem("", f"problem-{number}", tuple(texts[i] for i in chosen), truth))
    return problems
