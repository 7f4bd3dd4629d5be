"""Keeps what a task states of a run (verdicts, likelihood ratios, scores with intervals) in its folder: ``answer.json``.

In: the ``Store`` of a run; a subclass of ``Answer`` says what is stated, and computes it from cells.
Out: an ``Answer``, and the file, which whoever reports the run reads. It is derived: one that is missing, damaged, made
by another version of Raven or of other cells is computed anew, also where it cannot be written. ValueError for a number
that is not finite.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from contextlib import suppress
from functools import cached_property
from typing import Any, ClassVar, Generic, Self, TypeVar

import msgspec
import numpy as np

from ravenbench import __version__
from ravenbench.reports.view import public_head
from ravenbench.shown import Shown
from ravenbench.store import records
from ravenbench.store.store import Store

ANSWER = "answer.json"
P = TypeVar("P", bound=records.Plan)


class Kept(records.Record, frozen=True, kw_only=True):
    """``answer.json``: what is stated, by which version of Raven, and of which cells.

    ``cells`` is a hash of the plan's cells, each with what is wrong with it.
    """

    raven: str
    cells: str
    answer: Any


class Answer(Shown, Generic[P]):
    """What a task states of one run: a frozen dataclass of plain values, without what plan and head say already.

    A subclass names the class of its ``Plan``, and is named by its task (``Task.answer``).
    """

    Plan: ClassVar[type[Any]] = records.Plan
    store: Store

    @classmethod
    @abstractmethod
    def of(cls, store: Store) -> Self:
        """Compute it from the cells, whatever the folder has. Equal stores give equal answers."""

    @classmethod
    def computed(cls, store: Store) -> Self:
        """Compute it, and keep it in the folder and with this store."""
        store.outcomes.clear()
        answer = cls.of(store)
        plain = msgspec.to_builtins(answer, enc_hook=_plain)
        kept = Kept(raven=__version__, cells=_cells(store, cls._planned(store)), answer=plain)
        # What is read again is what was written, to the last digit.
        store.answer = kept, cls._read(store, kept)
        if store.keeps_answer:
            with suppress(OSError):
                records.write_record(store.path / ANSWER, store.kind, kept)
        return store.answer[1]  # type: ignore[no-any-return]

    @classmethod
    def read(cls, store: Store) -> Self:
        """What this store, or its folder, has of it; computed where it is not of the cells as they were last read."""
        now = _cells(store, cls._planned(store))
        if store.answer is not None and store.answer[0].cells == now:
            return store.answer[1]  # type: ignore[no-any-return]
        kept = None
        if store.keeps_answer:
            kept = records.record_or_none(store.path / ANSWER, Kept)
        if kept is not None and (kept.raven, kept.cells) == (__version__, now):
            with suppress(msgspec.ValidationError):
                store.answer = kept, cls._read(store, kept)
                return store.answer[1]  # type: ignore[no-any-return]
        return cls.computed(store)

    @classmethod
    def _planned(cls, store: Store) -> list[str]:
        return [key for _, _, key in store.plan_as(cls.Plan).planned]

    @classmethod
    def _read(cls, store: Store, kept: Kept) -> Self:
        answer = msgspec.convert(kept.answer, cls, dec_hook=_array, str_keys=True)
        answer.__dict__["store"] = store
        return answer

    @cached_property
    def plan(self) -> P:
        """The plan of the run."""
        plan: P = self.store.plan_as(self.Plan)
        return plan

    @cached_property
    def run(self) -> records.Head:
        """What decided the run, its places by their names alone."""
        return public_head(self.store.run)

    @property
    def path(self) -> str:
        """The folder of the run."""
        return str(self.store.path)


def _cells(store: Store, keys: list[str]) -> str:
    outcomes = [(key, store.outcome(key)) for key in keys]
    return records.hash_of("cells", json.dumps(outcomes).encode())


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise NotImplementedError


def _array(shape: Any, value: Any) -> Any:
    """An array of the type that its annotation names (``NDArray[np.float64]``)."""
    dtype = np.dtype(shape.__args__[1].__args__[0])
    return np.asarray(value, dtype=dtype)
