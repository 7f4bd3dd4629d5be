"""The side-by-side view: the original in one column, each obfuscator's rewriting in another, aligned by part.

Read down the first column the page gives the original, down any other that rewriting, both to the character.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from markupsafe import Markup

from ravenbench.reports.diff.characters import shown
from ravenbench.reports.diff.comparison import Block, Comparison
from ravenbench.reports.page import render


class Row(NamedTuple):
    """A stretch of the original that starts and ends with a part in every column, and what became of it."""

    number: int
    original: Markup
    rewritten: tuple[Markup, ...]
    changes: tuple[int, ...]


def columns_page(comparisons: Sequence[Comparison], *, index: str | None = None) -> str:
    """One static page over rewritings of one text; what was struck out is marked where there is but one rewriting."""
    return render(
        "diff_columns.html.j2", comparisons=comparisons, rows=column_rows(comparisons), index=index, sections=[]
    )


def column_rows(comparisons: Sequence[Comparison]) -> list[Row]:
    """Rows between the places where parts of all rewritings end.

    Raises
    ------
    ValueError
        If the comparisons are not of one text.
    """
    if len({c.digests[0] for c in comparisons}) != 1:
        raise ValueError("the comparisons are of different texts")
    ends = [list(accumulate(len(block.original) for block in c.blocks)) for c in comparisons]
    common = sorted(set.intersection(*(set(e) for e in ends)))
    rows: list[Row] = []
    done = [0] * len(comparisons)
    for end in common:
        taken: list[Sequence[Block]] = []
        for i, c in enumerate(comparisons):
            stop = max(k for k, e in enumerate(ends[i]) if e == end) + 1
            taken.append(c.blocks[done[i] : stop])
            done[i] = stop
        if len(comparisons) == 1:
            original = Markup("").join(line.original for block in taken[0] for line in block.lines)
        else:
            original = shown("".join(block.original for block in taken[0]))
        rewritten = tuple(Markup("").join(line.shown for b in blocks for line in b.lines) for blocks in taken)
        changes = tuple(sum(line.changes for b in blocks for line in b.lines) for blocks in taken)
        rows.append(Row(len(rows) + 1, original, rewritten, changes))
    return rows
