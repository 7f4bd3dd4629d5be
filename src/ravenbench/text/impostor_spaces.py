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
from ravenbench.text.ngram_vocabulary import NgramTree, frequent_ngrams, shares
from ravenbench.text.tokens import TOKEN, frequent, frequent_words
from ravenbench.types import Int32s, Ints

Weights = Literal["tf", "tfidf"]
_UNIT = re.compile(r"(char|word|shape|function)(\d+)(?:-(\d+))?\Z")
_FUNCTION_WORDS = 150
_FIRST = 0x10000
_UNKNOWN = chr(_FIRST)
_SYMBOLS = 0x10FFFF - _FIRST
"""Code points left for token forms; the rarest beyond them count as unknown."""


@dataclass(frozen=True, eq=False)
class Forest:
    """The n-grams of every family as a tree; nodes and features are numbered through.

    ``feature`` (nodes,) is −1 for a prefix only; ``family`` and ``length`` are those of every feature.
    """

    trees: dict[str, NgramTree]
    parent: Int32s
    depth: Int32s
    feature: Int32s
    family: Ints
    length: Ints


@dataclass(frozen=True, eq=False)
class Readings:
    """Texts as each family sees them.

    ``places`` has the deepest node at every character or token, those of text ``i`` and family ``f`` from
    ``starts[f, i]`` on; ``characters`` are a text's, and ``ends`` says where each of its tokens ends.
    """

    forest: Forest
    places: Int32s
    starts: Ints
    characters: Ints
    ends: list[Ints]

    def sizes(self, rows: Ints, length: int) -> Ints:
        """Characters or tokens of these texts within their first ``length`` characters, (families, rows)."""
        found = dict.fromkeys(self.forest.trees, np.minimum(self.characters[rows], length))
        tokens = [np.searchsorted(self.ends[row], length, side="right") for row in rows] if self.ends else []
        found |= dict.fromkeys(found.keys() - {"char"}, np.array(tokens, dtype=np.int64))
        return np.array([found[family] for family in self.forest.trees])


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
        written, _ = self._written(texts)
        found: dict[tuple[str, int], tuple[list[str], Ints]] = {}
        for family in dict(families):
            lengths = [n for name, n in families if name == family]
            for n, names, documents in frequent_ngrams(written[family], lengths, self.size, self.least):
                found[family, n] = names, documents
        self.vocabulary_: list[tuple[str, int, list[str]]] = [(*unit, found[unit][0]) for unit in families]
        df = np.concatenate([found[unit][1] for unit in families])
        self.weight_ = np.log((1 + len(texts)) / (1 + df)) + 1 if self.weights == "tfidf" else np.ones(len(df))
        return self

    def forest(self) -> Forest:
        """What ``read`` finds n-grams with; slow to make, so hand the same to calls that belong together."""
        ends = np.cumsum([len(names) for _, _, names in self.vocabulary_])
        trees: dict[str, NgramTree] = {}
        nodes = 0
        parts: list[tuple[Int32s, Int32s, Int32s]] = []
        family = np.zeros(ends[-1], np.int64)
        length = np.repeat([n for _, n, _ in self.vocabulary_], np.diff(ends, prepend=0))
        for number, name in enumerate(dict.fromkeys(name for name, _, _ in self.vocabulary_)):
            own = [
                (end - len(grams), grams)
                for end, (of, _, grams) in zip(ends, self.vocabulary_, strict=True)
                if of == name
            ]
            feature = np.concatenate([first + np.arange(len(grams)) for first, grams in own])
            family[feature] = number
            tree = trees[name] = NgramTree([gram for _, grams in own for gram in grams])
            # −1 picks the last: a node that is no n-gram.
            parts.append(
                (
                    np.where(tree.parent >= 0, tree.parent + nodes, -1).astype(np.int32),
                    tree.depth,
                    np.append(feature, -1)[tree.gram].astype(np.int32),
                )
            )
            nodes += len(tree.parent)
        parent, depth, features = (np.concatenate(column) for column in zip(*parts, strict=True))
        return Forest(trees, parent, depth, features, family, length)

    def read(self, texts: Sequence[str], forest: Forest) -> Readings:
        """Normalised texts as every family sees them."""
        written, ends = self._written(texts)
        places, starts = [], []
        nodes = filled = 0
        for name, tree in forest.trees.items():
            found, bounds = tree.places(written[name])
            places.append(np.where(found >= 0, found + nodes, -1).astype(np.int32))
            starts.append(bounds[:-1] + filled)
            nodes += len(tree.parent)
            filled += len(found)
        # Lowercasing changes the length of some texts.
        characters = np.array([len(text) for text in written.get("char", texts)], dtype=np.int64)
        return Readings(forest, np.concatenate(places), np.array(starts), characters, ends)

    def vectors(self, readings: Readings, rows: Ints, length: int) -> Vectors:
        """The beginnings of these texts as vectors; one without a known feature is empty."""
        forest = readings.forest
        bounds, ids, values = shares(
            readings.places,
            readings.starts[:, rows],
            readings.sizes(rows, length),
            forest.parent,
            forest.depth,
            forest.feature,
            forest.family,
            forest.length,
        )
        return Vectors(bounds, ids, values * self.weight_[ids], len(self.weight_))

    def _written(self, texts: Sequence[str]) -> tuple[dict[str, list[str]], list[Ints]]:
        """Every family's texts, and where each token ends in the original."""
        families = dict(parse_units(self.units))
        found: dict[str, list[str]] = {
            family: [text.lower() for text in texts] for family in families if family == "char"
        }
        if set(families) <= {"char"}:
            return found, []
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
        return {family: found[family] for family in families}, ends


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
