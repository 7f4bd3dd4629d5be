"""The fourteen operations of Mihaylova et al., each a function of one part's text.

Every step has the form ``step(text, context, rng) -> text``. White space survives all of them; the faithful
mode normalises it at the end. The repaired mode leaves names, abbreviations, numbers with marks and fixed phrases
alone, and makes a replacement only where it can be read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ravenbench.obfuscation.guards.stretches import Stretches, is_english, stretches
from ravenbench.obfuscation.parts import sentences
from ravenbench.obfuscation.recipes.mihaylova_2016_guarded import (
    NUMBER,
    paraphrase_fits,
    readable_gloss,
    readable_synonym,
    stop_word_fits,
    substituted,
)
from ravenbench.obfuscation.recipes.mihaylova_2016_sentences import keeps_capital, merge, split
from ravenbench.obfuscation.recipes.mihaylova_2016_statistics import Measured, in_vocabulary
from ravenbench.obfuscation.wording.lists import load, pattern
from ravenbench.obfuscation.wording.numerals import spoken, spoken_year
from ravenbench.obfuscation.wording.spelling import correct
from ravenbench.obfuscation.wording.words import head, match_case, parents, senses

_PREPOSITION = re.compile(
    r"(?<=\w) (?=(?:in|on|at|by|for|with|from|into|of|to|about|between|through|during|under|over|against)\b)"
)
_LOOSE_PREPOSITION = re.compile(r"(?<=\w{3}) (?=(?:for|with|between|through|during|under|over|against)\b)")
_MARKED = 25
"""Characters at a sentence's start within which a comma shows that it has a marker already."""
_OF = re.compile(r"(?<!\w)([A-Za-z]+) of ((?:the |his |her |their |our |my |your )?[A-Za-z]+)(?!\w)")
_NOT_OWNED = re.compile(
    r"(?i)(?:one|all|some|most|many|much|each|both|any|none|few|out|because|instead|kind|sort|lot|number|part|"
    r"course|think|is|was|are|were|made|aware|full|afraid|of)\Z"
)
_COMPARES, _CALCULATES = re.compile("[=<>≤≥]"), re.compile(r"[+−*/]")
_CAPITALS = re.compile(r"(?<!\w)[A-Z]{4,}(?!\w)")
_NUMBER = re.compile(r"(?<![\w.,])\d+(?:,\d{3})*(?:\.\d+)?(?!\w)")
_MONEY = re.compile(r"([$€£¥₹¢])\s?([\w,.]*\w)")
_WORD = re.compile(r"[^\W\d_]+")
_BOTH = frozenset(
    [
        "story",
        "check",
        "checks",
        "program",
        "programs",
        "tire",
        "tires",
        "curb",
        "curbs",
        "draft",
        "drafts",
        "practice",
        "practices",
        "license",
        "licenses",
        "meter",
        "meters",
        "math",
        "learned",
        "burned",
        "spelled",
        "spoiled",
        "while",
        "among",
        "jail",
        "mold",
        "molds",
    ]
)
_MARKS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("!", ("!", "!!", "!!!")),
    ("?", ("?", "??", "???", "?!?", "!?!")),
)


@dataclass(frozen=True)
class Context:
    """What a step may know: the document's statistics, how far they are from the averages, the mode and the names."""

    document: Measured
    delta: Mapping[str, float]
    faithful: bool
    wordnet: bool
    names: frozenset[str] = frozenset()

    def kept(self, text: str) -> Stretches | None:
        """What must be left alone of a part's text; None in faithful mode, which leaves nothing alone."""
        return None if self.faithful else stretches(text, self.names)


Step = Callable[[str, Context, np.random.Generator], str]


def possessives(text: str, context: Context, rng: np.random.Generator) -> str:
    """1. *X of Y* → *Y's X* throughout, if the part begins with one (p = 1/3)."""
    if not _OF.match(text.lstrip()) or rng.random() >= 1 / 3:
        return text

    def owned(match: re.Match[str]) -> str:
        thing, owner = match.group(1), match.group(2)
        if not context.faithful and _NOT_OWNED.match(thing):
            return match.group()
        if context.faithful:
            return f"{owner}'s {thing}"
        return match_case(thing, owner) + ("' " if owner.endswith("s") else "'s ") + thing.lower()

    return _OF.sub(owned, text)


def operators(text: str, context: Context, rng: np.random.Generator) -> str:
    """2. Operators in words, if the part both compares and calculates."""
    if not (_COMPARES.search(text) and _CALCULATES.search(text)):
        return text
    names: Mapping[str, str] = load("symbols")["operators"]
    return re.sub(r" ?([+−*/=<>≤≥]) ?", lambda m: names[m.group(1)], text)


def numerals(text: str, context: Context, rng: np.random.Generator) -> str:
    """3. Numerals in words; eight digits or more are read one by one. Repaired mode reads years as years."""
    if context.faithful:
        return _NUMBER.sub(lambda m: spoken(m.group()), text)
    return NUMBER.sub(lambda m: spoken_year(m.group()) or spoken(m.group()), text)


def contractions(text: str, context: Context, rng: np.random.Generator) -> str:
    """4. Contractions expanded; *'d* becomes *would* or *had* at random, *'s* stays.

    Faithful mode cuts endings off whatever stands before them (*ca not*, *wo not*).
    """
    table = load("contractions")
    text = text.replace("’", "'") if re.search(r"\w’\w", text) else text
    if not context.faithful:
        whole = pattern("contractions", "pairs")
        text = whole.sub(lambda m: match_case(m.group(), table["pairs"][m.group().lower()]), text)
    else:
        text = re.sub(r"\bI'm\b", "I am", text)
    for ending, words in table["endings"].items():
        text = re.sub(rf"(?<=\w){ending}(?!\w)", words, text)
    for ending, choices in table["either"].items():
        text = re.sub(rf"(?<=\w){ending}(?!\w)", partial(_drawn, choices, rng), text)
    return text


def symbols(text: str, context: Context, rng: np.random.Generator) -> str:
    """5. Symbols, currencies and titles in words."""
    table = load("symbols")
    for title, word in table["titles"].items():
        text = re.sub(rf"(?<!\w){re.escape(title)}(?=\s|\Z)", word, text)
    text = _MONEY.sub(lambda m: f"{m.group(2)} {table['currency'][m.group(1)]}", text)
    for sign, word in table["symbols"].items():
        if context.faithful or sign not in "&@":
            text = text.replace(sign, word)
        else:
            text = re.sub(rf"(?<=\s){sign}(?=\s)", word.strip(), text)
    return text


def capitals(text: str, context: Context, rng: np.random.Generator) -> str:
    """6. Words of more than three capitals keep only the first (code; the paper says lower case).

    Repaired mode leaves abbreviations (*NATO*) as they are.
    """
    return _CAPITALS.sub(
        lambda m: m.group().capitalize() if context.faithful or is_english(m.group().lower()) else m.group(), text
    )


def paraphrases(text: str, context: Context, rng: np.random.Generator) -> str:
    """7. Each phrase of a small paraphrase table that occurs is replaced throughout with p = 1/2."""
    table = load("paraphrases")
    chosen: dict[str, bool] = {}

    def swap(match: re.Match[str]) -> str:
        key = match.group().lower()
        if chosen.setdefault(key, rng.random() < 0.5) and (context.faithful or paraphrase_fits(match, text)):
            return _cased(context, match.group(), table[key])
        return match.group()

    return pattern("paraphrases").sub(swap, text)


def stop_words(text: str, context: Context, rng: np.random.Generator) -> str:
    """8. Stop words give way to a phrase or vanish, each with p = 1.5·abs(Δ)."""
    table = load("stopword_alternatives")
    p = 1.5 * abs(context.delta["stop"])

    def swap(match: re.Match[str]) -> str:
        if rng.random() >= p or not (context.faithful or stop_word_fits(match, text)):
            return match.group()
        return _cased(context, match.group(), table[match.group().lower()])

    found = substituted(pattern("stopword_alternatives"), swap, text, context.kept(text))
    return found if found == text else _single_spaces(found)


def punctuation(text: str, context: Context, rng: np.random.Generator) -> str:
    """9. Fewer commas, semicolons and colons where there are many; more marks where there are few."""
    delta = context.delta["punctuation"]
    p = 1.5 * abs(delta)
    if delta > 0:
        for mark in ",;:":
            if rng.random() < p:
                text = re.sub(rf"(?<!\d){mark}|{mark}(?!\d)", "", text)
        return text
    for mark, choices in _MARKS:
        if mark in text and rng.random() < p:
            text = text.replace(mark, choices[int(rng.integers(len(choices)))])
    marks = ", ", ", ", ", ", "; "
    before = _PREPOSITION if context.faithful else _LOOSE_PREPOSITION

    def put(match: re.Match[str]) -> str:
        return marks[int(rng.integers(4 if context.faithful else 3))] if rng.random() < p else match.group()

    return substituted(before, put, text, context.kept(text))


def vocabulary(text: str, context: Context, rng: np.random.Generator) -> str:
    """10. Frequent content words become synonyms or hypernyms; or words that occur once become their glosses."""
    if not context.wordnet:
        return text
    document, delta = context.document, context.delta["ttr"]

    def swap(match: re.Match[str]) -> str:
        word = match.group()
        lower = word.lower()
        pos = document.pos.get(lower)
        if not pos:
            return word
        if delta > 0:
            if document.counts.get(lower, 0) <= 3:
                return word
            p = max(delta, 0.5) if lower in document.top else delta
            find = _synonym if context.faithful else readable_synonym
            new = find(lower, pos) if rng.random() < p else None
        else:
            once = document.counts.get(lower, 0) == 1 and rng.random() < -delta
            explain = _gloss if context.faithful else readable_gloss
            new = explain(match, text, pos) if once else None
        return word if new is None else _cased(context, word, new)

    return substituted(_WORD, swap, text, context.kept(text))


def sentence_length(text: str, context: Context, rng: np.random.Generator) -> str:
    """11. Long sentences are split at *and* and at discourse markers, short ones merged."""
    delta = context.delta["sentence_length"]
    if delta > 3:
        kept = context.kept(text)
        return "".join(split(text[a:b], context.document.pos, kept) for a, b in sentences(text))
    return merge(text, rng, context.kept(text)) if delta < -3 else text


def spelling(text: str, context: Context, rng: np.random.Generator) -> str:
    """12. Spelling corrected, or a common misspelling put in.

    The team reads the share of known words as a rate of misspellings. Faithful mode keeps that, and drops
    every misspellable word that is not selected; repaired mode corrects when few words are known and misspells
    when many are.
    """
    delta = context.delta.get("known")
    if delta is None:
        return text
    correcting = delta > 0 if context.faithful else delta < 0
    if correcting:
        return substituted(_WORD, lambda m: _corrected(m.group()), text, context.kept(text))
    table = load("misspellings")
    p = -delta if context.faithful else delta

    def swap(match: re.Match[str]) -> str:
        if rng.random() < p:
            return _cased(context, match.group(), table.get(match.group().lower(), match.group()))
        return "" if context.faithful else match.group()

    return substituted(pattern("misspellings"), swap, text, context.kept(text))


def variants(text: str, context: Context, rng: np.random.Generator) -> str:
    """13. British spelling becomes American and the other way round, each with p = 1/2."""
    table: Mapping[str, str] = load("british_american")
    # The American form of these is an everyday word of both: a story is seldom a storey.
    back = {new: old for old, new in reversed(list(table.items())) if context.faithful or new not in _BOTH}

    def swap(match: re.Match[str]) -> str:
        lower = match.group().lower()
        new = table.get(lower) or back.get(lower)
        return match.group() if new is None or rng.random() >= 0.5 else _cased(context, match.group(), new)

    return substituted(_WORD, swap, text, context.kept(text))


def markers(text: str, context: Context, rng: np.random.Generator) -> str:
    """14. A discourse marker before sentences: the part is chosen with p = 0.2, each sentence then with 1/2."""
    if rng.random() >= 0.2:
        return text
    choices = load("discourse_markers")
    out = []
    for start, end in sentences(text):
        sentence = text[start:end]
        if rng.random() < 0.5 and (context.faithful or "," not in sentence.lstrip()[:_MARKED]):
            marker = choices[int(rng.integers(len(choices)))].capitalize()
            body = sentence.lstrip()
            lead = sentence[: len(sentence) - len(body)]
            first = body.split(" ", 1)[0]
            kept = context.kept(sentence)
            bare = first.strip(".,;:!?\"'“”‘’()")
            keep = kept is None or keeps_capital(re.split("['’-]", bare)[0], kept)
            sentence = f"{lead}{marker}, {body if keep else body[:1].lower() + body[1:]}"
        out.append(sentence)
    return "".join(out)


STEPS: tuple[Step, ...] = (
    possessives, operators, numerals, contractions, symbols, capitals, paraphrases, stop_words, punctuation,
    vocabulary, sentence_length, spelling, variants, markers,
)  # fmt: skip


def _drawn(choices: Sequence[str], rng: np.random.Generator, match: re.Match[str]) -> str:
    return choices[int(rng.integers(len(choices)))]


def _cased(context: Context, old: str, new: str) -> str:
    return new if context.faithful else match_case(old, new)


def _synonym(word: str, pos: str) -> str | None:
    """The head of the first sense whose head is another single word, otherwise of the first hypernym."""
    found = senses(word, pos)
    for sense in found:
        name = head(sense)
        if " " not in name and name.lower() != word:
            return name
    above = parents(found[0]) if found else []
    return head(above[0]) if above else None


def _gloss(match: re.Match[str], text: str, pos: str) -> str | None:
    found = senses(match.group().lower(), pos)
    return str(found[0].definition()) if found else None


def _corrected(word: str) -> str:
    if len(word) < 3 or not word.islower() or in_vocabulary(word):
        return word
    return correct(word)


def _single_spaces(text: str) -> str:
    return re.sub(r"(?<=\S) (?: +)(?=\S)| (?=[,.;:!?])", lambda m: " " if len(m.group()) > 1 else "", text)
