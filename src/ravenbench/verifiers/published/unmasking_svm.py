"""Linear SVMs of unmasking in the dual: chunks are few and words many, so all work is on inner products.

The problem is scikit-learn's ``LinearSVC(loss="hinge")`` with its regularised intercept: minimise
½‖w‖² + ½b² + C Σ max(0, 1 − y (w·x + b)), solved by coordinate descent over the dual variables (Hsieh et al. 2008).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ravenbench.types import Bools, Floats, Ints

_PASSES = 300
_ENOUGH = 1e-3


@njit(cache=True)
def solve(gram: Floats, side: Floats, train: Bools, strength: float, alpha: Floats, margin: Floats) -> None:
    """Write dual variables (n,) of the training rows and the decision values w·x + b of all rows.

    ``gram`` is X Xᵀ + 1, symmetric; ``side`` ±1. Stops when no projected gradient of a pass exceeds .001.
    """
    n = len(side)
    alpha[:] = 0.0
    margin[:] = 0.0
    for _ in range(_PASSES):
        worst = 0.0
        for i in range(n):
            if not train[i]:
                continue
            slope = side[i] * margin[i] - 1.0
            if (alpha[i] <= 0.0 and slope > 0.0) or (alpha[i] >= strength and slope < 0.0):
                continue
            worst = max(worst, abs(slope))
            moved = min(max(alpha[i] - slope / gram[i, i], 0.0), strength)
            step = (moved - alpha[i]) * side[i]
            alpha[i] = moved
            if step != 0.0:
                for j in range(n):
                    margin[j] += step * gram[i, j]
        if worst < _ENOUGH:
            break


@njit(cache=True)
def unmask(chunks: Floats, side: Floats, fold: Ints, strength: float, rounds: int, drop: int) -> Floats:
    """Accuracy in cross-validation, (rounds,), before every removal of ``drop`` features for either side.

    Parameters
    ----------
    chunks : (n, features)
        Written over: removed features become 0.
    side : (n,)
        Author of a chunk, ±1.
    fold : (n,)
        Fold of a chunk, from 0.

    The features removed have the largest and the smallest weight by the mean over folds. When none is left the
    accuracy is one half.
    """
    n, width = chunks.shape
    curve = np.full(rounds, 0.5)
    left = np.ones(width, np.bool_)
    gram = np.dot(chunks, chunks.T) + 1.0
    folds = fold.max() + 1
    alpha, margin = np.empty(n), np.empty(n)
    for r in range(rounds):
        if not left.any():
            break
        total = np.zeros(n)
        right = 0
        for f in range(folds):
            solve(gram, side, fold != f, strength, alpha, margin)
            total += alpha
            for i in range(n):
                right += int(fold[i] == f and margin[i] * side[i] > 0.0)
        curve[r] = right / n
        weights = np.dot(total * side, chunks)
        order = np.argsort(np.where(left, weights, np.inf), kind="mergesort")
        remain = left.sum()
        for place in range(remain):
            if place < drop or place >= remain - drop:
                left[order[place]] = False
        gone = np.ascontiguousarray(chunks[:, order[:remain]])
        for place in range(drop, remain - drop):
            gone[:, place] = 0.0
        gram -= np.dot(gone, gone.T)
        chunks[:, ~left] = 0.0
    return curve


def folds_of(first: int, second: int, folds: int) -> Ints:
    """Folds of ``first`` chunks of one text and ``second`` of the other, dealt in turn on either side."""
    return np.concatenate([np.arange(first), np.arange(second)]).astype(np.int64) % folds
