"""No input is lost, merged, leaked or mislabelled in silence: every command that reads texts by authors, and every kind
of what goes wrong in collections that people have. Rows are kinds, columns commands: each says each."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from contracts.commands import raven
from contracts.tasks import write_data
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
}
OF_FILES = {"files that vanish"}
COMMANDS = {
    "corpus info": ("corpus", "info", "$corpus"),
    "corpus import": ("corpus", "import", "$corpus", "--out", "$out"),
    "run": ("run", "$corpus", "--topic", "none", "--verifiers", "length", "--plan"),
    "attribute": ("attribute", "$corpus", "--topic", "none", "--protocol", "k-fold", "--min-docs", "2", "--plan"),
    "attribute --unknown": ("attribute", "--unknown", "$questioned", "--candidates", "$corpus", "--plan"),
    "map": ("map", "$corpus", "--mfw-min", "10", "--mfw-max", "10", "--resamples", "0", "--out", "$out"),
    "retrieve": ("retrieve", "$corpus", "--topic", "none", "--methods", "words", "--queries", "4", "--plan"),
    "compare": ("compare", "--questioned", "$questioned", "--known", "$known", "--background", "$corpus",
                "--verifiers", "char-ngram", "--authors", "12", "--folds", "2", "--donors", "1", "--plan"),
    "validate": ("validate", "$corpus", "--conditions", "$conditions", "--verifiers", "char-ngram", "--authors", "12",
                 "--folds", "2", "--donors", "1", "--plan"),
    "problems": ("problems", "$corpus", "--match", "none", "--known", "1", "--out", "$out"),
    "sample": ("sample", "$corpus", "--topic", "extract(clusters=4)", "--topics", "2"),
    "changes": ("changes", "$changes", "--background", "$corpus", "--plan"),
    "detect": ("detect", "$machine", "--train", "$training", "--people", "$corpus", "--detectors", "text-length",
               "--most", "12", "--plan"),
}  # fmt: skip


def collection(place: Path) -> list[tuple[str, str]]:
    """Texts by author as people have them; returns the same as rows of a table."""
    by_author: dict[str, list[str]] = {}
    for one in load_corpus("synthetic(authors=16, topics=3, documents=80, words=130, style=0.9)"):
        by_author.setdefault(one.author or "", []).append(one.text)
    names = ["Zoe\u0301 Lee", "zo\u00e9  lee", "Anonymous", "Ann Holmes", "Holmes, Ann"]
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

    yield ask
    shutil.rmtree(place, ignore_errors=True)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_says_what_a_collection_has(room, command, kind):
    said = room(command, "folder")
    if (command, kind) == ("map", "people who are none"):  # they have a place on a map, and no author
        kind, said = "people who are none", said.replace("have no author, for", "were left out, for")
    assert re.search(KINDS[kind], said), said[-3000:]


TABLES = ("corpus info", "run", "attribute", "attribute --unknown", "map", "retrieve")


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
