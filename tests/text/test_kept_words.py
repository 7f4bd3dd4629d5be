"""Which frequent words stay: those that spread evenly over topics, whatever their rank, and those of closed classes."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from ravenbench.text.content_words import (
    EVEN,
    EVEN_OVER_TEXTS,
    closed_class,
    keep,
    named_topics,
    spread_over_texts,
    spread_over_topics,
)
from ravenbench.text.splicing import Splicer
from ravenbench.texts import TextTable


def written(rng, authors=60, topics=10, texts=4, words=300):
    """Counts (n, 4) of an even word, one of a topic in five, a habit of an author in five, and a bursty word."""
    rows, author, topic = [], [], []
    for a in range(authors):
        for t in rng.permutation(topics)[:texts]:
            rates = [0.03, 0.05 if t % 5 == 0 else 0.001, 0.05 if a % 5 == 0 else 0.001]
            burst = rng.random() < 0.1
            rows.append([*rng.poisson(np.array(rates) * words), rng.poisson(0.03 * words) * burst])
            author.append(a)
            topic.append(t)
    sizes = np.full(len(rows), float(words))
    return csr_array(np.array(rows, dtype=float)), sizes, np.array(author), np.array(topic)


def plain_spread(counts, sizes, author, topic):
    """By its definition: over all pairs of what two authors wrote on one topic."""
    rate = counts.sum(axis=0) / sizes.sum()
    cells = {}
    for row, size, a, t in zip(counts, sizes, author, topic, strict=True):
        x, n = cells.get((t, a), (0, 0))
        cells[t, a] = x + row, n + size
    above = below = 0.0
    for (t, a), (x, n) in cells.items():
        for (u, b), (y, m) in cells.items():
            if t == u and a != b:
                above, below = above + (x - rate * n) * (y - rate * m), below + rate * n * rate * m
    return above / below


def test_spread_is_that_of_topics_and_not_of_authors():
    counts, sizes, author, topic = written(np.random.default_rng(0))
    found = spread_over_topics(counts, sizes, author, topic)
    assert found == pytest.approx(plain_spread(counts.toarray(), sizes, author, topic))
    assert abs(found[0]) < 0.05 and found[1] > 2.5 and abs(found[2]) < 0.3 and abs(found[3]) < 0.5
    over_texts = spread_over_texts(counts, sizes)
    assert over_texts[0] < 0.1 and (over_texts[1:] > EVEN_OVER_TEXTS).all(), (
        "habits and bursts enter there"
    )
    unknown = np.full(len(author), -1)
    assert np.isnan(spread_over_topics(counts, sizes, unknown, topic)).all()
    assert np.isnan(spread_over_topics(counts, sizes, np.zeros(len(author), int), topic)).all(), (
        "no two authors"
    )


def test_topics_are_named_from_words_of_other_authors():
    counts, _, author, topic = written(np.random.default_rng(1), topics=5)
    topical = csr_array(
        np.stack([counts[:, [1]].toarray().ravel(), np.full(counts.shape[0], 9.0)], axis=1)
    )
    assert (
        named_topics(topical, author, topic) > named_topics(counts[:, [0, 2]], author, topic) + 0.1
    )
    assert named_topics(counts, author, np.zeros(len(author), int)) is None


def test_closed_classes_stay_in_their_language():
    english = [
        "the",
        "of",
        "and",
        "to",
        "in",
        "a",
        "is",
        "that",
        "it",
        "was",
        "for",
        "on",
        "are",
        "with",
        "as",
        "his",
        "they",
        "at",
        "be",
        "this",
    ]
    assert {"she", "through"} <= closed_class(english) and "windows" not in closed_class(english)
    assert "het" in closed_class(
        [
            "de",
            "het",
            "een",
            "van",
            "en",
            "in",
            "is",
            "dat",
            "op",
            "te",
            "zijn",
            "voor",
            "met",
            "die",
            "niet",
        ]
    )
    assert closed_class(["zork", "blub"]) == closed_class([]) == frozenset()
    ranked = [*english, "windows", "people"]
    even = np.array([False] * len(english) + [False, True])
    assert keep(ranked, even, 99) == frozenset([*english, "people"])
    assert len(keep(ranked, even, 5)) == 5


def test_a_frequent_word_of_one_topic_does_not_stay():
    """Twelve words are more frequent than any other; two of them belong to a topic each."""
    rng = np.random.default_rng(2)
    even = [f"ev{c}n" for c in "abcdefghij"]
    texts, author, topic = [], [], []
    for i in range(240):
        t = i % 4
        topical = [f"w{c}{t}" for c in "xyz"]
        words = [
            *rng.choice(even, 60),
            *rng.choice(topical, 5),
            *([["bike"], ["boat"], [], []][t] * 30),
        ]
        texts.append(" ".join(rng.permutation(words)))
        author.append(i // 4 % 30)
        topic.append(t)
    table, rows = TextTable.collect(texts)
    author, topic = (np.array(codes)[np.argsort(rows)] for codes in (author, topic))
    assert {"bike", "boat"} <= set(Splicer(table, 12).ranked[:12])
    made = Splicer(table, 12, author, topic)
    assert made.functions == set(even) and "topics" in made.by
    assert made.spread[made.ranked.index("bike")] > EVEN
    assert made.keeping(3).functions < made.functions and len(made.keeping(3).functions) == 3
    named, of_all = made.topics_named(True), made.topics_named(False)
    assert named < 0.4 < 0.6 < of_all
