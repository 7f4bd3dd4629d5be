"""Where texts and their authors may stand: in Markdown and LaTeX, beside a table that names authors."""

import csv
import random

import pytest

from ravenbench.reading.load import load_corpus

COMMON = [
    "the",
    "of",
    "and",
    "to",
    "a",
    "in",
    "that",
    "it",
    "is",
    "was",
    "he",
    "for",
    "on",
    "with",
    "as",
    "his",
    "they",
    "be",
    "at",
    "one",
    "have",
    "this",
]


def words(author, number, count=120):
    rng = random.Random(f"{author}{number}")
    return " ".join(rng.choice([*COMMON, *(f"{author}{k}" for k in "xyz")]) for _ in range(count))


@pytest.mark.parametrize("ending", [".md", ".tex"])
def test_a_folder_of_such_files_is_a_corpus(tmp_path, ending):
    for author in ("Ann", "Bob"):
        for number in range(2):
            (tmp_path / f"{author}_{number}{ending}").write_text(words(author, number))
    (tmp_path / "README.md").write_text("These are letters.")
    corpus = load_corpus(tmp_path, topic="none")
    assert len(corpus) == 4 and set(corpus.author.names) == {"Ann", "Bob"}


def test_markdown_beside_plain_texts_tells_of_them_and_is_none(tmp_path):
    for author in ("Ann", "Bob"):
        for number in range(2):
            (tmp_path / f"{author}_{number}.txt").write_text(words(author, number))
    (tmp_path / "Notes_1.md").write_text("Where the letters were found.")
    assert len(load_corpus(tmp_path, topic="none")) == 4


def test_a_table_beside_the_texts_says_who_wrote_each(tmp_path):
    rows = [("file", "author")]
    for number in range(6):
        author = ("Ann", "Bob")[number % 2]
        (tmp_path / f"letter{number}.txt").write_text(words(author, number))
        rows.append((f"letter{number}.txt", author))
    with (tmp_path / "metadata.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    corpus = load_corpus(tmp_path, topic="none")
    assert [corpus.author.names[code] for code in corpus.author.codes] == ["Ann", "Bob"] * 3
    rows[1] = ("letter0.txt", "")
    with (tmp_path / "metadata.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    assert len(load_corpus(tmp_path, topic="none")) == 5, "who is not named is nobody"
