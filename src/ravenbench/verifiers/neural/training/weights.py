"""Weights of a network as plain arrays, which a verifier keeps, and back."""

from __future__ import annotations

import numpy as np
import torch


def arrays(module: torch.nn.Module) -> dict[str, np.ndarray]:
    """The weights of a network by name, as float32 arrays."""
    return {name: value.detach().float().cpu().numpy() for name, value in module.state_dict().items()}


def fill(module: torch.nn.Module, kept: dict[str, np.ndarray]) -> None:
    """Give a network of the same sizes these weights."""
    module.load_state_dict({name: torch.from_numpy(array) for name, array in kept.items()})
