"""Soundness, sensibleness and efficiency of stored rewritings, measured once and kept beside them.

FOLDER/KEY.json       one obfuscator and seed (``MeasuresRecord``)
FOLDER/index.json     which key belongs to which obfuscator and seed (``MeasureIndex``)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

from ravenbench.bench.obfuscate.rewritings import read_rewriting
from ravenbench.bench.safety.record import MeasuredSet, MeasuredText, MeasureIndex, MeasuresRecord, ObfuscatorRecord
from ravenbench.engine.pool import Engine, Progress, run_units
from ravenbench.errors import StoreError
from ravenbench.files import make_folder
from ravenbench.obfuscation.measures import neural
from ravenbench.obfuscation.measures.sensibleness import Sensibleness
from ravenbench.obfuscation.measures.soundness import Soundness, efficiency, survives
from ravenbench.services import LanguageTool
from ravenbench.store.plans import content_key
from ravenbench.store.records import read_record, write_record
from ravenbench.text.nltk_data import missing

VERSION = 2
"""Raised by hand whenever a measure changes."""


@dataclass(frozen=True)
class Helpers:
    """Servers and models that measures may ask beyond what every machine has; each decides some measures.

    ``encoder`` and ``nli`` are models as ``obfuscation.measures.neural`` loads them.
    """

    languagetool: str | None = None
    encoder: str | None = None
    nli: str | None = None

    def check(self) -> None:
        """Refuse what cannot be asked; nothing is loaded or sent.

        Raises
        ------
        InputError
            If an address is none, or a model is not on this machine.
        """
        if self.languagetool is not None:
            LanguageTool(self.languagetool)
        if self.encoder is not None:
            neural.encoder_folder(self.encoder)
        if self.nli is not None:
            neural.inference_folder(self.nli)

    def soundness(self, originals: Sequence[str]) -> Soundness:
        """Soundness with these models."""
        return Soundness(
            originals,
            None if self.encoder is None else neural.sentence_similarity(self.encoder),
            None if self.nli is None else neural.inference(self.nli),
        )


NO_HELPERS = Helpers()


@dataclass(frozen=True)
class MeasureUnit:
    """All rewritings of one obfuscator with one seed."""

    folder: Path
    rewritings: Path
    key: str
    keys: tuple[str, ...]
    helpers: Helpers

    def work(self) -> list[str]:
        """Measure and commit."""
        stored = [one for key in self.keys if (one := read_rewriting(self.rewritings, key)) is not None]
        texts = {one.id: one.rewriting for one in stored if one.rewriting is not None}
        sound = self.helpers.soundness([rewriting.original for rewriting in texts.values()])
        server = self.helpers.languagetool
        grammar: Callable[[str], int] | None = LanguageTool(server) if server else None
        sense = Sensibleness(grammar)
        rows: dict[str, MeasuredText] = {}
        for name, rewriting in texts.items():
            soundness = sound.measure(rewriting.parts)
            rows[name] = MeasuredText(
                soundness=_numbers(soundness),
                sensibleness=_numbers(sense.measure(rewriting.original, rewriting.text)),
                efficiency=_numbers(efficiency(rewriting.parts)),
                survives=survives(soundness),
            )
        found = MeasuresRecord(key=self.key, rows=rows, missing={**sound.missing, **sense.missing})
        write_record(self.folder / f"{self.key}.json", "safety", found)
        return []


def measure(
    folder: Path,
    kept: Path,
    obfuscators: Sequence[ObfuscatorRecord],
    engine: Engine,
    helpers: Helpers,
    progress: Progress,
) -> None:
    """Measure the quality of every set of rewritings that is not measured yet, and write the index.

    Parameters
    ----------
    folder : Path
        Where measures are kept.
    kept : Path
        Where rewritings are.
    """
    make_folder(folder)
    units, sets = [], []
    for entry in obfuscators:
        for seed, done in entry.sets.items():
            keys = tuple(done.rewritings.values())
            key = measures_key(keys, helpers)
            sets.append(MeasuredSet(obfuscator=entry.name, seed=seed, key=key))
            if read_measures(folder, key) is None:
                units.append(MeasureUnit(folder, kept, key, keys, helpers))
    index = MeasureIndex(sets=sets)
    if read_index(folder) != index:
        write_record(folder / "index.json", "safety", index)
    run_units(engine, units, progress, "measuring rewritings")


def measures_key(keys: Sequence[str], helpers: Helpers) -> str:
    """Address of one obfuscator's measures; a resource that is here now and was not then gives another."""
    here = [missing(name) is None for name in ("wordnet", "brown")]
    return content_key([VERSION, here, list(astuple(helpers)), *keys])


def read_measures(folder: Path, key: str) -> MeasuresRecord | None:
    """Measures of one obfuscator and seed, None where they are missing or damaged."""
    try:
        record = read_record(folder / f"{key}.json", MeasuresRecord)
    except (OSError, StoreError):
        return None
    return record if record.key == key else None


def read_index(folder: Path) -> MeasureIndex | None:
    """Which measures belong to which obfuscator and seed, None where that is missing or damaged."""
    try:
        return read_record(folder / "index.json", MeasureIndex)
    except (OSError, StoreError):
        return None


def measures_of(folder: Path, obfuscator: str) -> dict[int, MeasuresRecord]:
    """Measures of one obfuscator by seed, those that are there."""
    index = read_index(folder)
    keys = {} if index is None else {one.seed: one.key for one in index.sets if one.obfuscator == obfuscator}
    found = {seed: read_measures(folder, key) for seed, key in keys.items()}
    return {seed: one for seed, one in found.items() if one is not None}


def _numbers(found: Mapping[str, float | None]) -> dict[str, float | None]:
    return {name: None if value is None else float(value) for name, value in found.items()}
