"""Problems of several sources over one table of texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from ravenbench.texts import TextTable
from ravenbench.types import Ints, Labels, Problems


def on_one_table(sets: Sequence[Problems], base: TextTable | None = None) -> tuple[TextTable, list[Problems]]:
    """Several sets of problems over one table that holds the documents of all.

    Parameters
    ----------
    base : TextTable, optional
        Its texts come first, in their order: problems over it keep their rows.
    """
    used = [problems.documents for problems in sets]
    blocks = (problems.texts.blocks(rows) for problems, rows in zip(sets, used, strict=True))
    first = () if base is None else base.blocks(range(len(base)))
    texts, place = TextTable.of_blocks(chain(first, chain.from_iterable(blocks)))
    ends = np.cumsum([0 if base is None else len(base), *map(len, used)])
    parts = zip(sets, used, ends[:-1], ends[1:], strict=True)
    return texts, [_moved(p, texts, rows, place[start:stop]) for p, rows, start, stop in parts]


def _moved(problems: Problems, texts: TextTable, used: Ints, rows: Ints) -> Problems:
    """The same problems over another table, whose ``rows`` hold the documents ``used``."""
    place: Ints = np.full(len(problems.texts), -1, dtype=np.int64)
    place[used] = rows
    first: Ints = np.full(len(texts), -1, dtype=np.int64)
    first[rows] = used

    def labels(old: Labels | None) -> Labels | None:
        if old is None:
            return None
        return Labels(np.where(first >= 0, old.codes[first], -1), old.names)

    return replace(
        problems,
        texts=texts,
        known_index=place[problems.known_index],
        questioned_index=place[problems.questioned_index],
        author=labels(problems.author),
        topic=labels(problems.topic),
        language=labels(problems.language),
    )
