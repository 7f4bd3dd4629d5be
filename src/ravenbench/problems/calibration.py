"""Training documents to learn from and training documents to calibrate on (contract 6)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ravenbench.types import Bools, Ints

FEWEST_TOPICS = 2
"""A calibration part of one topic would hold same-topic pairs alone."""


@dataclass(frozen=True, eq=False)
class Parts:
    """``fit`` and ``calibrate`` (d,) masks that share no author, and ``crossing``, the documents in neither."""

    fit: Bools
    calibrate: Bools

    @property
    def crossing(self) -> int:
        """Number of documents dropped because their author stands on the other side."""
        return int((~self.fit & ~self.calibrate).sum())


def by_topic(author: Ints, topic: Ints, share: float, rng: np.random.Generator) -> Parts | None:
    """Divide the topics, with each author on one side only; None where there are too few topics.

    A share of the topics is set apart. An author who writes on both sides belongs to the one with more of
    their documents (to the side of fitting when equal); their documents on the other side are dropped.
    """
    topics = np.unique(topic)
    apart = round(share * len(topics))
    if apart < FEWEST_TOPICS or len(topics) - apart < FEWEST_TOPICS:
        return None
    held = np.isin(topic, rng.permutation(topics)[:apart])
    _, writer = np.unique(author, return_inverse=True)
    there = np.bincount(writer, weights=held)
    here = np.bincount(writer, weights=~held)
    side = (there > here)[writer]
    return Parts(~held & ~side, held & side)


def by_author(author: Ints, share: float, rng: np.random.Generator) -> Parts:
    """Divide the authors; topics are shared by both sides.

    Authors of several documents and of one are divided apart, the former by documents, so that both sides get
    their share of same-author pairs.
    """
    _, writer, posts = np.unique(author, return_inverse=True, return_counts=True)
    held = np.zeros(len(posts), dtype=bool)
    for several in (True, False):
        those = rng.permutation(np.flatnonzero((posts >= 2) == several))
        if len(those):
            held[those[np.cumsum(posts[those]) <= share * posts[those].sum()]] = True
    return Parts(~held[writer], held[writer])
