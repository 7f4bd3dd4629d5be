"""Attributes a text to the author whose texts predict it best, by PPM, zipping, repetition or character models.

In: for ``fit`` (``PPM``, ``Benedetto2002``, ``Khmelev2003``, ``Peng2004``) texts and their authors' names, of two
authors or more; then n texts. For ``repeated`` code points (n,) of a text and of known text, and the latter's
``suffix_array``; for ``MarkovModel`` numbers of characters (n,) of each text, an order, the number of characters.
Out: ``scores`` (n, authors), higher = more likely: minus bits per character (``PPM``, −inf for an empty text;
``Peng2004``, 0 for one) or per byte (``Benedetto2002``), or a repetition from 0 to 1 (``Khmelev2003``); ``predict``:
names (n,). InputError if texts and authors differ in number or there is one author. ``points``: code points;
``suffix_array``: places from 0; ``repeated``: a count; ``MarkovModel``: probabilities from 0 to 1, mean log2 at most 0;
``codes``: a number for every k characters.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numba import njit

from ravenbench.attribution.base import Attributor
from ravenbench.text.ppm import cross_entropies
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Floats, Ints


@dataclass(eq=False, repr=False)
class PPM(Attributor):
    """Attributes a text to the author whose joined training texts give it the lowest cross-entropy.

    Also called: compression.

    There is one model for each author; the time is that of authors × texts comparisons.

    Parameters
    ----------
    order : int
        Length of the longest context, 0 … 5.
    escape : "C", optional
        PPM-C's escape probabilities instead of plain shares.

    References
    ----------
    Teahan & Harper 2003; see ``ravenbench.text.ppm`` for the model.
    """

    name = "ppm"

    order: Literal[0, 1, 2, 3, 4, 5] = 5
    escape: Literal["C"] | None = None

    def _fit(self, texts: TextTable, rows: Ints, codes: Ints) -> None:
        self.joined_ = ["\n".join(texts.rows(rows[codes == a])) for a in range(len(self.classes_))]

    def _scores(self, texts: TextTable, rows: Ints) -> Floats:
        table, at = TextTable.collect([*self.joined_, *texts.rows(rows)])
        authors = len(self.joined_)
        model = np.tile(at[:authors], len(rows))
        text = np.repeat(at[authors:], authors)
        bits = cross_entropies(table, model, text, self.order, self.escape, both=False)[:, 0]
        return np.where(np.isnan(bits), -np.inf, -bits).reshape(len(rows), authors)


WINDOW = 32_768
"""Number of bytes that zlib's LZ77 looks back."""


@dataclass(eq=False, repr=False)
class Benedetto2002(Attributor):
    """Attributes to the author of the known text A with the smallest zip(A + x) − zip(A), where x is the questioned text.

    Only the last 32 kB of a known text are used (LZ77's window). The paper appends short stretches of x, so
    that the zipper does not learn x itself; here all of x is appended unless ``length`` is given.

    Parameters
    ----------
    length : int, optional
        Number of bytes of a questioned text that are appended.

    References
    ----------
    Benedetto, Caglioti & Loreto 2002, Language trees and zipping. Physical Review Letters 88(4).
    """

    name = "benedetto-2002"

    length: int | None = None

    def _fit(self, texts: TextTable, rows: Ints, codes: Ints) -> None:
        self.known_ = [text.encode()[-WINDOW:] for text in texts.rows(rows)]
        self.codes_ = codes

    def _scores(self, texts: TextTable, rows: Ints) -> Floats:
        """Bits a byte of the appended text, negative, at each author's cheapest known text."""
        questioned = [text.encode()[: self.length] for text in texts.rows(rows)]
        least = np.full((len(questioned), len(self.classes_)), np.inf)
        for known, code in zip(self.known_, self.codes_, strict=True):
            primed = zlib.compressobj(9)
            head = len(primed.compress(known))
            alone = head + len(primed.copy().flush())
            for i, text in enumerate(questioned):
                joint = primed.copy()
                size = head + len(joint.compress(text)) + len(joint.flush())
                least[i, code] = min(least[i, code], 8 * (size - alone) / max(1, len(text)))
        return -least


@dataclass(eq=False, repr=False)
class Khmelev2003(Attributor):
    """Attributes to the author whose joined texts repeat most of a questioned text: √R, R = 2 / (l (l + 1)) · Σᵢ Qᵢ.

    Qᵢ is the length of the longest piece of the text, beginning at its i-th of l characters, that occurs in
    the author's texts. R is therefore the share of all the text's pieces that occur there.

    References
    ----------
    Khmelev & Teahan 2003, A repetition based measure for verification of text collections and for text categorization.
    SIGIR.
    """

    name = "khmelev-2003"

    def _fit(self, texts: TextTable, rows: Ints, codes: Ints) -> None:
        self.joined_ = [
            points("\n".join(texts.rows(rows[codes == a]))) for a in range(len(self.classes_))
        ]
        self.suffixes_ = [suffix_array(joined) for joined in self.joined_]

    def _scores(self, texts: TextTable, rows: Ints) -> Floats:
        questioned = [points(text) for text in texts.rows(rows)]
        counts = [
            [
                repeated(text, joined, order)
                for joined, order in zip(self.joined_, self.suffixes_, strict=True)
            ]
            for text in questioned
        ]
        length = np.array([max(1, len(text)) for text in questioned], dtype=np.float64)[:, None]
        return np.asarray(np.sqrt(2 * np.array(counts, dtype=np.float64) / (length * (length + 1))))


def points(text: str) -> Ints:
    """Return the code points of a text."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(
        np.int64
    )


def suffix_array(text: Ints) -> Ints:
    """Return the beginnings of all suffixes of a text in order, by prefixes of doubling length."""
    n = len(text)
    rank = np.unique(text, return_inverse=True)[1].astype(np.int64)
    order = np.argsort(rank, kind="stable")
    step = 1
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
    """Return Σᵢ of the longest piece of ``text`` from i that occurs in ``known``: the pairs (i, j) with text[i:j] in it."""
    total = 0
    n = len(suffixes)
    for start in range(len(text)):
        low = 0
        high = n
        best = 0
        while low < high:
            middle = (low + high) // 2
            at = suffixes[middle]
            k = 0
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


BITS = 12
"""Bits of a character in an n-gram's code: 5 characters of 4,095 kinds fit into 64 bits."""

LEAST = 0.1
MOST = 0.95
"""Bounds of a discount, so that both seen and unseen n-grams get a share."""


@dataclass(eq=False, repr=False)
class Peng2004(Attributor):
    """Attributes by a back-off model of characters for each author, with absolute discounts: the lowest perplexity wins.

    Parameters
    ----------
    order : int
        Length of the longest n-gram, 1 … 5.

    References
    ----------
    Peng, Schuurmans & Wang 2004, Augmenting naive Bayes classifiers with statistical language models. Information
    Retrieval 7. Absolute smoothing: section 2.2; its best orders on English characters are 5 and 6.
    """

    name = "peng-2004"

    order: Literal[1, 2, 3, 4, 5] = 5

    def _fit(self, texts: TextTable, rows: Ints, codes: Ints) -> None:
        every = texts.rows(rows)
        kinds = sorted(set().union(*every))[: (1 << BITS) - 1]
        # 0 is every character that no author uses.
        self.id_ = {character: i for i, character in enumerate(kinds, start=1)}
        known = [
            [self._ids(text) for text, c in zip(every, codes, strict=True) if c == a]
            for a in range(codes.max() + 1)
        ]
        self.models_ = [MarkovModel(own, self.order, len(kinds) + 1) for own in known]

    def _scores(self, texts: TextTable, rows: Ints) -> Floats:
        """Mean log2 probability of a text's characters."""
        questioned = [self._ids(text) for text in texts.rows(rows)]
        return np.array([[model.mean_log(ids) for model in self.models_] for ids in questioned])

    def _ids(self, text: str) -> Ints:
        return np.array([self.id_.get(character, 0) for character in text], dtype=np.int64)


class MarkovModel:
    """A back-off model: a seen n-gram has its discounted share, an unseen n-gram a share of the rest by the shorter n-gram.

    Parameters
    ----------
    known : list of (n,) int64
        Characters of the texts to learn from.
    order : int
        Length of the longest n-gram, 1 … 5.
    kinds : int
        Number of characters; those never seen share what discounting leaves of single characters.
    """

    def __init__(self, known: Sequence[Ints], order: int, kinds: int) -> None:
        self.order = order
        self.kinds = kinds
        self._grams: list[Ints] = []
        self._share: list[Floats] = []
        self._context: list[Ints] = []
        self._rest: list[Floats] = []
        for k in range(1, order + 1):
            grams, counts = np.unique(
                np.concatenate([codes(ids, k) for ids in known]), return_counts=True
            )
            context, of = np.unique(grams >> BITS, return_inverse=True)
            once = int((counts == 1).sum())
            twice = int((counts == 2).sum())
            discount = min(max(once / max(1, once + 2 * twice), LEAST), MOST)
            total = np.bincount(of, counts)
            share = (counts - discount) / total[of]
            left = discount * np.bincount(of) / total
            if k == 1:
                unseen = max(1, kinds - len(grams))
                rest = left / unseen
            else:
                # What the shorter n-grams give to characters that are seen here cannot be given to others.
                preceding = np.bincount(
                    of, self._find(k - 1, grams & ((1 << BITS * (k - 1)) - 1))[1]
                )
                rest = left / np.maximum(1 - preceding, 1e-12)
            self._grams.append(grams)
            self._share.append(share)
            self._context.append(context)
            self._rest.append(rest)

    def mean_log(self, ids: Ints) -> float:
        """Return the mean log2 probability of characters (minus bits per character), each after the preceding ones."""
        if len(ids) == 0:
            return 0.0
        return float(np.log2(np.maximum(self.probabilities(ids), 1e-12)).mean())

    def probabilities(self, ids: Ints) -> Floats:
        """Return the probability of each character after the ``order − 1`` before it (fewer at the beginning)."""
        seen, share = self._find(1, ids)
        estimate = np.where(seen, share, self._rest[0][0] if len(self._rest[0]) else 1 / self.kinds)
        for k in range(2, min(self.order, len(ids)) + 1):
            grams = codes(ids, k)
            seen, share = self._find(k, grams)
            at = np.searchsorted(self._context[k - 1], grams >> BITS)
            at = np.minimum(at, max(0, len(self._context[k - 1]) - 1))
            known = np.zeros(len(grams), dtype=bool)
            if len(self._context[k - 1]):
                known = self._context[k - 1][at] == grams >> BITS
                shorter = estimate[k - 1 :] * np.where(known, self._rest[k - 1][at], 1.0)
                estimate[k - 1 :] = np.where(seen, share, shorter)
        return np.asarray(estimate)

    def _find(self, k: int, grams: Ints) -> tuple[Bools, Floats]:
        """Which n-grams of k characters were seen, and their shares (0 where not)."""
        table = self._grams[k - 1]
        if not len(table):
            return np.zeros(len(grams), dtype=bool), np.zeros(len(grams))
        at = np.minimum(np.searchsorted(table, grams), len(table) - 1)
        seen = table[at] == grams
        return seen, np.where(seen, self._share[k - 1][at], 0.0)


def codes(ids: Ints, k: int) -> Ints:
    """Return the code of the k characters that end at each place, from the k-th on."""
    encoded = np.zeros(max(0, len(ids) - k + 1), dtype=np.int64)
    for j in range(k):
        encoded = (encoded << BITS) | ids[j : j + len(encoded)]
    return encoded
