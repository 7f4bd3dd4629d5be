"""How safe an obfuscation is: what it does to the decisions of one method, and which failures excuse which gains.

The counting is that of attribution, of which verification is a case: a method maps problems to labels (authors, or
"nobody" in open classes; for verification "same" and "different"), some problems were attacked, the rest were not.

References
----------
Potthast, Hagen & Stein 2016, Author Obfuscation: Attacking the State of the Art in Authorship Verification (CLEF
working notes), sections 3 to 5.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ravenbench.errors import InputError
from ravenbench.metrics.pan import scores
from ravenbench.metrics.sums import checked
from ravenbench.types import Bools, Floats

NOISE, WEAK, SMALL, SHIFT = 0.1, 0.6, 20, 0.1
"""Limits of the four dismissals: impact, prior accuracy, attacked problems, change on untouched problems."""

REASONS = {
    1: "the gain is small enough to be noise",
    2: "the method was hardly better than guessing before",
    3: "few problems were attacked",
    4: "its answers to untouched problems shifted too: they depend on other problems of the batch",
}
"""Why a method's gain from an obfuscation need not trouble anybody."""


@dataclass(frozen=True)
class Effect:
    """What an attack did to one method.

    ``accuracy`` is over all problems, ``recall`` over the attacked ones, both before the attack; ``delta_*`` are
    after minus before. ``delta_rest`` is the change of accuracy on untouched problems (in verification that of the
    true-negative rate), None where there are none. ``lost`` and ``gained`` count attacked problems whose answer
    turned wrong and right, ``rest_lost`` and ``rest_gained`` untouched ones.
    """

    problems: int
    attacked: int
    accuracy: float
    delta_acc: float
    recall: float
    delta_rec: float
    delta_rest: float | None
    lost: int
    gained: int
    rest_lost: int
    rest_gained: int

    @property
    def impact(self) -> float:
        """The impact on recall as :func:`impact` defines it."""
        return float(impact(self.recall, self.recall + self.delta_rec))


def impact(recall: ArrayLike, attacked: ArrayLike) -> Floats:
    """Impact of an attack on recall, elementwise, from −1 to 1; positive where the attacker wins.

    The loss relative to all that could be lost, a gain relative to all that could be gained; 0 without change.
    """
    before, after = np.asarray(recall, dtype=np.float64), np.asarray(attacked, dtype=np.float64)
    change = after - before
    change = np.where(np.abs(change) < 1e-12, 0.0, change)
    room = np.where(change < 0, before, 1 - before)
    return np.divide(-change, room, out=np.zeros_like(change), where=change != 0)


def effect(truth: ArrayLike, before: ArrayLike, after: ArrayLike, attacked: ArrayLike) -> Effect:
    """Compare a method's labels before and after an attack.

    InputError if lengths differ or nothing was attacked. ``truth``, ``before`` and ``after`` (n,) are labels of one
    kind: author names or codes, or booleans in verification. A label for "nobody" is a label like others; it is right
    where truth says so. ``attacked`` (n,) marks the problems whose text was rewritten.
    """
    gold, first, second = np.asarray(truth), np.asarray(before), np.asarray(after)
    hit = np.asarray(attacked, dtype=bool)
    if not gold.shape == first.shape == second.shape == hit.shape or gold.ndim != 1:
        raise InputError("truth, labels and attacked problems differ in length", found=(gold.shape, first.shape))
    if not hit.any():
        raise InputError("no problem was attacked", expected="at least one")
    right, still = first == gold, second == gold
    lost, gained = right & ~still, ~right & still
    n, k = len(gold), int(hit.sum())

    def change(where: Bools) -> int:
        return int(gained[where].sum()) - int(lost[where].sum())

    return Effect(
        problems=n, attacked=k, accuracy=float(right.mean()), delta_acc=(change(hit) + change(~hit)) / n,
        recall=float(right[hit].mean()), delta_rec=change(hit) / k,
        delta_rest=change(~hit) / (n - k) if n > k else None, lost=int(lost[hit].sum()),
        gained=int(gained[hit].sum()), rest_lost=int(lost[~hit].sum()), rest_gained=int(gained[~hit].sum()),
    )  # fmt: skip


def best_threshold(same: ArrayLike, value: ArrayLike) -> float:
    """The threshold of most accuracy when "same author" is answered at or above it (an oracle's choice).

    Of equally accurate ones a threshold that splits the problems, then the nearest to 0.5, then the larger.
    One that labels all problems alike is ±∞: such a method cannot be evaluated.
    """
    truth, values, _ = checked(same, value)
    # The lowest value itself would label every problem "same": that is −∞.
    candidates: list[float] = [-math.inf, *np.unique(values)[1:].tolist(), math.inf]

    def merit(threshold: float) -> tuple[int, bool, float, float]:
        finite = math.isfinite(threshold)
        correct = int(((values >= threshold) == truth).sum())
        return correct, finite, -abs(threshold - 0.5) if finite else 0.0, threshold

    return max(candidates, key=merit)


@dataclass(frozen=True)
class VerificationEffect:
    """What an obfuscation did to one verifier: decisions at ``threshold``, and threshold-free metrics.

    ``excluded`` says why the verifier does not count towards averages, None where it does. ``delta_auc``,
    ``delta_c1`` and ``delta_final`` compare the answers to the whole test set; c@1 decides at 0.5, not at
    ``threshold``. None where undefined.
    """

    threshold: float
    effect: Effect
    delta_auc: float | None
    delta_c1: float | None
    delta_final: float | None
    excluded: str | None = None


def verification_effect(same: ArrayLike, before: ArrayLike, after: ArrayLike) -> VerificationEffect:
    """Compare a verifier's answers (n,) before and after the same-author problems were obfuscated.

    InputError if an answer is not a number from 0 to 1, or there is no same-author problem.
    """
    truth, first, _ = checked(same, before)
    _, second, _ = checked(same, after)
    threshold = best_threshold(truth, first)
    was, now = scores(truth, first), scores(truth, second)

    def change(metric: str) -> float | None:
        a, b = was[metric], now[metric]
        return None if a is None or b is None else b - a

    return VerificationEffect(
        threshold=threshold, effect=effect(truth, first >= threshold, second >= threshold, truth),
        delta_auc=change("auc"), delta_c1=change("c@1"), delta_final=change("final"),
        excluded=None if math.isfinite(threshold) else "no threshold beats one answer to all problems",
    )  # fmt: skip


def average_impact(effects: Iterable[Effect]) -> float | None:
    """The mean of impacts, negative ones included; None where there are none."""
    impacts = [e.impact for e in effects]
    return float(np.mean(impacts)) if impacts else None


def dismissals(effect: Effect) -> tuple[int, ...] | None:
    """Why a method's gain from an attack can be dismissed: numbers of ``REASONS``, all that apply.

    None where it gained nothing; empty where it gained and nothing excuses the attacker (the paper prints "?").
    """
    gain = effect.impact
    if gain >= 0:
        return None
    applies = {
        1: gain > -NOISE,
        2: effect.accuracy < WEAK,
        3: effect.attacked < SMALL,
        4: gain < -NOISE and effect.delta_rest is not None and effect.delta_rest < -SHIFT,
    }
    return tuple(number for number, holds in applies.items() if holds)
