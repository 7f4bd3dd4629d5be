"""Rewritings as results: stored by obfuscator, seed and the hashes of the texts, and never made twice (contract 9).

FOLDER/KEY.json     one rewriting (``RewritingRecord``): its parts, notes, counts of operations, seconds; or its error
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ravenbench import files, registry
from ravenbench.components import Component, identity
from ravenbench.engine.guard import isolated, tell
from ravenbench.engine.pool import Engine, Progress, run_units
from ravenbench.errors import InputError
from ravenbench.formats.pan_obfuscation import Part
from ravenbench.obfuscation.base import ObfuscationTask, Obfuscator, Oracle, Rewriting
from ravenbench.store.plans import content_key
from ravenbench.store.records import Plan, Record, record_or_none, write_record
from ravenbench.text.nltk_data import missing
from ravenbench.texts import content_hash
from ravenbench.types import Bools, Floats, Problems
from ravenbench.verifiers.contract.base import Verifier, as_verifier, fresh

RESOURCES = ("wordnet", "brown", "averaged_perceptron_tagger_eng")
BLOCK = 4
"""Texts of one unit of work."""


class RewritingRecord(Record, frozen=True, kw_only=True):
    """``rewritings/KEY.json``: one text rewritten by one obfuscator with one seed.

    ``parts`` is None and ``error`` says why where the obfuscator failed on this text.
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
    """A text to be rewritten: its name (or its problem's id), its length in words, and its rewriting's key."""

    id: str
    words: int
    key: str


class ObfuscatePlan(Plan, frozen=True, kw_only=True):
    """The manifest of ``raven obfuscate``: the obfuscator, and every text with the key of its rewriting.

    ``rewritings`` is the folder where rewritings are kept, relative to the run's folder where it lies within.
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
class MeanAnswer:
    """The mean answer of fitted verifiers to variants of one questioned text."""

    verifiers: tuple[Verifier, ...]

    def __call__(self, variants: Sequence[str], known: tuple[str, ...]) -> Floats:
        problems = Problems.of((str(i), known, text) for i, text in enumerate(variants))
        mean: Floats = np.mean([verifier.verify(problems) for verifier in self.verifiers], axis=0)
        return mean


def surrogate_oracle(verifiers: Sequence[Component], problems: Problems, same: Bools) -> Oracle:
    """Mean answers of verifiers fitted on training problems, for variants of one questioned text."""
    return MeanAnswer(tuple(as_verifier(fresh(verifier)).fit(problems, same) for verifier in verifiers))


@dataclass(frozen=True, eq=False)
class Surrogates:
    """Verifiers that a search may ask, fitted when they are first asked.

    ``verifiers`` is their list as it was given; it enters the key of every rewriting that a search made.
    """

    verifiers: str
    problems: Problems
    same: Bools

    @cached_property
    def oracle(self) -> Oracle:
        """The mean answer of all of them."""
        return surrogate_oracle(registry.parse_list("verifier", self.verifiers), self.problems, self.same)


def read_surrogates(
    searching: str, verifiers: str | None, train: str | Path | None, encoding: str | None = None
) -> Surrogates:
    """Surrogates that learn from the problems at a path; ``searching`` names the obfuscator that asks them. Raises
    InputError if no verifiers or no training problems are given, or these cannot be read."""
    from ravenbench.formats.problems import read_problems

    if not verifiers or train is None:
        raise InputError(
            f"{searching} searches against surrogate verifiers", fix="--surrogates char-ngram --train PROBLEMS"
        )
    data = read_problems(files.local_copy(train), "train", encoding)
    return Surrogates(verifiers, data.problems, data.truth())


@dataclass(frozen=True)
class Stored:
    """A stored rewriting; ``rewriting`` is None where the obfuscator failed on this text."""

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
    oracle: Oracle | None = None
    oracle_name: str = ""

    def work(self) -> list[str]:
        """Rewrite and commit each; an error is kept in the place of the rewriting."""
        return self._commit(self._done())

    def lost(self, reason: str) -> list[str]:
        """Keep this reason in the place of every rewriting."""
        return self._commit((task, reason, 0.0) for task in self.tasks)

    def _commit(self, every: Iterable[tuple[ObfuscationTask, Rewriting | str, float]]) -> list[str]:
        errors = []
        for task, done, seconds in every:
            rewriting, wrong = (None, done) if isinstance(done, str) else (done, None)
            if wrong is not None:
                errors.append(f"{self.obfuscator} on {task.id}: {wrong.splitlines()[0]}")
            key = rewriting_key(self.obfuscator, self.seed, task, self.oracle_name)
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

    def _done(self) -> Iterator[tuple[ObfuscationTask, Rewriting | str, float]]:
        """Each task with its rewriting, or with what went wrong, and the seconds it took."""
        if self.obfuscator.whole_batch:
            began = time.perf_counter()
            try:
                with isolated():
                    every: list[Rewriting | str] = [*self.obfuscator.obfuscate_all(self.tasks, self.seed)]
            except Exception as error:
                every = [tell(error)] * len(self.tasks)
            share = (time.perf_counter() - began) / max(1, len(self.tasks))
            yield from zip(self.tasks, every, [share] * len(self.tasks), strict=True)
            return
        for task in self.tasks:
            began = time.perf_counter()
            try:
                with isolated():
                    one: Rewriting | str = self.obfuscator.obfuscate(task, self.seed, self.oracle)
            except Exception as error:
                one = tell(error)
            yield task, one, time.perf_counter() - began


def rewriting_key(obfuscator: Obfuscator, seed: int, task: ObfuscationTask, oracle: str = "") -> str:
    """Address of a rewriting: all that decides it.

    The id is among it, for random draws depend on it; and which resources are here, for some recipes run without.
    """
    texts = [content_hash(text).hex() for text in (task.questioned, *task.known)]
    decides = [identity(obfuscator), *filter(None, [obfuscator.stamp()])]
    return content_key([*decides, seed, task.id, task.language, oracle, resources_here(), *texts])


def resources_here() -> list[bool]:
    """Which of the word lists and models that recipes use are on this machine."""
    return [missing(name) is None for name in RESOURCES]


def keys_of(
    obfuscator: Obfuscator, seed: int, tasks: Sequence[ObfuscationTask], surrogates: Surrogates | str | None = None
) -> list[str]:
    """The key of every task's rewriting; ``surrogates`` count for a search alone."""
    answering = surrogates.verifiers if isinstance(surrogates, Surrogates) else surrogates
    name = (answering or "") if obfuscator.needs_oracle else ""
    return [rewriting_key(obfuscator, seed, task, name) for task in tasks]


def rewrite(
    folder: Path, obfuscator: Obfuscator, seed: int, tasks: Sequence[ObfuscationTask], engine: Engine,
    progress: Progress, surrogates: Surrogates | None = None,
) -> list[Stored]:  # fmt: skip
    """Rewritings of a document set, in order of its tasks; only missing, damaged and failed ones are made. Raises
    InputError if the obfuscator cannot be used on this set at all."""
    files.make_folder(folder, private=True)
    keys = keys_of(obfuscator, seed, tasks, surrogates)
    stored = [read_rewriting(folder, key) for key in keys]
    pending = [task for task, one in zip(tasks, stored, strict=True) if one is None or one.rewriting is None]
    if pending:
        obfuscator.fit(tasks)
        answering = surrogates if obfuscator.needs_oracle else None
        oracle, name = (None, "") if answering is None else (answering.oracle, answering.verifiers)
        size = len(pending) if obfuscator.whole_batch else BLOCK
        blocks = [tuple(pending[i : i + size]) for i in range(0, len(pending), size)]
        units = [RewriteUnit(folder, obfuscator, seed, block, oracle, name) for block in blocks]
        run_units(engine, units, progress, f"rewriting: {obfuscator.name}")
        stored = [read_rewriting(folder, key) for key in keys]
    return [one for one in stored if one is not None]


def read_rewriting(folder: Path, key: str) -> Stored | None:
    """A stored rewriting, None where it is missing or damaged."""
    record = record_or_none(folder / f"{key}.json", RewritingRecord)
    if record is None or record.key != key:
        return None
    rewriting = None if record.parts is None else Rewriting(record.parts, record.notes, record.counts)
    return Stored(key, record.id, rewriting, record.seconds, record.error)


def place_of(given: Path | None) -> str:
    """How a plan names the folder of its rewritings: the one asked for, or ``rewritings`` within the run's folder."""
    return "rewritings" if given is None else str(_whole(given))


def kept_at(run: Path, place: str, given: Path | None = None) -> Path:
    """Where a planned run keeps its rewritings, whose plan names the ``place`` (``place_of``). Raises InputError if
    another place is asked for now."""
    folder = _whole(run / place if place == "rewritings" else files.location(place))
    if given is not None and str(_whole(given)) != str(folder):
        raise InputError(
            "this run keeps its rewritings elsewhere", file=run, found=str(folder), expected=str(given),
            fix="give no --rewritings, or another --out",
        )  # fmt: skip
    return folder


def _whole(place: Path) -> Path:
    return place if files.is_remote(place) else place.resolve()
