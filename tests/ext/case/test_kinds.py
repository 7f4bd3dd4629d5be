"""Another kind of text by register, among texts that are made."""

import numpy as np

from ravenbench.ext.case.compare.background import OTHER_KIND
from ravenbench.ext.case.register import as_far, profile, rates
from ravenbench.randomness import stream

WORDS = (
    "the",
    "of",
    "and",
    "to",
    "in",
    "was",
    "it",
    "he",
    "one",
    "two",
    "sea",
    "house",
    "tree",
    "wind",
)


def written(author, marks, texts=2, words=250):
    """Texts of random words with so large a share of marks."""
    rng = stream(author, "kinds-test")
    own = rng.dirichlet(np.full(len(WORDS), 20.0))
    return [
        " ".join(
            word + mark
            for word, mark in zip(
                rng.choice(WORDS, words, p=own),
                np.where(rng.random(words) < marks, rng.choice(list(",!"), words), ""),
                strict=True,
            )
        )
        for _ in range(texts)
    ]


def test_texts_with_other_marks_are_of_another_kind():
    background = [written(author, 0.1) for author in range(30)]
    asked = [written(author, 0.1) for author in range(30, 60)] + [
        written(author, 0.5) for author in range(60, 80)
    ]
    shares = as_far(*(np.array([profile(texts) for texts in of]) for of in (background, asked)))
    assert (shares[30:] <= OTHER_KIND).all() and (shares[:30] <= OTHER_KIND).mean() < 0.2
    assert (shares > 0).all() and (shares <= 1).all()


def test_rates_are_those_of_a_hundred_words():
    found = rates("I was here, and you were not. " * 5)
    assert np.isclose(found[1] ** 2, 100 / 7) and np.isclose(found[5] ** 2, 200 / 7)


def test_an_empty_text_has_a_profile():
    assert not profile([""]).any()
