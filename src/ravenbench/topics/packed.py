"""Weights laid out once for oneDNN, torch's other library of matrix products, on a processor.

torch multiplies in fp32 by MKL, which uses half of an AMD processor's vector width, and lays out bfloat16 weights anew
in every product. The operators are those of torch's own compiler; where they are missing the model stays as it is.
"""

from __future__ import annotations

from typing import Any

import torch

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
