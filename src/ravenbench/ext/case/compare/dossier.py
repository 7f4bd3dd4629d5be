"""Reads a validation dossier for a comparison: which of its tested conditions covers a case, and may it be cited.

In: the folder of a dossier, how labels of the two sides differ (text), hashes of data, and counts of words of a case's
texts.
Out: ``Cited``; the ``CellResult`` (a cell is one tested condition) that covers a case, None where none does; a
``DossierStanding`` with a sentence. C_llr is in bits, devPAV in log10 units, mean LRs are no logarithms, rates are
shares from 0 to 1. InputError if the folder holds no dossier or a damaged one, SpecError for labels that no cell has.
``fixed_hash`` gives the criterion's SHA-256, ``place_of`` the file, ``parse_between`` labels.

``raven validate`` writes it beside its page as ``report/dossier.json``, under a hash.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from ravenbench import __version__, files
from ravenbench.errors import InputError, SpecError
from ravenbench.ext.case.like_case import rounded
from ravenbench.store.records import Head, Record, open_record, read_record

FILE = "dossier.json"
Verdict = Literal["passed", "failed", "not tested"]
SAME_SYSTEM = ("authors", "folds", "donors", "seed")
"""Options that decide LRs beside background and verifiers."""


class Criterion(Record, frozen=True, kw_only=True):
    """What a cell must keep to pass, each by the upper end of its interval: C_llr (bits) is below ``cllr``; devPAV
    (log10) is at most ``devpav``; the mean LR of strangers and the mean 1 / LR of own texts are at most ``mean``, and
    not shown to be above 1; both rates (shares) of misleading LRs, of a log10 LR of ``strong`` or more, are at most
    ``misleading``. ``reach`` is the factor in words and in number of texts within which a case falls into a cell."""

    cllr: float
    devpav: float
    mean: float
    misleading: float
    strong: float
    reach: float


class Condition(Record, frozen=True, kw_only=True):
    """A kind of case: counts of words of the questioned text and of each of so many known ``texts``, and how labels
    of the two sides lie to each other: ``same``, ``different`` or ``KNOWN>QUESTIONED``; a label that is not named may
    be any."""

    name: str
    questioned: int
    known: int
    texts: int
    between: dict[str, str] = {}


class Figure(Record, frozen=True, kw_only=True):
    """A measure, in its own unit, and its 95 % interval."""

    value: float
    low: float
    high: float


class CellResult(Record, frozen=True, kw_only=True):
    """A cell: its condition, the count of authors with same-author pairs, counts of pairs by one author (``same``)
    and by two, every measure by its key, and its verdict with the reasons where it did not pass."""

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
    value = [
        msgspec.to_builtins(criterion),
        [msgspec.to_builtins(condition) for condition in conditions],
    ]
    return hashlib.sha256(
        json.dumps(value, sort_keys=True, ensure_ascii=False).encode()
    ).hexdigest()


def place_of(folder: str | Path) -> Path:
    """The file of a dossier. Raises InputError if the folder is none."""
    place = files.location(folder) / "report" / FILE
    if not place.is_file():
        raise InputError(
            "this folder holds no validation dossier",
            file=folder,
            expected="a finished folder of raven validate",
            fix=(
                "raven validate BACKGROUND --conditions conditions.csv -o FOLDER; or raven report"
                " FOLDER, where its page was removed"
            ),
        )
    return place


def cited(
    folder: str,
    between: str | None,
    unvalidated: bool,
    spec: Mapping[str, Any],
    data: Mapping[str, str],
) -> Cited:
    """Read a dossier for a comparison with this spec and these hashes of data. Raises InputError if it is none or is
    damaged, SpecError if ``between`` cannot be read or names a label that no cell has."""
    place = place_of(folder)
    if open_record(place)[0] != "validate":
        raise InputError(
            "this is no dossier of raven validate",
            file=place,
            fix="raven report FOLDER writes it anew",
        )
    dossier = read_record(place, Dossier)
    there = dossier.run
    case_between = parse_between(between)
    labels = sorted({name for cell in dossier.cells for name in cell.condition.between})
    if strange := sorted(set(case_between) - set(labels)):
        raise SpecError(
            "no cell of the dossier says how this label of the two sides lies",
            found=strange[0],
            expected=", ".join(labels) or "no label: the dossier has none",
        )
    # Authors of a class are each other's background.
    own = [data[name] for name in ("background", "class") if name in data]
    differs = [] if own == [there.data["background"]] else ["the background's texts"]
    differs += (
        []
        if there.data["methods"] == data["methods"]
        else [f"the verifiers, there {there.spec['verifiers']}"]
    )
    differs += (
        []
        if there.raven == __version__
        else [f"the version of Raven, there {there.raven}, here {__version__}"]
    )
    differs += [
        f"the {name}, there {there.spec[name]}, here {spec[name]}"
        for name in SAME_SYSTEM
        if there.spec[name] != spec[name]
    ]
    name = files.location(folder).resolve().name
    return Cited(
        folder=name,
        sha256=files.sha256(place),
        dossier=dossier,
        differs=differs,
        between=case_between,
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
                "this does not say how the two sides lie to each other",
                found=part.strip(),
                expected="topic=different, genre=essay>letter",
            )
        if value != "any":
            between[name] = value
    return between


def covering(citation: Cited, known: Sequence[int], questioned: int) -> CellResult | None:
    """The cell that a case with texts of so many words falls into: of those whose labels lie as the case's do and whose
    sizes are within the reach, the nearest; None where there is none."""
    best: tuple[float, CellResult] | None = None
    for cell in citation.dossier.cells:
        condition = cell.condition
        mean = sum(known) / len(known)
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


class DossierStanding(NamedTuple):
    """How a case stands to a dossier: the cell it falls into, whether it is ``valid`` (a cell of the same system that
    passed), and the sentence that says so or why not, without its full stop."""

    cell: CellResult | None
    valid: bool
    sentence: str


def standing(citation: Cited, known: Sequence[int], questioned: int) -> DossierStanding:
    """How a case with texts of so many words stands to a dossier."""
    cell = covering(citation, known, questioned)
    dossier = citation.dossier
    if citation.differs:
        other = (
            f"The dossier {citation.folder} validated another system; these differ:"
            f" {'; '.join(citation.differs)}"
        )
        return DossierStanding(cell, False, other)
    if cell is None:
        between = (
            ", ".join(f"{key} {value}" for key, value in citation.between.items())
            or "no label of them named"
        )
        return DossierStanding(
            cell,
            False,
            f"Within a factor of {dossier.criterion.reach:g} the dossier {citation.folder} has no"
            f" tested cell for {len(known)} known texts of about {round(sum(known) / len(known))}"
            f" words and a questioned text of {questioned} (how the sides lie: {between})",
        )
    c = cell.measures["cllr"]
    condition = cell.condition
    how = f": {'; '.join(cell.reasons)}" if cell.reasons else ""
    return DossierStanding(
        cell,
        cell.verdict == "passed",
        f"The case falls into the cell “{condition.name}” of the dossier {citation.folder}, which"
        f" {cell.verdict}{how} (C_llr {c.value:.2f}, 95% interval {c.low:.2f} to {c.high:.2f},"
        f" {cell.authors} authors; criterion fixed beforehand, SHA-256 {dossier.fixed[:12]}…)",
    )
