"""A page in Chromium at three widths, light and dark, and as it is printed: what axe-core finds, whether it must be
pushed sideways, what of its tables is out of sight, and which words are broken."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import shutil
import subprocess
from collections.abc import Mapping
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

BROWSER = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
WIDTHS = (390, 768, 1280)
PAPER = 640
"""Pixels of a browser's page of A4 between its margins."""

VIOLATIONS = """async asked => (await axe.run(document, {...asked, resultTypes: ["violations"]})).violations.map(
  v => v.id + ": " + v.nodes.slice(0, 2).map(n => n.html.slice(0, 140)).join(" | "))"""
"""What axe-core, once loaded, finds on a page: a function in JavaScript of the options of axe-core."""
_PROBE = """
addEventListener("load", async () => {
  const found = {width: innerWidth, sideways: document.documentElement.scrollWidth - innerWidth};
  const wide = Array.from(document.querySelectorAll("body *")).filter(e =>
    e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll"));
  found.wide = wide.slice(0, 3).map(e => e.outerHTML.slice(0, 120));
  found.oneWay = Array.from(document.querySelectorAll("td, .heat p, .row")).filter(e =>
    getComputedStyle(e).unicodeBidi !== "plaintext").length;
  const asked = DARK ? {runOnly: ["color-contrast", "link-in-text-block"]}
    : {rules: {"region": {enabled: true}}};
  found.axe = await (VIOLATIONS)(asked);
  parent.postMessage(JSON.stringify(found), "*");
});
""".replace("VIOLATIONS", VIOLATIONS)
_FIT = """
addEventListener("load", async () => {
  if (PRINTED) dispatchEvent(new Event("beforeprint"));
  const found = {width: innerWidth, sideways: document.documentElement.scrollWidth - innerWidth};
  const seen = e => e.getClientRects().length > 0;
  const wide = Array.from(document.querySelectorAll(".scroll")).filter(seen);
  found.hidden = wide.filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.getAttribute("aria-label"));
  const cells = Array.from(document.querySelectorAll(".table th, .table td, dt")).filter(seen);
  found.columns = Array.from(document.querySelectorAll(".table table")).filter(seen).map(table => [
    table.closest(".table").id, table.tHead.rows[0].cells.length,
    Math.min(...Array.from(table.tBodies[0].rows, row => Array.from(row.cells).filter(
      cell => seen(cell) || cell.textContent === "").length), Infinity)]);
  found.cut = Array.from(document.querySelectorAll("svg use")).filter(seen).filter(point => {
    const clip = point.closest("[clip-path]"), name = clip && clip.getAttribute("clip-path").slice(5, -1);
    const inner = point.getBBox(), outer = clip && document.getElementById(name).firstElementChild.getBBox();
    const over = (a, b) => Math.max(outer[a] - inner[a], inner[a] + inner[b] - outer[a] - outer[b]) / inner[b];
    return clip && [["x", "width"], ["y", "height"]].some(([a, b]) => over(a, b) > 0.2 && over(a, b) < 0.8);
  }).map(point => point.closest("figure")?.id ?? "");
  found.cards = Array.from(document.querySelectorAll(".cards")).filter(seen).map(e => e.id);
  found.small = Math.min(...Array.from(document.querySelectorAll("svg text")).filter(seen).map(
    e => parseFloat(getComputedStyle(e).fontSize) * Math.hypot(e.getScreenCTM().a, e.getScreenCTM().b)));
  found.broken = [];
  for (const cell of cells) {
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      for (const word of node.data.matchAll(/[\\p{L}\\p{N}]+/gu)) {
        const range = document.createRange();
        range.setStart(node, word.index);
        range.setEnd(node, word.index + word[0].length);
        const tops = new Set(Array.from(range.getClientRects(), box => Math.round(box.top)));
        if (tops.size > 1 && word[0].length < 40) found.broken.push(word[0]);
      }
    }
  }
  parent.postMessage(JSON.stringify(found), "*");
});
"""
_HOST = """<!doctype html><meta charset="utf-8"><title>host</title>
<pre id="probe"></pre>
<script>
const found = [];
addEventListener("message", e => {{
  const frames = Array.from(document.querySelectorAll("iframe"), frame => frame.contentWindow);
  found[frames.indexOf(e.source)] = JSON.parse(e.data);
  if (Object.keys(found).length === {count}) document.getElementById("probe").textContent = JSON.stringify(found);
}});
</script>
{frames}
"""


def probed(page: str, probe: str) -> str:
    """A page with a probe at its end, whose script its policy admits beside its own."""
    script = re.search(r"<script>(.*?)</script>", probe, re.DOTALL)
    assert script and page.count("script-src 'sha256-") == 1, (
        "the page has a policy that names its scripts by hash"
    )
    digest = base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode()
    return page.replace("script-src ", f"script-src 'sha256-{digest}' ", 1).replace(
        "</body>", probe + "</body>"
    )


def axe() -> Path | None:
    """The script of axe-core, None where it is not installed."""
    spec = find_spec("axe_core_python")
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0]) / "axe.min.js"


def look(page: Path, work: Path, dark: bool = False) -> tuple[list[dict[str, Any]], list[str]]:
    """What was found at every width, and what the browser's console said; in the dark axe-core asks what colours
    change."""
    script = axe()
    assert script is not None
    axe_script = script.read_text(encoding="utf-8").replace("</script", "<\\/script")
    work.mkdir(parents=True, exist_ok=True)
    asked = _with_probes(
        page, work / "page.html", [axe_script, _PROBE.replace("DARK", json.dumps(dark))]
    )
    return _in_frames([(asked, width) for width in WIDTHS], work, dark)


def fit(pages: Mapping[str, Path], work: Path) -> dict[str, dict[str, dict[str, Any]]]:
    """What of each page is out of sight or broken: by its width, and ``print``, laid out as it is printed on A4."""
    work.mkdir(parents=True, exist_ok=True)
    asked = []
    for name, page in pages.items():
        screen = _with_probes(page, work / f"{name}.html", [_FIT.replace("PRINTED", "false")])
        printed = _with_probes(
            page, work / f"{name}-print.html", [_FIT.replace("PRINTED", "true")], printed=True
        )
        asked += [*((screen, width) for width in WIDTHS), (printed, PAPER)]
    found, _ = _in_frames(asked, work)
    of_frames = zip(asked, found, strict=True)
    return {
        name: {
            "print" if width == PAPER else str(width): one
            for (_, width), one in islice(of_frames, len(WIDTHS) + 1)
        }
        for name in pages
    }


def _with_probes(page: Path, place: Path, probes: list[str], printed: bool = False) -> Path:
    """A copy of a page with scripts at its end that its policy admits."""
    text = page.read_text(encoding="utf-8")
    if printed:  # its style is another then, which its policy would not admit
        text = re.sub(
            r"style-src-elem [^;\"]*",
            "style-src-elem 'unsafe-inline'",
            text.replace("@media print", "@media all"),
        )
    for probe in probes:
        digest = base64.b64encode(hashlib.sha256(probe.encode()).digest()).decode()
        assert "script-src " in text, f"{page} has no policy"
        text = text.replace("script-src 'none'", "script-src", 1)
        text = text.replace("script-src", f"script-src 'sha256-{digest}'", 1)
    text = text.replace(
        "</body>", "".join(f"<script>{probe}</script>" for probe in probes) + "</body>"
    )
    place.write_text(text, encoding="utf-8")
    return place


def _in_frames(
    pages: list[tuple[Path, int]], work: Path, dark: bool = False
) -> tuple[list[dict[str, Any]], list[str]]:
    """What the probes of pages tell, each in a frame of its width of one browser, and what its console said; in the
    order of the pages."""
    assert BROWSER is not None
    frames = "".join(
        f'<iframe title="w" src="{page.name}" width="{width}" height="2000"></iframe>'
        for page, width in pages
    )
    (work / "host.html").write_text(_HOST.format(frames=frames, count=len(pages)), encoding="utf-8")
    command = [
        BROWSER,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--enable-logging=stderr",
        "--dump-dom",
        "--virtual-time-budget=60000",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-sync",
        "--disable-component-update",
        f"--user-data-dir={work / 'profile'}",
        *(["--blink-settings=preferredColorScheme=0"] if dark else []),
        (work / "host.html").as_uri(),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=590, check=True)
    found = re.search(r'<pre id="probe">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found and found[1], done.stderr[-2000:]
    return json.loads(html.unescape(found[1])), [
        line for line in done.stderr.splitlines() if "CONSOLE" in line
    ]
