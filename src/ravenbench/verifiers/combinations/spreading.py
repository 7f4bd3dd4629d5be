"""A scorer whose single scores are spread over (0, 1) before they are calibrated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self

import numpy as np

from ravenbench.types import Bools, Floats, Problems
from ravenbench.verifiers.contract.base import Calibrator, Scorer, fresh
from ravenbench.verifiers.contract.spread import scale_of, spread


@dataclass(eq=False, repr=False)
class Spreading(Scorer):
    """Masked texts are all alike, so the scores of another scorer are spread over (0, 1) in their order.

    Attributes
    ----------
    inner_ : Scorer
    scale_ : (float, float) or None
        Centre and deviation of the training problems' scores; None where a problem has several.
    """

    inner: Scorer

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
        self.inner_ = fresh(self.inner).fit(problems, same)
        scores = self.inner_.score(problems)
        told = ~np.isnan(scores)
        if scores.ndim == 1 and told.any():
            self.scale_ = scale_of(scores[told], np.asarray(same, dtype=bool)[told])
        return self

    def score(self, problems: Problems) -> Floats:
        scores = self.inner_.score(problems)
        return scores if self.scale_ is None else spread(scores, self.scale_)

    def default_calibrator(self) -> Calibrator:
        return self.inner.default_calibrator()
