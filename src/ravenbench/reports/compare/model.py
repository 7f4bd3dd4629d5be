"""From raw scores to log10 likelihood ratios: what likeness in content adds is taken off, then scores are calibrated,
fused, and held within what the background can show.

What is validated is learned without the authors it is validated on: verifiers, calibration and fusion. The LRs that
are validated, plotted and issued are all held in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ravenbench.bench.compare.background import FEWEST_AUTHORS
from ravenbench.randomness import stream
from ravenbench.reports.compare.scores import PairScores
from ravenbench.statistics.elub import Bounds, elub
from ravenbench.statistics.likeness import Excess, excess, knee_of, reach_of
from ravenbench.statistics.lr_models import Calibration, Fusion, calibrate, fuse, worth
from ravenbench.types import Bools, Floats, Ints

FUSED = "all together"
"""The name of the fusion beside the verifiers'."""
UNSHOWN = 0.3
"""Greatest log10 LR for one author where the background does not show what strangers as alike in content score: just
below the least that counts as support."""
DRAWS = 200
"""Bootstrap samples of the background's authors."""
LEVEL = 0.95
Scores = Mapping[str, Floats]


@dataclass(frozen=True, eq=False)
class System:
    """What each verifier's scores gain by likeness in content, their calibrations, and the fusion."""

    excess: Mapping[str, Excess]
    calibrations: Mapping[str, Calibration]
    fusion: Fusion

    def llr(self, scores: Scores, content: Floats) -> dict[str, Floats]:
        """Log10 LRs (n,) of every verifier and of the fusion for pairs with these content similarities (n,)."""
        each = {
            name: found.llr(self.excess[name].taken_off(scores[name], content))
            for name, found in self.calibrations.items()
        }
        return {**each, FUSED: self.fusion.llr(np.column_stack(list(each.values())))}


@dataclass(frozen=True, eq=False)
class Limits:
    """How strong an LR the background can show: ``bounds`` of every verifier and of the fusion; and where two sides are
    more alike in content than ``reach``, none that counts as support for one author."""

    bounds: Mapping[str, Bounds]
    reach: float

    def of(self, name: str, content: float) -> Bounds:
        """The bounds at a content similarity."""
        lower, upper = self.bounds[name]
        return Bounds(lower, min(upper, UNSHOWN) if content > self.reach else upper)

    def held(self, llr: Scores, content: Floats) -> dict[str, Floats]:
        """Log10 LRs (n,) within the limits."""
        return {
            name: np.minimum(
                np.clip(values, *self.bounds[name]), np.where(content > self.reach, UNSHOWN, np.inf)
            )
            for name, values in llr.items()
        }  # fmt: skip


@dataclass(frozen=True, eq=False)
class Validated:
    """Pairs with log10 LRs (n,) by systems that learned nothing from either author, as they would be issued (``llr``)
    and before they were held (``raw``); the limits, and the system of all pairs."""

    pairs: PairScores
    raw: Scores
    llr: Scores
    limits: Limits
    system: System


def learn(pairs: PairScores, weight: Floats, used: Bools | None = None) -> System:
    """Take off what likeness adds, calibrate every verifier and fuse them, on the pairs used (by default all)."""
    used = np.ones(len(pairs), dtype=np.bool_) if used is None else used
    same, content, author = pairs.same[used], pairs.content[used], pairs.authors[used, 0]
    weight = weight[used]
    knee = knee_of(content, same, weight)
    gains, calibrations, members = {}, {}, []
    for name, values in pairs.scores.items():
        gains[name] = excess(values[used], same, content, author, weight, knee)
        rows = gains[name].taken_off(values[used], content)
        calibrations[name] = calibrate(rows, same, weight)
        members.append(calibrations[name].llr(rows))
    return System(gains, calibrations, fuse(np.column_stack(members), same, weight))


def limits(pairs: PairScores, raw: Scores, weight: Floats) -> Limits:
    """Limits from pairs with log10 LRs (n,) that learned nothing from their authors."""
    used = weight > 0
    same, each = pairs.same[used], weight[used]
    counts = worth(each[same]), worth(each[~same])
    bounds = {name: elub(values[used], same, each, counts) for name, values in raw.items()}
    return Limits(bounds, reach_of(pairs.content[used], same, pairs.authors[used, 0], FEWEST_AUTHORS))


@lru_cache(maxsize=8)
def validate(pairs: PairScores) -> Validated:
    """LRs of all background pairs by systems learned from the other folds; limits from these; the system of all. It is
    the same for all cases of a shape."""
    raw: dict[str, Floats] = {}
    for fold in np.unique(pairs.fold):
        out = pairs.fold == fold
        system = learn(pairs, pairs.weight, ~out)
        told = system.llr({name: values[out] for name, values in pairs.scores.items()}, pairs.content[out])
        for name, values in told.items():
            raw.setdefault(name, np.zeros(len(pairs)))[out] = values
    found = limits(pairs, raw, pairs.weight)
    return Validated(pairs, raw, found.held(raw, pairs.content), found, learn(pairs, pairs.weight))


@lru_cache(maxsize=8)
def drawn(valid: Validated, seed: int, draws: int) -> tuple[tuple[System, Limits], ...]:
    """The system and its limits, learned from each bootstrap sample that holds pairs of both kinds.

    Authors of the background are drawn with replacement and a pair counts as often as both its authors were drawn.
    Limits are drawn anew from the LRs that ``valid`` found. The verifiers do not learn again: what the choice of
    authors does to them is not in it.
    """
    pairs = valid.pairs
    authors = np.unique(pairs.authors)
    place = np.searchsorted(authors, pairs.authors)
    found = []
    for number in range(draws):
        rng = stream(seed, "compare-bootstrap", number)
        times = np.bincount(rng.integers(len(authors), size=len(authors)), minlength=len(authors))
        weight = _times(times, place, pairs.same) * pairs.weight
        used = weight > 0
        if used[pairs.same].any() and used[~pairs.same].any():
            found.append((learn(pairs, weight, used), limits(pairs, valid.raw, weight)))
    return tuple(found)


def intervals(
    valid: Validated, scores: Scores, content: Floats, seed: int
) -> tuple[dict[str, tuple[Floats, Floats]], int]:
    """95 % intervals (low (m,), high (m,)) of the log10 LRs of some problems with these scores and content
    similarities, each held within the limits of its sample, and how many samples these are."""
    samples = drawn(valid, seed, DRAWS)
    told = [at.held(system.llr(scores, content), content) for system, at in samples]
    tails = (1 - LEVEL) / 2
    ends = {name: np.quantile(np.stack([one[name] for one in told]), [tails, 1 - tails], axis=0) for name in valid.raw}
    return {name: (low, high) for name, (low, high) in ends.items()}, len(samples)


def _times(times: Ints, place: Ints, same: Bools) -> Floats:
    """How often each pair was drawn: as often as its author, or as both its authors together."""
    return np.where(same, times[place[:, 0]], times[place[:, 0]] * times[place[:, 1]]).astype(np.float64)


def taken(scores: Scores, rows: Sequence[int]) -> dict[str, Floats]:
    """Scores of some problems."""
    return {name: values[np.asarray(rows, dtype=np.int64)] for name, values in scores.items()}
