"""The protocols that divide documents: novel-topic (leave one topic out) and k-fold with authors spread evenly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ravenbench.attribution.selection import Chosen
from ravenbench.errors import CorpusError, SpecError, did_you_mean
from ravenbench.randomness import stream
from ravenbench.types import Ints

PROTOCOLS = ("novel-topic", "k-fold")


@dataclass(frozen=True, eq=False)
class Split:
    """Rows to learn from and rows to answer; ``unseen`` are authors who have documents in the latter only, so each
    of these documents must count as an error."""

    name: str
    train: Ints
    test: Ints
    unseen: tuple[str, ...]


def splits(documents: Chosen, protocol: str, folds: int = 10, seed: int = 0) -> list[Split]:
    """Divide documents by a protocol into splits.

    Raises
    ------
    SpecError
        If there is no such protocol.
    CorpusError
        If a training set would hold fewer than two authors.
    """
    if protocol == "novel-topic":
        places, names = documents.topic, documents.topics
    elif protocol == "k-fold":
        places = k_fold(documents.author, folds, seed)
        names = tuple(f"fold {i + 1}" for i in range(folds))
    else:
        raise SpecError(f"there is no protocol {protocol!r}", fix=did_you_mean(protocol, PROTOCOLS))
    made = []
    for number, name in enumerate(names):
        out = places == number
        if not out.any():
            continue
        train, test = np.flatnonzero(~out), np.flatnonzero(out)
        taught = np.unique(documents.author[train])
        if len(taught) < 2:
            raise CorpusError(
                f"without {name!r} fewer than two authors are left to learn from",
                found=[documents.authors[a] for a in taught],
                fix="take more authors (--min-docs, --min-topics) or another level of --topic",
            )
        missing = np.setdiff1d(documents.author[test], taught)
        made.append(Split(name, train, test, tuple(documents.authors[a] for a in missing)))
    return made


def k_fold(author: Ints, folds: int, seed: int = 0) -> Ints:
    """Fold of each document, (n,): 1/k of each author's documents in every fold, the remainder in the last.

    An author with fewer documents than folds has one document in some folds (drawn), none in others: taken
    literally the rule would put all of them into the last fold and leave nothing to learn from.

    Raises
    ------
    SpecError
        If there are fewer than two folds.
    """
    if folds < 2:
        raise SpecError("k-fold needs at least two folds", found=folds)
    place = np.empty(len(author), dtype=np.int64)
    for a in np.unique(author):
        rng = stream(seed, "k-fold", int(a))
        rows = rng.permutation(np.flatnonzero(author == a))
        share = len(rows) // folds
        if share:
            place[rows] = np.minimum(np.arange(len(rows)) // share, folds - 1)
        else:
            place[rows] = rng.permutation(folds)[: len(rows)]
    return place
