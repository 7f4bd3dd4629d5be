"""A cache of the answers of slow or paid services, kept by the hash of everything that was asked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ravenbench.files import cache_folder, made_cache, make_folder, write_text


class DiskCache:
    """Keeps answers below the user's cache folder, a file each; what was asked is hashed, the answer is not."""

    def __init__(self, name: str) -> None:
        self._folder = cache_folder() / name

    def get(self, asked: Any, usable: Callable[[str], bool]) -> str | None:
        """Return the kept answer; None where there is none that could be one, as ``usable`` says of fresh ones too."""
        try:
            kept = self._path(asked).read_bytes().decode()
        except (OSError, UnicodeDecodeError):
            return None
        return kept if usable(kept) else None

    def put(self, asked: Any, answer: str) -> None:
        """Keep an answer under what was asked."""
        path = self._path(asked)
        make_folder(made_cache() / self._folder.name, private=True)
        make_folder(path.parent)
        write_text(path, answer)

    def _path(self, asked: Any) -> Path:
        text = json.dumps(asked, sort_keys=True, ensure_ascii=False)
        key = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
        return self._folder / key[:2] / f"{key}.txt"
