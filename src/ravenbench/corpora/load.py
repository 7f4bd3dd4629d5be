"""Loading any corpus by name or path: a registered name, a table, PAN pairs, texts by author, or an imported folder."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ravenbench import registry
from ravenbench.corpora.author_folders import author_texts, read_author_folders
from ravenbench.corpora.catalogue import catalogue, defaults
from ravenbench.corpora.imported import is_corpus_folder, open_corpus
from ravenbench.corpora.pan_pairs import read_pairs_corpus
from ravenbench.corpora.tables import KINDS, is_parts_folder, read_table
from ravenbench.errors import FormatError, InputError, did_you_mean
from ravenbench.formats.archive import Archive, no_such
from ravenbench.formats.decoding import UTF8
from ravenbench.formats.pan_pairs import is_truth, pairs_files
from ravenbench.formats.pan_problems import problem_roots
from ravenbench.formats.tabular import is_lines
from ravenbench.types import Corpus


def load_corpus(what: str | Path, *, encoding: str | None = UTF8, **options: Any) -> Corpus:
    """Load a corpus by its name or path.

    Parameters
    ----------
    what : str or path
        ``newsgroups``, ``synthetic(style=0)``, ``module:Class(…)``; or a Parquet, JSONL or CSV file, a folder of
        Parquet parts, PAN20–23 pairs (file, folder, zip), texts by author (``author/text.txt`` or
        ``Author_Title.txt``, folder or zip), or an imported corpus.
        A name wins over a file; ``./newsgroups`` is a path.
    encoding : str or None
        Of texts and tables that are not UTF-8; None has the message advise ``--encoding``.
    **options
        Those of the reader: ``read_table`` or ``read_pairs_corpus``; parameters of a registered corpus.

    Returns
    -------
    Corpus
        Of a corpus in the catalogue, ``notes["defaults"]`` holds the entry's defaults where the source has none.

    Raises
    ------
    InputError
        If it is neither, with the nearest name, or does not parse.
    """
    if isinstance(what, str):
        head = what.partition("(")[0].strip()
        named = head in registry.targets("corpus") or (":" in head and not Path(what).exists() and "/" not in head)
        if named:
            _check_alone(encoding)
            source = registry.parse("corpus", what)
            loaded: Corpus = source.set_params(**options).load() if options else source.load()
            suited = {**defaults(head), **loaded.notes.get("defaults", {})}
            return replace(loaded, notes={**loaded.notes, "defaults": suited}) if suited else loaded
    path = Path(what)
    if not path.exists():
        raise _nothing(str(what), path)
    if path.is_dir() and is_corpus_folder(path):
        _check(open_corpus, options)
        _check_alone(encoding)
        return open_corpus(path)
    if is_parts_folder(path) or (path.is_file() and path.suffix.lower() in KINDS and not is_lines(path.name)):
        _check(read_table, options)
        return read_table(path, **options, encoding=encoding)
    with Archive(path) as archive:
        if pairs_files(archive):
            _check(read_pairs_corpus, options)
            return read_pairs_corpus(path, **options, encoding=encoding)
        if problem_roots(archive):
            raise FormatError(
                "these are verification problems, not a corpus: their authors are unknown", file=path,
                fix="use them as --train and --test",
            )  # fmt: skip
        if archive.single and is_truth(path.name):
            raise FormatError("this is a file of truth, not a corpus", file=path, fix="give the pairs file beside it")
        if not archive.single and author_texts(archive):
            _check(read_author_folders, options)
            return read_author_folders(path, **options, encoding=encoding)
    _check(read_table, options)
    return read_table(path, **options, encoding=encoding)


def _check_alone(encoding: str | None) -> None:
    if encoding is not None and encoding != UTF8:
        raise InputError("this corpus is read already, and has no encoding", found=encoding, fix="leave --encoding out")


def _check(reader: Callable[..., Corpus], options: dict[str, Any]) -> None:
    known = [k for k, p in inspect.signature(reader).parameters.items() if p.kind is p.KEYWORD_ONLY and k != "encoding"]
    for key in options:
        if key not in known:
            raise InputError(
                f"this corpus has no option {key!r}", expected=", ".join(known) or "none", fix=did_you_mean(key, known)
            )


def _nothing(what: str, path: Path) -> InputError:
    entry = catalogue().get(what)
    if entry is not None:
        return InputError(f"{what} has to be obtained first", fix=entry.instructions)
    if path.suffix or "/" in what or "\\" in what:
        return no_such(path)
    names = sorted({*registry.names("corpus"), *catalogue()})
    return InputError(f"there is no corpus or file named {what!r}", fix=did_you_mean(what, names))
