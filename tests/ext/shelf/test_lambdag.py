"""LambdaG: equal to the authors' package on the same draws, and what it says where it cannot tell."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.references.grammar import PlainGrammar

from ravenbench import registry
from ravenbench.errors import CorpusError, SpecError
from ravenbench.ext.shelf.published.grammar import sentences
from ravenbench.ext.shelf.published.lambdag import LambdaG
from ravenbench.randomness import stream
from ravenbench.testing import check_component, check_verifier, toy_problems
from ravenbench.types import Problems
from ravenbench.verifiers.calibrators import LogOdds
from ravenbench.verifiers.contract.base import as_verifier
from small_run import few

TRAIN, SAME = toy_problems(12, known=2, words=70, seed=5)
TEST, _ = toy_problems(5, known=2, words=40, seed=6)
CORRECTIONS = ("none", "square_root", "hapax")


def sides(problems, i):
    return problems.texts.rows(problems.known(i)), problems.texts[problems.questioned_index[i]]


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_it_keeps_the_contract(correction):
    check_verifier(LambdaG(references=5, correction=correction), known=2, problems=few(2))


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_the_authors_package_gives_the_same_scores(correction, need_extra):
    need_extra("lambdag")
    from lambdag import LambdaGMethod

    kind = "logistic_regression" if correction == "none" else correction
    theirs = LambdaGMethod("tokens", 10, "kneser_ney", True, True, 30, calibration=kind)
    ours = LambdaG(correction=correction).fit(TRAIN, SAME)
    scores = ours.score(TEST)
    pool = [s for text in ours.population_.written_ for s in theirs._preprocess_text(text)]
    for i, score in enumerate(scores):
        known, questioned = sides(TEST, i)
        theirs.random_gen = stream(0, "lambdag", str(TEST.ids[i]))
        asked = theirs._preprocess_text(questioned)
        expected = theirs._lambdag_score(theirs._preprocess_text(" ".join(known)), asked, pool)
        if correction == "none":
            assert score == pytest.approx(expected, rel=0, abs=1e-9)
        else:
            answer = theirs.calibration_model.predict_proba(np.array([expected]), [asked])[0, 1]
            assert ours.default_calibrator().transform(np.array([score]))[0] == pytest.approx(
                answer, rel=0, abs=1e-9
            )


def test_it_divides_texts_as_the_authors_package(need_extra):
    need_extra("lambdag")
    from lambdag import LambdaGMethod

    theirs = LambdaGMethod("tokens", 10, "kneser_ney", True, True, 1)
    odd = "One. Two?! \n\n three…  e.g.this\tA  \nÄÖ ΣΑΣ. \n. ...  \r\nlast\u2028line no end"
    for text in (odd, "", " ", "\n", ".", "a", "a\n", " . b"):
        assert sentences(text) == [
            list(tokens) for tokens in theirs._preprocess_text(text) if tokens
        ]


def test_scores_rest_on_sentences_of_other_authors():
    ours = LambdaG(references=3, order=4).fit(TRAIN, SAME)
    known, questioned = sides(TRAIN, 0)
    pool = [
        (author, s)
        for text, author in zip(ours.population_.written_, ours.population_.author_, strict=True)
        for s in sentences(text)
    ]
    own = {int(ours.population_.cluster_[" ".join(text.split())]) for text in (*known, questioned)}
    others = [s for author, s in pool if int(author) not in own]
    mine, rng = sentences(" ".join(known)), stream(0, "lambdag", str(TRAIN.ids[0]))

    def fit_of(chosen):
        model = PlainGrammar(chosen, 4, 0.75)
        return sum(value for s in sentences(questioned) for value in model.log10(s))

    draws = [rng.choice(len(others), size=len(mine), replace=False) for _ in range(3)]
    expected = fit_of(mine) - np.mean([fit_of([others[i] for i in draw]) for draw in draws])
    assert ours.score(TRAIN.select([0]))[0] == pytest.approx(expected, abs=1e-9)
    assert len(others) < len(pool)


def test_tokens_add_up_to_the_score_and_have_their_places():
    ours = LambdaG(references=4).fit(TRAIN, SAME)
    known, questioned = sides(TEST, 0)
    found = ours.tokens(known, questioned, str(TEST.ids[0]))
    assert sum(token.log10 for token in found) == pytest.approx(ours.score(TEST)[0], abs=1e-9)
    assert [token.token for token in found if token.token] == questioned.split()
    assert all(questioned[t.start : t.end] == t.token for t in found)
    assert sum(not t.token for t in found) == len(sentences(questioned))
    assert ours.tokens(known, " ") == []


def test_corrections_are_those_of_their_formulas():
    plain, root, hapax = (
        LambdaG(references=3, correction=c).fit(TRAIN, SAME).score(TEST) for c in CORRECTIONS
    )
    for i in range(len(TEST)):
        words = [token for sentence in sentences(sides(TEST, i)[1]) for token in sentence]
        assert root[i] == pytest.approx(plain[i] / math.sqrt(len(words)))
        assert hapax[i] == pytest.approx(
            plain[i] * sum(words.count(w) == 1 for w in words) / len(words)
        )


def test_a_problem_without_score_is_unanswered():
    long = "Ein Satz. " * 5000
    odd = Problems.of(
        [("empty", ["a b."], " "), ("unknown", [""], "a b."), ("too-long", [long], "a b.")]
    )
    for correction in CORRECTIONS:
        verifier = as_verifier(LambdaG(references=2, correction=correction)).fit(TRAIN, SAME)
        assert verifier.verify(odd).tolist() == [0.5, 0.5, 0.5]


def test_one_word_is_shorter_than_the_order_and_still_read():
    short = Problems.of([("one", ["word"], "word"), ("other", ["word"], "ka")])
    scores = LambdaG(references=5).fit(TRAIN, SAME).score(short)
    assert scores[0] > scores[1] and np.isfinite(scores).all()


def test_a_population_of_one_author_is_refused():
    one = Problems.of([("p", ["A text. " * 5], "Another text. " * 5)])
    with pytest.raises(CorpusError, match="no impostors"):
        LambdaG().fit(one, np.array([True]))


@pytest.mark.parametrize(
    "wrong", [{"order": 0}, {"discount": 0.0}, {"correction": "log"}, {"references": 0}]
)
def test_parameters_out_of_range(wrong):
    with pytest.raises(SpecError, match="must be"):
        LambdaG(**wrong).fit(TRAIN, SAME)


def test_log_odds_reads_scores_as_they_are():
    check_component("calibrator", LogOdds())
    calibrator = registry.parse("calibrator", "log-odds(base=10)").fit(
        np.array([0.0]), np.array([True])
    )
    found = calibrator.transform(np.array([1.0, -2.0, 0.0, np.nan, 1e-300, -1e-300, 1e6]))
    np.testing.assert_allclose(found[:2], [10 / 11, 1 / 101])
    assert found[2] == found[3] == 0.5 and found[4] > 0.5 > found[5] and found[6] == 1
    with pytest.raises(SpecError, match="above 1"):
        LogOdds(base=1.0).fit(np.zeros(1), np.array([True]))
