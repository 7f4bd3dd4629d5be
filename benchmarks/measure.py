"""Interleaved timing: ours and the peer take turns, so that a busy machine slows both."""

from __future__ import annotations

import resource
import statistics
import time
from collections.abc import Callable
from typing import Any


def seconds(work: Callable[[], Any]) -> float:
    """Wall time of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def compare(
    name: str,
    ours: Callable[[], Any],
    peer: str,
    theirs: Callable[[], Any],
    rounds: int = 5,
    repeat: int = 1,
) -> dict[str, Any]:
    """One row of the benchmark table.

    After one unmeasured call of ours (compilation), each round times ``repeat`` calls of ours and one of the
    peer's. Seconds and the ratio are medians over rounds; ``spread`` is the lowest and highest ratio of a
    round; ``peak_mb`` is the process's peak memory so far.
    """
    ours()
    mine, other = [], []
    for _ in range(rounds):
        other.append(seconds(theirs))
        mine.append(seconds(lambda: [ours() for _ in range(repeat)]) / repeat)
    ratios = [b / a for a, b in zip(mine, other, strict=True)]
    return {
        "name": name,
        "ours_seconds": statistics.median(mine),
        "peer": peer,
        "peer_seconds": statistics.median(other),
        "ratio": statistics.median(ratios),
        "spread": [min(ratios), max(ratios)],
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
