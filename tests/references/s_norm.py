"""Similarities normalised by impostors, one problem at a time: what ``s_norms`` is tested against."""

from __future__ import annotations

import numpy as np

from ravenbench.types import Floats

PART, LEAST = 4, 10


def nearest(similarities: Floats) -> Floats:
    """The largest quarter, but at least ten, of similarities to impostors (impostors,)."""
    count = min(len(similarities), max(LEAST, len(similarities) // PART))
    return np.sort(similarities)[len(similarities) - count :]


def z_score(value: float, impostors: Floats) -> float:
    """A similarity against mean and deviation of those to the nearest impostors; 0 where these are all equal."""
    cohort = nearest(impostors)
    deviation = float(cohort.std())
    return (value - float(cohort.mean())) / deviation if deviation > 1e-12 else 0.0


def s_norm(linked: Floats, known: Floats, questioned: Floats) -> float:
    """Mean of two z-scores of the mean similarity of questioned and known documents.

    Parameters
    ----------
    linked : (k,)
        Similarity of the questioned to each known document.
    known : (k, impostors)
        Similarities of the known documents to impostors: averaged over k, as the pair's similarity is.
    questioned : (impostors,)
    """
    value = float(linked.mean())
    return (z_score(value, known.mean(axis=0)) + z_score(value, questioned)) / 2
