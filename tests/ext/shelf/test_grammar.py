"""Grammar models: the kernel against the plain reference, and both against what they promise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.references.grammar import PlainGrammar

from ravenbench.errors import InputError
from ravenbench.ext.shelf.published.grammar import (
    END,
    START,
    Sentences,
    SentenceVocabulary,
    grammar_log10,
    sentences,
)

TOKENS = st.lists(
    st.lists(st.sampled_from("abcde."), min_size=1, max_size=12), min_size=1, max_size=8
)


def fast(asked, own, chosen, order, discount=0.75):
    vocabulary = SentenceVocabulary()
    pool, read = vocabulary.encode(own), vocabulary.encode(asked)
    return grammar_log10(read, pool, np.asarray(chosen), len(vocabulary), order, discount)


@settings(max_examples=60, deadline=None)
@given(
    asked=TOKENS, own=TOKENS, order=st.integers(1, 10), discount=st.sampled_from([0.75, 0.5, 1.0])
)
def test_the_kernel_agrees_with_the_reference(asked, own, order, discount):
    chosen = np.array([np.arange(len(own)), np.arange(len(own))[::-1]])
    model = PlainGrammar(own, order, discount)
    expected = [value for sentence in asked for value in model.log10(sentence)]
    found = fast(asked, own, chosen, order, discount)
    np.testing.assert_allclose(found, [expected, expected], rtol=0, atol=1e-12)


def test_each_model_rests_on_its_own_sentences():
    own = [list("abc"), list("cab"), list("bbb"), list("acb")]
    asked = [list("abcab"), list("dd")]
    chosen = np.array([[0, 1], [2, 3], [1, 3]])
    for row, found in zip(chosen, fast(asked, own, chosen, 4), strict=True):
        model = PlainGrammar([own[i] for i in row], 4, 0.75)
        np.testing.assert_allclose(
            found, np.concatenate([model.log10(s) for s in asked]), atol=1e-12
        )


@pytest.mark.parametrize("order", [1, 2, 3, 10])
def test_probabilities_of_all_words_add_up_to_one(order):
    own = [list("abab"), list("bca"), list("a")]
    model = PlainGrammar(own, order, 0.75)
    words = [*"abc", "never seen"]
    for before in ([], ["a"], ["b", "c"], ["never seen"], list("abab")):
        after = [10 ** model.log10([*before, word])[len(before)] for word in words]
        end = 10 ** model.log10(before)[len(before)]
        assert sum(after) + end == pytest.approx(1, abs=1e-12)


def test_sentences_end_at_marks_and_line_breaks():
    assert sentences("He came. She went!  \n\nWhy?! no end") == [
        ["he", "came."],
        ["she", "went!"],
        ["why?!"],
        ["no", "end"],
    ]
    assert sentences("A b", lowercase=False) == [["A", "b"]]
    assert sentences(" \n ") == []


def test_words_get_numbers_as_they_come():
    vocabulary = SentenceVocabulary(["a"])
    found = vocabulary.encode([["b", "a"], ["b"]])
    assert found.ids.tolist() == [START, 4, 3, END, START, 4, END] and found.bounds.tolist() == [
        0,
        4,
        7,
    ]
    assert len(vocabulary) == 5


def test_what_is_too_large_is_refused():
    huge = Sentences(np.zeros(2**21, dtype=np.int64), np.array([0, 2**21]))
    with pytest.raises(InputError, match="too large"):
        grammar_log10(huge, huge, np.zeros((1, 1), dtype=np.int64), 5)


def test_the_authors_package_gives_the_same_probabilities(need_extra):
    need_extra("lambdag")
    from lambdag.language_models.kneser_ney import KneserNeyLanguageModel

    rng = np.random.default_rng(3)
    own = [[*rng.choice(list("abcdefg."), rng.integers(1, 15))] for _ in range(30)]
    asked = [[*rng.choice(list("abcdefgh."), rng.integers(1, 15))] for _ in range(10)]
    theirs = KneserNeyLanguageModel(order=10, discount=0.75)
    for sentence in own:
        theirs.fit(sentence)
    expected = np.log10([p for sentence in asked for p in theirs.probabilities(sentence)])
    np.testing.assert_allclose(
        fast(asked, own, [np.arange(30)], 10)[0], expected, rtol=0, atol=1e-12
    )
