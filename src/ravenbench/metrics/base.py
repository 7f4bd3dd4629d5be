"""What a metric is: a title, and a value from truth and answers; those of counts are formulas over sums."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable
from typing import ClassVar, Literal

import numpy as np

from ravenbench import registry
from ravenbench.components import Component
from ravenbench.errors import AnswerError, InputError, RavenError, SpecError, said
from ravenbench.metrics.sums import Sums, checked, count
from ravenbench.types import Bools, Floats


class Metric(Component):
    """Base of metrics of verification: a subclass gives ``title`` and ``value``, and parameters as any component.

    Its intervals and tests follow from resampling the problems, so the value must not depend on their order.

    Attributes
    ----------
    title : str
        How tables write it.
    reads : "answers", "log-odds" or "scores"
        What ``value`` takes: answers in [0, 1]; their log odds (infinite at 0 and 1); or a verifier's raw scores, which
        runs hold and files of answers do not.
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
        """The metric of answers (n,) to problems with this truth (n,), True = same author; None where undefined."""


class Counted(Metric):
    """Base of metrics that are one formula over :class:`~ravenbench.metrics.sums.Sums`, of any shape."""

    @abstractmethod
    def of(self, s: Sums) -> Floats:
        """The metric from sums; NaN where undefined."""

    def value(self, truth: Bools, answers: Floats) -> float | None:
        """The metric of answers in [0, 1], exactly 0.5 being unanswered; None where undefined."""
        number = float(self.of(count(*checked(truth, answers))))
        return None if math.isnan(number) else number


def measure(metric: Metric, truth: Bools, answers: Floats, scores: Floats | None = None) -> float:
    """The metric of what it reads; NaN where it is undefined, infinite or divides by zero.

    AnswerError if the metric fails, or gives no number; InputError if it reads raw scores and there are none.
    ``answers`` (n,) lie in [0, 1]; ``scores`` (n,) are the verifier's raw scores, where they are known.
    """
    read = answers
    if metric.reads == "log-odds":
        with np.errstate(divide="ignore"):
            read = np.log(answers) - np.log1p(-answers)
    elif metric.reads == "scores":
        if scores is None:
            raise InputError(f"the metric {metric} reads raw scores, which answers do not hold", fix="give it to a run")
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
        raise AnswerError(f"the metric {metric} failed", found=f"{type(error).__name__}: {said(error)}") from error
    return number if math.isfinite(number) else math.nan


def metrics_of(given: str | Iterable[str | Metric]) -> dict[str, Metric]:
    """Metrics by name, from a list between commas or names and objects: ``"auc, c@1, mine:Balanced"``.

    SpecError if one does not parse, or there is none; one that is named twice counts once.
    """
    listed = registry.split(given) if isinstance(given, str) else list(given)
    parsed = [registry.parse("metric", one) if isinstance(one, str) else one for one in listed]
    if not parsed:
        raise SpecError("no metric is given", expected=f"some of {', '.join(registry.names('metric'))}")
    return {str(metric): metric for metric in parsed}


def title_of(metric: Metric) -> str:
    """How tables write a metric: its title, or its name, and parameters that are not at their defaults."""
    name, bracket, parameters = str(metric).partition("(")
    return (metric.title or name.rpartition(":")[2]) + (f" ({parameters}" if bracket else "")
