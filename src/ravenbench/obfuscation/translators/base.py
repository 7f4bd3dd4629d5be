"""The base class of translators."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, TypeGuard

from ravenbench.components import Component
from ravenbench.errors import writable


def is_text(found: object) -> TypeGuard[str]:
    """Whether what a translator gave, or what was kept of it, is a text."""
    return isinstance(found, str) and bool(found.strip()) and "\0" not in found and writable(found)


class Translator(Component):
    """Base of translators, which translate sentences.

    A sentence that cannot be translated gives None, so that the caller keeps the original and counts it.

    Examples
    --------
    >>> from ravenbench.obfuscation.translators.toy import Unchanged
    >>> Unchanged().translate(["Nobody knows."], "en", "de")
    ['Nobody knows.']
    """

    remote: ClassVar[bool] = False
    cached: ClassVar[bool] = True

    @abstractmethod
    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str | None]:
        """Translate sentences, in order; the same sentences always give the same translations.

        Raises
        ------
        MissingPart
            If the extra or the model of this pair of languages is not installed.
        """

    @classmethod
    def here(cls) -> str:
        """What this machine can do with it, or the command that would bring it; a line for lists."""
        return "anything"

    def check_leg(self, source: str, target: str) -> None:
        """Refuse a pair of languages that cannot be translated here, before any work; a server is not asked.

        Raises
        ------
        MissingPart
            If the extra, program or model of this pair is not installed.
        """

    @property
    def fingerprint(self) -> str:
        """A string of all that decides the output, which the cache goes by."""
        return f"{self}/v{self.version}"
