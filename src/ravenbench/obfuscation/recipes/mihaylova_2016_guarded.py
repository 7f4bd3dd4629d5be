"""The repaired mode's guards on single steps of Mihaylova et al.: where a replacement can still be read."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from ravenbench.obfuscation.guards.choice import acceptable, relatives, same_form
from ravenbench.obfuscation.guards.stretches import Stretches
from ravenbench.obfuscation.wording.lists import load
from ravenbench.obfuscation.wording.words import base_form, usual_sense

NUMBER = re.compile(
    r"(?<![\w.,:/\-–$€£¥%])\d+(?:,\d{3})*(?:\.\d+)?(?![\w:/\-–%°]|[.,]\d|\s?(?:am|pm|a\.m|p\.m|[$€£%])|['’]\w)"
)
"""Numerals with nothing around that a spoken number would break: *3,2* and *10:30* stay."""
_DETERMINER = re.compile(
    r"(?i)\b(?:the|an?|this|that|these|those|my|his|her|its|our|your|their|no|any|each|every)\s+\Z"
)
_LONGEST_GLOSS = 6
_AROUND = 60

Swap = Callable[[re.Match[str]], str]


def substituted(pattern: re.Pattern[str], swap: Swap, text: str, kept: Stretches | None) -> str:
    """``pattern.sub``, but for matches that touch a stretch to be left alone."""
    if kept is None:
        return pattern.sub(swap, text)
    return pattern.sub(lambda m: m.group() if kept.touch(*m.span()) else swap(m), text)


def stop_word_fits(match: re.Match[str], text: str) -> bool:
    """Whether a stop word's alternative can stand where it stands."""
    around = _surroundings()[match.group().lower()]
    if around is None:
        return False
    before, after = around
    return bool(before.search(text[max(0, match.start() - _AROUND) : match.start()])) and bool(
        after.match(text, match.end())
    )


def paraphrase_fits(match: re.Match[str], text: str) -> bool:
    """Whether a paraphrase can stand where the phrase stands: not after a negation or an auxiliary."""
    rules = load("paraphrase_surroundings")
    if match.group().lower() in rules["never"]:
        return False
    before = text[max(0, match.start() - _AROUND) : match.start()]
    return re.search(rules["not_after"], before, re.IGNORECASE) is None


def readable_synonym(word: str, pos: str) -> str | None:
    """A synonym of the word's usual sense, otherwise a hypernym, in the form the word has; None where none fits."""
    for lemma in (name for names in relatives(word, pos) for name in names):
        if (made := same_form(word, lemma, pos)) is not None:
            return made
    return None


def readable_gloss(match: re.Match[str], text: str, pos: str) -> str | None:
    """A short WordNet gloss of a noun that can stand in its place; None where there is none."""
    word = match.group().lower()
    sense = usual_sense(word, pos) if pos == "n" and base_form(word, pos) == word else None
    if sense is None:
        return None
    gloss = str(sense.definition())
    if len(gloss.split()) > _LONGEST_GLOSS or re.search(r"[^\w\s'\-]", gloss) or word in gloss.split():
        return None
    bare = re.sub(r"\A(?:an?|the) ", "", gloss)
    after = text[match.end() : match.end() + 1]
    if not _DETERMINER.search(text[: match.start()]) or after not in (".", ",", ";", "!", "?"):
        return None
    return bare if bare != gloss or acceptable(word, bare.split(" ")[0], pos) else None


@cache
def _surroundings() -> dict[str, tuple[re.Pattern[str], re.Pattern[str]] | None]:
    table = load("stopword_surroundings")
    return {
        word: None if rule is None else (re.compile(rf"(?i)(?:{rule[0]})\Z"), re.compile(rule[1]))
        for word, rule in table.items()
    }
