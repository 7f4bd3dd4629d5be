"""The formats in which people bring texts, pairs, truth and answers; and what is refused instead of guessed."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest

from notes import account
from ravenbench.engine.guard import without_words
from ravenbench.errors import CorpusError, FormatError, InputError
from ravenbench.metrics.pan import scores
from ravenbench.reading.account import ACCOUNT
from ravenbench.reading.answers import Aligned, pan_measures, read_answers, read_systems, read_truth
from ravenbench.reading.archive import Archive
from ravenbench.reading.load import load_corpus
from ravenbench.reading.problems import read_problem_sets, read_problems
from ravenbench.text.names import (
    is_nobody,
    is_several,
    label_key,
    lookalikes,
    may_be_nobody,
    name_key,
    near_ids,
    one_name_each,
    one_spelling,
    plain_name,
)
from ravenbench.types import Problems

ROWS = [
    ("ann", "x", "One text of hers."),
    ("ann", "y", "Two texts."),
    ("bob", "x", "Three."),
    ("bob", "y", "Four."),
]


def lines(separator=",", head=("author", "topic", "text")):
    return "".join(separator.join(row) + "\n" for row in (head, *ROWS))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", lines()),
        ("b.csv", "sep=;\n" + lines(";")),
        ("c.csv", lines("|")),
        ("d.csv", lines().replace("\n", ",,,\n")),
        ("e.csv.gz", lines()),
        (
            "f.json",
            json.dumps([dict(zip(("author", "topic", "text"), row, strict=True)) for row in ROWS]),
        ),
        (
            "g.jsonl.gz",
            "".join(
                json.dumps(dict(zip(("author", "topic", "text"), r, strict=True))) + "\n"
                for r in ROWS
            ),
        ),
        ("h.tsv", lines("\t")),
    ],
)
def test_a_table_is_read_however_it_was_saved(tmp_path, name, content):
    data = content.encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    corpus = load_corpus(tmp_path / name)
    assert (
        list(zip(corpus.author, corpus.topic, corpus.texts, strict=True)) == ROWS
        and corpus.name == name[0]
    )


def workbook(path, cells, merged=""):
    def cell(value):
        number = isinstance(value, int)
        return (
            f"<c><v>{value}</v></c>" if number else f'<c t="inlineStr"><is><t>{value}</t></is></c>'
        )

    sheet = "".join("<row>" + "".join(map(cell, row)) + "</row>" for row in cells)
    merges = f'<mergeCells count="1"><mergeCell ref="{merged}"/></mergeCells>' if merged else ""
    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
        "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="r" '
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
        'Target="xl/workbook.xml"/></Relationships>',
        "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="s" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" '
        'Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/workbook.xml": '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
        'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>'
        '<sheet name="texts" sheetId="1" r:id="s"/></sheets></workbook>',
        "xl/worksheets/sheet1.xml": '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
        f"<sheetData>{sheet}</sheetData>{merges}</worksheet>",
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)


def test_a_sheet_of_excel(tmp_path):
    pytest.importorskip("python_calamine")
    workbook(tmp_path / "c.xlsx", [("author", "topic", "text"), *ROWS])
    assert list(load_corpus(tmp_path / "c.xlsx").texts) == [text for _, _, text in ROWS]


def test_a_sheet_with_merged_cells_long_numbers_and_a_title(tmp_path):
    pytest.importorskip("python_calamine")
    rows = [
        ("author", "text"),
        ("Ann", "One."),
        ("", "Two."),
        (76561197960287931, "Three."),
        (12, "Four."),
    ]
    workbook(tmp_path / "merged.xlsx", rows, merged="A2:A3")
    corpus = load_corpus(tmp_path / "merged.xlsx", topic=None)
    assert list(corpus.author) == ["Ann", "Ann", "7.65611979602879E+16", "12"]
    workbook(tmp_path / "title.xlsx", [("Essays of a class",), ("",), *rows])
    with pytest.raises(FormatError, match=r"is a title(.|\n)*before row 3"):
        load_corpus(tmp_path / "title.xlsx", topic=None)


@pytest.mark.parametrize(
    "end", [b'<row r="4294967295"/>', b'<row r="9"><c r="ZZZZZZZ9"><v>1</v></c></row>']
)
def test_a_cell_beyond_any_sheet_is_refused(tmp_path, end):
    pytest.importorskip("python_calamine")
    workbook(tmp_path / "c.xlsx", [("author", "topic", "text"), *ROWS])
    with (
        zipfile.ZipFile(tmp_path / "c.xlsx") as packed,
        zipfile.ZipFile(tmp_path / "far.xlsx", "w") as far,
    ):
        for name in packed.namelist():
            far.writestr(name, packed.read(name).replace(b"</sheetData>", end + b"</sheetData>"))
    with pytest.raises(FormatError, match="has too many cells"):
        load_corpus(tmp_path / "far.xlsx")


def test_a_sheet_whose_last_cell_lies_far_away(tmp_path):
    pytest.importorskip("python_calamine")
    workbook(tmp_path / "c.xlsx", [("author", "topic", "text"), *ROWS])
    with (
        zipfile.ZipFile(tmp_path / "c.xlsx") as packed,
        zipfile.ZipFile(tmp_path / "far.xlsx", "w") as far,
    ):
        for name in packed.namelist():
            end = b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
            far.writestr(name, packed.read(name).replace(b"</sheetData>", end))
    with pytest.raises(FormatError, match=r"has too many cells(.|\n)*1,048,576 rows of 16,384"):
        load_corpus(tmp_path / "far.xlsx")


def test_rows_that_a_quotation_mark_swallows(tmp_path):
    table = "id\tauthor\ttext\n" + "".join(
        f"{i}\t{'ab'[i % 2]}\t{mark}Some words of text {i}.{end}\n"
        for i, (mark, end) in enumerate(
            [("", ""), ('"', ""), ("", ""), ("", '"'), ("", ""), ("", "")]
        )
    )
    (tmp_path / "t.tsv").write_text(table, "utf-8")
    with pytest.raises(
        FormatError, match=r"t.tsv:3: .*joins this row and the next(.|\n)*--unquoted"
    ):
        load_corpus(tmp_path / "t.tsv", topic=None)
    corpus = load_corpus(tmp_path / "t.tsv", topic=None, unquoted=True)
    assert len(corpus) == 6 and corpus.texts[1] == '"Some words of text 1.'
    proper = io.StringIO()
    writer = csv.writer(proper)
    writer.writerow(["author", "text"])
    writer.writerows(
        [["ab"[i % 2], f"Dear all, a letter\nof {i} lines, here\nand there."] for i in range(6)]
    )
    (tmp_path / "p.csv").write_text(proper.getvalue(), "utf-8")
    assert len(load_corpus(tmp_path / "p.csv", topic=None)) == 6, (
        "texts of several lines are no swallowed rows"
    )


def test_faulty_rows_are_told_together_or_left_out(tmp_path):
    (tmp_path / "c.csv").write_text(lines() + "ann,x,\n,x,Five.\nbob,y,Six.\n", "utf-8")
    with pytest.raises(
        FormatError, match=r"2 unusable rows(.|\n)*c.csv:6(.|\n)*c.csv:7(.|\n)*--skip-faulty"
    ):
        load_corpus(tmp_path / "c.csv")
    corpus = load_corpus(tmp_path / "c.csv", skip_faulty=True)
    assert len(corpus) == 5 and len(account(corpus)["faulty-rows"]) == 2


PAIRS = [
    ("One text.", "Another.", 1),
    ("One text.", "By another.", 0),
    ("Third one.", "Fourth one.", 1),
]


@pytest.mark.parametrize(
    ("head", "labels"),
    [
        (("text1", "text2", "label"), "10"),
        (("Text A", "Text B", "same_author"), ("yes", "no")),
        (("known", "questioned", "same"), ("TRUE", "FALSE")),
        (("sentence1", "sentence2", "target"), ("1.0", "0.0")),
    ],
)
def test_tables_of_pairs(tmp_path, head, labels):
    with (tmp_path / "t.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(head)
        writer.writerows([a, b, labels[0] if same else labels[1]] for a, b, same in PAIRS)
    found = read_problems(tmp_path / "t.csv")
    assert found.truth().tolist() == [True, False, True] and found.problems.ids.tolist() == [
        "1",
        "2",
        "3",
    ]
    assert read_truth(tmp_path / "t.csv").same.tolist() == [True, False, True]
    (tmp_path / "bad.csv").write_text(",".join(head) + "\na,b,perhaps\n", "utf-8")
    with pytest.raises(FormatError, match="neither same nor different"):
        read_problems(tmp_path / "bad.csv")


@pytest.mark.parametrize(
    "head",
    ["text1,text2,text3,label", "known,questioned,known2,label", "Text A,Text B,Text C,same"],
)
def test_a_further_text_of_a_pair_is_not_lost(tmp_path, head):
    (tmp_path / "t.csv").write_text(f"{head}\nOne.,Two.,Three.,1\n")
    with pytest.raises(
        FormatError, match=rf"t.csv:2: .*(.|\n)*found: ({head.split(',')[2]}|{head.split(',')[1]})"
    ):
        read_problems(tmp_path / "t.csv")


def test_a_table_of_pairs_is_no_corpus(tmp_path):
    (tmp_path / "t.csv").write_text(
        "text1,text2,author\nOne.,Two.,Ann\nThree.,Four.,Ann\nFive.,Six.,Bob\n"
    )
    with pytest.raises(FormatError, match="a table of pairs, not a corpus"):
        load_corpus(tmp_path / "t.csv", topic=None)
    assert len(load_corpus(tmp_path / "t.csv", topic=None, text="text2")) == 3


def test_pairs_in_a_workbook_beside_another(tmp_path):
    pytest.importorskip("python_calamine")
    workbook(tmp_path / "p.xlsx", [("text1", "text2", "label"), *PAIRS])
    read = read_problems(tmp_path / "p.xlsx")
    assert read.truth().tolist() == [True, False, True] and len(read.problems) == 3
    assert read_problems(tmp_path).truth().tolist() == [True, False, True]
    workbook(
        tmp_path / "answers.xlsx", [("id", "value"), ("1", "0.9"), ("2", "0.25"), ("3", "0.5")]
    )
    answers = read_answers(tmp_path / "answers.xlsx")
    assert answers.value.tolist() == [0.9, 0.25, 0.5]


def test_two_texts_that_are_labelled_twice(tmp_path):
    rows = "text1,text2,label\nOne.,Two.,1\nThree.,Four.,0\nTwo.,One.,{}\n"
    (tmp_path / "again.csv").write_text(rows.format(1))
    assert len(read_problems(tmp_path / "again.csv").problems) == 3
    (tmp_path / "other.csv").write_text(rows.format(0))
    with pytest.raises(
        FormatError,
        match=r"other.csv:4: .*two different labels(.|\n)*3: different; 1 in line 2: same",
    ):
        read_problems(tmp_path / "other.csv")


def test_pairs_have_two_texts_and_two_authors(tmp_path):
    pair = {"id": "p", "pair": ["One.", "Two."]}
    for name, record in (
        ("three", {**pair, "pair": ["a", "b", "c"]}),
        ("fandoms", {**pair, "fandoms": ["x", "y", "z"]}),
    ):
        place = tmp_path / name
        place.mkdir()
        (place / "pairs.jsonl").write_text(json.dumps(record) + "\n", "utf-8")
        with pytest.raises(
            FormatError,
            match=r"pairs.jsonl:1: (a pair must have two texts|each of the two texts needs a topic)",
        ):
            read_problems(place)
    (tmp_path / "pairs.jsonl").write_text(json.dumps(pair) + "\n", "utf-8")
    truth = {"id": "p", "same": True, "authors": ["[deleted]", "[deleted]"]}
    (tmp_path / "truth.jsonl").write_text(json.dumps(truth) + "\n", "utf-8")
    assert read_problems(tmp_path / "pairs.jsonl").problems.author is None, (
        "nobody's texts are not one person's"
    )


def test_a_set_in_a_zip_and_zips_in_zips(tmp_path):
    def inner(name: str) -> bytes:
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w") as archive:
            for problem, text in (("EN001", "One"), ("EN002", "Two")):
                archive.writestr(f"{name}/{problem}/known01.txt", f"{text} of {name}.")
                archive.writestr(f"{name}/{problem}/unknown.txt", f"Another {text}.")
            archive.writestr(f"{name}/truth.txt", "EN001 Y\nEN002 N\n")
        return data.getvalue()

    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for name in ("english", "greek"):
            archive.writestr(f"pan/{name}.zip", inner(name))
    found = read_problem_sets(tmp_path / "all.zip")
    assert [one.name for one in found] == ["english", "greek"]
    with pytest.raises(
        FormatError, match=r"give one of them, such as .*all.zip/pan/english.zip/english"
    ):
        read_problems(tmp_path / "all.zip")
    one = read_problems(tmp_path / "all.zip" / "pan" / "greek.zip" / "greek")
    assert one.truth().tolist() == [True, False] and one.problems.texts[0] == "One of greek."
    with pytest.raises(FormatError, match="file or folder not found in this zip"):
        Archive(tmp_path / "all.zip" / "nothing")


def test_answers_in_csv_and_what_mends_answers(tmp_path):
    (tmp_path / "a.csv").write_text("id,value\np1,0.25\np2,1\n7,0.5\n", "utf-8")
    found = read_answers(tmp_path / "a.csv")
    assert found.ids.tolist() == ["p1", "p2", "7"] and found.value.tolist() == [0.25, 1.0, 0.5]
    kinds = [{"id": f"a{i}", "score": 0.1} for i in range(12)] + [
        {"id": "b", "value": "0,5"},
        {"id": "c", "value": True},
    ]
    (tmp_path / "f.jsonl").write_text("".join(json.dumps(kind) + "\n" for kind in kinds), "utf-8")
    with pytest.raises(FormatError) as error:
        read_systems(tmp_path / "f.jsonl")
    said = str(error.value)
    assert "14 faults in the answers, the first 10:" in said and "and 4 more" in said
    for fix in (
        "12 × this line has no value: rename",
        "write 0.5, not 0,5",
        "1 for true and 0 for false",
    ):
        assert fix in said, said


LAYOUTS = {
    "parts": (
        ["primary_set/A_1.txt", "primary_set/B_2.txt", "secondary_set/A_3.txt"],
        "parts of a data set",
    ),
    "problems": (
        ["problem001/1.txt", "problem001/2.txt", "problem002/1.txt"],
        "parts of a data set",
    ),
    "halves": (["train/A/1.txt", "train/B/2.txt", "test/A/3.txt"], "parts of a data set"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_folders_that_are_no_authors(tmp_path, layout):
    names, message = LAYOUTS[layout]
    for i, name in enumerate(names):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"Text {i}.", "utf-8")
    with pytest.raises(FormatError, match=message):
        load_corpus(tmp_path)


@pytest.mark.parametrize("dash", ["_-_", " - "])
def test_first_and_last_names(tmp_path, dash):
    for i, name in enumerate(("george_eliot", "george_eliot", "george_gissing")):
        (tmp_path / f"{name}{dash}title{i}.txt").write_text(f"Text {i}.", "utf-8")
    assert list(load_corpus(tmp_path).author) == ["george_eliot", "george_eliot", "george_gissing"]


def test_a_doubtful_layout_is_said(tmp_path):
    for i, name in enumerate(
        ("george_eliot_adam", "george_gissing_demos", "jane_austen_emma", "jane_austen_sense")
    ):
        (tmp_path / f"{name}.txt").write_text(f"Text {i}.", "utf-8")
    assert account(tmp_path)["authors-underscore"] == ("george", "jane")


def test_metadata_beside_texts_are_columns(tmp_path):
    for name in ("a/1.txt", "a/2.txt", "b/3.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"Text {name}.", "utf-8")
    (tmp_path / "metadata.csv").write_text(
        "file,year,genre\n1,1840,novel\n2.txt,1850,letter\nb/3.txt,1860,novel\n"
    )
    corpus = load_corpus(tmp_path)
    assert list(corpus.columns["year"]) == ["1840", "1850", "1860"] and ACCOUNT not in corpus.notes


def test_names():
    spellings = [
        "Zo\u00eb Lee",
        "Zoe\u0308 Lee",
        "zo\u00eb\u00a0 LEE",
        "Zo\u00eb\u200b Lee",
        "\ufeffZo\u00eb_Lee",
    ]
    assert len(set(map(name_key, spellings))) == 1 and len(set(map(plain_name, spellings))) == 3
    nobody = [
        "[deleted]",
        "AutoModerator",
        "Anonymous",
        "unknown",
        "Various",
        "HAMILTON OR MADISON",
        "N/A",
        "Kyd?",
    ]
    assert all(map(is_nobody, nobody))
    nobody = [
        "RemindMeBot",
        "spam_bot",
        "dependabot[bot]",
        "Weather bot 2",
        "by Anonymous",
        "et al.",
        "#N/A",
        "Misc.",
    ]
    assert all(map(is_nobody, nobody))
    people = [
        "Ann Onymous",
        "Unknowne, J.",
        "Gregor Orwell",
        "Norman Oroville",
        "Talbot",
        "Emma Abbot",
        "Blank",
    ]
    assert not any(map(is_nobody, [*people, "newsbot", "Anon42"]))
    assert may_be_nobody("newsbot") and not any(map(may_be_nobody, people))
    assert is_several("Smith et al.") and not is_several("Etal Smith")
    assert (
        name_key("by Jane Austen") == name_key("Jane Austen") == name_key("Written by: Jane Austen")
    )
    assert name_key("Byron") == "byron" and label_key("by Jane") == "by jane"
    assert lookalikes(["Austen, Jane", "Jane Austen", "ABronte", "CBronte", "EBronte"]) == [
        ("Austen, Jane", "Jane Austen")
    ]
    assert lookalikes(["Trollope, Anthony", "Trolope, Anthony"])
    for pair in (
        ("\u0130nan", "inan"),
        ("\u03a0\u0391\u03a0\u03a0\u0391\u03a3", "\u03a0\u03ac\u03c0\u03c0\u03b1\u03c2"),
        ("\u0141ukasz", "Lukasz"),
        ("M\u00fcller", "Mueller"),
        ("S\u00f8ren", "Soren"),
        ("7", "007"),
        ("u/ann", "ann"),
        ("\u0410nna", "Anna"),
        ("\u0639\u0644\u06cc", "\u0639\u0644\u0649"),
    ):
        assert lookalikes(pair) == [pair]
    assert name_key("\u06a9\u0631\u06cc\u0645\u06cc") == name_key("\u0643\u0631\u064a\u0645\u064a")
    assert all(
        map(may_be_nobody, ("noreply@x.org", "notes", "New Text Document"))
    ) and not may_be_nobody("Ann Notes")


def test_labels_and_ids():
    labels = [
        "Essay",
        "essay ",
        "essay ",
        "caf\u00e9",
        "cafe\u0301",
        "no\u200bvel",
        "novel",
        None,
        "\u200b",
        " a",
    ]
    plain = ["essay", "essay", "essay", "caf\u00e9", "caf\u00e9", "novel", "novel", None, None, "a"]
    assert one_spelling(labels) == (
        plain,
        [
            "Essay = essay",
            "café (composed and decomposed)",
            "novel (blanks or invisible characters)",
        ],
    )
    assert one_spelling(["Ann", "ann", None], plain_name) == (["Ann", "ann", None], [])
    apart = near_ids(["001", "1.20", "x", "7"], ["1", "1.2", "y", "7"])
    assert apart == ("numbers", ["001 and 1", "1.20 and 1.2"])
    assert not near_ids(["1", "01"], ["1", "01"])[1] and not near_ids(["a1"], ["a01"])[1]


def test_who_one_reference_names_is_one_person():
    people = [
        ("A", "viaf:1"),
        ("B", "viaf:1"),
        ("B", "viaf:1"),
        ("C", "viaf:2"),
        ("C", "viaf:3"),
        ("D", "d"),
        ("", ""),
    ]
    assert one_name_each(people) == ["B", "B", "B", "C (viaf:2)", "C (viaf:3)", "D", None]


@pytest.mark.parametrize(
    ("author", "named", "told"),
    [
        ("austen", "Jane Austen", 0),
        ("ann", "ANN", 0),
        ("ann", "Bob Lee", 2),
        ("austen", "Austen, Jane", 0),
    ],
)
def test_metadata_that_name_another_author_are_told(tmp_path, author, named, told):
    for place, text in (
        (f"{author}/1", "One."),
        (f"{author}/2", "Two."),
        ("x/3", "Three."),
        ("x/4", "Four."),
    ):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / f"{place}.txt").write_text(text)
    rows = [f"{i};{named if i < 3 else 'X'}" for i in range(1, 5)]
    (tmp_path / "metadata.csv").write_text("\n".join(["file;author", *rows]))
    assert len(account(tmp_path).get("metadata-other-author", ())) == told
    (tmp_path / "metadata.csv").write_text("\n".join(["number;author", *rows]).replace(";", "x;"))
    assert account(tmp_path)["metadata-unused"] == ("metadata.csv",)
    (tmp_path / "2_metadata.csv").write_text("file;author\n1;a\n")
    assert len(account(tmp_path)["metadata-several"]) == 2


def test_tabs_are_what_separates_where_there_are_any(tmp_path):
    rows = [f"a{i % 2}\tt{i % 2}\tWords, of, text {i}" for i in range(4)]
    (tmp_path / "t.csv").write_text("\n".join(["author\ttopic\ttext, in full, of all", *rows]))
    corpus = load_corpus(tmp_path / "t.csv", text="text, in full, of all")
    assert len(corpus) == 4 and corpus.texts[0] == "Words, of, text 0"
    (tmp_path / "t.tsv").write_text(
        "\n".join(["author,topic,text", *(f"a{i % 2},t,Text {i}" for i in range(4))])
    )
    assert len(load_corpus(tmp_path / "t.tsv")) == 4


@pytest.mark.parametrize(
    ("column", "value", "fix"),
    [
        ("prediction", 0.3, "rename prediction to value, if it is a number"),
        ("distance", 0.3, "write 1 - distance as value"),
        ("prediction", "same", "as value, in place of prediction"),
    ],
)
def test_answers_in_another_column_get_the_fix_of_their_kind(tmp_path, column, value, fix):
    (tmp_path / "a.csv").write_text(f"id,{column}\np1,{value}\np2,{value}\n")
    with pytest.raises(FormatError, match=re.escape(fix)):
        read_answers(tmp_path / "a.csv")


def test_nothing_is_answered_without_words():
    problems = Problems.of(
        [("a", ["Some words."], "..."), ("b", ["123"], "Words."), ("c", ["Some", "!!!"], "Words.")]
    )
    assert without_words(problems).tolist() == [True, True, False]


def test_nothing_over_nothing_is_not_nothing():
    """PAN's evaluator has 0 for an F1 of 0/0, and divides by 0 in F0.5u."""
    found = scores([True, False], [0.5, 0.1])
    assert found["f1"] is None and found["overall"] is None and found["f05u"] == 0
    truth = read_truth_of([True, False])
    assert pan_measures(truth, Aligned(np.array([0.5, 0.1]), np.zeros(2, bool), None))["F1"] == 0
    assert scores([False, False], [0.1, 0.2])["f05u"] is None


def read_truth_of(same):
    from ravenbench.reading.answers import Truth
    from ravenbench.types import name_array

    return Truth(name_array([str(i) for i in range(len(same))]), np.array(same))


def test_names_join_and_texts_of_two_authors_leave(tmp_path):
    rows = [("Ann", "One."), ("ANN", "Two."), ("bob", "Three."), ("Bob", "Four."), ("bob", "One.")]
    rows.append(("[deleted]", "Six."))
    (tmp_path / "t.jsonl").write_text(
        "".join(json.dumps({"author": a, "text": t}) + "\n" for a, t in rows), "utf-8"
    )
    corpus = load_corpus(tmp_path / "t.jsonl", topic=None)
    assert list(corpus.author) == ["ANN", "Bob", "Bob"]
    assert corpus.notes["dropped"]["by nobody in particular"] == 1
    with pytest.raises(InputError, match="no option 'unquote'"):
        load_corpus(tmp_path / "t.jsonl", unquote=True)


def test_licences_are_named_and_taken_out(tmp_path):
    licence = "This text may be given away by anyone at no cost, under the terms of a licence.\n"
    for author in "abcd":
        for i in range(2):
            place = tmp_path / author / f"{i}.txt"
            place.parent.mkdir(exist_ok=True)
            place.write_text(f"{licence}{author}{i} wrote {author}{author}.\n", "utf-8")
    (tmp_path / "d" / "2.txt").write_text(licence, "utf-8")
    assert len(account(tmp_path)["shared"]) == 9
    corpus = load_corpus(tmp_path, strip_shared=True)
    assert sorted(map(str.strip, corpus.texts)) == sorted(
        f"{a}{i} wrote {a}{a}." for a in "abcd" for i in range(2)
    )
    counts = {note.code: note.count for note in corpus.notes[ACCOUNT]}
    assert counts["stripped"] == 9 and counts["emptied"] == 1 and "shared" not in counts


def test_a_corpus_of_nobody(tmp_path):
    (tmp_path / "t.jsonl").write_text(
        "".join(json.dumps({"author": "Anonymous", "text": t}) + "\n" for t in "abc")
    )
    with pytest.raises(CorpusError):
        load_corpus(tmp_path / "t.jsonl", topic=None)
    assert Path(tmp_path / "t.jsonl").is_file()
