"""Verification problems as PAN has them, read and written: folders (2013–15), pairs (2020–23), zips, folders of zips.

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

import numpy as np

from ravenbench.components import identity_hash
from ravenbench.errors import OPTIONS, FormatError, InputError, MissingPart, counted, first_names, remark, some
from ravenbench.files import (
    cache_folder,
    code_of,
    kept_array,
    make_room,
    stands_alone,
    write_json,
    write_text,
)
from ravenbench.formats.archive import Archive, Split, split_of, split_roots
from ravenbench.formats.collector import TextCollector, same_document
from ravenbench.formats.decoding import UTF8, Faults, checked_name, from_json
from ravenbench.formats.output import fresh_folder, whole_file
from ravenbench.formats.pan_attribution import check_no_attribution
from ravenbench.formats.tabular import column_names, is_lines, record_id, records, stem_of, table_kind, table_rows
from ravenbench.text.common_words import sentence_on_languages
from ravenbench.text.copies import Copies, Sketch
from ravenbench.text.damage import MOST, SCRIPTS, odd_texts, script_of
from ravenbench.text.names import is_nobody, label_key, name_key, one_spelling, plain_name, zeros_lost
from ravenbench.text.passages import cleaner, sentence_on_shared
from ravenbench.types import Bools, Labels, Problems, TextTransform, name_array

LEAST = 2**20
"""Bytes of texts from which on it is quicker to open what was remarked about them than to look again."""
MOST_KEPT = 2**26
"""Bytes of all remarks in the cache folder."""


@dataclass(frozen=True, eq=False)
class ProblemSet:
    """The problems of one corpus and split, as read.

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
        Truth of ``problems``; None where there is no truth file.
    faults : mapping of id to reason
        Problems that could not be read: each counts as a non-answer.
    fault_truth : mapping of id to bool
        Truth of those among them that the truth file names.
    language, genre : str or None
    notes : tuple of str
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
    notes: tuple[str, ...] = ()
    place: str = ""

    def __len__(self) -> int:
        return len(self.problems)

    def truth(self) -> Bools:
        """The truth of the problems. FormatError if no truth file was found."""
        if self.same is None:
            raise FormatError(
                f"{self.name} has no truth", fix="training needs truth: add it, or use these problems as --test",
                expected="truth.txt or truth.jsonl beside the problems; in a table of pairs a column same or label",
            )  # fmt: skip
        return self.same


class ProblemBuilder:
    """Gathers problems one by one; each distinct document is kept once."""

    def __init__(self) -> None:
        self.texts = TextCollector()
        self.ids: list[str] = []
        self._sizes: list[int] = []
        self._known: list[int] = []
        self._questioned: list[int] = []
        self.notes: list[str] = []
        self.identical: list[str] = []

    def add(self, name: str, known: Sequence[str], questioned: str) -> tuple[list[int], int]:
        """Add one problem and return the rows of its documents.

        FormatError if there is no usable document on one side; the message is the reason.
        """
        if not questioned.strip():
            raise FormatError("the questioned document is empty")
        usable = [text for text in known if text.strip()]
        if not usable:
            raise FormatError("every known document is empty" if known else "there is no known document")
        if len(usable) < len(known):
            self.notes.append(f"{name}: {len(known) - len(usable)} empty known documents left out")
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
        """All problems added; labels are columns of ``Problems`` (author, topic, language)."""
        if self.identical:
            self.notes.append(f"{first_names(self.identical)}: the questioned text is identical with a known one")
        return Problems(
            self.texts.table(), name_array(self.ids), np.concatenate([[0], np.cumsum(self._sizes)]).astype(np.int64),
            np.asarray(self._known, dtype=np.int64), np.asarray(self._questioned, dtype=np.int64), **labels,
        )  # fmt: skip


_DOCUMENT = re.compile(r"(known\d*|unknown)\.txt\Z", re.IGNORECASE)
_ID_AS_PATH = "its id is a path, not a name"


def problem_roots(archive: Archive) -> list[str]:
    """Folders that hold problem folders ('' for the archive itself), sorted; a problem's own folder holds none."""
    folders = {_parent(name) for name in archive.names if _is_document(name)}
    return sorted({_parent(folder) for folder in folders} - folders)


def holds_problems(archive: Archive) -> bool:
    """Whether verification problems of some form lie in an archive, or in a zip within a folder."""
    if problem_roots(archive) or pairs_files(archive) or any(pair_table(archive, name) for name in archive.names):
        return True
    inner = [archive.path / name for name in archive.names if name.lower().endswith(".zip") and archive.path.is_dir()]
    for path in inner:
        with Archive(path) as within:
            if holds_problems(within):
                return True
    return False


def write_pan_problems(
    path: str | Path, problems: Problems, same: Bools | None = None, language: str = "english", genre: str = "unknown"
) -> Path:
    """Write problems as a PAN13–15 folder, with ``truth.txt`` where ``same`` is given.

    The folder appears under its name only when it is complete. InputError if the folder exists and is not empty, cannot
    be written, or an id cannot name a folder.
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


_OF_TRUTH, _TWICE = "lines of truth cannot be used", "an id stands twice"
_ANSWERS, _SWAPPED = "these are answers, not truth", "are truth and answers swapped?"


def read_truth_lines(archive: Archive, name: str) -> dict[str, bool]:
    """Read the ``EN001 Y`` lines of a ``truth.txt``.

    FormatError, with all of them, if lines are anything else or an id stands twice; or if the file is empty.
    """
    truth: dict[str, bool] = {}
    faults = Faults(_OF_TRUTH)
    for number, line in archive.lines(name):
        parts = line.split()
        where: dict[str, Any] = {"file": archive.label(name), "line": number, "found": line}
        if len(parts) in (2, 3) and re.fullmatch(r"[\d.eE+-]+", parts[-1]) is not None:
            raise FormatError(_ANSWERS, **where, expected="ID Y or ID N", fix=_SWAPPED)
        with faults.gathered():
            if len(parts) != 2 or parts[1].upper() not in ("Y", "N"):
                fix = "write the problem's id, a blank, and Y (same author) or N"
                raise FormatError("not a line of truth", **where, expected="ID Y or ID N", fix=fix)
            checked_name(parts[0], "an id", archive.label(name), number)
            if parts[0] in truth:
                raise FormatError(_TWICE, **where, fix="keep the line that is right")
            truth[parts[0]] = parts[1].upper() == "Y"
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
        if "/" in file[len(inside) :] and file.startswith(inside):
            folders.setdefault(file[len(inside) :].partition("/")[0], []).append(file)
    truth = read_truth_lines(archive, inside + "truth.txt") if inside + "truth.txt" in archive else None
    language, genre, listed = (
        read_contents(archive, inside + "contents.json") if inside + "contents.json" in archive else (None, None, [])
    )
    named = dict.fromkeys([*listed, *(truth or {})])
    # Folders without a document that nobody lists are something else (documentation, figures).
    texts = {k: [f for f in several if _is_document(f) and _parent(f) == inside + k] for k, several in folders.items()}
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
    zeros = zeros_lost(folders, truth or named)
    if not builder.ids:
        first, problem = next(iter(faults)), f"no problem of {name} can be read"
        raise FormatError(problem, file=archive.path, found=f"{first}: {faults[first]}", fix=next(iter(zeros), None))
    builder.notes += zeros
    builder.notes += _unlike(unread, sorted({*folders} - {*listed}) if listed else [])
    problems, script = builder.finish(), SCRIPTS.get((language or "").casefold())
    if script is not None and (written := script_of(problems.texts[0])) not in (None, script):
        builder.notes.append(f"contents.json says that the texts are in {language}, but they are in {written} letters")
    return ProblemSet(
        name, problems, None if truth is None else np.array(same, dtype=bool), split, faults,
        _known(truth, faults), language, genre, tuple(builder.notes), root,
    )  # fmt: skip


def _unlike(unread: list[str], unlisted: list[str]) -> list[str]:
    """Sentences on files that are no texts of problems, and on problems that ``contents.json`` lacks."""
    said = {
        f"{counted(len(unread), 'file')} not read, for a problem has texts known….txt and one unknown.txt": unread,
        f"{counted(len(unlisted), 'problem')} that contents.json does not list, answered all the same": unlisted,
    }
    return [f"{what}: {first_names(names)}" for what, names in said.items() if names]


def _fault(problem: str, texts: Mapping[str, list[str]], truth: Mapping[str, bool] | None) -> str | None:
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
    known, unknown = [], ""
    for file in files:
        name = _name(file).lower()
        if name == "unknown.txt":
            unknown = archive.text(file, published=True)
        elif _DOCUMENT.match(name):
            known.append(archive.text(file, published=True))
    return known, unknown


def _known(truth: Mapping[str, bool] | None, faults: Mapping[str, str]) -> dict[str, bool]:
    return {name: truth[name] for name in faults if name in truth} if truth else {}


def _is_document(name: str) -> bool:
    return "/" in name and _DOCUMENT.match(_name(name)) is not None


def _is_plain(name: str) -> bool:
    return bool(name) and name not in (".", "..") and not set(name) & set('/\\:\0*?"<>|') and not name.startswith(".")


def _name(name: str) -> str:
    return name.rpartition("/")[2]


def _parent(name: str) -> str:
    return name.rpartition("/")[0]


_TRUTH = re.compile(r"(?:.*[-_.])?truth\Z", re.IGNORECASE)


class Wording(NamedTuple):
    """How pages speak of what truth is about: a ``yes`` and a ``no``; problems of either kind, many, one, and one set
    against it; what all of them are; what problems are; and a sentence of counts (of yes, of no)."""

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
        "same author", "different authors", "same-author problems", "a same-author problem", "a different-author one",
        "by the same author", "by different authors", "verification problems",
        "{:,} problems are by the same author, {:,} by different ones.",
    ),
    "machines": Wording(
        "machine", "person", "machines' texts", "a machine's text", "a person's", "by a machine", "by a person",
        "texts by persons and machines", "{:,} texts are by a machine, {:,} by a person.",
    ),
    "machine pairs": Wording(
        "first text by a machine", "second text by a machine", "pairs with the machine's text first",
        "a pair with the machine's text first", "one with it second", "with the machine's text first",
        "with the machine's text second", "pairs of a person's and a machine's text",
        "In {:,} pairs the machine's text stands first, in {:,} second.",
    ),
}  # fmt: skip
"""What a truth may be about."""


@dataclass(frozen=True)
class PairTruth:
    """The truth of one pair; authors are None where the file does not name them. ``about``: a key of ``WORDINGS``."""

    same: bool
    authors: tuple[str, str] | None
    about: str = "authors"


@dataclass(frozen=True)
class Pair:
    """One line of a pairs file: two texts and their topics (fandom or discourse type)."""

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
        place, stem = PurePosixPath(name).parent, stem_of(name)
        wanted = [f"{stem}-truth", f"{stem}_truth", stem.replace("pairs", "truth")]
        if len(pairs) == 1 or stem == "pairs":
            wanted.append("truth")
        near = [PurePosixPath(n).name for n in lines if PurePosixPath(n).parent == place] + archive.siblings()
        truths = [n for w in wanted for n in near if is_truth(n) and is_lines(n) and stem_of(n) == w]
        files[name] = str(place / truths[0]) if truths else name if _own_label(first_record(archive, name)) else None
    return files


def is_truth(name: str) -> bool:
    """Whether a file holds truth by its name."""
    return _TRUTH.match(stem_of(name)) is not None


def first_record(archive: Archive, name: str) -> dict[str, Any]:
    """The first line of a JSON-lines file, {} where it is none."""
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


def label_of(record: Mapping[str, Any], **where: Any) -> bool | None:
    """Whether a machine wrote what a line of texts, truth or answers is about; None where it has no label.

    Of a pair: whether a machine wrote the first text, as in PAN's evaluator. FormatError if the label is none.
    """
    human = _human(record)
    if "is_human" in record or of_pair(record):
        if human in ([True, False], [False, True]):
            return not human[0]
        raise FormatError("is_human is not one true and one false", **where, found=human, expected="[true, false]")
    label = record.get("label")
    if label is None:
        return None
    if isinstance(label, bool) or label not in range(6):  # 1.0 too, as PAN's evaluator
        raise FormatError(
            "not a label", **where, found=repr(label), expected="a number: 0 (a person), 1 (a machine); or 0 to 5"
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
    faults, nobodies = Faults(_OF_TRUTH), 0
    for line, record in records(archive, name):
        where: dict[str, Any] = {"file": archive.label(name), "line": line}
        if "same" not in record and "value" in record:
            raise FormatError(_ANSWERS, **where, found=sorted(record), expected='{"id", "same"}', fix=_SWAPPED)
        with faults.gathered():
            key = record_id(record, archive, name, line)
            if key in truth:
                raise FormatError(_TWICE, **where, found=key, fix="keep the line that is right")
            truth[key], of_nobody = _record_truth(record, where)
            nobodies += of_nobody
    faults.check()
    if not truth:
        raise FormatError("the truth file is empty", file=archive.label(name))
    if nobodies:
        remark([f"{counted(nobodies, 'problem')} of one author, who is nobody in particular: they may be of several"])
    return truth


def _record_truth(record: Mapping[str, Any], where: dict[str, Any]) -> tuple[PairTruth, bool]:
    """What a line of truth says, and whether it says that two texts are by one author who is nobody in particular."""
    same, about = record.get("same"), "authors"
    if same is None and (label := _own_label(record)) is not None:
        same = _said(record, label)
    elif same is None:
        same, about = label_of(record, **where), "machine pairs" if of_pair(record) else "machines"
    if not isinstance(same, bool):
        raise FormatError(
            "truth has no same: true or false", **where, found=record, expected='{"id", "same"}',
            fix="write true or false, without quotation marks, for every problem",
        )  # fmt: skip
    authors = _two(record.get("authors"), "an author", **where)
    if authors is not None and nobody(*authors):
        return PairTruth(same, None, about), same
    if authors is not None and (name_key(authors[0]) == name_key(authors[1])) != same:
        raise FormatError("same contradicts the two authors", **where, found=record, fix="mend the one that is wrong")
    return PairTruth(same, authors, about), False


def read_pairs(archive: Archive, name: str) -> Iterator[Pair | tuple[str, str]]:
    """Read the pairs of one file; (id, reason) stands in place of a pair that cannot be used.

    FormatError if a line is not JSON, has no id, or repeats one.
    """
    seen: set[str] = set()
    for line, record in records(archive, name):
        key = record_id(record, archive, name, line)
        if key in seen:
            raise FormatError("an id stands twice", file=archive.label(name), line=line, found=key)
        seen.add(key)
        texts = record.get("pair")
        where: dict[str, Any] = {"file": archive.label(name), "line": line}
        if isinstance(texts, list) and len(texts) > 2:
            raise FormatError("a pair has two texts", **where, found=len(texts), expected='"pair": [text, text]')
        if not isinstance(texts, list) or len(texts) != 2 or not all(isinstance(t, str) for t in texts):
            yield key, f"line {line} has no pair of two texts"
            continue
        topics = next((record[k] for k in ("fandoms", "discourse_types", "discourse_type") if k in record), None)
        if isinstance(topics, str):
            topics = [topics, topics]
        first, second = (t.lstrip("\ufeff").replace("\r\n", "\n") for t in texts)
        yield Pair(key, (first, second), _two(topics, "a topic", **where) or (None, None), line)


_TEXTS = [tuple(both.split("/")) for both in column_names("pair texts")]
_LABELS, OPPOSITES, _IDS = (column_names(f"pair {kind}") for kind in ("labels", "opposites", "ids"))
"""Columns that say what is the same, and what is different (yes, 1 or a high number)."""
_SAME = {
    **dict.fromkeys(("1", "1.0", "true", "yes", "y", "same", "sameauthor", "positive", "match", "matches"), True),
    **dict.fromkeys(("0", "0.0", "-1", "false", "no", "n", "different", "differentauthors", "negative"), False),
    "mismatch": False,
}  # fmt: skip
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

    def says_by_authors(self, file: str) -> list[str]:
        """A sentence where truth follows from the authors alone, or there is none and other columns are not read."""
        if self.others:
            return [
                f"{file} has no column same or label, so that nothing is scored; not read: {some(self.others)}; "
                "if one of these says who wrote both, call it label"
            ]
        said = f"{file} has no label: what is the same follows from {' and '.join(self.authors)}"
        return [said] if self.authors and self.label is None else []

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
    here = {plain_key(column): column for column in row}
    both = next((pair for pair in _TEXTS if pair[0] in here and pair[1] in here), None)
    if both is None or "pair" in row:
        return None
    return _roles((here[both[0]], here[both[1]]), here)


def _roles(texts: tuple[str, ...], here: Mapping[str, str]) -> TableRoles:
    """The columns of a table whose texts are known, by their ``plain_key``."""
    labels = [here[n] for n in (*_LABELS, *OPPOSITES) if n in here]
    further = tuple(column for column in labels[1:] if re.search("same|differ", plain_key(column)))
    authors = tuple(here[name] for name in ("author1", "author2") if name in here)
    own_id = next((here[n] for n in _IDS if n in here), None)
    authors = authors if len(authors) == 2 else ()
    rest = (column for column in here.values() if column not in (*texts, own_id) and "topic" not in plain_key(column))
    others = () if labels or authors else tuple(rest)
    return TableRoles(texts, next(iter(labels), None), own_id, further, authors, others)


def _own_label(record: Mapping[str, Any]) -> str | None:
    """The key under which a record says whether a pair is by one author: of a pair any, else one that means nothing
    else; None where there is none."""
    label = _roles((), {plain_key(key): key for key in record}).label
    return label if "pair" in record or plain_key(label) in OPPOSITES else None


def check_no_further_text(row: Mapping[str, Any], texts: Sequence[str], file: str | Path, line: int, fix: str) -> None:
    """FormatError if a table has one more column of texts, called as those that are read but for a number: text3."""
    stems = {_UNNUMBERED.sub("", plain_key(column)) for column in texts}
    others = [c for c in row if c not in texts and _UNNUMBERED.sub("", plain_key(c)) in stems - {plain_key(c)}]
    if others:
        raise FormatError(
            "a column of texts would not be read", file=file, line=line, found=", ".join(others),
            expected=" and ".join(texts), fix=fix,
        )  # fmt: skip


def read_pair_table(
    archive: Archive, name: str, roles: TableRoles, truth: dict[str, PairTruth], notes: list[str], skip: bool = False
) -> Iterator[Pair]:
    """The pairs of a table; what their labels or authors say is put to ``truth`` before each. FormatError, after the
    last, for all rows that lack a text or a label, or whose label is none; with ``skip``, they are told to
    ``notes`` instead, unless most labels contradict the authors. Pairs both of whose authors are nobody in particular
    are left out, and counted there, unless all pairs are such."""
    named = any(not roles.are_nobody(row) for _, row in table_rows(archive, name))
    own: set[str] = set()
    faults, several, nobodies = Faults("rows cannot be used"), 0, 0
    values = Counter[str]()
    for number, (line, row) in enumerate(table_rows(archive, name), start=1):
        where: dict[str, Any] = {"file": archive.label(name), "line": line}
        if number == 1:
            check_no_further_text(row, roles.texts, **where, fix="write a row for each pair of texts")
        pair, several = None, number
        if named and roles.are_nobody(row):
            nobodies += 1
            continue
        if (said := row.get(roles.label or "")) not in (None, ""):
            values[str(said)] += 1
        with faults.gathered():
            pair = _table_pair(row, roles, _row_id(row, roles, number, own, where), truth, where)
        if pair is not None:
            yield pair
    if nobodies:
        notes.append(f"{counted(nobodies, 'pair')} left out, for both authors are nobody in particular, as [deleted]")
    problems = [fault.problem for fault in faults.since(0)]
    if 2 * (turned := problems.count(_CONTRADICTS)) > several:
        raise FormatError(
            f"the labels contradict the two authors in {turned:,} of {several:,} rows: are they the other way round?",
            file=archive.label(name), found=f"in the first: {faults.since(0)[problems.index(_CONTRADICTS)].found}",
            fix=f"call the column {roles.label} different, if it says yes or 1 of different authors",
        )  # fmt: skip
    neither = sum(_NEITHER in problem for problem in problems)
    if neither and len({one.same for one in truth.values()}) < 2 and len(values) <= 4:
        raise FormatError(
            f"{roles.label} {_NEITHER} in {neither:,} of {several:,} rows, so that a whole class is not read",
            file=archive.label(name), expected="1 or 0, true, false, Y or N",
            found=", ".join(f"{value} ({counted(count, 'row')})" for value, count in values.most_common()),
            fix=f"write 1 for the same author and 0 for different ones in place of {' and '.join(values)}",
        )  # fmt: skip
    if not skip:
        faults.check("" if {*problems} == {_TWICE} else ", or leave these rows out with --skip-faulty")
    elif faults:
        first = faults.since(0)[0]
        notes.append(f"{counted(len(faults), 'faulty row')} left out; the first, in line {first.line}: {first.problem}")


_CONTRADICTS = "the label contradicts the two authors"
_NEITHER = "says neither same nor different"


def _table_pair(
    row: Mapping[str, Any], roles: TableRoles, key: str, truth: dict[str, PairTruth], where: dict[str, Any]
) -> Pair:
    texts = [row.get(column) for column in roles.texts]
    for column, text in zip(roles.texts, texts, strict=True):
        if not isinstance(text, str) or not text.strip():
            raise FormatError(f"{column} is no text", **where, found=text, fix="fill it in, or remove the row")
    topic = [row.get(f"topic{side}") or row.get(f"topic_{side}") for side in (1, 2)]
    if roles.has_truth:
        truth[key] = _row_truth(row, roles, where)
    first, second = (str(t).lstrip("\ufeff").replace("\r\n", "\n") for t in texts)
    return Pair(key, (first, second), (None, None) if None in topic else (str(topic[0]), str(topic[1])), where["line"])


def _row_truth(row: Mapping[str, Any], roles: TableRoles, where: dict[str, Any]) -> PairTruth:
    """What a row's label says, or where there is none its authors show. FormatError if it is none, or both differ."""
    authors = [row.get(column) for column in roles.authors]
    named = None if None in authors else _two(authors, "an author", where["file"], where["line"])
    if named is not None and nobody(*named):
        named = None
    if named is None and roles.label is None:
        raise FormatError(
            f"no label, and {' and '.join(roles.authors)} name no two authors from whom it follows", **where,
            found=authors, fix="add a column label, or take these columns out to answer without truth",
        )  # fmt: skip
    by_names = None if named is None else name_key(named[0]) == name_key(named[1])
    same = bool(by_names) if roles.label is None else _label(row, roles, where)
    if by_names not in (None, same):
        said = f"{roles.label} is {row.get(roles.label or '')}, authors are {' and '.join(named or ())}"
        raise FormatError(_CONTRADICTS, **where, found=said, fix="mend the one that is wrong")
    return PairTruth(same, named)


def _row_id(row: Mapping[str, Any], roles: TableRoles, number: int, own: set[str], where: dict[str, Any]) -> str:
    value = number if roles.id is None else row.get(roles.id)
    key = str(value).strip()
    if value is None or not key:
        raise FormatError("this row has no id", **where, fix="give every row an id, or leave the column out")
    if key in own:
        fix = f"make the ids differ, or take the column {roles.id} out: rows are numbered then"
        raise FormatError(_TWICE, **where, found=key, fix=fix)
    own.add(key)
    return checked_name(key, "an id", where["file"], where["line"])


def _label(row: Mapping[str, Any], roles: TableRoles, where: dict[str, Any]) -> bool:
    said = {column: _said(row, column) for column in (roles.label or "", *roles.further)}
    same, empty = said[roles.label or ""], row.get(roles.label or "") in (None, "")
    if same is None or (not same) in said.values():
        opposed = "contradict each other" if same is not None else _NEITHER
        raise FormatError(
            f"{' and '.join(said)} {'is empty' if empty else opposed}", **where, expected="1 or 0, true, false, Y or N",
            found=None if empty else " and ".join(str(row.get(column)) for column in said),
            fix="fill it in" if empty else "call a column that is no label otherwise",
        )  # fmt: skip
    return same


def _said(row: Mapping[str, Any], column: str) -> bool | None:
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
        remark(notes)
    else:
        own: set[str] = set()
        faults = Faults(_OF_TRUTH)
        for number, (line, row) in enumerate(table_rows(archive, name), start=1):
            where: dict[str, Any] = {"file": archive.label(name), "line": line}
            own_roles = _roles((), {plain_key(column): column for column in row})
            if not own_roles.has_truth or own_roles.id is None:
                swapped = _SWAPPED if "value" in row else "name the columns id and same"
                raise FormatError(
                    "this table is no truth", **where, found=", ".join(row), expected="columns id and same", fix=swapped
                )
            with faults.gathered():
                key = _row_id(row, own_roles, number, own, where)
                truth[key] = _row_truth(row, own_roles, where)
        faults.check()
    if not truth:
        raise FormatError(
            "there is no truth in this table", file=archive.label(name), expected="a column same or label"
        )
    return truth


def write_pan_pairs(folder: str | Path, problems: Problems, same: Bools | None = None) -> Path:
    """Write ``pairs.jsonl``, and ``truth.jsonl`` where ``same`` is given, one line at a time.

    Topics become ``fandoms`` and authors stand in the truth where ``problems`` has them. InputError if a problem has
    several known documents, or the folder cannot be written.
    """
    folder = Path(folder)
    if np.any(problems.sizes != 1):
        i = int(np.argmax(problems.sizes != 1))
        raise InputError(
            "only problems with one known document can be written as pairs",
            found=f"{problems.ids[i]} with {problems.sizes[i]}", fix="write them as a PAN13–15 folder",
        )  # fmt: skip
    sides = list(zip(problems.known_index.tolist(), problems.questioned_index.tolist(), strict=True))

    def both(labels: Labels | None, i: int) -> list[str] | None:
        pair = [labels[row] for row in sides[i]] if labels is not None else [None]
        return None if None in pair else [str(v) for v in pair]

    with whole_file(folder / "pairs.jsonl") as file:
        for i, name in enumerate(problems.ids.tolist()):
            record: dict[str, Any] = {"id": name}
            if (topics := both(problems.topic, i)) is not None:
                record["fandoms"] = topics
            record["pair"] = [problems.texts[row] for row in sides[i]]
            file.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
    if same is not None:
        with whole_file(folder / "truth.jsonl") as file:
            for i, name in enumerate(problems.ids.tolist()):
                record = {"id": name, "same": bool(same[i])}
                if (authors := both(problems.author, i)) is not None:
                    record["authors"] = authors
                file.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
    return folder


def _problems(
    archive: Archive, name: str, truth: dict[str, PairTruth] | None, table: TableRoles | None = None,
    skip_faulty: bool = False,
) -> ProblemSet:  # fmt: skip
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
            before, other = labelled.setdefault(frozenset((first, second)), (pair, same[-1]))
            if other != same[-1]:
                raise FormatError(
                    "the same two texts are labelled twice, and each time otherwise", file=archive.label(name),
                    line=pair.line, found=f"{pair.id}: {_WORDS[same[-1]]}; {before.id} in line {before.line}: "
                    f"{_WORDS[other]}", expected="one label for two texts", fix="leave out the row that is wrong",
                )  # fmt: skip
            authors = truth[pair.id].authors or authors
        for row, who, what in zip((first, second), authors, pair.topics, strict=True):
            # One text under two authors has no author.
            author[row] = who if name_key(author.setdefault(row, who) or "") == name_key(who or "") else None
            topic.setdefault(row, what)
    present = {*builder.ids, *faults}
    for key in truth or {}:
        if key not in present:
            faults[key] = "the truth file names it but the pairs file does not"
    zeros = zeros_lost(present, truth or ())
    if not builder.ids:
        first_id = next(iter(faults), None)
        example = f"{first_id}: {faults[first_id]}" if first_id is not None else "an empty file"
        raise FormatError("no pair can be used", file=archive.label(name), found=example, fix=next(iter(zeros), None))
    builder.notes += zeros
    rows = range(len(builder.texts))
    labels = {
        key: Labels.of(one_spelling([values.get(row) for row in rows], builder.notes, what, same_key))
        if any(v is not None for v in values.values()) else None
        for key, values, what, same_key in (
            ("author", author, "author's name", name_key), ("topic", topic, "topic", label_key)
        )
    }  # fmt: skip
    corpus, split = corpus_name(archive, "" if "/" not in name else str(PurePosixPath(name).parent))
    return ProblemSet(
        corpus, builder.finish(**labels), None if truth is None else np.array(same, dtype=bool), split, faults,
        {key: truth[key].same for key in faults if key in truth} if truth else {}, notes=tuple(builder.notes),
        place="" if archive.single else name,
    )  # fmt: skip


def _two(values: object, what: str, file: str, line: int) -> tuple[str, str] | None:
    if isinstance(values, list) and len(values) == 2 and all(isinstance(v, str | int) for v in values):
        first, second = (plain_name(checked_name(str(v), what, file, line)) for v in values)
        return first, second
    if isinstance(values, list) and len(values) not in (0, 2):
        raise FormatError(
            f"{what} belongs to each of two texts", file=file, line=line, found=len(values), expected="a list of two"
        )
    return None


def read_problem_sets(
    path: str | Path, split: Split | None = None, encoding: str | None = UTF8, *, unquoted: bool = False,
    strip_shared: bool = False, skip_faulty: bool = False,
) -> list[ProblemSet]:  # fmt: skip
    """Read every corpus of problems at a path, each with its truth where the files give it.

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
    sets = _sets(path, split, encoding, unquoted, skip_faulty)
    if strip_shared:
        sets = [_stripped(one) for one in sets]
    sets = [replace(one, notes=(*one.notes, *_unusable(one), *_known_remarks(one.problems))) for one in sets]
    remark(note for one in sets for note in one.notes)
    return sets


def _unusable(one: ProblemSet) -> list[str]:
    """A sentence that counts the problems that were not read, by what is wrong."""
    names: dict[str, list[str]] = {}
    for name, why in one.faults.items():
        names.setdefault(why, []).append(name)
    said = first_names([f"{some(several)}: {why}" for why, several in names.items()])
    every = len(one) + len(one.faults)
    return [f"{len(one.faults):,} of {every:,} problems of {one.name} cannot be used: {said}"] if names else []


def _first_problems(problems: Problems) -> list[int]:
    """The first problem of each text: they stand for authors, who are not known."""
    first = np.full(len(problems.texts), -1)
    for i in reversed(range(len(problems))):
        first[[*problems.known(i), problems.questioned_index[i]]] = i
    return first.tolist()


def _known_remarks(problems: Problems) -> list[str]:
    """``_remarks``, kept in the cache folder by the content of many problems and by the code that makes them."""
    if int(problems.texts.offsets[-1]) < LEAST or stands_alone():
        return _remarks(problems)
    rooms = Path(__file__).parent, Path(__file__).parents[1] / "text"
    made_of = [problems.digest(), problems.texts.digest(), "--strip-shared" in OPTIONS, code_of(*rooms)]
    folder = cache_folder() / "remarks"
    make_room(folder.glob("*.npy"), MOST_KEPT)
    sentences = kept_array(folder, identity_hash(made_of), lambda: np.array(_remarks(problems), dtype=np.str_))
    return list(map(str, sentences.tolist()))


def _remarks(problems: Problems) -> list[str]:
    texts = [problems.texts[row] for row in range(min(MOST, len(problems.texts)))]
    first = _first_problems(problems)[:MOST]
    copies, questioned = Copies.among(list(map(Sketch.of, texts))), problems.questioned_index.tolist()
    rows = [(name, problems.known(i).tolist(), questioned[i]) for i, name in enumerate(problems.ids.tolist())]
    times = Counter((frozenset(known), row) for _, known, row in rows)
    looked_at = [(name, known, row) for name, known, row in rows if max(*known, row) < len(texts)]
    said = {
        "the questioned text repeats a known one but for marks, letter case, or what was cut or added": [
            name for name, known, row in looked_at
            if any(copies(row, one) and not same_document(texts[row], texts[one]) for one in known)
        ],
        "asked more than once, and each time counts": [
            name for name, known, row in rows if 1 < times[frozenset(known), row] < len(rows)
        ],
        "known texts repeat one another, and count as several": [
            name for name, known, _ in looked_at if any(copies(*both) for both in combinations(known, 2))
        ],
    }  # fmt: skip
    return [
        *(f"{first_names(names)}: {what}" for what, names in said.items() if names),
        *odd_texts(texts, problems.ids[first].tolist()),
        *sentence_on_languages(texts, problems.ids[first].tolist()),
        *sentence_on_shared(texts, first, "of several problems"),
    ]


def _stripped(one: ProblemSet) -> ProblemSet:
    """The set without passages of texts in several problems; a text that holds nothing else stays."""
    plain = cleaner(one.problems.texts, _first_problems(one.problems), empty=False)
    count = sum(plain(text) != text for text in one.problems.texts)
    problems = one.problems.map_texts(
        cast(TextTransform, SimpleNamespace(transform=lambda texts: list(map(plain, texts))))
    )
    return replace(
        one, problems=problems, notes=(*one.notes, f"passages of several problems were taken out of {count:,} texts")
    )


def _sets(
    path: str | Path, split: Split | None, encoding: str | None, unquoted: bool, skip_faulty: bool
) -> list[ProblemSet]:
    with Archive(path, encoding, unquoted) as archive:
        check_no_attribution(archive, "verification problems")
        if roots := problem_roots(archive):
            return [_read(archive, root) for root in split_roots(roots, split, path)]
        files = pairs_files(archive)
        tables = {n: roles for n in archive.names if not files and (roles := pair_table(archive, n)) is not None}
        if tables:
            return [_problems(archive, n, {}, roles, skip_faulty) for n, roles in tables.items()]
        if files:
            of_split = set(split_roots(sorted({str(PurePosixPath(n).parent) for n in files}), split, path))
            chosen = [(n, beside) for n, beside in files.items() if str(PurePosixPath(n).parent) in of_split]
            truths = [None if beside is None else read_truth_records(archive, beside) for _, beside in chosen]
            return [_problems(archive, n, known) for (n, _), known in zip(chosen, truths, strict=True)]
        if any(map(is_lines, archive.names)):
            given_truth = any(is_truth(name) for name in archive.names)
            raise FormatError(
                "there are no PAN20–23 pairs here", file=path, expected='lines {"id", "pair": [text, text]}',
                fix="this is the truth file: give the pairs file" if given_truth else None,
            )  # fmt: skip
        zips = [n for n in archive.names if n.lower().endswith(".zip")]
        names = archive.names
    if zips:
        problem_sets = [
            (name, one) for name in zips for one in _sets(Path(path) / name, split, encoding, unquoted, skip_faulty)
        ]
        return [replace(one, place=f"{name}/{one.place}".rstrip("/")) for name, one in problem_sets]
    raise FormatError(
        "there are no verification problems here", file=path, found=", ".join(names[:3]) or "an empty folder",
        expected="PAN13–15 folders (EN001/known01.txt, unknown.txt), PAN20–23 pairs.jsonl, or text1,text2,label",
    )  # fmt: skip


def read_problems(path: str | Path, split: Split | None = None, encoding: str | None = UTF8, **how: bool) -> ProblemSet:
    """Read the one corpus of problems at a path, as ``read_problem_sets`` reads several. FormatError as there, or if
    there are several."""
    sets = read_problem_sets(path, split, encoding, **how)
    if len(sets) != 1:
        called = [f"{s.name}/{s.split}" if s.split else s.name for s in sets]
        names = ", ".join(called if len({*called}) == len(called) else [s.place or s.name for s in sets])
        halves = split is None and {s.split for s in sets} == {"train", "test"} and len(sets) == 2
        fix = (
            "--split train or --split test"
            if halves
            else f"give one of them, as {Path(path) / next((s.place for s in sets if s.place), '')}"
        )
        raise FormatError("several sets of problems are here", file=path, found=names, fix=fix)
    return sets[0]
