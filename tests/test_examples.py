"""The examples in docstrings run and give what they say."""

import doctest
import importlib

import pytest

MODULES = (
    "metrics", "sampling.base", "problems.base", "topics.base", "attribution.base", "obfuscation.base",
    "obfuscation.translators", "text.distortion", "corpora.synthetic", "statistics.mcnemar",
)  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str) -> None:
    found = doctest.testmod(importlib.import_module(f"ravenbench.{name}"))
    assert found.attempted and not found.failed
