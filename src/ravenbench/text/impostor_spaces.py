"""Feature spaces of the impostors methods: several families of n-grams in one vocabulary of sparse vectors.

``units`` names the families, joined by spaces: ``char4``, ``word1-3``, ``shape1-4``, ``function1-3``.
Characters are lowercased with white space collapsed; ``word`` counts lowercased tokens, marks included; ``shape``
counts the forms of tokens (``C`` capital first, ``c`` other words, ``N`` digits, a mark as it is); ``function``
keeps the frequent words of the training texts and has ``*`` for every other token.

Token families are written as texts of one private character a token, so that all families are counted by the same
character n-gram kernel. Memory goes with the vocabulary and the texts, not with the n-grams met.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np

from ravenbench.errors import SpecError
from ravenbench.text.minmax import Vectors
from ravenbench.text.ngram_vocabulary import NgramVocabulary, frequent_ngrams
from ravenbench.text.tokens import TOKEN, frequent, frequent_words
from ravenbench.types import Floats, Ints

Weights = Literal["tf", "tfidf"]
_UNIT = re.compile(r"(char|word|shape|function)(\d+)(?:-(\d+))?\Z")
_FUNCTION_WORDS = 150
_FIRST = 0x10000
_UNKNOWN = chr(_FIRST)
_SYMBOLS = 0x10FFFF - _FIRST
"""Code points left for token forms; the rarest beyond them count as unknown."""
_BLOCK = 64


@dataclass(frozen=True, eq=False)
class Family:
    """N-grams of one family: their features, ascending, and lengths."""

    name: str
    grams: NgramVocabulary
    feature: Ints
    length: Ints


Counters = list[Family]


def normalised(text: str) -> str:
    """White space collapsed and the byte order mark removed: the identity of a document."""
    return " ".join(text.replace("\ufeff", "").split())


@dataclass(frozen=True, eq=False)
class Readings:
    """Texts as each family sees them: strings, and where each of their characters ends in the text (token
    families; None for characters)."""

    texts: dict[str, list[str]]
    ends: list[Ints] | None

    def cut(self, family: str, rows: Ints, length: int) -> list[str]:
        """The beginnings of these texts, ``length`` characters of the original long."""
        texts = self.texts[family]
        if self.ends is None or family == "char":
            return [texts[row][:length] for row in rows]
        return [texts[row][: np.searchsorted(self.ends[row], length, side="right")] for row in rows]


class ImpostorSpace:
    """Vectors of texts over a vocabulary learned from training texts.

    Parameters
    ----------
    units : str
        Families of n-grams.
    size : int
        Features kept of each family and length: those in most training texts, ties by code point.
    weights : {"tf", "tfidf"}
        Relative frequency within family and length, alone or times log((1 + texts) / (1 + texts with it)) + 1.
    least : int
        Only features that some training text has this often.

    Attributes
    ----------
    symbols_ : list of str
        Tokens with a private character, in order.
    functions_ : list of str
        Words that ``function`` keeps.
    vocabulary_ : list of (family, n, n-grams)
    weight_ : (features,) float64
    """

    def __init__(self, units: str, size: int, weights: Weights = "tfidf", least: int = 1) -> None:
        self.units, self.size, self.weights, self.least = units, size, weights, least

    def fit(self, texts: Sequence[str]) -> Self:
        """Learn vocabulary and weights from normalised texts."""
        families = parse_units(self.units)
        self.functions_, self.symbols_ = [], []
        if any(family != "char" for family, _ in families):
            self.functions_ = frequent_words(texts, _FUNCTION_WORDS)
            self.symbols_ = token_forms(texts)
        readings = self.read(texts)
        found: dict[tuple[str, int], tuple[list[str], Ints]] = {}
        for family in dict(families):
            lengths = [n for name, n in families if name == family]
            for n, names, documents in frequent_ngrams(readings.texts[family], lengths, self.size, self.least):
                found[family, n] = names, documents
        self.vocabulary_: list[tuple[str, int, list[str]]] = [(*unit, found[unit][0]) for unit in families]
        df = np.concatenate([found[unit][1] for unit in families])
        self.weight_ = np.log((1 + len(texts)) / (1 + df)) + 1 if self.weights == "tfidf" else np.ones(len(df))
        return self

    def read(self, texts: Sequence[str]) -> Readings:
        """Normalised texts as every family sees them."""
        families = dict(parse_units(self.units))
        found: dict[str, list[str]] = {"char": [text.lower() for text in texts]}
        if set(families) <= {"char"}:
            return Readings(found, None)
        code = {symbol: chr(_FIRST + 1 + i) for i, symbol in enumerate(self.symbols_)}
        kept = set(self.functions_)
        found_tokens = [[(match[0], match.end()) for match in TOKEN.finditer(text)] for text in texts]
        kinds = dict.fromkeys(token for text in found_tokens for token, _ in text)
        for family in ("word", "shape", "function"):
            if family in families:
                table: dict[str, str] = {}
                for token in kinds:
                    seen = form(token, "shape" if family == "shape" else "word")
                    table[token] = code.get("*" if family == "function" and seen not in kept else seen, _UNKNOWN)
                found[family] = ["".join([table[token] for token, _ in text]) for text in found_tokens]
        ends = [np.array([end for _, end in text], dtype=np.int64) for text in found_tokens]
        return Readings(found, ends)

    def counters(self) -> Counters:
        """What ``vectors`` counts with; hand the same to all calls that belong together."""
        sizes = [len(names) for _, _, names in self.vocabulary_]
        ends = np.cumsum(sizes)
        found = []
        for family in dict.fromkeys(family for family, _, _ in self.vocabulary_):
            own = [i for i, (name, _, _) in enumerate(self.vocabulary_) if name == family]
            names = [name for i in own for name in self.vocabulary_[i][2]]
            feature = np.concatenate([np.arange(ends[i] - sizes[i], ends[i]) for i in own])
            length = np.array([len(name) for name in names], dtype=np.int64)
            found.append(Family(family, NgramVocabulary(names), feature, length))
        return found

    def vectors(self, counters: Counters, readings: Readings, rows: Ints, length: int) -> Vectors:
        """The beginnings of these texts as vectors; one without a known feature is empty."""
        sizes, ids, values = [np.zeros(1, np.int64)], [np.empty(0, np.int64)], [np.empty(0)]
        for first in range(0, len(rows), _BLOCK):
            block = rows[first : first + _BLOCK]
            where, what, value = self._block(counters, readings, block, length)
            sizes.append(np.bincount(where, minlength=len(block)))
            ids.append(what)
            values.append(value)
        bounds = np.cumsum(np.concatenate(sizes)).astype(np.int64)
        return Vectors(bounds, np.concatenate(ids), np.concatenate(values), len(self.weight_))

    def _block(self, counters: Counters, readings: Readings, rows: Ints, length: int) -> tuple[Ints, Ints, Floats]:
        """Document, feature and value of all entries of a few texts, in order."""
        documents, ids, values = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [np.empty(0)]
        for family in counters:
            texts = readings.cut(family.name, rows, length)
            bounds, found, counts = family.grams.count(texts)
            document = np.repeat(np.arange(len(rows)), np.diff(bounds))
            size = np.array([len(text) for text in texts], dtype=np.int64)
            documents.append(document)
            ids.append(family.feature[found])
            values.append(counts / (size[document] - family.length[found] + 1))
        where, what = np.concatenate(documents), np.concatenate(ids)
        order = np.lexsort((what, where))
        where, what = where[order], what[order]
        return where, what, np.concatenate(values)[order] * self.weight_[what]


def token_forms(texts: Sequence[str]) -> list[str]:
    """All forms of tokens of some texts and ``*``, sorted; those of most texts, where there are too many."""
    tokens = {token for text in texts for token in TOKEN.findall(text)}
    forms = {form(token, kind) for token in tokens for kind in ("word", "shape")} - {"*"}
    if len(forms) >= _SYMBOLS:
        spread: Counter[str] = Counter()
        for text in texts:
            spread.update({form(token, kind) for token in TOKEN.findall(text) for kind in ("word", "shape")} - {"*"})
        forms = set(frequent(spread, _SYMBOLS - 1))
    return sorted(forms | {"*"})


def form(token: str, family: str) -> str:
    """A token as a family counts it."""
    if family == "word":
        return token.lower()
    if token.isdecimal():
        return "N"
    if token[0].isalnum() or token[0] == "_":
        return "C" if token[0].isupper() else "c"
    return token


def parse_units(units: str) -> list[tuple[str, int]]:
    """(family, n) for everything that ``units`` names.

    Raises
    ------
    SpecError
        If it cannot be read.
    """
    found: list[tuple[str, int]] = []
    for part in units.split():
        match = _UNIT.match(part)
        low, high = (int(match[2]), int(match[3] or match[2])) if match else (0, 0)
        if match is None or not 1 <= low <= high <= 12:
            raise SpecError(
                f"{units!r} does not name features",
                found=part,
                expected="char, word, shape or function with n or n-n up to 12, such as 'char4' or 'char2-5 word1'",
            )
        found += [(match[1], n) for n in range(low, high + 1)]
    if not found:
        raise SpecError("no features are named", expected="units such as 'char4' or 'char2-5 word1'")
    return list(dict.fromkeys(found))
