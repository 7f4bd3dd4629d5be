"""Counts the words and marks of texts in one pass over the characters.

In: a kind of unit (``ALL_TOKENS``, ``CONTENT_WORDS``, ``LETTERS`` or ``Tokens(pattern)``), whose ``lexicon()`` takes a
sequence of texts; for ``kind_of`` a token; for ``scan`` code points and arrays to fill.
Out: ``TokenLexicon.count`` gives bounds by text (n + 1,), ids of tokens and counts (int32), text by text; ``names`` the
tokens of ids; ``kind``, ``fold`` (the id of the lowercase form) and ``content`` (bool) are arrays by id; ``kind_of``
WORD, NUMBER, MARK or SENTENCE_MARK (int 0 to 3); ``scan`` how many tokens are known (it fills arrays).

A kernel finds and counts tokens in one pass over the characters; ``tokens.TOKEN`` says the same as a pattern.
"""

from __future__ import annotations

import itertools
import re
from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Literal

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ravenbench.text.ngrams import Interner, Keys, Points, home_of, points_of, settle
from ravenbench.text.tokens import HAN, HIRAGANA, JOINING, MARKS, SENTENCE_END, TOKEN, lowered
from ravenbench.types import Bools, Int32s, Ints

_SPACE, _MARK, _JOIN, _DIGIT, _LETTER, _SIGN, _CHARACTER = range(7)
_GOLDEN, _LOW, _32, _1 = map(np.uint64, (0x9E3779B97F4A7C15, 0xFFFFFFFF, 32, 1))

_HAN, _HIRAGANA = (re.compile(f"[{letters}]") for letters in (HAN, HIRAGANA))


@cache
def _block(number: int) -> NDArray[np.uint8]:
    """What 4,096 characters are to tokens: white space, a mark, what joins letters, a digit or a letter, or a word by
    itself: a sign of the syllabary hiragana, a Chinese character."""
    points = range(number << 12, (number + 1) << 12)
    kinds = np.array(
        [
            (
                _SPACE
                if character.isspace()
                else _DIGIT
                if character.isdecimal()
                else _LETTER
                if character.isalnum() or character == "_"
                else _MARK
            )
            for character in map(chr, points)
        ],
        dtype=np.uint8,
    )
    for kind, pattern in ((_SIGN, _HIRAGANA), (_CHARACTER, _HAN)):
        kinds[
            [index for index, character in enumerate(map(chr, points)) if pattern.match(character)]
        ] = kind
    kinds[[ord(character) - points[0] for character in JOINING if ord(character) in points]] = _JOIN
    return kinds


@lru_cache(maxsize=2)
def _classes(blocks: int, letters: bool) -> NDArray[np.uint8]:
    """Classes by code point; with ``letters``, digits and the underscore are marks."""
    classes = np.concatenate([_block(number) for number in range(blocks)])
    if letters:
        classes[(classes == _DIGIT) | (np.arange(len(classes)) == ord("_"))] = _MARK
    return classes


@njit(cache=True)
def scan(
    points: Points,
    bounds: Ints,
    classes: NDArray[np.uint8],
    content: bool,
    table: Keys,
    keys: Keys,
    letters: Points,
    begins: Ints,
    size: int,
    ids: Int32s,
    counts: Int32s,
    ends: Ints,
) -> int:
    """Count the tokens of every text; returns how many are known now (``size`` before).

    ``classes`` (more than the highest code point,); ``content`` leaves out marks, numbers, and single characters that
    are not Chinese.
    ``table`` and ``keys`` are an open hash as ``ngrams.tally`` has it, with room, keys being hashes of tokens. The
    characters of token i are ``letters[begins[i]:begins[i + 1]]``; new ones are added. Filled are tokens ``ids``,
    ``counts`` (len(points) + 1,) and their bounds by text ``ends``, 0 at first.
    """
    filled = np.uint64(0)
    for document in range(len(bounds) - 1):
        start = filled
        i = np.uint64(bounds[document])
        stop = np.uint64(bounds[document + 1])
        while i < stop:
            word_start = i
            kind = classes[points[i]]
            i += _1
            if kind == _SPACE or (content and kind <= _JOIN):
                continue
            key = (np.uint64(points[word_start]) + _1) * _GOLDEN
            highest = kind
            if kind > _JOIN:
                last_kind = _LETTER if kind <= _LETTER else _JOIN
                while i < stop and _JOIN <= classes[points[i]] <= last_kind:
                    highest = max(highest, classes[points[i]])
                    key = (key + np.uint64(points[i]) + _1) * _GOLDEN
                    i += _1
                if content and (
                    kind == _SIGN or (kind <= _LETTER and (i - word_start < 2 or highest == _DIGIT))
                ):
                    continue
            length = i - word_start
            key |= _1
            slot = home_of(key, table)
            while True:
                if table[slot, 0] == 0:
                    new_id = np.uint64(size)
                    begin = np.uint64(begins[size])
                    table[slot, 0] = key
                    table[slot, 1] = new_id << _32
                    keys[new_id] = key
                    for j in range(length):
                        letters[begin + j] = points[word_start + j]
                    size += 1
                    begins[size] = begin + length
                    break
                if table[slot, 0] == key:
                    token = table[slot, 1] >> _32
                    begin = np.uint64(begins[token])
                    same = np.uint64(begins[token + _1]) - begin == length
                    for j in range(length if same else np.uint64(0)):
                        same = same and letters[begin + j] == points[word_start + j]
                    if same:
                        break
                slot = (slot + _1) & np.uint64(len(table) - 1)
            value = table[slot, 1]
            ids[filled] = slot
            filled += np.uint64(value & _LOW == 0)
            table[slot, 1] = value + _1
        settle(ids, counts, start, filled, table)
        ends[document + 1] = filled
    return size


_WORD = re.compile(r"\w")
WORD, NUMBER, MARK, SENTENCE_MARK = range(4)
"""Kinds of token; a word is any run of word characters that is not all digits."""


@dataclass(frozen=True)
class Tokens:
    """A kind of unit, counted as matches of a regular expression, case intact; lowercase twins fold into one unit.
    ``scanned`` says that a kernel finds the same faster: all tokens, content words, or words of letters.
    """

    pattern: str
    scanned: Literal["all", "content", "letters"] | None = None

    def lexicon(self) -> TokenLexicon:
        """An empty lexicon of these units."""
        return TokenLexicon(self) if self.scanned is None else ScannedLexicon(self)

    def reference(self, text: str) -> Counter[str]:
        """The folded counts of a text, made by plain slicing."""
        return Counter(lowered(token) for token in re.findall(self.pattern, text))


ALL_TOKENS = Tokens(TOKEN.pattern, "all")
_LETTER_OF_RUN = rf"[^\W{HAN}{HIRAGANA}]"
CONTENT_WORDS = Tokens(
    rf"(?<!{_LETTER_OF_RUN})(?!\d[\d{MARKS}]*(?!{_LETTER_OF_RUN}|[{MARKS}])){_LETTER_OF_RUN}"
    rf"(?:{_LETTER_OF_RUN}|[{MARKS}])+|[{HAN}][{MARKS}]*",
    "content",
)
"""Words of two characters or more that are not all digits: what scikit-learn's word analyser takes, less numbers."""
LETTERS = Tokens(
    rf"[^\W\d_{HAN}{HIRAGANA}](?:[^\W\d_{HAN}{HIRAGANA}]|[{MARKS}])+|[{HAN}][{MARKS}]*", "letters"
)
"""Words of two letters or more; digits part them, as marks do."""


class _Ids(dict[str, int]):
    """Ids by token; a new token is learned when it is looked up."""

    def __init__(self, learn: Callable[[str], int]) -> None:
        super().__init__()
        self._learn = learn

    def __missing__(self, token: str) -> int:
        return self._learn(token)


class TokenLexicon:
    """The tokens met so far and their ids; every token's lowercase form has an id too."""

    def __init__(self, units: Tokens) -> None:
        self._find = re.compile(units.pattern).findall
        self._id = _Ids(self._new)
        self._names: list[str] = []
        self._fold = array("q")
        self._kind = array("q")
        self._of_content = array("b")
        self._arrays: dict[str, NDArray[Any]] = {}

    def __len__(self) -> int:
        return len(self._names)

    @property
    def fold(self) -> Ints:
        """The id of each token's lowercase form by its id."""
        return self._array("fold", self._fold)

    @property
    def kind(self) -> Ints:
        """The kind of each token by its id."""
        return self._array("kind", self._kind)

    @property
    def content(self) -> Bools:
        """Mask of the tokens that are ``CONTENT_WORDS``, by id."""
        return self._array("content", self._of_content)

    def _array(self, name: str, values: array[int]) -> NDArray[Any]:
        """The values as NumPy has them, which is made anew when it has grown."""
        if name not in self._arrays or len(self._arrays[name]) != len(values):
            self._arrays[name] = np.array(values).astype(
                np.bool_ if name == "content" else np.int64
            )
        return self._arrays[name]

    def count(self, texts: Sequence[str]) -> tuple[Ints, Int32s, Int32s]:
        """Counts of each text, as ``NgramLexicon.count`` gives them; ids tell cases apart."""
        ids: list[int] = []
        counts: list[int] = []
        bounds = [0]
        for text in texts:
            tokens = Counter(self._find(text))
            ids += map(self._id.__getitem__, tokens)
            counts += tokens.values()
            bounds.append(len(ids))
        return (
            np.array(bounds, dtype=np.int64),
            np.array(ids, dtype=np.int32),
            np.array(counts, dtype=np.int32),
        )

    def ids(self, names: Sequence[str]) -> Ints:
        """The ids of tokens; new ones are added."""
        return np.array(list(map(self._id.__getitem__, names)), dtype=np.int64)

    def names(self, ids: Ints) -> list[str]:
        """The tokens with these ids."""
        return [self._names[i] for i in ids]

    def _new(self, token: str) -> int:
        lower = lowered(token)
        fold = -1 if lower == token else self._id[lower]
        number = self._id[token] = len(self._names)
        self._names.append(token)
        self._fold.append(number if fold < 0 else fold)
        self._kind.append(kind_of(token))
        self._of_content.append(self._kind[-1] == WORD and len(token) > 1)
        return number


class ScannedLexicon(TokenLexicon):
    """A lexicon whose tokens are found by their hash, and compared by their characters."""

    def __init__(self, units: Tokens) -> None:
        super().__init__(units)
        self._content_only = units.scanned != "all"
        self._letters_only = units.scanned == "letters"
        self._met = Interner()
        self._letters = np.zeros(1 << 14, np.uint32)
        self._begins = np.zeros(1 << 12, np.int64)
        self._of = np.zeros(0, np.int32)

    def count(self, texts: Sequence[str]) -> tuple[Ints, Int32s, Int32s]:
        points, bounds = points_of(texts)
        met = self._met
        first_new = self._met.size
        met.reserve(len(points))
        self._letters = _longer(self._letters, int(self._begins[first_new]) + len(points))
        self._begins = _longer(self._begins, first_new + len(points) + 1)
        classes = _classes((int(points.max(initial=0)) >> 12) + 1, self._letters_only)
        tokens, counts = np.empty((2, len(points) + 1), np.int32)
        ends = np.zeros(len(bounds), np.int64)
        met.size = scan(
            points,
            bounds,
            classes,
            self._content_only,
            met.table,
            met.keys,
            self._letters,
            self._begins,
            first_new,
            tokens,
            counts,
            ends,
        )
        if met.size > first_new:
            begins = self._begins[first_new : met.size + 1]
            new_letters = (
                self._letters[begins[0] : begins[-1]]
                .astype("<u4")
                .tobytes()
                .decode("utf-32-le", "surrogatepass")
            )
            cuts = (begins - begins[0]).tolist()
            ids = [self._id[new_letters[start:stop]] for start, stop in itertools.pairwise(cuts)]
            self._of = np.concatenate([self._of, np.array(ids, dtype=np.int32)])
        return ends, self._of[tokens[: ends[-1]]], counts[: ends[-1]].copy()


def _longer(array: NDArray[Any], size: int) -> NDArray[Any]:
    """The array, with zeros after it where it is shorter than ``size``."""
    return array if len(array) >= size else np.concatenate([array, np.zeros(size, array.dtype)])


def kind_of(token: str) -> int:
    """The kind of a token: WORD, NUMBER, MARK or SENTENCE_MARK."""
    if _WORD.match(token):
        return NUMBER if token.isdecimal() else WORD
    return SENTENCE_MARK if token in SENTENCE_END else MARK
