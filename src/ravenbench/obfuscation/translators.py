"""Defines what a translator for round trips is (``Translator``).

In: for ``translate`` sentences and two languages by their codes (text), from and to; for ``check_leg`` the two codes;
for ``is_text`` any value.
Out: ``translate`` gives a list of translations in the same order, None where there is none; ``check_leg`` nothing;
``here`` and ``fingerprint`` a line of text; ``is_text`` True for text that is not blank and can be written. MissingPart
if the extra, program or model of the two languages is not installed.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, TypeGuard

from ravenbench.components import Component
from ravenbench.errors import writable


def is_text(value: object) -> TypeGuard[str]:
    """Return whether a translator's output, or a stored output, is a text."""
    return isinstance(value, str) and bool(value.strip()) and "\0" not in value and writable(value)


class Translator(Component):
    """Base class of translators, which translate sentences.

    A sentence that cannot be translated gives None, so that the caller keeps the original and counts it.
    """

    remote: ClassVar[bool] = False
    cached: ClassVar[bool] = True

    @abstractmethod
    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str | None]:
        """Translate sentences, in order; the same sentences always give the same translations.

        MissingPart if the extra or the model of this pair of languages is not installed.
        """

    @classmethod
    def here(cls) -> str:
        """Return what this machine can do with it, or the command that installs it, as one line."""
        return "anything"

    def check_leg(self, source: str, target: str) -> None:
        """Refuse a pair of languages that cannot be translated here, before any work and without a request to a server.

        MissingPart if the extra, program or model of this pair is not installed.
        """

    @property
    def fingerprint(self) -> str:
        """Return a string of everything that decides the output; the cache uses it as a key."""
        return f"{self}/v{self.version}"
