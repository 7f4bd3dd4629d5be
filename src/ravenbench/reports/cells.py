"""Reads what reports need of a cell (one method's result on one fold), and of the problems behind it.

In: a ``Store`` and a ``Cell`` (or None), or the name of a fold; for ``mean`` numbers or None.
Out: ``ranked`` gives (n,) raw scores, no fixed range, or answers from 0 to 1; ``published`` both as (2, n), NaN =
none; both higher = same author, None without any; ``failure`` a ``Failure`` (why there are no answers),
``without_score`` a mask (n,), ``sides_of`` a ``SidesOfFold``: truth (n,) bool, codes of authors and topics (n, 2), −1
= unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ravenbench.types import Bools, Floats, Ints

if TYPE_CHECKING:
    from ravenbench.store.store import Cell, Store


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the defined values, in their unit; None without any."""
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


@dataclass(frozen=True)
class Failure:
    """A cell without answers: its key, verifier and fold, and why."""

    cell: str
    verifier: str
    fold: str
    error: str


def failure(store: Store, cell: Cell | None, verifier: str, fold: str) -> Failure:
    """Return why a verifier has no answers on a fold, from its cell."""
    error = "not computed" if cell is None else cell.error or "no answers"
    return Failure(store.keys.get((verifier, fold), ""), verifier, fold, error)


def ranked(cell: Cell | None) -> Floats | None:
    """Return the values for an AUC, (n,): raw scores if a verifier gives one for each problem, so that non-answers of a
    calibrator cause no ties; otherwise its answers. None without any."""
    if cell is None or cell.answers is None or cell.scores is None:
        return None
    return cell.scores if cell.scores.ndim == 1 else cell.answers


def published(cell: Cell | None) -> Floats | None:
    """Return answers (0 to 1) and the scores behind them (as ``ranked``, but NaN if missing), (2, n); None without any."""
    values = ranked(cell)
    if cell is None or values is None or cell.answers is None or cell.scores is None:
        return None
    none = cell.arrays.get("missing", without_score(cell.scores))
    return np.stack([cell.answers, np.where(none, np.nan, values)]).astype(np.float64)


def without_score(scores: Floats) -> Bools:
    """Return a mask (n,) of problems without a score: the method returned only NaN."""
    return np.asarray(np.isnan(scores.reshape(len(scores), -1)).all(axis=1))


@dataclass(frozen=True, eq=False)
class SidesOfFold:
    """The problems of a fold: truth (n,), codes of authors and topics (n, 2) of the known and the questioned text
    (−1 unknown), and a number (n,) that a problem has in all its folds."""

    same: Bools
    authors: Ints
    topics: Ints
    problem: Ints


def sides_of(store: Store, fold: str, topics: Sequence[str] = ()) -> SidesOfFold:
    """Authors and topics of a fold's test problems; those of its first known text stand for all known ones.

    Topics are numbered as in ``topics``. Where authors are unknown, the group of linked problems stands for both, by
    its first document: groups of different folds are kept separate.
    """
    record = store.fold(fold)
    test = record.test
    known = test.known_index[test.known_ptr[:-1]]
    questioned = test.questioned_index

    def codes(column: str, names: Sequence[str] | None = None) -> Ints:
        labels = store.labels.get(column)
        if labels is None:
            return np.full((len(test), 2), -1, dtype=np.int64)
        number = {name: i for i, name in enumerate(labels.names if names is None else names)}
        code_of = np.array([*(number.get(name, -1) for name in labels.names), -1], dtype=np.int64)
        return code_of[np.stack([labels.codes[known], labels.codes[questioned]], axis=1)]

    authors = codes("author")
    if (authors < 0).all():
        group = test.groups(record.test_same)
        first_text = np.full(int(group.max(initial=-1)) + 1, len(test.texts), dtype=np.int64)
        np.minimum.at(first_text, group, np.minimum(known, questioned))
        authors = np.repeat(first_text[group][:, None], 2, axis=1)
    return SidesOfFold(
        record.test_same, authors, codes("topic", topics), known * len(test.texts) + questioned
    )
