"""Without the extra a neural verifier's name is an error that says what to install; nothing else minds."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import pytest

from ravenbench import registry
from ravenbench.errors import MissingPart, SpecError


@pytest.mark.parametrize("name", ["luar", "encoder", "o2d2", "bagnall-2015"])
@pytest.mark.parametrize("lost", ["torch", "transformers", "safetensors"])
def test_the_error_names_the_command(monkeypatch, name, lost):
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda module: None if module == lost else real(module)
    )
    for module in [m for m in sys.modules if m.startswith("ravenbench.ext.shelf.neural")]:
        monkeypatch.delitem(sys.modules, module)
    with pytest.raises(MissingPart, match=r"pip install 'ravenbench\[neural\]'") as error:
        registry.parse("verifier", name)
    assert (lost if real("torch") else "torch") in str(error.value)


def test_verifiers_without_networks_import_no_torch():
    code = (
        "import sys\nfrom ravenbench import registry\n"
        "for name in ('char-ngram', 'ppm', 'raven-2026'): registry.parse('verifier', name)\n"
        "print([m for m in ('torch', 'transformers') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_a_device_that_is_none():
    from ravenbench.limits import RunLimits

    with pytest.raises(SpecError, match="cuda:NUMBER"):
        RunLimits(device="gpu")
