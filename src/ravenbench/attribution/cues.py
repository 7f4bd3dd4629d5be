"""Which features a linear method weighs otherwise when topics are held out, and which it keeps.

The training sets of k-fold hold every topic; the model of all documents stands for them. A weight that moves when one
topic is taken away was learned from that topic; what stays is topic-neutral as far as these topics can tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ravenbench.attribution.selection import Chosen
from ravenbench.types import Floats, Ints


@dataclass(frozen=True)
class Cue:
    """A feature: length of its weight vector (over authors) when all documents teach, the most that holding out one
    topic moves that vector, as a share of its length, and that topic."""

    feature: str
    weight: float
    change: float
    topic: str


def weights(documents: Chosen, train: Ints, method: Any) -> tuple[list[str], Floats]:
    """Features and weights (features, authors of the corpus) of the method trained on these documents."""
    from sklearn.base import clone

    names = [documents.authors[documents.author[i]] for i in train]
    fitted = clone(method).fit([documents.texts[i] for i in train], names)
    features, found = fitted.feature_weights()
    wide = np.zeros((len(features), len(documents.authors)))
    wide[:, np.searchsorted(np.asarray(documents.authors), fitted.classes_)] = found
    return features, wide


def moved(documents: Chosen, train: Ints, method: Any, features: Sequence[str], base: Floats) -> Floats:
    """How far the weights of these features move from ``base`` when only these documents teach, (features,)."""
    names, found = weights(documents, train, method)
    index = {name: i for i, name in enumerate(features)}
    place = np.array([index.get(name, -1) for name in names], dtype=np.int64)
    now = np.zeros_like(base)
    now[place[place >= 0]] = found[place >= 0]
    return lengths(now - base)


def lengths(rows: Floats) -> Floats:
    """Euclidean length of each row."""
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", rows, rows)))


def cues(
    features: Sequence[str], size: Floats, moves: Sequence[Floats], topics: Sequence[str], most: int = 20
) -> tuple[list[Cue], list[Cue]]:
    """Of the heaviest features, those whose weights change most when a topic is held out, and those that change least.

    Both lists are taken from the 25 times ``most`` heaviest features.

    Parameters
    ----------
    size : (features,) float
        Lengths of weights when all documents teach.
    moves : sequence of (features,) float
        How far they move when each of ``topics`` is held out.
    most : int
        Length of the lists.
    """
    table = np.array(moves)
    heavy = sorted(range(len(features)), key=lambda i: (-size[i], features[i]))[: 25 * most]
    heavy = [i for i in heavy if size[i] > 0]
    most = min(most, len(heavy) // 2)
    share = table.max(axis=0) / np.where(size > 0, size, 1)
    topic = [topics[k] for k in table.argmax(axis=0)]
    ranked = sorted(heavy, key=lambda i: (-share[i], features[i]))
    found = [Cue(features[i], float(size[i]), float(share[i]), topic[i]) for i in ranked]
    return found[:most], found[::-1][:most]
