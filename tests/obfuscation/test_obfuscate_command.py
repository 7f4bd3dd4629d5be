import json

import numpy as np
import pytest
from typer.testing import CliRunner

from ravenbench.cli.main import build
from ravenbench.errors import InputError
from ravenbench.reading.pan_obfuscation import read_parts
from ravenbench.reading.problem_formats.pan_folders import write_pan_problems
from ravenbench.reading.problems import read_problems
from ravenbench.testing import toy_tasks
from ravenbench.types import Problems


def raven(*arguments):
    found = CliRunner().invoke(
        build("obfuscate"), ["obfuscate", *map(str, arguments)], catch_exceptions=False
    )
    assert found.exit_code == 0, found.output
    return found.stdout


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """Runs keep their folders below the working folder."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def problem_set(tmp_path, no_resources):
    rows = [(task.id, task.known, task.questioned) for task in toy_tasks(4)]
    problems = Problems.of(rows)
    return write_pan_problems(
        tmp_path / "set", problems, np.array([True, False, True, False]), "english", "toys"
    )


def test_a_problem_set_is_written_back(problem_set, tmp_path):
    out = json.loads(
        raven("random(rate=0.5)", problem_set, "--out", tmp_path / "out", "--seed", 3, "--json")
    )
    assert (
        out["texts"] == out["changed"] == 2 and out["seed"] == 3 and out["operations"]["drop"] > 0
    )
    before, after = read_problems(problem_set), read_problems(tmp_path / "out")
    assert (
        after.language == "english"
        and after.genre == "toys"
        and after.truth().tolist() == before.truth().tolist()
    )
    for i, name in enumerate(before.problems.ids.tolist()):
        old = before.problems.texts[before.problems.questioned_index[i]]
        new = after.problems.texts[after.problems.questioned_index[i]]
        assert before.problems.texts.rows(before.problems.known(i)) == after.problems.texts.rows(
            after.problems.known(i)
        )
        parts = tmp_path / "out" / name / "obfuscation.json"
        if before.truth()[i]:
            assert new != old and "".join(p.obfuscation for p in read_parts(parts, old)) == new
        else:
            assert new == old and not parts.exists()
    with pytest.raises(InputError, match="not empty"):
        raven("identity", problem_set, "--out", tmp_path / "out")


def test_all_and_missing_truth(problem_set, tmp_path):
    (problem_set / "truth.txt").unlink()
    with pytest.raises(InputError, match="--all"):
        raven("random", problem_set, "--out", tmp_path / "a")
    assert (
        json.loads(raven("identity", problem_set, "--out", tmp_path / "b", "--all", "--json"))[
            "texts"
        ]
        == 4
    )


def test_a_text_keeps_its_mark_and_line_ends(tmp_path, no_resources):
    source = tmp_path / "essay.txt"
    text = (
        "\ufeff"
        + "They have written about a good house.\r\nThe children like it very much.\r\n" * 4
    )
    source.write_bytes(text.encode())
    shown = raven("random(rate=0.4)", source, "--out", tmp_path / "new.txt")
    assert (
        "1 of 1 text changed" in shown
        and "nltk.downloader wordnet" in shown.partition("\nin short: ")[2]
    )
    new = (tmp_path / "new.txt").read_bytes().decode()
    assert new.startswith("\ufeff") and new.count("\r\n") > 4 and new != text
    parts = read_parts(tmp_path / "new.obfuscation.json", text)
    assert (
        "".join(p.original for p in parts) == text and "".join(p.obfuscation for p in parts) == new
    )
    with pytest.raises(InputError, match="exists"):
        raven("identity", source, "--out", tmp_path / "new.txt")


def test_a_folder_of_texts(tmp_path):
    (tmp_path / "in" / "sub").mkdir(parents=True)
    (tmp_path / "in" / "a.txt").write_text("Text a.")
    (tmp_path / "in" / "sub" / "b.txt").write_text("Text b.")
    raven("identity", tmp_path / "in", "--out", tmp_path / "out")
    assert (tmp_path / "out" / "sub" / "b.txt").read_text() == "Text b."
    assert (tmp_path / "out" / "sub" / "b.obfuscation.json").exists()


def test_a_table_of_pairs_is_read_as_problems(tmp_path):
    (tmp_path / "t.csv").write_text("text1,text2,label\nOne.,Two.,1\nThree.,Four.,0\n")
    raven("identity", tmp_path / "t.csv", "--out", tmp_path / "out")
    assert (tmp_path / "out" / "1" / "unknown.txt").read_text() == "Two."


def test_known_texts_can_be_given(tmp_path, no_resources):
    task = toy_tasks(1)[0]
    (tmp_path / "q.txt").write_text(task.questioned * 3)
    (tmp_path / "k.txt").write_text(task.known[0])
    result = raven(
        "bevendorff-2019",
        tmp_path / "q.txt",
        "--known",
        tmp_path / "k.txt",
        "--out",
        tmp_path / "o.txt",
        "--json",
    )
    assert json.loads(result)["changed"] == 1


@pytest.mark.parametrize(
    ("data", "message"), [(b"\xff\xfea\x00", "UTF-16"), (b"caf\xe9", "not UTF-8")]
)
def test_bad_text(tmp_path, data, message):
    (tmp_path / "q.txt").write_bytes(data)
    with pytest.raises(InputError, match=message):
        raven("identity", tmp_path / "q.txt", "--out", tmp_path / "o.txt")


def test_nothing_to_rewrite(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no text found here"):
        raven("identity", tmp_path / "empty", "--out", tmp_path / "o")
    with pytest.raises(InputError, match="file or folder not found"):
        raven("identity", tmp_path / "none.txt", "--out", tmp_path / "o")
