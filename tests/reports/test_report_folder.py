"""A report's folder: whole or not there, and nothing of a killed one stays."""

from __future__ import annotations

import errno
import subprocess
import sys

import pytest

from ravenbench.errors import InputError
from ravenbench.reports.report import write_whole

KILLED = """
import os, signal, sys
from pathlib import Path
from ravenbench.reports import report
def write(place):
    (place / "index.html").write_text("new")
    if sys.argv[1] == "writing":
        os.kill(os.getpid(), signal.SIGKILL)
if sys.argv[1] == "replacing":
    real = Path.rename
    def rename(self, target):
        if target == Path("report").resolve():
            os.kill(os.getpid(), signal.SIGKILL)
        return real(self, target)
    Path.rename = rename
report.write_whole(Path("report"), write, "run")
"""


@pytest.mark.parametrize("when", ["writing", "replacing"])
def test_what_a_killed_report_left_is_swept_away(tmp_path, when):
    def write(folder):
        (folder / "index.html").write_text("old")

    def fails(folder):
        raise OSError(errno.ENOSPC, "No space left on device")

    write_whole(tmp_path / "report", write, "run")
    done = subprocess.run([sys.executable, "-c", KILLED, when], cwd=tmp_path, check=False)
    assert done.returncode == -9 and len(list(tmp_path.iterdir())) > 1
    with pytest.raises(InputError, match=r"No space left(?s:.*)fix: free space on this disk"):
        write_whole(tmp_path / "report", fails, "run")
    assert [p.name for p in tmp_path.iterdir()] == ["report"]
    assert (tmp_path / "report" / "index.html").read_text() == "old"
