"""Shared parts of the one-class methods of PAN-2014, which decide each problem from its texts only.

In: ``Problems`` (n) for ``OneClass.verify``, and for ``sides`` with a function that reads a text. For ``cut`` a text or
list of tokens and a number of pieces; for ``known_and_questioned`` the known texts, these joined, the questioned text
and the minimum number of pieces; for ``accepts`` similarities to the known parts, and among these.
Out: ``verify`` returns answers (n,) from 0 to 1, higher = same author; ``cut`` pieces, fewer if there is too little;
``known_and_questioned`` pieces of either side, none if there is too little; ``sides`` the known documents and the
questioned document of each problem; ``accepts`` True = as near as the known parts to each other. No error of its own.

Texts are read and cut into parts, parts are represented and compared, and the questioned text is accepted if it is about
as near to the known texts as these are to each other. Methods differ in how they do each step.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from ravenbench.text.tokens import normalised
from ravenbench.types import Floats, Problems
from ravenbench.verifiers.contract.base import Verifier

T = TypeVar("T")
S = TypeVar("S", str, Sequence[str])


def cut(whole: S, count: int) -> list[S]:
    """Return ``count`` consecutive pieces whose lengths differ by at most one; fewer if there is too little."""
    count = min(count, len(whole))
    edges = [len(whole) * i // count for i in range(count + 1)] if count else [0]
    return [whole[a:b] for a, b in pairwise(edges)]


def known_and_questioned(
    known: Sequence[S], joined: S, questioned: S, least: int
) -> tuple[list[S], list[S]]:
    """Return pieces of the known documents, at least ``least``, and pieces of the questioned text of the same length.

    Documents stay whole if there are enough (empty documents are left out); otherwise they are joined (``joined``) and
    cut again. Both lists are empty if there is too little text.
    """
    parts = [one for one in known if len(one)]
    if len(parts) < least:
        parts = cut(joined, least)
    if len(parts) < least or not len(questioned):
        return [], []
    size = sum(len(part) for part in parts) / len(parts)
    return parts, cut(questioned, max(1, round(len(questioned) / size)))


def sides(problems: Problems, read: Callable[[str], T]) -> Iterator[tuple[list[T], T]]:
    """Yield the known documents and the questioned document of each problem, as ``read`` returns them; each is read once."""
    read_rows = {int(row): read(problems.texts[row]) for row in problems.documents}
    for i in range(len(problems)):
        yield (
            [read_rows[int(row)] for row in problems.known(i)],
            read_rows[int(problems.questioned_index[i])],
        )


def accepts(towards: Floats, among: Floats, slack: float = 0.0) -> bool:
    """Return True if the mean similarity to the known parts is at least their mean similarity minus a deviation."""
    return bool(towards.mean() >= among.mean() - among.std() - slack)


class OneClass(Verifier):
    """A verifier that answers each problem from its texts only; a method defines how it reads and answers."""

    symmetric = False
    provenance = "reconstructed"

    def read(self, text: str) -> Any:
        """Return a text as the method reads it; by default with white space collapsed."""
        return normalised(text)

    @abstractmethod
    def answer(self, known: list[Any], questioned: Any) -> float:
        """Return the answer to one problem from its texts as ``read`` returns them."""

    def verify(self, problems: Problems) -> Floats:
        answers = [
            self.answer(known, questioned) for known, questioned in sides(problems, self.read)
        ]
        return np.array(answers, dtype=np.float64)
