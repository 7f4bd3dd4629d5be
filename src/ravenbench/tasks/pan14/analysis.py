"""Analyses what ``raven pan14`` found: scores of every corpus, over all problems, over corpora.

In: the ``Store`` of ``raven pan14``, and a count of resamplings for the intervals.
Out: an ``Overview`` with one ``CorpusScores`` a corpus and in it a ``Row`` for each system: metrics, mostly from 0 to
1 (None where undefined), with 95 % intervals, count of unanswered problems, seconds. InputError if the folder belongs
to another command.

References
----------
Stamatatos et al. 2014, Overview of the Author Identification Task at PAN 2014, sections 3.4, 3.5 and 4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ravenbench.metrics.base import Metric, metrics_of
from ravenbench.reading.answers import Truth
from ravenbench.reading.tabular import ProblemAttribute
from ravenbench.reports.answers import Answer
from ravenbench.reports.cells import Failure
from ravenbench.reports.content import ContentProbe, content_probe, joined
from ravenbench.reports.outside import WithAnswers
from ravenbench.store.store import Store
from ravenbench.tasks.evaluate.analysis import evaluate
from ravenbench.tasks.evaluate.evaluation import Evaluation, PartScores, SystemScores
from ravenbench.tasks.pan14.plan import Pan14CorpusRecord, Pan14Plan
from ravenbench.types import Floats, Interval, Labels, Measures, name_array

REPLICATES = 10_000
"""How often problems are resampled for the intervals."""
META = "META-CLASSIFIER"
METRICS = ("auc", "c@1", "final")
TESTS = ("c@1", "final")


@dataclass(frozen=True)
class Row:
    """One system on some problems: metrics in their units, mostly 0 to 1 (None where undefined) with 95 % intervals,
    count of unanswered problems, seconds."""

    scores: Measures
    interval: Mapping[str, Interval | None]
    unanswered: int
    seconds: float | None


Rows = Mapping[str, Row]
"""Systems by name, best final score first, the meta-classifier last."""


@dataclass(frozen=True, eq=False)
class CorpusScores:
    """One corpus: its record in the plan, its systems, and the same without test problems that touch a document of
    the training part (empty where there is none, or nothing would be left). ``content`` is its transplant probe, None
    where it was not asked for."""

    info: Pan14CorpusRecord
    rows: Rows
    without_shared: Rows
    content: ContentProbe | None = None

    @property
    def name(self) -> str:
        """The corpus."""
        return self.info.name


@dataclass(frozen=True, eq=False, repr=False)
class Overview(Answer[Pan14Plan]):
    """Everything the reports say.

    ``micro`` pools the problems of all corpora, ``macro`` gives each corpus the same weight; both have the systems that
    completed every corpus. ``content`` is the transplant probe over all corpora, as a mean over them, None where it was
    not asked for. ``pooled`` is the evaluation behind ``micro``: tests, ROC hull; None without such systems.
    """

    Plan = Pan14Plan
    unstated = ("seconds", "truth")

    corpora: tuple[CorpusScores, ...]
    micro: Rows
    macro: Rows
    pooled: Evaluation | None
    failures: tuple[Failure, ...]
    content: ContentProbe | None = None

    @classmethod
    def of(cls, store: Store) -> Overview:
        return _overview(store)

    @cached_property
    def chosen(self) -> Mapping[str, Metric]:
        """The metrics named in the spec."""
        return _chosen(self.store)


@dataclass(frozen=True, eq=False)
class _Answered:
    """One corpus's truth, its problems in the order of the test set and then those that could not be read."""

    truth: Truth
    values: dict[str, Floats]
    seconds: dict[str, float]


def _chosen(store: Store) -> Mapping[str, Metric]:
    metrics = store.run.spec.get("metrics")
    return metrics_of(metrics) if metrics else {}


def _overview(store: Store) -> Overview:
    store.expect("pan14")
    plan = store.plan_as(Pan14Plan)
    names = [verifier.name for verifier in plan.verifiers]
    failures: list[Failure] = []
    answers = [_answers(store, entry, names, failures) for entry in plan.corpora]
    chosen = _chosen(store)

    def scored(answered: _Answered, keep: Sequence[int] | None = None) -> Rows:
        if not answered.values:
            return {}
        rows = np.arange(len(answered.truth)) if keep is None else np.asarray(keep, dtype=np.int64)
        truth = Truth(answered.truth.ids[rows], answered.truth.same[rows])
        values = {name: value[rows] for name, value in answered.values.items()}
        metrics = ["c@1", *chosen.values()]
        result = evaluate(truth, values, metrics=metrics, trials=1, replicates=REPLICATES)
        return _rows(result.systems, result.meta, answered.seconds, chosen)

    corpora = []
    for entry, answered in zip(plan.corpora, answers, strict=True):
        shared = set(entry.shared.problems)
        unshared = [i for i, name in enumerate(answered.truth.ids.tolist()) if name not in shared]
        without_shared = scored(answered, unshared) if shared and unshared else {}
        content = content_probe(store, entry.transplant, names)
        if content is not None:
            failures += _by_corpus(content.failures, entry)
        corpora.append(CorpusScores(entry, scored(answered), without_shared, content))
    whole = [name for name in names if all(name in answered.values for answered in answers)]
    pooled = _pool(plan, answers, whole, chosen) if whole else None
    micro: Rows = {}
    macro: Rows = {}
    if pooled is not None:
        timed = [name for name in whole if all(name in answered.seconds for answered in answers)]
        total = {name: sum(answered.seconds[name] for answered in answers) for name in timed}
        micro = _rows(pooled.systems, pooled.meta, total, chosen)
        means = pooled.breakdowns[0].macro
        macro = _ordered(
            {
                name: _row(means[_inner(name)], row.unanswered, row.seconds, chosen)
                for name, row in micro.items()
            }
        )
    every = content_probe(
        store, joined([e.transplant for e in plan.corpora if e.transplant is not None]), names
    )
    return Overview(tuple(corpora), micro, macro, pooled, tuple(failures), every)


def _by_corpus(failures: Sequence[Failure], entry: Pan14CorpusRecord) -> list[Failure]:
    """Cells of a corpus's probe by the corpus's name."""
    where = [(failure, failure.fold.removeprefix(f"{entry.fold}-")) for failure in failures]
    return [
        replace(f, cell=f"{f.verifier} on {entry.name}", fold=f"{entry.name}, content {v}")
        for f, v in where
    ]


def _answers(
    store: Store, entry: Pan14CorpusRecord, names: Sequence[str], failures: list[Failure]
) -> _Answered:
    fold = store.fold(entry.fold)
    unread = entry.fault_truth
    ids = name_array([*fold.test.ids.tolist(), *unread])
    same = np.concatenate([fold.test_same, np.array(list(unread.values()), dtype=np.bool_)])
    values: dict[str, Floats] = {}
    seconds: dict[str, float] = {}
    for name in names:
        cell = store.cell(name, fold.name)
        if cell is None or cell.answers is None:
            error = "not computed yet" if cell is None or cell.error is None else cell.error
            failures.append(Failure(f"{name} on {entry.name}", name, entry.name, error))
            continue
        values[name] = np.concatenate([cell.answers, np.full(len(unread), 0.5)])
        if not (isinstance(store, WithAnswers) and name in store.outside):
            seconds[name] = cell.record.seconds.fit + cell.record.seconds.score
    return _Answered(Truth(ids, same), values, seconds)


def _pool(
    plan: Pan14Plan,
    answers: Sequence[_Answered],
    whole: Sequence[str],
    chosen: Mapping[str, Metric],
) -> Evaluation:
    labels = [entry.name for entry in plan.corpora]
    sizes = [len(answered.truth) for answered in answers]
    ids = [
        f"{label}/{name}"
        for label, answered in zip(labels, answers, strict=True)
        for name in answered.truth.ids.tolist()
    ]
    truth = Truth(name_array(ids), np.concatenate([answered.truth.same for answered in answers]))
    part = Labels(np.repeat(np.arange(len(labels), dtype=np.int64), sizes), tuple(labels))
    return evaluate(
        truth,
        {name: np.concatenate([answered.values[name] for answered in answers]) for name in whole},
        metrics=[*TESTS, *chosen.values()],
        breakdowns=[ProblemAttribute("corpus", part)],
        replicates=REPLICATES,
    )


def _rows(
    systems: Sequence[SystemScores],
    meta: Sequence[SystemScores],
    seconds: Mapping[str, float],
    chosen: Mapping[str, Metric],
) -> Rows:
    rows = {
        system.name: _row(
            system, int(system.scores["unanswered"] or 0), seconds.get(system.name), chosen
        )
        for system in systems
    }
    mean = next((s for s in meta if s.name == _inner(META)), None)
    if mean is not None:
        rows[META] = _row(mean, int(mean.scores["unanswered"] or 0), None, chosen)
    return _ordered(rows)


def _row(
    of: SystemScores | PartScores,
    unanswered: int,
    seconds: float | None,
    chosen: Mapping[str, Metric],
) -> Row:
    metrics = dict.fromkeys((*METRICS, *chosen))
    scores = of.scores
    interval = of.interval
    return Row(
        {metric: scores[metric] for metric in metrics},
        {metric: interval[metric] for metric in metrics},
        unanswered,
        seconds,
    )


def _ordered(rows: Mapping[str, Row]) -> Rows:
    def place(item: tuple[str, Row]) -> tuple[bool, float, str]:
        final = item[1].scores["final"]
        return item[0] == META, 1.0 if final is None else -final, item[0]

    return dict(sorted(rows.items(), key=place))


def _inner(name: str) -> str:
    """The name that evaluations give the meta-classifier of the overview, the plain mean of all answers."""
    return "meta-mean" if name == META else name
