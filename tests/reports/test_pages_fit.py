"""Every kind of page on a phone, a tablet, a screen and on paper: nothing is out of sight, and no word is broken."""

from __future__ import annotations

import json
from typing import Any

import pytest

from browser import BROWSER, WIDTHS, chosen, fit
from contracts.tasks import TASKS
from kinds_of_pages import Pages

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
OF_JOBS = [kind for kind in Pages.KINDS if kind in TASKS and kind != "run"]
"""Kinds of which the page of the task's smallest job is looked at, which other tests need too."""
LARGER = {f"{kind}, larger": kind for kind in OF_JOBS}
"""Their pages of larger jobs, by ``-m slow``."""


@pytest.fixture(scope="module")
def seen(
    pages: Pages, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> dict[str, dict[str, Any]]:
    made = {
        name: pages.job(name) / "report" / "index.html" if name in OF_JOBS else pages(LARGER.get(name, name))
        for name in chosen(request, "name")
    }
    return fit(made, tmp_path_factory.mktemp("fit"))


@pytest.mark.parametrize("name", [*Pages.KINDS, *(pytest.param(name, marks=pytest.mark.slow) for name in LARGER)])
def test_nothing_is_lost(seen: dict[str, dict[str, Any]], name: str) -> None:
    look_at(seen[name])


def look_at(seen: dict[str, Any]) -> None:
    assert seen.keys() == {*map(str, WIDTHS), "print"}
    for where, found in seen.items():
        told = f"{where}: {json.dumps(found, indent=1)}"
        assert found["sideways"] <= 0, told
        assert all(heads == cells for _, heads, cells in found["columns"] if cells is not None), told
        assert not found["broken"], told
        if where in ("390", "print"):
            assert not [label for label in found["hidden"] if label and label.startswith("Table")], told
