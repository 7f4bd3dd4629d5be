"""Folds for cross-fitting: nothing is judged by what was learned from its own authors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from ravenbench.ext.shelf.raven.raven_2026 import Raven2026
from ravenbench.testing import toy_problems
from ravenbench.types import Problems
from ravenbench.verifiers.calibrators import Logistic
from ravenbench.verifiers.contract.base import Calibrated, Scorer
from ravenbench.verifiers.contract.folds import calibration_folds, collapsed, out_of_fold


def joined(authors=12, problems=80, seed=0, words=40):
    """Problems among few authors of five documents each, so that all are joined into one group."""
    rng = np.random.default_rng(seed)
    vocabulary = np.array([f"w{i}" for i in range(60)])
    habits = rng.dirichlet(np.full(60, 0.3), authors)
    text = {
        (a, d): " ".join(rng.choice(vocabulary, words, p=habits[a]))
        for a in range(authors)
        for d in range(5)
    }
    rows, same = [], []
    for i in range(problems):
        a, b = rng.choice(authors, 2, replace=False)
        d, e = rng.choice(5, 2, replace=False)
        rows.append((f"p{i}", [text[a, d]], text[(a if i % 2 else b), e]))
        same.append(bool(i % 2))
    return Problems.of(rows), np.array(same)


def test_groups_are_kept_whole_and_are_what_they_were():
    problems, same = toy_problems(30)
    folds = calibration_folds(problems, same, 5)
    assert folds.kind == "groups" and folds.sides is None and collapsed(problems, same) is None
    assert sorted(np.bincount(folds.fold)) == [6] * 5
    assert np.array_equal(folds.rest(2), folds.fold != 2)


def test_where_all_problems_are_joined_authors_are_kept_apart():
    problems, same = joined()
    assert len(np.unique(problems.groups(same))) == 1
    folds = calibration_folds(problems, same, 5)
    assert folds.kind == "authors"
    left, right = problems.writers(same).T
    for f in np.unique(folds.fold):
        out, rest = folds.fold == f, folds.rest(f)
        own = {*left[out], *right[out]}
        assert out.any() and not own & {*left[rest], *right[rest]}
    taught, held = folds.calibration_split(same)
    assert not {*left[held], *right[held]} & {*left[taught], *right[taught]}
    assert 0 < same[held].sum() < held.sum() and 0 < same[taught].sum() < taught.sum()
    said = collapsed(problems, same)
    assert said is not None and "1 group," in said and "80 problems" in said


def test_too_few_authors_are_said_to_be_too_few():
    problems, same = joined(authors=3)
    folds = calibration_folds(problems, same, 5)
    assert folds.kind == "problems" and np.array_equal(folds.rest(0), folds.fold != 0)
    assert "too optimistic" in (collapsed(problems, same) or "")


def test_a_memory_of_authors_gains_nothing_out_of_fold():
    """A method that remembers each author's truths looks perfect on plain folds and must not here."""
    problems, same = joined(authors=14, problems=140)
    left, right = problems.writers(same).T
    pair = np.array([f"{min(a, b)}-{max(a, b)}" for a, b in zip(left, right, strict=True)])

    def remembered(rest, out):
        known = {p: bool(s) for p, s in zip(pair[rest], same[rest], strict=True)}
        return np.array([float(known.get(p, 0.5)) for p in pair[out]])

    folds = calibration_folds(problems, same, 5)
    assert np.all(out_of_fold(remembered, folds, same, otherwise=np.nan) == 0.5)


@dataclass(eq=False, repr=False)
class Seen(Scorer):
    """Scores a problem by whether its documents were seen in training: a leak made visible."""

    name = "seen"

    def fit(self, problems, same):
        self.seen_ = {problems.texts[row] for row in problems.documents}
        return self

    def score(self, problems):
        texts = problems.texts
        return np.array([float(texts[row] in self.seen_) for row in problems.questioned_index])


@dataclass(eq=False, repr=False)
class Apart(Seen):
    """The same as one fit alone may calibrate it."""

    name = "apart"
    cross_fit = False


@pytest.mark.parametrize("scorer", [Seen(), Apart()])
def test_a_calibrator_sees_no_author_that_its_scorer_saw(scorer, monkeypatch):
    problems, same = joined()
    given = []
    monkeypatch.setattr(Logistic, "fit", lambda self, scores, same: given.append(scores) or self)
    verifier = Calibrated(scorer, Logistic()).fit(problems, same)
    assert verifier.split_ == "authors"
    (scores,) = given
    assert not np.nansum(scores) and np.isfinite(scores).sum() >= len(scores) // 2


def test_the_band_may_be_wider_where_authors_are_kept_apart():
    problems, same = joined(authors=14, problems=140, seed=3)
    features = np.random.default_rng(3).normal(size=(140, 33)) + 0.12 * same[:, None]
    able = np.ones(140, dtype=bool)
    lone = Problems.of([(f"q{i}", [f"a{i} x"], f"b{i} y") for i in range(140)])
    assert Raven2026(C=1.0).learn(problems, same, features, able).radius_ > 0.1
    assert Raven2026(C=1.0).learn(lone, same, features, able).radius_ <= 0.1


class Drawn(Scorer):
    """Reads a number from the questioned text, and answers higher the more same-author problems it learned from."""

    name = "drawn"

    def fit(self, problems, same):
        self.share_ = same.mean()
        return self

    def score(self, problems):
        return (
            np.array([float(problems.texts[row]) for row in problems.questioned_index])
            + 60 * self.share_
        )


class Supervised(Drawn):
    supervised = True


def test_the_share_that_a_scorer_learned_from_does_not_turn_its_answers_round():
    rng = np.random.default_rng(8)
    same = rng.random(60) < 0.5
    value = 0.4 * same + rng.normal(size=60)
    problems = Problems.of([(f"p{i}", [f"{i}"], f"{v:.6f}") for i, v in enumerate(value)])
    found = [
        Calibrated(scorer(), Logistic(radius=0.0)).fit(problems, same)
        for scorer in (Drawn, Supervised)
    ]
    assert found[0].calibrator_.coef_[0] < 0 < found[1].calibrator_.coef_[0]
