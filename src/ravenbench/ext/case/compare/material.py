"""Makes cases of the texts of a comparison (questioned and known ones), and finds what bars them.

In: a ``CompareSpec`` with paths of texts, and the background ``Corpus``; for the smaller functions texts or a case.
Out: ``read_material``: a ``Material`` with one ``CaseTexts`` a case; ``screen``: usable documents (documents,) bool and
refusals; ``not_comparable``, ``unlike``: lists of ``Reason``; ``no_prose``: sentences; ``capitals``: a share, 0 to 1;
``evidence_in_words``: a count; ``plainly``: a function of texts. InputError for texts missing, empty or undecodable,
SpecError for nothing to compare.
"""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ravenbench.errors import (
    FormatError,
    InputError,
    SpecError,
    counted,
    first_names,
    remark,
    some,
)
from ravenbench.ext.case.compare.record import Reason, Why
from ravenbench.ext.case.compare.spec import CompareSpec
from ravenbench.reading.archive import no_such
from ravenbench.reading.decoding import checked_name
from ravenbench.reading.problem_formats.pair_tables import check_no_further_text
from ravenbench.reading.remarks import edges, names_person
from ravenbench.reading.tabular import read_rows
from ravenbench.reading.texts import Text, TextReader, doubts_of, folders_within, given_path
from ravenbench.text.common_words import BEGINNING, coverage, in_alphabetical_order
from ravenbench.text.copies import is_copy, runs, share_passages
from ravenbench.text.names import lookalikes, name_key, person_words
from ravenbench.text.passages import cleaner
from ravenbench.text.segmenters import writing_of
from ravenbench.text.tokens import count_evidence, count_words
from ravenbench.types import Bools, Corpus

COPIED = 0.3
"""A questioned text is a copy if this proportion of its runs of words occurs in another text."""
SHARED = 0.1
"""A background text counts as the candidate's or the questioned text if it shares this proportion of its runs of words.
"""
FEWEST_WORDS = 50
"""Minimum number of words of a questioned text, and of all known texts together."""
FOREIGN = 0.6
"""A text differs from the background if it has less than this proportion of the common words of a typical background
text."""
CAPITALS = 0.7
"""A text is written in capitals if the proportion of capitals among its letters is above this."""


@dataclass(frozen=True)
class CaseCandidate:
    """A person who may have written a questioned text, and their known texts."""

    name: str
    texts: tuple[Text, ...]


@dataclass(frozen=True)
class CaseTexts:
    """One question: did this candidate write this text?"""

    id: str
    questioned: Text
    candidate: CaseCandidate


@dataclass(frozen=True)
class Material:
    """All cases in the given order, with ``notes`` on what Raven left out; for a class also its ``corpus``, the
    background that includes the candidates, and notes on ``copies`` by two authors."""

    cases: tuple[CaseTexts, ...]
    notes: tuple[str, ...]
    corpus: Corpus | None = None
    copies: tuple[str, ...] = ()

    def of(self, plain: Callable[[str], str]) -> Material:
        """Return the same material with ``plain`` applied to every text."""
        several = {case.candidate for case in self.cases}
        known = {
            one: replace(one, texts=tuple(t.of(plain(t.text)) for t in one.texts))
            for one in several
        }
        return replace(
            self,
            cases=tuple(
                replace(
                    c,
                    questioned=c.questioned.of(plain(c.questioned.text)),
                    candidate=known[c.candidate],
                )
                for c in self.cases
            ),
        )

    def paths(self) -> dict[str, Path]:
        """Return every text's path by a name for it."""
        by_name: dict[str, Path] = {}
        for case in self.cases:
            by_name[f"questioned {case.questioned.path}"] = case.questioned.path
            for text in case.candidate.texts:
                by_name[f"known {case.candidate.name} {text.path}"] = text.path
        return by_name


def read_material(spec: CompareSpec) -> Material:
    """Read all texts given. Raises SpecError if there is nothing to compare, or if both a batch and single texts are
    given. Raises InputError if texts are missing, empty, not plain text or in another encoding (it lists all of them),
    if a folder contains no text, or if a row of the batch cannot be read."""
    if spec.which is not None:
        raise SpecError(
            "--which selects among the texts of a class", fix="give the class by --each FOLDER"
        )
    needed = () if spec.batch is not None else ("questioned", "known")
    absent = [f"--{name}" for name in (*needed, "background") if not getattr(spec, name)]
    if not spec.background:
        raise SpecError(
            f"texts are missing: give {' and '.join(absent)}",
            expected="texts by other authors, by author",
            fix=(
                "--background FOLDER with author/text.txt, such as texts by others on the same"
                " occasion: best forty authors with five texts each, at least twenty with two"
            ),
        )
    if spec.batch is not None:
        if spec.questioned or spec.known:
            raise SpecError(
                "a batch file already lists all texts", fix="remove --questioned and --known"
            )
        return _batch(Path(given_path(spec.batch, "--batch")), spec.encoding)
    for name in ("questioned", "known"):
        if not getattr(spec, name):
            raise SpecError(
                f"nothing to compare: --{name} is missing",
                expected="--questioned TEXT --known TEXT|FOLDER",
            )
    for value in spec.questioned:
        given_path(value, "--questioned")
    for value in spec.known:
        given_path(value.rpartition("=")[2], "--known")
    reader = TextReader(spec.encoding)
    queries = [text for path in spec.questioned for text in reader.one(Path(path))]
    candidates = [
        CaseCandidate(name, tuple(reader.all(paths)))
        for name, paths in _by_name(spec.known).items()
    ]
    reader.faults.check()
    _check_owners((text, one.name) for one in candidates for text in one.texts)
    form = "{text} / {candidate}" if len(spec.questioned) > 1 else "{candidate}"
    form = form if len(candidates) > 1 else "{text}"
    cases = [
        CaseTexts(form.format(text=text.path.stem, candidate=one.name), text, one)
        for text in queries
        for one in candidates
    ]
    _check_ids(cases)
    unnamed = [Path(value) for value in spec.known if "=" not in value and Path(value).is_dir()]
    return Material(
        tuple(cases),
        (*folders_within(unnamed), *reader.notes, *_doubts(cases)),
    )


def _doubts(cases: Sequence[CaseTexts]) -> list[str]:
    """What was left out of the texts that are compared, and what to doubt in them."""
    texts: list[tuple[str | None, Text]] = [(None, case.questioned) for case in cases]
    texts += [(case.candidate.name, text) for case in cases for text in case.candidate.texts]
    return list(map(str, doubts_of(texts, [case.candidate.name for case in cases])))


def _by_name(known: Sequence[str]) -> dict[str, list[Path]]:
    """Paths by candidate."""
    named = [value.partition("=") for value in known]
    by_name: dict[str, list[Path]] = {}
    if not any(equals for _, equals, _ in named):
        paths = [Path(value) for value in known]
        if len(folders := [path for path in paths if path.is_dir()]) > 1:
            named_so = " ".join(
                f"--known {shlex.quote(f'{p.resolve().name}={p}')}" for p in folders
            )
            raise SpecError(
                "several folders without names: Raven cannot see whether these are one candidate or"
                " several",
                found=", ".join(map(str, folders)),
                expected="--known NAME=PATH",
                fix=(
                    "use the same NAME for all texts of one person, and another NAME for each"
                    f" further candidate: {named_so}"
                ),
            )
        return {_called(paths): paths}
    for value, (name, equals, path) in zip(known, named, strict=True):
        if not equals or not name.strip() or not path:
            raise SpecError(
                "each of several candidates needs a name", found=value, expected="--known NAME=PATH"
            )
        by_name.setdefault(name.strip(), []).append(Path(path))
    return by_name


def _called(paths: Sequence[Path]) -> str:
    """What a candidate without a name is called: as their folder is, unless that says nothing of them."""
    name = paths[0].resolve().name
    plain = (
        len(paths) > 1 or not paths[0].is_dir() or name.lower() in ("known", "candidate", "texts")
    )
    return "the candidate" if plain else name


def _check_owners(known: Iterable[tuple[Text, str]], file: Path | None = None) -> None:
    """InputError, with all of them, if a text is known to be of two candidates."""
    owners: dict[str, dict[str, str]] = {}
    for text, candidate in known:
        owners.setdefault(" ".join(text.text.split()), {}).setdefault(candidate, str(text.path))
    if several := [
        f"{next(iter(of.values()))} ({' and '.join(of)})" for of in owners.values() if len(of) > 1
    ]:
        raise InputError(
            "a known text is given for two candidates",
            file=file,
            found=first_names(several),
            expected="one candidate for each text",
            fix=(
                "remove it from the candidate who did not write it; if both names belong to one"
                " person, use one name"
            ),
        )


def _check_ids(
    cases: Sequence[CaseTexts], file: Path | None = None, lines: Sequence[int] = ()
) -> None:
    """InputError, with all of them, if cases have one name; of a batch with the ``lines`` they stand in."""
    fix = (
        "rename a file, or name the cases in a batch"
        if file is None
        else "give each case a different name (column case)"
    )
    of: dict[str, list[str]] = {}
    for i, case in enumerate(cases):
        of.setdefault(case.id, []).append(f"line {lines[i]}" if lines else case.questioned.name)
    if several := [
        f"{name} ({', '.join(places)})" for name, places in of.items() if len(places) > 1
    ]:
        raise InputError(
            "two cases have the same name", file=file, found=first_names(several), fix=fix
        )


def _batch(path: Path, encoding: str | None) -> Material:
    """Cases of a table; paths count from the table's folder."""
    rows = read_rows(path, encoding)
    reader = TextReader(encoding)
    cases: list[CaseTexts] = []
    lines: list[int] = []
    read: dict[tuple[Path, ...], list[Text]] = {}
    spellings = dict[str, str]()
    joined = dict[str, None]()
    for line, row in rows:
        for column in ("questioned", "known"):
            if column not in row:
                raise FormatError(
                    f"column {column!r} not found",
                    file=path,
                    line=line,
                    found=", ".join(map(str, row)),
                    expected="case, questioned, known, candidate",
                )
        further = (
            "put all known texts into one column, with semicolons between them, and each case on a"
            " separate row"
        )
        check_no_further_text(row, ("questioned", "known"), path, line, further)
        listed = (
            row["known"]
            if isinstance(row["known"], list)
            else _word(row, "known", path, line).split(";")
        )
        if not listed or not all(isinstance(one, str) for one in listed):
            raise FormatError(
                "known is not a path or a list of paths", file=path, line=line, found=row["known"]
            )
        with reader.faults.gathered():
            questioned = reader.one(
                _place(_word(row, "questioned", path, line), "questioned", path, line)
            )
            places = tuple(_place(one, "known", path, line) for one in listed)
            if places not in read:
                read[places] = reader.all(places)
            name = _word(row, "candidate", path, line) or _called(places)
            checked_name(name, "the candidate", path, line)
            spelt = spellings.setdefault(name_key(name), name)
            if spelt != name:
                joined[f"Raven takes {name} as {spelt}, another spelling of the same name"] = None
                name = spelt
            for text in questioned:
                case = _word(row, "case", path, line) or f"{text.path.stem} / {name}"
                checked_name(case, "the case", path, line)
                cases.append(CaseTexts(case, text, CaseCandidate(name, tuple(read[places]))))
                lines.append(line)
    reader.faults.check()
    if not cases:
        raise FormatError("the batch has no case", file=path, expected="a line for each case")
    _check_ids(cases, path, lines)
    _check_owners(
        ((text, case.candidate.name) for case in cases for text in case.candidate.texts), path
    )
    return Material(tuple(cases), (*joined, *reader.notes, *_doubts(cases)))


def _place(value: str, what: str, file: Path, line: int) -> Path:
    """A path of a batch. InputError, which names the line, if nothing is there."""
    place = file.parent / given_path(value, what, file, line)
    if not place.exists():
        error = no_such(place)
        raise InputError(
            f"{what}: {error.problem}: {value.strip()}", file=file, line=line, fix=error.fix
        )
    return place


def _word(row: Mapping[str, Any], column: str, file: Path, line: int) -> str:
    """What a row has in a column, as text; "" where it has nothing."""
    value = row.get(column)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if value is not None and not isinstance(value, str):
        raise FormatError(
            f"{column} is not text", file=file, line=line, found=value, expected="a text"
        )
    return (value or "").strip()


@dataclass
class Screened:
    """``usable`` (documents,) of the background, ``left_out`` in words, and by a case's id its refusals and notes."""

    usable: Bools
    left_out: list[str]
    refusals: dict[str, list[Reason]] = field(default_factory=lambda: defaultdict(list))
    notes: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))


def _addressed(name: str, other: str) -> bool:
    """Whether one name is an address and the other has the words before its @: anna.smith@… of Anna Smith."""
    return ("@" in name) != ("@" in other) and bool(lookalikes((name, other)))


def _signed_by_others(case: CaseTexts, authors: Sequence[str]) -> list[str]:
    """Notes on texts of a case whose first or last lines name an author of the background who is not the candidate."""
    own = name_key(case.candidate.name)
    people = {
        name: words
        for name in authors
        if len(words := person_words(name)[1]) > 1 and name_key(name) != own
    }
    notes = []
    for text in (case.questioned, *case.candidate.texts):
        by = [
            name
            for name, words in people.items()
            if any(names_person(line, words) for line in edges(text.text))
        ]
        if by:
            what = "questioned" if text is case.questioned else "known"
            notes.append(
                f"the {what} text {text.name} has another author's name at its beginning or end, as"
                f" if signed by: {some(by)}"
            )
    remark(notes)
    return notes


def plainly(cases: Sequence[CaseTexts], corpus: Corpus) -> Callable[[str], str]:
    """Return a function that removes from a text passages that several authors here share, such as a licence."""
    mine = {text: name_key(case.candidate.name) for case in cases for text in case.candidate.texts}
    questioned = list(dict.fromkeys(case.questioned for case in cases))
    authors = [name_key(author or "") for author in corpus.author]
    return cleaner(
        [*corpus.texts, *(text.text for text in (*mine, *questioned))],
        [*authors, *mine.values(), *[None] * len(questioned)],
    )


def screen(cases: Sequence[CaseTexts], corpus: Corpus, members: bool = False) -> Screened:
    """Leave candidates out of the background, by name or by text, and find copies.

    Raven leaves out a background author completely if the name is a candidate's, or if a text repeats a known text. If
    a questioned text repeats a known or a background text, Raven refuses the case: this is copying, and does not show
    style. If candidates are ``members`` of the background under their own names, Raven leaves out no author, and notes
    shared passages.
    """
    screened = Screened(np.ones(len(corpus), dtype=np.bool_), [])
    queries = {case.questioned.path: case.questioned for case in cases}
    plain = plainly(cases, corpus)
    own = {
        case.candidate: [runs(plain(text.text)) for text in case.candidate.texts] for case in cases
    }
    names = {} if members else {name_key(candidate.name): candidate.name for candidate in own}
    writer = {case.questioned.path: case.candidate.name for case in cases} if members else {}
    gone: dict[int, str] = {}
    for code, author in enumerate(corpus.author.names):
        if name := names.get(name_key(author)) or next(
            (n for n in names.values() if _addressed(n, author)), None
        ):
            gone[code] = f"{author}: has the same name as the candidate {name}"
    others = [author for code, author in enumerate(corpus.author.names) if code not in gone]
    for group in lookalikes([*names.values(), *others]) if names else ():
        for mine in {*group} & {*names.values()}:
            note = (
                f"background authors who may be {mine} under another name:"
                f" {some({*group} - {mine})}"
            )
            remark([note])
            for case in cases:
                screened.notes[case.id] += [note] if case.candidate.name == mine else []
    for case in cases:
        screened.notes[case.id] += _signed_by_others(case, corpus.author.names)
    questions = {path: runs(plain(text.text)) for path, text in queries.items()}
    copied: dict[object, str] = {}
    for row in range(len(corpus)):
        code = int(corpus.author.codes[row])
        here = runs(plain(corpus.texts[row]))
        for candidate, several in own.items():
            if members and candidate.name == corpus.author[row]:
                continue
            shared = (
                text.name
                for text, one in zip(candidate.texts, several, strict=True)
                if share_passages(here, one, SHARED)
            )
            if code in gone or (name := next(shared, None)) is None:
                continue
            shares = f"{corpus.ids[row]} shares long passages with the known text {name} of"
            if members:
                note = f"{shares} {candidate.name}, but is by another author"
                screened.notes[candidate.name].append(note)
            else:
                gone[code] = f"{corpus.author.names[code]}: {shares} {candidate.name}"
        for path, one in questions.items():
            if path in writer and writer[path] == corpus.author[row]:
                continue
            if is_copy(one, here, COPIED):
                copied[path] = corpus.ids[row]
            if share_passages(here, one, SHARED):
                screened.usable[row] = False
                screened.left_out.append(
                    f"{corpus.ids[row]}: shares long passages with the questioned text {path.name}"
                )
    screened.left_out += [gone[code] for code in sorted(gone)]
    screened.usable &= ~np.isin(corpus.author.codes, list(gone))
    for case in cases:
        path = case.questioned.path
        refusals = screened.refusals[case.id]
        for other in cases if members else ():
            if other is not case and is_copy(
                questions[path], questions[other.questioned.path], COPIED
            ):
                refusals.append(
                    Reason(
                        Why.COPIED,
                        f"the questioned text repeats that of {other.id}: one is a copy of the"
                        " other, or both are copies of a third; a comparison of style cannot show"
                        " which",
                    )
                )
        if path in copied:
            refusals.append(
                Reason(
                    Why.COPIED,
                    f"the questioned text repeats the background text {copied[path]}: it is a copy,"
                    " or that author wrote it; a comparison of style cannot show which. If it is"
                    " the same file, remove it from the background, or give the whole class by"
                    " --each",
                )
            )
        for text, known in zip(case.candidate.texts, own[case.candidate], strict=True):
            if (
                is_copy(questions[path], known, COPIED)
                or case.questioned.text.split() == text.text.split()
            ):
                refusals.append(
                    Reason(
                        Why.COPIED,
                        f"the questioned text repeats the known text {text.name}: identical"
                        " passages are a separate finding and do not show style",
                    )
                )
            elif is_copy(questions[path], known, SHARED):
                screened.notes[case.id].append(
                    f"the questioned text shares passages with the known text {text.name}; "
                    "remove quotations"
                )
    return screened


def evidence_in_words(*texts: str) -> tuple[int, str]:
    """Return the number of words of texts together, with repeated passages counted once, and the same as a phrase."""
    words = sum(map(count_words, texts))
    evidence = count_evidence(*texts)
    return evidence, counted(words, "word") + (
        f", {evidence} without repetitions" if evidence < words else ""
    )


def not_comparable(case: CaseTexts) -> list[Reason]:
    """Return refusals of a case whose words Raven cannot separate (in Thai, Lao, Khmer and Burmese), or that has too
    few words."""
    if writing_of([case.questioned.text, *(text.text for text in case.candidate.texts)]) == "runs":
        return [
            Reason(
                Why.NO_BLANKS,
                "this script has no spaces between words, so Raven cannot separate function words"
                " from content words here; raven run and raven verify read such texts",
            )
        ]
    sizes = {
        "the questioned text has": evidence_in_words(case.questioned.text),
        "the known texts together have": evidence_in_words(
            *(text.text for text in case.candidate.texts)
        ),
    }
    return [
        Reason(Why.SHORT, f"{what} {shown}; Raven needs at least {FEWEST_WORDS}")
        for what, (words, shown) in sizes.items()
        if words < FEWEST_WORDS
    ]


def capitals(texts: Iterable[str]) -> float:
    """Return the proportion (0 to 1) of capitals among the letters of a typical text (the median), from the beginnings
    of texts."""
    return float(np.median([_capitals(text) for text in texts] or [0.0]))


def _capitals(text: str) -> float:
    small = sum(map(str.islower, text[:BEGINNING]))
    large = sum(map(str.isupper, text[:BEGINNING]))
    return large / max(1, small + large)


def no_prose(text: str, usual: float) -> list[str]:
    """Return why a text is not prose like the others, whose typical proportion of capitals is given, in words after
    *it*: spaces between letters, sorted words, capitals in only one of the two."""
    parts = text[:BEGINNING].split()
    single = sum(len(part) == 1 and part.lower() != part.upper() for part in parts)
    share = _capitals(text)
    reasons = (
        ["has spaces between its letters, so Raven cannot find its words"]
        if 2 * single > len(parts)
        else []
    )
    if in_alphabetical_order(text):
        reasons.append("has its words in alphabetical order, so their original order is lost")
    if (share > CAPITALS) is not (usual > CAPITALS):
        reasons.append(
            f"has {share:.0%} capital letters, but a typical one of the other texts has"
            f" {usual:.0%}: Raven would compare capitals, not style"
        )
    return reasons


def unlike(
    case: CaseTexts, functions: frozenset[str], usual: float, usual_capitals: float
) -> list[Reason]:
    """Return refusals of a case whose texts differ in language or kind from the background, given the proportions of
    common words and of capitals in a typical background text."""
    texts = [("the questioned text", case.questioned)]
    texts += [(f"the known text {text.name}", text) for text in case.candidate.texts]
    shares = [(name, coverage(text.text, functions)) for name, text in texts]
    odd = [
        Reason(Why.UNLIKE, f"{name} {why}")
        for name, t in texts
        for why in no_prose(t.text, usual_capitals)
    ]
    return odd + [
        Reason(
            Why.UNLIKE,
            f"{name} differs from the background in language or kind: {share:.0%} of its words are"
            f" among the background's most frequent words; in a typical text there, {usual:.0%}"
            " are",
        )
        for name, share in shares
        if share < FOREIGN * usual
    ]
