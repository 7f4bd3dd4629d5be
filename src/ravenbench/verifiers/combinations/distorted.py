"""Any scorer on distorted texts (Stamatatos 2017)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self

from ravenbench.text.masks import mask
from ravenbench.types import Bools, Floats, Problems
from ravenbench.verifiers.combinations.spreading import Spreading
from ravenbench.verifiers.contract.base import Scorer


@dataclass(eq=False, repr=False)
class Distorted(Spreading):
    """A scorer that reads texts through a mask learned on the training texts.

    Masked texts are all alike, so single scores are spread over (0, 1) in their order before they are
    calibrated.

    Parameters
    ----------
    inner : Scorer
        What reads the masked texts.
    variant : "ma", "sa" or "topic"
        DV-MA or DV-SA keep the frequent words, ``topic`` masks them (TopicFit's mask).
    k : int
        Frequent words.

    Attributes
    ----------
    mask_ : fitted mask
    inner_ : Scorer
    scale_ : (float, float) or None
        Centre and deviation of the training problems' scores; None where a problem has several.
    """

    name = "distorted"
    version = 2

    inner: Scorer
    variant: Literal["ma", "sa", "topic"] = "ma"
    k: int = 300

    def fit(self, problems: Problems, same: Bools) -> Self:
        self.mask_ = mask(self.variant, self.k).fit(problems.texts.rows(problems.documents))
        return super().fit(problems.map_texts(self.mask_), same)

    def score(self, problems: Problems) -> Floats:
        return super().score(problems.map_texts(self.mask_))
