"""A LanguageTool server asked over HTTP: how many faults a grammar checker finds. Texts leave this machine."""

from __future__ import annotations

from ravenbench.errors import SpecError
from ravenbench.services.http import Endpoint


class LanguageTool:
    """Counts the faults that a LanguageTool server finds in a text.

    Parameters
    ----------
    url : str
        Of the server, such as ``http://localhost:8081``; the path ``/v2/check`` is added.
    language : str
    timeout : float
        Seconds that one answer may take.

    Raises
    ------
    SpecError
        If this is no address.
    MissingPart
        If httpx is not installed.
    """

    def __init__(self, url: str, language: str = "en-US", timeout: float = 30.0) -> None:
        if not url.startswith(("http://", "https://")):
            raise SpecError("not the address of a LanguageTool server", found=url, expected="http://HOST:PORT")
        self.language = language
        self._endpoint = Endpoint(url, timeout=timeout, retries=0)

    def __call__(self, text: str) -> int:
        """Ask the server for the number of faults in a text.

        Raises
        ------
        OSError
            If it does not answer, or with something that is not LanguageTool's JSON.
        """
        answer = self._endpoint.post("/v2/check", {"text": text, "language": self.language}, form=True)
        if answer is None:
            raise OSError(f"the LanguageTool server gives no answer ({self._endpoint.last})")
        found = answer.get("matches")
        if not isinstance(found, list):
            raise OSError("the LanguageTool server answered with something else than its JSON")
        return len(found)
