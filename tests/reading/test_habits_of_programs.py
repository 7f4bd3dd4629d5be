"""What spreadsheets, learning platforms and people's own names of files make of authors and texts."""

import re
import zipfile

import pytest

from notes import account
from ravenbench.errors import CorpusError, FormatError
from ravenbench.reading.account import ACCOUNT
from ravenbench.reading.load import load_corpus
from ravenbench.reading.remarks import prepared_otherwise
from ravenbench.text.damage import is_wordless, signs_of_damage
from ravenbench.text.names import handed_in_by, is_kind, is_several, lookalikes, name_key


@pytest.mark.parametrize(
    "name", ["1.23457E+17", "7.65611979602879E+16", "1,2E17", "100000000000000000"]
)
def test_a_rounded_number_may_be_several_people(name):
    assert is_several(name)
    assert not is_several("76561197960287930")


def test_a_number_with_a_point_is_the_number():
    assert name_key("12.0") == name_key("12") != name_key("12.5")


@pytest.mark.parametrize(
    "names", [("u/ann", "ann"), ("@bob", "bob"), ("https://x.org/u/carl", "carl")]
)
def test_an_address_may_be_its_person(names):
    assert lookalikes(names) == [names]


@pytest.mark.parametrize("name", ["2023-01-10", "20230110", "10.01.2023"])
def test_a_date_is_no_person(name):
    assert is_kind(name) and not is_kind("2023-01")


def test_a_cell_that_a_spreadsheet_cut_or_misread():
    assert "cell-limit" in signs_of_damage("word " * 6553 + "wo")
    assert (
        is_wordless("#NAME?") and is_wordless("#DIV/0!") and not is_wordless("Name the reference.")
    )


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
    long = " ".join(
        f"It's the {i}th of {i * i} words, and {i % 7} of them come {i % 5} times."
        for i in range(20)
    )
    texts = {
        "ann/1": long,
        "ann/2": long + "And an end.",
        "ben/1": 'A "quoted" word, and more of it.',
        "cat/1": "A “quoted” word, and more of it.",
        "ben/2": "Other words of Ben.",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.txt").write_text(text)
    found = account(tmp_path)
    assert found["copies-of-two"] == ("ben/1 and cat/1",)
    assert found["copies-of-one"] == ("ann/1 and ann/2",)


def test_more_topics_than_authors_may_be_the_other_way_round(tmp_path):
    for topic in ("war", "love"):
        for person in ("ann", "ben", "cat"):
            (tmp_path / topic / person).mkdir(parents=True)
            (tmp_path / topic / person / "essay.txt").write_text(
                f"An essay by {person} on {topic}."
            )
    (note,) = (n for n in load_corpus(tmp_path).notes[ACCOUNT] if n.code == "authors-topics")
    assert note.places == ("ann", "ben", "cat") and note.values["authors"] == ("love", "war")


PEOPLE = ["Ann Dowd", "Bill Evans", "Cara Fox", "Dan Green", "Eve Hill", "Frank Irons"]


def written(
    place, change=lambda text, person, number: text, name="{person}/{number}.txt", numbers=3
):
    """Texts by six people; ``change`` makes of each what a program or a person makes of it."""
    for index, person in enumerate(PEOPLE):
        for number in range(numbers):
            file = place / name.format(person=person, number=number)
            file.parent.mkdir(parents=True, exist_ok=True)
            words = " ".join(f"w{index}x{number}y{i} and it's the {i}th one;" for i in range(20))
            file.write_text(change(words, index, number))
    return place


def test_an_author_s_name_in_a_part_of_the_texts_is_said(tmp_path):
    assert "signed" not in account(written(tmp_path / "none"))
    heads = written(
        tmp_path / "heads",
        lambda text, who, n: f"{PEOPLE[who]}\n\n{text}" if n == who % 3 == 0 else text,
    )
    assert account(heads)["signed"] == ("Ann Dowd/0", "Dan Green/0")
    within = written(
        tmp_path / "within",
        lambda text, who, n: f"{text} says {PEOPLE[who]}. {text}" if n < 1 else text,
    )
    assert len(account(within)["signed"]) == 6
    others = written(
        tmp_path / "others", lambda text, who, n: f"{text} {', '.join(PEOPLE)}" if n < 1 else text
    )
    assert "signed" not in account(others)


def test_quotation_marks_that_tell_authors_apart_are_said(tmp_path):
    def curly(text):
        return text.replace("'", "’")

    by_author = written(tmp_path / "author", lambda text, who, n: curly(text) if who % 2 else text)
    notes = {note.code: note for note in load_corpus(by_author).notes[ACCOUNT]}
    assert notes["marks-by-author"].count == notes["marks-by-author"].values["lacking"] == 3
    for name, change in {
        "all": lambda text, who, n: curly(text),
        "by text": lambda text, who, n: curly(text) if n % 2 else text,
    }.items():
        assert "marks-by-author" not in account(written(tmp_path / name, change))


PREPARED = {
    "no capitals": str.lower,
    "no marks of punctuation": lambda text: re.sub("[^A-Za-z0-9 ]", "", text),
    "blanks before commas and full stops": lambda text: re.sub(r"([,.])", r" \1", text),
    "the long s (ſ)": lambda text: re.sub("s(?=[a-z])", "ſ", text),
    "v for u, as in vpon": lambda text: text.replace("until", "vntil").replace("upon", "vpon"),
    "accents": lambda text: text.replace("e", "é"),
    "typographic quotation marks or apostrophes (“ ’)": lambda text: text.replace("'", "’"),
}
SENTENCE = "He said, upon the whole, that it wasn't so until Sunday, and she's gone. "


@pytest.mark.parametrize("mark", PREPARED)
def test_a_preparation_that_is_one_author_s_alone_is_said(tmp_path, mark):
    def text(words, number):
        return " ".join(f"{SENTENCE}{word} it is." for word in words.split()[:9]) + f" {number}"

    for place, change in (("one", PREPARED[mark]), ("none", str)):
        made = written(
            tmp_path / place,
            lambda words, who, n, change=change: (change if who == 1 else str)(text(words, n)),
        )
        said = {
            note.values["mark"]: note
            for note in load_corpus(made).notes.get(ACCOUNT, ())
            if note.code == "marks-by-author"
        }
        assert (mark in said) == (place == "one"), said
        assert place == "none" or said[mark].places == (PEOPLE[1],) or said[mark].count == 5


def test_a_notice_in_one_author_s_texts_alone_is_said(tmp_path):
    notice = "Scanned by volunteers of the reading room in the old town hall.\n\n"
    by_one = written(tmp_path / "one", lambda text, who, n: notice + text if who == 2 else text)
    assert account(by_one)["notice-of-one"] == (PEOPLE[2],)
    by_two = written(
        tmp_path / "two", lambda text, who, n: notice + text if who in (2, 3) else text
    )
    assert "notice-of-one" not in account(by_two)


def test_topics_that_list_the_same_in_another_order_may_be_one(tmp_path):
    rows = [
        f"Text {i} of {i * i} words.,{'ann' if i % 2 else 'bob'},{'a; b' if i < 4 else 'b; a'}"
        for i in range(8)
    ]
    (tmp_path / "t.csv").write_text(
        "\n".join(["text,author,topic", *rows, "And one more.,ann,a; c"])
    )
    assert account(tmp_path / "t.csv")["topics-alike"] == ("a; b / b; a",)


@pytest.mark.parametrize("sign", ["\\{}", "./{}", "{}"])
def test_names_in_a_zip_as_programs_write_them(tmp_path, sign):
    folder = written(tmp_path / "c")
    with zipfile.ZipFile(tmp_path / "c.zip", "w") as archive:
        for file in sorted(folder.rglob("*.txt")):
            name = file.relative_to(folder).as_posix()
            name = name.replace("/", "\\") if "\\" in sign else sign.format(name)
            archive.write(file, name)
    assert load_corpus(tmp_path / "c.zip").digest() == load_corpus(folder).digest()
    with zipfile.ZipFile(tmp_path / "c.zip", "a") as archive:
        archive.writestr(".//" + PEOPLE[0] + "/0.txt", "Another text of this name.")
    with pytest.raises(FormatError, match="duplicate name in this zip"):
        load_corpus(tmp_path / "c.zip")


def test_a_refusal_says_what_may_be_its_cause(tmp_path):
    deep = written(tmp_path / "deep", name="top/inner/{person}/{number}.txt")
    with pytest.raises(
        CorpusError,
        match=r"check this first: Raven reads this folder as one author: inner; .* give .*deep/top/inner\. If",
    ):
        load_corpus(deep)
    assert load_corpus(deep / "top" / "inner").author.names == tuple(PEOPLE)
    (tmp_path / "t.csv").write_text(
        'text,author,topic\nOne text.,Jane Roe,a\nTwo texts.,"Roe, Jane",a\n'
    )
    with pytest.raises(
        CorpusError,
        match=r"may refer to the same person: Jane Roe / Roe, Jane; .*\. If it is not the cause, add m",
    ):
        load_corpus(tmp_path / "t.csv")
    for name in ("c.tar.gz", "t.csv.bz2"):
        (tmp_path / name).write_bytes(b"\x1f\x8bx")
        with pytest.raises(FormatError, match=r"fix: unpack it$"):
            load_corpus(tmp_path / name)
    zips = tmp_path / "zips"
    zips.mkdir()
    for person in PEOPLE:
        zipfile.ZipFile(zips / f"{person}.zip", "w").close()
    with pytest.raises(FormatError, match="unpack each zip into a folder of the same name"):
        load_corpus(zips)


def test_documents_beside_plain_texts_are_named_with_the_reason(tmp_path):
    folder = written(tmp_path / "c", name="{person}_{number}.txt")
    (folder / "Ann Dowd_9.xml").write_text("<TEI/>")
    assert account(folder)["documents-beside"] == ("Ann Dowd_9.xml",)


@pytest.mark.parametrize("mark", PREPARED)
def test_a_text_in_question_that_is_prepared_otherwise_is_said(mark):
    """Once where it alone has the mark, and once where it alone lacks it; not where a tenth of the others do so too."""
    known = [f"{SENTENCE * 9} Number {number}." for number in range(8)]
    marked = [PREPARED[mark](text) for text in known]

    def said(questioned, others):
        notes = prepared_otherwise([("q", questioned)], others, "known texts")
        return {(note.code, note.values["mark"]) for note in notes}

    assert ("marks-in-question", mark) in said(marked[0], known[1:])
    assert ("marks-of-others", mark) in said(known[0], marked[1:])
    assert not said(known[0], known[1:]) and not said(marked[0], marked[1:])
    assert not said(marked[0], known[1:4] + marked[4:])


def test_markdown_beside_plain_texts_is_no_text(tmp_path):
    """Markdown is read where there is nothing else; beside plain texts it is about them."""
    for author in ("ann", "bob"):
        (tmp_path / author).mkdir()
        for number in range(2):
            (tmp_path / author / f"{number}.txt").write_text(f"{author} writes text {number}.")
        (tmp_path / author / "notes.md").write_text(f"Notes on {author}.")
    assert len(load_corpus(tmp_path)) == 4
