"""A LanguageTool server asked over HTTP: how many faults a grammar checker finds. Texts leave this machine."""

from __future__ import annotations

import json
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

from ravenbench.errors import SpecError


class _Stay(HTTPRedirectHandler):
    """A server that sends its client elsewhere has not answered: nobody agreed to that other place."""

    def redirect_request(self, *_: object) -> None:
        """Go nowhere."""


_ASK = build_opener(_Stay())


class LanguageTool:
    """Counts the faults that a LanguageTool server finds in a text.

    Parameters
    ----------
    url : str
        Of the server, such as ``http://localhost:8081``; the path ``/v2/check`` is added.
    language : str
    timeout : float
        Seconds to wait for one answer.
    """

    def __init__(self, url: str, language: str = "en-US", timeout: float = 30.0) -> None:
        if not url.startswith(("http://", "https://")):
            raise SpecError("not the address of a LanguageTool server", found=url, expected="http://HOST:PORT")
        self.url, self.language, self.timeout = url.rstrip("/") + "/v2/check", language, timeout

    def __call__(self, text: str) -> int:
        """Ask the server for the number of faults in a text.

        Raises
        ------
        OSError
            If it does not answer, or with something that is not LanguageTool's JSON.
        """
        data = urlencode({"text": text, "language": self.language}).encode()
        try:
            with _ASK.open(Request(self.url, data), timeout=self.timeout) as response:
                found = json.loads(response.read())
            return len(found["matches"])
        except (URLError, TimeoutError) as error:
            raise OSError(f"the LanguageTool server does not answer ({error})") from error
        except (ValueError, KeyError, TypeError) as error:
            raise OSError("the LanguageTool server answered with something else than its JSON") from error
