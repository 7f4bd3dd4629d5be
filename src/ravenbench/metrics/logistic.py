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
    sign = np.where(same, 1.0, -1.0)

    def loss(beta: Floats) -> float:
        return float(weight @ np.logaddexp(0.0, -sign * (design @ beta)) + pull @ (beta - goal) ** 2 / 2)

    beta = goal.copy()
    value = loss(beta)
    for _ in range(_ROUNDS):
        p = 0.5 * (1 + np.tanh(design @ beta / 2))
        gradient = design.T @ (weight * (p - same)) + pull * (beta - goal)
        hessian = (design * (weight * p * (1 - p))[:, None]).T @ design + np.diag(pull)
        step = np.linalg.solve(hessian, gradient)
        size = 1.0
        while (new := loss(beta - size * step)) > value + 1e-12 * (1 + value) and size > 1e-6:
            size /= 2
        beta, value = beta - size * step, new
        if size == 1 and np.abs(design @ step).max() <= _NEAR:
            break
    return np.asarray(beta)
