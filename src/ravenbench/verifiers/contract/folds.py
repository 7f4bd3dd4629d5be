"""Divides training problems into folds; where data allow it, no fold learns from the authors of its own problems.

In: ``Problems`` (n), their truth (n,) bool, True = same author, and a number of folds; for ``out_of_fold`` a function
that learns and answers, ``Folds`` and the truth; for ``remove_fold_effect`` finite values, their folds and the truth.
Out: ``calibration_folds`` gives ``Folds``: the fold of each problem (n,) int from 0, and by ``rest`` the mask (n,) of
the problems that a fold learns from. ``out_of_fold`` gives values (n,) or (n, columns) in the function's unit, and
``otherwise`` (by default 0.5) where a fold has too few problems of a class to learn from; ``remove_fold_effect`` values
of the same shape; ``collapsed`` a sentence, or None where there is nothing to say; ``both_classes`` the truth as an
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
    """Truth as an array (n,) of bool, after checking that it holds both classes.

    ``same`` (n,) bool. ``name``: the method that is to learn from it. ``of``: what is counted in the message.
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
    """Folds of problems, and which problems each may learn from.

    Parameters
    ----------
    fold : (n,) int64
        The fold of each problem.
    kind : str
        What no fold shares with those it learns from: ``groups`` (of problems joined by shared authors), ``authors``
        (where groups would be too few), or no more than ``problems``.
    sides : (n, 2) int64, optional
        With ``authors``: the block of authors on either side of a problem. A fold then holds the problems between two
        blocks (or within one), and learns from those that touch neither.
    """

    fold: Ints
    kind: Literal["groups", "authors", "problems"] = "problems"
    sides: Ints | None = None

    @property
    def widest(self) -> float:
        """The widest half-width (0.1 or 0.2) of a band of non-answers to choose on answers out of these folds.

        Twice the usual half-width where authors had to be kept apart: such answers are less sure of themselves.
        """
        return 0.2 if self.kind == "authors" else 0.1

    def rest(self, f: int) -> Bools:
        """Mask (n,) of the problems that fold ``f`` learns from."""
        in_fold: Bools = self.fold == f
        if self.sides is None:
            return ~in_fold
        return np.asarray(
            ~np.isin(self.sides, self.sides[np.argmax(in_fold)]).any(axis=1), dtype=bool
        )

    def calibration_split(self, same: Bools) -> tuple[Bools, Bools]:
        """The problems to learn from and those to hold back for one calibration, two masks (n,).

        Held back is the fold whose classes are most nearly balanced; with ``authors``, all problems among the authors
        of two blocks, while those between these and others are used for neither.
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
    """Folds for cross-fitting, such that no fold is judged by what was learned from its own authors.

    Groups (``Problems.groups``) are dealt out largest first to the emptiest fold, so folds are nearly equal; seeded
    and independent of problem order within a group. Where problems share documents so widely that they form fewer
    groups than folds, or one group of more than half of them (``collapsed``), authors are dealt into ``folds`` blocks
    instead, and the problems between two blocks are judged by those that touch neither block. Only where that leaves
    most problems of a class nothing to learn from are problems dealt out as they come.
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
    """A sentence for the reader where training problems share documents so widely that groups are no folds."""
    group = problems.groups(same)
    if not _is_collapsed(group, folds):
        return None
    sizes = np.bincount(group)
    partition = calibration_folds(problems, same, folds)
    consequence = (
        "whatever is tuned on answers out of fold leaves out every problem that touches the"
        " answered one's authors, so it rests on fewer problems and is rougher than usual"
        if partition.kind == "authors"
        else (
            "too few authors are left to keep them apart, so whatever is tuned on answers out of"
            " fold is too hopeful"
        )
    )
    return (
        f"the {len(problems)} problems share documents so widely that they form {len(sizes)} group"
        f"{'' if len(sizes) == 1 else 's'}, the largest of {int(sizes.max())} problems "
        f"({len(np.unique(problems.writers(same)))} authors can be told apart): {consequence}"
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
    """What is said of each problem by a method that learned from ``folds.rest``, (n,) or (n, columns).

    What learned from the truth answers lower the more same-author problems a fold has of its own. Where weights are
    learned from the result, ``remove_fold_effect`` takes that out; bands and settings need it not (on the Extended
    Brennan–Greenstadt corpus, in folds of 0 to 100 %, frery-2014 chose the same, moreau-2014's AUC was .774 and .778).

    Parameters
    ----------
    learn : callable
        Takes which problems to learn from and which to judge, both (n,) bool, and returns a row for each of the latter.
    folds : Folds
    same : (n,) bool
    least : int
        Where a fold has fewer problems of a class to learn from than this, it is left at ``otherwise``.
    columns : int, optional
        Values of a problem, by default as ``learn`` returns them; to be given where it may never be called.
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
    """Values told out of fold, (n,) or (n, columns), without what each fold adds to all of its own.

    A method that learned from another share of same-author problems answers higher or lower for that alone, and the
    share it learned from is the smaller the larger the fold's own: compared across folds, such values look turned
    round. What a fold adds is estimated by least squares beside what the truth does, so that a fold of more same-author
    problems keeps its higher values.
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
