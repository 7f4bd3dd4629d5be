"""A band of non-answers around 0.5, chosen for c@1."""

from __future__ import annotations

import numpy as np

from ravenbench.types import Bools, Floats


def best_radius(answers: Floats, same: Bools, most: float = 0.1) -> float:
    """The half-width r ≤ ``most`` that maximises c@1 when |answer − 0.5| ≤ r is left unanswered.

    Give it out-of-fold answers: on the answers a method was fitted to, no band looks useful. Of equal ones the
    narrowest is taken; 0 leaves out only what is 0.5 already.
    """
    distance = np.abs(answers - 0.5)
    radii = np.unique(np.concatenate([[0.0], distance[distance <= most]]))
    right = ((answers > 0.5) == same) & (answers != 0.5)
    values = []
    for radius in radii:
        answered = distance > radius
        correct = int((right & answered).sum())
        values.append(correct * (2 * len(same) - int(answered.sum())))
    return float(radii[int(np.argmax(values))])


def apply_band(answers: Floats, radius: float) -> Floats:
    """Answers with |answer − 0.5| ≤ radius set to 0.5."""
    return np.where(np.abs(answers - 0.5) <= radius, 0.5, answers)
