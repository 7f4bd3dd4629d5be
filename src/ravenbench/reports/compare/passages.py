"""The questioned text token by token, as LambdaG weighs it with content words hidden from its grammars."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

from ravenbench.types import Bools, Problems
from ravenbench.verifiers.published.lambdag import LambdaG

PASSAGE = 45
"""Words from which on a passage ends with its sentence."""
LETTERS = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class Token:
    """A stretch of the questioned text: what stands before it, itself, its log10 ratio, whether it is content."""

    before: str
    text: str
    log10: float
    content: bool


@dataclass(frozen=True)
class Passage:
    """Some sentences of the questioned text, and the sum of their tokens' log10 ratios."""

    tokens: tuple[Token, ...]
    log10: float


def hidden(text: str, functions: frozenset[str]) -> str:
    """The text with ``x`` (``X`` where it begins with a capital) in the place of every content word."""

    def stand_in(match: re.Match[str]) -> str:
        word = match[0]
        return word if word.lower() in functions else "X" if word[0].isupper() else "x"

    return LETTERS.sub(stand_in, text)


def _back(shown: str, masked: str) -> Callable[[int], int]:
    """Where a place between words of the masked text stands in the text itself."""
    ends = [match.end() for match in LETTERS.finditer(masked)]
    shift = [0, *(a.end() - b for a, b in zip(LETTERS.finditer(shown), ends, strict=True))]
    return lambda place: place + shift[bisect_right(ends, place)]


class _Hide:
    """``hidden`` as a text transform."""

    def __init__(self, functions: frozenset[str]) -> None:
        self.functions = functions

    def fit(self, texts: Sequence[str]) -> Self:
        """Nothing is learned."""
        return self

    def transform(self, texts: Sequence[str]) -> list[str]:
        """The texts with their content words hidden."""
        return [hidden(text, self.functions) for text in texts]


def passages(
    shown: str, known: Sequence[str], background: Problems, same: Bools, functions: frozenset[str], seed: int
) -> tuple[Passage, ...]:
    """λ_G of every token, with content words hidden from the grammars."""

    grammar = LambdaG(seed=seed).fit(background.map_texts(_Hide(functions)), same)
    masked = hidden(shown, functions)
    found = grammar.tokens([hidden(text, functions) for text in known], masked, "evidence")
    back = _back(shown, masked)
    made: list[Passage] = []
    tokens: list[Token] = []
    end, total, words = 0, 0.0, 0
    for number, token in enumerate(found):
        total += token.log10
        if token.start == token.end:
            # The end of a sentence is weighed too, and has no place of its own.
            last = number == len(found) - 1
            if words >= PASSAGE or last:
                rest = shown[end:] if last else ""
                tokens += [Token(rest, "", 0.0, False)] if rest.strip() else []
                made.append(Passage(tuple(tokens), total))
                tokens, total, words = [], 0.0, 0
            continue
        start, stop = back(token.start), back(token.end)
        text = shown[start:stop]
        inside = [word.lower() for word in LETTERS.findall(text)]
        is_word = bool(inside)
        tokens.append(Token(shown[end:start], text, token.log10, any(word not in functions for word in inside)))
        end, words = stop, words + is_word
    return tuple(made)
