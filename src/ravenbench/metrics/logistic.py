"""Ridge logistic regression by Newton's method, for tables of few columns."""

from __future__ import annotations

import numpy as np

from ravenbench.types import Bools, Floats

_ROUNDS = 60
_NEAR = 1e-7
"""Where a full step moves log odds as little as this, the next moves them by its square: nothing is left to find."""


def newton(rows: Floats, same: Bools, weight: Floats, ridge: float, towards: Floats) -> Floats:
    """Coefficients of a regularised logistic regression, its intercept last, (f + 1,).

    They minimise the weighted logistic loss + ``ridge / 2 · |coefficients − towards|²``, which is convex: damped
    Newton steps find the one minimum. The intercept is drawn nowhere.

    Parameters
    ----------
    rows : (n, f) float64
    same : (n,) bool
        Truth, of both classes; the log odds ``rows @ coefficients + intercept`` are higher for True.
    weight : (n,) float64
        What each row's loss counts.
    ridge : float
        Strength of the pull, > 0.
    towards : (f,) float64
    """
    design = np.column_stack([rows, np.ones(len(rows))])
    goal = np.append(towards, 0.0)
    pull = np.append(np.full(rows.shape[1], ridge), 1e-12)

    sign, ridges = np.where(same, -1.0, 1.0), np.diag(pull)

    def loss(beta: Floats, odds: Floats) -> float:
        return float(weight @ np.logaddexp(0.0, sign * odds) + pull @ (beta - goal) ** 2 / 2)

    beta = goal.copy()
    odds = design @ beta
    value = loss(beta, odds)
    for _ in range(_ROUNDS):
        p = 0.5 * (1 + np.tanh(odds / 2))
        gradient = design.T @ (weight * (p - same)) + pull * (beta - goal)
        hessian = (design * (weight * p * (1 - p))[:, None]).T @ design + ridges
        step = np.linalg.solve(hessian, gradient)
        size = 1.0
        while (new := loss(near := beta - size * step, there := design @ near)) > value + 1e-12 * (1 + value):
            if size <= 1e-6:
                break
            size /= 2
        moved = np.abs(there - odds).max()
        beta, odds, value = near, there, new
        if size == 1 and moved <= _NEAR:
            break
    return np.asarray(beta)
