"""What people said of rewritings: by obfuscator, how far they agree, and which automatic measures say the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ravenbench.formats.reviews import VERDICTS
from ravenbench.reports.cells import mean
from ravenbench.statistics.agreement import alpha_interval, ordinal_alpha
from ravenbench.statistics.estimates import Interval
from ravenbench.statistics.ranks import RankCorrelation, rank_correlation
from ravenbench.store.store import Store
from ravenbench.tasks.safety.measures import measures_of, read_grades
from ravenbench.tasks.safety.record import GradedText, MeasuredText, SafetyPlan

Text = tuple[str, int, str]
"""A rewriting: obfuscator, seed, problem."""


@dataclass(frozen=True)
class Agreement:
    """Krippendorff's alpha of one question: graders, texts that two of them graded, alpha and its 95 % interval."""

    question: str
    graders: int
    texts: int
    alpha: float | None
    interval: Interval | None


@dataclass(frozen=True)
class PeopleRow:
    """What people said of one obfuscator, and what automatic measures say of the same texts.

    ``grade`` is the mean over texts of their graders' means, 1 fluent … 5 unreadable; ``verdicts`` shares of
    the verdicts given; ``blind`` the share of grades given before the original was seen; ``sound`` the share of these
    texts within the stated limits of meaning, ``bits`` their mean surprisal over that of the originals.
    """

    obfuscator: str
    texts: int
    grade: float | None
    verdicts: Mapping[str, float]
    blind: float | None
    sound: float | None
    bits: float | None


@dataclass(frozen=True)
class MeasureRow:
    """One automatic measure against people, over texts; in both questions a higher answer is a worse one."""

    part: str
    measure: str
    grade: RankCorrelation
    verdict: RankCorrelation


@dataclass(frozen=True)
class People:
    """All that people said of a run."""

    graders: tuple[str, ...]
    agreement: tuple[Agreement, ...]
    rows: tuple[PeopleRow, ...]
    measures: tuple[MeasureRow, ...]


def people(store: Store) -> People | None:
    """What people said of this run's rewritings, None where nobody graded any."""
    grades = read_grades(store)
    if not grades:
        return None
    measured = {
        (entry.name, seed, problem): row
        for entry in store.plan_as(SafetyPlan).obfuscators
        for seed, measures in measures_of(store.path / "measures", entry.name).items()
        for problem, row in measures.rows.items()
    }
    graders = tuple(sorted({one.grader for one in grades}))
    answers = {"can it be read": _grade, "does it say the same": _verdict}
    return People(
        graders,
        tuple(_agreement(question, grades, value) for question, value in answers.items()),
        tuple(
            _row(name, [one for one in grades if one.obfuscator == name], measured)
            for name in dict.fromkeys(entry.name for entry in store.plan_as(SafetyPlan).obfuscators)
            if any(one.obfuscator == name for one in grades)
        ),
        tuple(_measures(_means(grades, _grade), _means(grades, _verdict), measured)),
    )


def _grade(one: GradedText) -> float | None:
    return one.grade


def _verdict(one: GradedText) -> float | None:
    return None if one.verdict is None else 1 + VERDICTS.index(one.verdict)


def _text(one: GradedText) -> Text:
    return one.obfuscator, one.seed, one.problem


def _means(grades: Sequence[GradedText], value: Callable[[GradedText], float | None]) -> dict[Text, float]:
    """Mean answer of each text's graders, where anybody answered."""
    answers: dict[Text, list[float]] = {}
    for one in grades:
        if (answer := value(one)) is not None:
            answers.setdefault(_text(one), []).append(answer)
    return {text: float(np.mean(each)) for text, each in answers.items()}


def _agreement(question: str, grades: Sequence[GradedText], value: Callable[[GradedText], float | None]) -> Agreement:
    graders, texts = sorted({one.grader for one in grades}), sorted({_text(one) for one in grades})
    table = np.full((len(graders), len(texts)), np.nan)
    for one in grades:
        answer = value(one)
        table[graders.index(one.grader), texts.index(_text(one))] = np.nan if answer is None else answer
    answered = ~np.isnan(table)
    return Agreement(
        question,
        int(answered.any(axis=1).sum()),
        int((answered.sum(axis=0) > 1).sum()),
        ordinal_alpha(table),
        alpha_interval(table),
    )


def _row(name: str, grades_of_texts: Sequence[GradedText], measured: Mapping[Text, MeasuredText]) -> PeopleRow:
    texts = sorted({_text(one) for one in grades_of_texts})
    grades = list(_means(grades_of_texts, _grade).values())
    verdicts = [str(one.verdict) for one in grades_of_texts if one.verdict is not None]
    blind = [one.blind for one in grades_of_texts if one.grade is not None]
    automatic = [measured[text] for text in texts if text in measured]
    bits = [b for row in automatic if (b := row.sensibleness.get("surprisal")) is not None]
    return PeopleRow(
        name,
        len(texts),
        mean(grades),
        {v: verdicts.count(v) / len(verdicts) for v in VERDICTS} if verdicts else {},
        mean(blind),
        mean([row.survives for row in automatic]),
        mean(bits),
    )


def _measures(
    grades: Mapping[Text, float], verdicts: Mapping[Text, float], measured: Mapping[Text, MeasuredText]
) -> list[MeasureRow]:
    rows = []
    for part in ("soundness", "sensibleness"):
        values: dict[str, dict[Text, float]] = {}
        for text in sorted({*grades, *verdicts} & measured.keys()):
            for name, value in getattr(measured[text], part).items():
                if value is not None:
                    values.setdefault(name, {})[text] = value
        for name, by_text in values.items():
            correlations = [_correlation(by_text, answers) for answers in (grades, verdicts)]
            if any(one.rho is not None for one in correlations):
                rows.append(MeasureRow(part, name, *correlations))
    return rows


def _correlation(measure: Mapping[Text, float], answers: Mapping[Text, float]) -> RankCorrelation:
    both = [text for text in measure if text in answers]
    problems = [problem for _, _, problem in both]
    return rank_correlation([measure[text] for text in both], [answers[text] for text in both], problems)
