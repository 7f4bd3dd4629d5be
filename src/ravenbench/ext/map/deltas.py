"""Distances between texts by the frequencies of words, under the names and in the form that stylo has.

References
----------
Burrows 2002, "Delta": a measure of stylistic difference. Argamon 2008, Interpreting Burrows's Delta (both LLC).
Smith & Aldridge 2011; Evert et al. 2017, Understanding and explaining Delta measures (cosine Delta, DSH 32).
Eder, Rybicki & Kestemont 2016, Stylometry with R (Eder's Delta and Eder's Simple distance).
Koppel & Winter 2014 (min-max).
"""

from __future__ import annotations

import numpy as np

from ravenbench.text.tfidf import unit
from ravenbench.types import Floats

MEASURES = {
    "delta": "Burrows's Delta: the mean absolute difference of z-scores",
    "argamon": "Argamon's linear Delta: the Euclidean distance of z-scores, divided by the number of words",
    "eder": "Eder's Delta: absolute differences of z-scores, those of more frequent words weighing more",
    "simple": "Eder's Simple: absolute differences of the square roots of frequencies",
    "wurzburg": "Cosine Delta: one minus the cosine of z-scores",
    "manhattan": "Manhattan: absolute differences of frequencies",
    "canberra": "Canberra: absolute differences, each divided by the sum of both",
    "euclidean": "Euclidean distance of frequencies",
    "cosine": "One minus the cosine of frequencies",
    "minmax": "Min-max (Ruzicka): one minus the sum of minima over the sum of maxima",
}
"""Distances by stylo's names."""
_Z = ("delta", "argamon", "eder", "wurzburg")


def prepared(measure: str, frequencies: Floats, reference: Floats | None = None) -> Floats:
    """What a distance is taken between, (texts, words): z-scores over these texts or those of a ``reference``
    (sample standard deviation; 0 for a word that does not vary), square roots, or the frequencies themselves."""
    if measure == "simple":
        return np.sqrt(frequencies)
    if measure not in _Z:
        return frequencies
    base = frequencies if reference is None else reference
    spread = base.std(axis=0, ddof=1)
    z = np.where(spread > 1e-12, (frequencies - base.mean(axis=0)) / np.where(spread > 1e-12, spread, 1.0), 0.0)
    width = frequencies.shape[1]
    return np.asarray(z * (1 + np.arange(width, 0, -1)) / width if measure == "eder" else z)


def distances(measure: str, one: Floats, other: Floats | None = None) -> Floats:
    """Distances (one, other) of prepared rows; without ``other`` among ``one``, symmetric and 0 from each to itself."""
    from scipy.spatial.distance import cdist, pdist, squareform

    def by(metric: str) -> Floats:
        return np.asarray(squareform(pdist(one, metric)) if other is None else cdist(one, other, metric))

    second, width = one if other is None else other, max(1, one.shape[1])
    if measure in ("wurzburg", "cosine"):
        apart = np.clip(1 - unit(one) @ unit(second).T, 0, 2)
        if other is None:
            np.fill_diagonal(apart, 0)
        return np.asarray(apart if other is not None else (apart + apart.T) / 2)
    if measure == "canberra":
        # Words that neither text has are missing values to R's dist(), which scales the sum of the others up.
        neither = (one == 0).astype(float) @ (second == 0).astype(float).T
        return np.asarray(by("canberra") * width / np.maximum(width - neither, 1))
    if measure == "minmax":
        apart = by("cityblock")
        both = one.sum(axis=1)[:, None] + second.sum(axis=1)[None, :] + apart
        return np.asarray(2 * apart / np.where(both > 0, both, 1.0))
    if measure in ("argamon", "euclidean"):
        return np.asarray(by("euclidean") / (width if measure == "argamon" else 1))
    return np.asarray(by("cityblock") / (width if measure == "delta" else 1))
