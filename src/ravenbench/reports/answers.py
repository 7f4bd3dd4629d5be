"""Keeps the answer of a task on a run (verdicts, likelihood ratios, scores with intervals) in its folder:
``answer.json``.

In: the ``Store`` of a run; a subclass of ``Answer`` says what is stated, and computes it from cells.
Out: an ``Answer``, and its file, which every report of the run reads. It is derived: one that is missing, damaged, made
by another version of Raven or of other cells is computed again, even if it cannot be written. ValueError for a number
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

from ravenbench import __version__, registry
from ravenbench.files import sha256
from ravenbench.metrics.base import Metric
from ravenbench.reports.view import public_head
from ravenbench.shown import Shown
from ravenbench.store import records
from ravenbench.store.store import Store

ANSWER = "answer.json"
P = TypeVar("P", bound=records.Plan)


class AnswerRecord(records.Record, frozen=True, kw_only=True):
    """``answer.json``: the answer, the version of Raven, and a hash of the cells behind it."""

    raven: str
    made_of: str
    answer: Any


class Answer(Shown, Generic[P]):
    """The answer of a task on one run: a frozen dataclass of plain values, without those already in plan and head.

    A subclass names the class of its ``Plan``, and is named by its task (``Task.answer``).
    """

    Plan: ClassVar[type[Any]] = records.Plan
    files: ClassVar[tuple[str, ...]] = ()
    """Files of the folder beside the cells from which it is computed, as patterns."""
    unstated: ClassVar[tuple[str, ...]] = ("seconds",)
    """Entries, at any depth, that a result file leaves out: seconds of this machine, quotations of texts, truth of
    shared problems."""
    store: Store

    @classmethod
    @abstractmethod
    def of(cls, store: Store) -> Self:
        """Compute it from the cells, even if the folder has an answer. Equal stores give equal answers."""

    @classmethod
    def computed(cls, store: Store) -> Self:
        """Compute it, and keep it in the folder and in this store."""
        store.outcomes.clear()
        answer = cls.of(store)
        record = AnswerRecord(raven=__version__, made_of=cls._made_of(store), answer=answer.plain())
        # What is read again is what was written, to the last digit.
        store.answer = record, cls._read(store, record)
        place = store.path / ANSWER
        known = records.record_or_none(place, AnswerRecord)
        if store.keeps_answer and msgspec.json.encode(known) != msgspec.json.encode(record):
            with suppress(OSError):
                records.write_record(place, store.kind, record)
        return store.answer[1]  # type: ignore[no-any-return]

    @classmethod
    def read(cls, store: Store) -> Self:
        """Return it from this store or its folder; compute it if it does not match the cells last read."""
        now = cls._made_of(store)
        if store.answer is not None and store.answer[0].made_of == now:
            return store.answer[1]  # type: ignore[no-any-return]
        place = store.path / ANSWER
        record = records.record_or_none(place, AnswerRecord) if store.keeps_answer else None
        if record is not None and (record.raven, record.made_of) == (__version__, now):
            with suppress(msgspec.ValidationError):
                store.answer = record, cls._read(store, record)
                return store.answer[1]  # type: ignore[no-any-return]
        return cls.computed(store)

    @classmethod
    def _made_of(cls, store: Store) -> str:
        """A hash of the plan, of each cell with what is wrong with it, and of the further files."""
        plan = store.plan_as(cls.Plan)
        cells = [(key, store.outcome(key)) for _, _, key in plan.planned]
        paths = sorted(path for name in cls.files for path in store.path.glob(name))
        beside = [(path.name, sha256(path)) for path in paths]
        made_of = json.dumps([cells, beside]).encode()
        return records.hash_of("answer", msgspec.json.encode(plan) + made_of)

    @classmethod
    def _read(cls, store: Store, record: AnswerRecord) -> Self:
        answer = msgspec.convert(record.answer, cls, dec_hook=_whole, str_keys=True)
        answer.__dict__["store"] = store
        return answer

    def plain(self) -> Any:
        """Return its values as a JSON value, numbers with all their digits."""
        return msgspec.to_builtins(self, enc_hook=_plain, str_keys=True)

    @cached_property
    def plan(self) -> P:
        """The plan of the run."""
        plan: P = self.store.plan_as(self.Plan)
        return plan

    @cached_property
    def run(self) -> records.Head:
        """What decided the run, with names instead of paths."""
        return public_head(self.store.run)

    @property
    def path(self) -> str:
        """The folder of the run."""
        return str(self.store.path)


def _plain(value: Any) -> Any:
    """An array as a list, in which numbers that are not finite are text; a metric as it prints."""
    if isinstance(value, Metric):
        return str(value)
    if np.isrealobj(value) and value.dtype.kind == "f" and not np.isfinite(value).all():
        return value.astype(str).tolist()
    return value.tolist()


def _whole(shape: Any, value: Any) -> Any:
    """What ``_plain`` was given, by its annotation (``NDArray[np.float64]``, ``Metric``)."""
    if isinstance(shape, type) and issubclass(shape, Metric):
        return registry.parse("metric", value)
    dtype = np.dtype(shape.__args__[1].__args__[0])
    return np.asarray(value).astype(dtype)
