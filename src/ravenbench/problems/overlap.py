"""What problems to learn from and problems to answer have in common: nothing may be tested on what was learned."""

from __future__ import annotations

from collections.abc import Sequence

from ravenbench.errors import InputError, remark
from ravenbench.formats.collector import identity_key
from ravenbench.formats.problems import ProblemSet
from ravenbench.text.names import name_key
from ravenbench.text.tokens import normalised
from ravenbench.types import Problems

_BEGINNING = 200


def check_overlap(train: ProblemSet, test: ProblemSet, allowed: bool = False) -> list[str]:
    """Sentences that count shared problems, documents and authors, said at once and returned. Documents are the same
    when they differ in white space or BOM only.

    InputError if problems stand on both sides, unless that is ``allowed``.
    """
    sides = train.problems, test.problems
    begins = [
        {row: normalised(side.texts[row][: 2 * _BEGINNING])[:_BEGINNING] for row in side.documents.tolist()}
        for side in sides
    ]
    common = set(begins[0].values()) & set(begins[1].values())
    keys = [
        {row: identity_key(side.texts[row]) for row, begin in of.items() if begin in common}
        for side, of in zip(sides, begins, strict=True)
    ]
    documents = set(keys[0].values()) & set(keys[1].values())
    tested = _by_documents(test.problems, keys[1])
    shared = sorted(name for key, name in tested.items() if key in _by_documents(train.problems, keys[0]))
    said = refuse_shared(shared, len(test), allowed)
    if documents:
        count = sum(key in documents for key in keys[1].values())
        said.append(f"{count:,} of {len(begins[1]):,} documents to answer about stand among those to learn from")
    names = [
        {name_key(n) for row in side.documents if (n := side.author[row]) is not None} if side.author else set()
        for side in sides
    ]
    if both := names[0] & names[1]:
        said.append(f"{len(both):,} of {len(names[1]):,} authors to answer about are among those to learn from")
    remark(said)
    return said


def refuse_shared(shared: Sequence[str], total: int, allowed: bool) -> list[str]:
    """A sentence that counts problems on both sides; InputError if there are any, unless that is ``allowed``."""
    if shared and not allowed:
        raise InputError(
            "problems to answer stand among those to learn from",
            found=f"{len(shared):,} of {total:,} ({', '.join(shared[:3])}{' …' * (len(shared) > 3)})",
            fix="give other problems to one side; --allow-shared answers them all the same, and counts them",
        )  # fmt: skip
    return [f"{len(shared):,} of {total:,} problems to answer stand among those to learn from"] if shared else []


def _by_documents(problems: Problems, keys: dict[int, bytes]) -> dict[tuple[bytes, ...], str]:
    """Ids of problems all of whose documents have a key, by these; which text of a pair is known does not matter."""
    places = {}
    for i, name in enumerate(problems.ids.tolist()):
        rows = [*problems.known(i).tolist(), int(problems.questioned_index[i])]
        if all(row in keys for row in rows):
            own = [keys[row] for row in rows]
            places[tuple(sorted(own) if len(own) == 2 else [*sorted(own[:-1]), own[-1]])] = name
    return places
