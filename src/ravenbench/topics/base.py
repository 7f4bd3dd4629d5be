"""What a document encoder is."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence

from ravenbench.components import Component
from ravenbench.errors import SpecError
from ravenbench.types import Floats


class Encoder(Component):
    """Texts to vectors. Unsupervised: fitted on the very texts it encodes, deterministic under ``seed``."""

    @abstractmethod
    def encode(self, texts: Sequence[str]) -> Floats:
        """Document vectors, shape (len(texts), d); long texts are read in chunks whose vectors are averaged."""

    def learn(self, texts: Sequence[str]) -> Callable[[Sequence[str]], Floats] | None:
        """For corpora too large to hold: what was learned, as a function of texts that can be given in parts.

        None where a text's vector depends on more than that, or the texts are few enough for ``encode`` to hold.
        """
        return None

    def need_some(self, *names: str) -> None:
        """Whether these parameters are 1 or more.

        Raises
        ------
        SpecError
            If one is not.
        """
        for name in names:
            if getattr(self, name) < 1:
                raise SpecError(f"{self.name}: {name} must be at least 1", found=getattr(self, name))
