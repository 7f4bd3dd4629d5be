"""Computes how content changes a verifier's answers: figures of the transplant probe (ours).

In: ``ContentDesign`` (``KeptFold``s: truth, authors and topics of kept problems; similarities of topics or None); its
``judged`` and ``figures`` take the ``Versions`` (n,) of a verifier's answers or scores on each fold (None = missing),
higher = same author, NaN = none.
Out: ``figures`` returns ``ContentFigures``, each an ``Estimate`` (value, error, interval) or None if unknown: AUCs and
proportions from 0 to 1, their differences from −1 to 1; counts of problems; ``judged`` returns those of the answers,
and those of the scores or None. Helpers: ``left_open`` returns ``Versions`` of 1 or 0 (n,), ``alike`` bool.

The kept test problems of every fold have answers to the original questioned texts and to their versions with content
*on* topic, *off* topic, and *off* topic from other texts (see ``problems.transplant``).

auc         AUC on the original texts.
style_left  AUC if every questioned text has *off* content, mean of both kinds; .5 = guessing.
drop        auc − style_left: the loss without the content words, favourite nouns as well as topics.
swing       AUC(same-author problems *on*, different-author problems *off*) − AUC(the reverse): 0 for a scorer that
            ignores topic, near 1 for a scorer that uses only topic.
share       Proportion of problems whose *on* version scores above the *off* version, ties half; .5 if content has no
            effect.
sway        Mean |on − off| − mean |off − off2| in ranks, from 0 to 1 among all versions of a fold: above 0 if topic
            changes single answers, in either direction. Ranks limit the weight of outliers.
shift       Mean |plain − off| − mean |off − off2| in the same ranks: how far single answers change without the text's
            own content words.
turned      Proportion of decisions (above or below .5) that differ between plain and off − the proportion that differ
            between off and off2; a change from a decision to a non-answer, or back, counts half.
silence     Proportion of problems left open if content is replaced (mean of three versions) − the proportion left open
            in the original: a verifier that notices the replacement may not show how it uses topics.
null_swing, null_share
            The same for *off* against the second *off*: 0 and .5 except for chance, for any verifier.
null_shift, null_turned
            Mean |off − off2| in ranks, and the proportion of decisions that differ: 0 for a verifier that does not read
            content words. If they are large, chance hides how far topic changes single answers.

Raven judges the published answers, with .5 for a missing one. If the scores behind them order problems differently,
Raven computes all figures except ``turned`` on the scores too, because a calibrator can use, or hide, information in a
score.

Each arm of a swing is answered as one set, so that a dependence on the batch shows. If a verifier's answers depend on
their batch, versions of one problem are not comparable: share, sway, shift, turned and null are unknown, and style left
is the AUC of the one arm in which all texts have *off* content.

AUCs are computed for each fold, because scores of two fits are not on one scale, and averaged over the folds. Intervals
say how figures would change with other authors of the same kind, and with other topics if topics are given; they are
valid for overlapping folds (see ``estimates``). A fold's distance from the mean counts as an effect of its problems,
and so of their authors and topics. Without topics, or without their similarities, the intervals of scorers that see
topic are too narrow if topics come in families (``benchmarks simulate`` shows the coverage of both).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ravenbench.statistics.estimates import (
    Estimate,
    Units,
    estimate,
    influence,
    mean_auc,
    mean_effects,
    placements,
    within,
)
from ravenbench.types import Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class KeptFold:
    """The transplanted problems of one fold: ``same`` (n,), truth; ``sides`` (n, 2), author codes of known and
    questioned texts, or the problem's group twice, −1 unknown, the same in all folds; ``problem`` (n,), equal for the
    same problem in two folds; ``topics`` (n, 2), topic codes of known and questioned texts."""

    same: Bools
    sides: Ints
    problem: Ints
    topics: Ints | None = None


class Versions(NamedTuple):
    """Answers or scores (n,) each of one fold's kept problems, higher = same author."""

    plain: Floats
    on: Floats
    off: Floats
    off2: Floats


class ContentFigures(NamedTuple):
    """Figures of one verifier (see the module); None if unknown, or if no fold has both classes.

    Figures are AUCs, proportions, or their differences. ``same`` and ``different`` count distinct problems, ``folds``
    the folds used, ``missing`` folds without answers, ``units`` authors (or groups). ``batched`` says whether
    answers depend on their batch, None if not tested. ``refused`` counts problems that Raven leaves out because some
    version has no score.
    """

    auc: Estimate | None = None
    style_left: Estimate | None = None
    drop: Estimate | None = None
    swing: Estimate | None = None
    share: Estimate | None = None
    sway: Estimate | None = None
    shift: Estimate | None = None
    turned: Estimate | None = None
    silence: Estimate | None = None
    null_swing: Estimate | None = None
    null_share: Estimate | None = None
    null_shift: Estimate | None = None
    null_turned: Estimate | None = None
    same: int = 0
    different: int = 0
    folds: int = 0
    missing: int = 0
    units: int = 0
    batched: bool | None = False
    refused: int = 0


SAME_SCORE = 1e-3
"""Standard deviations by which a score may differ from one batch to another: what is left of rounding."""
COMMON = 0.02
"""Share of a fold's answers from which on one and the same number counts as an answer left open."""
RANGES = {
    "auc": (0.0, 1.0),
    "style_left": (0.0, 1.0),
    "drop": (-1.0, 1.0),
    "swing": (-1.0, 1.0),
    "share": (0.0, 1.0),
    "sway": (-1.0, 1.0),
    "shift": (-1.0, 1.0),
    "turned": (-1.0, 1.0),
    "null_swing": (-1.0, 1.0),
    "null_share": (0.0, 1.0),
    "null_shift": (0.0, 1.0),
    "null_turned": (0.0, 1.0),
}
"""Figures of a fold in the order of ``_of_fold``, and the range of each: no interval reaches further."""


@dataclass(frozen=True, eq=False)
class ContentDesign:
    """The folds that all verifiers answer; ``similarity`` (T, T) is that of the topics, if known."""

    folds: tuple[KeptFold, ...]
    similarity: Floats | None = None

    @cached_property
    def _usable(self) -> Bools:
        """Folds with both classes."""
        return np.array(
            [fold.same.any() and not fold.same.all() for fold in self.folds], dtype=np.bool_
        )

    def judged(
        self,
        answers: Sequence[Versions | None],
        scores: Sequence[Versions | None],
        *,
        batched: bool | None = False,
    ) -> tuple[ContentFigures, ContentFigures | None]:
        """Return the ``ContentFigures`` of one verifier's answers, and those of its scores if they order any two
        problems differently.

        ``answers`` and ``scores`` have an entry for each fold, None if missing; scores may be NaN.
        """
        published = self.figures(answers, batched=batched)
        pairs = [
            (answer, score)
            for answer, score in zip(answers, scores, strict=True)
            if answer is not None and score is not None
        ]
        if all(np.array_equal(_ranks(before), _ranks(after)) for before, after in pairs):
            return published, None
        return published, self.figures(scores, batched=batched)._replace(
            turned=None, null_turned=None
        )

    def figures(
        self,
        scores: Sequence[Versions | None],
        *,
        batched: bool | None = False,
    ) -> ContentFigures:
        """Return the ``ContentFigures`` of one verifier from its answers or scores, NaN for missing ones.

        ``scores`` has an entry for each fold, None if its answers are missing; ``batched`` says whether they depend
        on the batch.
        """
        folds = list(self.folds)
        answered = list(scores)
        refused = 0
        for i, four in enumerate(scores):
            if four is not None:
                known = np.logical_and.reduce(np.isfinite(four))
                refused += int((~known).sum())
                folds[i] = _only(self.folds[i], known)
                answered[i] = Versions(*(version[known] for version in four))
        if refused:
            figures = ContentDesign(tuple(folds), self.similarity).figures(
                answered, batched=batched
            )
            return figures._replace(refused=refused, silence=self._silence(scores))
        folds_used = [i for i, four in enumerate(scores) if four is not None and self._usable[i]]
        missing = sum(four is None for four in scores)
        if not folds_used:
            return ContentFigures(missing=missing, batched=batched)
        units, topics, same = self._units(tuple(folds_used))
        problem = np.concatenate([self.folds[i].problem for i in folds_used])
        by_fold = [
            _of_fold(self.folds[i].same, four, bool(batched))
            for i in folds_used
            if (four := scores[i]) is not None
        ]
        values = np.mean([value for value, _ in by_fold], axis=0)
        # What sets a fold apart belongs to its problems: half to each class, as every AUC is a mean over either.
        apart = [
            effect + np.multiply.outer(value - values, _class_weights(self.folds[i].same))
            for (value, effect), i in zip(by_fold, folds_used, strict=True)
        ]
        effects = np.concatenate(apart, axis=1) / len(folds_used)
        estimates: dict[str, Any] = {
            name: within(estimate(float(value), effect, units, topics, self.similarity), low, high)
            for (name, (low, high)), value, effect in zip(
                RANGES.items(), values, effects, strict=True
            )
            if not np.isnan(value)
        }
        return ContentFigures(
            **estimates,
            silence=self._silence(scores),
            same=len(np.unique(problem[same])),
            different=len(np.unique(problem[~same])),
            folds=len(folds_used),
            missing=missing,
            units=units.count,
            batched=batched,
        )

    def _silence(self, scores: Sequence[Versions | None]) -> Estimate | None:
        """The figure of that name."""
        folds_used = [i for i, four in enumerate(scores) if four is not None and self._usable[i]]
        if not folds_used:
            return None
        units, topics, _ = self._units(tuple(folds_used))
        opened = [left_open(four) for i in folds_used if (four := scores[i]) is not None]
        value, effects = mean_effects(
            np.concatenate(
                [
                    (figures.on + figures.off + figures.off2) / 3 - figures.plain
                    for figures in opened
                ]
            )
        )
        return within(estimate(value, effects, units, topics, self.similarity), -1.0, 1.0)

    @cached_property
    def _units(self) -> Callable[[tuple[int, ...]], tuple[Units, Units | None, Bools]]:
        """Units of the problems of these folds by author and by topic, and their truth, made once."""

        @cache
        def of(folds_used: tuple[int, ...]) -> tuple[Units, Units | None, Bools]:
            folds = [self.folds[i] for i in folds_used]
            problem = np.concatenate([fold.problem for fold in folds])
            units = Units(np.concatenate([fold.sides for fold in folds]), problem)
            named = [fold.topics for fold in folds if fold.topics is not None]
            topics = Units(np.concatenate(named), problem) if len(named) == len(folds) else None
            return units, topics, np.concatenate([fold.same for fold in folds])

        return of


FEWEST_EVEN = 4
"""Pairs of a class in a fold below which it says nothing of a stratum that is filled evenly."""


def topic_aucs(
    folds: Sequence[KeptFold], answers: Sequence[Floats], similarity: Floats | None
) -> tuple[Estimate | None, Estimate | None]:
    """Return the AUCs of answers (n,) to each fold's untouched problems with known topics, where topic helps (one author
    on one topic, two on two) and where it misleads (the reverse); None if no fold has enough such problems."""
    areas = list[Estimate | None]()
    for helping in (True, False):
        parts = list[tuple[Bools, Floats, Ints, Ints]]()
        topics = list[Ints]()
        for fold, given in zip(folds, answers, strict=True):
            assert fold.topics is not None
            kind = (fold.same == (fold.topics[:, 0] == fold.topics[:, 1])) == helping
            same = fold.same[kind]
            if min(same.sum(), (~same).sum()) >= FEWEST_EVEN:
                parts.append((same, given[kind], fold.sides[kind], fold.problem[kind]))
                topics.append(fold.topics[kind])
        areas.append(mean_auc(parts, topics, similarity) if parts else None)
    return areas[0], areas[1]


def _only(fold: KeptFold, known: NDArray[Any]) -> KeptFold:
    topics = None if fold.topics is None else fold.topics[known]
    return KeptFold(fold.same[known], fold.sides[known], fold.problem[known], topics)


def _ranks(values: Versions) -> Floats:
    """Places of the four versions among all of them, (4, n) from 0 to 1, equal for ties."""
    _, positions, counts = np.unique(np.stack(values), return_inverse=True, return_counts=True)
    middle = (np.cumsum(counts) - counts / 2) / counts.sum()
    return np.asarray(middle[positions].reshape(4, -1), dtype=np.float64)


def left_open(scores: Versions) -> Versions:
    """Return 1.0 for each uninformative score (n,) of a fold (missing, .5, or the verifier's most frequent number), else
    0.0."""
    every = np.concatenate(scores)
    values, counts = np.unique(every[np.isfinite(every)], return_counts=True)
    often = (
        values[counts.argmax()]
        if len(counts) and counts.max() > max(3, COMMON * len(every))
        else np.nan
    )
    known = (np.isfinite(score) & (score != 0.5) & (score != often) for score in scores)
    return Versions(*(1.0 - share for share in known))


def alike(again: Floats, before: Floats, every: Floats) -> bool:
    """Return whether problems got the same scores (n,) in another batch, except for rounding, on the scale of ``every``
    score."""
    finite = every[np.isfinite(every)]
    return bool(
        np.allclose(
            again,
            before,
            rtol=0,
            atol=SAME_SCORE * float(finite.std() if len(finite) else 1),
            equal_nan=True,
        )
    )


def _class_weights(same: Bools) -> Floats:
    """Each problem's part in its fold, (n,): both classes weigh the same, together 1."""
    return np.asarray(0.5 / np.where(same, same.sum(), len(same) - same.sum()), dtype=np.float64)


def _of_fold(same: Bools, versions: Versions, batched: bool) -> tuple[Floats, Floats]:
    """The figures of one fold in the order of ``RANGES`` (12,), NaN where not known, and each problem's effect on
    them (12, n)."""

    def area(positive: Floats, negative: Floats) -> tuple[float, Floats]:
        value, placement = placements(same, positive, negative)
        return value, influence(same, value, placement)

    def less(left: tuple[float, Floats], right: tuple[float, Floats]) -> tuple[float, Floats]:
        return left[0] - right[0], left[1] - right[1]

    def swing(a: Floats, b: Floats) -> tuple[float, Floats]:
        return less(area(a, b), area(b, a))

    def share(a: Floats, b: Floats) -> tuple[float, Floats]:
        return mean_effects((a > b) + 0.5 * (a == b))

    def moved(placements_of: Floats) -> tuple[tuple[float, Floats], ...]:
        """Return how much more the places (4, n) of versions differ than those of two kinds of other content: *on* from
        *off*, and plain from both of these; and how far those do."""
        plain_place, with_donor, left_place, right_place = placements_of
        chance = np.abs(left_place - right_place)
        apart = (np.abs(plain_place - left_place) + np.abs(plain_place - right_place)) / 2
        return (
            mean_effects(np.abs(with_donor - left_place) - chance),
            mean_effects(apart - chance),
            mean_effects(chance),
        )

    plain = area(versions.plain, versions.plain)
    area_off = area(versions.off, versions.off)
    off2 = area(versions.off2, versions.off2)
    unknown = math.nan, np.full(len(same), np.nan)
    style_left = off2 if batched else ((area_off[0] + off2[0]) / 2, (area_off[1] + off2[1]) / 2)
    (sway, shift, null_shift), (_, turned, null_turned) = (
        moved(_ranks(versions)),
        moved(np.sign(np.stack(versions) - 0.5) / 2),
    )
    of_arms = [plain, style_left, less(plain, style_left), swing(versions.on, versions.off)]
    of_one_problem = [
        share(versions.on, versions.off),
        sway,
        shift,
        turned,
        swing(versions.off, versions.off2),
        share(versions.off, versions.off2),
        null_shift,
        null_turned,
    ]
    rows = of_arms + ([unknown] * len(of_one_problem) if batched else of_one_problem)
    return np.array([value for value, _ in rows]), np.array([effect for _, effect in rows])
