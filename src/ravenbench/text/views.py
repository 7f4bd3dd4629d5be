"""Rewrites texts token by token, so that their character n-grams are those of tokens, masks, marks or shapes.

In: for ``Views.fit`` training texts, which give the vocabulary; for ``read`` texts; for ``chunks`` a text and a length
in characters.
Out: ``read`` gives rewritten texts by name of view (one way of rewriting: ``char``, ``token``, ``mask``, ``marks``,
``shape``), in the same order; ``chunks`` the parts of a text, about equal and of about so many characters, cut at
blanks; a short text is one part. No error of its own.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, Self

import numpy as np

from ravenbench.text.ngrams import Points
from ravenbench.text.tokens import TOKEN, frequent, lowered
from ravenbench.types import Ints

View = Literal["char", "token", "mask", "marks", "shape"]
UNLEARNED: frozenset[View] = frozenset(("char", "marks", "shape"))
"""Views that do not depend on the learned vocabulary."""
_UNKNOWN = 0xF0000
_MOST = 60_000
_LONGEST = 12
_WORD = 0
_NUMBER = 1
_MARK = 2
_HELD = 1 << 25
"""Number of characters of texts whose tokens a process keeps."""


@dataclass(eq=False)
class Views:
    """Rewrites texts; vocabulary and frequent words come from training texts, so it works for any language.

    ``char``
        The lowercased text.
    ``token``
        A private character for each lowercased word and each mark.
    ``mask``
        The same, but words outside the ``kept`` most frequent are ``*`` and numbers ``#``: syntax without topic.
    ``marks``
        The marks alone, in order.
    ``shape``
        Words by length and whether they begin with a capital, numbers as ``0``, marks as they are.

    Attributes
    ----------
    tokens_ : list of str
        Tokens with a character of their own, most frequent first.
    kept_ : list of str
    """

    kept: int = 150

    def fit(self, texts: Sequence[str]) -> Self:
        """Learn the vocabulary of some texts."""
        total = np.bincount(np.concatenate([_tokens.read(lowered(text, False)) for text in texts]))
        used = np.flatnonzero(total)
        counts = Counter(
            {
                _tokens.names[i]: count
                for i, count in zip(used.tolist(), total[used].tolist(), strict=True)
            }
        )
        self.tokens_ = frequent(counts, _MOST)
        self.kept_ = [token for token in self.tokens_ if _is_word(token)][: self.kept]
        return self

    def read(self, texts: Sequence[str]) -> dict[View, list[str]]:
        """Return every text in each view."""
        tokenised = [_tokens.read(text) for text in texts]
        codes = [_tokens.number(token) for token in self.tokens_]
        shown = [_tokens.number(token) for token in self.kept_]
        lower, shape, kind = _tokens.arrays()
        code = np.full(len(lower), _UNKNOWN, dtype=np.uint32)
        code[codes] = _UNKNOWN + 1 + np.arange(len(codes))
        covered = np.ones(len(lower), dtype=bool)
        covered[shown] = False
        token = code[lower]
        mask = np.where(
            kind == _NUMBER, ord("#"), np.where((kind == _WORD) & covered[lower], ord("*"), token)
        )
        read: dict[View, list[str]] = {"char": [lowered(text) for text in texts]}
        tables: list[tuple[View, Points]] = [
            ("token", token),
            ("mask", mask),
            ("marks", np.where(kind == _MARK, shape, 0)),
            ("shape", shape),
        ]
        for view, table in tables:
            read[view] = _shown(tokenised, table)
        return read


class _TokenTable:
    """The tokens that a process has met: each text is taken apart once, however often it is read.

    Attributes
    ----------
    names : list of str
        Tokens by number, and at the same places ``lower``, the number of their lowercase form; ``shape``, the code
        point that stands for them among shapes; and ``kind``.
    """

    def __init__(self) -> None:
        self._number: dict[str, int] = {}
        self.names = list[str]()
        self.lower = list[int]()
        self.shape = list[int]()
        self.kind = list[int]()
        self._read: dict[str, Ints] = {}
        self._held = 0
        self._lock = threading.RLock()

    def read(self, text: str) -> Ints:
        """The numbers of a text's tokens, in order."""
        with self._lock:
            if text not in self._read:
                self._held += len(text)
                if self._held > _HELD:
                    self._read = {}
                    self._held = len(text)
                known = self._number
                tokens = TOKEN.findall(text)
                self._read[text] = np.array(
                    [known[t] if t in known else self.number(t) for t in tokens], np.int64
                )
            return self._read[text]

    def number(self, token: str) -> int:
        """The number of a token."""
        with self._lock:
            if token not in self._number:
                lower = lowered(token, False)
                self._number[token] = number = len(self.names)
                self.names.append(token)
                self.lower.append(number)
                if token.isdecimal():
                    kind = _NUMBER
                    shape = ord("0")
                elif _is_word(token):
                    kind = _WORD
                    shape = ord("A" if token[0].isupper() else "a") + min(len(token), _LONGEST) - 1
                else:
                    kind = _MARK
                    shape = ord(token)
                self.kind.append(kind)
                self.shape.append(shape)
                self.lower[number] = self.number(lower)
            return self._number[token]

    def arrays(self) -> tuple[Points, Points, Points]:
        """``lower``, ``shape`` and ``kind`` of the tokens met so far; another thread may add to the lists meanwhile."""
        with self._lock:
            return (
                np.array(self.lower, np.uint32),
                np.array(self.shape, np.uint32),
                np.array(self.kind, np.uint32),
            )


_tokens = _TokenTable()


def _shown(texts: Sequence[Ints], table: Points) -> list[str]:
    """Texts of token numbers as strings of the characters that ``table`` has for them; 0 is none."""
    points = table[np.concatenate([np.zeros(0, np.int64), *texts])]
    ends = np.concatenate([[0], np.cumsum(points > 0)])[np.cumsum([0, *map(len, texts)])].tolist()
    joined = points[points > 0].astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    return [joined[first:last] for first, last in pairwise(ends)]


def chunks(text: str, length: int) -> list[str]:
    """Return equal parts of a text, as close as possible to ``length`` characters; cut at blanks."""
    count = max(1, round(len(text) / max(length, 1)))
    if count == 1:
        return [text]
    cuts = [0]
    for i in range(1, count):
        place = text.rfind(" ", cuts[-1] + 1, i * len(text) // count + 1)
        cuts.append(place if place > 0 else i * len(text) // count)
    return [text[a:b].strip() for a, b in zip(cuts, [*cuts[1:], len(text)], strict=True)]


def _is_word(token: str) -> bool:
    return (token[0].isalnum() or token[0] == "_") and not token.isdecimal()
