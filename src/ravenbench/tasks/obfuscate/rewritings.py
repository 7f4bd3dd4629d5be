"""Keeps rewritings as results: stored by obfuscator, seed and hashes of the texts, so that none is made again (contract
9).

In: a folder, an obfuscator, a seed, ``ObfuscationTask`` objects, and an engine that does units of work.
Out: one ``Stored`` a task, in their order (a ``Rewriting`` or None and an error; seconds), read from or written to the
files below; ``read_rewriting`` one, None where missing or damaged; ``rewriting_key`` and ``keys_of`` keys (text),
``kept_at`` a path. InputError if the obfuscator cannot be used, or another folder is asked for.

FOLDER/KEY.json     one rewriting (``RewritingRecord``): its parts, notes, counts of operations, seconds; or its error
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ravenbench import files
from ravenbench.components import identity
from ravenbench.engine.guard import isolated, tell
from ravenbench.engine.pool import Engine, Progress, run_units
from ravenbench.errors import InputError
from ravenbench.obfuscation.base import ObfuscationTask, Obfuscator, Rewriting
from ravenbench.reading.pan_obfuscation import Part
from ravenbench.store.plans import content_key
from ravenbench.store.records import Plan, Record, record_or_none, write_record
from ravenbench.text.nltk_data import missing
from ravenbench.texts import content_hash

RESOURCES = ("wordnet", "brown", "averaged_perceptron_tagger_eng")
BLOCK = 4
"""Texts of one unit of work."""


class RewritingRecord(Record, frozen=True, kw_only=True):
    """``rewritings/KEY.json``: one text rewritten by one obfuscator with one seed.

    ``counts`` are counts of operations by name. If the obfuscator failed on this text, ``parts`` is None and ``error``
    says why.
    """

    key: str
    id: str
    obfuscator: str
    seed: int
    parts: tuple[Part, ...] | None
    notes: tuple[str, ...]
    counts: dict[str, int]
    seconds: float
    error: str | None


class TextRecord(Record, frozen=True, kw_only=True):
    """A text to be rewritten: its name (or its problem's id), its count of words, and its rewriting's key."""

    id: str
    words: int
    key: str


class ObfuscatePlan(Plan, frozen=True, kw_only=True):
    """The manifest of ``raven obfuscate``: the obfuscator, and every text with the key of its rewriting.

    ``rewritings`` is the folder of the rewritings; its path is relative if it is inside the run's folder.
    """

    obfuscator: str
    identity: Any
    version: int
    provenance: str
    sends_text: bool
    source: str
    language: str | None
    texts: list[TextRecord]
    rewritings: str


@dataclass(frozen=True)
class Stored:
    """A stored rewriting and the seconds it took; ``rewriting`` is None if the obfuscator failed on this text."""

    key: str
    id: str
    rewriting: Rewriting | None
    seconds: float
    error: str | None


@dataclass(frozen=True)
class RewriteUnit:
    """A few texts for one fitted obfuscator, or all for one that rewrites them at once."""

    folder: Path
    obfuscator: Obfuscator
    seed: int
    tasks: tuple[ObfuscationTask, ...]

    def work(self) -> list[str]:
        """Rewrite and commit each; an error is kept in the place of the rewriting."""
        return self._commit(self._rewritten_tasks())

    def lost(self, reason: str) -> list[str]:
        """Keep this reason in the place of every rewriting."""
        return self._commit((task, reason, 0.0) for task in self.tasks)

    def _commit(self, every: Iterable[tuple[ObfuscationTask, Rewriting | str, float]]) -> list[str]:
        errors = []
        for task, done, seconds in every:
            rewriting, wrong = (None, done) if isinstance(done, str) else (done, None)
            if wrong is not None:
                errors.append(f"{self.obfuscator} on {task.id}: {wrong.splitlines()[0]}")
            key = rewriting_key(self.obfuscator, self.seed, task)
            record = RewritingRecord(
                key=key,
                id=task.id,
                obfuscator=str(self.obfuscator),
                seed=self.seed,
                parts=None if rewriting is None else rewriting.parts,
                notes=() if rewriting is None else tuple(rewriting.notes),
                counts={} if rewriting is None else dict(rewriting.counts),
                seconds=seconds,
                error=wrong,
            )
            write_record(self.folder / f"{key}.json", "obfuscate", record)
        return errors

    def _rewritten_tasks(self) -> Iterator[tuple[ObfuscationTask, Rewriting | str, float]]:
        """Each task with its rewriting, or with what went wrong, and the seconds it took."""
        if self.obfuscator.whole_batch:
            began = time.perf_counter()
            try:
                with isolated():
                    every: list[Rewriting | str] = [
                        *self.obfuscator.obfuscate_all(self.tasks, self.seed)
                    ]
            except Exception as error:
                every = [tell(error)] * len(self.tasks)
            share = (time.perf_counter() - began) / max(1, len(self.tasks))
            yield from zip(self.tasks, every, [share] * len(self.tasks), strict=True)
            return
        for task in self.tasks:
            began = time.perf_counter()
            try:
                with isolated():
                    rewriting: Rewriting | str = self.obfuscator.obfuscate(task, self.seed)
            except Exception as error:
                rewriting = tell(error)
            yield task, rewriting, time.perf_counter() - began


def rewriting_key(obfuscator: Obfuscator, seed: int, task: ObfuscationTask) -> str:
    """Return the key of a rewriting, which contains everything that decides it.

    It includes the id, because random draws depend on it, and the installed resources, because some recipes run without
    them. The empty text is a value of earlier versions.
    """
    texts = [content_hash(text).hex() for text in (task.questioned, *task.known)]
    decides = [identity(obfuscator), *filter(None, [obfuscator.stamp()])]
    return content_key([*decides, seed, task.id, task.language, "", resources_here(), *texts])


def resources_here() -> list[bool]:
    """Return which word lists and models of recipes are installed."""
    return [missing(name) is None for name in RESOURCES]


def keys_of(obfuscator: Obfuscator, seed: int, tasks: Sequence[ObfuscationTask]) -> list[str]:
    """Return the key of every task's rewriting."""
    return [rewriting_key(obfuscator, seed, task) for task in tasks]


def rewrite(
    folder: Path,
    obfuscator: Obfuscator,
    seed: int,
    tasks: Sequence[ObfuscationTask],
    engine: Engine,
    progress: Progress,
) -> list[Stored]:
    """Return the rewritings of a document set, in order of its tasks; make only missing, damaged and failed ones.
    Raises InputError if the obfuscator cannot be used on this set at all."""
    files.make_folder(folder, private=True)
    keys = keys_of(obfuscator, seed, tasks)
    stored = [read_rewriting(folder, key) for key in keys]
    pending = [
        task
        for task, outcome in zip(tasks, stored, strict=True)
        if outcome is None or outcome.rewriting is None
    ]
    if pending:
        obfuscator.fit(tasks)
        size = len(pending) if obfuscator.whole_batch else BLOCK
        blocks = [tuple(pending[i : i + size]) for i in range(0, len(pending), size)]
        units = [RewriteUnit(folder, obfuscator, seed, block) for block in blocks]
        run_units(engine, units, progress, f"rewriting: {obfuscator.name}")
        stored = [read_rewriting(folder, key) for key in keys]
    return [outcome for outcome in stored if outcome is not None]


def read_rewriting(folder: Path, key: str) -> Stored | None:
    """Read a stored rewriting; None if it is missing or damaged."""
    record = record_or_none(folder / f"{key}.json", RewritingRecord)
    if record is None or record.key != key:
        return None
    rewriting = (
        None if record.parts is None else Rewriting(record.parts, record.notes, record.counts)
    )
    return Stored(key, record.id, rewriting, record.seconds, record.error)


def place_of(folder: Path | None) -> str:
    """Return the name of the folder of rewritings in a plan: the requested one, or ``rewritings`` inside the run's
    folder."""
    return "rewritings" if folder is None else str(_absolute(folder))


def kept_at(run: Path, folder_name: str, given: Path | None = None) -> Path:
    """Return the folder in which a planned run keeps its rewritings (``place``, from ``place_of``). Raises InputError
    if another folder is requested now."""
    folder = _absolute(
        run / folder_name if folder_name == "rewritings" else files.location(folder_name)
    )
    if given is not None and str(_absolute(given)) != str(folder):
        raise InputError(
            "this run keeps its rewritings in another folder",
            file=run,
            found=str(folder),
            expected=str(given),
            fix="leave out --rewritings, or give another --out",
        )
    return folder


def _absolute(folder: Path) -> Path:
    return folder if files.is_remote(folder) else folder.resolve()
