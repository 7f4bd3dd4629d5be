"""Scorers of which it is known what they look at, fitted on one training set (ours).

Blind to content are ``oracle`` (the truth, blurred afresh for every text), ``style`` (words that are known to carry no
content, see ``adversaries.functions``, and marks), ``length`` and ``word lengths``.
``topic`` (topic-only, trained) and ``untrained topic`` (a cosine of long words that learns nothing) look at little
else. ``blend D`` is (1 − D) × style + D × topic, ``blend D untrained`` the same with the untrained cosine. Of
``style-only`` and ``function-words`` it is not known beforehand: the most frequent words that they take up reach beyond
function words, so they stand for comparison.
``texts D`` is the untrained cosine on texts of known content: a questioned text gets *on* content with probability D
only, and else *off* content once more. Those that would like not to be found are in ``adversaries``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from ravenbench import registry
from ravenbench.bench.simulate.adversaries import HIDDEN, LENGTHS, Adversaries, Cosine
from ravenbench.randomness import stream
from ravenbench.types import Bools, Floats, Fold, Problems
from ravenbench.verifiers.controls import Blend, mixed

BLIND = ("oracle", "style", "length", LENGTHS)
"""Scorers that content cannot move."""
COMPARED = ("style-only", "function-words")
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
    return [*BLIND, *COMPARED, *TOPIC, *blends(doses), *(f"texts {shown(d)}" for d in doses), *HIDDEN]


class Scorers:
    """All scorers, fitted on one training set (without what is set apart to calibrate on, as a run does)."""

    def __init__(
        self, fold: Fold, untrained: Cosine, doses: Sequence[float], number: int, hidden: Adversaries | None = None
    ) -> None:
        self.number, self.doses, self.untrained, self.hidden = number, doses, untrained, hidden
        learn = np.ones(len(fold.train), dtype=bool) if fold.train.calibrate is None else ~fold.train.calibrate
        train, same = fold.train.select(learn), fold.train_same[learn]
        self.blend = Blend().fit(train, same)
        self.function = registry.parse("verifier", "function-words").fit(train, same)
        seen = untrained.score(train)
        self.mean, self.scale = float(seen.mean()), float(seen.std()) or 1.0

    def of(self, problems: Problems, fold: str, version: str, same: Bools) -> dict[str, Floats]:
        """Scores of all scorers but ``texts D``, (n,) each; ``fold`` and ``version`` name the oracle's noise."""
        style_topic = self.blend.standardised(problems)
        cosine = (self.untrained.score(problems) - self.mean) / self.scale
        noise = stream(self.number, "study-oracle", fold, version).standard_normal(len(problems))
        sizes = np.diff(problems.texts.offsets)
        lead = problems.known_index[problems.known_ptr[:-1]]
        longer = np.log(1 + sizes[[lead, problems.questioned_index]])
        found = {
            "oracle": same + BLUR * noise,
            "style-only": style_topic[:, 0],
            "length": -np.abs(longer[0] - longer[1]),
            "function-words": self.function.score(problems),
            "topic": style_topic[:, 1],
            "untrained topic": cosine,
        }
        style_cosine = np.stack([style_topic[:, 0], cosine], axis=1)
        for dose in self.doses:
            found[f"blend {shown(dose)}"] = mixed(style_topic, dose)
            found[f"blend {shown(dose)} untrained"] = mixed(style_cosine, dose)
        if self.hidden is not None:
            found |= self.hidden.of(problems, style_topic[:, 0], cosine, same)
        return found


def untrained() -> Cosine:
    """The cosine of long words."""
    return Cosine(re.compile(rf"\b[^\W\d_]{{{LETTERS},}}\b").findall)
