"""The PPM verifier keeps the contract; its features are those of PAN."""

from __future__ import annotations

import numpy as np
import pytest
from tests.references.ppm import cross_entropy, model

from ravenbench.errors import SpecError
from ravenbench.testing import check_verifier, toy_problems
from ravenbench.types import Problems
from ravenbench.verifiers.baselines import PPM
from ravenbench.verifiers.contract.base import as_verifier
from small_run import few


@pytest.mark.parametrize("scorer", [PPM(), PPM(features="raw"), PPM(order=2, escape="C")])
@pytest.mark.parametrize("known", [1, 3])
def test_contract(scorer, known):
    check_verifier(scorer, known=known, problems=few(known))


def test_features():
    problems = Problems.of(
        [("a", ["the cat sat"], "the dog sat on"), ("b", ["the cat sat", "on the mat"], "a cat")]
    )
    one, two = "the cat sat", "the dog sat on"
    h1, h2 = cross_entropy(model(one), two), cross_entropy(model(two), one)
    raw = PPM(features="raw").score(problems)
    assert raw[0] == pytest.approx([h1, h2], abs=1e-9)
    assert PPM().score(problems)[0] == pytest.approx([(h1 + h2) / 2, abs(h1 - h2)], abs=1e-9)
    each = [cross_entropy(model(k), "a cat") for k in ("the cat sat", "on the mat")]
    assert raw[1, 0] == pytest.approx(np.mean(each), abs=1e-9)
    assert PPM().symmetric and not PPM(features="raw").symmetric


def test_it_learns_and_leaves_empty_texts_unanswered():
    train, same = toy_problems(60, seed=1)
    test, truth = toy_problems(40, seed=2)
    verifier = as_verifier(PPM()).fit(train, same)
    answers = verifier.verify(test)
    assert answers[truth].mean() > answers[~truth].mean() + 0.05
    empty = Problems.of(
        [("e", [""], "some text"), ("f", ["some text"], ""), ("g", ["some text"], "some text")]
    )
    answers = verifier.verify(empty)
    assert answers[:2].tolist() == [0.5, 0.5] and answers[2] > 0.5


@pytest.mark.parametrize("wrong", [{"features": "both"}, {"order": 9}, {"escape": "D"}])
def test_wrong_options(wrong):
    with pytest.raises(SpecError, match=f"ppm: {next(iter(wrong))} must be"):
        PPM(**wrong)
