"""Divides training problems into folds; if the data allow it, no fold learns from the authors of its problems.

In: ``Problems`` (n), their truth (n,) bool, True = same author, and a number of folds; for ``out_of_fold`` a function
that learns and answers, ``Folds`` and the truth; for ``remove_fold_effect`` finite values, their folds and the truth.
Out: ``calibration_folds`` returns ``Folds``: the fold of each problem (n,) int from 0, and by ``rest`` the mask (n,) of
the problems that a fold learns from. ``out_of_fold`` returns values (n,) or (n, columns) in the function's unit, and
``otherwise`` (by default 0.5) if a fold has too few problems of a class to learn from; ``remove_fold_effect`` values
of the same shape; ``collapsed`` a sentence, or None if there is nothing to say; ``both_classes`` the truth as an
array, CorpusError if one class is absent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from ravenbench.errors import CorpusError
from ravenbench.randomness import stream
from ravenbench.types import Bools, Floats, Ints, Problems


def both_classes(same: Bools, name: str, *, of: str = "problems", fix: str | None = None) -> Bools:
    """Return truth as an array (n,) of bool, after checking that it has both classes.

    ``same`` (n,) bool. ``name``: the method that learns from it. ``of``: what the message counts.
    CorpusError if one class is absent.
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


@dataclass(frozen=True, eq=False)
class Folds:
    """Folds of problems, and the problems that each may learn from.

    Parameters
    ----------
    fold : (n,) int64
        The fold of each problem.
    kind : str
        What a fold never shares with the problems it learns from: ``groups`` (of problems joined by shared authors),
        ``authors`` (if groups would be too few), or only ``problems``.
    sides : (n, 2) int64, optional
        With ``authors``: the block of authors on either side of a problem. A fold then contains the problems between two
        blocks (or within one), and learns from problems that involve neither block.
    """

    fold: Ints
    kind: Literal["groups", "authors", "problems"] = "problems"
    sides: Ints | None = None

    @property
    def widest(self) -> float:
        """Return the largest half-width (0.1 or 0.2) of a band of non-answers to choose on answers out of these folds.

        It is twice the usual half-width if authors had to be separated, because these answers are less certain.
        """
        return 0.2 if self.kind == "authors" else 0.1

    def rest(self, f: int) -> Bools:
        """Return the mask (n,) of the problems that fold ``f`` learns from."""
        in_fold: Bools = self.fold == f
        if self.sides is None:
            return ~in_fold
        return np.asarray(
            ~np.isin(self.sides, self.sides[np.argmax(in_fold)]).any(axis=1), dtype=bool
        )

    def calibration_split(self, same: Bools) -> tuple[Bools, Bools]:
        """Return the training problems and the held-out problems of one calibration, two masks (n,).

        The held-out part is the fold with the most balanced classes; with ``authors``, all problems among the authors
        of two blocks; problems between these and other authors are then used for neither.
        """
        numbers = np.unique(self.fold)
        held_out = [self.fold == f for f in numbers]
        learned = [~mask for mask in held_out]
        if self.sides is not None:
            inside = [np.isin(self.sides, pair) for pair in combinations(np.unique(self.sides), 2)]
            held_out = [i.all(axis=1) for i in inside]
            learned = [~i.any(axis=1) for i in inside]
        fewest = [
            min(_fewest(same[calibrating]), _fewest(same[learning]))
            for calibrating, learning in zip(held_out, learned, strict=True)
        ]
        best = int(
            np.argmax(
                fewest
                if self.sides is not None
                else [_fewest(same[calibrating]) for calibrating in held_out]
            )
        )
        return np.asarray(learned[best], dtype=bool), np.asarray(held_out[best], dtype=bool)


def calibration_folds(problems: Problems, same: Bools, folds: int) -> Folds:
    """Return folds for cross-fitting, in which no fold is answered by what was learned from its authors.

    Groups (``Problems.groups``) are assigned largest first to the emptiest fold, so folds are nearly equal; this is seeded
    and independent of problem order within a group. If problems share documents so widely that there are fewer
    groups than folds, or one group has more than half of them (``collapsed``), authors are divided into ``folds`` blocks
    instead, and problems between two blocks are answered by what was learned from problems that involve neither block. Only
    if that leaves nothing to learn from for most problems of a class are single problems divided.
    """
    same = np.asarray(same, dtype=bool)
    group = problems.groups(same)
    if not _is_collapsed(group, folds):
        return Folds(_dealt(group, folds, len(problems)), "groups")
    block = _dealt(problems.writers(same).T.ravel(), folds, len(problems))
    sides = np.sort(block.reshape(2, -1).T, axis=1)
    fold = np.unique(sides, axis=0, return_inverse=True)[1].ravel().astype(np.int64)
    partition = Folds(fold, "authors", sides)
    usable = np.isin(
        fold, [number for number in np.unique(fold) if _fewest(same[partition.rest(int(number))])]
    )
    if all(usable[part].sum() * 2 >= part.sum() for part in (same, ~same)):
        return partition
    return Folds(_dealt(np.arange(len(problems), dtype=np.int64), folds, len(problems)), "problems")


def collapsed(problems: Problems, same: Bools, folds: int = 5) -> str | None:
    """Return a sentence if training problems share documents so widely that groups cannot be folds."""
    group = problems.groups(same)
    if not _is_collapsed(group, folds):
        return None
    sizes = np.bincount(group)
    partition = calibration_folds(problems, same, folds)
    consequence = (
        "settings tuned on out-of-fold answers leave out every problem that involves the answered"
        " problem's authors, so they rest on fewer problems and are less precise than usual"
        if partition.kind == "authors"
        else (
            "too few authors are left to separate them, so settings tuned on out-of-fold answers"
            " are too optimistic"
        )
    )
    return (
        f"the {len(problems)} problems share documents so widely that they form {len(sizes)} group"
        f"{'' if len(sizes) == 1 else 's'}, the largest of {int(sizes.max())} problems "
        f"({len(np.unique(problems.writers(same)))} authors can be separated): {consequence}"
    )


def _is_collapsed(group: Ints, folds: int) -> bool:
    sizes = np.bincount(group)
    return bool(len(sizes) < folds or sizes.max() > len(group) / 2)


def _dealt(group: Ints, folds: int, seed: int) -> Ints:
    """The fold of each item, its group's: groups go largest first to the emptiest fold."""
    group = np.unique(group, return_inverse=True)[1]
    sizes = np.bincount(group)
    order = stream(0, "calibration-folds", seed).permutation(len(sizes))
    load = np.zeros(folds)
    fold_of_group = np.empty(len(sizes), dtype=np.int64)
    for group_number in order[np.argsort(-sizes[order], kind="stable")]:
        fold_of_group[group_number] = np.argmin(load)
        load[fold_of_group[group_number]] += sizes[group_number]
    return np.asarray(fold_of_group[group], dtype=np.int64)


def _fewest(same: Bools) -> int:
    """Problems of the rarer class."""
    return min(int(same.sum()), int((~same).sum()))


def out_of_fold(
    learn: Callable[[Bools, Bools], Floats],
    folds: Folds,
    same: Bools,
    *,
    least: int = 1,
    otherwise: float = 0.5,
    columns: int | None = None,
) -> Floats:
    """Return values for each problem by a method that learned from ``folds.rest``, (n,) or (n, columns).

    A method that learned from the truth answers lower the more same-author problems are in the fold itself. If weights are
    learned from the result, ``remove_fold_effect`` removes this; bands and settings do not need it (on the Extended
    Brennan–Greenstadt corpus, in folds of 0 to 100 %, frery-2014 chose the same, moreau-2014's AUC was .774 and .778).

    Parameters
    ----------
    learn : callable
        Takes which problems to learn from and which to answer, both (n,) bool, and returns a row for each of the latter.
    folds : Folds
    same : (n,) bool
    least : int
        If a fold has fewer problems of a class to learn from than this, its values are ``otherwise``.
    columns : int, optional
        Number of values of a problem, by default as ``learn`` returns them; give it if ``learn`` may never be called.
    """
    answers = None if columns is None else np.full((len(same), columns), otherwise)
    for number in np.unique(folds.fold):
        judged = folds.fold == number
        learned = folds.rest(number)
        if _fewest(same[learned]) < least:
            continue
        part = learn(learned, judged)
        if answers is None:
            answers = np.full((len(same), *part.shape[1:]), otherwise)
        answers[judged] = part
    return np.full(len(same), otherwise) if answers is None else answers


def remove_fold_effect(values: Floats, fold: Ints, same: Bools) -> Floats:
    """Return out-of-fold values, (n,) or (n, columns), without what each fold adds to all its values.

    A method that learned from another share of same-author problems answers higher or lower only because of that, and the
    larger a fold's share, the smaller the share that its method learned from: compared across folds, these values look
    reversed. What a fold adds is estimated by least squares, together with the effect of the truth, so that a fold with
    more same-author problems keeps its higher values.
    """
    fold_masks = [fold == number for number in np.unique(fold)]
    truth = same.astype(np.float64)
    inside = values.copy()
    for part in fold_masks:
        truth[part] -= truth[part].mean()
        inside[part] -= inside[part].mean(axis=0)
    slope = truth @ inside / max(float(truth @ truth), 1e-12)
    residual = values - np.multiply.outer(same.astype(np.float64), slope)
    shifted: Floats = values.copy()
    for part in fold_masks:
        shifted[part] += residual.mean(axis=0) - residual[part].mean(axis=0)
    return shifted
