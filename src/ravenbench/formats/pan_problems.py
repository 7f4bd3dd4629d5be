"""Reading and writing PAN13–15 problems: ``ROOT/EN001/{known01.txt, …, unknown.txt}`` and ``ROOT/truth.txt``.

References
----------
Juola and Stamatatos, Overview of the Author Identification Task at PAN 2013; Stamatatos et al., the same for
2014 and 2015 (CLEF working notes).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from ravenbench.errors import FormatError, InputError
from ravenbench.files import write_json, write_text
from ravenbench.formats.archive import Archive, Split, split_of, split_roots
from ravenbench.formats.decoding import UTF8
from ravenbench.formats.names import checked_name
from ravenbench.formats.output import fresh_folder
from ravenbench.formats.problem_set import ProblemBuilder, ProblemSet
from ravenbench.types import Bools, Problems

_DOCUMENT = re.compile(r"(known\d*|unknown)\.txt\Z", re.IGNORECASE)
_ID_AS_PATH = "its id is a path, not a name"


def problem_roots(archive: Archive) -> list[str]:
    """Folders that hold problem folders ('' for the archive itself), sorted."""
    return sorted({_parent(_parent(name)) for name in archive.names if _is_document(name)})


def read_pan_problems(path: str | Path, split: Split | None = None, encoding: str | None = UTF8) -> list[ProblemSet]:
    """Read every corpus of problems in a folder or zip, sorted by name and split.

    Parameters
    ----------
    path : path
        A folder or zip holding one corpus or several, each with or without ``train/`` and ``test/``.
    split : 'train' or 'test', optional
        Take this part of each corpus that has parts.
    encoding : str or None
        Of texts that are not UTF-8, as ``decode`` takes it.

    Raises
    ------
    FormatError
        If nothing here is a PAN13–15 problem, the split is missing, a truth or contents file does not parse,
        or no problem of a corpus can be read.
    """
    with Archive(path, encoding) as archive:
        roots = problem_roots(archive)
        if not roots:
            shown = ", ".join(archive.names[:3]) or "nothing"
            raise FormatError(
                "there are no PAN13–15 problems here", file=path, found=shown,
                expected="folders such as EN001/ with known01.txt and unknown.txt",
            )  # fmt: skip
        return [_read(archive, root) for root in split_roots(roots, split, path)]


def write_pan_problems(
    path: str | Path,
    problems: Problems,
    same: Bools | None = None,
    language: str = "english",
    genre: str = "unknown",
) -> Path:
    """Write problems as a PAN13–15 folder, with ``truth.txt`` where ``same`` is given.

    The folder appears under its name only when it is complete.

    Raises
    ------
    InputError
        If the folder exists and is not empty, cannot be written, or an id cannot name a folder.
    """
    path = Path(path)
    for name in problems.ids.tolist():
        if not _is_plain(name):
            raise InputError("a problem id cannot name a folder", found=name, expected="a plain name such as EN001")
    with fresh_folder(path) as folder:
        for i, name in enumerate(problems.ids.tolist()):
            place = folder / name
            place.mkdir()
            for number, row in enumerate(problems.known(i), start=1):
                (place / f"known{number:02d}.txt").write_bytes(problems.texts.raw(row))
            (place / "unknown.txt").write_bytes(problems.texts.raw(problems.questioned_index[i]))
        write_json(folder / "contents.json", {"language": language, "genre": genre, "problems": problems.ids.tolist()})
        if same is not None:
            write_text(folder / "truth.txt", truth_text(problems.ids.tolist(), same))
    return path


def truth_text(ids: list[str], same: Bools) -> str:
    """The content of a ``truth.txt`` for these problems."""
    return "".join(f"{name} {'Y' if y else 'N'}\n" for name, y in zip(ids, same.tolist(), strict=True))


def read_truth_lines(archive: Archive, name: str) -> dict[str, bool]:
    """Read the ``EN001 Y`` lines of a ``truth.txt``.

    Raises
    ------
    FormatError
        If a line is anything else, an id stands twice, or the file is empty.
    """
    truth: dict[str, bool] = {}
    for number, line in archive.lines(name):
        parts = line.split()
        where: dict[str, Any] = {"file": archive.label(name), "line": number, "found": line}
        if len(parts) != 2 or parts[1].upper() not in ("Y", "N"):
            answers = len(parts) in (2, 3) and re.fullmatch(r"[\d.eE+-]+", parts[-1]) is not None
            raise FormatError(
                "these are answers, not truth" if answers else "not a line of truth", **where, expected="ID Y or ID N",
                fix="are truth and answers swapped?" if answers else None,
            )  # fmt: skip
        checked_name(parts[0], "an id", archive.label(name), number)
        if parts[0] in truth:
            raise FormatError("an id stands twice", **where)
        truth[parts[0]] = parts[1].upper() == "Y"
    if not truth:
        raise FormatError("the truth file is empty", file=archive.label(name))
    return truth


def read_contents(archive: Archive, name: str) -> tuple[str | None, str | None, list[str]]:
    """Read language, genre and ids from a ``contents.json`` (None and [] where it does not say).

    Raises
    ------
    FormatError
        If it is not a JSON object.
    """
    try:
        contents = json.loads(archive.text(name))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not JSON ({error})", file=archive.label(name)) from None
    if not isinstance(contents, dict):
        raise FormatError("not a JSON object", file=archive.label(name), expected='{"language", "genre", "problems"}')
    language, genre, ids = (contents.get(key) for key in ("language", "genre", "problems"))
    label = archive.label(name)
    return (
        checked_name(str(language), "the language", label) if language else None,
        checked_name(str(genre), "the genre", label) if genre else None,
        [checked_name(i, "an id", label) for i in ids if isinstance(i, str)] if isinstance(ids, list) else [],
    )


def corpus_name(archive: Archive, root: str) -> tuple[str, Split | None]:
    """The name and the split of the corpus at a place inside an archive."""
    base, split = split_of(root)
    if split is None and not root:
        # The path itself may be a corpus's train/ or test/ folder.
        path = archive.path.resolve()
        outer, split = split_of(path.name) if path.is_dir() else ("", None)
        return (path.parent.name if split and not outer else archive.stem), split
    return (PurePosixPath(base).name or archive.stem), split


def _read(archive: Archive, root: str) -> ProblemSet:
    name, split = corpus_name(archive, root)
    inside = f"{root}/" if root else ""
    folders: dict[str, list[str]] = {}
    for file in archive.names:
        if _parent(_parent(file)) == root and "/" in file[len(inside) :] and file.startswith(inside):
            folders.setdefault(PurePosixPath(file).parts[-2], []).append(file)
    truth = read_truth_lines(archive, inside + "truth.txt") if inside + "truth.txt" in archive else None
    language, genre, listed = (
        read_contents(archive, inside + "contents.json") if inside + "contents.json" in archive else (None, None, [])
    )
    named = dict.fromkeys([*listed, *(truth or {})])
    # Folders without a document that nobody lists are something else (documentation, figures).
    folders = {k: v for k, v in folders.items() if k in named or any(_is_document(file) for file in v)}
    faults: dict[str, str] = {}
    builder = ProblemBuilder()
    same: list[bool] = []
    for problem in sorted({*folders, *named}):
        fault = _fault(archive, problem, folders, truth)
        if fault is None:
            try:
                builder.add(problem, *_documents(archive, folders[problem]))
            except FormatError as error:
                fault = str(error).replace("\n  ", "; ")
        if fault is not None:
            faults[problem] = fault
        elif truth is not None:
            same.append(truth[problem])
    if not builder.ids:
        first = next(iter(faults))
        raise FormatError(f"no problem of {name} can be read", file=archive.path, found=f"{first}: {faults[first]}")
    return ProblemSet(
        name, builder.finish(), None if truth is None else np.array(same, dtype=bool), split, faults,
        _known(truth, faults), language, genre, tuple(builder.notes),
    )  # fmt: skip


def _fault(
    archive: Archive, problem: str, folders: Mapping[str, list[str]], truth: Mapping[str, bool] | None
) -> str | None:
    if not _is_plain(problem):
        return _ID_AS_PATH
    if problem not in folders:
        return "it is named in truth.txt or contents.json but has no folder"
    if truth is not None and problem not in truth:
        return "truth.txt does not name it"
    files = {PurePosixPath(file).name.lower() for file in folders[problem]}
    if "unknown.txt" not in files:
        return "unknown.txt is missing"
    if not any(_DOCUMENT.match(file) and file.startswith("known") for file in files):
        return "there is no known document"
    return None


def _documents(archive: Archive, files: list[str]) -> tuple[list[str], str]:
    known, unknown = [], ""
    for file in files:
        name = PurePosixPath(file).name.lower()
        if name == "unknown.txt":
            unknown = archive.text(file, published=True)
        elif _DOCUMENT.match(name):
            known.append(archive.text(file, published=True))
    return known, unknown


def _known(truth: Mapping[str, bool] | None, faults: Mapping[str, str]) -> dict[str, bool]:
    return {name: truth[name] for name in faults if name in truth} if truth else {}


def _is_document(name: str) -> bool:
    path = PurePosixPath(name)
    return len(path.parts) > 1 and _DOCUMENT.match(path.name) is not None


def _is_plain(name: str) -> bool:
    return bool(name) and name not in (".", "..") and not set(name) & set('/\\:\0*?"<>|') and not name.startswith(".")


def _parent(name: str) -> str:
    parent = str(PurePosixPath(name).parent)
    return "" if parent == "." else parent
