"""A fold whose questioned texts were rewritten (contract 2); it takes texts, so this room knows no obfuscator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ravenbench.errors import InputError
from ravenbench.texts import TextTable
from ravenbench.types import Fold, Problems


def rewritten(base: Fold, texts: Mapping[str, str], name: str, **labels: str | int) -> Fold:
    """Copy a fold with other questioned texts in its test set.

    Parameters
    ----------
    base : Fold
    texts : mapping of problem id to text
        Problems it does not name keep their questioned text. Only the problem named gets the new text, however
        many problems share the old one; known documents are never touched.
    name : str
    **labels
        Added to the fold's own (obfuscator, seed …).

    Raises
    ------
    InputError
        If a problem named is not in the test set.
    """
    return replace(base, name=name, test=requestion(base.test, texts), labels={**base.labels, **labels})


def requestion(problems: Problems, texts: Mapping[str, str]) -> Problems:
    """Blind problems with other questioned texts where a problem is named.

    Raises
    ------
    InputError
        If a problem named is not among them.
    """
    place = {name: i for i, name in enumerate(problems.ids.tolist())}
    strangers = sorted(set(texts) - set(place))
    if strangers:
        raise InputError("a rewritten problem is not in this set", found=strangers[0])
    table, rows = TextTable.collect([*problems.texts, *texts.values()])
    questioned = rows[problems.questioned_index]
    at = np.array([place[name] for name in texts], dtype=np.int64)
    questioned[at] = rows[len(problems.texts) :]
    return replace(problems.blind(), texts=table, known_index=rows[problems.known_index], questioned_index=questioned)
