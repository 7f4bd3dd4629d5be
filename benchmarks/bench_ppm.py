"""PPM cross-entropies of pairs of 21,000-character texts, both directions, each document in two pairs or in 32."""

from __future__ import annotations

from typing import Any

import numpy as np
from tests.references import ppm as reference

from benchmarks.measure import compare
from ravenbench.randomness import stream
from ravenbench.text.ppm import cross_entropies
from ravenbench.texts import TextTable

DOCUMENTS, LENGTH = 60, 21_000


def pronounceable(seed: int, length: int, words: int = 4000) -> str:
    """Text of invented words with Zipf's frequencies, capitals and punctuation."""
    rng = stream(0, "benchmark-words")
    syllables = [
        c + v + e
        for c in "bcdfghjklmnprstvwz"
        for v in "aeiou"
        for e in ("", "", "n", "r", "s", "t")
    ]
    lexicon = ["".join(rng.choice(syllables, size=1 + rank % 4)) for rank in range(words)]
    weight = 1 / np.arange(1, words + 1)
    rng = stream(0, "benchmark-text", seed)
    drawn = rng.choice(words, size=length, p=weight / weight.sum())
    ends = rng.choice(["", "", "", "", "", "", "", ",", ".", ";", "!"], size=length)
    text = " ".join(
        lexicon[w].capitalize() if w % 11 == 0 else lexicon[w] + e
        for w, e in zip(drawn, ends, strict=True)
    )
    return text[:length]


def rows() -> list[dict[str, Any]]:
    """Rows for the default model and for PPM-C; seconds are per pair."""
    table, _ = TextTable.collect(pronounceable(seed, LENGTH) for seed in range(DOCUMENTS))
    found = []
    for name, escape, others in (
        ("ppm", None, 1),
        ("ppm, 32 pairs a text", None, 16),
        ("ppm escape C", "C", 1),
    ):
        a = np.tile(np.arange(DOCUMENTS), others)
        b = (a + np.repeat(np.arange(others), DOCUMENTS) + 1) % DOCUMENTS

        def plain(i: int, j: int, escape: Any = escape) -> tuple[float, float]:
            one, two = table[i], table[j]
            return (
                reference.cross_entropy(reference.model(one), two, escape=escape),
                reference.cross_entropy(reference.model(two), one, escape=escape),
            )

        values = cross_entropies(table, a, b, escape=escape)
        assert np.abs(values[0] - plain(0, 1)).max() <= 1e-9
        row = compare(
            name,
            lambda a=a, b=b, escape=escape: cross_entropies(table, a, b, escape=escape),
            "plain Python dictionaries",
            lambda plain=plain: plain(0, 1),
            rounds=7,
        )
        row["ours_seconds"] /= len(a)
        row["ratio"] *= len(a)
        row["spread"] = [ratio * len(a) for ratio in row["spread"]]
        found.append(row)
    return found
