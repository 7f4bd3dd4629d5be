"""The examples in docstrings run and give what they say."""

import doctest
import importlib
from pathlib import Path

import pytest

import ravenbench

ROOT = Path(ravenbench.__file__).parent
MODULES = sorted(
    ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in ROOT.rglob("*.py")
    if ">>> " in path.read_text("utf-8")
)


def test_families_show_an_example():
    assert {"ravenbench.metrics", "ravenbench.metrics.base", "ravenbench.obfuscation.base"} < set(
        MODULES
    )
    assert len(MODULES) >= 12


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted and not found.failed
