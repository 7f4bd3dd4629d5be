"""Modules of a peer's checkout, loaded from their files; nothing of theirs is kept here."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any


def load(folder: Path, path: str, name: str | None = None) -> ModuleType:
    """The module in a file of a checkout, known to later imports as ``name`` if one is given.

    Raises
    ------
    SystemExit
        If the checkout lacks the file.
    """
    file = folder / path
    if not file.is_file():
        raise SystemExit(f"{folder} is no checkout of the peer's code: it has no {path}")
    spec = importlib.util.spec_from_file_location(name or file.stem.replace("-", "_"), file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    if name is not None:
        for depth in range(1, name.count(".") + 1):
            package = ".".join(name.split(".")[:depth])
            sys.modules.setdefault(package, ModuleType(package))
        sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def f1_of_none(module: ModuleType) -> None:
    """Give an evaluator's ``f1_score`` its value of 0 for no answers back; scikit-learn now raises an error there."""
    inner = module.f1_score

    def f1_score(true: Any, given: Any) -> float:
        return float(inner(true, given)) if len(true) else 0.0

    vars(module)["f1_score"] = f1_score
