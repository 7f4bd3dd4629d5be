"""Which files of a folder or zip hold truth, and which hold answers."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from ravenbench.errors import FormatError
from ravenbench.formats.archive import Archive, Split, split_roots
from ravenbench.formats.pan_pairs import first_record, is_truth
from ravenbench.formats.tabular import is_lines

SWAPPED = "are truth and answers swapped?"
"""The fix where one stands in the place of the other."""


def truth_files(archive: Archive, split: Split | None) -> list[str]:
    """The files of truth in a place, of one part where it has several.

    Raises
    ------
    FormatError
        If there is none.
    """
    found = [n for n in archive.names if is_truth(n) and n.lower().endswith((".jsonl", ".ndjson", ".txt"))]
    places: dict[str, list[str]] = {}
    for name in found:
        places.setdefault(str(PurePosixPath(name).parent), []).append(name)
    kept = split_roots(sorted(places), split, archive.path)
    # truth.txt beside truth.jsonl says the same again.
    names = [n for place in kept for n in ([m for m in places[place] if is_lines(m)] or places[place])]
    if not names:
        answers = any(PurePosixPath(n).stem.lower() == "answers" for n in archive.names)
        raise FormatError(
            "there is no truth here, but answers" if answers else "there is no truth here", file=archive.path,
            expected="truth.jsonl or truth.txt",
            fix=SWAPPED if answers else "give the file of truth, or the folder it is in",
        )  # fmt: skip
    return names


def answer_files(archive: Archive) -> list[str]:
    """The files of answers in a place: those of that name, else those that look like it."""
    if archive.single:
        return archive.names
    texts = [n for n in archive.names if n.lower().endswith((".jsonl", ".ndjson", ".txt")) and not is_truth(n)]
    named = [n for n in texts if PurePosixPath(n).stem.lower() == "answers"]
    return named or [n for n in texts if _looks_like_answers(archive, n)]


def _looks_like_answers(archive: Archive, name: str) -> bool:
    if is_lines(name):
        return "value" in first_record(archive, name)
    try:
        _, line = next(archive.lines(name), (0, ""))
    except FormatError:
        return False
    return re.fullmatch(r"\S+\s+([YN-]|[YN-]\s+[\d.eE+-]+|[\d.eE+-]+)\s*", line) is not None


def is_json(archive: Archive, name: str) -> bool:
    """Whether a file that is not called ``.txt`` holds JSON lines."""
    return PurePosixPath(name).suffix.lower() != ".txt" and bool(first_record(archive, name))
