"""How far content alone moves a verifier: figures of the transplant probe (ours).

Of every fold's kept test problems there are answers to the original questioned texts and to their versions with
content *on* topic, *off* topic, and *off* topic once more (see ``problems.transplant``).

auc         AUC on the original texts.
style_left  AUC where every questioned text has *off* content: what is known when content cannot help; .5 = nothing.
swing       AUC(same-author problems *on*, different-author ones *off*) − AUC(the reverse): 0 for a scorer that does
            not look at content, near 1 for one that looks at nothing else.
share       Share of problems whose *on* version is scored above the *off* one, ties half; .5 when blind.
null_swing, null_share
            The same of *off* against the second *off*: 0 and .5 but for chance, whatever the verifier.

AUCs are taken fold by fold, since scores of two fits are not on one scale, and averaged over the folds. Intervals
tell how figures would change with other authors of the same kind, and with other topics where those are given; they
hold for overlapping folds (see ``clustered``). What sets a fold apart from the mean is put down to its problems, and
so to their authors and topics. Without topics, or without how alike they are, the intervals of scorers that see topic
are too narrow where topics come in families (``raven simulate`` shows the coverage of both).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ravenbench.statistics.clustered import Figure, Units, figure, mean_effects, within_one
from ravenbench.statistics.placements import influence, placements
from ravenbench.types import Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class KeptFold:
    """Problems of one fold that were transplanted.

    Attributes
    ----------
    same : (n,) bool
        Truth.
    sides : (n, 2) int64
        Author codes of known and questioned texts, or the problem's group twice; −1 unknown. The same in all folds.
    problem : (n,) int64
        Equal for the same problem in two folds.
    topics : (n, 2) int64, optional
        Topic codes of known and questioned texts.
    """

    same: Bools
    sides: Ints
    problem: Ints
    topics: Ints | None = None


class Versions(NamedTuple):
    """Scores (n,) each of one fold's kept problems, higher = same author."""

    plain: Floats
    on: Floats
    off: Floats
    off2: Floats


class ContentFigures(NamedTuple):
    """Figures of one verifier (see the module); None where no fold has both classes.

    ``same`` and ``different`` count distinct problems, ``folds`` the folds used, ``missing`` those without answers,
    ``units`` authors (or groups).
    """

    auc: Figure | None
    style_left: Figure | None
    swing: Figure | None
    share: Figure | None
    null_swing: Figure | None
    null_share: Figure | None
    same: int
    different: int
    folds: int
    missing: int
    units: int


@dataclass(frozen=True, eq=False)
class ContentDesign:
    """The folds all verifiers are asked on; ``similarity`` (T, T) is that of the topics, where known."""

    folds: tuple[KeptFold, ...]
    similarity: Floats | None = None

    @cached_property
    def _usable(self) -> Bools:
        """Folds with both classes."""
        return np.array([fold.same.any() and not fold.same.all() for fold in self.folds], dtype=np.bool_)

    def figures(self, scores: Sequence[Versions | None], level: float = 0.95) -> ContentFigures:
        """The figures of one verifier; ``scores`` has an entry for each fold, None where its answers are missing."""
        used = [i for i, given in enumerate(scores) if given is not None and self._usable[i]]
        missing = sum(given is None for given in scores)
        if not used:
            return ContentFigures(None, None, None, None, None, None, 0, 0, 0, missing, 0)
        units, topics, same = self._units(tuple(used))
        problem = np.concatenate([self.folds[i].problem for i in used])
        found = [_of_fold(self.folds[i].same, given) for i in used if (given := scores[i]) is not None]
        values = np.mean([value for value, _ in found], axis=0)
        # What sets a fold apart belongs to its problems: half to each class, as every AUC is a mean over either.
        apart = [
            effect + np.multiply.outer(value - values, _parts(self.folds[i].same))
            for (value, effect), i in zip(found, used, strict=True)
        ]
        effects = np.concatenate(apart, axis=1) / len(used)
        auc, left, swing, share, null_swing, null_share = (
            figure(float(value), effect, units, topics, self.similarity, level)
            for value, effect in zip(values, effects, strict=True)
        )
        auc, left, share, null_share = map(within_one, (auc, left, share, null_share))
        pairs, others = (len(np.unique(problem[same == truth])) for truth in (True, False))
        return ContentFigures(
            auc, left, swing, share, null_swing, null_share, pairs, others, len(used), missing, units.count
        )

    def _units(self, used: tuple[int, ...]) -> tuple[Units, Units | None, Bools]:
        known = self._cached.get(used)
        if known is None:
            folds = [self.folds[i] for i in used]
            problem = np.concatenate([fold.problem for fold in folds])
            units = Units(np.concatenate([fold.sides for fold in folds]), problem)
            with_topics = [fold.topics for fold in folds if fold.topics is not None]
            topics = Units(np.concatenate(with_topics), problem) if len(with_topics) == len(folds) else None
            known = self._cached[used] = units, topics, np.concatenate([fold.same for fold in folds])
        return known

    @cached_property
    def _cached(self) -> dict[tuple[int, ...], tuple[Units, Units | None, Bools]]:
        return {}


def _parts(same: Bools) -> Floats:
    """Each problem's part in its fold, (n,): both classes weigh the same, together 1."""
    return np.asarray(0.5 / np.where(same, same.sum(), len(same) - same.sum()), dtype=np.float64)


def _of_fold(same: Bools, s: Versions) -> tuple[Floats, Floats]:
    """The six figures of one fold (6,), and each problem's effect on them (6, n)."""

    def area(positive: Floats, negative: Floats) -> tuple[float, Floats]:
        value, placement = placements(same, positive, negative)
        return value, influence(same, value, placement)

    def swing(a: Floats, b: Floats) -> tuple[float, Floats]:
        (high, of_high), (low, of_low) = area(a, b), area(b, a)
        return high - low, of_high - of_low

    def share(a: Floats, b: Floats) -> tuple[float, Floats]:
        return mean_effects((a > b) + 0.5 * (a == b))

    rows = [
        area(s.plain, s.plain),
        area(s.off, s.off),
        swing(s.on, s.off),
        share(s.on, s.off),
        swing(s.off, s.off2),
        share(s.off, s.off2),
    ]
    return np.array([value for value, _ in rows]), np.array([effect for _, effect in rows])
