"""Scorers of which it is known what they look at, fitted on one training set (ours).

Blind to content are ``oracle`` (the truth, blurred afresh for every text), ``style`` (style-only) and ``length``.
``topic`` (topic-only, trained) and ``untrained topic`` (a cosine of long words that learns nothing) look at little
else. ``blend D`` is (1 − D) × style + D × topic, ``blend D untrained`` the same with the untrained cosine. Of
``function-words`` it is not known beforehand: its list reaches beyond function words, so it stands for comparison.
``texts D`` is the untrained cosine on texts of known content: a questioned text gets *on* content with probability D
only, and else *off* content once more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ravenbench import registry
from ravenbench.randomness import stream
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Floats, Fold, Problems
from ravenbench.verifiers.controls.blend import Blend, mixed

BLIND = ("oracle", "style", "length")
"""Scorers that content cannot move."""
COMPARED = "function-words"
TOPIC = ("topic", "untrained topic")
BLUR = 1.5
"""Spread of the oracle's noise, where truth is 0 or 1."""
LETTERS = 6
"""Letters of a word from which on it counts as content."""


def shown(dose: float) -> str:
    """A dose as in a scorer's name, such as ``.3``."""
    return f"{dose:g}".removeprefix("0")


def blends(doses: Sequence[float]) -> list[str]:
    """Names of the blends, by dose, those with the trained scorer before those with the untrained one."""
    return [f"blend {shown(d)}{kind}" for d in doses for kind in ("", " untrained")]


def names(doses: Sequence[float]) -> list[str]:
    """Names of all scorers, in the order of tables."""
    return [*BLIND, COMPARED, *TOPIC, *blends(doses), *(f"texts {shown(d)}" for d in doses)]


class Scorers:
    """All scorers, fitted on one training set (without what is set apart to calibrate on, as a run does)."""

    def __init__(self, fold: Fold, untrained: Untrained, doses: Sequence[float], number: int) -> None:
        self.number, self.doses, self.untrained = number, doses, untrained
        learn = np.ones(len(fold.train), dtype=bool) if fold.train.calibrate is None else ~fold.train.calibrate
        train, same = fold.train.select(learn), fold.train_same[learn]
        self.blend = Blend().fit(train, same)
        self.function = registry.parse("verifier", COMPARED).fit(train, same)
        seen = untrained.cosine(train)
        self.mean, self.scale = float(seen.mean()), float(seen.std()) or 1.0

    def of(self, problems: Problems, fold: str, version: str, same: Bools) -> dict[str, Floats]:
        """Scores of all scorers but ``texts D``, (n,) each; ``fold`` and ``version`` name the oracle's noise."""
        style_topic = self.blend.standardised(problems)
        cosine = (self.untrained.cosine(problems) - self.mean) / self.scale
        noise = stream(self.number, "study-oracle", fold, version).standard_normal(len(problems))
        sizes = np.diff(problems.texts.offsets)
        lead = problems.known_index[problems.known_ptr[:-1]]
        longer = np.log(1 + sizes[[lead, problems.questioned_index]])
        found = {
            "oracle": same + BLUR * noise,
            "style": style_topic[:, 0],
            "length": -np.abs(longer[0] - longer[1]),
            COMPARED: self.function.score(problems),
            "topic": style_topic[:, 1],
            "untrained topic": cosine,
        }
        style_cosine = np.stack([style_topic[:, 0], cosine], axis=1)
        for dose in self.doses:
            found[f"blend {shown(dose)}"] = mixed(style_topic, dose)
            found[f"blend {shown(dose)} untrained"] = mixed(style_cosine, dose)
        return found


class Untrained:
    """Cosine of the square roots of counts of long words: nothing is learned from any text."""

    def __init__(self) -> None:
        from sklearn.feature_extraction.text import HashingVectorizer

        pattern = rf"\b[^\W\d_]{{{LETTERS},}}\b"
        self._count = HashingVectorizer(token_pattern=pattern, n_features=2**18, norm=None, alternate_sign=False)
        self._known: dict[int, tuple[TextTable, Any]] = {}

    def cosine(self, problems: Problems) -> Floats:
        """Of pairs, (n,)."""
        texts = problems.texts
        if id(texts) not in self._known:
            counts = self._count.transform(list(texts)).sqrt()
            length = np.sqrt(np.asarray(counts.multiply(counts).sum(axis=1)).ravel())
            counts.data /= np.repeat(np.where(length > 0, length, 1), np.diff(counts.indptr))
            self._known[id(texts)] = texts, counts
        counts = self._known[id(texts)][1]
        pairs = counts[problems.known_index].multiply(counts[problems.questioned_index])
        return np.asarray(pairs.sum(axis=1)).ravel()
