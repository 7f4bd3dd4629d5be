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
    """The settings that decide a dossier: the system to validate, the conditions, and the criterion."""

    background: Annotated[str, about("Texts by author, as for raven compare.", takes=PATH)]
    conditions: Annotated[
        str | None,
        about(
            "A .csv, .tsv or .jsonl with a row for each cell: questioned and known (numbers of"
            " words), texts (number of known texts), and labels of the background such as topic or"
            " genre: same, different, any, or KNOWN>QUESTIONED.",
            takes=PATH,
        ),
    ] = None
    verifiers: Same = DEFAULT
    authors: Annotated[AtLeastTwo, about("As for raven compare. Default 80.")] = 80
    folds: Annotated[AtLeastTwo, about("As for raven compare. Default 5.", metavar="K")] = 5
    donors: Annotated[AtLeastOne, about("As for raven compare. Default 4.")] = 4
    most_cllr: Annotated[
        Positive,
        about(
            "A cell passes only if the upper limit of C_llr is below this. Default 1, the cost of"
            " uninformative LRs."
        ),
    ] = 1.0
    most_devpav: Annotated[
        Positive,
        about(
            "A cell passes only if the upper limit of devPAV is at most this. Default .3: an"
            " average LR is wrong by less than a factor of two, the lowest step of the verbal"
            " scale."
        ),
    ] = 0.3
    most_mean: Annotated[
        Positive,
        about(
            "A cell passes only if the upper limits of the mean LR of different-author pairs and of"
            " the mean 1/LR of same-author pairs are at most this, and no lower limit is above 1,"
            " the highest mean of well calibrated LRs. Default 1.5."
        ),
    ] = 1.5
    most_misleading: Annotated[
        Positive,
        about(
            "A cell passes only if the upper limits of both rates of strongly misleading LRs are at"
            " most this. Default .1: well calibrated LRs of ten or more mislead in at most one case"
            " in ten. 35 authors can show this; fewer than 29 have no such LRs, and the criterion"
            " is not applicable."
        ),
    ] = 0.1
    strong: Annotated[
        float,
        msgspec.Meta(gt=0, le=100),
        about("Log10 LR from which a misleading LR is strong. Default 1."),
    ] = 1.0
    reach: Annotated[
        float,
        msgspec.Meta(ge=1),
        about(
            "raven compare assigns a case to a cell if its words and its number of known texts are"
            " within this factor of the cell's. Default 1.5."
        ),
    ] = 1.5
    seed: Annotated[int, about("Seed of every random choice; default 0.")] = 0

    def compared(self) -> CompareSpec:
        """Return the system to validate."""
        names = {*self.__struct_fields__} & {*CompareSpec.__struct_fields__}
        return CompareSpec(**{name: getattr(self, name) for name in names})

    def criterion(self) -> Criterion:
        """Return the requirements for a cell."""
        return Criterion(
            cllr=self.most_cllr,
            devpav=self.most_devpav,
            mean=self.most_mean,
            misleading=self.most_misleading,
            strong=self.strong,
            reach=self.reach,
        )
