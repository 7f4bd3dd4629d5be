"""The R-measure: how much of a text stands, in pieces of any length, in what an author has written."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from ravenbench.attribution.base import Attributor
from ravenbench.texts import TextTable
from ravenbench.types import Floats, Ints


@dataclass(eq=False, repr=False)
class Khmelev2003(Attributor):
    """The author whose joined texts repeat most of a questioned text: √R, R = 2 / (l (l + 1)) · Σᵢ Qᵢ.

    Qᵢ is the length of the longest piece of the text, beginning at its i-th of l characters, that stands somewhere in
    the author's texts. So R is the share of all the text's pieces that stand there.

    References
    ----------
    Khmelev & Teahan 2003, A repetition based measure for verification of text collections and for text categorization.
    SIGIR.
    """

    name = "khmelev-2003"

    def _fit(self, texts: TextTable, rows: Ints, codes: Ints) -> None:
        self.joined_ = [points("\n".join(texts.rows(rows[codes == a]))) for a in range(len(self.classes_))]
        self.suffixes_ = [suffix_array(joined) for joined in self.joined_]

    def _scores(self, texts: TextTable, rows: Ints) -> Floats:
        asked = [points(text) for text in texts.rows(rows)]
        found = [
            [repeated(text, joined, order) for joined, order in zip(self.joined_, self.suffixes_, strict=True)]
            for text in asked
        ]
        length = np.array([max(1, len(text)) for text in asked], dtype=np.float64)[:, None]
        return np.asarray(np.sqrt(2 * np.array(found, dtype=np.float64) / (length * (length + 1))))


def points(text: str) -> Ints:
    """The code points of a text."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.int64)


def suffix_array(text: Ints) -> Ints:
    """Beginnings of all suffixes of a text in order, by prefixes of doubling length."""
    n = len(text)
    rank = np.unique(text, return_inverse=True)[1].astype(np.int64)
    order, step = np.argsort(rank, kind="stable"), 1
    while step < n:
        # A suffix that ends before the second half comes first.
        second = np.zeros(n, dtype=np.int64)
        second[: n - step] = rank[step:] + 1
        key = rank * (n + 1) + second
        order = np.argsort(key, kind="stable")
        rank = np.zeros(n, dtype=np.int64)
        rank[order[1:]] = np.cumsum(np.diff(key[order]) > 0)
        if rank[order[-1]] == n - 1:
            break
        step *= 2
    return order.astype(np.int64)


@njit(cache=True)
def repeated(text: Ints, known: Ints, suffixes: Ints) -> int:
    """Σᵢ of the longest piece of ``text`` from i that stands in ``known``: the pairs (i, j) with text[i:j] in it."""
    total = 0
    n = len(suffixes)
    for start in range(len(text)):
        low, high, best = 0, n, 0
        while low < high:
            middle = (low + high) // 2
            at, k = suffixes[middle], 0
            while at + k < n and start + k < len(text) and known[at + k] == text[start + k]:
                k += 1
            best = max(best, k)
            # The longest match lies beside the place where the text's suffix would stand.
            if start + k < len(text) and (at + k == n or known[at + k] < text[start + k]):
                low = middle + 1
            else:
                high = middle
        total += best
    return total
