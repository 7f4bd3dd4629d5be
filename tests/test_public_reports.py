"""Every input that was cut from a public report (``cases`` beside the research data) is shown right by the commands.

A folder holds a fault that people met elsewhere. Here stands what each command says of it now: words that must stand in
what it says, or in a text that it writes, and words that must not.
"""

from __future__ import annotations

import subprocess
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

import ravenbench
from contracts.commands import raven
from ravenbench.cli import main
from ravenbench.errors import FormatError, SpecError

pytestmark = pytest.mark.data


class Said(NamedTuple):
    """What a command says: the words of its line, parts of what is said, parts that are not, and how it ends."""

    line: str
    parts: tuple[str, ...]
    never: tuple[str, ...] = ()
    code: int = 0


PREPARED = "this difference comes from programs, not from style"
PARTED = "Raven expects one text, but this file contains several"
BACKGROUND = "--known Austen=background/Austen_Pride0.txt --background background --plan"
CASES: dict[str, list[Said]] = {
    "broken-characters-in-tables": [
        Said("corpus check enc_ffd", ("characters lost in a conversion (U+FFFD): 417",)),
        Said("corpus check replch.csv", ("67 of 78 texts", "(U+FFFD): 405")),
        Said("corpus check mojibake.csv", ("UTF-8 was read as Windows-1252",)),
        Said("corpus check entities.csv", ("characters written as HTML entities",)),
    ],
    "chat-as-one-text": [
        Said("texts chats -o {out}", ("2 texts by 2 authors", "4 left out")),
        *(
            Said(line.format(name=name), (PARTED, "raven texts"), code=2)
            for name in ("irc", "line", "old-whatsapp")
            for line in (
                f"compare --questioned chats/{{name}}.txt {BACKGROUND}",
                "attribute --unknown chats/{name}.txt --candidates background --plan",
            )
        ),
    ],
    "evaluate-fix-percent": [
        Said("evaluate truth.csv answers.csv", ("write 0.4, not 40%",), ("quotes",), 2)
    ],
    "evaluate-misleading-fix": [
        Said(
            "evaluate truth.txt answers_comma.txt",
            ("34 faults in the answers, the first 10", "write 0.274, not 0,274"),
            ("leave the line out",),
            2,
        ),
        Said("evaluate truth.jsonl ans.csv", (), ("leave the line out",)),
        Said("evaluate truth.jsonl ans_score.jsonl", ("40 faults", "rename"), code=2),
        Said("evaluate truth.jsonl ans_bool.jsonl", ("40 faults", "1 for true and 0"), code=2),
    ],
    "files-left-out-silently": [
        Said(f"corpus check ext{ending}", ("26", shown))
        for ending, shown in (
            (".none", "no ending"),
            (".md", ".md"),
            (".xml", ".xml"),
            (".doc", ".doc"),
        )
    ],
    "first-last-dash-title": [Said("corpus info uscore", ("authors 11;",))],
    "fix-empties-bom": [
        Said("corpus info c", ("U+0097", "replace these characters in an editor"), ("iconv",), 2)
    ],
    "folders-that-are-no-authors": [
        Said("corpus info stylo_classify", ("primary_set, secondary_set", "not authors"), code=2),
        Said("corpus info pan17", ("problem001", "not authors"), code=2),
    ],
    "gutenberg-licence": [
        Said("corpus check pg", ("licence of Project Gutenberg",)),
        Said(
            "attribute --unknown pgq.txt --candidates pgc --plan",
            ("licence of Project Gutenberg", "strip_shared"),
            ("nothing is left",),
        ),
        Said(
            "compare --questioned pgq.txt --known Austen=pgc/Austen --background pgc --plan",
            ("69 texts by 10 authors", "licence of Project Gutenberg"),
        ),
        Said("texts pg -o {out}", ("licence of Project Gutenberg",)),
    ],
    "italics-false-tags": [
        Said("corpus check novels", ("words marked as italics (_word_)", "1,860"), ("tags",))
    ],
    "mail-programs-words": [Said("texts inbox -o {out}", ("3 texts by 1 author",))],
    "mail-via-list": [Said("texts inbox -o {out}", ("6 texts by 3 authors",))],
    "markup-latex": [
        Said("corpus check tex", ("LaTeX commands", "22 of 22 texts")),
        Said(
            "attribute --unknown tex/Austen_Emma0.txt --candidates tex --plan",
            ("Austen_Emma0.txt: LaTeX commands",),
        ),
    ],
    "memory-bytes": [],
    "messages": [
        Said(
            "map stylo --analysis-type CA --resamples 0 --mfw-min 6000 --out {out}",
            ("mfw_list_cutoff",),
            code=2,
        ),
        Said(
            "compare --batch batch_win.csv --background stylo --plan",
            ("a Windows path",),
            ("None",),
            2,
        ),
        *(
            Said(f"corpus info {name}.csv", ("documents 78", "authors 11;"))
            for name in ("sep_line", "pipe", "trailing")
        ),
        Said(
            "verify cosine-delta --train pan14.zip --test pan14.zip -o {out}.txt",
            ("pan14.zip/pan14-en",),
            code=2,
        ),
        Said(
            "verify cosine-delta --train pan15-nested.zip --test pan15-nested.zip -o {out}.txt",
            ("test problems are also training problems",),
            code=2,
        ),
        Said(
            "map zh_short --sampling normal --sample-size 5 --mfw-min 20 --mfw-max 20 --out {out}",
            ("300",),
            code=2,
        ),
    ],
    "messages-2": [
        Said("texts maildir -o {out}", ("these are e-mails", ".eml"), code=2),
        Said("corpus info imdb62.txt", ("mv imdb62.txt imdb62.tsv",), ("imdb62.txt.csv",), 2),
        Said("corpus info corpus.rds", ("in R: write.csv(", "readRDS"), ("mv ",), 2),
        Said("detect ai.csv --train ai.csv", ("docs/faq.md explains why",), code=2),
    ],
    "notice-of-one-author": [
        Said(
            f"corpus check {name}",
            ("most texts of one author, and no other author's texts", "(Austen)"),
        )
        for name in ("old", "produced")
    ],
    "pdf-columns": [Said("texts rows.pdf -o {out} --json", ("the page has two columns",))],
    "pgp-signed-mail-empty": [
        Said("texts inbox -o {out}", ("2 texts by 1 author", "0 left out")),
        Said("texts inbox/1.eml -o {out}", ("1 text by 1 author",)),
    ],
    "placeholder-authors": [
        Said("corpus check reddit.jsonl", ("left out", "[deleted]")),
        Said("corpus check anon", ("nobody",)),
        Said("corpus check federalist.csv --topic none", ("HAMILTON OR MADISON",)),
    ],
    "preparation-differs": [
        Said("corpus check tokenised", ("blanks before commas and full stops", PREPARED)),
        Said("corpus check nopunct", ("no marks of punctuation", PREPARED)),
        Said("corpus check lower", ("no capitals", PREPARED)),
        Said(
            "attribute --unknown q.txt --candidates lower --plan",
            ("questioned texts (q.txt) have blanks before commas and full stops", PREPARED),
        ),
        Said(
            "compare --questioned q.txt --known Austen=tokenised/Austen_Emma0.txt --background lower"
            " --plan",
            (
                "questioned texts (q.txt; Austen_Emma0.txt) have blanks before commas",
                "nearly all background texts have none there",
            ),
        ),
    ],
    "random-ngrams-words": [],
    "short-text-only-said-after": [
        Said(
            "attribute --unknown short.txt --candidates stylo --plan",
            ("short.txt: no answer, because it has 4 words",),
            ("cells:",),
        )
    ],
    "tei-taken-for-text": [
        Said("corpus info tei", ("1 document by 1 author (Somebody)",), code=2),
        Said("texts tei -o {out}", ("1 text by 1 author",)),
        Said("attribute --unknown q.xml --candidates cand --plan", (), ("HTML",)),
    ],
    "three-texts-in-a-pair": [
        Said(
            "verify cosine-delta --train pan20 --test pan20tri -o {out}.jsonl",
            ("pairs.jsonl:1: a pair must have two texts", "found: 3"),
            code=2,
        )
    ],
    "topic-none": [
        Said("corpus info stylo", ("without topics, Raven chooses donors by their content words",)),
        *(
            Said(f"run {what} --plan", ("Contents of this run", "78 documents"))
            for what in ("stylo", "stylo --topic none", "table.csv --topic none")
        ),
    ],
    "tracked-insertions": [
        Said(
            "texts letter.docx -o {out} --json",
            ("inserted", "Ed Itor (11 words)", "Mia Holm (6 words)"),
        )
    ],
    "words-nbsp-info": [
        Said(f"corpus info {name}", ("words 6,600; per document 300 – 300",))
        for name in ("plain", "nbsp", "mixed")
    ],
}
"""By the name of the folder; of some only what is done in Python is shown, below."""
EXTENSIONS = {"texts", "map", "compare"}
NEEDS = {"pdf-columns": "pypdfium2"}


@pytest.fixture
def case(monkeypatch: pytest.MonkeyPatch, public_reports: Path):
    """Goes into the folder of a case."""

    def enter(name: str) -> Path:
        folder = public_reports / name
        monkeypatch.chdir(folder)
        monkeypatch.setenv("COLUMNS", "200")
        return folder

    return enter


def test_every_case_is_here(public_reports):
    folders = {path.name for path in public_reports.iterdir() if path.is_dir()}
    assert folders == {*CASES}


@pytest.mark.parametrize("name", [name for name, lines in CASES.items() if lines])
def test_what_was_reported_is_shown_right(name, case, tmp_path, need_extra):
    case(name)
    if name in NEEDS:
        need_extra(NEEDS[name])
    for number, one in enumerate(CASES[name]):
        words = one.line.format(out=tmp_path / f"out{number}").split()
        if words[0] in EXTENSIONS - main.commands().keys():
            continue
        ended = raven(*words)
        told = " ".join(ended.said.split())
        assert ended.code == one.code, (one.line, told)
        for part in one.parts:
            assert part in told, (one.line, part, told)
        for part in one.never:
            assert part not in told, (one.line, part, told)


def texts_of(place: Path) -> dict[str, str]:
    return {f"{file.parent.name}/{file.name}": file.read_text() for file in place.glob("*/*.txt")}


OWN_WORDS = {
    "mail-programs-words": (
        ("keep it with me", "behind the blue door", "one more summer"),
        ("CAUTION", "mailman", "virus", "____"),
    ),
    "pgp-signed-mail-empty": ((), ("BEGIN PGP", "SHA", "- -")),
    "chat-as-one-text": ((), ("2016", "<mia>", "Neil:")),
    "tracked-insertions": (("A whole sentence that the editor put in",), ()),
    "tei-taken-for-text": ((), ("teiHeader", "publicationStmt")),
}
INBOXES = dict.fromkeys(OWN_WORDS, "inbox") | {
    "chat-as-one-text": "chats",
    "tracked-insertions": "letter.docx",
    "tei-taken-for-text": "tei",
}


@pytest.mark.parametrize("name", OWN_WORDS)
def test_texts_hold_what_their_authors_wrote(name, case, tmp_path):
    case(name)
    if "texts" not in main.commands():
        pytest.skip("a command of an extension that is not here")
    assert raven("texts", INBOXES[name], "-o", str(tmp_path / "out")).code == 0
    texts = texts_of(tmp_path / "out")
    assert texts
    own, others = OWN_WORDS[name]
    together = "\n".join(texts.values())
    assert all(text.strip() for text in texts.values())
    assert all(part in together for part in own)
    assert not [part for part in others if part in together], together


def test_mails_that_a_list_sent_on_are_their_writers(case, tmp_path):
    case("mail-via-list")
    if "texts" not in main.commands():
        pytest.skip("a command of an extension that is not here")
    raven("texts", "inbox", "-o", str(tmp_path / "out"))
    authors = {name.partition("/")[0] for name in texts_of(tmp_path / "out")}
    assert authors == {"ann@ex.org", "jon@ex.org", "mia@ex.org"}


def test_no_command_that_is_given_empties_a_file(case, tmp_path):
    """The fix for one character is none that a shell runs: the file keeps its bytes."""
    folder = case("fix-empties-bom")
    file = next((folder / "c").iterdir())
    before = file.read_bytes()
    told = raven("corpus", "info", "c").said
    lines = [line.partition("fix: ")[2] for line in told.splitlines() if "fix: test" in line]
    copied = tmp_path / "c" / file.name
    copied.parent.mkdir()
    copied.write_bytes(before)
    for line in lines:
        subprocess.run(line, shell=True, cwd=tmp_path, check=False)
    assert copied.read_bytes() and file.read_bytes() == before


def test_bytes_in_a_table_in_memory_are_refused_in_every_column():
    rows = [("Ann" if i % 2 else "Bob", f"this is text {i} by one of them " * 4) for i in range(12)]
    for column in ("author", "text", "topic", "id"):
        records = [
            {"author": author, "text": text, "topic": "t", "id": str(i)}
            for i, (author, text) in enumerate(rows)
        ]
        for record in records:
            record[column] = record[column].encode()
        with pytest.raises(FormatError, match="decode them"):
            ravenbench.load_corpus(records)


def test_a_mapping_of_columns_names_the_ways_to_a_table():
    with pytest.raises(SpecError, match="list of records"):
        ravenbench.load_corpus({"author": ["a"], "text": ["b"]})


def test_random_samples_hold_pairs_of_words_of_the_texts(case, tmp_path):
    folder = case("random-ngrams-words")
    if "map" not in main.commands():
        pytest.skip("a command of an extension that is not here")
    words = [path.read_text().split() for path in (folder / "texts").rglob("*.txt")]
    pairs = {" ".join(pair) for own in words for pair in pairwise(own)}
    for sampling in ("normal", "random"):
        out = tmp_path / sampling
        line = (
            f"map texts --sampling {sampling} --sample-size 100 --number-of-samples 2"
            " --analyzed-features w --ngram-size 2 --mfw-min 10 --mfw-max 10"
            f" --analysis-type CA --resamples 0 --out {out}"
        )
        ended = raven(*line.split())
        assert ended.code == 0, ended.said
        table = (out / "tables" / "table_with_frequencies.txt").read_text().splitlines()[1:]
        counted = {line.rpartition('"')[0].strip('"') or line.split("\t")[0] for line in table}
        assert counted and counted <= pairs, sorted(counted - pairs)[:5]
