"""Lists known corpora: how to get them, their licences, and how to cite them.

In: a corpus name (text); for ``catalogue`` nothing.
Out: a ``CatalogueEntry``: title, licence, papers, files (size in bytes, None if unknown), from ``catalogue`` all of
them by name; ``defaults`` gives a dict of settings: level of topic, counts of topics, folds, documents, pools (empty
for an unknown name); ``fetch`` gives text: the folder it downloaded into (``newsgroups`` only) or "built in"
(``synthetic``); for every other corpus it raises InputError, which says how to get it. ``entry`` and ``fetch`` raise
it for an unknown name, ``fetch`` for a failed download too.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Literal

import msgspec

from ravenbench.errors import did_you_mean
from ravenbench.papers import Paper, papers_of
from ravenbench.reading.account import fault


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
    if it must be requested.
    """

    name: str
    title: str
    kind: Literal["corpus", "problems", "pairs", "attribution", "obfuscation"]
    languages: tuple[str, ...]
    genre: str | None
    source: str | None
    fetch: Literal["scikit-learn"] | None
    url: str | None
    files: tuple[File, ...]
    instructions: str
    restricted: bool
    licence: str
    defaults: Defaults
    notes: tuple[str, ...]

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
    if catalogue_entry.source is not None and not catalogue_entry.files:
        return "built in"
    raise fault(
        "not-raven-download",
        expected=catalogue_entry.licence,
        fix=catalogue_entry.instructions,
        name=name,
    )
