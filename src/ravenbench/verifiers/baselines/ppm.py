"""PPM: cross-entropies of the two texts under each other's character model, the PAN compression baseline.

The baseline of PAN20–23 after Teahan & Harper (2003) and, with raw features, of HITS. Nothing is learned before
calibration. See ``ravenbench.text.ppm`` for the model. Deviation: features and answers are not rounded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ravenbench.errors import SpecError
from ravenbench.texts import TextTable
from ravenbench.types import Floats, Ints
from ravenbench.verifiers.calibrators.logistic import Logistic
from ravenbench.verifiers.contract.base import FoldFree


@dataclass(eq=False, repr=False)
class PPM(FoldFree):
    """Cross-entropies in bits a character, low where the texts are alike; the calibrator learns the sign.

    With several known documents the features of the pairs are averaged. A problem with an empty text has NaN
    features: calibrators leave it unanswered.

    Parameters
    ----------
    features : "symmetric" or "raw"
        ``[(h1 + h2) / 2, |h1 − h2|]`` (PAN20/21 and the paper), or ``[h1, h2]`` (PAN22/23 and the HITS code),
        which changes when the texts of a pair are exchanged. h1 is the questioned text under the known
        text's model.
    order : int
        Longest context, 0 … 5.
    escape : "C", optional
        PPM-C's escape probabilities instead of plain shares.
    """

    name = "ppm"

    features: Literal["symmetric", "raw"] = "symmetric"
    order: int = 5
    escape: Literal["C"] | None = None

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        """True if exchanging the texts of a pair leaves the answer unchanged."""
        return self.features == "symmetric"

    def pair_features(self, texts: TextTable, known: Ints, questioned: Ints) -> Floats:
        """Features of document pairs, (n, 2).

        Raises
        ------
        SpecError
            If a parameter is not one of those named above.
        """
        from ravenbench.text.ppm import ORDERS, cross_entropies

        if self.features not in ("symmetric", "raw") or self.order not in ORDERS or self.escape not in (None, "C"):
            raise SpecError(
                "ppm has no such option",
                found=str(self),
                expected="features 'symmetric' or 'raw', order 0 … 5, escape None or 'C'",
            )
        h = cross_entropies(texts, known, questioned, self.order, self.escape)
        if self.features == "raw":
            return h
        return np.stack([h.mean(axis=1), np.abs(h[:, 0] - h[:, 1])], axis=1)

    def default_calibrator(self) -> Logistic:
        return Logistic()
