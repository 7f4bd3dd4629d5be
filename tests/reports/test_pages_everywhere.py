"""Every kind of page at three widths, light and dark: nothing lies off screen, axe-core finds nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from browser import BROWSER, WIDTHS, axe, look
from kinds_of_pages import Pages

pytestmark = [
    pytest.mark.extra,
    pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed"),
    pytest.mark.skipif(axe() is None, reason="axe-core is not installed"),
]


@pytest.mark.parametrize("kind", Pages.KINDS)
def test_a_page_is_readable_at_every_width(pages: Pages, tmp_path: Path, kind: str) -> None:
    for dark in (False, True):  # together, for the page is made once
        found, console = look(pages(kind), tmp_path / f"dark-{dark}", dark)
        told = json.dumps(found, indent=1)
        assert console == [], console
        assert len(found) == len(WIDTHS) and all(f["sideways"] <= 0 for f in found), told
        assert not any(f["axe"] for f in found), told
        assert not any(f["oneWay"] for f in found), "texts from right to left lie wrong"
