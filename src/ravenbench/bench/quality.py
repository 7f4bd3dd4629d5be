"""Soundness, sensibleness and efficiency of stored rewritings, measured once and kept beside them.

FOLDER/KEY.json     one obfuscator and seed: measures by problem, and what was not measured and why
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ravenbench import files
from ravenbench.bench.keys import content_key
from ravenbench.bench.rewritings import read_rewriting
from ravenbench.obfuscation import neural
from ravenbench.obfuscation.efficiency import efficiency
from ravenbench.obfuscation.languagetool import LanguageTool
from ravenbench.obfuscation.sensibleness import Sensibleness
from ravenbench.obfuscation.soundness import ENCODER, INFERENCE, Soundness, survives
from ravenbench.text.nltk_data import missing

VERSION = 2
"""Raised by hand whenever a measure changes."""

Row = Mapping[str, Any]
"""``soundness``, ``sensibleness``, ``efficiency`` (name → number or None) and ``survives`` of one rewriting."""


@dataclass(frozen=True)
class Helpers:
    """Servers and models that measures may ask beyond what every machine has; each decides some measures.

    ``encoder`` and ``nli`` are models as ``obfuscation.neural`` loads them. One that is not here leaves its measures
    out, with the reason.
    """

    languagetool: str | None = None
    encoder: str | None = None
    nli: str | None = None

    def soundness(self, originals: Sequence[str]) -> Soundness:
        """Soundness with the models that are here."""
        no_encoder = None if self.encoder is None else neural.encoder_absence(self.encoder)
        no_nli = None if self.nli is None else neural.inference_absence(self.nli)
        found = Soundness(
            originals,
            neural.sentence_similarity(self.encoder) if self.encoder is not None and no_encoder is None else None,
            neural.inference(self.nli) if self.nli is not None and no_nli is None else None,
        )
        if no_encoder is not None:
            found.missing |= dict.fromkeys(ENCODER, no_encoder)
        if no_nli is not None:
            found.missing |= dict.fromkeys(INFERENCE, no_nli)
        return found

    def identity(self) -> list[object]:
        """What decides measures; a model that is here now and was not then is another."""
        encoder = self.encoder is None or neural.encoder_absence(self.encoder) is None
        nli = self.nli is None or neural.inference_absence(self.nli) is None
        return [self.languagetool, self.encoder, encoder, self.nli, nli]


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
    return content_key([VERSION, here, helpers.identity(), *keys])


def read_measures(folder: Path, key: str) -> tuple[dict[str, Row], dict[str, str]] | None:
    """Measures by problem, and reasons by measure that was not made; None where missing or damaged."""
    try:
        record = json.loads((folder / f"{key}.json").read_text("utf-8"))
        return (dict(record["rows"]), dict(record["missing"])) if record["key"] == key else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
