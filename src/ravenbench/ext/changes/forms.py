"""Reading and answering PAN's problems of several authors in one text (style change detection), 2018 to 2026.

    problem-1.txt                to 2021: paragraphs between blank lines; from 2022: a paragraph or a sentence a line
    problem-1.truth              2018: {"changes": true}; 2019: {"authors": 3}
    truth-problem-1.json         2020: {"multi-author": 1, "changes": [0, 1]}; 2021 also "paragraph-authors": [1, 1, 2];
                                 from 2022: {"changes": [0, 1]}, in some parts also "paragraph-authors"

Answers have the same keys, in ``problem-1.truth`` (2018, 2019) or ``solution-problem-1.json``. A set may have parts,
each a folder (``dataset1``; ``easy``, ``medium``, ``hard``), in or around which lie ``train``, ``validation`` and
``test``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any

from ravenbench.errors import FormatError, counted, remark, some
from ravenbench.files import write_json
from ravenbench.formats.archive import Archive
from ravenbench.formats.decoding import UTF8, from_json

LAST_FORM = 2022
"""Later years have the form of this one."""
SPLITS = ("train", "validation", "test")
MOST_SEGMENTS = 5000
"""Of a text; PAN's have a few dozen."""


@dataclass(frozen=True)
class Hands:
    """Who wrote what, in truth or as answered; None where it is not said.

    ``authors`` is their number; ``changes`` (segments − 1,) is 1 where a segment's author is not the one before;
    ``paragraph_authors`` (segments,) are numbers from 1.
    """

    authors: int | None = None
    changes: tuple[int, ...] | None = None
    paragraph_authors: tuple[int, ...] | None = None

    @property
    def multi(self) -> int:
        """1 if several authors wrote the text."""
        return int(any(self.changes) if self.changes is not None else (self.authors or 1) > 1)


@dataclass(frozen=True)
class ChangeProblem:
    """A text in segments; ``part`` is its folder in the set, without train, validation and test."""

    part: str
    name: str
    segments: tuple[str, ...]
    truth: Hands | None


def read_changes(
    path: str | Path, *, train: bool = False, form: int | None = None, encoding: str | None = UTF8
) -> tuple[list[ChangeProblem], int | None]:
    """Every problem in a folder or zip by part and number, and their form (2018 … 2022), None if no truth shows it.

    Of a set with several splits those of ``train`` are taken, or those of test, else of validation. ``form`` says how
    texts without truth are divided. FormatError if there is no problem, or a truth cannot be read or does not fit.
    """
    with Archive(path, encoding) as archive:
        every = [PurePosixPath(name) for name in archive.names]
        places = [place for place in every if place.name.startswith("problem-") and place.suffix == ".txt"]
        split = {place: next((step for step in place.parts if step in SPLITS), "") for place in places}
        order = SPLITS if train else SPLITS[::-1] if "test" in split.values() else SPLITS[1:] + SPLITS[:1]
        chosen = next((one for one in order if one in split.values()), "")
        places = [place for place in places if split[place] in (chosen, "")]
        truths = {place: truth for place in places if (truth := _truth(archive, place))}
        forms = {_form(*truth) for truth in truths.values()}
        if not places or len(forms) > 1:
            raise FormatError(
                "there are no problems of several authors of one form here", file=path, found=sorted(forms) or None,
                expected="problem-1.txt, problem-2.txt … and beside them truth-problem-1.json or problem-1.truth",
            )  # fmt: skip
        shown = next(iter(forms), None)
        problems = [_problem(archive, place, truths.get(place), shown or form) for place in places]
        remark(_lost(every, split, [place for place in places if truths and place not in truths]))
    return sorted(problems, key=lambda p: (p.part, len(p.name), p.name)), shown


def _lost(
    every: Sequence[PurePosixPath], texts: Iterable[PurePosixPath], lacking: Sequence[PurePosixPath]
) -> list[str]:
    """Sentences on texts that lack a truth, truths without a text, and files that are not read."""
    beside = {name for text in texts for name in (text, *_beside(text))}
    others = [place for place in every if place not in beside]
    truths = [place for place in others if place.suffix == ".truth" or place.name.startswith("truth-")]
    kinds = {
        "without a truth, where others have one": lacking, "of truth without a text": truths,
        "not read": [place for place in others if place not in truths],
    }  # fmt: skip
    return [f"{counted(len(of), 'file')} {what}: {some(map(str, of))}" for what, of in kinds.items() if of]


def _beside(text: PurePosixPath) -> tuple[PurePosixPath, PurePosixPath]:
    return text.with_suffix(".truth"), text.with_name(f"truth-{text.stem}.json")


def _truth(archive: Archive, place: PurePosixPath) -> tuple[str, dict[str, Any]] | None:
    """The truth beside a text, after the name that messages give it."""
    for beside in _beside(place):
        if str(beside) in archive:
            label = archive.label(str(beside))
            value = from_json(archive.text(str(beside)), label)
            if not isinstance(value, dict) or not {"changes", "authors"} & value.keys():
                raise FormatError("this is no truth", file=label, found=value, expected='{"changes": …}')
            return label, value
    return None


def _form(label: str, value: dict[str, Any]) -> int:
    if label.endswith(".truth"):
        return 2018 if isinstance(value.get("changes"), bool) else 2019
    return 2022 if "multi-author" not in value else 2021 if "paragraph-authors" in value else 2020


def _problem(
    archive: Archive, place: PurePosixPath, label_and_truth: tuple[str, dict[str, Any]] | None, form: int | None
) -> ChangeProblem:
    text, truth = archive.text(str(place), published=True), None
    blank, line = (tuple(text.strip("\n").split(sign)) for sign in ("\n\n", "\n"))
    by_lines = form == 2022 or (form not in (2020, 2021) and len(blank) == 1)
    segments = line if by_lines else blank
    if label_and_truth is not None:
        label, value = label_and_truth
        truth = _hands(value, label, form or 2022)
        if truth.changes is not None:
            tried = (segments, blank, line, tuple(text.split("\n")))
            segments = next((one for one in tried if len(one) == len(truth.changes) + 1), segments)
            if len(segments) != len(truth.changes) + 1:
                segments = min(tried, key=lambda one: abs(len(one) - len(truth.changes or ()) - 1))
            if {len(truth.changes) + 1, len(truth.paragraph_authors or segments)} != {len(segments)}:
                raise FormatError(
                    "truth does not fit the text", file=label, found=f"{len(truth.changes)} places between segments",
                    expected=f"{len(segments) - 1}, and an author for each segment, as in {place.name}",
                )  # fmt: skip
    if len(segments) > MOST_SEGMENTS:
        raise FormatError(
            "there are too many paragraphs for one problem", file=archive.label(str(place)), found=f"{len(segments):,}",
            expected=f"at most {MOST_SEGMENTS:,}",
        )  # fmt: skip
    part = "/".join(step for step in place.parts[:-1] if step not in SPLITS)
    return ChangeProblem(part, place.stem, segments, truth)


def _hands(value: dict[str, Any], label: str, form: int) -> Hands:
    def whole(key: str, least: int, most: int, given: Any) -> int:
        if not isinstance(given, int) or not least <= given <= most:
            raise FormatError(f"{key} cannot be this", file=label, found=given, expected=f"{least} to {most}")
        return int(given)

    def several(key: str, least: int, most: int) -> tuple[int, ...]:
        if not isinstance(value.get(key), list):
            raise FormatError(f"{key} is no list", file=label, found=value.get(key))
        return tuple(whole(key, least, most, one) for one in value[key])

    if form == 2018:
        return Hands(authors=1 + whole("changes", 0, 1, value.get("changes")))
    if form == 2019:
        return Hands(authors=whole("authors", 1, 1000, value.get("authors")))
    authors = several("paragraph-authors", 1, 1000) if "paragraph-authors" in value else None
    changes = several("changes", 0, 1)
    by_authors = [int(a != b) for a, b in pairwise(authors or ())]
    own, multi = len({*authors}) if authors else None, value.get("multi-author")
    if (
        (authors and len(authors) == len(changes) + 1 and by_authors != [*changes])
        or (own is not None and isinstance(value.get("authors"), int) and value["authors"] != own)
        or (isinstance(multi, int) and bool(multi) != any(changes))
    ):
        raise FormatError(
            "the truth contradicts itself", file=label, found=value,
            expected="a change wherever paragraph-authors change, and as many authors as there are",
            fix="mend or remove this problem",
        )  # fmt: skip
    return Hands(None, changes, authors)


def write_solutions(folder: Path, problems: Sequence[ChangeProblem], answers: Sequence[Hands], form: int) -> None:
    """Write the answer to every problem into a folder, in PAN's form and below the problem's part."""
    for problem, answer in zip(problems, answers, strict=True):
        (folder / problem.part).mkdir(parents=True, exist_ok=True)
        name, value = f"solution-{problem.name}.json", dict[str, Any]()
        if form < 2020:
            name = f"{problem.name}.truth"
            value = {"changes": bool(answer.multi)} if form == 2018 else {"authors": answer.authors}
        else:
            value |= {"multi-author": answer.multi} if form < 2022 else {}
            value |= {"changes": answer.changes}
            value |= {"paragraph-authors": answer.paragraph_authors} if answer.paragraph_authors else {}
        write_json(folder / problem.part / name, value)
