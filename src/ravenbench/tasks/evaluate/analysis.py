"""Evaluates several systems' answers to the same problems: metrics, intervals, tests, hull, meta-classifiers.

In: the ``Truth`` and each system's answers, (n,) from 0 to 1, higher = same author, 0.5 = unanswered; optional:
decisions, answers on a training set, divisions of the problems, settings.
Out: an ``Evaluation`` with one ``SystemScores`` a system; metrics from 0 to 1 where their definition is, C_llr in bits
(no upper bound); ``PairTest``s and ``BreakDown``s. InputError for answers that cannot be used. Helpers: ``mean_of``,
``rank_mean``, ``stacked`` and ``with_band`` give answers (n,), 0 to 1; ``choose_band`` a half-width, 0 to 0.495;
``most_trials`` a count.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ravenbench.engine.options import checked as checked_spec
from ravenbench.errors import InputError, first_names, some
from ravenbench.metrics.base import Metric, checked, count, metrics_of
from ravenbench.metrics.calibration import cllr, reliability
from ravenbench.metrics.pan import FORM_2020, METRICS, STANDARD, TITLES, CAt1, scores
from ravenbench.metrics.roc import Hull, OperatingPoint, curve, hull
from ravenbench.reading.answers import Truth
from ravenbench.reading.tabular import ProblemAttribute
from ravenbench.statistics.estimates import mean_of_all
from ravenbench.statistics.ranks import holm, tie_groups
from ravenbench.tasks.evaluate.evaluation import (
    LEAST_STARS,
    BreakDown,
    Evaluation,
    PairTest,
    PartScores,
    Skipped,
    SystemScores,
)
from ravenbench.tasks.evaluate.spec import JudgingSpec
from ravenbench.text.names import name_key
from ravenbench.types import Bools, Floats, Ints

if TYPE_CHECKING:
    from ravenbench.statistics.resampling import AnsweredProblems, Replicates


def mean_of(values: ArrayLike) -> Floats:
    """Return the mean answer (0 to 1) to each problem, including 0.5, (s, n) → (n,): the meta-classifier of Stamatatos
    et al. 2014."""
    return np.asarray(np.mean(np.asarray(values, dtype=np.float64), axis=0))


def rank_mean(values: ArrayLike) -> Floats:
    """Return the mean over systems of the proportion of problems that a system scores lower; ties count half, (s, n) →
    (n,).

    Free of the systems' scales; transductive, and its 0.5 is the middle of the problems at hand, so decisions by
    it suppose even classes.
    """
    from scipy.stats import rankdata

    values_of_systems = np.asarray(values, dtype=np.float64)
    return mean_of((rankdata(values_of_systems, axis=1) - 0.5) / values_of_systems.shape[1])


def with_band(value: ArrayLike, half_width: float) -> Floats:
    """Return answers (n,), 0 to 1, with 0.5 instead of answers within ± ``half_width`` of it."""
    score = np.asarray(value, dtype=np.float64)
    return np.where(np.abs(score - 0.5) <= half_width, 0.5, score)


def choose_band(same: ArrayLike, value: ArrayLike) -> float:
    """Return the half-width (of answers from 0 to 1) 0, .005, … .495 with the highest c@1 on training answers; of equal
    ones the smallest."""
    truth, score, _ = checked(same, value)
    widths = np.arange(100) / 200
    reached = [float(CAt1().of(count(truth, score, with_band(score, width)))) for width in widths]
    return float(widths[int(np.argmax(reached))])


def stacked(train_same: ArrayLike, train: ArrayLike, test: ArrayLike) -> Floats:
    """Logistic regression (L2, C = 1) of truth on all systems' scores, (s, m) and (s, n) → (n,); InputError if training
    truth has one class."""
    from sklearn.linear_model import LogisticRegression

    same = np.asarray(train_same, dtype=np.bool_)
    if same.all() or not same.any():
        raise InputError(
            "stacking needs training problems of both classes",
            found=f"{same.sum()} of {len(same)} same",
        )
    model = LogisticRegression(C=1.0).fit(np.asarray(train, dtype=np.float64).T, same)
    return np.asarray(
        model.predict_proba(np.asarray(test, dtype=np.float64).T)[:, 1], dtype=np.float64
    )


def author_codes(truth: Truth) -> Ints | None:
    """Return author codes ≥ 0; a problem without authors gets its own codes, and a same-author problem a single code."""
    if truth.authors is None:
        return None
    authors = truth.authors.astype(np.int64)
    start = int(truth.authors.max()) + 1
    fresh = start + np.arange(authors.size).reshape(authors.shape)
    authors = np.where(authors < 0, fresh, authors)
    authors[truth.same, 1] = authors[truth.same, 0]
    return authors


def test_pairs(
    same: Bools,
    answered: Mapping[str, AnsweredProblems],
    tests: Mapping[str, Metric],
    resampled: Replicates,
    settings: JudgingSpec,
) -> tuple[PairTest, ...]:
    """Test every pair of systems in every tested metric: difference, interval, p raw and corrected by Holm.

    Without ``how.trials`` there are enough trials for a corrected p below .001, in metrics of counts.
    """
    from ravenbench.statistics.resampling import TRIALS, randomization_test

    names = list(answered)
    jobs = [(metric, i, j) for metric in tests for i, j in combinations(range(len(names)), 2)]

    exact_up_to = 0 if settings.trials is not None else most_trials(len(names))

    def test(job: tuple[str, int, int]) -> float | None:
        metric, i, j = job
        left_name = names[i]
        right_name = names[j]
        return randomization_test(
            same,
            answered[left_name],
            answered[right_name],
            tests[metric],
            trials=settings.trials or TRIALS,
            most=exact_up_to,
            seed=settings.seed,
            pair=f"{left_name}\x1f{right_name}",
        )

    with ThreadPoolExecutor(settings.workers or 1) as pool:
        raw = list(pool.map(test, jobs))
        intervals = list(
            pool.map(lambda job: resampled.difference(job[0], job[1], job[2], settings.level), jobs)
        )
    corrected: dict[int, float] = {}
    for metric in tests:
        defined = [k for k, job in enumerate(jobs) if job[0] == metric and raw[k] is not None]
        corrected |= dict(zip(defined, holm([raw[k] for k in defined]).tolist(), strict=True))  # type: ignore[arg-type]
    tests_of_pairs = []
    for k, (metric, i, j) in enumerate(jobs):
        gap = float(resampled.observed[metric][i] - resampled.observed[metric][j])
        known = None if np.isnan(gap) else gap
        tests_of_pairs.append(
            PairTest(names[i], names[j], metric, known, intervals[k], raw[k], corrected.get(k))
        )
    return tuple(tests_of_pairs)


def most_trials(systems: int) -> int:
    """Return the number of trials with which the smallest p, corrected by Holm for all pairs of systems, is below .001."""
    return LEAST_STARS * (systems * (systems - 1) // 2)


def groups_of(
    names: Sequence[str], pairs: Sequence[PairTest], metric: str, observed: Floats, alpha: float
) -> dict[str, int]:
    """Return the rank of each system: 1 for the best system and those that no test distinguishes from it."""
    differ = np.zeros((len(names), len(names)), dtype=np.bool_)
    for pair in pairs:
        if pair.metric == metric and pair.p_holm is not None and pair.p_holm <= alpha:
            i = names.index(pair.a)
            j = names.index(pair.b)
            differ[i, j] = differ[j, i] = True
    return dict(zip(names, tie_groups(observed[: len(names)], differ).tolist(), strict=True))


AT_ONCE = 48
"""Systems × parts resampled together: a bound on memory."""


def break_down(
    same: Bools,
    systems: Mapping[str, AnsweredProblems],
    attribute: ProblemAttribute,
    metrics: Mapping[str, Metric],
    authors: Ints | None,
    settings: JudgingSpec,
) -> BreakDown:
    """Return every metric of every system on every part, with intervals, and the mean over parts.

    ``same`` (n,) bool: truth. ``by``: the part of each problem. ``authors`` (n, 2) int64: author codes ≥ 0; given,
    authors are drawn.
    """
    from ravenbench.statistics.resampling import bootstrap, rank

    rows = [
        np.flatnonzero(attribute.part.codes == part_code)
        for part_code in range(len(attribute.part.names))
    ]
    filled = [part_code for part_code, row in enumerate(rows) if len(row)]
    rows = [rows[part_code] for part_code in filled]
    units = [len(row) if authors is None else len(np.unique(authors[row])) for row in rows]
    by_system: dict[str, tuple[PartScores, ...]] = {}
    macro: dict[str, PartScores] = {}
    names = list(systems)
    step = max(1, AT_ONCE // max(1, len(rows)))
    for start in range(0, len(names), step):
        group = names[start : start + step]
        ranked = []
        for name in group:
            value, decision = systems[name]
            for row in rows:
                ranked_part = rank(same[row], value[row], decision[row])
                ranked.append(ranked_part._replace(order=row[ranked_part.order].astype(np.int32)))
        resampled = bootstrap(
            ranked,
            same,
            authors=authors,
            replicates=settings.replicates,
            seed=settings.seed,
            workers=settings.workers or 1,
            metrics=metrics,
        )
        mean = _mean_over_parts(resampled, len(rows))
        for i, name in enumerate(group):
            value, decision = systems[name]
            parts_of_system = []
            for part_number, row in enumerate(rows):
                replicates_of_part = replace(resampled, units=units[part_number])
                known = scores(
                    same[row], value[row], None if decision is value else decision[row], metrics
                )
                parts_of_system.append(
                    PartScores(
                        known,
                        {
                            metric: replicates_of_part.interval(
                                metric, i * len(rows) + part_number, settings.level
                            )
                            for metric in metrics
                        },
                    )
                )
            by_system[name] = tuple(parts_of_system)
            macro[name] = PartScores(
                {
                    metric: mean_of_all(
                        [scores_of_part.scores[metric] for scores_of_part in parts_of_system]
                    )
                    for metric in metrics
                },
                {metric: mean.interval(metric, i, settings.level) for metric in metrics},
            )
    sizes = tuple(
        (attribute.part.names[k], len(row), int(same[row].sum()))
        for k, row in zip(filled, rows, strict=True)
    )
    return BreakDown(attribute.name, sizes, int((attribute.part.codes < 0).sum()), by_system, macro)


def _mean_over_parts(resampled: Replicates, part_count: int) -> Replicates:
    """Replicates (systems · parts, B) as those of each system's mean over parts."""

    def mean(values: Mapping[str, Floats]) -> dict[str, Floats]:
        return {
            metric: replicates.reshape(-1, part_count, *replicates.shape[1:]).mean(axis=1)
            for metric, replicates in values.items()
        }

    return replace(
        resampled,
        values=mean(resampled.values),
        observed=mean(resampled.observed),
        problems=None if resampled.problems is None else mean(resampled.problems),
        different=None if resampled.different is None else mean(resampled.different),
    )


def evaluate(
    truth: Truth,
    systems: Mapping[str, ArrayLike],
    *,
    decisions: Mapping[str, ArrayLike] | None = None,
    missing: Mapping[str, int] | None = None,
    training: tuple[ArrayLike, Mapping[str, ArrayLike]] | None = None,
    breakdowns: Sequence[ProblemAttribute] = (),
    notes: Sequence[str] = (),
    skipped: Sequence[Skipped] = (),
    **settings: Any,
) -> Evaluation:
    """As ``ravenbench.evaluate``, with truth and answers in memory.

    Parameters
    ----------
    truth : Truth
        n problems; where it names authors, intervals come from the pigeonhole bootstrap over authors.
    systems : mapping of str to (n,) float
        Answers in truth's order, in [0, 1], higher = same author, 0.5 = unanswered.
    decisions : mapping of str to (n,) float, optional
        Decisions given apart from the scores (PAN 2013): 1, 0 or 0.5.
    missing : mapping of str to int, optional
        How many answers of a system were filled with 0.5.
    training : (m,) bool and mapping of str to (m,) float, optional
        Truth and the same systems' answers on a training set: adds the banded mean and stacking.
    breakdowns : sequence of Attribute
        Parts of the problems to score apart.
    notes : sequence of str
        What a reader should know besides.
    skipped : sequence of Skipped
        Submissions that were left out.
    **settings
        See ``JudgingSpec``. Metrics of counts are quick; AUC, Brier, overall and final swap answers problem by problem,
        about a second a pair for 14,000 problems, and metrics from other packages are computed again for each of fewer
        draws.

    Raises
    ------
    InputError
        If there is no system, an answer is not a number in [0, 1], lengths differ, a test is unknown, or a system
        lacks training answers.
    """
    from ravenbench.statistics.resampling import TRIALS, AnsweredProblems, bootstrap, rank

    if not systems:
        raise InputError("no answers to evaluate", expected="at least one system")
    judging = checked_spec(settings, JudgingSpec)
    chosen = metrics_of(judging.metrics)
    form = FORM_2020 if judging.f05u_2020 else {}
    tested = {
        form.get(name, name): STANDARD[form[name]] if name in form else metric
        for name, metric in chosen.items()
    }
    every: dict[str, Metric] = {
        metric: STANDARD[form.get(metric, metric)] for metric in METRICS
    } | tested
    tests = tuple(tested)
    answered: dict[str, AnsweredProblems] = {}
    for name, value in systems.items():
        try:
            answered[name] = AnsweredProblems(
                *checked(truth.same, value, (decisions or {}).get(name))[1:]
            )
        except InputError as error:
            raise InputError(
                f"{name}: {error.problem}", found=error.found, expected=error.expected
            ) from None
    combined, band = _combine(
        truth, {name: answers.value for name, answers in answered.items()}, training
    )
    if clash := [name for name in combined if name in answered]:
        raise InputError(
            f"{clash[0]} is the name of a meta-classifier that Raven computes",
            fix="rename this file or folder of answers",
        )
    everyone = answered | {name: AnsweredProblems(value, value) for name, value in combined.items()}
    authors = author_codes(truth)
    resampled = bootstrap(
        [rank(truth.same, *answers) for answers in everyone.values()],
        truth.same,
        authors=authors,
        replicates=judging.replicates,
        seed=judging.seed,
        workers=judging.workers or 1,
        metrics=every,
    )
    pairs = test_pairs(truth.same, answered, tested, resampled, judging)
    observed = resampled.observed[tests[0]]
    groups = groups_of(
        list(answered),
        pairs,
        tests[0],
        observed if tested[tests[0]].higher else -observed,
        judging.alpha,
    )
    rows = tuple(
        SystemScores(
            name,
            answers.value,
            scores(
                truth.same,
                answers.value,
                None if answers.decision is answers.value else answers.decision,
                every,
            ),
            {metric: resampled.interval(metric, i, judging.level) for metric in every},
            reliability(truth.same, answers.value).ece,
            cllr(truth.same, answers.value),
            (missing or {}).get(name, 0),
            groups.get(name),
            None if answers.decision is answers.value else answers.decision,
        )
        for i, (name, answers) in enumerate(everyone.items())
    )
    curves = {
        name: roc
        for name, answers in answered.items()
        if (roc := curve(truth.same, answers.value)) is not None
    }
    envelope = hull(curves) if curves else None
    return Evaluation(
        truth=truth,
        systems=rows[: len(answered)],
        meta=rows[len(answered) :],
        pairs=pairs,
        hull=envelope,
        operating=_operating(envelope, truth, judging.costs, judging.same_share),
        breakdowns=tuple(
            break_down(truth.same, everyone, breakdown, every, authors, judging)
            for breakdown in breakdowns
        ),
        tests=tests,
        metrics=every,
        unit="problems" if truth.authors is None else "authors",
        replicates=judging.replicates,
        trials=judging.trials or TRIALS,
        most_trials=most_trials(len(answered)) if judging.trials is None else 0,
        level=judging.level,
        alpha=judging.alpha,
        band=band,
        f05u_2020=judging.f05u_2020,
        notes=(
            *notes,
            *_remarks(truth, rows[: len(answered)]),
            *_without_interval(rows, resampled.units, authors),
        ),
        skipped=tuple(skipped),
    )


def _operating(
    envelope: Hull | None, truth: Truth, costs: tuple[float, float], same_share: float | None
) -> OperatingPoint | None:
    if envelope is None:
        return None
    share = float(truth.same.mean()) if same_share is None else same_share
    return envelope.operating_point(
        cost_false_same=costs[0], cost_false_different=costs[1], same_share=share
    )


def _remarks(truth: Truth, systems: Sequence[SystemScores]) -> list[str]:
    remarks = []
    if truth.same.all() or not truth.same.any():
        lacking = "" if truth.same.any() else ", F1 and recall"
        kind = truth.words.all_yes if truth.same.all() else truth.words.all_no
        remarks.append(
            f"Every problem of truth is {kind}, so AUC and the values computed from"
            f" it{lacking} are undefined. Undefined values are n/a (null in JSON), never 0."
        )
    for system in systems:
        if system.missing:
            remarks.append(
                f"{system.name} leaves out {system.missing:,} of {len(truth):,} problems; they"
                " count as unanswered."
            )
        opposed = (
            0
            if system.decision is None
            else int(((system.decision - 0.5) * (system.value - 0.5) < 0).sum())
        )
        if opposed:
            remarks.append(
                f"{system.name}: Y or N contradicts the score in {opposed:,} of {len(truth):,}"
                " lines."
            )
    ends = {
        system.name: interval
        for system in systems
        if (interval := system.interval.get("auc")) is not None
    }
    if turned := [name for name, (_, highest) in ends.items() if highest < 0.5]:
        remarks.append(
            f"AUC is below .5: {some(turned)}. The answers may be reversed: 1 means "
            f"{truth.words.yes}, 0 means {truth.words.no}."
        )
    return [*remarks, *_likely_one_system(truth, systems)]


def _likely_one_system(truth: Truth, systems: Sequence[SystemScores]) -> list[str]:
    """Sentences on systems that may be one: their names differ in spelling alone, or they answer alike."""
    by_name = defaultdict[str, list[str]](list)
    by_answers = defaultdict[bytes, list[str]](list)
    by_answers[truth.same.astype(np.float64).tobytes()].append("truth")
    for system in systems:
        by_name[name_key(system.name)].append(system.name)
        if len(np.unique(system.value)) > 1 and not system.missing:
            by_answers[system.value.tobytes()].append(system.name)
    names_by_answers: dict[str, Mapping[Any, list[str]]] = {
        "These names differ only in spelling and may belong to one system": by_name,
        "These names have identical answers, and each counts as a system": by_answers,
    }
    groups = {
        sameness: [" / ".join(names) for names in names_of.values() if len(names) > 1]
        for sameness, names_of in names_by_answers.items()
    }
    return [f"{sameness}: {first_names(names)}." for sameness, names in groups.items() if names]


def _without_interval(
    systems: Sequence[SystemScores], units: int, authors: Ints | None
) -> list[str]:
    """Why metrics have values and no intervals."""
    lacking = [
        metric
        for metric in METRICS
        if any(
            system.scores[metric] is not None and system.interval[metric] is None
            for system in systems
        )
    ]
    if not lacking:
        return []
    drawn = f"{units} {'problems' if authors is None else 'authors'}"
    named = ", ".join(TITLES.get(metric, metric) for metric in lacking)
    why = (
        "they are undefined in more than 5 % of the resamplings, for example if no problem of"
        " one class was drawn"
    )
    return [f"No interval (n/a) for {named}: Raven can resample only {drawn}, and {why}."]


def _combine(
    truth: Truth,
    values: Mapping[str, Floats],
    training: tuple[ArrayLike, Mapping[str, ArrayLike]] | None,
) -> tuple[dict[str, Floats], float | None]:
    """Meta-classifiers' answers, and the band chosen; nothing where there is one system. InputError if they would
    learn from most of the problems that are judged."""
    if len(values) < 2:
        return {}, None
    stack = np.stack(list(values.values()))
    combined = {"meta-mean": mean_of(stack), "meta-rank": rank_mean(stack)}
    if training is None:
        return combined, None
    same, answers = training
    if lacking := [name for name in values if name not in answers]:
        raise InputError(
            f"{lacking[0]} has no training answers",
            fix="give the answers of the same systems to both sets",
        )
    checks = [checked(same, answers[name]) for name in values]
    train = np.stack([check[1] for check in checks])
    learned, judged = (
        Counter(map(bytes, np.vstack(truth_and_answers).T.copy()))
        for truth_and_answers in ((same, train), (truth.same, stack))
    )
    shared = sum(learned[row] == 1 == times for row, times in judged.items())
    if shared > 2 and 2 * shared > sum(times == 1 for times in judged.values()):
        raise InputError(
            "training set and test set are identical: truth and all answers are the same",
            found=f"{shared} of {len(truth)}",
            expected="answers to other problems than the test problems",
            fix="leave out the training set",
        )
    band = choose_band(same, mean_of(train))
    combined["meta-band"] = with_band(combined["meta-mean"], band)
    combined["meta-stacked"] = stacked(same, train, stack)
    return combined, band
