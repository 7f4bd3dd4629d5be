"""Stores corpora in the cache folder, so that Raven reads and cleans each only once.

In: the path of a source (or a registered corpus), a mapping of options, and a function that reads it; functions that
open and save a corpus folder.
Out: its ``Corpus``, from the cache if Raven read it before in the same way. If the reading function raises an error, it
is raised and nothing is stored.

A corpus is found by the hash of its files' content, of how it is read, and of the code that reads it. The cache
contains imported corpora (``load.save_corpus``), written completely or not at all; Raven reads the source again if one is
damaged, and stores none if it cannot write. It first removes the corpora that were not used for longest.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ravenbench.components import Component, identity_hash
from ravenbench.errors import InputError, StoreError
from ravenbench.files import (
    cache_folder,
    code_of,
    made_cache,
    make_folder,
    make_room,
    size_of,
    sweep,
)
from ravenbench.outputs import digest
from ravenbench.reading.archive import follows_links, walk
from ravenbench.seams import document_formats
from ravenbench.types import Corpus

FOLDER = "corpora"
"""Name of the folder in the cache folder."""
HOME = Path(__file__).parents[1]
LEAST = 2**20
"""Bytes of files above which opening a stored corpus is faster than reading them."""
MOST = 4 * 2**30
"""Maximum size in bytes of all stored corpora."""


def read_once(
    source: Path | Component,
    options: Mapping[str, Any],
    reader: Callable[[], Corpus],
    *,
    reopen: Callable[[Path], Corpus],
    save: Callable[[Corpus, Path], Corpus],
    beside: Sequence[Path] = (),
) -> Corpus:
    """Return the corpus that ``reader`` gives for a file, a folder or a registered corpus; from the cache folder if it was
    read before.

    ``options`` is everything that it is read with. What ``reader`` raises is raised, and then nothing is stored. ``reopen``
    and ``save`` are those of imported corpora; ``beside`` are further files that are read.
    """
    files = [source, *beside] if not isinstance(source, Component) else _files(source)
    stamps_before = _stamps(files)
    folder = _kept_folder(source, options, files)
    if folder is None:
        return reader()
    with suppress(InputError, StoreError, OSError):
        corpus = reopen(folder)
        os.utime(folder)
        return corpus
    corpus = reader()
    if _stamps(files) != stamps_before:  # what was hashed may not be what was read
        return corpus
    with suppress(InputError, StoreError, OSError):
        return reopen(folder)  # another command has read it meanwhile
    try:
        made_cache()
        make_folder(folder.parent, private=True)
        sweep(folder.parent)
        make_room(folder.parent.iterdir(), MOST)
        return save(corpus, folder)
    except (
        InputError,
        StoreError,
        OSError,
        TypeError,
    ):  # full, not writable, or notes that are no JSON
        return corpus


def _stamps(files: Sequence[Any]) -> list[tuple[str, int, int]]:
    """Of files and all below folders: when each was changed last, and its size."""
    paths = [Path(file) for file in files if file]
    stamped_files = [
        inner
        for path in paths
        for inner in (path.rglob("*") if path.is_dir() else [path])
        if inner.is_file()
    ]
    return sorted(
        (str(path), (about := path.stat()).st_mtime_ns, about.st_size) for path in stamped_files
    )


def _kept_folder(
    source: Path | Component, options: Mapping[str, Any], files: Sequence[Any]
) -> Path | None:
    """Where it is kept; None where keeping it is not worth it, or nobody knows which files it is read from."""
    if follows_links():  # what they lead to is not hashed
        return None
    paths = [Path(file) for file in files if file]
    if not paths or not all(path.exists() for path in paths):
        return None
    if sum(map(size_of, paths)) < LEAST:
        return None
    named = source.name if isinstance(source, Component) else source.resolve().name
    content = [[digest(path), walk(path)[1] if path.is_dir() else {}] for path in paths]
    identity: Any = [source] if isinstance(source, Component) else []
    module = type(source).__module__ if isinstance(source, Component) else ""
    return (
        cache_folder()
        / FOLDER
        / identity_hash([named, content, identity, sorted(options.items()), _code(module)])
    )


def _files(source: Component) -> list[Any]:
    """What a registered corpus says that it reads: its method ``files``, else its parameter ``path``."""
    files = getattr(source, "files", None)
    return list(files()) if callable(files) else [getattr(source, "path", "")]


@cache
def _code(module: str) -> str:
    """The hash of all code that a reader may call: it changes with any of it."""
    own_file = getattr(sys.modules.get(module), "__file__", None)
    folders = [HOME / room for room in ("reading", "text")] + (
        [Path(own_file).parent] if own_file else []
    )
    for document_format in document_formats().values():
        spec = find_spec(document_format.reader.partition(":")[0])
        folders += [Path(spec.origin).parent] if spec is not None and spec.origin else []
    return code_of(*folders)
