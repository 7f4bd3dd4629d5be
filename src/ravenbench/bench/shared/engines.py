"""Engines: ways to do units. Both call ``work.run_unit``; a failed unit is data, a dead worker an error."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor
from dataclasses import replace
from functools import cache
from pathlib import Path

from ravenbench.bench.shared.care import LIMIT, in_worker, time_limit
from ravenbench.bench.shared.memory import keep_memory
from ravenbench.bench.shared.work import Engine, Losable, Unit, Units, one_thread, run_unit
from ravenbench.errors import MissingPart, RavenError, SpecError
from ravenbench.files import is_remote

_ADDRESS = "an address such as tcp://10.0.0.1:8786"
_MOST_GROWN = 8 << 30
"""Bytes by which a worker may grow: mapped texts and the counts of several kinds of unit (``counting.CAP``)."""


def local(workers: int | None = None) -> Engine:
    """Worker processes on this machine, as many as cores unless told; one worker = this very process.

    Where a method ends a worker process (a crash of native code, memory), the units that were being done are done again
    one by one; the cells of one that ends its process again are told failed, and the others go on. With one worker
    there is no process to lose but this one.

    Where a limit on time is set (``care.LIMIT``), a method over it is interrupted as by Ctrl-C, and its cells fail. A
    worker in which that does not help (native code) is ended, and the above holds; with one worker nothing is ended.
    """
    count = usable_cores() if workers is None else workers
    if count < 1:
        raise SpecError("--workers must be at least 1", found=workers)

    def work(units: Units) -> Iterator[list[str]]:
        if count == 1 or (len(units) == 1 and time_limit() is None):
            with one_thread():
                yield from map(run_unit, units)
            return
        left = dict(enumerate(units))
        while left:
            try:
                for number, errors in _together(left, count):
                    del left[number]
                    yield errors
            except BrokenExecutor:
                # Units are begun in order: the first that are left were being done.
                for number in list(left)[:count]:
                    yield _alone(left.pop(number))

    return work


def _in_worker(unit: Unit) -> list[str]:
    end_with(os.getppid())
    _may_grow()
    in_worker()
    return run_unit(unit)


@cache
def end_with(parent: int) -> None:
    """From now on this worker ends when the process that started it does, however that ends."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@cache
def _may_grow() -> None:
    """From now on this worker may keep counts of texts, which joblib takes for a leak.

    Where psutil is installed, joblib ends workers that have grown by 300 MB, and the next ones count all texts anew.
    """
    from joblib.externals.loky import process_executor

    process_executor._MAX_MEMORY_LEAK_SIZE = _MOST_GROWN


def _numbered(number: int, unit: Unit) -> tuple[int, list[str]]:
    return number, _in_worker(unit)


def _together(units: dict[int, Unit], count: int) -> Iterator[tuple[int, list[str]]]:
    import warnings

    from joblib import Parallel, delayed

    # Workers that have grown are replaced; nothing is lost.
    warnings.filterwarnings("ignore", "A worker stopped while some jobs", UserWarning)
    pool = Parallel(n_jobs=min(count, len(units)), return_as="generator_unordered", batch_size=1, mmap_mode=None)
    yield from pool(delayed(_numbered)(number, unit) for number, unit in list(units.items()))


def _alone(unit: Unit) -> list[str]:
    """Do a unit in a process of its own.

    Raises
    ------
    RavenError
        If it ends that process and has no cells that could be told failed.
    """
    from joblib.externals.loky import ProcessPoolExecutor

    with ProcessPoolExecutor(max_workers=1) as pool:
        try:
            errors: list[str] = pool.submit(_in_worker, unit).result()
            return errors
        except BrokenExecutor as error:
            reason = "MethodError: the method ended its process (a crash of native code, or memory ran out)"
            if (seconds := time_limit()) is not None:
                reason += f", or did not stop after {seconds:g} seconds (--cell-timeout)"
            if isinstance(unit, Losable):
                return unit.lost(reason)
            raise RavenError(f"{reason}; what was finished is kept: repeat the command to go on") from error


def usable_cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def dask(scheduler: str, timeout: float = 30.0) -> Engine:
    """Units on an existing Dask cluster; workers must reach the run's folder by the same path or URL.

    Raises
    ------
    MissingPart
        If the extra is not installed.
    SpecError
        If this is no address.
    RavenError
        If the scheduler cannot be reached in ``timeout`` seconds, or is lost during the run.
    """
    try:
        from distributed import Client, as_completed
        from distributed.comm import get_address_host_port
    except ImportError as error:
        raise MissingPart("the dask engine is not installed", fix="pip install 'ravenbench[distributed]'") from error
    try:
        get_address_host_port(scheduler)
    except ValueError as error:
        raise SpecError(f"this is no address of a scheduler ({error})", found=scheduler, expected=_ADDRESS) from None

    def work(units: Units) -> Iterator[list[str]]:
        try:
            client = Client(scheduler, timeout=timeout, set_as_default=False)
        except (OSError, ValueError) as error:
            raise RavenError(f"no Dask scheduler answers at {scheduler} ({error})") from error
        with client, client.as_current():
            futures = client.map(_on_cluster, [_anywhere(unit) for unit in units], pure=False)
            waiting = as_completed(futures)
            for _ in range(len(futures)):
                try:
                    future = next(waiting)
                    if future.status == "lost" or client.status != "running":
                        raise OSError("the scheduler is gone")
                    yield future.result(timeout)
                except Exception as error:
                    raise RavenError(
                        f"the Dask cluster failed ({type(error).__name__}: {error}); what was finished is kept: repeat "
                        "the command to go on"
                    ) from error

    return work


def _on_cluster(unit: Unit) -> list[str]:
    keep_memory()
    return run_unit(unit)


def _anywhere(unit: Unit) -> Unit:
    """The unit with the full path of its run: workers were started in other folders."""
    run = getattr(unit, "run", None)
    return unit if run is None or is_remote(run) else replace(unit, run=Path(run).absolute())  # type: ignore[type-var]


def engine(name: str, workers: int | None = None, scheduler: str | None = None) -> Engine:
    """An engine by its name on the command line.

    Raises
    ------
    SpecError
        If there is no such engine, or dask is asked for without a scheduler or with a limit on time, or a scheduler
        without dask.
    """
    if name == "local":
        if scheduler is not None:
            raise SpecError("--scheduler belongs to --engine dask", found=scheduler)
        return local(workers)
    if name != "dask":
        raise SpecError(f"there is no engine {name!r}", expected="local or dask")
    if time_limit() is not None:
        raise SpecError(f"--cell-timeout ({LIMIT}) holds for processes of this machine, and not on a Dask cluster")
    if scheduler is None:
        raise SpecError("--engine dask needs --scheduler", expected=_ADDRESS)
    return dask(scheduler)
