"""What people said of rewritings: by obfuscator, how far they agree, and which automatic measures say the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ravenbench.formats.reviews import VERDICTS
from ravenbench.randomness import stream
from ravenbench.reports.cells import mean
from ravenbench.statistics.estimates import Interval, percentiles
from ravenbench.statistics.ranks import RankCorrelation, rank_correlation
from ravenbench.store.store import Store
from ravenbench.tasks.safety.measures import measures_of, read_grades
from ravenbench.tasks.safety.record import GradedText, MeasuredText, SafetyPlan
from ravenbench.types import Floats


def ordinal_alpha(grades: ArrayLike) -> float | None:
    """Krippendorff's alpha for ordinal grades (graders, texts), NaN where one did not grade a text: 1 is full
    agreement, 0 what chance gives, below 0 is contrary; None where no text has two grades, or all grades are the same.

    Two grades differ by how many of all grades lie between them, squared, so that it matters which grades people use
    and not how the scale is numbered. A text that only one person graded says nothing and is left out
    (Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, sections C and E).
    """
    counts, scale = _counts(grades)
    return _alpha(counts) if len(scale) else None


def alpha_interval(grades: ArrayLike, *, replicates: int = 2000, level: float = 0.95, seed: int = 0) -> Interval | None:
    """An interval of ``ordinal_alpha`` from drawing texts again and again; None below five texts graded twice."""
    counts, _ = _counts(grades)
    counts = counts[counts.sum(axis=1) > 1]
    units = len(counts)
    if units < 5:
        return None
    rng = stream(seed, "alpha-interval", units)
    drawn = (_alpha(counts[rows]) for rows in rng.integers(0, units, (replicates, units)))
    alphas = [value for value in drawn if value is not None]
    return percentiles(np.array(alphas), units, level) if alphas else None


def _counts(grades: ArrayLike) -> tuple[Floats, Floats]:
    """How often each text has each grade, (texts, scale), and the scale: all grades given, ascending."""
    table = np.asarray(grades, dtype=np.float64)
    scale = np.unique(table[~np.isnan(table)])
    return np.asarray((table.T[:, :, None] == scale).sum(axis=1), dtype=np.float64), scale


def _alpha(counts: Floats) -> float | None:
    graders = counts.sum(axis=1)
    counts, graders = counts[graders > 1], graders[graders > 1]
    if not len(counts):
        return None
    # Coincidences of two grades within a text, each text weighing as many as its graders.
    together = (counts / (graders - 1)[:, None]).T @ counts - np.diag((counts / (graders - 1)[:, None]).sum(axis=0))
    totals = together.sum(axis=1)
    middle = np.cumsum(totals) - totals / 2
    apart = (middle[:, None] - middle[None, :]) ** 2
    expected = float(totals @ apart @ totals)
    return None if expected <= 0 else 1 - (totals.sum() - 1) * float((together * apart).sum()) / expected


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
