"""What a safety run attacks: same-author problems before verifiers, or the questioned texts of attribution problems."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ravenbench import files
from ravenbench.bench.safety.spec import SafetySpec
from ravenbench.errors import CorpusError, FormatError
from ravenbench.formats.pan_attribution import UNKNOWN, AttributionProblem, read_attribution
from ravenbench.formats.problems import ProblemSet, read_problems
from ravenbench.obfuscation.base import ObfuscationTask, tasks_of
from ravenbench.problems.sources import given
from ravenbench.randomness import stream
from ravenbench.types import Bools, Fold, Ints, Problems


@dataclass(frozen=True, eq=False)
class Attacked:
    """The problems of a safety run: those to learn from, those to answer, and which of these are rewritten.

    ``truth`` names the author of each questioned text of attribution problems, as ``PROBLEM/CANDIDATE`` or ``<UNK>``.
    Their ``base`` holds a training problem for each candidate, all of whose texts are known, and a test problem for
    each questioned text, whose known texts are its true author's: obfuscators read these, methods do not.
    """

    train: ProblemSet | None
    test: ProblemSet
    base: Fold
    tasks: tuple[ObfuscationTask, ...]
    truth: tuple[str, ...] = ()


def read_attacked(spec: SafetySpec) -> Attacked:
    """Read training and test problems, and take as many of the test problems as the spec allows.

    Raises
    ------
    InputError
        If they cannot be read, or nothing is among them that could be attacked.
    """
    train = None if spec.train is None else read_problems(files.local_copy(spec.train), "train", spec.encoding)
    if spec.methods is not None:
        return _of_candidates(spec, train)
    assert train is not None
    test = read_problems(files.local_copy(spec.problems), "test", spec.encoding)
    chosen = choose(test.truth(), spec.limit)
    if not test.truth()[chosen].any():
        raise CorpusError("no same-author problem is there to obfuscate", file=spec.problems)
    same = test.truth()[chosen]
    base = given(train.problems, train.truth(), test.problems.select(chosen), same, "original")
    return Attacked(train, test, base, tuple(tasks_of(base.test, np.flatnonzero(same).tolist(), test.language)))


def choose(same: Bools, limit: int | None) -> Ints:
    """Rows of the test problems to use, ascending: all, or ``limit`` of each class drawn by a fixed seed."""
    if limit is None:
        return np.arange(len(same), dtype=np.int64)
    rng = stream(0, "safety-limit", len(same))
    return np.sort(np.concatenate([rng.permutation(np.flatnonzero(same == y))[:limit] for y in (True, False)]))


def _of_candidates(spec: SafetySpec, train: ProblemSet | None) -> Attacked:
    found = read_attribution(files.local_copy(spec.problems), encoding=spec.encoding)
    rows: list[tuple[str, tuple[str, ...], str]] = []
    truth: list[str] = []
    tasks: list[ObfuscationTask] = []
    for problem in found:
        for name, author in _questioned(problem, spec):
            place, text = name if len(found) == 1 else f"{problem.name}/{name}", problem.unknown[name]
            known = (text,) if author == UNKNOWN else problem.candidates[author]
            rows.append((place, known, text))
            truth.append(author if author == UNKNOWN else f"{problem.name}/{author}")
            if author != UNKNOWN:
                tasks.append(ObfuscationTask(place, text, tuple(known), problem.language))
    if not tasks:
        raise CorpusError("no questioned text is by a candidate, so there is none to obfuscate", file=spec.problems)
    candidates = Problems.of(
        (f"{problem.name}/{author}", texts, texts[0])
        for problem in found
        for author, texts in sorted(problem.candidates.items())
    )
    attacked = np.array([author != UNKNOWN for author in truth])
    base = given(candidates, np.ones(len(candidates), dtype=bool), Problems.of(rows), attacked, "original")
    languages = {problem.language for problem in found}
    test = ProblemSet(
        " + ".join(problem.name for problem in found),
        base.test,
        attacked,
        language=languages.pop() if len(languages) == 1 else None,
    )
    return Attacked(train, test, base, tuple(tasks), tuple(truth))


def _questioned(problem: AttributionProblem, spec: SafetySpec) -> list[tuple[str, str]]:
    """Names and true authors of the questioned texts to use: all, or as many as the spec allows."""
    if problem.truth is None:
        raise FormatError(
            f"{problem.name} does not say who wrote its questioned texts", file=spec.problems,
            expected="ground-truth.json beside problem-info.json",
        )  # fmt: skip
    every = [(name, problem.truth[name]) for name in sorted(problem.unknown)]
    if spec.limit is None:
        return every
    drawn = stream(0, "safety-limit", problem.name, len(every)).permutation(len(every))[: spec.limit]
    return [every[i] for i in sorted(drawn.tolist())]
