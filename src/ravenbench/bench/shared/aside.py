"""Other processes beside planning: what planning need not wait for is done there while it goes on."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from multiprocessing import resource_tracker
from typing import Protocol, TypeVar

from ravenbench.bench.shared.engines import end_with

T = TypeVar("T")


class Aside(Protocol):
    """Begin ``work(*args)``, and return what gives its result when that is needed."""

    def __call__(self, work: Callable[..., T], *args: object) -> Callable[[], T]: ...


def here(work: Callable[..., T], *args: object) -> Callable[[], T]:
    """Nothing is begun: the work is done in this process when its result is asked for."""
    return partial(work, *args)


@contextmanager
def aside(cores: int) -> Iterator[Aside]:
    """Each work in a process of its own, which ends with this context; with one core it is done here.

    Where a process fails, the work is done again here, so that its error is told as usual.
    """
    if cores < 2:
        yield here
        return
    from joblib.externals.loky import ProcessPoolExecutor

    with ExitStack() as stack:

        def begin(work: Callable[..., T], *args: object) -> Callable[[], T]:
            pool = ProcessPoolExecutor(max_workers=1)
            stack.callback(pool.shutdown, wait=False, kill_workers=True)
            with _deaf():
                begun = pool.submit(_other, work, args)
            begun.add_done_callback(lambda _: pool.shutdown(wait=False))

            def result() -> T:
                try:
                    found: T = begun.result()
                except Exception:
                    return work(*args)
                return found

            return result

        yield begin


@contextmanager
def _deaf() -> Iterator[None]:
    """What is started here never hears Ctrl-C, of which it would tell while it is being set up; this process hears it
    afterwards."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # when it starts, signals are let through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _other(work: Callable[..., T], args: tuple[object, ...]) -> T:
    end_with(os.getppid())
    return work(*args)
