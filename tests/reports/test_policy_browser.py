"""The page of every task in a real browser: under its own policy nothing it needs is refused, and nothing else runs."""

from __future__ import annotations

import base64
import hashlib
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from test_evaluate_browser import BROWSER

from ravenbench.bench.attribute.api import attribute
from ravenbench.bench.obfuscate.api import obfuscate
from ravenbench.bench.pan14.api import pan14
from ravenbench.bench.safety.api import safety
from ravenbench.bench.shared.store import Store
from ravenbench.bench.simulate.api import simulate
from ravenbench.bench.verify.api import verify
from ravenbench.formats.pan_problems import write_pan_problems
from ravenbench.reports.of_any import REPORTS, write_report
from ravenbench.reports.shared.page import policy
from ravenbench.testing import toy_problems

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")

SMALL = "synthetic(documents=120, authors=4, topics=6, words=60)"
WORLD = "synthetic(style=0.5, documents=900, authors=100, topics=24, words=50)"


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sets") / "toy"
    for split, seed in (("train", 1), ("test", 2)):
        write_pan_problems(folder / split, *toy_problems(20, 2, seed=seed, words=60))
    return folder


MAKERS: dict[str, Callable[[Path, Path], Store]] = {
    "pan14": lambda sets, out: pan14([sets], verifiers="length", out=out, workers=1).store,
    "verify": lambda sets, out: (
        verify("length", test=sets / "test", train=sets / "train", out=out.parent / "a", folder=out, workers=1).store
    ),
    "obfuscate": lambda sets, out: (
        obfuscate("random(rate=0.5)", sets / "test", out=out.parent / "hidden", folder=out, workers=1).store
    ),
    "safety": lambda sets, out: (
        safety(
            problems=str(sets / "test"), train=str(sets / "train"), obfuscators="random(rate=0.9)", verifiers="length",
            out=out, workers=1,
        ).store
    ),
    "attribute": lambda sets, out: attribute(SMALL, methods="nb", folds=2, out=out, workers=1).store,
    "simulate": lambda sets, out: (
        simulate(
            corpus=WORLD, doses=(0.3,), pools=1, folds=2, repetitions=2, replicates=2, out=out, workers=1
        ).store
    ),
}  # fmt: skip


def console(page: Path, place: Path) -> list[str]:
    """What a browser says on its console when it opens a page."""
    assert BROWSER is not None
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom"]
    command += ["--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
    done = subprocess.run(
        [*command, f"--user-data-dir={place}", page.as_uri()], capture_output=True, text=True, timeout=180, check=True
    )
    assert "<main" in done.stdout
    return [line for line in done.stderr.splitlines() if "CONSOLE" in line]


def test_all_tasks_are_looked_at() -> None:
    assert {*MAKERS, "run", "compare"} == set(REPORTS), "a new task has a page to look at"


@pytest.mark.parametrize("task", MAKERS)
def test_page_of(task: str, sets: Path, tmp_path: Path) -> None:
    page = write_report(MAKERS[task](sets, tmp_path / "run"))
    assert page.read_text().count("Content-Security-Policy") == 1
    assert console(page, tmp_path / "profile") == []


def test_page_of_a_run_with_hostile_names(hostile_run: Store, tmp_path: Path) -> None:
    page = write_report(hostile_run)
    text = page.read_text()
    assert "'unsafe-inline'" not in text and "default-src 'none'; script-src 'sha256-" in text
    assert not any((ord(c) < 32 and c not in "\t\n") or 127 <= ord(c) < 160 for c in text)
    assert console(page, tmp_path / "profile") == []
    smuggled = tmp_path / "smuggled.html"
    smuggled.write_text(
        text.replace("<main", '<script>console.error("ran")</script><p style="color: red"></p><main', 1)
    )
    found = console(smuggled, tmp_path / "profile")
    assert len(found) >= 2 and not any('"ran"' in line for line in found)


def digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def test_policy_names_scripts_and_styles_by_hash() -> None:
    page = '<style>a{}</style><script>1</script><script type="application/json">2</script><p style="top: 0">'
    assert policy(page) == (
        f"default-src 'none'; script-src 'sha256-{digest('1')}'; style-src-elem 'sha256-{digest('a{}')}'; "
        f"style-src-attr 'unsafe-hashes' 'sha256-{digest('top: 0')}'; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )
    assert "script-src 'none'" in policy("<p>")
