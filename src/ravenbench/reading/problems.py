"""Reads verification problems in any format: folders, pairs, tables, zips, folders of zips.

In: the path of a file, folder or zip, or an open ``Archive``.
Out: ``ProblemSet``s; ``problems_at`` and ``holds_problems`` bool. FormatError for what does not parse, InputError if
the path does not exist.

A format is a module of ``problem_formats`` with a ``FORMAT``, which recognises its files and reads them.
"""

from __future__ import annotations

import pkgutil
from collections import Counter
from dataclasses import replace
from functools import cache
from importlib import import_module
from itertools import combinations
from operator import attrgetter
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import msgspec
import numpy as np

from ravenbench.components import identity_hash
from ravenbench.errors import (
    remark,
    some,
)
from ravenbench.files import (
    cache_folder,
    code_of,
    kept_array,
    make_room,
    stands_alone,
)
from ravenbench.reading import problem_formats
from ravenbench.reading.account import Note, fault, noted
from ravenbench.reading.archive import Archive, Split, is_there
from ravenbench.reading.collector import same_document
from ravenbench.reading.decoding import UTF8
from ravenbench.reading.pan_attribution import check_no_attribution, holds_attribution
from ravenbench.reading.problem_sets import ProblemFormat, ProblemSet, is_truth
from ravenbench.reading.remarks import (
    Seen,
    odd_texts,
    prepared_otherwise,
    several_languages,
    shared,
)
from ravenbench.reading.tabular import (
    is_lines,
)
from ravenbench.text.copies import Copies, Sketch
from ravenbench.text.damage import MOST
from ravenbench.text.passages import cleaner
from ravenbench.types import Labels, Problems, TextTransform


@cache
def formats() -> list[ProblemFormat]:
    """Return all formats, in the order in which Raven tries them."""
    names = [module.name for module in pkgutil.iter_modules(problem_formats.__path__)]
    modules = [import_module(f"{problem_formats.__name__}.{name}") for name in names]
    return sorted((module.FORMAT for module in modules), key=attrgetter("turn"))


LEAST = 2**20
"""Bytes of texts above which opening their stored notes is faster than checking again."""


MOST_KEPT = 2**26
"""Maximum size in bytes of all notes in the cache folder."""


def problems_at(path: str | Path, pairs: bool = True) -> bool:
    """Return whether verification problems are at a path, or in a zip in a folder; ``pairs`` of a file or
    folder count too, whose truth may name authors."""
    if not is_there(Path(path)):
        return False
    with Archive(path) as archive:
        return not holds_attribution(archive) and holds_problems(archive, pairs)


def holds_problems(archive: Archive, pairs: bool = True) -> bool:
    """Return whether an archive contains verification problems, or a zip with them."""
    if any(form.find(archive) for form in formats() if pairs or not form.signed):
        return True
    inner = [archive.path / name for name in archive.names if name.lower().endswith(".zip")]
    return archive.path.is_dir() and any(map(problems_at, inner))


def read_problem_sets(
    path: str | Path,
    split: Split | None = None,
    encoding: str | None = UTF8,
    *,
    unquoted: bool = False,
    strip_shared: bool = False,
    skip_faulty: bool = False,
) -> list[ProblemSet]:
    """Read every corpus of problems at a path as a ``ProblemSet``, each with its truth if the files have it.

    InputError if the path does not exist; FormatError if it contains no problems, or they do not parse.

    Parameters
    ----------
    path : path
        PAN13–15 folder or zip, PAN20–23 pairs file, folder or zip; a table of pairs (text1,text2,label); or a folder
        or zip of such zips.
    split : 'train' or 'test', optional
        The part to read, of a corpus that has parts.
    encoding : str or None
        The encoding of texts that are not UTF-8, as for ``decode``.
    unquoted, skip_faulty : bool
        For tables: quotation marks are part of the texts; faulty rows are left out and counted.
    strip_shared : bool
        Remove passages that texts of several problems share, and Project Gutenberg's header and licence.
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
    questioned_texts = {name: texts[row] for name, _, row in looked_at}
    known_rows = {row for _, known, _ in looked_at for row in known}
    seen = Seen(texts, Labels(first_problems, ()), problems.ids[first_problems].tolist())
    return [
        *noted("questioned-repeats-known", repeating),
        *noted("asked-again", again),
        *noted("known-repeat", several),
        *odd_texts(seen),
        *several_languages(seen),
        *shared(seen),
        *prepared_otherwise(
            [*questioned_texts.items()], [texts[row] for row in sorted(known_rows)], "known texts"
        ),
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
        for form in formats():
            if places := form.find(archive):
                return form.read(archive, places, split, skip_faulty)
        if any(map(is_lines, archive.names)):
            given_truth = any(is_truth(name) for name in archive.names)
            raise fault(
                "no-pairs-of-pan-in-file",
                file=path,
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
    raise fault(
        "no-verification-problems", file=path, found=", ".join(names[:3]) or "an empty folder"
    )


def read_problems(
    path: str | Path, split: Split | None = None, encoding: str | None = UTF8, **options: bool
) -> ProblemSet:
    """Read the one corpus of problems at a path, as ``read_problem_sets`` does. FormatError as there, or if the path
    contains several."""
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
            else "give one of them, such as "
            f"{Path(path) / next((problem_set.place for problem_set in sets if problem_set.place), '')}"
        )
        raise fault("several-sets-problems", file=path, found=names, fix=fix)
    return sets[0]
