"""Every kind of page on a phone, a tablet, a screen and on paper: nothing is out of sight, and no word is broken."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from browser import BROWSER, WIDTHS, fit
from contracts.tasks import TASKS
from kinds_of_pages import Pages

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
OF_JOBS = [kind for kind in Pages.KINDS if kind in TASKS and kind != "run"]
"""Kinds of which the page of the task's smallest job is looked at, which other tests need too; those of larger ones by
``-m slow``."""


LEGIBLE = 5
"""Pixels of the smallest type in a figure, on a phone."""
TOGETHER = 8
"""Pages that one browser opens at once: it takes longer to start than to lay a page out."""


@pytest.fixture(scope="module")
def seen(pages: Pages, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    made = {
        k: pages.job(k) / "report" / "index.html" if k in OF_JOBS else pages(k) for k in Pages.KINDS
    }
    found: dict[str, dict[str, Any]] = {}
    for first in range(0, len(made), TOGETHER):
        some = dict(list(made.items())[first : first + TOGETHER])
        found |= fit(some, tmp_path_factory.mktemp("fit"))
    return found


@pytest.mark.parametrize("kind", Pages.KINDS)
def test_nothing_is_lost(seen: dict[str, dict[str, Any]], kind: str) -> None:
    look_at(seen[kind])


@pytest.mark.slow
@pytest.mark.parametrize("kind", OF_JOBS)
def test_nothing_is_lost_of_larger_jobs(pages: Pages, tmp_path: Path, kind: str) -> None:
    look_at(fit({kind: pages(kind)}, tmp_path)[kind])


def look_at(seen: dict[str, Any]) -> None:
    assert seen.keys() == {*map(str, WIDTHS), "print"}
    for where, found in seen.items():
        told = f"{where}: {json.dumps(found, indent=1)}"
        assert found["sideways"] <= 0, told
        assert all(heads == cells for _, heads, cells in found["columns"] if cells is not None), (
            told
        )
        assert not found["broken"] and not found["hidden"] and not found["cut"], told
        assert found["small"] is None or found["small"] >= LEGIBLE, told
