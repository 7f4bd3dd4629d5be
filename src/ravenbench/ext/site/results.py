"""Reads results that other people wrote (``raven export --result``), and adds their methods to the boards of a site.

In: ``read_results``: files by the name of a submission, and public keys in PEM form; ``with_results``: ``Board``
objects, folders of runs by address, and these results.
Out: ``read_results`` a ``ResultFile`` each; ``with_results`` the boards: a method that a board lacks has a row with the
figures of its file (AUC from 0 to 1), and the ``mark`` of each row that a file has says who signed it, and whose files
or runs repeat it. FormatError for a damaged file, InputError for a wrong key, or a result that no board can compare.

A method is the same in two places if its identity and version are. It is repeated if hashes of all its answers and all
its figures are equal; a result that differs from another, or from the site's own run, is refused.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ravenbench.errors import FormatError, InputError
from ravenbench.ext.site.boards import (
    METRICS,
    MISLEADS,
    Board,
    BoardStanding,
    by_topic,
    number_of,
    of_content,
)
from ravenbench.reading.decoding import checked_name
from ravenbench.reports.content import ContentRow
from ravenbench.reports.envelope import EXPECTED, opened, verified
from ravenbench.reports.statement import PREDICATE_TYPE, statement
from ravenbench.reports.view import UNDEFINED
from ravenbench.store.store import Store
from ravenbench.tasks.evaluate.api import is_run

DIGITS = 16
"""Digits of a public key that a row shows; the board lists whole keys."""
THIS = "a run of this site"


class Claim(NamedTuple):
    """What a result states of a method: its name, the version of Raven, hashes of its answers, and its figures."""

    method: str
    raven: str
    answers: Mapping[str, str]
    row: ContentRow


class ResultFile(NamedTuple):
    """A result: the name of the submission, its file, the public key that signed it ("" without a signature), hashes of
    folds, and claims by identity and version of the method."""

    name: str
    path: Path
    key: str
    folds: Any
    claims: Mapping[tuple[str, int], Claim]


def read_results(files: Mapping[str, Path], public: Sequence[Path] = ()) -> list[ResultFile]:
    """Return results by the names of their submissions. If there are ``public`` keys, the owner of one of them must
    have signed each."""
    results = []
    for name, path in files.items():
        envelope = opened(path)
        signers = verified(envelope, path, public)
        try:
            stated = json.loads(envelope.content)
            if stated["predicateType"] != PREDICATE_TYPE:
                raise ValueError("another statement")
            predicate = stated["predicate"]
            claims = _claims(predicate)
            results.append(ResultFile(name, path, *signers[:1] or [""], predicate["folds"], claims))
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            raise FormatError(
                f"not a result of raven run with verdicts on content ({error})",
                file=path,
                expected=EXPECTED,
            ) from None
    return results


def _claims(predicate: Any) -> dict[tuple[str, int], Claim]:
    """What a result states of each method; ValueError if a board could not show it."""
    rows = {
        row.verifier: row
        for row in msgspec.convert(predicate["figures"]["content"]["rows"], list[ContentRow])
    }
    claims = {}
    for method in predicate["methods"]:
        row = rows[checked_name(method["name"], "the name of a method", limit=100)]
        for one in (row.lesser, row.figures.style_left, row.figures.swing):
            if one is not None and not all(abs(x) <= 1 for x in (one.value, *(one.interval or ()))):
                raise ValueError("an AUC is not from 0 to 1")
        answers = {
            a["fold"]: a["sha256"] for a in predicate["answers"] if a["method"] == row.verifier
        }
        raven = checked_name(predicate["raven"]["figures"], "a version", limit=20)
        claims[method["identity"], method["version"]] = Claim(
            row.verifier, raven, answers, replace(row, verifier="", by_replacement=())
        )
    return claims


def with_results(
    boards: Sequence[Board], places: Mapping[str, Path], results: Sequence[ResultFile]
) -> list[Board]:
    """Return the boards with the methods of each result, and marks on the rows of methods that a result has."""
    fitting: dict[str, list[ResultFile]] = {}
    runs = {key: Store.open(place) for key, place in places.items() if is_run(place)}
    for one in results:
        fits = [key for key, run in runs.items() if _digests(run) == one.folds]
        ranked = [board.key for board in boards if board.key in fits and board.metric == MISLEADS]
        if not ranked:
            raise InputError(
                f"the result of {one.name} does not fit any leaderboard of this site",
                file=one.path,
                found="other texts, another split, or no topics",
                expected="the texts and folds of a run with topics and verdicts on content",
            )
        fitting.setdefault(ranked[0], []).append(one)
    return [
        _with_files(board, [run for run in runs.values() if _digests(run) == files[0].folds], files)
        if (files := fitting.get(board.key))
        else board
        for board in boards
    ]


def _digests(run: Store) -> dict[str, dict[str, str]]:
    folds = run.plan.folds.items()
    return {name: {"train": fold.train_digest, "test": fold.test_digest} for name, fold in folds}


def _with_files(board: Board, runs: Sequence[Store], files: Sequence[ResultFile]) -> Board:
    """A board with results over its folds."""
    known: dict[Any, tuple[str, Claim]] = {}
    for run in runs:
        for method, claim in _claims(statement(run)["predicate"]).items():
            known.setdefault(method, (claim.method, claim))
    own = {system for system, _ in known.values()}
    taken = {s.system for s in board.standings}
    signers: dict[str, dict[str, str]] = {}
    added = []
    versions = dict(board.versions)
    for one in files:
        new = one.claims.keys() - known.keys()
        for method, claim in one.claims.items():
            named = f"{one.name}: {claim.method}" if len(new) > 1 else one.name
            system, first = known.setdefault(method, (named, claim))
            if first[2:] != claim[2:]:
                raise InputError(
                    f"the result of {one.name} has other answers or figures of {claim.method}",
                    file=one.path,
                    expected=f"those of {', '.join([THIS] * (system in own) or [system])}",
                    fix="compare it with each run: raven report RUN --check FILE",
                )
            signers.setdefault(system, {}).setdefault(one.key, f"{one.name} ({one.key[:DIGITS]}…)")
            if method not in new:
                continue
            if system in taken:
                raise InputError("two systems have one name", file=one.path, found=system)
            taken.add(system)
            versions[system] = f"Raven {claim.raven}, method {method[1]}"
            scores = {MISLEADS: number_of(claim.row.lesser), **dict.fromkeys(METRICS, UNDEFINED)}
            more = of_content(claim.row)
            added.append(BoardStanding(system, 1, scores, open=None, submitted=True, **more))
    marks = {system: _mark(keys, system in own) for system, keys in signers.items()}
    rows = []
    for s in by_topic([*board.standings, *added]):
        said = dict.fromkeys(marks[run.system] for run in s.runs or (s,) if run.system in marks)
        rows.append(replace(s, mark=" or ".join(said)))
    notes = (f"{one.name}: {one.path.name}, public key {one.key or 'missing'}." for one in files)
    return replace(board, standings=tuple(rows), versions=versions, notes=(*board.notes, *notes))


def _mark(signers: Mapping[str, str], own: bool) -> str:
    """Who signed a result, by public key, and whose results with other keys repeat it."""
    first, *others = [label for key, label in signers.items() if key] or [""]
    repeated = [*others, *[THIS] * own]
    said = f"signed by {first}" if first else "not signed"
    return f"{said}; repeated by {' and '.join(repeated)}" if repeated else said
