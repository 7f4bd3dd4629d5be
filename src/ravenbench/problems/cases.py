"""Known documents of an author and another document of the same author, cut from a corpus for problems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ravenbench.errors import InputError
from ravenbench.types import Ints, Labels


@dataclass(frozen=True, eq=False)
class Case:
    """Known documents of an author and another document of theirs, all of one kind."""

    author: int
    known: Ints
    questioned: int


@dataclass(frozen=True)
class Cross:
    """Known documents have one value of a column, the questioned document has another.

    Attributes
    ----------
    column : str
        ``topic``, ``genre`` or another column of the corpus.
    values : (known, questioned), optional
        Values of the two sides; any two that differ where not given.
    """

    column: str
    values: tuple[str, str] | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``COLUMN`` or ``COLUMN=KNOWN:QUESTIONED``.

        Raises
        ------
        InputError
            If it is neither.
        """
        column, equals, sides = (part.strip() for part in text.partition("="))
        known, colon, questioned = (part.strip() for part in sides.partition(":"))
        if not column or (equals and not (known and colon and questioned)) or (equals and known == questioned):
            raise InputError(
                "this is no crossing of a column", found=text,
                expected="COLUMN, or COLUMN=KNOWN:QUESTIONED with two different values",
            )  # fmt: skip
        return cls(column, (known, questioned) if equals else None)

    def codes(self, labels: Labels) -> tuple[int, int] | None:
        """The values' numbers among a column's.

        Raises
        ------
        InputError
            If the column does not hold one of them.
        """
        if self.values is None:
            return None
        absent = [value for value in self.values if value not in labels.names]
        if absent:
            raise InputError(
                f"column {self.column!r} holds no such value", found=", ".join(absent),
                expected=f"two of: {', '.join(labels.names[:20])}",
            )  # fmt: skip
        return labels.names.index(self.values[0]), labels.names.index(self.values[1])


def cut(author: Ints, rows: Ints, least: int, most: int, rng: np.random.Generator) -> dict[int, list[Case]]:
    """Cases of every author among documents of one kind."""
    cases: dict[int, list[Case]] = {}
    for writer in np.unique(author[rows]).tolist():
        own = rng.permutation(rows[author[rows] == writer])
        while len(own) > least:
            k = int(rng.integers(least, min(most, len(own) - 1) + 1))
            cases.setdefault(writer, []).append(Case(writer, own[:k], int(own[k])))
            own = own[k + 1 :]
    return cases


def cut_across(
    author: Ints, value: Ints, rows: Ints, least: int, most: int, rng: np.random.Generator,
    only: tuple[int, int] | None = None,
) -> list[dict[int, list[Case]]]:  # fmt: skip
    """Cases whose questioned document has another value than the known ones: a list entry for each two values.

    Cases of an entry may exchange questioned documents without a change of values. Values that most authors have come
    first; documents are used once, so later entries get what is left; values that one author alone has give none.
    """
    left: dict[int, dict[int, list[int]]] = {}
    for row in rng.permutation(rows).tolist():
        left.setdefault(int(author[row]), {}).setdefault(int(value[row]), []).append(row)
    writers: dict[tuple[int, int], list[int]] = {}
    for writer, parts in sorted(left.items()):
        for pair in ((a, b) for a in parts for b in parts if a != b and len(parts[a]) >= least):
            if only in (None, pair):
                writers.setdefault(pair, []).append(writer)
    found = []
    for a, b in sorted((pair for pair in writers if len(writers[pair]) > 1), key=lambda p: (-len(writers[p]), p)):
        cases: dict[int, list[Case]] = {}
        for writer in writers[a, b]:
            known, asked = left[writer][a], left[writer][b]
            while len(known) >= least and asked:
                k = int(rng.integers(least, min(most, len(known)) + 1))
                cases.setdefault(writer, []).append(Case(writer, np.array(known[:k], np.int64), asked.pop()))
                del known[:k]
        found.append(cases)
    return found
