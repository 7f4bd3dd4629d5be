"""How Bagnall's network learns: one head a text over a shared layer."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Protocol

import torch

from ravenbench.errors import SpecError
from ravenbench.topics import devices
from ravenbench.types import Ints
from ravenbench.verifiers.neural.bagnall.model import ManyHeads, segments
from ravenbench.verifiers.neural.training.loop import Epoch, Settings, train


class Options(Protocol):
    """What training asks of the verifier it trains for, beside the fields of ``Settings``."""

    name: ClassVar[str]
    hidden: int
    characters: int
    longest: int
    batch: int
    accumulate: int
    precision: str
    deterministic: bool
    seed: int


def trained(
    options: Options, texts: list[Ints], alphabet: int, device: torch.device, spec: dict[str, Any], folder: Path | None
) -> tuple[ManyHeads, list[Epoch]]:
    """A network with one head a text, trained on them with the options of a verifier.

    Raises
    ------
    SpecError
        If a size is out of range.
    """
    if options.hidden < 4 or min(options.batch, options.characters, options.longest, options.accumulate) < 1:
        raise SpecError("this network cannot be built", found=str(options), expected="hidden ≥ 4, sizes above 0")
    devices.precision(options.precision, device)
    with devices.controlled(options.seed, device, options.deterministic), devices.memory("batch", device):
        model = ManyHeads(alphabet, options.hidden, len(texts)).to(device)
    settings = Settings.of(options, warmup=0.05, patience=0)

    def loss(batch: tuple[Ints, Ints, Ints, float]) -> torch.Tensor:
        ids, head, other = (torch.from_numpy(part).to(device) for part in batch[:3])
        return model.loss(ids, head, other, batch[3])

    epoch = segments(texts, options.characters, options.batch, options.seed)
    history = train(
        model, epoch, loss, settings, device=device, spec=spec, folder=folder, name=f"training {options.name}"
    )
    return model, history
