"""Two thresholds with a band of non-answers between them, as PAN's n-gram baseline has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self

from ravenbench.errors import CorpusError, SpecError
from ravenbench.types import Bools, Floats
from ravenbench.verifiers.calibrators.grid import best_band, rescale
from ravenbench.verifiers.calibrators.inputs import learnable, one_column, told
from ravenbench.verifiers.calibrators.logistic import Logistic
from ravenbench.verifiers.contract.base import Calibrator


@dataclass(eq=False, repr=False)
class ThresholdBand(Calibrator):
    """Answers by two thresholds p1 < p2 in {.01, …, .98}, those with the best overall score on calibration problems.

    All 4,753 combinations are tried; of equal ones the first (smallest p1, then p2) is kept. Values are not
    rounded, unlike PAN's, whose three decimals make ties.

    Parameters
    ----------
    metrics : 4 or 5
        Mean of AUC, c@1, F0.5u, F1 (PAN20, HITS), or of these and Brier (PAN22 and later).
    enough : int
        Problems of each class below which the grid only fits noise.
    fallback : bool
        With fewer, calibrate by ``logistic`` and say so in ``fallback_``; otherwise raise.

    Attributes
    ----------
    p1_, p2_ : float
    overall_ : float
        Their overall score on the calibration problems.
    fallback_ : str or None
        Why the grid was not used.
    """

    name = "threshold-band"

    metrics: Literal[4, 5] = 4
    enough: int = 50
    fallback: bool = True

    def fit(self, scores: Floats, same: Bools) -> Self:
        """Learn from scores (n,).

        Raises
        ------
        SpecError
            If ``metrics`` is neither 4 nor 5, or there are several features a problem.
        CorpusError
            If one class is absent, or has too few problems and ``fallback`` is off.
        """
        if self.metrics not in (4, 5):
            raise SpecError("threshold-band maximises 4 or 5 metrics", found=self.metrics)
        scores, same = learnable(one_column(scores, self.name), same, self.name)
        positives, negatives = int(same.sum()), int((~same).sum())
        self.fallback_: str | None = None
        if min(positives, negatives) < self.enough:
            found = f"{positives} same-author and {negatives} different-author problems"
            if not self.fallback:
                raise CorpusError(
                    "too few calibration problems for the threshold grid",
                    found=found,
                    expected=f"at least {self.enough} of each",
                    fix="use logistic, or set enough lower",
                )
            self.fallback_ = f"{found} for calibration, fewer than {self.enough} of each: logistic instead"
            self.logistic_ = Logistic().fit(scores, same)
            return self
        self.p1_, self.p2_, self.overall_ = best_band(scores, same, self.metrics)
        return self

    def transform(self, scores: Floats) -> Floats:
        scores = one_column(scores, self.name)
        if self.fallback_ is not None:
            return self.logistic_.transform(scores)
        out = rescale(scores, self.p1_, self.p2_)
        out[~told(scores)] = 0.5
        return out
