"""Every file of a finished run damaged in turn: told by name or computed again, and never another answer."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

from campaigns.job import differences, state, work
from campaigns.outcome import Outcome
from ravenbench.errors import RavenError
from ravenbench.reports.report import report_of
from ravenbench.store.store import Store


def _truncated(place: Path) -> None:
    data = place.read_bytes()
    place.write_bytes(data[: len(data) // 2])


def _flipped(place: Path) -> None:
    data = bytearray(place.read_bytes())
    data[len(data) // 2] ^= 1
    place.write_bytes(data)


def _folder(place: Path) -> None:
    place.unlink()
    place.mkdir()


def _full_folder(place: Path) -> None:
    _folder(place)
    (place / "something").write_text("of the user's")


DAMAGES: dict[str, Callable[[Path], object]] = {
    "truncated": _truncated,
    "flipped": _flipped,
    "emptied": lambda place: place.write_bytes(b""),
    "removed": Path.unlink,
    "replaced by an empty folder": _folder,
    "replaced by a folder that holds a file": _full_folder,
}
UNPLANNED = {
    "run.json": "not a run folder",
    "plan.json": "was interrupted before Raven had planned it",
}
"""What is said of a folder that lacks one of these."""


def told(folder: Path) -> str:
    """What a report says of a run, as JSON, or the error that it ends with."""
    try:
        store = Store.open(folder)
        return json.dumps(report_of(store).to_json(), sort_keys=True, default=str)
    except RavenError as error:
        return f"refused: {error}"


def damage_files(
    outcome: Outcome, scratch: Path, whole: Path, seed: int, each: int | None = None
) -> None:
    """Damage every file of a run in every way (or ``each`` files drawn for every way); report, and repeat the run."""
    expected, said = state(whole), told(whole)
    rng, folder = random.Random(f"damage-{seed}"), scratch / "damaged"
    names = sorted(expected)
    cases = [
        (how, name)
        for how in DAMAGES
        for name in (names if each is None else rng.sample(names, each))
    ]
    rng.shuffle(cases)
    while outcome.wants(2 * len(cases)):
        how, name = cases[outcome.tried // 2]
        shutil.copytree(whole, folder)
        DAMAGES[how](folder / name)
        case = f"seed {seed}, {name} {how}"
        outcome.count(*_reported(outcome, folder, name, said, case))
        outcome.count(*_repeated(outcome, folder, name, expected, case))
        shutil.rmtree(folder)


def _reported(outcome: Outcome, folder: Path, name: str, said: str, case: str) -> tuple[bool, str]:
    """A report must be the same, or refuse with the file's name, or count the cell as missing."""
    try:
        found = told(folder)
        if found == said:
            outcome.note("reports that did not need the file")
            return True, ""
        if found.startswith("refused: "):
            outcome.note("reports that named the file, or said that no planned run is here")
            well = Path(name).name in found or (name in UNPLANNED and UNPLANNED[name] in found)
            return well, f"{case}: the report names another file: {found[:200]}"
        missing = len(Store.open(folder).unanswered())
    except Exception as error:
        return False, f"{case}: the report raised {type(error).__name__}: {error}"
    outcome.note("reports that counted the cell as missing")
    return name.startswith(
        "cells/"
    ) and missing == 1, f"{case}: the report says other things and {missing} are missing"


def _repeated(
    outcome: Outcome, folder: Path, name: str, expected: dict[str, str], case: str
) -> tuple[bool, str]:
    """The repeated run must mend the folder, or name the folder that stands in a file's place."""
    try:
        try:
            work(folder)
        except RavenError as error:
            if name.split("/")[-1] not in str(error) or not (folder / name).is_dir():
                return False, f"{case}: repeating raised {error}"
            outcome.note("repeated runs that named the folder in the way")
            shutil.rmtree(folder / name)
            work(folder)
        wrong = differences(state(folder), expected)
    except Exception as error:
        return False, f"{case}: repeating raised {type(error).__name__}: {error}"
    return not wrong, f"{case}: repeating gave other files: {wrong[:3]}"
