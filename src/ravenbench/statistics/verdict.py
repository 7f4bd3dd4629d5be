"""The verdict on a verifier: what its probe allows to be said (ours).

*topic-reliant*: the gain exceeds that of the null, by a two-sided test at the 5 % level corrected over all verifiers
of the run (Holm). *no verdict*: there is not enough to go by, for one of the reasons below. *not distinguishable
from none*: all else. A lower gain than the null's never convicts.

There is too little to go by where fewer than five repetitions are complete on either side, where test sets have fewer
than 20 pairs of each class on average, or where nothing was found and a true difference of .05 in AUC could have gone
unseen (four times in five it would have shown).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from ravenbench.statistics.gains import GainTest
from ravenbench.statistics.multiplicity import holm

LEVEL = 0.05
FEWEST_REPETITIONS = 5
FEWEST_PAIRS = 20
MOST_DETECTABLE = 0.05
SHOWN = ("matched",)
"""Pair rules under which simulations showed what the verdict claims (docs/verdict.md)."""


class Verdict(StrEnum):
    """The verdicts that can be passed on a verifier."""

    RELIANT = "topic-reliant"
    NONE_SEEN = "not distinguishable from none"
    NO_VERDICT = "no verdict"


class Judged(NamedTuple):
    """A verdict, its p after Holm's correction, and why none was given where none was."""

    verdict: Verdict
    p_holm: float | None
    reason: str | None


def shown_under(rule: str) -> bool:
    """Whether runs with this pair rule give verdicts."""
    return rule.partition("(")[0] in SHOWN


def judge(tests: Sequence[GainTest], pairs: float | None, rule: str = SHOWN[0]) -> list[Judged]:
    """Verdicts on all verifiers of a run.

    Parameters
    ----------
    tests : sequence of GainTest
        One a verifier.
    pairs : float or None
        Test pairs of the rarer class, mean over the probe's test sets; None where there was no probe.
    rule : str
        Pair rule of the run; there is no verdict under one not in ``SHOWN``.
    """
    known = [test.p for test in tests if test.p is not None]
    adjusted = iter(holm(np.asarray(known)).tolist() if known else [])
    judged = [_judge(test, None if test.p is None else next(adjusted), pairs) for test in tests]
    if shown_under(rule) or pairs is None:
        return judged
    reason = f"simulations have not shown that verdicts hold for {rule} pairs"
    return [Judged(Verdict.NO_VERDICT, one.p_holm, reason) for one in judged]


def _judge(test: GainTest, p: float | None, pairs: float | None) -> Judged:
    if pairs is None:
        return Judged(Verdict.NO_VERDICT, p, "there was no crossed probe")
    fewest = min(test.repetitions, test.null_repetitions)
    if fewest < FEWEST_REPETITIONS or p is None or test.difference is None:
        return Judged(Verdict.NO_VERDICT, p, f"{fewest} complete repetitions, {FEWEST_REPETITIONS} are needed")
    if pairs < FEWEST_PAIRS:
        return Judged(Verdict.NO_VERDICT, p, _too_few(pairs))
    if p < LEVEL and test.difference > 0:
        return Judged(Verdict.RELIANT, p, None)
    if test.detectable is not None and test.detectable > MOST_DETECTABLE:
        return Judged(
            Verdict.NO_VERDICT, p, f"a difference of {test.detectable:.3f} could have gone unseen; .050 must show"
        )
    return Judged(Verdict.NONE_SEEN, p, None)


def _too_few(pairs: float) -> str:
    found = f"test sets have {pairs:.0f} pairs of a class, {FEWEST_PAIRS} are needed"
    return f"{found}: more documents an author and topic, or more --docs-per-topic"
