"""Does units of work in processes of this machine or on a Dask cluster; ``aside`` does work beside planning.

In: ``Unit`` objects, each with ``work()``, an engine's name, a count of workers, a Dask address, a callback of
progress.
Out: the errors of the units' cells (results) that failed, as texts; results are committed by the units themselves.
``engine``, ``local`` and ``dask`` give an engine, a function from units to such errors; ``usable_cores`` a count.
Timeouts are in seconds. SpecError for options that do not fit, RavenError if the cluster is lost, MissingPart without
Dask.

A failed unit is data, a dead worker an error.
"""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import cache, partial
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any, Protocol, TypeVar, runtime_checkable

from ravenbench import files
from ravenbench.engine.guard import in_worker, one_thread, stdout_to_stderr, watched
from ravenbench.errors import MissingPart, RavenError, SpecError, install
from ravenbench.limits import TIMEOUT, RunLimits, cell_timeout, collect_seldom, hold, limits_here
from ravenbench.programs import ending_with_me, noted
from ravenbench.shown import notebook_progress

T = TypeVar("T")
Progress = Callable[[str, int, int], None]
"""Called with (stage, done, total); a total of 0 means that it is not known."""


def silent(stage: str, done: int, total: int) -> None:
    """A progress callback (stage, units done, units in all) that shows nothing."""


def shown_by_default(progress: Progress | None) -> Progress:
    """The callback that was given; without one a bar in a notebook, and nothing elsewhere."""
    return progress or notebook_progress() or silent


class Unit(Protocol):
    """What an engine does, here or in another process."""

    def work(self) -> list[str]:
        """Do it, commit the results, and return the errors of cells that failed."""


@runtime_checkable
class Losable(Protocol):
    """A unit whose cells can be marked failed where its work ended the process."""

    def lost(self, reason: str) -> list[str]:
        """Commit all its cells as failed for this reason, and return their errors."""


Units = Sequence[Unit]
Engine = Callable[[Units], Iterator[list[str]]]
"""Does all units in any order and yields the errors of each as it ends."""
ADDRESS = "an address such as tcp://10.0.0.1:8786"
MOST_GROWN = 8 << 30
"""Bytes by which a worker may grow: mapped texts and the counts of several kinds of unit (``counting.CAP``)."""
TRIM_THRESHOLD = -1
MMAP_THRESHOLD = -3
"""Options of ``mallopt``."""


def run_units(engine: Engine, units: Units, progress: Progress, stage: str) -> list[str]:
    """Do all units, showing how many are done; returns the errors of the cells that failed.

    When it returns, the disk has every cell.
    """
    errors: list[str] = []
    units = [_anywhere(unit) for unit in units]
    if units:
        progress(stage, 0, len(units))
        _glibc("malloc_trim", 0)  # workers need the memory that planning took
        with stdout_to_stderr():
            for done, failed in enumerate(engine(units), start=1):
                errors += failed
                progress(stage, done, len(units))
        for run in {unit.run for unit in units if hasattr(unit, "run")}:
            files.sync_folder(run / "cells")
    return errors


def run_unit(unit: Unit) -> list[str]:
    """Do one unit; errors of the method become failed cells. Returns the errors."""
    with one_thread(), noted(), watched():
        return unit.work()


def local(workers: int | None = None) -> Engine:
    """Worker processes on this machine, by default as many as cores; one worker = this very process.

    Where a method ends a worker process (a crash of native code, memory), the units that were being done are done again
    one by one; the cells of one that ends its process again are marked failed, and the others go on. With one worker
    there is no process to lose but this one.

    Where a limit on time is set (``limits.cell_timeout``), a method over it is interrupted as by Ctrl-C, and its cells
    fail. A worker that does not stop (native code) is ended, with the consequences above; with one worker nothing is
    ended.
    """
    count = usable_cores() if workers is None else workers
    if count < 1:
        raise SpecError("--workers must be at least 1", found=workers)

    def work(units: Units) -> Iterator[list[str]]:
        if count == 1 or (len(units) == 1 and cell_timeout() is None):
            with one_thread():
                yield from map(run_unit, units)
            return
        remaining = dict(enumerate(units))
        while remaining:
            try:
                for number, errors in _together(remaining, count):
                    del remaining[number]
                    yield errors
            except BrokenExecutor:
                # Units are begun in order: the first that are left were being done.
                for number in list(remaining)[:count]:
                    yield _alone(remaining.pop(number))

    return work


def _in_worker(unit: Unit, limits: RunLimits, number: int = 0) -> tuple[int, list[str]]:
    hold(limits)
    collect_seldom()
    _may_grow()
    in_worker()
    return number, run_unit(unit)


@cache
def _may_grow() -> None:
    """From now on this worker may keep counts of texts, which joblib takes for a leak.

    Where psutil is installed, joblib ends workers that have grown by 300 MB, and the next workers count all texts
    again.
    """
    from joblib.externals.loky import process_executor

    process_executor._MAX_MEMORY_LEAK_SIZE = MOST_GROWN


def _together(units: dict[int, Unit], count: int) -> Iterator[tuple[int, list[str]]]:
    import warnings

    from joblib import Parallel, delayed

    # Workers that have grown are replaced; nothing is lost.
    warnings.filterwarnings("ignore", "A worker stopped while some jobs", UserWarning)
    options = {
        "return_as": "generator_unordered",
        "batch_size": 1,
        "mmap_mode": None,
        **ending_with_me(),
    }
    pool = Parallel(n_jobs=min(count, len(units)), **options)
    yield from pool(
        delayed(_in_worker)(unit, limits_here(), number) for number, unit in list(units.items())
    )


def _alone(unit: Unit) -> list[str]:
    """Do a unit in a process of its own; RavenError if it ends that process and has no cells to mark failed."""
    from joblib.externals.loky import ProcessPoolExecutor

    with ProcessPoolExecutor(max_workers=1, **ending_with_me()) as pool:
        try:
            errors: list[str] = pool.submit(_in_worker, unit, limits_here()).result()[1]
            return errors
        except BrokenExecutor as error:
            reason = (
                "MethodError: the method ended its process (native code crashed, or memory ran out)"
            )
            if (seconds := cell_timeout()) is not None:
                reason += f", or did not stop after {seconds:g} seconds (--cell-timeout)"
            if isinstance(unit, Losable):
                return unit.lost(reason)
            raise RavenError(
                f"{reason}; Raven keeps everything that was finished; repeat the command to"
                " continue"
            ) from error


def usable_cores() -> int:
    """Count of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def dask(scheduler: str, timeout: float = 30.0) -> Engine:
    """Units on an existing Dask cluster; workers must reach the run's folder by the same path or URL. RavenError if the
    scheduler cannot be reached in ``timeout`` seconds, or is lost during the run."""
    try:
        from distributed import Client, as_completed
        from distributed.comm import get_address_host_port
    except ImportError as error:
        raise MissingPart("the dask engine is not installed", fix=install("distributed")) from error
    try:
        get_address_host_port(scheduler)
    except ValueError as error:
        raise SpecError(
            f"this is not the address of a scheduler ({error})", found=scheduler, expected=ADDRESS
        ) from None

    def work(units: Units) -> Iterator[list[str]]:
        try:
            client = Client(scheduler, timeout=timeout, set_as_default=False)
        except (OSError, ValueError) as error:
            raise RavenError(f"no Dask scheduler answers at {scheduler} ({error})") from error
        with client, client.as_current():
            had_workers = bool(client.nthreads())
            work_of = partial(_on_cluster, limits=limits_here())
            futures = client.map(work_of, units, pure=False)
            waiting = as_completed(futures)
            for _ in range(len(futures)):
                try:
                    _await(client, waiting, had_workers)
                    future = next(waiting)
                    if future.status == "lost" or client.status != "running":
                        raise OSError("the scheduler stopped, or a worker that had results")
                    yield future.result(timeout)
                except Exception as error:
                    raise RavenError(
                        f"the Dask cluster failed ({type(error).__name__}: {error}); Raven"
                        " keeps everything that was finished; repeat the command to continue"
                    ) from error

    return work


WORKERLESS = 60.0
"""Seconds for which a cluster that has lost all its workers may have none; others may take long to come first."""


def _await(client: Any, waiting: Any, had_workers: bool) -> None:
    """Wait until a unit is done. OSError if no worker is left that could do it."""
    looked = looked_left = time.monotonic()
    while not waiting.has_ready() and client.status == "running":
        time.sleep(0.02)
        if had_workers and (time_now := time.monotonic()) > looked + 1:
            looked = time_now
            looked_left = time_now if client.nthreads() else looked_left
            if time_now > looked_left + WORKERLESS:
                raise OSError(f"it has had no workers for {WORKERLESS:.0f} seconds")


def _on_cluster(unit: Unit, limits: RunLimits) -> list[str]:
    keep_memory()
    hold(limits)
    return run_unit(unit)


@cache
def keep_memory() -> None:
    """From now on this worker uses memory that it has freed again, as other processes do.

    Dask has glibc return all beyond 64 KB at once, and asking for the same amount again takes half as long as the work.
    """
    _glibc("mallopt", TRIM_THRESHOLD, 1 << 28)
    _glibc("mallopt", MMAP_THRESHOLD, 1 << 25)


def _glibc(function: str, *values: int) -> None:
    """Call a function that only this C library has."""
    with suppress(AttributeError, OSError, TypeError):
        getattr(ctypes.CDLL(None), function)(*values)


def _anywhere(unit: Unit) -> Unit:
    """The unit with the full path of its run: workers were started in other folders, and methods may go to others."""
    run = getattr(unit, "run", None)
    return unit if run is None or files.is_remote(run) else replace(unit, run=Path(run).absolute())  # type: ignore[type-var]


def engine(name: str, workers: int | None = None, scheduler: str | None = None) -> Engine:
    """An engine by its name on the command line; SpecError for options that do not fit it."""
    if name == "local":
        if scheduler is not None:
            raise SpecError("--scheduler requires --engine dask", found=scheduler)
        return local(workers)
    if name != "dask":
        raise SpecError(f"unknown engine {name!r}", expected="local or dask")
    if cell_timeout() is not None:
        raise SpecError(
            f"--cell-timeout ({TIMEOUT}) applies to processes on this machine, not to a Dask"
            " cluster"
        )
    if scheduler is None:
        raise SpecError("--engine dask needs --scheduler", expected=ADDRESS)
    return dask(scheduler)


class Aside(Protocol):
    """Begin ``work(*args)``, and return what gives its result when that is needed."""

    def __call__(self, work: Callable[..., T], *args: object) -> Callable[[], T]: ...


def here(work: Callable[..., T], *args: object) -> Callable[[], T]:
    """Nothing is begun: the work is done in this process when its result is needed."""
    return partial(work, *args)


@contextmanager
def aside(cores: int) -> Iterator[Aside]:
    """Each work in a process of its own, which ends with this context; with one core it is done here.

    Where a process fails, the work is done again here, so that its error is reported as usual.
    """
    if cores < 2:
        yield here
        return
    from joblib.externals.loky import ProcessPoolExecutor

    with ExitStack() as stack:

        def begin(work: Callable[..., T], *args: object) -> Callable[[], T]:
            pool = ProcessPoolExecutor(max_workers=1, **ending_with_me())
            stack.callback(pool.shutdown, wait=False, kill_workers=True)
            with _sigint_blocked():
                begun = pool.submit(_within, limits_here(), work, *args)
            begun.add_done_callback(lambda _: pool.shutdown(wait=False))

            def result() -> T:
                try:
                    value: T = begun.result()
                except Exception:
                    return work(*args)
                return value

            return result

        yield begin


def _within(limits: RunLimits, work: Callable[..., T], *args: object) -> T:
    hold(limits)
    collect_seldom()
    return work(*args)


@contextmanager
def _sigint_blocked() -> Iterator[None]:
    """Processes started here get neither Ctrl-C, at which they would print tracebacks, nor SIGHUP; this one does."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # when it starts, signals are let through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
