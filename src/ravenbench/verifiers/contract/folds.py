"""Training problems: that both classes are there, who wrote what, and folds that are judged by all others."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ravenbench.errors import CorpusError
from ravenbench.randomness import stream
from ravenbench.types import Bools, Floats, Ints, Problems


def both_classes(same: Bools, name: str, *, of: str = "problems", fix: str | None = None) -> Bools:
    """Truth as an array of bool, after checking that it holds both classes.

    Parameters
    ----------
    same : (n,) bool
    name : str
        The method that is to learn from it.
    of : str
        What is counted in the message.

    Raises
    ------
    CorpusError
        If one class is absent.
    """
    same = np.asarray(same, dtype=bool)
    if same.all() or not same.any():
        raise CorpusError(
            f"{name} cannot learn from one class",
            found=f"{int(same.sum())} same-author and {int((~same).sum())} different-author {of}",
            expected=f"{of} of both classes",
            fix=fix,
        )
    return same


def author_clusters(problems: Problems, same: Bools, document: Ints, count: int) -> Ints:
    """The author cluster of each of ``count`` documents, as far as problems and their truth tell, (count,).

    Documents of a known set, and the sides of a same-author problem, are one author's.

    Parameters
    ----------
    document : (texts,) int64
        The document that each row of ``problems.texts`` is, where a problem has it.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    same = np.asarray(same, dtype=bool)
    known, questioned = document[problems.known_index], document[problems.questioned_index]
    lead = known[problems.known_ptr[:-1]]
    left = np.concatenate([lead[problems.owner], lead[same]])
    right = np.concatenate([known, questioned[same]])
    graph = coo_array((np.ones(len(left)), (left, right)), shape=(count, count))
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)


def calibration_folds(problems: Problems, same: Bools, folds: int) -> tuple[Ints, str]:
    """The fold of each problem for cross-fitting, and what was kept whole (``groups`` or ``problems``).

    Groups (``Problems.groups``) are dealt out largest first to the emptiest fold, so folds are nearly equal; seeded
    and independent of problem order within a group.
    """
    group = problems.groups(same)
    sizes = np.bincount(group)
    rng = stream(0, "calibration-folds", len(problems))
    kind = "groups"
    if len(sizes) < folds or sizes.max() > len(problems) / 2:
        group, kind = np.arange(len(problems), dtype=np.int64), "problems"
        sizes = np.ones(len(problems), dtype=np.int64)
    order = rng.permutation(len(sizes))
    order = order[np.argsort(-sizes[order], kind="stable")]
    load = np.zeros(folds)
    place = np.empty(len(sizes), dtype=np.int64)
    for g in order:
        place[g] = np.argmin(load)
        load[place[g]] += sizes[g]
    return place[group], kind


def fold_of_both(fold: Ints, same: Bools, folds: int) -> int:
    """The fold whose classes are most nearly balanced; the first of equals."""
    positives = np.bincount(fold[same], minlength=folds)
    return int(np.argmax(np.minimum(positives, np.bincount(fold[~same], minlength=folds))))


def out_of_fold(
    learn: Callable[[Bools, Bools], Floats],
    fold: Ints,
    same: Bools,
    *,
    least: int = 1,
    otherwise: float = 0.5,
    columns: int | None = None,
) -> Floats:
    """What is said of each problem by a method that learned from the other folds, (n,) or (n, columns).

    Parameters
    ----------
    learn : callable
        Takes which problems to learn from and which to judge, both (n,) bool, and returns a row for each of the latter.
    fold : (n,) int64
    same : (n,) bool
    least : int
        Where the other folds hold fewer problems of a class than this, a fold is left at ``otherwise``.
    columns : int, optional
        Values of a problem, by default as ``learn`` returns them; to be given where it may never be called.
    """
    found = None if columns is None else np.full((len(fold), columns), otherwise)
    for f in np.unique(fold):
        out = fold == f
        positives, negatives = int(same[~out].sum()), int((~same[~out]).sum())
        if min(positives, negatives) < least:
            continue
        part = learn(~out, out)
        if found is None:
            found = np.full((len(fold), *part.shape[1:]), otherwise)
        found[out] = part
    return np.full(len(fold), otherwise) if found is None else found
