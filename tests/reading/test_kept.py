"""A corpus is read once: by content, whatever happens to what is kept."""

import json
import shutil
import subprocess
import sys

import pytest
from typer.testing import CliRunner

import ravenbench
from ravenbench.cli.main import build
from ravenbench.reading import kept, load


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("RAVEN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(kept, "LEAST", 1)
    return tmp_path / "cache"


@pytest.fixture
def reads(monkeypatch):
    """The files that were read, one by one."""
    every, reader = [], load._read_by_layout

    def counted(path, *how):
        every.append(path)
        return reader(path, *how)

    monkeypatch.setattr(load, "_read_by_layout", counted)
    return every


@pytest.fixture
def table(tmp_path):
    place = tmp_path / "mine.jsonl"
    rows = [
        {
            "text": f"text {i} of some words",
            "author": f"a{i % 4}",
            "topic": f"t{i % 3}",
            "mood": "m",
        }
        for i in range(40)
    ]
    place.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return place


def same(one, other):
    assert (
        one.digest() == other.digest()
        and one.name == other.name
        and dict(one.notes) == dict(other.notes)
    )
    assert one.columns.keys() == other.columns.keys()


def test_a_corpus_is_read_once(cache, table, reads):
    first, again = ravenbench.load_corpus(table), ravenbench.load_corpus(table)
    assert reads == [table]
    same(first, again)
    same(
        first,
        load._read_by_layout(
            table, "utf-8", {"level": None, "pairs": True, "anonymous": False}, {}
        ),
    )
    assert cache.stat().st_mode & 0o77 == 0
    ravenbench.load_corpus(table, topic=None)
    assert len(reads) == 3, "read in another way"
    moved = table.rename(table.with_name("other.jsonl"))
    assert ravenbench.load_corpus(moved).name == "other"
    moved.write_text(moved.read_text().replace("some", "other"))
    assert "other" in ravenbench.load_corpus(moved).texts[0] and len(reads) == 5, "other content"


def test_what_is_damaged_is_read_anew(cache, table, reads):
    whole = ravenbench.load_corpus(table)
    (place,) = (cache / kept.FOLDER).iterdir()
    for name in ("documents.parquet", "texts/texts.bin", "corpus.json"):
        (place / name).write_bytes(b"x")
        same(ravenbench.load_corpus(table), whole)
    shutil.rmtree(place / "texts")
    same(ravenbench.load_corpus(table), whole)
    assert len(reads) == 5


def other_notes(about):
    return json.dumps({**json.loads(about), "notes": "x"}).encode()


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("texts/texts.bin", lambda data: data[:100] + b"EVILEVILEV" + data[110:]),
        ("texts/texts.bin", lambda data: data[:100] + b"\xff" * 40 + data[140:]),
        ("texts/offsets.npy", lambda data: data[:-16] + bytes([data[-16] ^ 1]) + data[-15:]),
        ("texts/offsets.npy", lambda data: data[:20] + b"(((" + data[23:]),
        ("corpus.json", other_notes),
        ("corpus.json", lambda data: b"[" * 100_000),
    ],
)
def test_what_a_bad_disk_changed_within_a_kept_corpus_is_read_anew(
    cache, table, reads, name, damage
):
    texts = [*ravenbench.load_corpus(table).texts]
    (place,) = (cache / kept.FOLDER).glob(f"*/{name}")
    changed = damage(whole := place.read_bytes())
    assert changed != whole
    place.write_bytes(changed)
    assert [*ravenbench.load_corpus(table).texts] == texts
    assert len(reads) == 2 and place.read_bytes() == whole


def test_a_full_disk_or_a_closed_folder_keeps_nothing(cache, table, monkeypatch, reads):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("ravenbench.texts.TextTable.save", full)
    assert len(ravenbench.load_corpus(table)) == 40
    monkeypatch.undo()
    monkeypatch.setenv("RAVEN_CACHE", str(table))
    assert len(ravenbench.load_corpus(table)) == 40
    assert not [*(cache / kept.FOLDER).iterdir()]


def test_several_at_once(cache, table):
    code = (
        "import ravenbench; from ravenbench.reading import kept; kept.LEAST = 1; "
        f"print(ravenbench.load_corpus({str(table)!r}).digest())"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    assert len({each.communicate()[0] for each in running}) == 1 and not any(
        each.returncode for each in running
    )
    assert len([*(cache / kept.FOLDER).iterdir()]) == 1


def test_the_oldest_makes_room(cache, table, monkeypatch, tmp_path):
    ravenbench.load_corpus(table)
    (first,) = (cache / kept.FOLDER).iterdir()
    monkeypatch.setattr(kept, "MOST", 1)
    other = tmp_path / "other.jsonl"
    other.write_text(table.read_text().replace("some", "more"))
    ravenbench.load_corpus(other)
    (second,) = (cache / kept.FOLDER).iterdir()
    assert second != first


def test_faults_are_raised_and_nothing_is_kept(cache, table):
    table.write_text(table.read_text() + "{")
    for _ in range(2):
        with pytest.raises(ravenbench.InputError, match="not JSON"):
            ravenbench.load_corpus(table)
    assert not (cache / kept.FOLDER).exists()


def test_doctor_shows_and_clears(cache, table):
    ravenbench.load_corpus(table)
    shown = CliRunner().invoke(build("doctor"), ["doctor", "--json"])
    names = [
        check["name"]
        for check in json.loads(shown.stdout)["checks"]
        if check["group"] == "stored for speed"
    ]
    assert names == ["caches"]
    done = CliRunner().invoke(build("doctor"), ["doctor", "--clear-cache"])
    assert "removed: corpora" in done.stdout and not (cache / "corpora").exists()
