"""Similarities normalised by impostors (S-norm)."""

from __future__ import annotations

import numpy as np

from ravenbench.types import Bools, Floats

_PART = 4
_LEAST = 10


def nearest(similarities: Floats) -> Floats:
    """The largest quarter, but at least ten, of similarities to impostors (impostors,)."""
    count = min(len(similarities), max(_LEAST, len(similarities) // _PART))
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


def s_norms(linked: Floats, known: Floats, questioned: Floats, allowed: Bools) -> Floats:
    """``s_norm`` of many problems, (m,).

    Parameters
    ----------
    linked : (m,)
        Mean similarity of a problem's questioned to its known documents.
    known, questioned : (m, impostors)
        Similarities to impostors of its known documents, on average, and of its questioned one.
    allowed : (m, impostors)
        Impostors that count; at least one a problem.
    """
    return (_z_scores(linked, known, allowed) + _z_scores(linked, questioned, allowed)) / 2


def _z_scores(values: Floats, impostors: Floats, allowed: Bools) -> Floats:
    left = allowed.sum(axis=1)
    count = np.minimum(left, np.maximum(_LEAST, left // _PART))
    first = allowed.shape[1] - count.max()
    ranked = np.where(allowed, impostors, -np.inf)
    ranked.partition(first, axis=1)
    ranked = np.sort(ranked[:, first:], axis=1)
    inside = np.arange(ranked.shape[1]) >= ranked.shape[1] - count[:, None]
    mean = np.where(inside, ranked, 0.0).sum(axis=1) / count
    away = np.where(inside, ranked - mean[:, None], 0.0)
    deviation = np.sqrt(np.einsum("ij,ij->i", away, away) / count)
    flat = deviation <= 1e-12
    return np.asarray(np.where(flat, 0.0, (values - mean) / np.where(flat, 1.0, deviation)))
