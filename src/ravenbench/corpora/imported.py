"""Keeping a corpus as a folder: texts/ (a TextTable), documents.parquet and, written last, corpus.json."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from ravenbench.errors import FormatError
from ravenbench.files import sha256, write_json
from ravenbench.formats.output import fresh_folder
from ravenbench.texts import TextTable
from ravenbench.types import Corpus, Labels

FORMAT = 1
_OWN = ("id", "author", "topic", "language")


def save_corpus(corpus: Corpus, folder: str | Path) -> Corpus:
    """Write a corpus as a folder and return it as read back, its texts memory-mapped.

    Raises
    ------
    InputError
        If the folder is not empty or cannot be written.
    """
    import polars as pl

    corpus = _tidy(corpus)
    columns: dict[str, Any] = {"id": corpus.ids, "author": list(corpus.author), "topic": list(corpus.topic)}
    if corpus.language is not None:
        columns["language"] = list(corpus.language)
    columns |= {f"column:{key}": list(labels) for key, labels in corpus.columns.items()}
    with fresh_folder(folder) as place:
        corpus.texts.save(place / "texts")
        pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String)).write_parquet(place / "documents.parquet")
        write_json(
            place / "corpus.json",
            {
                "format": FORMAT,
                "name": corpus.name,
                "digest": corpus.digest(),
                "documents": len(corpus),
                "documents_sha256": sha256(place / "documents.parquet"),
                "notes": dict(corpus.notes),
            },
        )
    return open_corpus(folder)


def is_corpus_folder(path: str | Path) -> bool:
    """Whether a folder was written by ``save_corpus``."""
    return (Path(path) / "corpus.json").is_file()


def open_corpus(folder: str | Path) -> Corpus:
    """Read a folder written by ``save_corpus``.

    Raises
    ------
    FormatError
        If a part is missing, altered, or from a newer Raven.
    StoreError
        If the text table is damaged.
    """
    import polars as pl

    folder = Path(folder)
    about = folder / "corpus.json"
    again = "import the corpus again"
    try:
        info = json.loads(about.read_text(encoding="utf-8"))
        version, name, digest, checksum = (info[k] for k in ("format", "name", "digest", "documents_sha256"))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FormatError(f"not the corpus.json of an imported corpus ({error})", file=about, fix=again) from None
    if version != FORMAT:
        raise FormatError("this corpus was written in another format", file=about, found=version, fix=again)
    documents = folder / "documents.parquet"
    if not documents.is_file() or sha256(documents) != checksum:
        raise FormatError("documents.parquet is missing or was altered", file=folder, fix=again)
    frame = pl.read_parquet(documents)
    labels = {key: Labels.of(frame[key].to_list()) for key in frame.columns if key != "id"}
    corpus = Corpus(
        name,
        TextTable.open(folder / "texts"),
        tuple(frame["id"].to_list()),
        labels["author"],
        labels["topic"],
        labels.get("language"),
        {key.removeprefix("column:"): value for key, value in labels.items() if key not in _OWN},
        info.get("notes", {}),
    )
    if len(corpus.texts) != len(corpus) or corpus.digest() != digest:
        raise FormatError("the parts of this corpus do not fit together", file=folder, fix=again)
    return corpus


def _tidy(corpus: Corpus) -> Corpus:
    """The corpus without label names that no document bears, as reading it back would give."""
    return replace(
        corpus,
        author=Labels.of(corpus.author),
        topic=Labels.of(corpus.topic),
        language=None if corpus.language is None else Labels.of(corpus.language),
        columns={key: Labels.of(value) for key, value in corpus.columns.items()},
    )
