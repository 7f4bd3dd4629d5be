"""Finds topics in the texts if labels are coarse or missing (Sawatphol et al. 2024, §9, limitation 2).

In: a ``Corpus`` of n documents; how many clusters, within which level of topics, an ``Encoder``, a seed.
Out: ``Labels`` (n,): the number of each document's cluster, from 0, −1 = unknown, with a name made of its words.
InputError if the corpus has no such level; CorpusError for fewer than one cluster or no known topic.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ravenbench.components import Component
from ravenbench.errors import CorpusError, counted
from ravenbench.randomness import stream
from ravenbench.topics.encoders import LSA, Encoder, counts
from ravenbench.topics.levels import document_vectors, unit_length
from ravenbench.types import Bools, Corpus, Floats, Ints, Labels

SHOWN = 3
"""Number of words in the name of an extracted topic."""


@dataclass(eq=False, repr=False)
class Extract(Component):
    """Clusters document vectors by k-means, within each given topic or over the whole corpus.

    Clusters are numbered by size, largest first, and named after the words that set them apart from the rest
    of their topic: ``rec.autos/1: engine, oil, car``. Clusters look distinct in the space that made them, so compare
    them in a second encoder too.

    Parameters
    ----------
    within : str, optional
        The level (a column of the corpus, or ``topic``) each of whose topics is divided; None divides the corpus.
    clusters : int
        In each topic; fewer where it has fewer documents.
    encoder : Encoder, optional
        ``lsa`` when None.
    seed : int
    """

    name = "extract"

    within: str | None = None
    clusters: int = 5
    encoder: Encoder | None = None
    seed: int = 0

    def labels(self, corpus: Corpus) -> Labels:
        """Return the topic of each document; unknown if its topic at the divided level is unknown.

        Raises InputError if the corpus has no such level, CorpusError if ``clusters`` is below 1 or no document has a
        known topic.
        """
        if self.clusters < 1:
            raise CorpusError(
                "topics cannot be divided", found=f"clusters={self.clusters}", expected="at least 1"
            )
        parent = None if self.within is None else corpus.at(self.within).topic
        codes = np.zeros(len(corpus), dtype=np.int64) if parent is None else parent.codes
        rows = np.flatnonzero(codes >= 0)
        if not len(rows):
            raise CorpusError(
                f"no document of {corpus.name} has a topic",
                found=counted(len(corpus), "document"),
            )
        vectors = unit_length(document_vectors(self.encoder or LSA(), corpus.texts, rows))
        texts = corpus.texts.rows(rows)
        present, words = counts(texts, min_df=2, max_df=1.0, features=20000, binary=True)
        rarity = -np.log(np.asarray(present.mean(axis=0)).ravel())
        labels: list[str | None] = [None] * len(corpus)
        for code in np.unique(codes[rows]):
            inside = np.flatnonzero(codes[rows] == code)
            topic = "" if parent is None else parent.names[code]
            cluster = self._clusters(vectors[inside], topic)
            total = int(cluster.max()) + 1
            for number in range(total):
                mark = f"{number + 1:0{len(str(total))}d}"
                shown = ", ".join(
                    _distinguishing(present[inside], cluster == number, words, rarity)
                )
                head = f"{topic}/{mark}" if topic else mark
                for row in rows[inside[cluster == number]]:
                    labels[row] = f"{head}: {shown}" if shown else head
        return Labels.of(labels)

    def _clusters(self, vectors: Floats, topic: str) -> Ints:
        """Cluster of each document, numbered from the largest (then the first) down."""
        from sklearn.cluster import KMeans
        from threadpoolctl import threadpool_limits

        count = min(self.clusters, len(np.unique(vectors, axis=0)))
        state = int(stream(self.seed, "extract", topic).integers(2**31))
        with threadpool_limits(1):
            raw = KMeans(count, n_init=10, random_state=state).fit_predict(vectors)
        first = np.unique(raw, return_index=True)[1]
        order = np.lexsort((first, -np.bincount(raw)))
        cluster: Ints = np.argsort(order)[raw].astype(np.int64)
        return cluster


def _distinguishing(present: Any, inside: Bools, words: list[str], rarity: Floats) -> list[str]:
    """The words whose presence tells most for these documents against the rest.

    Share × log ratio of shares × −log share in the corpus: the last keeps words out that stand everywhere.
    """
    size = int(inside.sum())
    rest = int((~inside).sum())
    share = (np.asarray(present[inside].sum(axis=0)).ravel() + 0.5) / (size + 1)
    other = (
        (np.asarray(present[~inside].sum(axis=0)).ravel() + 0.5) / (rest + 1)
        if rest
        else np.full_like(share, 0.01)
    )
    weight = share * np.log(share / other) * rarity
    best = np.argsort(-weight, kind="stable")[:SHOWN]
    return [words[i] for i in best if weight[i] > 0]
