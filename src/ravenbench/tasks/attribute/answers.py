"""Fills the cells of attribution (one method's answers on one split of the documents), and reads them for the report.

In: a ``Store`` and its methods by name; for ``name_methods`` a list of methods, or their names with commas. Out: for
each method and split the author code (from 0) named for each document, (n,), −1 = none; read again as ``Attributed``: a
``MethodAnswers`` for each method (seconds by split, errors by split). Further cells contain the weights of a linear
method (features, authors) and how much they change. SpecError for an object that is not a method, RuntimeError if
weights are missing, StoreError if the folder is damaged.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ravenbench import files, registry
from ravenbench.attribution.protocols import (
    Cue,
    ProtocolSplit,
    cues,
    equal,
    fit_split,
    lengths,
    moved,
    predict_split,
    weights,
)
from ravenbench.attribution.selection import Chosen
from ravenbench.components import Component, foreign, identity
from ravenbench.engine.cells import CellUnit, Filled
from ravenbench.engine.options import checked
from ravenbench.errors import SpecError
from ravenbench.store.records import CellPlace, Plan, Record, VerifierRecord
from ravenbench.store.store import Cell, Store
from ravenbench.tasks.attribute.spec import AttributeSpec
from ravenbench.types import Arrays, Floats, Ints


class DocumentsRecord(Record, frozen=True, kw_only=True):
    """Documents that take part, by their corpus, authors and topics; counts, by reason, of documents and of authors
    left out, names joined."""

    corpus: str
    authors: list[str]
    topics: list[str]
    dropped: dict[str, int]
    dropped_authors: dict[str, int]
    account: list[str] = []


class SplitRecord(Record, frozen=True, kw_only=True):
    """One split of a protocol: count of documents held out; ``fold`` is its entry among folds and cells, ``unseen``
    authors are not taught."""

    name: str
    fold: str
    documents: int
    unseen: list[str]


class ProtocolRecord(Record, frozen=True, kw_only=True):
    """A protocol's splits; row i of ``splits.npy`` says in which split of protocol i each document is held out."""

    protocol: str
    splits: list[SplitRecord]


class CuesRecord(Record, frozen=True, kw_only=True):
    """The method whose weights are compared: the cell of those that all documents teach, and a cell for each topic
    held out, in the order of the novel-topic splits."""

    method: str
    base: str
    moved: list[str]


class AttributePlan(Plan, frozen=True, kw_only=True):
    """The manifest of an attribution; ``documents.npy`` has text row, author code and topic code of each document."""

    documents: DocumentsRecord
    protocols: list[ProtocolRecord]
    cues: CuesRecord | None


def name_methods(methods: str | Sequence[Any]) -> dict[str, Any]:
    """Return methods by their printed form: components, or any estimators over texts. Raises SpecError if
    one cannot be parsed or is not a method, two have the same printed form, or the list is empty."""
    parsed = registry.split(methods) if isinstance(methods, str) else methods
    named: dict[str, Any] = {}
    seen: set[str] = set()
    for entry in parsed:
        method = registry.parse("attributor", entry) if isinstance(entry, str) else entry
        printed = " ".join(str(method).split())
        # Objects that print their place in memory would have another name, and another folder, each time.
        plain = re.sub(r" at 0x[0-9a-fA-F]+", "", printed)
        if printed in seen:
            raise SpecError(f"duplicate method {plain}")
        seen.add(printed)
        alike = sum(name.partition(" #")[0] == plain for name in named)
        name = f"{plain} #{alike + 1}" if alike else plain
        if not (hasattr(method, "fit") and hasattr(method, "predict")):
            raise SpecError(
                f"{name} is not an attribution method",
                expected="fit(texts, authors) and predict(texts)",
            )
        named[name] = method
    if not named:
        raise SpecError(
            "no attribution method is given", expected=", ".join(registry.names("attributor"))
        )
    return named


def method_identity(method: Any) -> Any:
    """Return the JSON form of everything that decides the answers of a method. Estimators of other authors have no
    version: they are identified by class and a hash of their parameters, so Raven does not notice a change of their
    code.
    """
    if isinstance(method, Component):
        try:
            return identity(method)
        except SpecError:
            # It holds an estimator that is no component.
            pass
    return {
        "class": f"{type(method).__module__}:{type(method).__qualname__}",
        "hash": _hash(method),
    }


def method_record(name: str, method: Any) -> VerifierRecord:
    """Return the entry of a method in a plan."""
    return VerifierRecord(
        name=name,
        spec=name,
        identity=method_identity(method),
        version=getattr(method, "version", 1),
        provenance=getattr(method, "provenance", None),
        foreign=bool(foreign(method)),
    )


def _hash(method: Any) -> str:
    from pickle import PicklingError

    import joblib
    from joblib.externals.loky.backend.reduction import dumps
    from sklearn.base import clone

    fresh = clone(method)
    try:
        return str(joblib.hash(fresh))
    except (PicklingError, AttributeError, TypeError):
        # A function without a name, say: its code is all there is to go by.
        return hashlib.blake2b(bytes(dumps(fresh)), digest_size=16).hexdigest()


@lru_cache(maxsize=2)
def open_documents(store: Store) -> Chosen:
    """Return the documents of a planned folder, without their ids; kept for repeated calls."""
    plan = store.plan_as(AttributePlan).documents
    rows, author, topic = files.read_array(store.path / "documents.npy")
    return Chosen(
        name=plan.corpus,
        texts=tuple(store.texts.rows(rows)),
        ids=(),
        author=author,
        topic=topic,
        authors=tuple(plan.authors),
        topics=tuple(plan.topics),
        dropped=plan.dropped,
        dropped_authors=plan.dropped_authors,
        account=tuple(plan.account),
    )


@lru_cache(maxsize=2)
def open_splits(store: Store) -> dict[str, ProtocolSplit]:
    """Return the splits of a planned folder by fold."""
    places = files.read_array(store.path / "splits.npy")
    spec = checked(store.run.spec, AttributeSpec)
    every: dict[str, ProtocolSplit] = {}
    for protocol, place in zip(store.plan_as(AttributePlan).protocols, places, strict=True):
        parts = [
            ProtocolSplit(
                split.name,
                np.flatnonzero(place != number),
                np.flatnonzero(place == number),
                tuple(split.unseen),
            )
            for number, split in enumerate(protocol.splits)
        ]
        if spec.equal_counts and protocol.protocol == "novel-topic":
            parts = equal(parts, open_documents(store).author, spec.seed)
        every |= {split.fold: part for split, part in zip(protocol.splits, parts, strict=True)}
    return every


ALL = "all documents"
"""Stands for the fold of a model that all documents teach."""


@dataclass(frozen=True)
class SplitUnit(CellUnit):
    """A method learns from the training part of a split and answers the held-out part."""

    def learn(self, store: Store) -> Any:
        return fit_split(open_documents(store), open_splits(store)[self.cells[0].fold], self.method)

    def answer(self, store: Store, learned: Any, place: CellPlace) -> Filled:
        return {
            "predicted": predict_split(
                open_documents(store), open_splits(store)[place.fold], learned
            )
        }, {}

    def size(self, store: Store, place: CellPlace, filled: Arrays) -> int:
        return len(filled.get("predicted", ()))


@dataclass(frozen=True)
class WeightsUnit(SplitUnit):
    """The weights of a linear method trained on all documents, and their features."""

    def learn(self, store: Store) -> Arrays:
        documents = open_documents(store)
        features, rows = weights(documents, np.arange(len(documents)), self.method)
        return {
            "weights": rows,
            "features": np.frombuffer(json.dumps(features).encode(), dtype=np.uint8),
        }

    def answer(self, store: Store, learned: Any, place: CellPlace) -> Filled:
        return learned, {}

    def digests(self, store: Store, place: CellPlace) -> tuple[str, str]:
        return ALL, ""


@dataclass(frozen=True)
class MovedUnit(SplitUnit):
    """How much the weights of the cell ``base`` change when the topic of a split is held out."""

    base: str = ""

    def learn(self, store: Store) -> Arrays:
        features, rows = read_weights(store, self.base)
        part = open_splits(store)[self.cells[0].fold]
        return {"moved": moved(open_documents(store), part.train, self.method, features, rows)}

    def answer(self, store: Store, learned: Any, place: CellPlace) -> Filled:
        return learned, {}

    def where(self, place: CellPlace) -> str:
        return f"{place.verifier} on weights without {place.fold}: "


def read_weights(store: Store, key: str) -> tuple[list[str], NDArray[np.float64]]:
    """Return features and weights (features, authors) learned from all documents. Raises RuntimeError if they are
    missing."""
    cell = store.read_cell(key)
    if cell is None or cell.error is not None:
        raise RuntimeError("the weights learned from all documents are missing; repeat the run")
    features: list[str] = json.loads(cell.arrays["features"].tobytes())
    return features, cell.arrays["weights"]


@dataclass(frozen=True, eq=False)
class MethodAnswers:
    """The answers of one method under one protocol.

    ``predicted`` (n,) has the author code of each document, −1 where it was not answered or an unknown name was
    given; ``errors`` a message by split: one on which the method failed is left out of its scores, never counted as
    wrong; ``seconds`` (splits,) to learn and answer.
    """

    method: str
    predicted: Ints
    errors: dict[str, str]
    seconds: Floats


@dataclass(frozen=True, eq=False)
class ProtocolAnswers:
    """One protocol: its splits and what every method answered."""

    protocol: str
    splits: tuple[ProtocolSplit, ...]
    methods: tuple[MethodAnswers, ...]


CuesByMethod = tuple[str, tuple[Cue, ...], tuple[Cue, ...]]
"""A method, the features that held-out topics change most, and heavy ones that they change least."""


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
    cues: CuesByMethod | None


def read_answers(store: Store) -> Attributed:
    """Everything (``Attributed``) in the folder of an attribution. Raises StoreError if the folder is damaged."""
    plan = store.plan_as(AttributePlan)
    documents = open_documents(store)
    names = tuple(record.name for record in plan.verifiers)
    protocols = tuple(_protocol(store, record, names, len(documents)) for record in plan.protocols)
    cue_rows = None if plan.cues is None else _cues(store, plan.cues, plan.protocols[0])
    return Attributed(checked(store.run.spec, AttributeSpec), names, documents, protocols, cue_rows)


def _protocol(
    store: Store, record: ProtocolRecord, names: Iterable[str], documents: int
) -> ProtocolAnswers:
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


def _cues(store: Store, record: CuesRecord, novel: ProtocolRecord) -> CuesByMethod | None:
    """None where a cell of it is missing or failed."""
    cells = [store.read_cell(key) for key in record.moved]
    whole = store.read_cell(record.base)
    moves = [cell.arrays["moved"] for cell in cells if cell is not None and cell.error is None]
    if whole is None or whole.error is not None or len(moves) < len(cells):
        return None
    features, weights = read_weights(store, record.base)
    changed, unchanged = cues(
        features, lengths(weights), moves, [split.name for split in novel.splits]
    )
    return record.method, tuple(changed), tuple(unchanged)
