"""Document vectors of a large corpus, made part by part and kept, so that an interrupted hour is not lost."""

from __future__ import annotations

import hashlib
import io
from importlib.metadata import version
from pathlib import Path

import numpy as np

from ravenbench.components import identity_hash
from ravenbench.files import array_bytes, cache_folder, made_cache, write_bytes
from ravenbench.texts import TextTable
from ravenbench.topics.base import Encoder
from ravenbench.types import Floats, Ints

FORMAT = 1
LARGE = 64 * 2**20
"""Bytes of texts from which on vectors are kept in the cache folder."""
PART = 2_000


def document_vectors(encoder: Encoder, texts: TextTable, rows: Ints) -> Floats:
    """Encode these rows, (len(rows), d); vectors of large corpora are kept in the cache folder.

    What lies in the cache is found by the encoder, the versions of what computes it and the texts; a part that was
    written by another version, or is damaged, is not read.
    """
    view = texts.view(rows)
    size = int((texts.offsets[rows + 1] - texts.offsets[rows]).sum())
    if size < LARGE:
        return encoder.encode(view)
    folder = cache_folder() / "vectors" / _key(encoder, texts, rows)
    parts = [_read(folder, number) for number in range(-(-len(rows) // PART))]
    if any(part is None for part in parts):
        learned = encoder.learn(view)
        if learned is None:
            return encoder.encode(view)
        made_cache()
        folder.mkdir(parents=True, exist_ok=True)
        for number, part in enumerate(parts):
            if part is None:
                parts[number] = part = learned(view[number * PART : (number + 1) * PART])
                data = array_bytes(part)
                write_bytes(folder / f"{number:06d}-{hashlib.sha256(data).hexdigest()[:16]}.npy", data)
    return np.concatenate([part for part in parts if part is not None])


def _key(encoder: Encoder, texts: TextTable, rows: Ints) -> str:
    tools = [FORMAT, *(version(name) for name in ("numpy", "scipy", "scikit-learn"))]
    what = hashlib.sha256(texts.hashes[rows].tobytes()).hexdigest()
    return f"{identity_hash(encoder)}-{identity_hash([tools, what])}"


def _read(folder: Path, number: int) -> Floats | None:
    """Read a part back; None where it is missing or damaged."""
    for file in sorted(folder.glob(f"{number:06d}-*.npy")):
        data = file.read_bytes()
        if file.stem.endswith(hashlib.sha256(data).hexdigest()[:16]):
            part: Floats = np.load(io.BytesIO(data), allow_pickle=False)
            return part
    return None
