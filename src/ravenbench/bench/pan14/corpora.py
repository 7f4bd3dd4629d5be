"""Corpora with a train and a test part, and the documents that stand in both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ravenbench import files
from ravenbench.bench.verify.asked import check_classes
from ravenbench.errors import FormatError
from ravenbench.formats.collector import identity_key
from ravenbench.formats.problems import ProblemSet, read_problem_sets
from ravenbench.types import Bools, Problems


@dataclass(frozen=True, eq=False)
class Parts:
    """A corpus: its training problems and its test problems, both with truth."""

    name: str
    train: ProblemSet
    test: ProblemSet


def read_corpora(data: Sequence[str], encoding: str | None = None) -> list[Parts]:
    """Every corpus with a train and a test part, in the order found.

    Raises
    ------
    InputError
        If a path holds none, a part has no truth, two corpora have one name, or all problems to learn from are of
        one class.
    """
    corpora: list[Parts] = []
    for path in data:
        parts: dict[str, dict[str, ProblemSet]] = {}
        for found in read_problem_sets(files.local_copy(path), encoding=encoding):
            parts.setdefault(found.name, {})[found.split or "whole"] = found
        whole = {name: p for name, p in parts.items() if {"train", "test"} <= p.keys()}
        if not whole:
            seen = ", ".join(f"{name} ({', '.join(sorted(p))})" for name, p in sorted(parts.items()))
            raise FormatError(
                "no corpus here has both a train and a test part", file=path, found=seen,
                expected="CORPUS/train and CORPUS/test, each with truth.txt",
                fix="raven verify takes the two parts from different places",
            )  # fmt: skip
        for name, own in whole.items():
            own["train"].truth()
            own["test"].truth()
            corpora.append(Parts(name, own["train"], own["test"]))
    twice = [name for name, count in Counter(c.name for c in corpora).items() if count > 1]
    if twice:
        raise FormatError("two corpora have one name", found=twice[0], fix="give one of them, or rename its folder")
    for corpus in corpora:
        check_classes(corpus.name, corpus.train.truth())
    return corpora


def shared_documents(train: Problems, test: Problems) -> tuple[int, Bools]:
    """How many documents stand in both sets (white space aside), and which test problems touch one, (n,)."""

    def identities(problems: Problems) -> dict[int, bytes]:
        return {int(row): identity_key(problems.texts[row]) for row in problems.documents}

    asked = identities(test)
    both = set(identities(train).values()) & set(asked.values())
    touched = np.zeros(len(test.texts), dtype=bool)
    touched[[row for row, key in asked.items() if key in both]] = True
    problems = touched[test.questioned_index]
    problems[test.owner[touched[test.known_index]]] = True
    return len(both), problems
