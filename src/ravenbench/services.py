"""What services cost and said: a bound on the calls of language models, and answers that are kept."""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ravenbench.files import cache_folder, made_cache, make_folder, write_text
from ravenbench.limits import most_calls

_COUNT = "RAVEN_LLM_COUNT"
"""A file that has a byte for each call of this run, from whatever process."""


@cache
def count_of(run: str) -> str:
    """The file in which this process counts the calls that it sends for a run."""
    os.environ.pop(_COUNT, None)
    begin_counting()
    return os.environ[_COUNT]


def count_for(run: str) -> None:
    """From now on calls of language models are those of this run, whatever others send."""
    os.environ[_COUNT] = count_of(run)


def begin_counting() -> None:
    """From now on calls of language models are those of a new run, in this process and in all that it starts."""
    if _COUNT not in os.environ:
        file = tempfile.NamedTemporaryFile(prefix="raven-calls-")  # noqa: SIM115 (it lives as long as this process)
        atexit.register(file.close)
        os.environ[_COUNT] = file.name
    Path(os.environ[_COUNT]).write_bytes(b"")


def count_call() -> bool:
    """Count a call; whether the run may send it. Outside runs nothing is counted."""
    if (place := os.environ.get(_COUNT)) is None:
        return True
    with Path(place).open("ab") as file:
        file.write(b".")
        file.flush()  # the place after it is this call's own number, whoever writes beside
        return file.tell() <= most_calls()


@dataclass(frozen=True)
class Asked:
    """What questions come to: their number, tokens read and written, and the cost at the prices given."""

    questions: int
    tokens_in: float
    tokens_out: float
    cost: float

    def __str__(self) -> str:
        price = f", {self.cost:.4f} at the given prices" if self.cost else ""
        return f"{self.questions:,} questions, {self.tokens_in:,.0f} tokens in, {self.tokens_out:,.0f} out{price}"


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
                if path.stem in (place.name, f"{place.name}-{_hash(text)}") and usable(text):  # once without a hash
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
