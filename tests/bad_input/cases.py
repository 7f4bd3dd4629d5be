"""Malformed inputs as data: what is wrong, the reader that meets it, the files, and what Raven must say."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Content = str | bytes | Callable[[], bytes]

LONE = "\ud800"
"""Half a character: a lone surrogate."""
DEEP = "[" * 200_000 + "]" * 200_000
TEXT = "A text of some words that is long enough to be one."
GOOD_CSV = f"text,author,topic\n{TEXT} One.,ann,a\n{TEXT} Two.,ann,b\n{TEXT} Three.,bob,a\n"
PAIR = json.dumps({"id": "p1", "pair": [TEXT, f"{TEXT} More."]})


@dataclass(frozen=True)
class Case:
    """One malformed input.

    ``files`` are made in an empty folder; ``give`` is what the reader is given: a file there, "" for the folder, or a
    text where the reader takes one. ``says`` must stand in the message.
    """

    name: str
    reader: str
    says: str
    files: Mapping[str, Content] | None = None
    give: str | None = None

    @property
    def given(self) -> str:
        """What the reader is given, as a path within the folder or a text."""
        if self.give is not None:
            return self.give
        return next(iter(self.files)) if self.files and len(self.files) == 1 else ""


def row(**values: object) -> str:
    """One line of JSON with a document, some of its fields other than usual."""
    return json.dumps({"text": TEXT, "author": "ann", "topic": "a"} | values) + "\n"


def pair(**values: object) -> str:
    """One line of JSON with a pair, some of its fields other than usual."""
    return json.dumps({"id": "p1", "pair": [TEXT, f"{TEXT} More."]} | values) + "\n"


def zipped(files: Mapping[str, str | bytes], flags: int = 0) -> Callable[[], bytes]:
    """A zip of these files; ``flags`` are set for each (1: encrypted)."""

    def made() -> bytes:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        data = bytearray(buffer.getvalue())
        if flags:
            for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
                start = data.find(mark)
                while start >= 0:
                    data[start + place] |= flags
                    start = data.find(mark, start + 1)
        return bytes(data)

    return made


def parquet(**columns: object) -> Callable[[], bytes]:
    """A Parquet file of these columns."""

    def made() -> bytes:
        import polars as pl

        buffer = io.BytesIO()
        pl.DataFrame(columns).write_parquet(buffer)
        return buffer.getvalue()

    return made


def problem(**files: Content) -> dict[str, Content]:
    """A corpus of one PAN13–15 problem, with some files other than usual."""
    usual: dict[str, Content] = {
        "EN001/known01.txt": TEXT,
        "EN001/unknown.txt": f"{TEXT} More.",
        "truth.txt": "EN001 Y\n",
        "contents.json": json.dumps(
            {"language": "English", "genre": "essays", "problems": ["EN001"]}
        ),
    }
    return usual | {
        name.replace("__", "/").replace("_dot_", "."): content for name, content in files.items()
    }


def collection(**files: Content) -> dict[str, Content]:
    """A collection of one PAN18/19 attribution problem, with some files other than usual."""
    names = [{"author-name": "candidate00001"}, {"author-name": "candidate00002"}]
    truth = [{"unknown-text": "unknown00001.txt", "true-author": "candidate00001"}]
    usual: dict[str, Content] = {
        "p1/problem-info.json": json.dumps(
            {"unknown-folder": "unknown", "candidate-authors": names}
        ),
        "p1/candidate00001/known00001.txt": TEXT,
        "p1/candidate00002/known00001.txt": f"{TEXT} Else.",
        "p1/unknown/unknown00001.txt": f"{TEXT} More.",
        "p1/ground-truth.json": json.dumps({"ground_truth": truth}),
    }
    return usual | {
        name.replace("__", "/").replace("_dot_", ".").replace("_to_", "-"): c
        for name, c in files.items()
    }


def without(files: dict[str, Content], *names: str) -> dict[str, Content]:
    """These files but for some."""
    return {name: content for name, content in files.items() if name not in names}


def parts(*rows: Mapping[str, object]) -> str:
    """A PAN16 file of parts."""
    return json.dumps(list(rows))


def part(
    number: object = 1, original: object = TEXT, obfuscation: object = "Another text."
) -> dict[str, object]:
    """One part of a rewriting."""
    return {"obfuscation-id": number, "original": original, "obfuscation": obfuscation}
