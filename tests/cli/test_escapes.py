"""Nothing that strangers named commands a terminal or a page, whatever the command and its output."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import ravenbench
from ravenbench.errors import OBEYED

HOSTILE = "a\x1b]0;x\x07\x9b31m\u202e\u2066b"
ROOT = Path(ravenbench.__file__).parent
TABLE, INBOX, OUT = "TABLE", "INBOX", "OUT"
COMMANDS = {
    "texts": ["texts", INBOX, "-o", OUT],
    "texts as JSON": ["texts", INBOX, "-o", OUT, "--json"],
    "info": ["corpus", "info", TABLE],
    "info as JSON": ["corpus", "info", TABLE, "--json"],
    "import": ["corpus", "import", TABLE, "-o", OUT],
    "problems": ["problems", TABLE, "--known", "1", "-o", OUT],
    "sample": ["sample", TABLE, "--topics", "2"],
    "attribute": ["attribute", TABLE, "--methods", "cosine-delta", "--folds", "2", "--workers", "1", "--out", OUT],
    "run": ["run", TABLE, "--verifiers", "length", "--folds", "2", "--topics", "4", "--workers", "1", "--out", OUT],
    "not there": ["run", HOSTILE],
    "no such option": ["run", TABLE, "--verifiers", HOSTILE],
}  # fmt: skip
SHOWN = {".html", ".svg", ".csv", ".tex", ".json"}


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("hostile")
    words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    rows = [
        {"id": f"{HOSTILE}{i}-{a}", "text": " ".join(f"{w}{i}{'s' * a}" for w in words * 6), "author": f"{HOSTILE}{a}",
         "topic": f"{HOSTILE}{i % 4}"}
        for a in range(6) for i in range(16)
    ]  # fmt: skip
    (folder / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    inbox = folder / "inbox"
    (inbox / "a\x1b[31m\u202ename").mkdir(parents=True)
    (inbox / "a\x1b[31m\u202ename" / "b\x9b.txt").write_text("My own words stand here.")
    (inbox / "a\x1b[31m\u202ename" / "c\x1b]0;x\x07.doc").write_bytes(b"x")
    (inbox / "m.eml").write_text(f"From: {HOSTILE} <e@x.org>\nSubject: {HOSTILE}\n\nMy own words too.\n", "utf-8")
    (inbox / "bad.eml").write_text("From: =?utf-8?q?=1B]0;x=07?=\nSubject: s\n\nMy own words as well.\n", "utf-8")
    return {"c.jsonl": folder / "c.jsonl", "inbox": inbox}


@pytest.mark.parametrize("name", COMMANDS)
def test_what_strangers_named_is_shown_and_not_obeyed(name: str, places: dict[str, Path], tmp_path: Path) -> None:
    where = {TABLE: str(places["c.jsonl"]), INBOX: str(places["inbox"]), OUT: str(tmp_path / "out")}
    command = [where.get(word, word) for word in COMMANDS[name]]
    done = subprocess.run(
        [sys.executable, "-m", "ravenbench", *command], capture_output=True, text=True, check=False, encoding="utf-8"
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode == (2 if name in ("not there", "no such option") else 0), done.stderr
    for said in (done.stdout, done.stderr):
        assert OBEYED.search(said) is None, said
    for path in (tmp_path / "out").rglob("*"):
        if path.suffix in SHOWN and path.name not in ("run.json", "plan.json"):  # records, which nobody is shown
            found = OBEYED.search(path.read_bytes().decode("utf-8"))
            assert found is None, (path, found)


def test_one_way_to_print() -> None:
    others = []
    for path in ROOT.rglob("*.py"):
        if path.name in ("show.py", "main.py") and path.parent.name == "cli":
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("typer.echo", "typer.secho", "click.echo"):
                others.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert not others, "say() of cli/show.py prints what strangers named"
