"""Lists known corpora: how to get them, their licences, and how to cite them.

In: a corpus name (text); for ``catalogue`` nothing.
Out: a ``CatalogueEntry``: title, licence, papers, files (size in bytes, None if unknown), from ``catalogue`` all of
them by name; ``defaults`` gives a dict of settings: level of topic, counts of topics, folds, documents, pools (empty
for an unknown name); ``fetch`` gives text: the place of the texts that it downloaded, or "built in" (``synthetic``);
for a corpus to be requested it raises InputError, which says how to get it. ``fetched`` gives the place of
a download from Zenodo, a folder in a zip, or what it was handed. ``entry`` and ``fetch`` raise InputError for an
unknown name, ``fetch`` also for a failed or damaged download, and MissingPart without the package ``pooch``.

A record of Zenodo states the address and the checksum (MD5) of each of its files. A file is downloaded whole and with
this checksum into Raven's cache folder, or not at all; one that is there with this checksum is not downloaded again.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from ravenbench.errors import MissingPart, did_you_mean, install
from ravenbench.files import cache_folder, made_cache
from ravenbench.papers import Paper, papers_of
from ravenbench.reading.account import fault
from ravenbench.reading.archive import Archive

CORPORA = "corpora"
"""Folder of downloads in the cache folder."""


class File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One file of a corpus; ``sha256`` and ``bytes`` are null if nobody published them."""

    name: str
    url: str | None
    sha256: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}$")] | None
    bytes: int | None


class Defaults(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The settings for a corpus: level of topic, named levels and how to make them, m topics in k folds, documents
    for a topic (and minimum), pools. Null if its sizes decide.
    """

    topic: str | None = None
    levels: dict[str, str] = {}
    m: int | None = None
    k: int | None = None
    documents: int | None = None
    min_docs: int | None = None
    pools: int | None = None


class CatalogueEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An entry of the catalogue: a known corpus.

    ``source`` is its component (``newsgroups``) if Raven reads it by name; ``fetch`` says what downloads it, null
    if it must be requested: "scikit-learn" or the DOI of a record of Zenodo, whose texts are in ``folder``.
    """

    name: str
    title: str
    kind: Literal["corpus", "problems", "pairs", "attribution", "obfuscation"]
    languages: tuple[str, ...]
    genre: str | None
    source: str | None
    fetch: str | None
    url: str | None
    files: tuple[File, ...]
    instructions: str
    restricted: bool
    licence: str
    defaults: Defaults
    notes: tuple[str, ...]
    folder: str = ""

    @property
    def papers(self) -> list[Paper]:
        """Return the papers to cite."""
        return papers_of([f"corpus:{self.name}"])

    @property
    def citation(self) -> str:
        """Return the papers to cite, as text."""
        return " ".join(map(str, self.papers))


@cache
def catalogue() -> dict[str, CatalogueEntry]:
    """Return every entry of the catalogue by name, in its order."""
    text = files("ravenbench.reading").joinpath("catalogue.json").read_text(encoding="utf-8")
    return {entry.name: entry for entry in msgspec.json.decode(text, type=list[CatalogueEntry])}


def entry(name: str) -> CatalogueEntry:
    """Return the catalogue's entry of this name. InputError, with a suggestion, if there is none."""
    entries = catalogue()
    if name not in entries:
        raise fault("catalogue-no-corpus", fix=did_you_mean(name, entries), name=name)
    return entries[name]


def defaults(corpus: str) -> dict[str, Any]:
    """Return the settings for a corpus given as ``newsgroups`` or ``newsgroups(…)``; {} if none are known."""
    entry = catalogue().get(corpus.partition("(")[0].strip())
    return dict(msgspec.to_builtins(entry.defaults)) if entry is not None else {}


def fetch(name: str) -> str:
    """Download a corpus that the user asked for, and return where it is.

    InputError if Raven may not download it; the message says how to get it.
    """
    catalogue_entry = entry(name)
    if catalogue_entry.fetch == "scikit-learn":
        from sklearn.datasets import fetch_20newsgroups, get_data_home

        try:
            fetch_20newsgroups(subset="all", download_if_missing=True)
        except OSError as error:
            raise fault("download-failed", name=name, error=error) from error
        return str(get_data_home())
    if catalogue_entry.fetch:
        _download(name, catalogue_entry.fetch)
        return str(fetched(name))
    if catalogue_entry.source is not None and not catalogue_entry.files:
        return "built in"
    raise fault(
        "not-raven-download",
        expected=catalogue_entry.licence,
        fix=catalogue_entry.instructions,
        name=name,
    )


def fetched(name: str | Path) -> str | Path:
    """Return the folder of texts, in a zip, that was downloaded from Zenodo under this name; any other name as it is.
    FormatError if the zip is damaged or does not have this folder."""
    if name in catalogue():
        for archive in (cache_folder() / CORPORA / name).rglob("*.zip"):
            with Archive(archive) as opened:
                for member in opened.names:
                    above, folder, _ = f"/{member}".partition(f"/{entry(str(name)).folder}/")
                    if folder:
                        return Path(f"{archive}{above}{folder}")
            raise fault("no-texts-author", file=archive)
    return name


def _download(name: str, doi: str) -> None:
    """Download the files of a record of Zenodo that are not here, each whole and with the checksum that it publishes."""
    try:
        from pooch import create

        deposit = create(made_cache() / CORPORA / name, doi)
        deposit.load_registry_from_doi()
        for file, checksum in deposit.registry.items():
            inside = (deposit.abspath / file).resolve().is_relative_to(deposit.abspath.resolve())
            if not inside or not checksum:
                raise ValueError(f"its record has a file without a checksum or place: {file!r}")
            deposit.fetch(file)
        if not deposit.registry:
            raise ValueError("its record has no files")
    except ImportError:
        raise MissingPart("downloads need pooch", fix=install("collections")) from None
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        raise fault("download-failed", name=name, error=error) from error
