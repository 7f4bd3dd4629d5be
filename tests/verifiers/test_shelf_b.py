"""Historical verifiers by hand-computed cases and against the contract."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from ravenbench import registry
from ravenbench.errors import SpecError
from ravenbench.testing import check_verifier, toy_problems
from ravenbench.verifiers import spatium_2015 as spatium

SHELF = ["spatium-2015"]


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


def test_bad_parameters_are_named():
    train, same = toy_problems(8)
    with pytest.raises(SpecError, match="positive"):
        registry.parse("verifier", "spatium-2015(rounds=0)").fit(train, same)
