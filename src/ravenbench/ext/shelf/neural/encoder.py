"""Verifies by any pretrained sentence encoder (``Encoder``): cosine of complete texts, calibrated.

In: ``Encoder`` has the name or folder of a model on this machine; then ``Problems`` (n), and for ``fit`` training
``Problems``, to learn the scale of cosines (their truth is not used); for ``embeddings`` texts.
Out: raw scores (n,), higher = same author: cosines mapped into (0, 1) by a logistic curve on that scale; ``embeddings``:
(texts, d) of length 1, zeros if no token is known. MissingPart if model or library is absent, FormatError or
InputError if the model or a GPU cannot be used, SpecError for other weights than at ``fit``, or an impossible window,
batch, device or precision.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self

import numpy as np

from ravenbench.errors import SpecError
from ravenbench.ext.encoders import sentences
from ravenbench.ext.encoders.batching import distinct
from ravenbench.ext.encoders.pretrained import model_folder
from ravenbench.randomness import stream
from ravenbench.text.tfidf import unit
from ravenbench.types import Bools, Floats, Problems
from ravenbench.verifiers.calibrators import scale_of, spread
from ravenbench.verifiers.contract.base import Scorer, mean_by_problem

SAMPLE = 200
"""Number of training problems from which the scale of cosines is learned."""


@dataclass(eq=False, repr=False)
class Encoder(Scorer):
    """Cosine between two texts' embeddings by a model that is already on this machine; known documents are averaged.

    Also called: BERT, SBERT, sentence-transformers, embeddings, Style-Embedding, StyleDistance, mStyleDistance, STAR.

    A text is divided into windows as long as the model reads, including special tokens; its embedding is the mean of
    the windows' vectors, weighted by their tokens, so no part of it is cut off. Static embeddings (model2vec) have
    no windows. Only the scale of the cosines and the calibration are learned.

    Parameters
    ----------
    model : str
        A sentence-transformers or Hugging Face model, or static embeddings: a name in the local Hugging Face cache or
        a folder; or a published model of style by its short name: style-embedding, styledistance, mstyledistance,
        star.
    revision : str, optional
        Revision of a model by name.
    pooling : {"mean", "pooler"}
        How the vector of a plain transformer is computed: the mean of its last layer, or its own layer on the first token, as
        STAR needs it. A sentence-transformers model states this itself.
    window : int, optional
        Tokens of a window; by default as many as the model reads.
    batch : int, optional
        Maximum tokens in a batch; by default 4096 on a processor (at most 16 windows, so that the model's weights are
        read once; workers that share a processor's caches displace each other's data), and 8192 on a GPU.
    remote_code : bool
        Run code that comes with the model.
    precision : {"fp32", "bf16", "auto"}
        Precision of the computation. bf16 is at least twice as fast if the processor multiplies in it (AVX-512 BF16,
        AMX), and changes cosines by some thousandths; auto is bf16 on a GPU that supports it.
    device : str
        auto, cpu, cuda or cuda:NUMBER.

    Attributes
    ----------
    digest_ : str
        Hash of the model's files: a saved verifier is refused if the name now means other weights.
    scale_ : (float, float)
        Centre and deviation of cosines; a score is the logistic curve around them.

    References
    ----------
    Reimers and Gurevych 2019, Sentence-BERT.
    """

    trains_long = True
    name = "encoder"
    reads_grammar = True
    calibrated_by = "threshold-band"
    version = 5
    provenance = "ours"

    model: str = "sentence-transformers/all-MiniLM-L6-v2"
    revision: str | None = None
    pooling: Literal["mean", "pooler"] = "mean"
    window: int | None = None
    batch: int | None = None
    remote_code: bool = False
    precision: str = "fp32"
    device: str = "auto"

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Load the model and learn the scale of its cosines.

        MissingPart if it is not on this machine. FormatError, InputError if files are missing, or the tokenizer
        belongs to another model. SpecError for an impossible window, batch, device or precision.
        """
        self.digest_ = self.model_digest()
        chosen = stream(0, "encoder-scale", len(problems)).permutation(len(problems))[:SAMPLE]
        self.scale_ = scale_of(self._cosines(problems.select(np.sort(chosen))))
        return self

    def score(self, problems: Problems) -> Floats:
        return mean_by_problem(spread(self._cosines(problems), self.scale_), problems)

    def _cosines(self, problems: Problems) -> Floats:
        """Cosine of each known document and its questioned one, (sum k,)."""
        vectors, known, questioned = distinct(problems, self.embeddings)
        return np.asarray(
            np.einsum("ij,ij->i", vectors[known], vectors[questioned]), dtype=np.float64
        )

    def prepare(self, texts: list[str]) -> None:
        """Encode texts that cells will need, so that only one worker encodes each."""
        self.digest_ = self.model_digest()
        self.embeddings(texts)

    def model_digest(self) -> str:
        return sentences.digest(model_folder(self.model, self.revision))

    def embeddings(self, texts: list[str]) -> Floats:
        """Return unit embeddings, (texts, d); a zero vector if the model knows nothing in a text. SpecError if the
        model's files differ from those at ``fit``.

        A text is encoded once for all folds, repetitions, workers and runs: vectors are stored in the
        cache folder, at most two gigabytes, by hashes of the text and of the model's files.
        """
        folder = model_folder(self.model, self.revision)
        if sentences.digest(folder) != self.digest_:
            raise SpecError(
                "this verifier was trained with other weights of this name",
                file=folder,
                fix="train again, or pin revision",
            )
        read = sentences.Reading(
            self.device,
            self.window,
            self.batch,
            self.precision,
            self.remote_code,
            pooler=self.pooling == "pooler",
        )
        return unit(sentences.embeddings(folder, texts, read))
