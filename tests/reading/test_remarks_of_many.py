"""What is said of a sign of damage that stands in several texts of a corpus."""

import re

import polars as pl
import pytest
from typer.testing import CliRunner

from ravenbench.cli.main import build
from ravenbench.reading.account import ACCOUNT
from ravenbench.reading.load import load_corpus
from ravenbench.text.damage import signs_of_damage


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


TURNS = {
    "an interview": ("Anna: It was so {n}.\n\nIna: And what of day {n}?\n\n", "speakers"),
    "an interview in bold": ("**Anna:** It was {n}.\n\n**Ina Roe:** And {n}?\n\n", "speakers"),
    "a court": ("THE COURT: What of {n}?\nMR. SMITH: Nothing of {n}.\n", "speakers"),
    "a play": (
        "HAMLET. I will, {n}.\n\nGHOST. Pity me not,\nBut lend me {n} ears.\n\n",
        "speakers",
    ),
    "a play in lines": ("HAMLET\nI will, {n}.\n\nFIRST GHOST\nPity me not {n}.\n\n", "speakers"),
    "SGML": ("<DOCNO> AP{n} </DOCNO>\n<HEAD>Of day {n}</HEAD>\nIt was so.\n", "sgml"),
    "tagged words": ("<w NN1>house</w> <w VVD>was</w> number {n} ", "sgml"),
}
OWN_WORDS = {
    "one who lists": "Bread{n}: {n} loaves.\nMilk{n}: two.\nIt was so.\n",
    "one who notes": "Note: this is {n}.\nNote: and this too.\n",
    "chapters": "CHAPTER {n}\n\nIt was so, and then it was not.\n\n",
    "one who compares": "If x < y and y > {n}, it is so.\n",
}


@pytest.mark.parametrize("kind", TURNS)
def test_words_of_several_speakers_and_marks_are_said(kind):
    turn, code = TURNS[kind]
    text = "".join(turn.format(n=number) for number in range(5))
    assert code in signs_of_damage(text), signs_of_damage(text)


@pytest.mark.parametrize("kind", OWN_WORDS)
def test_one_person_s_lines_are_no_turns(kind):
    text = "".join(OWN_WORDS[kind].format(n=number) for number in range(5))
    assert not {"speakers", "sgml"} & set(signs_of_damage(text))
