"""How O2D2 learns: its network on pairs drawn anew every epoch, then its detector on documents set apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch

from ravenbench.randomness import stream
from ravenbench.topics import devices
from ravenbench.types import Floats, Ints
from ravenbench.verifiers.neural.o2d2.detector import Detector, detector_batches, detector_loss
from ravenbench.verifiers.neural.o2d2.embed import embeddings
from ravenbench.verifiers.neural.o2d2.network import O2D2Network, judged
from ravenbench.verifiers.neural.o2d2.text import FIRST, Reading
from ravenbench.verifiers.neural.o2d2.word_vectors import word_vectors
from ravenbench.verifiers.neural.training.authors import Written, pairs
from ravenbench.verifiers.neural.training.loop import Epoch, Settings, train
from ravenbench.verifiers.neural.training.pairing import Drawn, repaired

_CLIPPED: dict[str, Any] = {"warmup": 0.0, "clip": 5.0, "clip_each": True}


class Options(Protocol):
    """What training asks of the verifier it trains for, beside the fields of ``Settings``."""

    embedding: int
    windows: int
    batch: int
    detector_epochs: int
    deterministic: bool
    seed: int


def begin_words(network: O2D2Network, reading: Reading) -> None:
    """Give the network the word vectors its training texts suggest."""
    words = network.encoder.words.weight
    texts = [reading.word[_running(windows)] for windows in reading.windows]
    types, width = words.shape
    words.data.copy_(torch.from_numpy(word_vectors(texts, types, width, FIRST)))


def train_network(
    options: Options,
    network: O2D2Network,
    learn: tuple[Reading, Written],
    held: tuple[Reading, Written],
    device: torch.device,
    spec: dict[str, Any],
    folder: Path,
) -> list[Epoch]:
    """Train in place on the documents ``learn``; the best epoch is judged by pairs of ``held``."""
    reading, found = learn
    a, b, truth = pairs(held[1])

    def batches(epoch: int) -> list[tuple[Drawn, int]]:
        drawn = repaired(found, stream(options.seed, "o2d2-pairs", epoch))
        cuts = range(0, len(drawn.same), options.batch)
        return [(drawn.select(np.arange(c, min(c + options.batch, len(drawn.same)))), epoch) for c in cuts]

    def loss(batch: tuple[Drawn, int]) -> torch.Tensor:
        drawn, epoch = batch
        rows = np.concatenate([drawn.a, drawn.b])
        spans = [_span(reading, int(row), epoch, options.windows, options.seed) for row in rows]
        windows = np.concatenate([reading.windows[row][span] for row, span in zip(rows, spans, strict=True)])
        lengths = np.concatenate([reading.lengths[row][span] for row, span in zip(rows, spans, strict=True)])
        types, inverse = np.unique(windows, return_inverse=True)
        parts = (reading.word[types], reading.spelling[types], inverse.reshape(windows.shape))
        word, spelling, index = (torch.from_numpy(part).to(device) for part in parts)
        counts = torch.tensor([span.stop - span.start for span in spans])
        pair = torch.arange(len(drawn.same), device=device).repeat(2)
        y = network.encoder(word, spelling, index, torch.from_numpy(lengths), counts, pair)
        return network.loss(y.float(), torch.from_numpy(drawn.same).to(device))

    def likelihood() -> float:
        y = embeddings(network.encoder, held[0], device)
        p, _ = judged(network, y[a], y[b])
        each = np.log(np.maximum(np.where(truth, p, 1 - p), 1e-12))
        return float(each[truth].mean() + each[~truth].mean()) / 2

    return train(
        network, batches, loss, Settings.of(options, **_CLIPPED, final=1 / 3), device=device,
        held_out=likelihood if len(a) else None, spec={**spec, "part": "network"}, folder=folder, name="training o2d2",
    )  # fmt: skip


def train_detector(
    options: Options,
    network: O2D2Network,
    apart: tuple[Reading, Written],
    device: torch.device,
    spec: dict[str, Any],
    folder: Path,
) -> tuple[Detector, list[Epoch]]:
    """The detector of a trained network, from documents its training never saw."""
    y: Floats = embeddings(network.encoder, apart[0], device)
    with devices.controlled(options.seed, device, options.deterministic):
        detector = Detector(2 * options.embedding + 4).to(device)
    batches = detector_batches(apart[1], lambda drawn: judged(network, y[drawn.a], y[drawn.b]), options.seed)
    settings = Settings.of(
        options, **_CLIPPED, epochs=options.detector_epochs, learning_rate=1e-3, final=0.7, patience=0
    )
    history = train(
        detector, batches, lambda batch: detector_loss(detector, *batch), settings, device=device,
        spec={**spec, "part": "detector"}, folder=folder, name="training o2d2's detector",
    )  # fmt: skip
    return detector, history


def _span(reading: Reading, row: int, epoch: int, most: int, seed: int) -> slice:
    """What is read of a document in an epoch: of one that is too long the beginning, or as often any part."""
    spare = len(reading.windows[row]) - most
    if spare <= 0:
        return slice(0, len(reading.windows[row]))
    rng = stream(seed, "o2d2-span", epoch, row)
    start = int(rng.integers(spare + 1)) if rng.random() < 0.5 else 0
    return slice(start, start + most)


def _running(windows: Ints) -> Ints:
    """Types of a document in order, overlaps once."""
    flat = np.concatenate([windows[:-1, :26].ravel(), windows[-1]])
    return np.asarray(flat[flat > 0])
