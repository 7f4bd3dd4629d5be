"""The gain of the crossed probe, with a standard error that is estimated and not assumed (ours).

Every repetition r has two test sets s, each answered by the fit from its own domain (*home*) and the one from the other
domain (*away*): D = AUC(home) − AUC(away), and the repetition's gain is the mean of its two D. What is meant is the
mean over repetitions, and over topics of the kind at hand.

Repetitions draw their domains from the same topics, so they are correlated, and nothing in one number a repetition
shows by how much: all pairs of repetitions share about as many topics. The problems show it. With
placements (see ``estimates``) each problem has its part in D, a topic has the sum over its problems, and a topic whose
problems gain much in one repetition and again in the next shows what repetitions have in common. So

    variance = (between repetitions) + (over topics, across repetitions) − (over topics, within a repetition):

pairs of problems count where they share a repetition or a topic. The first term is s²/R; the variance is never taken
below it.

By construction the null of permuted similarities has expectation 0 (exchanging the two training sets turns the sign
and is as likely), so the gain stands for itself; ``against`` subtracts a null where one was run.

References
----------
Cameron, Gelbach & Miller 2011, Robust inference with multiway clustering. JBES 29(2). DeLong et al. 1988.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ravenbench.statistics.estimates import Estimate, Units, from_variances, placements
from ravenbench.types import Bools, Floats, Ints

SAME = 1e-9
"""Standardised scores this near are the same but for rounding."""


@dataclass(frozen=True, eq=False)
class Crossed:
    """One test set of a repetition: ``same`` (n,), truth; ``home`` and ``away`` (n,), scores after training near the
    test topics and in the other domain, higher = same author; ``topics`` (n, 2), codes of known and questioned texts.
    """

    same: Bools
    home: Floats
    away: Floats
    topics: Ints

    @property
    def usable(self) -> bool:
        """Whether both classes occur."""
        return bool(self.same.any() and not self.same.all())


Repetition = tuple[Crossed, Crossed]


def alike(repetitions: Sequence[Repetition]) -> bool:
    """Whether home and away answered alike throughout: then the probe does not apply.

    Alike are scores in the same order, ties included, or equal but for place and scale (and rounding): a calibrator or
    a standardisation is then all that was learned.
    """
    return bool(repetitions) and all(_alike(test.home, test.away) for pair in repetitions for test in pair)


def gain_of(pair: Repetition) -> float | None:
    """The gain of one repetition; None where a test set lacks a class."""
    if not all(test.usable for test in pair):
        return None
    return float(np.mean([_difference(test)[0] for test in pair]))


def gain_figure(repetitions: Sequence[Repetition], level: float = 0.95) -> Estimate | None:
    """Mean gain with standard error and interval; repetitions that lack a class are left out; None where all do."""
    used = [pair for pair in repetitions if all(test.usable for test in pair)]
    if not used:
        return None
    mean = float(np.mean([gain_of(pair) for pair in used]))
    if len(used) < 2:
        return Estimate(mean, None, None, None)
    effects = np.concatenate([_effects(test, mean) for pair in used for test in pair]) / len(used)
    topics = np.concatenate([test.topics for pair in used for test in pair])
    owner = np.repeat(np.arange(len(used)), [sum(len(test.same) for test in pair) for pair in used])
    single = np.arange(len(owner), dtype=np.int64)
    size = int(topics.max()) + 1
    of_topics = Units(topics, single)
    within = np.where(topics >= 0, topics + size * owner[:, None], -1)
    between = float((np.bincount(owner, effects) ** 2).sum()) * len(used) / (len(used) - 1)
    across = max(of_topics.variance(effects) - Units(within, single).variance(effects), 0.0)
    return from_variances(mean, [(between, len(used) - 1), (across, of_topics.count - 1)], level)


def _alike(a: Floats, b: Floats) -> bool:
    place_a, place_b = (np.unique(x, return_inverse=True)[1] for x in (a, b))
    if np.array_equal(a, b) or np.array_equal(place_a, place_b):
        return True
    one, two = (np.asarray((x - x.mean()) / (x.std() or 1.0)) for x in (a, b))
    return bool(np.allclose(one, two, rtol=0.0, atol=SAME))


def _difference(test: Crossed) -> tuple[float, Floats]:
    """D of a test set, and by how much each problem's placement differs between home and away, (n,)."""
    home, of_home = placements(test.same, test.home, test.home)
    away, of_away = placements(test.same, test.away, test.away)
    return home - away, of_home - of_away


def _effects(test: Crossed, mean: float) -> Floats:
    """Each problem's part (n,) in how far a test set, half of its repetition, lies from the mean gain."""
    difference, moved = _difference(test)
    size = np.where(test.same, test.same.sum(), len(test.same) - test.same.sum())
    return np.asarray(0.5 * ((moved - difference) + 0.5 * (difference - mean)) / size, dtype=np.float64)
