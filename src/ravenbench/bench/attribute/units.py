"""Units of attribution: a method on a split, and the weights of a method with and without a topic."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ravenbench.attribution.cues import moved, weights
from ravenbench.attribution.evaluate import fit_split, predict_split
from ravenbench.bench.attribute.documents import open_documents, open_splits
from ravenbench.bench.attribute.methods import method_identity
from ravenbench.engine.guard import isolated, tell
from ravenbench.errors import MethodError
from ravenbench.store.records import CellRecord, FoldRecord, Seconds
from ravenbench.store.store import Store, open_store

Arrays = dict[str, NDArray[Any]]
ALL = FoldRecord(train_digest="all documents", test_digest="")
"""Stands for the fold of a model that all documents teach."""


@dataclass(frozen=True)
class SplitUnit:
    """A method learns from what a split teaches and answers what it holds out."""

    run: Path
    name: str
    method: Any
    key: str
    fold: str

    def work(self) -> list[str]:
        """Fit, predict, commit the cell; an error becomes a failed cell."""
        store = open_store(self.run)

        def answer() -> tuple[Arrays, float]:
            documents, part = open_documents(store), open_splits(store)[self.fold]
            fitted = fit_split(documents, part, self.method)
            learned = time.perf_counter()
            return {"predicted": predict_split(documents, part, fitted)}, learned

        return _commit(store, self, self.fold, store.plan.folds[self.fold], answer)

    def lost(self, reason: str) -> list[str]:
        """Commit the cell as failed."""
        store = open_store(self.run)

        def fail() -> tuple[Arrays, float]:
            raise MethodError(reason)

        return _commit(store, self, self.fold, store.plan.folds[self.fold], fail)


@dataclass(frozen=True)
class WeightsUnit:
    """The weights of a linear method that all documents teach."""

    run: Path
    name: str
    method: Any
    key: str

    def work(self) -> list[str]:
        """Fit and commit the weights and the features they belong to."""
        store = open_store(self.run)

        def weigh() -> tuple[Arrays, float]:
            documents = open_documents(store)
            features, found = weights(documents, np.arange(len(documents)), self.method)
            text = np.frombuffer(json.dumps(features).encode(), dtype=np.uint8)
            return {"weights": found, "features": text}, time.perf_counter()

        return _commit(store, self, "all documents", ALL, weigh)


@dataclass(frozen=True)
class MovedUnit:
    """How far the weights move when the topic of a split is held out."""

    run: Path
    name: str
    method: Any
    key: str
    base: str
    fold: str

    def work(self) -> list[str]:
        """Fit without the topic and commit how far each weight moved."""
        store = open_store(self.run)

        def compare() -> tuple[Arrays, float]:
            features, found = read_weights(store, self.base)
            part = open_splits(store)[self.fold]
            away = moved(open_documents(store), part.train, self.method, features, found)
            return {"moved": away}, time.perf_counter()

        return _commit(store, self, f"weights without {self.fold}", store.plan.folds[self.fold], compare)


def read_weights(store: Store, key: str) -> tuple[list[str], NDArray[np.float64]]:
    """Features and weights (features, authors) that all documents teach.

    Raises
    ------
    RuntimeError
        If they are not there.
    """
    cell = store.read_cell(key)
    if cell is None or cell.error is not None:
        raise RuntimeError("the weights that all documents teach are missing: repeat the run")
    features: list[str] = json.loads(cell.arrays["features"].tobytes())
    return features, cell.arrays["weights"]


def _commit(
    store: Store,
    unit: SplitUnit | WeightsUnit | MovedUnit,
    where: str,
    info: FoldRecord,
    do: Callable[[], tuple[Arrays, float]],
) -> list[str]:
    """Do the work of a unit and write its cell; ``do`` also says when learning ended. Returns its error, if any."""
    began = time.perf_counter()
    arrays: Arrays = {}
    learned, wrong = began, None
    try:
        with isolated():
            arrays, learned = do()
    except Exception as error:
        wrong = tell(error)
    record = CellRecord(
        key=unit.key,
        verifier=unit.name,
        identity=method_identity(unit.method),
        train_digest=info.train_digest,
        test_digest=info.test_digest,
        n=len(arrays.get("predicted", ())),
        seconds=Seconds(fit=learned - began, score=time.perf_counter() - learned),
        error=wrong,
    )
    store.write_cell(record, arrays)
    return [] if wrong is None else [f"{unit.name} on {where}: {wrong.splitlines()[0]}"]
