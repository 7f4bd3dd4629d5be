"""Runs the command of a job and writes down how it ended, whether or not a window is open.

In: as the only argument the folder of a job, whose ``job.json`` has the words of the command.
Out: in that folder ``pid``, the number of this process and its group, and ``code``, the command's exit code.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from ravenbench import files
from ravenbench.limits import ENDING


def attend(place: Path) -> None:
    """Run the command of a job; signals to the group reach the command, which ends in its own way."""
    signals: list[int] = []
    for number in ENDING:
        # A signal that is ignored would be ignored by the command too.
        signal.signal(number, lambda given, _: signals.append(given))
    words = json.loads((place / "job.json").read_bytes())["words"]
    # Without -P, a file of the folder could take the place of one of Python's modules.
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "ravenbench", "--progress=2", *words]
    ) as process:
        # Written last, so that a signal to the group finds the command.
        files.write_bytes(place / "pid", str(os.getpid()).encode())
        code = process.wait()
    if code == 1 and signals:
        # So ends a Python that is interrupted before it has loaded Raven.
        code = 128 + signal.SIGINT
    files.write_bytes(place / "code", str(code).encode())


if __name__ == "__main__":
    attend(Path(sys.argv[1]))
