"""``python -m benchmarks --compare``: rows that lost more than a tenth beyond their spread are named."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest


@pytest.fixture
def slower(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1]))
    from benchmarks.__main__ import slower

    assert "benchmarks" in sys.modules
    return slower


def row(name, seconds, spread=None, ratio=None):
    return {"name": name, "ours_seconds": seconds, "ratio": ratio, "spread": spread}


def test_a_row_without_a_peer_is_compared_by_its_seconds(slower):
    old = [row("a", 1.0, [0.9, 1.2])]
    assert slower(old, [row("a", 1.5, [1.3, 1.6])]) == []
    assert slower(old, [row("a", 1.5, [1.33, 1.6])]) == ["a: 1.5 seconds, 1 before"]
    assert slower(old, [row("b", 9.0, [9.0, 9.0])]) == [], "a new row has nothing to lose"


def test_a_row_with_a_peer_is_compared_by_its_ratio(slower):
    old = [row("a", 1.0, [9.0, 11.0], ratio=10.0)]
    assert slower(old, [row("a", 5.0, [8.0, 8.5], ratio=8.2)]) == [], "a busy machine slows both"
    assert slower(old, [row("a", 1.0, [7.0, 8.0], ratio=7.5)]) == [
        "a: 7.5 times as fast as its peer, 10 before"
    ]
