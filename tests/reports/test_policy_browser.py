"""The page of every task in a real browser: under its own policy nothing it needs is refused, and nothing else runs."""

from __future__ import annotations

import base64
import hashlib
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from browser import BROWSER
from contracts.tasks import TASKS, Task
from kinds_of_pages import Pages
from ravenbench.engine.task import declared_of
from ravenbench.reports.page import policy
from ravenbench.reports.report import write_report
from ravenbench.store.store import Store
from stub import of_raven

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")


HOST = """<!DOCTYPE html><title>host</title><pre id="probe">0</pre><script>
const count = () => document.getElementById("probe").textContent++;
</script>{frames}"""


def console(pages: list[Path], place: Path) -> list[str]:
    """What a browser says on its console when it opens pages, each in a frame of its own and under its own policy."""
    assert BROWSER is not None
    place.mkdir()
    frames = "".join(f'<iframe onload="count()" src="{page.as_uri()}"></iframe>' for page in pages)
    (place / "host.html").write_text(HOST.format(frames=frames), encoding="utf-8")
    command = [
        BROWSER,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--enable-logging=stderr",
        "--dump-dom",
    ]
    command += [
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
    ]
    command += [f"--user-data-dir={place / 'profile'}", (place / "host.html").as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=590, check=True)
    assert f'<pre id="probe">{len(pages)}</pre>' in done.stdout, "not every page was opened"
    return [line for line in done.stderr.splitlines() if "CONSOLE" in line]


def test_all_tasks_are_looked_at() -> None:
    with_page = {name for name in of_raven() if getattr(declared_of(name), "report", "")}
    assert with_page <= set(Pages.KINDS), "a new task has a page to look at"


OTHERS = {"evaluate", "diff", "columns"}
"""Kinds that take little more than their page; all others, of larger jobs than the smallest, are the slow test's."""


@pytest.mark.parametrize(
    "kinds", [OTHERS, pytest.param({*Pages.KINDS}, marks=pytest.mark.slow)], ids=["small", "all"]
)
def test_pages_of_every_kind(
    kinds: set[str], finished: Callable[[Task], Path], pages: Pages, tmp_path: Path
) -> None:
    """Those of each task's smallest job, and others."""
    made = [finished(task) / "report" / "index.html" for task in TASKS.values()]
    made += [pages(kind) for kind in Pages.KINDS if kind in kinds]
    for page in made:
        text = page.read_text(encoding="utf-8")
        assert text.count("Content-Security-Policy") == 1 and "<main" in text, page
    assert console(made, tmp_path / "all") == []


def test_page_of_a_run_with_hostile_names(hostile_run: Store, tmp_path: Path) -> None:
    page = write_report(hostile_run)
    text = page.read_text()
    assert "'unsafe-inline'" not in text and "default-src 'none'; script-src 'sha256-" in text
    assert not any((ord(c) < 32 and c not in "\t\n") or 127 <= ord(c) < 160 for c in text)
    assert console([page], tmp_path / "hostile") == []
    smuggled = tmp_path / "smuggled.html"
    smuggled.write_text(
        text.replace(
            "<main", '<script>console.error("ran")</script><p style="color: red"></p><main', 1
        )
    )
    found = console([page, smuggled], tmp_path / "smuggled")
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
