"""The store: one folder a run, each cell committed by its ``cell.json`` (contract 13)."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ravenbench import files
from ravenbench.errors import InputError, StoreError
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Floats, Fold, Ints, Labels, Problems


@dataclass(frozen=True, eq=False)
class Cell:
    """One method's answers on one fold; arrays are None where the cell failed."""

    info: Mapping[str, Any]
    scores: Floats | None
    answers: Floats | None

    @property
    def error(self) -> str | None:
        """Why it failed, or None."""
        return self.info["error"]  # type: ignore[no-any-return]


class Store:
    """A run's folder (layout in docs/architecture.md)."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def open(cls, path: str | Path) -> Store:
        """An existing, planned run.

        Raises
        ------
        InputError
            If the folder is no run, or its plan was never finished.
        """
        store = cls(files.location(path))
        if not (store.path / "run.json").is_file():
            raise InputError("not a run folder", file=path, expected="a folder written by raven run")
        if not store.planned:
            raise InputError("this run was interrupted before it was planned", file=path, fix="repeat raven run")
        return store

    @property
    def planned(self) -> bool:
        """Whether the manifest, written last in planning, is there and every file it names is whole."""
        try:
            return all(files.sha256(self.path / name) == sha for name, sha in self.plan["files"].items())
        except (OSError, KeyError, StoreError):
            return False

    def write_plan(self, plan: Mapping[str, Any]) -> None:
        """Commit the planning: the manifest, with the hash of every file written so far, goes last."""
        inner = sorted(p for p in self.path.rglob("*") if p.is_file() and not p.name.startswith("."))
        names = [p.relative_to(self.path) for p in inner]
        planned = [n for n in names if n.parts[0] in ("texts", "folds") or n.suffix in (".npy", ".parquet")]
        hashes = {n.as_posix(): files.sha256(self.path / n) for n in planned if n.parts[0] not in ("cells", "pairs")}
        files.write_json(self.path / "plan.json", {**plan, "files": hashes})
        self.__dict__.pop("plan", None)

    @cached_property
    def run(self) -> dict[str, Any]:
        """Resolved spec, versions, seeds, data hashes."""
        return self._json("run.json")

    @cached_property
    def plan(self) -> dict[str, Any]:
        """The manifest."""
        return self._json("plan.json")

    @cached_property
    def texts(self) -> TextTable:
        """All texts of the run."""
        return TextTable.open(self.path / "texts")

    @cached_property
    def labels(self) -> dict[str, Labels]:
        """Author and topic of each row of ``texts``, where known."""
        import polars as pl

        frame = pl.read_parquet((self.path / "documents.parquet").read_bytes())
        columns = ("author", "topic", "language")
        return {c: Labels.of(frame[c].to_list()) for c in columns if c in frame.columns}

    def similarity(self) -> Floats:
        """Cosine similarities of all topics, (T, T)."""
        similarity: Floats = self._array(self.path / "similarity.npy")
        return similarity

    def similarity2(self) -> Floats | None:
        """The same in a second encoder, where topics were extracted."""
        path = self.path / "similarity2.npy"
        return self._array(path) if path.is_file() else None

    def save_labels(self, ids: list[str], labels: Mapping[str, Labels | None]) -> None:
        """Write ``documents.parquet``; row i describes row i of ``texts``."""
        import polars as pl

        columns = {k: pl.Series(list(v), dtype=pl.String) for k, v in labels.items() if v is not None}
        buffer = io.BytesIO()
        pl.DataFrame({"id": pl.Series(ids, dtype=pl.String), **columns}).write_parquet(buffer)
        files.write_bytes(self.path / "documents.parquet", buffer.getvalue())

    def save_fold(self, fold: Fold) -> None:
        """Write a fold whose problems lie over this store's texts."""
        arrays: dict[str, NDArray[Any]] = {}
        for side, problems, same in (("train", fold.train, fold.train_same), ("test", fold.test, fold.test_same)):
            arrays |= {
                f"{side}_ids": problems.ids,
                f"{side}_ptr": problems.known_ptr,
                f"{side}_known": problems.known_index,
                f"{side}_questioned": problems.questioned_index,
                f"{side}_same": same,
            }
        if fold.train.calibrate is not None:
            arrays["train_calibrate"] = fold.train.calibrate
        buffer = io.BytesIO()
        np.savez(buffer, allow_pickle=False, **arrays)  # type: ignore[arg-type]
        (self.path / "folds").mkdir(exist_ok=True)
        files.write_bytes(self.path / "folds" / f"{fold.name}.npz", buffer.getvalue())

    def fold(self, name: str) -> Fold:
        """A fold, its training problems labelled, its test problems blind."""
        arrays = self._fold_arrays(name)

        def side(which: str, **labels: Any) -> Problems:
            return Problems(
                self.texts,
                arrays[f"{which}_ids"],
                arrays[f"{which}_ptr"],
                arrays[f"{which}_known"],
                arrays[f"{which}_questioned"],
                **labels,
            )

        train = side("train", calibrate=arrays.get("train_calibrate"), **self.labels)
        info = self.plan["folds"][name]
        place = {k: info[k] for k in ("setup", "pool", "fold") if k in info}
        return Fold(name, train, arrays["train_same"], side("test"), arrays["test_same"], place, info)

    def truth(self, name: str) -> Bools:
        """Truth of a fold's test problems, (n,)."""
        return self._fold_arrays(name)["test_same"]

    def cell_path(self, key: str) -> Path:
        """Folder of a cell."""
        return self.path / "cells" / key

    def write_cell(self, key: str, info: Mapping[str, Any], scores: Floats | None, answers: Floats | None) -> None:
        """Commit a cell: arrays first, ``cell.json`` last."""
        folder = self.cell_path(key)
        folder.mkdir(parents=True, exist_ok=True)
        hashes: dict[str, str | None] = {"scores_sha256": None, "answers_sha256": None}
        if scores is not None and answers is not None:
            hashes["scores_sha256"] = files.write_array(folder / "scores.npy", scores)
            hashes["answers_sha256"] = files.write_array(folder / "answers.npy", answers)
        files.write_json(folder / "cell.json", {"key": key, **info, **hashes})

    def read_cell(self, key: str) -> Cell | None:
        """A committed cell, or None where it is missing or damaged (it is then computed again)."""
        folder = self.cell_path(key)
        try:
            info = json.loads((folder / "cell.json").read_text("utf-8"))
            if info["key"] != key:
                return None
            if info["error"] is not None:
                return Cell(info, None, None)
            scores = checked_array(folder / "scores.npy", info["scores_sha256"])
            answers = checked_array(folder / "answers.npy", info["answers_sha256"])
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return Cell(info, scores, answers)

    @cached_property
    def _keys(self) -> dict[tuple[str, str], str]:
        return {(c["verifier"], c["fold"]): c["key"] for c in self.plan["cells"]}

    def cell(self, verifier: str, fold: str) -> Cell | None:
        """A verifier's cell on a fold, None where it is not there yet."""
        key = self._keys.get((verifier, fold))
        return None if key is None else self.read_cell(key)

    def _json(self, name: str) -> dict[str, Any]:
        try:
            value = json.loads((self.path / name).read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise StoreError(
                f"{self.path / name}: cannot be read ({error}); remove the run folder to start over"
            ) from error
        if not isinstance(value, dict):
            raise damaged(self.path / name, "not a JSON object")
        return value

    def _array(self, path: Path) -> Any:
        try:
            return files.read_array(path)
        except (OSError, ValueError, EOFError) as error:
            raise damaged(path, error) from error

    def _fold_arrays(self, name: str) -> dict[str, NDArray[Any]]:
        path = self.path / "folds" / f"{name}.npz"
        try:
            with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as archive:
                return dict(archive)
        except (OSError, ValueError, EOFError) as error:
            raise damaged(path, error) from error


def damaged(path: Path, reason: object) -> StoreError:
    """The error for a file of a run that cannot be read."""
    return StoreError(
        f"{path}: cannot be read ({reason})\n  fix: repeat the command that made this run; it mends its folder"
    )


def checked_array(path: Path, sha256: str) -> Floats:
    """An array whose file has this hash.

    Raises
    ------
    ValueError
        If the file holds something else.
    """
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != sha256:
        raise ValueError(f"{path} is damaged")
    array: Floats = np.load(io.BytesIO(data), allow_pickle=False)
    return array


def rebase(problems: Problems, texts: TextTable) -> Problems:
    """The same problems over another table that holds all their texts."""
    row = {texts.hash(i): i for i in range(len(texts))}
    used = problems.documents
    place: Ints = np.full(len(problems.texts), -1, dtype=np.int64)
    place[used] = [row[problems.texts.hash(i)] for i in used]
    first: Ints = np.full(len(texts), -1, dtype=np.int64)
    first[place[used]] = used

    def moved(labels: Labels | None) -> Labels | None:
        if labels is None:
            return None
        codes = np.where(first >= 0, labels.codes[first], -1)
        return Labels(codes, labels.names)

    return replace(
        problems,
        texts=texts,
        known_index=place[problems.known_index],
        questioned_index=place[problems.questioned_index],
        author=moved(problems.author),
        topic=moved(problems.topic),
        language=moved(problems.language),
    )
