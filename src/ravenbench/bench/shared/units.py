"""Units of work: one importable function each, called alike by every engine (contracts 3, 8, 13, 14)."""

from __future__ import annotations

import json
import time
import traceback
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from threadpoolctl import threadpool_limits

from ravenbench import files
from ravenbench.bench.shared.keys import pairs_key
from ravenbench.bench.shared.store import Store, checked_array
from ravenbench.components import Component, identity
from ravenbench.types import Answers, Floats, Ints, Problems
from ravenbench.verifiers.contract.base import (
    Calibrated,
    FoldFree,
    Scorer,
    Verifier,
    as_verifier,
    fresh,
    mean_by_problem,
)

BLOCK = 4096
"""Document pairs in a block of fold-free features."""


class Unit(Protocol):
    """What an engine does, here or in another process."""

    def work(self) -> list[str]:
        """Do it, commit what it found, and return the errors of cells that failed."""


@dataclass(frozen=True)
class FitUnit:
    """One fit and all its test sets: the folds share a train set."""

    run: Path
    verifier: str
    component: Component
    cells: tuple[tuple[str, str], ...]
    """(key, fold name) of each."""
    blocks: tuple[str, ...] = ()
    """Keys of the feature blocks of a fold-free scorer."""
    isolate: bool = False
    """Whether a problem on which the method fails becomes a non-answer (``answer_each``) or fails its cell."""

    def work(self) -> list[str]:
        return run_fit(self)


@dataclass(frozen=True)
class PairUnit:
    """One block of document pairs for one fold-free scorer."""

    run: Path
    scorer: FoldFree
    key: str
    start: int
    stop: int

    def work(self) -> list[str]:
        return run_pairs(self)


def open_store(path: Path) -> Store:
    """A run's folder, kept open by a worker that does several units of it, as long as its plan stays the same."""
    # A worker can outlive a folder: what lies at the path now may be another run.
    return _opened(path, files.sha256(path / "plan.json"))


@lru_cache(maxsize=2)
def _opened(path: Path, plan_sha256: str) -> Store:
    return Store(path)


def one_thread() -> AbstractContextManager[object]:
    """Linear algebra on one thread: a unit has one core, and sums depend on how many threads share them.

    A limit holds for libraries that are loaded already, so those that methods use are loaded first.
    """
    import scipy.linalg  # noqa: F401
    import sklearn  # noqa: F401

    limits: AbstractContextManager[object] = threadpool_limits(1)
    return limits


def run_unit(unit: Unit) -> list[str]:
    """Do one unit; errors of the method become failed cells. Returns the errors."""
    with one_thread():
        return unit.work()


def run_fit(unit: FitUnit) -> list[str]:
    """Fit once, answer every test set, commit a cell each."""
    store = open_store(unit.run)
    errors = []
    base = {"verifier": unit.verifier, "identity": identity(unit.component)}
    fold = store.fold(unit.cells[0][1])
    base["train_digest"] = store.plan["folds"][fold.name]["train_digest"]
    began = time.perf_counter()
    try:
        verifier = as_verifier(fresh(unit.component))
        features = PairFeatures(store, unit.blocks) if unit.blocks else None
        if features is not None and isinstance(verifier, Calibrated):
            hold = np.ones(len(fold.train), dtype=bool) if fold.train.calibrate is None else fold.train.calibrate
            verifier.calibrate(features.score(fold.train.select(hold)), fold.train_same[hold])
        else:
            verifier.fit(fold.train, fold.train_same)
        failure = None
    except Exception as error:
        failure = tell(error)
    fitted = time.perf_counter()
    for key, name in unit.cells:
        test = fold.test if name == fold.name else store.fold(name).test
        info: dict[str, Any] = {**base, "test_digest": store.plan["folds"][name]["test_digest"], "n": len(test)}
        scores: Floats | None = None
        answers: Floats | None = None
        error_text = failure
        start = time.perf_counter()
        if failure is None:
            try:
                if unit.isolate:
                    scores, answers, info["faults"] = answer_each(verifier, test)
                else:
                    scores, answers = answer(verifier, test, features)
            except Exception as error:
                error_text = tell(error)
                scores = answers = None
        info["error"] = error_text
        info["seconds"] = {"fit": fitted - began, "score": time.perf_counter() - start}
        store.write_cell(key, info, scores, answers)
        if error_text is not None:
            errors.append(f"{unit.verifier} on {name}: {error_text.splitlines()[0]}")
    return errors


def answer(verifier: Verifier, test: Problems, features: PairFeatures | None = None) -> tuple[Floats, Floats]:
    """Raw scores and answers of a fitted verifier; without a scorer of its own its scores are its answers."""
    if isinstance(verifier, Calibrated):
        scores = features.score(test) if features is not None else verifier.scorer_.score(test)
        answers = verifier.calibrator_.transform(scores)
    else:
        answers = scores = verifier.verify(test)
    answers = np.asarray(answers, dtype=np.float64)
    return np.asarray(scores, dtype=np.float64), Answers(test.ids, answers).value


def answer_each(verifier: Verifier, test: Problems) -> tuple[Floats, Floats, dict[str, str]]:
    """As ``answer``, but a problem on which the method fails is left unanswered; also its reason, by id.

    The set is halved until the problems at fault stand alone. Where more than ten and more than a tenth of them
    fail, or all do, the fault is the method's and its error is raised, as it is for transductive methods.
    """
    faults: dict[str, str] = {}
    most = min(max(10, len(test) // 10), len(test) - 1)

    def work(rows: Ints) -> list[tuple[Ints, Floats, Floats]]:
        try:
            return [(rows, *answer(verifier, test if len(rows) == len(test) else test.select(rows)))]
        except (MemoryError, OSError):
            raise
        except Exception as error:
            if len(rows) == 1:
                faults[str(test.ids[rows[0]])] = f"the method failed ({type(error).__name__}: {error})"
            if verifier.transductive or len(faults) > most:
                raise
        return [] if len(rows) == 1 else [part for half in np.array_split(rows, 2) for part in work(half)]

    parts = work(np.arange(len(test), dtype=np.int64))
    scores = np.full((len(test), *parts[0][1].shape[1:]), np.nan)
    answers = np.full(len(test), 0.5)
    for rows, score, value in parts:
        scores[rows], answers[rows] = score, value
    return scores, answers, faults


def run_pairs(unit: PairUnit) -> list[str]:
    """Compute and commit one block of pair features; an error is kept for the cells that needed it."""
    store = open_store(unit.run)
    folder = store.path / "pairs" / unit.key
    folder.mkdir(parents=True, exist_ok=True)
    try:
        known, questioned = files.map_array(store.path / "pairs" / "pairs.npy")[:, unit.start : unit.stop]
        values = unit.scorer.pair_features(store.texts, np.array(known), np.array(questioned))
    except Exception as error:
        files.write_json(folder / "block.json", {"key": unit.key, "sha256": None, "error": tell(error)})
        return []
    sha = files.write_array(folder / "features.npy", np.asarray(values, dtype=np.float64))
    files.write_json(folder / "block.json", {"key": unit.key, "sha256": sha, "error": None})
    return []


def read_block(store: Store, key: str) -> Floats | None:
    """A committed block of features; None where it is missing, damaged or failed (it is then computed again)."""
    folder = store.path / "pairs" / key
    try:
        info = json.loads((folder / "block.json").read_text("utf-8"))
        return checked_array(folder / "features.npy", info["sha256"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def block_error(store: Store, key: str) -> str:
    """Why a block is not there."""
    try:
        error = json.loads((store.path / "pairs" / key / "block.json").read_text("utf-8"))["error"]
    except (OSError, ValueError, KeyError, TypeError):
        error = None
    return error or "features of document pairs are missing or damaged: repeat the run"


class PairFeatures:
    """Features of every distinct document pair of a run, looked up by problem; only blocks in need are read."""

    def __init__(self, store: Store, blocks: Sequence[str]) -> None:
        pairs: Ints = files.map_array(store.path / "pairs" / "pairs.npy")
        self.store, self.blocks = store, blocks
        self.size = len(store.texts)
        self.index = pairs[0] * self.size + pairs[1]

    def score(self, problems: Problems) -> Floats:
        """What ``FoldFree.score`` would return.

        Raises
        ------
        RuntimeError
            If a block is not there, with the reason.
        """
        wanted = problems.known_index * self.size + problems.questioned_index[problems.owner]
        place = np.searchsorted(self.index, wanted)
        number = place // BLOCK
        values: Floats | None = None
        for n in np.unique(number):
            block = read_block(self.store, self.blocks[n])
            if block is None:
                raise RuntimeError(block_error(self.store, self.blocks[n]))
            if values is None:
                values = np.empty((len(place), *block.shape[1:]))
            values[number == n] = block[place[number == n] - n * BLOCK]
        return mean_by_problem(np.empty(0) if values is None else values, problems)


def plan_pairs(store: Store, scorers: Sequence[Scorer], folds: Sequence[str]) -> dict[str, list[PairUnit]]:
    """Write the distinct document pairs of these folds and cut them into blocks for each fold-free scorer."""
    free = {str(s): s for s in scorers if isinstance(s, FoldFree)}
    if not free:
        return {}
    size = len(store.texts)
    keys = []
    for name in folds:
        fold = store.fold(name)
        train = fold.train if fold.train.calibrate is None else fold.train.select(fold.train.calibrate)
        for problems in (train, fold.test):
            keys.append(problems.known_index * size + problems.questioned_index[problems.owner])
    index = np.unique(np.concatenate(keys)) if keys else np.empty(0, dtype=np.int64)
    pairs = np.stack([index // size, index % size])
    (store.path / "pairs").mkdir(exist_ok=True)
    digest = files.write_array(store.path / "pairs" / "pairs.npy", pairs)
    units = {}
    for name, scorer in free.items():
        units[name] = [
            PairUnit(store.path, scorer, pairs_key(scorer, f"{digest}:{start}"), start, min(start + BLOCK, len(index)))
            for start in range(0, len(index), BLOCK)
        ]
    return units


def tell(error: Exception) -> str:
    """An error as a cell keeps it: one line, then where it happened."""
    lines = traceback.format_exception(error)
    return f"{type(error).__name__}: {error}\n{''.join(lines)[-2000:]}"
