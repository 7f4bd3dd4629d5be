"""Another kind of text by common words and marks, among texts that are made."""

import numpy as np

from ravenbench.ext.case.compare.background import distances, kinds, profile
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


def test_texts_with_other_marks_are_farther_away_than_every_author():
    background = [written(author, 0.1) for author in range(30)]
    counted = kinds([text for texts in background for text in texts])
    assert {"the", "of", ",", "!"} <= set(counted) and "." not in counted
    asked = [written(author, 0.1) for author in range(30, 60)] + [
        written(author, 0.5) for author in range(60, 80)
    ]
    most, far = distances(
        *(np.array([profile(texts, counted) for texts in of]) for of in (background, asked))
    )
    assert (far[30:] > most).all() and (far[:30] > most).mean() < 0.1 and far[:30].mean() < most


def test_an_empty_text_has_a_profile():
    assert profile([""], ["the", ","]).tolist() == [0, 0]
