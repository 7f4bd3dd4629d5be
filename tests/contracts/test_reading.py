"""No input is lost, merged, leaked or mislabelled in silence: every command that reads texts by authors, and every kind
of what goes wrong in collections that people have. Rows are kinds, columns commands: each says each."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import unicodedata
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest

import extensions
from contracts.commands import raven
from contracts.tasks import all_options, options, spec_keys, write_data
from notes import account, places
from ravenbench import errors
from ravenbench.errors import FormatError, InputError
from ravenbench.reading.account import ACCOUNT, Note
from ravenbench.reading.load import load_corpus
from ravenbench.reading.problem_formats.pan_folders import write_pan_problems
from ravenbench.reading.problem_formats.pan_pairs import write_pan_pairs
from ravenbench.reading.problems import read_problem_sets
from ravenbench.reading.remarks import doubtful_names
from ravenbench.testing import toy_problems
from ravenbench.text.common_words import function_words
from ravenbench.text.names import is_nobody
from ravenbench.types import Problems

pytestmark = pytest.mark.usefixtures("undrawn")

LICENCE = "This file{} may be copied and given away by anyone, under the terms that its publisher has printed on a page."

KINDS = {
    "one author, two spellings": ("spellings", "Zo"),
    "people who are none": ("nobody", r"Anonymous \(2\)"),
    "files that vanish": ("unread-files", r"\.md"),
    "a passage of many authors": ("shared", ""),
    "lost characters": ("characters-lost", ""),
    "one text, two authors": ("two-authors", " and "),
    "names of one person": ("names-of-one", "Holmes"),
    "a name of two people": ("names-of-several", "Ida West & Tom Grant"),
    "kinds of texts as authors": ("names-of-kinds", "letters"),
    "a link that leads nowhere": ("not-files", "gone.txt: the target of this link does not exist"),
    "a byline": ("spellings", "Ann Holmes = by Ann Holmes"),
    "programs": ("nobody", r"RemindMeBot \(2\)"),
    "umlauts spelt out": ("names-of-one", "Juergen Mueller / Jürgen Müller"),
    "a sentence again and again": ("repetitive", ""),
    "a text that its author repeats": ("repeated", ""),
    "placeholders": ("no-persons", r"“\[removed\]” \(2\)"),
    "a file about the files": ("about-texts", "README.txt"),
    "copies under two authors": ("copies-of-two", " and "),
    "drafts": ("copies-of-one", " and "),
    "labels in two spellings": ("spellings", "Essay = essay"),
    "a text without a row": ("metadata-lacking", r"\.txt"),
    "a row without a text": ("metadata-strangers", "nobody-here"),
    "another author in the metadata": ("metadata-other-author", "Tom Grant"),
    "zeros that a spreadsheet took": ("ids-numbers", "01 and 1"),
}
OF_FILES = {
    "files that vanish",
    "a file about the files",
    "a link that leads nowhere",
    "a text without a row",
    "a row without a text",
    "another author in the metadata",
    "zeros that a spreadsheet took",
}
COMMANDS = {
    "run": ("run", "$corpus", "--topic", "none", "--verifiers", "length", "--plan"),
    "attribute": (
        "attribute",
        "$corpus",
        "--topic",
        "none",
        "--protocol",
        "k-fold",
        "--min-docs",
        "2",
        "--plan",
    ),
} | extensions.rows("READING")


REGISTERS = ("Essay", "letter", "essay ")


def collection(place: Path) -> list[tuple[str, str]]:
    """Texts by author as people have them, with metadata beside them; returns the same as rows of a table."""
    by_author: dict[str, list[str]] = {}
    for one in load_corpus("synthetic(authors=16, topics=3, documents=80, words=130, style=0.9)"):
        by_author.setdefault(one.author or "", []).append(one.text)
    names = [
        "Zoe\u0301 Lee",
        "zo\u00e9  lee",
        "Anonymous",
        "Ann Holmes",
        "Holmes, Ann",
        "Ida West & Tom Grant",
        "letters",
        "novels",
        "by Ann Holmes",
        "RemindMeBot",
        "Eve Stone",
        "J\u00fcrgen M\u00fcller",
        "Juergen Mueller",
    ]
    rows = []
    for number, (author, texts) in enumerate(sorted(by_author.items())):
        name = names[number] if number < len(names) else author
        kept = texts[:2] if name in (*names[:6], *names[8:10]) else texts
        for i, text in enumerate(kept):
            head = f"{LICENCE.format('')}\n\n" if number in (6, 7, 8, 9) else ""
            rows.append(
                (name, head + (text.replace("e", "\ufffd", 5) if (number, i) == (10, 0) else text))
            )
    again = next(text for author, text in rows if author == "J\u00fcrgen M\u00fcller")
    rows[40:40] = [
        ("J\u00fcrgen M\u00fcller", again),
        ("Juergen Mueller", "[removed]"),
        ("letters", "[removed]"),
        ("letters", "The same nine words stand here again and again. " * 20),
    ]
    last, copied = rows[-1], rows[-3][1]
    rows.append((last[0], f"The second draft of it, for the class.\n{last[1]}"))
    rows.append((last[0], rows[30][1][:500].upper()))
    rows.append(("Zoe\u0301 Lee", copied))
    for i, (name, text) in enumerate(rows):
        file = place / name / f"{i:02d}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    (place / "README.txt").write_text("What these texts are.", "utf-8")
    (place / rows[-2][0] / "more.md").write_text("A text that is not read.", "utf-8")
    (place / rows[-2][0] / "gone.txt").symlink_to("nowhere.txt")
    meta = [
        (f"{i:02d}" if i > 1 else str(i), REGISTERS[i % 3], name)
        for i, (name, _) in enumerate(rows[:-5])
    ]
    meta[-1] = (*meta[-1][:2], "Tom Grant")
    lines = [
        ";".join(row)
        for row in [("file", "register", "author"), *meta, ("nobody-here", "essay", "Ann Holmes")]
    ]
    (place / "metadata.csv").write_text("\n".join(lines) + "\n", "utf-8")
    return rows


BARE = {0: "[removed]", 1: "a", 2: "\U0001f600 \U0001f600", 3: "!!!", 4: "nan"}


def varied(place: Path) -> None:
    """Texts by author that all begin with a notice in which title, name and date differ, and five without a word."""
    titles = ["Emma", "The Mill on the Floss", "North and South", "Villette", "The Way We Live Now"]
    rows = list(
        load_corpus("synthetic(authors=12, topics=3, documents=70, words=130, style=0.9, seed=2)")
    )
    for i, one in enumerate(rows):
        title, name = titles[i % 5], f"{one.author} {'abcdefg'[i % 7].upper()}."
        notice = f"""This digital edition of {title} was typed in by {name} on {1 + i % 28} May {1990 + i % 30}, and may
be copied and given away by anyone who asks for it."""
        file = place / (one.author or "") / f"{i:02d}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(BARE.get(i) or f"{notice}\n\n{one.text}", "utf-8")


def assert_offered(command: str, said: str) -> None:
    """No message names an option that the command does not have, but where it names another command in full."""
    own = flags_of(command)
    advised = [
        part
        for line in said.splitlines()
        if re.search("note: |fix: ", line)
        for part in line.split(";")
    ]
    named = {
        name
        for part in advised
        if "raven " not in part
        for name in re.findall(r"(?<![\w-])--[a-z][\w-]*", part)
    }
    assert named <= own, said[-1500:]


def flags_of(command: str) -> set[str]:
    """The flags of a command, and those of its options that a spec file has as keys."""
    name = command.partition(" --")[0]
    flags = {flag for one in options()[name].values() for flag in (*one.opts, *one.secondary_opts)}
    return flags | {f"--{key.replace('_', '-')}" for key in spec_keys()[name]}


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    place = tmp_path_factory.mktemp("reading")
    rows = collection(place / "folder")
    table = [
        {"author": author, "text": text, "register": REGISTERS[i % 3]}
        for i, (author, text) in enumerate(rows)
    ]
    (place / "table.jsonl").write_text("".join(json.dumps(row) + "\n" for row in table), "utf-8")
    write_data(place / "data")
    said: dict[tuple[str, ...], str] = {}
    notes: dict[tuple[str, ...], dict[str, tuple[str, ...]]] = {}
    varied(place / "varied")

    def ask(command: str, corpus: str, *more: str) -> str:
        if (command, corpus, *more) not in said:
            out = place / f"{command}-{corpus}-{len(more)}".replace(" ", "-")
            data = place / "data"
            values = {
                "$corpus": place / corpus,
                "$out": out,
                "$questioned": data / "questioned.txt",
                "$known": data / "known",
                "$conditions": data / "conditions.csv",
            }
            arguments = [str(values.get(part, part)) for part in COMMANDS[command]]
            if corpus.endswith(".jsonl") and command in ("corpus info", "corpus import", "map"):
                arguments += ["--topic", "none"]
            ended = raven(*arguments, *more)
            assert ended.code == 0, ended.said[-1500:]
            assert_offered(command, ended.said)
            said[command, corpus, *more] = " ".join(ended.said.split())
        return said[command, corpus, *more]

    def listed(corpus: str, *more: str) -> dict[str, tuple[str, ...]]:
        if ("check", corpus, *more) not in notes:
            topic = ("--topic", "none") if corpus.endswith(".jsonl") else ()
            ended = raven("corpus", "check", str(place / corpus), "--json", *topic, *more)
            assert ended.code == 0, ended.said[-1500:]
            said_notes = msgspec.convert(json.loads(ended.said)["notes"], list[Note])
            notes["check", corpus, *more] = places(said_notes)
        return notes["check", corpus, *more]

    ask.place = place
    ask.account = listed
    yield ask
    shutil.rmtree(place, ignore_errors=True)


def assert_noted(found: dict[str, tuple[str, ...]], code: str, place: str) -> None:
    """Whether a note of this code has such a place."""
    assert any(re.search(place, one) for one in found.get(code, ())), found


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_collection_has_is_listed(room, kind):
    assert_noted(room.account("folder"), *KINDS[kind])


@pytest.mark.parametrize(
    "command", [command for command in COMMANDS if not command.startswith("corpus")]
)
def test_every_command_says_the_most_important_and_counts_the_rest(room, command):
    said = room(command, "folder")
    assert "note: Raven joins different spellings" not in said, "what is left out comes first"
    assert "leaves out" in said
    assert re.search(r"note: and \d+ more: raven corpus check \S*folder\.", said), said


def test_what_varies_within_and_what_holds_no_word_is_listed(room):
    found = room.account("varied")
    assert len(found["shared"]) == 65 and len(found["wordless"]) == 5
    assert "shared" not in room.account("varied", "--strip-shared")


def named(place: Path) -> None:
    """Texts that name their authors, with quotations of other people. Some authors have a second folder, and one has a
    name that was read in a wrong encoding."""
    people = [
        "Ann Roe",
        "Ann Roe (1)",
        "Jos\u00e9 Lima",
        "Jos\u00c3\u00a9 Lima",
        "Reuters",
        "Bo Kim-Li",
        "Bo Kimli",
    ]
    for i, one in enumerate(
        load_corpus("synthetic(authors=14, topics=3, documents=70, words=130, style=0.9, seed=3)")
    ):
        name = dict(enumerate(people)).get(int((one.author or "a0")[1:]), f"Eve {one.author}")
        (place / name).mkdir(parents=True, exist_ok=True)
        quoted = f"[QUOTE=Tom Grant]Words of his, number {i}.[/QUOTE]\n"
        (place / name / f"{i:02d}.txt").write_text(
            f"{name.upper()}, class 7a\n{quoted}{one.text}", "utf-8"
        )


NAMED = {
    "a name in its own texts": ("signed", ""),
    "quotations of other people": ("quoted-others", ""),
    "a second copy": ("names-of-one", r"Bo Kim-Li / Bo Kimli"),
    "a name misread": ("spellings", "Jos\u00c3\u00a9 Lima = Jos\u00e9 Lima"),
    "an agency": ("names-of-nobody", "Reuters"),
}


@pytest.mark.parametrize("kind", NAMED)
def test_what_names_tell_is_listed(room, kind):
    if not (room.place / "named").exists():
        named(room.place / "named")
    assert_noted(room.account("named"), *NAMED[kind])


GERMAN = "Ich weiß nicht, was das ist und wie es zu dem kam, aber die alte Frau hat es mit sich auf den Weg nach Hause "


def worked_on(place: Path) -> None:
    """Chapters of one book an author, of which two are in German, one has no function words, one another's signature
    and one quotations of other people."""
    several = list(
        load_corpus("synthetic(authors=14, topics=3, documents=70, words=220, style=0.9, seed=4)")
    )
    names = sorted({one.author or "" for one in several})
    for i, one in enumerate(several):
        text = one.text
        if i in (7, 23):
            text = f"{GERMAN * 4}{i}."
        elif i == 30:
            text = " ".join(
                word for word in text.split() if word.strip(".,;").lower() not in function_words()
            )
        elif i == 40:
            text += f"\n\nEve {next(name for name in names if name != one.author)}\n"
        elif i == 50:
            text = f"Ben wrote:\n{text}"
        elif i == 60:
            text = f"[Verse 1: Ben Roe]\n{text}"
        file = place / f"Eve {one.author}" / f"Book of {one.author} - chapter {i}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")


WORKED_ON = {
    "other languages": "languages",
    "no stop words": "no-function-words",
    "signed by another": "signed-by-another",
    "parts of a book": "parts-of-works",
    "answers in a thread": "quoted-others",
    "singers": "parts-by-name",
}


@pytest.mark.parametrize("kind", WORKED_ON)
def test_what_was_done_to_texts_is_listed(room, kind):
    if not (room.place / "worked on").exists():
        worked_on(room.place / "worked on")
    assert WORKED_ON[kind] in room.account("worked on")


LAYOUTS = {
    "the title first": ("Essay {i} - {who}.txt", True),
    "folders of tasks": ("Assignment {i}/{who} - final.txt", True),
    "Blackboard": ("Essay {i}_{who}_attempt_2024-03-0{i}-10-10-22_text.txt", False),
    "Turnitin": ("12345{i} - {who} - Essay {i}.txt", False),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_who_wrote_what_is_told_by_sure_signs_or_asked(tmp_path, layout):
    pattern, is_doubted = LAYOUTS[layout]
    for i in range(1, 4):
        for who in ("Ann Roe", "Eve Low", "Tom Orr"):
            file = tmp_path / "c" / pattern.format(i=i, who=who)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"Text {i} by one of them, {len(who) * i} {who[:2]}.")
    corpus = load_corpus(tmp_path / "c", topic="none", pairs=False)
    people = ("Ann Roe", "Eve Low", "Tom Orr")
    if is_doubted:
        assert account(corpus)["authors-titles"] == people
    else:
        assert {*corpus.author} == {*people} and "authors-titles" not in account(corpus)


ODD = {
    "['Once', 'upon', 'a', 'time', 'there'": "python-list",
    "b'Once upon a time": "python-bytes",
    "INTERVIEWER: And?\nRESPONDENT: So.\nINTERVIEWER: Then?\n": "speakers",
    "[10:01] <ann> Hi.\n[10:02] <bo> Hello.\n[10:03] <ann> Well.\n": "chat",
    "> Whoever wrote these words of more than sixty letters, it was not the author.\n": "quotations",
    "Well [laughter] so [inaudible] there [pause] it is. ": "transcript",
    "The Fall\n\nTranslated from the German by Ann Roe\n": "translated",
}


@pytest.mark.parametrize("head", ODD)
def test_what_is_no_prose_of_its_author_is_said(tmp_path, head):
    rows = [
        {"author": f"a{i % 4}", "text": f"{head} {one.text}" + "'" * head.startswith("b'")}
        for i, one in enumerate(load_corpus("synthetic(authors=4, documents=12, words=90)"))
    ]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert len(account(tmp_path / "t.jsonl", topic="none")[ODD[head]]) == 12


PEOPLE = {
    "names-of-one": (
        ["Ann Roe", "Ann M. Roe"],
        ["Ann Roe", "Ann Roe, PhD"],
        ["Ann Roe", "Ann Roe (Lab)"],
        ["John Lee", "JohnLee"],
        ["Dr Roe", "Ann Roe"],
        ["Roe", "Ann Roe"],
        ["Mr. Roe", "Roe"],
        ["Roe (Con, Leeds)", "Ann Roe"],
        ["aroe", "Ann Roe"],
        ["Иванов И.И.", "Иванов Иван Иванович"],
        ["Roe, A.", "Ann Maria Roe"],
        ["Ann Roe", "Ann Roe (n\u00e9e Holm)"],
        ["anna@x.org", "mailto:anna+news@x.org"],
    ),
    "names-of-several": (["Ann Roe feat. Bo Kim"],),
    "names-of-nobody": (
        ["SPEAKER_00"],
        ["Der Pr\u00e4sident"],
        ["Total"],
        ["unsorted"],
        ["J/anon", "J/wm"],
    ),
    "names-of-kinds": (
        ["Copy of Essay 1", "Copy of Essay 2"],
        ["SS2024", "WS 23/24"],
        ["2024\u5e74", "2023\u5e743\u6708"],
        ["EN006", "EN007"],
        ["test2", "train1"],
        ["1577836800", "1577836900.0"],
        ["3. M\u00e4rz 2024", "May 2023"],
        ["2023/24", "Fall 2024"],
    ),
}


@pytest.mark.parametrize("doubt", PEOPLE)
def test_names_that_may_be_no_one_persons_are_said(doubt):
    for names in PEOPLE[doubt]:
        assert doubt in places(doubtful_names(names)), names
    assert not doubtful_names(
        ["John A. Smith", "John B. Smith", "Ann Lee (Q1)", "Ann Lee (Q2)", "Jane Ma", "Jane"]
    )
    assert not doubtful_names(["u/bob", "1577836800", "4711", "May Roe", "April May", "Ada Winter"])
    assert not doubtful_names(
        ["Mr Roe", "Mrs Roe", "Anne Poe", "Carl Poe", "ann.roe@x.org", "Roebuck"]
    )
    nobody = [
        "Amazon Customer",
        "A Google User",
        "An hon. Member",
        "Several hon. Members",
        "Beifall",
        "community wiki",
    ]
    assert all(map(is_nobody, nobody)) and not any(
        map(is_nobody, ["Hon. John", "The Speaker", "Bo Kunde"])
    )


def test_numbers_of_one_author_each_and_topics_in_two_spellings_are_said(tmp_path):
    rows = [
        (
            f"author{a}",
            ("Sport", "Sports")[i % 2],
            f"word{a} word{i} some text. Student no. {9000 + a}",
        )
        for a in range(3)
        for i in range(4)
    ]
    lines = [json.dumps({"author": a, "topic": topic, "text": text}) for a, topic, text in rows]
    (tmp_path / "c.jsonl").write_text("\n".join(lines))
    found = account(tmp_path / "c.jsonl")
    assert len(found["number-of-author"]) == 3
    assert found["topics-alike"] == ("Sport / Sports",)


FRAMES = ("columns", "split", "index", "table", "list")


@pytest.mark.parametrize("form", FRAMES)
def test_frames_are_read_as_pandas_writes_them(tmp_path, form):
    rows = [
        {"text": one.text, "author": one.author}
        for one in load_corpus("synthetic(documents=12, words=90)")
    ]
    columns = {key: {str(i): row[key] for i, row in enumerate(rows)} for key in ("text", "author")}
    written = {
        "columns": columns,
        "index": {str(i): row for i, row in enumerate(rows)},
        "split": {
            "columns": ["text", "author"],
            "index": [*range(12)],
            "data": [[*row.values()] for row in rows],
        },
        "table": {"schema": {"fields": []}, "data": rows},
        "list": {key: [*values.values()] for key, values in columns.items()},
    }
    (tmp_path / "t.json").write_text(json.dumps(written[form]))
    corpus = load_corpus(tmp_path / "t.json", topic="none", pairs=False)
    assert [*zip(corpus.texts, corpus.author, strict=True)] == [
        (row["text"], row["author"]) for row in rows
    ]


def test_columns_of_people_that_disagree_are_said(tmp_path):
    lines = ["author,user_id,text"] + [
        f"{'Ann' if i == 5 else 'abcd'[i % 4]},{i % 4},{one.text}".replace(", ", "; ")
        for i, one in enumerate(load_corpus("synthetic(documents=20, words=90)"))
    ]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    (place,) = account(tmp_path / "t.csv", topic="none")["columns-of-people"]
    assert place == "1: Ann, b"


TOPICS = {
    "parts of a data set": (["train", "test"], "topics-parts", ("test", "train")),
    "answers to a subject": (
        ["Cameras", "Re: Cameras"],
        "topics-alike",
        ("Cameras / Re: Cameras",),
    ),
    "blanks at an end": (
        ["Sport", "Sport "],
        "spellings",
        ("Sport (blanks or invisible characters)",),
    ),
}


@pytest.mark.parametrize("kind", TOPICS)
def test_topics_that_are_none_or_one_are_said(tmp_path, kind):
    names, code, expected = TOPICS[kind]
    several = load_corpus("synthetic(authors=4, documents=12, words=90)")
    rows = [
        {"author": f"a{i % 4}", "topic": names[i // 4 % 2], "text": one.text}
        for i, one in enumerate(several)
    ]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert account(tmp_path / "t.jsonl")[code] == expected


def test_a_column_has_one_role(tmp_path):
    lines = [json.dumps({"id": i % 3, "text": f"Text {i} of some words."}) for i in range(9)]
    (tmp_path / "t.jsonl").write_text("\n".join(lines))
    corpus = load_corpus(tmp_path / "t.jsonl", author="id", topic="none")
    assert len(corpus) == 9 and [*corpus.author] == ["0", "1", "2"] * 3


def test_disputed_works_are_nobodys_and_files_about_texts_no_texts(tmp_path):
    for who in ("hamilton", "madison", "disputed", "joint"):
        (tmp_path / who).mkdir()
        for i in range(3):
            (tmp_path / who / f"{i}.txt").write_text(f"Text {i} by {who}, in words.")
        (tmp_path / who / "README.txt").write_text("What these are.")
        (tmp_path / who / "notes.txt").write_text(f"Remarks on {who}.")
    corpus = load_corpus(tmp_path)
    found = account(corpus)
    assert len(corpus) == 8 and found["nobody"] == ("disputed (4)", "joint (4)")
    assert len(found["about-texts"]) == 4 and found["about-authors"] == ("notes",)


def test_mac_roman_is_told_from_windows_1252(tmp_path):
    text = (
        "He said that it isn\u2019t \u201cna\u00efve\u201d in a caf\u00e9, and he doesn\u2019t care. "
        * 4
    )
    for i, encoding in enumerate(["mac_roman", "cp1252", "mac_roman", "cp1252"]):
        (tmp_path / "ab"[i // 2]).mkdir(exist_ok=True)
        (tmp_path / "ab"[i // 2] / f"{i}.txt").write_bytes(f"{i} {text}".encode(encoding))
    with pytest.raises(InputError) as error:
        load_corpus(tmp_path, encoding=None)
    assert "iconv -f MACINTOSH" in str(error.value) and "iconv -f CP1252" in str(error.value)
    assert "--encoding" not in str(error.value), "one encoding would spoil those in the other"
    assert len(account(tmp_path, encoding="cp1252")["mac-as-1252"]) == 2


FIXES = {
    "first names beside surnames": (
        "first_name,last_name,text",
        "Ann,Roe,",
        "fix: write first_name and last_name into one column author",
    ),
    "surnames as authors": (
        "first name,author,text",
        "Ann,Roe,",
        "not first name; a surname without a first name",
    ),
    "the beginnings of texts": (
        "author,full_text,text",
        "Roe,$,",
        "column full_text contains the complete texts; text contains only",
    ),
    "ids that begin anew": (
        "id,author,text",
        "7,Roe,",
        "fix: rename the column of ids, so that Raven numbers the rows",
    ),
    "topics that are none": (
        "topic,author,text",
        "Misc,Roe,",
        "these topics may be missing values, or several topics in one: Misc",
    ),
}


@pytest.mark.parametrize("kind", FIXES)
def test_tables_say_which_columns_may_be_meant(tmp_path, kind):
    head, row, expected = FIXES[kind]
    whole = [one.text for one in load_corpus("synthetic(authors=4, documents=12, words=90)")]
    lines = [
        row.replace("Roe", f"Roe{'abc'[i % 3]}").replace("$", f"{text[:200]} and on.")
        + (f"{text[:150]}..." if "$" in row else text)
        for i, text in enumerate(whole)
    ]
    (tmp_path / "t.tsv").write_text(
        "\n".join([head, *lines]).replace(", ", "; ").replace(",", "\t") + "\n"
    )
    topic = () if "topic" in head else ("--topic", "none")
    said = " ".join(raven("corpus", "info", str(tmp_path / "t.tsv"), *topic).said.split())
    assert expected in said, said


@pytest.mark.parametrize("command", ("verify", "run", "safety"))
def test_pairs_of_nobody_are_left_out_and_counted(tmp_path, command):
    values = {"$out": tmp_path / "o", "$out.jsonl": tmp_path / "o.jsonl"}
    for name, column in (("$a", "label"), ("$b", "same")):
        values[name] = pairs(tmp_path / f"{column}.jsonl", column)
        rows = [json.loads(line) for line in values[name].read_text("utf-8").splitlines()]
        for i, row in enumerate(rows):
            row |= {"author1": f"a{i}", "author2": f"a{i}" if row[column] else f"b{i}"}
        rows[0] |= {"author1": "[deleted]", "author2": "[deleted]", column: 1}
        values[name].write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    ended = raven(*[str(values.get(part, part)) for part in PROBLEMS[command]], "--plan")
    assert ended.code == 0, ended.said
    assert "Raven leaves out 1 pair because both authors are nobody in particular" in ended.said
    (one,) = read_problem_sets(values["$b"])
    assert len(one) == 11


def test_what_varies_within_is_taken_out_whole(room):
    stripped = load_corpus(room.place / "varied", strip_shared=True, anonymous=True)
    assert len(stripped) == 70
    assert not any("digital edition" in text or "typed in" in text for text in stripped.texts)


@pytest.mark.parametrize("kind", sorted(set(KINDS) - OF_FILES))
def test_a_table_gets_what_a_folder_gets(room, kind):
    assert_noted(room.account("table.jsonl"), *KINDS[kind])


def test_quotations_of_reddit_are_cut(room):
    lines = [
        json.loads(line) for line in (room.place / "table.jsonl").read_text("utf-8").splitlines()
    ]
    posts = [
        {
            "author": one["author"],
            "subreddit": "s",
            "body": "&gt; Another's.\n\n" * (i % 9 == 0) + one["text"],
        }
        for i, one in enumerate(lines)
    ]
    posts[9]["body"] = "&gt; Words of another."
    (room.place / "reddit.jsonl").write_text(
        "".join(json.dumps(one) + "\n" for one in posts), "utf-8"
    )
    corpus = load_corpus(room.place / "reddit.jsonl", topic="none", pairs=False)
    counts = {note.code: note.count for note in corpus.notes[ACCOUNT]}
    assert counts["reddit-quotations"] == -(-len(posts) // 9) and counts["quotations-only"] == 1


ABOUT_ONE_TEXT = {
    name: told
    for name, told in {**COMMANDS, **extensions.rows("READING_FAULTS")}.items()
    if "$questioned" in told
}


@pytest.mark.parametrize("command", ABOUT_ONE_TEXT)
def test_words_of_evidence_count_once_and_copies_are_said(room, tmp_path, command):
    data = room.place / "data"
    copied = tmp_path / "copied.txt"
    values = {
        "$corpus": data / "others",
        "$out": tmp_path / "o",
        "$questioned": tmp_path / "again.txt",
        "$known": data / "known",
    }
    values["$questioned"].write_text(
        "Why I have never been to that town is a matter of some debate. " * 12
    )
    ended = raven(*[str(values.get(part, part)) for part in ABOUT_ONE_TEXT[command]])
    said = " ".join(ended.said.split())
    assert "168 words, 14 without repetitions" in said, said
    known = sorted(
        (data / ("others" if "--candidates" in ABOUT_ONE_TEXT[command] else "known")).rglob("*.txt")
    )[0]
    copied.write_text(
        known.read_text("utf-8").replace("'", "\u2019").replace("e.", "e !") + "\nThe end.\n",
        "utf-8",
    )
    ended = raven(
        *[
            str({**values, "$questioned": copied}.get(part, part))
            for part in ABOUT_ONE_TEXT[command]
        ]
    )
    said = " ".join(ended.said.split())
    assert re.search(r"repeats the known text|also occur in .*, so Raven did not learn", said), said


@pytest.mark.parametrize(
    "command", [name for name, one in ABOUT_ONE_TEXT.items() if "$known" in one]
)
def test_known_texts_that_repeat_each_other_are_said(room, tmp_path, command):
    data = room.place / "data"
    shutil.copytree(data / "known", tmp_path / "known")
    first = sorted((tmp_path / "known").rglob("*.txt"))[0]
    first.with_name("copy.txt").write_text(first.read_text("utf-8") + "\nThe end.\n", "utf-8")
    values = {
        "$corpus": data / "others",
        "$out": tmp_path / "o",
        "$questioned": data / "questioned.txt",
        "$known": tmp_path / "known",
    }
    ended = raven(*[str(values.get(part, part)) for part in ABOUT_ONE_TEXT[command]])
    said = " ".join(ended.said.split())
    assert "texts of one author repeat each other, as drafts do: " in said and "copy.txt" in said, (
        said
    )


PROBLEMS = {
    "verify": (
        "verify",
        "length",
        "--train",
        "$a",
        "--test",
        "$b",
        "--out",
        "$out.jsonl",
        "--folder",
        "$out",
    ),
    "run": (
        "run",
        "--train",
        "$a",
        "--test",
        "$b",
        "--verifiers",
        "length",
        "--probe",
        "none",
        "--out",
        "$out",
    ),
    "safety": (
        "safety",
        "$b",
        "--train",
        "$a",
        "--obfuscators",
        "identity",
        "--verifiers",
        "length",
        "--attacks",
        "none",
        "--out",
        "$out",
    ),
}


@pytest.mark.parametrize("command", PROBLEMS)
def test_training_is_not_the_test(tmp_path, command):
    """Shared problems are refused before anything is computed; an option allows them, and they are counted."""
    problems, same = toy_problems(8, known=2, words=40, seed=1)
    write_pan_problems(tmp_path / "a", problems, same)
    values = {
        "$a": tmp_path / "a",
        "$b": tmp_path / "a",
        "$out": tmp_path / "out",
        "$out.jsonl": tmp_path / "o.jsonl",
    }
    arguments = [str(values.get(part, part)) for part in PROBLEMS[command]]
    ended = raven(*arguments)
    assert (
        ended.code == 2
        and f"{len(problems)} of {len(problems)}" in ended.said
        and not (tmp_path / "out").exists()
    )
    ended = raven(*arguments, "--allow-shared")
    assert ended.code == 0, ended.said
    assert (
        f"{len(problems)} of {len(problems)} test problems are also training problems" in ended.said
    )
    if command != "safety":
        record = json.loads((tmp_path / "out" / "plan.json").read_text("utf-8"))
        assert "test problems are also training problems" in json.dumps(record)


CHANGED = {
    "cut": lambda text: text[: 2 * len(text) // 3],
    "lowercased": str.lower,
    "other quotes": lambda text: text.replace("'", "\u2019"),
    "entities": lambda text: text.replace("'", "&#39;").replace(",", "&#44;"),
    "a line before": lambda text: f"An essay of the class, of this spring.\n{text}",
    "a line after": lambda text: f"{text}\nThe end, and thank you for reading.",
    "other lines": lambda text: text.replace(" ", "\n  "),
    "letters of another alphabet": lambda text: text[9:].replace("e", "\u0435"),
}
COPIES = {
    "verify": (PROBLEMS["verify"], r"found: 8 of 8", 2),
    "run": (PROBLEMS["run"], r"found: 8 of 8", 2),
    "safety": (PROBLEMS["safety"], r"found: 8 of 8", 2),
    "pan14": (
        ("pan14", "$both", "--verifiers", "length", "--probe", "none", "--out", "$out"),
        r"16 test documents are also training documents.* 8 of 8 problems contain one",
        0,
    ),
} | extensions.rows("COPIES")


def changed(problems, how):
    """Problems with texts that were changed."""
    transform = SimpleNamespace(transform=lambda texts: list(map(how, texts)))
    return problems.map_texts(transform)


def lines(place: Path, texts, label=lambda i: i % 2) -> None:
    rows = [
        {"id": f"{place.stem}{i}", "text": text, "label": label(i)} for i, text in enumerate(texts)
    ]
    place.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


@pytest.mark.parametrize("kind", CHANGED)
@pytest.mark.parametrize("command", COPIES)
def test_training_that_was_changed_is_not_the_test(tmp_path, command, kind):
    """Whatever program the texts came through between: with command by kind of change."""
    problems, same = toy_problems(8, words=150, seed=1)
    problems = changed(problems, lambda text: text.replace(" m", " 'm"))
    copied = changed(problems, CHANGED[kind])
    for name, one in (
        ("a", problems),
        ("b", copied),
        ("both/toy/train", problems),
        ("both/toy/test", copied),
    ):
        write_pan_problems(tmp_path / name, one, same)
        lines(tmp_path / f"{Path(name).name}.jsonl", one.texts)
    corpus = load_corpus("synthetic(authors=4, documents=24, words=90)")
    rows = [json.dumps({"author": one.author, "text": one.text}) + "\n" for one in corpus]
    (tmp_path / "people.jsonl").write_text("".join(rows), "utf-8")
    arguments, said, code = COPIES[command]
    ended = raven(*[re.sub(r"^\$", f"{tmp_path}/", part) for part in arguments])
    assert ended.code == code, ended.said
    assert re.search(said, " ".join(ended.said.split())), ended.said


WITHIN = {
    "verify": PROBLEMS["verify"],
    "run": PROBLEMS["run"],
    "safety": PROBLEMS["safety"],
    "pan14": ("pan14", "$both", "--verifiers", "length", "--probe", "none"),
    "corpus info": ("corpus", "info", "$b"),
    "obfuscate": ("obfuscate", "identity", "$b", "--out", "$out"),
}


def test_copies_within_a_problem_are_listed(tmp_path):
    problems, same = toy_problems(8, known=2, words=150, seed=1)
    questioned = problems.questioned_index.tolist()
    texts = [[problems.texts[row] for row in (*problems.known(i), questioned[i])] for i in range(8)]
    for i, change in enumerate([*CHANGED.values()][:7]):
        texts[i][0] = texts[i][0].replace(" m", " 'm")
        texts[i][2] = change(texts[i][0])
    texts[7][1] = texts[7][0].upper()
    copied = Problems.of([(f"p{i}", own[:2], own[2]) for i, own in enumerate(texts)])
    write_pan_problems(tmp_path / "b", copied, same)
    (one,) = read_problem_sets(tmp_path / "b")
    found = places(one.notes)
    assert found["known-repeat"] == ("p7",)
    assert found["identical"] == ("p6",), "but for white space"
    assert found["questioned-repeats-known"] == ("p0", "p1", "p2", "p3", "p4", "p5")


UNLIKE = {
    "another language": "Und der Mann sagte zu ihr, dass es nun Zeit sei, nach Hause zu gehen, denn es war spät. ",
    "another script": "Мы вышли из дома рано утром, когда на улице ещё никого не было, и пошли к реке. ",
    "addresses": "https://x.example/0123456789 ",
}


@pytest.mark.parametrize("kind", UNLIKE)
@pytest.mark.parametrize("command", [*PROBLEMS, "pan14", "verify --load"])
def test_answers_about_what_is_unlike_the_training_are_counted(tmp_path, command, kind):
    """Whether it is the known or the questioned text; answers are 0.5 where no letter was learned from."""
    texts = [one.text for one in load_corpus("synthetic(authors=4, documents=48, words=90)")]
    same = np.arange(24) % 2 == 0
    given = [(f"p{i}", [texts[2 * i]], texts[2 * i + 1]) for i in range(24)]
    given[12:15] = [
        ("p12", [UNLIKE[kind] * 9], texts[25]),
        ("p13", [texts[26]], UNLIKE[kind] * 9),
        ("p14", [UNLIKE[kind] * 9], UNLIKE[kind] * 8),
    ]
    for name, rows in (("a", range(12)), ("b", range(12, 24))):
        for place in (name, f"both/toy/{'train' if name == 'a' else 'test'}"):
            write_pan_problems(
                tmp_path / place, Problems.of([given[i] for i in rows]), same[list(rows)]
            )
    arguments = WITHIN[command] if command == "pan14" else PROBLEMS[command.split()[0]]
    arguments = [re.sub(r"^\$", f"{tmp_path}/", part) for part in arguments]
    if command == "verify --load":
        trained = raven(*arguments[:-1], str(tmp_path / "o"), "--save", str(tmp_path / "saved"))
        assert trained.code == 0, trained.said
        at = arguments.index("--train")
        arguments[at : at + 2] = ["--load", str(tmp_path / "saved")]
        arguments[arguments.index("--out") + 1] = str(tmp_path / "more.jsonl")
    ended = raven(*arguments, *(["--out", str(tmp_path / "out")] if command == "pan14" else []))
    said = " ".join(ended.said.split())
    assert ended.code == 0 and re.search(
        r"\b3 of 12 problems to answer have a text that differs from", said
    ), said
    assert "differs from the training texts in language" in (
        tmp_path / "out" / "plan.json"
    ).read_text("utf-8")
    assert "differs from the training texts in language" in (
        tmp_path / "out" / "report" / "index.html"
    ).read_text("utf-8")
    if command == "verify":
        rows = [
            json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()
        ]
        open_ones = {row["id"] for row in rows if row["value"] == 0.5}
        assert (open_ones >= {"p12", "p13", "p14"}) == (kind == "another script")


def test_shared_documents_and_authors_are_counted(tmp_path):
    problems, same = toy_problems(12, known=1, words=40, seed=1)
    write_pan_pairs(tmp_path / "a", problems.select(range(8)), same[:8])
    write_pan_pairs(tmp_path / "b", problems.select(range(4, 12)).swapped(), same[4:])
    ended = raven(
        "verify",
        "length",
        "--train",
        str(tmp_path / "a"),
        "--test",
        str(tmp_path / "b"),
        "--out",
        str(tmp_path / "o.jsonl"),
        "--folder",
        str(tmp_path / "o"),
    )
    assert ended.code == 2 and "4 of 8" in ended.said, (
        "a pair the other way round is the same problem"
    )


KINDS_OF_PROBLEMS = {
    "lost characters": "characters-lost",
    "a passage of many problems": "shared",
    "files that vanish": "unread-in-problems",
    "problems and truth that do not meet": "unusable-problems",
}
UNUSABLE = (
    r"Raven cannot use 2 of 9 problems of b: new: truth.txt or contents.json names it, but it has"
    r" no folder; \w+: truth.txt does not contain it, so Raven does not answer or score it"
)


@pytest.fixture(scope="module")
def problems_room(tmp_path_factory):
    place = tmp_path_factory.mktemp("problems")
    for part, seed in (("a", 1), ("b", 2)):
        problems, same = toy_problems(8, known=1, words=40, seed=seed)
        write_pan_problems(place / part, problems, same)
        for number, file in enumerate(sorted((place / part).rglob("*known*.txt"))):
            file.write_text(
                f"{LICENCE.format(f', no. {number},')}\n{part} {file.read_text('utf-8')}\n"
                + "\ufffd" * (number == 0),
                "utf-8",
            )
        (file.parent / "more.md").write_text("A text that is not read.")
    lines = (place / "b" / "truth.txt").read_text("utf-8").splitlines()
    (place / "b" / "truth.txt").write_text("\n".join([*lines[1:], "new Y", ""]))
    return place


@pytest.mark.parametrize("command", PROBLEMS)
def test_every_command_says_what_problems_have(problems_room, tmp_path, command):
    values = {
        "$a": problems_room / "a",
        "$b": problems_room / "b",
        "$out": tmp_path / "o",
        "$out.jsonl": tmp_path / "o.jsonl",
    }
    arguments = [str(values.get(part, part)) for part in PROBLEMS[command]]
    ended = raven(*arguments, "--plan")
    assert ended.code == 0, ended.said
    assert re.search(UNUSABLE, ended.said) and "more: raven corpus check" in ended.said
    ended = raven(*arguments, "--plan", "--strip-shared")
    assert (
        "Raven removes passages from 14 texts because several authors share them" in ended.said
        and "This file" not in ended.said
    )


@pytest.mark.parametrize("kind", KINDS_OF_PROBLEMS)
def test_what_problems_have_is_listed(problems_room, kind):
    notes = [
        note
        for place in "ab"
        for one in read_problem_sets(problems_room / place)
        for note in one.notes
    ]
    assert KINDS_OF_PROBLEMS[kind] in places(notes)


@pytest.mark.parametrize("command", ["corpus info", "obfuscate", "freeze"])
def test_commands_without_training_say_which_problems_they_lack(problems_room, tmp_path, command):
    shutil.copytree(problems_room / "b", tmp_path / "b")
    out = str(tmp_path / "o.json")
    more = {"corpus info": [], "obfuscate": ["--out", out, "--plan"], "freeze": ["-o", out]}
    first = ["obfuscate", "identity"] if command == "obfuscate" else command.split()
    ended = raven(*first, str(tmp_path / "b"), *more[command])
    assert ended.code == 0, ended.said
    said = " ".join(ended.said.split())
    assert re.search(UNUSABLE, said), ended.said


def pairs(place: Path, column: str, turned: bool = False, numbered: str = "{}") -> Path:
    """A table of twelve pairs with one column of labels."""
    problems, same = toy_problems(12, known=1, words=40, seed=len(column))
    rows = [
        {
            "id": numbered.format(i),
            "text1": problems.texts[int(problems.known(i)[0])],
            "text2": problems.texts[int(problems.questioned_index[i])],
            column: int(bool(same[i]) != turned),
        }
        for i in range(12)
    ]
    place.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return place


@pytest.mark.parametrize("column", ["different", "is_different", "Different Authors", "distance"])
def test_the_opposite_of_same_is_read_as_what_it_is(tmp_path, column):
    """In training and in tests of every command that reads tables of pairs."""
    turned = pairs(tmp_path / "turned.jsonl", column, turned=True)
    rows = [json.loads(line) for line in turned.read_text("utf-8").splitlines()]
    plain = [
        {("same" if k == column else k): (1 - v if k == column else v) for k, v in row.items()}
        for row in rows
    ]
    (tmp_path / "plain.jsonl").write_text("".join(json.dumps(row) + "\n" for row in plain), "utf-8")
    (one,), (other,) = (
        read_problem_sets(tmp_path / f"{name}.jsonl") for name in ("turned", "plain")
    )
    assert one.truth().tolist() == other.truth().tolist() and set(one.truth().tolist()) == {
        True,
        False,
    }
    (tmp_path / "truth.jsonl").write_text(
        "".join(json.dumps({"id": r["id"], column: r[column]}) + "\n" for r in rows)
    )
    doubled = [{**row, column: 1 - row[column], "same": 1 - row[column]} for row in rows]
    (tmp_path / "doubled.jsonl").write_text(
        "".join(json.dumps({**r, "same": r[column]}) + "\n" for r in doubled)
    )
    if column != "distance":
        with pytest.raises(InputError, match="contradict"):
            read_problem_sets(tmp_path / "doubled.jsonl")
    said = "".join(json.dumps({**row, column: 0.3}) + "\n" for row in rows)
    (tmp_path / "real.jsonl").write_text(said, "utf-8")
    for command, arguments in PROBLEMS.items():
        out = {"$out": tmp_path / "o", "$out.jsonl": tmp_path / "o.jsonl"}
        values = {"$a": tmp_path / "real.jsonl", "$b": turned, **out}
        ended = raven(*[str(values.get(part, part)) for part in arguments], "--plan")
        assert ended.code == 2 and f"{column} means neither same nor different" in ended.said, (
            command,
            ended.said,
        )


IDS = {
    "verify": (
        "verify",
        "length",
        "--train",
        "$good",
        "--test",
        "$pairs",
        "--out",
        "$o.jsonl",
        "--plan",
    ),
    "run": ("run", "--train", "$good", "--test", "$pairs", "--verifiers", "length", "--plan"),
    "safety": (
        "safety",
        "$pairs",
        "--train",
        "$good",
        "--obfuscators",
        "identity",
        "--attacks",
        "none",
        "--plan",
    ),
    "corpus info": ("corpus", "info", "$pairs"),
    "evaluate": ("evaluate", "$truth", "$answers"),
    "evaluate --by": ("evaluate", "$truth", "$right", "--by", "$genres"),
    "freeze": ("freeze", "$pairs", "-o", "$m.json"),
}


@pytest.mark.parametrize("all_of_them", [True, False])
@pytest.mark.parametrize("command", IDS)
def test_ids_that_would_meet_as_numbers_are_said_and_never_joined(tmp_path, command, all_of_them):
    problems, same = toy_problems(12, known=1, words=40, seed=3)
    problems = replace(problems, ids=np.array([f"{i:03d}" for i in range(12)]))
    plain = {f"{i:03d}": str(i) if all_of_them or i < 4 else f"{i:03d}" for i in range(12)}

    def lines(name: str, ids, **others) -> None:
        rows = [{"id": i} | {k: v[n] for k, v in others.items()} for n, i in enumerate(ids)]
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))

    for name in ("pairs", "good"):
        write_pan_pairs(
            tmp_path / name,
            problems if name == "pairs" else toy_problems(12, words=40, seed=5)[0],
            same,
        )
    sides = [[i, i if s else "x"] for i, s in zip(plain, same, strict=True)]
    lines("pairs/truth.jsonl", plain.values(), same=same.tolist(), authors=sides)
    lines("truth.jsonl", plain, same=same.tolist())
    lines("answers.jsonl", plain.values(), value=[0.7] * 12)
    lines("right.jsonl", plain, value=[0.7] * 12)
    lines("genres.jsonl", plain.values(), genre=["a", "b"] * 6)
    values = {f"${name}": tmp_path / name for name in ("pairs", "good", "o.jsonl", "m.json")}
    values |= {f"${name}": tmp_path / f"{name}.jsonl" for name in ("truth", "answers", "right")}
    values |= {"$genres": f"{tmp_path / 'genres.jsonl'}:genre"}
    ended = raven(*[str(values.get(part, part)) for part in IDS[command]])
    said = " ".join(ended.said.split())
    assert re.search(
        r"(12|4) ids differ only in how numbers are written \((\d+) and (0\2|00\2|\d+)", said
    ), ended.said
    assert "format the column as text" in said
    assert ended.code == (2 if all_of_them or command == "evaluate" else ended.code)


TABLES_OF_PAIRS = {
    "labels the other way round": r"labels contradict the two authors in 12 of 12 rows: are they the other way round\?"
    r" found: in the first: label is 0, authors are a and a fix: call column label different",
    "an empty label": r"pairs.csv:\d+: label is empty .*fix: fill it in",
    "ids that repeat": r"6 unusable rows.*duplicate id .*fix: make the ids differ, or remove the column",
    "nobody's names without a label": r"no label, and Raven cannot derive one because author1 and author2 do not name two"
    r" authors",
}
READ_TABLES = {
    **{command: IDS[command] for command in ("verify", "run", "safety", "freeze")},
    "evaluate": ("evaluate", "$pairs", "$answers"),
}


@pytest.mark.parametrize("kind", TABLES_OF_PAIRS)
@pytest.mark.parametrize("command", READ_TABLES)
def test_tables_of_pairs_say_their_cause(tmp_path, command, kind):
    write_pan_pairs(tmp_path / "good", *toy_problems(12, words=40, seed=5))
    problems, same = toy_problems(12, words=40, seed=3)
    rows = []
    for i in range(12):
        known, questioned = int(problems.known(i)[0]), int(problems.questioned_index[i])
        row = {"id": f"p{i}", "text1": problems.texts[known], "text2": problems.texts[questioned]}
        row |= {"author1": "a", "author2": "a" if same[i] else "b", "label": int(same[i])}
        if "without a label" in kind:
            del row["label"]
        if kind == "labels the other way round":
            row["label"] = 1 - row["label"]
        elif kind == "an empty label" and i % 3 == 0:
            row["label"] = ""
        elif kind == "ids that repeat":
            row["id"] = f"p{i // 2}"
        elif kind.startswith("nobody") and i % 2:
            row["author2"] = "[deleted]"
        rows.append(row)
    with (tmp_path / "pairs.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, [*rows[0]])
        table.writeheader()
        table.writerows(rows)
    answers = [json.dumps({"id": row["id"], "value": 0.7}) + "\n" for row in rows]
    (tmp_path / "answers.jsonl").write_text("".join(answers))
    values = {
        "$pairs": "pairs.csv",
        "$answers": "answers.jsonl",
        "$good": "good",
        "$m.json": "m.json",
    }
    values = {key: str(tmp_path / name) for key, name in {**values, "$o.jsonl": "o.jsonl"}.items()}
    ended = raven(*[values.get(part, part) for part in READ_TABLES[command]])
    said = " ".join(ended.said.split())
    assert ended.code == (0 if kind == "authors without a label" else 2), ended.said
    assert re.search(TABLES_OF_PAIRS[kind], said), ended.said


CLASSES = {
    "1 and 2": ("1", "2"),
    "per cent": ("100%", "0%"),
    "igen, nem": ("igen", "nem"),
    "not": ("not so", "different"),
}


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("command", sorted(set(READ_TABLES) - {"evaluate"}))
def test_no_fix_drops_a_class(tmp_path, command, kind):
    """Nor does --skip-faulty, where the labels of a whole class are not read."""
    write_pan_pairs(tmp_path / "good", *toy_problems(12, words=40, seed=5))
    rows = [
        json.loads(line)
        for line in pairs(tmp_path / "p.jsonl", "label").read_text("utf-8").splitlines()
    ]
    rows = [{**row, "label": CLASSES[kind][1 - row["label"]]} for row in rows]
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    values = {
        "$good": tmp_path / "good",
        "$pairs": tmp_path / "pairs.jsonl",
        "$o.jsonl": tmp_path / "o.jsonl",
        "$m.json": tmp_path / "m.json",
    }
    arguments = [str(values.get(part, part)) for part in READ_TABLES[command]]
    for more in ((), ("--skip-faulty",))[: 1 if command == "freeze" else 2]:
        ended = raven(*arguments, *more)
        said = " ".join(ended.said.split())
        assert ended.code == 2 and re.search(
            r"in (6|12) of 12 rows, so Raven would not read a whole class", said
        ), said
        assert (
            all(f"{value} (6 rows)" in said for value in CLASSES[kind]) and "leave" not in said
        ), said


@pytest.mark.parametrize("command", ["verify", "freeze"])
def test_a_table_without_truth_says_which_columns_are_not_read(tmp_path, command):
    write_pan_pairs(tmp_path / "good", *toy_problems(12, words=40, seed=5))
    values = {
        "$good": tmp_path / "good",
        "$pairs": pairs(tmp_path / "p.jsonl", "similarity"),
        "$o.jsonl": tmp_path / "o.jsonl",
        "$m.json": tmp_path / "m.json",
    }
    ended = raven(*[str(values.get(part, part)) for part in READ_TABLES[command]])
    assert (
        "p.jsonl has no column same or label, so Raven scores nothing; Raven did not read: similarity"
        in " ".join(ended.said.split())
    )


ANSWERS = {
    "probabilities of both": ({"prob_0": 0.9, "prob_1": 0.1}, "fix: rename prob_1 to value"),
    "the probability of different": (
        {"proba_different": 0.9},
        "fix: write 1 - proba_different as value",
    ),
    "in another order": (
        {"class1": 0.1, "class0": 0.9},
        "fix: rename class1 to value, if it is",
    ),
    "confidence": (
        {"prediction": "no", "confidence": 0.9},
        "and 1 - confidence if it says different authors",
    ),
    "zeros before a number": ({"value": 0.1}, "ids differ only in zeros before a number"),
}


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
@pytest.mark.parametrize("kind", ANSWERS)
def test_no_fix_turns_answers_round(tmp_path, kind, ending):
    columns, fix = ANSWERS[kind]
    rows = [{"id": f"p{i:03d}" if "value" in columns else f"p{i}", **columns} for i in range(4)]
    truth = [{"id": f"p{i}", "same": i % 2 == 0} for i in range(4)]
    (tmp_path / "truth.jsonl").write_text("".join(json.dumps(row) + "\n" for row in truth))
    with (tmp_path / f"a.{ending}").open("w", newline="") as file:
        if ending == "jsonl":
            file.writelines(json.dumps(row) + "\n" for row in rows)
        else:
            table = csv.DictWriter(file, list(rows[0]))
            table.writeheader()
            table.writerows(rows)
    ended = raven("evaluate", str(tmp_path / "truth.jsonl"), str(tmp_path / f"a.{ending}"))
    assert ended.code == 2 and fix in " ".join(ended.said.split()), ended.said


TRUTH = [
    {"id": f"p{i:02d}", "same": i % 2 == 0, "authors": [f"a{i % 5}", f"{'ab'[i % 2]}{i % 5}"]}
    for i in range(30)
]


def judged(seed: int, **changed) -> str:
    """A system's answers to 30 problems, mostly right, as lines; changed as the values say by their ids."""
    noise = np.random.default_rng(seed).uniform(-0.45, 0.45, 30).round(4)
    values = {
        row["id"]: (0.7 if row["same"] else 0.3) + n * 0.6
        for row, n in zip(TRUTH, noise, strict=True)
    }
    return rows_of(
        {"id": key, "value": round(value, 4)} for key, value in (values | changed).items()
    )


def rows_of(records) -> str:
    return "".join(json.dumps(one) + "\n" for one in records)


GOOD = judged(1)
TURNED = rows_of(
    {**(row := json.loads(line)), "value": 1 - row["value"]} for line in GOOD.splitlines()
)
OF_ANSWERS = {
    "one system, two spellings": (
        {"s/Team A.jsonl": GOOD, "s/team_a.jsonl": judged(2)},
        (),
        "Team A / team_a",
    ),
    "one author, two spellings": (
        {
            "s/a.jsonl": GOOD,
            "truth.jsonl": rows_of(
                {**row, "authors": [n.upper() for n in row["authors"]]} if i % 3 else row
                for i, row in enumerate(TRUTH)
            ),
        },
        (),
        "Raven joins different spellings of one author's name: A0 = a0",
    ),
    "labels in two spellings": (
        {
            "s/a.jsonl": GOOD,
            "by.csv": "id,genre\n" + "".join(f"p{i:02d},{'Xx'[i % 2]}\n" for i in range(30)),
        },
        ("--by", "$by"),
        "Raven joins different spellings of one 'genre': X = x",
    ),
    "ids with blanks": (
        {"s/a.jsonl": GOOD.replace('0"', '0 "')},
        (),
        "ids differ only in spaces or letter case",
    ),
    "training is the test": (
        {"s/a.jsonl": GOOD, "s/b.jsonl": judged(2)},
        ("--training-truth", "$truth", "--training-answers", "$s"),
        "training set and test set are identical: .* found: 30 of 30",
    ),
    "training is most of the test": (
        {
            "s/a.jsonl": GOOD,
            "s/b.jsonl": judged(2),
            "t/a.jsonl": judged(1, p00=0.11, p01=0.12),
            "t/b.jsonl": judged(2),
        },
        ("--training-truth", "$truth", "--training-answers", "$t"),
        "found: 28 of 30",
    ),
    "files that vanish": (
        {
            "s/a/answers.jsonl": GOOD,
            "s/b.jsonl": judged(2),
            "s/c/answers.jsonl.bak": GOOD,
            "s/README.md": "what",
        },
        (),
        "Raven did not read 2 files as answers: b.jsonl; c/answers.jsonl.bak",
    ),
    "problems without a label": (
        {"s/a.jsonl": GOOD, "by.csv": "id,genre\np00,x\np01,y\n"},
        ("--by", "$by"),
        "28 of 30 problems have no genre in by",
    ),
    "people who are none": (
        {
            "s/a.jsonl": GOOD,
            "truth.jsonl": rows_of(
                {**row, "authors": ["[deleted]"] * 2} if i < 4 else row
                for i, row in enumerate(TRUTH)
            ),
        },
        (),
        "2 problems by one author who is nobody in particular",
    ),
    "one file under two names": (
        {"s/a.jsonl": GOOD, "s/b.jsonl": GOOD},
        (),
        "These names have identical answers.*: a / b",
    ),
    "truth as answers": (
        {"s/a.jsonl": rows_of({"id": row["id"], "value": float(row["same"])} for row in TRUTH)},
        (),
        "truth / a",
    ),
    "answers turned round": ({"s/a.jsonl": TURNED}, (), "AUC is below .5: a"),
    "letter against number": (
        {"s/a.txt": "".join(f"{row['id']} Y {row['same']:.1f}\n" for row in TRUTH)},
        (),
        "contradicts the score in 15 of 30",
    ),
    "rows that swallow rows": (
        {
            "s/a.csv": "id,note,value\n"
            + "".join(f"p{i:02d},{chr(34) * (i in (3, 9))}x,.5\n" for i in range(30))
        },
        (),
        "a quotation mark joins this row and the next|not a CSV file",
    ),
    "no value of 0/0": (
        {"s/a.jsonl": rows_of({"id": row["id"], "value": 0.5} for row in TRUTH)},
        (),
        r" n/a ",
    ),
    "an id twice in truth": (
        {"s/a.jsonl": GOOD, "truth.jsonl": rows_of([*TRUTH, TRUTH[0]])},
        (),
        "fix: keep the line that is right",
    ),
}
"""What truth and answers may have: files, further options, and what is said."""


@pytest.mark.parametrize("kind", OF_ANSWERS)
def test_evaluate_says_what_truth_and_answers_have(tmp_path, kind):
    files, more, expected = OF_ANSWERS[kind]
    for name, text in {"truth.jsonl": rows_of(TRUTH), **files}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    values = {
        "$truth": tmp_path / "truth.jsonl",
        "$s": tmp_path / "s",
        "$t": tmp_path / "t",
        "$by": f"{tmp_path / 'by.csv'}:genre",
    }
    quick = ("--replicates", "50", "--trials", "50", "--workers", "1", "--out", str(tmp_path / "o"))
    given = [str(values.get(part, part)) for part in ("evaluate", "$truth", "$s", *more)]
    ended = raven(*given, *quick)
    said = " ".join(ended.said.split())
    assert_offered("evaluate", ended.said)
    if ended.code == 0 and kind != "no value of 0/0":
        notes = json.loads((tmp_path / "o" / "report.json").read_text())["notes"]
        assert re.search(expected, " ".join(notes))
        assert re.search(f"{expected}|raven corpus check", said), said
    else:
        assert re.search(expected, said), said


def test_rows_that_contradict_their_authors_are_named_by_the_authors(tmp_path):
    table = "id,text1,text2,author1,author2,label\n"
    table += "".join(
        f"{i},Words of {i}.,Others of {i}.,a,{'ab'[i % 2]},{1 - i % 2 if i else 0}\n"
        for i in range(9)
    )
    (tmp_path / "pairs.csv").write_text(table)
    ended = raven("freeze", str(tmp_path / "pairs.csv"), "-o", str(tmp_path / "m.json"))
    assert (
        ended.code == 2
        and "label is 0, authors are a and a" in ended.said
        and "{" not in ended.said
    )


SETS = {
    "problems that contents.json lacks": ("unlisted-problems", ("toy006", "toy007")),
    "a stray folder and further files": (
        "unread-in-problems",
        ("toy000/sub/known09.txt", "toy001/unknown2.txt", "toy002/notes.txt"),
    ),
    "another script": ("script-otherwise", ()),
    "truth in other letters": ("ids-case", ()),
}


@pytest.mark.parametrize("kind", SETS)
def test_sets_of_problems_say_what_does_not_fit(tmp_path, kind):
    write_pan_problems(tmp_path / "b", *toy_problems(8, words=40, seed=3))
    place = tmp_path / "b"
    contents = json.loads((place / "contents.json").read_text())
    if kind == "problems that contents.json lacks":
        contents["problems"] = contents["problems"][:6]
    elif kind == "another script":
        contents["language"] = "Greek"
    elif kind == "truth in other letters":
        (place / "truth.txt").write_text((place / "truth.txt").read_text().upper())
    else:
        (place / "toy000" / "sub").mkdir()
        for file in ("toy000/sub/known09.txt", "toy001/unknown2.txt", "toy002/notes.txt"):
            (place / file).write_text("Words that are not read.")
    (place / "contents.json").write_text(json.dumps(contents))
    code, expected = SETS[kind]
    if "truth" in kind:
        with pytest.raises(FormatError, match="8 ids differ only in letter case") as caught:
            read_problem_sets(place)
        assert "write the ids alike in both" in str(caught.value)
    else:
        (one,) = read_problem_sets(place)
        assert places(one.notes)[code] == expected


@pytest.mark.parametrize("given", [["--text", "text1"], ["--author", "who"], ["--topic", "none"]])
def test_options_of_a_corpus_are_refused_where_problems_are_given(tmp_path, given):
    table = pairs(tmp_path / "p.jsonl", "same")
    ended = raven(
        "run", "--train", str(table), "--test", str(table), *given, "--allow-shared", "--plan"
    )
    assert ended.code == 2 and f"leave out {given[0]}" in ended.said


def attribution(place: Path) -> Path:
    """PAN's problems with all faults: a leak, a file that is not read, a name apart in its accents, lost characters."""
    rows = {}
    for one in load_corpus("synthetic(authors=3, topics=2, documents=12, words=60, style=0.9)"):
        rows.setdefault(one.author, []).append(one.text)
    names = dict(zip(("Zo\u00e9", "b", "c"), rows.values(), strict=True))
    root = place / "problem00001"
    for name, texts in names.items():
        for i, text in enumerate(texts[:3]):
            file = root / unicodedata.normalize("NFD", name) / f"known{i}.txt"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(
                f"{LICENCE.format(f', copy {i} for {name},')}\n{text}" + "\ufffd" * (i == 0),
                "utf-8",
            )
    (root / "unknown").mkdir()
    unknown = {
        "u1.txt": ("Zoe\u0301", names["Zo\u00e9"][3]),
        "u2.txt": ("b", f"{LICENCE.format(', copy 1 for c,')}\n{names['c'][1]}"),
    }
    for file, (_, text) in unknown.items():
        (root / "unknown" / file).write_text(text, "utf-8")
    (root / "b" / "more.md").write_text("A text that is not read.")
    (root / "problem-info.json").write_text(
        json.dumps({"candidate-authors": [{"author-name": n} for n in names]})
    )
    truth = [{"unknown-text": file, "true-author": author} for file, (author, _) in unknown.items()]
    (root / "ground-truth.json").write_text(json.dumps({"ground_truth": truth}))
    return place


ATTRIBUTION = {
    "attribute": ("attribute", "$p", "--methods", "svm", "--plan"),
    "safety": (
        "safety",
        "$p",
        "--methods",
        "svm",
        "--obfuscators",
        "identity",
        "--attacks",
        "none",
        "--plan",
    ),
} | extensions.rows("READING_ATTRIBUTION")


@pytest.mark.parametrize("command", ATTRIBUTION)
def test_every_command_says_what_attribution_problems_have(tmp_path, command):
    values = {"$p": attribution(tmp_path / "p"), "$q": tmp_path / "q.txt"}
    (tmp_path / "q.txt").write_text(
        "A text of many words by nobody who is known here, and of some more. " * 20
    )
    ended = raven(*[str(values.get(part, part)) for part in ATTRIBUTION[command]])
    assert ended.code == 0, ended.said
    for kind in (
        r"the known texts also include 1 of 2 unknown texts; Raven learns nothing from these \(u2.txt by c\)",
        r"Raven did not read 1 file \(b/more.md\)",
        r"\d more: raven corpus check",
    ):
        assert re.search(kind, ended.said), (kind, ended.said)
    assert_offered(command, ended.said)


def test_a_saved_verifier_knows_what_it_learned_from(tmp_path):
    problems, same = toy_problems(8, known=1, words=40, seed=1)
    write_pan_problems(tmp_path / "a", problems, same)
    write_pan_problems(tmp_path / "b", *toy_problems(8, known=1, words=40, seed=2))

    def verify(*more, name):
        return raven(
            "verify",
            "length",
            *more,
            "--out",
            str(tmp_path / f"{name}.jsonl"),
            "--folder",
            str(tmp_path / name),
        )

    saved = str(tmp_path / "saved")
    assert (
        verify(
            "--train",
            str(tmp_path / "a"),
            "--test",
            str(tmp_path / "b"),
            "--save",
            saved,
            name="first",
        ).code
        == 0
    )
    ended = verify("--load", saved, "--test", str(tmp_path / "a"), name="second")
    assert ended.code == 2 and "8 of 8" in ended.said
    ended = verify("--load", saved, "--test", str(tmp_path / "a"), "--allow-shared", name="second")
    assert ended.code == 0 and "8 of 8 test problems are also training problems" in ended.said
    (tmp_path / "saved" / "learned.json").unlink()
    ended = verify("--load", saved, "--test", str(tmp_path / "a"), name="third")
    assert ended.code == 2 and "were not saved together" in ended.said


TWICE = {
    "corpus info": (("corpus", "info", "$x"), '{"text": "One.", "author": "a", "author": "b"}'),
    "run": (("run", "$x", "--plan"), '{"text": "One.", "author": "a", "author": "b"}'),
    "evaluate": (("evaluate", "$truth", "$x"), '{"id": "1", "value": 0.1, "value": 0.9}'),
    "evaluate's truth": (("evaluate", "$x", "$truth"), '{"id": "1", "same": true, "same": false}'),
    "verify": (
        ("verify", "length", "--train", "$x", "--test", "$x", "--out", "$o", "--plan"),
        '{"id": "1", "pair": ["A.", "B."], "pair": ["A.", "C."]}',
    ),
} | extensions.rows("READING_TWICE")


@pytest.mark.parametrize("command", TWICE)
def test_a_key_that_stands_twice_is_refused_with_both_values(tmp_path, command):
    told, line = TWICE[command]
    values = {
        "$x": tmp_path / "x.jsonl",
        "$truth": tmp_path / "t.jsonl",
        "$o": tmp_path / "o.jsonl",
    }
    values["$x"].write_text(line + "\n")
    values["$truth"].write_text('{"id": "1", "same": true}\n')
    ended = raven(*[str(values.get(part, part)) for part in told])
    assert (
        ended.code == 2 and "duplicate key" in ended.said and re.search("is .* and ", ended.said)
    ), ended.said


@pytest.mark.parametrize("what", ["unquoted", "faulty"])
@pytest.mark.parametrize(
    "command", ["corpus info", "run", "verify", "safety", *extensions.rows("READING_FAULTS")]
)
def test_no_fix_names_an_option_that_the_command_lacks(room, tmp_path, command, what):
    rows = [f"a{i % 5}\tt{i % 3}\tThe text of number {i} with words" for i in range(30)]
    rows[4] = rows[4].replace("The", '"The') if what == "unquoted" else "\tt\tx"
    rows[9] = rows[9] + '"' if what == "unquoted" else "a\tt\t"
    table = tmp_path / "t.tsv"
    head = "text1\tlabel\ttext2" if command in ("verify", "safety") else "author\ttopic\ttext"
    if head.startswith("text1"):
        rows = [re.sub("\tt\\d?\t", f"\t{i % 2}\t", row) for i, row in enumerate(rows)]
    table.write_text("\n".join([head, *rows]) + "\n")
    more = {
        "verify": (
            "verify",
            "length",
            "--train",
            str(table),
            "--test",
            str(table),
            "--out",
            str(tmp_path / "o.jsonl"),
        ),
        "safety": ("safety", str(table), "--train", str(table), "--plan"),
    }
    data = room.place / "data"
    values = {
        "$corpus": table,
        "$out": tmp_path / "o",
        "$questioned": data / "questioned.txt",
        "$known": data / "known",
    }
    given = more.get(command) or extensions.rows("READING_FAULTS").get(command) or COMMANDS[command]
    ended = raven(*(str(values.get(part, part)) for part in given))
    assert ended.code == 2, ended.said
    flag = "--unquoted" if what == "unquoted" else "--skip-faulty"
    # What is no flag is said with its place in a spec file.
    key = flag.removeprefix("--").replace("-", "_")
    name = command.partition(" --")[0]
    assert (f"{name}.{key} = true" in ended.said) is (key in spec_keys()[name]), ended.said
    assert_offered(command, ended.said)


def test_advice_keeps_what_a_command_offers(monkeypatch):
    monkeypatch.setattr(errors, "OPTIONS", {"--encoding": "", "--out": ""})
    assert errors.offered("--unquoted reads it; else put it in quotes") == "put it in quotes"
    assert errors.offered("fill it in, or leave it out with --skip-faulty") == "fill it in"
    assert errors.offered("--encoding cp1252, or iconv -f X") == "--encoding cp1252, or iconv -f X"
    assert (
        errors.offered("raven texts FILE --anonymous -o OUT")
        == "raven texts FILE --anonymous -o OUT"
    )
    assert errors.offered("--strip-shared removes it") == ""


READING = {"text", "author", "encoding", "unquoted", "strip_shared", "skip_faulty"}
READ_CORPORA = {name.partition(" --")[0] for name in COMMANDS} | extensions.names("READ_CORPORA")
READ_PROBLEMS = ("run", "verify", "safety", *sorted(extensions.names("READ_PROBLEMS")))


@pytest.mark.parametrize("command", sorted(READ_CORPORA))
def test_every_command_that_reads_a_corpus_has_the_options_of_reading(command):
    assert all_options()[command] >= READING


@pytest.mark.parametrize("command", READ_PROBLEMS)
def test_every_command_that_reads_problems_has_those_of_texts(command):
    assert all_options()[command] >= READING - {"text", "author"}


@pytest.mark.parametrize(
    "given",
    [
        ["--unquoted"],
        ["--text", "body"],
        ["--topic", "column"],
        ["--encoding", "cp1252"],
        ["--skip-faulty"],
    ],
)
def test_options_of_tables_are_refused_by_their_names_where_there_is_none(tmp_path, given):
    generated = "synthetic(documents=40, authors=5)"
    raven("corpus", "import", generated, "-o", str(tmp_path / "imported"))
    for corpus in (generated, str(tmp_path / "imported")):
        ended = raven("corpus", "info", corpus, *given)
        assert ended.code == 2 and f"leave {given[0]} out" in ended.said
        assert raven("corpus", "info", corpus, "--topic", "none", "--strip-shared").code == 0


def test_a_split_of_stripped_texts_is_frozen_and_thawed(room, tmp_path):
    corpus = str(room("corpus info", "folder") and room.place / "folder")
    run = [
        "run",
        corpus,
        "--topic",
        "none",
        "--strip-shared",
        "--verifiers",
        "length",
        "--probe",
        "none",
    ]
    ended = raven(*run, "--out", str(tmp_path / "run"))
    assert ended.code == 0, ended.said
    for what, how in ((str(tmp_path / "run"), []), (corpus, ["--strip-shared"])):
        manifest = str(tmp_path / f"{len(how)}.json")
        ended = raven("freeze", what, *how, "-o", manifest)
        if how and ended.code == 2:  # no topics, and so no split of topics
            assert "Raven cannot draw a split" in ended.said
            continue
        assert ended.code == 0, ended.said
        ended = raven("thaw", manifest, corpus)
        assert ended.code == 0 and "every text is identical" in ended.said, ended.said


def test_texts_say_who_is_no_author(tmp_path):
    """Placeholders are nobody, parts of a data set no authors, and what is no file is named."""
    inbox = tmp_path / "inbox"
    for name in (
        "[deleted]/1.txt",
        "Anonymous/2.txt",
        "train/3.txt",
        "Ann & Bob/4.txt",
        "Eve/5.txt",
    ):
        (inbox / name).parent.mkdir(parents=True, exist_ok=True)
        (inbox / name).write_text(f"The words of text {name} and no other.")
    (inbox / "Eve" / "gone.txt").symlink_to("nowhere.txt")
    (inbox / "Eve" / "shelf").symlink_to(tmp_path)
    os.mkfifo(inbox / "Eve" / "pipe.txt")
    ended = raven("texts", str(inbox), "-o", str(tmp_path / "out"))
    assert ended.code == 0, ended.said
    for said in (
        "Raven puts texts by nobody in particular under author unknown: Anonymous (1), [deleted] (1)",
        "may be a part of a data set: train",
        "may each refer to several people: Ann & Bob",
        "5 texts by 3 authors",
        "Eve/gone.txt: the target of this link does not exist",
        "Eve/shelf: this link points outside the folder",
        "Eve/pipe.txt: it is not a regular file",
    ):
        assert said in " ".join(ended.said.split()), (said, ended.said)
    page = (tmp_path / "out" / "index.html").read_text("utf-8")
    assert (
        "may be a part of a data set: train" in page
        and "the target of this link does not exist" in page
    )
    for part in ("train", "test"):
        (tmp_path / "parted" / part / "ann").mkdir(parents=True)
        (tmp_path / "parted" / part / "ann" / "1.txt").write_text(f"Words of hers in {part}.")
    ended = raven("texts", str(tmp_path / "parted"), "-o", str(tmp_path / "no"))
    assert (
        ended.code == 2 and "parts of a data set" in ended.said and not (tmp_path / "no").exists()
    )
    assert raven("texts", str(tmp_path / "parted" / "train"), "-o", str(tmp_path / "yes")).code == 0


def test_a_known_text_that_is_a_link_to_nowhere_is_said(tmp_path):
    problems, same = toy_problems(8, known=2, words=40, seed=1)
    write_pan_problems(tmp_path / "a", problems.select(range(4)), same[:4])
    write_pan_problems(tmp_path / "b", problems.select(range(4, 8)), same[4:])
    folder = next(p for p in sorted((tmp_path / "b").iterdir()) if p.is_dir())
    (folder / "known09.txt").symlink_to("nowhere.txt")
    ended = raven(
        "verify",
        "length",
        "--train",
        str(tmp_path / "a"),
        "--test",
        str(tmp_path / "b"),
        "--out",
        str(tmp_path / "o.jsonl"),
        "--folder",
        str(tmp_path / "o"),
    )
    assert ended.code == 0 and "known09.txt: the target of this link does not exist" in ended.said
    headed = re.search(r"(\d+) remarks:\n((?:  .*\n)*)", ended.said)
    assert headed is None or int(headed[1]) == len(headed[2].splitlines()), "as many as are listed"


def test_ravens_own_pages_are_no_texts_and_nothing_is_told_twice(tmp_path, room):
    folder = room.place / "folder"
    assert raven("texts", str(folder), "-o", str(tmp_path / "texts")).code == 0
    ended = raven("corpus", "info", str(tmp_path / "texts"), "--topic", "none")
    assert ended.code == 0 and "index.html" not in ended.said and "texts.json" not in ended.said
    again = raven("texts", str(tmp_path / "texts"), "-o", str(tmp_path / "again"))
    assert again.code == 0 and not (tmp_path / "again" / "author unknown" / "index.txt").exists()
    for command in set(COMMANDS) - {"corpus info", "corpus import"}:
        said = room(command, "folder")
        assert said.count("more: raven corpus check") == 1, (command, said)
        noted = re.findall(r"note: ([^:]{9,60})", said)
        assert len(set(noted)) == len(noted), (command, noted)


def test_what_is_no_text_is_counted_by_its_reason(tmp_path):
    for number in range(8):
        for name, text in (
            (f"{number}.txt", f"A text of some words, number {number}."),
            (f"{number}.xml", "<a>b</a>"),
        ):
            place = tmp_path / "c" / "ab"[number % 2] / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
            if name.endswith("xml"):
                place.rename(place.with_name(f"other{name}"))
    ended = raven("corpus", "info", str(tmp_path / "c"))
    said = " ".join(ended.said.split())
    assert (
        "Raven leaves out 8 files (a/other0.xml; a/other2.xml; a/other4.xml; a/other6.xml; b/other1.xml"
        " and 3 more): it is not TEI" in said
    )
    assert said.count("save the text as .txt") == 1
    for number in range(6):
        (tmp_path / "clusters" / f"problem{number // 2:03d}").mkdir(parents=True, exist_ok=True)
        (tmp_path / "clusters" / f"problem{number // 2:03d}" / f"document{number}.txt").write_text(
            f"Text {number}."
        )
    ended = raven("corpus", "info", str(tmp_path / "clusters"))
    assert ended.code == 2 and "nothing here names the authors" in ended.said, (
        "a part without authors is no fix"
    )
