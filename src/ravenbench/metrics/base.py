"""Defines metrics: a title, and a value from truth and answers; ``Counted`` are metrics that are formulas of sums.

In: ``measure``: a ``Metric``, truth (n,) bool, answers (n,) from 0 to 1, higher = same author, 0.5 = unanswered, and
raw scores (n,) or None: a metric may read answers, their log odds (infinite at 0 and 1) or the scores; ``count``:
truth, answers and decisions (n,) of 0, 0.5 or 1, as ``checked`` returns them; ``metrics_of``: names or metrics.
Out: ``measure`` returns one number, NaN if undefined (``Metric.value``: None); ``count`` returns ``Sums``: counts of
problems and pairs, and the squared error; ``categories`` an int from 0 to 5 for each problem; ``metrics_of`` metrics by
name. InputError for arrays that Raven cannot use, AnswerError if a metric fails, SpecError if a name does not parse.

A ``Counted`` metric is one formula over :class:`Sums`: six counts, the Mann–Whitney count and the squared error. The
fields may be numbers or arrays of one shape, so that the same formula serves a single evaluation, thousands of
bootstrap replicates and thousands of randomized trials.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ravenbench import registry
from ravenbench.components import Component
from ravenbench.errors import AnswerError, InputError, RavenError, SpecError, said
from ravenbench.types import Bools, Floats

TP, FN, UP, FP, TN, UN = range(6)


class Sums(NamedTuple):
    """Sums over problems (weighted if problems are resampled): counts, and the squared error.

    ``tp``, ``fn`` and ``up`` count same-author problems answered above, below and at exactly 0.5; ``fp``, ``tn``
    and ``un`` count different-author problems. ``u2`` is twice the number of (same, different) pairs of problems in
    the right order; a tie counts once, so it is an integer. ``sq`` is Σ (value − truth)².
    """

    tp: Floats
    fn: Floats
    up: Floats
    fp: Floats
    tn: Floats
    un: Floats
    u2: Floats
    sq: Floats

    @property
    def positives(self) -> Floats:
        """Number of same-author problems."""
        return self.tp + self.fn + self.up

    @property
    def negatives(self) -> Floats:
        """Number of different-author problems."""
        return self.fp + self.tn + self.un

    @property
    def n(self) -> Floats:
        """Number of all problems."""
        return self.positives + self.negatives

    @property
    def unanswered(self) -> Floats:
        """Number of problems answered with exactly 0.5."""
        return self.up + self.un

    @property
    def correct(self) -> Floats:
        """Number of problems answered correctly."""
        return self.tp + self.tn


def checked(
    same: ArrayLike, value: ArrayLike, decision: ArrayLike | None = None
) -> tuple[Bools, Floats, Floats]:
    """Return truth (n,) bool, values and decisions (n,), 0 to 1, checked, as arrays of the same length. InputError if
    there is no problem, lengths differ, truth is not boolean, or a number is not in its range.

    Parameters
    ----------
    same : (n,) bool
        Truth.
    value : (n,) float
        Answers in [0, 1], higher = same author, exactly 0.5 = unanswered.
    decision : (n,) float, optional
        1 (same), 0 (different) or 0.5 (unanswered), if the system gives decisions besides scores, as in
        PAN-2013. Otherwise the value decides.
    """
    truth = np.asarray(same)
    values = np.asarray(value)
    if truth.ndim != 1 or truth.shape != values.shape:
        raise InputError(
            "truth and answers have different lengths", found=f"{truth.shape} and {values.shape}"
        )
    if not len(truth):
        raise InputError("no problem to evaluate", expected="at least one")
    if truth.dtype != np.bool_ and not np.isin(truth, (0, 1)).all():
        raise InputError(
            "truth is not boolean", found=truth[:5], expected="True (same author) or False"
        )
    try:
        values = values.astype(np.float64)
    except (TypeError, ValueError):
        raise InputError(
            "an answer is not a number", found=value, expected="numbers from 0 to 1"
        ) from None
    _within((values >= 0) & (values <= 1), values, "a number from 0 to 1")
    decisions = values
    if decision is not None:
        decisions = np.asarray(decision, dtype=np.float64)
        if decisions.shape != values.shape:
            raise InputError(
                "decisions and answers have different lengths",
                found=f"{decisions.shape} and {values.shape}",
            )
        _within(
            np.isin(decisions, (0.0, 0.5, 1.0)),
            decisions,
            "0 (different), 0.5 (unanswered) or 1 (same)",
        )
    return truth.astype(np.bool_), values, decisions


def _within(good: Bools, values: Floats, expected: str) -> None:
    if not good.all():
        i = int(np.argmin(good))
        raise InputError(
            f"answer number {i + 1} is out of range", found=float(values[i]), expected=expected
        )


def categories(same: Bools, decision: Floats) -> NDArray[np.uint8]:
    """Return the category of each problem, (n,), 0…5 in the order of the fields of :class:`Sums`."""
    side = np.where(decision > 0.5, 0, np.where(decision < 0.5, 1, 2))
    return np.where(same, np.array([TP, FN, UP])[side], np.array([FP, TN, UN])[side]).astype(
        np.uint8
    )


def count(same: Bools, value: Floats, decision: Floats) -> Sums:
    """Return plain, unweighted ``Sums`` of checked arrays; the kernel of ``statistics.resampling`` is tested against
    it."""
    tp, fn, unanswered_same, fp, tn, un = np.bincount(
        categories(same, decision), minlength=6
    ).astype(np.float64)
    # Twice the rank of each value, ties sharing their mean: whole numbers.
    _, position, number = np.unique(value, return_inverse=True, return_counts=True)
    ranks2 = (2 * np.cumsum(number) - number + 1.0)[position]
    positives = float(same.sum())
    u2 = ranks2[same].sum() - positives * (positives + 1)
    return Sums(
        tp,
        fn,
        unanswered_same,
        fp,
        tn,
        un,
        np.asarray(u2),
        np.asarray(np.square(value - same).sum()),
    )


class Metric(Component):
    """Base class of metrics of verification: a subclass has ``title`` and ``value``, and parameters like any component.

    Raven computes its intervals and tests by resampling the problems, so the value must not depend on their order.

    Attributes
    ----------
    title : str
        Its name in tables.
    reads : "answers", "log-odds" or "scores"
        What ``value`` takes: answers in [0, 1]; their log odds (infinite at 0 and 1); or a verifier's raw scores, which
        runs contain and files of answers do not.
    higher : bool
        Whether higher is better.

    Examples
    --------
    >>> class Balanced(Metric):
    ...     title = "balanced accuracy"
    ...     def value(self, truth, answers):
    ...         return float((answers[truth] > 0.5).mean() + (answers[~truth] < 0.5).mean()) / 2
    >>> Balanced().value(np.array([True, True, False]), np.array([0.9, 0.2, 0.1]))
    0.75
    """

    title: ClassVar[str] = ""
    reads: ClassVar[Literal["answers", "log-odds", "scores"]] = "answers"
    higher: ClassVar[bool] = True

    @abstractmethod
    def value(self, truth: Bools, answers: Floats) -> float | None:
        """Return the metric of answers (n,) to problems with this truth (n,), True = same author; None if undefined."""


class Counted(Metric):
    """Base class of metrics that are a formula over :class:`Sums`, of any shape."""

    @abstractmethod
    def of(self, s: Sums) -> Floats:
        """Return the metric from sums, in the shape of their fields; NaN if undefined."""

    def value(self, truth: Bools, answers: Floats) -> float | None:
        """Return the metric of answers in [0, 1], exactly 0.5 being unanswered; None if undefined."""
        number = float(self.of(count(*checked(truth, answers))))
        return None if math.isnan(number) else number


def measure(metric: Metric, truth: Bools, answers: Floats, scores: Floats | None = None) -> float:
    """Return the metric of what it reads; NaN if it is undefined, infinite or divides by zero.

    AnswerError if the metric fails or does not give a number; InputError if it reads raw scores and there are none.
    ``answers`` (n,) are in [0, 1]; ``scores`` (n,) are the verifier's raw scores, if known.
    """
    read = answers
    if metric.reads == "log-odds":
        with np.errstate(divide="ignore"):
            read = np.log(answers) - np.log1p(-answers)
    elif metric.reads == "scores":
        if scores is None:
            raise InputError(
                f"the metric {metric} needs raw scores, which answers do not include",
                fix="use it in a run",
            )
        read = scores
    if not len(truth):
        return math.nan
    try:
        result = metric.value(truth, read)
        number = math.nan if result is None else float(result)
    except ZeroDivisionError:
        return math.nan
    except RavenError:
        raise
    except Exception as error:  # whatever a metric from outside does
        raise AnswerError(
            f"the metric {metric} failed", found=f"{type(error).__name__}: {said(error)}"
        ) from error
    return number if math.isfinite(number) else math.nan


def metrics_of(given: str | Iterable[str | Metric]) -> dict[str, Metric]:
    """Return metrics by name, from a comma-separated list or from names and objects: ``"auc, c@1, mine:Balanced"``.
    SpecError if one cannot be parsed, or the list is empty; a repeated metric counts once.
    """
    listed = registry.split(given) if isinstance(given, str) else list(given)
    parsed = [
        registry.parse("metric", metric) if isinstance(metric, str) else metric for metric in listed
    ]
    if not parsed:
        raise SpecError(
            "no metric given", expected=f"one or more of {', '.join(registry.names('metric'))}"
        )
    return {str(metric): metric for metric in parsed}


def title_of(metric: Metric) -> str:
    """Return a metric as tables write it: its title, or its name, and parameters that are not at their defaults."""
    name, bracket, parameters = str(metric).partition("(")
    return (metric.title or name.rpartition(":")[2]) + (f" ({parameters}" if bracket else "")
