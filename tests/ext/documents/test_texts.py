"""raven texts: what is written, what the page says, and that all commands read the same."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from made_documents import docx, mail, mailbox, paragraph
from notes import account
from ravenbench.cli.main import build
from ravenbench.errors import CorpusError, FormatError, InputError
from ravenbench.ext.documents.report import extract_texts
from ravenbench.reading.load import UNKNOWN, load_corpus

HOSTILE = "<script>alert(1)</script>\u202e"


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    files = {
        "a.eml": mail("Words of hers.\n\n-- \nAnna"),
        "again/a.eml": mail("Words of hers.\n\n-- \nAnna"),
        "box.mbox": mailbox(
            mail("His words.", sender="Bob <BOB@x.org>"), mail(f"{HOSTILE} one.", sender=HOSTILE)
        ),
        "Eve/letter.docx": docx(paragraph("A letter.") + f"<w:tbl>{paragraph('cell')}</w:tbl>"),
        "loose.txt": "It’s a café, he said – “naïve” as ever, and that’s all.".encode("cp1252"),
        "locked.docx": b"PK",
        "old.doc": b"\xd0\xcf\x11\xe0",
        "../../x.png": b"x",
    }
    for name, data in files.items():
        place = tmp_path / "deep" / "inbox" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    return tmp_path / "deep" / "inbox"


def test_texts_stand_by_author_and_the_page_says_what_was_left_out(inbox, tmp_path):
    result = extract_texts(inbox, tmp_path / "out")
    files = sorted(
        p.relative_to(tmp_path / "out").as_posix() for p in (tmp_path / "out").rglob("*.txt")
    )
    assert {name for name in files if "script" not in name and "mail 2" not in name} == {
        "Eve/letter.txt",
        "anna@example.org/a.txt",
        f"{UNKNOWN}/loose.txt",
        "bob@x.org/box mail 1.txt",
    }
    assert len(files) == 5 and not any(c in name for name in files for c in '<>:\u202e"')
    assert (tmp_path / "out" / "anna@example.org" / "a.txt").read_text() == "Words of hers.\n"
    assert {name: why for name, why, _ in result.left_out} == {
        "again/a.eml": "it repeats a.eml",
        "old.doc": "Raven does not read this format",
        "locked.docx": "it is damaged or cut off, or not Word (File is not a zip file)",
    }
    page = (tmp_path / "out" / "index.html").read_text("utf-8")
    assert "<script>alert" not in page and "\u202e" not in page and str(tmp_path) not in page
    for words in (
        "cell",
        "tables (1)",
        "ot UTF-8; Raven reads it as cp1252",
        result.texts[0].document.file_sha256,
    ):
        assert words in page
    account = json.loads((tmp_path / "out" / "texts.json").read_text("utf-8"))
    with (tmp_path / "out" / "texts.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(account["texts"]) == 5
    assert {row["text_sha256"] for row in account["texts"]} == {
        one.document.text_sha256 for one in result.texts
    }


def test_folders_say_who_wrote_where_that_is_wanted(inbox, tmp_path):
    result = extract_texts(inbox, tmp_path / "out", by="folder")
    assert {one.source: one.author for one in result.texts}["Eve/letter.docx"] == "Eve"
    assert {one.author for one in result.texts} == {"Eve", "again", UNKNOWN}


def test_all_or_nothing_and_only_over_its_own(inbox, tmp_path):
    out = tmp_path / "out"
    extract_texts(inbox, out)
    extract_texts(inbox, out)
    (out / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="in a folder that Raven wrote"):
        extract_texts(inbox, out)
    with pytest.raises(InputError, match="is in an input folder"):
        extract_texts(inbox, inbox / "out")
    (inbox / "mixed.txt").write_bytes("It’s her café".encode() + b" \x92")
    (inbox / "nul.txt").write_bytes(b"a\0b")
    second = extract_texts(inbox, tmp_path / "second")
    why = {name: why for name, why, _ in second.left_out}
    assert (
        "UTF-8" in why["mixed.txt"]
        and why["nul.txt"]
        and (tmp_path / "second" / "index.html").exists()
    )
    lone = tmp_path / "locked.docx"
    lone.write_bytes(b"PK")
    with pytest.raises(FormatError, match="Raven cannot read any document"):
        extract_texts(lone, tmp_path / "third")


def test_the_command(inbox, tmp_path):
    done = CliRunner().invoke(build("texts"), ["texts", str(inbox), "-o", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert "left out: old.doc: Raven does not read this format (save it as .docx)" in done.output
    assert re.search("5 texts by [45] authors", done.output) and "index.html" in done.output
    done = CliRunner().invoke(
        build("texts"), ["texts", str(inbox), "-o", str(tmp_path / "json"), "--json"]
    )
    assert "Eve" in {row["author"] for row in json.loads(done.stdout)["authors"]}


def test_what_a_learning_platform_hands_out_has_authors(tmp_path):
    names = [
        "Ann Lee_1_assignsubmission_file_essay.txt",
        "Bob Ray_22_assignsubmission_file_/essay.txt",
    ]
    for number, name in enumerate(names):
        place = tmp_path / "in" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"What I did on day {number} of this long year.")
    result = extract_texts(tmp_path / "in", tmp_path / "out")
    assert {(one.author, one.known_by) for one in result.texts} == {
        ("Ann Lee", "file name"),
        ("Bob Ray", "folder"),
    }
    with pytest.raises(CorpusError, match=r"no author has two documents(?s:.*)fix: add more texts"):
        load_corpus(tmp_path / "out")


def test_corpora_take_the_same_formats_and_say_what_was_left_out(tmp_path):
    others = tmp_path / "others"
    for author in ("ann", "bob"):
        for number in range(2):
            place = others / author / f"{number}.docx"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(
                docx(paragraph(f"Words {number} of {author}.") + f"<w:tbl>{paragraph('x')}</w:tbl>")
            )
    (others / "ann" / "locked.docx").write_bytes(b"PK")
    (others / UNKNOWN).mkdir()
    (others / UNKNOWN / "a.txt").write_text("Nobody's words.")
    corpus = load_corpus(others)
    assert list(corpus.author) == ["ann", "ann", "bob", "bob"] and corpus.ids[0] == "ann/0.docx"
    found = account(corpus)
    assert found["unreadable"] == ("ann/locked.docx",) and len(found["more-than-text"]) == 4
    assert found["nobody"] == (f"{UNKNOWN} (1)",)
    (others / "bob" / "box.mbox").write_bytes(mailbox(mail("One."), mail("Two.", sender="b@x.org")))
    with pytest.raises(FormatError, match="this file contains several"):
        load_corpus(others)


def test_one_name_in_two_spellings_is_one_author_and_a_bad_mail_is_left_out_by_name(tmp_path):
    inbox = tmp_path / "in"
    for number, name in enumerate(["Anna Smith", "Anna\u00a0Smith", "anna_smith"]):
        (inbox / name).mkdir(parents=True)
        (inbox / name / f"{number}.txt").write_text(
            f"What she wrote on day {number} of this long year."
        )
    mails = "".join(
        f"From x\nFrom: Bob <bob@x.org>\nSubject: s\nDate: Mon, 1 Jan 2024 00:00:00 +0000\n"
        f"Content-Type: text/plain; charset={charset}\n\nA mail of some words, number {n}.\n\n"
        for n, charset in enumerate(["utf-8", "no-such-charset", "utf-8"], start=1)
    )
    (inbox / "box.mbox").write_text(mails)
    result = extract_texts(inbox, tmp_path / "out")
    assert (
        sorted(result.authors) == ["Anna Smith", "bob@x.org"]
        and len(result.authors["Anna Smith"]) == 3
    )
    assert set(result.joined.values()) == {"Anna Smith"} and len(result.joined) == 2
    whole = len(result.authors["bob@x.org"]) + len(
        [name for name, _, _ in result.left_out if "box.mbox mail" in name]
    )
    assert whole == 3, result.left_out
