"""What Raven's own extensions hand in to those tests of the bench that look at every command, page, reader or name.

Such a test has rows of the bench's own, and takes the others from ``tests/ext/NAME/rows.py`` of each extension whose
folder is there; what there must be a row for, it asks Raven itself. So an extension that is taken out of a copy of the
tree takes its rows along, and one that is there cannot be without them.
"""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import ravenbench

PLACES = Path(ravenbench.__file__).parent / "ext"
OWN = (
    "case",
    "contrast",
    "corpora",
    "documents",
    "encoders",
    "forms",
    "freeze",
    "map",
    "problems",
    "programs",
    "retrieval",
    "shelf",
    "site",
    "tools",
    "unknown",
    "window",
)
"""Those that come with Raven: where one is absent, what is kept of the whole is compared for what is there."""


def is_here(name: str) -> bool:
    """Whether an extension stands in this tree."""
    return (PLACES / name / "__init__.py").is_file()


FREEZING = {"attribute", "pan14", "retrieve", "run", "safety", "verify"}
WITH_FORMS = {"attribute"} | (set() if is_here("freeze") else FREEZING)
"""Commands to which an extension adds a form, or an option: what is kept of them has both."""


def absent() -> list[str]:
    """Raven's own extensions that were taken out of this tree."""
    return [name for name in OWN if not is_here(name)]


@cache
def _modules() -> list[ModuleType]:
    return [
        importlib.import_module(f"ext.{name}.rows")
        for name in OWN
        if is_here(name) and (Path(__file__).parent / "ext" / name / "rows.py").is_file()
    ]


def rows(table: str) -> dict[str, Any]:
    """All extensions' rows of a table, by their keys: the mappings that the modules have under this name."""
    return {key: row for module in _modules() for key, row in getattr(module, table, {}).items()}


def names(table: str) -> set[Any]:
    """All extensions' entries of a list, in the same way."""
    return {entry for module in _modules() for entry in getattr(module, table, ())}
