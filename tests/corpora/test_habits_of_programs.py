"""What spreadsheets, learning platforms and people's own names of files make of authors and texts."""

import pytest

from ravenbench.corpora.load import load_corpus
from ravenbench.corpora.remarks import ACCOUNT
from ravenbench.text.damage import is_wordless, signs_of_damage
from ravenbench.text.names import handed_in_by, is_kind, is_several, lookalikes, name_key


@pytest.mark.parametrize("name", ["1.23457E+17", "7.65611979602879E+16", "1,2E17", "100000000000000000"])
def test_a_rounded_number_may_be_several_people(name):
    assert is_several(name)
    assert not is_several("76561197960287930")


def test_a_number_with_a_point_is_the_number():
    assert name_key("12.0") == name_key("12") != name_key("12.5")


@pytest.mark.parametrize("names", [("u/ann", "ann"), ("@bob", "bob"), ("https://x.org/u/carl", "carl")])
def test_an_address_may_be_its_person(names):
    assert lookalikes(names) == [names]


@pytest.mark.parametrize("name", ["2023-01-10", "20230110", "10.01.2023"])
def test_a_date_is_no_person(name):
    assert is_kind(name) and not is_kind("2023-01")


def test_a_cell_that_a_spreadsheet_cut_or_misread():
    assert any("32,767" in sign for sign in signs_of_damage("word " * 6553 + "wo"))
    assert is_wordless("#NAME?") and is_wordless("#DIV/0!") and not is_wordless("Name the reference.")


def test_what_a_learning_platform_packs(tmp_path):
    assert handed_in_by("Ann Roe_12_assignsubmission_file_") == "Ann Roe"
    assert handed_in_by("Participant_7_assignsubmission_file_a.txt") == "Participant 7"
    assert handed_in_by("Ann_Essay.txt") is None
    for number, person in enumerate(["Ann Roe", "Ann Roe", "Ben Low", "Ben Low"]):
        folder = tmp_path / f"{person}_{number}_assignsubmission_file_"
        folder.mkdir()
        (folder / "essay.txt").write_text(f"Essay {number} of a person of this class.")
    assert load_corpus(tmp_path).author.names == ("Ann Roe", "Ben Low")


def test_copies_that_differ_in_marks_and_drafts_are_said(tmp_path):
    long = " ".join(f"It's the {i}th of {i * i} words, and {i % 7} of them come {i % 5} times." for i in range(20))
    texts = {
        "ann/1": long, "ann/2": long + "And an end.", "ben/1": "A \"quoted\" word, and more of it.",
        "cat/1": "A “quoted” word, and more of it.", "ben/2": "Other words of Ben.",
    }  # fmt: skip
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.txt").write_text(text)
    said = "\n".join(load_corpus(tmp_path).notes[ACCOUNT])
    assert "texts of two authors that are copies of each other" in said and "cut or added: ben/1 and cat/1" in said
    assert "one author that repeat each other, as drafts do: ann/1 and ann/2" in said


def test_more_topics_than_authors_may_be_the_other_way_round(tmp_path):
    for topic in ("war", "love"):
        for person in ("ann", "ben", "cat"):
            (tmp_path / topic / person).mkdir(parents=True)
            (tmp_path / topic / person / "essay.txt").write_text(f"An essay by {person} on {topic}.")
    said = "\n".join(load_corpus(tmp_path).notes[ACCOUNT])
    assert "read as authors: love, war; and as topics: ann, ben, cat" in said
