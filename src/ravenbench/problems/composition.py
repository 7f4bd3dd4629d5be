"""What pairs are made of: how often both texts have one topic, and which authors stand on both sides of a split."""

from __future__ import annotations

import numpy as np

from ravenbench.types import Bools, Ints


def classes(same: Bools) -> dict[str, int]:
    """The number of same-author and of different-author pairs."""
    return {"same": int(same.sum()), "different": int((~same).sum())}


def same_topic(a: Ints, b: Ints, same: Bools) -> dict[str, float | None]:
    """Share of pairs whose texts have one topic, among same-author and among different-author pairs.

    Parameters
    ----------
    a, b : (n,) int64
        Topics of the two texts.
    same : (n,) bool

    Returns
    -------
    dict
        Keys ``same`` and ``different``; None where a class is empty.
    """
    one = a == b
    return {
        name: float(one[which].mean()) if which.any() else None
        for name, which in (("same", same), ("different", ~same))
    }


def overlap(train: Ints, test: Ints) -> dict[str, int]:
    """Distinct authors of training documents, of test documents and of both."""
    a, b = np.unique(train), np.unique(test)
    return {"train": len(a), "test": len(b), "both": len(np.intersect1d(a, b, assume_unique=True))}
