"""Embeddings of whole texts by a sentence encoder: one way and one store for verifier, topics and soundness.

Needs torch; whoever may have to do without imports this module when it is asked to encode.
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
from numba import njit

from ravenbench.errors import InputError, SpecError
from ravenbench.ext.encoders import devices
from ravenbench.ext.encoders.batching import batches
from ravenbench.ext.encoders.kept_vectors import KeptVectors
from ravenbench.ext.encoders.pretrained import is_static, load_sentences, load_static, static_vectors
from ravenbench.types import Floats, Ints

ROWS = 512
"""Rows of a product for which weights are laid out; any number works."""


class PackedLinear(torch.nn.Module):
    """A linear layer without training; ``weight`` says its type, but its numbers lie in oneDNN's order."""

    def __init__(self, layer: torch.nn.Linear) -> None:
        super().__init__()
        weight = layer.weight.detach().contiguous()
        self.register_buffer("weight", torch.ops.mkldnn._reorder_linear_weight(weight, ROWS))
        self.register_buffer("bias", None if layer.bias is None else layer.bias.detach())

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Product and bias, (…, out), of rows (…, in)."""
        return torch.ops.mkldnn._linear_pointwise(rows, self.weight, self.bias, "none", [], "")


def pack(model: Any, half: bool) -> None:
    """Replace the linear layers of a model that is on the processor, in fp32 or all in bfloat16 (``half``)."""
    needed = ("_reorder_linear_weight", "_linear_pointwise", "_is_mkldnn_bf16_supported")
    if not torch.backends.mkldnn.is_available() or not all(hasattr(torch.ops.mkldnn, name) for name in needed):
        return
    if half and not torch.ops.mkldnn._is_mkldnn_bf16_supported():
        return
    with torch.inference_mode():
        for parent in list(model.modules()):
            for name, part in list(parent.named_children()):
                # A kind of linear layer of its own may be used in other ways.
                if type(part) is torch.nn.Linear:
                    setattr(parent, name, PackedLinear(part))


NAME = "ravenbench"
MASKED = -1e30
LOG2_E = 1.4426950408889634
_loops = njit(cache=True, error_model="numpy", fastmath={"nsz", "contract", "arcp", "nnan"})


def attend_by_batch(model: Any) -> None:
    """Let a transformer in bfloat16 attend this way; it stays as it is where transformers has no place for that."""
    try:
        from transformers import AttentionInterface, AttentionMaskInterface, PreTrainedModel
    except ImportError:
        return
    if isinstance(model, PreTrainedModel) and model.config._attn_implementation == "sdpa":
        AttentionInterface.register(NAME, _attend)
        AttentionMaskInterface.register(NAME, _mask)
        model.set_attn_implementation(NAME)


def _mask(*args: Any, **options: Any) -> torch.Tensor | None:
    """Which keys a query sees, (b, 1, 1 or queries, keys); one row where all queries of a sequence see the same."""
    from transformers import AttentionMaskInterface

    mask: torch.Tensor | None = AttentionMaskInterface()["sdpa"](*args, **options)
    same = mask is not None and bool((mask == mask[:, :, :1]).all())
    return mask[:, :, :1] if mask is not None and same else mask


def _attend(
    module: Any, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor | None, **options: Any
) -> tuple[torch.Tensor, None]:
    """Attention of (b, heads, queries, d) to (b, heads, keys, d), as (b, queries, heads, d)."""
    from transformers import AttentionInterface

    # What is None, False or a dropout of 0 asks for nothing.
    requested = {name for name, given in options.items() if isinstance(given, torch.Tensor) or given}
    if mask is None:
        plain = not options.get("is_causal", getattr(module, "is_causal", True))
    else:
        plain = mask.dtype == torch.bool and mask.shape[1] == 1
    if requested - {"scaling", "is_causal"} or not plain or key.shape[1] != query.shape[1]:
        output: tuple[torch.Tensor, None] = AttentionInterface()["sdpa"](module, query, key, value, mask, **options)
        return output
    seen = torch.ones(1, 1, key.shape[2], dtype=torch.bool) if mask is None else mask[:, 0]
    queries, keys, values = (part.flatten(0, 1) for part in (query, key, value))
    scores = torch.bmm(queries, keys.transpose(1, 2))
    scale = options.get("scaling") or query.shape[3] ** -0.5
    soften(scores.view(torch.uint16).numpy(), torch.where(seen, 0.0, MASKED).numpy(), scale)
    return torch.bmm(scores, values).unflatten(0, query.shape[:2]).transpose(1, 2).contiguous(), None


@njit(cache=True)
def soften(scores, bias, scale):  # type: ignore[no-untyped-def]
    """Turn scores into weights, in place: the softmax over keys of ``scale * scores + bias``.

    Parameters
    ----------
    scores : (heads of all sequences, queries, keys) uint16
        The bits of bfloat16 numbers.
    bias : (sequences or 1, queries or 1, keys) float32
    scale : float
    """
    each = len(scores) // len(bias)
    row = np.empty(scores.shape[2], np.float32)
    one, keys = np.float32(2**30), scores.shape[2]
    while keys > 1:
        one, keys = one / np.float32(2), keys // 2
    for head in range(len(scores)):
        for query in range(scores.shape[1]):
            _to_single(scores[head, query], np.float32(scale * LOG2_E), bias[head // each, query % bias.shape[1]], row)
            total = _powers(row, _highest(row), one)
            _write(row, one / np.float32(total), scores[head, query])


# One loop a function: together they would not be computed sixteen numbers at a time.
@_loops
def _to_single(bits, factor, bias, row):  # type: ignore[no-untyped-def]
    for j in range(len(row)):
        row[j] = np.uint32(np.uint32(bits[j]) << np.uint32(16)).view(np.float32) * factor + bias[j]


@_loops
def _highest(row):  # type: ignore[no-untyped-def]
    """The highest, by bits that are ordered as whole numbers, whose maximum is found sixteen at a time."""
    top = np.int32(-(2**31))
    for j in range(len(row)):
        top = max(top, _ordered(np.float32(row[j]).view(np.int32)))
    return np.int32(_ordered(top)).view(np.float32)


@njit(cache=True, inline="always")
def _ordered(bits):  # type: ignore[no-untyped-def]
    return np.int32(bits ^ np.int32(np.int32(bits >> np.int32(31)) & np.int32(2**31 - 1)))


@_loops
def _powers(row, top, one):  # type: ignore[no-untyped-def]
    """Replace x by 2^(x - top), to 3e-6 of itself, by the Taylor polynomial of its fraction; return their sum.

    The sum is of whole numbers, of which ``one`` stands for 1: a process that compiles this and one that reads it from
    numba's cache add in different orders, on which a sum of fractions would depend.
    """
    total = np.int32(0)
    for j in range(len(row)):
        x = max(row[j] - top, np.float32(-126))
        whole = np.floor(x + np.float32(0.5))
        x -= whole
        y = x * np.float32(1.3333558e-3) + np.float32(9.6181291e-3)
        y = y * x + np.float32(5.5504109e-2)
        y = y * x + np.float32(2.4022651e-1)
        y = y * x + np.float32(6.9314718e-1)
        y = y * x + np.float32(1)
        row[j] = y * np.int32((np.int32(whole) + np.int32(127)) << np.int32(23)).view(np.float32)
        total = np.int32(total + np.int32(row[j] * one + np.float32(0.5)))
    return total


@_loops
def _write(row, factor, bits):  # type: ignore[no-untyped-def]
    """As bfloat16, rounded to the nearest, and to even between two."""
    for j in range(len(row)):
        full = np.float32(row[j] * factor).view(np.uint32)
        bits[j] = np.uint16((full + np.uint32(0x7FFF) + ((full >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16))


VERSION = 6
"""Of how a text becomes a vector; vectors that an earlier one kept are left alone."""
MOST = 16
"""Windows in a batch on a processor; more are not faster."""
BLOCK = 4096
"""Texts between two writings to the cache folder."""
_PARTS = (".safetensors", ".json", ".txt", ".model")
_KEPT = KeptVectors(shared=True)


@dataclass(frozen=True)
class Reading:
    """How a model reads: where it runs, tokens a window and a batch (its own choice where None), precision, and whether
    a plain transformer's own ``pooler`` makes the vector.

    ``threads`` None takes as many as torch does; a vector does not depend on how many.
    """

    device: str = "cpu"
    window: int | None = None
    batch: int | None = None
    precision: str = "fp32"
    remote_code: bool = False
    threads: int | None = 1
    pooler: bool = False


def embeddings(folder: Path, texts: Sequence[str], read: Reading) -> Floats:
    """Vectors of texts, (texts, d); zeros where a text holds nothing that a static model knows.

    A text is tiled into windows as long as the model reads, special tokens included; its vector is the mean of the
    windows', weighted by their tokens. Static embeddings have no windows. A text is encoded once by one model, whoever
    asks: vectors are kept in this process and in the cache folder, by hashes of the text and of the model.
    FormatError, InputError, SpecError if the model cannot be loaded, its tokenizer is another's or has no fast form,
    or the window is not one.
    """
    if read.batch is not None and read.batch < 1:
        raise SpecError("there is no such batch", found=read.batch, expected="batch: tokens, at least 1")
    if not texts:
        # The model says how long a vector is.
        return embeddings(folder, [""], read)[:0]
    device = str(devices.pick(read.device))
    half = devices.half(read.precision, torch.device(device))
    batch = read.batch or (8192 if device != "cpu" else 4096)
    files = digest(folder)
    recipe = (VERSION, files, device, read.window, batch, half, read.remote_code, torch.__version__, read.pooler)

    def encode(unseen: list[str]) -> Floats:
        model = _network(folder, files, device, read.remote_code, half, read.pooler)
        return static_vectors(model, unseen) if hasattr(model, "embedding") else _windows(model, unseen, read, batch)

    parts = [_KEPT.of(recipe, texts[start : start + BLOCK], encode) for start in range(0, len(texts), BLOCK)]
    return np.concatenate(parts)


def _windows(model: Any, texts: list[str], read: Reading, batch: int) -> Floats:
    device = torch.device(model.device)
    windows, owner = _tiled(model, texts, read.window)
    parts: list[Floats] = [np.empty(0)] * len(windows)
    with devices.inferring(device, threads=read.threads):
        for part in batches(windows, batch, model.tokenizer.pad_token_id or 0, MOST if device.type == "cpu" else None):
            ids, mask = (torch.from_numpy(array).to(device) for array in (part.ids, part.mask))
            inputs = {"input_ids": ids, "attention_mask": mask.long()}
            for module in model:
                # What follows the transformer takes no time: it computes in single precision.
                inputs = {k: v.float() if v.is_floating_point() else v for k, v in module(inputs).items()}
            for row, vector in zip(part.rows, inputs["sentence_embedding"].double().cpu().numpy(), strict=False):
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
        raise SpecError("encoder cannot read such windows", found=window, expected=f"window from 4 to {reads}")
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
    windows = [np.array(coded["input_ids"][i] or [model.tokenizer.pad_token_id or 0]) for i in order]
    return windows, np.array(coded["overflow_to_sample_mapping"])[order]


@lru_cache(maxsize=1)
def _network(folder: Path, digest: str, device: str, remote_code: bool, half: bool, pooler: bool = False) -> Any:
    """The model, loaded once for all folds of a process; ``digest`` tells its files from others in that folder."""
    if is_static(folder):
        return load_static(folder)
    # Some are kept in half precision, in which not every processor multiplies.
    model = load_sentences(folder, device, remote_code, pooler).float()
    if half:
        model[0].bfloat16()
    if device == "cpu":
        pack(model[0].eval(), half)
        if half:
            attend_by_batch(model[0].auto_model)
    return model


def digest(folder: Path) -> str:
    """Hash of a model's files."""
    files = [f for f in sorted(folder.rglob("*")) if f.is_file() and f.suffix in _PARTS]
    return _digest_of(folder, tuple((f, (stat := f.stat()).st_size, stat.st_mtime_ns) for f in files))


@lru_cache(maxsize=8)
def _digest_of(folder: Path, files: tuple[tuple[Path, int, int], ...]) -> str:
    """The same, read once while sizes and times of the files stay."""
    h = hashlib.blake2b(digest_size=16)
    for file, _, _ in files:
        h.update(file.relative_to(folder).as_posix().encode())
        h.update(file.read_bytes())
    return h.hexdigest()
