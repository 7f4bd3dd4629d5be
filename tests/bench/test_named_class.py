"""A run with somebody's class that has a name of its own, which is none of Raven's, is repeated like any other."""

from __future__ import annotations

from pathlib import Path

import pytest

from ravenbench.bench.run.api import prepare
from ravenbench.bench.run.spec import build

SPEC = {
    "corpus": "synthetic(authors=40, topics=8, documents=240, words=60)",
    "topics": 4, "folds": 2, "pools": 1, "samplers": "random", "docs_per_topic": 20, "probe": "none",
}  # fmt: skip


def test_it_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    text = "from ravenbench.verifiers.controls.length import Length\n\n\nclass Mine(Length):\n    name = 'my-own'\n"
    (tmp_path / "named_apart.py").write_text(text)
    first, again = (prepare(build(SPEC | {"verifiers": "named_apart:Mine"}), tmp_path / "run") for _ in range(2))
    assert [c.key for c in again.plan.cells] == [c.key for c in first.plan.cells]
    assert again.plan.verifiers[0].name == "my-own"
