"""Intervals and tests of searches: authors of queries are drawn, for an author's queries are not independent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ravenbench.statistics.axes import Content
from ravenbench.statistics.estimates import Estimate, percentiles
from ravenbench.statistics.novel_topics import sign_flip
from ravenbench.statistics.ranks import holm
from ravenbench.statistics.resampling import BLOCK, problem_weights
from ravenbench.types import Floats, Ints

REPLICATES = 2_000


@dataclass(frozen=True, eq=False)
class Authors:
    """Who wrote each query: ``unit`` (q,), numbered without gaps; a query of unknown author is one of its own."""

    unit: Ints
    seed: int = 0

    @classmethod
    def of(cls, codes: Ints, seed: int = 0) -> Authors:
        """From codes of authors, −1 unknown."""
        alone = int(codes.max(initial=-1)) + 1 + np.arange(len(codes))
        return cls(np.unique(np.where(codes >= 0, codes, alone), return_inverse=True)[1].astype(np.int64), seed)

    @property
    def count(self) -> int:
        """How many there are."""
        return int(self.unit.max(initial=-1)) + 1

    @cached_property
    def weights(self) -> Floats:
        """How often each author is drawn, (authors, replicates)."""
        blocks = [problem_weights(self.count, self.seed, block) for block in range(REPLICATES // BLOCK)]
        return np.hstack(blocks).astype(np.float64)

    def sums(self, values: Floats) -> Floats:
        """Sums over drawn queries of values (q,) or (q, levels): (replicates,) or (replicates, levels)."""
        flat = values.reshape(len(values), -1)
        by_author = np.zeros((self.count, flat.shape[1]))
        np.add.at(by_author, self.unit, flat)
        return (self.weights.T @ by_author).reshape(-1, *values.shape[1:])

    def mean(self, values: Floats, *, share: bool = False) -> Estimate | None:
        """The mean of values (q,) that are known, and its 95 % interval; None where there is none.

        Where a ``share`` (values of 0 to 1) is 0 or 1 throughout, draws do not differ and the interval is that of
        Clopper and Pearson.
        """
        known = ~np.isnan(values)
        if not known.any():
            return None
        value, units = float(values[known].mean()), len(np.unique(self.unit[known]))
        interval = percentiles(self.means(values), units)
        if share and value in (0.0, 1.0):
            least = 0.025 ** (1 / units)
            interval = (least, 1.0) if value else (0.0, 1 - least)
        return Estimate(value, None, interval, None)

    def means(self, values: Floats) -> Floats:
        """Means (replicates,) of values (q,) that are known over drawn authors, NaN where none is."""
        known = ~np.isnan(values)
        counts = self.sums(known.astype(np.float64))
        return self.sums(np.where(known, values, 0.0)) / np.where(counts > 0, counts, np.nan)

    def test(self, differences: Floats, pair: str) -> float:
        """Two-sided p that differences (q,) of two methods are as often on either side (signs of authors flipped)."""
        return sign_flip(np.bincount(self.unit, np.nan_to_num(differences)), self.seed, pair)


def compared(authors: Authors, values: Mapping[str, Floats]) -> dict[tuple[str, str], tuple[float, float]]:
    """p of every two methods by their values (q,), and as corrected by Holm."""
    names = list(values)
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    raw = [authors.test(values[a] - values[b], f"{a} {b}") for a, b in pairs]
    corrected = holm(raw) if raw else np.zeros(0)
    return {pair: (p, float(q)) for pair, p, q in zip(pairs, raw, corrected, strict=True)}


RANK_MARGIN = 0.15
"""δ in binary logarithms of the rank, fixed on worlds 0 to 9 of both generators (``benchmarks/study_retrieval.py``)."""
FEWEST_UNITS = 10
"""Authors below which there is no verdict."""


def rank_content(authors: Authors, bits: Mapping[str, Floats]) -> tuple[Content, dict[str, Estimate | None]]:
    """What content does to a method's ranks, by its queries' binary logarithms of them (k,) in each version
    (``content``): the verdict, and what it goes by; one is a rank doubled.

    ``swing_in_rank`` is the rank with content off the true candidate's topic less that with content on it;
    ``drop_in_rank`` that with content off it less that with its own; ``sway_in_rank`` how much more the former two
    differ, query by query, than two contents off topic do, and ``shift_in_rank`` the same of the rank with its own
    content and that off it; ``null_in_rank`` the difference of the two contents off topic.

    An interval of swing, drop, sway or shift wholly above ``RANK_MARGIN`` is an effect; all within it is none; else
    it is undecided.
    """
    off, chance = (bits["off"] + bits["off2"]) / 2, np.abs(bits["off"] - bits["off2"])
    moved = (np.abs(bits["own"] - bits["off"]) + np.abs(bits["own"] - bits["off2"])) / 2
    parts = {
        "swing_in_rank": off - bits["on"],
        "drop_in_rank": off - bits["own"],
        "sway_in_rank": np.abs(bits["on"] - bits["off"]) - chance,
        "shift_in_rank": moved - chance,
        "null_in_rank": bits["off"] - bits["off2"],
    }
    estimates = {name: authors.mean(values) for name, values in parts.items()}
    swing, drop, sway, shift, _ = ((one and one.interval) or (0.0, 0.0) for one in estimates.values())
    effects = {Content.RELIES: swing, Content.LOSES: drop, Content.SWAYED: sway, Content.DISPLACED: shift}
    if authors.count < FEWEST_UNITS:
        return Content.NO_VERDICT, estimates
    for outcome, (low, _) in effects.items():
        if low > RANK_MARGIN:
            return outcome, estimates
    still = all(low > -RANK_MARGIN and high < RANK_MARGIN for low, high in (swing, drop))
    none = still and max(sway[1], shift[1]) < RANK_MARGIN
    return (Content.LESS if none else Content.UNDECIDED), estimates
