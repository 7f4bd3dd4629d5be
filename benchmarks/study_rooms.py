"""Where the CPU seconds of a run go, by room of the code: ``python -m benchmarks.study_rooms [OPTIONS OF raven run]``.

A sample is taken every ten milliseconds of CPU time. It counts for the room of the innermost function of Raven's that
is being called, and there for what that function called outside of Raven, if anything: a library, the compiler of
kernels, imports. Kernels count as Raven's own. Without options this is the default run on 20 Newsgroups, planned,
computed and reported by one worker, with topic vectors made anew.
"""

from __future__ import annotations

import argparse
import os
import resource
import shlex
import signal
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from types import FrameType

import ravenbench

SOURCE = str(Path(ravenbench.__file__).parent) + os.sep
STEP = 0.01
OWN = "Raven and its kernels"


class Sampler:
    """CPU seconds by room and by what was called outside, from samples of the main thread's frames."""

    def __init__(self) -> None:
        self.seconds: dict[tuple[str, str], float] = defaultdict(float)
        self._last = time.process_time()
        signal.signal(signal.SIGPROF, self._take)
        signal.setitimer(signal.ITIMER_PROF, STEP, STEP)

    def stop(self) -> None:
        """Take no more samples."""
        signal.setitimer(signal.ITIMER_PROF, 0, 0)

    def _take(self, number: int, frame: FrameType | None) -> None:
        now = time.process_time()
        # A long call in C answers late: it gets all of its time at once.
        self.seconds[place_of(frame)] += now - self._last
        self._last = now


def place_of(frame: FrameType | None) -> tuple[str, str]:
    """Room and what was called outside of it."""
    outside = OWN
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(SOURCE):
            room = Path(file.removeprefix(SOURCE)).parts
            return "/".join(room[:2] if room[0] in ("bench", "reports") else room[:1]).removesuffix(
                ".py"
            ), outside
        if file.startswith("<frozen importlib"):
            outside = "imports"
        elif outside != "imports":
            outside = library(file)
        frame = frame.f_back
    return "before any", outside


def library(file: str) -> str:
    """The library a file belongs to."""
    parts = Path(file).parts
    if "site-packages" not in parts:
        return "Python"
    name = parts[parts.index("site-packages") + 1]
    return "compiling kernels" if name in ("numba", "llvmlite") else name.removesuffix(".py")


def table(seconds: dict[tuple[str, str], float], wall: float, least: float = 0.02) -> str:
    """Rooms by their CPU seconds; those below two percent are added up."""
    total = sum(seconds.values())
    rooms: defaultdict[str, float] = defaultdict(float)
    for (room, _), value in seconds.items():
        rooms[room] += value
    lines = ["| package | CPU s | share | most of it in |", "|---|---|---|---|"]
    rest = total
    for room, value in sorted(rooms.items(), key=lambda each: -each[1]):
        if value < least * total:
            break
        rest -= value
        parts = sorted(
            ((part, outside) for (name, outside), part in seconds.items() if name == room),
            reverse=True,
        )
        told = ", ".join(
            f"{outside} {part:.1f}" for part, outside in parts[:3] if part >= 0.05 * value
        )
        lines.append(f"| `{room}` | {value:.1f} | {value / total:.0%} | {told} |")
    lines.append(f"| all others | {rest:.1f} | {rest / total:.0%} | |")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    lines.append(
        f"\n{total:.1f} CPU seconds in all, {wall:.0f} s on the clock, at most {peak:,.0f} MB of memory."
    )
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.study_rooms", description=__doc__)
    _, asked = parser.parse_known_args()
    asked = asked or ["newsgroups"]
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["RAVEN_CACHE"] = str(Path(folder) / "cache")
        sampler = Sampler()
        from ravenbench.cli.main import build

        build("run")(
            ["run", *asked, "--workers", "1", "--out", str(Path(folder) / "run")],
            standalone_mode=False,
        )
        sampler.stop()
    found = f"`raven run {shlex.join(asked)} --workers 1`:\n\n" + table(
        sampler.seconds, time.perf_counter() - began
    )
    print(found)


if __name__ == "__main__":
    main()
