"""Services over HTTP: JSON with retries within limits of time and size, answers that are kept, a bound on the calls of
language models; and LanguageTool."""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from ipaddress import ip_address
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from ravenbench.errors import MissingPart, SpecError, install
from ravenbench.files import cache_folder, made_cache, make_folder, write_text
from ravenbench.limits import most_calls

ANSWER_LIMIT = 16 * 2**20
"""Most bytes of an answer."""
_WAIT = 0.5
_GRACE = 0.5
"""Seconds beyond its time after which a post is abandoned, whatever it waits for."""
_AGAIN = frozenset((408, 425, 429, 500, 502, 503, 504))
REASONS = {401: "key refused (status 401)", 403: "not allowed (status 403)", 429: "rate limit (status 429)"}
"""What some statuses mean."""
_COUNT = "RAVEN_LLM_COUNT"
"""A file that has a byte for each call of this run, from whatever process."""
LIMIT_REACHED = "the limit of calls is reached"


def leaves_machine(url: str) -> bool:
    """Whether what is sent to an address leaves this machine: not where its host is the machine itself."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return True
    if host == "localhost" or host.endswith(".localhost"):
        return False
    try:
        return not ip_address(host).is_loopback
    except ValueError:
        return True


class Endpoint:
    """Posts to one server. ``last`` is why the latest post had no answer; keys never stand in it.

    Redirections are not followed: texts go to the address that was given. MissingPart if httpx is not installed.

    Parameters
    ----------
    timeout : float
        Seconds that one post may take, from the first byte sent to the last one read.
    """

    allowed: Callable[[], bool] = staticmethod(lambda: True)
    """Whether one more call may be sent; asked before each."""

    def __init__(self, url: str, *, timeout: float, retries: int, headers: dict[str, str] | None = None) -> None:
        try:
            import httpx
        except ModuleNotFoundError:
            raise MissingPart("endpoints are reached through httpx", fix=install("obfuscation")) from None
        # What is packed may unpack to anything.
        headers = {**(headers or {}), "Accept-Encoding": "identity"}
        self._new = partial(httpx.Client, base_url=url.rstrip("/"), timeout=timeout, headers=headers)
        self._client = self._new()
        self._timeout = timeout
        self._retries = retries
        self.last = ""

    def post(self, path: str, body: dict[str, Any], *, form: bool = False) -> dict[str, Any] | None:
        """The answer as a JSON object, or None after the last retry; ``last`` says why.

        ``form`` sends the values as a form, not as JSON.
        """
        reason = ""
        for attempt in range(self._retries + 1):
            if not self.allowed():
                reason = f"{LIMIT_REACHED} ({most_calls():,}; --most-calls)"
                break
            if attempt:
                time.sleep(_WAIT * 2 ** (attempt - 1))
            status, content, reason = self._fetch(path, body, form)
            if status == 200 and not reason:
                answer, reason = _read(content)
                if answer is not None:
                    return answer
                break
            if status and status not in _AGAIN:
                break
        self.last = reason
        return None

    def _fetch(self, path: str, body: dict[str, Any], form: bool) -> tuple[int, bytes, str]:
        """Status (0 where there is none), content and what was wrong of one post, which ends in its time.

        Timeouts of sockets begin anew with each byte, and names are looked up without any: a thread that does not end
        in time is abandoned with its connection.
        """
        came: list[tuple[int, bytes, str]] = []
        call = (self._client, path, body, form, time.monotonic() + self._timeout)
        thread = Thread(target=lambda: came.append(self._asked(*call)), daemon=True)
        thread.start()
        thread.join(self._timeout + _GRACE)
        if came:
            return came[0]
        self._client = self._new()
        return 0, b"", f"no whole answer in {self._timeout:g} s"

    def _asked(
        self, client: Any, path: str, body: dict[str, Any], form: bool, deadline: float
    ) -> tuple[int, bytes, str]:
        content = bytearray()
        try:
            with client.stream("POST", path, **{"data" if form else "json": body}) as response:
                status = int(response.status_code)
                if status != 200:
                    return status, b"", REASONS.get(status, f"status {status}")
                if response.headers.get("Content-Encoding", "identity") != "identity":
                    return status, b"", "compressed, though no compression was requested"
                for part in response.iter_raw():
                    content += part
                    if len(content) > ANSWER_LIMIT:
                        return status, b"", f"longer than {ANSWER_LIMIT // 2**20} MB"
                    if time.monotonic() > deadline:
                        return 0, b"", f"no whole answer in {self._timeout:g} s"
        except Exception as error:  # whatever a server sends, only this answer has failed
            return 0, b"", type(error).__name__
        return status, bytes(content), ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()


@cache
def count_of(run: str) -> str:
    """The file in which this process counts the calls that it sends for a run."""
    os.environ.pop(_COUNT, None)
    begin_counting()
    return os.environ[_COUNT]


def count_for(run: str) -> None:
    """From now on calls of language models are those of this run, whatever others send."""
    os.environ[_COUNT] = count_of(run)


def begin_counting() -> None:
    """From now on calls of language models are those of a new run, in this process and in all that it starts."""
    if _COUNT not in os.environ:
        file = tempfile.NamedTemporaryFile(prefix="raven-calls-")  # noqa: SIM115 (it lives as long as this process)
        atexit.register(file.close)
        os.environ[_COUNT] = file.name
    Path(os.environ[_COUNT]).write_bytes(b"")


def count_call() -> bool:
    """Count a call; whether the run may send it. Outside runs nothing is counted."""
    if (place := os.environ.get(_COUNT)) is None:
        return True
    with Path(place).open("ab") as file:
        file.write(b".")
        file.flush()  # the place after it is this call's own number, whoever writes beside
        return file.tell() <= most_calls()


@dataclass(frozen=True)
class Asked:
    """What questions come to: their number, tokens read and written, and the cost at the prices given."""

    questions: int
    tokens_in: float
    tokens_out: float
    cost: float

    def __str__(self) -> str:
        price = f", {self.cost:.4f} at the given prices" if self.cost else ""
        return f"{self.questions:,} questions, {self.tokens_in:,.0f} tokens in, {self.tokens_out:,.0f} out{price}"


def _read(content: bytes) -> tuple[dict[str, Any] | None, str]:
    """An answer's JSON object, or None and why there is none."""
    try:
        answer = json.loads(content)
    except RecursionError:
        return None, "JSON nested too deep"
    except ValueError:
        return None, "not JSON"
    return (answer, "") if isinstance(answer, dict) else (None, "not a JSON object")


class DiskCache:
    """Keeps answers below the user's cache folder, a file each; the request is hashed, the answer is not."""

    def __init__(self, name: str) -> None:
        self._folder = cache_folder() / name

    def get(self, request: Any, usable: Callable[[str], bool]) -> str | None:
        """Return the kept answer; None where there is none that could be one, as ``usable`` says of fresh ones too."""
        try:
            text = self._path(request).read_bytes().decode()
        except (OSError, UnicodeDecodeError):
            return None
        return text if usable(text) else None

    def put(self, request: Any, answer: str) -> None:
        """Keep an answer under its request."""
        path = self._path(request)
        make_folder(made_cache() / self._folder.name, private=True)
        make_folder(path.parent)
        write_text(path, answer)

    def _path(self, request: Any) -> Path:
        text = json.dumps(request, sort_keys=True, ensure_ascii=False)
        key = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
        return self._folder / key[:2] / f"{key}.txt"


class LanguageTool:
    """Counts the faults that a LanguageTool server finds in a text.

    SpecError if this is no address; MissingPart if httpx is not installed.

    Parameters
    ----------
    url : str
        Of the server, such as ``http://localhost:8081``; the path ``/v2/check`` is added.
    language : str
    timeout : float
        Seconds that one answer may take.
    """

    def __init__(self, url: str, language: str = "en-US", timeout: float = 30.0) -> None:
        if not url.startswith(("http://", "https://")):
            raise SpecError("not the address of a LanguageTool server", found=url, expected="http://HOST:PORT")
        self.language = language
        self._endpoint = Endpoint(url, timeout=timeout, retries=0)

    def __call__(self, text: str) -> int:
        """Ask the server for the number of faults in a text.

        OSError if it does not answer, or with something that is not LanguageTool's JSON.
        """
        answer = self._endpoint.post("/v2/check", {"text": text, "language": self.language}, form=True)
        if answer is None:
            raise OSError(f"the LanguageTool server gives no answer ({self._endpoint.last})")
        matches = answer.get("matches")
        if not isinstance(matches, list):
            raise OSError("the LanguageTool server answered with something else than its JSON")
        return len(matches)
