"""What a name is: one form for one author, topic or language; names that may be one person's; names that are nobody's.

Spellings that no reader tells apart are one name: letters with their accents apart (as in names of files from a Mac),
characters nobody sees, all kinds of blanks. Authors whose names differ in letter case, underscores or compatible
characters (full-width letters) alone are one author, too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from ravenbench.text.lookalikes import twins

_UNSEEN = re.compile("[\u00ad\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_JOINERS = re.compile("[\u200c\u200d]")
_PLAIN = re.compile(r"[!-~]+(?: [!-~]+)*")
_NOBODY = re.compile(
    r"(?:user )?deleted(?: user| account)?|removed|automoderator|anon|anonym(?:ous|e|us|os)?|anonymous (?:user|coward)"
    r"|an[oó]nim[oa]|unknown|(?:author|writer|user) unknown|unknown (?:author|writer|user)|unbekannt(?:er autor)?"
    r"|inconnue?|auteur inconnu|desconocid[oa]|various(?: authors| hands)?|several authors|multiple authors"
    r"|verschiedene(?: autoren)?|none|null|nan|n/a|unk|no author|not known|nobody|[\s?.,;:_–-]*"
)
_EITHER = re.compile(r"(?<=\S) (?:or|and/or|oder) (?=\S)")
_SEVERAL = re.compile(r"\S(?:; ?| ?& ?| (?:and|und|et|with) )\w")
_PARTS = re.compile(
    r"(?:primary|secondary|reference|train(?:ing)?|test(?:ing)?)[ _-]set|(?:.*[ _-])?(?:train|test)(?:ing)?"
    r"|c50(?:train|test)|val(?:id(?:ation)?)?|dev(?:elopment)?|held[ _-]?out|problem[ _-]?[a-z]?\d*|known|questioned"
    r"|candidates?|corpus|texts|(?:fold|batch|split|part|set|chunk)[ _-]?\d+",
    re.IGNORECASE,
)
FEWEST_LETTERS = 7
"""Letters of names that are compared letter by letter: shorter ones differ by one letter too often."""
MOST_LETTERS, MOST_COMPARED = 60, 5_000


@lru_cache(maxsize=2**16)
def plain_name(name: str) -> str:
    """A name as it is kept: composed (NFC), without characters that nobody sees, one blank for any white space."""
    if _PLAIN.fullmatch(name):
        return name
    return " ".join(_UNSEEN.sub("", unicodedata.normalize("NFC", name)).split())


@lru_cache(maxsize=2**16)
def name_key(name: str) -> str:
    """What is equal for two spellings of one author's name."""
    plain = unicodedata.normalize("NFKC", _JOINERS.sub("", plain_name(name))).casefold()
    return " ".join(plain.replace("_", " ").split())


@lru_cache(maxsize=2**16)
def is_nobody(name: str) -> bool:
    """Whether a label is no person's name: [deleted], Anonymous, Various, ``HAMILTON OR MADISON``, a doubtful one."""
    key = name_key(name)
    plain = key.strip("[](){}<>.* ")
    return key[-1:] == "?" or _NOBODY.fullmatch(plain) is not None or _EITHER.search(key) is not None


def is_several(name: str) -> bool:
    """Whether a label may name several people: ``Erckmann & Chatrian``, ``Hamilton and Madison``."""
    return _SEVERAL.search(name_key(name)) is not None


def is_part(folder: str) -> bool:
    """Whether a folder's name is usual for a part of a data set, and so may be no author's: train, problem001."""
    return _PARTS.fullmatch(folder) is not None


def lookalikes(names: Iterable[str]) -> list[tuple[str, ...]]:
    """Names that differ only in punctuation, accents, letters of other alphabets that look alike, word order ("Austen,
    Jane") or an address's host, or in one letter of a word: they may be one person's, for the user to judge."""
    groups: dict[str, list[str]] = {}
    for name in names:
        words = "".join(c if c.isalnum() else " " for c in _bare(name).partition("@")[0]).split()
        groups.setdefault(" ".join(sorted(words)) or name, []).append(name)
    alike = [tuple(group) for group in groups.values() if len(group) > 1]
    return alike + [(groups[a][0], groups[b][0]) for a, b in _a_letter_apart(groups)]


def _bare(name: str) -> str:
    """A name in Latin letters where others look the same, and without accents."""
    latin = "".join(twins("Latin").get(letter, letter) for letter in plain_name(name))
    return "".join(c for c in unicodedata.normalize("NFKD", name_key(latin)) if not unicodedata.combining(c))


def _a_letter_apart(names: Iterable[str]) -> list[tuple[str, str]]:
    """Pairs of names that differ in one letter, which is no figure, begins no word and ends no short one."""
    long = [n for n in names if FEWEST_LETTERS <= len(n) <= MOST_LETTERS and not any(c.isdigit() for c in n)]
    forms: dict[str, list[str]] = {}
    for name in long if len(long) <= MOST_COMPARED else ():
        # People differ in a first letter (an initial), and in the last of a short name.
        inner = [i for word in re.finditer(r"(?<=\S)\S{3,}|(?<=\S)\S(?=\S)", name) for i in range(*word.span())]
        for form in {
            name,
            *(name[:i] + "\0" + name[i + 1 :] for i in inner),
            *(name[:i] + name[i + 1 :] for i in inner),
        }:
            forms.setdefault(form, []).append(name)
    return sorted({(a, b) for group in forms.values() for a in group for b in group if a < b})
