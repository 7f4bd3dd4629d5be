"""Translation by a LibreTranslate server."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from ravenbench.errors import InputError
from ravenbench.obfuscation.translators.base import Translator, is_text
from ravenbench.services import Endpoint, leaves_machine


@dataclass(eq=False, repr=False)
class LibreTranslate(Translator):
    """Translates by a LibreTranslate server over HTTP; the key, if any, comes from LIBRETRANSLATE_API_KEY.

    Such servers may pivot through English, which undoes a round trip: run one with a direct model of each pair.

    Parameters
    ----------
    url : str
    timeout : float
        Seconds.
    retries : int
    """

    name = "libretranslate"

    url: str
    timeout: float = 30.0
    retries: int = 2

    @classmethod
    def here(cls) -> str:
        return "what the server can: libretranslate(url='http://localhost:5000')"

    @property
    def remote(self) -> bool:  # type: ignore[override]
        """Whether the server is another machine."""
        return leaves_machine(self.url)

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str | None]:
        if not self.url.startswith(("http://", "https://")):
            raise InputError("not an address", found=self.url, expected="http://… or https://…")
        key = os.environ.get("LIBRETRANSLATE_API_KEY")
        with Endpoint(self.url, timeout=self.timeout, retries=self.retries) as endpoint:
            out: list[str | None] = []
            for text in texts:
                body = {"q": text, "source": source, "target": target, "format": "text"} | (
                    {"api_key": key} if key else {}
                )
                answer = endpoint.post("/translate", body)
                found = answer.get("translatedText") if answer is not None else None
                out.append(found if is_text(found) else None)
            return out
