"""Rewritings as results: stored by obfuscator, seed and the hashes of the texts, and never made twice (contract 9).

FOLDER/KEY.json     one rewriting: its parts, notes, counts of operations, seconds; or the error it met
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ravenbench import files
from ravenbench.bench.run.execute import Progress
from ravenbench.bench.shared.engines import Engine
from ravenbench.bench.shared.keys import content_key
from ravenbench.bench.shared.units import tell
from ravenbench.components import identity
from ravenbench.formats.pan_obfuscation import Part, parts_to_json
from ravenbench.obfuscation.base import ObfuscationTask, Obfuscator, Oracle, Rewriting
from ravenbench.text.nltk_data import missing
from ravenbench.texts import content_hash

RESOURCES = ("wordnet", "brown", "averaged_perceptron_tagger_eng")
BLOCK = 4
"""Texts of one unit of work."""


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
    """A few texts for one fitted obfuscator."""

    folder: Path
    obfuscator: Obfuscator
    seed: int
    tasks: tuple[ObfuscationTask, ...]
    oracle: Oracle | None = None
    oracle_name: str = ""

    def work(self) -> list[str]:
        """Rewrite and commit each; an error is kept in the place of the rewriting."""
        errors = []
        for task in self.tasks:
            record: dict[str, Any] = {"id": task.id, "obfuscator": str(self.obfuscator), "seed": self.seed}
            record |= {"parts": None, "notes": [], "counts": {}, "error": None}
            began = time.perf_counter()
            try:
                found = self.obfuscator.obfuscate(task, self.seed, self.oracle)
                record |= {"parts": parts_to_json(found.parts), "notes": found.notes, "counts": found.counts}
            except Exception as error:
                record["error"] = tell(error)
                errors.append(f"{self.obfuscator} on {task.id}: {record['error'].splitlines()[0]}")
            record["seconds"] = time.perf_counter() - began
            key = rewriting_key(self.obfuscator, self.seed, task, self.oracle_name)
            files.write_json(self.folder / f"{key}.json", {"key": key, **record})
        return errors


def rewriting_key(obfuscator: Obfuscator, seed: int, task: ObfuscationTask, oracle: str = "") -> str:
    """Address of a rewriting: all that decides it.

    The id is among it, for random draws depend on it; and which resources are here, for some recipes run without.
    """
    here = [missing(name) is None for name in RESOURCES]
    texts = [content_hash(text).hex() for text in (task.questioned, *task.known)]
    return content_key([identity(obfuscator), seed, task.id, task.language, oracle, here, *texts])


def rewrite(
    folder: Path,
    obfuscator: Obfuscator,
    seed: int,
    tasks: Sequence[ObfuscationTask],
    engine: Engine,
    progress: Progress,
    oracle: Oracle | None = None,
    oracle_name: str = "",
) -> list[Stored]:
    """Rewritings of a document set, in order of its tasks; only missing, damaged and failed ones are made.

    Raises
    ------
    InputError
        If the obfuscator cannot be used on this set at all.
    """
    folder.mkdir(parents=True, exist_ok=True)
    keys = [rewriting_key(obfuscator, seed, task, oracle_name) for task in tasks]
    found = [read_rewriting(folder, key) for key in keys]
    pending = [task for task, one in zip(tasks, found, strict=True) if one is None or one.rewriting is None]
    if pending:
        obfuscator.fit(tasks)
        blocks = [tuple(pending[i : i + BLOCK]) for i in range(0, len(pending), BLOCK)]
        units = [RewriteUnit(folder, obfuscator, seed, block, oracle, oracle_name) for block in blocks]
        stage = f"rewriting: {obfuscator.name}"
        progress(stage, 0, len(units))
        for done, _ in enumerate(engine(units), start=1):
            progress(stage, done, len(units))
        found = [read_rewriting(folder, key) for key in keys]
    return [one for one in found if one is not None]


def read_rewriting(folder: Path, key: str) -> Stored | None:
    """A stored rewriting, None where it is missing or damaged."""
    try:
        record = json.loads((folder / f"{key}.json").read_text("utf-8"))
        if record["key"] != key:
            return None
        rewriting = None
        if record["error"] is None:
            parts = tuple(_part(row) for row in record["parts"])
            rewriting = Rewriting(parts, tuple(record["notes"]), dict(record["counts"]))
        return Stored(key, record["id"], rewriting, record["seconds"], record["error"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _part(row: dict[str, Any]) -> Part:
    return Part(
        row["original-start-charpos"],
        row["original-end-charpos"],
        row["original"],
        row["obfuscation"],
        tuple(row.get("operations", ())),
    )
