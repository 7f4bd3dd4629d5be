"""The network that docs/how-to/verifier.md loads from disk is a verifier that keeps every promise."""

import subprocess
import sys
from pathlib import Path

import pytest

from ravenbench.testing import check_verifier
from small_run import few

pytestmark = pytest.mark.extra

PAGE = Path(__file__).parents[4] / "docs" / "how-to" / "verifier.md"


def test_a_network_saved_as_safetensors_is_a_verifier(tmp_path, monkeypatch, need_extra):
    need_extra("torch")
    need_extra("safetensors")
    text = PAGE.read_text(encoding="utf-8")
    for name in ("tune.py", "net.py"):
        (tmp_path / name).write_text(
            text.split(f"<!-- file: {name} -->\n```python\n")[1].split("\n```\n")[0]
        )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    subprocess.run([sys.executable, "tune.py"], check=True)
    import net

    check_verifier(net.MINE, problems=few())
    del sys.modules["net"]
