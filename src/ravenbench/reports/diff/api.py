"""Pages that show what a rewriting changed: of two texts, of two problem sets, or of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ravenbench import files
from ravenbench.bench.safety.measures import NO_HELPERS, Helpers
from ravenbench.errors import InputError
from ravenbench.formats.archive import Split, no_such, read_whole
from ravenbench.formats.decoding import UTF8
from ravenbench.formats.output import check_file, check_folder, fresh_folder, whole_file
from ravenbench.formats.pan_obfuscation import Part, parts_file, read_parts
from ravenbench.reports.diff.columns import columns_page
from ravenbench.reports.diff.comparison import compare, diff_page
from ravenbench.reports.diff.sets import from_run, from_sets, meaning_facts, write_pages


@dataclass(frozen=True)
class DiffResult:
    """Where the page (or the index of pages) lies, how many comparisons it shows, and of one how much it changed."""

    page: str
    comparisons: int
    changes_per_1000: float | None

    def to_json(self) -> dict[str, Any]:
        """Every value by name."""
        return asdict(self)


def diff(
    original: str | Path,
    obfuscated: str | Path | None = None,
    *,
    out: str | Path = "diff.html",
    split: Split | None = None,
    system: str = "",
    blind: bool = False,
    columns: bool = False,
    helpers: Helpers = NO_HELPERS,
    encoding: str | None = None,
) -> DiffResult:
    """Show originals and rewritings phrase by phrase on static pages.

    Parameters
    ----------
    original : path or URL
        A text, a problem set, or the folder of a run of ``safety`` or ``obfuscate``.
    obfuscated : path or URL, optional
        The rewritten text or its parts (``.json``), or the rewritten problem set; none for a run.
    out : path or URL
        The page; for a set or a run a new folder with an index.
    split : 'train' or 'test', optional
        The part to take of a problem set that has both.
    system : str
        Name of the obfuscator, shown on the page; by default that of the rewritten file.
    blind : bool
        Open pages in blind review, which hides which text is the original.
    columns : bool
        Of two texts: show them side by side. Sets and runs always have that view too.
    helpers : Helpers
        Models that add measures of meaning.
    encoding : str, optional
        Of texts that are not UTF-8, e.g. cp1252.

    Raises
    ------
    InputError
        If something cannot be read or written, or two options contradict each other.
    """
    helpers.check()
    if split not in (None, "train", "test"):
        raise InputError("--split is train or test", found=split)
    if columns and blind:
        raise InputError("columns show the original, which blind review hides", fix="give one of --columns and --blind")
    place = files.location(out)
    if obfuscated is None:
        where = files.location(original)
        if where.is_file():
            raise InputError("there is nothing to compare this text with", file=original, fix="give the rewritten text")
        check_folder(place, inputs=[where])
        comparisons = from_run(where)
    else:
        before, after = files.local_copy(original), files.local_copy(obfuscated)
        for given in (before, after):
            if not given.exists():
                raise no_such(given)
        if before.is_file() and after.is_file():
            return _of_texts(before, after, place, system, blind, columns, helpers, encoding)
        check_folder(place, inputs=[before, after])
        comparisons = from_sets(before, after, split, system or after.name, helpers, encoding)
    with fresh_folder(place) as folder:
        count = write_pages(folder, comparisons, blind=blind)
    return DiffResult(str(place / "index.html"), count, None)


def _of_texts(
    original: Path,
    obfuscated: Path,
    out: Path,
    system: str,
    blind: bool,
    columns: bool,
    helpers: Helpers,
    encoding: str | None,
) -> DiffResult:
    check_file(out, inputs=[original, obfuscated, parts_file(obfuscated)], mark=b'content="Raven diff"')
    parts = read_pair(original, obfuscated, encoding)
    found = compare(original.name, parts, system or obfuscated.stem, facts=meaning_facts(parts, helpers))
    with whole_file(out) as file:
        file.write((columns_page([found]) if columns else diff_page(found, blind=blind)).encode())
    return DiffResult(str(out), 1, found.changes_per_1000)


def read_pair(original: Path, obfuscated: Path, encoding: str | None = UTF8) -> Sequence[Part]:
    """Parts of a rewriting: from the part file given or lying beside it, else the whole texts as one part.

    Raises
    ------
    InputError
        If a file is not UTF-8, or the parts are not of this original.
    """
    text = read_whole(original, encoding)
    if obfuscated.suffix == ".json":
        return read_parts(obfuscated, text)
    rewritten = read_whole(obfuscated, encoding)
    beside = parts_file(obfuscated)
    if beside.is_file():
        parts = read_parts(beside, text)
        if "".join(part.obfuscation for part in parts) == rewritten:
            return parts
    return (Part(0, len(text), text, rewritten),)
