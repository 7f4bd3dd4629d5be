"""``ravenbench.evaluate``: truth and answers from files, or from memory, to an Evaluation."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

from numpy.typing import ArrayLike

from ravenbench.errors import FormatError, InputError
from ravenbench.formats.answers import SystemAnswers, Truth, read_systems, read_truth
from ravenbench.formats.archive import Split
from ravenbench.formats.tabular import Attribute, read_attribute
from ravenbench.metrics.base import Metric
from ravenbench.reports.evaluate.aligned import Aligned, Training, aligned
from ravenbench.reports.evaluate.analysis import evaluate as evaluate_arrays
from ravenbench.reports.evaluate.evaluation import Evaluation
from ravenbench.reports.evaluate.of_run import is_run, read_run

Source = str | Path
Given = Source | SystemAnswers | Sequence[Source | SystemAnswers] | Mapping[str, ArrayLike]


def evaluate(
    truth: Source | Truth,
    answers: Given = (),
    *,
    lenient: bool = False,
    by: Sequence[str | Attribute] | None = None,
    encoding: str | None = None,
    training_truth: Source | Truth | None = None,
    training_answers: Given = (),
    metrics: str | Sequence[str | Metric] = ("c@1", "accuracy"),
    f05u_2020: bool = False,
    costs: tuple[float, float] = (1.0, 1.0),
    same_share: float | None = None,
    replicates: int = 10_000,
    trials: int | None = None,
    level: float = 0.95,
    alpha: float = 0.05,
    seed: int = 0,
    workers: int = 1,
    tests: Sequence[str] | None = None,
) -> Evaluation:
    """Evaluate systems' answers as PAN does, with intervals, tests, ROC hull and meta-classifiers.

    Parameters
    ----------
    truth : path or Truth
        PAN13–15 or PAN20–23 truth, a file, folder or zip; or a folder of ``raven run``, whose verifiers are then
        systems too.
    answers : path, SystemAnswers, a sequence of these, or mapping of str to (n,) float
        Files, folders or zips, each with one system or several; or values by system in truth's order.
    lenient : bool
        Take the number out of a value such as ``[0.5]``.
    by : sequence of str or Attribute, optional
        Break-downs: ``"group"`` (language and genre, or a run's setup), ``"FILE:COLUMN"``, ``"FILE:COLUMN:PARTS"``.
        Default: by group, where truth has several.
    encoding : str, optional
        Of a file of break-downs that is not UTF-8.
    training_truth, training_answers : optional
        The same systems on a training set: adds the banded mean and stacking.
    metrics : str or sequence of str or Metric
        Metrics to test all pairs in, as ``"auc, c@1, mine:Balanced"``; tie groups are by the first. Those that are not
        reported anyway are reported too.
    f05u_2020 : bool
        F0.5u, and the means that hold it, in the form published in 2020 (0.5 counts as "same author").
    costs : (float, float)
        Cost of a false "same author" and of a false "different authors", for the operating point on the hull.
    same_share : float, optional
        Share of same-author problems in use, for the operating point; by default as in truth.
    replicates : int
        Replicates of the bootstrap.
    trials : int, optional
        Trials of each randomization test; by default 10,000, and in metrics of counts as many as the number of pairs
        needs for a corrected p below .001.
    level : float
        Level of the intervals.
    alpha : float
        Corrected p at which two systems are told apart.
    seed : int
        Seed of every draw.
    workers : int
        Threads; they decide nothing but time.
    tests : sequence of str, optional
        The former name of ``metrics``.

    Raises
    ------
    InputError
        If anything given cannot be used; the message says what, where and how to mend it.
    """
    if tests is not None:
        warnings.warn("evaluate(tests=…) is now metrics=…", DeprecationWarning, stacklevel=2)
        metrics = tests
    known, own, notes = _truth(truth, "test")
    breakdowns = _breakdowns(known, by, encoding)
    given, training = Aligned({}, {}, {}, ()), None
    if isinstance(answers, Mapping):
        if training_truth is not None:
            raise InputError(
                "training answers go with answers read from files",
                fix="call ravenbench.reports.evaluate.analysis.evaluate with training=(same, answers)",
            )
        systems: Mapping[str, ArrayLike] = answers
    else:
        read = [*own, *read_given(answers, lenient)]
        if not read:
            raise InputError("there are no answers to evaluate", expected="at least one file or folder of answers")
        given = aligned(known, read)
        systems = given.systems
        training = _training(training_truth, training_answers, lenient)
    return evaluate_arrays(
        known,
        systems,
        decisions=given.decisions,
        missing=given.missing,
        training=training,
        metrics=metrics,
        breakdowns=breakdowns,
        f05u_2020=f05u_2020,
        costs=costs,
        same_share=same_share,
        notes=[*notes, *given.notes],
        replicates=replicates,
        trials=trials,
        level=level,
        alpha=alpha,
        seed=seed,
        workers=workers,
    )


def read_given(
    answers: Source | SystemAnswers | Sequence[Source | SystemAnswers], lenient: bool
) -> list[SystemAnswers]:
    """The systems of several places, in the order given."""
    if isinstance(answers, str | Path | SystemAnswers):
        answers = [answers]
    found: list[SystemAnswers] = []
    for place in answers:
        if isinstance(place, SystemAnswers):
            found.append(place)
        elif is_run(place):
            found += read_run(place)[1]
        else:
            found += read_systems(place, lenient)
    return found


def _training(truth: Source | Truth | None, answers: Given, lenient: bool) -> Training | None:
    if truth is None:
        if answers:
            raise InputError("training answers need a training truth")
        return None
    if isinstance(answers, Mapping):
        raise InputError("training answers must be files or SystemAnswers here", found="a mapping")
    past, own, _ = _truth(truth, "train")
    return past.same, aligned(past, [*own, *read_given(answers, lenient)]).systems


def _truth(truth: Source | Truth, split: Split) -> tuple[Truth, list[SystemAnswers], list[str]]:
    if isinstance(truth, Truth):
        return truth, [], []
    if is_run(truth):
        return read_run(truth)
    return read_truth(truth, split), [], []


def _breakdowns(truth: Truth, by: Sequence[str | Attribute] | None, encoding: str | None) -> list[Attribute]:
    if by is None:
        several = truth.group is not None and len(truth.group.names) > 1
        return [_group(truth)] if several else []
    found = []
    for spec in by:
        if isinstance(spec, Attribute):
            found.append(spec)
        elif spec == "group":
            found.append(_group(truth))
        else:
            found.append(read_attribute(spec, truth.ids.tolist(), encoding))
    return found


def _group(truth: Truth) -> Attribute:
    if truth.group is None:
        raise FormatError(
            "truth does not group its problems",
            expected="PAN13–15 ids that begin with letters, a contents.json, or a run with several setups",
            fix="break down by a file: FILE:COLUMN",
        )
    return Attribute("group", truth.group)
