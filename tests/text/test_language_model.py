import numpy as np
import pytest
from tests.references.language_model import reference_log10

from ravenbench.errors import StoreError
from ravenbench.randomness import stream
from ravenbench.text.language_model import LanguageModel


def corpus(n=60, seed=0):
    rng = stream(seed, "lm-test")
    words = ["the", "cat", "dog", "sat", "ran", "on", "a", "mat", "red", "big", ".", "and", "saw"]
    share = 1 / np.arange(1, len(words) + 1)
    sizes = rng.integers(2, 9, n)
    return [[str(w) for w in rng.choice(words, size, p=share / share.sum())] for size in sizes]


@pytest.fixture(scope="module")
def model():
    return LanguageModel.train(corpus())


def test_equals_the_definition(model):
    for tokens in [*corpus(8, seed=1), ["the", "unseen", "cat"], [], ["mat"] * 5]:
        assert np.allclose(model.log10(tokens), reference_log10(corpus(), tokens), atol=1e-12)


def test_probabilities_sum_to_one(model):
    for context in (["the"], ["the", "cat"], ["on", "a", "mat"], ["nothing", "known", "here"], []):
        before = model.ids(context)[:-1]
        outcomes = [i for i in range(len(model.vocabulary)) if i != 1]
        total = sum(10 ** model.log10_ids(np.append(before, i))[-1] for i in outcomes)
        assert total == pytest.approx(1, abs=1e-9)


def test_saved_model_scores_alike(model, tmp_path):
    model.save(tmp_path / "m")
    opened = LanguageModel.open(tmp_path / "m")
    for tokens in corpus(5, seed=2):
        assert np.array_equal(opened.log10(tokens), model.log10(tokens))
    (tmp_path / "m" / "vocabulary.json").unlink()
    with pytest.raises(StoreError, match="not a complete language model"):
        LanguageModel.open(tmp_path / "m")


def test_one_sentence_is_enough():
    model = LanguageModel.train([["only", "this"]])
    assert np.isfinite(model.log10(["only", "that"])).all()
