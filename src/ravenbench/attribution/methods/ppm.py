"""PPM: the author whose joined texts compress a text best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ravenbench.attribution.base import Attributor
from ravenbench.text.ppm import cross_entropies
from ravenbench.texts import TextTable
from ravenbench.types import Floats, Ints


@dataclass(eq=False, repr=False)
class PPM(Attributor):
    """Attributes a text to the author under whose joined training texts its cross-entropy is least.

    One model an author; the time is that of authors × texts comparisons.

    Parameters
    ----------
    order : int
        Longest context, 0 … 5.
    escape : "C", optional
        PPM-C's escape probabilities instead of plain shares.

    References
    ----------
    Teahan & Harper 2003; see ``ravenbench.text.ppm`` for the model.
    """

    name = "ppm"

    order: int = 5
    escape: Literal["C"] | None = None

    def _fit(self, texts: TextTable, rows: Ints, codes: Ints) -> None:
        self.joined_ = ["\n".join(texts.rows(rows[codes == a])) for a in range(len(self.classes_))]

    def _scores(self, texts: TextTable, rows: Ints) -> Floats:
        table, at = TextTable.collect([*self.joined_, *texts.rows(rows)])
        authors = len(self.joined_)
        model, text = np.tile(at[:authors], len(rows)), np.repeat(at[authors:], authors)
        bits = cross_entropies(table, model, text, self.order, self.escape)[:, 0].reshape(len(rows), authors)
        return np.where(np.isnan(bits), -np.inf, -bits)
