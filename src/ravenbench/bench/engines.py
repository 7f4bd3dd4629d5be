"""Engines: ways to do units. Both call ``units.run_unit``; a failed unit is data, a dead worker an error."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

from ravenbench.bench.units import FitUnit, PairUnit, run_unit
from ravenbench.errors import RavenError, SpecError

Units = Sequence[FitUnit | PairUnit]
Engine = Callable[[Units], Iterator[list[str]]]


def local(workers: int | None = None) -> Engine:
    """Worker processes on this machine, as many as cores unless told; one worker = this very process."""
    count = usable_cores() if workers is None else workers
    if count < 1:
        raise SpecError("--workers must be at least 1", found=workers)

    def work(units: Units) -> Iterator[list[str]]:
        if count == 1 or len(units) == 1:
            yield from map(run_unit, units)
            return
        from joblib import Parallel, delayed
        from joblib.externals.loky.process_executor import BrokenProcessPool

        pool = Parallel(n_jobs=min(count, len(units)), return_as="generator_unordered", batch_size=1, mmap_mode=None)
        try:
            yield from pool(delayed(run_unit)(unit) for unit in units)
        except BrokenProcessPool as error:
            raise RavenError(
                "a worker process died (out of memory?); what it had finished is kept: repeat the command to go on, "
                "with fewer --workers if memory was short"
            ) from error

    return work


def usable_cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
