"""Stop-word graphs: which frequent words stand near which."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ravenbench.attribution.base import Attributor
from ravenbench.text.tokens import frequent_words, words
from ravenbench.texts import TextTable
from ravenbench.types import Floats, Ints


@dataclass(eq=False, repr=False)
class Arun2009(Attributor):
    """The author whose graph of frequent words is nearest in Kullback–Leibler divergence.

    Nodes are frequent words; an edge weighs Σ e^−d over the places where both stand d words apart. Rows are normalised:
    what stands near a word. Departures: the most frequent words of the training texts in the place of an English list;
    edges that an author lacks have a little of all authors' weight, where leaving them out would favour authors of few
    edges; rows count by their share in the questioned text.

    Parameters
    ----------
    stopwords : int
        Most frequent training words that are nodes.
    window : int
        The greatest distance, in words.
    smoothing : float
        Weight of all authors' graph in the rows of each.

    References
    ----------
    Arun, Suresh & Veni Madhavan 2009, Stopword graphs and authorship attribution in text corpora. ICSC.
    """

    name = "arun-2009"

    stopwords: int = 200
    window: int = 10
    smoothing: float = 1.0

    def _fit(self, texts: TextTable, rows: Ints, codes: Ints) -> None:
        every = texts.rows(rows)
        chosen = sorted(frequent_words(every, self.stopwords))
        self.node_ = {word: i for i, word in enumerate(chosen)}
        graphs = np.zeros((len(self.classes_), len(chosen), len(chosen)))
        for text, code in zip(every, codes, strict=True):
            graphs[code] += self.graph(text)
        shared = graphs.sum(axis=0) + 1e-3
        shared *= self.smoothing / shared.sum(axis=1, keepdims=True)
        smoothed = graphs + shared
        self.logs_ = np.log(smoothed / smoothed.sum(axis=2, keepdims=True)).reshape(len(graphs), -1)

    def _scores(self, texts: TextTable, rows: Ints) -> Floats:
        """Minus the divergence of each author's rows from the text's, in nats."""
        found = np.zeros((len(rows), len(self.classes_)))
        for i, text in enumerate(texts.rows(rows)):
            graph = self.graph(text)
            row = graph.sum(axis=1, keepdims=True)
            own = np.divide(graph, row, out=np.zeros_like(graph), where=row > 0)
            entropy = float((graph * np.log(np.where(own > 0, own, 1))).sum())
            found[i] = (self.logs_ @ graph.ravel() - entropy) / max(float(row.sum()), 1e-12)
        return found

    def graph(self, text: str) -> Floats:
        """Edge weights of a text, symmetric, (nodes, nodes)."""
        ids = np.array([self.node_.get(word.lower(), -1) for word in words(text)], dtype=np.int64)
        weights = np.zeros((len(self.node_),) * 2)
        for distance in range(1, min(self.window, len(ids) - 1) + 1):
            left, right = ids[:-distance], ids[distance:]
            both = (left >= 0) & (right >= 0)
            np.add.at(weights, (left[both], right[both]), np.exp(-distance))
        return np.asarray(weights + weights.T)
