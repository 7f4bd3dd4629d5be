"""Vectors of texts in the cache folder, shared by the processes and the runs of this machine.

A file holds vectors that were made together: the hashes of their texts and the vectors themselves, as NumPy writes
them. Its name ends in a hash of its content, so one that was cut short or changed is seen and left alone. Files are
added whole and never changed. Above a cap the oldest go.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from ravenbench.files import array_bytes, cache_folder, made_cache, write_bytes
from ravenbench.types import Floats

MOST = 2 * 2**30
"""Bytes of vectors that the cache folder holds, of all models together."""


class KeptFiles:
    """The vectors that one model makes in one way.

    Parameters
    ----------
    made : str
        Names all that decides a vector beside the text; letters and digits.
    """

    def __init__(self, made: str) -> None:
        self.made = made
        self._index: dict[bytes, Floats] = {}
        self._read: set[Path] = set()

    @property
    def folder(self) -> Path:
        """Where they lie."""
        return cache_folder() / "embeddings" / self.made

    def find(self, texts: Sequence[bytes]) -> dict[bytes, Floats]:
        """The vectors (d,) that are there, by the hash of their text; what other processes added meanwhile is seen."""
        if not all(text in self._index for text in texts):
            for path in sorted(self.folder.glob("*.npy")):
                if path not in self._read:
                    self._read.add(path)
                    self._index.update(_vectors(path))
        return {text: self._index[text] for text in texts if text in self._index}

    def add(self, found: dict[bytes, Floats]) -> None:
        """Keep vectors by the hash of their text (16 bytes each); a cache folder that cannot be written keeps none."""
        rows = np.stack(list(found.values()))
        table = np.empty(len(rows), dtype=[("text", "V16"), ("vector", np.float64, rows.shape[1:])])
        table["text"], table["vector"] = np.frombuffer(b"".join(found), dtype="V16"), rows
        data = array_bytes(table)
        path = self.folder / f"{hashlib.sha256(data).hexdigest()[:32]}.npy"
        with suppress(OSError):
            made_cache()
            self.folder.mkdir(parents=True, exist_ok=True)
            write_bytes(path, data, sync=False)
            _make_room(self.folder.parent)


def _vectors(path: Path) -> Iterator[tuple[bytes, Floats]]:
    try:
        data = path.read_bytes()
        if hashlib.sha256(data).hexdigest()[:32] != path.stem:
            return
        del data
        table = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError):
        return
    yield from zip((text.tobytes() for text in table["text"]), table["vector"], strict=True)


def _make_room(folder: Path) -> None:
    files = [(stat.st_mtime, stat.st_size, path) for path in folder.glob("*/*.npy") if (stat := path.stat())]
    size = sum(one for _, one, _ in files)
    for _, one, path in sorted(files):
        if size <= MOST:
            break
        with suppress(OSError):
            path.unlink()
        size -= one
