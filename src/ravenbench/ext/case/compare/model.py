"""Turns raw scores into log10 likelihood ratios: calibrates, fuses, weighs by likeness in content, and bounds them.

In: ``PairScores`` of n background pairs: raw scores (n,) or (n, f) by verifier, truth, authors, content similarity
(cosine); scores of cases; a ``Store`` and plan for ``read_scores`` and ``complete_scores``.
Out: ``Validated`` and ``CombinedLLR``: log10 LRs (n,) by verifier, unbounded until held in ``LRLimits`` (log10), higher
= same author; 95 % ``intervals``; ``promise``, measures in their units. ``weigh``, ``learn`` and ``limits`` give
the parts, ``held_out``, ``issue_llr`` and ``bootstrap_systems`` the same for other pairs or samples.

Texts are scored as they were written, and with the questioned text's content words replaced (*style*). As written,
what likeness in content adds is taken off. Of style nothing is taken off; it is calibrated on pairs as they were drawn,
three strangers in four being those nearest in content. From the likeness that half the pairs of strangers stay below
(the *middle*) to that which nearly all stay below (the *knee*), style gets a growing part in the LR, up to ``STYLE``.

What is validated is learned without the authors it is validated on: verifiers, calibration and fusion. The LRs that
are validated, plotted and issued are all held in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import ceil
from typing import NamedTuple

import numpy as np

from ravenbench import files
from ravenbench.ext.case.compare.background import FEWEST_AUTHORS
from ravenbench.ext.case.compare.record import (
    CaseProblem,
    FoldRole,
    PairColumn,
    ShapeRecord,
    pairs_array,
)
from ravenbench.ext.case.likelihood_ratios import (
    Bounds,
    Calibration,
    Fusion,
    MeasureEstimate,
    calibrate,
    elub,
    estimated,
    fuse,
    measures,
    redrawn,
    supported,
)
from ravenbench.ext.case.likeness import (
    KNEE,
    Excess,
    different_quantile,
    excess,
    reach_of,
    stands_for,
)
from ravenbench.reports.cells import Failure
from ravenbench.reports.content import confinement, exposure
from ravenbench.store.records import Plan
from ravenbench.store.store import Store
from ravenbench.text.tokens import count_words
from ravenbench.types import Bools, Floats, Ints, Problems

FUSED = "all together"
"""The name of the fusion beside the verifiers'."""
STYLE = 0.5
"""Part of style in the log10 LR of two sides more alike in content than nearly all strangers; and the part of its own
log10 LR that is given where the background does not show what strangers as alike in content score."""
UNSHOWN = 0.3
"""Greatest log10 LR for one author there, where style does not give more: just below the least that counts as
support."""
DRAWS = 200
"""Bootstrap samples of the background's authors."""
LEVEL = 0.95
REACHED = 0.75
"""Share of the background's authors who must have a stranger's text as alike in content, or no LR above ``UNSHOWN`` is
given for one author but what style gives."""
PROMISED = ("cllr", "mean_for", "mean_against")
Scores = Mapping[str, Floats]


@dataclass(frozen=True, eq=False)
class PairScores:
    """n background pairs of all folds of a shape, one after another.

    Attributes
    ----------
    scores : mapping
        Raw scores (n,) or (n, f) of each verifier, made by fits that knew neither author.
    moved : mapping
        The same with the questioned text's content words replaced; nan where they could not be, or where this was not
        asked. Without verifiers that may know more than they were handed. ``freely``: the same with words put in
        freely, which only says what is left.
    same, unseen : (n,) bool
        Truth; and whether the questioned text's topic was left out of training.
    authors : (n, 2) int64
        Of known and questioned side.
    fold : (n,) int64
    content : (n,) float
        Content similarity of the two sides.
    weight : (n,) float
        How much each counts within its class: strangers for as many as are as alike in content among all pairs of
        strangers of this background.
    """

    scores: Mapping[str, Floats]
    moved: Mapping[str, Floats]
    same: Bools
    unseen: Bools
    authors: Ints
    fold: Ints
    content: Floats
    weight: Floats
    freely: Mapping[str, Floats] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.same)


@dataclass(frozen=True, eq=False)
class ShapeScores:
    """Scores of a shape: its pairs, and the m ``problems`` of its cases by verifier, each the mean over the folds'
    verifiers that were asked.

    ``content`` (m,) is the content similarity of the two sides of each of these problems. ``sets`` holds each
    known text of a background author against the others; its ``authors`` are the author and the number of that author's
    set. It is empty where a case has one known text. ``barred`` says of verifiers why they may know more than they were
    handed, ``confinement`` of those of others how they were confined.
    """

    shape: ShapeRecord
    verifiers: tuple[str, ...]
    pairs: PairScores
    sets: PairScores
    problems: tuple[CaseProblem, ...]
    cases: Mapping[str, Floats]
    content: Floats
    failures: tuple[Failure, ...]
    barred: Mapping[str, str]
    confinement: Mapping[str, str]


def _unscored(problems: Problems, scores: Floats) -> str:
    """What is said of a verifier that gives no score for some problems, with the words of the shortest text."""
    without = np.unique(np.nonzero(~np.isfinite(scores))[0]).tolist()
    rows = [row for i in without for row in (*problems.known(i), problems.questioned_index[i])]
    shortest = min(count_words(problems.texts[row]) for row in rows)
    return (
        f"it has no score for {len(without)} of {len(problems)} pairs, whose shortest text has"
        f" {shortest} words: such texts are too short for it, or have nothing in common with those"
        " that it learned from"
    )


def complete_scores(
    store: Store, plan: Plan, folds: Sequence[str], failures: list[Failure]
) -> dict[str, dict[str, Floats]]:
    """Scores by verifier and fold, of the verifiers that have all of them finite; the others are ``failures``."""
    complete: dict[str, dict[str, Floats]] = {}
    for verifier in (entry.name for entry in plan.verifiers):
        by_fold: dict[str, Floats] = {}
        for fold in folds:
            cell = store.cell(verifier, fold)
            scores = None if cell is None else cell.scores
            error = "not computed" if cell is None else cell.error
            if scores is not None and not np.isfinite(scores).all():
                error = _unscored(store.shared_fold(fold).test, scores.reshape(len(scores), -1))
            if error is not None or scores is None:
                failures.append(
                    Failure(
                        store.keys.get((verifier, fold), fold), verifier, fold, error or "no scores"
                    )
                )
                break
            by_fold[fold] = scores
        else:
            complete[verifier] = by_fold
    return complete


def read_scores(store: Store, plan: Plan, shape: ShapeRecord) -> ShapeScores:
    """Scores of the verifiers that have all their cells, with no score that is not finite; the others are failures. A
    shape without problems of cases has background pairs alone."""
    failures: list[Failure] = []
    moved = list(map(FoldRole.TRANSPLANTED.of, shape.folds))
    several = shape.problems and len(shape.known) > 1
    sets = list(map(FoldRole.SETS.of, shape.folds)) if several else []
    free = [fold for fold in map(FoldRole.FREE.of, shape.folds) if fold in plan.folds]
    folds = [*shape.folds, *moved, *free, *sets, *shape.case_folds]
    complete = complete_scores(store, plan, folds, failures)
    cells = {name: [store.cell(name, fold) for fold in folds] for name in complete}
    exposed = {name: exposure(store, name, filled) for name, filled in cells.items()}
    barred = {name: why for name, why in exposed.items() if why}
    isolated = {name: scores for name, scores in complete.items() if name not in barred}
    pairs, own = (_joined(store, complete, folds, shape.strangers) for folds in (shape.folds, sets))
    place: dict[CaseProblem, int] = {}
    row = np.array(
        [place.setdefault(problem, len(place)) for problem in shape.problems], dtype=np.int64
    )
    cases = {
        name: _means(np.concatenate([scores[fold] for fold in shape.case_folds]), row)
        for name, scores in complete.items()
        if shape.case_folds
    }
    return ShapeScores(
        shape,
        tuple(complete),
        replace(
            pairs,
            moved=_moved(store, isolated, shape.folds),
            freely=_moved(store, isolated, shape.folds, FoldRole.FREE) if free else {},
        ),
        own,
        tuple(place),
        cases,
        np.array([problem.content for problem in place], dtype=np.float64),
        tuple(failures),
        barred,
        {name: confinement(store, name, filled) for name, filled in cells.items()},
    )


def _means(scores: Floats, row: Ints) -> Floats:
    """Means of scores (n,) or (n, f) over those of one row (n,)."""
    sums = np.zeros((int(row.max()) + 1, *scores.shape[1:]))
    np.add.at(sums, row, scores)
    return np.asarray((sums.T / np.bincount(row)).T)


def _joined(
    store: Store,
    complete: Mapping[str, Mapping[str, Floats]],
    folds: Sequence[str],
    strangers: Sequence[float],
) -> PairScores:
    about = [files.read_array(store.path / f"{pairs_array(fold)}.npy") for fold in folds]
    flat = np.concatenate([np.zeros((0, len(PairColumn))), *about])
    same = np.concatenate([np.zeros(0, dtype=np.bool_), *(store.truth(fold) for fold in folds)])
    return PairScores(
        {
            name: np.concatenate([scores[fold] for fold in folds])
            for name, scores in complete.items()
            if folds
        },
        {},
        same,
        flat[:, PairColumn.UNSEEN] > 0,
        flat[:, [PairColumn.KNOWN, PairColumn.QUESTIONED]].astype(np.int64),
        np.repeat(np.arange(len(folds)), [len(part) for part in about]).astype(np.int64),
        flat[:, PairColumn.CONTENT],
        stands_for(flat[:, PairColumn.CONTENT], same, strangers),
    )


def _moved(
    store: Store,
    complete: Mapping[str, Mapping[str, Floats]],
    folds: Sequence[str],
    role: FoldRole = FoldRole.TRANSPLANTED,
) -> dict[str, Floats]:
    """Scores of the folds' pairs with content words replaced, in the order of the pairs; nan where they were not."""
    off = {fold: role.of(fold) for fold in folds}
    place = {
        fold: np.array([int(name) for name in store.fold(off[fold]).test.ids], dtype=np.int64)
        for fold in folds
    }
    joined = {}
    for name, scores in complete.items():
        each = []
        for fold in folds:
            rows = np.full_like(scores[fold], np.nan)
            rows[place[fold]] = scores[off[fold]]
            each.append(rows)
        joined[name] = np.concatenate(each)
    return joined


@dataclass(frozen=True, eq=False)
class System:
    """What each verifier's scores gain by likeness in content (nothing where it is not there), their calibrations, and
    the fusion."""

    excess: Mapping[str, Excess]
    calibrations: Mapping[str, Calibration]
    fusion: Fusion

    def llr(self, scores: Scores, content: Floats) -> dict[str, Floats]:
        """Log10 LRs (n,) of every verifier and of the fusion for pairs with these content similarities (n,)."""
        each = {
            name: calibration.llr(
                self.excess[name].taken_off(scores[name], content)
                if name in self.excess
                else scores[name]
            )
            for name, calibration in self.calibrations.items()
        }
        return {**each, FUSED: self.fusion.llr(np.column_stack(list(each.values())))}


class CombinedLLR(NamedTuple):
    """Log10 LRs (n,) of every verifier and of the fusion: of texts as they were ``written``, of ``style`` (nan where
    content words could not be replaced), and the ``llr`` that is made of both."""

    written: Scores
    style: Scores
    llr: Scores

    @classmethod
    def ordered(cls, each: Sequence[CombinedLLR], order: Ints) -> CombinedLLR:
        """Several, one after another, in this order."""
        return cls(
            *(
                {name: np.concatenate([one[name] for one in parts])[order] for name in parts[0]}
                for parts in zip(*each, strict=True)
            )
        )


@dataclass(frozen=True, eq=False)
class WeighedSystem:
    """The system of texts as written and that of style (None where it could not be learned), and the content
    similarities (``middle``, ``knee``) between which style comes in."""

    written: System
    style: System | None
    middle: float
    knee: float

    def combined(self, scores: Scores, moved: Scores, content: Floats) -> CombinedLLR:
        """Log10 LRs (n,) of pairs with these scores as written, scores with content words replaced, and content
        similarities."""
        written = self.written.llr(scores, content)
        nothing = np.full(len(content), np.nan)
        style = dict.fromkeys(written, nothing) | (
            {} if self.style is None else self.style.llr(moved, content)
        )
        part = STYLE * np.clip(
            (content - self.middle) / max(self.knee - self.middle, 1e-12), 0.0, 1.0
        )
        llr = {
            name: np.where(np.isnan(style[name]), values, values + part * (style[name] - values))
            for name, values in written.items()
        }
        return CombinedLLR(written, style, llr)

    def of_pairs(self, pairs: PairScores, rows: Ints) -> CombinedLLR:
        """Log10 LRs of some of these pairs."""
        content = pairs.content[rows]
        return self.combined(subset(pairs.scores, rows), subset(pairs.moved, rows), content)


@dataclass(frozen=True, eq=False)
class LRLimits:
    """How strong a log10 LR the background can show: ``bounds`` of every verifier and of the fusion; and where two
    sides are more alike in content than ``reach``, none for one author but what style gives (``STYLE``, ``UNSHOWN``).
    """

    bounds: Mapping[str, Bounds]
    reach: float

    def upper(self, name: str, content: Floats, style: Floats) -> Floats:
        """Greatest log10 LRs (n,) at content similarities (n,), where style alone gives log10 LRs (n,) or nan."""
        most = self.bounds[name].upper
        return np.where(
            content > self.reach, np.clip(np.fmax(STYLE * style, UNSHOWN), None, most), most
        )

    def of(self, name: str, content: float, style: float) -> Bounds:
        """The bounds at a content similarity, where style alone gives a log10 LR (or nan)."""
        return Bounds(
            self.bounds[name].lower,
            float(self.upper(name, np.array([content]), np.array([style]))[0]),
        )

    def bounded(self, combined: CombinedLLR, content: Floats) -> dict[str, Floats]:
        """Log10 LRs (n,) within the limits."""
        return {
            name: np.clip(
                values, self.bounds[name].lower, self.upper(name, content, combined.style[name])
            )
            for name, values in combined.llr.items()
        }


@dataclass(frozen=True, eq=False)
class Validated:
    """Pairs with log10 LRs (n,) that learned nothing from either author, limits too (``llr``), and before they were
    held (``raw``); and the limits and the system of all pairs, by which cases are answered."""

    pairs: PairScores
    raw: CombinedLLR
    llr: Scores
    limits: LRLimits
    system: WeighedSystem

    def as_cases(self) -> Floats:
        """The fusion's log10 LRs (n,), held as those of cases are."""
        return self.limits.bounded(self.raw, self.pairs.content)[FUSED]


def weigh(pairs: PairScores, times: Floats) -> WeighedSystem:
    """Learn both systems from pairs that count so many times (n,) beside their own weight."""
    used = times > 0
    weight = times * pairs.weight
    content = pairs.content[used]
    same = pairs.same[used]
    middle, knee = (different_quantile(content, same, weight[used], share) for share in (0.5, KNEE))
    return WeighedSystem(learn(pairs, weight, used), _style(pairs, times), middle, knee)


def _style(pairs: PairScores, times: Floats) -> System | None:
    """What is learned from pairs with content words replaced; strangers count as they were drawn."""
    used = (times > 0) & was_transplanted(pairs)
    same = pairs.same[used]
    weight = times[used]
    if not same.any() or same.all():
        return None
    calibrations = {
        name: calibrate(values[used], same, weight) for name, values in pairs.moved.items()
    }
    members = [
        calibration.llr(pairs.moved[name][used]) for name, calibration in calibrations.items()
    ]
    return System(
        {}, calibrations, fuse(np.column_stack(members), same, weight, pairs.authors[used])
    )


def was_transplanted(pairs: PairScores) -> Bools:
    """Whether the content words of the questioned text could be replaced (n,)."""
    replaced = np.full(len(pairs), bool(pairs.moved))
    for values in pairs.moved.values():
        replaced &= ~np.isnan(values.reshape(len(pairs), -1)).any(axis=1)
    return replaced


def learn(pairs: PairScores, weight: Floats, used: Bools | None = None) -> System:
    """Take off what likeness adds, calibrate every verifier and fuse them, on the pairs used (by default all)."""
    used = np.ones(len(pairs), dtype=np.bool_) if used is None else used
    same = pairs.same[used]
    content = pairs.content[used]
    author = pairs.authors[used, 0]
    weight = weight[used]
    knee = different_quantile(content, same, weight, KNEE)
    gains = {}
    calibrations = {}
    members = []
    for name, values in pairs.scores.items():
        gains[name] = excess(values[used], same, content, author, weight, knee)
        rows = gains[name].taken_off(values[used], content)
        calibrations[name] = calibrate(rows, same, weight)
        members.append(calibrations[name].llr(rows))
    return System(
        gains, calibrations, fuse(np.column_stack(members), same, weight, pairs.authors[used])
    )


def limits(pairs: PairScores, raw: CombinedLLR, weight: Floats) -> LRLimits:
    """Limits from pairs with log10 LRs (n,) that learned nothing from their authors. They count people: pairs of one
    author are no more than one."""
    used = weight > 0
    same = pairs.same[used]
    each = weight[used]
    sides = used & pairs.same, used & ~pairs.same
    own, others = (float(len(np.unique(pairs.authors[side, 0]))) for side in sides)
    bounds = {}
    for name, values in raw.llr.items():
        empirical = elub(values[used], same, each, (own, others))
        low, high = -supported(own), supported(others)
        bounds[name] = Bounds(max(empirical.lower, low), min(empirical.upper, high))
    most = max(FEWEST_AUTHORS, ceil(REACHED * others))
    return LRLimits(bounds, reach_of(pairs.content[used], same, pairs.authors[used, 0], most))


@lru_cache(maxsize=8)
def validate(pairs: PairScores) -> Validated:
    """Log10 LRs of all background pairs by systems learned from the other folds; limits from these; the system of
    all. It is the same for all cases of a shape."""
    places = []
    each = []
    for fold in np.unique(pairs.fold):
        rows = np.flatnonzero(pairs.fold == fold)
        system = weigh(pairs, (pairs.fold != fold).astype(np.float64))
        places.append(rows)
        each.append(system.of_pairs(pairs, rows))
    return _validated(
        pairs, CombinedLLR.ordered(each, np.argsort(np.concatenate(places), kind="stable"))
    )


def _validated(pairs: PairScores, raw: CombinedLLR) -> Validated:
    """Pairs with these log10 LRs, each held within the limits that the pairs of other folds show."""
    every = limits(pairs, raw, pairs.weight)
    llr = {name: np.zeros(len(pairs)) for name in raw.llr}
    for fold in np.unique(pairs.fold):
        here = np.flatnonzero(pairs.fold == fold)
        others = np.flatnonzero(pairs.fold != fold)
        rest = every
        if len(np.unique(pairs.same[others])) == 2:
            rest = limits(select_pairs(pairs, others), _rows(raw, others), pairs.weight[others])
        fold_llr = _rows(raw, here)
        content = pairs.content[here]
        for name, bounded in rest.bounded(fold_llr, content).items():
            most = every.upper(name, content, fold_llr.style[name])
            llr[name][here] = np.clip(bounded, every.bounds[name].lower, most)
    return Validated(pairs, raw, llr, every, weigh(pairs, np.ones(len(pairs))))


def _rows(combined: CombinedLLR, rows: Ints) -> CombinedLLR:
    return CombinedLLR(*(subset(part, rows) for part in combined))


@lru_cache(maxsize=16)
def held_out(valid: Validated, part: int) -> Validated:
    """The same without the pairs of one part of the authors, for a case whose candidate is among them: system, limits
    and what is shown are learned from the pairs of the other parts alone."""
    rows = np.flatnonzero(valid.pairs.fold != part)
    return _validated(select_pairs(valid.pairs, rows), _rows(valid.raw, rows))


def select_pairs(pairs: PairScores, rows: Ints) -> PairScores:
    """These pairs alone."""
    selected = {
        name: part[rows] if isinstance(part, np.ndarray) else subset(part, rows)
        for name, part in vars(pairs).items()
    }
    return PairScores(**selected)  # type: ignore[arg-type]


def issue_llr(pairs: PairScores, others: PairScores) -> dict[str, Floats]:
    """Log10 LRs (n,) that would be issued for other pairs of the same folds, such as those under a condition.

    All that decides one of them, limits too, is learned from pairs of the other folds, so that it knows neither author.
    """
    valid = validate(pairs)
    llr = {name: np.zeros(len(others)) for name in valid.llr}
    for fold in np.unique(others.fold).tolist():
        here = np.flatnonzero(others.fold == fold)
        at = held_out(valid, fold)
        bounded = at.limits.bounded(at.system.of_pairs(others, here), others.content[here])
        for name, values in bounded.items():
            llr[name][here] = values
    return llr


@lru_cache(maxsize=8)
def bootstrap_systems(
    valid: Validated, seed: int, draws: int
) -> tuple[tuple[WeighedSystem, LRLimits], ...]:
    """The system and its limits, learned from each bootstrap sample that holds pairs of both kinds.

    Authors of the background are drawn with replacement and a pair counts as often as both its authors were drawn.
    Limits are drawn anew from the LRs that ``valid`` found. The verifiers do not learn again: what the choice of
    authors does to them is not in it.
    """
    pairs = valid.pairs
    every = redrawn(
        pairs.authors, pairs.same, np.ones(len(pairs.same)), seed, "compare-bootstrap", draws
    )
    return tuple(
        (weigh(pairs, often), limits(pairs, valid.raw, often * pairs.weight)) for often in every
    )


@lru_cache(maxsize=16)
def promise(valid: Validated, seed: int) -> Mapping[str, MeasureEstimate]:
    """What the fusion's LRs are worth on people left out of all that made them (``PROMISED``), with 95 % intervals from
    drawing the background's authors anew."""
    pairs = valid.pairs
    promised = {key: measures(1.0)[key] for key in PROMISED}
    return estimated(valid.llr[FUSED], pairs.same, pairs.weight, pairs.authors, seed, promised)


def intervals(
    valid: Validated, scores: Scores, moved: Scores, content: Floats, seed: int
) -> tuple[dict[str, tuple[Floats, Floats]], int]:
    """95 % intervals (low (m,), high (m,)) of the log10 LRs of some problems, and how many samples these are.

    ``scores`` are those as written, ``moved`` those with content words replaced. Each LR is held within the limits of
    its sample.
    """
    samples = bootstrap_systems(valid, seed, DRAWS)
    sampled = [
        at.bounded(system.combined(scores, moved, content), content) for system, at in samples
    ]
    tails = (1 - LEVEL) / 2
    ends = {
        name: np.quantile(np.stack([one[name] for one in sampled]), [tails, 1 - tails], axis=0)
        for name in valid.raw.llr
    }
    return {name: (low, high) for name, (low, high) in ends.items()}, len(samples)


def subset(scores: Scores, rows: Sequence[int] | Ints) -> dict[str, Floats]:
    """Scores of some problems."""
    return {name: values[np.asarray(rows, dtype=np.int64)] for name, values in scores.items()}
