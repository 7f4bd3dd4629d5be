"""Every kind of page at three widths, light and dark: nothing lies off screen, axe-core finds nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from browser import BROWSER, WIDTHS, axe, look
from typer.testing import CliRunner

from ravenbench.cli.main import build
from ravenbench.formats.pan_problems import write_pan_problems
from ravenbench.reports.site.api import site
from ravenbench.testing import toy_problems

pytestmark = [
    pytest.mark.extra,
    pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed"),
    pytest.mark.skipif(axe() is None, reason="axe-core is not installed"),
]


def raven(*arguments: object) -> None:
    done = CliRunner().invoke(build(str(arguments[0])), [str(a) for a in arguments])
    assert done.exit_code == 0, done.output


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    place = tmp_path_factory.mktemp("pages")
    for split, seed in (("train", 1), ("test", 2)):
        write_pan_problems(place / "toy" / split, *toy_problems(60, known=2, seed=seed))
    corpus = ("synthetic(documents=300, authors=40, topics=8)", "--workers", 1)
    raven(
        "run", *corpus, "--topics", 4, "--folds", 2, "--pools", 1, "--repetitions", 2, "--out", place / "run",
        "--verifiers", "char-ngram, style-only, length",
    )  # fmt: skip
    toy = place / "toy"
    raven("pan14", toy, "--verifiers", "char-ngram, function-words", "--out", place / "pan14", "--workers", 1)
    raven(
        "safety", toy, "--train", toy, "--obfuscators", "identity, random", "--verifiers", "char-ngram, function-words",
        "--attacks", "none", "--out", place / "safety", "--workers", 1,
    )  # fmt: skip
    raven("attribute", *corpus, "--methods", "nb,svm", "--out", place / "attribute")
    found = {name: place / name / "report" / "index.html" for name in ("run", "pan14", "safety", "attribute")}
    found["site"] = site([place / "run", place / "pan14"], place / "site")
    found["board"] = place / "site" / "boards" / "run.html"
    return found


@pytest.mark.parametrize("kind", ["run", "pan14", "safety", "attribute", "site", "board"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_page_is_readable_at_every_width(pages: dict[str, Path], tmp_path: Path, kind: str, dark: bool) -> None:
    found, console = look(pages[kind], tmp_path / "work", dark)
    told = json.dumps(found, indent=1)
    assert console == [], console
    assert len(found) == len(WIDTHS) and all(f["sideways"] <= 0 for f in found), told
    assert not any(f["axe"] for f in found), told
