"""Finds what pulls each way, for a reader to look at: passages, and common words in context.

In: a questioned text, known texts, the background's training ``Problems`` with truth (n,), its most frequent words, a
seed.
Out: an ``Evidence``: passages and their tokens in log10 ratios (unbounded); words with a ``pull`` (terms of a
cosine of z-scores, −1 to 1) and uses in a thousand words; all above 0 for the candidate. ``passages`` and
``common_words`` each give one part, ``ext.case.choices`` that of choices.

Nothing here enters the likelihood ratio: it shows what methods of these kinds see. *Content words*, all but the
background's most frequent ones, are marked, for what they say may be topic.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Self

import numpy as np
from msgspec import Struct

from ravenbench.ext.case.choices import choices
from ravenbench.ext.shelf.published.lambdag import LambdaG
from ravenbench.ext.shelf.raven.alternations import Choice
from ravenbench.text.content_words import LETTERS, hidden
from ravenbench.text.segmenters import writing_of
from ravenbench.text.tokens import HAN, HIRAGANA, MARKS, WORD, lowered
from ravenbench.types import Bools, Floats, Problems

PASSAGE = 45
"""Words from which on a passage ends with its sentence."""

SHOWN = 8
"""Features shown on either side."""
AROUND = 32
"""Characters of context on either side."""
MOST_WORDS = 2000
"""Words of a questioned text that are shown."""


class MarkedToken(Struct, frozen=True, array_like=True):
    """A piece of the questioned text: the text before it, the piece, its log10 ratio (above 0 for the candidate), and
    whether it is content."""

    before: str
    text: str
    log10: float
    content: bool


class MarkedPassage(Struct, frozen=True):
    """Sentences of the questioned text, and the sum of their tokens' log10 ratios (above 0 for the candidate)."""

    tokens: tuple[MarkedToken, ...]
    log10: float


_ALONE = re.compile(f"[{HAN}{HIRAGANA}][{MARKS}]*")
_ENDS = str.maketrans("。！？", ".!?")


def _blanks(text: str) -> str:
    """The text with blanks around every Chinese character and sign of hiragana, and with sentences that end as English
    ones do: LambdaG tells words by blanks. Other texts are what they are."""
    return _ALONE.sub(r" \g<0> ", text.translate(_ENDS)) if _ALONE.search(text) else text


def _back(shown: str, masked: str) -> Callable[[int], int]:
    """Where a place between words of the masked text stands in the text itself."""
    ends = [match.end() for match in LETTERS.finditer(masked)]
    shift = [0, *(a.end() - b for a, b in zip(LETTERS.finditer(shown), ends, strict=True))]
    return lambda place: place + shift[bisect_right(ends, place)]


class _Hide:
    """``hidden`` as a text transform, with blanks between words."""

    def __init__(self, functions: frozenset[str]) -> None:
        self.functions = functions

    def fit(self, texts: Sequence[str]) -> Self:
        """Nothing is learned."""
        return self

    def transform(self, texts: Sequence[str]) -> list[str]:
        """The texts with their content words hidden."""
        return [hidden(_blanks(text), self.functions) for text in texts]


def passages(
    shown: str,
    known: Sequence[str],
    background: Problems,
    same: Bools,
    functions: frozenset[str],
    seed: int,
) -> tuple[MarkedPassage, ...]:
    """Return λ_G (log10 ratio, above 0 for the candidate) of every token, with content words hidden from the grammars;
    nothing if words cannot be separated."""
    if writing_of([shown]) == "runs":
        return ()
    hide = _Hide(functions)
    grammar = LambdaG(seed=seed).fit(background.map_texts(hide), same)
    put = [
        at
        for i, m in enumerate(_ALONE.finditer(shown))
        for at in (m.start() + 2 * i, m.end() + 2 * i + 1)
    ]
    unmasked = _back(_blanks(shown), masked := hide.transform([shown])[0])
    ratios = grammar.tokens(hide.transform(known), masked, "evidence")

    def back(place: int) -> int:
        return (there := unmasked(place)) - bisect_left(put, there)

    made: list[MarkedPassage] = []
    tokens: list[MarkedToken] = []
    end = 0
    total = 0.0
    words = 0
    for number, token in enumerate(ratios):
        total += token.log10
        if token.start == token.end:
            # The end of a sentence is weighed too, and has no place of its own.
            last = number == len(ratios) - 1
            if words >= PASSAGE or last:
                rest = shown[end:] if last else ""
                tokens += [MarkedToken(rest, "", 0.0, False)] if rest.strip() else []
                made.append(MarkedPassage(tuple(tokens), total))
                tokens = []
                total = 0.0
                words = 0
            continue
        start = back(token.start)
        stop = back(token.end)
        text = shown[start:stop]
        inside = [lowered(word) for word in LETTERS.findall(text)]
        tokens.append(
            MarkedToken(
                shown[end:start], text, token.log10, any(word not in functions for word in inside)
            )
        )
        end = stop
        words = words + bool(inside)
    return tuple(made)


class Feature(Struct, frozen=True):
    """A common word with its ``pull`` (above 0 for the candidate), its frequency per thousand words in the questioned
    text, the known texts and the background, and an instance in context (before, word, after)."""

    name: str
    pull: float
    questioned: float
    known: float
    background: float
    context: tuple[str, str, str] | None


def common_words(
    questioned: str, known: Sequence[str], others: Sequence[str], functions: frozenset[str]
) -> tuple[Feature, ...]:
    """Return Cosine Delta's terms, products of z-scores, above 0 if both sides differ from the background in the same
    direction: first the words with most pull for, then those with most pull against."""
    names = sorted(functions)

    def rates(text: str) -> Floats:
        counts = Counter(lowered(word) for word in WORD.findall(text))
        return np.array([counts[name] for name in names]) / max(sum(counts.values()), 1)

    rows = np.stack([rates(text) for text in others])
    mean = rows.mean(axis=0)
    spread = rows.std(axis=0)
    spread = np.where(spread > 0, spread, np.inf)
    questioned_rates = rates(questioned)
    own = np.mean([rates(text) for text in known], axis=0)
    z = (questioned_rates - mean) / spread
    y = (own - mean) / spread
    pull = z * y / max(float(np.linalg.norm(z) * np.linalg.norm(y)), 1e-12)
    order = np.argsort(-pull, kind="stable")
    chosen = [int(i) for i in order[:SHOWN] if pull[i] > 0]
    chosen += [int(i) for i in order[::-1][:SHOWN] if pull[i] < 0]
    features = []
    for i in chosen:
        instance = next((m for m in WORD.finditer(questioned) if lowered(m[0]) == names[i]), None)
        context = None
        if instance is not None:
            start, end = instance.span()
            before = questioned[max(0, start - AROUND) : start].replace("\n", " ")
            context = before, instance[0], questioned[end : end + AROUND].replace("\n", " ")
        here, there, others_rate = (1000 * float(rate[i]) for rate in (questioned_rates, own, mean))
        features.append(Feature(names[i], float(pull[i]), here, there, others_rate, context))
    return tuple(features)


class Evidence(Struct, frozen=True):
    """Passages and features to look at: ``more`` is the number of words of the questioned text that are not shown."""

    passages: tuple[MarkedPassage, ...]
    more: int
    words: tuple[Feature, ...]
    choices: tuple[Choice, ...]


def evidence(
    questioned: str,
    known: Sequence[str],
    background: Problems,
    same: Bools,
    functions: frozenset[str],
    seed: int,
) -> Evidence:
    """Return what a questioned text and the known texts show against the background's training problems; ``functions``
    are the background's most frequent words, in lowercase."""
    others = background.texts.rows(background.documents)
    words = list(re.finditer(r"\S+", questioned))
    more = max(0, len(words) - MOST_WORDS)
    shown = questioned[: words[MOST_WORDS - 1].end()] if more else questioned
    return Evidence(
        passages=passages(shown, known, background, same, functions, seed),
        more=more,
        words=common_words(questioned, known, others, functions),
        choices=choices(questioned, known, background, same, seed),
    )
