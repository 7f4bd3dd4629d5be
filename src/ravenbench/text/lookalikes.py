"""Finds, counts and replaces letters of other alphabets that look the same, and invisible characters.

In: a text; for ``twins`` the name of an alphabet (Latin, Cyrillic or Greek).
Out: ``invisible`` a count of characters; ``disguised`` a dict from each word with letters of another alphabet than the
text's to its plain form; ``plain_letters`` the text without invisible characters and with the plain forms; ``twins`` a
dict from letters of the other alphabets to the letter of this one that each looks like. KeyError for another alphabet.

A reader does not notice that the *a* of a word is Cyrillic; a program counts another word. People do this to hide,
and keyboards and conversions do it by accident. The pairs are those letters of Unicode's list of confusable
characters (Unicode Technical Standard 39) that are the same picture in common typefaces.
"""

from __future__ import annotations

import re
from functools import cache

from ravenbench.text.tokens import joined

_ALIKE = {
    "Latin": "AaBCcEeHhIiJjKMNOoPpSsTXxYyZv",
    "Cyrillic": "АаВСсЕеНһІіЈјКМ ОоРрЅѕТХхУу  ",
    "Greek": "Α Β  Ε Η Ι   ΚΜΝΟοΡ   ΤΧ Υ Ζν",
}
"""Letters at the same position look alike; a space means that an alphabet has no such letter."""
_LETTERS = {
    "Latin": re.compile("[A-Za-z\u00c0-\u024f]"),
    "Cyrillic": re.compile("[\u0400-\u052f]"),
    "Greek": re.compile("[\u0370-\u03ff\u1f00-\u1fff]"),
}
_WORD = re.compile(joined(r"[^\W\d_]+"))
_INVISIBLE = re.compile(
    "[\u00ad\u180e\u200b\u2060-\u2064\ufeff\U000e0020-\U000e007f]|(?<=[A-Za-z\u00c0-\u052f])[\u200c\u200d]+"
)
"""Soft hyphens, spaces without width and their like; joiners where no script needs them."""


@cache
def twins(alphabet: str) -> dict[str, str]:
    """Return letters of the other alphabets, and the letter of this one that looks the same (``Latin``, ``Cyrillic`` or
    ``Greek``)."""
    return {
        letter: alike
        for name, letters in _ALIKE.items()
        if name != alphabet
        for letter, alike in zip(letters, _ALIKE[alphabet], strict=True)
        if " " not in (letter, alike)
    }


def invisible(text: str) -> int:
    """Return how many characters of the text are invisible and without meaning."""
    return len(_INVISIBLE.findall(text))


def disguised(text: str) -> dict[str, str]:
    """Return the words with letters of another alphabet than the text's, in the original and in plain form.

    A word counts if every foreign letter in it has a twin in the alphabet of most of the text's letters; words of a
    foreign language also have other letters.
    """
    if text.isascii():
        return {}
    sizes = {name: len(letters.findall(text)) for name, letters in _LETTERS.items()}
    main = max(sizes, key=lambda name: sizes[name])
    if sum(map(bool, sizes.values())) < 2:
        return {}
    own_letters = _LETTERS[main]
    pairs = twins(main)
    words = {}
    for word in set(_WORD.findall(text)):
        foreign = {
            character
            for character in word
            if not own_letters.match(character)
            and any(letters.match(character) for letters in _LETTERS.values())
        }
        # A single foreign letter may be a formula's, as alpha and omicron are.
        if foreign and foreign <= pairs.keys() and len(word) > 1:
            words[word] = "".join(pairs.get(character, character) for character in word)
    return words


def plain_letters(text: str) -> str:
    """Return the text without invisible characters, and with every disguised word in the letters of the text's
    alphabet."""
    if text.isascii():
        return text
    text = _INVISIBLE.sub("", text)
    words = disguised(text)
    return _WORD.sub(lambda match: words.get(match[0], match[0]), text) if words else text
