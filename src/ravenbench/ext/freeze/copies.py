"""Compares a copy of a corpus, a draft or a run with a manifest: finds its documents and the differences.

In: ``match``: a ``Manifest`` of n documents (problems without texts) and a ``Source`` (documents and problems of the
copy); ``check_frozen``: a manifest's path, a draft or run, and its spec as a mapping.
Out: ``match``: a ``Match`` with ``rows`` (n,) of the copy from 0, −1 if it lacks the document, ``differences``
(none, one or several for a document, also for documents only in the copy), ``exact``: identical byte by byte.
``check_frozen`` returns nothing; InputError if a frozen set is missing. ``called`` returns a document's name;
``source_of`` a ``Source``, ``truth_of`` and ``parts_of`` lists of ``SourcePart``.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ravenbench.errors import InputError, counted, first_names
from ravenbench.ext.freeze.frozen import (
    SHORT,
    Manifest,
    Source,
    SourcePart,
    byte_rows,
    column_of,
    digest_of,
    exact_hash,
    keys_of,
    place_in,
    read_manifest,
    split_digest,
    text_key,
    unpacked,
)
from ravenbench.files import read_array
from ravenbench.texts import TextTable
from ravenbench.types import Fold, Ints, Problems, name_array


class Difference(NamedTuple):
    """How a copy differs in one document: missing, changed, extra, other order, other author or truth."""

    kind: str
    document: str
    detail: str = ""


@dataclass(frozen=True, eq=False)
class Match:
    """The places of a manifest's n documents in a copy: ``rows`` (n,), −1 if missing; ``exact``: identical byte by byte."""

    rows: Ints
    differences: list[Difference]
    exact: bool


def match(manifest: Manifest, copy: Source) -> Match:
    """Find a manifest's documents in a copy of their corpus."""
    keys = [key.tobytes() for key in manifest.keys]
    of_copy: dict[bytes, list[int]] = {}
    for row in range(len(copy.texts)):
        of_copy.setdefault(text_key(copy.texts[row]), []).append(row)
    rows = np.full(len(keys), -1, dtype=np.int64)
    seen = dict.fromkeys(keys, 0)
    for i, key in enumerate(keys):
        # Texts that differ in white space alone have one hash: the second is the copy's second.
        if there := of_copy.get(key):
            rows[i] = there[min(seen[key], len(there) - 1)]
            seen[key] += 1
    short = () if manifest.others is None else byte_rows(manifest.others, SHORT)
    known = {*(key[:SHORT] for key in keys), *(key.tobytes() for key in short)}
    strange = sorted(
        row for key, places in of_copy.items() if key[:SHORT] not in known for row in places
    )
    unlike, changed = _lost(manifest, copy, rows, strange)
    if manifest.others is not None:
        unlike += [Difference("extra", copy.called(row)) for row in strange if row not in changed]
    unlike += (
        _moved(manifest, copy, rows)
        + _other_authors(manifest, copy, rows)
        + _other_truth(manifest, copy, rows)
    )
    return Match(
        rows, unlike, bool((rows >= 0).all()) and exact_hash(copy.texts, rows) == manifest.exact
    )


def _lost(
    manifest: Manifest, copy: Source, rows: Ints, strange: list[int]
) -> tuple[list[Difference], set[int]]:
    """Documents that a copy lacks, and the rows of its own that have the name of one: that one was changed."""
    named = {} if copy.ids is None else {manifest.shown(copy.ids[row]): row for row in strange}
    unlike = []
    changed = set[int]()
    for i in np.flatnonzero(rows < 0).tolist():
        row = named.get(manifest.ids[i]) if manifest.ids else None
        if row is None:
            unlike.append(Difference("missing", called(manifest, i)))
        else:
            changed.add(row)
            detail = "" if manifest.names == "clear" else copy.called(row)
            unlike.append(Difference("changed", called(manifest, i), detail))
    return unlike, changed


def _moved(manifest: Manifest, copy: Source, rows: Ints) -> list[Difference]:
    """Documents that stand elsewhere: all but a longest series that is in the order of the frozen corpus, if known; a
    split has none."""
    if manifest.ids is None or manifest.splits:
        return []
    there = np.flatnonzero(rows >= 0).tolist()
    ends: list[int] = []
    length = []
    for i in there:
        length.append(bisect_right(ends, rows[i]))
        ends[length[-1] : length[-1] + 1] = [int(rows[i])]
    wanted = len(ends) - 1
    top = len(rows) + int(rows.max(initial=0))
    unlike = []
    for i, place in zip(reversed(there), reversed(length), strict=True):
        if place == wanted and rows[i] <= top:
            wanted = wanted - 1
            top = int(rows[i])
        else:
            here = "" if manifest.names == "clear" else f": {copy.called(int(rows[i]))}"
            unlike.append(
                Difference(
                    "other order", called(manifest, i), f"number {rows[i] + 1:,} of the copy{here}"
                )
            )
    return unlike[::-1]


def _other_authors(manifest: Manifest, copy: Source, rows: Ints) -> list[Difference]:
    """Documents whose author is another one in the copy; topics may be those of another level."""
    column = manifest.columns.get("author")
    labels = copy.labels.get("author")
    unlike = []
    for i, code in enumerate(
        [] if column is None or labels is None else unpacked(column.codes).tolist()
    ):
        now = None if rows[i] < 0 else labels[rows[i]]  # type: ignore[index]
        if code and now is not None and manifest.shown(now) != (then := column.names[code - 1]):  # type: ignore[union-attr]
            unlike.append(
                Difference(
                    "other author",
                    called(manifest, i),
                    f"{then}, in the copy {manifest.shown(now)}",
                )
            )
    return unlike


def _other_truth(manifest: Manifest, copy: Source, rows: Ints) -> list[Difference]:
    """Queries of a search whose true candidates, of those that the copy has, are others in the copy."""
    if not (manifest.splits and manifest.sets and copy.parts):
        return []
    (frozen, _), theirs = manifest.problems(manifest.sets[0]), copy.parts[0].problems
    then = _pairs(rows[frozen.known_index], rows[frozen.questioned_index][frozen.owner])
    now = _pairs(theirs.known_index, theirs.questioned_index[theirs.owner])
    problem_of_row = {int(rows[i]): i for i in frozen.questioned_index.tolist() if rows[i] >= 0}
    return [
        Difference(
            "other truth", called(manifest, i), "its true candidates are different in the copy"
        )
        for row, i in problem_of_row.items()
        if then.get(row, set()) != now.get(row, set())
    ]


def _pairs(known: Ints, questioned: Ints) -> dict[int, set[int]]:
    """The known rows by the questioned one; −1 is none."""
    partners: dict[int, set[int]] = {}
    for a, b in zip(known.tolist(), questioned.tolist(), strict=True):
        if a >= 0:
            partners.setdefault(b, set()).add(a)
    return partners


def called(manifest: Manifest, i: int) -> str:
    """Return a document's name, or the first place where it is used."""
    if manifest.ids is not None and manifest.names == "clear":
        return manifest.ids[i]
    return (
        place_in((SourcePart(one.name, *manifest.problems(one)) for one in manifest.sets), i)
        or f"document {i + 1}"
    )


def source_of(made: Any) -> Source:
    """Return the splits of a draft or a run's folder, otherwise its folds of unchanged texts: neither
    transplanted, rewritten nor cut."""
    folds = made.plan.folds
    texts = made.texts
    ids = made.ids
    if ids is not None and all(id == texts.hash(row).hex() for row, id in enumerate(ids)):
        ids = None
    if made.splits:
        # Only a search has roles.
        parts = truth_of(texts, partial(_stored, made)) if "role" in made.splits else ()
        return Source(texts, ids, made.labels, parts, made.splits)
    listed = [
        n
        for n, f in folds.items()
        if not (f.transplanted or f.source or f.obfuscator or f.attack or "reached" in f.labels)
    ]
    left_out = {"folds of changed texts": len(folds) - len(listed)}
    return Source(
        texts, ids, made.labels, parts_of(map(made.shared_fold, listed)), left_out=left_out
    )


def _stored(made: Any, name: str) -> Any:
    """An array of the pool of a draft, or of a search's folder."""
    file = f"pool-{name}"
    return made.arrays[file] if hasattr(made, "arrays") else read_array(made.path / f"{file}.npy")


def truth_of(texts: TextTable, array: Callable[[str], Any]) -> list[SourcePart]:
    """Return the truth of a search as a set of problems: a text of each query and one of each of its true candidates, in an
    order that follows from the texts; ``array`` returns the arrays of ``ext.retrieval.pool.Pool.arrays``.
    """

    def first(side: str, items: Iterable[int]) -> dict[int, tuple[bytes, int]]:
        ptr = array(f"{side}-ptr")
        rows = array(f"{side}-rows")
        return {
            i: min((text_key(texts[row]), row) for row in rows[ptr[i] : ptr[i + 1]].tolist())
            for i in items
        }

    ptr = array("true_ptr")
    true = array("true")
    queries = first("queries", range(len(ptr) - 1))
    candidates = first("candidates", np.unique(true).tolist())
    both = sorted(
        (queries[i], sorted({candidates[j] for j in true[ptr[i] : ptr[i + 1]].tolist()}))
        for i in queries
    )
    known = np.array([row for _, own in both for _, row in own], dtype=np.int64)
    bounds = np.cumsum([0, *(len(own) for _, own in both)])
    questioned = np.array([row for (_, row), _ in both], dtype=np.int64)
    ids = name_array([str(i) for i in range(len(both))])
    return [SourcePart("truth", Problems(texts, ids, bounds, known, questioned), None)]


def parts_of(folds: Iterable[Fold]) -> list[SourcePart]:
    """Return both sides of folds as sets."""
    return [
        SourcePart(f"{fold.name}/{side}", problems, same)
        for fold in folds
        for side, problems, same in fold.sides
    ]


def check_frozen(place: str | Path, made: Any, spec: Mapping[str, Any]) -> None:
    """Raise InputError for a draft or a run that does not have all sets and splits of a manifest; it shows what differs, also
    in the options."""
    manifest = read_manifest(place)
    source = source_of(made)
    keys = keys_of(source.texts, source.used)
    used = source.used
    forms = {(one.same is None, one.ids is None) for one in manifest.sets}
    given = {
        digest_of(keys, p.problems, None if blind else p.same, not of_texts)
        for p in source.parts
        for blind, of_texts in forms
    } | {split_digest(keys[used], column_of(labels, used)) for labels in source.splits.values()}
    wanted = {one.name: one.digest for one in manifest.sets}
    wanted |= {
        name: split_digest(manifest.keys, column) for name, column in manifest.splits.items()
    }
    if absent := [name for name, digest in wanted.items() if digest not in given]:
        differences = match(manifest, source).differences
        lost = [
            f"{one.kind}: {one.document}"
            for one in differences
            if one.kind in ("missing", "changed", "other truth")
        ]
        lines = [first_names(absent, 3, ", "), *([first_names(lost, 3)] if lost else [])]
        rule = manifest.rule
        others = ("corpus", "verifiers", "methods", "group")
        unlike = [
            f"{key.replace('_', ' ')} {spec[key]}, frozen with {rule[key]}"
            for key in rule
            if key in spec.keys() - {*others} and spec[key] != rule[key]
        ]
        lines += unlike[:3]
        raise InputError(
            "these problems differ from the frozen problems",
            file=place,
            found=f"{len(absent)} of {counted(len(wanted), 'set')} different: " + "; ".join(lines),
            fix=(
                "use the options of the manifest"
                if unlike and not lost
                else (
                    "raven thaw MANIFEST CORPUS shows what differs in the corpus, and writes the"
                    " frozen problems"
                )
            ),
        )
