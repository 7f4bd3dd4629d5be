"""Problems of several sources over one table of texts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ravenbench.texts import TextTable
from ravenbench.types import Ints, Labels, Problems


def on_one_table(sets: list[Problems]) -> tuple[TextTable, list[Problems]]:
    """Several sets of problems over one table that holds the documents of all."""
    texts, _ = TextTable.collect(p.texts[row] for p in sets for row in p.documents)
    return texts, [rebase(p, texts) for p in sets]


def rebase(problems: Problems, texts: TextTable) -> Problems:
    """The same problems over another table that holds all their texts."""
    row = {texts.hash(i): i for i in range(len(texts))}
    used = problems.documents
    place: Ints = np.full(len(problems.texts), -1, dtype=np.int64)
    place[used] = [row[problems.texts.hash(i)] for i in used]
    first: Ints = np.full(len(texts), -1, dtype=np.int64)
    first[place[used]] = used

    def moved(labels: Labels | None) -> Labels | None:
        if labels is None:
            return None
        codes = np.where(first >= 0, labels.codes[first], -1)
        return Labels(codes, labels.names)

    return replace(
        problems,
        texts=texts,
        known_index=place[problems.known_index],
        questioned_index=place[problems.questioned_index],
        author=moved(problems.author),
        topic=moved(problems.topic),
        language=moved(problems.language),
    )
