"""Jankowska, Kešelj & Milios 2013: proximity-based one-class classification, the baseline of PAN-2014."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from ravenbench.errors import SpecError
from ravenbench.types import Bools, Floats, Problems
from ravenbench.verifiers.calibrators.linear import Linear
from ravenbench.verifiers.contract.base import Calibrator, Scorer
from ravenbench.verifiers.published.cng_ratios import mean_ratios


@dataclass(eq=False, repr=False)
class CNG2013(Scorer):
    """How far the questioned text is from each known one, against how far that is from its farthest sibling.

    The score is −M, M the mean of r = D(d, u) / D_max(d) over known documents d, with the common n-gram
    dissimilarity D; M ≤ θ accepts, and the calibrator ``linear`` makes it an answer. A single known document is split
    in halves; the texts of a problem are truncated to the shortest before that.

    The dissimilarity is the paper's and the ratio its abstract's; the mean, the linear map, halves and truncation are
    recalled, not verified, and so are the published n and L (6 or 7, and 2000), θ (1.01–1.02) and width (.1–.2).
    L = 2000 exceeds the distinct n-grams of a Dutch essay; n = 7 and L = 700 are ours, chosen on three training splits
    by mean AUC · accuracy, one setting for all languages. θ = 1.02 and width .15 are not tuned.

    Parameters
    ----------
    n : int
        Characters of an n-gram; case counts, white space is collapsed.
    size : int
        L, the n-grams of a profile.

    References
    ----------
    Jankowska, Kešelj & Milios 2013 (PAN at CLEF).
    """

    name = "cng-2013"
    symmetric = False
    provenance = "reconstructed"

    n: int = 7
    size: int = 700

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Check the parameters; there is nothing to learn.

        Raises
        ------
        SpecError
            If a parameter is not positive.
        """
        if self.n < 1 or self.size < 1:
            raise SpecError("n and size of cng-2013 must be positive", found=str(self))
        return self

    def score(self, problems: Problems) -> Floats:
        """−M, (n,); NaN where the shortest text of a problem has no n-gram."""
        found: Floats = -mean_ratios(problems, "char", (self.n,), (self.size,))[:, 0]
        return found

    def default_calibrator(self) -> Calibrator:
        """A linear map about the published threshold."""
        return Linear()
