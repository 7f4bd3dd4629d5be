"""Defines the queries and candidates of a search for texts by the same author.

In: texts, ids, labels and true candidates, as ``reading`` reads them; or the arrays of a folder.
Out: a ``Pool``: a ``TextTable``, q queries (``Questions``) and c candidates (``Items``); lists are row numbers from 0
(int64) with bounds ``ptr`` (n + 1,), codes −1 if unknown; ``PoolParts``: which candidates count for which query
(parts, n) bool. ``owners``, ``chosen`` and ``listed`` process such lists, ``packed`` and ``unpacked`` JSON values as
bytes.

A query has one or several texts (an episode), and so has a candidate. Candidates are in random order, so that their
places mean nothing. True candidates are given for each query, because authors may be unknown.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ravenbench.reading.queries import COLUMNS
from ravenbench.texts import TextTable
from ravenbench.types import Arrays, Bools, Ints, Labels

OTHER = ("on", "off", "off2")
OWN = ("own", *OTHER, *(f"free_{version}" for version in OTHER))
"""Versions of queries with transplanted content (see ``content``): with their own content, with other texts' content
fitted, and free."""


@dataclass(frozen=True, eq=False)
class Items:
    """n queries, or n candidates.

    Attributes
    ----------
    ids : list of str
    ptr : (n + 1,) int64
        Item i has the texts ``rows[ptr[i]:ptr[i + 1]]``, at least one.
    rows : int64
        Rows of the pool's texts.
    labels : mapping of str to Labels
        The known columns of ``COLUMNS``; queries and candidates share their names.
    """

    ids: list[str]
    ptr: Ints
    rows: Ints
    labels: Mapping[str, Labels]

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def owner(self) -> Ints:
        """Return the item that each of ``rows`` belongs to."""
        return owners(self.ptr)

    def texts_of(self, i: int) -> Ints:
        """Return the rows of an item's texts."""
        return self.rows[self.ptr[i] : self.ptr[i + 1]]

    def codes(self, column: str) -> Ints:
        """Return codes (n,) of a column, −1 if unknown."""
        labels = self.labels.get(column)
        return np.full(len(self), -1, dtype=np.int64) if labels is None else labels.codes

    def select(self, which: Ints) -> Items:
        """Return these items, in this order."""
        ptr, rows = chosen(self.ptr, self.rows, which)
        labels = {name: column.take(which) for name, column in self.labels.items()}
        return Items([self.ids[i] for i in which.tolist()], ptr, rows, labels)


def owners(ptr: Ints) -> Ints:
    """Return the number of the list that each value belongs to, (values,), for lists with these bounds (n + 1,)."""
    return np.repeat(np.arange(len(ptr) - 1, dtype=np.int64), np.diff(ptr))


def chosen(ptr: Ints, values: Ints, which: Ints) -> tuple[Ints, Ints]:
    """Return the lists of these items, as bounds and values."""
    sizes = np.diff(ptr)[which]
    bounds = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return bounds, values[np.repeat(ptr[which] - bounds[:-1], sizes) + np.arange(bounds[-1])]


def listed(lists: Sequence[Sequence[int] | Ints]) -> tuple[Ints, Ints]:
    """Return lists of numbers as bounds and values."""
    bounds = np.concatenate([[0], np.cumsum([len(one) for one in lists])]).astype(np.int64)
    return bounds, np.array([value for one in lists for value in one], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Questions:
    """Queries to search for: ``true`` lists their true candidates by ``true_ptr`` (n + 1,), ``barred`` candidates
    that are not ranked for a query, neither right nor wrong, by ``barred_ptr``."""

    queries: Items
    true_ptr: Ints
    true: Ints
    barred_ptr: Ints
    barred: Ints

    def select(self, which: Ints) -> Questions:
        """Return these queries."""
        true = chosen(self.true_ptr, self.true, which)
        barred = chosen(self.barred_ptr, self.barred, which)
        return Questions(self.queries.select(which), *true, *barred)

    @cached_property
    def owner(self) -> Ints:
        """Return the query that each of ``true`` belongs to."""
        return owners(self.true_ptr)


@dataclass(frozen=True, eq=False)
class Pool:
    """The content of a search: ``texts``, the queries with their truth, the candidates.

    ``transplanted`` are the queries that also have versions with transplanted content, ``versions`` their texts' rows by
    version, and ``barred`` the candidates that are then not ranked, because they gave content. ``faults`` are ids with a
    fault of the truth, by kind (``reading.pool_of``).
    """

    texts: TextTable
    plain: Questions
    candidates: Items
    name: str = ""
    faults: Mapping[str, list[str]] = field(default_factory=dict)
    transplanted: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    versions: Mapping[str, Ints] = field(default_factory=dict)
    barred: tuple[Ints, Ints] | None = None

    def questions(self, version: str) -> Questions:
        """Return the queries of a version: ``plain``, or one of ``OWN``, with ids that begin with it."""
        if version == "plain":
            return self.plain
        questions = self.plain.select(self.transplanted)
        assert self.barred is not None
        ids = [f"{version}/{name}" for name in questions.queries.ids]
        queries = replace(questions.queries, ids=ids, rows=self.versions[version])
        return replace(questions, queries=queries, barred_ptr=self.barred[0], barred=self.barred[1])

    def described(self) -> tuple[list[str], dict[str, Labels]]:
        """Return, by row of ``texts``, its name, its known labels, and its role (query or candidate)."""
        ids = [self.texts.hash(row).hex() for row in range(len(self.texts))]
        nothing: Ints = np.full(len(ids), -1, dtype=np.int64)
        described = {"role": Labels(nothing, ("candidate", "query"))}
        described |= {
            c: replace(labels, codes=nothing.copy()) for c, labels in self.candidates.labels.items()
        }
        for role, items in enumerate((self.candidates, self.plain.queries)):
            for row, owner in zip(items.rows.tolist(), items.owner.tolist(), strict=True):
                ids[row] = items.ids[owner]
            described["role"].codes[items.rows] = role
            for column in items.labels:
                described[column].codes[items.rows] = items.codes(column)[items.owner]
        return ids, described

    def arrays(self) -> Arrays:
        """Return everything except the texts as arrays by name."""
        parts: dict[str, Any] = {}
        for side, items in (("queries", self.plain.queries), ("candidates", self.candidates)):
            parts |= {
                f"{side}-ids": packed(items.ids),
                f"{side}-ptr": items.ptr,
                f"{side}-rows": items.rows,
            }
            parts |= {f"{side}-{column}": labels.codes for column, labels in items.labels.items()}
        parts |= {
            f"names-{column}": packed(labels.names)
            for column, labels in self.plain.queries.labels.items()
        }
        for name in ("true_ptr", "true", "barred_ptr", "barred"):
            parts[name] = getattr(self.plain, name)
        parts["about"] = packed([self.name, dict(self.faults)])
        if self.barred is not None:
            parts |= {
                "kept": self.transplanted,
                "kept-barred_ptr": self.barred[0],
                "kept-barred": self.barred[1],
            }
            parts |= {f"rows-{version}": rows for version, rows in self.versions.items()}
        return parts

    @classmethod
    def of_arrays(cls, texts: TextTable, read: Callable[[str], Any]) -> Pool:
        """Rebuild the pool; ``read`` returns an array by its name, None if there is none."""
        names = {
            column: values for column in COLUMNS if (values := read(f"names-{column}")) is not None
        }

        def items(side: str) -> Items:
            labels = {
                c: Labels(read(f"{side}-{c}"), tuple(unpacked(packed)))
                for c, packed in names.items()
            }
            return Items(
                unpacked(read(f"{side}-ids")), read(f"{side}-ptr"), read(f"{side}-rows"), labels
            )

        plain = Questions(
            items("queries"), *(read(n) for n in ("true_ptr", "true", "barred_ptr", "barred"))
        )
        pool = cls(texts, plain, items("candidates"), *unpacked(read("about")))
        if (transplanted := read("kept")) is None:
            return pool
        barred = read("kept-barred_ptr"), read("kept-barred")
        return replace(
            pool,
            transplanted=transplanted,
            versions={v: rows for v in OWN if (rows := read(f"rows-{v}")) is not None},
            barred=barred,
        )


def packed(value: Any) -> NDArray[np.uint8]:
    """Return a JSON value as bytes."""
    return np.frombuffer(json.dumps(value).encode(), dtype=np.uint8)


def unpacked(data: NDArray[np.uint8]) -> Any:
    """Return the JSON value of these bytes."""
    return json.loads(data.tobytes())


KINDS = {
    "all": "all candidates",
    "alike": "of the query's language and genre",
    "topic": "on a topic of the true candidates",
}
"""Parts of the candidates that are ranked in every query."""


@dataclass(frozen=True, eq=False)
class PoolParts:
    """Which candidates belong to which part (``KINDS``) for which query.

    ``alike`` (2, q) and ``kind`` (2, c) are codes of language and genre; ``topic`` (c,), ``on`` (q, topics).
    """

    alike: Ints
    kind: Ints
    topic: Ints
    on: Bools

    @classmethod
    def of(cls, questions: Questions, candidates: Items) -> PoolParts:
        """Return the parts for these queries."""
        pairs = []
        for column in ("language", "genre"):
            pair = questions.queries.codes(column), candidates.codes(column)
            known = (pair[0] >= 0).any()
            pairs.append(pair if known else (np.zeros_like(pair[0]), np.zeros_like(pair[1])))
        topic = candidates.codes("topic")
        on = np.zeros((len(questions.queries), int(topic.max(initial=-1)) + 2), dtype=np.bool_)
        on[questions.owner, topic[questions.true]] = True
        # What has no topic is in no part by topic: code −1 is the last column.
        on[:, -1] = False
        return cls(np.stack([q for q, _ in pairs]), np.stack([c for _, c in pairs]), topic, on)

    def members(self, queries: Ints, candidates: Ints) -> Bools:
        """Return which of these pairs (n,) of a query and a candidate are in each part, (parts, n)."""
        alike = (self.alike[:, queries] == self.kind[:, candidates]).all(axis=0)
        return np.stack([np.ones_like(alike), alike, self.on[queries, self.topic[candidates]]])

    @property
    def names(self) -> list[str]:
        """Return the parts that differ from all candidates."""
        differ = {"alike": self.kind, "topic": self.topic[None]}
        return [
            name for name, rows in differ.items() if any(len(np.unique(row)) > 1 for row in rows)
        ]
