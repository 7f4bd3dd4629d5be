"""Compares the meaning of texts with a sentence encoder on this machine.

In: for ``sentence_similarity`` and ``encoder_folder`` the name or folder of a model; then pairs of texts.
Out: ``sentence_similarity`` gives a function from pairs of texts to cosines, one for each pair, from −1 to 1, higher = more
alike; ``encoder_folder`` the model's folder; ``SIMILARITY`` is both, as registered. MissingPart if model or library is
absent, FormatError if files are missing or it cannot be loaded, InputError for another model's tokenizer.

References
----------
Reimers & Gurevych 2019, Sentence-BERT.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from ravenbench.ext.encoders.pretrained import (
    is_static,
    load_static,
    missing,
    model_folder,
    static_vectors,
)
from ravenbench.obfuscation.measures.soundness import MeaningModel, Pairs, Similarity
from ravenbench.types import Floats


def encoder_folder(model: str) -> Path:
    """Return the folder of a sentence encoder, without loading it.

    MissingPart if it or its library is not installed; FormatError if its files are missing.
    """
    folder = model_folder(model)
    _need(*(["model2vec"] if is_static(folder) else ["sentence_transformers", "torch"]))
    return folder


def _need(*libraries: str) -> None:
    for name in libraries:
        if find_spec(name) is None:
            raise missing(ModuleNotFoundError(name=name), "a model of meaning")


@cache
def sentence_similarity(model: str) -> Similarity:
    """Load a sentence encoder as a function that returns the cosines of pairs of texts.

    MissingPart if the library or the model is not installed; FormatError if the model cannot be loaded; InputError if its
    tokenizer belongs to another model. ``model`` is a
    sentence-transformers, Hugging Face or model2vec model: a folder, or a name in the local cache. A model without a
    pooling layer averages its token vectors.
    """
    folder = encoder_folder(model)
    encode = _static(folder) if is_static(folder) else _network(folder)

    def cosines(pairs: Pairs) -> list[float]:
        vectors = encode([text for pair in pairs for text in pair]).reshape(len(pairs), 2, -1)
        a = vectors[:, 0]
        b = vectors[:, 1]
        norms = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
        values: list[float] = ((a * b).sum(axis=1) / np.maximum(norms, 1e-12)).tolist()
        return values

    return cosines


def _static(folder: Path) -> Callable[[list[str]], Floats]:
    encoder = load_static(folder)
    return lambda texts: static_vectors(encoder, texts)


def _network(folder: Path) -> Callable[[list[str]], Floats]:
    from ravenbench.ext.encoders.sentences import Reading, embeddings

    # A model that cannot be loaded is refused now.
    embeddings(folder, [""], Reading())
    return lambda texts: embeddings(folder, texts, Reading())


SIMILARITY = MeaningModel(encoder_folder, sentence_similarity)
