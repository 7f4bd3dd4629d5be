"""The base class of document encoders."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence

from ravenbench.components import Component
from ravenbench.errors import SpecError
from ravenbench.types import Floats


class Encoder(Component):
    """Base of encoders, which turn texts into vectors.

    An encoder uses no labels, is fitted on the very texts it encodes, and gives the same vectors under the same seed.

    Examples
    --------
    >>> from ravenbench.topics.lsa import LSA
    >>> texts = ["a ship at sea", "the sea and the ship", "a goal for the team", "the team and its goal"]
    >>> LSA(dimensions=2, min_df=1, max_df=1.0).encode(texts).shape
    (4, 2)
    """

    @abstractmethod
    def encode(self, texts: Sequence[str]) -> Floats:
        """Return document vectors, (len(texts), d); long texts are read in chunks whose vectors are averaged."""

    def learn(self, texts: Sequence[str]) -> Callable[[Sequence[str]], Floats] | None:
        """Learn from texts that are too many to encode at once; return a function that encodes them part by part.

        None where a text's vector depends on more than that, or the texts are few enough for ``encode`` to hold.
        """
        return None

    def need_some(self, *names: str) -> None:
        """Refuse parameters that are below 1.

        Raises
        ------
        SpecError
            If one is not.
        """
        for name in names:
            if getattr(self, name) < 1:
                raise SpecError(f"{self.name}: {name} must be at least 1", found=getattr(self, name))
