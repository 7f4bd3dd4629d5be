"""Reads and writes verification problems in PAN's forms: folders (2013–15), pairs (2020–23), zips, folders of zips.

In: the path of a file, folder or zip, or an open ``Archive``; or ``Problems`` to write; texts for ``ProblemBuilder``.
Out: ``ProblemSet`` (n readable ``Problems``, their truth ``same`` (n,) bool, True = same author, or None, and by id
the reasons why others cannot be read); pairs and truth one by one as ``Pair`` and ``PairTruth``; or files in these
forms (their path is returned). Line numbers count from 1. FormatError for what does not parse, InputError for nothing
at the path or a place that cannot be written. Helpers find files, columns and labels.

    ROOT/EN001/known01.txt, …, unknown.txt, ROOT/truth.txt (``EN001 Y``), ROOT/contents.json          2013–15
    pairs.jsonl with truth.jsonl, also X.jsonl with X-truth.jsonl                                     2020–23
    a table whose rows are pairs: text1,text2,label                                                   anybody's

A pair: {"id", "pair": [text, text], "fandoms": [a, b]} (2020, 2021) or "discourse_types" (2022, 2023);
its truth: {"id", "same", "authors": [a, b]}.

References
----------
Juola and Stamatatos, Overview of the Author Identification Task at PAN 2013; Stamatatos et al., the same for 2014 and
2015; Kestemont et al. for 2020 and 2021; Stamatatos et al. for 2022 and 2023 (CLEF working notes).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path, PurePosixPath
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

import msgspec
import numpy as np

from ravenbench.components import identity_hash
from ravenbench.errors import (
    FormatError,
    InputError,
    MissingPart,
    counted,
    remark,
    some,
)
from ravenbench.files import (
    cache_folder,
    code_of,
    kept_array,
    make_room,
    stands_alone,
    write_json,
    write_text,
)
from ravenbench.outputs import fresh_folder, whole_file
from ravenbench.reading.account import Note, noted
from ravenbench.reading.archive import Archive, Split, is_there, split_of, split_roots
from ravenbench.reading.collector import TextCollector, same_document
from ravenbench.reading.decoding import UTF8, Faults, checked_name, from_json
from ravenbench.reading.pan_attribution import check_no_attribution, holds_attribution
from ravenbench.reading.remarks import (
    Seen,
    ids_apart,
    odd_texts,
    several_languages,
    shared,
    spelt_alike,
)
from ravenbench.reading.tabular import (
    column_names,
    is_lines,
    record_id,
    records,
    stem_of,
    table_kind,
    table_rows,
)
from ravenbench.text.copies import Copies, Sketch
from ravenbench.text.damage import MOST, SCRIPTS, script_of
from ravenbench.text.names import (
    is_nobody,
    label_key,
    name_key,
    plain_name,
)
from ravenbench.text.passages import cleaner
from ravenbench.types import Bools, Labels, Problems, TextTransform, name_array

LEAST = 2**20
"""Bytes of texts from which on it is quicker to open what was remarked about them than to look again."""
MOST_KEPT = 2**26
"""Bytes of all remarks in the cache folder."""


@dataclass(frozen=True, eq=False)
class ProblemSet:
    """The problems of one corpus and split, as read: n problems and their truth, shape (n,).

    Attributes
    ----------
    name : str
        The corpus (``en_essays``), without its split.
    split : 'train', 'test' or None
        Which part it was, where the source says so.
    problems : Problems
        The readable ones, sorted by id (PAN13–15) or in file order (PAN20–23). Authors and topics are there
        where the files give them.
    same : (n,) bool, or None
        Truth of ``problems``, True = same author; None where there is no truth file.
    faults : mapping of id to reason
        Problems that could not be read: each counts as a non-answer.
    fault_truth : mapping of id to bool
        Truth of those among them that the truth file names.
    language, genre : str or None
    notes : tuple of Note
        What else was found: dropped empty documents, identical known and questioned texts, files that were not read.
    place : str
        Where it lies below the path that was read.
    """

    name: str
    problems: Problems
    same: Bools | None
    split: Split | None = None
    faults: Mapping[str, str] = field(default_factory=dict)
    fault_truth: Mapping[str, bool] = field(default_factory=dict)
    language: str | None = None
    genre: str | None = None
    notes: tuple[Note, ...] = ()
    place: str = ""

    def __len__(self) -> int:
        return len(self.problems)

    def truth(self) -> Bools:
        """The truth of the problems, (n,) bool, True = same author. FormatError if no truth file was found."""
        if self.same is None:
            raise FormatError(
                f"{self.name} has no truth",
                fix="training needs truth: add it, or use these problems as --test",
                expected=(
                    "truth.txt or truth.jsonl beside the problems; in a table of pairs a column"
                    " same or label"
                ),
            )
        return self.same


class ProblemBuilder:
    """Gathers problems one by one into ``Problems``; each distinct document is kept once."""

    def __init__(self) -> None:
        self.texts = TextCollector()
        self.ids: list[str] = []
        self._sizes: list[int] = []
        self._known: list[int] = []
        self._questioned: list[int] = []
        self.notes: list[Note] = []
        self._empty: list[str] = []
        self.identical: list[str] = []

    def add(self, name: str, known: Sequence[str], questioned: str) -> tuple[list[int], int]:
        """Add one problem; return the rows of its known documents (list) and the row of its questioned one.

        FormatError if there is no usable document on one side; the message is the reason.
        """
        if not questioned.strip():
            raise FormatError("the questioned document is empty")
        usable = [text for text in known if text.strip()]
        if not usable:
            raise FormatError(
                "every known document is empty" if known else "there is no known document"
            )
        if len(usable) < len(known):
            self._empty += [name] * (len(known) - len(usable))
        rows = [self.texts.add(text) for text in usable]
        row = self.texts.add(questioned)
        if row in rows or any(same_document(text, questioned) for text in usable):
            self.identical.append(name)
        self.ids.append(name)
        self._sizes.append(len(rows))
        self._known += rows
        self._questioned.append(row)
        return rows, row

    def finish(self, **labels: Any) -> Problems:
        """All problems added as ``Problems``; labels are columns of ``Problems`` (author, topic, language)."""
        self.notes += noted("empty-known", self._empty)
        self.notes += noted("identical", self.identical)
        return Problems(
            self.texts.table(),
            name_array(self.ids),
            np.concatenate([[0], np.cumsum(self._sizes)]).astype(np.int64),
            np.asarray(self._known, dtype=np.int64),
            np.asarray(self._questioned, dtype=np.int64),
            **labels,
        )


_DOCUMENT = re.compile(r"(known\d*|unknown)\.txt\Z", re.IGNORECASE)
_ID_AS_PATH = "its id is a path, not a name"


def problem_roots(archive: Archive) -> list[str]:
    """Folders that hold problem folders ('' for the archive itself), sorted; a problem's own folder holds none.

    Where no folder has a questioned document, contents or truth, known documents are authors', as a candidate's are.
    """
    folders = {_parent(name) for name in archive.names if _is_document(name)}
    roots = {_parent(folder) for folder in folders} - folders
    signed = {_parent(name) for name in archive.names if is_truth(name)}
    signed |= {_parent(name) for name in archive.names if _name(name) == "contents.json"}
    questioned = (name for name in archive.names if _name(name).lower() == "unknown.txt")
    signed |= {_parent(_parent(name)) for name in questioned}
    return sorted(roots) if roots & signed else []


def problems_at(path: str | Path, pairs: bool = True) -> bool:
    """Whether verification problems of some form lie at a path, or in a zip within a folder; ``pairs`` of a file or
    folder count too, whose truth may name authors."""
    if not is_there(Path(path)):
        return False
    with Archive(path) as archive:
        return not holds_attribution(archive) and holds_problems(archive, pairs)


def holds_problems(archive: Archive, pairs: bool = True) -> bool:
    """Whether verification problems of some form lie in an archive, or in a zip within a folder."""
    if problem_roots(archive):
        return True
    if pairs and (pairs_files(archive) or any(pair_table(archive, n) for n in archive.names)):
        return True
    inner = [archive.path / name for name in archive.names if name.lower().endswith(".zip")]
    return archive.path.is_dir() and any(map(problems_at, inner))


def write_pan_problems(
    path: str | Path,
    problems: Problems,
    same: Bools | None = None,
    language: str = "english",
    genre: str = "unknown",
) -> Path:
    """Write problems as a PAN13–15 folder, with ``truth.txt`` where ``same`` is given.

    The folder appears under its name only when it is complete. InputError if the folder exists and is not empty, cannot
    be written, or an id cannot name a folder.
    """
    path = Path(path)
    for name in problems.ids.tolist():
        if not _is_plain(name):
            raise InputError(
                "a problem id cannot name a folder",
                found=name,
                expected="a plain name such as EN001",
            )
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
    """The content of a ``truth.txt``: a line ``ID Y`` (same author) or ``ID N`` for each problem."""
    return "".join(
        f"{name} {'Y' if y else 'N'}\n" for name, y in zip(ids, same.tolist(), strict=True)
    )


_OF_TRUTH = "lines of truth cannot be used"
_TWICE = "an id stands twice"
_ANSWERS = "these are answers, not truth"
_SWAPPED = "are truth and answers swapped?"


def read_truth_lines(archive: Archive, name: str) -> dict[str, bool]:
    """Truth by id from the ``EN001 Y`` lines of a ``truth.txt``; True = Y, same author.

    FormatError, with all of them, if lines are anything else or an id stands twice; or if the file is empty.
    """
    truth: dict[str, bool] = {}
    faults = Faults(_OF_TRUTH)
    for number, line in archive.lines(name):
        words = line.split()
        location: dict[str, Any] = {"file": archive.label(name), "line": number, "found": line}
        if len(words) in (2, 3) and re.fullmatch(r"[\d.eE+-]+", words[-1]) is not None:
            raise FormatError(_ANSWERS, **location, expected="ID Y or ID N", fix=_SWAPPED)
        with faults.gathered():
            if len(words) != 2 or words[1].upper() not in ("Y", "N"):
                fix = "write the problem's id, a blank, and Y (same author) or N"
                raise FormatError(
                    "not a line of truth", **location, expected="ID Y or ID N", fix=fix
                )
            checked_name(words[0], "an id", archive.label(name), number)
            if words[0] in truth:
                raise FormatError(_TWICE, **location, fix="keep the line that is right")
            truth[words[0]] = words[1].upper() == "Y"
    faults.check()
    if not truth:
        raise FormatError("the truth file is empty", file=archive.label(name))
    return truth


def read_contents(archive: Archive, name: str) -> tuple[str | None, str | None, list[str]]:
    """Read language, genre and ids from a ``contents.json`` (None and [] where it does not say).

    FormatError if it is not a JSON object.
    """
    contents = from_json(archive.text(name), archive.label(name), problem="not JSON")
    if not isinstance(contents, dict):
        raise FormatError(
            "not a JSON object",
            file=archive.label(name),
            expected='{"language", "genre", "problems"}',
        )
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


def corpus_name(archive: Archive, root: str) -> tuple[str, Split | None]:
    """The name and the split of the corpus at a place inside an archive."""
    base, split = split_of(root)
    if split is None and not root:
        # The path itself may be a corpus's train/ or test/ folder.
        path = archive.path.resolve()
        outer, split = split_of(path.name) if path.is_dir() else ("", None)
        return (path.parent.name if split and not outer else archive.stem), split
    return (PurePosixPath(base).name or archive.stem), split


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
        problem = f"no problem of {name} can be read"
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
        _truth_of_faults(truth, faults),
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
        return "it is named in truth.txt or contents.json but has no folder"
    if truth is not None and problem not in truth:
        return "truth.txt does not name it: neither answered nor judged"
    files = [_name(file).lower() for file in texts[problem]]
    if files.count("unknown.txt") > 1:
        return "several files are its unknown.txt, but for capitals"
    if "unknown.txt" not in files:
        return "unknown.txt is missing"
    if not any(_DOCUMENT.match(file) and file.startswith("known") for file in files):
        return "there is no known document"
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


def _truth_of_faults(
    truth: Mapping[str, bool] | None, faults: Mapping[str, str]
) -> dict[str, bool]:
    return {name: truth[name] for name in faults if name in truth} if truth else {}


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


_TRUTH = re.compile(r"(?:.*[-_.])?truth\Z", re.IGNORECASE)


class Wording(NamedTuple):
    """How pages speak of what truth is about: a ``yes`` and a ``no``; problems of either kind, many, one, and one set
    against it; what all of them are; what problems are; and a sentence of counts (of yes, of no).
    """

    yes: str
    no: str
    many: str
    one: str
    other: str
    all_yes: str
    all_no: str
    title: str
    lead: str


WORDINGS = {
    "authors": Wording(
        "same author",
        "different authors",
        "same-author problems",
        "a same-author problem",
        "a different-author one",
        "by the same author",
        "by different authors",
        "verification problems",
        "{:,} problems are by the same author, {:,} by different ones.",
    ),
    "machines": Wording(
        "machine",
        "person",
        "machines' texts",
        "a machine's text",
        "a person's",
        "by a machine",
        "by a person",
        "texts by persons and machines",
        "{:,} texts are by a machine, {:,} by a person.",
    ),
    "machine pairs": Wording(
        "first text by a machine",
        "second text by a machine",
        "pairs with the machine's text first",
        "a pair with the machine's text first",
        "one with it second",
        "with the machine's text first",
        "with the machine's text second",
        "pairs of a person's and a machine's text",
        "In {:,} pairs the machine's text stands first, in {:,} second.",
    ),
}
"""What a truth may be about."""


@dataclass(frozen=True)
class PairTruth:
    """The truth of one pair; ``same`` is True for one author; authors are None where the file does not name them.
    ``about``: a key of ``WORDINGS``."""

    same: bool
    authors: tuple[str, str] | None
    about: str = "authors"


@dataclass(frozen=True)
class Pair:
    """One line of a pairs file: two texts and their topics (fandom or discourse type); ``line`` counts from 1."""

    id: str
    texts: tuple[str, str]
    topics: tuple[str | None, str | None]
    line: int


def pairs_files(archive: Archive) -> dict[str, str | None]:
    """Pairs files inside an archive and the truth file of each: itself where its lines have it, None where none has."""
    lines = [name for name in archive.names if is_lines(name)]
    pairs = [name for name in lines if not is_truth(name) and "pair" in first_record(archive, name)]
    files: dict[str, str | None] = {}
    for name in pairs:
        parent = PurePosixPath(name).parent
        stem = stem_of(name)
        truth_stems = [f"{stem}-truth", f"{stem}_truth", stem.replace("pairs", "truth")]
        if len(pairs) == 1 or stem == "pairs":
            truth_stems.append("truth")
        near = [
            PurePosixPath(n).name for n in lines if PurePosixPath(n).parent == parent
        ] + archive.siblings()
        truths = [
            name
            for truth_stem in truth_stems
            for name in near
            if is_truth(name) and is_lines(name) and stem_of(name) == truth_stem
        ]
        files[name] = (
            str(parent / truths[0])
            if truths
            else name
            if _own_label(first_record(archive, name))
            else None
        )
    return files


def is_truth(name: str) -> bool:
    """Whether a file holds truth by its name."""
    return _TRUTH.match(stem_of(name)) is not None


def first_record(archive: Archive, name: str) -> dict[str, Any]:
    """The first line of a JSON-lines file as a mapping, {} where it is none."""
    try:
        _, line = next(archive.lines(name), (0, ""))
        record = json.loads(line)
    except (ValueError, RecursionError, FormatError):
        return {}
    return record if isinstance(record, dict) else {}


def _human(record: Mapping[str, Any]) -> Any:
    return record.get("is_human", record.get("label"))


def of_pair(record: Mapping[str, Any]) -> bool:
    """Whether a line's label is about a pair of a person's and a machine's text."""
    return isinstance(_human(record), list)


def label_of(record: Mapping[str, Any], **location: Any) -> bool | None:
    """Whether a machine wrote what a line of texts, truth or answers is about; None where it has no label.

    Of a pair: whether a machine wrote the first text, as in PAN's evaluator. FormatError if the label is none.
    """
    human = _human(record)
    if "is_human" in record or of_pair(record):
        if human in ([True, False], [False, True]):
            return not human[0]
        raise FormatError(
            "is_human is not one true and one false",
            **location,
            found=human,
            expected="[true, false]",
        )
    label = record.get("label")
    if label is None:
        return None
    if isinstance(label, bool) or label not in range(6):  # 1.0 too, as PAN's evaluator
        raise FormatError(
            "not a label",
            **location,
            found=repr(label),
            expected="a number: 0 (a person), 1 (a machine); or 0 to 5",
        )
    return bool(label != 0)


def nobody(*names: str) -> bool:
    """Whether one of these is no person's name."""
    return any(map(is_nobody, names))


def read_truth_records(archive: Archive, name: str) -> dict[str, PairTruth]:
    """Read a ``truth.jsonl``, or a table with a column of labels, into the truth of each pair by its id; names that are
    nobody's name no author.

    FormatError, with all of them, if lines are not truth (answers are recognised), or an id stands twice; or if the
    file is empty.
    """
    if (table := pair_table(archive, name)) is not None or table_kind(name) in ("csv", "xlsx"):
        return _table_truth(archive, name, table or TableRoles((), None, "id"))
    truth: dict[str, PairTruth] = {}
    faults = Faults(_OF_TRUTH)
    nobodies = 0
    for line, record in records(archive, name):
        location: dict[str, Any] = {"file": archive.label(name), "line": line}
        if "same" not in record and "value" in record:
            raise FormatError(
                _ANSWERS, **location, found=sorted(record), expected='{"id", "same"}', fix=_SWAPPED
            )
        with faults.gathered():
            key = record_id(record, archive, name, line)
            if key in truth:
                raise FormatError(_TWICE, **location, found=key, fix="keep the line that is right")
            truth[key], of_nobody = _record_truth(record, location)
            nobodies += of_nobody
    faults.check()
    if not truth:
        raise FormatError("the truth file is empty", file=archive.label(name))
    remark(noted("truth-of-nobody", count=nobodies), archive.path)
    return truth


def _record_truth(record: Mapping[str, Any], location: dict[str, Any]) -> tuple[PairTruth, bool]:
    """What a line of truth says, and whether it says that two texts are by one author who is nobody in particular."""
    same = record.get("same")
    about = "authors"
    if same is None and (label := _own_label(record)) is not None:
        same = _says_same(record, label)
    elif same is None:
        same = label_of(record, **location)
        about = "machine pairs" if of_pair(record) else "machines"
    if not isinstance(same, bool):
        raise FormatError(
            "truth has no same: true or false",
            **location,
            found=record,
            expected='{"id", "same"}',
            fix="write true or false, without quotation marks, for every problem",
        )
    authors = _two_names(record.get("authors"), "an author", **location)
    if authors is not None and nobody(*authors):
        return PairTruth(same, None, about), same
    if authors is not None and (name_key(authors[0]) == name_key(authors[1])) != same:
        raise FormatError(
            "same contradicts the two authors",
            **location,
            found=record,
            fix="mend the one that is wrong",
        )
    return PairTruth(same, authors, about), False


def read_pairs(archive: Archive, name: str) -> Iterator[Pair | tuple[str, str]]:
    """Read the pairs of one file; (id, reason) stands in place of a pair that cannot be used.

    FormatError if a line is not JSON, has no id, or repeats one.
    """
    seen_ids: set[str] = set()
    for line, record in records(archive, name):
        key = record_id(record, archive, name, line)
        if key in seen_ids:
            raise FormatError("an id stands twice", file=archive.label(name), line=line, found=key)
        seen_ids.add(key)
        texts = record.get("pair")
        location: dict[str, Any] = {"file": archive.label(name), "line": line}
        if isinstance(texts, list) and len(texts) > 2:
            raise FormatError(
                "a pair has two texts",
                **location,
                found=len(texts),
                expected='"pair": [text, text]',
            )
        if (
            not isinstance(texts, list)
            or len(texts) != 2
            or not all(isinstance(text, str) for text in texts)
        ):
            yield key, f"line {line} has no pair of two texts"
            continue
        topics = next(
            (record[k] for k in ("fandoms", "discourse_types", "discourse_type") if k in record),
            None,
        )
        if isinstance(topics, str):
            topics = [topics, topics]
        first, second = (text.lstrip("\ufeff").replace("\r\n", "\n") for text in texts)
        yield Pair(
            key, (first, second), _two_names(topics, "a topic", **location) or (None, None), line
        )


_TEXTS = [tuple(pair.split("/")) for pair in column_names("pair texts")]
_LABELS, OPPOSITES, _IDS = (column_names(f"pair {kind}") for kind in ("labels", "opposites", "ids"))
"""Columns that say what is the same, and what is different (yes, 1 or a high number)."""
_SAME = {
    **dict.fromkeys(
        ("1", "1.0", "true", "yes", "y", "same", "sameauthor", "positive", "match", "matches"), True
    ),
    **dict.fromkeys(
        ("0", "0.0", "-1", "false", "no", "n", "different", "differentauthors", "negative"), False
    ),
    "mismatch": False,
}
"""Spellings of columns and labels in tables of pairs, by their letters and figures."""


_WORDS = ("different", "same")


class TableRoles(NamedTuple):
    """Columns of a table of pairs: both texts, the label and the id, None where there is none; further labels; both
    authors, where there are such; and the others, where none of these says what is the same."""

    texts: tuple[str, ...]
    label: str | None
    id: str | None
    further: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    @property
    def has_truth(self) -> bool:
        """Whether a label says, or authors show, which pairs are by one author."""
        return self.label is not None or bool(self.authors)

    def says_by_authors(self, file: str) -> list[Note]:
        """A note where truth follows from the authors alone, or there is none and other columns are not read."""
        if self.others:
            return noted("no-label", self.others, file=file)
        follows = self.authors if self.label is None else ()
        return noted("truth-by-authors", follows, file=file)

    def are_nobody(self, row: Mapping[str, Any]) -> bool:
        """Whether a row names two authors who are nobody in particular."""
        authors = [str(row.get(column) or "").strip() for column in self.authors]
        return bool(authors) and all(authors) and all(map(is_nobody, authors))


_UNNUMBERED = re.compile(r"(?:(?<!\d)\d++|(?<=text)[a-z])\Z")


def plain_key(name: object) -> str:
    """The letters and figures of a column's name or a label, in lower case."""
    return re.sub(r"[^a-z0-9.-]", "", str(name).casefold())


def pair_table(archive: Archive, name: str) -> TableRoles | None:
    """The columns of a table whose rows hold two texts each (``text1,text2,label``); None where it is none."""
    if table_kind(name) is None:
        return None
    try:
        _, row = next(table_rows(archive, name), (0, {}))
    except (FormatError, MissingPart):
        if archive.single:
            raise
        return None
    columns_by_key = {plain_key(column): column for column in row}
    text_columns = next(
        (pair for pair in _TEXTS if pair[0] in columns_by_key and pair[1] in columns_by_key), None
    )
    if text_columns is None or "pair" in row:
        return None
    return _table_roles(
        (columns_by_key[text_columns[0]], columns_by_key[text_columns[1]]), columns_by_key
    )


def _table_roles(texts: tuple[str, ...], columns_by_key: Mapping[str, str]) -> TableRoles:
    """The columns of a table whose texts are known, by their ``plain_key``."""
    labels = [columns_by_key[n] for n in (*_LABELS, *OPPOSITES) if n in columns_by_key]
    further = tuple(column for column in labels[1:] if re.search("same|differ", plain_key(column)))
    authors = tuple(
        columns_by_key[name] for name in ("author1", "author2") if name in columns_by_key
    )
    own_id = next((columns_by_key[n] for n in _IDS if n in columns_by_key), None)
    authors = authors if len(authors) == 2 else ()
    remaining = (
        column
        for column in columns_by_key.values()
        if column not in (*texts, own_id) and "topic" not in plain_key(column)
    )
    others = () if labels or authors else tuple(remaining)
    return TableRoles(texts, next(iter(labels), None), own_id, further, authors, others)


def _own_label(record: Mapping[str, Any]) -> str | None:
    """The key under which a record says whether a pair is by one author: of a pair any, else one that means nothing
    else; None where there is none."""
    label = _table_roles((), {plain_key(key): key for key in record}).label
    return label if "pair" in record or plain_key(label) in OPPOSITES else None


def check_no_further_text(
    row: Mapping[str, Any], texts: Sequence[str], file: str | Path, line: int, fix: str
) -> None:
    """FormatError if a table has one more column of texts, called as those that are read but for a number: text3."""
    stems = {_UNNUMBERED.sub("", plain_key(column)) for column in texts}
    text_columns = [
        column
        for column in row
        if column not in texts
        and _UNNUMBERED.sub("", plain_key(column)) in stems - {plain_key(column)}
    ]
    if text_columns:
        raise FormatError(
            "a column of texts would not be read",
            file=file,
            line=line,
            found=", ".join(text_columns),
            expected=" and ".join(texts),
            fix=fix,
        )


def read_pair_table(
    archive: Archive,
    name: str,
    roles: TableRoles,
    truth: dict[str, PairTruth],
    notes: list[Note],
    skip: bool = False,
) -> Iterator[Pair]:
    """The pairs of a table; what their labels or authors say is put to ``truth`` before each. FormatError, after the
    last, for all rows that lack a text or a label, or whose label is none; with ``skip``, they are told to
    ``notes`` instead, unless most labels contradict the authors. Pairs both of whose authors are nobody in particular
    are left out, and counted there, unless all pairs are such."""
    named = any(not roles.are_nobody(row) for _, row in table_rows(archive, name))
    given_ids: set[str] = set()
    faults = Faults("rows cannot be used")
    several = 0
    nobodies = 0
    values = Counter[str]()
    for number, (line, row) in enumerate(table_rows(archive, name), start=1):
        location: dict[str, Any] = {"file": archive.label(name), "line": line}
        if number == 1:
            check_no_further_text(
                row, roles.texts, **location, fix="write a row for each pair of texts"
            )
        pair = None
        several = number
        if named and roles.are_nobody(row):
            nobodies += 1
            continue
        if (value := row.get(roles.label or "")) not in (None, ""):
            values[str(value)] += 1
        with faults.gathered():
            pair = _table_pair(
                row, roles, _row_id(row, roles, number, given_ids, location), truth, location
            )
        if pair is not None:
            yield pair
    notes += noted("pairs-of-nobody", count=nobodies)
    problems = [fault.problem for fault in faults.since(0)]
    if 2 * (turned := problems.count(_CONTRADICTS)) > several:
        raise FormatError(
            f"the labels contradict the two authors in {turned:,} of {several:,} rows: are they the"
            " other way round?",
            file=archive.label(name),
            found=f"in the first: {faults.since(0)[problems.index(_CONTRADICTS)].found}",
            fix=(
                f"call the column {roles.label} different, if it says yes or 1 of different authors"
            ),
        )
    neither = sum(_NEITHER in problem for problem in problems)
    if neither and len({pair_truth.same for pair_truth in truth.values()}) < 2 and len(values) <= 4:
        raise FormatError(
            f"{roles.label} {_NEITHER} in {neither:,} of {several:,} rows, so that a whole class is"
            " not read",
            file=archive.label(name),
            expected="1 or 0, true, false, Y or N",
            found=", ".join(
                f"{value} ({counted(count, 'row')})" for value, count in values.most_common()
            ),
            fix=(
                "write 1 for the same author and 0 for different ones in place of"
                f" {' and '.join(values)}"
            ),
        )
    if not skip:
        faults.check(
            "" if {*problems} == {_TWICE} else ", or leave these rows out with --skip-faulty"
        )
    else:
        notes += noted(
            "faulty-rows", (f"line {fault.line}: {fault.problem}" for fault in faults.since(0))
        )


_CONTRADICTS = "the label contradicts the two authors"
_NEITHER = "says neither same nor different"


def _table_pair(
    row: Mapping[str, Any],
    roles: TableRoles,
    key: str,
    truth: dict[str, PairTruth],
    location: dict[str, Any],
) -> Pair:
    texts = [row.get(column) for column in roles.texts]
    for column, text in zip(roles.texts, texts, strict=True):
        if not isinstance(text, str) or not text.strip():
            raise FormatError(
                f"{column} is no text", **location, found=text, fix="fill it in, or remove the row"
            )
    topic = [row.get(f"topic{number}") or row.get(f"topic_{number}") for number in (1, 2)]
    if roles.has_truth:
        truth[key] = _row_truth(row, roles, location)
    first, second = (str(text).lstrip("\ufeff").replace("\r\n", "\n") for text in texts)
    return Pair(
        key,
        (first, second),
        (None, None) if None in topic else (str(topic[0]), str(topic[1])),
        location["line"],
    )


def _row_truth(row: Mapping[str, Any], roles: TableRoles, location: dict[str, Any]) -> PairTruth:
    """What a row's label says, or where there is none its authors show. FormatError if it is none, or both differ."""
    authors = [row.get(column) for column in roles.authors]
    named = (
        None
        if None in authors
        else _two_names(authors, "an author", location["file"], location["line"])
    )
    if named is not None and nobody(*named):
        named = None
    if named is None and roles.label is None:
        raise FormatError(
            f"no label, and {' and '.join(roles.authors)} name no two authors from whom it follows",
            **location,
            found=authors,
            fix="add a column label, or take these columns out to answer without truth",
        )
    by_names = None if named is None else name_key(named[0]) == name_key(named[1])
    same = bool(by_names) if roles.label is None else _label(row, roles, location)
    if by_names not in (None, same):
        sentence = (
            f"{roles.label} is {row.get(roles.label or '')}, authors are"
            f" {' and '.join(named or ())}"
        )
        raise FormatError(
            _CONTRADICTS, **location, found=sentence, fix="mend the one that is wrong"
        )
    return PairTruth(same, named)


def _row_id(
    row: Mapping[str, Any],
    roles: TableRoles,
    number: int,
    given_ids: set[str],
    location: dict[str, Any],
) -> str:
    value = number if roles.id is None else row.get(roles.id)
    key = str(value).strip()
    if value is None or not key:
        raise FormatError(
            "this row has no id", **location, fix="give every row an id, or leave the column out"
        )
    if key in given_ids:
        fix = f"make the ids differ, or take the column {roles.id} out: rows are numbered then"
        raise FormatError(_TWICE, **location, found=key, fix=fix)
    given_ids.add(key)
    return checked_name(key, "an id", location["file"], location["line"])


def _label(row: Mapping[str, Any], roles: TableRoles, location: dict[str, Any]) -> bool:
    value_by_column = {
        column: _says_same(row, column) for column in (roles.label or "", *roles.further)
    }
    same = value_by_column[roles.label or ""]
    empty = row.get(roles.label or "") in (None, "")
    if same is None or (not same) in value_by_column.values():
        opposed = "contradict each other" if same is not None else _NEITHER
        raise FormatError(
            f"{' and '.join(value_by_column)} {'is empty' if empty else opposed}",
            **location,
            expected="1 or 0, true, false, Y or N",
            found=None
            if empty
            else " and ".join(str(row.get(column)) for column in value_by_column),
            fix="fill it in" if empty else "call a column that is no label otherwise",
        )
    return same


def _says_same(row: Mapping[str, Any], column: str) -> bool | None:
    """Whether a column says that two texts are by one author; None where it says neither."""
    value = plain_key(row.get(column))
    same = _SAME.get(value)
    turned = plain_key(column) in OPPOSITES and not value.startswith(("same", "differ"))
    return None if same is None else same != turned


def _table_truth(archive: Archive, name: str, roles: TableRoles) -> dict[str, PairTruth]:
    """The truth that a table tells, of pairs or by id."""
    truth: dict[str, PairTruth] = {}
    if roles.texts:
        notes = roles.says_by_authors(archive.label(name))
        for _ in read_pair_table(archive, name, roles, truth, notes):
            pass
        remark(notes, archive.path)
    else:
        given_ids: set[str] = set()
        faults = Faults(_OF_TRUTH)
        for number, (line, row) in enumerate(table_rows(archive, name), start=1):
            location: dict[str, Any] = {"file": archive.label(name), "line": line}
            own_roles = _table_roles((), {plain_key(column): column for column in row})
            if not own_roles.has_truth or own_roles.id is None:
                swapped = _SWAPPED if "value" in row else "name the columns id and same"
                raise FormatError(
                    "this table is no truth",
                    **location,
                    found=", ".join(row),
                    expected="columns id and same",
                    fix=swapped,
                )
            with faults.gathered():
                key = _row_id(row, own_roles, number, given_ids, location)
                truth[key] = _row_truth(row, own_roles, location)
        faults.check()
    if not truth:
        raise FormatError(
            "there is no truth in this table",
            file=archive.label(name),
            expected="a column same or label",
        )
    return truth


def write_pan_pairs(folder: str | Path, problems: Problems, same: Bools | None = None) -> Path:
    """Write ``pairs.jsonl``, and ``truth.jsonl`` where ``same`` is given, one line a problem; return the folder.

    Topics become ``fandoms`` and authors stand in the truth where ``problems`` has them. InputError if a problem has
    several known documents, or the folder cannot be written.
    """
    folder = Path(folder)
    if np.any(problems.sizes != 1):
        i = int(np.argmax(problems.sizes != 1))
        raise InputError(
            "only problems with one known document can be written as pairs",
            found=f"{problems.ids[i]} with {problems.sizes[i]}",
            fix="write them as a PAN13–15 folder",
        )
    rows_by_side = list(
        zip(problems.known_index.tolist(), problems.questioned_index.tolist(), strict=True)
    )

    def two_labels(labels: Labels | None, i: int) -> list[str] | None:
        pair = [labels[row] for row in rows_by_side[i]] if labels is not None else [None]
        return None if None in pair else [str(label) for label in pair]

    with whole_file(folder / "pairs.jsonl") as file:
        for i, name in enumerate(problems.ids.tolist()):
            record: dict[str, Any] = {"id": name}
            if (topics := two_labels(problems.topic, i)) is not None:
                record["fandoms"] = topics
            record["pair"] = [problems.texts[row] for row in rows_by_side[i]]
            file.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
    if same is not None:
        with whole_file(folder / "truth.jsonl") as file:
            for i, name in enumerate(problems.ids.tolist()):
                record = {"id": name, "same": bool(same[i])}
                if (authors := two_labels(problems.author, i)) is not None:
                    record["authors"] = authors
                file.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
    return folder


def _read_pairs_file(
    archive: Archive,
    name: str,
    truth: dict[str, PairTruth] | None,
    table: TableRoles | None = None,
    skip_faulty: bool = False,
) -> ProblemSet:
    builder = ProblemBuilder()
    faults: dict[str, str] = {}
    same: list[bool] = []
    labelled: dict[frozenset[int], tuple[Pair, bool]] = {}
    author: dict[int, str | None] = {}
    topic: dict[int, str | None] = {}
    source: Iterator[Pair | tuple[str, str]] = read_pairs(archive, name)
    if table is not None:
        source = read_pair_table(archive, name, table, truth := {}, builder.notes, skip_faulty)
        truth = truth if table.has_truth else None
        builder.notes += table.says_by_authors(archive.label(name))
    for pair in source:
        if isinstance(pair, tuple):
            faults[pair[0]] = pair[1]
            continue
        if truth is not None and pair.id not in truth:
            faults[pair.id] = "the truth file does not name it: neither answered nor judged"
            continue
        try:
            (first,), second = builder.add(pair.id, [pair.texts[0]], pair.texts[1])
        except FormatError as error:
            faults[pair.id] = str(error).replace("\n  ", "; ")
            continue
        authors: tuple[str | None, str | None] = (None, None)
        if truth is not None:
            same.append(truth[pair.id].same)
            earlier_pair, earlier_same = labelled.setdefault(
                frozenset((first, second)), (pair, same[-1])
            )
            if earlier_same != same[-1]:
                raise FormatError(
                    "the same two texts are labelled twice, and each time otherwise",
                    file=archive.label(name),
                    line=pair.line,
                    found=(
                        f"{pair.id}: {_WORDS[same[-1]]}; {earlier_pair.id} in line"
                        f" {earlier_pair.line}: "
                        f"{_WORDS[earlier_same]}"
                    ),
                    expected="one label for two texts",
                    fix="leave out the row that is wrong",
                )
            authors = truth[pair.id].authors or authors
        for row, author_name, topic_name in zip((first, second), authors, pair.topics, strict=True):
            # One text under two authors has no author.
            author[row] = (
                author_name
                if name_key(author.setdefault(row, author_name) or "")
                == name_key(author_name or "")
                else None
            )
            topic.setdefault(row, topic_name)
    present = {*builder.ids, *faults}
    for key in truth or {}:
        if key not in present:
            faults[key] = "the truth file names it but the pairs file does not"
    zeros = ids_apart(present, truth or ())
    if not builder.ids:
        first_id = next(iter(faults), None)
        example = f"{first_id}: {faults[first_id]}" if first_id is not None else "an empty file"
        raise FormatError(
            "no pair can be used",
            file=archive.label(name),
            found=example,
            fix=str(zeros[0]) if zeros else None,
        )
    builder.notes += zeros
    rows = range(len(builder.texts))
    labels = {
        key: (
            Labels.of(
                spelt_alike([values.get(row) for row in rows], builder.notes, label_kind, same_key)
            )
            if any(label is not None for label in values.values())
            else None
        )
        for key, values, label_kind, same_key in (
            ("author", author, "author's name", name_key),
            ("topic", topic, "topic", label_key),
        )
    }
    corpus, split = corpus_name(archive, "" if "/" not in name else str(PurePosixPath(name).parent))
    return ProblemSet(
        corpus,
        builder.finish(**labels),
        None if truth is None else np.array(same, dtype=bool),
        split,
        faults,
        {key: truth[key].same for key in faults if key in truth} if truth else {},
        notes=tuple(builder.notes),
        place="" if archive.single else name,
    )


def _two_names(values: object, value_kind: str, file: str, line: int) -> tuple[str, str] | None:
    if (
        isinstance(values, list)
        and len(values) == 2
        and all(isinstance(value, str | int) for value in values)
    ):
        first, second = (
            plain_name(checked_name(str(value), value_kind, file, line)) for value in values
        )
        return first, second
    if isinstance(values, list) and len(values) not in (0, 2):
        raise FormatError(
            f"{value_kind} belongs to each of two texts",
            file=file,
            line=line,
            found=len(values),
            expected="a list of two",
        )
    return None


def read_problem_sets(
    path: str | Path,
    split: Split | None = None,
    encoding: str | None = UTF8,
    *,
    unquoted: bool = False,
    strip_shared: bool = False,
    skip_faulty: bool = False,
) -> list[ProblemSet]:
    """Every corpus of problems at a path as a ``ProblemSet``, each with its truth where the files give it.

    InputError if there is nothing at the path; FormatError if it holds no problems, or they do not parse.

    Parameters
    ----------
    path : path
        PAN13–15 folder or zip, PAN20–23 pairs file, folder or zip; a table of pairs (text1,text2,label); or a folder
        or zip of such zips.
    split : 'train' or 'test', optional
        Of a corpus that has parts, take this one.
    encoding : str or None
        Of texts that are not UTF-8, as ``decode`` takes it.
    unquoted, skip_faulty : bool
        Of tables: quotation marks are part of the texts; rows at fault are left out and counted.
    strip_shared : bool
        Take passages out that stand in texts of several problems, and Project Gutenberg's header and licence.
    """
    sets = _read_sets(path, split, encoding, unquoted, skip_faulty)
    if strip_shared:
        sets = [_stripped(problem_set) for problem_set in sets]
    sets = [
        replace(
            problem_set,
            notes=(
                *problem_set.notes,
                *_unusable(problem_set),
                *_known_remarks(problem_set.problems),
            ),
        )
        for problem_set in sets
    ]
    remark((note for problem_set in sets for note in problem_set.notes), path)
    return sets


def _unusable(problem_set: ProblemSet) -> list[Note]:
    """A note on the problems that were not read, by what is wrong."""
    names: dict[str, list[str]] = {}
    for name, why in problem_set.faults.items():
        names.setdefault(why, []).append(name)
    reasons = [f"{some(several)}: {why}" for why, several in names.items()]
    count = len(problem_set.faults)
    total = len(problem_set) + count
    return noted("unusable-problems", reasons, count, total=total, name=problem_set.name)


def _first_problems(problems: Problems) -> list[int]:
    """The first problem of each text: they stand for authors, who are not known."""
    first_problems = np.full(len(problems.texts), -1)
    for i in reversed(range(len(problems))):
        first_problems[[*problems.known(i), problems.questioned_index[i]]] = i
    return first_problems.tolist()


def _known_remarks(problems: Problems) -> list[Note]:
    """``_remarks``, kept in the cache folder by the content of many problems and by the code that makes them."""
    if int(problems.texts.offsets[-1]) < LEAST or stands_alone():
        return _remarks(problems)
    rooms = Path(__file__).parent, Path(__file__).parents[1] / "text"
    made_of = [problems.digest(), problems.texts.digest(), code_of(*rooms)]
    folder = cache_folder() / "remarks"
    make_room(folder.glob("*.npy"), MOST_KEPT)
    notes = kept_array(
        folder,
        identity_hash(made_of),
        lambda: np.frombuffer(msgspec.json.encode(_remarks(problems)), np.uint8),
    )
    return msgspec.json.decode(notes.tobytes(), type=list[Note])


def _remarks(problems: Problems) -> list[Note]:
    texts = [problems.texts[row] for row in range(min(MOST, len(problems.texts)))]
    first_problems = np.array(_first_problems(problems)[:MOST])
    copies = Copies.among(list(map(Sketch.of, texts)))
    questioned = problems.questioned_index.tolist()
    rows = [
        (name, problems.known(i).tolist(), questioned[i])
        for i, name in enumerate(problems.ids.tolist())
    ]
    times = Counter((frozenset(known), row) for _, known, row in rows)
    looked_at = [(name, known, row) for name, known, row in rows if max(*known, row) < len(texts)]
    repeating = [
        name
        for name, known, row in looked_at
        if any(
            copies(row, known_row) and not same_document(texts[row], texts[known_row])
            for known_row in known
        )
    ]
    several = [
        name
        for name, known, _ in looked_at
        if any(copies(*pair) for pair in combinations(known, 2))
    ]
    again = [name for name, known, row in rows if 1 < times[frozenset(known), row] < len(rows)]
    seen = Seen(texts, Labels(first_problems, ()), problems.ids[first_problems].tolist())
    return [
        *noted("questioned-repeats-known", repeating),
        *noted("asked-again", again),
        *noted("known-repeat", several),
        *odd_texts(seen),
        *several_languages(seen),
        *shared(seen),
    ]


def _stripped(problem_set: ProblemSet) -> ProblemSet:
    """The set without passages of texts in several problems; a text that holds nothing else stays."""
    plain = cleaner(problem_set.problems.texts, _first_problems(problem_set.problems), empty=False)
    count = sum(plain(text) != text for text in problem_set.problems.texts)
    problems = problem_set.problems.map_texts(
        cast(TextTransform, SimpleNamespace(transform=lambda texts: list(map(plain, texts))))
    )
    return replace(
        problem_set,
        problems=problems,
        notes=(
            *problem_set.notes,
            Note("stripped", count),
        ),
    )


def _read_sets(
    path: str | Path, split: Split | None, encoding: str | None, unquoted: bool, skip_faulty: bool
) -> list[ProblemSet]:
    with Archive(path, encoding, unquoted) as archive:
        check_no_attribution(archive, "verification problems")
        if roots := problem_roots(archive):
            return [
                _read_problem_folders(archive, root) for root in split_roots(roots, split, path)
            ]
        files = pairs_files(archive)
        tables = {
            n: roles
            for n in archive.names
            if not files and (roles := pair_table(archive, n)) is not None
        }
        if tables:
            return [
                _read_pairs_file(archive, n, {}, roles, skip_faulty) for n, roles in tables.items()
            ]
        if files:
            of_split = set(
                split_roots(sorted({str(PurePosixPath(n).parent) for n in files}), split, path)
            )
            chosen = [
                (n, truth_file)
                for n, truth_file in files.items()
                if str(PurePosixPath(n).parent) in of_split
            ]
            truths = [
                None if truth_file is None else read_truth_records(archive, truth_file)
                for _, truth_file in chosen
            ]
            return [
                _read_pairs_file(archive, n, truth)
                for (n, _), truth in zip(chosen, truths, strict=True)
            ]
        if any(map(is_lines, archive.names)):
            given_truth = any(is_truth(name) for name in archive.names)
            raise FormatError(
                "there are no PAN20–23 pairs here",
                file=path,
                expected='lines {"id", "pair": [text, text]}',
                fix="this is the truth file: give the pairs file" if given_truth else None,
            )
        zips = [n for n in archive.names if n.lower().endswith(".zip")]
        names = archive.names
    if zips:
        problem_sets = [
            (name, problem_set)
            for name in zips
            for problem_set in _read_sets(Path(path) / name, split, encoding, unquoted, skip_faulty)
        ]
        return [
            replace(problem_set, place=f"{name}/{problem_set.place}".rstrip("/"))
            for name, problem_set in problem_sets
        ]
    raise FormatError(
        "there are no verification problems here",
        file=path,
        found=", ".join(names[:3]) or "an empty folder",
        expected=(
            "PAN13–15 folders (EN001/known01.txt, unknown.txt), PAN20–23 pairs.jsonl, or"
            " text1,text2,label"
        ),
    )


def read_problems(
    path: str | Path, split: Split | None = None, encoding: str | None = UTF8, **options: bool
) -> ProblemSet:
    """Read the one corpus of problems at a path, as ``read_problem_sets`` reads several. FormatError as there, or if
    there are several."""
    sets = read_problem_sets(path, split, encoding, **options)
    if len(sets) != 1:
        called = [
            f"{problem_set.name}/{problem_set.split}" if problem_set.split else problem_set.name
            for problem_set in sets
        ]
        names = ", ".join(
            called
            if len({*called}) == len(called)
            else [problem_set.place or problem_set.name for problem_set in sets]
        )
        halves = (
            split is None
            and {problem_set.split for problem_set in sets} == {"train", "test"}
            and len(sets) == 2
        )
        fix = (
            "--split train or --split test"
            if halves
            else "give one of them, as "
            f"{Path(path) / next((problem_set.place for problem_set in sets if problem_set.place), '')}"
        )
        raise FormatError("several sets of problems are here", file=path, found=names, fix=fix)
    return sets[0]
