"""Every kind of page at three widths, light and dark: nothing lies off screen, axe-core finds nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from browser import BROWSER, WIDTHS, axe, chosen, look
from kinds_of_pages import Pages

pytestmark = [
    pytest.mark.extra,
    pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed"),
    pytest.mark.skipif(axe() is None, reason="axe-core is not installed"),
]


@pytest.fixture(scope="module")
def seen(
    pages: Pages, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> dict[tuple[str, bool], list[dict[str, Any]]]:
    """What was found on pages of the kinds that were chosen, light and dark."""
    made, seen = {kind: pages(kind) for kind in chosen(request, "kind")}, {}
    for dark in (False, True):
        found, console = look(made, tmp_path_factory.mktemp("looked-at"), dark)
        assert console == [], console
        seen |= {(kind, dark): each for kind, each in found.items()}
    return seen


@pytest.mark.parametrize("kind", Pages.KINDS)
def test_a_page_is_readable_at_every_width(seen: dict[tuple[str, bool], list[dict[str, Any]]], kind: str) -> None:
    for dark in (False, True):
        found = seen[kind, dark]
        told = json.dumps(found, indent=1)
        assert sorted(f["width"] for f in found) == [*WIDTHS] and all(f["sideways"] <= 0 for f in found), told
        assert not any(f["axe"] for f in found), told
        assert not any(f["oneWay"] for f in found), "texts from right to left lie wrong"
