"""Edits at one place of a draft, with the published costs, and the language model's check on two of them."""

from __future__ import annotations

import re
from functools import lru_cache

from ravenbench.obfuscation.guards.choice import akin, opposite, relatives, same_form
from ravenbench.obfuscation.guards.stretches import is_english
from ravenbench.obfuscation.recipes.bevendorff_2019_draft import Change, Draft
from ravenbench.obfuscation.wording.resources import language_model
from ravenbench.obfuscation.wording.tokens import brown
from ravenbench.obfuscation.wording.words import match_case, related, usual_sense

TRIGRAM, FLIP, SYNONYM, HYPERNYM, REPLACEMENT, DELETION, PUNCTUATION = 40.0, 30.0, 10.0, 6.0, 4.0, 2.0, 3.0
SUCCESSORS = 6
"""Most results of one operator at one place."""
_SWAPS = {",": (";", ""), ";": (",", "."), ":": (",", ";"), ".": ("!", ";"), "!": (".",), "?": ("!",), "-": (" ",)}
_READABLE_SWAPS = {",": ("",), ";": (",",), ":": (",",), "!": (".",)}
_ARTICLES = (" the ", " my ", " his ", " her ", " its ", " our ", " their ", " your ", " this ", " that ")
_NEEDED = frozenset(
    [
        "not",
        "never",
        "no",
        "hardly",
        "scarcely",
        "barely",
        "as",
        "so",
        "too",
        "more",
        "less",
        "most",
        "least",
        "how",
        "when",
        "where",
        "why",
        "than",
    ]
)
"""Adverbs without which a sentence says something else."""
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
    if draft.kept is not None:
        return readable_changes(draft, start, end, words, model)
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


def readable_changes(draft: Draft, start: int, end: int, words: bool, model: bool) -> list[Change]:
    """The operators' edits at ``[start, end)`` after which the text can still be read; arguments as of ``changes``.

    Letters are taken out or exchanged only where another word comes of it; a mark gives way to one that may stand
    there; words give way to synonyms and hypernyms in a form that exists, and only adverbs and attributes are deleted.
    """
    text = draft.text
    found = [
        Change(place, place + 1, new, "punctuation", PUNCTUATION)
        for place in range(start, min(end, len(text)))
        if text[place + 1 : place + 2] == " "
        and text[place - 1 : place].isalnum()
        and draft.may_touch(place, place + 1)
        for new in _READABLE_SWAPS.get(text[place], ())
    ]
    for low, high in _words_at(text, start, end):
        word = text[low:high]
        if (
            not draft.may_touch(low, high)
            or text[low - 1 : low] in ("'", "’", "-")
            or text[high : high + 1] in ("'", "’", "-")
        ):
            continue
        if low <= start and end <= high:
            for new, operation, cost in _respelt(text, low, high, start, end):
                found.append(Change(low, high, new, operation, cost))
        sense = usual_sense(word.lower()) if words else None
        if sense is None:
            continue
        pos = "a" if sense.pos() == "s" else sense.pos()
        sisters, parents = (
            [form for lemma in lemmas if (form := same_form(word.lower(), lemma, pos)) is not None]
            for lemmas in relatives(word.lower(), pos)
        )
        for names, operation, cost in (
            (sisters, "synonym", SYNONYM),
            (parents, "hypernym", HYPERNYM),
            (sisters + parents if model else [], "replacement", REPLACEMENT),
        ):
            found += [Change(low, high, match_case(word, name), operation, cost) for name in names[:SUCCESSORS]]
        before = text[max(0, low - 8) : low].lower()
        loose = pos == "r" and word.lower() not in _NEEDED
        if model and text[high : high + 1] == " " and (loose or (pos == "a" and before.endswith(_ARTICLES))):
            found.append(Change(low, high + 1, "", "delete word", DELETION))
    return found


def _respelt(text: str, low: int, high: int, start: int, end: int) -> list[tuple[str, str, float]]:
    word = text[low:high]
    flipped = text[low:start] + text[start + 1 : start + 2] + text[start : start + 1] + text[start + 2 : high]
    made = [(text[low:start] + text[end:high], "delete trigram", TRIGRAM), (flipped, "flip", FLIP)]
    return [
        (new, operation, cost)
        for new, operation, cost in made
        if len(new) > 2
        and word.islower()
        and new != word
        and is_english(new)
        and not akin(word, new)
        and not opposite(word, new)
    ]


def _words_at(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Whole words of letters that overlap ``[start, end)``, shorter than forty letters."""
    low, high = max(0, start - 40), min(len(text), end + 40)
    found = re.finditer(r"[^\W\d_]+", text[low:high])
    spans = [(low + m.start(), low + m.end()) for m in found]
    return [
        (a, b) for a, b in spans if a < end and start < b and a > low - (low == 0) and b < high + (high == len(text))
    ]
