"""Embeddings that are kept by content."""

from __future__ import annotations

import numpy as np
import pytest

pytestmark = pytest.mark.extra


@pytest.fixture(autouse=True)
def torch(need_extra):
    return need_extra("torch")


def kept_vectors(**options):
    from ravenbench.ext.encoders.kept_vectors import KeptVectors

    return KeptVectors(**options)


class Counting:
    """Encodes a text as its length and remembers what it was asked."""

    def __init__(self, scale: float = 1.0) -> None:
        self.scale, self.asked = scale, []

    def __call__(self, texts):
        self.asked += texts
        return np.array([[self.scale * len(text), 1.0] for text in texts])


def test_a_text_is_encoded_once_and_rows_stay_in_order():
    kept, encode = kept_vectors(), Counting()
    first = kept.of("model", ["a", "bb", "a"], encode)
    again = kept.of("model", ["ccc", "bb", "a"], encode)
    assert first[:, 0].tolist() == [1, 2, 1] and again[:, 0].tolist() == [3, 2, 1]
    assert encode.asked == ["a", "bb", "ccc"]


def test_another_model_has_other_vectors():
    kept = kept_vectors()
    assert kept.of("one", ["a"], Counting())[0, 0] == 1
    assert kept.of("two", ["a"], Counting(5.0))[0, 0] == 5


def test_what_was_not_asked_for_longest_goes_first():
    kept, encode = kept_vectors(most=2 * 16), Counting()
    kept.of("model", ["a", "bb"], encode)
    kept.of("model", ["a"], encode)
    kept.of("model", ["ccc"], encode)
    kept.of("model", ["a", "ccc"], encode)
    assert encode.asked == ["a", "bb", "ccc"]
    kept.of("model", ["bb"], encode)
    assert encode.asked[-1] == "bb"


def test_more_than_fits_is_answered_all_the_same():
    kept = kept_vectors(most=16)
    assert kept.of("model", ["a", "bb", "ccc"], Counting())[:, 0].tolist() == [1, 2, 3]
