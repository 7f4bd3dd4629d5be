"""Reads and writes a run's folder: one folder for each run, one file for each fold and for each cell (the result of a
method on one fold).

In: the path of a run's folder; records, labels, folds and arrays to write.
Out: a ``Store`` with its records (``Head``, ``Plan``), texts, ``Fold`` objects (arrays of row numbers from 0), truth
(n,) bool, True = same author, and ``Cell`` objects: answers (n,) from 0 to 1, 0.5 = unanswered, and raw scores (n,) or
(n, features), no fixed range, both higher = same author, None if it failed. InputError if it is not a finished plan,
StoreError if it is damaged.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path, PurePath
from typing import Any, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from ravenbench import files
from ravenbench.errors import InputError, StoreError
from ravenbench.reading.parquet import check_unpacked
from ravenbench.shown import Shown
from ravenbench.store import records
from ravenbench.texts import TextTable
from ravenbench.types import Arrays, Bools, Floats, Fold, Ints, Labels, Problems

RECENT = 128 * 2**20
"""Bytes of folds that are kept."""
OTHERS = 24
SMALL = 2**20
"""Shared folds kept beside the last one, as long as it has fewer bytes than this."""


def _fold(name: str, arrays: Arrays, texts: TextTable, labels: Mapping[str, Labels]) -> Fold:
    """A fold of these arrays, its training problems labelled, its test problems blind."""

    def side(side_name: str, **extra: Any) -> Problems:
        ids, ptr, known, questioned = (
            arrays[f"{side_name}_{array_name}"]
            for array_name in ("ids", "ptr", "known", "questioned")
        )
        return Problems(texts, ids, ptr, known, questioned, **extra)

    train = side("train", calibrate=arrays.get("train_calibrate"), **labels)
    return Fold(name, train, arrays["train_same"], side("test"), arrays["test_same"])


def _size(arrays: Arrays) -> int:
    return sum(array.nbytes for array in arrays.values())


P = TypeVar("P", bound=records.Plan)

SYNC_ABOVE_SECONDS = 1.0
"""From here on a cell is put on the disk by itself: waiting for the disk costs a hundredth of that."""


@dataclass(frozen=True, eq=False)
class Cell:
    """The results of a method on one fold: its record, and its arrays by name with one row for each problem (none if it
    failed)."""

    record: records.CellRecord
    arrays: Arrays

    @property
    def error(self) -> str | None:
        """The reason why it failed, or None."""
        return self.record.error

    @property
    def answers(self) -> Floats | None:
        """Answers (n,) in [0, 1] to the test problems, None if it failed."""
        return self.arrays.get("answers")

    @property
    def scores(self) -> Floats | None:
        """Raw scores (n,) or (n, features), higher = same author, None if it failed."""
        return self.arrays.get("scores")


class Store(Shown):
    """The folder of a run as records, texts, folds and cells (layout in docs/architecture.md)."""

    _shown_by = "reports.report:report_of"

    def __init__(self, path: Path) -> None:
        self.path = files.location(path)
        self._folds: dict[str, Arrays] = {}
        self._shared: dict[str, Fold] = {}
        self._held = 0
        self.keeps_answer = type(self) is Store
        """Whether what is stated of it may be kept in its folder: not where it was changed in memory."""
        self.outcomes: dict[str, str] = {}
        """By key of the cells that were read: what is wrong, "" where nothing is."""
        self.answer: tuple[Any, Any] | None = None
        """What was last stated of this run (``reports.answers``)."""

    @classmethod
    def open(cls, path: str | Path) -> Store:
        """Open an existing, planned run of any task; InputError if there is none, or its plan was never finished,
        StoreError if it is damaged or another version of Raven wrote it."""
        store = cls(files.location(path))
        if not (store.path / "run.json").is_file():
            raise InputError(
                "not a run folder", file=path, expected="a folder written by a Raven command"
            )
        again = f"repeat raven {store.kind}"
        if not (store.path / "plan.json").is_file():
            raise InputError(
                "this run was interrupted before Raven had planned it", file=path, fix=again
            )
        _ = store.run, store.plan
        for name in store.damaged_files():
            raise records.damaged(store.path / name, "its hash is not the hash in plan.json")
        return store

    @property
    def planned(self) -> bool:
        """Say whether the manifest, written last in planning, exists and all its files are undamaged; OtherFormat if
        another version of Raven wrote it."""
        try:
            return not any(True for _ in self.damaged_files())
        except records.OtherFormat:
            raise
        except (OSError, StoreError):
            return False

    def damaged_files(self) -> Iterator[str]:
        """Return the names of the files of the plan that are missing or changed."""
        for name, sha in self.plan.files.items():
            try:
                path = self._within(name)
                undamaged = path.is_file() and files.sha256(path) == sha
            except OSError:
                undamaged = False
            if not undamaged:
                yield name

    def write_plan(self, plan: records.Plan) -> None:
        """Commit the plan: write the manifest, with the hash of every file written so far, last. When this returns, the
        manifest and all its files are on the disk.
        """
        for folder in (self.path / "folds", self.path / "texts", self.path):
            files.sync_folder(folder)
        inner = sorted(
            path
            for path in self.path.rglob("*")
            if path.is_file() and not path.name.startswith(".")
        )
        names = [path.relative_to(self.path) for path in inner]
        planned = [
            n for n in names if n.parts[0] in ("texts", "folds") or n.suffix in (".npy", ".parquet")
        ]
        hashes = {
            n.as_posix(): files.sha256(self.path / n)
            for n in planned
            if n.parts[0] not in ("cells", "pairs")
        }
        records.write_record(
            self.path / "plan.json", self.kind, msgspec.structs.replace(plan, files=hashes)
        )
        files.sync_folder(self.path)
        self.__dict__.pop("plan", None)

    @cached_property
    def kind(self) -> str:
        """The task to which this folder belongs."""
        return self._open("run.json")[0]

    @cached_property
    def run(self) -> records.Head:
        """Resolved spec, versions, seed, data hashes."""
        return records.decode(self.path / "run.json", self._open("run.json")[1], records.Head)

    @cached_property
    def plan(self) -> records.Plan:
        """The content of every task's manifest."""
        return self.plan_as(records.Plan)

    def plan_as(self, shape: type[P]) -> P:
        """Return the manifest of one task. Raises StoreError if the manifest of the folder has other fields."""
        return records.decode(self.path / "plan.json", self._open("plan.json")[1], shape)

    def expect(self, kind: str) -> None:
        """Raise InputError unless this is a folder of one task."""
        if self.kind != kind:
            raise InputError(
                f"this folder belongs to raven {self.kind}",
                file=self.path,
                expected=f"a folder of raven {kind}",
            )

    @cached_property
    def texts(self) -> TextTable:
        """All texts of the run."""
        return TextTable.open(self.path / "texts")

    @cached_property
    def _documents(self) -> Any:
        import polars as pl

        files.check_not_forked()
        check_unpacked(self.path / "documents.parquet")
        return pl.read_parquet((self.path / "documents.parquet").read_bytes())

    @property
    def ids(self) -> list[str]:
        """Id of each row of ``texts``."""
        return list(self._documents["id"].to_list())

    @cached_property
    def labels(self) -> dict[str, Labels]:
        """Author and topic of each row of ``texts``, if known."""
        columns = ("author", "topic", "language")
        return {
            column: Labels.of(self._documents[column].to_list())
            for column in columns
            if column in self._documents.columns
        }

    @cached_property
    def splits(self) -> dict[str, Labels]:
        """By name of a split, the part of each row of ``texts``."""
        columns = [column for column in self._documents.columns if column.startswith("split ")]
        return {
            column.removeprefix("split "): Labels.of(self._documents[column].to_list())
            for column in columns
        }

    def similarity(self) -> Floats:
        """Cosine similarities of all topics, (T, T)."""
        similarity: Floats = self._array(self.path / "similarity.npy")
        return similarity

    def similarity2(self) -> Floats | None:
        """Cosine similarities (T, T) by a second encoder, if topics were extracted; otherwise None."""
        path = self.path / "similarity2.npy"
        return self._array(path) if path.is_file() else None

    def save_labels(self, ids: list[str], labels: Mapping[str, Labels | None]) -> None:
        """Write ``documents.parquet``; row i describes row i of ``texts``."""
        import polars as pl

        files.check_not_forked()
        columns = {
            k: pl.Series(list(labels_of_column), dtype=pl.String)
            for k, labels_of_column in labels.items()
            if labels_of_column is not None
        }
        buffer = io.BytesIO()
        pl.DataFrame({"id": pl.Series(ids, dtype=pl.String), **columns}).write_parquet(buffer)
        files.write_bytes(self.path / "documents.parquet", buffer.getvalue())

    def save_fold(self, fold: Fold) -> None:
        """Write a fold whose problems use the texts of this store."""
        arrays: dict[str, NDArray[Any]] = {}
        for side, problems, same in fold.sides:
            arrays |= {
                f"{side}_ids": np.asarray(problems.ids.tolist(), dtype=np.str_),
                f"{side}_ptr": problems.known_ptr,
                f"{side}_known": problems.known_index,
                f"{side}_questioned": problems.questioned_index,
                f"{side}_same": same,
            }
        if fold.train.calibrate is not None:
            arrays["train_calibrate"] = fold.train.calibrate
        buffer = io.BytesIO()
        np.savez(buffer, allow_pickle=False, **arrays)  # type: ignore[arg-type]
        files.make_folder(self.path / "folds")
        self._held -= _size(self._folds.pop(fold.name, {}))
        self._shared.pop(fold.name, None)
        files.write_bytes(self.path / "folds" / f"{fold.name}.npz", buffer.getvalue(), sync=False)
        self._keep_fold(
            fold.name,
            {array_name: np.array(array, order="C") for array_name, array in arrays.items()},
        )

    def fold(self, name: str) -> Fold:
        """Return a fold with labelled training problems and blind test problems; the caller may change its arrays."""
        arrays = {array_name: array.copy() for array_name, array in self._read_fold(name).items()}
        labels = {
            column: replace(labels, codes=labels.codes.copy())
            for column, labels in self.labels.items()
        }
        return _fold(name, arrays, self.texts, labels)

    def shared_fold(self, name: str) -> Fold:
        """Return the same fold for reading only; its parts are made once for all methods of a fold."""
        if name not in self._shared:
            arrays = self._read_fold(name)
            shared_before = list(self._shared.items())[-OTHERS:] if _size(arrays) < SMALL else []
            self._shared = {
                **dict(shared_before),
                name: _fold(name, arrays, self.texts, self.labels),
            }
        return self._shared[name]

    def truth(self, name: str) -> Bools:
        """Return the truth of the test problems of a fold, (n,) bool, True = same author."""
        truth: Bools = (self._folds.get(name) or self._fold_file(name, ["test_same"]))[
            "test_same"
        ].copy()
        return truth

    def _read_fold(self, name: str) -> Arrays:
        """Arrays of a fold, to be read only; of those that were planned or read last some stay in memory."""
        arrays = self._folds.pop(name, {})
        self._held -= _size(arrays)
        return self._keep_fold(name, arrays or self._fold_file(name))

    def _keep_fold(self, name: str, arrays: Arrays) -> Arrays:
        self._folds[name] = arrays
        self._held += _size(arrays)
        while len(self._folds) > 1 and self._held > RECENT:
            self._held -= _size(self._folds.pop(next(iter(self._folds))))
        return arrays

    def _fold_file(self, name: str, array_names: Iterable[str] | None = None) -> Arrays:
        """Arrays of a fold's file, all unless some are named."""
        path = self._within(f"folds/{name}.npz")
        try:
            with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
                named = (
                    [name.removesuffix(".npy") for name in archive.namelist()]
                    if array_names is None
                    else array_names
                )
                return {
                    array_name: files.array_of(archive.read(f"{array_name}.npy")).copy()
                    for array_name in named
                }
        except Exception as error:  # a damaged archive or head fails in a dozen ways
            raise records.damaged(path, error) from error

    def documents(self, folds: Iterable[str]) -> Ints:
        """Return the rows of ``texts`` that these folds use for training or testing, each once, in order."""
        sides = [
            side.documents
            for fold in map(self.shared_fold, folds)
            for side in (fold.train, fold.test)
        ]
        return np.unique(np.concatenate(sides))

    def cell_path(self, key: str) -> Path:
        """Return the file of a cell."""
        return self._within(f"cells/{key}.cell")

    def _within(self, name: str) -> Path:
        """A file of the folder. StoreError where a name that the plan gives leads out of it."""
        if ".." in PurePath(name).parts or (self.path / name).parts[: len(self.path.parts)] != (
            self.path.parts
        ):
            raise StoreError(f"{self.path}: the plan names a file outside its folder: {name}")
        return self.path / name

    def write_cell(self, record: records.CellRecord, arrays: Arrays) -> None:
        """Commit a cell: its file exists only when it is complete.

        A cell that was expensive to compute is on the disk when this returns. Cheap ones are written, so that a killed
        process loses nothing, and all synced together before the run says that it is done (``sync``).
        """
        path = self.cell_path(record.key)
        expensive = record.seconds.fit + record.seconds.score > SYNC_ABOVE_SECONDS
        try:
            records.write_packed(path, self.kind, record, arrays, sync=expensive)
        except (FileNotFoundError, NotADirectoryError):  # the first cell
            files.make_folder(path.parent)
            records.write_packed(path, self.kind, record, arrays, sync=expensive)

    def read_cell(self, key: str) -> Cell | None:
        """Return a committed cell, or None if it is missing or damaged (it is then computed again)."""
        cell = self._cell(key)
        error = "missing or damaged" if cell is None else cell.error
        self.outcomes[key] = error.splitlines()[0] if error else ""
        return cell

    def _cell(self, key: str) -> Cell | None:
        cell = records.packed_or_none(self.cell_path(key), records.CellRecord)
        return Cell(*cell) if cell is not None and cell[0].key == key else None

    def outcome(self, key: str) -> str:
        """Return what is wrong with a cell, as last read; "" if it has a result."""
        if key not in self.outcomes:
            self.read_cell(key)
        return self.outcomes[key]

    def unanswered(self, cells: Iterable[Any] | None = None) -> list[Any]:
        """Return the cells (of the plan, unless given; any objects with a ``key``) that are missing, damaged or failed."""
        wanted = list(self.plan.cells if cells is None else cells)
        if not files.is_remote(self.path) and not (self.path / "cells").is_dir():
            return wanted
        return [
            wanted_cell
            for wanted_cell in wanted
            if (cell := self.read_cell(wanted_cell.key)) is None or cell.error is not None
        ]

    @cached_property
    def keys(self) -> dict[tuple[str, str], str]:
        """Key of the cell of each (verifier, fold)."""
        return {(cell.verifier, cell.fold): cell.key for cell in self.plan.cells}

    def cell(self, verifier: str, fold: str) -> Cell | None:
        """Return the cell of a verifier on a fold, None if it does not exist yet."""
        key = self.keys.get((verifier, fold))
        return None if key is None else self.read_cell(key)

    def answers(self, verifier: str, fold: str) -> Floats | None:
        """Return the answers (n,), 0 to 1, of a verifier to the test problems of a fold, None without answers."""
        return None if (cell := self.cell(verifier, fold)) is None else cell.answers

    def _open(self, name: str) -> tuple[str, bytes]:
        try:
            return records.open_record(self.path / name)
        except OSError as error:
            raise records.damaged(self.path / name, error) from error

    def _array(self, path: Path) -> Any:
        try:
            return files.read_array(path)
        except (OSError, ValueError, EOFError) as error:
            raise records.damaged(path, error) from error


_opened_stores: dict[Path, tuple[object, Store]] = {}
"""The two runs worked on last, and what marked their plans then."""


def open_store(path: Path) -> Store:
    """Return the folder of a run, which a worker keeps open for several units as long as the plan stays the same."""
    # A worker can outlive a folder: what lies at the path now may be another run.
    mark, store = _opened_stores.get(path, (None, None))
    return (
        store
        if store is not None and mark == _plan_mark(path / "plan.json")
        else keep_open(Store(path))
    )


def keep_open(store: Store) -> Store:
    """Make ``open_store`` return this store, which has the folds that were planned or read here."""
    _opened_stores.pop(store.path, None)
    for path in list(_opened_stores)[:-1]:
        _opened_stores.pop(path, None)
    _opened_stores[store.path] = _plan_mark(store.path / "plan.json"), store
    return store


def _plan_mark(plan: Path) -> tuple[object, ...]:
    """What tells a plan from another that was written in its place, found without reading it."""
    if files.is_remote(plan):
        level: Any = plan
        level.fs.invalidate_cache(level.parent.path)
        return (level.fs.ukey(level.path),)
    stat = plan.stat()
    return stat.st_ino, stat.st_size, stat.st_mtime_ns
