"""What a site shows: boards (one a run or evaluation) and the standing of every system on them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ravenbench.reports.view import Table

Interval = tuple[float, float]
LEADERS = 5
"""Ranks that a site's first page shows of each board."""


@dataclass(frozen=True)
class Number:
    """A figure and its 95 % interval; None where undefined."""

    value: float | None
    interval: Interval | None = None


Part = tuple[str, int, Number]
"""A part of a board's problems, how many there are, and a system's c@1 on them."""


@dataclass(frozen=True)
class Standing:
    """One system on one board.

    ``tie`` is its rank, which its tie group shares, 1 for the best, None for meta-classifiers and where nothing was
    tested. ``scores`` are by metric (AUC, c@1 …); ``style_left``, ``swing`` and ``gain`` are the verdict's figures,
    ``content`` and ``domain`` its words, "" where it was not asked. ``loss`` is the impact of every obfuscator.
    ``submitted`` says that its answers came from outside; ``parts`` has c@1 on parts of the problems, by what divides
    them.
    """

    system: str
    tie: int | None
    scores: Mapping[str, Number]
    open: int = 0
    missing: int = 0
    style_left: Number = Number(None)
    swing: Number = Number(None)
    content: str = ""
    gain: Number = Number(None)
    domain: str = ""
    loss: Mapping[str, Number] = field(default_factory=dict)
    submitted: bool = False
    parts: Mapping[str, tuple[Part, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class FoldPage:
    """One fold of a board: what is in it, and every system's scores there."""

    name: str
    info: Mapping[str, Any]
    scores: Table


@dataclass(frozen=True)
class Board:
    """One run or evaluation.

    ``text`` says the language and genre, "" where unknown. ``metric`` orders ``standings``, best first; ``tables`` are
    shown below them; ``material`` and ``provenance`` are lists for reading; ``downloads`` are files by name.
    """

    key: str
    title: str
    kind: str
    metric: str
    problems: int
    same: int
    standings: tuple[Standing, ...]
    material: Mapping[str, Any]
    provenance: Mapping[str, Any]
    tables: tuple[Table, ...] = ()
    folds: tuple[FoldPage, ...] = ()
    notes: tuple[str, ...] = ()
    downloads: Mapping[str, str] = field(default_factory=dict)
    text: str = ""

    @property
    def leaders(self) -> list[Standing]:
        """Systems of the first five ranks, where there are ranks, else the first five; no tie is cut."""
        ranked = [s for s in self.standings if s.tie is not None and s.tie <= LEADERS]
        if ranked or not self.standings:
            return ranked
        last = self.standings[:LEADERS][-1].scores[self.metric].value
        return [s for i, s in enumerate(self.standings) if i < LEADERS or s.scores[self.metric].value == last]


def slug(text: str) -> str:
    """A name as part of an address: letters, digits and hyphens, never empty."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:60] or "x"


def slugs(names: list[str]) -> dict[str, str]:
    """An address for each name, all different; the same names always give the same ones."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        plain, number = slug(name), 2
        address = plain
        while address in taken:
            address, number = f"{plain}-{number}", number + 1
        taken.add(address)
        found[name] = address
    return found
