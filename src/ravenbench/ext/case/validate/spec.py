"""Says what decides a dossier: the system, the conditions and the criterion.

In: options of the command line, the keys of a spec file or arguments in Python.
Out: a checked ``ValidateSpec``, and from it a ``CompareSpec`` (the system) and a ``Criterion``; upper limits of C_llr
in bits, of devPAV in log10, of mean LRs as LRs, of misleading LRs as shares from 0 to 1; ``strong`` a log10 LR;
``reach`` a factor ≥ 1; authors, folds and donors (replacements of content words) are counts.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from ravenbench.engine.options import PATH, AtLeastOne, AtLeastTwo, CorpusSpec, about
from ravenbench.ext.case.compare.dossier import Criterion
from ravenbench.ext.case.compare.spec import DEFAULT, CompareSpec, Same

Positive = Annotated[float, msgspec.Meta(gt=0)]


class ValidateSpec(CorpusSpec, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What decides a dossier: the system that is validated, the conditions, and the criterion."""

    background: Annotated[str, about("Texts by author, as raven compare takes them.", takes=PATH)]
    conditions: Annotated[
        str | None,
        about(
            "A .csv, .tsv or .jsonl, a row for each cell: questioned and known (words), texts"
            " (known ones), and labels of the background, such as topic or genre: same, different,"
            " any, or KNOWN>QUESTIONED.",
            takes=PATH,
        ),
    ] = None
    verifiers: Same = DEFAULT
    authors: Annotated[AtLeastTwo, about("As of raven compare. Default 80.")] = 80
    folds: Annotated[AtLeastTwo, about("As of raven compare. Default 5.", metavar="K")] = 5
    donors: Annotated[AtLeastOne, about("As of raven compare. Default 4.")] = 4
    most_cllr: Annotated[
        Positive,
        about(
            "A cell passes only if the upper end of the interval of C_llr is below this. Default 1,"
            " what LRs cost that say nothing."
        ),
    ] = 1.0
    most_devpav: Annotated[
        Positive,
        about(
            "… if the upper end of that of devPAV does not exceed this. Default .3: on the mean an"
            " LR is wrong by less than a factor of two, the least step of the verbal scale."
        ),
    ] = 0.3
    most_mean: Annotated[
        Positive,
        about(
            "… if the upper ends of those of the mean LR of strangers and of the mean 1 / LR of own"
            " texts do not exceed this, and no lower end is above 1, which no mean exceeds where"
            " LRs mean what they say. Default 1.5."
        ),
    ] = 1.5
    most_misleading: Annotated[
        Positive,
        about(
            "… and if the upper ends of the intervals of both rates of strongly misleading LRs do"
            " not exceed this. Default .1: LRs of ten or more that mean what they say mislead in at"
            " most one case in ten. 35 authors can show it; fewer than 29 have no such LRs, and it is"
            " not applicable."
        ),
    ] = 0.1
    strong: Annotated[
        float,
        msgspec.Meta(gt=0, le=100),
        about("Log10 LR from which a misleading one is strong. Default 1."),
    ] = 1.0
    reach: Annotated[
        float,
        msgspec.Meta(ge=1),
        about(
            "Factor in words and in number of known texts within which raven compare takes a case"
            " to fall into a cell. Default 1.5."
        ),
    ] = 1.5
    seed: Annotated[int, about("Seed of every random choice; default 0.")] = 0

    def compared(self) -> CompareSpec:
        """The system that is validated."""
        names = {*self.__struct_fields__} & {*CompareSpec.__struct_fields__}
        return CompareSpec(**{name: getattr(self, name) for name in names})

    def criterion(self) -> Criterion:
        """What a cell must keep."""
        return Criterion(
            cllr=self.most_cllr,
            devpav=self.most_devpav,
            mean=self.most_mean,
            misleading=self.most_misleading,
            strong=self.strong,
            reach=self.reach,
        )
