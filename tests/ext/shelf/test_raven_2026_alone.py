"""A scorer or verifier used by itself, as a scikit-learn estimator is."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from ravenbench import registry
from ravenbench.errors import MissingPart, SpecError
from ravenbench.testing import check_verifier, toy_problems
from ravenbench.verifiers.baselines import Chance, CharNgram
from ravenbench.verifiers.calibrators import Logistic
from ravenbench.verifiers.contract.base import Calibrated, Scorer

NEEDS = {
    "calibrated": "(length)",
    "distorted": "(length)",
    "masked": "(length, frequency-mask)",
    "meta": "([length])",
    "stacked": "([length])",
}
NEEDS |= {
    "command": "('true')",
    "estimator": "(sklearn.dummy:DummyClassifier)",
}


def test_three_lines_give_answers():
    problems, same = toy_problems(40)
    verifier = Calibrated(CharNgram(n=3), Logistic()).fit(problems, same)
    assert verifier.verify(problems.blind()).shape == (40,)


@pytest.mark.parametrize("name", sorted(registry.names("verifier")))
def test_every_verifier_has_scikit_learns_manners(name):
    try:
        one = registry.parse("verifier", name + NEEDS.get(name, ""))
    except MissingPart as error:
        pytest.skip(str(error))
    copy = clone(one)
    assert (
        copy is not one
        and copy == one
        and copy.get_params(deep=False).keys() == one._parameters().keys()
    )
    assert copy.set_params(**one.get_params(deep=False)) is copy and copy == one
    assert not [key for key in vars(one) if key.endswith("_")]
    with pytest.raises(SpecError, match="has no parameter"):
        copy.set_params(no_such_parameter=1)
    with pytest.raises(NotFittedError, match="call fit first"):
        _ = one.learned_


def test_what_is_not_learned_state_is_missing_as_usual():
    with pytest.raises(AttributeError, match="no attribute 'tfidf'"):
        _ = CharNgram().tfidf
    assert not hasattr(CharNgram(), "tfidf_") and not hasattr(CharNgram(), "_private_")


class Careless(Scorer):
    """Answers before it has learned anything."""

    def fit(self, problems, same):
        self.seen_ = len(problems)
        return self

    def score(self, problems):
        seen = vars(self).get("seen_", 0)
        return np.linspace(0, 1, len(problems)) + seen

    def default_calibrator(self):
        return Logistic()


def test_answers_before_fit_are_refused_unless_nothing_is_learned():
    check_verifier(Chance())
    with pytest.raises(AssertionError, match="NotFittedError"):
        check_verifier(Careless())
