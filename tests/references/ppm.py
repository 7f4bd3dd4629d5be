"""PPM cross-entropies as plainly as they can be written: what the kernels are compared with and timed against."""

from __future__ import annotations

from collections import defaultdict
from math import log2
from typing import Literal

from ravenbench.text.ppm import cross_entropies
from ravenbench.texts import TextTable

Model = dict[str, dict[str, int]]
ALPHABET = 256


def model(text: str, order: int = 5) -> Model:
    """Context → character → count, for every context of 0 … ``order`` characters that precedes a character."""
    contexts: Model = defaultdict(lambda: defaultdict(int))
    for i, char in enumerate(text):
        for length in range(min(order, i) + 1):
            contexts[text[i - length : i]][char] += 1
    return {context: dict(chars) for context, chars in contexts.items()}


def probability(
    contexts: Model, context: str, char: str, escape: Literal["C"] | None = None
) -> float:
    """Probability of ``char`` after ``context``.

    Without escapes, its share in the longest suffix of the context in which it was seen. With method C, a
    seen context of ``total`` characters, ``distinct`` different ones, gives ``count / (total + distinct)`` to a
    character it has and passes ``distinct / (total + distinct)`` on to the next shorter context. What was
    never seen anywhere gets 1/256 (of what is passed on).
    """
    passed = 1.0
    for begin in range(len(context) + 1):
        chars = contexts.get(context[begin:])
        if chars is None:
            continue
        spare = 0 if escape is None else len(chars)
        total = sum(chars.values()) + spare
        if char in chars:
            return passed * chars[char] / total
        if escape is not None:
            passed *= spare / total
    return passed / ALPHABET


def cross_entropy(
    contexts: Model, text: str, order: int = 5, escape: Literal["C"] | None = None
) -> float:
    """Bits a character of a non-empty text; contexts before the text's start are as short as they are."""
    bits = 0.0
    for i, char in enumerate(text):
        bits -= log2(probability(contexts, text[max(0, i - order) : i], char, escape))
    return bits / len(text)


def of_the_kernel(
    model: str, text: str, order: int = 5, escape: Literal["C"] | None = None
) -> float:
    """Bits a character of ``text`` under the model of ``model``, by Raven's kernel."""
    texts, rows = TextTable.collect([model, text])
    return float(cross_entropies(texts, rows[:1], rows[1:], order, escape)[0, 0])
