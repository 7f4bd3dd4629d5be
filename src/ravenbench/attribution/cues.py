"""Which features a linear method weighs otherwise when topics are held out, and which it keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ravenbench.attribution.protocols import Split
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


def cues(
    documents: Chosen, novel: Sequence[Split], method: Any, workers: int = 1, most: int = 20
) -> tuple[list[Cue], list[Cue]]:
    """Find the heavy features whose weights change most when a topic is held out, and those that change least.

    The training sets of k-fold hold every topic; the model of all documents stands for them. A weight that moves when
    one topic is taken away was learned from that topic; what stays is topic-neutral as far as these topics can tell.
    Both lists are taken from the 25 times ``most`` heaviest features.

    Parameters
    ----------
    novel : splits of the novel-topic protocol
    method : estimator with ``feature_weights()``
    workers : int
        Processes.
    most : int
        Length of the lists.
    """
    from joblib import Parallel, delayed

    names, base = _weights(documents, np.arange(len(documents)), method)
    work = (delayed(_moved)(documents, part.train, method, names, base) for part in novel)
    moved = np.array(Parallel(n_jobs=workers)(work))
    size = _lengths(base)
    heavy = sorted(range(len(names)), key=lambda i: (-size[i], names[i]))[: 25 * most]
    heavy = [i for i in heavy if size[i] > 0]
    most = min(most, len(heavy) // 2)
    share = moved.max(axis=0) / np.where(size > 0, size, 1)
    topic = [novel[k].name for k in moved.argmax(axis=0)]
    ranked = sorted(heavy, key=lambda i: (-share[i], names[i]))
    found = [Cue(names[i], float(size[i]), float(share[i]), topic[i]) for i in ranked]
    return found[:most], found[::-1][:most]


def _moved(documents: Chosen, train: Ints, method: Any, names: list[str], base: Floats) -> Floats:
    features, weights = _weights(documents, train, method)
    index = {name: i for i, name in enumerate(names)}
    place = np.array([index.get(name, -1) for name in features], dtype=np.int64)
    now = np.zeros_like(base)
    now[place[place >= 0]] = weights[place >= 0]
    return _lengths(now - base)


def _lengths(rows: Floats) -> Floats:
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", rows, rows)))


def _weights(documents: Chosen, train: Ints, method: Any) -> tuple[list[str], Floats]:
    """Features and weights (features, authors of the corpus) of the method trained on these documents."""
    from sklearn.base import clone

    names = [documents.authors[documents.author[i]] for i in train]
    fitted = clone(method).fit([documents.texts[i] for i in train], names)
    features, weights = fitted.feature_weights()
    wide = np.zeros((len(features), len(documents.authors)))
    wide[:, np.searchsorted(np.asarray(documents.authors), fitted.classes_)] = weights
    return features, wide
