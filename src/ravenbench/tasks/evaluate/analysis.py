"""Evaluate several systems' answers to the same problems: metrics, intervals, tests, hull, meta-classifiers."""

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
from ravenbench.formats.answers import Truth
from ravenbench.formats.tabular import ProblemAttribute
from ravenbench.metrics.base import Metric, checked, count, metrics_of
from ravenbench.metrics.calibration import cllr, reliability
from ravenbench.metrics.pan import FORM_2020, METRICS, STANDARD, TITLES, CAt1, scores
from ravenbench.metrics.roc import Hull, OperatingPoint, curve, hull
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
    """Mean score of each problem, 0.5s included, (s, n) → (n,): the meta-classifier of Stamatatos et al. 2014."""
    return np.asarray(np.mean(np.asarray(values, dtype=np.float64), axis=0))


def rank_mean(values: ArrayLike) -> Floats:
    """Mean over systems of the share of problems a system scores lower, ties half, (s, n) → (n,).

    Free of the systems' scales; transductive, and its 0.5 is the middle of the problems at hand, so decisions by
    it suppose even classes.
    """
    from scipy.stats import rankdata

    each = np.asarray(values, dtype=np.float64)
    return mean_of((rankdata(each, axis=1) - 0.5) / each.shape[1])


def with_band(value: ArrayLike, a: float) -> Floats:
    """Leave unanswered what lies within ± a of 0.5."""
    score = np.asarray(value, dtype=np.float64)
    return np.where(np.abs(score - 0.5) <= a, 0.5, score)


def choose_band(same: ArrayLike, value: ArrayLike) -> float:
    """The half-width 0, .005, … .495 of greatest c@1 on training answers; the smallest of equal ones."""
    truth, score, _ = checked(same, value)
    widths = np.arange(100) / 200
    reached = [float(CAt1().of(count(truth, score, with_band(score, a)))) for a in widths]
    return float(widths[int(np.argmax(reached))])


def stacked(train_same: ArrayLike, train: ArrayLike, test: ArrayLike) -> Floats:
    """Logistic regression (L2, C = 1) of truth on all systems' scores, (s, m) and (s, n) → (n,); InputError if training
    truth has one class."""
    from sklearn.linear_model import LogisticRegression

    same = np.asarray(train_same, dtype=np.bool_)
    if same.all() or not same.any():
        raise InputError("stacking needs training problems of both classes", found=f"{same.sum()} of {len(same)} same")
    model = LogisticRegression(C=1.0).fit(np.asarray(train, dtype=np.float64).T, same)
    return np.asarray(model.predict_proba(np.asarray(test, dtype=np.float64).T)[:, 1], dtype=np.float64)


def author_codes(truth: Truth) -> Ints | None:
    """Author codes ≥ 0; a problem without authors is given its own, and a same-author problem one author."""
    if truth.authors is None:
        return None
    authors, start = truth.authors.astype(np.int64), int(truth.authors.max()) + 1
    fresh = start + np.arange(authors.size).reshape(authors.shape)
    authors = np.where(authors < 0, fresh, authors)
    authors[truth.same, 1] = authors[truth.same, 0]
    return authors


def test_pairs(
    same: Bools, answered: Mapping[str, AnsweredProblems], tests: Mapping[str, Metric], resampled: Replicates,
    how: JudgingSpec,
) -> tuple[PairTest, ...]:  # fmt: skip
    """Every pair of systems in every tested metric: difference, interval, p raw and corrected by Holm.

    Without ``how.trials`` there are as many as a corrected p below .001 needs, in metrics of counts.
    """
    from ravenbench.statistics.resampling import TRIALS, randomization_test

    names = list(answered)
    jobs = [(metric, i, j) for metric in tests for i, j in combinations(range(len(names)), 2)]

    most = 0 if how.trials is not None else most_trials(len(names))

    def test(job: tuple[str, int, int]) -> float | None:
        metric, i, j = job
        a, b = names[i], names[j]
        return randomization_test(
            same, answered[a], answered[b], tests[metric], trials=how.trials or TRIALS, most=most, seed=how.seed,
            pair=f"{a}\x1f{b}",
        )  # fmt: skip

    with ThreadPoolExecutor(how.workers or 1) as pool:
        raw = list(pool.map(test, jobs))
        intervals = list(pool.map(lambda job: resampled.difference(job[0], job[1], job[2], how.level), jobs))
    corrected: dict[int, float] = {}
    for metric in tests:
        defined = [k for k, job in enumerate(jobs) if job[0] == metric and raw[k] is not None]
        corrected |= dict(zip(defined, holm([raw[k] for k in defined]).tolist(), strict=True))  # type: ignore[arg-type]
    tests_of_pairs = []
    for k, (metric, i, j) in enumerate(jobs):
        gap = float(resampled.observed[metric][i] - resampled.observed[metric][j])
        known = None if np.isnan(gap) else gap
        tests_of_pairs.append(PairTest(names[i], names[j], metric, known, intervals[k], raw[k], corrected.get(k)))
    return tuple(tests_of_pairs)


def most_trials(systems: int) -> int:
    """Trials with which the smallest p that Holm corrects for all pairs of systems is below .001."""
    return LEAST_STARS * (systems * (systems - 1) // 2)


def groups_of(
    names: Sequence[str], pairs: Sequence[PairTest], metric: str, observed: Floats, alpha: float
) -> dict[str, int]:
    """The rank of each system: 1 for the best and those that no test tells from it."""
    differ = np.zeros((len(names), len(names)), dtype=np.bool_)
    for pair in pairs:
        if pair.metric == metric and pair.p_holm is not None and pair.p_holm <= alpha:
            i, j = names.index(pair.a), names.index(pair.b)
            differ[i, j] = differ[j, i] = True
    return dict(zip(names, tie_groups(observed[: len(names)], differ).tolist(), strict=True))


AT_ONCE = 48
"""Systems × parts resampled together: a bound on memory."""


def break_down(
    same: Bools, systems: Mapping[str, AnsweredProblems], by: ProblemAttribute, metrics: Mapping[str, Metric],
    authors: Ints | None, how: JudgingSpec,
) -> BreakDown:  # fmt: skip
    """Every metric of every system on every part, with intervals, and the mean over parts.

    ``same`` (n,) bool: truth. ``by``: the part of each problem. ``authors`` (n, 2) int64: author codes ≥ 0; given,
    authors are drawn.
    """
    from ravenbench.statistics.resampling import bootstrap, rank

    rows = [np.flatnonzero(by.part.codes == part) for part in range(len(by.part.names))]
    filled = [part for part, r in enumerate(rows) if len(r)]
    rows = [rows[part] for part in filled]
    units = [len(r) if authors is None else len(np.unique(authors[r])) for r in rows]
    by_system: dict[str, tuple[PartScores, ...]] = {}
    macro: dict[str, PartScores] = {}
    names = list(systems)
    step = max(1, AT_ONCE // max(1, len(rows)))
    for start in range(0, len(names), step):
        group = names[start : start + step]
        ranked = []
        for name in group:
            value, decision = systems[name]
            for r in rows:
                part = rank(same[r], value[r], decision[r])
                ranked.append(part._replace(order=r[part.order].astype(np.int32)))
        resampled = bootstrap(
            ranked, same, authors=authors, replicates=how.replicates, seed=how.seed, workers=how.workers or 1,
            metrics=metrics,
        )  # fmt: skip
        mean = _mean_over_parts(resampled, len(rows))
        for i, name in enumerate(group):
            value, decision = systems[name]
            parts = []
            for p, r in enumerate(rows):
                own = replace(resampled, units=units[p])
                known = scores(same[r], value[r], None if decision is value else decision[r], metrics)
                parts.append(PartScores(known, {m: own.interval(m, i * len(rows) + p, how.level) for m in metrics}))
            by_system[name] = tuple(parts)
            macro[name] = PartScores(
                {m: _mean([part.scores[m] for part in parts]) for m in metrics},
                {m: mean.interval(m, i, how.level) for m in metrics},
            )
    sizes = tuple((by.part.names[k], len(r), int(same[r].sum())) for k, r in zip(filled, rows, strict=True))
    return BreakDown(by.name, sizes, int((by.part.codes < 0).sum()), by_system, macro)


def _mean_over_parts(resampled: Replicates, parts: int) -> Replicates:
    """Replicates (systems · parts, B) as those of each system's mean over parts."""

    def mean(values: Mapping[str, Floats]) -> dict[str, Floats]:
        return {m: v.reshape(-1, parts, *v.shape[1:]).mean(axis=1) for m, v in values.items()}

    return replace(
        resampled, values=mean(resampled.values), observed=mean(resampled.observed),
        problems=None if resampled.problems is None else mean(resampled.problems),
        different=None if resampled.different is None else mean(resampled.different),
    )  # fmt: skip


def _mean(values: Sequence[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return float(np.mean(known)) if known and len(known) == len(values) else None


def evaluate(
    truth: Truth, systems: Mapping[str, ArrayLike], *, decisions: Mapping[str, ArrayLike] | None = None,
    missing: Mapping[str, int] | None = None, training: tuple[ArrayLike, Mapping[str, ArrayLike]] | None = None,
    breakdowns: Sequence[ProblemAttribute] = (), notes: Sequence[str] = (), skipped: Sequence[Skipped] = (),
    **settings: Any,
) -> Evaluation:  # fmt: skip
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
        about a second a pair for 14,000 problems, and metrics from outside are worked out anew for each of fewer draws.

    Raises
    ------
    InputError
        If there is no system, an answer is not a number in [0, 1], lengths differ, a test is unknown, or a system
        lacks training answers.
    """
    from ravenbench.statistics.resampling import TRIALS, AnsweredProblems, bootstrap, rank

    if not systems:
        raise InputError("there are no answers to evaluate", expected="at least one system")
    how = checked_spec(settings, JudgingSpec)
    chosen = metrics_of(how.metrics)
    form = FORM_2020 if how.f05u_2020 else {}
    tested = {form.get(name, name): STANDARD[form[name]] if name in form else one for name, one in chosen.items()}
    every: dict[str, Metric] = {m: STANDARD[form.get(m, m)] for m in METRICS} | tested
    tests = tuple(tested)
    answered: dict[str, AnsweredProblems] = {}
    for name, value in systems.items():
        try:
            answered[name] = AnsweredProblems(*checked(truth.same, value, (decisions or {}).get(name))[1:])
        except InputError as error:
            raise InputError(f"{name}: {error.problem}", found=error.found, expected=error.expected) from None
    combined, band = _combine(truth, {name: a.value for name, a in answered.items()}, training)
    if clash := [name for name in combined if name in answered]:
        raise InputError(
            f"{clash[0]} is the name of a meta-classifier computed here", fix="rename that file or folder of answers"
        )
    everyone = answered | {name: AnsweredProblems(value, value) for name, value in combined.items()}
    authors = author_codes(truth)
    resampled = bootstrap(
        [rank(truth.same, *a) for a in everyone.values()], truth.same, authors=authors, replicates=how.replicates,
        seed=how.seed, workers=how.workers or 1, metrics=every,
    )  # fmt: skip
    pairs = test_pairs(truth.same, answered, tested, resampled, how)
    observed = resampled.observed[tests[0]]
    groups = groups_of(list(answered), pairs, tests[0], observed if tested[tests[0]].higher else -observed, how.alpha)
    rows = tuple(
        SystemScores(
            name, a.value, scores(truth.same, a.value, None if a.decision is a.value else a.decision, every),
            {m: resampled.interval(m, i, how.level) for m in every}, reliability(truth.same, a.value).ece,
            cllr(truth.same, a.value), (missing or {}).get(name, 0), groups.get(name),
            None if a.decision is a.value else a.decision,
        )
        for i, (name, a) in enumerate(everyone.items())
    )  # fmt: skip
    curves = {name: c for name, a in answered.items() if (c := curve(truth.same, a.value)) is not None}
    envelope = hull(curves) if curves else None
    return Evaluation(
        truth=truth, systems=rows[: len(answered)], meta=rows[len(answered) :], pairs=pairs, hull=envelope,
        operating=_operating(envelope, truth, how.costs, how.same_share),
        breakdowns=tuple(break_down(truth.same, everyone, by, every, authors, how) for by in breakdowns), tests=tests,
        metrics=every, unit="problems" if truth.authors is None else "authors", replicates=how.replicates,
        trials=how.trials or TRIALS, most_trials=most_trials(len(answered)) if how.trials is None else 0,
        level=how.level, alpha=how.alpha, band=band, f05u_2020=how.f05u_2020,
        notes=(*notes, *_remarks(truth, rows[: len(answered)]), *_without_interval(rows, resampled.units, authors)),
        skipped=tuple(skipped),
    )  # fmt: skip


def _operating(
    envelope: Hull | None, truth: Truth, costs: tuple[float, float], same_share: float | None
) -> OperatingPoint | None:
    if envelope is None:
        return None
    share = float(truth.same.mean()) if same_share is None else same_share
    return envelope.operating_point(cost_false_same=costs[0], cost_false_different=costs[1], same_share=share)


def _remarks(truth: Truth, systems: Sequence[SystemScores]) -> list[str]:
    remarks = []
    if truth.same.all() or not truth.same.any():
        lacking = "" if truth.same.any() else ", nor have F1 and recall"
        kind = truth.words.all_yes if truth.same.all() else truth.words.all_no
        remarks.append(
            f"Every problem of truth is {kind}: AUC and what rests on it have no value{lacking}. "
            "Undefined values are n/a (null in JSON), never 0."
        )
    for s in systems:
        if s.missing:
            remarks.append(f"{s.name} leaves out {s.missing:,} of {len(truth):,} problems; they count as unanswered.")
        opposed = 0 if s.decision is None else int(((s.decision - 0.5) * (s.value - 0.5) < 0).sum())
        if opposed:
            remarks.append(
                f"{s.name}: Y or N and the score contradict each other in {opposed:,} of {len(truth):,} lines."
            )
    ends = {s.name: interval for s in systems if (interval := s.interval.get("auc")) is not None}
    if turned := [name for name, (_, highest) in ends.items() if highest < 0.5]:
        remarks.append(f"AUC is below .5: {some(turned)}. Answers may be turned round: 1 is {truth.words.yes}, 0 not.")
    return [*remarks, *_alike(truth, systems)]


def _alike(truth: Truth, systems: Sequence[SystemScores]) -> list[str]:
    """Sentences on systems that may be one: their names differ in spelling alone, or they answer alike."""
    by_name, by_answers = defaultdict[str, list[str]](list), defaultdict[bytes, list[str]](list)
    by_answers[truth.same.astype(np.float64).tobytes()].append("truth")
    for s in systems:
        by_name[name_key(s.name)].append(s.name)
        if len(np.unique(s.value)) > 1 and not s.missing:
            by_answers[s.value.tobytes()].append(s.name)
    said: dict[str, Mapping[Any, list[str]]] = {
        "Names of systems that differ in spelling alone, and may be one system's": by_name,
        "The same answers stand under several names, and each counts": by_answers,
    }
    groups = {what: [" / ".join(names) for names in of.values() if len(names) > 1] for what, of in said.items()}
    return [f"{what}: {first_names(names)}." for what, names in groups.items() if names]


def _without_interval(systems: Sequence[SystemScores], units: int, authors: Ints | None) -> list[str]:
    """Why metrics have values and no intervals."""
    lacking = [m for m in METRICS if any(s.scores[m] is not None and s.interval[m] is None for s in systems)]
    if not lacking:
        return []
    drawn = f"{units} {'problems' if authors is None else 'authors'}"
    named = ", ".join(TITLES.get(m, m) for m in lacking)
    why = "in more than 5 % of the resamplings they are undefined, as where no problem of one class was drawn"
    return [f"No interval (n/a) for {named}: only {drawn} are drawn anew, and {why}."]


def _combine(
    truth: Truth, values: Mapping[str, Floats], training: tuple[ArrayLike, Mapping[str, ArrayLike]] | None
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
        raise InputError(f"{lacking[0]} has no training answers", fix="give the same systems' answers on both sets")
    checks = [checked(same, answers[name]) for name in values]
    train = np.stack([c[1] for c in checks])
    learned, judged = (Counter(map(bytes, np.vstack(both).T.copy())) for both in ((same, train), (truth.same, stack)))
    shared = sum(learned[row] == 1 == times for row, times in judged.items())
    if shared > 2 and 2 * shared > sum(times == 1 for times in judged.values()):
        raise InputError(
            "the training set is the test set: truth and all answers are the same", found=f"{shared} of {len(truth)}",
            expected="answers to other problems than those that are judged", fix="leave the training set out",
        )  # fmt: skip
    band = choose_band(same, mean_of(train))
    combined["meta-band"] = with_band(combined["meta-mean"], band)
    combined["meta-stacked"] = stacked(same, train, stack)
    return combined, band
