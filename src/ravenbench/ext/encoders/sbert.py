"""Encodes texts with Sentence-BERT and similar models (``SBERT``).

In: for ``encode`` n texts; ``SBERT`` has a model's name or folder, a window in words, a batch in tokens, a device.
Out: vectors (n, d) float64, each the mean of the vectors of a text's windows. MissingPart if model or library is
absent, FormatError if files are missing or cannot be loaded; InputError for another model's tokenizer, a revision of a
folder, or a GPU that is absent or too small; SpecError for an unknown device or a batch below 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ravenbench.ext.encoders.pretrained import (
    is_static,
    load_static,
    missing,
    model_folder,
    static_vectors,
)
from ravenbench.topics.encoders import Encoder, averaged, chunked
from ravenbench.types import Floats, Size


@dataclass(eq=False, repr=False)
class SBERT(Encoder):
    """Encodes a text with a sentence-embedding model on this machine, without downloading.

    Also called: BERT, sentence-transformers, embeddings.

    Sentence-BERT (Reimers and Gurevych 2019) is the encoder of Sawatphol et al. 2024, whose code gives the model complete
    texts, which it truncates after 256 word pieces; here windows are averaged.

    Parameters
    ----------
    model : str
        A name in the local Hugging Face cache, or a folder: sentence-transformers, a plain transformer, or static
        embeddings (model2vec), the light alternative.
    window : int
        Words of a window; 180 English words are about 256 word pieces.
    batch : int, optional
        Maximum tokens in a batch; by default as in the verifier ``encoder``, which then shares its vectors.
    device : str
        ``cpu``, ``cuda``, ``cuda:1`` or ``auto``, as for ``devices.pick``.
    revision : str, optional
        Revision of a model by name.
    remote_code : bool
        Run code that comes with the model.
    """

    name = "sbert"

    model: str = "sentence-transformers/all-MiniLM-L6-v2"
    window: Size = 180
    batch: int | None = None
    device: str = "cpu"
    revision: str | None = None
    remote_code: bool = False

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return document vectors, (len(texts), d).

        MissingPart if the extra is not installed, or the model is not on this machine. FormatError, InputError if
        files are missing, or the tokenizer belongs to another model.
        """
        folder = model_folder(self.model, self.revision)
        windows, owner = chunked(texts, self.window)
        if is_static(folder):
            return averaged(static_vectors(load_static(folder), windows), owner)
        try:
            from ravenbench.ext.encoders.sentences import Reading, embeddings
        except ModuleNotFoundError as error:
            raise missing(error, "the encoder sbert") from error
        read = Reading(self.device, batch=self.batch, remote_code=self.remote_code, threads=None)
        return averaged(embeddings(folder, windows, read), owner)
