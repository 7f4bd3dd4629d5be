"""What an attribution's folder holds, read for its report: documents, every method's answers, and the cues."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ravenbench.attribution.protocols import Cue, Split, cues, lengths
from ravenbench.attribution.selection import Chosen
from ravenbench.bench.attribute.documents import open_documents, open_splits
from ravenbench.bench.attribute.record import AttributePlan, CuesRecord, ProtocolRecord
from ravenbench.bench.attribute.spec import AttributeSpec
from ravenbench.bench.attribute.units import read_weights
from ravenbench.bench.options import checked
from ravenbench.store.store import Cell, Store
from ravenbench.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class MethodAnswers:
    """The answers of one method under one protocol.

    Attributes
    ----------
    predicted : (n,) int64
        Author code of each document; −1 where it was not answered or an unknown name was given.
    errors : mapping of split names to messages
        A split on which the method failed is left out of its scores, never counted as wrong.
    seconds : (splits,) float64
    """

    method: str
    predicted: Ints
    errors: dict[str, str]
    seconds: Floats


@dataclass(frozen=True, eq=False)
class ProtocolAnswers:
    """One protocol: its splits and what every method answered."""

    protocol: str
    splits: tuple[Split, ...]
    methods: tuple[MethodAnswers, ...]


@dataclass(frozen=True, eq=False)
class Attributed:
    """What an attribution found; scores and tests are derived from it.

    ``cues`` names a method, the features whose weights held-out topics change most, and heavy ones they change
    least; None unless both protocols ran and a method has weights.
    """

    spec: AttributeSpec
    methods: tuple[str, ...]
    documents: Chosen
    protocols: tuple[ProtocolAnswers, ...]
    cues: tuple[str, list[Cue], list[Cue]] | None


def read_answers(store: Store) -> Attributed:
    """Everything that an attribution's folder holds.

    Raises
    ------
    StoreError
        If the folder is damaged.
    """
    plan = store.plan_as(AttributePlan)
    documents = open_documents(store)
    names = tuple(record.name for record in plan.verifiers)
    protocols = tuple(_protocol(store, record, names, len(documents)) for record in plan.protocols)
    found = None if plan.cues is None else _cues(store, plan.cues, plan.protocols[0])
    return Attributed(checked(store.run.spec, AttributeSpec), names, documents, protocols, found)


def _protocol(store: Store, record: ProtocolRecord, names: Iterable[str], documents: int) -> ProtocolAnswers:
    every = open_splits(store)
    parts = tuple(every[split.fold] for split in record.splits)
    methods = []
    for name in names:
        predicted: Ints = np.full(documents, -1, dtype=np.int64)
        errors: dict[str, str] = {}
        seconds = np.zeros(len(parts))
        for number, (split, part) in enumerate(zip(record.splits, parts, strict=True)):
            cell = store.cell(name, split.fold)
            if cell is not None:
                seconds[number] = cell.record.seconds.fit + cell.record.seconds.score
            if (error := _error(cell)) is not None:
                errors[split.name] = error
            elif cell is not None:
                predicted[part.test] = cell.arrays["predicted"]
        methods.append(MethodAnswers(name, predicted, errors, seconds))
    return ProtocolAnswers(record.protocol, parts, tuple(methods))


def _error(cell: Cell | None) -> str | None:
    if cell is None:
        return "not answered yet"
    return None if cell.error is None else cell.error.splitlines()[0]


def _cues(store: Store, record: CuesRecord, novel: ProtocolRecord) -> tuple[str, list[Cue], list[Cue]] | None:
    """None where a cell of it is missing or failed."""
    cells = [store.read_cell(key) for key in record.moved]
    whole = store.read_cell(record.base)
    moves = [cell.arrays["moved"] for cell in cells if cell is not None and cell.error is None]
    if whole is None or whole.error is not None or len(moves) < len(cells):
        return None
    features, weights = read_weights(store, record.base)
    return (record.method, *cues(features, lengths(weights), moves, [split.name for split in novel.splits]))
