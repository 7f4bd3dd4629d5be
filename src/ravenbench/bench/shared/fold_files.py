"""The folds of a run, one file each; those that were planned or read last are kept in memory."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ravenbench import files
from ravenbench.bench.shared.record import damaged
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Fold, Labels, Problems

Arrays = Mapping[str, NDArray[Any]]

RECENT = 64 * 2**20
"""Bytes of folds that are kept."""
OTHERS, SMALL = 3, 2**20
"""Shared folds kept beside the last one, as long as it has fewer bytes than this."""


class FoldFiles:
    """The folder ``folds`` of a run."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._arrays: dict[str, Arrays] = {}
        self._shared: dict[str, Fold] = {}
        self._held = 0

    def save(self, fold: Fold) -> None:
        """Write a fold."""
        arrays: dict[str, NDArray[Any]] = {}
        for side, problems, same in (("train", fold.train, fold.train_same), ("test", fold.test, fold.test_same)):
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
        files.make_folder(self._folder)
        self._held -= _size(self._arrays.pop(fold.name, {}))
        self._shared.pop(fold.name, None)
        files.write_bytes(self._folder / f"{fold.name}.npz", buffer.getvalue(), sync=False)
        self._keep(fold.name, {part: np.array(array, order="C") for part, array in arrays.items()})

    def own(self, name: str, texts: TextTable, labels: Mapping[str, Labels]) -> Fold:
        """A fold over these texts, whose arrays and labels are the caller's own."""
        own = {part: array.copy() for part, array in self._read(name).items()}
        return _fold(name, own, texts, {c: replace(given, codes=given.codes.copy()) for c, given in labels.items()})

    def shared(self, name: str, texts: TextTable, labels: Mapping[str, Labels]) -> Fold:
        """A fold that others read too, in the same arrays."""
        found = self._shared.get(name)
        if found is None:
            arrays = self._read(name)
            found = _fold(name, arrays, texts, labels)
            others = list(self._shared.items())[-OTHERS:] if _size(arrays) < SMALL else []
            self._shared = {**dict(others), name: found}
        return found

    def truth(self, name: str) -> Bools:
        """Truth of a fold's test problems, (n,)."""
        truth: Bools = (self._arrays.get(name) or self._file(name, ["test_same"]))["test_same"].copy()
        return truth

    def _read(self, name: str) -> Arrays:
        """Arrays of a fold, to be read only."""
        found = self._arrays.pop(name, None)
        if found is None:
            found = self._file(name)
        else:
            self._held -= _size(found)
        return self._keep(name, found)

    def _keep(self, name: str, arrays: Arrays) -> Arrays:
        self._arrays[name] = arrays
        self._held += _size(arrays)
        while len(self._arrays) > 1 and self._held > RECENT:
            self._held -= _size(self._arrays.pop(next(iter(self._arrays))))
        return arrays

    def _file(self, name: str, parts: Iterable[str] | None = None) -> Arrays:
        """Arrays of a fold's file, all unless some are named."""
        path = self._folder / f"{name}.npz"
        try:
            with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
                named = [name.removesuffix(".npy") for name in archive.namelist()] if parts is None else parts
                return {part: files.array_of(archive.read(f"{part}.npy")).copy() for part in named}
        except Exception as error:  # a damaged archive or head fails in a dozen ways
            raise damaged(path, error) from error


def _fold(name: str, arrays: Arrays, texts: TextTable, labels: Mapping[str, Labels]) -> Fold:
    """A fold of these arrays, its training problems labelled, its test problems blind."""

    def side(which: str, **more: Any) -> Problems:
        return Problems(
            texts,
            arrays[f"{which}_ids"],
            arrays[f"{which}_ptr"],
            arrays[f"{which}_known"],
            arrays[f"{which}_questioned"],
            **more,
        )

    train = side("train", calibrate=arrays.get("train_calibrate"), **labels)
    return Fold(name, train, arrays["train_same"], side("test"), arrays["test_same"])


def _size(arrays: Arrays) -> int:
    return sum(array.nbytes for array in arrays.values())
