"""Makes a set of problems from pairs of texts, given as lines of PAN20–23 or rows of tables.

In: an open ``Archive``, ``Pair``s, or (id, reason) for those that cannot be used, and ``PairTruth`` by id.
Out: a ``ProblemSet``. FormatError if no pair can be used, or two labels contradict each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

import numpy as np

from ravenbench.errors import (
    FormatError,
)
from ravenbench.reading.account import fault
from ravenbench.reading.archive import Archive
from ravenbench.reading.decoding import checked_name
from ravenbench.reading.problem_sets import ProblemBuilder, ProblemSet, corpus_name
from ravenbench.reading.remarks import (
    ids_apart,
    spelt_alike,
)
from ravenbench.text.names import (
    is_nobody,
    label_key,
    name_key,
    plain_name,
)
from ravenbench.types import Labels


@dataclass(frozen=True)
class PairTruth:
    """The truth of one pair; ``same`` is True for the same author; authors are None if the file does not name them.
    ``about``: a key of ``WORDINGS``."""

    same: bool
    authors: tuple[str, str] | None
    about: str = "authors"


@dataclass(frozen=True)
class Pair:
    """One line of a pairs file: two texts and their topics (fandom or discourse type); ``line`` counts from 1."""

    id: str
    texts: tuple[str, str]
    topics: tuple[str | None, str | None]
    line: int


def nobody(*names: str) -> bool:
    """Return whether one of these names refers to nobody in particular."""
    return any(map(is_nobody, names))


_WORDS = ("different", "same")


def set_of_pairs(
    archive: Archive,
    name: str,
    builder: ProblemBuilder,
    source: Iterator[Pair | tuple[str, str]] | Iterator[Pair],
    truth: dict[str, PairTruth] | None,
) -> ProblemSet:
    """Return the set of pairs; ``source`` may add to ``truth``, and yields (id, reason) for a pair that cannot be used."""
    faults: dict[str, str] = {}
    same: list[bool] = []
    labelled: dict[frozenset[int], tuple[Pair, bool]] = {}
    author: dict[int, str | None] = {}
    topic: dict[int, str | None] = {}
    for pair in source:
        if isinstance(pair, tuple):
            faults[pair[0]] = pair[1]
            continue
        if truth is not None and pair.id not in truth:
            faults[pair.id] = (
                "the truth file does not contain it, so Raven does not answer or score it"
            )
            continue
        try:
            (first,), second = builder.add(pair.id, [pair.texts[0]], pair.texts[1])
        except FormatError as error:
            faults[pair.id] = str(error).replace("\n  ", "; ")
            continue
        authors: tuple[str | None, str | None] = (None, None)
        if truth is not None:
            same.append(truth[pair.id].same)
            earlier_pair, earlier_same = labelled.setdefault(
                frozenset((first, second)), (pair, same[-1])
            )
            if earlier_same != same[-1]:
                raise fault(
                    "same-two-texts-labelled-twice",
                    file=archive.label(name),
                    line=pair.line,
                    found=f"{pair.id}: {_WORDS[same[-1]]}; {earlier_pair.id} in line"
                    f" {earlier_pair.line}: "
                    f"{_WORDS[earlier_same]}",
                )
            authors = truth[pair.id].authors or authors
        for row, author_name, topic_name in zip((first, second), authors, pair.topics, strict=True):
            # One text under two authors has no author.
            author[row] = (
                author_name
                if name_key(author.setdefault(row, author_name) or "")
                == name_key(author_name or "")
                else None
            )
            topic.setdefault(row, topic_name)
    present = {*builder.ids, *faults}
    for key in truth or {}:
        if key not in present:
            faults[key] = "the truth file contains it, but the pairs file does not"
    zeros = ids_apart(present, truth or ())
    if not builder.ids:
        first_id = next(iter(faults), None)
        example = f"{first_id}: {faults[first_id]}" if first_id is not None else "an empty file"
        raise fault(
            "no-pair-can-used",
            file=archive.label(name),
            found=example,
            fix=str(zeros[0]) if zeros else None,
        )
    builder.notes += zeros
    rows = range(len(builder.texts))
    labels = {
        key: (
            Labels.of(
                spelt_alike([values.get(row) for row in rows], builder.notes, label_kind, same_key)
            )
            if any(values.values())
            else None
        )
        for key, values, label_kind, same_key in (
            ("author", author, "author's name", name_key),
            ("topic", topic, "topic", label_key),
        )
    }
    corpus, split = corpus_name(archive, "" if "/" not in name else str(PurePosixPath(name).parent))
    return ProblemSet(
        corpus,
        builder.finish(**labels),
        None if truth is None else np.array(same, dtype=bool),
        split,
        faults,
        {key: truth[key].same for key in faults if key in truth} if truth else {},
        notes=tuple(builder.notes),
        place="" if archive.single else name,
    )


def two_names(values: object, value_kind: str, file: str, line: int) -> tuple[str, str] | None:
    if (
        isinstance(values, list)
        and len(values) == 2
        and all(isinstance(value, str | int) for value in values)
    ):
        first, second = (
            plain_name(checked_name(str(value), value_kind, file, line)) for value in values
        )
        return first, second
    if isinstance(values, list) and len(values) not in (0, 2):
        raise fault(
            "not-a-list-of-two", file=file, line=line, found=len(values), value_kind=value_kind
        )
    return None
