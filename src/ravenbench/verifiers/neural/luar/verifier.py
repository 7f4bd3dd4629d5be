"""LUAR (Rivera-Soto et al. 2021): universal authorship representations, learned by contrast."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np

from ravenbench.errors import SpecError
from ravenbench.topics import devices
from ravenbench.topics.batching import distinct
from ravenbench.types import Bools, Floats, Problems
from ravenbench.verifiers.calibrators.threshold_band import ThresholdBand
from ravenbench.verifiers.contract.base import Calibrator, Scorer, mean_by_problem
from ravenbench.verifiers.contract.spread import scale_of, spread
from ravenbench.verifiers.neural.luar.embed import embeddings
from ravenbench.verifiers.neural.luar.model import Luar
from ravenbench.verifiers.neural.luar.training import train_network
from ravenbench.verifiers.neural.training import backbones, checkpoints
from ravenbench.verifiers.neural.training.authors import Written, pairs, written
from ravenbench.verifiers.neural.training.backbones import Backbone
from ravenbench.verifiers.neural.training.curve import learning_curve
from ravenbench.verifiers.neural.training.folder import training_folder, training_spec
from ravenbench.verifiers.neural.training.loop import Epoch
from ravenbench.verifiers.neural.training.weights import arrays, fill

TOKENS = {"cpu": 1024, "cuda": 65_536}
"""Tokens in a batch when scoring, by kind of device."""


@dataclass(eq=False, repr=False)
class LUAR(Scorer):
    """Cosine of two texts' embeddings, on a scale learned in training; several known documents are averaged.

    A text is tiled into pieces of 32 tokens; a transformer reads each, self-attention mixes the pieces' vectors and
    their maximum is mapped to the embedding. Training draws two disjoint episodes of consecutive pieces an author
    and contrasts them with those of the other authors of the batch. Where documents carry no authors, known sets and
    same-author problems tell who wrote what.

    Unlike the published code: attention and maximum have a padding mask, the learning rate falls, episodes of an
    author never overlap, scoring reads the whole text, calibration is done once and on problems set apart.

    Parameters
    ----------
    model : str, optional
        A transformer to start from, by name in the local Hugging Face cache or as a folder (published LUAR weights
        too: ``epochs=0`` uses them as they are). By default a small one from scratch with its own byte-level
        vocabulary, of the sizes below.
    revision : str, optional
        Of a model by name.
    layers, hidden, heads, vocabulary : int
        Sizes of the transformer from scratch.
    dimensions : int
        Of the embedding; published weights bring their own.
    piece, pieces : int
        Tokens a piece, special tokens included, and most pieces of a training episode.
    epochs, batch : int
        Training epochs, and authors in a batch, with two episodes each.
    chunk : int
        Episodes computed at once while training: gradient caching makes any batch fit, 0 turns it off.
    accumulate : int
        Batches a step. Unlike ``chunk`` this does not enlarge what an author is contrasted with.
    learning_rate : float, optional
        By default 1e-3 from scratch and 2e-5 from a model.
    warmup, temperature, held_out, patience
        Share of training in which the rate rises; τ of the loss; share of authors held out for early stopping, and
        epochs without improvement on them after which training ends (0: never).
    tokens : int, optional
        Tokens in a batch when scoring; by default 1,024 on a CPU and 65,536 on a GPU.
    precision : {"auto", "fp32", "bf16"}
        Of training; scores are always computed in fp32.
    deterministic : bool
        Use kernels that give the same numbers every time.
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
        Centre and deviation of cosines between held-out documents; a score is the logistic curve about them.
    history_ : list of Epoch

    References
    ----------
    Rivera-Soto et al. 2021, Learning Universal Authorship Representations (EMNLP), and its code; Khosla et al. 2020,
    Supervised Contrastive Learning; Gao et al. 2021, Scaling Deep Contrastive Learning Batch Size under Memory
    Limited Setup.
    """

    name = "luar"
    cross_fit = False
    _folder: Path | None = field(default=None, init=False)
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
    chunk: int = 64
    accumulate: int = 1
    learning_rate: float | None = None
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

        Raises
        ------
        SpecError
            If sizes do not fit together.
        CorpusError
            If fewer than two authors have two episodes' worth of text.
        MissingPart, FormatError, InputError
            If the model to start from is not there, not whole or not of one piece, or memory does not suffice.
        """
        self._check()
        device = devices.pick(self.device)
        devices.precision(self.precision, device)
        known = written(problems, same)
        texts = [problems.texts[row] for row in known.documents]
        with devices.controlled(self.seed, device, self.deterministic), devices.memory("hidden or layers", device):
            backbone = self._backbone(texts)
            model = Luar(backbone.module, backbone.hidden, self._dimensions(backbone))
            if backbone.head:
                model.linear.load_state_dict(backbone.head)
            model.to(device)
        self.config_, self.reading_ = backbone.config, backbone.reading
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

    def _check(self) -> None:
        if self.piece < 3 or self.pieces < 1 or self.batch < 2 or self.hidden % self.heads:
            raise SpecError(
                "luar cannot be built in these sizes",
                found=f"piece={self.piece}, pieces={self.pieces}, batch={self.batch}, hidden={self.hidden}, "
                f"heads={self.heads}",
                expected="piece ≥ 3, pieces ≥ 1, batch ≥ 2, hidden a multiple of heads",
            )

    def _backbone(self, texts: list[str]) -> Backbone:
        if self.model is not None:
            return backbones.pretrained(self.model, self.revision, self.piece)
        reading = backbones.learned_reading(texts, self.vocabulary)
        sizes = {"layers": self.layers, "hidden": self.hidden, "heads": self.heads, "width": self.piece}
        return backbones.small(reading, **sizes)

    def _dimensions(self, backbone: Backbone) -> int:
        return len(backbone.head["bias"]) if backbone.head else self.dimensions

    def _scale(self, problems: Problems, known: Written, texts: list[str]) -> tuple[float, float]:
        """Scale of cosines: of held-out authors where there are, since training draws those it saw apart."""
        held = known.split(self.held_out, self.seed)[1]
        a, b, truth = pairs(held)
        if len(a):
            vectors = self.embeddings([texts[i] for i in np.searchsorted(known.documents, held.documents)])
            return scale_of(np.einsum("ij,ij->i", vectors[a], vectors[b]), truth)
        vectors, one, other = distinct(problems, self.embeddings)
        return scale_of(np.einsum("ij,ij->i", vectors[one], vectors[other]))

    def score(self, problems: Problems) -> Floats:
        vectors, known, questioned = distinct(problems, self.embeddings)
        each = spread(np.einsum("ij,ij->i", vectors[known], vectors[questioned]), self.scale_)
        if self._folder is not None:
            checkpoints.forget(self._folder)
            self._folder = None
        return mean_by_problem(each, problems)

    def embeddings(self, texts: list[str]) -> Floats:
        """Unit embeddings, (texts, dimensions)."""
        model = self._network()
        tokens = self.tokens or TOKENS[next(model.parameters()).device.type]
        return embeddings(model, self.reading_, texts, self.piece, tokens)

    def _network(self) -> Luar:
        """The trained network, built again where this verifier was loaded."""
        if self._built is None:
            device = devices.pick(self.device)
            with devices.controlled(0, device):
                hidden = json.loads(self.config_)["hidden_size"]
                model = Luar(backbones.rebuilt(self.config_), hidden, len(self.weights_["linear.bias"]))
            fill(model, self.weights_)
            self._built = model.to(device).eval()
        return self._built

    def figures(self) -> dict[str, bytes]:
        return {"learning.svg": learning_curve(self.history_)} if self.history_ else {}

    def __getstate__(self) -> dict[str, Any]:
        """State to pickle: all but the network, which is built again."""
        return {k: v for k, v in vars(self).items() if k != "_built"}

    def default_calibrator(self) -> Calibrator:
        return ThresholdBand()
