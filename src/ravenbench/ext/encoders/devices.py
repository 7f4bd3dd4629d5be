"""Decides where a model runs (device, precision, threads), and turns running out of memory into an error.

In: for ``pick`` the name of a device (auto, cpu, cuda, cuda:1); for ``half`` and ``precision`` the name of a precision
(auto, fp32, bf16) and a ``torch.device``; for ``controlled`` a seed and a device; for ``inferring`` and ``memory`` a
device and the name of the option that saves memory; for ``reseed`` a seed.
Out: ``pick`` gives a ``torch.device``, ``half`` True for bfloat16; ``precision``, ``controlled``, ``inferring`` and
``memory`` a context in which a model runs; ``reseed`` nothing. SpecError for an unknown device or precision, InputError
if a GPU is absent or its memory is too small.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import torch

from ravenbench import limits
from ravenbench.errors import InputError, SpecError


def pick(device: str) -> torch.device:
    """Return the device of a name: ``cpu``, ``cuda``, ``cuda:1``, or ``auto``.

    ``auto`` is the device of the run (``limits.device``), otherwise the GPU if there is one. SpecError if the
    device is unknown. InputError if CUDA is requested and not available.
    """
    cuda = torch.cuda.is_available()
    if device == "auto":
        device = limits.device()
    if device == "auto":
        device = "cuda" if cuda else "cpu"
    if device == "cpu":
        return torch.device("cpu")
    kind, _, number = device.partition(":")
    if kind != "cuda" or (number and not (number.isdecimal() and len(number) < 10)):
        raise SpecError("unknown device", found=device, expected="auto, cpu, cuda or cuda:NUMBER")
    if not cuda or int(number or 0) >= torch.cuda.device_count():
        raise InputError(
            "this GPU is not usable here",
            found=device,
            fix="device='cpu', or a torch built for CUDA",
        )
    # cuBLAS reads this once, and deterministic mode is refused without it.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    return torch.device(device)


def precision(name: str, device: torch.device) -> Any:
    """Return a context for forward passes of a network that learns in fp32: bfloat16 autocast if ``half`` says so."""
    return (
        torch.autocast(device.type, dtype=torch.bfloat16) if half(name, device) else nullcontext()
    )


def half(name: str, device: torch.device) -> bool:
    """Return whether to compute in bfloat16: for ``bf16``, and for ``auto`` on a GPU that supports it.

    SpecError if the precision is unknown.
    """
    if name not in ("auto", "fp32", "bf16"):
        raise SpecError("unknown precision", found=name, expected="auto, fp32 or bf16")
    return name == "bf16" or (
        name == "auto" and device.type == "cuda" and torch.cuda.is_bf16_supported()
    )


@contextmanager
def controlled(seed: int, device: torch.device, deterministic: bool = True) -> Iterator[None]:
    """Use a random state from ``seed``, one CPU thread (contract 13) and deterministic kernels; restore all at the end."""
    threads = torch.get_num_threads()
    strict = torch.are_deterministic_algorithms_enabled()
    warn = torch.is_deterministic_algorithms_warn_only_enabled()
    filled = torch.utils.deterministic.fill_uninitialized_memory
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.set_num_threads(1)
        torch.use_deterministic_algorithms(deterministic, warn_only=True)
        # No network reads what it has not written; to fill every new tensor beforehand is a pass over memory for each.
        torch.utils.deterministic.fill_uninitialized_memory = False
        reseed(seed)
        try:
            yield
        finally:
            torch.set_num_threads(threads)
            torch.use_deterministic_algorithms(strict, warn_only=warn)
            torch.utils.deterministic.fill_uninitialized_memory = filled


def reseed(seed: int) -> None:
    """Restart torch's random streams (initial weights, dropout); only inside ``controlled``."""
    torch.manual_seed(seed % 2**63)


@contextmanager
def inferring(
    device: torch.device, lower: str = "batch", threads: int | None = 1
) -> Iterator[None]:
    """Compute scores without gradients and with one CPU thread; ``lower`` is the option that saves memory.

    If no other worker computes at the same time, ``threads`` may be None: as many as torch takes.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(threads or before)
    try:
        with torch.inference_mode(), memory(lower, device):
            yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def memory(option: str, device: torch.device) -> Iterator[None]:
    """Turn CUDA's running out of memory into an error that names the option to lower.

    InputError if the GPU's memory is too small.
    """
    try:
        yield
    except torch.cuda.OutOfMemoryError as error:
        if device.type == "cuda":
            torch.cuda.empty_cache()
        raise InputError(
            "the GPU's memory is too small",
            found=str(error).partition("\n")[0],
            fix=f"lower {option}, or use device='cpu'",
        ) from None
