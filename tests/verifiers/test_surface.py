"""Every verifier of surface counts keeps the contract, on any script, and means what its page says."""

from __future__ import annotations

import numpy as np
import pytest

from ravenbench import registry
from ravenbench.errors import SpecError
from ravenbench.testing import check_verifier, toy_problems
from ravenbench.text.counting import forget_counts
from ravenbench.text.lexicon import CONTENT_WORDS
from ravenbench.text.masks import TopicMask
from ravenbench.text.tfidf import Tfidf
from ravenbench.types import Problems
from ravenbench.verifiers.baselines import (
    LADDER,
    CharNgram,
    TopicFit,
    pair_cosines,
    training_documents,
)
from ravenbench.verifiers.combinations import Distorted
from small_run import few

SPECS = [
    "char-ngram",
    "char-ngram(bags=3)",
    "char-ngram(n=6, lowercase=False, reference=True)",
    "topic-fit",
    "topic-fit(mask=20, folded=True)",
    "topic-fit(reference=True)",
    "function-words",
    "distorted(char-ngram)",
    "distorted(char-ngram(n=3), variant='sa', k=30)",
    "distorted(function-words, variant='topic')",
    "style-only",
    "topic-only(without=20)",
    "chance",
    "length",
]
GREEK = ("κα", "ρε", "μι", "το", "σου", "νο", "λα", "βι")


@pytest.mark.parametrize("spec", SPECS)
def test_contract(spec):
    check_verifier(registry.parse("verifier", spec), problems=few())


@pytest.mark.parametrize(
    "spec", ["char-ngram", "topic-fit(mask=20)", "function-words", "distorted(char-ngram)"]
)
def test_contract_with_several_known_documents(spec):
    check_verifier(registry.parse("verifier", spec), known=3, problems=few(3))


@pytest.mark.parametrize("spec", SPECS)
def test_any_script_and_texts_without_words(spec):
    problems, same = toy_problems(20, alphabet=GREEK)
    odd = [("", "!"), ("Ω", "word"), ("12 13", "да"), ("\n\n", "😀"), ("a a a", "a")]
    test = Problems.of([(f"odd{i}", [a], b) for i, (a, b) in enumerate(odd)])
    scorer = registry.parse("verifier", spec).fit(problems, same)
    assert np.isfinite(scorer.score(test)).all()
    nothing = registry.parse("verifier", spec).fit(test, np.arange(5) > 2)
    assert np.isfinite(nothing.score(problems)).all()


@pytest.mark.parametrize(
    "spec", ["char-ngram", "topic-fit(mask=0)", "function-words", "style-only"]
)
def test_finds_the_authors_of_toy_problems(spec):
    problems, same = toy_problems(60)
    scores = registry.parse("verifier", spec).fit(problems, same).score(problems)
    assert np.median(scores[same]) > np.median(scores[~same])


def test_scores_do_not_depend_on_what_was_counted_before():
    problems, same = toy_problems(30)
    other, _ = toy_problems(10, seed=9, alphabet=GREEK)
    for spec in ("char-ngram", "topic-fit(mask=20)", "style-only"):
        forget_counts()
        first = registry.parse("verifier", spec).fit(problems, same).score(problems)
        forget_counts()
        registry.parse("verifier", spec).fit(other, same[:10])
        assert np.array_equal(
            first, registry.parse("verifier", spec).fit(problems, same).score(problems)
        )


def test_char_ngram_counts_a_document_once_unless_told():
    problems = Problems.of([("a", ["shared text"], "one more"), ("b", ["shared text"], "another")])
    documents, weights = training_documents(problems, repeated=True)
    assert [problems.texts[d] for d in documents] == ["shared text", "one more", "another"]
    assert weights is not None and weights.tolist() == [2, 1, 1]
    same = np.array([True, False])
    idf = CharNgram(n=2).fit(problems, same).tfidf_.idf_
    assert not np.array_equal(idf, CharNgram(n=2, reference=True).fit(problems, same).tfidf_.idf_)


@pytest.mark.parametrize("folded", [False, True])
def test_topic_fit_equals_masking_the_texts(folded):
    rows = []
    problems, same = toy_problems(24)
    for i in range(len(problems)):
        a, b = problems.texts[problems.known_index[i]], problems.texts[problems.questioned_index[i]]
        rows.append(
            (f"p{i}", [f"{a} I a 12 {'Israel ' * 9}"], f"{b} Israel x {'The the ' * (i % 3)}")
        )
    problems = Problems.of(rows)
    fast = TopicFit(mask=15, folded=folded).fit(problems, same)
    masked = problems.map_texts(TopicMask(15, folded).fit(problems.texts.rows(problems.documents)))
    slow = pair_cosines(Tfidf(CONTENT_WORDS).fit(masked.texts, masked.documents), masked)
    assert np.abs(fast.score(problems) - slow).max() <= 1e-12
    assert ("israel" in fast.tfidf_.vocabulary_) is not folded
    assert not fast.masked_ & set(fast.tfidf_.vocabulary_)


def test_topic_fit_chooses_a_mask_that_leaves_words():
    problems, same = toy_problems(30, words=120)
    assert TopicFit().fit(problems, same).mask_ == 100
    words = [f"w{chr(97 + i // 26 % 26)}{chr(97 + i % 26)}x{i // 676}" for i in range(4000)]
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(words, 300)) for _ in range(20)]
    long = Problems.of([(f"{i}", [texts[2 * i]], texts[2 * i + 1]) for i in range(10)])
    mask = TopicFit().fit(long, np.arange(10) < 5).mask_
    assert mask in LADDER and mask >= 1000
    assert TopicFit(reference=True).fit(long, np.arange(10) < 5).mask_ == 10_000


def test_distorted_sees_no_topic_words():
    rows = [
        ("a", ["the cat and the dog"], "the fox and the hen"),
        ("b", ["the cat and the dog"], "it rains, it pours"),
    ]
    problems = Problems.of(rows)
    scorer = Distorted(CharNgram(n=3), k=2).fit(problems, np.array([True, False]))
    cosines = scorer.inner_.score(problems.map_texts(scorer.mask_))
    assert cosines[0] == pytest.approx(1) and cosines[1] < 0.9
    scores = scorer.score(problems)
    assert 0.5 < scores[0] < 1 and 0 < scores[1] < 0.5, (
        "spread about the middle of the training problems"
    )
    with pytest.raises(SpecError, match="variant"):
        Distorted(CharNgram(), variant="xx").fit(problems, np.array([True, False]))  # type: ignore[arg-type]


def test_floors():
    problems = Problems.of(
        [("a", ["12345"], "54321"), ("b", ["1"], "1234567"), ("c", ["", "123"], "123")]
    )
    length = registry.parse("verifier", "length").score(problems)
    assert (
        length[0] == 0
        and length[1] == pytest.approx(-np.log(4))
        and length[2] == pytest.approx(-np.log(4) / 2)
    )
    chance = registry.parse("verifier", "chance")
    assert np.array_equal(chance.score(problems)[1:], chance.score(problems.select([1, 2])))
    assert not np.array_equal(
        chance.score(problems), registry.parse("verifier", "chance(seed=1)").score(problems)
    )
