"""Turns raw scores into log10 likelihood ratios (LRs): one Gaussian calibration, with its posterior over backgrounds.

In: ``PairScores`` of n background pairs: raw scores (n,) or (n, f) by verifier, truth, authors, content similarity
(cosine); scores of cases; a ``Store`` and plan for ``read_scores`` and ``complete_scores``.
Out: ``Validated`` and ``CombinedLLR``: log10 LRs (n,) by verifier, unbounded until limited to ± ``System.bound``
(log10), higher = same author; ``promise``, measures in their units. ``learn`` gives a ``System``; ``held_out`` and
``issue_llr`` the same for other pairs; ``ends_of`` a 95 % interval.

The model:

1. Scores as written, and with the questioned text's content words replaced (*style*), are columns. Each is weighted by
   how far it tells one author from two: the square of the distance of the classes' means in standard deviations. A
   verifier's columns share one vote.
2. What likeness in content adds to the weighted sum beyond the *knee*, which nine in ten pairs by two authors stay
   below, is taken off: the smaller slope of the two classes, if above 0.
3. *Bi-Gaussian calibration*: a straight line maps the sum so that natural log LRs have means ± s²/2 and the variance s²
   within the classes. Where they are Gaussian, the mean LR of strangers and the mean 1/LR of own texts are 1. The sum's
   variance is taken (1 + 2 N^−.4) times as large for N people.
4. *Posterior*: the background's authors are drawn with replacement ``DRAWS`` times, and 1 to 3 are learned for each
   draw. The LR is the odds of the mean probability, at even prior odds, over the draws; its interval includes 95 % of
   them.
5. *Another draw* of pairs of the same authors: how far half the pairs and the other half differ says how far all of
   them do. With what verifiers differ that learned from other pairs it widens the interval.
6. *Bound*: N people show LRs only up to ``supported(N)``, for the candidate and against alike.

What is validated is learned without the authors it is validated on, verifiers too.

References
----------
van Leeuwen & Brümmer 2013, The distribution of calibrated likelihood-ratios in speaker recognition. Interspeech.
Morrison 2024, Bi-Gaussianized calibration of likelihood ratios. Law, Probability and Risk 23.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ravenbench import files
from ravenbench.errors import counted
from ravenbench.ext.case.compare.background import without
from ravenbench.ext.case.compare.record import (
    CaseProblem,
    FoldRole,
    PairColumn,
    ShapeRecord,
    pairs_array,
)
from ravenbench.ext.case.likelihood_ratios import (
    LN10,
    MeasureEstimate,
    estimated,
    measures,
    redrawn,
    supported,
)
from ravenbench.ext.case.likeness import stands_for
from ravenbench.randomness import stream
from ravenbench.reports.cells import Failure
from ravenbench.reports.content import confinement, exposure
from ravenbench.store.records import Plan
from ravenbench.store.store import Store
from ravenbench.text.tokens import count_words
from ravenbench.types import Bools, Floats, Interval, Ints, Problems

FUSED = "all together"
"""The name of the fusion beside the verifiers'."""
KNEE = 0.9
"""Proportion of the drawn different-author pairs that are less similar in content than the knee."""
DRAWS = 200
"""Bootstrap samples of the background's authors."""
HALVES = 20
"""Number of draws of one half of the background's pairs."""
LEVEL = 0.95
PROMISED = ("cllr", "mean_for", "mean_against")
Scores = Mapping[str, Floats]


@dataclass(frozen=True, eq=False)
class PairScores:
    """n background pairs of all folds of a shape, one after another.

    Attributes
    ----------
    scores : mapping
        Raw scores (n,) or (n, f) of each verifier, from fits that knew neither author.
    moved : mapping
        The same with the questioned text's content words replaced; nan if this was impossible or not requested. Without
        verifiers that may know more than they were given.
    same : (n,) bool
        Truth.
    authors : (n, 2) int64
        Authors of the known and of the questioned side.
    fold : (n,) int64
    content : (n,) float
        Content similarity of the two sides.
    weight : (n,) float
        Weight within its class: a different-author pair has the weight of all equally similar pairs of this background.
    """

    scores: Mapping[str, Floats]
    moved: Mapping[str, Floats]
    same: Bools
    authors: Ints
    fold: Ints
    content: Floats
    weight: Floats

    def __len__(self) -> int:
        return len(self.same)


@dataclass(frozen=True, eq=False)
class ShapeScores:
    """Scores of a shape: its pairs, and the m ``problems`` of its cases by verifier, each the mean over the verifiers
    of several folds.

    ``by_fold`` are the scores by each fold's verifiers, of the problems with these numbers (``row``). ``content`` (m,)
    is the content similarity of the two sides of each problem. ``sets`` has each known text of a background author
    against the author's other known texts; its ``authors`` are the author and the number of the set. It is empty if
    cases have one known text. ``barred`` gives the reason why a verifier may know more than it was given,
    ``confinement`` how the verifiers of others were confined.
    """

    shape: ShapeRecord
    verifiers: tuple[str, ...]
    pairs: PairScores
    sets: PairScores
    problems: tuple[CaseProblem, ...]
    cases: Mapping[str, Floats]
    by_fold: Mapping[str, Floats]
    row: Ints
    content: Floats
    failures: tuple[Failure, ...]
    barred: Mapping[str, str]
    confinement: Mapping[str, str]

    def asking(self, asks: str, case: str) -> list[int]:
        """Return the numbers of the problems that ask this about a case."""
        return [i for i, one in enumerate(self.problems) if (one.asks, one.case) == (asks, case)]


def _unscored(problems: Problems, scores: Floats) -> str:
    """What is said of a verifier that gives no score for some problems, with the words of the shortest text."""
    without = np.unique(np.nonzero(~np.isfinite(scores))[0]).tolist()
    rows = [row for i in without for row in (*problems.known(i), problems.questioned_index[i])]
    shortest = min(count_words(problems.texts[row]) for row in rows)
    return (
        f"no score for {len(without)} of {counted(len(problems), 'pair')}; their shortest text has"
        f" {shortest} words: such texts are too short for this verifier, or share nothing with its"
        " training texts"
    )


def complete_scores(
    store: Store, plan: Plan, folds: Sequence[str], failures: list[Failure]
) -> dict[str, dict[str, Floats]]:
    """Return scores by verifier and fold, of the verifiers that have all of them finite; the others become
    ``failures``."""
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
    """Read the scores of the verifiers that have all their cells and only finite scores; the others become failures. A
    shape without problems of cases has only background pairs."""
    failures: list[Failure] = []
    moved = list(map(FoldRole.TRANSPLANTED.of, shape.folds))
    several = shape.problems and len(shape.known) > 1
    sets = list(map(FoldRole.SETS.of, shape.folds)) if several else []
    folds = [*shape.folds, *moved, *sets, *shape.case_folds]
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
    each_fold = {
        name: np.concatenate([scores[fold] for fold in shape.case_folds])
        for name, scores in complete.items()
        if shape.case_folds
    }
    cases = {name: _means(scores, row) for name, scores in each_fold.items()}
    return ShapeScores(
        shape,
        tuple(complete),
        replace(pairs, moved=_moved(store, isolated, shape.folds)),
        own,
        tuple(place),
        cases,
        each_fold,
        row,
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
        flat[:, [PairColumn.KNOWN, PairColumn.QUESTIONED]].astype(np.int64),
        np.repeat(np.arange(len(folds)), [len(part) for part in about]).astype(np.int64),
        flat[:, PairColumn.CONTENT],
        stands_for(flat[:, PairColumn.CONTENT], same, strangers),
    )


def _moved(
    store: Store,
    complete: Mapping[str, Mapping[str, Floats]],
    folds: Sequence[str],
) -> dict[str, Floats]:
    """Scores of the folds' pairs with content words replaced, in the order of the pairs; nan where they were not."""
    off = {fold: FoldRole.TRANSPLANTED.of(fold) for fold in folds}
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
class Gaussian:
    """Bi-Gaussian calibration in d draws: ``weights`` (k, d) of columns of scores, the ``knee`` (a cosine) and ``slope``
    (d,) of likeness in content, ``middle`` (d,), where the LR is 1, and ``gain`` (d,), log10 LR per unit."""

    weights: Floats
    knee: float
    slope: Floats
    middle: Floats
    gain: Floats

    def llr(self, columns: Floats, content: Floats) -> Floats:
        """Return log10 LRs (n, d) of pairs with these columns (n, k) and content similarities (n,)."""
        beyond = np.maximum(content - self.knee, 0.0)
        return (columns @ self.weights - np.outer(beyond, self.slope) - self.middle) * self.gain


def calibrated(columns: Floats, share: Floats, pairs: PairScores, times: Floats) -> Gaussian | None:
    """Learn the calibration of columns (n, k), with their ``share`` (k,) in the whole, of pairs that count ``times``
    (n, d) times; None without pairs of both classes. Pairs with a nan column are left out."""
    rows = np.flatnonzero(~np.isnan(columns).any(axis=1) & (times > 0).any(axis=1))
    own = pairs.same[rows]
    weight = [times[rows] * side[:, None] for side in (own, ~own)]
    if not own.any() or own.all():
        return None
    # A draw in which one class is absent counts every pair once.
    absent = np.any([each.sum(axis=0) == 0 for each in weight], axis=0)
    same, other = (
        (each := np.where(absent, side[:, None], counted)) / each.sum(axis=0)
        for side, counted in zip((own, ~own), weight, strict=True)
    )
    x = columns[rows]
    apart = (same - other).T @ x
    spread = sum(side.T @ x**2 - (side.T @ x) ** 2 for side in (same, other)) / 2
    weights = (share * apart * np.abs(apart) / np.maximum(spread, 1e-12) ** 1.5).T
    line = x @ weights
    content = pairs.content[rows]
    knee = float(np.quantile(content[~own], KNEE))
    beyond = np.maximum(content - knee, 0.0)[:, None]
    slopes = []
    for side in (same, other):
        centred = beyond - (side * beyond).sum(axis=0)
        noise = np.maximum((side * centred**2).sum(axis=0), 1e-12)
        slopes.append((side * centred * line).sum(axis=0) / noise)
    slope = np.maximum(np.minimum(*slopes), 0.0)
    line = line - beyond * slope
    means = [(side * line).sum(axis=0) for side in (same, other)]
    variance = (
        sum(
            (side * (line - mean) ** 2).sum(axis=0)
            for side, mean in zip((same, other), means, strict=True)
        )
        / 2
    )
    people = len(np.unique(pairs.authors[rows][own, 0]))
    variance = np.maximum(variance * (1 + 2 * people**-0.4), 1e-12)
    gain = np.maximum(means[0] - means[1], 0.0) / variance / LN10
    return Gaussian(weights, knee, slope, (means[0] + means[1]) / 2, gain)


def posterior(drawn: Floats) -> Floats:
    """Return log10 LRs (n,) from those of each draw (n, d): the odds of their mean probability at even prior odds."""
    from scipy.special import expit, logit

    return np.asarray(logit(np.clip(expit(drawn * LN10).mean(axis=1), 1e-9, 1 - 1e-9)) / LN10)


class CombinedLLR(NamedTuple):
    """Log10 LRs (n,), or of each draw (n, d), of every verifier and of all together: of texts as they were ``written``,
    of ``style`` (nan if content words could not be replaced), and the ``llr`` from both."""

    written: Scores
    style: Scores
    llr: Scores

    def over_draws(self) -> CombinedLLR:
        """Combine those of each draw (n, d) into (n,)."""
        return CombinedLLR(
            *({name: posterior(each) for name, each in part.items()} for part in self)
        )


def side_by_side(names: Sequence[str], *versions: Scores) -> tuple[Floats, Floats]:
    """Return scores (n, k) of these verifiers in all versions, side by side, and the ``share`` (k,) of each in its
    verifier's vote."""
    columns = []
    share = list[float]()
    for name in names:
        own = [part[name].reshape(len(part[name]), -1) for part in versions if name in part]
        columns += own
        share += [1 / (each.shape[1] * len(own)) for each in own for _ in each.T]
    return np.column_stack(columns), np.array(share)


Learned = Mapping[str, tuple[Sequence[str], Gaussian]]
"""Calibrations by name, each with the names of its verifiers."""


@dataclass(frozen=True, eq=False)
class System:
    """Calibrations of every verifier and of all together, as in ``CombinedLLR``; no log10 LR exceeds ± ``bound``."""

    written: Learned
    style: Learned
    both: Learned
    bound: float

    def drawn(self, scores: Scores, moved: Scores, content: Floats) -> CombinedLLR:
        """Return log10 LRs (n, d) of pairs with these scores as written, scores with content words replaced (of the
        verifiers that learned from such scores, or of none), and content similarities; pairs without style use the
        scores as written."""
        parts = [self.written, self.style, self.both][: 3 if moved else 1]
        written, *others = (
            {
                name: gaussian.llr(side_by_side(names, *versions)[0], content)
                for name, (names, gaussian) in part.items()
            }
            for part, versions in zip(parts, _versions(scores, moved), strict=False)
        )
        nothing = {name: np.full_like(each, np.nan) for name, each in written.items()}
        style, both = (nothing | part for part in others or ({}, {}))
        llr = {
            name: np.where(np.isnan(both[name]), each, both[name]) for name, each in written.items()
        }
        return CombinedLLR(written, style, llr)

    def of(self, scores: Scores, moved: Scores, content: Floats) -> CombinedLLR:
        """Return the same over all draws (n,)."""
        return self.drawn(scores, moved, content).over_draws()

    def bounded(self, llr: Floats) -> Floats:
        """Limit log10 LRs to the bound."""
        return np.clip(llr, -self.bound, self.bound)


def _versions(scores: Scores, moved: Scores) -> tuple[tuple[Scores, ...], ...]:
    return (scores,), (moved,), (scores, moved)


def learn(pairs: PairScores, times: Floats | None = None) -> System:
    """Learn all calibrations of pairs that count ``times`` (n, d) times, by default in ``DRAWS`` draws of the authors."""
    if times is None:
        once = np.ones(len(pairs))
        drawn = redrawn(pairs.authors, pairs.same, once, 0, "compare-bootstrap", DRAWS)
        times = np.column_stack(list(drawn))
    parts = list[Learned]()
    for versions in _versions(pairs.scores, pairs.moved):
        part = dict[str, tuple[Sequence[str], Gaussian]]()
        there = [name for name in pairs.scores if any(name in version for version in versions)]
        for name in [*there, FUSED] if there else []:
            names = there if name == FUSED else [name]
            learned = calibrated(*side_by_side(names, *versions), pairs, times)
            if learned is not None:
                part[name] = (names, learned)
        parts.append(part)
    written, style, both = parts
    bound = supported(len(np.unique(pairs.authors[pairs.same, 0])))
    return System(written, style, both, bound)


@lru_cache(maxsize=16)
def halved(pairs: PairScores) -> System:
    """Learn all calibrations from one half of the pairs, in ``HALVES`` draws, and then from the other half of each."""
    rng = stream(0, "compare-halves")
    half = rng.random((len(pairs), HALVES)) < 0.5
    return learn(pairs, np.column_stack([half, ~half]).astype(np.float64))


@dataclass(frozen=True, eq=False)
class Validated:
    """Pairs with log10 LRs (n,) that learned nothing from either author, within bounds (``llr``) and before (``raw``),
    and the system of all pairs, which answers cases."""

    pairs: PairScores
    raw: CombinedLLR
    llr: Scores
    system: System


def was_transplanted(pairs: PairScores) -> Bools:
    """Return whether the content words of the questioned text could be replaced (n,)."""
    if not pairs.moved:
        return np.zeros(len(pairs), dtype=np.bool_)
    columns, _ = side_by_side(list(pairs.moved), pairs.moved)
    return np.asarray(~np.isnan(columns).any(axis=1))


@lru_cache(maxsize=8)
def validate(pairs: PairScores) -> Validated:
    """Return log10 LRs of all background pairs by systems learned from the other folds, and the system of all pairs. It
    is the same for all cases of a shape."""
    raw = _of_folds(pairs, pairs, CombinedLLR({}, {}, {}))
    return _validated(pairs, raw)


def _of_folds(pairs: PairScores, others: PairScores, raw: CombinedLLR) -> CombinedLLR:
    """Log10 LRs of ``others`` by the systems of the folds of ``pairs`` that they are not in."""
    for fold in np.unique(others.fold):
        here = np.flatnonzero(others.fold == fold)
        system = _without(pairs, int(fold))
        issued = system.of(
            subset(others.scores, here), subset(others.moved, here), others.content[here]
        )
        for part, values in zip(raw, issued, strict=True):
            for name, llr in values.items():
                part.setdefault(name, np.zeros(len(others)))[here] = llr  # type: ignore[attr-defined]
    return raw


@lru_cache(maxsize=32)
def _without(pairs: PairScores, fold: int) -> System:
    return learn(select_pairs(pairs, np.flatnonzero(pairs.fold != fold)))


def _validated(pairs: PairScores, raw: CombinedLLR) -> Validated:
    system = learn(pairs)
    llr = {name: system.bounded(values) for name, values in raw.llr.items()}
    return Validated(pairs, raw, llr, system)


@lru_cache(maxsize=128)
def held_out(valid: Validated, author: int) -> Validated:
    """Return the same without the pairs of one author, for a case with this candidate: its system learns only from other
    authors' pairs; the LRs of these pairs are those of ``validate``."""
    rows = np.flatnonzero(without(author, valid.pairs.authors))
    raw = CombinedLLR(*(subset(each, rows) for each in valid.raw))
    return _validated(select_pairs(valid.pairs, rows), raw)


def select_pairs(pairs: PairScores, rows: Ints) -> PairScores:
    """Return only these pairs."""
    selected = {
        name: part[rows] if isinstance(part, np.ndarray) else subset(part, rows)
        for name, part in vars(pairs).items()
    }
    return PairScores(**selected)  # type: ignore[arg-type]


def issue_llr(pairs: PairScores, others: PairScores) -> dict[str, Floats]:
    """Return log10 LRs (n,) for other pairs of the same folds, such as those under a condition, learned from pairs of
    the other folds, so that neither author is known."""
    bound = supported(len(np.unique(pairs.authors[pairs.same, 0])))
    raw = _of_folds(pairs, others, CombinedLLR({}, {}, {}))
    return {name: np.clip(values, -bound, bound) for name, values in raw.llr.items()}


@lru_cache(maxsize=16)
def promise(valid: Validated, seed: int) -> Mapping[str, MeasureEstimate]:
    """Return measures (``PROMISED``) of the LRs of all verifiers together on authors left out of everything that made
    them, with 95 % intervals from drawing the background's authors with replacement."""
    pairs = valid.pairs
    promised = {key: measures(1.0)[key] for key in PROMISED}
    return estimated(valid.llr[FUSED], pairs.same, pairs.weight, pairs.authors, seed, promised)


def ends_of(drawn: Floats) -> Interval:
    """Return the 95 % interval of one log10 LR over all draws (1, d)."""
    tails = (1 - LEVEL) / 2
    low, high = np.quantile(drawn, [tails, 1 - tails])
    return float(low), float(high)


def subset(scores: Scores, rows: Sequence[int] | Ints) -> dict[str, Floats]:
    """Return the scores of some problems."""
    return {name: values[np.asarray(rows, dtype=np.int64)] for name, values in scores.items()}
