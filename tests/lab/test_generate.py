"""The synthetic corpus at any size: the plain writer's bytes, in parts, by any number of workers, taken up again."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import pytest
from benchmarks import generate as synthetic
from benchmarks.generate import generate_corpus
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.references.synthetic_writer import PlainWriter

from ravenbench import files
from ravenbench.corpora.synthetic import MadeUpAuthor, Synthetic
from ravenbench.errors import InputError, SpecError
from ravenbench.reading.load import load_corpus

SMALL = "synthetic(documents=90, authors=12, topics=6, words=40)"


def small() -> Synthetic:
    return Synthetic(documents=90, authors=12, topics=6, words=40)


@pytest.fixture(autouse=True)
def parts_of_twenty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(synthetic, "_PART_BYTES", 20 * 40 * synthetic._LETTERS_A_WORD)


def contents(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in sorted(folder.iterdir())}


dial = st.floats(0, 3)
share = st.floats(0, 1)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**40), dial, dial, share, st.integers(1, 7), st.integers(20, 300), st.data())
def test_the_fast_writer_writes_the_plain_writers_bytes(
    seed, style, topic, families, topics, words, data
):
    dials = (seed, style, topic, families, topics, words)
    fast, plain = MadeUpAuthor(*dials), PlainWriter(*dials)
    for number in range(2):
        author, subject = data.draw(st.integers(0, 50)), data.draw(st.integers(0, topics - 1))
        assert fast.document(number, author, subject) == plain.document(number, author, subject)


def test_extreme_dials_are_written_alike():
    for dials in ((0, 50.0, 50.0, 1.0, 3, 2000), (1, 0.0, 0.0, 0.0, 1, 20)):
        assert MadeUpAuthor(*dials).document(3, 1, 0) == PlainWriter(*dials).document(3, 1, 0)


def test_bytes_do_not_depend_on_workers(tmp_path):
    one = generate_corpus(small(), tmp_path / "one", workers=1)
    two = generate_corpus(small(), tmp_path / "two", workers=2)
    assert contents(one) == contents(two) and len(contents(one)) == 6
    about = json.loads((one / "generated.json").read_text())
    assert about["corpus"] == SMALL and len(about["parts"]) == 5


def test_the_parts_are_the_corpus(tmp_path):
    read = load_corpus(generate_corpus(small(), tmp_path / "it"))
    made = small().load()
    assert read.digest() == made.digest() and list(read.columns["family"]) == list(
        made.columns["family"]
    )
    assert read.name == "it"


def test_taken_up_where_it_stopped(tmp_path):
    whole = contents(generate_corpus(small(), tmp_path / "whole"))

    def stop(done: int, total: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        generate_corpus(small(), tmp_path / "it", progress=stop)
    assert not (tmp_path / "it").exists()
    first: list[int] = []
    generate_corpus(small(), tmp_path / "it", progress=lambda done, total: first.append(done))
    assert first[0] == 3 and contents(tmp_path / "it") == whole


def test_another_corpus_begun_there_is_not_mixed_in(tmp_path):
    def stop(done: int, total: int) -> None:
        if done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        generate_corpus(small(), tmp_path / "it", progress=stop)
    with pytest.raises(InputError, match="another corpus was begun here"):
        generate_corpus(small().set_params(seed=1), tmp_path / "it")
    for mark in ("[1]", "{", '{"corpus": 3}'):
        (tmp_path / ".it.partial" / ".begun.json").write_text(mark)
        with pytest.raises(InputError, match="another corpus was begun here"):
            generate_corpus(small(), tmp_path / "it")


def test_a_full_disk_leaves_no_part_and_the_next_call_goes_on(tmp_path, monkeypatch):
    whole = contents(generate_corpus(small(), tmp_path / "whole"))
    real, left = files.os.fsync, 4

    def full(descriptor: int) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(descriptor)

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        generate_corpus(small(), tmp_path / "it")
    begun = [p.name for p in (tmp_path / ".it.partial").iterdir() if p.name.startswith("part")]
    assert len(begun) == 3 and not (tmp_path / "it").exists()
    monkeypatch.setattr(files.os, "fsync", real)
    assert contents(generate_corpus(small(), tmp_path / "it")) == whole


def test_a_disk_without_room_is_known_before_any_work(tmp_path):
    with pytest.raises(InputError, match="not enough disk space"):
        generate_corpus(Synthetic(documents=2 * 10**9, words=1_000_000), tmp_path / "it")


@pytest.mark.parametrize(
    ("dials", "named"),
    [
        ({"documents": 1}, "documents"),
        ({"authors": 1}, "authors"),
        ({"topics": 10**9}, "topics"),
        ({"words": 10**9}, "words"),
        ({"documents": 2.5}, "documents"),
        ({"documents": True}, "documents"),
        ({"style": float("inf")}, "style"),
        ({"topic": "much"}, "topic"),
        ({"seed": 2**70}, "seed"),
    ],
)
def test_impossible_dials_are_refused(dials, named, tmp_path):
    with pytest.raises(SpecError, match=f"synthetic: {named}( must|: this number is out of range)"):
        generate_corpus(Synthetic(**dials), tmp_path / "it")
    assert not list(tmp_path.iterdir())


def test_only_generated_corpora_and_fresh_places(tmp_path):
    from ravenbench.ext.corpora.newsgroups import Newsgroups

    with pytest.raises(SpecError, match="only a synthetic corpus"):
        generate_corpus(Newsgroups(), tmp_path / "it")
    with pytest.raises(SpecError, match="workers"):
        generate_corpus(small(), tmp_path / "it", workers=0)
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "file").touch()
    with pytest.raises(InputError, match="not empty"):
        generate_corpus(small(), tmp_path / "taken")
