"""A validation dossier as a comparison reads it: which cell a case falls into, and what keeps it from being cited.

``raven validate`` writes it beside its page as ``report/dossier.json``, under a hash.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from ravenbench import files
from ravenbench.errors import InputError, SpecError
from ravenbench.problems.like_case import rounded
from ravenbench.store.records import Head, Record, open_record, read_record

FILE = "dossier.json"
Verdict = Literal["passed", "failed", "not tested"]
SAME_SYSTEM = ("authors", "folds", "donors", "seed")
"""Options that decide LRs beside background and verifiers."""


class Criterion(Record, frozen=True, kw_only=True):
    """What a cell must keep to pass: the upper end of the interval of C_llr stays below ``cllr``, devPAV does not
    exceed ``devpav``, and the upper ends of both rates of misleading LRs, of a log10 LR of ``strong`` or more, do not
    exceed ``misleading``. ``reach`` is the factor in words and in number of texts within which a case falls into a
    cell."""

    cllr: float
    devpav: float
    misleading: float
    strong: float
    reach: float


class Condition(Record, frozen=True, kw_only=True):
    """A kind of case: words of the questioned text and of each of so many known ``texts``, and how labels of the two
    sides lie to each other: ``same``, ``different`` or ``KNOWN>QUESTIONED``; a label that is not named may be any."""

    name: str
    questioned: int
    known: int
    texts: int
    between: dict[str, str] = {}


class Figure(Record, frozen=True, kw_only=True):
    """A measure and its 95 % interval."""

    value: float
    low: float
    high: float


class CellResult(Record, frozen=True, kw_only=True):
    """A cell: its condition, the authors with same-author pairs, pairs of each class, every measure by its key, and its
    verdict with the reasons where it did not pass."""

    condition: Condition
    authors: int
    same: int
    different: int
    measures: dict[str, Figure]
    verdict: Verdict
    reasons: list[str]


class Dossier(Record, frozen=True, kw_only=True):
    """A whole dossier: the run it comes from, the criterion and the hash that fixed it beforehand, and every cell."""

    run: Head
    background: str
    criterion: Criterion
    fixed: str
    cells: list[CellResult]


class Cited(Record, frozen=True, kw_only=True):
    """A dossier as a comparison cites it: its folder's name, itself, its file's hash, what of the system it validated
    ``differs`` from the one that compares, how the sides of the case lie to each other (``between``), and whether cases
    are answered that it does not cover."""

    folder: str
    sha256: str
    dossier: Dossier
    differs: list[str]
    between: dict[str, str]
    unvalidated: bool


def fixed_hash(criterion: Criterion, conditions: Sequence[Condition]) -> str:
    """SHA-256 of a criterion and the conditions it is held against, as hexadecimal digits."""
    value = [msgspec.to_builtins(criterion), [msgspec.to_builtins(condition) for condition in conditions]]
    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def place_of(folder: str | Path) -> Path:
    """The file of a dossier. Raises InputError if the folder is none."""
    place = files.location(folder) / "report" / FILE
    if not place.is_file():
        raise InputError(
            "this folder holds no validation dossier", file=folder, expected="a finished folder of raven validate",
            fix="raven validate BACKGROUND --conditions conditions.csv -o FOLDER; or raven report FOLDER, where "
            "its page was removed",
        )  # fmt: skip
    return place


def cited(folder: str, between: str | None, unvalidated: bool, spec: Mapping[str, Any], data: Mapping[str, str],
          raven: str) -> Cited:  # fmt: skip
    """Read a dossier for a comparison with this spec and these hashes of data. Raises InputError if it is none or is
    damaged, SpecError if ``between`` cannot be read."""
    place = place_of(folder)
    if open_record(place)[0] != "validate":
        raise InputError("this is no dossier of raven validate", file=place, fix="raven report FOLDER writes it anew")
    dossier = read_record(place, Dossier)
    there, differs = dossier.run, []
    if there.data["background"] != data["background"]:
        differs.append(f"the background: the dossier's is {dossier.background} with other texts")
    if there.data["methods"] != data["methods"]:
        differs.append(f"the verifiers: the dossier's are {there.spec['verifiers']}")
    if there.raven != raven:
        differs.append(f"the version of Raven: the dossier's is {there.raven}, this one {raven}")
    differs += [
        f"{name}: the dossier's is {there.spec[name]}, here {spec[name]}"
        for name in SAME_SYSTEM
        if there.spec[name] != spec[name]
    ]
    return Cited(
        folder=files.location(folder).name,
        sha256=files.sha256(place),
        dossier=dossier,
        differs=differs,
        between=parse_between(between),
        unvalidated=unvalidated,
    )


def parse_between(text: str | None) -> dict[str, str]:
    """``topic=different, genre=essay>letter`` by label. Raises SpecError if it cannot be read."""
    between: dict[str, str] = {}
    for part in (text or "").split(","):
        name, _, value = (piece.strip() for piece in part.partition("="))
        if not part.strip():
            continue
        if not name or not value or name in between:
            raise SpecError(
                "this does not say how the two sides lie to each other", found=part.strip(),
                expected="topic=different, genre=essay>letter",
            )  # fmt: skip
        if value != "any":
            between[name] = value
    return between


def covering(citation: Cited, known: Sequence[int], questioned: int) -> CellResult | None:
    """The cell that a case with texts of so many words falls into: of those whose labels lie as the case's do and whose
    sizes are within the reach, the nearest; None where there is none."""
    best: tuple[float, CellResult] | None = None
    for cell in citation.dossier.cells:
        condition, mean = cell.condition, sum(known) / len(known)
        # The case's lengths lie on this grid already.
        here = (questioned, mean, len(known))
        there = (rounded(condition.questioned), rounded(condition.known), condition.texts)
        factors = [max(a / b, b / a) for a, b in zip(here, there, strict=True)]
        near = max(factors) <= citation.dossier.criterion.reach
        if condition.between == citation.between and cell.verdict != "not tested" and near:
            apart = float(factors[0] * factors[1] * factors[2])
            if best is None or apart < best[0]:
                best = apart, cell
    return None if best is None else best[1]


def standing(citation: Cited, known: Sequence[int], questioned: int) -> tuple[bool, str]:
    """Whether a case is validated, and the sentence that says so or why not."""
    cell, dossier = covering(citation, known, questioned), citation.dossier
    name = f"the dossier {citation.folder}"
    if citation.differs:
        return False, f"{name} is of another system ({'; '.join(citation.differs)})"
    if cell is None:
        how = ", ".join(f"{key} {value}" for key, value in citation.between.items()) or "no label of the sides named"
        return False, (
            f"{name} has no cell for a case like this (questioned {questioned} words; known {len(known)} of about "
            f"{round(sum(known) / len(known))} words; {how}) within a factor of {dossier.criterion.reach:g}"
        )
    c = cell.measures["cllr"]
    told = (
        f"{name}, cell “{cell.condition.name}”: {cell.verdict} (C_llr {c.value:.2f}, 95% interval {c.low:.2f} to "
        f"{c.high:.2f}; {cell.authors} authors; criterion {dossier.fixed[:12]})"
    )
    return cell.verdict == "passed", told if cell.verdict == "passed" else f"{told}: {'; '.join(cell.reasons)}"
