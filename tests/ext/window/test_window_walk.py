"""A teacher goes from the first screen to the page of a class in five clicks, in a real browser, at both widths."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from windows import window

from browser import BROWSER, VIOLATIONS, axe

sys.path.insert(0, str(Path(__file__).parents[1] / "case"))
from comparable import background

pytestmark = [
    pytest.mark.extra,
    pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed"),
]
AUTHORS = 21
"""Raven answers from twenty background authors on."""
PATIENCE = 180_000
"""Milliseconds that a busy machine may take for a class."""
WIDTHS = (390, 1280)


def violations(page):
    """What axe-core finds on a page, in light and in dark, with all options open."""
    found = []
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    page.evaluate(axe().read_text("utf-8"))
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        told = page.evaluate(VIOLATIONS, {"rules": {"region": {"enabled": True}}})
        found += [f"{page.url} {scheme}: {one}" for one in told]
    return found


@pytest.fixture(scope="module")
def browser(need_extra):
    for module in ("starlette", "uvicorn"):
        need_extra(module)
    driver = need_extra("playwright.sync_api")
    with driver.sync_playwright() as play:
        opened = play.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield opened
        opened.close()


def test_five_clicks_lead_to_the_page_of_a_class(browser, tmp_path):
    folder = tmp_path / "term <b>2"
    background(folder / "class", range(AUTHORS), 3, 120)
    trouble = []
    shots = []
    with window(folder) as opened:
        page = browser.new_page()
        page.on("console", lambda message: trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))

        def look(name):
            over = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            unnamed = page.locator("input:not([type=hidden]):not([id]), textarea:not([id])")
            assert unnamed.count() == 0 and page.get_attribute("html", "lang") == "en"
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 900})
                assert page.evaluate(over) == 0, f"{name} must be pushed sideways"
                shots.append(tmp_path / f"{len(shots) // len(WIDTHS)}-{name}-{width}.png")
                page.screenshot(path=shots[-1])

        page.goto(opened.address)
        look("first")
        page.get_by_role("link", name="A class").click()
        page.get_by_label("Folder of the class (needed)").wait_for()
        look("form")
        page.get_by_role("button", name="Choose: Folder of the class").click()
        look("choose")
        page.get_by_role("button", name="class/", exact=True).click()
        page.get_by_role("button", name="Use this folder").click()
        assert page.get_by_label("Folder of the class (needed)").input_value() == "class"
        look("chosen")
        page.go_back()
        page.get_by_role("button", name="Use this folder").wait_for()
        page.go_forward()
        page.get_by_role("button", name="Start", exact=True).click()
        page.get_by_role("button", name="Cancel").wait_for()
        look("working")
        page.get_by_role("button", name="Cancel").wait_for(state="detached", timeout=PATIENCE)
        assert page.url.endswith("/index.html"), page.content()
        assert "class" in page.title()
        look("result")
        assert page.evaluate("self.origin") == "null"
        page.goto(opened.address)
        assert page.get_by_role("link", name="raven compare --each=class").count() == 1
        look("afterwards")
        assert page.locator(".list a", has_text="compare-class").count() == 1
        page.close()
    assert trouble == []
    assert len(shots) == 7 * len(WIDTHS)


@pytest.mark.skipif(axe() is None, reason="axe-core is not installed")
def test_axe_finds_nothing_on_the_pages_of_the_window(browser, tmp_path):
    found, seen = [], set()
    with window(tmp_path) as opened:
        page = browser.new_page()
        page.goto(opened.address)
        doors = page.eval_on_selector_all("a[href*='form/']", "links => links.map(a => a.href)")
        for address in (opened.address, *doors):
            page.goto(address)
            seen.add(page.url)
            found += violations(page)
        with page.expect_navigation():
            page.locator("button", has_text="Choose").first.click()
        found += violations(page)
        job = opened.start("evaluate", truth="<b>gone</b>.jsonl", answers="gone.jsonl")
        opened.ended(job)
        page.goto(f"{opened.address}job/{job}")
        found += violations(page)
        page.close()
    assert len(seen) > 5, seen
    assert not found, "\n".join(found)
