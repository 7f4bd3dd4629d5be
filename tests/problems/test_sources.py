"""Promises of folds: topics, authors, documents, determinism."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ravenbench.errors import CorpusError
from ravenbench.problems import needs, sources
from ravenbench.problems.pair_rules import Matched, Reference
from ravenbench.problems.sources import Pairing, by_author, by_topic, equalise, topic_folds
from ravenbench.randomness import Draws, stream
from ravenbench.texts import TextTable
from ravenbench.types import Corpus, Labels, Problems


def corpus(size=600, authors=80, topics=8, seed=0, unknown=0):
    rng = np.random.default_rng(seed)
    texts, _ = TextTable.collect(f"text number {i}" for i in range(size))
    topic = [
        f"topic{t}" if i >= unknown else None for i, t in enumerate(rng.integers(topics, size=size))
    ]
    author = [f"author{a:03d}" for a in rng.integers(authors, size=size)]
    return Corpus(
        "made", texts, tuple(f"d{i}" for i in range(size)), Labels.of(author), Labels.of(topic)
    )


@given(st.integers(2, 40), st.integers(2, 40))
def test_every_topic_is_in_one_fold_and_sizes_are_equal(m, k):
    if k > m:
        with pytest.raises(CorpusError, match="cannot be divided"):
            topic_folds(m, k, stream(0, "x"))
        return
    sizes = np.bincount(topic_folds(m, k, stream(0, "x")), minlength=k)
    assert sizes.sum() == m and sizes.max() - sizes.min() <= 1


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 80), st.integers(1, 30), st.integers(1, 5), st.integers(1, 20), st.integers(0, 9)
)
def test_documents_are_equalised(size, authors, topics, n, seed):
    rng = np.random.default_rng(seed)
    author, topic = rng.integers(authors, size=size), rng.integers(topics, size=size)
    kept = equalise(author, topic, n, stream(seed, "x"))
    assert len(np.unique(kept)) == len(kept)
    have = np.bincount(topic, minlength=topics)
    assert np.bincount(topic[kept], minlength=topics).tolist() == np.minimum(have, n).tolist()


def test_authors_keep_several_posts():
    # 30 authors of two posts among 200 of one: a plain draw of 60 would leave about two whole pairs.
    author = np.concatenate([np.repeat(np.arange(30), 2), np.arange(100, 300)])
    kept = author[equalise(author, np.zeros(260, dtype=np.int64), 60, stream(0, "x"))]
    assert sorted(kept.tolist()) == np.repeat(np.arange(30), 2).tolist()


def test_one_author_does_not_fill_a_topic():
    author = np.concatenate([np.zeros(100, dtype=np.int64), np.arange(1, 101)])
    kept = author[equalise(author, np.zeros(200, dtype=np.int64), 40, stream(0, "x"))]
    assert 4 <= (kept == 0).sum() < 35


@settings(max_examples=60, deadline=None)
@given(
    st.integers(4, 120),
    st.integers(1, 40),
    st.integers(1, 12),
    st.floats(0.1, 0.5),
    st.integers(0, 9),
)
def test_calibration_parts_share_no_author(size, authors, topics, share, seed):
    rng = np.random.default_rng(seed)
    author, topic = rng.integers(authors, size=size), rng.integers(topics, size=size)
    by_t, by_a = (
        by_topic(author, topic, share, stream(seed, "x")),
        by_author(author, share, stream(seed, "x")),
    )
    for parts in (by_t, by_a):
        if parts is None:
            continue
        assert not (parts.fit & parts.calibrate).any()
        assert not set(author[parts.fit].tolist()) & set(author[parts.calibrate].tolist())
    if by_t is not None:
        assert not set(topic[by_t.fit].tolist()) & set(topic[by_t.calibrate].tolist())
    assert by_a.crossing == 0


@pytest.mark.parametrize("rule", [Matched(), Reference()], ids=str)
@pytest.mark.parametrize("seed", [0, 1])
def test_topic_folds_keep_their_promises(rule, seed):
    data = corpus(seed=seed, unknown=20)
    chosen = np.array([6, 0, 3, 1, 7, 5])
    folds = sources.topics(
        data, chosen, k=3, pairing=Pairing(rule, 60, 0.5, draws=Draws(seed)), name="f"
    )
    tested = sorted(t for fold in folds for t in fold.counts["test_topics"])
    assert tested == sorted(chosen.tolist()) and [f.name for f in folds] == ["f-0", "f-1", "f-2"]
    for fold in folds:
        counts = fold.counts
        train = data.topic.codes[fold.train.documents]
        test = data.topic.codes[fold.test.documents]
        assert set(train.tolist()) <= set(counts["train_topics"])
        assert set(test.tolist()) <= set(counts["test_topics"])
        assert not set(counts["train_topics"]) & set(counts["test_topics"])
        assert fold.test.author is None
        for problems, same in ((fold.train, fold.train_same), (fold.test, fold.test_same)):
            a, b = (
                data.author.codes[problems.known_index],
                data.author.codes[problems.questioned_index],
            )
            assert ((a == b) == same).all() and (
                problems.known_index != problems.questioned_index
            ).all()
        held = fold.train.calibrate
        apart = [
            set(data.author.codes[fold.train.select(w).documents].tolist()) for w in (held, ~held)
        ]
        assert not apart[0] & apart[1]
        assert counts["counts"]["calibrate"]["same"] == int(fold.train_same[held].sum()) >= 10
        assert counts["calibration"] in ("topics", "authors")
        assert counts["documents"] == {
            "train": len(fold.train.documents),
            "test": len(fold.test.documents),
        }


def test_matched_folds_are_balanced_in_topic():
    for fold in sources.topics(corpus(), np.arange(8), k=4, pairing=Pairing(Matched(), 40)):
        composition = fold.counts["composition"]
        assert composition["same"] == composition["different"]


def test_merged_topics_count_as_the_chosen_one():
    merged = np.array([0, 1, 2, 3, 0, 1, 2, -1])
    folds = sources.topics(corpus(), np.arange(4), merged, k=2, pairing=Pairing(Matched()))
    assert all(max(f.counts["train_topics"]) < 4 for f in folds)
    seen = np.unique(np.concatenate([corpus().topic.codes[f.test.documents] for f in folds]))
    assert 4 in seen and 7 not in seen


def test_a_limit_bounds_train_and_test():
    for fold in sources.topics(corpus(), np.arange(8), k=2, pairing=Pairing(Matched(), limit=100)):
        assert len(fold.train) <= 100 and len(fold.test) <= 100
        assert fold.train.calibrate is not None


def test_a_small_corpus_is_left_to_cross_fitting():
    small = corpus(size=40, authors=12, topics=3)
    fold = sources.topics(small, np.arange(3), k=3, pairing=Pairing(Matched()))[0]
    assert fold.train.calibrate is None and fold.counts["calibration"] == "cross-fit"


def test_too_few_documents_and_no_pairs_are_named():
    with pytest.raises(CorpusError, match="topic 'topic1' has too few documents"):
        texts, _ = TextTable.collect(["a", "b", "c"])
        few = Corpus(
            "few",
            texts,
            ("a", "b", "c"),
            Labels.of("xyx"),
            Labels.of(["topic0", "topic1", "topic0"]),
        )
        sources.topics(few, np.arange(2), k=2, pairing=Pairing(Matched()))
    single = corpus(size=100, topics=4)
    single = Corpus("single", single.texts, single.ids, Labels.of(single.ids), single.topic)
    with pytest.raises(
        CorpusError,
        match=r"fold topics-0, test documents: no two of these documents have the same author",
    ):
        sources.topics(single, np.arange(4), k=2, pairing=Pairing(Matched()))


DIGEST = """
from tests_sources import Draws, Matched, Pairing, Reference, corpus, sources
import numpy as np
for rule in (Matched(), Reference()):
    for fold in sources.topics(corpus(), np.arange(8), k=4, pairing=Pairing(rule, 30, draws=Draws(3))):
        print(fold.train_digest(), fold.test.digest())
"""


def test_folds_do_not_depend_on_the_hash_seed(tmp_path):
    (tmp_path / "tests_sources.py").write_text(Path(__file__).read_text())
    outputs = set()
    for hash_seed in ("0", "1", "31337"):
        environment = {
            **os.environ,
            "PYTHONHASHSEED": hash_seed,
            "PYTHONPATH": f"{tmp_path}{os.pathsep}{os.environ['PYTHONPATH']}",
        }
        done = subprocess.run(
            [sys.executable, "-c", DIGEST], env=environment, capture_output=True, check=True
        )
        outputs.add(done.stdout)
    assert len(outputs) == 1 and outputs.pop().count(b"\n") == 8


def test_given_sets_become_one_blind_fold():
    train = Problems.of(
        [("a", ["x", "y"], "z"), ("b", ["q"], "r")], author=Labels.of(["A", "A", "A", "B", "C"])
    )
    test = Problems.of(
        [("c", ["u"], "v")], author=Labels.of(["B", "B"]), topic=Labels.of(["t", "s"])
    )
    fold = sources.given(train, np.array([True, False]), test, np.array([True]))
    assert fold.test.author is None and fold.train.author is not None
    assert fold.counts["counts"]["fit"] == {"same": 1, "different": 1}
    assert fold.counts["authors"] == {"train": 3, "test": 1, "both": 1}
    assert fold.counts["composition"] == {"same": 0.0, "different": None}


def test_sizes_come_from_the_corpus():
    sizes = needs.suggest(corpus(topics=8))
    assert (sizes.topics, sizes.folds) == (4, 2) and 4 <= sizes.min_docs < sizes.documents <= 75
    many = needs.suggest(corpus(size=6000, topics=60))
    assert (many.topics, many.folds) == (15, 5)
    listed = needs.suggest(corpus(topics=8), defaults={"m": 25, "k": 5, "documents": 60})
    assert (listed.topics, listed.folds, listed.documents) == (8, 5, 60)
    asked = needs.suggest(
        corpus(topics=8), topics=6, folds=3, documents=7, min_docs=5, defaults={"m": 25}
    )
    assert asked == needs.Sizes(6, 3, 7, 5)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 60), st.one_of(st.none(), st.integers(2, 6)), st.integers(0, 3))
def test_suggestions_always_fit(topics, folds, seed):
    data = corpus(size=20 * topics, topics=topics, seed=seed)
    try:
        sizes = needs.suggest(data, folds=folds)
    except CorpusError:
        assert folds is not None and folds > topics // 2
        return
    available = int((data.topic.counts() >= sizes.min_docs).sum())
    assert 2 <= sizes.folds <= sizes.topics <= available and sizes.documents >= sizes.min_docs


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"topics": 9}, "9 topics cannot be chosen from 8"),
        ({"topics": 4, "folds": 5}, "4 topics cannot be divided into 5 folds"),
        ({"min_docs": 500}, "0 topics with 500 documents or more"),
    ],
)
def test_what_a_corpus_cannot_fill_is_refused(asked, message):
    with pytest.raises(CorpusError, match=message):
        needs.suggest(corpus(topics=8), **asked)
