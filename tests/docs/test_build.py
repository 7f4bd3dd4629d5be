"""The documentation builds without a warning: no broken link, no page left out, no docstring that does not parse."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from pages import ROOT

pytestmark = pytest.mark.extra


def test_the_documentation_builds(tmp_path):
    pytest.importorskip("mkdocs")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    page = (tmp_path / "site" / "reference" / "commands.html").read_text()
    assert "raven doctor" in page and "{{" not in page
    assert "<code>--verifiers TEXT</code>" in page and "─" not in page, (
        "options stand in tables, which no page cuts"
    )
    assert "raven corpus import" in page
    # Pages opened from a folder, without network, find things: the index and what searches it lie beside them.
    assert not re.search(r'<(script|link)[^>]+(src|href)="(https?:)?//', page)
    assert '<script src="../assets/iframe-worker.js">' in page
    assert "student" in (tmp_path / "site" / "search" / "search_index.js").read_text()
