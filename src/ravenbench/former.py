"""What had another name in earlier versions (imports go on working, with a warning), and what was taken out."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

from ravenbench.errors import SpecError

_LISTS = Path(__file__).with_name("former.txt").read_text("utf-8").split("\n\n")
MOVED: dict[str, str] = dict(line.split() for line in _LISTS[0].splitlines()[1:])
"""Names within the package: what a module or package was called, and what it is called now."""
TAKEN_OUT: dict[str, str] = dict(line.split(": ", 1) for line in _LISTS[1].splitlines()[1:])
"""Options and components that are no longer there, and why."""
MOVED_NAMES = {
    "verifiers.calibrators": dict.fromkeys(("Banded", "Isotonic", "Linear"), "ext.shelf.calibrators"),
    "verifiers.baselines": {"Blend": "ext.lab.blend"},
}
"""Modules that are still there, and where classes are now that left them."""


def moved_name(module: str, name: str) -> object:
    """A class by the module that had it once. AttributeError if it never had one of this name."""
    now = MOVED_NAMES[module.partition(".")[2]].get(name)
    if now is None:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    warnings.warn(
        f"{module}.{name} is now in ravenbench.{now}; the former place goes in the next version", FutureWarning, 3
    )
    return getattr(import_module(f"ravenbench.{now}"), name)


def check_there(name: str) -> None:
    """SpecError, with the reason, for an option or a component that was taken out."""
    if (reason := TAKEN_OUT.get(name)) is not None:
        raise SpecError(f"{name} was taken out of Raven", fix=f"leave it out: {reason}")


def present_name(name: str) -> str | None:
    """What a module of this name is called now; None where it never had another."""
    root, _, inner = name.partition(".")
    parts = inner.split(".")
    for size in range(len(parts), 0, -1):
        if (now := MOVED.get(".".join(parts[:size]))) is not None:
            return ".".join([root, now, *parts[size:]])
    return None


class _Former:
    """Finds a module by its former name: it is the one of the present name, no second copy. It is no ``MetaPathFinder``
    by class: importing that takes as long as all the rest of ``import ravenbench``."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not name.startswith("ravenbench.") or (now := present_name(name)) is None:
            return None
        return ModuleSpec(name, self, origin=now)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        assert spec.origin is not None
        warnings.warn(f"{spec.name} is now {spec.origin}; the former name goes in the next version", FutureWarning, 2)
        module = import_module(spec.origin)
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        # The import system has put the former name's in its place.
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state


def install() -> None:
    """From now on former names are found, before Python looks for files."""
    if not any(isinstance(finder, _Former) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Former())
