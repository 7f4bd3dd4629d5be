"""raven-style: Raven's attribution method on what texts are without their content."""

from __future__ import annotations

from dataclasses import dataclass

from ravenbench.ext.shelf.raven_2026.attribution import Raven2026
from ravenbench.ext.shelf.raven_style.mask import ContentMask
from ravenbench.texts import TextTable
from ravenbench.types import Floats, Ints


@dataclass(eq=False, repr=False)
class RavenStyle(Raven2026):
    """``raven-2026`` through ``content-mask``: names authors by what is left of texts without their content words.

    Lengths of words stay. For who wrote about something else than the candidates' texts; where subjects help and may,
    ``raven-2026`` is right more often.

    Attributes
    ----------
    mask_ : ContentMask
    """

    name = "raven-style"
    provenance = "ours"

    def _fit(self, texts: TextTable, rows: Ints, codes: Ints) -> None:
        read = texts.rows(rows)
        self.mask_ = ContentMask(lengths=True).fit(read)
        super()._fit(*TextTable.collect(self.mask_.transform(read)), codes)

    def _scores(self, texts: TextTable, rows: Ints) -> Floats:
        return super()._scores(*TextTable.collect(self.mask_.transform(texts.rows(rows))))
