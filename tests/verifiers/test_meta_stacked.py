"""Combinations of verifiers."""

from __future__ import annotations

import numpy as np
import pytest

from ravenbench import registry
from ravenbench.errors import CorpusError, SpecError
from ravenbench.ext.shelf.published.cng_2013 import CNG2013
from ravenbench.ext.shelf.published.impostors import Impostors
from ravenbench.metrics.calibration import newton
from ravenbench.testing import check_verifier, toy_problems
from ravenbench.verifiers.combinations import Meta, Stacked, log_odds, weights
from ravenbench.verifiers.contract.base import as_verifier
from ravenbench.verifiers.contract.folds import remove_fold_effect
from small_run import few

MEMBERS = "[cng-2013(n=3, size=100), impostors(units='char3', iterations=4)]"


@pytest.mark.parametrize("known", [1, 3])
@pytest.mark.parametrize(
    "spec", [f"meta(members={MEMBERS})", f"stacked(members={MEMBERS}, folds=3, band=True)"]
)
def test_contract(spec: str, known: int) -> None:
    check_verifier(registry.parse("verifier", spec), known=known, problems=few(known))


def test_meta_is_the_plain_mean() -> None:
    train, same = toy_problems(24, 1, seed=1)
    test, _ = toy_problems(10, 1, seed=2)
    members = [CNG2013(n=3, size=100), Impostors(units="char3", iterations=10)]
    each = [as_verifier(m).fit(train, same).verify(test) for m in members]
    assert np.allclose(Meta(members).fit(train, same).verify(test), np.mean(each, axis=0), atol=0)


def test_band_is_learned_out_of_fold() -> None:
    train, same = toy_problems(30, 1, seed=3)
    meta = Meta([CNG2013(n=3, size=100)], band=True).fit(train, same)
    answers = meta.verify(train.blind())
    assert 0 <= meta.radius_ <= 0.1 and meta.provenance == "ours"
    assert not ((np.abs(answers - 0.5) <= meta.radius_) & (answers != 0.5)).any()


def test_stacking_prefers_the_better_member() -> None:
    train, same = toy_problems(60, 1, seed=4)
    members = [Impostors(units="char3", iterations=30), CNG2013(n=1, size=1)]
    weights = Stacked(members, folds=3).fit(train, same).coef_
    assert weights[0] > abs(weights[1])


def test_weights_are_those_of_a_ridge_regression_where_no_bound_is_met() -> None:
    rng = np.random.default_rng(5)
    odds = rng.normal(size=(300, 3))
    same = odds @ [1.0, 0.5, 0.8] + rng.logistic(size=300) > 0
    coef, intercept = weights(odds, same, C=0.1)
    free = newton(odds, same, np.full(300, 0.1), 1.0, np.full(3, 1 / 3))
    assert np.append(coef, intercept) == pytest.approx(free, abs=1e-5)


def test_a_member_that_seems_wrong_out_of_fold_is_left_aside_and_never_turned_round() -> None:
    rng = np.random.default_rng(6)
    same = rng.random(400) < 0.5
    odds = np.column_stack(
        [np.where(same, 1, -1) + rng.normal(size=400), np.where(same, -1, 1) + rng.normal(size=400)]
    )
    coef, _ = weights(odds, same, C=0.1)
    assert coef[0] > 1 and coef[1] == 0
    both, _ = weights(odds[:, [1, 1]], same, C=0.1)
    assert (both == 0).all()


def test_a_fold_that_answers_higher_as_a_whole_does_not_turn_a_member_round() -> None:
    rng = np.random.default_rng(7)
    fold = rng.integers(0, 2, 400)
    same = rng.random(400) < np.where(fold == 1, 0.1, 0.7)
    odds = (np.where(same, 1, -1) + 3 * fold + 0.5 * rng.normal(size=400))[:, None]
    assert weights(odds, same, C=0.1)[0][0] < 0.2
    level = remove_fold_effect(odds, fold, same)
    assert weights(level, same, C=0.1)[0][0] > 1
    assert level.mean() == pytest.approx(odds.mean())
    assert np.ptp((odds - level)[fold == 0]) == pytest.approx(0, abs=1e-12)


@pytest.mark.filterwarnings("error")
def test_nothing_answered_out_of_fold_is_one_clear_error() -> None:
    none = remove_fold_effect(
        np.empty((0, 2)), np.empty(0, dtype=np.int64), np.empty(0, dtype=bool)
    )
    with pytest.raises(CorpusError, match="stacked cannot learn from one class"):
        weights(none, np.empty(0, dtype=bool), 0.1)


def test_log_odds_are_bounded() -> None:
    assert log_odds(np.array([0.0, 0.5, 1.0])) == pytest.approx([-np.log(99), 0.0, np.log(99)])


def test_no_members() -> None:
    train, same = toy_problems(10, 1)
    with pytest.raises(SpecError):
        Meta([]).fit(train, same)
