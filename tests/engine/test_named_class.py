"""Somebody's class that has a name of its own, which is none of Raven's, is found again and repeated like any other."""

from __future__ import annotations

from pathlib import Path

import pytest

from ravenbench import registry
from ravenbench.components import identity
from ravenbench.tasks.run.task import Run
from ravenbench.verifiers.baselines import Length

SPEC = {
    "corpus": "synthetic(authors=40, topics=8, documents=240, words=60)",
    "topics": 4,
    "folds": 2,
    "pools": 1,
    "samplers": "random",
    "docs_per_topic": 20,
    "probe": "none",
}


def test_it_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    text = "from ravenbench.verifiers.baselines import Length\n\n\nclass Mine(Length):\n    name = 'my-own'\n"
    (tmp_path / "named_apart.py").write_text(text)
    first, again = (
        Run({**SPEC, "verifiers": "named_apart:Mine", "out": tmp_path / "run"}).prepare()
        for _ in range(2)
    )
    assert [c.key for c in again.plan.cells] == [c.key for c in first.plan.cells]
    assert again.plan.verifiers[0].name == again.plan.verifiers[0].spec == "named_apart:Mine"


def test_what_it_prints_finds_it_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    text = (
        "from ravenbench.verifiers.baselines import Length\n\n\nclass Heir(Length):\n    pass\n\n\n"
    )
    (tmp_path / "named_by_whom.py").write_text(text + "class Mine(Length):\n    name = 'my-own'\n")
    for path, name in (
        ("named_by_whom:Mine", "my-own"),
        ("named_by_whom:Heir", "named_by_whom:Heir"),
    ):
        component = registry.parse("verifier", path)
        assert str(component) == path
        # An inherited name is another class's, whose answers must not stand for its own.
        assert identity(component)["component"] == name


def test_a_class_that_cannot_be_found_again_prints_its_name() -> None:
    class Mine(Length):
        name = "my-own"

    assert str(Mine()) == "my-own"
    assert str(Length()) == "length"


def test_what_a_package_provides_prints_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    head = "from ravenbench.verifiers.baselines import Length\n\n\n"
    (tmp_path / "provides.py").write_text(head + "class Mine(Length):\n    name = 'my-provided'\n")
    info = tmp_path / "provides-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: provides\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[ravenbench.verifier]\nmy-provided = provides:Mine\n")
    assert str(registry.resolve("verifier", "provides:Mine")()) == "my-provided"
