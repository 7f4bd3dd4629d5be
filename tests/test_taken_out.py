"""An extension that is taken out of a copy of the tree leaves the bench working, and no trace in lists and help."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ravenbench

OUT = ("case", "site")
ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("tree")
    # What was compiled of the rest goes along: it is told by times and sizes of its sources.
    without = shutil.ignore_patterns(*OUT)
    shutil.copytree(Path(ravenbench.__file__).parent, place / "ravenbench", ignore=without)
    return place


def raven(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ravenbench", *arguments],
        cwd=tree,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(tree), "COLUMNS": "80"},
    )


@pytest.mark.slow
def test_the_bench_works_without_them(tree: Path) -> None:
    listed = raven(tree, "--help").stdout
    assert "evaluate" in listed and "retrieve" in listed
    assert not [name for name in ("compare", "validate", "advise") if f"│ {name} " in listed]
    doctor = raven(tree, "doctor").stdout
    assert all(f"extension {name}" in doctor for name in OUT)
    world = "synthetic(documents=120, authors=24, topics=6, words=40)"
    sizes = ["--topics", "3", "--folds", "2", "--pools", "1", "--workers", "1"]
    done = raven(tree, "run", world, "--verifiers", "length, char-ngram", *sizes, "--out", "run")
    assert done.returncode == 0 and (tree / "run" / "report" / "index.html").is_file(), done.stderr


TABLES = "architecture or in_the_table or up_to_date or what_is_public or importable or takes_its_columns or of_a_job"
"""Tests of the bench that look at all commands, pages, readers and names."""


@pytest.mark.slow
@pytest.mark.parametrize("gone", [("case", "unknown"), ("contrast",)], ids="-".join)
def test_the_tests_of_the_bench_stand_without_them(gone: tuple[str, ...], tmp_path: Path) -> None:
    """Every file of tests is imported, and those that have tables are tried; unknown uses case."""
    for part in ("src", "tests", "docs", "benchmarks"):
        shutil.copytree(ROOT / part, tmp_path / part)
    for file in (path for path in ROOT.iterdir() if path.is_file()):
        shutil.copy(file, tmp_path)
    for name in gone:
        shutil.rmtree(tmp_path / "src" / "ravenbench" / "ext" / name, ignore_errors=True)
        shutil.rmtree(tmp_path / "tests" / "ext" / name, ignore_errors=True)
    options = [
        "-n",
        "0",
        "-q",
        "-p",
        "no:cacheprovider",
        "--assert=plain",
        "--ignore",
        "tests/ext",
        "-k",
        TABLES,
    ]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "tests"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "src")},
    )
    assert done.returncode == 0, done.stdout[-4000:]
    assert "[100%]" in done.stdout


@pytest.mark.slow
def test_what_needs_them_is_not_offered(tree: Path) -> None:
    (tree / "t.txt").write_text("A text of some words.")
    for author in "AB":
        (tree / "c" / author).mkdir(parents=True)
        (tree / "c" / author / "1.txt").write_text(f"What {author} wrote in some words.")
    done = raven(tree, "attribute", "--unknown", "t.txt", "--candidates", "c")
    assert done.returncode == 2 and "No such option" in done.stderr
    assert "Traceback" not in done.stderr
