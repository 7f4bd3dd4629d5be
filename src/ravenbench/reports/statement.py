"""Writes the result of a run as one file that others can check, and compares such a file with a folder.

In: ``statement`` and ``write_result``: the ``Store`` of a run, for the latter a file to write and a private key or
None; ``check``: a file, a ``Store`` or None, a public key or None.
Out: ``statement`` an in-toto statement (a JSON value), ``write_result`` the public keys that signed the file
(hexadecimal), ``check`` a ``CheckedResult`` with a ``ChangedValue`` (texts) for each value that differs. InputError for
a run without figures, another kind of run or a wrong key, FormatError for a damaged file.

The statement has all figures of the task's answer, computed from the cells; its verdicts; what decided the run, with
names instead of paths; hashes of texts, folds and cells. It has no texts, no truth of single problems and no seconds: a
repeated run gives the same statement. Numbers have all their digits, and are compared as they are written.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ravenbench import __version__, registry
from ravenbench.engine.task import task_of
from ravenbench.errors import FormatError, InputError
from ravenbench.outputs import check_file, whole_file
from ravenbench.reports.content import verdicts
from ravenbench.reports.envelope import CONTENT_TYPE, EXPECTED, opened, parsed, sealed, verified
from ravenbench.reports.view import named, public_head, public_json
from ravenbench.store.records import hash_of
from ravenbench.store.store import Cell, Store

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "urn:ravenbench:result:1"
VERSIONS = "raven."
"""Beginning of the names of values that are Raven's versions."""
LONGEST = 80
"""Characters of a value that a line shows."""
OTHER_FORM = "the form of the statement"


class ChangedValue(NamedTuple):
    """A value that differs: its name, and how it is in the file and in the folder."""

    figure: str
    file: str
    folder: str

    def __str__(self) -> str:
        return f"{self.figure}: the file has {self.file}, the folder gives {self.folder}"


class Numeral(str):
    """A number as a file writes it: every digit counts."""

    __slots__ = ()


@dataclass(frozen=True)
class CheckedResult:
    """A file with valid signatures: the public keys that signed it, and what differs from a folder (None: it was not
    compared)."""

    signers: tuple[str, ...]
    differences: tuple[ChangedValue, ...] | None


def statement(store: Store) -> Any:
    """Return what a run's folder states, computed from its cells even if the folder has an answer; equal stores give
    equal statements. InputError if the task states no figures."""
    place = task_of(store.kind).answer
    if not place:
        raise InputError(
            f"raven {store.kind} states no figures that could be checked",
            file=store.path,
            expected="the folder of a test, such as raven run",
        )
    store.outcomes.clear()
    shape = registry.load("answer", place)
    answer = shape.of(store)
    head = public_head(store.run)
    planned = store.plan_as(shape.Plan).planned
    cells = {key: store.read_cell(key) for _, _, key in planned}
    digests = {key: _digest(cell) for key, cell in cells.items() if cell is not None}
    files = {**store.plan.files, **{f"cells/{key}": sha for key, sha in digests.items()}}
    predicate = {
        "kind": store.kind,
        "raven": {"run": head.raven, "figures": __version__},
        "python": head.python,
        "packages": head.packages,
        "seed": head.seed,
        "spec": head.spec,
        "data": head.data,
        "methods": [
            {
                **msgspec.to_builtins(method),
                "spec": named(method.spec),
                "identity": hash_of("identity", msgspec.json.encode(method.identity)),
            }
            for method in store.plan.verifiers
        ],
        "folds": {
            name: {"train": fold.train_digest, "test": fold.test_digest}
            for name, fold in store.plan.folds.items()
        },
        "answers": [
            {
                "method": method,
                "fold": fold,
                "cell": key,
                "sha256": digests.get(key),
                "problem": store.outcome(key) or None,
            }
            for method, fold, key in planned
        ],
        "verdicts": verdicts(getattr(answer, "content", None)),
        "figures": _without(answer.plain(), shape.unstated),
    }
    whole = {
        "_type": STATEMENT_TYPE,
        "subject": [
            {"name": name, "digest": {"sha256": sha}} for name, sha in sorted(files.items())
        ],
        "predicateType": PREDICATE_TYPE,
        "predicate": predicate,
    }
    return public_json(whole)


def write_result(store: Store, file: Path, key: Path | None = None) -> tuple[str, ...]:
    """Write the statement of a run into a file, signed if a private key is given; an earlier result may be replaced.

    Returns the public keys of the signatures (hexadecimal). InputError if the place is taken, the key cannot be used
    or the task states no figures.
    """
    inputs = [store.path] if key is None else [store.path, key]
    check_file(file, inputs=inputs, mark=CONTENT_TYPE.encode())
    sealed(b"", key)  # a key that cannot be used is refused before the figures are computed
    envelope = sealed(_written(statement(store)), key)
    with whole_file(file) as target:
        target.write(msgspec.json.format(msgspec.json.encode(envelope), indent=1) + b"\n")
    return tuple(signature.keyid for signature in envelope.signatures)


def check(
    path: str | Path, store: Store | None = None, public: Path | None = None
) -> CheckedResult:
    """Verify the signatures of a result, and compare every value with what a folder gives.

    Raises
    ------
    FormatError
        If the file is damaged.
    InputError
        If the key did not sign it, it is of another kind of run, or has no signature where no folder is given.
    """
    envelope = opened(path)
    signers = verified(envelope, path, () if public is None else (public,))
    stated = _read(envelope.content, path)
    if store is None:
        if not signers:
            raise InputError(
                "this result is not signed, so only a folder can show whether it is right",
                file=path,
                fix="give the run's folder too: raven report RUN --check FILE",
            )
        return CheckedResult(signers, None)
    kind = stated["predicate"]["kind"]
    if kind != store.kind:
        raise InputError(
            "this result is of another kind of run",
            file=path,
            found=f"raven {kind}",
            expected=f"raven {store.kind}, to which the folder belongs",
        )
    expected = _written(statement(store))
    different = list(_differences(stated, _read(expected, store.path)))
    if not different and envelope.content != expected:
        different = [ChangedValue(OTHER_FORM, "another one", "the one that Raven writes")]
    different.sort(key=lambda each: not each.figure.startswith(VERSIONS))
    return CheckedResult(signers, tuple(different))


def _digest(cell: Cell) -> str:
    """The SHA-256 of a cell's arrays and record without its seconds, which differ when a run is repeated."""
    record = {**msgspec.to_builtins(cell.record), "seconds": None}
    parts = [json.dumps(record, sort_keys=True).encode()]
    for name, array in cell.arrays.items():
        parts += [f"{name} {array.dtype.str} {array.shape}".encode(), array.tobytes()]
    return hash_of("cell", *parts)


def _without(value: Any, names: Collection[str]) -> Any:
    """A JSON value without the entries of these names, at any depth."""
    if isinstance(value, Mapping):
        return {key: _without(inner, names) for key, inner in value.items() if key not in names}
    return [_without(inner, names) for inner in value] if isinstance(value, list | tuple) else value


def _written(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, allow_nan=False, separators=(",", ":")).encode()


def _read(content: bytes, path: str | Path) -> Any:
    """The statement in an envelope, its numbers as they are written; FormatError if it is none."""
    try:
        value = parsed(content, parse_float=Numeral, parse_int=Numeral, parse_constant=Numeral)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not a result ({error})", file=path, expected=EXPECTED) from None
    predicate = value.get("predicate") if isinstance(value, dict) else None
    if (
        not isinstance(predicate, dict)
        or value.get("_type") != STATEMENT_TYPE
        or value.get("predicateType") != PREDICATE_TYPE
        or type(predicate.get("kind")) is not str
    ):
        raise FormatError(
            "this file contains another statement than a result of Raven",
            file=path,
            expected=f"{EXPECTED} ({PREDICATE_TYPE})",
        )
    return value


def _differences(stated: Any, computed: Any, place: str = "") -> Iterator[ChangedValue]:
    """What differs between two JSON values, with its place."""
    if type(stated) is type(computed) and isinstance(stated, dict | list):
        entries = _entries(stated)
        others = _entries(computed)
        for key in dict.fromkeys((*entries, *others)):
            inner = entries.get(key, _Absent), others.get(key, _Absent)
            yield from _differences(*inner, place + key)
    elif type(stated) is not type(computed) or stated != computed:
        figure = place.removeprefix(".").removeprefix("predicate.")
        yield ChangedValue(figure, _shown(stated), _shown(computed))


class _Absent:
    """Stands for a value that only the other side has."""


def _entries(value: Any) -> dict[str, Any]:
    """The entries of an object or of a list by their places; an item of a list that has a name is known by it."""
    if isinstance(value, dict):
        return {f".{key}": inner for key, inner in value.items()}
    names = [item.get("name") if isinstance(item, dict) else None for item in value]
    known = all(isinstance(name, str) for name in names) and len({*names}) == len(names)
    return {f"[{names[i] if known else i}]": item for i, item in enumerate(value)}


def _shown(value: Any) -> str:
    """A JSON value on a line; nothing in it is read further, however deep it is."""
    if value is _Absent:
        return "nothing"
    if isinstance(value, dict | list):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value):,} values"
    text = str(value) if isinstance(value, Numeral) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
