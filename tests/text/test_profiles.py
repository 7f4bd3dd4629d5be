from __future__ import annotations

import numpy as np

from ravenbench.text.tfidf import TokenProfiles
from ravenbench.texts import TextTable

TEXTS = ["The dog. The cat, the dog! 12", "A dog; a cat. 7 7 7", "да да нет."]


def test_frequencies_by_hand():
    texts, rows = TextTable.collect(TEXTS)
    profiles = TokenProfiles(3, marks=2, sentences=True).fit(texts, rows)
    assert profiles.words_ == ["dog", "the", "a"] and profiles.marks_ == [".", "!"]
    raw = np.array(
        [
            [2 / 6, 3 / 6, 0, 1 / 6, 1 / 6, np.log(7 / 3)],
            [1 / 4, 0, 2 / 4, 1 / 4, 0, np.log(5 / 3)],
            [0, 0, 0, 1 / 3, 0, np.log(4 / 2)],
        ]
    )
    expected = (raw - raw.mean(axis=0)) / raw.std(axis=0)
    assert np.abs(profiles.transform(texts, rows) - expected).max() <= 1e-12


def test_unknown_and_empty_texts():
    texts, rows = TextTable.collect([*TEXTS, "", "Ω"])
    profiles = TokenProfiles(5, marks=1).fit(texts, rows[:3])
    assert np.isfinite(profiles.transform(texts, rows)).all()
    one = TokenProfiles(5).fit(texts, rows[:1])
    assert np.abs(one.transform(texts, rows[:1])).max() == 0
