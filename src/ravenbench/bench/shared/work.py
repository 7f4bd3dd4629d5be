"""Work in units: what an engine does, and the one loop in which it is done."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Protocol, runtime_checkable

from threadpoolctl import ThreadpoolController

from ravenbench import files
from ravenbench.bench.shared.care import stdout_kept, watched
from ravenbench.bench.shared.memory import give_back
from ravenbench.bench.shared.progress import Progress
from ravenbench.errors import InputError, said
from ravenbench.programs.confinement import noted


class Unit(Protocol):
    """What an engine does, here or in another process."""

    def work(self) -> list[str]:
        """Do it, commit what it found, and return the errors of cells that failed."""


@runtime_checkable
class Losable(Protocol):
    """A unit whose cells can be told failed where its work ended the process."""

    def lost(self, reason: str) -> list[str]:
        """Commit all its cells as failed for this reason, and return their errors."""


_THREADS = "OMP_NUM_THREADS"
Units = Sequence[Unit]
Engine = Callable[[Units], Iterator[list[str]]]
"""Does all units in any order and yields the errors of each as it ends."""


def carry_out(engine: Engine, units: Units, progress: Progress, stage: str) -> list[str]:
    """Do all units, showing how many are done; returns the errors of the cells that failed.

    When it returns, the disk has every cell.
    """
    errors: list[str] = []
    if units:
        progress(stage, 0, len(units))
        give_back()
        with stdout_kept():
            for done, failed in enumerate(engine(units), start=1):
                errors += failed
                progress(stage, done, len(units))
        runs: set[Path] = {unit.run for unit in units if hasattr(unit, "run")}
        for run in runs:
            files.sync_folder(run / "cells")
    return errors


@contextmanager
def one_thread() -> Iterator[None]:
    """Linear algebra on one thread: a unit has one core, and sums depend on how many threads share them.

    The limit holds for libraries that are loaded already. So those that methods use are loaded first, and the one of
    scikit-learn, which takes a second to import, reads the environment when a method loads it.
    """
    import scipy.linalg  # noqa: F401

    before, libraries = os.environ.get(_THREADS), _libraries(len(sys.modules))
    if before == "1" and all(library.num_threads == 1 for library in libraries.lib_controllers):
        yield
        return
    os.environ[_THREADS] = "1"
    try:
        with libraries.limit(limits=1):
            yield
    finally:
        if before is None:
            os.environ.pop(_THREADS, None)
        else:
            os.environ[_THREADS] = before


@lru_cache(maxsize=1)
def _libraries(modules: int) -> ThreadpoolController:
    """The libraries that are loaded, looked for again (which takes milliseconds) when further modules were imported."""
    return ThreadpoolController()


def run_unit(unit: Unit) -> list[str]:
    """Do one unit; errors of the method become failed cells. Returns the errors."""
    with one_thread(), noted(), watched():
        return unit.work()


def tell(error: Exception) -> str:
    """An error as a cell keeps it: one line, then where it happened."""
    try:
        where = "".join(traceback.format_exception(error))[-2000:]
    except Exception:  # a stranger's exception may fail at anything
        where = ""
    # What a bad input says stands in several lines; here the first has all of it.
    what = said(error).replace("\n  ", "; ") if isinstance(error, InputError) else said(error)
    return f"{type(error).__name__}: {what}\n{where.encode('utf-8', 'backslashreplace').decode()}"
