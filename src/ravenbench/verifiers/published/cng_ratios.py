"""The proximity of Jankowska et al.: dissimilarity to the questioned text over that to the farthest sibling."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ravenbench.text.cng import dissimilarities, gram_numbers, profiles
from ravenbench.text.tokens import TOKEN, normalised
from ravenbench.types import Floats, Ints, Problems

_EPSILON = 1e-6


def mean_ratios(problems: Problems, units: str, lengths: tuple[int, ...], sizes: tuple[int, ...]) -> Floats:
    """M of every problem, shape (n, len(lengths) · len(sizes)), sizes varying fastest; lower = same author.

    M is the mean over known documents of r = D(d, u) / D_max(d), D_max the dissimilarity to the sibling most
    unlike d. All texts of a problem are truncated to the shortest; then a single known document is split in
    halves that stand for two (recalled, not verified; in this order by our choice). D_max = 0, where known documents
    are copies, counts as a tiny number.

    NaN where a text of a problem, once truncated, is too short for an n-gram.

    Parameters
    ----------
    units : {"char", "word"}
        What n-grams consist of: characters, or lowercased tokens.
    lengths : tuple of int
        n.
    sizes : tuple of int
        L, the n-grams of a profile.
    """
    read: dict[int, Sequence[str]] = {int(row): normalised(problems.texts[row]) for row in problems.documents}
    if units == "word":
        read = {row: TOKEN.findall(str(text).lower()) for row, text in read.items()}
    result = np.full((len(problems), len(lengths) * len(sizes)), np.nan)
    for i in range(len(problems)):
        known = [read[int(row)] for row in problems.known(i)]
        questioned = read[int(problems.questioned_index[i])]
        shortest = min(len(text) for text in [*known, questioned])
        known = [text[:shortest] for text in known]
        if len(known) == 1:
            middle = shortest // 2
            known = [known[0][:middle], known[0][middle:]]
        texts = _numbers([*known, questioned[:shortest]])
        result[i] = _problem(texts, lengths, np.array(sizes, dtype=np.int64))
    return result


def _problem(texts: list[Ints], lengths: tuple[int, ...], sizes: Ints) -> Floats:
    k = len(texts) - 1
    first, second = np.triu_indices(k, 1)
    left = np.concatenate([first, np.arange(k)])
    right = np.concatenate([second, np.full(k, k)])
    found = np.full((len(lengths), len(sizes)), np.nan)
    for row, n in enumerate(lengths):
        if min(len(text) for text in texts) < n:
            continue
        each = dissimilarities(profiles(gram_numbers(texts, n)), left, right, sizes)
        among, towards = each[: len(first)], each[len(first) :]
        farthest = np.zeros((k, len(sizes)))
        np.maximum.at(farthest, first, among)
        np.maximum.at(farthest, second, among)
        found[row] = (towards / np.maximum(farthest, _EPSILON)).mean(axis=0)
    return found.ravel()


def _numbers(texts: Sequence[Sequence[str]]) -> list[Ints]:
    symbols = sorted({symbol for text in texts for symbol in text})
    number = {symbol: i for i, symbol in enumerate(symbols)}
    return [np.array([number[symbol] for symbol in text], dtype=np.int64) for text in texts]
