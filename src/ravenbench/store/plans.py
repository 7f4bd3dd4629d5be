"""Makes the content of a plan: records of folds, verifiers and cells (one method's result on one fold), their keys and
files.

In: verifiers (``Component``) by name, ``Fold`` objects, a ``TextTable``, labels of its rows and arrays by file name.
Out: ``FoldRecord``, ``VerifierRecord`` and ``CellPlace`` records; keys (text, 24 hexadecimal digits); JSON values
(``decides``); one table and the problems over it (``on_one_table``); ``save_plan`` writes all into a ``Store`` and
returns nothing.

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
from ravenbench.components import Component, foreign, identity, parts, source_hash
from ravenbench.store.records import CellPlace, FoldRecord, Plan, VerifierRecord
from ravenbench.store.store import Store
from ravenbench.texts import TextTable
from ravenbench.types import Floats, Fold, Ints, Labels, Problems
from ravenbench.verifiers.contract.base import Calibrated, Scorer


def cell_key(verifier: Component, train_digest: str, test_digest: str) -> str:
    """Key, 24 hexadecimal digits, of one method on one train set and one test set. Seeds are parameters of the methods
    that draw."""
    return content_key([decides(verifier), train_digest, test_digest])


def decides(method: Component) -> list[Any]:
    """Return the JSON form of everything that decides the answers of a method: its identity, and the default
    calibration of its scorers."""
    calibrators = []
    for scorer in _scorers(method):
        calibrator = identity(scorer.default_calibrator())
        # One that is calibrated on other fits than its own also depends on how; a fold-free scorer needs no other fit.
        calibrators.append(
            calibrator if scorer.fold_free else {**calibrator, "apart": Calibrated.version}
        )
    return [identity(method), calibrators]


def _scorers(component: Any) -> Iterator[Scorer]:
    if isinstance(component, Scorer):
        yield component
    if isinstance(component, Component):
        component = list(component.get_params(deep=False).values())
    if isinstance(component, list | tuple):
        for inner in component:
            yield from _scorers(inner)


def content_key(value: Any) -> str:
    """Return the key of a JSON value with everything that decides a result."""
    return hashlib.blake2b(json.dumps(value, sort_keys=True).encode(), digest_size=12).hexdigest()


def on_one_table(
    sets: Sequence[Problems], base: TextTable | None = None
) -> tuple[TextTable, list[Problems]]:
    """Return several sets of problems over one table with the documents of all.

    The texts of ``base`` come first, in their order: problems over it keep their rows.
    """
    cited_rows = [problems.documents for problems in sets]
    blocks = (problems.texts.blocks(rows) for problems, rows in zip(sets, cited_rows, strict=True))
    base_blocks = () if base is None else base.blocks(range(len(base)))
    texts, new_rows = TextTable.of_blocks(chain(base_blocks, chain.from_iterable(blocks)))
    ends = np.cumsum([0 if base is None else len(base), *map(len, cited_rows)])
    slices = zip(sets, cited_rows, ends[:-1], ends[1:], strict=True)
    return texts, [
        _with_new_rows(problems, texts, rows, new_rows[start:stop])
        for problems, rows, start, stop in slices
    ]


def _with_new_rows(problems: Problems, texts: TextTable, cited_rows: Ints, rows: Ints) -> Problems:
    """The same problems over another table, whose ``rows`` are the documents ``used``."""
    new_row_of: Ints = np.full(len(problems.texts), -1, dtype=np.int64)
    new_row_of[cited_rows] = rows
    first_row: Ints = np.full(len(texts), -1, dtype=np.int64)
    first_row[rows] = cited_rows

    def labels(old: Labels | None) -> Any:
        return (
            None
            if old is None
            else Labels(np.where(first_row >= 0, old.codes[first_row], -1), old.names)
        )

    moved = {
        column: labels(getattr(problems, column)) for column in ("author", "topic", "language")
    }
    known = new_row_of[problems.known_index]
    questioned = new_row_of[problems.questioned_index]
    return replace(problems, texts=texts, known_index=known, questioned_index=questioned, **moved)


def fold_record(fold: Fold) -> FoldRecord:
    """Return the entry of a fold in a plan."""
    digests = {"train_digest": fold.train_digest(), "test_digest": fold.test.digest()}
    fields: dict[str, Any] = {**fold.labels, **fold.counts, **digests}
    if further := {
        name: value for name, value in fields.items() if name not in FoldRecord.__struct_fields__
    }:
        fields["labels"] = further
    return msgspec.convert(fields, FoldRecord)


def verifier_record(name: str, component: Component) -> VerifierRecord:
    """Return the entry of a verifier in a plan."""
    return VerifierRecord(
        name=name,
        spec=str(component),
        identity=identity(component),
        version=component.version,
        provenance=getattr(component, "provenance", None),
        source=source_hash(component),
        foreign=bool(foreign(component)),
        reads_grammar=any(part.reads_grammar for part in parts(component)) or msgspec.UNSET,
    )


def cell_places(
    components: Mapping[str, Component], folds: Mapping[str, FoldRecord]
) -> list[CellPlace]:
    """Return a cell for every fold and verifier."""
    decided = {name: decides(component) for name, component in components.items()}
    return [
        CellPlace(
            key=content_key([decisive, record.train_digest, record.test_digest]),
            verifier=name,
            fold=fold,
        )
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
    """Write a complete plan: ``run.json`` (``begin``), texts, labels, arrays, folds, and the manifest last.

    ``folds`` use the rows of ``texts``, which have these ``ids`` (by default content hashes); ``arrays`` has further
    ones by file name without ending.
    """
    begin()
    texts.save(store.path / "texts")
    store.save_labels(
        [texts.hash(i).hex() for i in range(len(texts))] if ids is None else list(ids), labels
    )
    for name, array in (arrays or {}).items():
        files.write_array(store.path / f"{name}.npy", array)
    for fold in folds:
        store.save_fold(fold)
    store.write_plan(plan)
