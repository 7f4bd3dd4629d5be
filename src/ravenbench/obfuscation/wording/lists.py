"""Raven's own word lists: contractions, symbols, paraphrases, spelling variants, discourse markers."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def load(name: str) -> Any:
    """Load the word list of this name (not to be changed: it is shared)."""
    return json.loads((files("ravenbench.obfuscation.wording") / "data" / f"{name}.json").read_text("utf-8"))


@cache
def pattern(name: str, *path: str) -> re.Pattern[str]:
    """One expression for all keys of a word list at whole words, longest first, case ignored."""
    value = load(name)
    for key in path:
        value = value[key]
    keys = sorted(value, key=lambda k: (-len(k), k))
    return re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, keys)) + r")(?!\w)", re.IGNORECASE)
