"""Any pretrained sentence encoder as a verifier: cosine of whole texts, calibrated."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from torch.utils.mkldnn import to_mkldnn

from ravenbench.errors import InputError, SpecError
from ravenbench.randomness import stream
from ravenbench.topics.sbert_models import is_static, load_sentences, load_static, model_folder
from ravenbench.types import Bools, Floats, Ints, Problems
from ravenbench.verifiers.calibrators.threshold_band import ThresholdBand
from ravenbench.verifiers.contract.base import Calibrator, Scorer, mean_by_problem
from ravenbench.verifiers.contract.spread import scale_of, spread, unit
from ravenbench.verifiers.neural.kept_vectors import KeptVectors
from ravenbench.verifiers.neural.training import devices
from ravenbench.verifiers.neural.training.batching import batches, distinct

SAMPLE = 200
"""Training problems from which the scale of cosines is learned."""
_PARTS = (".safetensors", ".json", ".txt", ".model")
_KEPT = KeptVectors(shared=True)


@dataclass(eq=False, repr=False)
class Encoder(Scorer):
    """Cosine between two texts' embeddings by a model that is already on this machine; known documents are averaged.

    A text is tiled into windows as long as the model reads, special tokens included; its embedding is the mean of
    the windows' vectors, weighted by their tokens, so no part of it is cut off. Static embeddings (model2vec) have
    no windows. Nothing is learned but the scale of its cosines and the calibration.

    Parameters
    ----------
    model : str
        A sentence-transformers or Hugging Face model, or static embeddings: a name in the local Hugging Face cache or
        a folder. A plain transformer gets the mean of its last layer.
    revision : str, optional
        Revision of a model by name.
    window : int, optional
        Tokens a window; by default as many as the model reads.
    batch : int, optional
        Most tokens in a batch; by default 512 on a processor, where small ones are as fast and less of them is padding,
        and 8192 on a GPU.
    remote_code : bool
        Run code that comes with the model.
    precision : {"fp32", "bf16", "auto"}
        Of the computation. bf16 is about twice as fast where the processor multiplies in it (AVX-512 BF16, AMX), and
        moves cosines by some thousandths; auto is bf16 on a GPU that knows it.
    device : str
        auto, cpu, cuda or cuda:NUMBER.

    Attributes
    ----------
    digest_ : str
        Hash of the model's files: a saved verifier is refused where the name stands for other weights.
    scale_ : (float, float)
        Centre and deviation of cosines; a score is the logistic curve about them.

    References
    ----------
    Reimers and Gurevych 2019, Sentence-BERT.
    """

    name = "encoder"
    version = 3
    provenance = "ours"
    _loaded: Any = field(default=None, init=False)

    model: str = "sentence-transformers/all-MiniLM-L6-v2"
    revision: str | None = None
    window: int | None = None
    batch: int | None = None
    remote_code: bool = False
    precision: str = "fp32"
    device: str = "auto"

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Load the model and learn on what scale its cosines lie.

        Raises
        ------
        MissingPart
            If it is not on this machine.
        FormatError, InputError
            If files are missing, or the tokenizer belongs to another model.
        """
        self.digest_ = _digest(model_folder(self.model, self.revision))
        chosen = stream(0, "encoder-scale", len(problems)).permutation(len(problems))[:SAMPLE]
        self.scale_ = scale_of(self._cosines(problems.select(np.sort(chosen))))
        return self

    def score(self, problems: Problems) -> Floats:
        return mean_by_problem(spread(self._cosines(problems), self.scale_), problems)

    def _cosines(self, problems: Problems) -> Floats:
        """Cosine of each known document and its questioned one, (sum k,)."""
        vectors, known, questioned = distinct(problems, self.embeddings)
        return np.asarray(np.einsum("ij,ij->i", vectors[known], vectors[questioned]), dtype=np.float64)

    def prepare(self, texts: list[str]) -> None:
        """Encode texts that cells will ask about, so that each is encoded by one worker alone."""
        self.digest_ = _digest(model_folder(self.model, self.revision))
        self.embeddings(texts)

    def embeddings(self, texts: list[str]) -> Floats:
        """Unit embeddings, (texts, d); a zero vector where a text holds nothing the model knows.

        A text is encoded once, however many folds, repetitions, workers and runs ask about it: vectors are kept in the
        cache folder, at most two gigabytes of them, by hashes of the text and of the model's files.
        """
        folder = model_folder(self.model, self.revision)
        if _digest(folder) != self.digest_:
            raise SpecError(
                "this verifier was trained with other weights of this name", file=folder,
                fix="train again, or pin revision",
            )  # fmt: skip
        device = str(devices.pick(self.device))
        batch = self.batch or (512 if device == "cpu" else 8192)
        how = (device, self.window, batch, self.precision, self.remote_code, torch.__version__)
        made = (self.version, self.digest_, *how)

        def encode(unseen: list[str]) -> Floats:
            if self._loaded is None:
                half = devices.half(self.precision, torch.device(device))
                self._loaded = _network(folder, self.digest_, device, self.remote_code, half)
            static = hasattr(self._loaded, "embedding")
            return unit(_static(self._loaded, unseen) if static else self._windows(self._loaded, unseen, batch))

        return _KEPT.of(made, texts, encode)

    def _windows(self, model: Any, texts: list[str], batch: int) -> Floats:
        device = torch.device(model.device)
        windows, owner = self._tiled(model, texts)
        parts: list[Floats] = [np.empty(0)] * len(windows)
        with devices.inferring(device):
            for part in batches(windows, batch, model.tokenizer.pad_token_id or 0):
                ids, mask = (torch.from_numpy(array).to(device) for array in (part.ids, part.mask))
                found = {"input_ids": ids, "attention_mask": mask.long()}
                for module in model:
                    # What follows the transformer takes no time: it computes in single precision.
                    found = {k: v.float() if v.is_floating_point() else v for k, v in module(found).items()}
                for row, vector in zip(part.rows, found["sentence_embedding"].double().cpu().numpy(), strict=False):
                    parts[row] = vector
        weight = np.array([len(w) for w in windows], dtype=np.float64)
        starts = np.searchsorted(owner, np.arange(len(texts)))
        total = np.add.reduceat(np.stack(parts) * weight[:, None], starts, axis=0)
        return np.asarray(total / np.add.reduceat(weight, starts)[:, None], dtype=np.float64)

    def _tiled(self, model: Any, texts: list[str]) -> tuple[list[Ints], Ints]:
        """Windows with their special tokens, and the text of each, ascending."""
        longest = model.get_max_seq_length()
        # A tokenizer without a limit says so with an absurd number.
        reads = int(longest) if longest and longest < 10**6 else 512
        if self.window is not None and not 3 < self.window <= reads:
            raise SpecError("encoder cannot read such windows", found=self.window, expected=f"window from 4 to {reads}")
        if not model.tokenizer.is_fast:
            raise InputError("this model's tokenizer has no fast form", found=self.model, expected="a tokenizer.json")
        coded = model.tokenizer(
            texts,
            truncation=True,
            max_length=self.window or reads,
            return_overflowing_tokens=True,
            return_attention_mask=False,
            verbose=False,
        )
        order = np.argsort(coded["overflow_to_sample_mapping"], kind="stable")
        windows = [np.array(coded["input_ids"][i] or [model.tokenizer.pad_token_id or 0]) for i in order]
        return windows, np.array(coded["overflow_to_sample_mapping"])[order]

    def __getstate__(self) -> dict[str, Any]:
        """State to pickle: all but the model, which is loaded again."""
        return {k: v for k, v in vars(self).items() if k != "_loaded"}

    def default_calibrator(self) -> Calibrator:
        return ThresholdBand()


def _static(model: Any, texts: list[str]) -> Floats:
    return np.asarray(model.encode(texts, max_length=None, use_multiprocessing=False), dtype=np.float64)


@lru_cache(maxsize=1)
def _network(folder: Path, digest: str, device: str, remote_code: bool, half: bool) -> Any:
    """The model, loaded once for all folds of a process; ``digest`` tells its files from others in that folder."""
    if is_static(folder):
        return load_static(folder)
    model = load_sentences(folder, device, remote_code)
    if half:
        model[0].bfloat16()
    elif device == "cpu" and torch.backends.mkldnn.is_available():
        # Weights laid out for oneDNN once; else torch multiplies by MKL, which is half as fast on AMD.
        to_mkldnn(model[0].eval())
    return model


def _digest(folder: Path) -> str:
    """Hash of a model's files."""
    files = [f for f in sorted(folder.rglob("*")) if f.is_file() and f.suffix in _PARTS]
    return _digest_of(folder, tuple((f, (stat := f.stat()).st_size, stat.st_mtime_ns) for f in files))


@lru_cache(maxsize=8)
def _digest_of(folder: Path, files: tuple[tuple[Path, int, int], ...]) -> str:
    """The same, read once while sizes and times of the files stay."""
    h = hashlib.blake2b(digest_size=16)
    for file, _, _ in files:
        h.update(file.relative_to(folder).as_posix().encode())
        h.update(file.read_bytes())
    return h.hexdigest()
