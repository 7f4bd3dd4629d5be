"""The base class of pair rules, and the pairs they draw."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ravenbench.components import Component
from ravenbench.types import Bools, Ints


@dataclass(frozen=True, eq=False)
class Pairs:
    """Document pairs: ``known`` and ``questioned`` (n,) document rows, ``same`` (n,) truth.

    ``dropped`` counts what the rule could not use, by reason.
    """

    known: Ints
    questioned: Ints
    same: Bools
    dropped: Mapping[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.same)


class PairRule(Component):
    """Base of pair rules, which draw verification pairs from documents with authors and topics.

    Promises every rule keeps: no document is paired with itself, two documents labelled *same* have one
    author and those labelled *different* have two, no unordered pair occurs twice unless the rule says so,
    and the draw depends on its arguments alone.

    Examples
    --------
    >>> from ravenbench.problems.matched import Matched
    >>> author, topic = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 0, 0, 0, 0, 0])
    >>> pairs = Matched().draw(np.arange(6), author, topic, np.random.default_rng(0))
    >>> len(pairs), int(pairs.same.sum())
    (6, 3)
    """

    @abstractmethod
    def draw(
        self, documents: Ints, author: Ints, topic: Ints, rng: np.random.Generator, limit: int | None = None
    ) -> Pairs:
        """Draw pairs among the documents given.

        Parameters
        ----------
        documents : (d,) int64
            Rows of the corpus.
        author, topic : (d,) int64
            Codes aligned with ``documents``.
        limit : int, optional
            Most pairs wanted; drawn so that classes keep the rule's balance.

        Raises
        ------
        CorpusError
            If the rule cannot be filled at all, with the counts that show it.
        """
