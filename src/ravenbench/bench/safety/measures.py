"""Soundness, sensibleness and efficiency of stored rewritings, measured once and kept beside them.

FOLDER/KEY.json     one obfuscator and seed: measures by problem, and what was not measured and why
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

from ravenbench import files
from ravenbench.bench.safety.rewritings import read_rewriting
from ravenbench.bench.shared.keys import content_key
from ravenbench.obfuscation.measures import neural
from ravenbench.obfuscation.measures.efficiency import efficiency
from ravenbench.obfuscation.measures.sensibleness import Sensibleness
from ravenbench.obfuscation.measures.soundness import Soundness, survives
from ravenbench.obfuscation.services.languagetool import LanguageTool
from ravenbench.text.nltk_data import missing

VERSION = 2
"""Raised by hand whenever a measure changes."""

Row = Mapping[str, Any]
"""``soundness``, ``sensibleness``, ``efficiency`` (name → number or None) and ``survives`` of one rewriting."""


@dataclass(frozen=True)
class Helpers:
    """Servers and models that measures may ask beyond what every machine has; each decides some measures.

    ``encoder`` and ``nli`` are models as ``obfuscation.measures.neural`` loads them.
    """

    languagetool: str | None = None
    encoder: str | None = None
    nli: str | None = None

    def check(self) -> None:
        """Whether they can be asked; nothing is loaded or sent.

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
        rows: dict[str, Row] = {}
        for name, rewriting in texts.items():
            soundness = sound.measure(rewriting.parts)
            rows[name] = {
                "soundness": soundness,
                "sensibleness": sense.measure(rewriting.original, rewriting.text),
                "efficiency": efficiency(rewriting.parts),
                "survives": survives(soundness),
            }
        missing = {**sound.missing, **sense.missing}
        files.write_json(self.folder / f"{self.key}.json", {"key": self.key, "rows": rows, "missing": missing})
        return []


def measures_key(keys: Sequence[str], helpers: Helpers) -> str:
    """Address of one obfuscator's measures; a resource that is here now and was not then gives another."""
    here = [missing(name) is None for name in ("wordnet", "brown")]
    return content_key([VERSION, here, list(astuple(helpers)), *keys])


def read_measures(folder: Path, key: str) -> tuple[dict[str, Row], dict[str, str]] | None:
    """Measures by problem, and reasons by measure that was not made; None where missing or damaged."""
    try:
        record = json.loads((folder / f"{key}.json").read_text("utf-8"))
        return (dict(record["rows"]), dict(record["missing"])) if record["key"] == key else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
