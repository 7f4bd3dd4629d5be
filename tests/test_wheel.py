"""The package: two builds of one source give the same bytes, an index would take it, and it has one version."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import ravenbench

ROOT = Path(__file__).parents[1]
BUILD = "import sys; from hatchling.build import build_{0}; print(build_{0}(sys.argv[1]))"


def built(folder: Path, epoch: str, kind: str = "wheel") -> Path:
    """A wheel or an sdist of this source."""
    command = [sys.executable, "-c", BUILD.format(kind), str(folder)]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={"SOURCE_DATE_EPOCH": epoch, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        check=True,
    )
    return folder / done.stdout.decode().split()[-1]


def test_the_wheel_builds_reproducibly(tmp_path: Path) -> None:
    pytest.importorskip("hatchling")
    wheels = [built(tmp_path / name, "1700000000") for name in ("a", "b")]
    first, second = (hashlib.sha256(wheel.read_bytes()).hexdigest() for wheel in wheels)
    assert first == second
    names = zipfile.ZipFile(wheels[0]).namelist()
    assert "ravenbench/files.py" in names and not [
        n for n in names if n.endswith(".pyc") or n.startswith("tests")
    ]
    about = f"ravenbench-{ravenbench.__version__}.dist-info"
    assert {name.partition("/")[0] for name in names} == {"ravenbench", about}
    later = built(tmp_path / "c", "1800000000")
    assert hashlib.sha256(later.read_bytes()).hexdigest() != first, (
        "the epoch is not what dates the files"
    )


@pytest.mark.extra
def test_an_index_would_take_both(tmp_path: Path, need_extra) -> None:
    need_extra("hatchling")
    need_extra("twine")
    wheel, source = (built(tmp_path, "1700000000", kind) for kind in ("wheel", "sdist"))
    done = subprocess.run(
        [sys.executable, "-m", "twine", "check", "--strict", str(wheel), str(source)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    with tarfile.open(source) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
        "tests/test_wheel.py",
        "docs/release.md",
        "paper.md",
        "recipe/recipe.yaml",
        "examples/raven.R",
        "Containerfile",
        ".dockerignore",
        ".zenodo.json",
    } <= names
    assert not [
        name
        for name in names
        if "__pycache__" in name or name.startswith(("raven-runs", ".hypothesis"))
    ]


def test_there_is_one_version() -> None:
    version = ravenbench.__version__
    for file in ("CITATION.cff", "README.md", "src/ravenbench/references.bib"):
        stated = re.findall(r"(?<!-)version(?:: | = \{)([\d.]+)", (ROOT / file).read_text())
        assert stated and set(stated) == {version}, file
