"""PPM cross-entropies against the plain dictionary model."""

from __future__ import annotations

import math
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.references import ppm as plain
from tests.references.ppm import of_the_kernel as cross_entropy

from ravenbench.randomness import stream
from ravenbench.text import ppm
from ravenbench.text.ppm import cross_entropies
from ravenbench.texts import TextTable

any_text = (
    st.text(max_size=60)
    | st.text(alphabet="ab", max_size=200)
    | st.text(alphabet="abcé´λя漢😀 ", max_size=200)
)


def expected(model: str, text: str, order: int, escape: str | None) -> float:
    contexts = plain.model(model, order)
    return plain.cross_entropy(contexts, text, order, escape)


def same(found: float, wanted: float) -> bool:
    return abs(found - wanted) <= 1e-9


@settings(max_examples=80, deadline=None)
@given(st.lists(any_text, min_size=2, max_size=5), st.integers(0, 5), st.sampled_from([None, "C"]))
def test_kernel_equals_the_dictionary_model(texts, order, escape):
    table, rows = TextTable.collect(texts)
    a, b = (part.ravel() for part in np.meshgrid(rows, rows))
    for budget, partners in ((0, 100), (2**26, 100), (0, 1)):
        with patch.object(ppm, "PARTNERS", partners):
            found = cross_entropies(table, a, b, order, escape, budget)
        for (forth, back), i, j in zip(found, a, b, strict=True):
            one, two = table[i], table[j]
            if not one or not two:
                assert math.isnan(forth) and math.isnan(back)
            else:
                assert same(forth, expected(one, two, order, escape))
                assert same(back, expected(two, one, order, escape))


@pytest.mark.parametrize("symbols", [100, 127, 128, 3000])
@pytest.mark.parametrize("escape", [None, "C"])
def test_alphabets_that_fit_a_sort_key_and_those_that_do_not(symbols, escape):
    rng = stream(0, "test-ppm", symbols)
    one, two = (
        "".join(map(chr, 200 + rng.integers(0, symbols, 4000) ** 2 // symbols)) for _ in range(2)
    )
    assert same(cross_entropy(one, two, escape=escape), expected(one, two, 5, escape))


def test_the_probability_is_the_share_in_the_longest_context_that_has_the_character():
    # After "a" come b, b, c; the last "a" is followed by nothing and is no context.
    assert cross_entropy("abab aca"[:7] + "a", "ab") == pytest.approx(
        (math.log2(8 / 4) + math.log2(3 / 2)) / 2
    )
    assert cross_entropy("aaa", "z") == 8.0
    assert cross_entropy("aaa", "aaaa") == 0.0


def test_method_c_escapes_through_every_known_context():
    # "b" after "a": context "a" has total 1, one character; the empty one total 2, two characters.
    assert cross_entropy("ac", "ab", escape="C") == pytest.approx(
        (-math.log2(1 / 4) - math.log2(1 / 2 * 2 / 4 / 256)) / 2
    )


def test_a_value_depends_on_its_two_texts_alone():
    rng = stream(0, "test-ppm-batch")
    table, rows = TextTable.collect(
        "".join(rng.choice(list("abcd é"), rng.integers(1, 400))) for _ in range(30)
    )
    a, b = rng.choice(rows, 60), rng.choice(rows, 60)
    whole = cross_entropies(table, a, b)
    assert np.array_equal(whole, cross_entropies(table, b, a)[:, ::-1])
    assert np.array_equal(whole, cross_entropies(table, a, b, budget=0))
    alone = np.concatenate([cross_entropies(table, a[i : i + 1], b[i : i + 1]) for i in range(60)])
    assert np.array_equal(whole, alone)


@pytest.mark.parametrize("limit", ["LONGEST", "NODES", "TABLE"])
def test_texts_too_large_for_an_automaton_are_compared_without_one_to_the_same_figures(limit):
    rng = stream(0, "test-ppm-automaton")
    table, rows = TextTable.collect(
        "".join(rng.choice(list("abcd é漢"), 40 * size)) for size in range(1, 20)
    )
    a, b = (part.ravel() for part in np.meshgrid(rows, rows))
    read = cross_entropies(table, a, b)
    with patch.object(ppm, limit, {"LONGEST": 400, "NODES": 500, "TABLE": 4000}[limit]):
        assert np.array_equal(read, cross_entropies(table, a, b))
        few = a % 3 == 0
        one_way = cross_entropies(table, a[few], b[few], both=False)
        assert np.array_equal(read[few, 0], one_way[:, 0]) and np.isnan(one_way[:, 1]).any()
    with patch.object(ppm, "PARTNERS", 100):
        assert np.array_equal(read, cross_entropies(table, a, b))


def test_nothing_to_compare_and_wrong_options():
    table, rows = TextTable.collect(["a"])
    assert cross_entropies(table, rows[:0], rows[:0]).shape == (0, 2)
    for options in ({"order": 6}, {"order": -1}, {"escape": "D"}):
        with pytest.raises(ValueError, match="order must be"):
            cross_entropies(table, rows, rows, **options)
