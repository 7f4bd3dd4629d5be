"""What every metric is computed from: six counts, the Mann–Whitney count and the squared error.

Each metric is one formula over :class:`Sums`. Its fields may be numbers or arrays of any one shape, so that the
same formula serves a single evaluation, thousands of bootstrap replicates and thousands of randomized trials.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ravenbench.errors import InputError
from ravenbench.types import Bools, Floats

TP, FN, UP, FP, TN, UN = range(6)


class Sums(NamedTuple):
    """Sums over problems (weighted where problems are resampled).

    ``tp``, ``fn`` and ``up`` are same-author problems answered above, below and at exactly 0.5; ``fp``, ``tn``
    and ``un`` the different-author ones. ``u2`` is twice the number of (same, different) pairs of problems in
    the right order, ties counting once: an integer. ``sq`` is Σ (value − truth)².
    """

    tp: Floats
    fn: Floats
    up: Floats
    fp: Floats
    tn: Floats
    un: Floats
    u2: Floats
    sq: Floats

    @property
    def positives(self) -> Floats:
        """Number of same-author problems."""
        return self.tp + self.fn + self.up

    @property
    def negatives(self) -> Floats:
        """Number of different-author problems."""
        return self.fp + self.tn + self.un

    @property
    def n(self) -> Floats:
        """Number of all problems."""
        return self.positives + self.negatives

    @property
    def unanswered(self) -> Floats:
        """Number of problems answered with exactly 0.5."""
        return self.up + self.un

    @property
    def correct(self) -> Floats:
        """Number of problems answered rightly."""
        return self.tp + self.tn


def checked(same: ArrayLike, value: ArrayLike, decision: ArrayLike | None = None) -> tuple[Bools, Floats, Floats]:
    """Check truth, values and decisions, and return them as arrays of one length.

    InputError if there is no problem at all, lengths differ, truth is not boolean, or a number is not in its range.

    Parameters
    ----------
    same : (n,) bool
        Truth.
    value : (n,) float
        Answers in [0, 1], higher = same author, exactly 0.5 = unanswered.
    decision : (n,) float, optional
        1 (same), 0 (different) or 0.5 (unanswered) where the system said so apart from its score, as in
        PAN-2013. Otherwise the value decides.
    """
    truth, values = np.asarray(same), np.asarray(value)
    if truth.ndim != 1 or truth.shape != values.shape:
        raise InputError("truth and answers differ in length", found=f"{truth.shape} and {values.shape}")
    if not len(truth):
        raise InputError("there is no problem to evaluate", expected="at least one")
    if truth.dtype != np.bool_ and not np.isin(truth, (0, 1)).all():
        raise InputError("truth is not boolean", found=truth[:5], expected="True (same author) or False")
    try:
        values = values.astype(np.float64)
    except (TypeError, ValueError):
        raise InputError("an answer is not a number", found=value, expected="numbers from 0 to 1") from None
    _within((values >= 0) & (values <= 1), values, "a number from 0 to 1")
    decisions = values
    if decision is not None:
        decisions = np.asarray(decision, dtype=np.float64)
        if decisions.shape != values.shape:
            raise InputError("decisions and answers differ in length", found=f"{decisions.shape} and {values.shape}")
        _within(np.isin(decisions, (0.0, 0.5, 1.0)), decisions, "0 (different), 0.5 (unanswered) or 1 (same)")
    return truth.astype(np.bool_), values, decisions


def _within(good: Bools, values: Floats, expected: str) -> None:
    if not good.all():
        i = int(np.argmin(good))
        raise InputError(f"answer number {i + 1} is out of range", found=float(values[i]), expected=expected)


def categories(same: Bools, decision: Floats) -> NDArray[np.uint8]:
    """The category of each problem, 0…5 in the order of the fields of :class:`Sums`."""
    side = np.where(decision > 0.5, 0, np.where(decision < 0.5, 1, 2))
    return np.where(same, np.array([TP, FN, UP])[side], np.array([FP, TN, UN])[side]).astype(np.uint8)


def count(same: Bools, value: Floats, decision: Floats) -> Sums:
    """Plain, unweighted sums of checked arrays; the kernel in ``weighted`` is tested against it."""
    tp, fn, up, fp, tn, un = np.bincount(categories(same, decision), minlength=6).astype(np.float64)
    # Twice the rank of each value, ties sharing their mean: whole numbers.
    _, place, number = np.unique(value, return_inverse=True, return_counts=True)
    ranks2 = (2 * np.cumsum(number) - number + 1.0)[place]
    positives = float(same.sum())
    u2 = ranks2[same].sum() - positives * (positives + 1)
    return Sums(tp, fn, up, fp, tn, un, np.asarray(u2), np.asarray(np.square(value - same).sum()))
