"""Verifies by LUAR (``LUAR``, Rivera-Soto et al. 2021): authorship embeddings from contrastive learning.

In: ``Problems`` (n) and, for ``fit``, their truth (n,) bool, True = same author; for ``embeddings`` texts; for
``contrastive`` embeddings (n, d), authors (n,) and a temperature; for ``tiles`` a text's token numbers (n,).
Out: raw scores (n,), higher = same author: cosines mapped into (0, 1) by a logistic curve, on a scale learned in training;
``LUAR.embeddings`` of unit length, (texts, dimensions); ``contrastive``: a loss in nats. SpecError for sizes that do
not fit, CorpusError for too little text, MissingPart, FormatError or InputError for the model or memory. ``tiles``,
``stacked`` and ``DrawnEpisodes`` make batches of episodes (pieces of an author's text); ``train_network`` and
``fitting`` train.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from ravenbench.errors import SpecError
from ravenbench.ext.encoders import devices
from ravenbench.ext.encoders.batching import batches, distinct
from ravenbench.ext.encoders.pretrained import model_folder
from ravenbench.ext.encoders.sentences import digest as folder_digest
from ravenbench.ext.shelf.neural import backbones
from ravenbench.ext.shelf.neural.backbones import Backbone, Reading
from ravenbench.ext.shelf.neural.training import (
    Epoch,
    TrainedNetwork,
    TrainingSettings,
    Written,
    arrays,
    fill,
    pairs,
    train,
    training_folder,
    training_spec,
    written,
)
from ravenbench.metrics.pan import auc_of_scores
from ravenbench.randomness import stream
from ravenbench.text.tfidf import unit
from ravenbench.types import Bools, Floats, Ints, Positive, Problems
from ravenbench.verifiers.calibrators import scale_of, spread
from ravenbench.verifiers.contract.base import Scorer, mean_by_problem

Pieces = Sequence[Ints]


def tiles(tokens: Ints, width: int, before: Sequence[int], after: Sequence[int]) -> list[Ints]:
    """Return a text's tokens in pieces of ``width``, including special tokens around each; an empty text is one piece."""
    inner = width - len(before) - len(after)
    count = max(1, math.ceil(len(tokens) / inner))
    return [
        np.concatenate([before, tokens[i * inner : (i + 1) * inner], after]).astype(np.int64)
        for i in range(count)
    ]


class DrawnEpisodes:
    """Draws the batches of an epoch.

    An author needs two texts, or one text of two pieces. An epoch draws each author about once for every two
    of the author's texts; a batch contains an author once. Two episodes come from two texts if possible, otherwise from two
    disjoint spans of one text. Lengths are 1 + ⌈(pieces − 1)·Beta(3, 1)⌉, one for a batch, as published; if a text is
    shorter, its episode is shorter, because the network has masks.
    """

    def __init__(
        self, texts: Sequence[Pieces], written: Written, *, authors: int, pieces: int, seed: int
    ) -> None:
        self.texts = texts
        self.written = written
        self.pieces = pieces
        self.seed = seed
        lengths = np.array([len(text) for text in texts])
        usable = [
            a
            for a in range(len(written.sizes))
            if written.sizes[a] >= 2 or lengths[written.of(a)].max(initial=0) >= 2
        ]
        self.authors = np.array(usable, dtype=np.int64)
        self.size = min(authors, len(usable))

    def epoch(self, number: int) -> list[tuple[list[Pieces], Ints]]:
        """Return (episodes, author of each) of every batch; at least two authors in each."""
        if len(self.authors) < 2:
            return []
        rng = stream(self.seed, "luar-epoch", number)
        turns = np.maximum(1, self.written.sizes[self.authors] // 2)
        order = np.concatenate(
            [rng.permutation(self.authors[turns > turn]) for turn in range(turns.max())]
        )
        parts: list[list[int]] = [[]]
        waiting = order.tolist()
        while waiting:
            later: list[int] = []
            for author in waiting:
                if len(parts[-1]) == self.size:
                    parts.append([])
                (later if author in parts[-1] else parts[-1]).append(author)
            if len(later) == len(waiting):
                parts.append([])
            waiting = later
        return [self._batch(rng, np.array(part)) for part in parts if len(part) >= 2]

    def _batch(self, rng: np.random.Generator, authors: Ints) -> tuple[list[Pieces], Ints]:
        length = min(self.pieces, 1 + math.ceil((self.pieces - 1) * rng.beta(3, 1)))
        episodes: list[Pieces] = []
        for author in authors:
            rows = self.written.of(author)
            if len(rows) >= 2:
                episodes += [_span(rng, self.texts[d], length) for d in rng.permutation(rows)[:2]]
                continue
            text = self.texts[rows[0]]
            cut = int(rng.integers(1, len(text)))
            halves = [text[:cut], text[cut:]]
            episodes += [_span(rng, half, length) for half in halves]
        return episodes, np.repeat(authors, 2)


def _span(rng: np.random.Generator, text: Pieces, length: int) -> Pieces:
    start = int(rng.integers(0, max(1, len(text) - length + 1)))
    return text[start : start + length]


QUERIES = 512
"""Number of pieces whose attention is computed at once, so that memory for a book is not quadratic in its length."""


@dataclass(frozen=True)
class Episodes:
    """Episodes of pieces as input of the network.

    Attributes
    ----------
    ids, mask : (pieces, width) int64, bool
    place : (pieces,) int64
        Episode of each piece, ascending; every episode has one.
    """

    ids: torch.Tensor
    mask: torch.Tensor
    place: torch.Tensor


class Luar(nn.Module):
    """Transformer → mean over tokens → self-attention between pieces → maximum over pieces → linear map.

    The names of the parts are those of the published weights.
    """

    def __init__(self, transformer: Any, hidden: int, dimensions: int) -> None:
        super().__init__()
        self.transformer = transformer
        self.linear = nn.Linear(hidden, dimensions)

    def pieces(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return vectors of pieces, (n, hidden): the mean of the last layer over tokens."""
        states = self.transformer(input_ids=ids, attention_mask=mask.long()).last_hidden_state
        weights = mask[:, :, None].to(states.dtype)
        return (states * weights).sum(1) / weights.sum(1)

    def episodes(self, vectors: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return embeddings (n, dimensions) of padded episodes: vectors (n, p, hidden), mask (n, p) True for a piece."""
        scores = vectors @ vectors.transpose(1, 2) / math.sqrt(vectors.shape[-1])
        weights = scores.masked_fill(~mask[:, None, :], -torch.inf).softmax(-1)
        mixed = (weights @ vectors).masked_fill(~mask[:, :, None], -torch.inf)
        return self.linear(mixed.amax(1))

    def text(self, vectors: torch.Tensor) -> torch.Tensor:
        """Return the embedding (dimensions,) of a text from its pieces (p, hidden): ``episodes``, in blocks of queries."""
        parts = []
        for query in vectors.split(QUERIES):
            weights = (query @ vectors.T / math.sqrt(vectors.shape[-1])).softmax(-1)
            parts.append((weights @ vectors).amax(0))
        return self.linear(torch.stack(parts).amax(0))

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, place: torch.Tensor) -> torch.Tensor:
        """Return embeddings of the episodes of these pieces, (episodes, dimensions)."""
        vectors = self.pieces(ids, mask)
        place = place - place[0]
        sizes = torch.bincount(place)
        starts = sizes.cumsum(0) - sizes
        column = torch.arange(len(place), device=place.device) - starts[place]
        padded = vectors.new_zeros((len(sizes), int(sizes.max()), vectors.shape[-1]))
        padded[place, column] = vectors
        inside = torch.arange(padded.shape[1], device=place.device)[None] < sizes[:, None]
        return self.episodes(padded, inside)

    def embed(self, batch: Episodes, chunk: int = 0) -> torch.Tensor:
        """Return embeddings of a batch, ``chunk`` episodes at a time (0: all at once).

        Only the embeddings of a chunk are kept; the backward pass computes it again, including dropout. This is
        gradient caching (Gao et al. 2021): the gradient is that of the whole batch, the memory that of a chunk.
        """
        episodes = int(batch.place[-1]) + 1
        if not 0 < chunk < episodes:
            return self(batch.ids, batch.mask, batch.place)
        bounds = torch.arange(0, episodes + chunk, chunk, device=batch.place.device)
        cuts = torch.searchsorted(batch.place, bounds).tolist()
        parts = [
            checkpoint(self, batch.ids[a:b], batch.mask[a:b], batch.place[a:b], use_reentrant=False)
            for a, b in pairwise(cuts)
            if b > a
        ]
        return torch.cat(parts)


def contrastive(vectors: torch.Tensor, author: torch.Tensor, temperature: float) -> torch.Tensor:
    """Return the supervised contrastive loss in nats (Khosla et al. 2020, L_out) of embeddings (n, d) with cosine similarity.

    Mean over anchors i of −(1/|P_i|) Σ_{p∈P_i} ln(exp(z_i·z_p/τ) / Σ_{a≠i} exp(z_i·z_a/τ)); anchors without a
    positive do not count.
    """
    with torch.autocast(vectors.device.type, enabled=False):
        z = nn.functional.normalize(vectors.float(), dim=1)
        self_ = torch.eye(len(z), dtype=torch.bool, device=z.device)
        logits = (z @ z.T / temperature).masked_fill(self_, -torch.inf)
        share = logits.log_softmax(1)
        positive = (author[:, None] == author[None]) & ~self_
        count = positive.sum(1)
        each = -share.masked_fill(~positive, 0.0).sum(1)
        return (each[count > 0] / count[count > 0]).mean()


def stacked(
    episodes: Sequence[Sequence[Ints]], width: int, pad: int, device: torch.device
) -> Episodes:
    """Return episodes, each a list of pieces (token numbers, at most ``width``), as tensors."""
    pieces = [piece for episode in episodes for piece in episode]
    ids = np.full((len(pieces), width), pad, dtype=np.int64)
    lengths = np.array([len(piece) for piece in pieces])
    for row, piece in enumerate(pieces):
        ids[row, : len(piece)] = piece
    mask = np.arange(width)[None] < np.maximum(lengths, 1)[:, None]
    place = np.repeat(np.arange(len(episodes)), [len(episode) for episode in episodes])
    return Episodes(*(torch.from_numpy(array).to(device) for array in (ids, mask, place)))


def embeddings(model: Luar, reading: Reading, texts: list[str], piece: int, tokens: int) -> Floats:
    """Return unit embeddings, (texts, dimensions); ``tokens`` are computed at once.

    InputError if the GPU's memory is too small.
    """
    device = next(model.parameters()).device
    cut = [tiles(t, piece, reading.before, reading.after) for t in reading.encode(texts)]
    pieces = [each for text in cut for each in text]
    means = torch.zeros((len(pieces), model.linear.in_features), device=device)
    with devices.inferring(device, "tokens"):
        for batch in batches(pieces, tokens, reading.pad):
            ids, mask = (torch.from_numpy(part).to(device) for part in (batch.ids, batch.mask))
            means[batch.rows] = model.pieces(ids, mask)[: len(batch.rows)].float()
        ends = np.cumsum([len(text) for text in cut])
        each = [
            model.text(means[end - len(text) : end]).double()
            for text, end in zip(cut, ends, strict=True)
        ]
        vectors = (
            torch.stack(each).cpu().numpy() if each else np.zeros((0, model.linear.out_features))
        )
    return unit(vectors)


def train_network(
    options: LUAR,
    model: Luar,
    known: Written,
    texts: list[str],
    device: torch.device,
    spec: dict[str, Any],
    folder: Path,
) -> list[Epoch]:
    """Train in place; the best epoch is the one whose cosines separate held-out authors best.

    ``texts``: the texts of ``known.documents``.
    """
    reading = options.reading_
    learn, held_out = known.split(options.held_out, options.seed)
    place = {row: i for i, row in enumerate(known.documents.tolist())}
    learn_texts = [texts[place[row]] for row in learn.documents.tolist()]
    held_out_texts = [texts[place[row]] for row in held_out.documents.tolist()]
    cut = [
        tiles(t, options.piece, reading.before, reading.after) for t in reading.encode(learn_texts)
    ]
    batches = DrawnEpisodes(
        cut, learn, authors=options.batch, pieces=options.pieces, seed=options.seed
    )
    chunk = (
        fitting(model, options.piece * options.pieces) if options.chunk is None else options.chunk
    )
    a, b, truth = pairs(held_out)

    def loss(batch: Any) -> torch.Tensor:
        episodes, author = batch
        vectors = model.embed(stacked(episodes, options.piece, reading.pad, device), chunk)
        return contrastive(vectors, torch.from_numpy(author).to(device), options.temperature)

    def separation() -> float:
        vectors = options.embeddings(held_out_texts)
        return auc_of_scores(truth, np.einsum("ij,ij->i", vectors[a], vectors[b])) or 0.0

    rate = (
        options.learning_rate
        if options.learning_rate is not None
        else (1e-3 if options.model is None else 2e-5)
    )
    return train(
        model,
        batches.epoch,
        loss,
        TrainingSettings.of(options, learning_rate=rate, weight_decay=0.01),
        device=device,
        held_out=separation if len(a) else None,
        spec=spec,
        folder=folder,
        name="training luar",
        lower="chunk",
    )


def fitting(model: Luar, tokens: int) -> int:
    """Return the number of episodes of this many tokens to compute at once: 64 on a processor; on a GPU, about half of its
    memory."""
    device = model.linear.weight.device
    if device.type == "cpu":
        return 64
    sizes = model.transformer.config
    # What a layer keeps of a token for the backward pass: 65 bytes for each of its numbers, measured in fp32.
    each = 65 * sizes.num_hidden_layers * sizes.hidden_size * tokens
    return max(1, int(torch.cuda.get_device_properties(device).total_memory / (2 * each)))


TOKENS = {"cpu": 1024, "cuda": 8192}
"""Tokens in a batch when scoring, by kind of device; each width has a batch, filled up with empty rows."""


@dataclass(eq=False, repr=False)
class LUAR(TrainedNetwork, Scorer):
    """Cosine of two texts' embeddings, on a scale learned in training; several known documents are averaged.

    Also called: transformer, RoBERTa, style embeddings.

    A text is divided into pieces of 32 tokens; a transformer reads each, self-attention mixes the pieces' vectors, and
    their maximum is mapped to the embedding. Training draws two disjoint episodes of consecutive pieces for each author
    and contrasts them with those of the other authors of the batch. If documents have no authors, known sets and
    same-author problems show who wrote what.

    Unlike the published code: attention and maximum have a padding mask, the learning rate falls, episodes of an
    author never overlap, scoring reads the complete text, and calibration is done once, on held-out problems.

    Parameters
    ----------
    A transformer to start from, by name in the local Hugging Face cache or as a folder (also published LUAR weights,
    ``luar-mud`` and ``luar-crud``: ``epochs=0`` uses them unchanged). By default a small transformer from scratch
    with its own byte-level vocabulary, of the sizes below.
    revision : str, optional
        Revision of a model by name.
    layers, hidden, heads, vocabulary : int
        Sizes of the transformer from scratch.
    dimensions : int
        Dimensions of the embedding; published weights have their own.
    piece, pieces : int
        Tokens of a piece, including special tokens, and maximum pieces of a training episode.
    epochs, batch : int
        Training epochs, and authors in a batch, with two episodes each.
    chunk : int, optional
        Episodes computed at once while training: gradient caching makes any batch fit, 0 turns it off. By default 64 on
        a CPU, and on a GPU as many as fit into half its memory.
    accumulate : int
        Batches of a step. Unlike ``chunk``, this does not enlarge the set that an author is contrasted with.
    learning_rate : float, optional
        By default 1e-3 from scratch and 2e-5 from a model.
    warmup, temperature, held_out, patience
        Share of training in which the rate rises; τ of the loss; share of authors held out for early stopping, and
        epochs without improvement on them after which training ends (0: never).
    tokens : int, optional
        Tokens in a batch when scoring; by default 1,024 on a CPU and 8,192 on a GPU.
    precision : {"auto", "fp32", "bf16"}
        Precision of training; scores are always computed in fp32.
    deterministic : bool
        Use deterministic kernels.
    device : str
        auto, cpu, cuda or cuda:NUMBER.
    seed : int
        Decides initial weights, held-out authors and the episodes of every epoch.

    Attributes
    ----------
    weights_ : dict of str to float32 array
    config_ : str
        Configuration of the transformer, JSON.
    reading_ : Reading
    scale_ : (float, float)
        Centre and deviation of cosines between held-out documents; a score is the logistic curve around them.
    history_ : list of Epoch

    References
    ----------
    Rivera-Soto et al. 2021, Learning Universal Authorship Representations (EMNLP), and its code; Khosla et al. 2020,
    Supervised Contrastive Learning; Gao et al. 2021, Scaling Deep Contrastive Learning Batch Size under Memory
    Limited Setup.
    """

    name = "luar"
    reads_grammar = True
    calibrated_by = "threshold-band"
    cross_fit = False
    _built: Luar | None = field(default=None, init=False)

    model: str | None = None
    revision: str | None = None
    layers: int = 2
    hidden: int = 128
    heads: int = 4
    vocabulary: int = 4000
    dimensions: int = 128
    piece: int = 32
    pieces: int = 16
    epochs: int = 20
    batch: int = 32
    chunk: int | None = None
    accumulate: int = 1
    learning_rate: Positive | None = None
    warmup: float = 0.1
    temperature: float = 0.1
    held_out: float = 0.1
    patience: int = 5
    tokens: int | None = None
    precision: str = "auto"
    deterministic: bool = True
    device: str = "auto"
    seed: int = 0

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Train the network, and learn the scale of its cosines.

        SpecError if sizes do not fit together. CorpusError if fewer than two authors have enough text for two episodes.
        MissingPart, FormatError, InputError if the model to start from is missing, incomplete or inconsistent, or
        memory is too small.
        """
        self._check()
        device = devices.pick(self.device)
        devices.precision(self.precision, device)
        known = written(problems, same)
        texts = [problems.texts[row] for row in known.documents]
        with (
            devices.controlled(self.seed, device, self.deterministic),
            devices.memory("hidden or layers", device),
        ):
            backbone = self._backbone(texts)
            width = len(backbone.head["bias"]) if backbone.head else self.dimensions
            model = Luar(backbone.module, backbone.hidden, width)
            if backbone.head:
                model.linear.load_state_dict(backbone.head)
            model.to(device)
        self.config_ = backbone.config
        self.reading_ = backbone.reading
        self._built = model
        self.history_: list[Epoch] = []
        if self.epochs:
            spec = training_spec(self, problems, same, scoring=("tokens",))
            self._folder = training_folder(spec)
            self.history_ = train_network(self, model, known, texts, device, spec, self._folder)
        model.eval()
        self.scale_ = self._scale(problems, known, texts)
        self.weights_ = arrays(model)
        return self

    def model_digest(self) -> str:
        return "" if self.model is None else folder_digest(model_folder(self.model, self.revision))

    def _check(self) -> None:
        if self.piece < 3 or self.pieces < 1 or self.batch < 2 or self.hidden % self.heads:
            raise SpecError(
                "Raven cannot build luar in these sizes",
                found=(
                    f"piece={self.piece}, pieces={self.pieces}, batch={self.batch},"
                    f" hidden={self.hidden}, heads={self.heads}"
                ),
                expected="piece ≥ 3, pieces ≥ 1, batch ≥ 2, hidden a multiple of heads",
            )

    def _backbone(self, texts: list[str]) -> Backbone:
        if self.model is not None:
            return backbones.pretrained(self.model, self.revision, self.piece)
        reading = backbones.learned_reading(texts, self.vocabulary)
        sizes = {
            "layers": self.layers,
            "hidden": self.hidden,
            "heads": self.heads,
            "width": self.piece,
        }
        return backbones.small(reading, **sizes)

    def _scale(self, problems: Problems, known: Written, texts: list[str]) -> tuple[float, float]:
        """Scale of cosines: of held-out authors where there are, since training draws those it saw apart."""
        held_out = known.split(self.held_out, self.seed)[1]
        a, b, truth = pairs(held_out)
        if len(a):
            vectors = self.embeddings(
                [texts[i] for i in np.searchsorted(known.documents, held_out.documents)]
            )
            return scale_of(np.einsum("ij,ij->i", vectors[a], vectors[b]), truth)
        vectors, one, other = distinct(problems, self.embeddings)
        return scale_of(np.einsum("ij,ij->i", vectors[one], vectors[other]))

    def score(self, problems: Problems) -> Floats:
        vectors, known, questioned = distinct(problems, self.embeddings)
        each = spread(np.einsum("ij,ij->i", vectors[known], vectors[questioned]), self.scale_)
        self._forget()
        return mean_by_problem(each, problems)

    def embeddings(self, texts: list[str]) -> Floats:
        """Return unit embeddings, (texts, dimensions)."""
        model = self._network()
        tokens = self.tokens or TOKENS[next(model.parameters()).device.type]
        return embeddings(model, self.reading_, texts, self.piece, tokens)

    def _network(self) -> Luar:
        """The trained network, built again where this verifier was loaded."""
        if self._built is None:
            device = devices.pick(self.device)
            with devices.controlled(0, device):
                hidden = json.loads(self.config_)["hidden_size"]
                model = Luar(
                    backbones.rebuilt(self.config_), hidden, len(self.weights_["linear.bias"])
                )
            fill(model, self.weights_)
            self._built = model.to(device).eval()
        return self._built

    def __getstate__(self) -> dict[str, Any]:
        """State to pickle: all but the network, which is built again."""
        return {k: v for k, v in vars(self).items() if k != "_built"}
