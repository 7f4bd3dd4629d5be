"""Embeddings in the cache folder: shared by processes, never wrong, under a cap."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from ravenbench import registry
from ravenbench.ext.encoders import kept_vectors
from ravenbench.ext.encoders.kept_vectors import KeptFiles
from ravenbench.tasks.api import run
from small_run import SMALL


def key(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("RAVEN_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "embeddings"


VECTORS = {
    key("a"): np.array([1.0, 2.0]),
    key("b"): np.array([3.0, 4.0]),
    key("\0"): np.array([5.0, 6.0]),
}


def test_what_one_process_adds_another_finds():
    here, there = KeptFiles("m"), KeptFiles("m")
    assert there.find(list(VECTORS)) == {}
    here.add(VECTORS)
    found = there.find([*VECTORS, key("c")])
    assert {text: vector.tolist() for text, vector in found.items()} == {
        t: v.tolist() for t, v in VECTORS.items()
    }
    assert KeptFiles("other").find(list(VECTORS)) == {}


def test_a_changed_file_is_left_alone(cache):
    KeptFiles("m").add(VECTORS)
    (place,) = cache.glob("*/*.npy")
    data = bytearray(place.read_bytes())
    for spoilt in (data[:-1], data[:-4] + b"\1" + data[-3:], b""):
        place.write_bytes(spoilt)
        assert KeptFiles("m").find(list(VECTORS)) == {}


def test_the_oldest_go_above_the_cap(cache, monkeypatch):
    monkeypatch.setattr(kept_vectors, "MOST_ON_DISK", 700)
    for number in range(5):
        KeptFiles("m").add({key(str(number)): np.full(30, float(number))})
    assert 0 < sum(path.stat().st_size for path in cache.glob("*/*.npy")) <= 700
    assert len(KeptFiles("m").find([key("4")])) == 1 and not KeptFiles("m").find([key("0")])


@pytest.mark.extra
def test_every_text_of_a_run_is_encoded_once(static_folder, tmp_path, monkeypatch):
    from ravenbench.ext.encoders import sentences as module

    asked: list[str] = []
    real = module.static_vectors

    def counted(model, texts):
        asked.extend(texts)
        return real(model, texts)

    monkeypatch.setattr(module, "static_vectors", counted)
    monkeypatch.setattr(module, "_KEPT", module.KeptVectors(shared=True))
    options = {
        **SMALL,
        "workers": 1,
        "verifiers": [registry.parse("verifier", f"encoder(model={str(static_folder)!r})")],
    }
    first = run(out=tmp_path / "one", **options)
    assert first.errors == () and asked and len(asked) == len(set(asked))
    asked.clear()
    monkeypatch.setattr(module, "_KEPT", module.KeptVectors(shared=True))
    again = run(out=tmp_path / "two", **options).store
    assert asked == [], "another run finds them"
    for place in again.plan.cells:
        assert (
            again.read_cell(place.key).scores.tobytes()
            == first.store.read_cell(place.key).scores.tobytes()
        )


@pytest.mark.extra
def test_two_workers_encode_no_text_twice(bert_folder, tmp_path, cache):
    scorer = registry.parse(
        "verifier", f"encoder(model={str(bert_folder)!r}, precision='bf16', device='cpu')"
    )
    found = run(out=tmp_path / "run", **SMALL, workers=2, verifiers=[scorer])
    assert found.errors == ()
    texts = [text.tobytes() for path in cache.glob("*/*.npy") for text in np.load(path)["text"]]
    assert len(texts) > 100 and len(texts) == len(set(texts))
    assert not np.isnan(
        np.concatenate([found.store.read_cell(p.key).scores for p in found.store.plan.cells])
    ).any()
