"""Reads reviews that people wrote in the viewer (``raven diff``, key ``e``): one JSON file for each text and grader.

In: the path of a folder.
Out: a list of ``Review``s: ``grade`` an int from 1 to 5 (1 = fluent) or None, ``verdict`` "correct", "passable",
"incorrect" or None (at least one of both); hashes of both texts (hexadecimal). InputError or FormatError if there is
none, a file is damaged or of another version, a grader has no name, or a grader graded a text twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from ravenbench.files import read_ordinary
from ravenbench.reading.account import fault
from ravenbench.reading.archive import walk
from ravenbench.reading.decoding import decode, from_json

VERSION = 1
"""Version of the file's form; the viewer writes it as ``review``."""
GRADES = range(1, 6)
"""How fluent a text is: 1 fluent … 5 unreadable."""
VERDICTS = ("correct", "passable", "incorrect")
"""Whether the meaning is preserved, the best first."""


@dataclass(frozen=True)
class Review:
    """One person's review of one rewriting, with at least a ``grade`` (1 to 5) or a ``verdict``.

    ``original`` and ``rewritten`` are the hashes of the two texts (hexadecimal), ``blind`` says whether the grader gave the
    grade before seeing the original.
    """

    file: Path
    grader: str
    id: str
    system: str
    original: str
    rewritten: str
    grade: int | None
    verdict: Literal["correct", "passable", "incorrect"] | None
    blind: bool


class _Version(msgspec.Struct):
    review: int


class _File(msgspec.Struct):
    id: str
    system: str
    original: str
    rewritten: str
    grade: int | float | None
    verdict: Literal["correct", "passable", "incorrect"] | None
    graded_blind: bool
    grader: str = ""


def read_reviews(folder: Path) -> list[Review]:
    """Read all ``.json`` files of a folder and its subfolders, by path.

    A grader who gave no name on the page gets the name of the folder within ``folder`` that contains the file. InputError if
    there is none, a file is damaged or of an unknown version, a grade is not a whole number from 1 to 5, the grader has no
    name, or a grader graded one text twice.
    """
    if not folder.is_dir():
        raise fault("no-such-folder-reviews", file=folder)
    files = [folder / name for name in walk(folder)[0] if name.endswith(".json")]
    if not files:
        raise fault("no-review-lies", file=folder)
    reviews: dict[tuple[str, str, str, str], Review] = {}
    for file in files:
        review = _read_review(
            file, "" if file.parent == folder else file.relative_to(folder).parts[0]
        )
        key = (review.grader, review.id, review.system, review.rewritten)
        if key in reviews:
            raise fault(
                "somebody-graded-one-text-twice",
                file=file,
                found=f"{review.id}, by {review.grader}, also in {reviews[key].file.name}",
            )
        reviews[key] = review
    return list(reviews.values())


def _read_review(file: Path, folder: str) -> Review:
    text = decode(read_ordinary(file), file)
    fix = "export it again in the viewer"
    from_json(text, file, problem="not a complete review", fix=fix)
    try:
        version = msgspec.json.decode(text, type=_Version).review
        if version != VERSION:
            raise fault(
                "review-unknown-version", file=file, found=version, expected=str(VERSION), fix=fix
            )
        review_file = msgspec.json.decode(text, type=_File)
    except (msgspec.DecodeError, RecursionError) as error:
        raise fault("no-whole-review", file=file, found=str(error), fix=fix) from None
    if review_file.grade is not None and review_file.grade not in GRADES:
        raise fault("no-such-grade", file=file, found=review_file.grade)
    if review_file.grade is None and review_file.verdict is None:
        raise fault("review-says-nothing", file=file)
    grader = review_file.grader.strip() or folder
    if not grader:
        raise fault("nobody-named-grader", file=file)
    grade = None if review_file.grade is None else int(review_file.grade)
    return Review(
        file,
        grader,
        review_file.id,
        review_file.system,
        review_file.original,
        review_file.rewritten,
        grade,
        review_file.verdict,
        review_file.graded_blind,
    )
