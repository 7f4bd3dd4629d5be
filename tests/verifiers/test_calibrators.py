"""Calibrators: monotone, right at the ends, exact on the grid, honest about what they cannot learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from tests.references.threshold_band import best_band_reference

from ravenbench import registry
from ravenbench.errors import CorpusError, SpecError
from ravenbench.ext.shelf.calibrators import Isotonic
from ravenbench.randomness import stream
from ravenbench.testing import check_component
from ravenbench.verifiers.calibrators import (
    THRESHOLDS,
    Logistic,
    ThresholdBand,
    best_band,
    overall_of_bands,
    rescale,
)


def sample(n=400, seed=0):
    rng = stream(seed, "test-calibrators")
    same = rng.random(n) < 0.4
    return np.clip(rng.normal(0.4 + 0.2 * same, 0.2), 0, 1), same


@pytest.mark.parametrize(
    "calibrator", [ThresholdBand(metrics=5), Logistic(prior=0.2), Isotonic(), Logistic()]
)
def test_a_component(calibrator):
    check_component("calibrator", calibrator)


def test_the_band_is_monotone_with_the_published_ends():
    s = np.array([0.0, 0.3, 0.300001, 0.5, 0.699999, 0.7, 1.0])
    assert rescale(s, 0.3, 0.7).tolist() == pytest.approx(
        [0, 0.49, 0.5, 0.5, 0.5, 0.51, 1], abs=1e-15
    )
    assert rescale(np.array([-3.0, 7.0]), 0.3, 0.7).tolist() == [0, 1]
    for p1, p2 in ((0.01, 0.02), (0.97, 0.98), (0.01, 0.98)):
        values = rescale(np.linspace(-0.1, 1.1, 5001), p1, p2)
        assert (np.diff(values) >= 0).all() and values.max() <= 1
        between = (values > 0.49) & (values < 0.51)
        assert (values[between] == 0.5).all()


# Each example runs the plain loop over 4,753 combinations.
@settings(max_examples=3, deadline=None)
@given(st.data(), st.sampled_from([4, 5]))
def test_the_grid_finds_what_the_plain_loop_finds(data, metrics):
    n = data.draw(st.integers(2, 60))
    scores = np.array(data.draw(st.lists(st.integers(-20, 1020), min_size=n, max_size=n))) / 1000
    same = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    same[:2] = [True, False]
    assert best_band(scores, same, metrics) == pytest.approx(
        best_band_reference(scores, same, metrics), abs=2e-12
    )


@settings(max_examples=100, deadline=None)
@given(st.data(), st.sampled_from([4, 5]))
def test_single_bands_score_as_calibrated_answers_do(data, metrics):
    from sklearn.metrics import roc_auc_score

    n = data.draw(st.integers(2, 40))
    scores = np.array(data.draw(st.lists(st.integers(0, 100), min_size=n, max_size=n))) / 100
    same = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    same[:2] = [True, False]
    i = data.draw(st.integers(0, 96))
    j = data.draw(st.integers(i + 1, 97))
    v = rescale(scores, THRESHOLDS[i], THRESHOLDS[j])
    tp, fp = ((v > 0.5) & same).sum(), ((v > 0.5) & ~same).sum()
    fn, tn = ((v < 0.5) & same).sum(), ((v < 0.5) & ~same).sum()
    u = n - tp - fp - fn - tn
    wanted = roc_auc_score(same, v) + (tp + tn) * (1 + u / n) / n
    wanted += 1.25 * tp / max(1.25 * tp + 0.25 * (fn + u) + fp, 1e-300) + 2 * tp / max(
        2 * tp + fp + fn, 1e-300
    )
    wanted += 1 - np.mean((v - same) ** 2) if metrics == 5 else 0
    assert overall_of_bands(scores, same, metrics)[i, j] == pytest.approx(
        wanted / metrics, abs=1e-12
    )


def test_the_grid_says_when_there_is_too_little():
    scores, same = sample(90)
    band = ThresholdBand().fit(scores, same)
    assert band.fallback_ is not None and f"{same.sum()} same-author" in band.fallback_
    assert np.array_equal(band.transform(scores), Logistic().fit(scores, same).transform(scores))
    with pytest.raises(CorpusError, match="too few calibration problems"):
        ThresholdBand(fallback=False).fit(scores, same)
    scores, same = sample(400)
    band.fit(scores, same)
    assert band.fallback_ is None and band.p1_ < band.p2_
    assert band.overall_ >= overall_of_bands(scores, same)[40, 60]


@pytest.mark.parametrize(
    "calibrator", [ThresholdBand(), Logistic(), Logistic(radius=0), Isotonic()]
)
def test_answers_rise_with_scores_and_stay_in_range(calibrator):
    scores, same = sample()
    calibrator.fit(scores, same)
    answers = calibrator.transform(np.linspace(-0.5, 1.5, 4001))
    assert (np.diff(answers) >= 0).all() and answers.min() >= 0 and answers.max() <= 1
    assert answers[0] < 0.5 < answers[-1]


@pytest.mark.parametrize("name", sorted(registry.names("calibrator")))
def test_what_a_scorer_cannot_tell_is_left_unanswered_and_not_learned_from(name):
    """For every calibrator there is, the one that a scorer has by default among them."""
    calibrator = registry.parse("calibrator", name)
    scores, same = sample()
    plain = calibrator.fit(scores, same).transform(scores)
    holes = np.append(scores, np.nan)
    again = calibrator.fit(holes, np.append(same, True)).transform(holes)
    # Folds of a calibrator's own cross-validation depend on how many problems there are.
    assert again[-1] == 0.5 and (name == "banded" or np.array_equal(again[:-1], plain))
    assert again[:-1] == pytest.approx(plain, abs=0.1)
    if name not in ("linear", "log-odds"):  # these learn nothing from the truth
        with pytest.raises(CorpusError, match="one class"):
            calibrator.fit(scores, np.ones(len(scores), dtype=bool))


def test_logistic_radius_prior_and_features():
    scores, same = sample()
    narrow, wide = (Logistic(radius=r).fit(scores, same).transform(scores) for r in (0, 0.1))
    assert (narrow != 0.5).all()
    assert np.array_equal(wide == 0.5, np.abs(narrow - 0.5) <= 0.1)
    shifted = Logistic(prior=0.9).fit(scores, same)
    assert shifted.intercept_ > Logistic().fit(scores, same).intercept_
    both = Logistic().fit(np.stack([scores, -scores], axis=1), same)
    assert both.coef_.shape == (2,) and both.coef_[0] == pytest.approx(-both.coef_[1])
    for wrong in ({"radius": 0.5}, {"C": 0}, {"prior": 1.0}):
        with pytest.raises(SpecError, match="must be"):
            Logistic(**wrong)
    with pytest.raises(SpecError, match="single score"):
        Isotonic().fit(np.stack([scores, scores], axis=1), same)


@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("scale", [0.01, 1, 30])
def test_logistic_finds_the_minimum_that_scikit_learn_finds(width, scale):
    rng = stream(width, "test-logistic-peer")
    same = rng.random(150) < 0.4
    scores = scale * (rng.normal(size=(150, width)) + same[:, None])
    peer = LogisticRegression(C=2.0, solver="newton-cholesky", tol=1e-13, max_iter=1000).fit(
        scores, same
    )
    ours = Logistic(radius=0, C=2.0).fit(scores, same).transform(scores)
    assert ours == pytest.approx(peer.predict_proba(scores)[:, 1], abs=1e-10)


def test_rounding_makes_no_non_answer():
    model = Logistic(radius=0)
    model.coef_, model.intercept_ = np.ones(1), 0.0
    answers = model.transform(np.array([-1e-300, 0.0, 1e-300]))
    assert answers[0] < 0.5 and answers[1] == 0.5 and answers[2] > 0.5
    lines = Isotonic().fit(np.array([0.0, 1.0]), np.array([False, True]))
    assert lines.transform(np.array([0.5]))[0] > 0.5
    block = Isotonic().fit(np.array([0.0, 1.0, 2.0, 3.0]), np.array([False, True, False, True]))
    assert block.transform(np.array([1.0, 1.5, 2.0])).tolist() == [0.5, 0.5, 0.5]
