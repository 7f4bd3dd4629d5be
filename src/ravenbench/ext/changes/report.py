"""PAN's problems of several authors answered, and judged where truth is known: measures
of the year with intervals, trivial answers beside them, and how much of the answers is topic."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ravenbench.corpora.load import load_corpus
from ravenbench.engine.pool import Progress
from ravenbench.engine.task import Preview
from ravenbench.errors import InputError, counted, remark
from ravenbench.ext.case.compare.material import COPIED, is_copy, runs
from ravenbench.ext.changes.forms import LAST_FORM, ChangeProblem, Hands, read_changes, write_solutions
from ravenbench.ext.changes.reader import (
    AS_WRITTEN,
    CONTENT,
    MOST_AUTHORS,
    REPLACED,
    STYLE,
    ChangeReader,
    label_counts,
    macro_f1,
    made_of,
    micro_f1,
    ordinal_index,
)
from ravenbench.ext.changes.spec import ChangesSpec
from ravenbench.formats.output import check_folder
from ravenbench.problems.overlap import refuse_shared
from ravenbench.randomness import stream
from ravenbench.reports.report import FolderView, write_parts
from ravenbench.reports.view import Col, Table, col, figure, rows_json, table, to_html
from ravenbench.statistics.estimates import percentiles
from ravenbench.statistics.resampling import problem_weights
from ravenbench.text.content_words import LETTERS, hidden_sentence, hidden_share
from ravenbench.text.copies import repeating
from ravenbench.text.tokens import count_words
from ravenbench.types import Floats

BLOCKS, DRAWS = 10, 20
"""Blocks of resamplings, and times that random answers are drawn; their counts are averaged."""
TRIVIAL = ("never a change", "always a change", "changes at random")
ALL = "all"
NOTE = (
    "95% intervals: problems drawn anew. Content replaced: the same rule where every segment has the content words of "
    "another problem's. Style, content: rules that learned from one of them alone. At random: as often as in training."
)


class ChangeMeasure(NamedTuple):
    """A measure of PAN's: counts of a truth and an answer, and its value by their sum."""

    key: str
    title: str
    counts: Callable[[Hands, Hands], Floats]
    value: Callable[[Floats], float]


def measures(form: int, truths: Sequence[Hands], answers: Sequence[Hands]) -> list[ChangeMeasure]:
    """The year's measures of what truths say and answers answer."""

    def several(truth: Hands, said: Hands) -> Floats:
        return label_counts([truth.multi], [said.multi], (0, 1))

    def changes(truth: Hands, said: Hands) -> Floats:
        return label_counts(truth.changes or (), said.changes or (), (0, 1))

    def authors(truth: Hands, said: Hands) -> Floats:
        return label_counts(truth.paragraph_authors or (), said.paragraph_authors or (), range(1, MOST_AUTHORS + 1))

    def confusion(truth: Hands, said: Hands) -> Floats:
        counts = np.zeros((most, most))
        counts[(truth.authors or 1) - 1, (said.authors or 1) - 1] = truth.multi
        return counts

    def present(counts: Floats) -> float:
        return macro_f1(counts[counts[:, 1:].any(axis=1)])

    if form < 2020:
        most = max(2, *(one.authors or 1 for one in (*truths, *answers)))
        wanted = [ChangeMeasure("accuracy", "accuracy", several, micro_f1)]
        return [*wanted, ChangeMeasure("oci", "ordinal index (0 is best)", confusion, ordinal_index)][: form - 2017]
    name, value = ("micro F1", micro_f1) if form == 2020 else ("macro F1", macro_f1)
    wanted = [ChangeMeasure("changes", f"{name} of changes", changes, value)]
    if form < LAST_FORM:
        wanted.append(
            ChangeMeasure("multi-author", f"{name} of several authors", several, micro_f1 if form == 2020 else present)
        )
    if all(one.paragraph_authors for one in (*truths, *answers)):
        wanted.append(ChangeMeasure("paragraph-authors", f"{name} of who wrote what", authors, macro_f1))
    return wanted


class ChangesRow(NamedTuple):
    """How good some answers to a part are: the value of each measure and its resampled values, by key."""

    part: str
    answers: str
    problems: int
    values: Mapping[str, tuple[float, Floats]]

    def interval(self, key: str) -> tuple[float, float]:
        """The 95 % interval of a measure."""
        return percentiles(self.values[key][1], self.problems)


class Changes(FolderView):
    """Answers to PAN's problems of several authors, and how good they are.

    Attributes
    ----------
    problems, answers : sequence of ChangeProblem, of Hands
    rows : list of Row
        Measures of every part, of these answers and of others beside them; empty where truth is not known.
    sentences : list of str
    """

    kind = "changes"

    def __init__(
        self, problems: Sequence[ChangeProblem], form: int, answers: Mapping[str, Sequence[Any]], learned: str,
        seed: int,
    ) -> None:  # fmt: skip
        self.problems, self.form, self.learned, self.seed = problems, form, learned, seed
        self.answers: Sequence[Hands] = answers[AS_WRITTEN]
        parts = sorted({problem.part for problem in problems})
        self.rows: list[ChangesRow] = []
        self.titles: dict[str, str] = {}
        self.sentences = [
            f"{sum(one.multi for one in self.answers):,} of {len(problems):,} texts are said to be by several authors."
        ]
        for part in [*parts, *([ALL] if len(parts) > 1 else [])]:
            chosen = [i for i, p in enumerate(problems) if part in (p.part, ALL) and p.truth is not None]
            if chosen:
                rows = self._judged(part or ALL, chosen, answers)
                self.sentences.append(self._said({row.answers: row for row in rows}))
                self.rows += rows

    def _judged(self, part: str, chosen: Sequence[int], answers: Mapping[str, Sequence[Any]]) -> list[ChangesRow]:
        truths = [truth for i in chosen if (truth := self.problems[i].truth) is not None]
        wanted = measures(self.form, truths, [self.answers[i] for i in chosen])
        self.titles |= {measure.key: measure.title for measure in wanted}
        weights = np.hstack([problem_weights(len(chosen), self.seed, block) for block in range(BLOCKS)]).T
        rows = []
        for title, given in answers.items():
            said = [own if isinstance(own := given[i], list) else [own] for i in chosen]
            values = {}
            for measure in wanted:
                counts = np.array([np.mean([measure.counts(truth, one) for one in own], axis=0)
                                   for truth, own in zip(truths, said, strict=True)])  # fmt: skip
                drawn = np.tensordot(weights.astype(np.float64), counts, 1)
                values[measure.key] = measure.value(counts.sum(axis=0)), np.array([measure.value(c) for c in drawn])
            rows.append(ChangesRow(part, title, len(chosen), values))
        return rows

    def _said(self, by: Mapping[str, ChangesRow]) -> str:
        key, row = next(iter(self.titles)), by[AS_WRITTEN]
        value = {title: one.values[key][0] for title, one in by.items()}
        low, high = percentiles(by[REPLACED].values[key][1] - row.values[key][1], row.problems)
        best = max(TRIVIAL, key=value.__getitem__)
        return (
            f"{row.part}: {self.titles[key]} {figure(value[AS_WRITTEN])} on {row.problems:,} problems, "
            f"{figure(value[best])} by saying {best}. With content words of other problems: {figure(value[REPLACED])} "
            f"(difference {figure(value[REPLACED] - value[AS_WRITTEN], True)}, 95% interval {figure(low, True)} to "
            f"{figure(high, True)}); by style alone {figure(value[STYLE])}, by content alone {figure(value[CONTENT])}."
        )

    def finding(self) -> str:
        return self.sentences[-1]

    def tables(self) -> Sequence[Table]:
        return [self.table]

    @property
    def table(self) -> Table:
        """Measures of every part, a row for each kind of answers."""

        def of(key: str) -> list[Col[ChangesRow]]:
            return [
                col(self.titles[key], lambda r: r.values[key][0] if key in r.values else None, json=key),
                col("95%", lambda r: r.interval(key) if key in r.values else None, json=f"{key} interval",
                    terminal=False),
            ]  # fmt: skip

        return table(
            "measures", "How good the answers are", self.rows,
            col("part", lambda r: r.part, text=True, json="part"),
            col("answers", lambda r: r.answers, text=True, json="answers"),
            col("problems", lambda r: r.problems, json="problems"),
            *(one for key in self.titles for one in of(key)), note=NOTE,
        )  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        rows = rows_json(self.table)
        return {"form": self.form, "learned_from": self.learned, "findings": self.sentences, "measures": rows}

    def _fill(self, folder: Path) -> None:
        from ravenbench.reports.page import render

        page = render("ravenbench.ext.changes:template.html.j2", a=self, last=LAST_FORM, measures=to_html(self.table))
        write_parts(folder, kind="changes", page=page, json=self.to_json(), tables=[self.table] if self.rows else [])
        write_solutions(folder, self.problems, self.answers, self.form)


def _trivial(problems: Sequence[ChangeProblem], lessons: Sequence[Hands], seed: int) -> dict[str, list[Any]]:
    """Answers that look at nothing; those at random have changes, and several authors, as often as training has."""

    def said(problem: ChangeProblem, changes: Any, several: bool) -> Hands:
        at = tuple(np.asarray(changes, dtype=np.int64)[: len(problem.segments) - 1].tolist())
        authors = tuple((1 + np.cumsum([0, *at]) % 2).tolist())
        return Hands(1 + several) if whole else Hands(1 + several, at, authors)

    whole = lessons[0].changes is None
    rate = float(np.mean([change for one in lessons for change in one.changes or ()] or [0]))
    many = float(np.mean([one.multi for one in lessons]))
    random = []
    for number, problem in enumerate(problems):
        draws = stream(seed, "changes-random", number).random((DRAWS, len(problem.segments)))
        random.append([said(problem, draw[1:] < rate, bool(draw[0] < many)) for draw in draws])
    ends = [[said(p, np.full(len(p.segments), several), several) for p in problems] for several in (False, True)]
    return dict(zip(TRIVIAL, (*ends, random), strict=True))


class Learning(NamedTuple):
    """What is answered and what is learned from: problems of a ``form``, ``lessons`` with their truth."""

    given: Sequence[ChangeProblem]
    lessons: Sequence[ChangeProblem]
    truths: Sequence[Hands]
    form: int
    learned: str


def preview_changes(spec: ChangesSpec, out: Path) -> Preview:
    """What ``detect_changes`` would do; a little is tried, nothing written. Raises InputError as it does."""
    from ravenbench.engine.estimate import around, megabytes, reckon

    read = _read(spec, out)
    places = sum(len(problem.segments) - 1 for problem in read.given)
    truth = sum(problem.truth is not None for problem in read.given)
    judged = f"{counted(truth, 'problem')} of these with truth, which the page judges" if truth else "no truth"
    notes = (
        f"Problems in PAN's form of {read.form}, learned from {read.learned}.",
        f"{counted(places, 'place')} between segments are asked about; {judged}.",
    )
    sizes, start = {"training": len(read.lessons), "test": len(read.given)}, around(0)
    seed = spec.seed
    answer = reckon(lambda few: ChangeReader(read.lessons, read.form, seed).answer(read.given[:few]), len(read.given))
    learn = reckon(
        lambda few: ChangeReader(read.lessons[:few], read.form, seed).answer(read.given[:1]), len(read.lessons)
    )
    seconds = None if answer is None or learn is None else start + learn + answer
    untimed = ("learning",) if seconds is None else ()
    return Preview("changes", str(out), sizes, 0, 0, 0, notes, seconds, megabytes(None), untimed)


def detect_changes(spec: ChangesSpec, out: str | Path | None, progress: Progress) -> Changes:
    """Say where the author changes. Raises InputError if problems cannot be read, stand on both sides, or there is
    nothing to learn from."""
    progress("reading problems", 0, 0)
    given, lessons, known, form, learned = _read(spec, out)
    progress("learning", 0, 0)
    reader = ChangeReader(lessons, form, spec.seed)
    answers = reader.answer(given) | _trivial(given, known, spec.seed)
    result = Changes(given, form, answers, learned, spec.seed)
    words = (LETTERS.findall(segment) for problem in given for segment in problem.segments)
    result.sentences.insert(1, hidden_sentence(hidden_share(words, reader.functions)))
    if out is not None:
        result.write(out)
    return result


def _read(spec: ChangesSpec, out: str | Path | None) -> Learning:
    problems, train, background, year = spec.problems, spec.train, spec.background, spec.year
    if (train is None) == (background is None):
        raise InputError(
            "one thing to learn from is needed", found="none" if train is None else "two",
            expected="--train, problems with truth; or --background, texts by known authors",
        )  # fmt: skip
    if year is not None and not 2018 <= year <= 2026:
        raise InputError("PAN had no such problems in this year", found=year, expected="2018 to 2026")
    if out is not None:
        check_folder(out, inputs=[place for place in (problems, train, background) if place], kind="changes")
    wanted = None if year is None else min(year, LAST_FORM)
    lessons, form = ([], None) if train is None else read_changes(train, train=True, encoding=spec.encoding)
    given, shown = read_changes(problems, form=wanted or form, encoding=spec.encoding)
    learned, taught_texts = f"{len(lessons):,} training problems", [" ".join(one.segments) for one in lessons]
    if background is not None:
        form = wanted or shown or LAST_FORM
        words = max(5, int(np.median([count_words(text) for problem in given for text in problem.segments])))
        corpus = load_corpus(background, **spec.reading())
        lessons, taught_texts = made_of(corpus, words, spec.seed), list(corpus.texts)
        learned = f"{len(lessons):,} problems made of background texts, with segments of {words} words"
        if not lessons or form < 2020:
            raise InputError(
                "no training problems can be made of this background", file=background, found=f"form {form}",
                expected=f"two authors with two texts of {words} words, and a form from 2020 on",
            )  # fmt: skip
    known = [problem.truth for problem in lessons if problem.truth is not None]
    if form is None or len(known) < len(lessons) or {wanted or form, shown or form} != {form}:
        raise InputError(
            "these are no training problems for this set", file=train, found=f"form {form}, {len(known)} truths",
            expected=f"form {wanted or shown or form}, and a truth for each of {len(lessons)} problems",
        )  # fmt: skip
    whole = repeating([" ".join(problem.segments) for problem in given], [] if train is None else taught_texts)
    shared = [problem.name for problem, source in zip(given, whole, strict=True) if source is not None]
    segments = [runs(text) for problem in given for text in problem.segments]
    asked_runs = frozenset[tuple[str, ...]]().union(*segments)
    taught_runs = frozenset[tuple[str, ...]]().union(*(asked_runs & runs(text) for text in taught_texts))
    repeated = sum(is_copy(each, taught_runs, COPIED) for each in segments)
    said = refuse_shared(shared, len(given), spec.allow_shared)
    if repeated:
        said.append(f"{repeated:,} of {len(segments):,} segments to answer about stand in texts to learn from")
    for sentence in said:
        learned += f"; {sentence}"
        remark([sentence])
    return Learning(given, lessons, known, form, learned)
