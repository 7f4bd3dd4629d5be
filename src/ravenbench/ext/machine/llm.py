"""Paraphrase by a language model behind any OpenAI-compatible chat endpoint, or on this machine: JSON over HTTP with
retries within limits of time and size, answers that are kept, calls that are bounded."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from ipaddress import ip_address
from threading import Thread
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from ravenbench.errors import InputError, MissingPart, ProgramError, SpecError, install, visible, writable
from ravenbench.limits import most_calls
from ravenbench.obfuscation.base import ObfuscationTask, Obfuscator, Part, Rewriting
from ravenbench.obfuscation.parts import Span, pack, sentences
from ravenbench.services import Asked, DiskCache, count_call

ANSWER_LIMIT = 16 * 2**20
"""Most bytes of an answer."""
_WAIT = 0.5
_GRACE = 0.5
"""Seconds beyond its time after which a post is abandoned, whatever it waits for."""
_AGAIN = frozenset((408, 425, 429, 500, 502, 503, 504))
REASONS = {401: "key refused (status 401)", 403: "not allowed (status 403)", 429: "rate limit (status 429)"}
"""What some statuses mean."""
LIMIT_REACHED = "the limit of calls is reached"
URL, KEY = "RAVEN_LLM_URL", "RAVEN_LLM_KEY"
"""Environment variables with the address of a language model's endpoint, and its key."""
_SILENT, _PAUSE = 3, 60.0
"""After so many questions in a row without an answer an endpoint is not asked for so many seconds."""
_silent: dict[str, tuple[int, float]] = {}
_CHARACTERS = 4.0
"""Of a token, about, for estimates."""


Request = Mapping[str, Any]
"""Of a chat completion: ``model``, ``messages``, ``temperature``, ``max_tokens`` …"""


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

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any] | None:
        """The answer as a JSON object, or None after the last retry; ``last`` says why."""
        reason = ""
        for attempt in range(self._retries + 1):
            if not self.allowed():
                reason = f"{LIMIT_REACHED} ({most_calls():,}; --most-calls)"
                break
            if attempt:
                time.sleep(_WAIT * 2 ** (attempt - 1))
            status, content, reason = self._fetch(path, body)
            if status == 200 and not reason:
                answer, reason = _read(content)
                if answer is not None:
                    return answer
                break
            if status and status not in _AGAIN:
                break
        self.last = reason
        return None

    def _fetch(self, path: str, body: dict[str, Any]) -> tuple[int, bytes, str]:
        """Status (0 where there is none), content and what was wrong of one post, which ends in its time.

        Timeouts of sockets begin anew with each byte, and names are looked up without any: a thread that does not end
        in time is abandoned with its connection.
        """
        came: list[tuple[int, bytes, str]] = []
        call = (self._client, path, body, time.monotonic() + self._timeout)
        thread = Thread(target=lambda: came.append(self._asked(*call)), daemon=True)
        thread.start()
        thread.join(self._timeout + _GRACE)
        if came:
            return came[0]
        self._client = self._new()
        return 0, b"", f"no whole answer in {self._timeout:g} s"

    def _asked(self, client: Any, path: str, body: dict[str, Any], deadline: float) -> tuple[int, bytes, str]:
        content = bytearray()
        try:
            with client.stream("POST", path, json=body) as response:
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


def _read(content: bytes) -> tuple[dict[str, Any] | None, str]:
    """An answer's JSON object, or None and why there is none."""
    try:
        answer = json.loads(content)
    except RecursionError:
        return None, "JSON nested too deep"
    except ValueError:
        return None, "not JSON"
    return (answer, "") if isinstance(answer, dict) else (None, "not a JSON object")


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

    @cached_property
    def _cache(self) -> DiskCache:
        return DiskCache(self.name)

    def estimate(self, requests: Iterable[Request]) -> Asked:
        """What distinct requests come to at most, as if none were answered yet."""
        distinct = {str(request): request for request in requests}.values()
        read = sum(len(message["content"]) for request in distinct for message in request["messages"])
        tokens_in, tokens_out = read / _CHARACTERS, float(sum(request["max_tokens"] for request in distinct))
        cost = (tokens_in * self.prices[0] + tokens_out * self.prices[1]) / 1e6
        return Asked(len(distinct), tokens_in, tokens_out, cost)

    def announce(self, cost: Asked) -> None:
        """Say what questions come to before the first of them. InputError if they are more than a run may ask."""
        if self.url and cost.questions > most_calls():
            raise InputError(
                f"{self.name} would ask more often than is allowed", found=str(cost),
                expected=f"at most {most_calls():,} calls",
                fix="give fewer problems or texts, or a higher --most-calls",
            )  # fmt: skip
        left = ", texts leave this machine" if leaves_machine(self.url) else ""
        where = f"{self.url}{left}" if self.url else "a model on this machine"
        print(visible(f"{self.name} ({where}): at most {cost}"), file=sys.stderr)

    def answer_of(self, request: Request, usable: Callable[[str], bool]) -> str | None:
        """The answer that was kept, if it could be one."""
        return self._cache.get([self.url or self.place, request], usable)

    def ask(self, request: Request, take: Take) -> tuple[str | None, str]:
        """A fresh answer, which is then kept; or None and why there is none."""
        if self.url:
            answer, reason = self._post(request)
        else:
            assert self.here is not None
            answer, reason = self.here(request), ""
        text, reason = (None, f"no answer ({reason})") if answer is None else said(answer)
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


def said(answer: dict[str, Any]) -> tuple[str | None, str]:
    """The text of a chat completion, or None and why there is none: also where it was cut off."""
    try:
        choice = answer["choices"][0]
        message = choice["message"]
        text, refused, finish = message["content"], message.get("refusal"), choice.get("finish_reason")
    except (AttributeError, KeyError, IndexError, TypeError):
        return None, "not a chat completion"
    if refused or finish == "content_filter":
        return None, "refused"
    if finish == "length":
        return None, "cut off"
    if not isinstance(text, str) or not text.strip():
        return None, "empty"
    if not writable(text):
        return None, "no text"
    return text.strip(), ""


PROMPT = (
    "Rewrite the user's text so that its author cannot be recognised. Remove personal style: change word choice, "
    "sentence structure, punctuation habits and idiom. Keep every fact, name and number, the meaning, the register, "
    "the language and the paragraphs. Output the rewritten text only, without comment or quotation marks."
)
_WORDS = 200
_LEAST, _MOST, _SHORT = 0.7, 1.4, 12
_CHATTER = re.compile(
    r"\s*(?:sure[,!.]|certainly[,!.]|of course[,!.]|here(?:'s| is|’s) (?:the|a|your)|i(?:'m| am|’m) sorry|"
    r"i can(?:no|['’])t|as an ai|rewritten text:|i(?:'m| am) (?:unable|not able))",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"\s*(?:<!doctype|<html|```)", re.IGNORECASE)


@dataclass(eq=False, repr=False)
class LLM(Obfuscator):
    """Rewrites chunks of at most 200 words within a paragraph; a chunk that fails keeps its original.

    Also called: paraphrase, language model, GPT, ChatGPT.

    A chunk fails when the endpoint times out, refuses, is cut off, chatters, says the text or its orders again, or its
    length leaves 0.7–1.4 of the original's. Answers are cached by the whole request. The key is read from
    RAVEN_LLM_KEY and written nowhere.

    Parameters
    ----------
    model : str
        As the endpoint names it.
    url : str
        Base address, e.g. ``http://localhost:8000/v1``; where empty, RAVEN_LLM_URL; without that a model on this
        machine, as in the verifier ``causal-lm``.
    temperature : float
    timeout : float
        Seconds.
    retries : int
    price_in, price_out : float
        Of a million tokens read and written, for the estimate.
    """

    name = "llm"
    english = False
    provenance = "ours"

    model: str
    url: str = ""
    temperature: float = 0.7
    timeout: float = 120.0
    retries: int = 2
    price_in: float = 0.0
    price_out: float = 0.0

    @property
    def sends_text(self) -> bool:  # type: ignore[override]
        """Whether texts leave this machine, as they do unless the model runs on it."""
        return bool(self._url()) and leaves_machine(self._url())

    def require(self) -> None:
        """Check that an address is one and holds no key, or that a model without an address is on this machine."""
        if self._url():
            check_address(self._url())
            return
        from ravenbench.ext.encoders.causal import model_file

        try:
            model_file(self.model)
        except MissingPart as error:
            raise MissingPart(
                "llm needs a model on this machine or the address of an OpenAI-compatible endpoint",
                found=f"{self.model!r}: {error.problem}",
                fix=f"llm(model='…', url='http://localhost:8000/v1'); export {URL}=…; {error.fix}",
            ) from None

    def estimate(self, tasks: Sequence[ObfuscationTask]) -> Asked:
        bodies = [task.questioned[start:end].strip() for task in tasks for start, end in chunks(task.questioned)]
        return self._model().estimate(self._request(body, number) for number, body in enumerate(bodies))

    def fit(self, tasks: Sequence[ObfuscationTask]) -> Self:
        """Say what the texts come to. InputError if that is more than a run may ask."""
        self.require()
        self._model().announce(self.estimate(tasks))
        return self

    def rewrite(self, task: ObfuscationTask, seed: int) -> Rewriting:
        self.require()
        text, model = task.questioned, self._model()
        counts: Counter[str] = Counter()
        parts = []
        for number, (start, end) in enumerate(chunks(text)):
            original = text[start:end]
            body = original.strip()
            new: str | None = None
            if any(c.isalpha() for c in body):
                request = self._request(body, int(self.draws(seed, task, "chunk", number).integers(2**31)))
                new = model.answer_of(request, lambda new_text, body=body: objection(body, new_text) is None)  # type: ignore[misc]
                reason = ""
                if new is None:
                    new, reason = model.ask(request, partial(_take, body))
                counts[f"kept: {reason}" if new is None else "rewrite"] += 1
            if new is None:
                parts.append(Part(start, end, original, original))
            else:
                lead = original[: len(original) - len(original.lstrip())]
                tail = original[len(original.rstrip()) :]
                parts.append(Part(start, end, original, lead + new + tail, ("rewrite",)))
        if counts and not counts["rewrite"]:
            note = "; ".join(f"{n} {reason.removeprefix('kept: ')}" for reason, n in sorted(counts.items()))
            raise ProgramError(f"{self.name}: none of {counts.total()} chunks was rewritten: {note}")
        unchanged = {reason: n for reason, n in sorted(counts.items()) if reason != "rewrite"}
        notes = tuple(f"{n} of {counts.total()} chunks {reason}" for reason, n in unchanged.items())
        return Rewriting(tuple(parts), notes, dict(sorted(counts.items())))

    def _url(self) -> str:
        return self.url or os.environ.get(URL, "")

    def _model(self) -> Model:
        """The model at the address, or without one that on this machine."""
        place, prices = self._url(), (self.price_in, self.price_out)
        if place:
            return Model(self.name, place, self.timeout, self.retries, prices)
        from ravenbench.ext.encoders.causal import digest, open_model

        def here(request: Request) -> dict[str, Any]:
            how = {"temperature": request["temperature"], "seed": request["seed"], "most": request["max_tokens"]}
            return open_model(self.model, "auto").answer(request["messages"], **how)

        return Model(self.name, place, self.timeout, self.retries, prices, here, digest(self.model))

    def _request(self, body: str, seed: int) -> Request:
        return chat(self.model, PROMPT, body, 3 * len(body.split()) + 50, temperature=self.temperature, seed=seed)


def chunks(text: str) -> list[Span]:
    """Spans that tile the text, each within one paragraph and of at most 200 words where sentences allow."""
    spans = []
    start = 0
    for match in re.finditer(r"\n\s*\n|\Z", text):
        if match.end() > start:
            paragraph = text[start : match.end()]
            spans += [(start + a, start + b) for a, b in pack(paragraph, sentences(paragraph), _WORDS)]
            start = match.end()
    return spans


def words(text: str) -> list[str]:
    """A text's words, without marks between them."""
    return re.findall(r"\w+", text)


def _take(body: str, answer: str) -> tuple[str | None, str]:
    reason = objection(body, answer)
    # Orders that are said again, and a text that comes back as it was, are no rewriting.
    if len(body.split()) >= _SHORT and (answer[:60] in PROMPT or words(answer) == words(body)):
        reason = "it repeats the prompt"
    return (None, reason) if reason else (answer, "")


def objection(original: str, new: str) -> str | None:
    """The reason why a rewriting cannot be taken, or None."""
    if not new.strip() or "\0" in new or not writable(new):
        return "no text"
    if _CHATTER.match(new) and not _CHATTER.match(original):
        return "refusal or preamble"
    if _MARKUP.match(new) and not _MARKUP.match(original):
        return "markup"
    before, after = len(original.split()), len(new.split())
    if before >= _SHORT and not _LEAST <= after / before <= _MOST:
        return "wrong length"
    return None
