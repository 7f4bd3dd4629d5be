"""No input is lost, merged, leaked or mislabelled in silence: every command that reads texts by authors, and every kind
of what goes wrong in collections that people have. Rows are kinds, columns commands: each says each."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import pytest

import extensions
from contracts.commands import raven
from contracts.tasks import options, write_data
from ravenbench.corpora.load import load_corpus
from ravenbench.formats.problems import write_pan_pairs, write_pan_problems
from ravenbench.testing import toy_problems

LICENCE = "This file may be copied and given away by anyone, under the terms that its publisher has printed on a page."

KINDS = {
    "one author, two spellings": r"spellings of one author's name were joined: .*Zo",
    "people who are none": r"for their author is nobody in particular: Anonymous \(2\)",
    "files that vanish": r"files? left out, which are not read: \d .md",
    "a passage of many authors": r"the same passages stand in \d+ of \d+ texts, by \d+ authors, such as “This file",
    "lost characters": r"characters were lost in a conversion \(U\+FFFD\)",
    "one text, two authors": r"texts that stand under two authors were left out",
    "names of one person": r"author names that may be one person's: .*Holmes",
    "a name of two people": r"author names that may be several people's: Ida West & Tom Grant",
    "a link that leads nowhere": r"1 name left out: .*gone.txt: it is a link that leads nowhere",
}
OF_FILES = {"files that vanish", "a link that leads nowhere"}
COMMANDS = {
    "corpus info": ("corpus", "info", "$corpus"),
    "corpus import": ("corpus", "import", "$corpus", "--out", "$out"),
    "run": ("run", "$corpus", "--topic", "none", "--verifiers", "length", "--plan"),
    "attribute": ("attribute", "$corpus", "--topic", "none", "--protocol", "k-fold", "--min-docs", "2", "--plan"),
} | extensions.rows("READING")  # fmt: skip


def collection(place: Path) -> list[tuple[str, str]]:
    """Texts by author as people have them; returns the same as rows of a table."""
    by_author: dict[str, list[str]] = {}
    for one in load_corpus("synthetic(authors=16, topics=3, documents=80, words=130, style=0.9)"):
        by_author.setdefault(one.author or "", []).append(one.text)
    names = ["Zoe\u0301 Lee", "zo\u00e9  lee", "Anonymous", "Ann Holmes", "Holmes, Ann", "Ida West & Tom Grant"]
    rows = []
    for number, (author, texts) in enumerate(sorted(by_author.items())):
        name = names[number] if number < len(names) else author
        kept = texts[:2] if name in names else texts
        for i, text in enumerate(kept):
            head = f"{LICENCE}\n\n" if number in (6, 7, 8, 9) else ""
            rows.append((name, head + (text.replace("e", "\ufffd", 5) if (number, i) == (10, 0) else text)))
    copied = rows[-1][1]
    rows.append(("Zoe\u0301 Lee", copied))
    for i, (name, text) in enumerate(rows):
        file = place / name / f"{i:02d}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    (place / rows[-2][0] / "more.md").write_text("A text that is not read.", "utf-8")
    (place / rows[-2][0] / "gone.txt").symlink_to("nowhere.txt")
    return rows


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    place = tmp_path_factory.mktemp("reading")
    rows = collection(place / "folder")
    table = [{"author": author, "text": text} for author, text in rows]
    (place / "table.jsonl").write_text("".join(json.dumps(row) + "\n" for row in table), "utf-8")
    write_data(place / "data")
    changes = place / "changes"
    changes.mkdir()
    text = "\n".join(f"Paragraph {i} has some words of its own, and then a few more." for i in range(4))
    (changes / "problem-1.txt").write_text(text, "utf-8")
    (changes / "truth-problem-1.json").write_text(json.dumps({"changes": [0, 1, 0]}), "utf-8")
    said: dict[tuple[str, str], str] = {}

    def ask(command: str, corpus: str) -> str:
        if (command, corpus) not in said:
            out = place / f"{command}-{corpus}".replace(" ", "-")
            data = place / "data"
            values = {"$corpus": place / corpus, "$out": out, "$questioned": data / "questioned.txt",
                      "$known": data / "known", "$conditions": data / "conditions.csv", "$changes": changes,
                      "$machine": data / "machine.jsonl", "$training": data / "machine-train.jsonl"}  # fmt: skip
            arguments = [str(values.get(part, part)) for part in COMMANDS[command]]
            if corpus.endswith(".jsonl") and command in ("corpus info", "corpus import", "map"):
                arguments += ["--topic", "none"]
            ended = raven(*arguments)
            assert ended.code == 0, ended.said[-1500:]
            said[command, corpus] = " ".join(ended.said.split())
        return said[command, corpus]

    ask.place = place
    yield ask
    shutil.rmtree(place, ignore_errors=True)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_says_what_a_collection_has(room, command, kind):
    said = room(command, "folder")
    if (command, kind) == ("map", "people who are none"):  # they have a place on a map, and no author
        kind, said = "people who are none", said.replace("have no author, for", "were left out, for")
    assert re.search(KINDS[kind], said), said[-3000:]


TABLES = ("corpus info", "run", "attribute", *sorted(extensions.names("READING_TABLES")))


@pytest.mark.parametrize("kind", sorted(set(KINDS) - OF_FILES))
@pytest.mark.parametrize("command", TABLES)
def test_a_table_gets_what_a_folder_gets(room, command, kind):
    assert re.search(KINDS[kind], room(command, "table.jsonl"))


PROBLEMS = {
    "verify": ("verify", "length", "--train", "$a", "--test", "$b", "--out", "$out.jsonl", "--folder", "$out"),
    "run": ("run", "--train", "$a", "--test", "$b", "--verifiers", "length", "--probe", "none", "--out", "$out"),
    "safety": ("safety", "$b", "--train", "$a", "--obfuscators", "identity", "--verifiers", "length",
               "--attacks", "none", "--out", "$out"),
}  # fmt: skip


@pytest.mark.parametrize("command", PROBLEMS)
def test_training_is_not_the_test(tmp_path, command):
    """Shared problems are refused before anything is computed; an option allows them, and they are counted."""
    problems, same = toy_problems(8, known=2, words=40, seed=1)
    write_pan_problems(tmp_path / "a", problems, same)
    values = {"$a": tmp_path / "a", "$b": tmp_path / "a", "$out": tmp_path / "out", "$out.jsonl": tmp_path / "o.jsonl"}
    arguments = [str(values.get(part, part)) for part in PROBLEMS[command]]
    ended = raven(*arguments)
    assert ended.code == 2 and f"{len(problems)} of {len(problems)}" in ended.said and not (tmp_path / "out").exists()
    ended = raven(*arguments, "--allow-shared")
    assert ended.code == 0, ended.said
    assert f"{len(problems)} of {len(problems)} problems to answer stand among those to learn from" in ended.said
    if command != "safety":
        record = json.loads((tmp_path / "out" / "plan.json").read_text("utf-8"))
        assert "stand among those to learn from" in json.dumps(record)


def test_shared_documents_and_authors_are_counted(tmp_path):
    problems, same = toy_problems(12, known=1, words=40, seed=1)
    write_pan_pairs(tmp_path / "a", problems.select(range(8)), same[:8])
    write_pan_pairs(tmp_path / "b", problems.select(range(4, 12)).swapped(), same[4:])
    ended = raven("verify", "length", "--train", str(tmp_path / "a"), "--test", str(tmp_path / "b"), "--out",
                  str(tmp_path / "o.jsonl"), "--folder", str(tmp_path / "o"))  # fmt: skip
    assert ended.code == 2 and "4 of 8" in ended.said, "a pair the other way round is the same problem"


READING = {"text", "author", "encoding", "unquoted", "strip_shared", "skip_faulty"}
READ_CORPORA = {name.partition(" --")[0] for name in COMMANDS} | extensions.names("READ_CORPORA")


@pytest.mark.parametrize("command", sorted(READ_CORPORA))
def test_every_command_that_reads_a_corpus_has_the_options_of_reading(command):
    assert set(options()[command]) >= READING


@pytest.mark.parametrize(
    "given", [["--unquoted"], ["--text", "body"], ["--topic", "column"], ["--encoding", "cp1252"], ["--skip-faulty"]]
)
def test_options_of_tables_are_refused_by_their_names_where_there_is_none(tmp_path, given):
    raven("corpus", "import", "synthetic(documents=40, authors=5)", "-o", str(tmp_path / "imported"))
    for corpus in ("synthetic", str(tmp_path / "imported")):
        ended = raven("corpus", "info", corpus, *given)
        assert ended.code == 2 and f"leave {given[0]} out" in ended.said
        assert raven("corpus", "info", corpus, "--topic", "none", "--strip-shared").code == 0


def test_a_split_of_stripped_texts_is_frozen_and_thawed(room, tmp_path):
    corpus = str(room("corpus info", "folder") and room.place / "folder")
    run = ["run", corpus, "--topic", "none", "--strip-shared", "--verifiers", "length", "--probe", "none"]
    ended = raven(*run, "--out", str(tmp_path / "run"))
    assert ended.code == 0, ended.said
    for what, how in ((str(tmp_path / "run"), []), (corpus, ["--strip-shared"])):
        manifest = str(tmp_path / f"{len(how)}.json")
        ended = raven("freeze", what, *how, "-o", manifest)
        if how and ended.code == 2:  # no topics, and so no split of topics
            assert "no split can be drawn" in ended.said
            continue
        assert ended.code == 0, ended.said
        ended = raven("thaw", manifest, corpus)
        assert ended.code == 0 and "every text is the same" in ended.said, ended.said


def test_segments_that_were_learned_from_are_counted(tmp_path):
    lines = [f"In the year {i} she wrote of {w} things that nobody else in the town had seen before." for i, w in
             enumerate(["seven", "lovely", "broken", "distant", "wooden", "silver", "quiet", "narrow"])]  # fmt: skip
    for side, own in (("a", (lines[:4], lines[1:5])), ("b", (lines[3:7], lines[4:8]))):
        (tmp_path / side).mkdir()
        for number, segments in enumerate(own, start=1):
            (tmp_path / side / f"problem-{number}.txt").write_text("\n".join(segments))
            (tmp_path / side / f"truth-problem-{number}.json").write_text(json.dumps({"changes": [0, 1, 0]}))
    ended = raven("changes", str(tmp_path / "b"), "--train", str(tmp_path / "a"), "--out", str(tmp_path / "out"))
    assert ended.code == 0 and "3 of 8 segments to answer about stand in texts to learn from" in ended.said
    assert "3 of 8 segments" in (tmp_path / "out" / "report.json").read_text("utf-8")
    assert "3 of 8 segments" in (tmp_path / "out" / "index.html").read_text("utf-8")


def test_texts_say_who_is_no_author(tmp_path):
    """Placeholders are nobody, parts of a data set no authors, and what is no file is named."""
    inbox = tmp_path / "inbox"
    for name in ("[deleted]/1.txt", "Anonymous/2.txt", "train/3.txt", "Ann & Bob/4.txt", "Eve/5.txt"):
        (inbox / name).parent.mkdir(parents=True, exist_ok=True)
        (inbox / name).write_text(f"The words of text {name} and no other.")
    (inbox / "Eve" / "gone.txt").symlink_to("nowhere.txt")
    (inbox / "Eve" / "shelf").symlink_to(tmp_path)
    os.mkfifo(inbox / "Eve" / "pipe.txt")
    ended = raven("texts", str(inbox), "-o", str(tmp_path / "out"))
    assert ended.code == 0, ended.said
    for said in (
        "stand under author unknown: Anonymous (1), [deleted] (1)", "may be a part of a data set: train",
        "may be several people's: Ann & Bob", "5 texts by 3 authors", "Eve/gone.txt: it is a link that leads nowhere",
        "Eve/shelf: it is a link that leads out of the folder", "Eve/pipe.txt: it is no ordinary file",
    ):  # fmt: skip
        assert said in ended.said, (said, ended.said)
    page = (tmp_path / "out" / "index.html").read_text("utf-8")
    assert "may be a part of a data set: train" in page and "leads nowhere" in page
    for part in ("train", "test"):
        (tmp_path / "parted" / part / "ann").mkdir(parents=True)
        (tmp_path / "parted" / part / "ann" / "1.txt").write_text(f"Words of hers in {part}.")
    ended = raven("texts", str(tmp_path / "parted"), "-o", str(tmp_path / "no"))
    assert ended.code == 2 and "parts of a data set" in ended.said and not (tmp_path / "no").exists()
    assert raven("texts", str(tmp_path / "parted" / "train"), "-o", str(tmp_path / "yes")).code == 0


def test_a_known_text_that_is_a_link_to_nowhere_is_said(tmp_path):
    problems, same = toy_problems(8, known=2, words=40, seed=1)
    write_pan_problems(tmp_path / "a", problems.select(range(4)), same[:4])
    write_pan_problems(tmp_path / "b", problems.select(range(4, 8)), same[4:])
    folder = next(p for p in sorted((tmp_path / "b").iterdir()) if p.is_dir())
    (folder / "known09.txt").symlink_to("nowhere.txt")
    ended = raven("verify", "length", "--train", str(tmp_path / "a"), "--test", str(tmp_path / "b"), "--out",
                  str(tmp_path / "o.jsonl"), "--folder", str(tmp_path / "o"))  # fmt: skip
    assert ended.code == 0 and "known09.txt: it is a link that leads nowhere" in ended.said
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
        for kind in KINDS.values():
            assert len(re.findall(kind.replace(".*", "[^;.]*"), said)) <= 1, (command, kind, said)


def test_what_is_no_text_is_counted_by_its_reason(tmp_path):
    for number in range(8):
        for name, text in ((f"{number}.txt", f"A text of some words, number {number}."), (f"{number}.xml", "<a>b</a>")):
            place = tmp_path / "c" / "ab"[number % 2] / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
            if name.endswith("xml"):
                place.rename(place.with_name(f"other{name}"))
    ended = raven("corpus", "info", str(tmp_path / "c"))
    said = " ".join(ended.said.split())
    assert "8 files left out (a/other0.xml, a/other2.xml, a/other4.xml …), for it is no TEI" in said
    assert said.count("save the text as .txt") == 1
    for number in range(6):
        (tmp_path / "clusters" / f"problem{number // 2:03d}").mkdir(parents=True, exist_ok=True)
        (tmp_path / "clusters" / f"problem{number // 2:03d}" / f"document{number}.txt").write_text(f"Text {number}.")
    ended = raven("corpus", "info", str(tmp_path / "clusters"))
    assert ended.code == 2 and "nothing here tells who wrote which" in ended.said, "a part without authors is no fix"
