"""Starts commands as jobs and finds them again: all that is known of a job is in its folder on disk.

In: the folder in which commands work; for ``start`` the words of a command (list of text) and what its form had.
Out: ``Job``s, each with ``state`` ("running", "ended", "stopped", or "damaged"), exit code, output (text) and page
(path or None).

A job is a process group of its own. It has a lock on the file of its output, so that anybody can ask the system whether
a process of the job is alive: a number could belong to another process by now.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import secrets
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from msgspec import convert

from ravenbench import files
from ravenbench.errors import visible
from ravenbench.outputs import MARK

MOST_OUTPUT = 200_000
"""Bytes of a job's output that a page shows, the last ones."""


class Job:
    """A command that was started from a window: ``words`` are the command (none if the files of the job are damaged),
    ``values`` what its form had."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.log = place / "output.txt"
        try:
            record = json.loads((place / "job.json").read_bytes())
            self.words = convert(record["words"], list[str]) if self.log.is_file() else []
            self.values = convert(record["values"], dict[str, str])
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            self.words = []
        self.command = shlex.join(["raven", *self.words])

    @property
    def code(self) -> int | None:
        """The exit code; None while there is none."""
        with suppress(OSError, ValueError):
            return int((self.place / "code").read_bytes())
        return None

    @property
    def state(self) -> str:
        """Whether the job is running, has ended with a code, or stopped without one, as by a power cut."""
        if not self.words:
            return "damaged"
        with self.log.open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return "running"
        return "stopped" if self.code is None else "ended"

    def output(self) -> str:
        """The end of what the command printed."""
        with self.log.open("rb") as file:
            file.seek(max(0, self.log.stat().st_size - MOST_OUTPUT))
            return visible(file.read().decode(errors="replace"))

    def page(self) -> Path | None:
        """The page of which the command said that it wrote it, if it ended well."""
        named = re.findall(r"^\w+: (.+\.html)$", self.output(), re.MULTILINE)
        pages = [self.place.parents[2] / name for name in named if self.code in (0, 1)]
        return next((page for page in pages if (page.parent / MARK).is_file()), None)

    def cancel(self) -> None:
        """Interrupt all processes of the job, as Ctrl-C does; nothing if it has ended."""
        with suppress(OSError):
            if self.state == "running":
                os.killpg(int((self.place / "pid").read_bytes()), signal.SIGINT)


def jobs_of(folder: Path) -> dict[str, Job]:
    """Return the jobs of a folder by their ids, the newest first."""
    records = sorted(folder.glob("raven-runs/.window/*/job.json"), reverse=True)
    return {record.parent.name: Job(record.parent) for record in records}


def start(folder: Path, words: list[str], values: Mapping[str, str]) -> str:
    """Start a command and return the id of its job; if the same command is running, the id of that job."""
    jobs = folder / "raven-runs" / ".window"
    files.make_folder(jobs, private=True)
    with (jobs / "lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for id, job in jobs_of(folder).items():
            if job.words == words and job.state == "running":
                return id
        id = f"{time.strftime('%Y-%m-%d-%H%M%S')}-{secrets.token_hex(3)}"
        place = jobs / id
        place.mkdir(files.PRIVATE)
        with (place / "output.txt").open("wb") as log:
            fcntl.flock(log, fcntl.LOCK_EX)
            record = {"words": words, "values": values}
            files.write_bytes(place / "job.json", json.dumps(record).encode())
            subprocess.Popen(
                [sys.executable, "-P", "-m", "ravenbench.ext.window.attended", place],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
    return id
