"""Historical verifiers by hand-computed cases and against the contract."""

from __future__ import annotations

import zlib
from collections import Counter

import numpy as np
import pytest

from ravenbench import registry
from ravenbench.errors import SpecError
from ravenbench.testing import check_verifier, toy_problems
from ravenbench.verifiers import glad_2015_features as glad
from ravenbench.verifiers import spatium_2015 as spatium

SHELF = ["spatium-2015", "glad-2015"]


@pytest.mark.parametrize("known", [1, 3])
@pytest.mark.parametrize("spec", SHELF)
def test_contract(spec, known):
    check_verifier(registry.parse("verifier", spec), known=known)


def test_spatium_leaves_out_ties_at_the_cut():
    counts = Counter("aaabbbccd")
    assert spatium.frequent_untied(counts, 3) == ["a", "b", "c"]
    assert spatium.frequent_untied(counts, 1) == []
    assert spatium.frequent_untied(counts, 9) == ["a", "b", "c", "d"]
    assert spatium.frequencies(counts, ["c", "x"]).tolist() == pytest.approx([2000 / 9, 0])


def test_spatium_ratio_and_answers_by_hand():
    assert spatium.ratio(100, 150) == 1.5
    assert spatium.ratio(100, 102) == 1 == spatium.ratio(0, 0)
    assert spatium.ratio(0, 50) == 50
    found = spatium.answers(np.array([0.5, 0.98, 1.0, 1.5, 9.0, np.nan]), 2.0)
    assert found.tolist() == pytest.approx([0.25, 0.5, 0.5, 0.5 + 0.25 / 1.05, 1, 0.5])


def test_glad_compression_ratio_by_hand():
    x, y = "abcd" * 50, "dcba" * 25
    rate = {text: len(zlib.compress(text.encode())) / len(text) for text in (x, y, x + y)}
    found = glad.compression_ratio(glad.reading(x), glad.reading(y))
    assert found == pytest.approx((rate[x] + rate[y]) / rate[x + y])


def test_glad_features_by_hand():
    row = dict(zip(glad.FEATURES, glad.pair_features(glad.reading("aab. B!"), glad.reading("aab. B!")), strict=True))
    assert len(row) == 24
    # Seven characters: a twice, b, ".", " ", "B", "!" once each.
    assert row["known entropy"] == pytest.approx(-(2 / 7) * np.log2(2 / 7) - (5 / 7) * np.log2(1 / 7))
    assert row["joint entropy"] == row["known entropy"]
    assert row["known sentence length"] == 1
    assert row["dissimilarity 3"] == 0 and row["overlap 1"] == 6 / 100 and row["overlap 5"] == 3 / 500
    assert row["token cosine"] == pytest.approx(1) and row["case difference"] == row["block difference"] == 0
    other = dict(zip(glad.FEATURES, glad.pair_features(glad.reading("aab."), glad.reading("xyz?")), strict=True))
    assert other["dissimilarity 1"] == 4 * (3 + 4) and other["overlap 1"] == other["punctuation cosine"] == 0


def test_bad_parameters_are_named():
    train, same = toy_problems(8)
    with pytest.raises(SpecError, match="positive"):
        registry.parse("verifier", "spatium-2015(rounds=0)").fit(train, same)
