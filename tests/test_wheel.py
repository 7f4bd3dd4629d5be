"""The package: two builds of one source give the same bytes, and nothing of a build goes into the repository."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BUILD = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"


def built(folder: Path, epoch: str) -> Path:
    """A wheel of this source."""
    command = [sys.executable, "-c", BUILD, str(folder)]
    done = subprocess.run(
        command, cwd=ROOT, env={"SOURCE_DATE_EPOCH": epoch, "PATH": "/usr/bin:/bin"}, capture_output=True, check=True
    )
    return folder / done.stdout.decode().split()[-1]


def test_the_wheel_builds_reproducibly(tmp_path: Path) -> None:
    pytest.importorskip("hatchling")
    wheels = [built(tmp_path / name, "1700000000") for name in ("a", "b")]
    first, second = (hashlib.sha256(wheel.read_bytes()).hexdigest() for wheel in wheels)
    assert first == second
    names = zipfile.ZipFile(wheels[0]).namelist()
    assert "ravenbench/files.py" in names and not [n for n in names if n.endswith(".pyc") or n.startswith("tests")]
    later = built(tmp_path / "c", "1800000000")
    assert hashlib.sha256(later.read_bytes()).hexdigest() != first, "the epoch is not what dates the files"
