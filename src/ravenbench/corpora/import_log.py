"""A log on disk of what an import has read so far, so that a killed import goes on where it was.

The folder holds ``texts.bin``, ``entries.jsonl`` (one line a document, in the order of reading) and ``reached.json``,
written last: how many bytes of each are whole. What lies beyond is cut off.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from ravenbench.errors import InputError
from ravenbench.files import write_json

FORMAT = 1
EVERY = 64 * 2**20
"""Bytes of texts between two marks."""


class Entry(NamedTuple):
    """A document as it was read; ``text`` is the hash and the bytes of a text that was taken up, None otherwise."""

    name: str
    line: int
    author: str
    topic: str | None
    language: str | None
    columns: dict[str, str | None]
    key: str
    text: tuple[str, int] | None


class ImportLog:
    """The log of one import; ``source`` is what must be the same for an earlier log to be taken up."""

    def __init__(self, folder: Path, source: dict[str, Any]) -> None:
        self.folder = folder
        self._source = {"format": FORMAT, **source}
        reached = self._reached()
        if reached is None:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            reached = {"texts": 0, "entries": 0}
        self.texts: IO[bytes] = self._open("texts.bin", reached["texts"])
        self._entries = self._open("entries.jsonl", reached["entries"])
        self._kept = reached["entries"]
        self._since = 0

    def earlier(self) -> Iterator[Entry]:
        """Entries of an earlier call, in order."""
        with (self.folder / "entries.jsonl").open("rb") as file:
            left = self._kept
            while left > 0:
                line = file.readline()
                left -= len(line)
                yield Entry(*json.loads(line))

    def add(self, entry: Entry) -> None:
        """Note a document whose text, if taken up, was written to ``texts`` before."""
        self._entries.write(json.dumps(entry, ensure_ascii=False).encode() + b"\n")
        self._since += entry.text[1] if entry.text is not None else 0
        if self._since >= EVERY:
            self.mark()

    def mark(self) -> None:
        """Write all that was added so far to disk, to survive a kill."""
        for file in (self.texts, self._entries):
            file.flush()
            os.fsync(file.fileno())
        reached = {"texts": self.texts.tell(), "entries": self._entries.tell()}
        write_json(self.folder / "reached.json", {"source": self._source, **reached})
        self._since = 0

    def remove(self) -> None:
        """Delete the log, since the import is complete."""
        self._entries.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _reached(self) -> dict[str, int] | None:
        try:
            found = json.loads((self.folder / "reached.json").read_text("utf-8"))
            whole = all((self.folder / name).stat().st_size >= found[key] for name, key in _FILES)
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return found if whole and found.get("source") == json.loads(json.dumps(self._source)) else None

    def _open(self, name: str, size: int) -> IO[bytes]:
        (self.folder / name).touch()
        file = (self.folder / name).open("r+b")
        file.truncate(size)
        file.seek(size)
        return file


_FILES = (("texts.bin", "texts"), ("entries.jsonl", "entries"))


def stamp(path: Path) -> list[list[Any]]:
    """Names, sizes and times of a file, or of the files in a folder.

    Raises
    ------
    InputError
        If there is nothing.
    """
    files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
    try:
        return [[str(p), p.stat().st_size, p.stat().st_mtime_ns] for p in files]
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", file=path) from None
