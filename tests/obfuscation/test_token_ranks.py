import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ravenbench.obfuscation.wording.token_ranks import TokenRanks
from ravenbench.text.language_model import START, LanguageModel

SENTENCES = [
    "the cat sat on the mat",
    "the dog sat on the cat",
    "a cat ran",
    "the dog ran to the mat and sat",
] * 2
WORDS = ["the", "cat", "dog", "sat", "on", "mat", "ran", "to", "and", "a", "zebra"]
MODEL = LanguageModel.train([s.split() for s in SENTENCES])


def ranks_by_scoring_every_word(tokens):
    """Put each word of the vocabulary in each place and count those that fit better."""
    ids = MODEL.ids(tokens)
    found = []
    for i in range(1, len(ids)):

        def value(word, i=i):
            return MODEL.log10_ids(np.array([*ids[:i], word]))[i - 1]

        own = value(ids[i])
        others = [w for w in range(len(MODEL.vocabulary)) if w not in (ids[i], START)]
        found.append(1 + sum(value(w) > own + 1e-9 for w in others))
    return found


@settings(deadline=None, max_examples=40)
@given(st.lists(st.sampled_from(WORDS), max_size=8))
def test_ranks_are_those_of_scoring_every_word(tokens):
    assert TokenRanks(MODEL)(tokens)[0].tolist() == ranks_by_scoring_every_word(tokens)


def test_the_expected_word_comes_first():
    model = TokenRanks(MODEL)
    assert model(["the", "cat", "sat", "on", "the", "mat"])[0][3] == 1
    assert model(["the", "cat", "sat", "on", "zebra"])[0][4] > 3
