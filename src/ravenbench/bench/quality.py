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
from ravenbench.obfuscation import resources
from ravenbench.obfuscation.efficiency import efficiency
from ravenbench.obfuscation.languagetool import LanguageTool
from ravenbench.obfuscation.sensibleness import Sensibleness
from ravenbench.obfuscation.soundness import Soundness, survives

VERSION = 1
"""Raised by hand whenever a measure changes."""

Row = Mapping[str, Any]
"""``soundness``, ``sensibleness``, ``efficiency`` (name → number or None) and ``survives`` of one rewriting."""


@dataclass(frozen=True)
class MeasureUnit:
    """All rewritings of one obfuscator with one seed."""

    folder: Path
    rewritings: Path
    key: str
    keys: tuple[str, ...]
    languagetool: str | None = None

    def work(self) -> list[str]:
        """Measure and commit."""
        stored = [one for key in self.keys if (one := read_rewriting(self.rewritings, key)) is not None]
        texts = {one.id: one.rewriting for one in stored if one.rewriting is not None}
        sound = Soundness([rewriting.original for rewriting in texts.values()])
        grammar: Callable[[str], int] | None = LanguageTool(self.languagetool) if self.languagetool else None
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


def measures_key(keys: Sequence[str], languagetool: str | None) -> str:
    """Address of one obfuscator's measures; a resource that is here now and was not then gives another."""
    here = [resources.missing(name) is None for name in ("wordnet", "brown")]
    return content_key([VERSION, here, languagetool, *keys])


def read_measures(folder: Path, key: str) -> tuple[dict[str, Row], dict[str, str]] | None:
    """Measures by problem, and reasons by measure that was not made; None where missing or damaged."""
    try:
        record = json.loads((folder / f"{key}.json").read_text("utf-8"))
        return (dict(record["rows"]), dict(record["missing"])) if record["key"] == key else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
