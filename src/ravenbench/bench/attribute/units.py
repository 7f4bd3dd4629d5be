"""Units of attribution: a method on a split, and the weights of a method with and without a topic."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ravenbench.attribution.protocols import fit_split, moved, predict_split, weights
from ravenbench.bench.attribute.documents import open_documents, open_splits
from ravenbench.engine.cells import CellUnit, Filled
from ravenbench.store.records import CellPlace
from ravenbench.store.store import Store

ALL = "all documents"
"""Stands for the fold of a model that all documents teach."""


@dataclass(frozen=True)
class SplitUnit(CellUnit):
    """A method learns from what a split teaches and answers what it holds out."""

    def learn(self, store: Store) -> Any:
        return fit_split(open_documents(store), open_splits(store)[self.cells[0].fold], self.method)

    def answer(self, store: Store, learned: Any, place: CellPlace) -> Filled:
        return {"predicted": predict_split(open_documents(store), open_splits(store)[place.fold], learned)}, {}

    def size(self, store: Store, place: CellPlace, filled: Mapping[str, NDArray[Any]]) -> int:
        return len(filled.get("predicted", ()))


@dataclass(frozen=True)
class WeightsUnit(SplitUnit):
    """The weights of a linear method that all documents teach, and the features they belong to."""

    def learn(self, store: Store) -> dict[str, NDArray[Any]]:
        documents = open_documents(store)
        features, found = weights(documents, np.arange(len(documents)), self.method)
        return {"weights": found, "features": np.frombuffer(json.dumps(features).encode(), dtype=np.uint8)}

    def answer(self, store: Store, learned: Any, place: CellPlace) -> Filled:
        return learned, {}

    def digests(self, store: Store, place: CellPlace) -> tuple[str, str]:
        return ALL, ""


@dataclass(frozen=True)
class MovedUnit(SplitUnit):
    """How far the weights of the cell ``base`` move when the topic of a split is held out."""

    base: str = ""

    def learn(self, store: Store) -> dict[str, NDArray[Any]]:
        features, found = read_weights(store, self.base)
        part = open_splits(store)[self.cells[0].fold]
        return {"moved": moved(open_documents(store), part.train, self.method, features, found)}

    def answer(self, store: Store, learned: Any, place: CellPlace) -> Filled:
        return learned, {}

    def where(self, place: CellPlace) -> str:
        return f"{place.verifier} on weights without {place.fold}: "


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
