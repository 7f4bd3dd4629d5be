"""Paraphrase by a language model behind any OpenAI-compatible chat endpoint, or on this machine."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

from ravenbench.errors import MissingPart, ProgramError, writable
from ravenbench.ext.machine.asking import URL, Model, Request, chat, check_address, leaves_machine
from ravenbench.obfuscation.base import ObfuscationTask, Obfuscator, Part, Rewriting
from ravenbench.obfuscation.parts import Span, pack, sentences
from ravenbench.services import Asked

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
