"""Reading verification problems from what a path holds: PAN13–15 folders, PAN20–23 pairs, zips, folders of zips."""

from __future__ import annotations

from pathlib import Path

from ravenbench.errors import FormatError
from ravenbench.formats.archive import Archive, Split
from ravenbench.formats.decoding import UTF8
from ravenbench.formats.pan_pairs import read_pan_pairs
from ravenbench.formats.pan_problems import problem_roots, read_pan_problems
from ravenbench.formats.problem_set import ProblemSet
from ravenbench.formats.tabular import is_lines


def read_problem_sets(path: str | Path, split: Split | None = None, encoding: str | None = UTF8) -> list[ProblemSet]:
    """Read every corpus of problems at a path, each with its truth where the files give it.

    Parameters
    ----------
    path : path
        PAN13–15 folder or zip, PAN20–23 pairs file, folder or zip; or a folder of such zips.
    split : 'train' or 'test', optional
        Of a corpus that has parts, take this one.
    encoding : str or None
        Of texts that are not UTF-8, as ``decode`` takes it.

    Raises
    ------
    InputError
        If there is nothing at the path.
    FormatError
        If it holds no problems, or they do not parse.
    """
    with Archive(path, encoding) as archive:
        if problem_roots(archive):
            return read_pan_problems(path, split, encoding)
        if any(is_lines(n) for n in archive.names):
            return read_pan_pairs(path, split=split, encoding=encoding)
        zips = [n for n in archive.names if n.lower().endswith(".zip") and archive.path.is_dir()]
        names = archive.names
    if zips:
        return [found for name in zips for found in read_problem_sets(Path(path) / name, split, encoding)]
    raise FormatError(
        "there are no verification problems here", file=path, found=", ".join(names[:3]) or "an empty folder",
        expected="PAN13–15 folders (EN001/known01.txt, unknown.txt) or PAN20–23 pairs.jsonl",
    )  # fmt: skip


def read_problems(path: str | Path, split: Split | None = None, encoding: str | None = UTF8) -> ProblemSet:
    """Read the one corpus of problems at a path.

    Raises
    ------
    FormatError
        As ``read_problem_sets``, or if there are several.
    """
    found = read_problem_sets(path, split, encoding)
    if len(found) != 1:
        names = ", ".join(f"{s.name}/{s.split}" if s.split else s.name for s in found)
        halves = split is None and {s.split for s in found} == {"train", "test"} and len(found) == 2
        fix = "--split train or --split test" if halves else "give one of them"
        raise FormatError("several sets of problems are here", file=path, found=names, fix=fix)
    return found[0]
