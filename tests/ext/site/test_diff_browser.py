"""Both views of 6,000 words in a real browser: no console message, no request, and the keys work."""

import re
import subprocess

import pytest
from test_diff_columns import long_pair

from browser import BROWSER, probed
from ravenbench.ext.site.diff.comparison import columns_page, compare, diff_page

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")

PROBE = """<pre id="probe"></pre><script>addEventListener("load", () => {
  const press = (key) => dispatchEvent(new KeyboardEvent("keydown", { key }));
  const count = (what) => document.querySelectorAll(what).length;
  press("j");
  const found = [count(".here")];
  press("b");
  found.push(count("body.blind"), Math.round(performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd));
  document.getElementById("probe").textContent = found.join(" ");
});</script>"""
QUICK = 2000
"""Milliseconds; a busy machine takes a twentieth of that."""


def opened(page, place):
    """What the probe found, and the browser's console under the page's policy, which refuses every request."""
    place.write_text(probed(page, PROBE))
    quiet = [
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
    ]
    command = [
        BROWSER,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--enable-logging=stderr",
        "--dump-dom",
        *quiet,
    ]
    command += [f"--user-data-dir={place.parent / 'profile'}", place.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=True)
    found = re.search(r'<pre id="probe">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found, done.stderr
    return [int(n) for n in found[1].split()], [
        line for line in done.stderr.splitlines() if "CONSOLE" in line
    ]


def test_flow_view(tmp_path):
    (here, blind, took), console = opened(
        diff_page(compare("x", long_pair(), "one", surprisal=False)), tmp_path / "page.html"
    )
    assert (here, blind, console) == (1, 1, [])
    assert took < QUICK


def test_columns(tmp_path):
    both = [compare("x", long_pair(), name, surprisal=False) for name in ("one", "two")]
    (here, blind, took), console = opened(columns_page(both), tmp_path / "page.html")
    assert (here, blind, console) == (1, 0, [])
    assert took < QUICK
