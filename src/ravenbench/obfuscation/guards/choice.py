"""Which words may stand in for a word: synonyms that are no antonyms and no forms of it, in a form that exists."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any

from ravenbench.errors import MissingPart
from ravenbench.obfuscation.guards.stretches import is_english
from ravenbench.obfuscation.wording import resources
from ravenbench.obfuscation.wording.words import base_form, parents, senses, usual_sense
from ravenbench.text.nltk_data import missing

_TAGS = {"n": ("NN", "NNS"), "v": ("VB", "VBP", "VBZ", "VBG", "VBD", "VBN"), "a": ("JJ", "JJR", "JJS")}
_TAGS |= {"r": ("RB", "RBR", "RBS")}
_DEGREE = {"JJR": "more", "RBR": "more", "JJS": "most", "RBS": "most"}
_ENDING = re.compile(r"(?:ing|ings|ed|er|ers|est|s|es|ly|ness)\Z")
_REMEMBERED = 1 << 16
_GRAMMAR = frozenset(
    [
        "be",
        "am",
        "is",
        "are",
        "was",
        "were",
        "been",
        "being",
        "have",
        "has",
        "had",
        "having",
        "do",
        "does",
        "did",
        "done",
        "doing",
        "get",
        "gets",
        "got",
        "getting",
        "let",
        "lets",
        "one",
        "ones",
        "not",
        "no",
        "so",
        "very",
        "more",
        "most",
        "other",
        "others",
        "own",
        "such",
        "same",
        "few",
        "many",
        "much",
        "less",
        "least",
        "well",
        "even",
        "still",
        "yet",
        "ever",
        "never",
        "there",
        "here",
        "now",
        "then",
        "thus",
        "also",
        "too",
        "only",
        "just",
        "rather",
        "quite",
        "as",
        "like",
        "than",
        "too",
        "else",
    ]
)
"""Words that do grammar's work, whatever else they mean: nothing stands in for them."""


@cache
def antonyms(word: str) -> frozenset[str]:
    """Single-word WordNet antonyms of any sense of a word."""
    lemmas = [lemma for sense in resources.wordnet().synsets(word) for lemma in sense.lemmas()]
    near = [lemma for lemma in lemmas if lemma.name().casefold() == word]
    return frozenset(other.name().casefold() for lemma in near for other in lemma.antonyms())


def opposite(a: str, b: str) -> bool:
    """Whether two words are antonyms, or a synonym of one is an antonym of the other; never without WordNet."""
    return missing("wordnet") is None and _opposite(a, b)


@lru_cache(_REMEMBERED)
def _opposite(a: str, b: str) -> bool:
    mine, other = antonyms(a), antonyms(b)
    if b in mine or a in other:
        return True
    pairs = ((a, other), (b, mine))
    return any(name in against for word, against in pairs if against for name in _synonyms(word))


def bases(word: str) -> frozenset[str]:
    """The base forms of a lower-case word in all parts of speech; empty without WordNet."""
    return frozenset() if missing("wordnet") is not None else _bases(word)


@lru_cache(_REMEMBERED)
def _bases(word: str) -> frozenset[str]:
    reader = resources.wordnet()
    return frozenset(base for pos in "nvar" for base in reader._morphy(word, pos))


def akin(old: str, new: str) -> bool:
    """Whether two lower-case words are forms of one, or one is the other with a common ending."""
    if bases(old) & bases(new):
        return True
    short, long = sorted((old, new), key=len)
    return long.startswith(short[: max(3, len(short) - 1)]) and _ENDING.search(long[len(short) - 1 :]) is not None


@lru_cache(_REMEMBERED)
def acceptable(word: str, lemma: str, pos: str) -> bool:
    """Whether a lemma (several words with spaces) may stand in for a word of this part of speech."""
    old, new = word.lower(), lemma.lower()
    if old in _GRAMMAR or lemma != new or not all(part.isalpha() for part in lemma.replace("-", " ").split(" ")):
        return False
    if akin(old, new) or base_form(old, pos) in new.split(" "):
        return False
    if any(len(part) < 2 or not _usual(part) for part in new.replace("-", " ").split(" ")):
        return False
    return not opposite(base_form(old, pos), new)


@lru_cache(_REMEMBERED)
def relatives(word: str, pos: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Acceptable synonyms of the usual sense of a word, and acceptable hypernyms of that sense, as lemmas."""
    sense = usual_sense(word, pos)
    if sense is None:
        return (), ()
    own = _names([sense], word, pos)
    return own, tuple(n for n in _names(parents(sense), word, pos) if n not in own)


@lru_cache(_REMEMBERED)
def forms(word: str, pos: str) -> frozenset[str]:
    """Treebank tags that a word may have as a form of its base, such as VBD and VBN for *walked*."""
    base = base_form(word, pos)
    if word == base:
        return frozenset(_TAGS[pos][:2] if pos == "v" else _TAGS[pos][:1])
    return frozenset(tag for tag in _TAGS[pos] if word in _existing(base, tag))


@lru_cache(_REMEMBERED)
def inflected(lemma: str, tag: str) -> str | None:
    """A lemma in the form of a Treebank tag, as a lexicon has it; None where no such form exists.

    Of a phrase the first word of verbs and the last of others is inflected. Adjectives and adverbs without forms of
    their own are compared with *more* and *most*.

    Raises
    ------
    MissingPart
        If lemminflect is not installed.
    """
    if tag in ("NN", "VB", "VBP", "JJ", "RB"):
        return lemma
    words = lemma.split(" ")
    place = 0 if tag.startswith("V") else -1
    found = _existing(words[place], tag)
    if found:
        words[place] = found[0]
        return " ".join(words)
    compared = _existing(words[place], tag[:2] + "R") or words[place].endswith(("er", "est"))
    return f"{_DEGREE[tag]} {lemma}" if tag in _DEGREE and not compared else None


@lru_cache(_REMEMBERED)
def same_form(word: str, lemma: str, pos: str) -> str | None:
    """A lemma in the form that a word has; None where that form is in doubt or does not exist."""
    made = {inflected(lemma, tag) for tag in forms(word.lower(), pos)}
    return made.pop() if len(made) == 1 else None


def _existing(lemma: str, tag: str) -> tuple[str, ...]:
    try:
        from lemminflect import getInflection
    except ModuleNotFoundError:
        raise MissingPart("inflection needs lemminflect", fix="pip install 'ravenbench[obfuscation]'") from None
    return tuple(getInflection(lemma, tag=tag, inflect_oov=False))


def _names(found: list[Any], word: str, pos: str) -> tuple[str, ...]:
    names = dict.fromkeys(name for sense in found for name in sense.lemma_names())
    return tuple(n for n in names if "_" not in n and acceptable(word, n, pos))


@lru_cache(_REMEMBERED)
def _synonyms(word: str) -> frozenset[str]:
    return frozenset(n.casefold() for sense in senses(word)[:3] for n in sense.lemma_names())


def _usual(word: str) -> bool:
    """Whether readers know a word: Brown holds it, or there is no Brown to ask."""
    return word in resources.language_model() if missing("brown") is None else is_english(word)
