"""Unknown texts that stand in a table."""

import csv

import pytest

from ravenbench.errors import InputError
from ravenbench.ext.unknown.candidates import read_question


def words(author, number):
    return " ".join(f"{author}{number} wrote line {k} of it." for k in range(20))


def test_unknown_texts_may_stand_in_a_table(tmp_path):
    for author in ("Ann", "Bob"):
        for number in range(2):
            (tmp_path / "known").mkdir(exist_ok=True)
            (tmp_path / "known" / f"{author}_{number}.txt").write_text(words(author, number))
    with (tmp_path / "unknown.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("id", "text"))
        writer.writerows((f"q{number}", words("Ann", number)) for number in (7, 8))
    reading = {"encoding": "utf-8"}
    question = read_question(
        [str(tmp_path / "unknown.csv")], str(tmp_path / "known"), {**reading, "topic": None}
    )
    assert [text.name for text in question.unknown] == ["q7", "q8"]
    assert question.unknown[1].text == words("Ann", 8)
    (tmp_path / "unknown.csv").write_text("name,words\na,b\n")
    with pytest.raises(InputError, match="column 'text' not found"):
        read_question([str(tmp_path / "unknown.csv")], str(tmp_path / "known"), reading)
