"""The training loop all neural verifiers share: warm-up and a falling rate, accumulation, early stopping, exact resume.

An epoch depends on (seed, epoch) and the weights it begins with, nothing else, so a training that goes on from a
checkpoint ends in the weights it would have had.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal, Self, TypeVar

import torch

from ravenbench.errors import CorpusError, SpecError
from ravenbench.randomness import stream
from ravenbench.topics import devices
from ravenbench.verifiers.neural.training import checkpoints
from ravenbench.verifiers.neural.training.progress import Progress, bar

B = TypeVar("B")


@dataclass(frozen=True)
class Settings:
    """How to train.

    Attributes
    ----------
    epochs : int
        At most; 0 leaves the model as it is.
    learning_rate : float
        At the height of the schedule: it rises from 0 over ``warmup`` (a share of the training) and then falls in a
        straight line to ``final`` times its height.
    accumulate : int
        Batches whose gradients make one step: the same recipe in less memory.
    patience : int
        Epochs without a better held-out value after which training ends; 0 never ends it.
    clip : float
        Largest norm of the gradient, of all tensors together or with ``clip_each`` of each; 0 leaves it alone.
    precision : {"auto", "fp32", "bf16"}
        Of forward passes; ``auto`` is bfloat16 on a GPU.
    deterministic : bool
        Kernels that give the same numbers every time, where there are any.
    """

    epochs: int = 10
    learning_rate: float = 1e-3
    warmup: float = 0.1
    final: float = 0.0
    accumulate: int = 1
    patience: int = 3
    optimizer: Literal["adamw", "adagrad"] = "adamw"
    weight_decay: float = 0.0
    clip: float = 1.0
    clip_each: bool = False
    precision: str = "auto"
    deterministic: bool = True
    seed: int = 0

    @classmethod
    def of(cls, options: object, **own: Any) -> Self:
        """The settings among a verifier's parameters, and ``own`` ones, which come first."""
        names = [field.name for field in fields(cls) if hasattr(options, field.name)]
        return cls(**({name: getattr(options, name) for name in names} | own))

    def rate(self, progress: float) -> float:
        """Learning rate at a share 0 … 1 of the training."""
        if progress < self.warmup:
            return self.learning_rate * progress / self.warmup
        left = (1 - progress) / (1 - self.warmup) if self.warmup < 1 else 1.0
        return self.learning_rate * (self.final + (1 - self.final) * left)


@dataclass(frozen=True)
class Epoch:
    """One line of a history: mean loss, held-out value (higher is better; None without), rate at the end, seconds."""

    epoch: int
    loss: float
    held_out: float | None
    rate: float
    seconds: float


def train(
    model: torch.nn.Module,
    batches: Callable[[int], Sequence[B]],
    loss: Callable[[B], torch.Tensor],
    settings: Settings,
    *,
    device: torch.device,
    held_out: Callable[[], float] | None = None,
    spec: dict[str, Any] | None = None,
    folder: Path | None = None,
    name: str = "training",
    lower: str = "batch (accumulate makes up for it)",
) -> list[Epoch]:
    """Train a model in place.

    Parameters
    ----------
    model : torch.nn.Module
        On ``device``. It ends in evaluation mode, with the weights of its best epoch where there is ``held_out``.
    batches : callable
        Batches of an epoch (counted from 0); a function of the epoch alone.
    loss : callable
        Mean loss of a batch; called in training mode under the precision asked for.
    held_out : callable, optional
        Called in evaluation mode without gradients after each epoch; higher is better.
    spec : dict, optional
        All that decides the outcome beside the settings, as JSON; a checkpoint of another is refused.
    folder : path, optional
        Where a checkpoint is kept after each epoch. Training goes on from what lies there; whoever has used the
        trained model forgets it (``checkpoints.forget``), so that running out of memory afterwards costs nothing.
    name : str
        Shown beside the progress bar.
    lower : str
        The option to lower where memory does not suffice.

    Raises
    ------
    CorpusError
        If an epoch holds no batch, or the loss is no finite number.
    InputError
        If the GPU's memory does not suffice; the last checkpoint stays.
    SpecError, FormatError
        If the checkpoint belongs to another training or is damaged.
    """
    whole = {"settings": asdict(settings), "spec": spec or {}}
    run = _Run(model, settings, device)
    if folder is not None and (found := checkpoints.find(folder, whole)) is not None:
        run.restore(found)
    with (
        devices.controlled(settings.seed, device, settings.deterministic),
        devices.memory(lower, device),
        bar(name, settings.epochs, len(run.history)) as progress,
    ):
        while not run.over():
            run.epoch(batches, loss, held_out, progress)
            if folder is not None:
                checkpoints.keep(folder, whole, run.checkpoint())
    if run.best is not None:
        model.load_state_dict(run.best)
    model.eval()
    return run.history


class _Run:
    """The state of a training: weights, optimizer, history and the best epoch so far."""

    def __init__(self, model: torch.nn.Module, settings: Settings, device: torch.device) -> None:
        self.model, self.settings, self.device = model, settings, device
        self.weights = [p for p in model.parameters() if p.requires_grad]
        if settings.optimizer not in ("adamw", "adagrad"):
            raise SpecError("there is no such optimizer", found=settings.optimizer, expected="adamw or adagrad")
        kind = torch.optim.AdamW if settings.optimizer == "adamw" else torch.optim.Adagrad
        self.optimizer = kind(self.weights, lr=settings.learning_rate, weight_decay=settings.weight_decay)
        self.history: list[Epoch] = []
        self.best: dict[str, torch.Tensor] | None = None
        self.best_epoch = 0

    def over(self) -> bool:
        done = len(self.history)
        waited = self.best is not None and self.settings.patience and done - self.best_epoch >= self.settings.patience
        return done >= self.settings.epochs or bool(waited)

    def epoch(
        self,
        batches: Callable[[int], Sequence[B]],
        loss: Callable[[B], torch.Tensor],
        held_out: Callable[[], float] | None,
        progress: Progress,
    ) -> None:
        number, began = len(self.history), time.perf_counter()
        devices.reseed(int(stream(self.settings.seed, "torch-epoch", number).integers(2**62)))
        drawn = batches(number)
        if not len(drawn):
            raise CorpusError("there is nothing to train on", expected="authors with several documents")
        self.model.train()
        total = rate = 0.0
        for start in range(0, len(drawn), self.settings.accumulate):
            part = drawn[start : start + self.settings.accumulate]
            rate = self.settings.rate((number + (start + len(part)) / len(drawn)) / self.settings.epochs)
            total += self._step(part, loss, rate)
            progress(number + (start + len(part)) / len(drawn), total / (start + len(part)))
        value = None
        if held_out is not None:
            self.model.eval()
            with torch.no_grad():
                value = float(held_out())
            best = max((e.held_out for e in self.history if e.held_out is not None), default=-math.inf)
            if value > best:
                self.best_epoch = number + 1
                self.best = {name: tensor.detach().clone() for name, tensor in self.model.state_dict().items()}
        self.history.append(Epoch(number + 1, total / len(drawn), value, rate, time.perf_counter() - began))

    def _step(self, part: Sequence[B], loss: Callable[[B], torch.Tensor], rate: float) -> float:
        """One step on the mean gradient of these batches; the sum of their losses."""
        self.optimizer.zero_grad(set_to_none=True)
        total = 0.0
        for batch in part:
            with devices.precision(self.settings.precision, self.device):
                value = loss(batch)
            total += value.item()
            (value / len(part)).backward()
        if not math.isfinite(total):
            raise CorpusError(
                "the training diverged: its loss is no number", found=total, fix="lower learning_rate, or raise warmup"
            )
        if self.settings.clip > 0:
            groups = [[w] for w in self.weights] if self.settings.clip_each else [self.weights]
            for group in groups:
                torch.nn.utils.clip_grad_norm_(group, self.settings.clip)
        for param_group in self.optimizer.param_groups:
            param_group["lr"] = rate
        self.optimizer.step()
        return total

    def checkpoint(self) -> checkpoints.Checkpoint:
        state = {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "history": [asdict(e) for e in self.history],
            "best": self.best,
            "best_epoch": self.best_epoch,
        }
        return checkpoints.Checkpoint(len(self.history), state)

    def restore(self, found: checkpoints.Checkpoint) -> None:
        state = found.state
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.history = [Epoch(**e) for e in state["history"]]
        self.best, self.best_epoch = state["best"], state["best_epoch"]
