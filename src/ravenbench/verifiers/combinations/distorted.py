"""Any scorer on distorted texts (Stamatatos 2017)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self

import numpy as np

from ravenbench.text.distortion import mask
from ravenbench.types import Bools, Floats, Problems
from ravenbench.verifiers.contract.base import Calibrator, Scorer, fresh
from ravenbench.verifiers.contract.spread import scale_of, spread


@dataclass(eq=False, repr=False)
class Distorted(Scorer):
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

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        """True if the inner scorer is symmetric."""
        return self.inner.symmetric

    @property
    def transductive(self) -> bool:  # type: ignore[override]
        """True if the inner scorer is transductive."""
        return self.inner.transductive

    @property
    def provenance(self) -> Literal["sourced", "reconstructed", "ours"]:  # type: ignore[override]
        """Where the inner scorer comes from."""
        return self.inner.provenance

    def fit(self, problems: Problems, same: Bools) -> Self:
        self.scale_: tuple[float, float] | None = None
        self.mask_ = mask(self.variant, self.k).fit(problems.texts.rows(problems.documents))
        masked = problems.map_texts(self.mask_)
        self.inner_ = fresh(self.inner).fit(masked, same)
        scores = self.inner_.score(masked)
        told = ~np.isnan(scores)
        if scores.ndim == 1 and told.any():
            self.scale_ = scale_of(scores[told], np.asarray(same, dtype=bool)[told])
        return self

    def score(self, problems: Problems) -> Floats:
        scores = self.inner_.score(problems.map_texts(self.mask_))
        return scores if self.scale_ is None else spread(scores, self.scale_)

    def default_calibrator(self) -> Calibrator:
        return self.inner.default_calibrator()
