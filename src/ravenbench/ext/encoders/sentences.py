"""Embeds complete texts with a sentence encoder, in one way and one store for verifier, topics and soundness.

In: for ``embeddings`` the folder of a model, n texts, a ``Reading`` (device, precision, tokens of a window and batch);
for ``digest`` the folder.
Out: ``embeddings`` returns vectors (n, d) float64, zeros if a static model knows no token of a text; ``digest`` a hash
of the model's files (32 hexadecimal digits). MissingPart without the model's library, FormatError for a model that
cannot be loaded, InputError for a tokenizer of another model or without a fast form or a GPU that is absent or too
small, SpecError for an impossible batch, window, device or precision.

This module needs torch; import it only when texts are encoded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ravenbench.errors import InputError, SpecError
from ravenbench.ext.encoders import devices
from ravenbench.ext.encoders.batching import batches
from ravenbench.ext.encoders.kept_vectors import KeptVectors
from ravenbench.ext.encoders.pretrained import (
    is_static,
    load_sentences,
    load_static,
    static_vectors,
)
from ravenbench.types import Floats, Ints

VERSION = 7
"""Version of how a text becomes a vector; vectors stored by an earlier version are not used."""
MOST = 16
"""Windows in a batch on a processor; more are not faster."""
BLOCK = 4096
"""Number of texts between two writes to the cache folder."""
_PARTS = (".safetensors", ".json", ".txt", ".model")
_KEPT = KeptVectors(shared=True)


@dataclass(frozen=True)
class Reading:
    """How a model reads: device, tokens of a window and a batch (None: the model's choice), precision, and whether
    a plain transformer's own ``pooler`` makes the vector.

    With ``threads`` None, as many as torch takes; a vector does not depend on their number.
    """

    device: str = "cpu"
    window: int | None = None
    batch: int | None = None
    precision: str = "fp32"
    remote_code: bool = False
    threads: int | None = 1
    pooler: bool = False


def embeddings(folder: Path, texts: Sequence[str], read: Reading) -> Floats:
    """Return vectors of texts, (texts, d); zeros if a static model knows nothing in a text.

    A text is divided into windows as long as the model reads, including special tokens; its vector is the mean of the
    windows' vectors, weighted by their tokens. Static embeddings have no windows. A text is encoded once by one model for all
    callers: vectors are stored in this process and in the cache folder, by hashes of the text and of the model.
    FormatError, InputError, SpecError if the model cannot be loaded, its tokenizer is another model's or has no fast form,
    or the window is invalid.
    """
    if read.batch is not None and read.batch < 1:
        raise SpecError("invalid batch", found=read.batch, expected="batch: tokens, at least 1")
    if not texts:
        # The model says how long a vector is.
        return embeddings(folder, [""], read)[:0]
    device = str(devices.pick(read.device))
    half = devices.half(read.precision, torch.device(device))
    batch = read.batch or (8192 if device != "cpu" else 4096)
    files = digest(folder)
    recipe = (
        VERSION,
        files,
        device,
        read.window,
        batch,
        half,
        read.remote_code,
        torch.__version__,
        read.pooler,
    )

    def encode(unseen: list[str]) -> Floats:
        model = _network(folder, files, device, read.remote_code, half, read.pooler)
        return (
            static_vectors(model, unseen)
            if hasattr(model, "embedding")
            else _windows(model, unseen, read, batch)
        )

    parts = [
        _KEPT.of(recipe, texts[start : start + BLOCK], encode)
        for start in range(0, len(texts), BLOCK)
    ]
    return np.concatenate(parts)


def _windows(model: Any, texts: list[str], read: Reading, batch: int) -> Floats:
    device = torch.device(model.device)
    windows, owner = _tiled(model, texts, read.window)
    parts: list[Floats] = [np.empty(0)] * len(windows)
    with devices.inferring(device, threads=read.threads):
        for part in batches(
            windows,
            batch,
            model.tokenizer.pad_token_id or 0,
            MOST if device.type == "cpu" else None,
        ):
            ids, mask = (torch.from_numpy(array).to(device) for array in (part.ids, part.mask))
            inputs = {"input_ids": ids, "attention_mask": mask.long()}
            for module in model:
                # What follows the transformer takes no time: it computes in single precision.
                inputs = {
                    k: v.float() if v.is_floating_point() else v for k, v in module(inputs).items()
                }
            for row, vector in zip(
                part.rows, inputs["sentence_embedding"].double().cpu().numpy(), strict=False
            ):
                parts[row] = vector
    weight = np.array([len(w) for w in windows], dtype=np.float64)
    starts = np.searchsorted(owner, np.arange(len(texts)))
    total = np.add.reduceat(np.stack(parts) * weight[:, None], starts, axis=0)
    return np.asarray(total / np.add.reduceat(weight, starts)[:, None], dtype=np.float64)


def _tiled(model: Any, texts: list[str], window: int | None) -> tuple[list[Ints], Ints]:
    """Windows with their special tokens, and the text of each, ascending."""
    longest = model.get_max_seq_length()
    # A tokenizer without a limit says so with an absurd number.
    reads = int(longest) if longest and longest < 10**6 else 512
    if window is not None and not 3 < window <= reads:
        raise SpecError(
            "encoder cannot read windows of this size",
            found=window,
            expected=f"window from 4 to {reads}",
        )
    if not model.tokenizer.is_fast:
        raise InputError("this model's tokenizer has no fast form", expected="a tokenizer.json")
    coded = model.tokenizer(
        texts,
        truncation=True,
        max_length=window or reads,
        return_overflowing_tokens=True,
        return_attention_mask=False,
        verbose=False,
    )
    order = np.argsort(coded["overflow_to_sample_mapping"], kind="stable")
    windows = [
        np.array(coded["input_ids"][i] or [model.tokenizer.pad_token_id or 0]) for i in order
    ]
    return windows, np.array(coded["overflow_to_sample_mapping"])[order]


@lru_cache(maxsize=1)
def _network(
    folder: Path, digest: str, device: str, remote_code: bool, half: bool, pooler: bool = False
) -> Any:
    """The model, loaded once for all folds of a process; ``digest`` tells its files from others in that folder."""
    if is_static(folder):
        return load_static(folder)
    # Some are kept in half precision, in which not every processor multiplies.
    model = load_sentences(folder, device, remote_code, pooler).float()
    if half:
        model[0].bfloat16()
    return model


def digest(folder: Path) -> str:
    """Return the hash (text) of a model's files."""
    files = [f for f in sorted(folder.rglob("*")) if f.is_file() and f.suffix in _PARTS]
    return _digest_of(
        folder, tuple((f, (stat := f.stat()).st_size, stat.st_mtime_ns) for f in files)
    )


@lru_cache(maxsize=8)
def _digest_of(folder: Path, files: tuple[tuple[Path, int, int], ...]) -> str:
    """The same, read once while sizes and times of the files stay."""
    h = hashlib.blake2b(digest_size=16)
    for file, _, _ in files:
        h.update(file.relative_to(folder).as_posix().encode())
        h.update(file.read_bytes())
    return h.hexdigest()
