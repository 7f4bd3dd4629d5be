"""The walk of docs/how-to/disputed-text.md, as a reader would take it."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ravenbench.cli.main import build
from ravenbench.ext.case.compare.record import Why
from ravenbench.reports.report import analyse
from ravenbench.store.store import Store

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "disputed-text.md"


def block(kind: str) -> str:
    """The first fenced block of a kind."""
    found = re.search(rf"```{kind}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    return found[1]


def test_the_walk_ends_as_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("ravenbench.ext.case.compare.background.FEWEST_AUTHORS", 20)
    Path("passages.txt").write_text(
        (PAGE.parents[1] / "data" / "passages.txt").read_text(encoding="utf-8"), encoding="utf-8"
    )
    exec(compile(block("python"), str(PAGE), "exec"), {})
    _, *arguments = shlex.split(block("sh"))
    result = CliRunner().invoke(build("compare"), [*arguments, "--workers", "1"])
    assert result.exit_code == 0, result.output
    (found,) = analyse(Store.open("case")).cases
    assert found.scored is None and found.reasons[0].why is Why.FEW_AUTHORS
    assert "Raven gives no answer" in Path("case/report/index.html").read_text(encoding="utf-8")
