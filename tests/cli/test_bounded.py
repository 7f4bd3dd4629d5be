"""What strangers and accidents may not do: lead a reader elsewhere, contradict in silence, or be believed unchecked."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

import extensions
import ravenbench
from contracts.commands import raven
from ravenbench import registry
from ravenbench.errors import CorpusError, FormatError, InputError, SpecError
from ravenbench.ext.documents.report import extract_texts
from ravenbench.reading import archive, kept
from ravenbench.reading.answers import read_truth
from ravenbench.reading.archive import LINKS
from ravenbench.reading.load import import_corpus, load_corpus, open_corpus, save_corpus
from ravenbench.reading.reviews import read_reviews
from ravenbench.reading.tables import read_table

GONE = """
import os
import numpy as np
from ravenbench import Scorer

class Goes(Scorer):
    version = 1

    def fit(self, problems, same):
        os.chdir("/")
        return self

    def score(self, problems):
        os.chdir("/tmp")
        return np.linspace(0, 1, len(problems))
"""
FORKED = """
import os, sys
from pathlib import Path
from ravenbench.reading.load import import_corpus
from ravenbench.errors import RavenError
import_corpus(sys.argv[1], Path(sys.argv[2]) / "a")
child = os.fork()
if not child:
    try:
        import_corpus(sys.argv[1], Path(sys.argv[2]) / "b")
    except RavenError as error:
        os._exit(7 if "spawn" in str(error) else 8)
    os._exit(9)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "people"
    for author in "ab":
        (place / author).mkdir(parents=True)
        for i in range(3):
            (place / author / f"{i}.txt").write_text(f"The words {i} of {author}, and no others.")
    (tmp_path / "secret.txt").write_text("A text of somebody else, which nobody asked to read.")
    return place


def test_links_out_of_a_folder_are_not_followed(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "a" / "within.txt").symlink_to(folder / "a" / "0.txt")
    assert len(load_corpus(folder)) == 6
    (folder / "b" / "out.txt").symlink_to(tmp_path / "secret.txt")
    with pytest.raises(FormatError, match="a link points outside this folder"):
        load_corpus(folder)
    found = extract_texts(folder, tmp_path / "out")
    assert ("b/out.txt", "this link points outside the folder") in [
        row[:2] for row in found.left_out
    ]
    monkeypatch.setenv(LINKS, "follow")
    assert len(load_corpus(folder)) == 7


def test_a_repeated_import_is_accepted_and_what_is_not_its_own_refused(
    folder: Path, tmp_path: Path
) -> None:
    first = import_corpus(folder, tmp_path / "kept").digest()
    log = tmp_path / ".kept.import"
    log.mkdir()
    assert import_corpus(folder, tmp_path / "kept").digest() == first and not log.exists()
    (tmp_path / "kept" / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="in a folder that Raven wrote"):
        import_corpus(folder, tmp_path / "kept")


def test_a_method_may_go_to_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "goes.py").write_text(GONE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    small = [
        "--topics",
        "2",
        "--folds",
        "2",
        "--pools",
        "1",
        "--samplers",
        "random",
        "--probe",
        "none",
    ]
    done = raven(
        "run",
        "synthetic(authors=20, documents=200, topics=6)",
        *small,
        "--verifiers",
        "goes:Goes",
        "--workers",
        "1",
        "--out",
        "out",
    )
    assert done.code == 0, done.said
    assert (tmp_path / "out" / "report" / "index.html").is_file()


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="this system has no fork")
def test_a_fork_is_told(folder: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORKED, str(folder), str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.stdout.strip() == "7", done.stderr


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: ravenbench.run(5), "corpus: wrong type, int"),
        (lambda: ravenbench.run("synthetic", out=5), "out: wrong type, int"),
        (lambda: ravenbench.run("synthetic", workers="two"), "workers: wrong type, str"),
        (lambda: ravenbench.run("synthetic", verifiers=7), "verifiers: wrong type, int"),
        (lambda: ravenbench.run("synthetic", folds=10**20), "this number is out of range"),
        (lambda: ravenbench.retrieve("synthetic", k=[10**20]), "this number is out of range"),
        (lambda: ravenbench.parse("verifier", 5), "text: wrong type, int"),
        (lambda: ravenbench.validate("synthetic", most_cllr=1e-320), "this number is out of range"),
    ],
)
def test_numbers_and_types_are_checked_where_they_enter(call: object, told: str) -> None:
    with pytest.raises(SpecError, match=told):
        call()  # type: ignore[operator]


@pytest.mark.parametrize(
    "call",
    [lambda: load_corpus(5), lambda: ravenbench.Store.open(None), lambda: ravenbench.analyse(5)],
)
def test_what_is_no_path_is_refused(call: object) -> None:
    with pytest.raises(InputError):
        call()  # type: ignore[operator]


DEEP = "[" * 100_000


@pytest.mark.parametrize(
    ("line", "file", "data"),
    [
        (["evaluate", "truth.jsonl", "HERE"], "a.jsonl", ('{"a":' * 100_000).encode()),
        (["corpus", "info", "HERE"], "corpus.json", DEEP.encode()),
        (["site", "HERE", "-o", "site"], "report.json", DEEP.encode()),
        (["texts", "truth.jsonl", "-o", "HERE"], ".raven.json", DEEP.encode()),
        *((line, "table.csv", None) for line in sorted(extensions.names("TABLES_GIVEN"))),
    ],
)
def test_deep_nesting_and_a_zip_for_a_file_are_refused(tmp_path, monkeypatch, line, file, data):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "truth.jsonl").write_text('{"id": "1", "same": true}\n')
    whole_folder = file in ("corpus.json", "report.json", ".raven.json")
    place = tmp_path / "given" / file
    place.parent.mkdir()
    if data is None:
        with zipfile.ZipFile(place, "w") as archive:
            archive.writestr("inner.txt", "a")
    else:
        place.write_bytes(data)
    here = str(place.parent if whole_folder else place)
    ended = raven(*(here if word == "HERE" else word for word in line))
    assert ended.code == 2 and "Traceback" not in ended.said, ended.said[-800:]


def test_a_link_that_leads_back_to_itself(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loop").symlink_to("loop")
    own = [
        ("run", "loop", "--plan"),
        ("corpus", "import", "synthetic(documents=20, authors=4)", "-o", "loop"),
    ]
    for line in (*own, *sorted(extensions.names("LOOPS"))):
        ended = raven(*line)
        assert ended.code == 2 and "Traceback" not in ended.said, ended.said[-800:]


def test_a_packed_file_that_unpacks_to_far_more_than_text_can(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "PACKED_FLOOR", 2**16)
    (tmp_path / "c.jsonl.gz").write_bytes(gzip.compress(b"\n" * 2**20))
    with pytest.raises(FormatError, match=r"unpacks to far more(.|\n)*unpacked"):
        load_corpus(tmp_path / "c.jsonl.gz")


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("spec.toml", "run/run.json", "corpus/corpus.json", "grades/a.json"):
        Path(name).parent.mkdir(exist_ok=True)
        os.mkfifo(name)
    for line in (
        ["run", "--spec", "spec.toml", "--plan"],
        ["report", "run"],
        ["corpus", "info", "corpus"],
    ):
        ended = raven(*line)
        assert ended.code == 2 and "Traceback" not in ended.said, (line, ended.said)
    with pytest.raises(InputError, match="no review found here"):
        read_reviews(tmp_path / "grades")


def test_what_is_neither_file_nor_folder_is_refused_by_every_option(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    (tmp_path / "truth.jsonl").write_text('{"id": "1", "same": true}\n')
    lines = [
        ["evaluate", "truth.jsonl", "pipe"],
        ["run", "synthetic", "--spec", "pipe"],
        ["attribute", "/dev/zero"],
        ["verify", "ppm", "--train", "pipe", "--test", "pipe"],
    ]
    for line in lines:
        ended = raven(*line)
        assert ended.code == 2 and "neither a file nor a folder" in ended.said, (line, ended.said)
    with pytest.raises(InputError, match="zero: neither a file nor a folder"):
        ravenbench.evaluate("truth.jsonl", ["/dev/zero"])
    if Path("/proc/self/mem").exists():
        with pytest.raises(InputError, match="/proc/self/mem: cannot be read"):
            ravenbench.attribute("/proc/self/mem")


def test_more_than_is_answered_is_refused_before_it_takes_time(tmp_path):
    columns = "".join(
        json.dumps({"text": f"one {i}", "author": "a", "topic": "x", f"k{i}": "v"}) + "\n"
        for i in range(4200)
    )
    (tmp_path / "c.jsonl").write_text(columns)
    with pytest.raises(CorpusError, match="too many columns"):
        load_corpus(tmp_path / "c.jsonl", pairs=False)
    (tmp_path / "long.toml").write_text("[" + "a." * 2**16 + "a]")
    with pytest.raises(SpecError, match="the spec file is too long"):
        ravenbench.run(spec=tmp_path / "long.toml")
    (tmp_path / "deep.toml").write_text("a" + ".a" * 20_000 + " = 1")
    with pytest.raises(SpecError, match="the spec file is too long"):
        ravenbench.run(spec=tmp_path / "deep.toml")
    (tmp_path / "big.toml").write_text("a = " + "1" * 5_000)
    with pytest.raises(SpecError, match="not valid TOML"):
        ravenbench.run(spec=tmp_path / "big.toml")
    for name, ids in (("en", range(60_000)), ("es", range(59_999, 120_000))):
        (tmp_path / name).mkdir()
        lines = [json.dumps({"id": f"i{i}", "same": True}) for i in ids]
        (tmp_path / name / "truth.jsonl").write_text("\n".join(lines))
    began = time.process_time()
    with pytest.raises(FormatError, match="several truth files"):
        read_truth(tmp_path)
    assert time.process_time() - began < 8


def test_a_table_of_parquet_or_a_workbook_that_unpacks_to_gigabytes_is_refused_before(
    tmp_path, monkeypatch
):
    import polars as pl

    from ravenbench.reading import parquet

    monkeypatch.setattr(parquet, "SUM_FLOOR", 2**20)
    rest = {"author": ["a", "b"] * 50, "topic": ["x"] * 100}
    wide = {
        "other": [f"{i} " + "a b " * 20_000 for i in range(100)],
        "same": ["a b " * 20_000] * 100,
        "short": ["one", "two"] * 50,
    }
    for name, texts in wide.items():
        pl.DataFrame({"text": texts, **rest}).write_parquet(tmp_path / f"{name}.parquet")
    with pytest.raises(FormatError, match="unpacks to far more than texts can"):
        parquet.check_unpacked(tmp_path / "other.parquet")
    parquet.check_unpacked(
        tmp_path / "same.parquet"
    )  # its footer says no more than it takes itself
    for name in ("other", "same"):
        with pytest.raises(FormatError, match="unpacks to far more than texts can"):
            load_corpus(tmp_path / f"{name}.parquet")
    parquet.check_unpacked(tmp_path / "short.parquet")
    monkeypatch.setattr(parquet, "_VALUES", 100)
    monkeypatch.setattr(parquet, "_ROWS", 10)
    many = pl.DataFrame({"text": ["one"] * 2**16, "author": ["a"] * 2**16, "topic": ["x"] * 2**16})
    many.write_parquet(tmp_path / "many.parquet")
    with pytest.raises(FormatError, match="far more rows or values"):
        load_corpus(tmp_path / "many.parquet")
    for cut in (
        b"",
        b"PAR1",
        (tmp_path / "short.parquet").read_bytes()[-40:],
        b"\xff" * 60 + b"\x32\0\0\0PAR1",
    ):
        (tmp_path / "cut.parquet").write_bytes(cut)
        parquet.check_unpacked(tmp_path / "cut.parquet")


def test_a_key_that_stands_twice_among_many_is_found_at_once(tmp_path):
    keys = [f'"k{i}": 1' for i in range(60_000)]
    (tmp_path / "a.jsonl").write_text("{" + ", ".join([*keys, keys[-1]]) + "}\n")
    began = time.process_time()
    with pytest.raises(FormatError, match="duplicate key"):
        load_corpus(tmp_path / "a.jsonl")
    assert time.process_time() - began < 5


def test_names_that_are_no_utf8_are_refused_by_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "texts" / "a\nb").mkdir(parents=True)
    (tmp_path / "texts" / "a\nb" / "c\n.txt").write_text("one two")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/texts/\xff.txt")).write_text("three four")
    ended = raven("run", "texts", "--verifiers", "length", "--workers", "1", "--out", "out")
    assert (
        ended.code == 2
        and "a file's name is not UTF-8" in ended.said
        and "Traceback" not in ended.said
    )


def test_what_changes_while_it_is_read_is_not_kept_for_the_next_time(tmp_path, monkeypatch):
    """The corpus that was read has not the content by whose hash it would be found again."""
    monkeypatch.setenv("RAVEN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(kept, "LEAST", 1)
    table = tmp_path / "c.jsonl"

    def write(words):
        rows = [{"text": f"{words} {i}", "author": "ab"[i % 2], "topic": "x"} for i in range(4)]
        table.write_text("".join(json.dumps(row) + "\n" for row in rows))

    def read_late():
        write("later")
        return read_table(table)

    write("first")
    read = kept.read_once(table, {}, read_late, reopen=open_corpus, save=save_corpus)
    assert read.texts[0].startswith("later")
    write("first")
    again = kept.read_once(
        table, {}, lambda: read_table(table), reopen=open_corpus, save=save_corpus
    )
    assert again.texts[0].startswith("first")
    unchanged = kept.read_once(
        table, {}, lambda: pytest.fail("it was not kept"), reopen=open_corpus, save=save_corpus
    )
    assert unchanged.digest() == again.digest()


FIGURES = "9" * 5000


@pytest.mark.parametrize(
    "call",
    [
        lambda: registry.seeds(f"net(seed=0..{FIGURES})"),
        lambda: ravenbench.parse("verifier", f"length(a={FIGURES})"),
        lambda: ravenbench.evaluate("truth.txt", ["answers.txt"], by=[f"known:2:{FIGURES}"]),
        lambda: ravenbench.run("synthetic", seed=FIGURES),
    ],
)
def test_a_number_of_more_figures_than_python_reads_is_refused_in_words(
    tmp_path, monkeypatch, call
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "truth.txt").write_text("a Y\nb N\n")
    (tmp_path / "answers.txt").write_text("a 0.9\nb 0.1\n")
    with pytest.raises(InputError):
        call()


def test_an_entity_of_more_figures_than_python_reads_stays_in_its_text(tmp_path):
    rows = [
        {
            "body": f"words {i} of some kind &amp; more",
            "author": f"a{i % 2}",
            "subreddit": f"t{i % 3}",
        }
        for i in range(8)
    ]
    rows[3]["body"] += f" &#{FIGURES};"
    table = tmp_path / "table.jsonl"
    table.write_text("".join(json.dumps(row) + "\n" for row in rows))
    corpus = read_table(table, text="body", topic="subreddit")
    assert len(corpus) == 8 and corpus.texts[3] == f"words 3 of some kind & more &#{FIGURES};"
