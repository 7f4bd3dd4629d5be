"""Linear classifiers of many authors and few documents, trained on the documents' inner products.

With n documents, V units and V ≫ n, a linear model with a quadratic penalty is a combination of the n documents, so
training needs their n × n products alone. Support vector machines, one author against all others, are then solved
for all authors at once; maximum entropy is solved by scikit-learn in n coordinates instead of V. Both give the model
that scikit-learn gives on the counts themselves, which is what happens where documents are many.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from ravenbench.randomness import stream
from ravenbench.types import Floats, Ints

DUAL_LIMIT = 4000
"""Most documents (and fewer than features) for which products are used."""
_RIDGE = 1e-9
_ORDERS = 64
_TOLERANCE = 1e-4


def svm(features: Any, codes: Ints, authors: int, c: float) -> tuple[Floats, Floats]:
    """One-against-all linear support vector machines with squared hinge loss and a penalised bias.

    Equals scikit-learn's ``LinearSVC`` (dual, intercept scaling 1) up to tolerance.

    Parameters
    ----------
    features : (n, V) csr_array or ndarray
    codes : (n,) int64
        Author of each row.
    c : float
        Weight of the loss.

    Returns
    -------
    (V, authors), (authors,) float64
        Weights and biases.
    """
    n = features.shape[0]
    if n > DUAL_LIMIT:
        from sklearn.svm import LinearSVC

        model = LinearSVC(C=c, random_state=0).fit(features, codes)
        return _columns(model.coef_, model.intercept_, -1.0)
    gram = products(features) + 1.0
    rng = stream(0, "svm-order", n)
    orders = np.stack([rng.permutation(n) for _ in range(_ORDERS)])
    beta = dual_svm(gram, codes, authors, c, orders)
    return np.ascontiguousarray(features.T @ beta), beta.sum(axis=0)


def maxent(features: Any, codes: Ints, c: float) -> tuple[Floats, Floats]:
    """Multinomial logistic regression with a quadratic penalty, biases unpenalised (scikit-learn's).

    Parameters and results are those of ``svm``.
    """
    from scipy.linalg import cholesky, solve_triangular
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=c, max_iter=1000, tol=_TOLERANCE)
    n = features.shape[0]
    if n > DUAL_LIMIT or n >= features.shape[1]:
        model.fit(features, codes)
        return _columns(model.coef_, model.intercept_, 0.0)
    gram = products(features)
    gram[np.diag_indices(n)] += _RIDGE * max(1.0, float(np.trace(gram)) / n)
    root = cholesky(gram, lower=True)
    model.fit(root, codes)
    beta = solve_triangular(root, model.coef_.T, lower=True, trans="T")
    return _columns((features.T @ beta).T, model.intercept_, 0.0)


def products(features: Any) -> Floats:
    """The inner products of all pairs of rows, dense (n, n)."""
    gram = features @ features.T
    return np.ascontiguousarray(gram if isinstance(gram, np.ndarray) else gram.toarray(), dtype=np.float64)


def _columns(weights: Floats, biases: Floats, first: float) -> tuple[Floats, Floats]:
    """(V, authors) weights and biases from scikit-learn's (authors, V); where two authors share one row, it is the
    second's, and the first's is ``first`` times it."""
    if len(weights) == 1:
        weights, biases = np.concatenate([first * weights, weights]), np.concatenate([first * biases, biases])
    return np.ascontiguousarray(weights.T), np.asarray(biases)


@njit(cache=True)
def dual_svm(
    gram: Floats, codes: Ints, authors: int, c: float, orders: Ints, tolerance: float = 1e-3, epochs: int = 1000
) -> Floats:
    """Coefficients (n, authors) of documents in every author's machine, by dual coordinate descent.

    For author a with signs y: minimise ½ αᵀ(yy'K + I/2c)α − Σα over α ≥ 0; the result is αy. A machine is done when
    no projected gradient of a whole epoch exceeds the tolerance. All machines visit documents in the same order,
    so the inner loops run over authors, side by side in memory.
    """
    n = len(codes)
    beta = np.zeros((n, authors))
    margin = np.zeros((n, authors))
    step = np.zeros(authors)
    worst = np.zeros(authors)
    waiting = np.arange(authors)
    soft = 0.5 / c
    for epoch in range(epochs):
        worst[:] = 0.0
        for i in orders[epoch % len(orders)]:
            moved = False
            for a in waiting:
                sign = 1.0 if codes[i] == a else -1.0
                alpha = beta[i, a] * sign
                slope = sign * margin[i, a] - 1.0 + soft * alpha
                projected = slope if alpha > 0 else min(slope, 0.0)
                worst[a] = max(worst[a], abs(projected))
                step[a] = 0.0
                if abs(projected) > 1e-12:
                    step[a] = sign * (max(alpha - slope / (gram[i, i] + soft), 0.0) - alpha)
                    beta[i, a] += step[a]
                    moved = True
            if moved:
                for j in range(n):
                    g = gram[i, j]
                    if g != 0.0:
                        for b in range(authors):
                            margin[j, b] += g * step[b]
        waiting = waiting[worst[waiting] > tolerance]
        step[:] = 0.0
        if len(waiting) == 0:
            break
    return beta
