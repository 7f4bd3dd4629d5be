"""Vocabularies of n-grams of several lengths."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ravenbench.ext.shelf.published.impostor_spaces import ImpostorSpace, NgramTree, frequent_ngrams

TEXTS = st.lists(st.text(alphabet="abα \U0010ffff", max_size=20), min_size=1, max_size=6)


def grams(text: str, n: int) -> Counter[str]:
    return Counter(text[i : i + n] for i in range(len(text) - n + 1))


@given(TEXTS, st.integers(1, 4), st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_vocabulary_equals_definition(texts: list[str], size: int, least: int) -> None:
    found = list(frequent_ngrams(texts, [1, 2, 4], size, least))
    assert [n for n, _, _ in found] == [1, 2, 4]
    for n, names, documents in found:
        counts = [grams(text, n) for text in texts]
        spread = Counter(gram for each in counts for gram in each)
        kept = [gram for gram in spread if max(each[gram] for each in counts) >= least]
        expected = sorted(kept, key=lambda gram: (-spread[gram], gram))[:size]
        assert names == expected and documents.tolist() == [spread[gram] for gram in expected]


@given(TEXTS)
@settings(max_examples=60, deadline=None)
def test_places_are_longest_prefixes(texts: list[str]) -> None:
    names = ["ab", "abα", "b", "α" * 4]
    prefixes = {name[:n] for name in names for n in range(1, len(name) + 1)}
    tree = NgramTree(names)
    places, bounds = tree.places(texts)
    depth = np.where(places >= 0, tree.depth[places], 0)
    for text, start in zip(texts, bounds, strict=False):
        for i in range(len(text)):
            longest = max(
                (n for n in range(1, 5) if text[i : i + n] in prefixes and i + n <= len(text)),
                default=0,
            )
            assert depth[start + i] == longest
    assert sorted(tree.gram[tree.gram >= 0].tolist()) == [0, 1, 2, 3]


@given(TEXTS, st.integers(0, 25))
@settings(max_examples=60, deadline=None)
def test_vectors_equal_definition(texts: list[str], length: int) -> None:
    space = ImpostorSpace("char3 word1 char1-2", 5, "tf").fit(texts)
    names = [name for family, _, some in space.vocabulary_ if family == "char" for name in some]
    vectors = space.vectors(space.read(texts, space.forest()), np.arange(len(texts)), length)
    characters = np.concatenate(
        [np.full(len(some), family == "char") for family, _, some in space.vocabulary_]
    )
    for i, text in enumerate(texts):
        cut = text[:length]
        expected = [
            grams(cut, len(name))[name] / max(len(cut) - len(name) + 1, 1) for name in names
        ]
        assert vectors.dense(i)[characters].tolist() == expected
        assert np.all(np.diff(vectors.ids[vectors.bounds[i] : vectors.bounds[i + 1]]) > 0)
