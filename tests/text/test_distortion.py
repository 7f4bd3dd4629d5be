from __future__ import annotations

import pickle
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenbench import registry
from ravenbench.errors import SpecError
from ravenbench.testing import check_component
from ravenbench.text.masks import Distortion, TopicMask
from ravenbench.text.tokens import WORD, collapse, frequent_words, tokens

TRAIN = ["The cat and the dog and the 1990 house", "the dog 12 12 12 12 12 12"]
TEXT = "The CAT saw, in 1990, b2b cats—and the dog's 3 Ünïts."


@pytest.mark.parametrize(
    ("transform", "expected"),
    [
        (Distortion("ma", k=2), "The *** ***, ** ####, *** ****—and the ***'* # *****."),
        (Distortion("sa", k=2), "The * *, * #, * *—and the *'* # *."),
        (
            Distortion("ma", k=2, mixed=True),
            "The *** ***, ** ####, *#* ****—and the ***'* # *****.",
        ),
        (Distortion("sa", k=2, mixed=True), "The * *, * #, *#* *—and the *'* # *."),
    ],
)
def test_distorted_views(transform, expected):
    assert frequent_words(TRAIN, 3) == ["the", "and", "dog"]
    assert transform.fit(TRAIN).transform([TEXT]) == [expected]


def test_topic_mask_counts_cases_apart():
    train = ["Israel Israel Israel the the The dog A A A A"]
    cased = TopicMask(k=2).fit(train)
    assert cased.transform(["Israel the THE a dog 12 I"]) == ["Israel * * * dog # *"]
    folded = TopicMask(k=2, folded=True).fit(train)
    assert folded.transform(["Israel the THE a dog 12 I"]) == ["* * * * dog # *"]
    published = TopicMask(k=2, reference=True).fit(train)
    assert published.transform(["Israel the THE a dog 12 I"]) == ["Israel * * a dog # I"]


@given(st.text(max_size=80))
def test_ma_keeps_lengths_and_all_that_is_no_word(text):
    masked = Distortion("ma", k=1).fit(["the"]).transform([text])[0]
    assert len(masked) == len(text)
    assert (
        WORD.sub("", text) == WORD.sub("", re.sub(r"[*#]", "", masked))
        or "*" in text
        or "#" in text
    )


def test_greek_and_cyrillic_are_words():
    assert tokens("Ὁ Σωκράτης, да!") == ["Ὁ", "Σωκράτης", ",", "да", "!"]
    assert Distortion("sa", k=1).fit(["да да нет"]).transform(["ДА, Ὁ нет"]) == ["ДА, * *"]
    assert collapse("a \n\tb\nc") == "a b\nc"


def test_transforms_are_components():
    for transform in (Distortion("sa", k=5), TopicMask(folded=True)):
        check_component("transform", transform)
        fitted = pickle.loads(pickle.dumps(transform.fit(TRAIN)))
        assert fitted.transform([TEXT]) == transform.transform([TEXT])
    assert {"distortion", "topic-mask"} <= set(registry.names("transform"))
    with pytest.raises(SpecError):
        Distortion("mv").fit(TRAIN)
