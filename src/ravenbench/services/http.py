"""JSON over HTTP with retries; an answer that is no JSON object is no answer."""

from __future__ import annotations

import time
from ipaddress import ip_address
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from ravenbench.errors import MissingPart

_WAIT = 0.5
_AGAIN = frozenset((408, 425, 429, 500, 502, 503, 504))
REASONS = {401: "key refused (status 401)", 403: "not allowed (status 403)", 429: "rate limit (status 429)"}
"""What some statuses mean."""


def leaves_machine(url: str) -> bool:
    """Whether what is sent to an address leaves this machine: not where its host is the machine itself."""
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return False
    try:
        return not ip_address(host).is_loopback
    except ValueError:
        return True


class Endpoint:
    """Posts to one server. ``last`` is why the latest post had no answer; keys never stand in it.

    Raises
    ------
    MissingPart
        If httpx is not installed.
    """

    def __init__(self, url: str, *, timeout: float, retries: int, headers: dict[str, str] | None = None) -> None:
        try:
            import httpx
        except ModuleNotFoundError:
            raise MissingPart(
                "endpoints are reached through httpx", fix="pip install 'ravenbench[obfuscation]'"
            ) from None
        self._errors: tuple[type[Exception], ...] = (httpx.HTTPError, httpx.InvalidURL)
        self._client = httpx.Client(base_url=url.rstrip("/"), timeout=timeout, headers=headers or {})
        self._retries = retries
        self.last = ""

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any] | None:
        """The answer as a JSON object, or None after the last retry; ``last`` says why."""
        reason = ""
        for attempt in range(self._retries + 1):
            if attempt:
                time.sleep(_WAIT * 2 ** (attempt - 1))
            try:
                response = self._client.post(path, json=body)
            except self._errors as error:
                reason = type(error).__name__
                continue
            if response.status_code == 200:
                try:
                    answer = response.json()
                except ValueError:
                    reason = "not JSON"
                    break
                if isinstance(answer, dict):
                    return answer
                reason = "not a JSON object"
                break
            reason = REASONS.get(response.status_code, f"status {response.status_code}")
            if response.status_code not in _AGAIN:
                break
        self.last = reason
        return None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()
