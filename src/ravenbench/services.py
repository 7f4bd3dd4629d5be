"""Keeps answers of services as files in the user's cache folder (``DiskCache``), so that no request is sent twice.

In: for ``DiskCache`` the name of a folder in the cache; for ``get`` a request (a value that JSON can write) and a
function that says whether a kept answer (text) is usable; for ``put`` a request and its answer (text).
Out: ``get`` gives the answer kept before (text), None where there is no usable one (damaged files are passed over);
``put`` nothing: InputError or OSError where the cache folder cannot be made or written, TypeError for a
request that JSON cannot write.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from ravenbench.files import cache_folder, made_cache, make_folder, write_text


class DiskCache:
    """Keeps answers below the user's cache folder, a file each; a damaged one is not used."""

    def __init__(self, name: str) -> None:
        self._folder = cache_folder() / name

    def get(self, request: Any, usable: Callable[[str], bool]) -> str | None:
        """Return the kept answer; None where there is none that could be one, as ``usable`` says of fresh ones too."""
        place = self._path(request)
        for path in sorted(place.parent.glob(f"{place.name}*.txt")):
            with suppress(OSError, UnicodeDecodeError):
                text = path.read_bytes().decode()
                if path.stem in (place.name, f"{place.name}-{_hash(text)}") and usable(
                    text
                ):  # once without a hash
                    return text
        return None

    def put(self, request: Any, answer: str) -> None:
        """Keep an answer under its request."""
        path = self._path(request)
        make_folder(made_cache() / self._folder.name, private=True)
        make_folder(path.parent)
        write_text(path.with_name(f"{path.name}-{_hash(answer)}.txt"), answer)

    def _path(self, request: Any) -> Path:
        key = _hash(json.dumps(request, sort_keys=True, ensure_ascii=False))
        return self._folder / key[:2] / key


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
