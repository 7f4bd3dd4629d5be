"""What likelihood ratios are worth on background pairs, all together and by what sets pairs apart."""

from __future__ import annotations

import numpy as np

from ravenbench.reports.compare.model import FUSED, Validated
from ravenbench.reports.compare.records import Worth
from ravenbench.reports.compare.scores import PairScores
from ravenbench.statistics.likelihood_ratios import cllr, cllr_min, eer
from ravenbench.types import Bools, Floats

FEWEST = 10
"""Pairs of each class below which nothing is said of a slice."""


def worth_of(llr: Floats, same: Bools, weight: Floats | None = None, fewest: int = 1) -> Worth | None:
    """C_llr, C_llr^min and equal error rate of log10 LRs; None where a class has fewer pairs than ``fewest``."""
    count, others = int(same.sum()), int((~same).sum())
    if min(count, others) < fewest:
        return None
    return Worth(count, others, cllr(llr, same, weight), cllr_min(llr, same, weight), eer(llr, same, weight))


def slices(pairs: PairScores, valid: Validated, at: float) -> tuple[tuple[str, Worth | None], ...]:
    """The fusion's worth on all pairs, by what they stand for; on those as alike in content as the case or more; by
    content similarity; and on unseen topics."""
    llr = valid.llr[FUSED]
    low, high = np.quantile(pairs.content, [1 / 3, 2 / 3])
    near, far = pairs.content > high, pairs.content <= low
    found: list[tuple[str, Worth | None]] = [
        ("all pairs", worth_of(llr, pairs.same, pairs.weight)),
    ]
    for name, chosen in (
        ("content as alike as in this case, or more", pairs.content >= at),
        ("content most alike", near),
        ("content between", ~near & ~far),
        ("content least alike", far),
        ("topic never seen in training", pairs.unseen),
    ):
        found.append((name, worth_of(llr[chosen], pairs.same[chosen], None, FEWEST)))
    return tuple(found)
