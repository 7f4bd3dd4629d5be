"""Units of work: one importable function each, called alike by every engine (contracts 3, 8, 13, 14)."""

from __future__ import annotations

import json
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from ravenbench import files
from ravenbench.bench.keys import pairs_key
from ravenbench.bench.store import Store, checked_array
from ravenbench.components import Component, identity
from ravenbench.types import Answers, Floats, Ints, Problems
from ravenbench.verifiers.base import Calibrated, FoldFree, Scorer, as_verifier, fresh, mean_by_problem

BLOCK = 4096
"""Document pairs in a block of fold-free features."""


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


@dataclass(frozen=True)
class PairUnit:
    """One block of document pairs for one fold-free scorer."""

    run: Path
    scorer: FoldFree
    key: str
    start: int
    stop: int


@lru_cache(maxsize=2)
def _store(path: Path) -> Store:
    return Store(path)


def run_unit(unit: FitUnit | PairUnit) -> list[str]:
    """Do one unit; errors of the method become failed cells. Returns the errors."""
    with threadpool_limits(1):
        return run_fit(unit) if isinstance(unit, FitUnit) else run_pairs(unit)


def run_fit(unit: FitUnit) -> list[str]:
    """Fit once, answer every test set, commit a cell each."""
    store = _store(unit.run)
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
        failure = _tell(error)
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
                scores, answers = _answer(verifier, test, features)
            except Exception as error:
                error_text = _tell(error)
                scores = answers = None
        info["error"] = error_text
        info["seconds"] = {"fit": fitted - began, "score": time.perf_counter() - start}
        store.write_cell(key, info, scores, answers)
        if error_text is not None:
            errors.append(f"{unit.verifier} on {name}: {error_text.splitlines()[0]}")
    return errors


def _answer(verifier: Any, test: Problems, features: PairFeatures | None) -> tuple[Floats, Floats]:
    if isinstance(verifier, Calibrated):
        scores = features.score(test) if features is not None else verifier.scorer_.score(test)
        answers = verifier.calibrator_.transform(scores)
    else:
        answers = scores = verifier.verify(test)
    answers = np.asarray(answers, dtype=np.float64)
    return np.asarray(scores, dtype=np.float64), Answers(test.ids, answers).value


def run_pairs(unit: PairUnit) -> list[str]:
    """Compute and commit one block of pair features; an error is kept for the cells that needed it."""
    store = _store(unit.run)
    folder = store.path / "pairs" / unit.key
    folder.mkdir(parents=True, exist_ok=True)
    try:
        known, questioned = np.load(store.path / "pairs" / "pairs.npy", mmap_mode="r")[:, unit.start : unit.stop]
        values = unit.scorer.pair_features(store.texts, np.array(known), np.array(questioned))
    except Exception as error:
        files.write_json(folder / "block.json", {"key": unit.key, "sha256": None, "error": _tell(error)})
        return []
    sha = files.write_array(folder / "features.npy", np.asarray(values, dtype=np.float64))
    files.write_json(folder / "block.json", {"key": unit.key, "sha256": sha, "error": None})
    return []


def read_block(store: Store, key: str) -> Floats | None:
    """A committed block of features; None where it is missing, damaged or failed (it is then computed again)."""
    folder = store.path / "pairs" / key
    try:
        info = json.loads((folder / "block.json").read_text())
        return checked_array(folder / "features.npy", info["sha256"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def block_error(store: Store, key: str) -> str:
    """Why a block is not there."""
    try:
        error = json.loads((store.path / "pairs" / key / "block.json").read_text())["error"]
    except (OSError, ValueError, KeyError, TypeError):
        error = None
    return error or "features of document pairs are missing or damaged: repeat the run"


class PairFeatures:
    """Features of every distinct document pair of a run, looked up by problem."""

    def __init__(self, store: Store, blocks: Sequence[str]) -> None:
        pairs: Ints = np.load(store.path / "pairs" / "pairs.npy")
        found = [read_block(store, key) for key in blocks]
        for key, block in zip(blocks, found, strict=True):
            if block is None:
                raise RuntimeError(block_error(store, key))
        self.size = len(store.texts)
        self.index = pairs[0] * self.size + pairs[1]
        self.values = np.concatenate([block for block in found if block is not None])

    def score(self, problems: Problems) -> Floats:
        """What ``FoldFree.score`` would return."""
        wanted = problems.known_index * self.size + problems.questioned_index[problems.owner]
        place = np.searchsorted(self.index, wanted)
        return mean_by_problem(self.values[place], problems)


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


def _tell(error: Exception) -> str:
    lines = traceback.format_exception(error)
    return f"{type(error).__name__}: {error}\n{''.join(lines)[-2000:]}"
