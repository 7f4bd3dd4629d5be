"""A blend keeps the contract, mixes what its dose says, and reads any script."""

from __future__ import annotations

import numpy as np
from benchmarks.lab.blend import Blend, mixed

from ravenbench import registry
from ravenbench.testing import check_verifier, toy_problems
from ravenbench.types import Problems
from small_run import few


def test_contract():
    check_verifier(registry.parse("verifier", "blend(dose=0.3)"), problems=few())


def test_a_dose_mixes_style_and_topic():
    problems, same = toy_problems(20)
    blend = Blend(dose=0.3).fit(problems, same)
    parts = blend.standardised(problems)
    assert np.allclose(parts.mean(axis=0), 0) and np.allclose(parts.std(axis=0), 1)
    assert np.allclose(blend.score(problems), 0.7 * parts[:, 0] + 0.3 * parts[:, 1])
    assert np.array_equal(mixed(parts, 0), parts[:, 0]) and np.array_equal(
        mixed(parts, 1), parts[:, 1]
    )


def test_any_script_and_texts_without_words():
    problems, same = toy_problems(20, alphabet=("κα", "ρε", "μι", "το", "σου", "νο", "λα", "βι"))
    odd = [("", "!"), ("Ω", "word"), ("12 13", "да"), ("\n\n", "😀"), ("a a a", "a")]
    test = Problems.of([(f"odd{i}", [a], b) for i, (a, b) in enumerate(odd)])
    assert np.isfinite(Blend(0.3).fit(problems, same).score(test)).all()
    assert np.isfinite(Blend(0.3).fit(test, np.arange(5) > 2).score(problems)).all()
