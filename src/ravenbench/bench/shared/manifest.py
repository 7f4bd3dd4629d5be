"""What every plan holds: records of folds, verifiers and cells, and the files behind them, saved in one way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from ravenbench import files
from ravenbench.bench.shared.keys import content_key, decides
from ravenbench.bench.shared.record import CellPlace, FoldRecord, Plan, VerifierRecord
from ravenbench.bench.shared.store import Store
from ravenbench.components import Component, identity, source_hash
from ravenbench.texts import TextTable
from ravenbench.types import Floats, Fold, Labels


def fold_record(fold: Fold) -> FoldRecord:
    """A fold's entry in a plan."""
    digests = {"train_digest": fold.train_digest(), "test_digest": fold.test.digest()}
    told = {**fold.labels, **fold.counts, **digests}
    further = {name: value for name, value in told.items() if name not in FoldRecord.__struct_fields__}
    return msgspec.convert({**told, **({"labels": further} if further else {})}, FoldRecord)


def verifier_record(name: str, component: Component) -> VerifierRecord:
    """A verifier's entry in a plan."""
    return VerifierRecord(
        name=name,
        spec=str(component),
        identity=identity(component),
        version=component.version,
        provenance=getattr(component, "provenance", None),
        source=source_hash(component),
    )


def cell_places(components: Mapping[str, Component], folds: Mapping[str, FoldRecord]) -> list[CellPlace]:
    """A cell for every fold and verifier."""
    decided = {name: decides(component) for name, component in components.items()}
    return [
        CellPlace(key=content_key([found, record.train_digest, record.test_digest]), verifier=name, fold=fold)
        for fold, record in folds.items()
        for name, found in decided.items()
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

    Parameters
    ----------
    folds : sequence of Fold
        Over ``texts``.
    ids : sequence of str, optional
        Of each row of ``texts``; by default the content hash.
    arrays : mapping, optional
        Further arrays by file name without ending.
    """
    begin()
    texts.save(store.path / "texts")
    store.save_labels([texts.hash(i).hex() for i in range(len(texts))] if ids is None else list(ids), labels)
    for name, array in (arrays or {}).items():
        files.write_array(store.path / f"{name}.npy", array)
    for fold in folds:
        store.save_fold(fold)
    store.write_plan(plan)
