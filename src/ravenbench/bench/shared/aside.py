"""Other processes beside planning: what planning need not wait for is done there while it goes on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
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


def _other(work: Callable[..., T], args: tuple[object, ...]) -> T:
    end_with(os.getppid())
    return work(*args)
