"""Reads the problems that a safety run attacks, and runs attribution methods under attack.

In: a ``SafetySpec``; for the cells (results) the methods by name, folds and a lead in probability to reject by, [0,
1).
Out: an ``Attacked`` (problems to learn from, to answer and to rewrite), and for attribution cells with ``predicted``
(n,), the number from 0 of the candidate named, −1 for nobody, and ``rank`` (n,) of the true author, 1 = best, NaN =
none. InputError if problems cannot be read or nothing can be attacked, AnswerError if a method's answers cannot be
used.

Rewritten are same-author problems before verifiers, or the questioned texts of attribution problems, whose methods
learn from the candidates once and answer every set of questioned texts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ravenbench import files
from ravenbench.attribution.posterior import Posterior, learned
from ravenbench.attribution.protocols import BEFOREHAND
from ravenbench.engine.cells import CellUnit, Filled, pending
from ravenbench.errors import AnswerError, CorpusError, FormatError
from ravenbench.obfuscation.base import ObfuscationTask, tasks_of
from ravenbench.problems.overlap import check_overlap
from ravenbench.problems.sources import given
from ravenbench.randomness import stream
from ravenbench.reading.pan_attribution import UNKNOWN, AttributionProblem, read_attribution
from ravenbench.reading.problem_sets import ProblemSet
from ravenbench.reading.problems import read_problems
from ravenbench.store.plans import content_key
from ravenbench.store.records import CellPlace, FoldRecord
from ravenbench.store.store import Store
from ravenbench.tasks.attribute.answers import method_identity
from ravenbench.tasks.safety.record import SafetyPlan
from ravenbench.tasks.safety.spec import SafetySpec
from ravenbench.text.damage import is_wordless
from ravenbench.types import Bools, Floats, Fold, Ints, Problems


@dataclass(frozen=True, eq=False)
class Attacked:
    """The problems of a safety run: those to learn from, those to answer, and which of these are rewritten.

    ``truth`` names the author of each questioned text of attribution problems, as ``PROBLEM/CANDIDATE`` or ``<UNK>``.
    Their ``base`` has a training problem for each candidate (with all of the candidate's known texts) and a test
    problem for each questioned text (with known texts by the true author): obfuscators read these, methods do not.
    ``notes`` say what both sets have in common or lack.
    """

    train: ProblemSet | None
    test: ProblemSet
    base: Fold
    tasks: tuple[ObfuscationTask, ...]
    truth: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def read_attacked(spec: SafetySpec) -> Attacked:
    """Read training and test problems, and take as many of the test problems as the spec allows. Raises InputError if
    they cannot be read or contain nothing to attack."""
    place = spec.train
    how = spec.flags()
    train = (
        None
        if place is None
        else read_problems(files.local_copy(place), "train", spec.encoding, **how)
    )
    if spec.methods is not None:
        return _of_candidates(spec, train)
    assert train is not None
    test = read_problems(files.local_copy(spec.problems), "test", spec.encoding, **how)
    common = check_overlap(train, test, spec.allow_shared)
    chosen = choose(test.truth(), spec.limit)
    if not test.truth()[chosen].any():
        raise CorpusError("there is no same-author problem to obfuscate", file=spec.problems)
    same = test.truth()[chosen]
    base = given(train.problems, train.truth(), test.problems.select(chosen), same, "original")
    tasks = tuple(tasks_of(base.test, np.flatnonzero(same).tolist(), test.language))
    return Attacked(train, test, base, tasks, notes=tuple(common))


def choose(same: Bools, limit: int | None) -> Ints:
    """Return rows of the test problems to use, ascending: all, or ``limit`` of each class drawn with a fixed seed."""
    if limit is None:
        return np.arange(len(same), dtype=np.int64)
    rng = stream(0, "safety-limit", len(same))
    return np.sort(
        np.concatenate([rng.permutation(np.flatnonzero(same == y))[:limit] for y in (True, False)])
    )


def _of_candidates(spec: SafetySpec, train: ProblemSet | None) -> Attacked:
    attribution = read_attribution(
        files.local_copy(spec.problems), encoding=spec.encoding, strip_shared=spec.strip_shared
    )
    rows: list[tuple[str, tuple[str, ...], str]] = []
    truth: list[str] = []
    tasks: list[ObfuscationTask] = []
    for problem in attribution:
        for name, author in _questioned(problem, spec):
            place = name if len(attribution) == 1 else f"{problem.name}/{name}"
            text = problem.unknown[name]
            known = (text,) if author == UNKNOWN else problem.candidates[author]
            rows.append((place, known, text))
            truth.append(author if author == UNKNOWN else f"{problem.name}/{author}")
            if author != UNKNOWN:
                tasks.append(ObfuscationTask(place, text, tuple(known), problem.language))
    if not tasks:
        raise CorpusError(
            "no candidate wrote any of the questioned texts, so there is nothing to obfuscate",
            file=spec.problems,
        )
    candidates = Problems.of(
        (f"{problem.name}/{author}", texts, texts[0])
        for problem in attribution
        for author, texts in sorted(problem.candidates.items())
    )
    attacked = np.array([author != UNKNOWN for author in truth])
    base = given(
        candidates, np.ones(len(candidates), dtype=bool), Problems.of(rows), attacked, "original"
    )
    languages = {problem.language for problem in attribution}
    test = ProblemSet(
        " + ".join(problem.name for problem in attribution),
        base.test,
        attacked,
        language=languages.pop() if len(languages) == 1 else None,
    )
    return Attacked(train, test, base, tuple(tasks), tuple(truth))


def _questioned(problem: AttributionProblem, spec: SafetySpec) -> list[tuple[str, str]]:
    """Names and true authors of the questioned texts to use: all, or as many as the spec allows."""
    if problem.truth is None:
        raise FormatError(
            f"{problem.name} does not say who wrote its questioned texts",
            file=spec.problems,
            expected="ground-truth.json beside problem-info.json",
        )
    every = [(name, problem.truth[name]) for name in sorted(problem.unknown)]
    if spec.limit is None:
        return every
    drawn = stream(0, "safety-limit", problem.name, len(every)).permutation(len(every))[
        : spec.limit
    ]
    return [every[i] for i in sorted(drawn.tolist())]


NOBODY = -1


def method_cells(
    named: Mapping[str, Any], reject: float, base: Fold, folds: Mapping[str, FoldRecord]
) -> list[CellPlace]:
    """Return a cell for every method and set of questioned texts; answers are numbers of candidates, so their names
    matter."""
    names = [base.train.ids.tolist(), base.test.ids.tolist()]
    return [
        CellPlace(
            key=content_key(
                [
                    method_identity(method),
                    reject and ["none of them", 2, reject],
                    names,
                    info.train_digest,
                    info.test_digest,
                ]
            ),
            verifier=name,
            fold=fold,
        )
        for fold, info in folds.items()
        for name, method in named.items()
    ]


def method_units(store: Store, named: Mapping[str, Any], reject: float) -> list[MethodUnit]:
    """Return the remaining work: a unit for every method with cells to answer."""
    return [
        MethodUnit(store.path, named[name], tuple(cells), reject)
        for (name, _), cells in pending(store).items()
    ]


@dataclass(frozen=True)
class MethodUnit(CellUnit):
    """A method learns from the candidates of every problem and answers several sets of questioned texts.

    For each text, a cell has the number of the named candidate (``predicted``; −1: none) and the place of the true
    author in the method's order of candidates (``rank``; 1 is best, NaN if the author is not a candidate or the method
    has no scores).
    """

    reject: float

    def learn(self, store: Store) -> dict[str, Fitted]:
        return fit_all(self.method, store.fold("original"), self.reject)

    def answer(self, store: Store, learned: dict[str, Fitted], place: CellPlace) -> Filled:
        return answer(learned, store.fold(place.fold), true_codes(store), self.reject), {}


@dataclass(frozen=True)
class Fitted:
    """A method fitted on one problem's candidates, and the lead in probability below which it names none of them."""

    method: Any
    none: Posterior | None


def fit_all(method: Any, base: Fold, reject: float) -> dict[str, Fitted]:
    """Fit a new copy of a method on the known texts of every problem; return the copies by name of problem. Raises
    AnswerError if the method must reject texts but has no scores."""
    from sklearn.base import clone

    if reject and not hasattr(method, "scores"):
        raise AnswerError(
            "a method without scores cannot reject all candidates",
            fix="give --reject 0, or another method",
        )
    names = base.train.ids.tolist()
    of_problem: dict[str, list[int]] = defaultdict(list)
    for number, name in enumerate(names):
        of_problem[name.partition("/")[0]].append(number)
    fitted = {}
    for problem, numbers in of_problem.items():
        texts = []
        authors = []
        for number in numbers:
            known = base.train.texts.rows(base.train.known(number))
            texts += known
            authors += [names[number]] * len(known)
        none = learned(method, texts, authors, BEFOREHAND) if reject else None
        fitted[problem] = Fitted(clone(method).fit(texts, authors), none)
    return fitted


def true_codes(store: Store) -> Ints:
    """Return the number of the candidate who wrote each questioned text of a run, −1 if no candidate did."""
    code = {name: number for number, name in enumerate(store.fold("original").train.ids.tolist())}
    return np.array(
        [code.get(name, NOBODY) for name in store.plan_as(SafetyPlan).truth], dtype=np.int64
    )


def answer(fitted: Mapping[str, Fitted], fold: Fold, truth: Ints, reject: float) -> dict[str, Any]:
    """Return ``predicted`` and ``rank`` of every questioned text of a fold; ``truth`` (n,) numbers their authors.
    Raises AnswerError if a method does not answer every text once."""
    ids = fold.test.ids.tolist()
    whose = [next(iter(fitted)) if len(fitted) == 1 else name.partition("/")[0] for name in ids]
    texts = fold.test.texts.rows(fold.test.questioned_index)
    predicted: Ints = np.full(len(ids), NOBODY, dtype=np.int64)
    rank: Floats = np.full(len(ids), np.nan)
    code = {name: number for number, name in enumerate(fold.train.ids.tolist())}
    for problem, one in fitted.items():
        rows = np.array([i for i, name in enumerate(whose) if name == problem], dtype=np.int64)
        if not len(rows):
            continue
        chosen = [texts[i] for i in rows]
        blind = np.array(list(map(is_wordless, chosen)))
        named = one.method.predict(chosen)
        if np.shape(named) != (len(rows),):
            raise AnswerError(
                "the method does not name one author for each text",
                found=f"answers of shape {np.shape(named)}",
            )
        predicted[rows] = np.where(blind, NOBODY, [code.get(str(name), NOBODY) for name in named])
        if not hasattr(one.method, "scores"):
            continue
        scores = np.asarray(one.method.scores(chosen), dtype=np.float64)
        order = np.argsort(-scores, axis=1, kind="stable")
        place = np.empty_like(order)
        np.put_along_axis(
            place, order, np.arange(1, order.shape[1] + 1)[None, :].repeat(len(rows), 0), axis=1
        )
        column = {code[str(name)]: i for i, name in enumerate(one.method.classes_)}
        for at, row in enumerate(rows):
            if truth[row] in column and not blind[at]:
                rank[row] = place[at, column[truth[row]]]
        if one.none is not None:
            predicted[rows[one.none.named(scores, reject) < 0]] = NOBODY
    return {"predicted": predicted, "rank": rank}
