"""Any verifier through any mask, and the option that puts all verifiers of a run behind one."""

from __future__ import annotations

import numpy as np
import pytest

from ravenbench import registry
from ravenbench.errors import SpecError
from ravenbench.tasks.run.spec import build
from ravenbench.testing import check_verifier, toy_problems
from ravenbench.text.masks import Distortion
from ravenbench.verifiers.contract.base import as_verifier
from small_run import few


@pytest.mark.parametrize(
    "spec",
    [
        "masked(char-ngram, distortion('sa', k=50))",
        "masked(spatium-2015, frequency-mask(k=50))",
        "masked(lambdag(references=3, correction='hapax'), frequency-mask(k=50))",
    ],
)
def test_it_keeps_the_contract(spec):
    check_verifier(registry.parse("verifier", spec), problems=few())


def test_the_inner_verifier_sees_masked_texts_only():
    train, same = toy_problems(30, words=60)
    test, _ = toy_problems(8, words=60, seed=1)
    inner, mask = registry.parse("verifier", "spatium-2015"), Distortion("sa", k=20)
    fitted = mask.fit(train.texts.rows(train.documents))
    expected = inner.fit(train.map_texts(fitted), same).verify(test.map_texts(fitted))
    found = registry.parse("verifier", "masked(spatium-2015, distortion('sa', k=20))").fit(
        train, same
    )
    assert np.array_equal(found.verify(test), expected)


def test_masking_equals_distorting_where_both_can():
    train, same = toy_problems(30, words=60)
    test, _ = toy_problems(8, words=60, seed=1)
    one, other = (
        as_verifier(registry.parse("verifier", spec)).fit(train, same).verify(test)
        for spec in (
            "masked(function-words, distortion('sa', k=20))",
            "distorted(function-words, 'sa', k=20)",
        )
    )
    # The one learns its mask once; the other anew in each fold of calibration.
    np.testing.assert_allclose(one, other, atol=0.2)


@pytest.mark.parametrize(
    "spec", ["masked(ppm, length)", "masked(ppm, logistic)", "masked(distortion, frequency-mask)"]
)
def test_what_does_not_fit_together_is_refused(spec):
    with pytest.raises(SpecError, match=r"masked\("):
        train, same = toy_problems(10)
        registry.parse("verifier", spec).fit(train, same)


def test_a_run_reads_through_its_mask():
    spec = build(
        {
            "verifiers": "char-ngram, mine",
            "aliases": {"mine": "ppm"},
            "normalise": "frequency-mask(k=9)",
        }
    )
    assert {name: str(c) for name, c in spec.named_verifiers().items()} == {
        "masked(char-ngram, frequency-mask(k=9))": "masked(char-ngram, frequency-mask(k=9))",
        "mine": "masked(ppm, frequency-mask(k=9))",
    }
    with pytest.raises(SpecError, match="unknown transform 'posnoize'"):
        build({"normalise": "posnoize"}).named_verifiers()
