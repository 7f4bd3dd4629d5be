"""Reads a validation dossier for a comparison: which of its tested conditions covers a case, and may it be cited.

In: the folder of a dossier, how labels of the two sides differ (text), hashes of data, and counts of words of a case's
texts.
Out: ``Cited``; the ``CellResult`` (a cell is one tested condition) that covers a case, None where none does; a
``DossierStanding`` with a sentence. C_llr is in bits, devPAV in log10 units, mean LRs are no logarithms, rates are
shares from 0 to 1. InputError if the folder has no dossier or a damaged dossier, SpecError for labels that no
cell has and for a dossier that covers no case of this system.
``fixed_hash`` gives the criterion's SHA-256, ``place_of`` the file, ``parse_between`` labels.

``raven validate`` writes it beside its page as ``report/dossier.json``, under a hash.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from math import ceil, inf, log, log1p
from pathlib import Path
from typing import Any, Literal

import msgspec

from ravenbench import __version__, files
from ravenbench.errors import InputError, SpecError, first_names
from ravenbench.ext.case.like_case import rounded
from ravenbench.ext.case.likelihood_ratios import RATES, MeasureEstimate
from ravenbench.ext.case.sentences import beside, say
from ravenbench.statistics.estimates import Z
from ravenbench.store.records import Head, Record, open_record, read_record

FILE = "dossier.json"
Verdict = Literal["passed", "failed", "not tested"]
ANYWAY = "--unvalidated gives an answer nevertheless, and reports this"
SAME_SYSTEM = ("authors", "folds", "donors", "seed")
"""Options that decide LRs, besides background and verifiers."""


class Criterion(Record, frozen=True, kw_only=True):
    """Requirements for a cell to pass, each by the upper limit of its interval: C_llr (bits) is below ``cllr``; devPAV
    (log10) is at most ``devpav``; the mean LR of different-author pairs and the mean 1/LR of same-author pairs are at
    most ``mean``, and not shown to be above 1; both rates (proportions) of misleading LRs, of a log10 LR of ``strong``
    or more, are at most ``misleading``. ``reach`` is the factor in words and in number of texts within which a case
    belongs to a cell."""

    cllr: float
    devpav: float
    mean: float
    misleading: float
    strong: float
    reach: float

    @property
    def fewest_strong(self) -> int:
        """Minimum number of authors that support an LR of ``strong`` (``likelihood_ratios.supported``)."""
        return ceil(log(0.05) / log1p(-(10.0**-self.strong)))

    @property
    def fewest_shown(self) -> int:
        """Minimum number of authors with which a rate of 0 is shown to be at most ``misleading`` (Wilson's interval)."""
        return ceil(Z**2 * (1 / self.misleading - 1))

    def limits(self, people: float = inf) -> dict[str, float]:
        """The limits by their measures; of rates none where LRs of so many people do not get strong."""
        limits = {
            "cllr": self.cllr,
            "devpav": self.devpav,
            "mean_for": self.mean,
            "mean_against": self.mean,
        }
        if people < self.fewest_strong:
            return limits
        return limits | dict.fromkeys(RATES, self.misleading)

    def beforehand(self, people: int, authors: int) -> list[str]:
        """Return what a cell of this number of ``authors``, with this number of ``people`` to support its LRs, cannot
        show in any case."""
        values = {"strong": 10**self.strong, "limit": self.misleading}
        if people < self.fewest_strong:
            return [say("not applicable", people=people, needed=self.fewest_strong, **values)]
        shown = self.fewest_shown
        return [say("cannot show", needed=shown, **values)] * (authors < shown)


class Condition(Record, frozen=True, kw_only=True):
    """A kind of case: words of the questioned text and of each known text, the number of known ``texts``, and the
    relation of labels of the two sides: ``same``, ``different`` or ``KNOWN>QUESTIONED``; a label that is missing may
    have any relation."""

    name: str
    questioned: int
    known: int
    texts: int
    between: dict[str, str] = {}


class CellResult(Record, frozen=True, kw_only=True):
    """A cell: its condition, the number of authors with same-author pairs, numbers of same-author (``same``) and
    different-author pairs, every measure by its key, and its verdict with reasons if it did not pass, and with parts of
    the criterion that are not applicable."""

    condition: Condition
    authors: int
    same: int
    different: int
    measures: dict[str, MeasureEstimate]
    verdict: Verdict
    reasons: list[str]


class Dossier(Record, frozen=True, kw_only=True):
    """A whole dossier: its run, the criterion and the hash that fixed it beforehand, and every cell."""

    run: Head
    background: str
    criterion: Criterion
    fixed: str
    cells: list[CellResult]


class Cited(Record, frozen=True, kw_only=True):
    """A dossier as a comparison cites it: the name of its folder, its content, its file's hash, differences
    (``differs``) between the validated system and the one that compares, labels of the two sides of the case
    (``between``), and whether to answer cases that it does not cover."""

    folder: str
    sha256: str
    dossier: Dossier
    differs: list[str]
    between: dict[str, str]
    unvalidated: bool


def fixed_hash(criterion: Criterion, conditions: Sequence[Condition]) -> str:
    """Return the SHA-256 of a criterion and its conditions, as hexadecimal digits."""
    value = [
        msgspec.to_builtins(criterion),
        [msgspec.to_builtins(condition) for condition in conditions],
    ]
    return hashlib.sha256(
        json.dumps(value, sort_keys=True, ensure_ascii=False).encode()
    ).hexdigest()


def place_of(folder: str | Path) -> Path:
    """Return the file of a dossier. Raises InputError if the folder has none."""
    place = files.location(folder) / "report" / FILE
    if not place.is_file():
        raise InputError(
            "this folder does not contain a validation dossier",
            file=folder,
            expected="a finished folder of raven validate",
            fix=(
                "raven validate BACKGROUND --conditions conditions.csv -o FOLDER; if its page was"
                " removed, raven report FOLDER"
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
    """Read a dossier for a comparison with this spec and these hashes of data. Raises InputError if it is not a dossier
    or is damaged, SpecError if ``between`` cannot be read or names a label that no cell has. Unless ``unvalidated``,
    also raises SpecError if the dossier is of another system or if none of its cells for such sides passed."""
    place = place_of(folder)
    if open_record(place)[0] != "validate":
        raise InputError(
            "this is not a dossier of raven validate",
            file=place,
            fix="raven report FOLDER writes it again",
        )
    dossier = read_record(place, Dossier)
    there = dossier.run
    case_between = parse_between(between)
    labels = sorted({name for cell in dossier.cells for name in cell.condition.between})
    if strange := sorted(set(case_between) - set(labels)):
        raise SpecError(
            "no cell of the dossier uses this label",
            found=strange[0],
            expected=", ".join(labels) or "no label: the dossier has no labels",
        )
    folder = files.location(folder).resolve().name
    # Authors of a class are each other's background.
    background = [data[name] for name in ("background", "class") if name in data]
    versions = f" (dossier {there.raven}, here {__version__})"
    systems = {
        "the background's texts": background == [there.data["background"]],
        f"the verifiers (dossier {there.spec['verifiers']})": there.data["methods"]
        == data["methods"],
        f"the version of Raven{versions}": there.raven == __version__,
    }
    systems |= {
        f"the {name} (dossier {there.spec[name]}, here {spec[name]})": there.spec[name]
        == spec[name]
        for name in SAME_SYSTEM
    }
    differs = [how for how, alike in systems.items() if not alike]
    if not unvalidated and differs:
        why = say("other system", folder=folder, differs="; ".join(differs))
        raise SpecError(why, fix=f"give the options of the dossier; {ANYWAY}")
    passed = [one.condition.between for one in dossier.cells if one.verdict == "passed"]
    if not unvalidated and case_between not in passed:
        raise SpecError(
            say("none passed", folder=folder, between=_in_words(case_between)),
            found=first_names([f"{one.condition.name} {one.verdict}" for one in dossier.cells]),
            fix=f"validate with more authors or longer texts; {ANYWAY}",
        )
    return Cited(
        folder=folder,
        sha256=files.sha256(place),
        dossier=dossier,
        differs=differs,
        between=case_between,
        unvalidated=unvalidated,
    )


def _in_words(between: Mapping[str, str]) -> str:
    labels = (f"{name} {value}" for name, value in between.items())
    return ", ".join(labels) or "no label given"


def parse_between(text: str | None) -> dict[str, str]:
    """Return ``topic=different, genre=essay>letter`` by label. Raises SpecError if it cannot be read."""
    between: dict[str, str] = {}
    for part in (text or "").split(","):
        name, _, value = (piece.strip() for piece in part.partition("="))
        if not part.strip():
            continue
        if not name or not value or name in between:
            raise SpecError(
                "this does not describe the labels of the two sides",
                found=part.strip(),
                expected="topic=different, genre=essay>letter",
            )
        if value != "any":
            between[name] = value
    return between


def covering(citation: Cited, known: Sequence[int], questioned: int) -> CellResult | None:
    """Return the cell of a case with texts of these lengths: the nearest cell with the case's labels and sizes within
    the reach, or None."""
    # The case's lengths lie on this grid already.
    here = (questioned, sum(known) / len(known), len(known))
    near: list[tuple[float, CellResult]] = []
    for cell in citation.dossier.cells:
        one = cell.condition
        there = (rounded(one.questioned), rounded(one.known), one.texts)
        factors = [max(a / b, b / a) for a, b in zip(here, there, strict=True)]
        within = max(factors) <= citation.dossier.criterion.reach
        if one.between == citation.between and cell.verdict != "not tested" and within:
            near.append((float(factors[0] * factors[1] * factors[2]), cell))
    return min(near, key=lambda one: one[0])[1] if near else None


class DossierStanding(Record, frozen=True, kw_only=True):
    """Whether a dossier covers a case: ``valid`` if the case is in a cell of the same system that passed, a sentence
    with the reason, without its full stop, and the cell."""

    valid: bool
    sentence: str
    cell: CellResult | None


def standing(citation: Cited, known: Sequence[int], questioned: int) -> DossierStanding:
    """Return whether a dossier covers a case with texts of these lengths."""
    cell = covering(citation, known, questioned)
    dossier = citation.dossier
    values: dict[str, Any] = {"folder": citation.folder, "differs": "; ".join(citation.differs)}
    if citation.differs:
        return DossierStanding(valid=False, sentence=say("other system", **values), cell=cell)
    if cell is None:
        values |= {"reach": dossier.criterion.reach, "questioned": questioned, "texts": len(known)}
        values |= {"mean": round(sum(known) / len(known))}
        values |= {"between": _in_words(citation.between)}
        return DossierStanding(valid=False, sentence=say("no cell", **values), cell=cell)
    cost = cell.measures["cllr"]
    high = beside(cost.high, dossier.criterion.cllr)
    values |= {"value": cost.value, "low": cost.low, "high": high}
    values |= {"name": cell.condition.name, "verdict": cell.verdict, "authors": cell.authors}
    values |= {"how": f": {'; '.join(cell.reasons)}" if cell.reasons else ""}
    said = say("cell", fixed=dossier.fixed, **values)
    return DossierStanding(valid=cell.verdict == "passed", sentence=said, cell=cell)
