"""Columns of a table that nobody named are guessed, and what was guessed is said."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from ravenbench.cli.main import build
from ravenbench.errors import FormatError
from ravenbench.ext.corpora.summary import questions, summarise
from ravenbench.reading.tables import read_table

LONG = (
    "these are the many words of a text that somebody wrote about something in particular, number "
)


def table(tmp_path, names=("Body", "user_id", "subreddit"), **more):
    path = tmp_path / "mine.jsonl"
    with path.open("w") as file:
        for i in range(40):
            text, author, topic = names
            row = {
                author: f"u{i % 8}",
                topic: f"t{i // 8}",
                text: LONG + str(i),
                "score": i % 3,
                **more,
            }
            file.write(json.dumps(row) + "\n")
    return path


@pytest.mark.parametrize(
    "names",
    [
        ("Body", "user_id", "subreddit"),
        ("Full Text", "Author Name", "Category"),
        ("wording", "poster", "board"),
    ],
)
def test_columns_are_found_by_name_and_texts_by_length(tmp_path, names):
    corpus = read_table(table(tmp_path, names))
    assert corpus.notes["columns"] == dict(zip(("text", "author", "topic"), names, strict=True))
    assert len(corpus.author.names) == 8 and corpus.topic.names == ("t0", "t1", "t2", "t3", "t4")
    assert corpus.texts[0].startswith("these are") and list(corpus.columns) == ["score"]


def test_a_named_column_is_taken_and_nothing_is_guessed_for_it(tmp_path):
    corpus = read_table(table(tmp_path), author="score", topic=None)
    assert corpus.notes["columns"] == {"text": "Body"} and set(corpus.author.names) == {
        "0",
        "1",
        "2",
    }
    with pytest.raises(FormatError, match="column 'authro' not found"):
        read_table(table(tmp_path), author="authro")


def test_what_is_not_there_is_said_with_all_columns_and_the_way_out(tmp_path):
    with pytest.raises(FormatError) as told:
        read_table(table(tmp_path, ("text", "author", "month")))
    assert "column 'topic' not found" in str(told.value) and "month (5)" in str(told.value)
    assert "different values in 40 rows" in str(told.value)
    assert "--topic none" in str(told.value)
    with pytest.raises(FormatError, match="column 'text' not found"):
        read_table(table(tmp_path, ("stuff", "author", "topic"), other=LONG * 2))


def test_the_command_tells_what_it_took_and_what_can_be_asked(tmp_path):
    shown = CliRunner().invoke(build("corpus"), ["corpus", "info", str(table(tmp_path))])
    assert (
        shown.exit_code == 0
        and "text: Body, author: user_id, topic: subreddit" in shown.output.replace("\n", " ")
    )
    said = " ".join(shown.output.split())
    assert "✓ content" in said and "✗ training domain" in said


def test_questions_follow_the_counts(tmp_path):
    few = {q.question.split(":")[0]: q for q in questions(summarise(read_table(table(tmp_path))))}
    assert few["new topics"].possible and not few["one disputed text"].possible
    assert (
        "here 5" in few["training domain"].answer
        and "authors with several documents: only 8" in few["content"].answer
    )
    none = questions(summarise(read_table(table(tmp_path), topic=None)))
    assert [q.possible for q in none] == [True, False, False, True, False]
