"""Stores embeddings of unchanging models by content, in the process and in the cache folder.

In: for ``KeptVectors.of`` a name for everything that decides a vector besides the text, texts, and a function from
texts to vectors; ``KeptVectors`` has the maximum bytes in memory. For ``KeptFiles`` 16-byte hashes of texts
(``find``), or vectors by hash (``add``).
Out: ``of`` returns vectors (n, d) float64 in the order of the texts, with each distinct text encoded once; ``find`` the
stored vectors (d,), by hash; ``add`` nothing, and no error if the cache folder cannot be written.

Folds, repetitions and transplanted test sets use the same texts repeatedly. A vector depends only on the text, the model's
files and how they are run, so it is computed once: other workers of a run, a continued run
and other runs read it from the cache folder.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from ravenbench.files import (
    cache_folder,
    made_cache,
    make_room,
    map_hashed,
    stands_alone,
    write_hashed,
)
from ravenbench.texts import content_hash
from ravenbench.types import Floats

MOST_ON_DISK = 2 * 2**30
"""Maximum bytes of vectors in the cache folder, of all models together."""


class KeptFiles:
    """The stored vectors of one model with one setting.

    Parameters
    ----------
    made : str
        A name for everything that decides a vector besides the text; letters and digits.
    """

    def __init__(self, made: str) -> None:
        self.made = made
        self._index: dict[bytes, Floats] = {}
        self._read: set[Path] = set()

    @property
    def folder(self) -> Path:
        """Return the path of their folder."""
        return cache_folder() / "embeddings" / self.made

    def find(self, texts: Sequence[bytes]) -> dict[bytes, Floats]:
        """Return the stored vectors (d,), by the hash of their text, including those that other processes added."""
        if not all(text in self._index for text in texts):
            for path in sorted(self.folder.glob("*.npy")):
                if path not in self._read:
                    self._read.add(path)
                    self._index.update(_read(path))
        return {text: self._index[text] for text in texts if text in self._index}

    def add(self, vectors: dict[bytes, Floats]) -> None:
        """Store vectors by the hash of their text (16 bytes each); nothing if the cache folder cannot be written."""
        rows = np.stack(list(vectors.values()))
        table = np.empty(len(rows), dtype=[("text", "V16"), ("vector", np.float64, rows.shape[1:])])
        table["text"] = np.frombuffer(b"".join(vectors), dtype="V16")
        table["vector"] = rows
        with suppress(OSError):
            made_cache()
            self.folder.mkdir(parents=True, exist_ok=True)
            write_hashed(self.folder, table)
            make_room(self.folder.parent.glob("*/*.npy"), MOST_ON_DISK)


def _read(path: Path) -> Iterator[tuple[bytes, Floats]]:
    if (table := map_hashed(path)) is not None:
        yield from zip((text.tobytes() for text in table["text"]), table["vector"], strict=True)


MOST = 256 * 2**20
"""Maximum bytes of stored vectors; those not used for longest are removed first."""

FEWEST = 32
"""Minimum number of new vectors for which a file is written."""


class KeptVectors:
    """Vectors by (how they are made, hash of the text), with at most ``most`` bytes in memory.

    Parameters
    ----------
    shared : bool
        Also store them in the cache folder, unless this process is isolated (``files.stand_alone``).
    """

    def __init__(self, most: int = MOST, *, shared: bool = False) -> None:
        self.most = most
        self.shared = shared
        self._files: dict[Hashable, KeptFiles] = {}
        self._bytes = 0
        self._kept: OrderedDict[tuple[Hashable, bytes], Floats] = OrderedDict()
        self._lock = threading.Lock()

    def of(
        self, made: Hashable, texts: Sequence[str], encode: Callable[[list[str]], Floats]
    ) -> Floats:
        """Return vectors of texts (n, d); texts without a stored vector are encoded together, each distinct text once.

        Parameters
        ----------
        made : hashable
            Everything that decides a vector besides the text: the model's digest and how it is run.
        encode : callable
            From texts to vectors (texts, d), each independent of its neighbours.
        """
        places = [(made, content_hash(text)) for text in texts]
        with self._lock:
            cached = {place: self._kept[place] for place in places if place in self._kept}
            for place in cached:
                self._kept.move_to_end(place)
        missing = {
            place: text for place, text in zip(places, texts, strict=True) if place not in cached
        }
        shared = self.shared and not stands_alone()
        if missing and shared:
            read = self._shelf(made).find([text for _, text in missing])
            cached |= {(made, text): vector for text, vector in read.items()}
            self._keep({place: cached[place] for place in missing if place in cached})
            missing = {place: text for place, text in missing.items() if place not in cached}
        if missing:
            fresh = dict(zip(missing, encode(list(missing.values())), strict=True))
            # A file for every few texts would slow all later looks.
            if shared and len(fresh) >= FEWEST:
                self._shelf(made).add({text: vector for (_, text), vector in fresh.items()})
            self._keep(fresh)
            cached |= fresh
        return np.stack([cached[place] for place in places])

    def _shelf(self, made: Hashable) -> KeptFiles:
        with self._lock:
            return self._files.setdefault(made, KeptFiles(content_hash(repr(made)).hex()))

    def _keep(self, fresh: dict[tuple[Hashable, bytes], Floats]) -> None:
        with self._lock:
            for place, vector in fresh.items():
                if place not in self._kept:
                    # A row of a matrix would keep all of that matrix alive.
                    self._kept[place] = vector.copy()
                    self._bytes += vector.nbytes
            while self._bytes > self.most:
                self._bytes -= self._kept.popitem(last=False)[1].nbytes
