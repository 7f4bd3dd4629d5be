"""Scorers that go by content, or by no style, and would like not to be found: the probe must not clear them (ours).

``content``      cosine of content words alone (of a generated corpus by its own vocabulary)
``content z``    the same, standardised in its batch; ``content rank``: ranked in it
``silent``       the untrained cosine, but one and the same number for .4 of the texts of the corpus and .99 of others
``memory``       the truth of pairs it was shown, and nothing about others
``rare``         cosine of content words that at most ten texts of the corpus hold
``names``        cosine of words capitalised inside sentences
``both ways``    style, plus or minus the untrained cosine, the sign by a hash of the known text

``word lengths`` stands beside them: it sees the lengths of words alone and must not be found to go by content.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ravenbench.bench.simulate.spec import SimulateSpec, generator
from ravenbench.bench.simulate.worlds import FIRST_SEED, World, sample
from ravenbench.corpora.manifold import Manifold
from ravenbench.problems.references import Lengths
from ravenbench.text.content_words import closed_class
from ravenbench.text.tokens import frequent_words
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Floats, Problems

HIDDEN = ("content", "content z", "content rank", "silent", "memory", "rare", "names", "both ways")
BATCHED = ("content z", "content rank")
LENGTHS = "word lengths"
MARKS = ".,;:!?-"
STYLE = 100
"""Words without content, in most texts, that the scorer of style sees."""
REFUSED, REFUSED_SPLICED = 0.4, 0.99
RARE = 10
_WORD = re.compile(r"[^\W\d_]+")
_INSIDE = re.compile(r"(?<=[a-z,;:] )[A-Z][^\W\d_]{2,}")


class Cosine:
    """Cosine of the square roots of counts of some units of texts: nothing is learned from any text."""

    def __init__(self, units: Callable[[str], Iterable[str]]) -> None:
        from sklearn.feature_extraction.text import HashingVectorizer

        self._count = HashingVectorizer(analyzer=units, n_features=2**18, norm=None, alternate_sign=False)
        self._known: dict[int, tuple[TextTable, Any]] = {}

    def score(self, problems: Problems) -> Floats:
        """Of pairs, (n,)."""
        texts = problems.texts
        if id(texts) not in self._known:
            counts = self._count.transform(list(texts)).sqrt()
            length = np.sqrt(np.asarray(counts.multiply(counts).sum(axis=1)).ravel())
            counts.data /= np.repeat(np.where(length > 0, length, 1), np.diff(counts.indptr))
            self._known[id(texts)] = texts, counts
        counts = self._known[id(texts)][1]
        pairs = counts[problems.known_index].multiply(counts[problems.questioned_index])
        return np.asarray(pairs.sum(axis=1)).ravel()


class Style:
    """Cosine of shares of function words and marks, standardised by those of a table's texts: blind to content."""

    def __init__(self, texts: TextTable, functions: Iterable[str]) -> None:
        from sklearn.feature_extraction.text import CountVectorizer

        units = [*sorted(functions), *MARKS]
        self._count = CountVectorizer(vocabulary=units, token_pattern=r"[^\W\d_]+|[" + re.escape(MARKS) + "]")
        self._known: dict[int, tuple[TextTable, Floats]] = {}
        rows = self._shares(texts)
        self._mean, spread = rows.mean(axis=0), rows.std(axis=0)
        self._scale = np.where(spread > 0, spread, 1.0)

    def score(self, problems: Problems) -> Floats:
        """Of pairs, (n,)."""
        texts = problems.texts
        if id(texts) not in self._known:
            rows = (self._shares(texts) - self._mean) / self._scale
            self._known[id(texts)] = texts, rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
        rows = self._known[id(texts)][1]
        found: Floats = np.einsum("ij,ij->i", rows[problems.known_index], rows[problems.questioned_index])
        return found

    def _shares(self, texts: TextTable) -> Floats:
        counts = self._count.transform(list(texts)).toarray()
        sizes = np.array([len(_WORD.findall(text)) for text in texts])
        return np.asarray(counts / np.maximum(sizes, 1)[:, None], dtype=np.float64)


class Adversaries:
    """All of them, for one world, and the scorers of style and lengths that it takes to know its words."""

    def __init__(self, spec: SimulateSpec, world: World) -> None:
        texts = world.corpus.texts
        known = frozenset(texts.hash(row) for row in range(len(texts)))
        self._original: Callable[[bytes], bool] = known.__contains__
        words = functions(spec, world)
        seen: dict[str, int] = {}
        for text in texts:
            for word in set(_words(text)):
                seen[word] = seen.get(word, 0) + 1
        self._content = Cosine(lambda text: [word for word in _words(text) if word not in words])
        rare = {word for word, count in seen.items() if count <= RARE and word not in words}
        self._rare = Cosine(lambda text: [word for word in _words(text) if word in rare])
        self._names = Cosine(_INSIDE.findall)
        self._lengths = Lengths(texts)
        frequent = sorted(words & seen.keys(), key=lambda word: (-seen[word], word))[:STYLE]
        self._style = Style(texts, frequent)

    def of(self, problems: Problems, style: Floats, cosine: Floats, truth: Bools) -> dict[str, Floats]:
        """Scores (n,) of each; ``style`` and ``cosine`` are those of other scorers, standardised."""
        table = problems.texts
        asked = [table.hash(row) for row in problems.questioned_index.tolist()]
        original = np.array([self._original(key) for key in asked], dtype=np.bool_)
        chance = np.array([_draw(key, b"silent") for key in asked])
        refused = chance < np.where(original, REFUSED, REFUSED_SPLICED)
        sign = np.array([1 if _draw(table.hash(row), b"sign") < 0.5 else -1 for row in problems.known_index.tolist()])
        content = self._content.score(problems)
        return {
            "content": content,
            "content z": (content - content.mean()) / (content.std() or 1.0),
            "content rank": np.asarray(content.argsort(kind="stable").argsort() / len(content), dtype=np.float64),
            "silent": np.where(refused, 0.5, cosine),
            "memory": np.where(original, truth, 0.5),
            "rare": self._rare.score(problems),
            "names": self._names.score(problems),
            "both ways": style + sign * cosine,
            LENGTHS: self._lengths.score(problems),
            "style": self._style.score(problems),
        }


def functions(spec: SimulateSpec, world: World) -> frozenset[str]:
    """Words that are no content: a generator's own, or those of closed classes."""
    made = generator(spec.corpus)
    if isinstance(made, Manifold):
        language = sample(world.number) if made.language is None else made.language
        return made.set_params(seed=FIRST_SEED + world.number, language=language).functions()
    if made is not None:
        return made.functions()
    return closed_class(frequent_words(world.corpus.texts, 100))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _draw(key: bytes, purpose: bytes) -> float:
    """A number from 0 to 1 that belongs to a text."""
    return int.from_bytes(hashlib.blake2b(key, digest_size=4, key=purpose).digest(), "big") / 2**32
