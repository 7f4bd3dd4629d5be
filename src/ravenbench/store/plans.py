"""What a plan holds: records of folds, verifiers and cells, their keys, and the files behind them.

A cell's key, its address, is a hash of everything that decides its answers (contract 3).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import msgspec
import numpy as np

from ravenbench import files
from ravenbench.components import Component, foreign, identity, source_hash
from ravenbench.store.records import CellPlace, FoldRecord, Plan, VerifierRecord
from ravenbench.store.store import Store
from ravenbench.texts import TextTable
from ravenbench.types import Floats, Fold, Ints, Labels, Problems
from ravenbench.verifiers.contract.base import Calibrated, Scorer


def cell_key(verifier: Component, train_digest: str, test_digest: str) -> str:
    """Key of one method on one train set and one test set. Seeds are parameters of what draws."""
    return content_key([decides(verifier), train_digest, test_digest])


def decides(method: Component) -> list[Any]:
    """JSON form of all that decides a method's answers: its identity, and how its scorers are calibrated by default."""
    calibrators = []
    for scorer in _scorers(method):
        calibrator = identity(scorer.default_calibrator())
        # One that is calibrated on other fits than its own also depends on how; a fold-free scorer needs no other fit.
        calibrators.append(calibrator if scorer.fold_free else {**calibrator, "apart": Calibrated.version})
    return [identity(method), calibrators]


def _scorers(part: Any) -> Iterator[Scorer]:
    if isinstance(part, Scorer):
        yield part
    if isinstance(part, Component):
        part = list(part.get_params(deep=False).values())
    if isinstance(part, list | tuple):
        for inner in part:
            yield from _scorers(inner)


def content_key(value: Any) -> str:
    """Key of a JSON value that holds all that decides a result."""
    return hashlib.blake2b(json.dumps(value, sort_keys=True).encode(), digest_size=12).hexdigest()


def on_one_table(sets: Sequence[Problems], base: TextTable | None = None) -> tuple[TextTable, list[Problems]]:
    """Several sets of problems over one table that holds the documents of all.

    The texts of ``base`` come first, in their order: problems over it keep their rows.
    """
    used = [problems.documents for problems in sets]
    blocks = (problems.texts.blocks(rows) for problems, rows in zip(sets, used, strict=True))
    first = () if base is None else base.blocks(range(len(base)))
    texts, place = TextTable.of_blocks(chain(first, chain.from_iterable(blocks)))
    ends = np.cumsum([0 if base is None else len(base), *map(len, used)])
    parts = zip(sets, used, ends[:-1], ends[1:], strict=True)
    return texts, [_moved(p, texts, rows, place[start:stop]) for p, rows, start, stop in parts]


def _moved(problems: Problems, texts: TextTable, used: Ints, rows: Ints) -> Problems:
    """The same problems over another table, whose ``rows`` hold the documents ``used``."""
    place: Ints = np.full(len(problems.texts), -1, dtype=np.int64)
    place[used] = rows
    first: Ints = np.full(len(texts), -1, dtype=np.int64)
    first[rows] = used

    def labels(old: Labels | None) -> Any:
        return None if old is None else Labels(np.where(first >= 0, old.codes[first], -1), old.names)

    moved = {column: labels(getattr(problems, column)) for column in ("author", "topic", "language")}
    known, questioned = place[problems.known_index], place[problems.questioned_index]
    return replace(problems, texts=texts, known_index=known, questioned_index=questioned, **moved)


def fold_record(fold: Fold) -> FoldRecord:
    """A fold's entry in a plan."""
    digests = {"train_digest": fold.train_digest(), "test_digest": fold.test.digest()}
    fields: dict[str, Any] = {**fold.labels, **fold.counts, **digests}
    if further := {name: value for name, value in fields.items() if name not in FoldRecord.__struct_fields__}:
        fields["labels"] = further
    return msgspec.convert(fields, FoldRecord)


def verifier_record(name: str, component: Component) -> VerifierRecord:
    """A verifier's entry in a plan."""
    return VerifierRecord(
        name=name,
        spec=str(component),
        identity=identity(component),
        version=component.version,
        provenance=getattr(component, "provenance", None),
        source=source_hash(component),
        foreign=bool(foreign(component)),
    )


def cell_places(components: Mapping[str, Component], folds: Mapping[str, FoldRecord]) -> list[CellPlace]:
    """A cell for every fold and verifier."""
    decided = {name: decides(component) for name, component in components.items()}
    return [
        CellPlace(key=content_key([decisive, record.train_digest, record.test_digest]), verifier=name, fold=fold)
        for fold, record in folds.items()
        for name, decisive in decided.items()
    ]


def save_plan(
    store: Store,
    begin: Callable[[], None],
    plan: Plan,
    folds: Sequence[Fold],
    texts: TextTable,
    labels: Mapping[str, Labels | None],
    ids: Sequence[str] | None = None,
    arrays: Mapping[str, Floats] | None = None,
) -> None:
    """Write a whole plan: ``run.json`` (``begin``), texts, labels, arrays, folds, and the manifest last.

    ``folds`` lie over ``texts``, whose rows have these ``ids`` (by default content hashes); ``arrays`` has further ones
    by file name without ending.
    """
    begin()
    texts.save(store.path / "texts")
    store.save_labels([texts.hash(i).hex() for i in range(len(texts))] if ids is None else list(ids), labels)
    for name, array in (arrays or {}).items():
        files.write_array(store.path / f"{name}.npy", array)
    for fold in folds:
        store.save_fold(fold)
    store.write_plan(plan)
