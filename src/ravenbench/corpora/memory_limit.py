"""Reading Parquet where the system limits a process's memory: polars ends the process when it runs out of it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from ravenbench.errors import InputError

_SPARE = 128 * 2**20
"""Bytes that a trial has less than is left: what is mapped differs from one time to another."""
_PATIENCE = 300.0
_TRIAL = """
import resource, sys
import polars as pl
room, rows, *files = sys.argv[1:]
mapped = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (mapped + int(room), resource.RLIM_INFINITY))
kept = []
for file in files:
    for batch in pl.scan_parquet(file).collect_batches(chunk_size=int(rows), maintain_order=True):
        kept += [str(value) for row in batch.iter_rows() for value in row]
"""


def check_room(files: Sequence[Path], rows: int) -> None:
    """Refuse to read Parquet in less memory than it takes, as a trial in another process shows.

    There is no trial where the memory has no limit (``ulimit -v``), or the system does not say what is used of it.

    Parameters
    ----------
    rows : int
        Rows that are read at once.

    Raises
    ------
    InputError
        If the trial ran out of memory.
    """
    try:
        import resource

        limit, most = resource.getrlimit(resource.RLIMIT_AS)
        used = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()
    except (ImportError, OSError, ValueError, IndexError):
        return
    if limit == resource.RLIM_INFINITY:
        return

    command = [
        sys.executable,
        "-c",
        _TRIAL.replace("resource.RLIM_INFINITY", str(most)),
        str(max(0, limit - used - _SPARE)),
        str(rows),
    ]
    try:
        done = subprocess.run([*command, *map(str, files)], capture_output=True, check=False, timeout=_PATIENCE)
        # What polars says of a damaged file, the reading itself will say.
        failed = done.returncode != 0 and b"polars.exceptions" not in done.stderr
    except subprocess.TimeoutExpired:  # threads that could not be started are waited for without end
        failed = True
    if failed:
        raise InputError(
            "this Parquet file cannot be read in the memory that a process may use here", file=files[0],
            found=f"{(limit - used) // 2**20:,} MB left of {limit // 2**20:,} MB (ulimit -v)",
            fix="raise the limit with ulimit -v, or give the table as CSV or JSON lines, which are read row by row",
        )  # fmt: skip
