"""Reads and writes problems in the format of PAN 2013 to 2015: ROOT/EN001/known01.txt, …, unknown.txt, ROOT/truth.txt.

In: an open ``Archive`` and places in it; ``Problems`` to write.
Out: ``ProblemSet``s, ``FORMAT``; truth by id; or a folder (its path is returned). Lines count from 1. FormatError for
what does not parse, InputError for a place that Raven cannot write.

References
----------
Juola and Stamatatos, Overview of the Author Identification Task at PAN 2013; Stamatatos et al., the same for 2014 and
2015.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ravenbench.errors import (
    FormatError,
)
from ravenbench.files import (
    write_json,
    write_text,
)
from ravenbench.outputs import fresh_folder
from ravenbench.reading.account import fault, noted
from ravenbench.reading.archive import Archive, Split, split_roots
from ravenbench.reading.decoding import Faults, checked_name, from_json
from ravenbench.reading.problem_sets import (
    ID_TWICE,
    NOT_TRUTH,
    OF_TRUTH,
    SWAPPED,
    ProblemBuilder,
    ProblemFormat,
    ProblemSet,
    corpus_name,
    is_truth,
    truth_of_faults,
)
from ravenbench.reading.remarks import (
    ids_apart,
)
from ravenbench.text.damage import SCRIPTS, script_of
from ravenbench.types import Bools, Problems

_DOCUMENT = re.compile(r"(known\d*|unknown)\.txt\Z", re.IGNORECASE)


_ID_AS_PATH = "its id is a path, not a name"


def problem_roots(archive: Archive) -> list[str]:
    """Return the folders that contain problem folders ('' for the archive itself), sorted.

    If no folder has a questioned document, contents or truth, known documents belong to authors (candidates).
    """
    folders = {_parent(name) for name in archive.names if _is_document(name)}
    roots = {_parent(folder) for folder in folders} - folders
    signed = {_parent(name) for name in archive.names if is_truth(name)}
    signed |= {_parent(name) for name in archive.names if _name(name) == "contents.json"}
    questioned = (name for name in archive.names if _name(name).lower() == "unknown.txt")
    signed |= {_parent(_parent(name)) for name in questioned}
    return sorted(roots) if roots & signed else []


def write_pan_problems(
    path: str | Path,
    problems: Problems,
    same: Bools | None = None,
    language: str = "english",
    genre: str = "unknown",
) -> Path:
    """Write problems as a PAN13–15 folder, with ``truth.txt`` if ``same`` is given.

    The folder gets its name only when it is complete. InputError if the folder exists and is not empty, cannot
    be written, or an id cannot be a folder's name.
    """
    path = Path(path)
    for name in problems.ids.tolist():
        if not _is_plain(name):
            raise fault("problem-id-cannot-name-folder", found=name)
    with fresh_folder(path) as folder:
        for i, name in enumerate(problems.ids.tolist()):
            problem_folder = folder / name
            problem_folder.mkdir()
            for number, row in enumerate(problems.known(i), start=1):
                (problem_folder / f"known{number:02d}.txt").write_bytes(problems.texts.raw(row))
            (problem_folder / "unknown.txt").write_bytes(
                problems.texts.raw(problems.questioned_index[i])
            )
        write_json(
            folder / "contents.json",
            {"language": language, "genre": genre, "problems": problems.ids.tolist()},
        )
        if same is not None:
            write_text(folder / "truth.txt", truth_text(problems.ids.tolist(), same))
    return path


def truth_text(ids: list[str], same: Bools) -> str:
    """Return the content of a ``truth.txt``: a line ``ID Y`` (same author) or ``ID N`` for each problem."""
    return "".join(
        f"{name} {'Y' if y else 'N'}\n" for name, y in zip(ids, same.tolist(), strict=True)
    )


def read_truth_lines(archive: Archive, name: str) -> dict[str, bool]:
    """Read truth by id from the ``EN001 Y`` lines of a ``truth.txt``; True = Y, same author.

    FormatError, with all such lines, if lines have another form or an id is duplicate; or if the file is empty.
    """
    truth: dict[str, bool] = {}
    faults = Faults(OF_TRUTH)
    for number, line in archive.lines(name):
        words = line.split()
        location: dict[str, Any] = {"file": archive.label(name), "line": number, "found": line}
        if len(words) in (2, 3) and re.fullmatch(r"[\d.eE+-]+", words[-1]) is not None:
            raise FormatError(NOT_TRUTH, **location, expected="ID Y or ID N", fix=SWAPPED)
        with faults.gathered():
            if len(words) != 2 or words[1].upper() not in ("Y", "N"):
                fix = "write the problem's id, a space, and Y (same author) or N"
                raise fault("not-line-truth", **location, fix=fix)
            checked_name(words[0], "an id", archive.label(name), number)
            if words[0] in truth:
                raise FormatError(ID_TWICE, **location, fix="keep the line that is right")
            truth[words[0]] = words[1].upper() == "Y"
    faults.check()
    if not truth:
        raise fault("truth-file-empty", file=archive.label(name))
    return truth


def read_contents(archive: Archive, name: str) -> tuple[str | None, str | None, list[str]]:
    """Read language, genre and ids from a ``contents.json`` (None and [] if absent).

    FormatError if it is not a JSON object.
    """
    contents = from_json(archive.text(name), archive.label(name), problem="not JSON")
    if not isinstance(contents, dict):
        raise fault("not-json-object", file=archive.label(name))
    language, genre, ids = (contents.get(key) for key in ("language", "genre", "problems"))
    label = archive.label(name)
    return (
        checked_name(str(language), "the language", label) if language else None,
        checked_name(str(genre), "the genre", label) if genre else None,
        (
            [checked_name(i, "an id", label) for i in ids if isinstance(i, str)]
            if isinstance(ids, list)
            else []
        ),
    )


def _read_problem_folders(archive: Archive, root: str) -> ProblemSet:
    name, split = corpus_name(archive, root)
    inside = f"{root}/" if root else ""
    folders: dict[str, list[str]] = {}
    for file in archive.names:
        if "/" in file[len(inside) :] and file.startswith(inside):
            folders.setdefault(file[len(inside) :].partition("/")[0], []).append(file)
    truth = (
        read_truth_lines(archive, inside + "truth.txt") if inside + "truth.txt" in archive else None
    )
    language, genre, listed = (
        read_contents(archive, inside + "contents.json")
        if inside + "contents.json" in archive
        else (None, None, [])
    )
    named = dict.fromkeys([*listed, *(truth or {})])
    # Folders without a document that nobody lists are something else (documentation, figures).
    texts = {
        k: [name for name in several if _is_document(name) and _parent(name) == inside + k]
        for k, several in folders.items()
    }
    folders = {k: several for k, several in folders.items() if k in named or texts[k]}
    unread = [file for k, several in folders.items() for file in several if file not in texts[k]]
    texts = {k: texts[k] for k in folders}
    faults: dict[str, str] = {}
    builder = ProblemBuilder()
    same: list[bool] = []
    for problem in sorted({*folders, *named}):
        fault = _fault(problem, texts, truth)
        if fault is None:
            try:
                builder.add(problem, *_documents(archive, texts[problem]))
            except FormatError as error:
                fault = str(error).replace("\n  ", "; ")
        if fault is not None:
            faults[problem] = fault
        elif truth is not None:
            same.append(truth[problem])
    zeros = ids_apart(folders, truth or named)
    if not builder.ids:
        first = next(iter(faults))
        problem = f"Raven cannot read any problem of {name}"
        raise FormatError(
            problem,
            file=archive.path,
            found=f"{first}: {faults[first]}",
            fix=str(zeros[0]) if zeros else None,
        )
    builder.notes += zeros
    builder.notes += noted("unread-in-problems", unread)
    builder.notes += noted("unlisted-problems", sorted({*folders} - {*listed}) if listed else ())
    problems = builder.finish()
    script = SCRIPTS.get((language or "").casefold())
    if script is not None and (written := script_of(problems.texts[0])) not in (None, script):
        builder.notes += noted(
            "script-otherwise", count=1, language=str(language), written=str(written)
        )
    return ProblemSet(
        name,
        problems,
        None if truth is None else np.array(same, dtype=bool),
        split,
        faults,
        truth_of_faults(truth, faults),
        language,
        genre,
        tuple(builder.notes),
        root,
    )


def _fault(
    problem: str, texts: Mapping[str, list[str]], truth: Mapping[str, bool] | None
) -> str | None:
    if not _is_plain(problem):
        return _ID_AS_PATH
    if problem not in texts:
        return "truth.txt or contents.json names it, but it has no folder"
    if truth is not None and problem not in truth:
        return "truth.txt does not contain it, so Raven does not answer or score it"
    files = [_name(file).lower() for file in texts[problem]]
    if files.count("unknown.txt") > 1:
        return "it has several files unknown.txt that differ in letter case"
    if "unknown.txt" not in files:
        return "unknown.txt not found"
    if not any(_DOCUMENT.match(file) and file.startswith("known") for file in files):
        return "no known document"
    return None


def _documents(archive: Archive, files: list[str]) -> tuple[list[str], str]:
    known = []
    unknown = ""
    for file in files:
        name = _name(file).lower()
        if name == "unknown.txt":
            unknown = archive.text(file, published=True)
        elif _DOCUMENT.match(name):
            known.append(archive.text(file, published=True))
    return known, unknown


def _is_document(name: str) -> bool:
    return "/" in name and _DOCUMENT.match(_name(name)) is not None


def _is_plain(name: str) -> bool:
    return (
        bool(name)
        and name not in (".", "..")
        and not set(name) & set('/\\:\0*?"<>|')
        and not name.startswith(".")
    )


def _name(name: str) -> str:
    return name.rpartition("/")[2]


def _parent(name: str) -> str:
    return name.rpartition("/")[0]


def _read(archive: Archive, roots: list[str], split: Split | None, _: bool) -> list[ProblemSet]:
    return [
        _read_problem_folders(archive, root) for root in split_roots(roots, split, archive.path)
    ]


FORMAT = ProblemFormat(1, problem_roots, _read, signed=False)
