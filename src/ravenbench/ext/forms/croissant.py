"""Describes frozen problems in Croissant 1.0 with its fields for responsible AI (``ravenbench.croissant``).

In: the manifest of ``raven freeze`` (a path), a new folder, and what the manifest does not say: address, licence, date.
Out: a folder without texts: ``croissant.json`` (JSON-LD), the manifest, ``documents.jsonl`` (hashes, parts of splits) and
``problems.jsonl`` (set, id, hashes of the documents, truth or null); the path of ``croissant.json``. InputError if
the manifest cannot be read, ``published`` is not a date or the folder cannot be written.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from ravenbench.errors import InputError
from ravenbench.ext.freeze.frozen import Manifest, read_manifest, unpacked
from ravenbench.files import location, read_ordinary, write_bytes, write_json, write_text
from ravenbench.outputs import check_folder, fresh_folder

HEAD = Path(__file__).with_suffix(".json")
"""What every description begins with: the words of Croissant, and what is true of all frozen problems."""
SENSITIVE = {
    "clear": "The manifest names documents, authors and topics as the corpus does.",
    "hashed": (
        "The manifest has hashes of the names of documents, authors and topics; somebody who"
        " guesses a name can check it."
    ),
}
TYPES = {"same": "sc:Boolean"}


def croissant(
    manifest: str | Path,
    out: str | Path,
    *,
    url: str,
    license: str,
    published: str,
) -> Path:
    """Describe frozen problems so that other software finds, loads and checks them; no text is included.

    Parameters
    ----------
    manifest : path
        What ``raven freeze`` wrote.
    out : path
        A new folder, or an earlier one of this function, for ``croissant.json`` and the files that it describes.
    url : str
        The address at which these files, or the corpus, can be found.
    license : str
        The address or name of the licence of these files.
    published : str
        The date of publication, such as ``2026-11-30``.

    Returns
    -------
    Path
        The place of ``croissant.json``.

    Raises
    ------
    InputError
        If the manifest cannot be read, ``published`` is not a date, or the folder cannot be written.
    """
    try:
        date.fromisoformat(published)
    except ValueError:
        raise InputError("published is not a date, such as 2026-11-30", found=published) from None
    check_folder(out, inputs=[manifest], kind="croissant")
    frozen = read_manifest(manifest)
    stated = {"url": url, "license": license, "datePublished": published}
    tables = {"documents": list(_documents(frozen)), "problems": list(_problems(frozen))}
    with fresh_folder(out, kind="croissant", private=False) as folder:
        name = "manifest.json"
        form = "application/json"
        if Path(manifest).suffix == ".gz":
            name = "manifest.json.gz"
            form = "application/gzip"
        data = read_ordinary(Path(manifest))
        write_bytes(folder / name, data)
        files = [_file(name, form, data)]
        records = []
        for table, rows in tables.items():
            if rows:
                body = "".join(f"{json.dumps(row)}\n" for row in rows)
                write_text(folder / f"{table}.jsonl", body)
                files.append(_file(f"{table}.jsonl", "application/jsonlines", body.encode()))
                records.append(_record_set(table, rows))
        write_json(
            folder / "croissant.json",
            {**_described(frozen, stated), "distribution": files, "recordSet": records},
        )
    return location(out) / "croissant.json"


def _described(manifest: Manifest, stated: Mapping[str, str]) -> dict[str, Any]:
    """The dataset without its files: context, name, version and the fields for responsible AI."""
    return {
        **json.loads(HEAD.read_text("utf-8")),
        "name": manifest.name,
        "description": f"Problems of authorship verification without texts. {manifest.cited()}.",
        "citeAs": manifest.cited(),
        "version": f"1.0.0+{manifest.digest}",
        **stated,
        "rai:dataCollection": (
            f"Frozen with Raven {manifest.raven}; the manifest has rule and seed of the problems."
        ),
        "rai:dataPreprocessingProtocol": [
            f"A document is named by a hash ({manifest.hash}) of its text ({manifest.text})."
        ],
        "rai:personalSensitiveInformation": [SENSITIVE[manifest.names]],
    }


def _documents(manifest: Manifest) -> Iterator[dict[str, Any]]:
    """Each document's hash, and its part in each split."""
    codes = {name: unpacked(column.codes) for name, column in manifest.splits.items()}
    for row, key in enumerate(manifest.keys):
        names = {
            name: column.names[codes[name][row] - 1] if codes[name][row] else None
            for name, column in manifest.splits.items()
        }
        yield {"hash": key.tobytes().hex(), **names}


def _problems(manifest: Manifest) -> Iterator[dict[str, Any]]:
    """Each problem by the hashes of its documents, with truth if the manifest includes it; a number in its set for an id
    that is made from the texts."""
    hashes = [key.tobytes().hex() for key in manifest.keys]
    for one in manifest.sets:
        problems, same = manifest.problems(one)
        for row, name in enumerate(problems.ids.tolist()):
            yield {
                "set": one.name,
                "id": name,
                "known": [hashes[document] for document in problems.known(row)],
                "questioned": hashes[problems.questioned_index[row]],
                "same": None if same is None else bool(same[row]),
            }


def _file(name: str, form: str, data: bytes) -> dict[str, str]:
    """A file beside ``croissant.json``, with its hash."""
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": name,
        "encodingFormat": form,
        "sha256": hashlib.sha256(data).hexdigest(),
    }


def _record_set(table: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The columns of a table: names, types, and where they are read."""
    fields = [
        {
            "@type": "cr:Field",
            "@id": f"{table}/{column}",
            "name": column,
            "dataType": TYPES.get(column, "sc:Text"),
            "source": {"fileObject": {"@id": f"{table}.jsonl"}, "extract": {"column": column}},
            **({"repeated": True} if isinstance(rows[0][column], list) else {}),
        }
        for column in rows[0]
    ]
    return {"@type": "cr:RecordSet", "@id": table, "name": table, "field": fields}
