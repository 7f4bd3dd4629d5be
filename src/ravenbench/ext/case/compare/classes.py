"""Makes the cases of a class: every author's newest text against their other texts; all other texts are background.

In: a ``CompareSpec`` whose ``each`` is the corpus of a class; for ``written_dates`` names of texts, for ``newest`` a
corpus and the rows of one author, for ``class_shapes`` the background and cases.
Out: ``read_class``: a ``Material`` with one case for each author; ``written_dates``: for each name (year, month, day;
day 0 = unknown) or None, and a note; ``ClassDates``: such dates of all texts; ``newest``: a row from 0 or None, and the
reason in words; ``class_shapes``: pairs of a ``Shape`` (words of each known text and of the questioned text) and the
cases compared in it. InputError if texts cannot be read, CorpusError if no author has a questioned and a known text,
SpecError if single texts are given too.

The background includes no questioned text, because the comparison asks who wrote them.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import numpy as np

from ravenbench.errors import CorpusError, SpecError, counted, first_names, some
from ravenbench.ext.case.compare.background import (
    Population,
    case_shape,
    fitting_shape,
    joined_known,
)
from ravenbench.ext.case.compare.material import (
    CaseCandidate,
    CaseTexts,
    Material,
)
from ravenbench.ext.case.compare.spec import CompareSpec
from ravenbench.ext.case.like_case import LEAST_FILLED, MOST_KNOWN, Shape, shape_of
from ravenbench.reading.account import ACCOUNT
from ravenbench.reading.build import sentence_on_dropped
from ravenbench.reading.load import load_corpus
from ravenbench.reading.texts import Text, given_path
from ravenbench.text.mail import phrases
from ravenbench.text.names import name_key
from ravenbench.text.tokens import count_words
from ravenbench.texts import TextTable, composed
from ravenbench.types import Corpus, Ints, Labels

WrittenDate = tuple[int, int, int]
"""Year, month and day; 0 is an unknown day."""


def _plain(text: str) -> str:
    letters = composed(text.casefold(), "NFKD")
    return "".join(c for c in letters if not unicodedata.combining(c)).replace("_", " ")


_MONTHS = tuple(tuple(_plain(line).split()) for line in phrases("months"))
"""Names of the months in a dozen languages; three letters or more from the beginning of one are short for it."""
_YEAR = r"(?<!\d)(?P<year>(?:19|20)\d\d)(?!\d)"
_WORD = r"(?P<word>[^\W\d_]{3,12})"
_BETWEEN = r"[ ._,-]{0,3}"
_DAY = r"(?<!\d)(?P<day>\d\d?)(?:st|nd|rd|th|er)?(?!\d)"
_NAMED = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_DAY}{_BETWEEN}(?:de |of )?{_WORD}{_BETWEEN}(?:de |of )?{_YEAR}",
        rf"{_WORD}{_BETWEEN}{_DAY}{_BETWEEN}{_YEAR}",
        rf"{_YEAR}{_BETWEEN}{_WORD}{_BETWEEN}{_DAY}",
        rf"{_WORD}{_BETWEEN}(?:de |of )?{_YEAR}",
        rf"{_YEAR}{_BETWEEN}{_WORD}",
    )
)
_ISO = re.compile(
    r"(?<!\d)((?:19|20)\d\d)[-_./ ]?(0[1-9]|1[0-2])(?:[-_./ ]?(0[1-9]|[12]\d|3[01]))?(?!\d)"
)
_APART = re.compile(r"(?<!\d)((?:19|20)\d\d)([-_./ ])(\d\d?)\2(\d\d?)(?!\d)")
_NUMBERS = re.compile(
    r"(?<![\dv.])(\d\d?)(?P<mark>[-_./ ]) ?(\d\d?)(?P=mark) ?((?:19|20)?\d\d)(?!\d)"
)


def written_dates(names: Sequence[str]) -> tuple[list[WrittenDate | None], str]:
    """Return the date in each name, or None, and a note on assumptions or "": numbers are day, month and year, unless a
    number above 12 in one of these names shows another order."""
    numbers = [_numbers(name) for name in names]
    firsts = {one[:2] for one in numbers if one is not None}
    turned = any(b > 12 for _, b in firsts) and not any(a > 12 for a, _ in firsts)
    dates: list[WrittenDate | None] = []
    doubtful = ""
    for name, number in zip(names, numbers, strict=True):
        if number is None:
            dates.append(_whole(name))
            continue
        day, month, year = number
        if (turned or month > 12) and day <= 12:
            day, month = month, day
        elif not turned and not any(max(pair) > 12 for pair in firsts) and day != month:
            doubtful = (
                doubtful or f"Raven reads dates such as that of {name} as day, month and year"
            )
        dates.append((year, month, day) if month <= 12 and day <= 31 else None)
    return dates, doubtful


def _numbers(name: str) -> WrittenDate | None:
    """Two numbers and a year, where these are a date."""
    if _ISO.search(name) or _APART.search(name) or (match := _NUMBERS.search(name)) is None:
        return None
    first = int(match[1])
    second = int(match[3])
    year = int(match[4])
    year += 0 if year > 99 else 2000 if year < 70 else 1900
    return (first, second, year) if first and second and max(first, second) <= 31 else None


def _whole(name: str) -> WrittenDate | None:
    """A date with its year first, or with the name of its month."""
    if match := _ISO.search(name):
        return int(match[1]), int(match[2]), int(match[3] or 0)
    if match := _APART.search(name):
        return int(match[1]), int(match[3]), int(match[4])
    plain = _plain(name)
    for pattern in _NAMED:
        for match in pattern.finditer(plain):
            word = match["word"]
            day = match.groupdict().get("day")
            month = next(
                (n for n, of in enumerate(_MONTHS, 1) if any(one.startswith(word) for one in of)),
                None,
            )
            if month is not None:
                return int(match["year"]), month, int(day or 0)
    return None


DATE_COLUMNS = (
    "date",
    "day",
    "time",
    "timestamp",
    "created",
    "submitted",
    "written",
    "modified",
    "datum",
    "fecha",
    "data",
)
MOST_SHAPES = 3
"""Maximum number of shapes of a class; the last is that of its shortest texts."""
TYPICAL = 0.25
"""Proportion of a class's texts that may be shorter than the shape in which longer texts are compared."""


def read_class(spec: CompareSpec) -> Material:
    """Read the cases of a class, with the background (``Material``). Raises InputError if it cannot be read,
    CorpusError if no author has a questioned and a known text, SpecError if single texts are given too."""
    if spec.questioned or spec.known or spec.batch:
        raise SpecError(
            "a class already includes all texts", fix="remove --questioned, --known and --batch"
        )
    given_path(spec.each or "", "--each")
    corpus = load_corpus(spec.each or "", **spec.reading())
    root = Path(spec.each or "")
    by_author: dict[str, list[int]] = defaultdict(list)
    for row, author in enumerate(corpus.author):
        by_author[author or ""].append(row)
    cases = []
    questioned = set()
    ways = defaultdict(list)
    dates = ClassDates.of(corpus)
    notes = [*dates.doubtful]
    for author, rows in by_author.items():
        chosen, how = newest(corpus, rows, spec.which, dates)
        if chosen is None or len(rows) < 2:
            notes.append(f"no case for {author}: {'only one text' if len(rows) < 2 else how}")
            continue
        ways[how].append(author)
        questioned.add(chosen)
        known = tuple(_text(root, corpus, row) for row in rows if row != chosen)
        cases.append(CaseTexts(author, _text(root, corpus, chosen), CaseCandidate(author, known)))
    if not cases:
        raise CorpusError(
            "no author has a questioned text and a known text",
            file=root,
            found="; ".join(notes[:3]),
            expected="a folder for each author, with at least two texts",
            fix="give a part of the texts' names by --which" if spec.which else None,
        )
    if gone := sentence_on_dropped(corpus.notes.get("dropped", {})):
        notes.append(f"some questioned texts may not be the newest, so check these first{gone}")
    copies = [
        "Raven leaves out whole texts of two authors, so an earlier text may be questioned:"
        f" {first_names(note.places)}"
        for note in corpus.notes.get(ACCOUNT, ())
        if note.code == "two-authors"
    ]
    for how, authors in sorted(ways.items()):
        who = "every author" if len(ways) == 1 else f"{len(authors)} authors ({some(authors, 4)})"
        notes.insert(0, f"the questioned text of {who} is {how}")
    used = np.array([row for row in range(len(corpus)) if row not in questioned], dtype=np.int64)
    background = _background(spec, corpus, used, notes)
    return Material(tuple(cases), tuple(notes), background, tuple(copies))


@dataclass(frozen=True)
class ClassDates:
    """When the texts of a class were written: how Raven knows, the dates (texts,), and notes on doubtful dates."""

    ways: tuple[tuple[str, list[WrittenDate | None]], ...]
    doubtful: tuple[str, ...]

    @classmethod
    def of(cls, corpus: Corpus) -> ClassDates:
        """Read dates from a column of dates and from the names of the texts."""
        column = next((key for key in corpus.columns if key.casefold() in DATE_COLUMNS), None)
        names = [PurePosixPath(name).name for name in corpus.ids]
        by = {"by the date in its name": names}
        if column is not None:
            by = {
                f"by the column {column!r}": [value or "" for value in corpus.columns[column]],
                **by,
            }
        read = {how: written_dates(values) for how, values in by.items()}
        return cls(
            tuple((how, dates) for how, (dates, _) in read.items()),
            tuple(said for _, said in read.values() if said),
        )


def newest(
    corpus: Corpus, rows: Sequence[int], which: str | None, dates: ClassDates | None = None
) -> tuple[int | None, str]:
    """Return the row of an author's questioned text and, in words, how it was chosen: a text with ``which`` in its
    name, the newest by a date in the table, by a date in its name, or the last by name."""
    names = {row: PurePosixPath(corpus.ids[row]).name for row in rows}
    begin = "the newest"
    if which is not None:
        rows = [row for row in rows if which.casefold() in names[row].casefold()]
        if not rows:
            return None, f"no text has {which!r} in its name"
        begin = f"the newest with {which!r} in its name"
    some_dated = False
    for how, dated in (dates or ClassDates.of(corpus)).ways:
        of_row = {row: date for row in rows if (date := dated[row]) is not None}
        if len(of_row) == len(rows):
            return max(rows, key=lambda row: (of_row[row], _natural(names[row]))), f"{begin} {how}"
        some_dated |= bool(of_row)
    last = begin.replace("newest", "last", 1)
    why = "some names have no date" if some_dated else "names have no dates"
    return max(rows, key=lambda row: _natural(names[row])), f"{last} by name, because {why}"


def _natural(name: str) -> list[tuple[int, str]]:
    """A name in an order where essay 10 comes after essay 9."""
    return [
        (int(part) if part.isdecimal() else -1, part.casefold())
        for part in re.split(r"(\d+)", name)
    ]


def _text(root: Path, corpus: Corpus, row: int) -> Text:
    """A text of the class by the file it lies in; by its id where it lies in a table or an archive."""
    path = root / corpus.ids[row]
    file = next((one for one in (path, path.with_name(f"{path.name}.txt")) if one.is_file()), path)
    return Text(
        file,
        corpus.texts[row],
        count_words(corpus.texts[row]),
        called=file.relative_to(root).as_posix(),
    )


def _background(spec: CompareSpec, corpus: Corpus, used: Ints, notes: list[str]) -> Corpus:
    """The class without the texts in question, and the authors of ``--background``."""
    rows = [
        (corpus.texts[row], corpus.ids[row], corpus.author[row], corpus.topic[row])
        for row in used.tolist()
    ]
    name = corpus.name
    about = dict(corpus.notes)
    if spec.background:
        other = load_corpus(spec.background, **spec.reading())
        members = {name_key(one) for one in corpus.author.names}
        here = set(corpus.texts)
        fresh = [
            row for row in range(len(other)) if name_key(other.author[row] or "") not in members
        ]
        if len(fresh) < len(other):
            notes.append(
                f"Raven leaves out {counted(len(other) - len(fresh), 'text')} of {other.name},"
                " because their authors have names of class members"
            )
        rows += [
            (
                other.texts[row],
                f"{other.name}/{other.ids[row]}",
                other.author[row],
                other.topic[row],
            )
            for row in fresh
            if other.texts[row] not in here
        ]
        name = f"{corpus.name} and {other.name}"
    texts, ids, authors, topics = zip(*rows, strict=True)
    whole = len(rows) == len(used)
    columns = (
        {"document": Labels.of(corpus.columns["document"].take(used))}
        if whole and "document" in corpus.columns
        else {}
    )
    return Corpus(
        name,
        TextTable.collect(texts)[0],
        tuple(ids),
        Labels.of(authors),
        Labels.of(topics),
        None,
        columns,
        about,
    )


def class_shapes(
    background: Population, cases: Iterable[CaseTexts]
) -> list[tuple[Shape, list[CaseTexts]]]:
    """Return the shapes for the cases of a class and the cases that fill each: first the shape that most cases can
    fill, so that they share background pairs and trained verifiers, then shapes for cases with shorter texts."""
    left = list(cases)
    groups = list[tuple[Shape, list[CaseTexts]]]()
    while left:
        shortest = min(
            left,
            key=lambda case: (
                sum(text.words for text in case.candidate.texts) + case.questioned.words
            ),
        )
        share = TYPICAL if len(groups) < MOST_SHAPES - 1 else 0.0
        for wanted in (_common(left, share), case_shape(shortest)):
            shape, _ = fitting_shape(background, wanted)
            able = [case for case in left if _fills(case, shape)]
            if able:
                break
        groups.append((shape, able or left))
        left = [case for case in left if able and case not in able]
    return groups


def _common(cases: Sequence[CaseTexts], share: float) -> Shape:
    """The shape that all but this share of the cases fill: of its median number of known texts, or the least."""
    count = int(
        np.quantile(
            [min(len(c.candidate.texts), MOST_KNOWN) for c in cases], share and 0.5, method="lower"
        )
    )
    several = [c for c in cases if len(c.candidate.texts) >= count]
    known = np.array([[count_words(text) for text in joined_known(c, count)] for c in several])
    lengths = [int(np.quantile(column, share, method="lower")) for column in known.T]
    return shape_of(
        lengths, int(np.quantile([c.questioned.words for c in several], share, method="lower"))
    )


def _fills(case: CaseTexts, shape: Shape) -> bool:
    """Whether a case has texts for a shape, joined and cut."""
    words = [count_words(text) for text in joined_known(case, len(shape.known))]
    pairs = zip((*shape.known, shape.questioned), (*words, case.questioned.words), strict=False)
    return len(words) >= len(shape.known) and all(
        has >= LEAST_FILLED * wanted for wanted, has in pairs
    )
