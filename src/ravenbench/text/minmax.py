"""Computes similarities of sparse documents on many random subsets of the features, and contests with impostors.

In: ``Vectors`` (sparse rows, values above 0) and ``subset_masks`` (features, subsets); for ``similarities`` also one
document over all features, rows of the others, and the ``norms`` of both sides; for ``draw_impostors`` counts and a
random generator; for ``graded`` similarities ``pair`` (T,) and products ``below`` (T,) of two similarities to
impostors.
Out: ``similarities`` (documents, subsets), ``whole_similarities`` (documents, others), ``paired_similarities``
(pairs,): 0 to 1, higher = more alike, 0 where both are empty; ``norms``: sums ≥ 0 (documents, subsets);
``draw_impostors``: numbers from 0 of impostors (texts by others), (subsets, n); ``drawn``: their similarities;
``graded``: a mean ratio ≥ 0, unbounded, NaN if undefined.

A subset of features is a column of ``masks`` (features, subsets). Since Σmax = Σx + Σy − Σmin, and a cosine needs
only Σxy beside two norms, a pair of documents costs one pass over their common features, for any number of subsets:
each common feature adds its row of the mask, scaled. Norms are computed once a document. What limits speed
is reading the masks, so one document meets many others block by block of features.

A contest asks whether a text is closer to another than to impostors on T random subsets. It takes similarities ``pair``
(T,) of the two compared texts, and of a text with ``c`` candidate impostors, (c, T); ``draws`` (T, n) are the
candidates that take part on each subset.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ravenbench.types import Floats, Int32s, Ints

Measure = Literal["minmax", "cosine"]
Masks = NDArray[np.float32]
_FEATURES = 1024
_TOGETHER = 32


@dataclass(frozen=True, eq=False)
class Vectors:
    """Sparse rows: document i has features ``ids[bounds[i]:bounds[i + 1]]``, ascending, with positive ``values``."""

    bounds: Ints
    ids: Int32s
    values: Floats
    features: int

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @classmethod
    def of(cls, dense: Floats) -> Vectors:
        """Make vectors of a matrix (documents, features) that is nowhere negative."""
        rows, ids = np.nonzero(dense)
        bounds = np.searchsorted(rows, np.arange(len(dense) + 1)).astype(np.int64)
        return cls(
            bounds,
            ids.astype(np.int32),
            np.asarray(dense[rows, ids], dtype=np.float64),
            dense.shape[1],
        )

    def dense(self, row: int) -> Floats:
        """One document's values over all features, (features,)."""
        vector = np.zeros(self.features)
        part = slice(self.bounds[row], self.bounds[row + 1])
        vector[self.ids[part]] = self.values[part]
        return vector


def subset_masks(features: int, subsets: int, share: float, rng: np.random.Generator) -> Masks:
    """Draw ``subsets`` random subsets, each of ``round(share · features)`` features drawn without replacement."""
    size = max(1, round(share * features))
    masks = np.zeros((features, subsets), dtype=np.float32)
    for t in range(subsets):
        masks[rng.choice(features, size=size, replace=False), t] = 1
    return masks


def norms(vectors: Vectors, masks: Masks, measure: Measure = "minmax") -> Floats:
    """Return Σx (minmax) or Σx² (cosine) of every document on every subset, shape (documents, subsets)."""
    return np.asarray(
        _norms(vectors.bounds, vectors.ids, vectors.values, masks, measure == "cosine")
    )


def similarities(
    one: Floats,
    one_norm: Floats,
    vectors: Vectors,
    vector_norms: Floats,
    rows: Ints,
    masks: Masks,
    measure: Measure = "minmax",
) -> Floats:
    """Return the similarity of one document to others on every subset, (len(rows), subsets), in [0, 1]; 0 if both are
    empty there.

    ``one`` (features,) is the document, dense, ``one_norm`` (subsets,) its norms, ``vector_norms`` (documents, subsets)
    those of ``vectors``, of which it is compared with ``rows``.
    """
    others = vectors.bounds, vectors.ids, vectors.values
    return np.asarray(
        _similarities(one, one_norm, *others, vector_norms, rows, masks, measure == "cosine")
    )


def whole_similarities(ones: Vectors, vectors: Vectors, measure: Measure = "minmax") -> Floats:
    """Return similarities (0 to 1) of all documents with all others on all features, (len(ones), len(vectors))."""
    one, other = ((v.bounds, v.ids, v.values) for v in (ones, vectors))
    return np.asarray(_whole(*one, *other, ones.features, measure == "cosine"))


def paired_similarities(vectors: Vectors, left: Ints, right: Ints) -> Floats:
    """Return minmax similarities (0 to 1) of pairs of documents on all features, shape (len(left),)."""
    return np.asarray(_paired(vectors.bounds, vectors.ids, vectors.values, left, right))


@njit(cache=True)
def _add_rows(where: Ints, amount: Floats, count: int, masks: Masks, total: Floats) -> None:
    """Add ``amount[i]`` times row ``where[i]`` of the masks to ``total``, four rows at a time."""
    for i in range(count, count + 3):
        where[i] = 0
        amount[i] = 0.0
    for i in range(0, count, 4):
        a = amount[i]
        b = amount[i + 1]
        c = amount[i + 2]
        d = amount[i + 3]
        p = masks[where[i]]
        q = masks[where[i + 1]]
        r = masks[where[i + 2]]
        s = masks[where[i + 3]]
        for t in range(len(total)):
            total[t] += (a * p[t] + b * q[t]) + (c * r[t] + d * s[t])


@njit(cache=True)
def _norms(bounds: Ints, ids: Int32s, values: Floats, masks: Masks, cosine: bool) -> Floats:
    total = np.zeros((len(bounds) - 1, masks.shape[1]))
    where = np.empty(masks.shape[0] + 3, np.int64)
    amount = np.empty(masks.shape[0] + 3)
    for d in range(len(bounds) - 1):
        count = bounds[d + 1] - bounds[d]
        for j in range(count):
            value = values[bounds[d] + j]
            where[j] = ids[bounds[d] + j]
            amount[j] = value * value if cosine else value
        _add_rows(where, amount, count, masks, total[d])
    return total


@njit(cache=True)
def _similarities(
    one: Floats,
    one_norm: Floats,
    bounds: Ints,
    ids: Int32s,
    values: Floats,
    vector_norms: Floats,
    rows: Ints,
    masks: Masks,
    cosine: bool,
) -> Floats:
    result = np.zeros((len(rows), masks.shape[1]))
    where = np.empty(_FEATURES + 3, np.int64)
    amount = np.empty(_FEATURES + 3)
    at = bounds[:-1][rows]
    for end in range(_FEATURES, len(one) + _FEATURES, _FEATURES):
        for r in range(len(rows)):
            j = at[r]
            stop = bounds[rows[r] + 1]
            count = 0
            while j < stop and ids[j] < end:
                other = one[ids[j]]
                # Written always and kept only if shared: a jump would be mispredicted half of the time.
                where[count] = ids[j]
                amount[count] = other * values[j] if cosine else min(other, values[j])
                count += other > 0
                j += 1
            at[r] = j
            _add_rows(where, amount, count, masks, result[r])
    for r in range(len(rows)):
        shared = result[r]
        for t in range(len(shared)):
            a = one_norm[t]
            b = vector_norms[rows[r], t]
            whole = np.sqrt(a * b) if cosine else a + b - shared[t]
            shared[t] = shared[t] / whole if whole > 0 else 0.0
    return result


@njit(cache=True)
def _whole(
    one_bounds: Ints,
    one_ids: Int32s,
    one_values: Floats,
    bounds: Ints,
    ids: Int32s,
    values: Floats,
    features: int,
    cosine: bool,
) -> Floats:
    result = np.zeros((len(one_bounds) - 1, len(bounds) - 1))
    # Documents lie side by side: each entry of another document meets them in a few instructions. Four entries are
    # added at a time, for each sum waits for the one before.
    side = np.zeros((features, _TOGETHER))
    for first in range(0, len(result), _TOGETHER):
        last = min(first + _TOGETHER, len(result))
        norm = np.zeros(_TOGETHER)
        for k in range(first, last):
            for j in range(one_bounds[k], one_bounds[k + 1]):
                side[one_ids[j], k - first] = one_values[j]
                norm[k - first] += one_values[j] ** 2 if cosine else one_values[j]
        shared = np.empty(_TOGETHER)
        for d in range(len(bounds) - 1):
            shared[:] = 0.0
            other = 0.0
            stop = bounds[d + 1]
            for j in range(bounds[d], stop, 4):
                a = ids[j]
                p = values[j]
                b, q = (ids[j + 1], values[j + 1]) if j + 1 < stop else (a, 0.0)
                c, r = (ids[j + 2], values[j + 2]) if j + 2 < stop else (a, 0.0)
                e, s = (ids[j + 3], values[j + 3]) if j + 3 < stop else (a, 0.0)
                if cosine:
                    other += (p * p + q * q) + (r * r + s * s)
                    for k in range(_TOGETHER):
                        shared[k] += (side[a, k] * p + side[b, k] * q) + (
                            side[c, k] * r + side[e, k] * s
                        )
                else:
                    other += (p + q) + (r + s)
                    for k in range(_TOGETHER):
                        least = min(side[a, k], p) + min(side[b, k], q)
                        shared[k] += least + (min(side[c, k], r) + min(side[e, k], s))
            for k in range(first, last):
                own = norm[k - first]
                whole = np.sqrt(own * other) if cosine else own + other - shared[k - first]
                result[k, d] = shared[k - first] / whole if whole > 0 else 0.0
        for k in range(first, last):
            for j in range(one_bounds[k], one_bounds[k + 1]):
                side[one_ids[j], k - first] = 0.0
    return result


@njit(cache=True)
def _paired(bounds: Ints, ids: Int32s, values: Floats, left: Ints, right: Ints) -> Floats:
    result = np.zeros(len(left))
    for p in range(len(left)):
        i = bounds[left[p]]
        i_end = bounds[left[p] + 1]
        j = bounds[right[p]]
        j_end = bounds[right[p] + 1]
        whole = values[i:i_end].sum() + values[j:j_end].sum()
        shared = 0.0
        while i < i_end and j < j_end:
            a = ids[i]
            b = ids[j]
            if a == b:
                shared += min(values[i], values[j])
            i += a <= b
            j += b <= a
        result[p] = shared / (whole - shared) if whole > shared else 0.0
    return result


def draw_impostors(candidates: int, draw: int, subsets: int, rng: np.random.Generator) -> Ints:
    """``draw`` of the candidates (all, if there are fewer) for each subset, without replacement, in any order:
    (subsets, n)."""
    lots = rng.random((subsets, candidates))
    return np.argpartition(lots, min(draw, candidates) - 1, axis=1)[:, :draw].astype(np.int64)


def drawn(similarities: Floats, draws: Ints) -> Floats:
    """Return similarities of the drawn impostors, (T, n)."""
    return np.asarray(similarities[draws, np.arange(len(draws))[:, None]])


def graded(pair: Floats, below: Floats) -> float:
    """Khonji & Iraqi 2014: mean of sim(X, Y)² / (sim(X, I) · sim(Y, J)), I and J the most similar impostors to either
    side, whose products are ``below``; subsets where that is 0/0 or undefined are left out, NaN if all are. Not bounded
    by 1."""
    usable = below > 0
    return float((pair[usable] ** 2 / below[usable]).mean()) if usable.any() else float("nan")
