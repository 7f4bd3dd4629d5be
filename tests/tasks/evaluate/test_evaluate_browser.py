"""The page in a real browser: no console message, no request, sorting by mouse and keyboard."""

from __future__ import annotations

import html
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from browser import BROWSER, probed
from ravenbench.reading.answers import Truth
from ravenbench.tasks.evaluate.analysis import evaluate
from ravenbench.tasks.evaluate.report import draw, evaluation_page

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")

PROBE = """
<pre id="probe"></pre><script>
addEventListener("load", () => {
  const heads = document.querySelectorAll("#table-scores thead th");
  const column = i => Array.from(document.querySelectorAll("#table-scores tbody tr"), r => r.cells[i].textContent);
  const found = {};
  heads[2].firstElementChild.click(); found.down = column(2);
  heads[2].firstElementChild.click(); found.up = column(2);
  heads[0].firstElementChild.click(); found.names = column(0);
  const button = heads[3].firstElementChild;
  button.focus(); found.focused = document.activeElement === button;
  found.tag = button.tagName;
  found.cut = Array.from(document.querySelectorAll(".table"), t => [
    t.classList.contains("cut"), t.firstElementChild.scrollWidth > t.firstElementChild.clientWidth]);
  document.getElementById("probe").textContent = JSON.stringify(found);
});
</script>
"""


def opened(page: str, place: Path) -> tuple[dict[str, Any], list[str]]:
    """What the probe found in a page, and the browser's console."""
    assert BROWSER is not None
    place.write_text(probed(page, PROBE))
    quiet = [
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
    ]
    profile = f"--user-data-dir={place.parent / 'profile'}"
    command = [
        BROWSER,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--enable-logging=stderr",
        "--dump-dom",
    ]
    command += [*quiet, profile]
    done = subprocess.run(
        [*command, place.as_uri()], capture_output=True, text=True, timeout=180, check=True
    )
    found = re.search(r'<pre id="probe">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found, done.stderr
    return json.loads(html.unescape(found[1])), [
        line for line in done.stderr.splitlines() if "CONSOLE" in line
    ]


def test_page_in_a_browser(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    same = rng.random(200) < 0.5
    truth = Truth(np.array([f"p{i}" for i in range(200)]), same)
    systems = {
        f"s{i}": np.clip(same * 0.1 * i + rng.random(200) * (1 - 0.1 * i), 0, 1) for i in range(5)
    }
    evaluation = evaluate(truth, systems, replicates=100, trials=100)
    page = evaluation_page(evaluation, draw(evaluation))
    found, console = opened(page, tmp_path / "page.html")
    assert console == []
    figures = [float(v) for v in found["down"]]
    assert figures == sorted(figures, reverse=True) and found["up"] == found["down"][::-1]
    assert found["names"] == sorted(found["names"])
    assert found["cut"] and not any(cut or hidden for cut, hidden in found["cut"])
    assert found["focused"] and found["tag"] == "BUTTON"

    spoiled = page.replace(
        "<main",
        '<img src="http://localhost/x.png"><script>console.error("deliberate")</script><main',
    )
    _, console = opened(spoiled, tmp_path / "spoiled.html")
    assert not any("deliberate" in line for line in console), (
        "a script that is not the page's own does not run"
    )
    assert sum("Content Security Policy" in line for line in console) >= 2, (
        "it is refused, and so is the request"
    )
    assert any("localhost/x.png" in line for line in console), "a request would have been seen"
