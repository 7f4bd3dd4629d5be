"""Trains networks for all neural verifiers, with warm-up, falling rate, accumulation, early stopping and exact resume.

In: for ``train`` a torch module on its device, batches by epoch, a loss, ``TrainingSettings``, the device, and optionally
a held-out measure and a folder for checkpoints; for ``written`` ``Problems`` and truth; for ``pairs`` its result.
Out: ``train`` trains the module in place and gives a list of ``Epoch`` (mean loss, held-out value, higher = better,
learning rate, seconds); ``written`` documents by author, from 0; ``pairs`` places of two documents, and truth;
``learning_curve`` SVG bytes; ``arrays`` and ``fill`` take and set weights; ``keep``, ``find``, ``forget``,
``training_spec``, ``training_folder`` and ``differences`` serve checkpoints. SpecError for another training's
checkpoint, FormatError for a damaged one, CorpusError for one author, no batch or a loss that is not a number, InputError
if a GPU's memory is too small.

An epoch depends only on (seed, epoch) and its initial weights, so a training that continues from a
checkpoint ends with the same weights.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import multiprocessing
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load, save

from ravenbench.components import Component, identity
from ravenbench.errors import CorpusError, FormatError, SpecError
from ravenbench.ext.encoders import devices
from ravenbench.files import cache_folder, write_bytes, write_json
from ravenbench.randomness import stream
from ravenbench.types import Bools, Ints, Problems

Progress = Callable[[float, float], None]
"""Called with the number of epochs done (with a fraction) and the mean loss of the epoch so far."""


@contextmanager
def bar(name: str, epochs: int, first: int = 0) -> Iterator[Progress]:
    """Draw the progress of training on stderr; nothing if it is not a terminal, or in a worker process."""
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as ProgressBar

    console = Console(stderr=True)
    hidden = not console.is_terminal or multiprocessing.parent_process() is not None
    columns = (
        TextColumn("{task.description:<22}", markup=False),
        BarColumn(bar_width=None),
        TextColumn(
            "epoch {task.fields[epoch]}/{task.total:.0f} · loss {task.fields[loss]}", markup=False
        ),
        TimeRemainingColumn(),
    )
    with ProgressBar(*columns, console=console, transient=True, disable=hidden) as drawing:
        task = drawing.add_task(name, total=epochs, completed=first, epoch=first, loss="–")

        def progress(finished: float, loss: float) -> None:
            drawing.update(
                task, completed=finished, epoch=min(int(finished) + 1, epochs), loss=f"{loss:.4f}"
            )

        yield progress


def arrays(module: torch.nn.Module) -> dict[str, np.ndarray]:
    """Return the weights of a network by name, as float32 arrays."""
    return {
        name: value.detach().float().cpu().numpy() for name, value in module.state_dict().items()
    }


def fill(module: torch.nn.Module, arrays: dict[str, np.ndarray]) -> None:
    """Set the weights of a network of the same sizes."""
    module.load_state_dict({name: torch.from_numpy(array) for name, array in arrays.items()})


FORMAT = 1
_HEAD = "checkpoint.json"


@dataclass(frozen=True)
class Checkpoint:
    """The state after epoch ``epoch`` (from 1): any nesting of dicts, lists, numbers, text and tensors.

    FOLDER/checkpoint.json         spec, facts, name and SHA-256 of the tensors; written last
    FOLDER/tensors-NUMBER.safetensors
    """

    epoch: int
    state: dict[str, Any]


def keep(folder: Path, spec: dict[str, Any], checkpoint: Checkpoint) -> None:
    """Write a checkpoint; the earlier checkpoint is kept until this one is complete."""
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
    """Return the checkpoint in a folder, or None.

    SpecError if it belongs to another training, with the difference. FormatError if it is damaged.
    """
    where = folder / _HEAD
    if not where.exists():
        return None
    fix = f"delete {folder} to train from the beginning"
    try:
        head = json.loads(where.read_text(encoding="utf-8"))
        stored = head["spec"]
        epoch = int(head["epoch"])
        state = head["state"]
        # The name is ours, so that a head cannot point out of its folder.
        data = (folder / f"tensors-{epoch}.safetensors").read_bytes()
        whole = (
            hashlib.sha256(data).hexdigest() == head["tensors_sha256"] and head["format"] == FORMAT
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise FormatError(
            "this checkpoint is damaged", file=where, found=str(error), fix=fix
        ) from error
    if stored != json.loads(json.dumps(spec)):
        raise SpecError(
            "this checkpoint belongs to another training",
            file=where,
            found="; ".join(differences(stored, spec)),
            fix=f"train with its settings, or {fix}",
        )
    if not whole:
        raise FormatError(
            "this checkpoint is damaged",
            file=where,
            found="tensors that differ from the stored tensors",
            fix=fix,
        )
    try:
        return Checkpoint(epoch, _deep(state, load(data)))
    except (SafetensorError, LookupError, TypeError, ValueError) as error:
        raise FormatError(
            "this checkpoint is damaged", file=where, found=str(error), fix=fix
        ) from error


def forget(folder: Path) -> None:
    """Delete the checkpoint of a finished training."""
    (folder / _HEAD).unlink(missing_ok=True)
    for old in folder.glob("tensors-*.safetensors"):
        old.unlink(missing_ok=True)
    if folder.exists() and not any(folder.iterdir()):
        folder.rmdir()


def differences(theirs: Any, ours: Any, name: str = "spec") -> list[str]:
    """Return sentences on the differences between two JSON values, one line each."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        keys = sorted({*theirs, *ours})
        return [line for key in keys for line in differences(theirs.get(key), ours.get(key), key)]
    return (
        []
        if theirs == json.loads(json.dumps(ours))
        else [f"{name}: {theirs!r} in the checkpoint, {ours!r} now"]
    )


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
    raise TypeError(f"{type(value).__name__} cannot be stored in a checkpoint")


def _deep(node: Any, tensors: dict[str, torch.Tensor]) -> Any:
    if isinstance(node, list):
        return [_deep(part, tensors) for part in node]
    if isinstance(node, dict):
        if "tensor" in node:
            return tensors[node["tensor"]]
        return {key: _deep(part, tensors) for key, part in node["dict"]}
    return node


DAYS = 30
"""Number of days that a checkpoint is kept."""


def training_spec(
    component: Component, problems: Problems, same: Bools, scoring: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Return everything that decides a training: method, parameters, data and truth, as JSON.

    The device, and parameters that only affect ``scoring``, are left out: changing them because memory was too small
    keeps the training.
    """
    method = identity(component)
    method["params"] = {
        name: value for name, value in method["params"].items() if name not in ("device", *scoring)
    }
    truth = np.asarray(same, dtype=np.uint8).tobytes()
    data = hashlib.blake2b(problems.digest().encode() + truth, digest_size=16).hexdigest()
    return {"method": method, "data": data}


def training_folder(spec: dict[str, Any]) -> Path:
    """Return the folder of this training, below RAVEN_CACHE or the user's cache folder; old folders are deleted."""
    key = hashlib.blake2b(json.dumps(spec, sort_keys=True).encode(), digest_size=12).hexdigest()
    home = cache_folder() / "training"
    for head in home.glob("*/checkpoint.json"):
        if head.parent.name != key and time.time() - head.stat().st_mtime > DAYS * 86400:
            forget(head.parent)
    return home / key


class TrainedNetwork:
    """Shared parts of verifiers that train a network: the drawing of its history, and a checkpoint until it has answered."""

    trains_long = True
    history_: list[Epoch]
    _folder: Path | None = None
    """Folder of checkpoints."""

    def figures(self) -> dict[str, bytes]:
        """Return the learning curve; nothing if nothing was trained."""
        return {"learning.svg": learning_curve(self.history_)} if self.history_ else {}

    def _forget(self) -> None:
        """Delete the checkpoint: whoever has used the network needs it no more."""
        if self._folder is not None:
            forget(self._folder)
            self._folder = None


B = TypeVar("B")


@dataclass(frozen=True)
class TrainingSettings:
    """Settings of a training.

    Attributes
    ----------
    epochs : int
        Maximum number of epochs; 0 leaves the model unchanged.
    learning_rate : float
        The maximum of the schedule: the rate rises from 0 over ``warmup`` (a share of the training) and then falls
        linearly to 0.
    accumulate : int
        Number of batches whose gradients make one step: the same recipe with less memory.
    patience : int
        Epochs without a better held-out value after which training ends; 0 never ends it.
    clip : float
        Maximum norm of the gradient, over all tensors; 0 means no limit.
    precision : {"auto", "fp32", "bf16"}
        Precision of forward passes; ``auto`` is bfloat16 on a GPU.
    deterministic : bool
        Use deterministic kernels, if they exist.
    """

    epochs: int = 10
    learning_rate: float = 1e-3
    warmup: float = 0.1
    accumulate: int = 1
    patience: int = 3
    weight_decay: float = 0.0
    clip: float = 1.0
    precision: str = "auto"
    deterministic: bool = True
    seed: int = 0

    @classmethod
    def of(cls, options: object, **own: Any) -> Self:
        """Return the settings among a verifier's parameters; ``own`` settings take precedence."""
        names = [field.name for field in fields(cls) if hasattr(options, field.name)]
        return cls(**({name: getattr(options, name) for name in names} | own))

    def rate(self, progress: float) -> float:
        """Return the learning rate at a share 0 … 1 of the training."""
        if progress < self.warmup:
            return self.learning_rate * progress / self.warmup
        left = (1 - progress) / (1 - self.warmup) if self.warmup < 1 else 1.0
        return self.learning_rate * left


@dataclass(frozen=True)
class Epoch:
    """One entry of a history: mean loss, held-out value (higher is better; None without), rate at the end, seconds."""

    epoch: int
    loss: float
    held_out: float | None
    rate: float
    seconds: float


def train(
    model: torch.nn.Module,
    batches: Callable[[int], Sequence[B]],
    loss: Callable[[B], torch.Tensor],
    settings: TrainingSettings,
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
        The model on ``device``. It ends in evaluation mode, with the weights of its best epoch if ``held_out`` is given.
    batches : callable
        Returns the batches of an epoch (from 0); depends only on the epoch.
    loss : callable
        Returns the mean loss of a batch; called in training mode with the given precision.
    held_out : callable, optional
        Called in evaluation mode without gradients after each epoch; higher is better.
    spec : dict, optional
        Everything besides the settings that decides the outcome, as JSON; a checkpoint of another spec is refused.
    folder : path, optional
        The folder for a checkpoint after each epoch. Training continues from its checkpoint; after using the
        trained model, call ``forget``, so that running out of memory before that costs nothing.
    name : str
        Shown next to the progress bar.
    lower : str
        The option to lower if memory is too small.

    Raises
    ------
    CorpusError
        If an epoch has no batch, or the loss is not a finite number.
    InputError
        If the GPU's memory is too small; the last checkpoint is kept.
    SpecError, FormatError
        If the checkpoint belongs to another training or is damaged.
    """
    whole = {"settings": asdict(settings), "spec": spec or {}}
    run = _Run(model, settings, device)
    if folder is not None and (checkpoint := find(folder, whole)) is not None:
        run.restore(checkpoint)
    with (
        devices.controlled(settings.seed, device, settings.deterministic),
        devices.memory(lower, device),
        bar(name, settings.epochs, len(run.history)) as progress,
    ):
        while not run.over():
            run.epoch(batches, loss, held_out, progress)
            if folder is not None:
                keep(folder, whole, run.checkpoint())
    if run.best is not None:
        model.load_state_dict(run.best)
    model.eval()
    return run.history


class _Run:
    """The state of a training: weights, optimizer, history and the best epoch so far."""

    def __init__(
        self, model: torch.nn.Module, settings: TrainingSettings, device: torch.device
    ) -> None:
        self.model = model
        self.settings = settings
        self.device = device
        self.weights = [p for p in model.parameters() if p.requires_grad]
        self.optimizer = torch.optim.AdamW(
            self.weights, lr=settings.learning_rate, weight_decay=settings.weight_decay
        )
        self.history: list[Epoch] = []
        self.best: dict[str, torch.Tensor] | None = None
        self.best_epoch = 0

    def over(self) -> bool:
        finished = len(self.history)
        waited = (
            self.best is not None
            and self.settings.patience
            and finished - self.best_epoch >= self.settings.patience
        )
        return finished >= self.settings.epochs or bool(waited)

    def epoch(
        self,
        batches: Callable[[int], Sequence[B]],
        loss: Callable[[B], torch.Tensor],
        held_out: Callable[[], float] | None,
        progress: Progress,
    ) -> None:
        number = len(self.history)
        began = time.perf_counter()
        devices.reseed(int(stream(self.settings.seed, "torch-epoch", number).integers(2**62)))
        epoch_batches = batches(number)
        if not len(epoch_batches):
            raise CorpusError(
                "there are no documents to train on", expected="authors with several documents"
            )
        self.model.train()
        total = rate = 0.0
        for start in range(0, len(epoch_batches), self.settings.accumulate):
            part = epoch_batches[start : start + self.settings.accumulate]
            rate = self.settings.rate(
                (number + (start + len(part)) / len(epoch_batches)) / self.settings.epochs
            )
            total += self._step(part, loss, rate)
            progress(number + (start + len(part)) / len(epoch_batches), total / (start + len(part)))
        value = None
        if held_out is not None:
            self.model.eval()
            with torch.no_grad():
                value = float(held_out())
            best = max(
                (e.held_out for e in self.history if e.held_out is not None), default=-math.inf
            )
            if value > best:
                self.best_epoch = number + 1
                self.best = {
                    name: tensor.detach().clone()
                    for name, tensor in self.model.state_dict().items()
                }
        self.history.append(
            Epoch(number + 1, total / len(epoch_batches), value, rate, time.perf_counter() - began)
        )

    def _step(self, part: Sequence[B], loss: Callable[[B], torch.Tensor], rate: float) -> float:
        """One step on the mean gradient of these batches; the sum of their losses."""
        self.optimizer.zero_grad(set_to_none=True)
        total = 0.0
        for batch in part:
            with devices.precision(self.settings.precision, self.device):
                value = loss(batch)
            (value / len(part)).backward()
            total += value.item()
        if not math.isfinite(total):
            raise CorpusError(
                "the training diverged: its loss is not a number",
                found=total,
                fix="lower learning_rate, or raise warmup",
            )
        if self.settings.clip > 0:
            torch.nn.utils.clip_grad_norm_(self.weights, self.settings.clip)
        for param_group in self.optimizer.param_groups:
            param_group["lr"] = rate
        self.optimizer.step()
        return total

    def checkpoint(self) -> Checkpoint:
        state = {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "history": [asdict(e) for e in self.history],
            "best": self.best,
            "best_epoch": self.best_epoch,
        }
        return Checkpoint(len(self.history), state)

    def restore(self, checkpoint: Checkpoint) -> None:
        state = checkpoint.state
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.history = [Epoch(**e) for e in state["history"]]
        self.best = state["best"]
        self.best_epoch = state["best_epoch"]


def learning_curve(history: Sequence[Epoch]) -> bytes:
    """Return a drawing of the loss of every epoch, with the AUC on held-out authors below it if there is one; the epoch
    whose weights were kept is marked. Equal histories give equal bytes."""
    import matplotlib
    from matplotlib.figure import Figure

    held_out = [(e.epoch, e.held_out) for e in history if e.held_out is not None]
    settings = {
        "svg.hashsalt": "raven",
        "svg.fonttype": "none",
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=(6, 3.6 if held_out else 2), layout="constrained")
        axes = figure.subplots(2 if held_out else 1, sharex=True, squeeze=False)[:, 0]
        axes[0].plot([e.epoch for e in history], [e.loss for e in history], ".-", color="C0")
        axes[0].set_ylabel("loss")
        if held_out:
            epochs, values = zip(*held_out, strict=True)
            axes[1].plot(epochs, values, ".-", color="C1")
            best = max(held_out, key=lambda pair: (pair[1], -pair[0]))
            axes[1].plot(*best, "o", color="C1", markersize=8, fillstyle="none")
            axes[1].annotate("kept", best, textcoords="offset points", xytext=(8, -3))
            axes[1].set_ylabel("AUC, held-out authors")
        axes[-1].set_xlabel("epoch")
        axes[-1].xaxis.get_major_locator().set_params(integer=True)
        buffer = io.BytesIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    return buffer.getvalue()


@dataclass(frozen=True)
class Written:
    """Training documents by author.

    Attributes
    ----------
    documents : (n,) int64
        Rows of ``problems.texts``, ascending.
    author : (n,) int64
        Author of each document, numbered from 0 without gaps.
    """

    documents: Ints
    author: Ints

    def select(self, which: Bools) -> Written:
        """Return the documents marked in ``which`` (n,), with new numbers for their authors."""
        author = np.unique(self.author[which], return_inverse=True)[1]
        return Written(self.documents[which], author.astype(np.int64))

    def of(self, author: int) -> Ints:
        """Return the places of one author's documents in ``documents``."""
        return np.flatnonzero(self.author == author)

    @property
    def sizes(self) -> Ints:
        """Return the number of documents of each author, shape (authors,)."""
        return np.bincount(self.author).astype(np.int64)

    def split(self, share: float, seed: int) -> tuple[Written, Written]:
        """Return training and held-out documents without common authors.

        About ``share`` of the authors with two documents or more are held out, with at least two of these authors on
        either side if there are four; with fewer, or a share of 0, nothing is held out.
        """
        several = np.flatnonzero(self.sizes >= 2)
        hold = (
            0
            if share <= 0 or len(several) < 4
            else int(np.clip(round(share * len(several)), 2, len(several) - 2))
        )
        drawn = stream(seed, "held-out-authors", len(several)).permutation(several)[:hold]
        held_out = np.isin(self.author, drawn)
        return self.select(~held_out), self.select(held_out)


def written(problems: Problems, same: Bools) -> Written:
    """Return the documents of training problems with their authors.

    If documents have no author, the documents of a known set, and of a same-author problem, have one author; documents
    that are not joined count as different. CorpusError if all documents have one author.
    """
    documents = problems.documents
    if problems.author is not None and (problems.author.codes[documents] >= 0).all():
        label: Ints = problems.author.codes[documents]
    else:
        place = np.searchsorted(documents, np.arange(len(problems.texts)))
        label = problems.author_clusters(same, place, len(documents))
    author = np.unique(label, return_inverse=True)[1].astype(np.int64)
    if author.max(initial=0) < 1:
        raise CorpusError(
            "a neural verifier cannot learn from one author", expected="several authors"
        )
    return Written(documents, author)


def pairs(documents: Written, most: int = 2000) -> tuple[Ints, Ints, Bools]:
    """Return all pairs of documents (rows of ``documents.documents``), or ``most`` of each kind; with their truth."""
    a, b = np.triu_indices(len(documents.documents), 1)
    same = documents.author[a] == documents.author[b]
    rng = stream(0, "held-out-pairs", len(same))
    rows = np.concatenate(
        [np.sort(rng.permutation(np.flatnonzero(same == kind))[:most]) for kind in (True, False)]
    ).astype(np.int64)
    return a[rows].astype(np.int64), b[rows].astype(np.int64), same[rows]
