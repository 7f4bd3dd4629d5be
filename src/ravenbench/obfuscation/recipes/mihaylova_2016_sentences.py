"""Splitting long sentences and merging short ones, the eleventh operation of Mihaylova et al."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from ravenbench.obfuscation.guards.stretches import Stretches
from ravenbench.obfuscation.parts import sentences

_WORD = re.compile(r"[^\W\d_]+")
_CONNECTIVES = ("and", "and", "and", "and", "", "", "", "as", "yet")
_BREAKERS = re.compile(r", (?:however|therefore|moreover|furthermore|although|because|but|so|while|whereas) ", re.I)
_WHOLE_BREAKERS = re.compile(r", (?:however|therefore|moreover|furthermore|but) (?=(?:I|he|she|it|we|they|you|the) )")
_SUBJECT = frozenset(
    [
        "i",
        "he",
        "she",
        "it",
        "we",
        "they",
        "you",
        "this",
        "that",
        "these",
        "those",
        "there",
        "the",
        "a",
        "an",
        "my",
        "his",
        "her",
        "its",
        "our",
        "your",
        "their",
    ]
)
_NEAR = 8


def split(sentence: str, pos: Mapping[str, str], kept: Stretches | None) -> str:
    """Split at *and* once a noun and a verb have been seen, and at discourse markers.

    Where ``kept`` says what to leave alone, what follows must look like a sentence too.
    """
    out, seen = [], set()
    at = 0
    for match in _WORD.finditer(sentence):
        word = match.group().lower()
        seen.add(pos.get(word, ""))
        if word == "and" and {"n", "v"} <= seen and sentence[match.end() : match.end() + 1] == " ":
            if kept is not None and not _opens_sentence(sentence[match.end() :], pos):
                continue
            rest = match.end() + 1
            out.append(sentence[at : match.start()].rstrip(" ,;:") + ". ")
            sentence = sentence[:rest] + sentence[rest : rest + 1].upper() + sentence[rest + 1 :]
            at, seen = rest, set()
    joined = "".join([*out, sentence[at:]])
    breakers = _BREAKERS if kept is None else _WHOLE_BREAKERS
    return breakers.sub(lambda m: ". " + m.group()[2:].capitalize(), joined)


def merge(text: str, rng: np.random.Generator, kept: Stretches | None) -> str:
    """One sentence of all: final marks become a comma or semicolon with a connective, next initials small.

    Where ``kept`` says what to leave alone, names keep their initials, and so do words in capitals.
    """
    spans = sentences(text)
    out = []
    for number, (start, end) in enumerate(spans):
        sentence = text[start:end]
        body = sentence.rstrip()
        gap = sentence[len(body) :]
        if number:
            first = re.match(r"\W*(\w+)", body)
            if first and first.group(1) != "I" and not (kept and keeps_capital(first.group(1), kept)):
                body = body[: first.start(1)] + body[first.start(1)].lower() + body[first.start(1) + 1 :]
        if number + 1 < len(spans) and "\n\n" not in gap and body[-1:] in ".!?":
            mark = ",;"[int(rng.integers(2))]
            word = _CONNECTIVES[int(rng.integers(len(_CONNECTIVES)))]
            body, gap = body[:-1] + mark, f" {word} " if word else " "
        out.append(body + gap)
    return "".join(out)


def keeps_capital(word: str, kept: Stretches) -> bool:
    """Whether a sentence's first word has its capital for another reason than standing there."""
    return word == "I" or word in kept.names or word[1:] != word[1:].lower()


def _opens_sentence(rest: str, pos: Mapping[str, str]) -> bool:
    words = [m.group().lower() for m in _WORD.finditer(re.split(r"[.,;:!?]", rest, maxsplit=1)[0])][:_NEAR]
    return bool(words) and words[0] in _SUBJECT and any(pos.get(word) == "v" for word in words[1:])
