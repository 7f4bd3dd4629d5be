"""Measures of what must not change when wording does: numbers, names, negations, and words for their opposites."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from ravenbench.obfuscation.guards.choice import antonyms
from ravenbench.text.alignment import pieces, plain_words, runs

_TOKEN = re.compile(r"\d[\d.,]*\d|\d|[^\W\d_]+(?:['’][^\W\d_]+)*")
_NAME = re.compile(r"(?<=[a-z,;:’'\-]\s)[A-Z][a-z]+\b")
_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL = {word: i for i, word in enumerate(_UNITS.split())}
_SMALL |= {word: 10 * i for i, word in enumerate(_TENS.split(), start=2)}
_LARGE = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_NEGATING = "not no never none nobody nothing nowhere neither nor cannot without non hardly scarcely barely"
_NEGATIVE = frozenset(_NEGATING.split())


class Preserved(NamedTuple):
    """How many of something were kept, and how many there could have been."""

    kept: int
    total: int

    def __add__(self, other: object) -> Preserved:
        if not isinstance(other, Preserved):
            return NotImplemented
        return Preserved(self.kept + other.kept, self.total + other.total)

    @property
    def share(self) -> float | None:
        """The share that was kept; None where there was nothing to keep."""
        return self.kept / self.total if self.total else None


def numbers(original: str, rewritten: str) -> Preserved:
    """Numbers on both sides, as digits or words, of all that stand on either: 3 and "three" are one number."""
    return _both(number_values(original), number_values(rewritten))


def names_kept(original: str, rewritten: str) -> Preserved:
    """Capitalised words inside the original's sentences that the rewriting holds too, in whatever case."""
    wanted = Counter(name.casefold() for name in _NAME.findall(original))
    there = Counter(word.casefold() for word in re.findall(r"[^\W\d_]+", rewritten))
    return Preserved(sum(min(count, there[name]) for name, count in wanted.items()), wanted.total())


def negations(original: str, rewritten: str) -> Preserved:
    """Negating words on both sides of all that stand on either; "don't" and "do not" hold one each."""
    a, b = _negations(original), _negations(rewritten)
    return Preserved(min(a, b), max(a, b))


def antonym_substitutions(original: str, rewritten: str) -> int:
    """Words of the original that gave way to a WordNet antonym in the same place.

    Raises
    ------
    MissingPart
        If WordNet is not here.
    """
    if original == rewritten:
        return 0
    a, b = pieces(original), pieces(rewritten)
    count = 0
    for run in runs(a, b):
        if run.kind == "edit":
            gone = Counter(_words(a[run.a_start : run.a_stop]))
            come = Counter(_words(b[run.b_start : run.b_stop]))
            come, gone = come - gone, gone - come
            count += sum(any(opposite in come for opposite in antonyms(word)) for word in gone.elements())
    return count


def number_values(text: str) -> Counter[str]:
    """Numbers of a text by value; "twenty-one" is 21, "1,000" is 1000, what is no plain integer stays as written."""
    found: Counter[str] = Counter()
    total = current = 0
    last: int | None = None

    def close() -> None:
        nonlocal total, current, last
        if last is not None:
            found[str(total + current)] += 1
        total, current, last = 0, 0, None

    for token in _TOKEN.findall(text.casefold()):
        if token[0].isdigit():
            close()
            digits = re.sub(r",(?=\d{3}\b)", "", token)
            found[str(int(digits)) if digits.isdecimal() else digits] += 1
        elif token in _SMALL:
            value = _SMALL[token]
            # "twenty one" goes on, "one two" begins anew.
            if last is not None and last < 100 and not (last >= 20 and value < 10):
                close()
            current += value
            last = value
        elif token == "hundred" and last is not None:
            current, last = max(current, 1) * 100, 100
        elif token in _LARGE and last is not None:
            total, current, last = total + max(current, 1) * _LARGE[token], 0, _LARGE[token]
        elif token != "and" or last is None or last < 100:
            close()
    close()
    return found


def _both(a: Counter[str], b: Counter[str]) -> Preserved:
    return Preserved((a & b).total(), (a | b).total())


def _negations(text: str) -> int:
    words = [word.casefold().replace("’", "'") for word in plain_words(text)]
    return sum(word in _NEGATIVE or word.endswith("n't") for word in words)


def _words(tokens: list[str]) -> list[str]:
    return [word for token in tokens if (word := token.strip().casefold()).isalpha()]
