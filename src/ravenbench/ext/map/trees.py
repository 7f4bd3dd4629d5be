"""Dendrograms and their consensus.

As in ape, which stylo uses, the consensus is of unrooted trees: what counts is that a branch parts some texts from the
rest. A cluster is the smaller of the two sides, so that of those in a consensus each lies within or beside another.
Within this module it is a number whose bit i says whether it holds text i.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ravenbench.types import Floats, Ints

METHODS = {"single": "single", "complete": "complete", "average": "average", "mcquitty": "weighted"}


def tree_of(distances: Floats, linkage: str) -> Floats:
    """A dendrogram (n − 1, 4) of scipy's form; heights as R's ``hclust`` has them."""
    from scipy.cluster import hierarchy
    from scipy.spatial.distance import squareform

    condensed = squareform(distances, checks=False)
    if linkage == "ward.D":
        # R's ward.D updates distances as they are; scipy's ward, which is ward.D2, updates their squares.
        tree = hierarchy.linkage(np.sqrt(condensed), "ward")
        tree[:, 2] **= 2
        return np.asarray(tree)
    return np.asarray(hierarchy.linkage(condensed, "ward" if linkage == "ward.D2" else METHODS[linkage]))


def cut_into(tree: Floats, clusters: int) -> Ints:
    """As many clusters as asked for, numbered, (n,)."""
    from scipy.cluster.hierarchy import cut_tree

    return np.asarray(cut_tree(tree, n_clusters=max(1, clusters)).ravel(), dtype=np.int64)


def clusters_of(tree: Floats) -> set[int]:
    """All clusters of a dendrogram of two texts or more; of two halves that with the first text."""
    members = [1 << i for i in range(len(tree) + 1)]
    for left, right in tree[:, :2].astype(int):
        members.append(members[left] | members[right])
    sides = (min((m, members[-1] ^ m), key=lambda side: (side.bit_count(), -(side & 1))) for m in members)
    return {side for side in sides if side.bit_count() > 1}


@dataclass(frozen=True)
class Cluster:
    """Texts that stand together: the share of settings with it, and of trees from resampled word lists (or None)."""

    members: tuple[int, ...]
    settings: float
    resampled: float | None

    @property
    def support(self) -> float:
        """What decides whether it is in the consensus."""
        return self.settings if self.resampled is None else self.resampled


def consensus(trees: Iterable[Floats], resampled: Iterable[Floats], strength: float) -> list[Cluster]:
    """Clusters with more than half of the trees, or at least ``strength`` where that is more, the largest first."""
    counts = [Counter[int](), Counter[int]()]
    sizes = [0, 0]
    for place, many in enumerate((trees, resampled)):
        for tree in many:
            sizes[place] += 1
            counts[place].update(clusters_of(tree))
    deciding = 1 if sizes[1] else 0
    least = max(strength * sizes[deciding], sizes[deciding] / 2 + 1e-9)
    clusters = []
    for members, count in counts[deciding].items():
        if count >= least:
            texts = tuple(i for i in range(members.bit_length()) if members >> i & 1)
            share = counts[1][members] / sizes[1] if sizes[1] else None
            clusters.append(Cluster(texts, counts[0][members] / max(1, sizes[0]), share))
    return sorted(clusters, key=lambda c: (-len(c.members), c.members))
