"""Raw scores of a comparison as arrays: background pairs with what is known of them, and the problems of the cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ravenbench import files
from ravenbench.bench.compare.record import ComparePlan, ShapeRecord
from ravenbench.reports.shared.cell_scores import Failure
from ravenbench.statistics.likeness import stands_for
from ravenbench.store.store import Store
from ravenbench.types import Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class PairScores:
    """Background pairs of all folds of a shape, one after another.

    Attributes
    ----------
    scores : mapping
        Raw scores (n,) or (n, f) of each verifier, made by fits that knew neither author.
    moved : mapping
        The same with the questioned text's content words replaced; nan where they could not be, or where this was not
        asked.
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

    def __len__(self) -> int:
        return len(self.same)


@dataclass(frozen=True, eq=False)
class ShapeScores:
    """Scores of a shape: its pairs, and the problems of its cases by verifier.

    ``content`` (m,) is the content similarity of the two sides of each of the cases' problems. ``sets`` holds each
    known text of a background author against the others; its ``authors`` are the author and the number of that author's
    set. It is empty where a case has one known text.
    """

    shape: ShapeRecord
    verifiers: tuple[str, ...]
    pairs: PairScores
    sets: PairScores
    cases: Mapping[str, Floats]
    content: Floats
    failures: tuple[Failure, ...]


def read_scores(store: Store, plan: ComparePlan, shape: ShapeRecord) -> ShapeScores:
    """Scores of the verifiers that have all their cells, with no score that is not finite; the others are failures."""
    failures: list[Failure] = []
    moved = [f"{fold}-off" for fold in shape.folds]
    sets = [f"{fold}-known" for fold in shape.folds] if len(shape.known) > 1 else []
    kept: dict[str, dict[str, Floats]] = {}
    for verifier in (entry.name for entry in plan.verifiers):
        found: dict[str, Floats] = {}
        for fold in [*shape.folds, *moved, *sets, f"{shape.name}-case"]:
            cell = store.cell(verifier, fold)
            scores = None if cell is None else cell.scores
            error = "not computed" if cell is None else cell.error
            if scores is not None and not np.isfinite(scores).all():
                error = f"{int((~np.isfinite(scores)).sum())} scores are no numbers"
            if error is not None or scores is None:
                failures.append(Failure(store.keys.get((verifier, fold), fold), verifier, fold, error or "no scores"))
                break
            found[fold] = scores
        else:
            kept[verifier] = found
    names = tuple(kept)
    cases = {name: kept[name][f"{shape.name}-case"] for name in names}
    pairs, own = (_joined(store, kept, folds, shape.strangers) for folds in (shape.folds, sets))
    content = np.array([problem.content for problem in shape.problems], dtype=np.float64)
    return ShapeScores(
        shape, names, replace(pairs, moved=_moved(store, kept, shape.folds)), own, cases, content, tuple(failures)
    )


def _joined(
    store: Store, kept: Mapping[str, Mapping[str, Floats]], folds: Sequence[str], strangers: Sequence[float]
) -> PairScores:
    about = [files.read_array(store.path / f"{fold}-pairs.npy") for fold in folds]
    flat = np.concatenate([np.zeros((0, 4)), *about])
    same = np.concatenate([np.zeros(0, dtype=np.bool_), *(store.truth(fold) for fold in folds)])
    return PairScores(
        {name: np.concatenate([scores[fold] for fold in folds]) for name, scores in kept.items() if folds},
        {},
        same,
        flat[:, 2] > 0,
        flat[:, :2].astype(np.int64),
        np.repeat(np.arange(len(folds)), [len(part) for part in about]).astype(np.int64),
        flat[:, 3],
        stands_for(flat[:, 3], same, strangers),
    )


def _moved(store: Store, kept: Mapping[str, Mapping[str, Floats]], folds: Sequence[str]) -> dict[str, Floats]:
    """Scores of the folds' pairs with content words replaced, in the order of the pairs; nan where they were not."""
    place = {
        fold: np.array([int(name) for name in store.fold(f"{fold}-off").test.ids], dtype=np.int64) for fold in folds
    }
    found = {}
    for name, scores in kept.items():
        each = []
        for fold in folds:
            rows = np.full_like(scores[fold], np.nan)
            rows[place[fold]] = scores[f"{fold}-off"]
            each.append(rows)
        found[name] = np.concatenate(each)
    return found
