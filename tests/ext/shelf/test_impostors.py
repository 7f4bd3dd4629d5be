"""The impostors' kernels, contests and component."""

from __future__ import annotations

import re
from dataclasses import replace
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from tests.references.minmax import reference

from ravenbench import registry
from ravenbench.errors import CorpusError, SpecError
from ravenbench.ext.shelf.published.impostor_spaces import ImpostorSpace, parse_units
from ravenbench.ext.shelf.published.impostors import VARIANTS, Background, Impostors
from ravenbench.testing import check_verifier, toy_problems
from ravenbench.text.minmax import (
    Measure,
    Vectors,
    draw_impostors,
    drawn,
    graded,
    norms,
    similarities,
    subset_masks,
)
from ravenbench.text.tokens import normalised
from ravenbench.texts import TextTable
from ravenbench.types import Problems
from small_run import few


def table(dense: np.ndarray, masks: np.ndarray, measure: Measure) -> np.ndarray:
    vectors = Vectors.of(dense)
    size = norms(vectors, masks, measure)
    rows = np.arange(1, len(dense))
    return similarities(vectors.dense(0), size[0], vectors, size, rows, masks, measure)


def test_minmax_and_cosine_by_hand() -> None:
    dense = np.array([[1.0, 2.0, 0.0, 3.0], [2.0, 1.0, 1.0, 0.0]])
    masks = np.array([[1, 1], [1, 1], [1, 0], [1, 0]], dtype=np.float32)
    # All features: min 1 + 1, max 2 + 2 + 1 + 3. The first two: min 2, max 4.
    assert table(dense, masks, "minmax")[0].tolist() == [0.25, 0.5]
    assert_allclose(table(dense, masks, "cosine")[0], [4 / np.sqrt(14 * 6), 4 / 5])


@given(st.integers(0, 2**32 - 1), st.sampled_from(["minmax", "cosine"]))
@settings(max_examples=25, deadline=None)
def test_kernel_equals_definition(seed: int, measure: Measure) -> None:
    rng = np.random.default_rng(seed)
    dense = np.where(rng.random((4, 12)) < 0.5, rng.random((4, 12)), 0.0)
    masks = subset_masks(12, 5, 0.5, rng)
    assert (masks.sum(axis=0) == 6).all()
    expected = [
        [reference(dense[0], dense[i], masks[:, t] > 0, measure) for t in range(5)]
        for i in (1, 2, 3)
    ]
    assert_allclose(table(dense, masks, measure), expected, atol=1e-12)


PAIR = np.array([0.5, 0.5])
ONE = np.array([[0.4, 0.6], [0.1, 0.2], [0.3, 0.5]])
OTHER = np.array([[0.2, 0.2], [0.5, 0.3], [0.1, 0.9]])
DRAWS = np.array([[0, 1], [1, 2]])


def test_contests_by_hand() -> None:
    # Drawn: ONE .4 .1 | .2 .5 and OTHER .2 .5 | .3 .9.
    one, other = (drawn(side, DRAWS).max(axis=1) for side in (ONE, OTHER))
    assert one.tolist() == [0.4, 0.5] and other.tolist() == [0.5, 0.9]
    assert graded(PAIR, one * other) == pytest.approx((0.25 / 0.2 + 0.25 / 0.45) / 2)
    assert np.isnan(graded(PAIR, one * 0))


def test_draws_are_without_replacement() -> None:
    draws = draw_impostors(10, 4, 50, np.random.default_rng(0))
    assert draws.shape == (50, 4) and all(len(set(row)) == 4 for row in draws.tolist())
    assert np.unique(draws).tolist() == list(range(10))
    assert draw_impostors(3, 25, 2, np.random.default_rng(0)).shape == (2, 3)


def test_background_keeps_authors_apart() -> None:
    problems = Problems.of(
        [
            ("a", ["a one", "a two"], "a  three\n"),
            ("b", ["b one"], "c one"),
            ("d", ["a three"], "d one"),
        ]
    )
    background = Background(100, 0).fit(problems, np.array([True, False, False]))
    names = [background.texts_[i] for i in background.allowed(["a two"])]
    # "a three" is known to be a's, by way of the copy that differs in white space.
    assert names == ["b one", "c one", "d one"]
    assert len(background.allowed(["unheard of"])) == len(background.texts_) == 6
    with pytest.raises(CorpusError):
        Background(100, 0).fit(problems.select([0]), np.array([True]))


def test_space_families() -> None:
    text = normalised("﻿The  cat,\n the 12 Dogs")
    assert text == "The cat, the 12 Dogs"
    space = ImpostorSpace("char2 word1 shape2", 100, "tf").fit([text])
    names = {family: names for family, _, names in space.vocabulary_}
    assert len(names["char"]) == len({text.lower()[i : i + 2] for i in range(len(text) - 1)})
    vectors = space.vectors(space.read([text, "", "DOGS"], space.forest()), np.arange(3), 1000)
    whole = vectors.dense(0)
    # Every family sums to 1; of 6 tokens "the" is 2; forms are C c , c N C.
    assert whole.sum() == pytest.approx(3)
    assert whole[len(names["char"]) :].max() == pytest.approx(2 / 6)
    assert vectors.dense(1).sum() == 0 and len(names["shape"]) == 5
    cut = space.vectors(space.read([text], space.forest()), np.array([0]), len("The cat,")).dense(0)
    assert np.count_nonzero(cut[len(names["char"]) :][: len(names["word"])]) == 3
    assert parse_units("char2-3 word1") == [("char", 2), ("char", 3), ("word", 1)]
    for wrong in ("", "char", "char0", "char5-2", "pos1"):
        with pytest.raises(SpecError):
            parse_units(wrong)


@pytest.mark.parametrize("known", [1, 3])
@pytest.mark.parametrize("variant", VARIANTS)
def test_contract(variant: str, known: int) -> None:
    units = "char3 word1 function2 shape2" if variant == "khonji-iraqi" else "char3"
    spec = f"impostors(variant={variant!r}, units={units!r}, iterations=16, candidates=20)"
    check_verifier(registry.parse("verifier", spec), known=known, problems=few(known))


@pytest.mark.parametrize("variant", VARIANTS)
def test_tells_authors_apart(variant: str) -> None:
    train, same = toy_problems(40, 2, seed=5)
    test, truth = toy_problems(40, 2, seed=5)
    scores = (
        Impostors(variant=variant, units="char3", measure="minmax")
        .fit(train, same)
        .score(test.blind())
    )
    assert scores[truth].mean() > scores[~truth].mean()


def test_rewritten_twins_share_draws_and_ids_decide() -> None:
    train, same = toy_problems(20, 1, seed=6)
    test, _ = toy_problems(4, 1, seed=7)
    fitted = Impostors(units="char3", iterations=20, candidates=20, draw=3).fit(train, same)
    again = Problems.pairs(
        test.texts, test.known_index, test.questioned_index, ids=test.ids.tolist()
    )
    assert np.array_equal(fitted.score(test), fitted.score(again))
    renamed = Problems.pairs(
        test.texts, test.known_index, test.questioned_index, ids=["w", "x", "y", "z"]
    )
    assert not np.array_equal(fitted.score(test), fitted.score(renamed))


def test_odd_texts_are_unanswered_or_scored() -> None:
    train, same = toy_problems(30, 1, seed=8)
    odd = Problems.of(
        [
            ("empty", [""], ""),
            ("half", ["", "ka re mi to su no " * 20], "ka re mi to " * 30),
            ("word", ["kare"], "kare"),
            ("greek", ["Ἐν ἀρχῇ ἦν ὁ λόγος " * 30], "Μῆνιν ἄειδε θεὰ " * 30),
        ]
    )
    for variant in VARIANTS:
        scores = (
            Impostors(variant=variant, units="char3 word1", size=500).fit(train, same).score(odd)
        )
        assert np.isnan(scores[[0, 3]]).all() and np.isfinite(scores[1])


def test_bad_parameters() -> None:
    train, same = toy_problems(10, 1)
    for wrong in (
        {"variant": "koppel"},
        {"share": 0.0},
        {"draw": 0},
        {"units": "pos3"},
        {"measure": "euclid"},
    ):
        with pytest.raises(SpecError):
            Impostors(**wrong).fit(train, same)


def test_token_forms_beyond_the_code_points_left_are_the_rarest(monkeypatch):
    from ravenbench.ext.shelf.published import impostor_spaces

    monkeypatch.setattr(impostor_spaces, "_SYMBOLS", 4)
    texts = ["often rare1x", "often also", "often also rare2x", "also often"]
    space = ImpostorSpace("word1", 50).fit(texts)
    assert len(space.symbols_) == 4 and {"often", "also", "*"} <= set(space.symbols_)
    vectors = space.vectors(space.read(texts, space.forest()), np.arange(4), 1000)
    assert len(vectors) == 4 and np.diff(vectors.bounds).tolist() == [2, 2, 3, 2]


SYLLABLE = re.compile("[a-z]{2}", re.IGNORECASE)


def chinese(seed: int) -> Problems:
    """Toy problems with a Chinese character for each syllable."""
    toys, _ = toy_problems(30, known=2, words=24, seed=seed)
    signs = [
        "".join(chr(0x4E00 + crc32(part.encode()) % 5000) for part in SYLLABLE.findall(t))
        for t in toys.texts
    ]
    return replace(toys, texts=TextTable.collect(signs)[0])


def test_texts_whose_characters_are_words_have_features() -> None:
    train, same, test = chinese(3), toy_problems(30, known=2, words=24, seed=3)[1], chinese(4)
    assert np.isnan(Impostors(units="char5").fit(train, same).score(test)).any()
    assert np.isfinite(Impostors().fit(train, same).score(test)).all()
