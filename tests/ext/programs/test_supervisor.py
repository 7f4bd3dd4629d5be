"""A program never outlives its supervisor, at whatever moment that is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ravenbench.ext.programs import supervisor

SLEEPER = "import time; time.sleep(600)"


def _living(mark: str) -> list[str]:
    """Processes whose command line names the mark."""
    lines = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = place.read_bytes()
        except OSError:
            continue
        if mark.encode() in line:
            lines.append(line.decode())
    return lines


@pytest.mark.skipif(sys.platform != "linux", reason="the death of a parent is told on Linux alone")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_no_program_outlives_its_supervisor(tmp_path: Path, how: signal.Signals) -> None:
    # The moments lie around the one at which the program begins, when it is easily forgotten.
    for step in range(60):
        reading, writing = os.pipe()
        program = [sys.executable, "-S", "-c", SLEEPER, str(tmp_path)]
        numbers = [str(n) for n in (os.getpid(), writing, 100, 10**9, 1)]
        line = [sys.executable, "-I", "-S", str(supervisor.__file__), *numbers, *program]
        process = subprocess.Popen(line, pass_fds=(writing,), start_new_session=True)
        os.close(writing)
        time.sleep(0.01 + 0.0007 * step)
        process.send_signal(how)
        process.send_signal(how)
        process.wait()
        os.close(reading)
    until = time.monotonic() + 60
    while _living(str(tmp_path)) and time.monotonic() < until:
        time.sleep(0.05)
    assert _living(str(tmp_path)) == []
