"""Attention in bfloat16 on a processor: products of whole batches by oneDNN, and a kernel for what stands between.

torch's own kernel multiplies small blocks by small blocks, which took two fifths of a small model's time. Here the
scores of all heads of a batch are one product, which the kernel turns into weights where they lie, row by row in single
precision.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numba import njit

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
    asked = {name for name, given in options.items() if isinstance(given, torch.Tensor) or given}
    if mask is None:
        plain = not options.get("is_causal", getattr(module, "is_causal", True))
    else:
        plain = mask.dtype == torch.bool and mask.shape[1] == 1
    if asked - {"scaling", "is_causal"} or not plain or key.shape[1] != query.shape[1]:
        found: tuple[torch.Tensor, None] = AttentionInterface()["sdpa"](module, query, key, value, mask, **options)
        return found
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
            _read(scores[head, query], np.float32(scale * LOG2_E), bias[head // each, query % bias.shape[1]], row)
            total = _powers(row, _highest(row), one)
            _write(row, one / np.float32(total), scores[head, query])


# One loop a function: together they would not be computed sixteen numbers at a time.
@_loops
def _read(bits, factor, bias, row):  # type: ignore[no-untyped-def]
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
