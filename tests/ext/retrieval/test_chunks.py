"""A search has the same bytes whatever is read, compared or done at a time, here and on a Dask cluster."""

import numpy as np
import pytest

import ravenbench
from ravenbench import registry
from ravenbench.engine.pool import dask
from ravenbench.ext.retrieval.audit import audit
from ravenbench.ext.retrieval.reading import of_corpus, pool_of
from ravenbench.ext.retrieval.search import added, search, shards
from ravenbench.reading.load import load_corpus
from ravenbench.reading.queries import ItemRow

WORLD = "synthetic(documents=160, authors=30, topics=5, words=60)"


@pytest.fixture(scope="module")
def pool():
    return of_corpus(load_corpus(WORLD), queries=20, candidates=None, across=False, seed=1)


@pytest.mark.parametrize("name", ["char-ngrams(n=3, size=900)", "words", "same('topic')"])
def test_blocks_and_shards_of_any_size_give_the_same_bytes(pool, name, monkeypatch):
    every = np.arange(len(pool.candidates))
    ask = registry.parse("retriever", name).fit(pool).ask(pool.plain.queries)
    whole = search(ask, pool.plain, pool.candidates, every)
    for block, scores_at_once, size in ((1, 0, 50), (7, 0, 1_000), (2_048, 1 << 26, 13)):
        monkeypatch.setattr("ravenbench.ext.retrieval.search.BLOCK", block)
        monkeypatch.setattr("ravenbench.ext.retrieval.search.HELD", scores_at_once)
        parts = []
        for shard in shards(len(every), size):
            ask = registry.parse("retriever", name).fit(pool, shard=shard).ask(pool.plain.queries)
            parts.append(search(ask, pool.plain, pool.candidates, shard))
        joined = added(parts)
        for array in whole:
            assert joined[array].astype(whole[array].dtype).tobytes() == whole[array].tobytes(), (
                array,
                block,
                size,
            )


def test_an_audit_says_the_same_whatever_it_compares_at_a_time(monkeypatch):
    rng = np.random.default_rng(0)

    def text(words):
        return " ".join(f"w{i}" for i in rng.integers(0, 5000, words))

    passage, repeated = text(70), text(200)
    rows = [
        ItemRow(
            f"d{i}",
            (f"{text(200) if i % 5 else repeated} {passage if i % 3 else ''}",),
            {"author": f"a{i % 9}"},
        )
        for i in range(40)
    ]
    pool = pool_of(rows[:9], rows[9:], None, 0)
    whole = audit(pool)
    assert whole.candidates["copies"] and whole.candidates["quotations"]
    for together, drawers in ((1, 1), (4, 3), (1_000, 200)):
        monkeypatch.setattr("ravenbench.ext.retrieval.audit.TOGETHER", together)
        monkeypatch.setattr("ravenbench.ext.retrieval.audit.DRAWERS", drawers)
        part = audit(pool)
        assert part.candidates == whole.candidates and part.named == whole.named
        assert all((part.queries[kind] == touched).all() for kind, touched in whole.queries.items())


@pytest.mark.extra
def test_a_cluster_gives_the_bytes_of_this_machine(tmp_path, need_extra):
    distributed = need_extra("distributed")
    options = {
        "workers": 1,
        "methods": "char-ngrams, words, delta",
        "topic": "topic",
        "content": 20,
    }
    here = ravenbench.retrieve(WORLD, out=tmp_path / "here", **options).store
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None
    ) as cluster:
        there = ravenbench.retrieve(
            WORLD, out=tmp_path / "there", engine=dask(cluster.scheduler_address), **options
        ).store
    assert here.plan.files == there.plan.files and len(here.plan.cells) > 10
    for place in here.plan.cells:
        one, other = here.read_cell(place.key).arrays, there.read_cell(place.key).arrays
        assert one.keys() == other.keys() and all(
            one[name].tobytes() == other[name].tobytes() for name in one
        )
