"""Cuts texts into words and looks words up: tags, WordNet senses, forms, letter case; whether a text is English.

In: a text (``tokens``, ``reason_not_english``); ``Token``s (``tags``); a word with its WordNet part of speech n, v, a
or r (``senses``, ``usual_sense``, ``base_form``, ``related``) or Treebank tag (``inflect``); senses (``similarity``).
Out: ``tokens`` gives ``Token``s (half-open spans of characters, code points from 0), ``tags`` a Treebank tag for each;
``senses`` synsets, the most frequent first, ``usual_sense`` one or None; ``base_form``, ``inflect`` and ``match_case``
a word, ``related`` two tuples of words; ``similarity`` 0 to 1, higher = more alike; ``reason_not_english`` a reason
(text), None = English; ``is_no_longer_english`` bool. MissingPart without NLTK's tagger (``tags``), lemminflect
(``inflect``) or WordNet (what looks up senses or base forms).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ravenbench.errors import MissingPart, install
from ravenbench.obfuscation.wording.resources import wordnet
from ravenbench.text.nltk_data import tag

_TOKEN = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")
_CLITIC = re.compile(r"(?i)(n['’]t|['’](?:s|re|ve|ll|d|m))\Z")


@dataclass(frozen=True)
class Token:
    """One token at ``[start, end)`` of the text; contractions stay whole."""

    start: int
    end: int
    text: str


def tokens(text: str, start: int = 0, end: int | None = None) -> list[Token]:
    """Return the ``Token``s of a span of text: words (contractions whole) and single marks."""
    matches = _TOKEN.finditer(text, start, len(text) if end is None else end)
    return [Token(match.start(), match.end(), match.group()) for match in matches]


def tags(token_list: Sequence[Token]) -> list[str]:
    """Return the Penn Treebank tag of each token; a contraction has the tag of its first half.

    MissingPart if NLTK or its tagger is not here.
    """
    pieces: list[str] = []
    first: list[int] = []
    for token in token_list:
        first.append(len(pieces))
        clitic = _CLITIC.search(token.text)
        if clitic and clitic.start():
            pieces += [token.text[: clitic.start()], clitic.group().replace("’", "'")]
        else:
            pieces.append(token.text)
    named = _tagged(tuple(pieces))
    return [named[i] for i in first]


@lru_cache(1 << 12)
def _tagged(pieces: tuple[str, ...]) -> tuple[str, ...]:
    """Tags of a sentence, which several recipes ask for."""
    return tuple(tag(pieces))


def brown(words: Sequence[str]) -> list[str]:
    """Return the tokens spelt as in Brown: straight apostrophes, ```` and '' for quotes in turn."""
    tags = []
    open_ = True
    for word in words:
        if word in '"“”':
            opening = word == "“" or (word == '"' and open_)
            tags.append("``" if opening else "''")
            open_ = not opening
        else:
            tags.append(word.replace("’", "'"))
    return tags


_REMEMBERED = 1 << 16
_MODALS = frozenset(["can", "could", "may", "might", "must", "shall", "should", "will", "would"])
"""Words that are not in WordNet, although nouns with the same spelling are."""


def wordnet_pos(tag: str) -> str | None:
    """WordNet's part of speech for a Penn Treebank tag: n, v, a, r, or None for other classes and names."""
    if tag.startswith("NNP"):
        return None
    return {"NN": "n", "VB": "v", "JJ": "a", "RB": "r"}.get(tag[:2])


@lru_cache(_REMEMBERED)
def senses(word: str, pos: str | None = None) -> tuple[Any, ...]:
    """Return WordNet synsets of a word (any inflection), the most frequent first."""
    return tuple(wordnet().synsets(word.lower(), pos))


@lru_cache(_REMEMBERED)
def base_form(word: str, pos: str) -> str:
    """Return WordNet's base form of a word, or the lowercase word if there is none."""
    return str(wordnet().morphy(word.lower(), pos) or word.lower())


@lru_cache(_REMEMBERED)
def head(sense: Any) -> str:
    """The first lemma of a sense, spaces for underscores."""
    return str(sense.lemma_names()[0]).replace("_", " ")


@lru_cache(_REMEMBERED)
def similarity(a: Any, b: Any) -> float:
    """Wu–Palmer similarity of two senses, from 0 to 1: 2·depth / (2·depth + distances) of their deepest common
    ancestor.

    0 if there is none; verbs have a common root. NLTK's own resolves ties by hash order and can give a sense less
    than 1 with itself.
    """
    if a == b:
        return 1.0
    ancestors_a = _ancestors(a)
    ancestors_b = _ancestors(b)
    common = [
        (_depth(sense), sense.name(), sense)
        for sense in ancestors_a
        if sense is not None and sense in ancestors_b
    ]
    if not common:
        return (
            2 / (2 + ancestors_a[None] + ancestors_b[None])
            if None in ancestors_a and None in ancestors_b
            else 0.0
        )
    deepest = max(depth for depth, _, _ in common)
    _, subsumer = min((name, sense) for depth, name, sense in common if depth == deepest)
    depth = int(subsumer.max_depth()) + 1
    return 2 * depth / (2 * depth + ancestors_a[subsumer] + ancestors_b[subsumer])


def parents(sense: Any) -> list[Any]:
    """Hypernyms in order of their names (NLTK keeps them as a set)."""
    return sorted(sense.hypernyms() + sense.instance_hypernyms(), key=lambda s: s.name())


@lru_cache(_REMEMBERED)
def _ancestors(sense: Any) -> dict[Any, int]:
    """Shortest distance to each ancestor, itself included; None stands for the verbs' common root."""
    distances: dict[Any, int] = {sense: 0}
    level = [sense]
    distance = 0
    while level:
        distance += 1
        above = [parent for sense in level for parent in parents(sense) if parent not in distances]
        distances.update(dict.fromkeys(above, distance))
        level = list(dict.fromkeys(above))
    if sense.pos() == "v":
        distances[None] = 1 + min(
            distance for ancestor, distance in distances.items() if not parents(ancestor)
        )
    return distances


@lru_cache(_REMEMBERED)
def _depth(sense: Any) -> int:
    return int(sense.min_depth())


@lru_cache(_REMEMBERED)
def usual_sense(word: str, pos: str | None = None) -> Any | None:
    """Return the most frequent sense of a word; None if that is a name (*May*, *English*) or there is none.

    WordNet lists nouns before verbs and a form before its base (*be* the metal, *saw* the proverb, *he* as He, helium):
    its counts of use decide, and the listed order only where they tie.
    """
    if pos is None and word.lower() in _MODALS:
        return None
    reader = wordnet()
    forms = {
        form
        for part_of_speech in pos or "nvar"
        for form in reader._morphy(word.lower(), part_of_speech)
    }
    lemmas = [
        lemma
        for sense in senses(word, pos)
        for lemma in sense.lemmas()
        if lemma.name().lower() in forms
    ]
    usual = max(lemmas, key=lambda lemma: lemma.count(), default=None)
    return usual.synset() if usual is not None and usual.name().islower() else None


@lru_cache(_REMEMBERED)
def related(word: str, pos: str | None = None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return other single words for the usual sense of a word: its co-hyponyms and synonyms, and its hypernyms."""
    first = usual_sense(word, pos)
    if first is None:
        return (), ()
    above = parents(first)
    children = (
        child
        for ancestor in above
        for child in sorted(ancestor.hyponyms(), key=lambda s: s.name())[:12]
    )
    return _single([first, *children], word), _single(above, word)


@lru_cache(_REMEMBERED)
def inflect(lemma: str, tag: str) -> str:
    """Return a lemma in the form of a Treebank tag; in a phrase, the first word of a verb phrase or the last of another
    is inflected.

    MissingPart if lemminflect is not installed.
    """
    if tag in ("NN", "VB", "VBP", "JJ", "RB"):
        return lemma
    try:
        from lemminflect import getInflection
    except ModuleNotFoundError:
        raise MissingPart("inflection needs lemminflect", fix=install("obfuscation")) from None
    words = lemma.split(" ")
    inflected_index = 0 if tag.startswith("V") else -1
    forms = getInflection(words[inflected_index], tag=tag)
    if forms:
        words[inflected_index] = forms[0]
    return " ".join(words)


def match_case(original: str, replacement: str) -> str:
    """``replacement`` in capitals, with an initial capital, or as it is, like ``original``."""
    if len(original) > 1 and original.isupper():
        return replacement.upper()
    return replacement[:1].upper() + replacement[1:] if original[:1].isupper() else replacement


def _single(synsets: list[Any], word: str) -> tuple[str, ...]:
    names = dict.fromkeys(name for sense in synsets for name in sense.lemma_names())
    return tuple(n for n in names if n.isalpha() and n.islower() and n != word.lower())


_LIST = """
the and to that with this it he she for are be not have they you from by which would their there but his her has
were been an as at can who will what when about than these our my your its if because how i so or
"""
_COMMON = frozenset(_LIST.split())
_WORD = re.compile(r"[^\W\d_]+")
_LEAST_WORDS = 25
_LEAST_SHARE = 0.12


def reason_not_english(text: str, declared: str | None = None) -> str | None:
    """Return the reason why a text is not English enough for a recipe, or None.

    A declared language decides. Otherwise texts in other scripts are refused, and longer ones with few English
    function words: in PAN-2014 training essays they are 22–45 % of the words in English, below 3 % in Dutch.
    """
    if declared is not None and declared.strip():
        name = declared.strip().lower()
        return (
            None
            if name == "english" or re.match(r"en(g)?([-_]|$)", name)
            else f"its language is {declared}"
        )
    words = _WORD.findall(text)
    letters = sum(map(len, words))
    latin = sum(letter.isascii() for word in words for letter in word)
    if latin < 0.6 * letters:
        return "most of its letters are not Latin"
    if len(words) >= _LEAST_WORDS and _share(words) < _LEAST_SHARE:
        return "it does not look like English"
    return None


def is_no_longer_english(original: str, rewritten: str) -> bool:
    """Return whether a rewriting has less than a third of the original's proportion of English function words."""
    words_before = _WORD.findall(original)
    words_after = _WORD.findall(rewritten)
    if (
        reason_not_english(original) is not None
        or min(len(words_before), len(words_after)) < _LEAST_WORDS
    ):
        return False
    return _share(words_after) < _share(words_before) / 3


def _share(words: list[str]) -> float:
    return sum(word.lower() in _COMMON for word in words) / len(words)
