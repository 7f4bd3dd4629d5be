"""Neural measures of meaning: a sentence encoder and an inference model, from this machine only.

References
----------
Reimers & Gurevych 2019, Sentence-BERT; Bowman et al. 2015, A large annotated corpus for learning natural language
inference.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ravenbench.errors import FormatError, InputError
from ravenbench.ext.encoders.pretrained import (
    check_vocabulary,
    is_static,
    load_static,
    missing,
    model_folder,
    static_vectors,
)
from ravenbench.obfuscation.measures.soundness import Inference, Judgement, MeaningModel, Pairs, Similarity
from ravenbench.types import Floats


def encoder_folder(model: str) -> Path:
    """Where a sentence encoder lies; nothing is loaded.

    MissingPart if it or its library is not here; FormatError if files of it are missing.
    """
    folder = model_folder(model)
    _need(*(["model2vec"] if is_static(folder) else ["sentence_transformers", "torch"]))
    return folder


def inference_folder(model: str) -> Path:
    """Where an inference model lies; nothing is loaded."""
    folder = model_folder(model)
    _need("transformers", "torch")
    return folder


def _need(*libraries: str) -> None:
    for name in libraries:
        if find_spec(name) is None:
            raise missing(ModuleNotFoundError(name=name), "a model of meaning")


@cache
def sentence_similarity(model: str) -> Similarity:
    """Load a sentence encoder as a function that gives the cosines of pairs of texts.

    MissingPart if the library or the model is not here; FormatError if the model cannot be loaded. ``model`` is a
    sentence-transformers, Hugging Face or model2vec model: a folder, or a name in the local cache. One without a
    pooling layer averages its token vectors.
    """
    folder = encoder_folder(model)
    encode = _static(folder) if is_static(folder) else _network(folder)

    def cosines(pairs: Pairs) -> list[float]:
        vectors = encode([text for pair in pairs for text in pair]).reshape(len(pairs), 2, -1)
        a, b = vectors[:, 0], vectors[:, 1]
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


@cache
def inference(model: str) -> Inference:
    """Load a natural-language-inference classifier as a function that judges pairs of texts.

    MissingPart if the library or the model is not here; FormatError if the model cannot be loaded; InputError if its
    labels do not say which is entailment. ``model`` is a folder, or a name in the local cache. Which output means what
    is read from its ``config.json``.
    """
    folder = inference_folder(model)
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    try:
        tokenizer: Any = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        net: Any = AutoModelForSequenceClassification.from_pretrained(
            folder, local_files_only=True, use_safetensors=True
        )
    except (OSError, ValueError, KeyError) as error:
        raise FormatError("this inference model cannot be loaded", file=folder, found=str(error)) from error
    check_vocabulary(len(tokenizer), net.get_input_embeddings().num_embeddings, folder)
    net.eval()
    entails, contradicts = label_places(net.config.id2label, model)

    def judge(pairs: Pairs) -> list[Judgement]:
        judgements: list[Judgement] = []
        for start in range(0, len(pairs), 16):
            batch = pairs[start : start + 16]
            ready = tokenizer(
                [a for a, _ in batch], [b for _, b in batch], padding=True, truncation="longest_first",
                return_tensors="pt",
            )  # fmt: skip
            with torch.no_grad():
                shares = torch.softmax(net(**ready).logits.double(), dim=-1).tolist()
            judgements += [Judgement(row[entails], None if contradicts is None else row[contradicts]) for row in shares]
        return judgements

    return judge


def label_places(labels: Mapping[int, str], model: str = "the model") -> tuple[int, int | None]:
    """Which outputs mean entailment and contradiction; models order them differently.

    InputError if no label, or more than one, reads as entailment.
    """
    names = {int(place): str(name).strip().casefold() for place, name in labels.items()}
    yes = [place for place, name in names.items() if name.startswith("entail")]
    no = [place for place, name in names.items() if name.startswith("contradict")]
    if len(yes) != 1 or len(no) > 1:
        raise InputError(
            f"{model} does not say which of its outputs is entailment",
            found=", ".join(names.values()),
            expected="labels such as entailment, neutral, contradiction",
            fix="name them in id2label of its config.json",
        )
    return yes[0], no[0] if no else None


SIMILARITY = MeaningModel(encoder_folder, sentence_similarity)
INFERENCE = MeaningModel(inference_folder, inference)
