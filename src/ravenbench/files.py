"""Files that are there whole or not at all: temporary name, fsync, rename."""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


def write_bytes(path: Path, data: bytes | memoryview) -> str:
    """Write atomically and return the SHA-256 of what was written."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return hashlib.sha256(data).hexdigest()


def write_text(path: Path, text: str) -> str:
    """Write UTF-8 text atomically."""
    return write_bytes(path, text.encode())


def write_json(path: Path, value: Any) -> str:
    """Write JSON atomically; NaN is refused, undefined values are null."""
    return write_text(path, json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def write_array(path: Path, array: NDArray[Any]) -> str:
    """Write one ``.npy`` atomically."""
    return write_bytes(path, array_bytes(array))


def array_bytes(array: NDArray[Any]) -> bytes:
    """The ``.npy`` form of an array."""
    buffer = io.BytesIO()
    np.save(buffer, np.ascontiguousarray(array), allow_pickle=False)
    return buffer.getvalue()


def sha256(path: Path) -> str:
    """SHA-256 of a file, read in blocks."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
