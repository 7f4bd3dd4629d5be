"""Promises of the pair rules on random corpora."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ravenbench import registry
from ravenbench.errors import CorpusError
from ravenbench.problems.pair_rules import Matched, Reference, tournament
from ravenbench.randomness import stream
from ravenbench.testing import check_component

RULES = [Matched(), Matched(per_author=2), Reference()]


@st.composite
def corpora(draw):
    size = draw(st.integers(2, 60))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    author = rng.integers(draw(st.integers(1, 25)), size=size)
    topic = rng.integers(draw(st.integers(1, 5)), size=size)
    return np.sort(rng.permutation(200)[:size]).astype(np.int64), author, topic


def drawn(rule, corpus, seed=0, limit=None):
    documents, author, topic = corpus
    try:
        return rule.draw(documents, author, topic, stream(seed, "test"), limit)
    except CorpusError:
        return None


def unordered(a, b):
    return [tuple(sorted(p)) for p in zip(a.tolist(), b.tolist(), strict=True)]


@pytest.mark.parametrize("rule", RULES, ids=str)
@settings(max_examples=60, deadline=None)
@given(corpora(), st.integers(0, 5), st.one_of(st.none(), st.integers(2, 20)))
def test_every_rule_keeps_the_common_promises(rule, corpus, seed, limit):
    documents, author, _ = corpus
    pairs = drawn(rule, corpus, seed, limit)
    several = len(set(author.tolist())) < len(author)
    if pairs is None:
        return
    assert several, "a rule made pairs where no author has two documents"
    who = dict(zip(documents.tolist(), author.tolist(), strict=True))
    for a, b, same in zip(
        pairs.known.tolist(), pairs.questioned.tolist(), pairs.same.tolist(), strict=True
    ):
        assert a != b and (who[a] == who[b]) == same
    keys = unordered(pairs.known, pairs.questioned)
    assert len(set(keys)) == len(keys)
    assert limit is None or len(pairs) <= limit
    again = drawn(rule, corpus, seed, limit)
    assert (
        again.known.tolist() == pairs.known.tolist()
        and again.questioned.tolist() == pairs.questioned.tolist()
    )


@settings(max_examples=150, deadline=None)
@given(corpora(), st.integers(1, 6))
def test_matched_pairs_come_from_equal_topic_cells(corpus, cap):
    documents, author, topic = corpus
    pairs = drawn(Matched(per_author=cap), corpus)
    if pairs is None:
        return
    subject = dict(zip(documents.tolist(), topic.tolist(), strict=True))
    who = dict(zip(documents.tolist(), author.tolist(), strict=True))
    cells = [
        tuple(sorted((subject[a], subject[b]))) for a, b in unordered(pairs.known, pairs.questioned)
    ]
    same = pairs.same.tolist()
    assert Counter(c for c, s in zip(cells, same, strict=True) if s) == Counter(
        c for c, s in zip(cells, same, strict=True) if not s
    )
    of_author = Counter(who[a] for a, s in zip(pairs.known.tolist(), same, strict=True) if s)
    assert max(of_author.values()) <= cap


def test_matched_uses_each_document_as_often_in_either_class():
    rng = np.random.default_rng(0)
    author, topic = rng.integers(60, size=300), rng.integers(4, size=300)
    pairs = Matched().draw(np.arange(300), author, topic, stream(0, "x"))
    uses = [
        Counter(np.concatenate([pairs.known[which], pairs.questioned[which]]).tolist())
        for which in (pairs.same, ~pairs.same)
    ]
    assert uses[0] == uses[1] and not pairs.dropped


def test_matched_drops_and_counts_pairs_without_partner():
    # Author 0 is alone in topic 0; authors 1 and 2 share topic 1.
    author, topic = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 0, 1, 1, 1, 1])
    pairs = Matched().draw(np.arange(6), author, topic, stream(0, "x"))
    assert pairs.same.sum() == 2 == (~pairs.same).sum()
    assert dict(pairs.dropped) == {"without a partner of the same topics": 1}
    with pytest.raises(CorpusError, match="no same-author pair has a different-author pair"):
        Matched().draw(np.arange(4), np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]), stream(0, "x"))


def test_reference_gives_each_text_a_stranger_and_a_twin_where_there_is_one():
    author = np.array([0, 0, 0, 1, 2, 2])
    pairs = Reference(faithful=True).draw(
        np.arange(6), author, np.zeros(6, dtype=np.int64), stream(0, "x")
    )
    assert sorted(pairs.known[~pairs.same].tolist()) == [0, 1, 2, 3, 4, 5]
    assert sorted(pairs.known[pairs.same].tolist()) == [0, 1, 2, 4, 5]
    repaired = Reference().draw(np.arange(6), author, np.zeros(6, dtype=np.int64), stream(0, "x"))
    assert repaired.dropped["drawn from both ends"] == len(pairs) - len(repaired) > 0


def test_only_the_faithful_reference_mislabels_under_a_limit():
    author = np.repeat(np.arange(10), 4)
    documents, topic = np.arange(40), np.zeros(40, dtype=np.int64)
    wrong = Reference(faithful=True).draw(documents, author, topic, stream(0, "x"), 30)
    assert (author[wrong.known] == author[wrong.questioned])[~wrong.same].all()
    right = Reference().draw(documents, author, topic, stream(0, "x"), 30)
    assert (
        len(right) == 30
        and not (author[right.known] == author[right.questioned])[~right.same].any()
    )


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_impossible_corpora_are_refused_with_counts(rule):
    alone = np.arange(5)
    with pytest.raises(CorpusError, match="5 documents by 5 authors"):
        rule.draw(alone, alone, np.zeros(5, dtype=np.int64), stream(0, "x"))
    with pytest.raises(CorpusError, match=r"different-author pair|one author"):
        rule.draw(alone, np.zeros(5, dtype=np.int64), np.zeros(5, dtype=np.int64), stream(0, "x"))


@given(st.integers(2, 12), st.integers(1, 80))
def test_a_tournament_pairs_each_two_once_and_uses_players_evenly(size, cap):
    table = tournament(size, cap)
    assert len(table) == min(cap, size * (size - 1) // 2)
    assert len(set(unordered(table[:, 0], table[:, 1]))) == len(table)
    uses = np.bincount(table.ravel(), minlength=size)
    assert uses.max() - uses.min() <= 2


@pytest.mark.parametrize(
    "text", [*registry.names("pairs"), "matched(per_author=3)", "reference(faithful=True)"]
)
def test_rules_are_components(text):
    check_component("pairs", registry.parse("pairs", text))
