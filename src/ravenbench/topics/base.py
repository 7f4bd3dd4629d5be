"""What a document encoder is."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from ravenbench.components import Component
from ravenbench.types import Floats


class Encoder(Component):
    """Texts to vectors. Unsupervised: fitted on the very texts it encodes, deterministic under ``seed``."""

    @abstractmethod
    def encode(self, texts: Sequence[str]) -> Floats:
        """Document vectors, shape (len(texts), d); long texts are read in chunks whose vectors are averaged."""
