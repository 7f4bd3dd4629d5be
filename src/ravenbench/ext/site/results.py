"""Reads results that other people wrote (``raven export --result``), and compares them with each other and with runs.

In: ``read_result``: the name of a submission, its file, and public keys in PEM form; ``compared``: ``Store`` objects
over the same folds, and results.
Out: ``read_result`` a ``ResultFile``; ``compared`` the results over the folds of the runs, and by the name of a system
what is ``StatedSystem`` of it (AUC from 0 to 1). FormatError for a damaged file, InputError for a wrong key, or a result that
differs from another.

A method is the same in two places if its identity and version are. Two people state the same if hashes of all its answers
and all its figures are equal: only a run shows whether they are right, since anybody can sign a copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ravenbench.errors import FormatError, InputError
from ravenbench.reports.content import ContentRow
from ravenbench.reports.envelope import EXPECTED, opened, parsed, verified
from ravenbench.reports.statement import statement
from ravenbench.store.store import Store

DIGITS = 16
"""Digits of a public key that a row shows; the board lists whole keys."""
LONGEST = 100
"""Characters of a name."""
THIS = "a run of this site"


class Claim(NamedTuple):
    """What is stated of a method: its identity and version, hashes of its answers by fold, and its figures."""

    method: tuple[str, int]
    answers: Any
    row: ContentRow


class ResultFile(NamedTuple):
    """A result: the name of the submission, its file, the public key that signed it ("" without a signature), its author,
    the version of Raven, hashes of folds, and claims by the name of the method."""

    name: str
    path: Path
    key: str
    author: str
    raven: str
    folds: Any
    claims: dict[str, Claim]


class StatedSystem(NamedTuple):
    """What runs and results state of a system: a claim, what it was made with, its authors in words, and their keys (with
    "": a file without a signature names nobody else)."""

    claim: Claim
    made: str
    authors: str
    keys: frozenset[str]


def read_result(name: str, path: Path, public: Sequence[Path]) -> ResultFile:
    """Return a result. If there are ``public`` keys, the owner of one of them must have signed it."""
    envelope = opened(path)
    key = [*verified(envelope, path, public), ""][0]
    kind = "given key" if public else "key"
    author = f"{name} ({f'signed, {kind} {key[:DIGITS]}…' if key else 'not signed'})"
    try:
        raven, folds, claims = _claims(parsed(envelope.content)["predicate"])
        if not all(0 < len(one) <= LONGEST and one.isprintable() for one in (raven, *claims)):
            raise ValueError(f"a name is one line of at most {LONGEST} characters")
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise FormatError(
            f"not a result of raven run with verdicts on content ({error!r})",
            file=path,
            expected=EXPECTED,
        ) from None
    return ResultFile(name, path, key, author, raven, folds, claims)


def _claims(predicate: Any) -> tuple[str, Any, dict[str, Claim]]:
    """The version of Raven, hashes of folds, and claims by method; ValueError if a board could not show one."""
    methods = {method["name"]: method for method in predicate["methods"]}
    answers = msgspec.convert(predicate["answers"], list[dict[str, str | None]])
    claims = {}
    for row in msgspec.convert(predicate["figures"]["content"]["rows"], list[ContentRow]):
        for one in (row.lesser, row.figures.style_left, row.figures.swing):
            if one is not None and not all(abs(x) <= 1 for x in (one.value, *(one.interval or ()))):
                raise ValueError("an AUC is not from 0 to 1")
        method = methods[row.verifier]
        claims[row.verifier] = Claim(
            msgspec.convert((method["identity"], method["version"]), tuple[str, int]),
            [(a["fold"], a["sha256"]) for a in answers if a["method"] == row.verifier],
            replace(row, verifier="", by_replacement=()),
        )
    return msgspec.convert(predicate["raven"]["figures"], str), predicate["folds"], claims


def compared(
    runs: Sequence[Store], results: Sequence[ResultFile]
) -> tuple[list[ResultFile], dict[str, StatedSystem]]:
    """Return the results that have the folds of the runs, and what runs and results state of each system."""
    own = [
        ResultFile("", run.path, THIS, THIS, *_claims(statement(run)["predicate"])) for run in runs
    ]
    fitting = [one for one in results if one.folds == own[0].folds]
    systems: dict[tuple[str, int], str] = {}
    stated: dict[str, StatedSystem] = {}
    for one in (*own, *fitting):
        new = {claim.method for claim in one.claims.values()} - systems.keys()
        for name, claim in one.claims.items():
            named = one.name if one.name and len(new) == 1 else f"{one.name}: {name}"
            system = systems.setdefault(claim.method, named.removeprefix(": "))
            made = f"Raven {one.raven}, method {claim.method[1]}"
            first = StatedSystem(claim, made, one.author, frozenset({"", one.key}))
            known = stated.setdefault(system, first)
            if known.claim != claim:
                raise InputError(
                    f"the result of {one.name} has other answers or figures of {name}",
                    file=one.path,
                    expected=f"those of {known.authors}",
                    fix="compare the file with a run: raven report RUN --check FILE",
                )
            if one.key not in known.keys:
                authors = f"{known.authors}; also stated by {one.author}"
                stated[system] = StatedSystem(claim, known.made, authors, known.keys | {one.key})
    return fitting, stated
