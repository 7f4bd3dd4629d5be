"""Every kind of page on a phone, a tablet, a screen and on paper: nothing is out of sight, and no word is broken."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from browser import BROWSER, fit
from kinds_of_pages import Pages

pytestmark = [
    pytest.mark.extra,
    pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed"),
]


@pytest.mark.parametrize("kind", Pages.KINDS)
def test_nothing_is_lost(pages: Pages, tmp_path: Path, kind: str) -> None:
    for where, found in fit(pages(kind), tmp_path).items():
        told = f"{where}: {json.dumps(found, indent=1)}"
        assert found["sideways"] <= 0, told
        assert all(heads == cells for _, heads, cells in found["columns"] if cells is not None), told
        assert not found["broken"], told
        if where in ("390", "print"):
            assert not [label for label in found["hidden"] if label and label.startswith("Table")], told
