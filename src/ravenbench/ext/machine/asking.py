"""Language models behind an OpenAI-compatible endpoint, or on this machine: answers are kept, calls are bounded."""

from __future__ import annotations

import os
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from ravenbench.errors import InputError, SpecError, visible, writable
from ravenbench.limits import most_calls
from ravenbench.services import LIMIT_REACHED, Asked, DiskCache, Endpoint, count_call, leaves_machine

URL, KEY = "RAVEN_LLM_URL", "RAVEN_LLM_KEY"
"""Environment variables with the address of a language model's endpoint, and its key."""
_SILENT, _PAUSE = 3, 60.0
"""After so many questions in a row without an answer an endpoint is not asked for so many seconds."""
_silent: dict[str, tuple[int, float]] = {}
_CHARACTERS = 4.0
"""Of a token, about, for estimates."""
_TOKENS = 10**9
"""More tokens than this no answer has."""


Request = Mapping[str, Any]
"""Of a chat completion: ``model``, ``messages``, ``temperature``, ``max_tokens`` …"""


def check_address(url: str) -> None:
    """SpecError unless this is the address of an endpoint that holds no key, and the key, if there is one, could be."""
    try:
        address = urlsplit(url)
        good = address.scheme in ("http", "https") and bool(re.fullmatch(r"[\w.:-]+", address.hostname or ""))
        good = good and (address.port is None or address.port > 0)
    except ValueError:
        good = False
    if not good:
        raise SpecError("this is not the address of an endpoint", expected="such as http://localhost:8000/v1")
    if address.query or address.fragment or "@" in address.netloc:
        raise SpecError("the address of an endpoint holds no key and no query", fix=f"export {KEY}=…")
    if not re.fullmatch(r"[!-~]*", _key()):
        raise SpecError(f"{KEY} holds blanks or letters that no key has", fix=f"export {KEY}=… again")


def _key() -> str:
    return os.environ.get(KEY, "").strip()


def chat(model: str, system: str, user: str, most: int, *, temperature: float = 0.0, **more: Any) -> Request:
    """The request of a chat completion: who the model is to be, what it is shown, and most tokens of its answer."""
    messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    return {"model": model, "messages": messages, "temperature": temperature, **more, "max_tokens": most}


Take = Callable[[str], tuple[str | None, str]]
"""From the text of an answer to what is kept of it, or to None and why it is no answer."""


@dataclass
class Model:
    """A language model behind an OpenAI-compatible endpoint, or on this machine; it is asked each question once.

    Parameters
    ----------
    name : str
        Of the component that asks, and of the folder that keeps its answers.
    url : str
        Where empty, ``here`` answers. The key in ``KEY`` is sent to this address alone.
    prices : tuple of float
        Of a million tokens read and written.
    here : callable, optional
        From a request to a chat completion.
    place : str, optional
        What stands for the address among what decides an answer: the hash of a model on this machine.
    """

    name: str
    url: str
    timeout: float
    retries: int
    prices: tuple[float, float] = (0.0, 0.0)
    here: Callable[[Request], dict[str, Any]] | None = None
    place: str = ""
    used: Counter[str] = field(default_factory=Counter)

    @cached_property
    def _cache(self) -> DiskCache:
        return DiskCache(self.name)

    def cost_of(self, questions: int, read: float, written: float) -> Asked:
        """What so many questions with so many tokens come to."""
        return Asked(questions, read, written, (read * self.prices[0] + written * self.prices[1]) / 1e6)

    def estimate(self, requests: Iterable[Request]) -> Asked:
        """What distinct requests come to at most, as if none were answered yet."""
        distinct = {str(request): request for request in requests}.values()
        read = sum(len(message["content"]) for request in distinct for message in request["messages"])
        return self.cost_of(len(distinct), read / _CHARACTERS, float(sum(r["max_tokens"] for r in distinct)))

    def announce(self, cost: Asked, what: str) -> None:
        """Say what questions come to before the first of them. InputError if they are more than a run may ask."""
        if self.url and cost.questions > most_calls():
            raise InputError(
                f"{self.name} would ask more often than is allowed", found=str(cost),
                expected=f"at most {most_calls():,} calls",
                fix="give fewer problems or texts, or a higher --most-calls",
            )  # fmt: skip
        left = ", texts leave this machine" if leaves_machine(self.url) else ""
        where = f"{self.url}{left}" if self.url else "a model on this machine"
        print(visible(f"{self.name} ({where}): {what}{cost}"), file=sys.stderr)

    def answer_of(self, request: Request, usable: Callable[[str], bool]) -> str | None:
        """The answer that was kept, if it could be one."""
        return self._cache.get([self.url or self.place, request], usable)

    def ask(self, request: Request, take: Take, whole: bool = True) -> tuple[str | None, str]:
        """A fresh answer, which is then kept; or None and why there is none. Unless ``whole``, one that reached the
        limit of tokens serves too."""
        if self.url:
            answer, reason = self._post(request)
        else:
            assert self.here is not None
            answer, reason = self.here(request), ""
        usage = (answer or {}).get("usage")
        if isinstance(usage, dict):
            self.used.update({k: v for k, v in usage.items() if isinstance(v, int) and 0 <= v < _TOKENS})
        text, reason = (None, f"no answer ({reason})") if answer is None else said(answer, whole)
        usable_text, reason = (None, reason) if text is None else take(text)
        if usable_text is not None:
            self._cache.put([self.url or self.place, request], usable_text)
        return usable_text, reason

    def _post(self, request: Request) -> tuple[dict[str, Any] | None, str]:
        failures, when = _silent.get(self.url, (0, 0.0))
        if failures >= _SILENT and time.monotonic() < when + _PAUSE:
            return None, f"not asked: {failures} questions in a row had no answer"
        key = _key()
        headers = {"Authorization": f"Bearer {key}"} if key else None
        with Endpoint(self.url, timeout=self.timeout, retries=self.retries, headers=headers) as endpoint:
            endpoint.allowed = count_call
            answer = endpoint.post("/chat/completions", dict(request))
            if not endpoint.last.startswith(LIMIT_REACHED):
                _silent[self.url] = (0 if answer is not None else failures + 1, time.monotonic())
            return answer, endpoint.last


def said(answer: dict[str, Any], whole: bool = True) -> tuple[str | None, str]:
    """The text of a chat completion, or None and why there is none: also where it was cut off, if ``whole``."""
    try:
        choice = answer["choices"][0]
        message = choice["message"]
        text, refused, finish = message["content"], message.get("refusal"), choice.get("finish_reason")
    except (AttributeError, KeyError, IndexError, TypeError):
        return None, "not a chat completion"
    if refused or finish == "content_filter":
        return None, "refused"
    if whole and finish == "length":
        return None, "cut off"
    if not isinstance(text, str) or not text.strip():
        return None, "empty"
    if not writable(text):
        return None, "no text"
    return text.strip(), ""
