"""What problems to learn from and problems to answer have in common: nothing may be tested on what was learned."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Self

from ravenbench.errors import FormatError, InputError, remark
from ravenbench.formats.collector import identity_key
from ravenbench.formats.decoding import from_json
from ravenbench.formats.problems import ProblemSet
from ravenbench.text.names import name_key
from ravenbench.text.tokens import normalised
from ravenbench.types import Problems

_BEGINNING = 200


class LearnedHashes(NamedTuple):
    """What was learned from, by hashes: its documents, problems and authors."""

    documents: frozenset[str]
    problems: frozenset[str]
    authors: frozenset[str]

    @classmethod
    def of(cls, part: ProblemSet, rows: Mapping[int, object] | None = None) -> Self:
        """Of a set; only of these ``rows`` of its texts."""
        texts = part.problems.texts
        keys = {row: identity_key(texts[row]).hex() for row in (rows or part.problems.documents.tolist())}
        return cls(frozenset(keys.values()), frozenset(_by_documents(part.problems, keys)), frozenset(_names(part)))

    @classmethod
    def read(cls, file: Path) -> Self | None:
        """What ``written`` wrote; None where there is no such file. FormatError if it is none."""
        if not file.is_file():
            return None
        record = from_json(file.read_text("utf-8", "replace"), file)
        if not isinstance(record, dict) or not all(isinstance(record.get(name), list) for name in cls._fields):
            raise FormatError("this does not say what was learned from", file=file, fix="train again")
        return cls(*(frozenset(map(str, record[name])) for name in cls._fields))

    def written(self) -> bytes:
        """As JSON."""
        return json.dumps({name: sorted(keys) for name, keys in self._asdict().items()}).encode()


def check_overlap(train: ProblemSet | LearnedHashes, test: ProblemSet, allowed: bool = False) -> list[str]:
    """Sentences that count shared problems, documents and authors, said at once and returned. Documents are the same
    when they differ in white space or BOM only.

    InputError if problems stand on both sides, unless that is ``allowed``.
    """
    rows: Mapping[int, object] = dict.fromkeys(test.problems.documents.tolist())
    if not isinstance(train, LearnedHashes):
        begins = [
            {row: normalised(side.texts[row][: 2 * _BEGINNING])[:_BEGINNING] for row in side.documents.tolist()}
            for side in (train.problems, test.problems)
        ]
        common = set(begins[0].values()) & set(begins[1].values())
        own, rows = ({row: begin for row, begin in of.items() if begin in common} for of in begins)
        train = LearnedHashes.of(train, own)
    keys = {row: identity_key(test.problems.texts[row]).hex() for row in rows}
    shared = sorted(name for key, name in _by_documents(test.problems, keys).items() if key in train.problems)
    said = refuse_shared(shared, len(test), allowed)
    if count := sum(key in train.documents for key in keys.values()):
        said.append(
            f"{count:,} of {len(test.problems.documents):,} documents to answer about stand among those to learn from"
        )
    if both := _names(test) & train.authors:
        said.append(f"{len(both):,} of {len(_names(test)):,} authors to answer about are among those to learn from")
    remark(said)
    return said


def _names(part: ProblemSet) -> set[str]:
    """Hashes of the authors' names of a set."""
    authors = part.problems.author
    names = {authors[row] for row in part.problems.documents.tolist()} - {None} if authors is not None else set()
    return {_hash(name_key(name)) for name in names if name is not None}


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def refuse_shared(shared: Sequence[str], total: int, allowed: bool) -> list[str]:
    """A sentence that counts problems on both sides; InputError if there are any, unless that is ``allowed``."""
    if shared and not allowed:
        raise InputError(
            "problems to answer stand among those to learn from",
            found=f"{len(shared):,} of {total:,} ({', '.join(shared[:3])}{' …' * (len(shared) > 3)})",
            fix="give other problems to one side; --allow-shared answers them all the same, and counts them",
        )  # fmt: skip
    return [f"{len(shared):,} of {total:,} problems to answer stand among those to learn from"] if shared else []


def _by_documents(problems: Problems, keys: Mapping[int, str]) -> dict[str, str]:
    """Ids of problems all of whose documents have a key, by a hash of these; which text of a pair is known does not
    matter."""
    places = {}
    for i, name in enumerate(problems.ids.tolist()):
        rows = [*problems.known(i).tolist(), int(problems.questioned_index[i])]
        if all(row in keys for row in rows):
            own = [keys[row] for row in rows]
            places[_hash(" ".join(sorted(own) if len(own) == 2 else [*sorted(own[:-1]), own[-1]]))] = name
    return places
