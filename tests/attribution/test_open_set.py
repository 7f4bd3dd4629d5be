"""PAN19's rule for texts by nobody, and scaled frequencies."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import MaxAbsScaler

from ravenbench.attribution.base import CosineDelta
from ravenbench.attribution.counts import Scaled
from ravenbench.attribution.linear import CharSVM
from ravenbench.attribution.posterior import learned
from ravenbench.attribution.protocols import answer_problem, training
from ravenbench.errors import SpecError
from ravenbench.reading.pan_attribution import UNKNOWN, AttributionProblem, macro_f1
from ravenbench.text.ngrams import CharNgrams
from ravenbench.texts import TextTable

WORDS = [f"{a}{b}{c}" for a in "bdfglm" for b in "aeiou" for c in "nrst"]


def texts_of(author, count, seed=0):
    rng = np.random.default_rng((author, seed))
    habit = np.random.default_rng(author).dirichlet(np.full(len(WORDS), 0.3))
    return tuple(" ".join(rng.choice(WORDS, 60, p=habit)) for _ in range(count))


@pytest.fixture
def problem():
    known = {f"candidate{a}": texts_of(a, 6) for a in range(4)}
    asked = {f"u{a}-{i}": text for a in range(8) for i, text in enumerate(texts_of(a, 6, seed=1))}
    truth = {name: f"candidate{name[1]}" if int(name[1]) < 4 else UNKNOWN for name in asked}
    return AttributionProblem("p", None, known, asked, truth)


@pytest.mark.parametrize("method", [CharSVM(), CosineDelta(words=80)])
def test_rejection_gains_where_half_the_texts_are_by_strangers(problem, method):
    names = [*problem.candidates]
    plain = macro_f1(problem.truth, answer_problem(problem, method), names)
    small, large = (
        macro_f1(problem.truth, answer_problem(problem, method, lead), names) for lead in (0.1, 0.3)
    )
    assert small >= plain and large > plain + 0.02


def test_a_text_is_nobodys_where_none_of_them_is_most_probable_or_hardly_anybody_leads(problem):
    texts, authors = training(problem.candidates)
    method = CosineDelta(words=80)
    posterior = learned(method, texts, authors, 0.2)
    scores = method.fit(texts, authors).scores(list(problem.unknown.values()))
    p = posterior.of(scores[None])
    np.testing.assert_allclose(p.sum(axis=1), 1)
    stranger = np.array([a == UNKNOWN for a in problem.truth.values()])
    assert p[stranger, -1].mean() > p[~stranger, -1].mean() + 0.15
    named = posterior.named(scores, 0.1)
    second, best = np.sort(p, axis=1)[:, -2:].T
    assert ((named < 0) == ((p.argmax(axis=1) == 4) | (best - second < 0.1))).all()
    np.testing.assert_allclose(
        posterior.of(scores[None] + 7), p, err_msg="what all candidates gain says nothing"
    )
    assert (learned(method, texts, authors, 0.6).of(scores[None])[:, -1] > p[:, -1]).all()


def test_one_text_of_each_candidate_is_enough(problem):
    lone = AttributionProblem(
        "p", None, {n: t[:1] for n, t in problem.candidates.items()}, problem.unknown, None
    )
    assert set(answer_problem(lone, CosineDelta(), 0.1).values()) <= {*problem.candidates, UNKNOWN}


def test_what_cannot_reject(problem):
    for lead in (-0.1, 1.0):
        with pytest.raises(SpecError, match="must be in"):
            answer_problem(problem, CosineDelta(), lead)


def test_scaling_is_that_of_scikit_learn():
    texts = [*texts_of(0, 5), *texts_of(1, 5)]
    table, rows = TextTable.collect(texts)
    scaled = Scaled(CharNgrams(3, lowercase=False), 10_000, 3).fit(table, rows)
    vectorizer = CountVectorizer(
        analyzer="char", ngram_range=(3, 3), lowercase=False, vocabulary=scaled.vocabulary_
    )
    peer = CountVectorizer(analyzer="char", ngram_range=(3, 3), lowercase=False).fit(texts)
    total = dict(
        zip(peer.get_feature_names_out(), peer.transform(texts).sum(axis=0).A1, strict=True)
    )
    assert scaled.vocabulary_ == sorted(name for name, count in total.items() if count >= 3)
    sizes = np.array([len(text) - 2 for text in texts])
    expected = MaxAbsScaler().fit_transform(vectorizer.transform(texts) / sizes[:, None])
    found = scaled.transform(table, rows).toarray()
    np.testing.assert_allclose(found, expected.toarray(), atol=1e-12)
    assert found.max() == pytest.approx(1)
    few = Scaled(CharNgrams(3, lowercase=False), 7).fit(table, rows, drop=frozenset(["an "]))
    assert len(few.vocabulary_) == 7 and "an " not in few.vocabulary_
