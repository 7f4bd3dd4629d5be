"""Figures printed in the PAN-2014 overview, for comparison on corpora of its names.

Stamatatos et al. 2014, Overview of the Author Identification Task at PAN 2014, Tables 3–8: final score, AUC, c@1 of
the meta-classifier, of the best participant by final score, and of the baseline.
"""

from __future__ import annotations

from typing import NamedTuple


class Printed(NamedTuple):
    """One row of the overview."""

    system: str
    final: float
    auc: float
    c_at_1: float


_META, _BASELINE = "META-CLASSIFIER", "BASELINE"
PUBLISHED: dict[str, tuple[Printed, ...]] = {
    "du_essays": (
        Printed(_META, 0.867, 0.957, 0.906),
        Printed("Mayor et al.", 0.823, 0.932, 0.883),
        Printed(_BASELINE, 0.685, 0.865, 0.792),
    ),
    "du_reviews": (
        Printed(_META, 0.428, 0.737, 0.580),
        Printed("Satyam et al.", 0.525, 0.757, 0.694),
        Printed(_BASELINE, 0.322, 0.607, 0.530),
    ),
    "en_essays": (
        Printed(_META, 0.531, 0.781, 0.680),
        Printed("Frery et al.", 0.513, 0.723, 0.710),
        Printed(_BASELINE, 0.288, 0.543, 0.530),
    ),
    "en_novels": (
        Printed(_META, 0.472, 0.732, 0.645),
        Printed("Modaresi & Gross", 0.508, 0.711, 0.715),
        Printed(_BASELINE, 0.202, 0.453, 0.445),
    ),
    "gr_articles": (
        Printed(_META, 0.635, 0.836, 0.760),
        Printed("Khonji & Iraqi", 0.720, 0.889, 0.810),
        Printed(_BASELINE, 0.452, 0.706, 0.640),
    ),
    "sp_articles": (
        Printed(_META, 0.709, 0.898, 0.790),
        Printed("Khonji & Iraqi", 0.698, 0.898, 0.778),
        Printed(_BASELINE, 0.378, 0.713, 0.530),
    ),
}
