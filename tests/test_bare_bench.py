"""With all extensions and their entry points deleted, the README's first command gives the same report."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

import ravenbench


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the bench, and metadata that names no extension."""
    place = tmp_path_factory.mktemp("bare")
    shutil.copytree(
        Path(ravenbench.__file__).parent,
        place / "ravenbench",
        ignore=shutil.ignore_patterns("ext", "__pycache__"),
    )
    about = distribution("ravenbench")
    info = place / f"ravenbench-{about.version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(about.read_text("METADATA") or "", "utf-8")
    points = about.read_text("entry_points.txt") or ""
    (info / "entry_points.txt").write_text(
        re.sub(r"(?m)^.*ravenbench\.(ext|tasks\.api)\b.*\n", "", points), "utf-8"
    )
    return place


def raven(cwd: Path, bare: Path | None, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "RAVEN_CACHE": str(cwd / "cache")}
    if bare is not None:
        environment["PYTHONPATH"] = str(bare)
    command = [sys.executable, "-m", "ravenbench", *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)


def test_defaults_that_an_extension_would_bring_are_left_out_and_named(
    bare: Path, tmp_path: Path
) -> None:
    code = (
        "from ravenbench import registry; from ravenbench.tasks.safety.spec import DEFAULT_VERIFIERS as given; "
        "from ravenbench.errors import remarks_gathered\n"
        "with remarks_gathered() as said: print(list(registry.named('verifier', given, default=given)), said)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(bare)},
        capture_output=True,
        text=True,
    )
    left = "['char-ngram', 'ppm', 'function-words']"
    assert done.stdout.startswith(left), done.stderr
    assert (
        "Raven leaves out these default verifiers, because they are not installed: cng-2013"
        in done.stdout
    )


@pytest.mark.slow
def test_the_first_command_gives_the_same_report(bare: Path, tmp_path: Path) -> None:
    reports = []
    for name, tree in (("bare", bare), ("whole", None)):
        place = tmp_path / name
        place.mkdir()
        done = raven(place, tree, "run")
        assert done.returncode == 0, done.stderr
        (report,) = place.glob("raven-runs/synthetic-*/report/report.json")
        reports.append(report.read_bytes())
    assert reports[0] == reports[1]
