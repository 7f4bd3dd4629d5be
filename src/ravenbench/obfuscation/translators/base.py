"""What a translator is."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from ravenbench.components import Component


class Translator(Component):
    """Translates sentences; a failure of one is None, so that the caller keeps the original and counts it."""

    remote: ClassVar[bool] = False
    cached: ClassVar[bool] = True

    @abstractmethod
    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str | None]:
        """Translations in order; deterministic.

        Raises
        ------
        MissingPart
            If the extra or the model of this pair is not here.
        """

    @property
    def fingerprint(self) -> str:
        """What decides the output, for caching."""
        return f"{self}/v{self.version}"
