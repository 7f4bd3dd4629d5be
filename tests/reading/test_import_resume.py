"""An import that is killed, short of disk or whose source changes."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ravenbench.corpora.synthetic import Synthetic
from ravenbench.errors import FormatError, InputError
from ravenbench.reading import build
from ravenbench.reading.load import import_corpus, load_corpus


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """Pairs in which documents return, some under another author."""
    documents = list(Synthetic(documents=60, authors=9, topics=4, words=30).stream())
    folder = tmp_path / "pan"
    folder.mkdir()
    with (folder / "pairs.jsonl").open("w") as texts, (folder / "truth.jsonl").open("w") as truth:
        for i in range(50):
            a, b = documents[i], documents[(i * 7 + 1) % 60]
            authors = [a.author, "someone else" if i in (11, 40) else b.author]
            pair = {"id": f"p{i}", "fandoms": [a.topic, b.topic], "pair": [a.text, b.text]}
            texts.write(json.dumps(pair) + "\n")
            truth.write(
                json.dumps({"id": f"p{i}", "same": authors[0] == authors[1], "authors": authors})
                + "\n"
            )
    return folder


@pytest.fixture(autouse=True)
def marks_often(monkeypatch):
    monkeypatch.setattr(build, "EVERY", 900)


def stop_after(monkeypatch, documents: int, error: BaseException) -> None:
    real, left = build.ImportLog.add, documents

    def add(self, entry):
        nonlocal left
        left -= 1
        if left < 0:
            raise error
        real(self, entry)

    monkeypatch.setattr(build.ImportLog, "add", add)


@pytest.mark.parametrize("documents", [0, 1, 17, 63, 99])
def test_stopped_anywhere_the_corpus_is_the_same(pairs, tmp_path, monkeypatch, documents):
    expected = load_corpus(pairs)
    with monkeypatch.context() as patch:
        stop_after(patch, documents, KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            import_corpus(pairs, tmp_path / "it")
    found = import_corpus(pairs, tmp_path / "it")
    assert found.digest() == expected.digest() and found.notes == expected.notes
    assert list(found.texts) == list(expected.texts) and not list(tmp_path.glob(".it*"))


def test_what_was_read_is_not_read_again(pairs, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        stop_after(patch, 63, KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            import_corpus(pairs, tmp_path / "it")
    added = []
    real = build.ImportLog.add
    monkeypatch.setattr(
        build.ImportLog, "add", lambda self, entry: (added.append(entry), real(self, entry))[1]
    )
    import_corpus(pairs, tmp_path / "it")
    assert 37 <= len(added) < 60


def test_a_process_killed_in_mid_write(pairs, tmp_path):
    code = (
        "import os, signal, sys\n"
        "from ravenbench.reading import build\n"
        "from ravenbench.reading.load import import_corpus\n"
        "build.EVERY = 900\n"
        "real, count = build.ImportLog.add, 0\n"
        "def add(self, entry):\n"
        "    global count\n"
        "    count += 1\n"
        "    real(self, entry)\n"
        "    if count == 40:\n"
        "        self.texts.flush(); self._entries.write(b'[\"torn'); self._entries.flush()\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "build.ImportLog.add = add\n"
        "import_corpus(sys.argv[1], sys.argv[2])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(pairs), str(tmp_path / "it")], check=False
    )
    assert done.returncode == -signal.SIGKILL and (tmp_path / ".it.import").is_dir()
    assert import_corpus(pairs, tmp_path / "it").digest() == load_corpus(pairs).digest()


def test_a_full_disk(pairs, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        stop_after(patch, 30, OSError(errno.ENOSPC, "No space left on device"))
        with pytest.raises(OSError, match="No space left"):
            import_corpus(pairs, tmp_path / "it")
    assert not (tmp_path / "it").exists()
    assert import_corpus(pairs, tmp_path / "it").digest() == load_corpus(pairs).digest()


@pytest.mark.parametrize("change", ["source", "options", "version", "damage"])
def test_a_log_of_something_else_is_not_taken_up(pairs, tmp_path, monkeypatch, change):
    with monkeypatch.context() as patch:
        stop_after(patch, 63, KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            import_corpus(pairs, tmp_path / "it")
    options = {}
    if change == "source":
        lines = (pairs / "pairs.jsonl").read_text().splitlines(keepends=True)
        (pairs / "pairs.jsonl").write_text("".join(lines[5:]))
    elif change == "options":
        options["fold_case"] = True
    elif change == "version":
        monkeypatch.setattr(build, "FORMAT", build.FORMAT + 1)
    else:
        (tmp_path / ".it.import" / "texts.bin").write_bytes(b"")
    assert import_corpus(pairs, tmp_path / "it", **options).digest() == load_corpus(pairs).digest()


def test_a_source_that_changes_while_it_is_read(pairs, tmp_path, monkeypatch):
    real = build.ImportLog.add

    def add(self, entry):
        os.utime(pairs / "pairs.jsonl")
        real(self, entry)

    monkeypatch.setattr(build.ImportLog, "add", add)
    with pytest.raises(InputError, match="changed while Raven read it"):
        import_corpus(pairs, tmp_path / "it")
    assert [p.name for p in tmp_path.iterdir()] == [pairs.name]


def test_a_source_that_cannot_be_used_leaves_nothing(tmp_path):
    table = tmp_path / "t.jsonl"
    table.write_text('{"text": "a", "author": "b"}')
    with pytest.raises(FormatError, match="column 'topic' not found"):
        import_corpus(table, tmp_path / "it")
    assert list(tmp_path.iterdir()) == [table]


def test_a_source_that_reads_otherwise_is_refused(pairs, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        stop_after(patch, 63, KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            import_corpus(pairs, tmp_path / "it")
    before = (pairs / "pairs.jsonl").stat()
    data = (pairs / "pairs.jsonl").read_bytes()
    (pairs / "pairs.jsonl").write_bytes(data.replace(b'"p3"', b'"q3"'))
    os.utime(pairs / "pairs.jsonl", ns=(before.st_atime_ns, before.st_mtime_ns))
    truth = (pairs / "truth.jsonl").stat()
    (pairs / "truth.jsonl").write_bytes(
        (pairs / "truth.jsonl").read_bytes().replace(b'"p3"', b'"q3"')
    )
    os.utime(pairs / "truth.jsonl", ns=(truth.st_atime_ns, truth.st_mtime_ns))
    with pytest.raises(FormatError, match="has changed since"):
        import_corpus(pairs, tmp_path / "it")


def test_a_table_is_taken_up_too(tmp_path, monkeypatch):
    table = tmp_path / "t.jsonl"
    rows = [
        {"text": d.text, "author": d.author, "topic": d.topic, "year": "1999"}
        for d in Synthetic(60, 9, 4).stream()
    ]
    table.write_text("\n".join(json.dumps(row) for row in rows))
    with monkeypatch.context() as patch:
        stop_after(patch, 30, KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            import_corpus(table, tmp_path / "it")
    found = import_corpus(table, tmp_path / "it")
    assert found.digest() == load_corpus(table).digest() and set(found.columns["year"]) == {"1999"}
