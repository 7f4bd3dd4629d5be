"""Where an interrupted training waits for its command to be repeated."""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from ravenbench.components import Component, identity
from ravenbench.files import cache_folder
from ravenbench.types import Bools, Problems
from ravenbench.verifiers.neural.training import checkpoints

DAYS = 30
"""How long a checkpoint waits."""


def training_spec(
    component: Component, problems: Problems, same: Bools, scoring: tuple[str, ...] = ()
) -> dict[str, Any]:
    """All that decides a training: method, parameters, data and truth, as JSON.

    Where it runs, and parameters of ``scoring`` alone, are left out: whoever changes them because memory ran out
    keeps the training.
    """
    method = identity(component)
    method["params"] = {name: value for name, value in method["params"].items() if name not in ("device", *scoring)}
    truth = np.asarray(same, dtype=np.uint8).tobytes()
    data = hashlib.blake2b(problems.digest().encode() + truth, digest_size=16).hexdigest()
    return {"method": method, "data": data}


def training_folder(spec: dict[str, Any]) -> Path:
    """The folder of this training, below RAVEN_CACHE or the user's cache folder; those long abandoned are deleted."""
    key = hashlib.blake2b(json.dumps(spec, sort_keys=True).encode(), digest_size=12).hexdigest()
    home = cache_folder() / "training"
    for head in home.glob("*/checkpoint.json"):
        if head.parent.name != key and time.time() - head.stat().st_mtime > DAYS * 86400:
            checkpoints.forget(head.parent)
    return home / key
