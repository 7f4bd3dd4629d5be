"""From raw scores to log10 likelihood ratios: verifiers calibrated, fused and bounded on pairs that are like the case.

Pairs count by how near they are to the case in content similarity, so that the LR tells style at this distance of
topics. What is validated is learned without the authors it is validated on: verifiers, calibration and fusion.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ravenbench.randomness import stream
from ravenbench.reports.compare.scores import PairScores
from ravenbench.statistics.elub import Bounds, elub
from ravenbench.statistics.lr_models import Calibration, Fusion, calibrate, fuse, worth
from ravenbench.types import Bools, Floats, Ints

FUSED = "all together"
"""The name of the fusion beside the verifiers'."""
NEAR = 1.0
"""Width, in standard deviations of content similarity over all pairs, of what counts as near to the case."""
LEAST_WORTH = 0.4
"""Share of each class that the weights must be worth; they are widened until they are."""
DRAWS = 200
"""Bootstrap samples of the background's authors."""
LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class System:
    """Calibrations of all verifiers and their fusion."""

    calibrations: Mapping[str, Calibration]
    fusion: Fusion

    def llr(self, scores: Mapping[str, Floats]) -> dict[str, Floats]:
        """Log10 LRs (n,) of every verifier and of the fusion."""
        each = {name: found.llr(scores[name]) for name, found in self.calibrations.items()}
        return {**each, FUSED: self.fusion.llr(np.column_stack(list(each.values())))}


@dataclass(frozen=True, eq=False)
class Validated:
    """Pairs with log10 LRs (n,) by systems that learned nothing from either author, ``weight`` (n,), and the bounds."""

    pairs: PairScores
    weight: Floats
    llr: Mapping[str, Floats]
    bounds: Mapping[str, Bounds]
    system: System


def comparable(content: Floats, same: Bools) -> tuple[float, float]:
    """The content similarities that pairs of both kinds have, but for the outermost twentieth of either kind.

    A case outside is compared with the pairs at the end of this range: beyond it only one kind of pair is left, and
    that content is so alike would itself tell for one side.
    """
    own, other = (np.quantile(content[side], [0.05, 0.95]) for side in (same, ~same))
    low = float(max(own[0], other[0]))
    return low, max(low, float(min(own[1], other[1])))


def likeness(content: Floats, same: Bools, at: float) -> Floats:
    """Weights (n,) of pairs by how near their content similarity is to that of the case, in (0, 1]; ``at`` is held
    within what is comparable."""
    low, high = comparable(content, same)
    at = min(max(at, low), high)
    spread = float(np.std(content))
    if spread < 1e-12:
        return np.ones(len(content))
    width = NEAR
    while True:
        weight = np.exp(-0.5 * ((content - at) / (width * spread)) ** 2) + 1e-3
        if min(worth(weight[side]) / max(side.sum(), 1) for side in (same, ~same)) >= LEAST_WORTH or width > 30:
            return np.asarray(weight / weight.max())
        width *= 1.3


def learn(scores: Mapping[str, Floats], same: Bools, weight: Floats) -> System:
    """Calibrate every verifier and fuse them, on scores out of fold."""
    calibrations = {name: calibrate(values, same, weight) for name, values in scores.items()}
    members = np.column_stack([found.llr(scores[name]) for name, found in calibrations.items()])
    return System(calibrations, fuse(members, same, weight))


def validate(pairs: PairScores, weight: Floats) -> Validated:
    """LRs of all background pairs by systems learned from the other folds; bounds from these; the system of all."""
    llr: dict[str, Floats] = {}
    for fold in np.unique(pairs.fold):
        rest, out = pairs.fold != fold, pairs.fold == fold
        system = learn({name: v[rest] for name, v in pairs.scores.items()}, pairs.same[rest], weight[rest])
        for name, values in system.llr({name: v[out] for name, v in pairs.scores.items()}).items():
            llr.setdefault(name, np.zeros(len(pairs)))[out] = values
    counts = worth(weight[pairs.same]), worth(weight[~pairs.same])
    bounds = {name: elub(values, pairs.same, weight, counts) for name, values in llr.items()}
    return Validated(pairs, weight, llr, bounds, learn(pairs.scores, pairs.same, weight))


def intervals(
    pairs: PairScores, weight: Floats, scores: Mapping[str, Floats], seed: int
) -> tuple[dict[str, tuple[Floats, Floats]], int]:
    """95 % intervals (low (m,), high (m,)) of the log10 LRs of some problems with these scores, and the samples drawn.

    Authors of the background are drawn with replacement and a pair counts as often as both its authors were drawn;
    calibration and fusion are learned anew each time. The verifiers themselves are not: what the choice of authors does
    to them is not in the interval.
    """
    authors = np.unique(pairs.authors)
    place = np.searchsorted(authors, pairs.authors)
    drawn: dict[str, list[Floats]] = {}
    for number in range(DRAWS):
        rng = stream(seed, "compare-bootstrap", number)
        times = np.bincount(rng.integers(len(authors), size=len(authors)), minlength=len(authors))
        count = _times(times, place, pairs.same) * weight
        if min(count[pairs.same].sum(), count[~pairs.same].sum()) <= 0:
            continue
        used = count > 0
        system = learn({name: v[used] for name, v in pairs.scores.items()}, pairs.same[used], count[used])
        for name, values in system.llr(scores).items():
            drawn.setdefault(name, []).append(values)
    tails = (1 - LEVEL) / 2
    ends = {name: np.quantile(np.stack(values), [tails, 1 - tails], axis=0) for name, values in drawn.items()}
    return {name: (low, high) for name, (low, high) in ends.items()}, len(next(iter(drawn.values()), []))


def _times(times: Ints, place: Ints, same: Bools) -> Floats:
    """How often each pair was drawn: as often as its author, or as both its authors together."""
    return np.where(same, times[place[:, 0]], times[place[:, 0]] * times[place[:, 1]]).astype(np.float64)


def taken(scores: Mapping[str, Floats], rows: Sequence[int]) -> dict[str, Floats]:
    """Scores of some problems."""
    return {name: values[np.asarray(rows, dtype=np.int64)] for name, values in scores.items()}
