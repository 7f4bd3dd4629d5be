"""Corpora too large for one matrix: encoded part by part, kept in the cache, taken up again."""

import numpy as np
import pytest

from ravenbench.texts import TextTable
from ravenbench.topics import levels
from ravenbench.topics.encoders import LSA, NMF, sampled
from ravenbench.topics.levels import cosine_similarity, document_vectors


@pytest.fixture
def table():
    rng = np.random.default_rng(1)
    kinds = [
        [f"{a}{b}{c}" for a in letters for b in "aeiou" for c in "nrst"]
        for letters in ("bd", "fg", "kl")
    ]
    texts = [" ".join(rng.choice(kinds[i % 3], size=120)) + f" number{i % 7}" for i in range(60)]
    return TextTable.collect(texts)[0]


@pytest.fixture
def large(monkeypatch, tmp_path):
    monkeypatch.setattr(levels, "LARGE", 0)
    monkeypatch.setattr(levels, "PART", 8)
    monkeypatch.setenv("RAVEN_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "vectors"


def encoder(**more) -> LSA:
    return LSA(dimensions=5, max_df=1.0, window=50, **more)


def test_learned_from_a_sample_vectors_tell_the_same(table):
    rows = np.arange(60)
    whole = cosine_similarity(encoder().encode(table.view(rows)))
    part = cosine_similarity(encoder(sample=60).encode(table.view(rows)))
    same = rows[:, None] % 3 == rows % 3
    assert part[same].min() > part[~same].max() + 0.3
    assert np.abs(whole - part).mean() < 0.15


def test_few_texts_are_not_sampled(table):
    rng = np.random.default_rng(0)
    texts = list(table)
    assert sampled(texts, 50, 180, rng) is None and sampled(texts, 10_000, 60, rng) is None
    rows = sampled(texts, 50, 30, rng)
    assert rows is not None and len(rows) == 10 and (np.diff(rows) > 0).all()


def test_parts_are_kept_and_mended(table, large, monkeypatch):
    rows = np.arange(60)
    lsa = encoder(sample=60)
    expected = document_vectors(lsa, table, rows)
    assert np.allclose(expected, lsa.encode(table.view(rows)))
    files = sorted(large.glob("*/*.npy"))
    assert len(files) == 8
    files[2].unlink()
    files[5].write_bytes(b"torn")
    encoded = []
    real = LSA.learn

    def counting(self, texts):
        learned = real(self, texts)
        return lambda block: (encoded.append(len(block)), learned(block))[1]

    monkeypatch.setattr(LSA, "learn", counting)
    assert np.array_equal(document_vectors(lsa, table, rows), expected) and encoded == [8, 8]
    assert np.array_equal(document_vectors(lsa, table, rows), expected) and len(encoded) == 2


@pytest.mark.parametrize("changed", ["version", "parameter", "texts"])
def test_what_another_version_kept_is_not_read(table, large, monkeypatch, changed):
    rows = np.arange(60)
    document_vectors(encoder(sample=60), table, rows)
    for file in large.glob("*/*.npy"):
        file.write_bytes(file.read_bytes()[:-8] + bytes(8))
    before = set(large.iterdir())
    if changed == "version":
        monkeypatch.setattr(levels, "FORMAT", levels.FORMAT + 1)
    found = document_vectors(
        encoder(sample=60, seed=int(changed == "parameter")), table, rows[changed == "texts" :]
    )
    assert len(set(large.iterdir()) - before) == 1 and np.isfinite(found).all()


def test_encoders_that_take_all_at_once_still_do(table, large, monkeypatch):
    rows = np.arange(60)
    whole = NMF(components=3).encode(table.view(rows))
    assert np.array_equal(document_vectors(NMF(components=3), table, rows), whole)
    monkeypatch.setattr(NMF, "encode", None)
    assert np.array_equal(document_vectors(NMF(components=3), table, rows), whole), "encoded once"


def test_vectors_are_not_kept_where_there_is_no_room(table, large, monkeypatch):
    rows = np.arange(60)

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("ravenbench.files.write_bytes", full)
    assert np.array_equal(
        document_vectors(encoder(), table, rows), encoder().encode(table.view(rows))
    )
    assert not [*large.glob("*/*")]


def test_vectors_used_longest_ago_make_room(table, large, monkeypatch):
    document_vectors(encoder(), table, np.arange(60))
    (first,) = large.iterdir()
    monkeypatch.setattr(levels, "MOST", 1)
    document_vectors(encoder(), table, np.arange(50))
    assert first not in large.iterdir() and len([*large.iterdir()]) == 1


def test_a_view_reads_what_it_is_asked_for(table):
    view = table.view(np.array([3, 1, 2]))
    assert (
        view[1] == table[1]
        and view[1:] == [table[1], table[2]]
        and next(iter(view)) == table[3]
        and len(view) == 3
    )
