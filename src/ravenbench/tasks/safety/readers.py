"""Summarises readers' grades of rewritings, by obfuscator, and how far readers agree.

In: the ``Store`` of ``raven safety`` with grades and verdicts; for the alphas grades (graders, texts), NaN = none.
Out: a ``People`` (None where nobody graded) with one ``Graded`` an obfuscator: mean grades from 1 (fluent) to 5
(unreadable), shares from 0 to 1, agreement as Krippendorff's alpha (1 = full, 0 = chance, negative = contrary, None
where undefined) with its 95 % interval.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ravenbench.randomness import stream
from ravenbench.reading.reviews import VERDICTS
from ravenbench.reports.cells import mean
from ravenbench.statistics.estimates import percentiles
from ravenbench.store.store import Store
from ravenbench.tasks.safety.measures import measures_of, read_grades
from ravenbench.tasks.safety.record import GradedText, MeasuredText, SafetyPlan
from ravenbench.types import Floats, Interval


def ordinal_alpha(grades: ArrayLike) -> float | None:
    """Return Krippendorff's alpha for ordinal grades (graders, texts), NaN if a grader did not grade a text: 1 is full
    agreement, 0 is chance, below 0 is disagreement; None if no text has two grades, or all grades are the same.

    The difference of two grades is the squared number of all grades between them, so that it depends on the grades that
    people use and not on the numbers of the scale. A text with only one grade is left out (Krippendorff 2011, Computing
    Krippendorff's Alpha-Reliability, sections C and E).
    """
    counts, scale = _counts(grades)
    return _alpha(counts) if len(scale) else None


def alpha_interval(grades: ArrayLike) -> Interval | None:
    """Return a 95 % bootstrap interval (low, high) of ``ordinal_alpha`` over texts; None if fewer than five texts have
    two grades."""
    counts, _ = _counts(grades)
    counts = counts[counts.sum(axis=1) > 1]
    units = len(counts)
    if units < 5:
        return None
    rng = stream(0, "alpha-interval", units)
    drawn = (_alpha(counts[rows]) for rows in rng.integers(0, units, (2000, units)))
    alphas = [value for value in drawn if value is not None]
    return percentiles(np.array(alphas), units, 0.95) if alphas else None


def _counts(grades: ArrayLike) -> tuple[Floats, Floats]:
    """How often each text has each grade, (texts, scale), and the scale: all grades given, ascending."""
    table = np.asarray(grades, dtype=np.float64)
    scale = np.unique(table[~np.isnan(table)])
    return np.asarray((table.T[:, :, None] == scale).sum(axis=1), dtype=np.float64), scale


def _alpha(counts: Floats) -> float | None:
    graders = counts.sum(axis=1)
    counts = counts[graders > 1]
    graders = graders[graders > 1]
    if not len(counts):
        return None
    # Coincidences of two grades within a text, each text weighing as many as its graders.
    together = (counts / (graders - 1)[:, None]).T @ counts - np.diag(
        (counts / (graders - 1)[:, None]).sum(axis=0)
    )
    totals = together.sum(axis=1)
    middle = np.cumsum(totals) - totals / 2
    apart = (middle[:, None] - middle[None, :]) ** 2
    expected = float(totals @ apart @ totals)
    return (
        None
        if expected <= 0
        else 1 - (totals.sum() - 1) * float((together * apart).sum()) / expected
    )


Text = tuple[str, int, str]
"""A rewriting: obfuscator, seed, problem."""


@dataclass(frozen=True)
class Graded:
    """Readers' grades of one obfuscator's texts, or of all texts, and automatic measures of the same texts.

    ``grade`` is the mean over texts of their graders' means, 1 fluent … 5 unreadable; ``verdicts`` shares of the
    verdicts given; ``grade_alpha`` and ``verdict_alpha`` Krippendorff's alpha of both with its 95 % interval; ``blind``
    the share of grades given before the original was seen; ``sound`` the share of these texts within the stated limits
    of meaning, ``bits`` their mean surprisal, in bits a token, over that of the originals.
    """

    obfuscator: str
    graders: int
    texts: int
    grade: float | None
    grade_alpha: float | None
    grade_interval: Interval | None
    verdicts: Mapping[str, float]
    verdict_alpha: float | None
    verdict_interval: Interval | None
    blind: float | None
    sound: float | None
    bits: float | None


@dataclass(frozen=True)
class People:
    """All readers' grades of a run, one row per obfuscator; the last row is for all texts."""

    graders: tuple[str, ...]
    rows: tuple[Graded, ...]


def people(store: Store) -> People | None:
    """Return readers' grades of this run's rewritings; None if there are none."""
    grades = read_grades(store)
    if not grades:
        return None
    measured = {
        (obfuscator.name, seed, problem): row
        for obfuscator in store.plan_as(SafetyPlan).obfuscators
        for seed, measures in measures_of(store.path / "measures", obfuscator.name).items()
        for problem, row in measures.rows.items()
    }
    by_obfuscator: dict[str, list[GradedText]] = {}
    for grade in grades:
        by_obfuscator.setdefault(grade.obfuscator, []).append(grade)
    obfuscators = [entry.name for entry in store.plan_as(SafetyPlan).obfuscators]
    rows = [
        _row(name, by_obfuscator[name], measured) for name in obfuscators if name in by_obfuscator
    ]
    if len(rows) > 1:
        rows.append(_row("all", grades, measured))
    return People(tuple(sorted({grade.grader for grade in grades})), tuple(rows))


def _grade(text: GradedText) -> float | None:
    return text.grade


def _verdict(text: GradedText) -> float | None:
    return None if text.verdict is None else 1 + VERDICTS.index(text.verdict)


def _text(text: GradedText) -> Text:
    return text.obfuscator, text.seed, text.problem


def _answers(grades: Sequence[GradedText], value: Callable[[GradedText], float | None]) -> Floats:
    """Answers (graders, texts), NaN where one did not answer."""
    graders = sorted({grade.grader for grade in grades})
    texts = sorted({_text(grade) for grade in grades})
    table = np.full((len(graders), len(texts)), np.nan)
    for grade in grades:
        answer = value(grade)
        if answer is not None:
            table[graders.index(grade.grader), texts.index(_text(grade))] = answer
    return table


def _row(name: str, grades: Sequence[GradedText], measured: Mapping[Text, MeasuredText]) -> Graded:
    texts = sorted({_text(grade) for grade in grades})
    verdicts = [str(grade.verdict) for grade in grades if grade.verdict is not None]
    automatic = [measured[text] for text in texts if text in measured]
    bits = [
        bits_of_row
        for row in automatic
        if (bits_of_row := row.sensibleness.get("surprisal")) is not None
    ]
    read = _answers(grades, _grade)
    judged = _answers(grades, _verdict)
    return Graded(
        obfuscator=name,
        graders=len(read),
        texts=len(texts),
        grade=mean(
            [float(np.mean(text[~np.isnan(text)])) for text in read.T if not np.isnan(text).all()]
        ),
        grade_alpha=ordinal_alpha(read),
        grade_interval=alpha_interval(read),
        verdicts={verdict: verdicts.count(verdict) / len(verdicts) for verdict in VERDICTS}
        if verdicts
        else {},
        verdict_alpha=ordinal_alpha(judged),
        verdict_interval=alpha_interval(judged),
        blind=mean([grade.blind for grade in grades if grade.grade is not None]),
        sound=mean([row.survives for row in automatic]),
        bits=mean(bits),
    )
