"""Sentence-BERT (Reimers and Gurevych 2019), the encoder of Sawatphol et al. 2024.

The paper's code gives the model whole texts, which it truncates after 256 word pieces; here windows are averaged.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from ravenbench.errors import MissingPart
from ravenbench.topics.base import Encoder
from ravenbench.topics.chunks import averaged, chunked
from ravenbench.types import Floats


class SBERT(Encoder):
    """Sentence embeddings of a model that is already on this machine: nothing is downloaded.

    Parameters
    ----------
    model : str
        A name in the local Hugging Face cache, or a folder.
    window : int
        Words a window; 180 English words are about 256 word pieces.
    batch : int
        Windows encoded at once.
    device : str
        As torch names it.
    """

    name: ClassVar[str] = "sbert"

    def __init__(
        self,
        model: str = "sentence-transformers/all-MiniLM-L6-v2",
        window: int = 180,
        batch: int = 64,
        device: str = "cpu",
    ) -> None:
        self.model = model
        self.window = window
        self.batch = batch
        self.device = device

    def encode(self, texts: Sequence[str]) -> Floats:
        try:
            from sentence_transformers import SentenceTransformer
        except ModuleNotFoundError as error:
            raise MissingPart(
                f"encoder sbert needs {error.name!r}, which is not installed", fix="pip install 'ravenbench[neural]'"
            ) from error
        try:
            model = SentenceTransformer(self.model, device=self.device, local_files_only=True)
        except (OSError, ValueError) as error:
            raise MissingPart(
                f"the sentence-transformers model {self.model!r} is not on this machine",
                found=str(error),
                fix=f"hf download {self.model}   (or give a folder: sbert(model='FOLDER'))",
            ) from error
        windows, owner = chunked(texts, self.window)
        vectors = model.encode(windows, batch_size=self.batch, show_progress_bar=False, convert_to_numpy=True)
        return averaged(np.asarray(vectors, dtype=np.float64), owner)
