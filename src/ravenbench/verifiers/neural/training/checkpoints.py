"""Checkpoints of a training: tensors as safetensors, all else as JSON, never pickle.

FOLDER/checkpoint.json         spec, facts, name and SHA-256 of the tensors; written last
FOLDER/tensors-NUMBER.safetensors
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save

from ravenbench.errors import FormatError, SpecError
from ravenbench.files import write_bytes, write_json

FORMAT = 1
_HEAD = "checkpoint.json"


@dataclass(frozen=True)
class Checkpoint:
    """What was kept after epoch ``epoch`` (from 1): any nesting of dicts, lists, numbers, text and tensors."""

    epoch: int
    state: dict[str, Any]


def keep(folder: Path, spec: dict[str, Any], checkpoint: Checkpoint) -> None:
    """Write a checkpoint; the one before it is there until this one is whole."""
    folder.mkdir(parents=True, exist_ok=True)
    tensors: dict[str, torch.Tensor] = {}
    state = _flat(checkpoint.state, tensors)
    name = f"tensors-{checkpoint.epoch}.safetensors"
    digest = write_bytes(folder / name, save(tensors))
    head = {"format": FORMAT, "spec": spec, "epoch": checkpoint.epoch, "state": state}
    write_json(folder / _HEAD, {**head, "tensors": name, "tensors_sha256": digest})
    for old in folder.glob("tensors-*.safetensors"):
        if old.name != name:
            old.unlink(missing_ok=True)


def find(folder: Path, spec: dict[str, Any]) -> Checkpoint | None:
    """The checkpoint in a folder, or None where there is none.

    Raises
    ------
    SpecError
        If it belongs to another training, with the difference.
    FormatError
        If it is damaged.
    """
    where = folder / _HEAD
    if not where.exists():
        return None
    fix = f"delete {folder} to train from the beginning"
    try:
        head = json.loads(where.read_text(encoding="utf-8"))
        there, epoch, state = head["spec"], int(head["epoch"]), head["state"]
        # The name is ours, so that a head cannot point out of its folder.
        data = (folder / f"tensors-{epoch}.safetensors").read_bytes()
        whole = hashlib.sha256(data).hexdigest() == head["tensors_sha256"] and head["format"] == FORMAT
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise FormatError("this checkpoint is damaged", file=where, found=str(error), fix=fix) from error
    if there != json.loads(json.dumps(spec)):
        raise SpecError(
            "this checkpoint belongs to another training",
            file=where,
            found="; ".join(differences(there, spec)),
            fix=f"train with the settings it was made with, or {fix}",
        )
    if not whole:
        raise FormatError("this checkpoint is damaged", file=where, found="tensors that are not those kept", fix=fix)
    try:
        return Checkpoint(epoch, _deep(state, load(data)))
    except (SafetensorError, LookupError, TypeError, ValueError) as error:
        raise FormatError("this checkpoint is damaged", file=where, found=str(error), fix=fix) from error


def forget(folder: Path) -> None:
    """Delete a checkpoint whose training is over."""
    (folder / _HEAD).unlink(missing_ok=True)
    for old in folder.glob("tensors-*.safetensors"):
        old.unlink(missing_ok=True)
    if folder.exists() and not any(folder.iterdir()):
        folder.rmdir()


def differences(there: Any, here: Any, name: str = "spec") -> list[str]:
    """What differs between two JSON values, a line each."""
    if isinstance(there, dict) and isinstance(here, dict):
        keys = sorted({*there, *here})
        return [line for key in keys for line in differences(there.get(key), here.get(key), key)]
    return [] if there == json.loads(json.dumps(here)) else [f"{name}: {there!r} there, {here!r} here"]


def _flat(value: Any, tensors: dict[str, torch.Tensor]) -> Any:
    if isinstance(value, torch.Tensor):
        name = str(len(tensors))
        # A copy of its own: safetensors refuses tensors that share memory.
        tensors[name] = value.detach().cpu().clone().contiguous()
        return {"tensor": name}
    if isinstance(value, dict):
        return {"dict": [[key, _flat(part, tensors)] for key, part in value.items()]}
    if isinstance(value, list | tuple):
        return [_flat(part, tensors) for part in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"{type(value).__name__} has no place in a checkpoint")


def _deep(node: Any, tensors: dict[str, torch.Tensor]) -> Any:
    if isinstance(node, list):
        return [_deep(part, tensors) for part in node]
    if isinstance(node, dict):
        if "tensor" in node:
            return tensors[node["tensor"]]
        return {key: _deep(part, tensors) for key, part in node["dict"]}
    return node
