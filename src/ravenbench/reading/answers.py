"""Reads and writes truth and answers in PAN's forms: jsonl (2020–23), ``ID score`` (2014/15), ``ID Y|N|- [score]``
(2013).

In: the path of a file, folder or zip; truth and answers to align or to write.
Out: ``Truth`` (n problems; ``same`` (n,) bool, True = same author), ``SystemAnswers`` (``value`` (n,) from 0 to 1,
higher = same author, 0.5 = unanswered), ``Aligned`` (answers in truth's order, 0.5 where missing), files of answers,
or PAN's measures (each 0 to 1, three decimals, or None) as ``out.json`` and ``evaluation.prototext``. FormatError for
lines that do not parse, InputError for unknown problems or a place that Raven cannot write.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import msgspec
import numpy as np

from ravenbench.errors import FormatError, InputError, MissingPart, remark, some, writable
from ravenbench.files import location
from ravenbench.metrics.pan import FORM_2020, STANDARD, scores
from ravenbench.outputs import check_file, whole_file
from ravenbench.reading.account import Note, fault, noted
from ravenbench.reading.archive import LINE_LIMIT, Archive, Split, split_roots
from ravenbench.reading.decoding import NAME_LIMIT, Faults, checked_name
from ravenbench.reading.problem_formats.pair_tables import OPPOSITES, SAME, plain_key
from ravenbench.reading.problem_formats.pan_folders import read_contents, read_truth_lines
from ravenbench.reading.problem_formats.pan_pairs import first_record, read_truth_records
from ravenbench.reading.problem_sets import SWAPPED, WORDINGS, Wording, is_truth
from ravenbench.reading.remarks import ids_apart, spelt_alike
from ravenbench.reading.tabular import is_lines, parsed, record_id, stem_of, table_kind, table_rows
from ravenbench.text.names import name_key
from ravenbench.types import Answers, Bools, Floats, Ints, Labels, Measures, Strings, name_array

MOST_FAULTS = 10
"""Number of faults in answers that an error lists; it counts all."""


def truth_files(archive: Archive, split: Split | None) -> list[str]:
    """Return the files of truth in a place; of one part, if it has several. FormatError if there is none."""
    truths = [
        n for n in archive.names if is_truth(n) and (is_lines(n) or n.lower().endswith(".txt"))
    ]
    files_by_folder: dict[str, list[str]] = {}
    for name in truths:
        files_by_folder.setdefault(str(PurePosixPath(name).parent), []).append(name)
    roots_read = split_roots(sorted(files_by_folder), split, archive.path)
    # truth.txt beside truth.jsonl says the same again.
    names = [
        n
        for folder in roots_read
        for n in [name for name in files_by_folder[folder] if is_lines(name)]
        or files_by_folder[folder]
    ]
    if not names:
        answers = any(PurePosixPath(n).stem.lower() == "answers" for n in archive.names)
        raise FormatError(
            "these are answers, not truth" if answers else "no truth found here",
            file=archive.path,
            expected="truth.jsonl or truth.txt",
            fix=SWAPPED if answers else "give the file of truth, or its folder",
        )
    return names


def answer_files(archive: Archive) -> list[str]:
    """Return the files of answers in a place: files of that name, otherwise files that look like answers."""
    if archive.single:
        return archive.names
    texts = [
        n
        for n in archive.names
        if (table_kind(n) or n.lower().endswith(".txt")) and not is_truth(n)
    ]
    named = [n for n in texts if stem_of(n).lower() == "answers"]
    return named or [n for n in texts if looks_like_answers(archive, n)]


def looks_like_answers(archive: Archive, name: str) -> bool:
    """Return whether a file contains answers, by its columns or its first line."""
    if table_kind(name) is not None:
        with suppress(FormatError, MissingPart):
            columns = next(table_rows(archive, name), (0, {}))[1].keys()
            return "text" not in columns and not {"value", *GENERATED}.isdisjoint(columns)
        return False
    try:
        _, line = next(archive.lines(name), (0, ""))
    except FormatError:
        return False
    return re.fullmatch(r"\S+\s+([YN-]|[YN-]\s+[\d.eE+-]+|[\d.eE+-]+)\s*", line) is not None


def is_table(archive: Archive, name: str) -> bool:
    """Return whether a file is a table by its name, or contains JSON lines and does not end in ``.txt``."""
    return table_kind(name) is not None or (
        PurePosixPath(name).suffix.lower() != ".txt" and bool(first_record(archive, name))
    )


GENERATED = ("label", "is_human")
"""Fields with the answers to PAN's tasks on generated content, 2025 and 2024."""
_PREFIX = re.compile(r"([A-Za-z]+)\d+\Z")
_DECISIONS = {"Y": 1.0, "N": 0.0, "-": 0.5}


@dataclass(frozen=True, eq=False)
class Truth:
    """The truth of n problems: ``same`` (n,) bool, True = same author.

    Attributes
    ----------
    ids : (n,) str
    same : (n,) bool
    authors : (n, 2) int64, or None
        Codes into ``author_names``; −1 if the file names no authors for a problem.
    author_names : tuple of str
    group : Labels, or None
        Language and genre (``dutch essays``), or the letters that PAN13–15 ids begin with.
    about : str
        What the truth is about: a key of ``reading.problem_sets.WORDINGS``.
    """

    ids: Strings
    same: Bools
    authors: Ints | None = None
    author_names: tuple[str, ...] = ()
    group: Labels | None = None
    about: str = "authors"

    @property
    def words(self) -> Wording:
        """Return the words that pages use for this truth."""
        return WORDINGS[self.about]

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, eq=False)
class SystemAnswers(Answers):
    """The n answers of one system, with its name: ``value`` (n,) from 0 to 1, higher = same author.

    Attributes
    ----------
    decision : (n,) float64, or None
        The Y/N field of PAN13 answers: 1 = Y, 0 = N, 0.5 = unanswered. c@1 uses it there, AUC uses ``value``.
    notes : tuple of Note
        Repairs that the user asked for.
    file : str
        The file they were read from, or "".
    lines : (n,) int64, or None
        The line of each answer, from 1.
    faults : tuple of InputError
        The errors of lines that Raven leaves out.
    """

    system: str = ""
    decision: Floats | None = None
    notes: tuple[Note, ...] = ()
    file: str = ""
    lines: Ints | None = None
    faults: tuple[InputError, ...] = ()


class Aligned(NamedTuple):
    """Answers in the order of truth: ``value`` (n,) from 0 to 1, 0.5 where missing; ``missing`` (n,) bool; ``decision``
    (n,) of 0, 0.5 and 1, or None."""

    value: Floats
    missing: Bools
    decision: Floats | None


def read_truth(path: str | Path, split: Split | None = None) -> Truth:
    """Read the ``Truth`` in a file, folder or zip; Raven joins several truth files of one place.

    FormatError if there is none, a line does not parse (Raven recognises answers given as truth), or an id is duplicate.
    """
    with Archive(path) as archive:
        names = archive.names if archive.single else truth_files(archive, split)
        ids: list[str] = []
        is_same: list[bool] = []
        authors: list[tuple[str, str] | None] = []
        group: list[str | None] = []
        about = "authors"
        for name in names:
            if is_table(archive, name):
                records = read_truth_records(archive, name)
                ids += records
                is_same += [record.same for record in records.values()]
                authors += [record.authors for record in records.values()]
                about = next((record.about for record in records.values()), about)
                group += [None] * len(records)
            else:
                lines = read_truth_lines(archive, name)
                if re.search("answers", PurePosixPath(name).stem, re.IGNORECASE):
                    raise fault("answers-not-truth", file=archive.label(name), fix=SWAPPED)
                ids += lines
                is_same += lines.values()
                authors += [None] * len(lines)
                group += _groups(archive, name, list(lines))
    if len(set(ids)) < len(ids):
        twice = Counter(ids).most_common(1)[0][0]
        raise fault("id-in-several-truth-files", file=path, found=twice)
    joined: list[Note] = []
    labels = Labels.of(
        spelt_alike(
            [author for pair in authors for author in pair or (None, None)],
            joined,
            "author's name",
            name_key,
        )
    )
    group_labels = spelt_alike(group, joined, "group")
    remark(joined, path)
    return Truth(
        name_array(ids),
        np.asarray(is_same, dtype=bool),
        labels.codes.reshape(-1, 2) if labels.names else None,
        labels.names,
        Labels.of(group_labels) if any(group) else None,
        about,
    )


def read_answers(
    path: str | Path, lenient: bool = False, faults: Faults | None = None
) -> SystemAnswers:
    """Read one system's answers (values from 0 to 1) from a file, folder or zip.

    Raven adds errors of lines to ``faults``, if given.

    FormatError if there is not exactly one file of answers, or a line does not parse: not JSON, no id or value, a
    value that is a string, a list, NaN, infinite or outside [0, 1], a duplicate id, an empty file, truth. ``lenient``
    takes the number out of a value such as ``[0.5]`` and notes this in ``notes``.
    """
    with Archive(path) as archive:
        names = answer_files(archive)
        if len(names) != 1:
            raise fault(
                "expected-one-file-answers", file=path, found=", ".join(names[:5]) or "none"
            )
        gathering = answer_faults() if faults is None else faults
        answers = _read_system(archive, names[0], lenient, gathering)
    if faults is None:
        gathering.check()
    return answers


def answer_faults() -> Faults:
    """Return a collector for all faults of all submissions."""
    return Faults("faults in the answers", MOST_FAULTS, values=True)


def read_systems(
    path: str | Path, lenient: bool = False, faults: Faults | None = None
) -> list[SystemAnswers]:
    """Read the answers of every system in a file, folder or zip (values from 0 to 1), sorted by name.

    Raven reports all faults of all files in one error, or adds them to ``faults``, which the caller checks.

    A system's name is the folder of its ``answers.jsonl`` or ``answers.txt``, or the stem of its file. FormatError as
    ``read_answers``, or if two systems have the same name.
    """
    with Archive(path) as archive:
        names = answer_files(archive)
        if not names:
            truth = any(is_truth(n) for n in archive.names)
            raise FormatError(
                "this is truth, not answers" if truth else "no answers found here",
                file=path,
                found=some(archive.names),
                expected="answers.jsonl or answers.txt, or a table with the columns id and value",
                fix=(
                    SWAPPED
                    if truth
                    else "give the folder with a system's answers.jsonl or answers.txt"
                ),
            )
        gathering = answer_faults() if faults is None else faults
        systems = sorted(
            (_read_system(archive, name, lenient, gathering) for name in names),
            key=lambda system_answers: system_answers.system,
        )
        about = ("readme", "license", "licence")
        other_files = [n for n in archive.names if n not in names and not is_truth(n)]
        unread = [n for n in other_files if stem_of(n).lower() not in about]
    remark([*archive.account(), *noted("unread-answers", unread)], path)
    if faults is None:
        gathering.check()
    for first_system, second_system in pairwise(systems):
        if first_system.system == second_system.system:
            raise fault("two-systems-of-one-name", file=path, found=first_system.system)
    return systems


def align(truth: Truth, answers: Answers) -> Aligned:
    """Return the answers as ``Aligned``, in the order of truth, with 0.5 for a missing answer.

    InputError if answers name problems that truth does not contain."""
    row = {name: i for i, name in enumerate(truth.ids.tolist())}
    positions = np.array([row.get(name, -1) for name in answers.ids.tolist()], dtype=np.int64)
    if np.any(positions < 0):
        unknown = answers.ids[positions < 0].tolist()
        system = "the system"
        location: dict[str, Any] = {}
        if isinstance(answers, SystemAnswers):
            system = answers.system or system
            first_line = (
                None if answers.lines is None else int(answers.lines[int(np.argmax(positions < 0))])
            )
            location = {"file": answers.file or None, "line": first_line}
        number_unknown = "a problem" if len(unknown) == 1 else f"{len(unknown)} problems"
        raise fault(
            "answers-truth-not",
            found=", ".join(unknown[:3]),
            expected=f"ids such as {truth.ids[0]}" if len(truth) else None,
            fix=next(
                map(str, ids_apart(unknown, truth.ids.tolist())),
                "does this truth belong to these answers?",
            ),
            **location,
            system=system,
            number_unknown=number_unknown,
        )
    value = np.full(len(truth), 0.5)
    value[positions] = answers.value
    missing = np.ones(len(truth), dtype=bool)
    missing[positions] = False
    decision: Floats | None = None
    if isinstance(answers, SystemAnswers) and answers.decision is not None:
        decision = np.full(len(truth), 0.5)
        decision[positions] = answers.decision
    return Aligned(value, missing, decision)


def write_answers(path: str | Path, answers: Answers) -> Path:
    """Write ``{"id", "value"}`` lines, or ``ID value`` lines if the name ends in ``.txt``; nothing is rounded.

    InputError if Raven cannot write the file, or a ``.txt`` would contain an id with white space.
    """
    path = location(path)
    data = answer_bytes(answers, plain=path.suffix.lower() == ".txt")
    with whole_file(path) as file:
        file.write(data)
    return path


def answer_bytes(answers: Answers, *, plain: bool = False) -> bytes:
    """Return what ``write_answers`` writes, in the plain form of ``.txt`` or as JSON lines.

    InputError if the plain form would contain an id with white space.
    """
    lines = []
    for name, value in zip(answers.ids.tolist(), answers.value.tolist(), strict=True):
        if plain and name.split() != [name]:
            raise fault("id-with-white-space", found=name)
        lines.append(
            f"{name} {value!r}"
            if plain
            else json.dumps({"id": name, "value": value}, ensure_ascii=False)
        )
    return "".join(f"{line}\n" for line in lines).encode()


_KINDS = {str: "a string", bool: "true or false", type(None): "null"}
_TRUTH = (
    "write a number: 1 for true and 0 for false, if they mean the same author and different authors"
)
_UNANSWERED = "add a value, or leave the line out: a problem without an answer counts as 0.5"


def _groups(archive: Archive, name: str, ids: list[str]) -> list[str | None]:
    contents = str(PurePosixPath(name).parent / "contents.json")
    if contents in archive or contents in archive.siblings():
        language, genre, _ = read_contents(archive, contents)
        if language or genre:
            return [" ".join(part for part in (language, genre) if part)] * len(ids)
    return [prefix[1] if (prefix := _PREFIX.match(i)) else None for i in ids]


def _read_system(archive: Archive, name: str, lenient: bool, faults: Faults) -> SystemAnswers:
    """The answers of a file; those at fault are left out, and what is wrong put to ``faults``."""
    path = PurePosixPath(name)
    folder = path.parent.name or (archive.root.resolve().name if archive.single else archive.stem)
    system = folder if stem_of(name).lower() == "answers" else stem_of(name)
    notes: list[Note] = []
    values: dict[str, float] = {}
    lines: list[int] = []
    decisions: dict[str, float] = {}
    faults_before = len(faults)
    if (sound := _read_faultless(archive, name)) is not None:
        return SystemAnswers(
            *sound, system, None, (), archive.label(name), np.arange(1, len(sound[0]) + 1)
        )
    with faults.gathered():
        structured = is_table(archive, name)
        if not structured and is_truth(name):
            read_truth_lines(archive, name)
            raise fault("truth-not-answers", file=archive.label(name), fix=SWAPPED)
        by_line = not structured or table_kind(name) is None or is_lines(name)
        source: Iterator[tuple[int, Any]] = (
            archive.lines(name) if by_line else table_rows(archive, name)
        )
        csv = table_kind(name) in ("csv", "xlsx")
        for line, row in source:
            cells: Any = (
                {key: value if key == "id" else _cell(value) for key, value in row.items()}
                if csv
                else row
            )
            with faults.gathered():
                cells = parsed(cells, archive, name, line) if by_line and structured else cells
                if structured:
                    (key, value), decision = (
                        _answer(cells, archive, name, line, lenient, notes),
                        None,
                    )
                else:
                    key, value, decision = _answer_of_line(cells, archive, name, line)
                _add_answer(values, key, value, archive, name, line)
                lines.append(line)
                if decision is not None:
                    decisions[key] = decision
        if not values and len(faults) == faults_before:
            raise fault("file-answers-empty", file=archive.label(name))
    decision_array: Floats | None = None
    if decisions:
        # Beside PAN13 lines, a bare score decides by itself.
        decision_array = np.array(
            [
                decisions.get(key, 0.5 + 0.5 * float(np.sign(value - 0.5)))
                for key, value in values.items()
            ],
            dtype=np.float64,
        )
    return SystemAnswers(
        name_array(values),
        np.array(list(values.values()), dtype=np.float64),
        system,
        decision_array,
        tuple(notes),
        archive.label(name),
        np.asarray(lines, dtype=np.int64),
        faults.since(faults_before),
    )


def _cell(value: Any) -> Any:
    """A cell of a CSV of answers: a number where it is one."""
    with suppress(TypeError, ValueError):
        return float(value)
    return value


class _Line(msgspec.Struct):
    id: str
    value: float


_LINE = msgspec.json.Decoder(_Line)


def _read_faultless(archive: Archive, name: str) -> tuple[Strings, Floats] | None:
    """Ids and values of a file of JSON lines without any fault, a line each, read at once; None for any other file,
    which is then read line by line to say what is wrong."""
    if not is_lines(name):
        return None
    try:
        data = archive.read(name)
        lines = data.removesuffix(b"\n").split(b"\n")
        if data.count(b'"') != 6 * len(lines):
            return None  # more than an id and a value: a key may stand twice
        answers = [_LINE.decode(line) for line in lines if len(line) <= LINE_LIMIT]
    except (FormatError, ValueError, RecursionError):
        return None
    ids = [answer.id for answer in answers]
    values = np.array([answer.value for answer in answers], dtype=np.float64)
    joined = "".join(ids)
    named = (
        all(ids) and len(set(ids)) == len(ids) == len(lines) and max(map(len, ids)) <= NAME_LIMIT
    )
    if not named or "\0" in joined or not writable(joined):
        return None
    return (name_array(ids), values) if ((values >= 0) & (values <= 1)).all() else None


def _answer(
    record: Mapping[str, Any],
    archive: Archive,
    name: str,
    line: int,
    lenient: bool,
    notes: list[Note],
) -> tuple[str, float]:
    location = archive.located(name, line)
    for field in GENERATED:
        if field in record:
            record = {"value": record[field], **record}
    if "value" not in record and "same" in record:
        raise fault("truth-not-answers", **location, found=sorted(record), fix=SWAPPED)
    key = record_id(dict(record), archive, name, line)
    if "value" not in record:
        further = [k for k in record if k != "id"]
        numbers = [k for k in further if isinstance(record[k], int | float)]
        candidate_column = next(iter(numbers or (further if len(further) == 1 else [])), None)
        fix = f"rename {candidate_column} to value, if it is a number from 0 to 1 with 0.5 for no answer"
        if candidate_column is None:
            fix = _UNANSWERED
        elif not numbers:
            fix = (
                "write a number from 0 (different authors) to 1 (same author) as value, in place of"
                f" {candidate_column}"
            )
        elif (of_class := _fix_of_class(candidate_column, further)) is not None:
            fix = of_class
        elif any(word in plain_key(candidate_column) for word in OPPOSITES):
            fix = (
                f"{candidate_column} measures how different the texts are: write 1 -"
                f" {candidate_column} as value, if it is from 0 to 1"
            )
        raise fault("line-no-value", **location, found=sorted(record), fix=fix)
    value = record["value"]
    if isinstance(value, list):
        if not lenient or len(value) != 1:
            fix = "write one number for each problem"
            if len(value) == 1:
                fix = "--lenient takes the number out of the list"
            raise fault("value-list", **location, found=value, fix=fix)
        value = value[0]
        if not notes:
            notes += noted("listed-values", [f"line {line}"])
    if isinstance(value, bool) or not isinstance(value, int | float):
        kind = _KINDS.get(type(value), type(value).__name__)
        cure = _TRUTH if isinstance(value, bool) else _UNANSWERED
        if isinstance(value, str):
            cure = _number_meant(value) or _unquoted(value)
        raise fault("value-not-from-0-to-1", **location, found=value, fix=cure, value=kind)
    return key, _number(value, location)


_CLASS = re.compile(
    r"(p|prob|proba|probability|class|score|logit)_?(?:class_?|of_?)?(0|no|false|different)", re.I
)
_PREDICTED = ("prediction", "predicted", "pred", "label", "answer", "decision", "verdict")


def _fix_of_class(column: str, columns: Sequence[str]) -> str | None:
    """What to write as value where a column is about one class, or about what was predicted; else None."""
    if _CLASS.fullmatch(column) is not None:
        stem = plain_key(_CLASS.sub(r"\1", column))
        same_columns = [
            name
            for name in columns
            if re.fullmatch(f"{stem}(class|of)?(1|yes|true|same)", plain_key(name))
        ]
        first_step = (
            f"rename {same_columns[0]} to value" if same_columns else f"write 1 - {column} as value"
        )
        return f"{first_step}, if it is from 0 to 1: {column} is the probability of 0, different authors"
    predicted = next((name for name in columns if plain_key(name) in _PREDICTED), None)
    if predicted is None or not plain_key(column).startswith(("confidence", "certainty")):
        return None
    return (
        f"{column} refers to the class in {predicted}; it is not the probability of the same"
        f" author: write it as value if {predicted} says same author, and 1 - {column} if it says"
        " different authors"
    )


def _number_meant(text: str) -> str | None:
    """The fix for a number with a decimal comma or a percent sign, and for an answer in words; None of other texts."""
    written = text.strip()
    number = written.rstrip("% ").replace(",", ".")
    if re.fullmatch(r"\d+(\.\d+)?", number):
        meant = f"{float(number) / (100 if '%' in written else 1):g}"
        changed = not re.fullmatch(r"[\d.]+", written) and float(meant) <= 1
        return f"write {meant}, not {written}" if changed else None
    same = SAME.get(plain_key(text))
    if same is None:
        return None
    return f"write {same:d}, not {written}: 1 means the same author, 0 different authors"


def _unquoted(text: str) -> str:
    """The fix for a number that is a text; for another text what an answer is."""
    plain = re.fullmatch(r"\s*(?:0?\.\d+|[01](?:\.\d*)?|\d(?:\.\d+)?[eE]-\d+)\s*", text)
    return "write the number without quotes" if plain else _UNANSWERED


def _answer_of_line(
    text: str, archive: Archive, name: str, line: int
) -> tuple[str, float, float | None]:
    fields = text.split()
    location: dict[str, Any] = {"file": archive.label(name), "line": line, "found": text}
    decision = _DECISIONS.get(fields[1].upper()) if len(fields) in (2, 3) else None
    if len(fields) not in (2, 3) or (len(fields) == 3 and decision is None):
        raise fault("not-answer", **location, fix=_UNANSWERED)
    if len(fields) == 2 and decision is not None:
        return fields[0], decision, decision
    try:
        value = float(fields[-1])
    except ValueError:
        raise fault(
            "score-not-number", **location, fix=_number_meant(fields[-1]) or _UNANSWERED
        ) from None
    return fields[0], _number(value, location), decision


def _number(value: float, location: dict[str, Any]) -> float:
    if not 0 <= value <= 1:
        # An integer may be too large for math.isinf.
        kind = (
            "NaN" if value != value else "infinite" if abs(value) == math.inf else "outside [0, 1]"
        )
        cure = (
            _UNANSWERED
            if value != value
            else "map scores to [0, 1] first: 0 means different authors, 1 the same author, 0.5 no"
            " answer"
        )
        raise fault("value-not-from-0-to-1", **{"found": value} | location, fix=cure, value=kind)
    return float(value)


def _add_answer(
    values: dict[str, float], key: str, value: float, archive: Archive, name: str, line: int
) -> None:
    checked_name(key, "an id", archive.label(name), line)
    if key in values:
        raise fault("id-answered-twice", file=archive.label(name), line=line, found=key)
    values[key] = value


MEASURES = {
    "auc": "auc",
    "c@1": "c@1",
    "f_05_u": "f05u",
    "F1": "f1",
    "brier": "brier",
    "overall": "overall5",
}
"""PAN's names of its metrics (2021–23), with Raven's names."""
MEASURES_2020 = {"auc": "auc", "c@1": "c@1", "f_05_u": "f05u", "F1": "f1", "overall": "overall"}


def pan_measures(
    truth: Truth, answers: Aligned, f05u_2020: bool = False
) -> dict[str, float | None]:
    """Return the measures of PAN 2021–23 by PAN's names, each from 0 to 1, to three decimals; None if PAN has none.

    The 2020 form has no Brier score, and F0.5u counts 0.5 as "same author".
    """
    if not len(truth):
        raise fault(
            "no-problem-evaluate",
        )
    names = MEASURES_2020 if f05u_2020 else MEASURES
    formulas = {
        measure: STANDARD[FORM_2020.get(measure, measure) if f05u_2020 else measure]
        for measure in names.values()
    }
    measures = scores(truth.same, answers.value, answers.decision, formulas)
    if measures["f1"] is None and truth.same.any():  # PAN's evaluator has 0 for 0/0
        measures["f1"] = 0.0
        averaged = [
            measures[measure] for measure in names.values() if not measure.startswith("overall")
        ]
        overall = (
            None
            if None in averaged
            else sum(part for part in averaged if part is not None) / len(averaged)
        )
        measures[next(measure for measure in names.values() if measure.startswith("overall"))] = (
            overall
        )
    return {
        key: None if (value := measures[measure]) is None else float(np.round(value, 3))
        for key, measure in names.items()
    }


_FILES = {"out.json": b'"auc"', "evaluation.prototext": b"measure {"}
"""What is written, and what an earlier file of the kind begins with."""


def check_pan_output(folder: str | Path, inputs: Sequence[Path]) -> None:
    """Raise an error before the evaluation if Raven cannot write these files in a folder.

    InputError if the folder has such a file that no evaluation wrote, or that is an input.
    """
    for name, mark in _FILES.items():
        check_file(Path(folder) / name, inputs=inputs, mark=mark)


def write_pan_output(folder: str | Path, measures: Measures) -> list[Path]:
    """Write ``out.json`` and ``evaluation.prototext``; they replace earlier files.

    InputError if Raven cannot write them.
    """
    folder = Path(folder)
    blocks = [
        f'measure {{\n key: "{key}"\n value: "{"n/a" if value is None else value}"\n}}\n'
        for key, value in measures.items()
    ]
    texts = {
        "out.json": json.dumps(measures, indent=4, sort_keys=True) + "\n",
        "evaluation.prototext": "".join(blocks),
    }
    for name, text in texts.items():
        with whole_file(folder / name) as file:
            file.write(text.encode())
    return [folder / name for name in texts]
