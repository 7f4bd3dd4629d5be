"""Edits at one place of a draft, with the published costs, and the language model's check on two of them."""

from __future__ import annotations

import re
from functools import lru_cache

from ravenbench.obfuscation.recipes.bevendorff_2019_draft import Change, Draft
from ravenbench.obfuscation.wording.resources import language_model
from ravenbench.obfuscation.wording.tokens import brown
from ravenbench.obfuscation.wording.words import match_case, related

TRIGRAM, FLIP, SYNONYM, HYPERNYM, REPLACEMENT, DELETION, PUNCTUATION = 40.0, 30.0, 10.0, 6.0, 4.0, 2.0, 3.0
SUCCESSORS = 6
"""Most results of one operator at one place."""
_SWAPS = {",": (";", ""), ";": (",", "."), ":": (",", ";"), ".": ("!", ";"), "!": (".",), "?": ("!",), "-": (" ",)}
_TOKEN = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")
_CONTEXT = 40
_LEAST_CHANGE = -0.5
"""log10 by which the context may become less likely through a checked replacement."""


def changes(draft: Draft, start: int, end: int, words: bool, model: bool) -> list[Change]:
    """Every operator's edits at characters ``[start, end)``.

    Parameters
    ----------
    words, model : bool
        Whether WordNet and the language model are here.
    """
    text = draft.text
    found = [Change(start, end, "", "delete trigram", TRIGRAM)]
    pair = text[start : start + 2]
    if len(pair) == 2 and pair[0] != pair[1] and pair.isalpha():
        found.append(Change(start, start + 2, pair[1] + pair[0], "flip", FLIP))
    for place in range(start, min(end, len(text))):
        found += [Change(place, place + 1, new, "punctuation", PUNCTUATION) for new in _SWAPS.get(text[place], ())]
    for low, high in _words_at(text, start, end):
        word = text[low:high]
        sisters, parents = related(word.lower()) if words else ((), ())
        for names, operation, cost in (
            (sisters, "synonym", SYNONYM),
            (parents, "hypernym", HYPERNYM),
            (sisters + parents if model else (), "replacement", REPLACEMENT),
        ):
            found += [Change(low, high, match_case(word, name), operation, cost) for name in names[:SUCCESSORS]]
        if model:
            tail = high + (text[high : high + 1] == " ")
            found.append(Change(low, tail, "", "delete word", DELETION))
    return found


def acceptable(draft: Draft, change: Change) -> bool:
    """Whether the context stays about as likely under the language model (for the two checked operators)."""
    if change.operation not in ("replacement", "delete word"):
        return True
    text = draft.text
    left = tuple(_TOKEN.findall(text[max(0, change.start - _CONTEXT) : change.start])[-3:])
    right = tuple(_TOKEN.findall(text[change.end : change.end + _CONTEXT])[:3])
    old = tuple(_TOKEN.findall(text[change.start : change.end]))
    new = tuple(_TOKEN.findall(change.new))
    if change.operation == "delete word":
        # Fewer words are always more likely: compare the rate.
        before, after = (_likelihood(left, middle, right) for middle in (old, new))
        return after / max(1, len(right)) >= before / (len(old) + len(right))
    return _likelihood(left, new, right) >= _likelihood(left, old, right) + _LEAST_CHANGE


@lru_cache(1 << 16)
def _likelihood(left: tuple[str, ...], middle: tuple[str, ...], right: tuple[str, ...]) -> float:
    """log10 probability of the middle and what follows, given what stands before."""
    model = language_model()
    ids = model.ids(brown([*left, *middle, *right]))[:-1]
    return float(model.log10_ids(ids)[len(left) :].sum())


def _words_at(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Whole words of letters that overlap ``[start, end)``, shorter than forty letters."""
    low, high = max(0, start - 40), min(len(text), end + 40)
    found = re.finditer(r"[^\W\d_]+", text[low:high])
    spans = [(low + m.start(), low + m.end()) for m in found]
    return [
        (a, b) for a, b in spans if a < end and start < b and a > low - (low == 0) and b < high + (high == len(text))
    ]
