"""The base class of topic samplers, and the selection they return."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ravenbench.components import Component
from ravenbench.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class Selection:
    """The topics chosen by a sampler.

    ``chosen`` (m,) holds topic indices in order of choice; ``merged`` (T,) maps each topic to the chosen
    topic it belongs to (itself when chosen), −1 where it is cut.
    """

    chosen: Ints
    merged: Ints

    @classmethod
    def cutting(cls, chosen: Ints, topics: int) -> Selection:
        """The selection that drops every topic not chosen (the paper's default)."""
        merged = np.full(topics, -1, dtype=np.int64)
        merged[chosen] = chosen
        return cls(np.asarray(chosen, dtype=np.int64), merged)


class Sampler(Component):
    """Base of topic samplers, which choose m of T topics by their similarities.

    Examples
    --------
    >>> from ravenbench.sampling.hits import HITS
    >>> similarity = np.array([[1.0, 0.9, 0.1], [0.9, 1.0, 0.2], [0.1, 0.2, 1.0]])
    >>> HITS().select(similarity, 2, np.random.default_rng(0)).chosen
    array([2, 0])
    """

    merges: ClassVar[bool] = True
    """Whether topics that were not chosen may count as chosen ones; where none may, hopeless corpora are told early."""

    @abstractmethod
    def select(self, similarity: Floats, m: int, rng: np.random.Generator) -> Selection:
        """Choose ``m`` topics by their similarities.

        Parameters
        ----------
        similarity : (T, T) float64
            Cosine similarities of topic vectors; the diagonal is ignored.
        m : int
            1 ≤ m ≤ T.
        rng : numpy.random.Generator
            Used by samplers that draw; ignored by deterministic ones.

        Raises
        ------
        CorpusError
            If m is larger than the number of topics.
        """
