"""Feature spaces of the impostors methods: several families of n-grams in one vocabulary of sparse vectors.

``units`` names the families, joined by spaces: ``char4``, ``word1-3``, ``shape1-4``, ``function1-3``.
Characters are lowercased with white space collapsed; ``word`` counts lowercased tokens, marks included; ``shape``
counts the forms of tokens (``C`` capital first, ``c`` other words, ``N`` digits, a mark as it is); ``function``
keeps the frequent words of the training texts and has ``*`` for every other token.

Token families are written as texts of one private character a token, so that all families are counted by the same
character n-gram kernel.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np

from ravenbench.errors import SpecError
from ravenbench.text.minmax import Vectors
from ravenbench.text.ngrams import CharNgrams, NgramLexicon
from ravenbench.text.tokens import TOKEN, frequent_words
from ravenbench.types import Floats, Ints

Weights = Literal["tf", "tfidf"]
Counters = list[tuple[str, int, NgramLexicon, Ints]]
_UNIT = re.compile(r"(char|word|shape|function)(\d+)(?:-(\d+))?\Z")
_FUNCTION_WORDS = 150
_FIRST = 0x10000
_UNKNOWN = chr(_FIRST)


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
            symbols = {token for text in texts for token in TOKEN.findall(text)}
            self.symbols_ = sorted({form(token, kind) for token in symbols for kind in ("word", "shape")} | {"*"})
        readings = self.read(texts)
        self.vocabulary_: list[tuple[str, int, list[str]]] = []
        spread = [np.zeros(0)]
        for family, n in families:
            names, documents = self._choose(readings.texts[family], n)
            self.vocabulary_.append((family, n, names))
            spread.append(documents)
        df = np.concatenate(spread)
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
        """What ``vectors`` counts with; hand the same to all calls that belong together, to count faster."""
        found = []
        offset = 0
        for family, n, names in self.vocabulary_:
            if names:
                lexicon = CharNgrams(n, lowercase=False).lexicon()
                found.append((family, offset, lexicon, lexicon.ids(names)))
                offset += len(names)
        return found

    def vectors(self, counters: Counters, readings: Readings, rows: Ints, length: int) -> Vectors:
        """The beginnings of these texts as vectors; one without a known feature is empty."""
        documents, ids, values = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [np.empty(0)]
        for family, offset, lexicon, index in counters:
            ends, found, counts = lexicon.count(readings.cut(family, rows, length))
            column = np.full(len(lexicon), -1, dtype=np.int64)
            column[index] = offset + np.arange(len(index))
            document = np.repeat(np.arange(len(rows)), np.diff(ends))
            total = np.bincount(document, weights=counts, minlength=len(rows))
            feature = column[found]
            inside = feature >= 0
            documents.append(document[inside])
            ids.append(feature[inside])
            values.append(counts[inside] / total[document[inside]])
        where, what = np.concatenate(documents), np.concatenate(ids)
        order = np.lexsort((what, where))
        where, what = where[order], what[order]
        bounds = np.searchsorted(where, np.arange(len(rows) + 1)).astype(np.int64)
        return Vectors(bounds, what, np.concatenate(values)[order] * self.weight_[what], len(self.weight_))

    def _choose(self, texts: list[str], n: int) -> tuple[list[str], Floats]:
        lexicon = CharNgrams(n, lowercase=False).lexicon()
        _, ids, counts = lexicon.count(texts)
        spread, most = np.bincount(ids, minlength=len(lexicon)), np.zeros(len(lexicon), np.int64)
        np.maximum.at(most, ids, counts)
        kept = np.flatnonzero(most >= self.least)
        if len(kept) > self.size:
            border = np.partition(spread[kept], -self.size)[-self.size]
            kept = kept[spread[kept] >= border]
        number = dict(zip(lexicon.names(kept), spread[kept].tolist(), strict=True))
        chosen = sorted(number, key=lambda name: (-number[name], name))[: self.size]
        return chosen, np.array([number[name] for name in chosen], dtype=np.float64)


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
