"""The account of what was read: one table of words, every check by its code, what a command says at once, and faults
planted in texts of a corpus."""

from __future__ import annotations

import ast
import hashlib
import json
import re
import shutil
import string
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pytest

from notes import account, places
from ravenbench import errors
from ravenbench.reading import remarks
from ravenbench.reading.account import (
    ACCOUNT,
    EFFECTS,
    MOST_PLACES,
    CodeRow,
    Note,
    fault,
    faults,
    noted,
    table,
)
from ravenbench.reading.load import import_corpus, load_corpus, open_corpus
from ravenbench.reading.pan_attribution import read_attribution
from ravenbench.reading.problem_formats.pan_folders import write_pan_problems
from ravenbench.reading.problems import read_problem_sets
from ravenbench.reading.remarks import Seen, check
from ravenbench.testing import toy_problems

GOLDEN = Path(__file__).parent / "sentences.golden"
GIVEN = ("count", "places", "s", "texts")


def fields(words: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(words) if name}


def example(code: str) -> Note:
    """A note of a code about two places, in which every value is its own name."""
    row = table()[code]
    names = fields(f"{row.says}{row.fix}") - {*GIVEN}
    return Note(code, 2, ("a/1", "b/2"), {name: name.upper() for name in sorted(names)})


def test_every_sentence_is_as_it_was(request):
    """Rendered once with example values; ``--update-golden`` writes them anew."""
    lines = []
    for code in table():
        note = example(code)
        lines.append(f"{code} [{note.effect}]: {note.sentence}" + f" | {note.fix}" * bool(note.fix))
    for code, fault_row in faults().items():
        named = fields(f"{fault_row.problem}{fault_row.expected}{fault_row.fix}")
        met = fault(code, **{name: Shout(name) for name in sorted(named)})
        words = [met.problem, met.expected, met.fix]
        lines.append(f"{code} [{type(met).__name__}]: {' | '.join(map(str, filter(None, words)))}")
    if request.config.getoption("--update-golden"):
        GOLDEN.write_text("\n".join(lines) + "\n", "utf-8")
    assert lines == GOLDEN.read_text("utf-8").splitlines()


class Shout(str):
    """A value that shows itself in capitals, as a number too."""

    def __format__(self, form: str) -> str:
        return self.upper()


def calls_of_fault() -> Iterable[tuple[str, set[str]]]:
    """The code of every fault that reading raises, and the values that it gives."""
    own = {"file", "line", "found", "expected", "fix"}
    for path in sorted(Path(remarks.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "fault":
                yield (
                    node.args[0].value,
                    {keyword.arg for keyword in node.keywords if keyword.arg} - own,
                )


def test_every_fault_has_its_row_and_gives_what_the_row_names():
    calls = [*calls_of_fault()]
    assert {code for code, _ in calls} == {*faults()}
    for code, given in calls:
        row = faults()[code]
        named = fields(f"{row.problem}{row.expected or ''}{row.fix or ''}")
        assert named == given, code


def test_rows_say_an_effect_a_sentence_and_a_fix():
    for code, row in table().items():
        assert row.effect in EFFECTS, code
        assert not row.says.endswith(".") and not row.fix.endswith("."), code
        doubted = row.effect != "doubt" or row.fix or code in ("earlier", "of-documents")
        assert doubted, f"{code}: who doubts says what to do"


def test_a_doubt_is_one_function_and_one_row(tmp_path, monkeypatch):
    monkeypatch.setattr(remarks, "CHECKS", [*remarks.CHECKS])
    row = CodeRow("doubt", "{count} texts are shouted: {places}", "write them in small letters")
    monkeypatch.setitem(table(), "shouted", row)

    @check
    def shouted(seen: Seen) -> list[Note]:
        pairs = zip(seen.ids, seen.texts, strict=False)
        return noted("shouted", (name for name, text in pairs if text.isupper()))

    for name, text in {"a/1": "Words.", "a/2": "MORE WORDS!", "b/1": "So.", "b/2": "Ah."}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.txt").write_text(text)
    assert account(tmp_path)["shouted"] == ("a/2",)


def test_a_command_says_three_lines_and_counts_the_rest(monkeypatch):
    heard: list[str] = []
    errors.listen(heard.append)
    notes = [
        Note("copies-of-one", 9, ("a",)),
        Note("spellings", 1, ("A = a",), {"label": "topic"}),
        Note("about-texts", 1, ("README",)),
        Note("repeated", 7, ("b",)),
        Note("empty-folders", 2, ("c",)),
        Note("nobody-kept", 1),
    ]
    errors.remark(notes, "my texts")
    assert [re.search(r"\d+", line)[0] for line in heard[:3]] == ["7", "2", "1"]
    assert heard[3:] == ["and 2 more: raven corpus check 'my texts'"]
    errors.remark(notes, "my texts")
    assert len(heard) == 4, "each once"
    errors.remark([Note("signed", 2, ("a", "b"), {"total": 9})], "others")
    assert heard[4:] == ["1 note on it: raven corpus check others"]


def test_notes_keep_the_first_places_and_count_all():
    (note,) = noted("repeated", map(str, range(3 * MOST_PLACES)))
    assert note.count == 3 * MOST_PLACES and len(note.places) == MOST_PLACES
    assert str(note).endswith("0; 1; 2; 3; 4 and 2,995 more")
    assert noted("repeated", ()) == [] and str(Note("no such code", 1, ("x",))) == "no such code: x"


def test_an_imported_corpus_keeps_its_notes_and_an_earlier_one_opens(tmp_path):
    rows = [{"author": f"a{i % 2}", "text": f"Text {i} of some words."} for i in range(6)]
    rows.append(rows[0])
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    kept = import_corpus(tmp_path / "t.jsonl", tmp_path / "kept", topic="none")
    assert kept.notes[ACCOUNT] == load_corpus(tmp_path / "t.jsonl", topic="none").notes[ACCOUNT]
    about = tmp_path / "kept" / "corpus.json"
    info = json.loads(about.read_text())
    assert info["notes"][ACCOUNT][0]["code"] == "repeated"
    info["notes"][ACCOUNT] = ["2 texts left out, as it was said"]
    about.write_text(json.dumps(info))
    (note,) = open_corpus(tmp_path / "kept").notes[ACCOUNT]
    assert note.code == "earlier" and str(note) == "2 texts left out, as it was said"


LETTERS = str.maketrans("0123456789", "ghijklmnop")
GERMAN = "Ich weiß nicht, was das ist und wie es zu dem kam, aber die alte Frau hat es auf den Weg gebracht. "
Texts = dict[str, str]


def longest(texts: Texts, author: int = 0) -> str:
    """The name of the longest text of an author, by the author's number."""
    people = sorted({name.partition("/")[0] for name in texts})
    own = (name for name in texts if name.startswith(f"{people[author]}/"))
    return max(own, key=lambda name: len(texts[name]))


def under_two(texts: Texts) -> None:
    texts["Second Owner/copied"] = texts[longest(texts)]


def name_twice(texts: Texts) -> None:
    name = longest(texts)
    author = name.partition("/")[0]
    texts[f"{author}, PhD/{name.partition('/')[2]}"] = texts.pop(name)
    texts[f"{author}/kept"] = "One more text of this author, who wrote it at some other time."


def near_copy(texts: Texts) -> None:
    texts["Second Owner/near"] = texts[longest(texts)].upper()


def draft(texts: Texts) -> None:
    name = longest(texts)
    texts[f"{name}-draft"] = f"A first draft of it, for the class.\n{texts[name]}"


def signature(texts: Texts) -> None:
    texts["Zelda Quill/hers"] = "Words that she wrote herself, in the spring of that long year."
    name = longest(texts)
    texts[name] += "\n\nZelda Quill\n"


def wrong_encoding(texts: Texts) -> None:
    name = longest(texts)
    words = f"{texts[name]} It isn’t “naïve”, he doesn’t say, and it’s a café."
    texts[name] = words.encode("utf-8").decode("cp1252", "ignore")


def lost_letters(texts: Texts) -> None:
    name = longest(texts)
    texts[name] = texts[name].replace("e", "\ufffd", 7)


def part_of_a_set(texts: Texts) -> None:
    texts["train/1"] = "A text that stands in a part of the data set, and under no author."


def nobody(texts: Texts) -> None:
    texts["Anonymous/1"] = "A text by somebody who did not sign it, and whom nobody knows."


def other_language(texts: Texts) -> None:
    texts["Second Owner/german"] = GERMAN * 20
    for number in range(len(texts) // 50):
        texts[f"Second Owner/german{number}"] = f"{GERMAN * 20}{number}."


def licence(texts: Texts) -> None:
    lines = "This file may be copied and given away by anyone, under the terms printed on a page.\n"
    for number, name in enumerate(sorted(texts)):
        texts[name] = lines * (number % 3 == 0) + texts[name]


def no_words(texts: Texts) -> None:
    texts["Second Owner/gone"] = "[removed]"


PLANTED: dict[str, Callable[[Texts], None]] = {
    "two-authors": under_two,
    "names-of-one": name_twice,
    "copies-of-two": near_copy,
    "copies-of-one": draft,
    "signed-by-another": signature,
    "utf8-as-1252": wrong_encoding,
    "characters-lost": lost_letters,
    "authors-parts": part_of_a_set,
    "nobody": nobody,
    "languages": other_language,
    "shared": licence,
    "wordless": no_words,
}


def assert_found(place: Path, texts: Texts, code: str) -> None:
    """Plant a fault in a copy of some texts, and find its code among the notes."""
    copied = dict(texts)
    PLANTED[code](copied)
    for name, text in copied.items():
        file = place / f"{name}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    assert code in account(place, topic="none", pairs=False)


def some_texts(rows: Iterable[tuple[str | None, str]], authors: int = 9, most: int = 5) -> Texts:
    """The first texts of the first authors under names of people, by place."""
    by_author: dict[str, list[str]] = {}
    for author, text in rows:
        if author is not None:
            by_author.setdefault(author, []).append(text)
    return {
        f"Eve {hashlib.md5(author.encode()).hexdigest().translate(LETTERS)[:8].title()}/{i}": text
        for author, own in sorted(by_author.items())[:authors]
        for i, text in enumerate(own[:most])
    }


@pytest.mark.parametrize("code", PLANTED)
def test_what_is_planted_is_found(tmp_path, code):
    corpus = load_corpus("synthetic(authors=14, topics=3, documents=70, words=220, style=0.9)")
    assert_found(tmp_path, some_texts((one.author, one.text) for one in corpus), code)


def each_is_found(place: Path, texts: Texts) -> None:
    """Of research data: every fault in a copy of its own."""
    for code in PLANTED:
        assert_found(place / code, texts, code)


def test_what_is_planted_in_essays_is_found(tmp_path, ebg):
    corpus = load_corpus(f"ebg(path={str(next(ebg.glob('*.zip')))!r})")
    each_is_found(tmp_path, some_texts((one.author, one.text) for one in corpus))


def test_what_is_planted_in_posts_is_found(tmp_path, newsgroups_home):
    corpus = load_corpus("newsgroups")
    several = np.flatnonzero(corpus.author.counts() > 2)[:30]
    posts = (one for one, code in zip(corpus, corpus.author.codes, strict=True) if code in several)
    each_is_found(tmp_path, some_texts((one.author, one.text) for one in posts))


def test_what_is_planted_in_fan_fiction_is_found(tmp_path, pan18):
    problem = read_attribution(next(pan18.glob("*.zip")))[0]
    rows = [(author, text) for author, texts in problem.candidates.items() for text in texts]
    each_is_found(tmp_path, some_texts(rows))


def test_what_is_planted_in_novels_is_found(tmp_path, eltec):
    corpus = load_corpus(next(eltec.glob("*.zip")), pairs=False)
    each_is_found(
        tmp_path, some_texts(((one.author, one.text[20_000:26_000]) for one in corpus), 30)
    )


OF_PROBLEMS = {
    "identical": lambda p: (p / "unknown.txt").write_bytes((p / "known01.txt").read_bytes()),
    "questioned-repeats-known": lambda p: (p / "unknown.txt").write_text(
        (p / "known01.txt").read_text("utf-8").upper(), "utf-8"
    ),
    "known-repeat": lambda p: (p / "known09.txt").write_text(
        "One more line before it.\n" + (p / "known01.txt").read_text("utf-8"), "utf-8"
    ),
    "empty-known": lambda p: (p / "known09.txt").write_text(" \n"),
    "unread-in-problems": lambda p: (p / "more.md").write_text("A text that is not read."),
    "unusable-problems": lambda p: (p / "unknown.txt").write_text(""),
    "characters-lost": lambda p: (p / "known01.txt").write_text("\ufffd words " * 99, "utf-8"),
    "not-files": lambda p: (p / "known08.txt").symlink_to("nowhere.txt"),
    "unlisted-problems": lambda p: shutil.copytree(p, p.with_name("XX999")),
    "asked-again": lambda p: shutil.copytree(p, p.with_name("XX999")),
    "html-marks": lambda p: (p / "known01.txt").write_text("<p>Some words.</p> " * 99),
}


def of_problem(place: Path, code: str) -> None:
    """Plant a fault in the first of some problems, and find its code."""
    first = next(folder for folder in sorted(place.iterdir()) if folder.is_dir())
    OF_PROBLEMS[code](first)
    truth = (place / "truth.txt").read_text("utf-8").rstrip()
    if (place / "XX999").exists():
        (place / "truth.txt").write_text(f"{truth}\nXX999 Y\n", "utf-8")
    with errors.remarks_gathered() as said:
        read_problem_sets(place)
    assert code in places(said)


@pytest.mark.parametrize("code", OF_PROBLEMS)
def test_what_is_planted_in_problems_is_found(tmp_path, code):
    problems, same = toy_problems(8, known=1, words=120, seed=1)
    write_pan_problems(tmp_path / "p", problems, same)
    of_problem(tmp_path / "p", code)


def test_what_is_planted_in_problems_of_essays_is_found(tmp_path, pan14):
    with zipfile.ZipFile(pan14 / "du_essays.zip") as archive:
        archive.extractall(tmp_path / "whole")
    (truth,) = (tmp_path / "whole").rglob("test/truth.txt")
    for code in OF_PROBLEMS:
        shutil.copytree(truth.parent, tmp_path / code)
        of_problem(tmp_path / code, code)


def test_a_fix_names_an_option_as_the_command_at_hand_takes_it(monkeypatch):
    note = Note("gutenberg")
    key = errors.SpecKey("compare.strip_shared", True)
    for options, fix in (
        ({}, "--strip-shared removes it"),
        ({"--strip-shared": None}, "--strip-shared removes it"),
        ({"--out": None}, ""),
        (
            {"--spec": None, "--strip-shared": key},
            "the line compare.strip_shared = true in a file for --spec removes it",
        ),
    ):
        monkeypatch.setattr(errors, "OPTIONS", options)
        assert note.fix == note.record()["fix"] == fix and str(note).endswith(fix)


def test_a_line_break_in_the_name_of_a_file_forges_no_fix(tmp_path):
    """A file name cannot write a line of an error of its own."""
    forged = errors.InputError(
        "it is empty", file=tmp_path / "a\n  fix: rm -rf .txt", fix="remove it"
    )
    assert [line for line in str(forged).splitlines() if line.startswith("  fix")] == [
        "  fix: remove it"
    ]


def test_a_table_of_file_names_is_doubted(tmp_path):
    table_of_paths = tmp_path / "pairs.csv"
    table_of_paths.write_text(
        "known,unknown\n" + "".join(f"a/{i}.txt,b/{i}.txt\n" for i in range(12))
    )
    (problems,) = read_problem_sets(table_of_paths)
    assert [note.count for note in problems.notes if note.code == "file-name"] == [24]
