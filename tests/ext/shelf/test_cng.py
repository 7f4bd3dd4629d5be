"""CNG profiles and dissimilarities, the 2013 baseline, the 2014 ensemble."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.references.cng import reference

from ravenbench import registry
from ravenbench.errors import CorpusError, SpecError
from ravenbench.ext.shelf.calibrators import Linear
from ravenbench.ext.shelf.published.cng_2013 import (
    CNG2013,
    dissimilarities,
    gram_numbers,
    mean_ratios,
    profiles,
)
from ravenbench.ext.shelf.published.jankowska_2014 import Jankowska2014, best_threshold
from ravenbench.testing import check_verifier, toy_problems
from ravenbench.types import Problems
from ravenbench.verifiers.calibrators import apply_band, best_radius
from ravenbench.verifiers.contract.base import as_verifier
from small_run import few

texts = st.text(alphabet="abΩ𝄞 ", min_size=0, max_size=60)


def points(text: str) -> np.ndarray:
    return np.array([ord(c) for c in text], dtype=np.int64)


def measure(a: str, b: str, n: int, size: int) -> float:
    found = profiles(gram_numbers([points(a), points(b)], n))
    return float(dissimilarities(found, np.array([0]), np.array([1]), np.array([size]))[0, 0])


def test_dissimilarity_by_hand() -> None:
    # aab: a 2/3, b 1/3. abb: a 1/3, b 2/3. Each: ((1/3) / (1/2))² = 4/9.
    assert measure("aab", "abb", 1, 10) == pytest.approx(8 / 9)
    # Profiles of one: {a} and {b}, each one-sided, 4 a gram.
    assert measure("aab", "abb", 1, 1) == 8.0
    # A tie at the border goes to the first in order: {a} and {a}, 1/2 against 1/3.
    assert measure("ba", "bac", 1, 1) == pytest.approx(((1 / 2 - 1 / 3) / (5 / 12)) ** 2)
    assert measure("", "ab", 1, 5) == 8.0
    assert measure("ab", "ab", 2, 5) == 0.0


@given(texts, texts, st.integers(1, 5), st.integers(1, 12))
@settings(max_examples=60, deadline=None)
def test_kernel_equals_definition(a: str, b: str, n: int, size: int) -> None:
    grams = [[text[i : i + n] for i in range(len(text) - n + 1)] for text in (a, b)]
    value = measure(a, b, n, size)
    assert value == pytest.approx(reference(*grams, size), abs=1e-9)
    assert value == measure(b, a, n, size)
    assert 0 <= value <= 8 * size


def test_gram_numbers_stay_within_their_text_and_sort_like_grams() -> None:
    words = ["abab", "b", "ba"]
    numbers = gram_numbers([points(word) for word in words], 2)
    assert [len(part) for part in numbers] == [3, 0, 1]
    ab, ba = numbers[0][0], numbers[0][1]
    assert numbers[0].tolist() == [ab, ba, ab] and numbers[2].tolist() == [ba] and ab < ba


def test_mean_ratio_by_hand() -> None:
    # D(known) = 8 between aaaa and bbbb; the questioned text is one of them.
    problems = Problems.of(
        [("p", ["aaaa", "bbbb"], "aaaa"), ("q", ["aaaabbbb"], "aaaabbbb"), ("r", ["ab"], "x")]
    )
    found = mean_ratios(problems, "char", (1,), (5,))[:, 0]
    # r = 0/8 and 8/8. One text: halves aaaa and bbbb; each against 1/2, 1/2: a (½ / ¾)² = 4/9, b 4.
    assert found[0] == pytest.approx(0.5)
    assert found[1] == pytest.approx((4 / 9 + 4) / 8)
    assert np.isnan(found[2])


def test_word_ratios_see_words() -> None:
    problems = Problems.of([("p", ["Tree tree tree", "sea sea sea"], "tree TREE tree")])
    assert mean_ratios(problems, "word", (1, 2), (5,))[0] == pytest.approx([0.5, 0.5])


def test_linear() -> None:
    linear = Linear(theta=1.0, width=0.1).fit(np.zeros(2), np.array([True, False]))
    answers = linear.transform(
        -np.array([0.5, 0.95, 1.0, np.nextafter(1.0, 2.0), 1.05, 3.0, np.nan])
    )
    assert answers[[0, 5, 6]].tolist() == [1.0, 0.0, 0.5]
    assert answers[[1, 4]] == pytest.approx([0.75, 0.25])
    assert answers[2] > 0.5 > answers[3]
    with pytest.raises(SpecError):
        Linear(width=0).fit(np.zeros(2), np.array([True, False]))


def test_band_maximises_c_at_1() -> None:
    same = np.array([True, False, True, False])
    # A wrong answer near the middle: leaving it out gives 3/4 · 5/4 = .9375 instead of .75.
    answers = np.array([0.9, 0.1, 0.48, 0.2])
    radius = best_radius(answers, same)
    assert apply_band(answers, radius).tolist() == [0.9, 0.1, 0.5, 0.2]
    assert best_radius(np.array([0.9, 0.1, 0.52, 0.2]), same) == 0.0


def test_best_threshold() -> None:
    distance = np.array([0.8, 0.9, 1.1, 1.2, np.nan])
    assert best_threshold(distance, np.array([True, True, False, False, True])) == pytest.approx(
        1.0
    )
    assert best_threshold(np.array([1.0, 1.0]), np.array([True, False])) < 1.0
    assert best_threshold(np.array([np.nan]), np.array([True])) == 1.0


@pytest.mark.parametrize("known", [1, 3])
@pytest.mark.parametrize(
    "spec", ["cng-2013", "cng-2013(n=3, size=100)", "jankowska-2014(chars=(3, 5), sizes=(200,))"]
)
def test_contract(spec: str, known: int) -> None:
    check_verifier(registry.parse("verifier", spec), known=known, problems=few(known))


def test_ensemble_learns_thresholds_and_members() -> None:
    train, same = toy_problems(40, 2, seed=3)
    fitted = Jankowska2014(chars=(2, 3), words=(1,), sizes=(50, 100), most=3).fit(train, same)
    assert 1 <= len(fitted.members_) <= 3 and fitted.theta_.shape == (2, 6)
    assert ((fitted.verify(train.blind()) > 0.5) == same).mean() > 0.7
    with pytest.raises(CorpusError):
        Jankowska2014().fit(train, np.ones(len(train), dtype=bool))


def test_odd_texts() -> None:
    train, same = toy_problems(30, 1, seed=4)
    odd = Problems.of(
        [
            ("empty", [""], ""),
            ("one-word", ["λόγος"], "λόγος"),
            (
                "greek",
                ["Ἐν ἀρχῇ ἦν ὁ λόγος, καὶ ὁ λόγος ἦν πρὸς τὸν θεόν " * 9],
                "Μῆνιν ἄειδε θεὰ Πηληϊάδεω " * 9,
            ),
            (
                "identical",
                ["Het regent vandaag in de stad. " * 20],
                "Het regent vandaag in de stad. " * 20,
            ),
            (
                "many",
                [f"een tekst nummer {i} van dezelfde hand" * 3 for i in range(60)],
                "nog een tekst " * 9,
            ),
        ]
    )
    for verifier in (CNG2013(), Jankowska2014(chars=(3,), words=(1,), sizes=(200,))):
        answers = as_verifier(verifier).fit(train, same).verify(odd)
        assert ((answers >= 0) & (answers <= 1)).all() and answers[0] == 0.5
