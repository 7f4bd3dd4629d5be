"""What is said of a sign of damage that stands in several texts of a corpus."""

import re

import polars as pl
from typer.testing import CliRunner

from ravenbench.cli.main import build
from ravenbench.reading.account import ACCOUNT
from ravenbench.reading.load import load_corpus


def test_signs_are_counted_over_all_texts_of_a_table(tmp_path):
    lost = (3, 5, 6)
    texts = ["it was a day like this " + "caf\ufffd " * n + f"and they went out {n}" for n in lost]
    rows = [("AB"[i % 2], "t", text) for i, text in enumerate([*texts, "none is lost in this one"])]
    pl.DataFrame(rows, schema=["author", "topic", "text"], orient="row").write_csv(
        tmp_path / "lost.csv"
    )
    notes = " ".join(map(str, load_corpus(tmp_path / "lost.csv", pairs=False).notes[ACCOUNT]))
    told = re.search(r"3 of 4 texts.*?\(U\+FFFD\): (\d+)", notes)
    assert told[1] == str(sum(lost)), notes


def test_a_folder_of_nearly_the_name_is_named(tmp_path, monkeypatch):
    (tmp_path / "novels").mkdir()
    monkeypatch.chdir(tmp_path)
    run = CliRunner().invoke(build("corpus"), ["corpus", "info", "novel"])
    assert "did you mean 'novels'" in str(run.exception.fix)
