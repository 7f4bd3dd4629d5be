"""Builds transformers (small ones from scratch, pretrained folders, published LUAR weights) and tokenizers.

In: for ``small`` a ``Reading`` and sizes (counts of layers, hidden units and heads, width in tokens); for
``pretrained`` the name or folder of a model, a revision or None, a width in tokens; for ``rebuilt`` a configuration
(JSON); for ``learned_reading`` training texts and a size of vocabulary.
Out: ``small`` and ``pretrained`` give a ``Backbone`` (torch module, configuration as JSON, ``Reading``, weights of a
head); ``rebuilt`` a module with random weights; ``learned_reading`` a ``Reading``, whose ``encode`` gives token numbers
(n,) of each text. MissingPart if a model is absent, FormatError if it is incomplete or cannot be loaded, InputError for
its tokenizer, for a model with its own code or too large a width, CorpusError for empty texts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from ravenbench.errors import CorpusError, FormatError, InputError
from ravenbench.ext.encoders.pretrained import check_vocabulary, model_folder
from ravenbench.types import Ints

_SPECIAL = ("[PAD]", "[CLS]", "[SEP]")


@dataclass(frozen=True)
class Reading:
    """How text becomes token numbers: a ``tokenizers`` tokenizer as JSON, padding, and the tokens around a piece."""

    tokenizer: str
    pad: int
    before: tuple[int, ...]
    after: tuple[int, ...]

    def encode(self, texts: Sequence[str]) -> list[Ints]:
        """Return token numbers of each text, without special tokens."""
        tokenizer = Tokenizer.from_str(self.tokenizer)
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return [
            np.array(e.ids, dtype=np.int64)
            for e in tokenizer.encode_batch(list(texts), add_special_tokens=False)
        ]


@dataclass(frozen=True)
class Backbone:
    """A transformer, its configuration as JSON, how it reads, and weights for the layer on top (LUAR's ``linear``)."""

    module: Any
    config: str
    reading: Reading
    head: dict[str, torch.Tensor]

    @property
    def hidden(self) -> int:
        """Return the width of the transformer's states."""
        return int(self.module.config.hidden_size)


def learned_reading(texts: Sequence[str], vocabulary: int) -> Reading:
    """Learn a byte-level BPE vocabulary from training texts, in which no character is unknown.

    CorpusError if there is nothing to learn from.
    """
    if not any(text.strip() for text in texts):
        raise CorpusError("Raven cannot learn a tokenizer from empty texts")
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=list(_SPECIAL),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_blocks(texts), trainer)
    # Special tokens are numbered first, in their order.
    return Reading(tokenizer.to_str(), 0, (1,), (2,))


def _blocks(texts: Sequence[str], size: int = 64) -> Iterator[list[str]]:
    for start in range(0, len(texts), size):
        yield list(texts[start : start + size])


def small(reading: Reading, *, layers: int, hidden: int, heads: int, width: int) -> Backbone:
    """Return a small BERT with random weights (inside ``devices.controlled``)."""
    from transformers import BertConfig

    size = Tokenizer.from_str(reading.tokenizer).get_vocab_size()
    config = BertConfig(
        vocab_size=size,
        hidden_size=hidden,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=4 * hidden,
        max_position_embeddings=width,
        pad_token_id=reading.pad,
    )
    text = json.dumps(config.to_dict(), sort_keys=True)
    return Backbone(rebuilt(text), text, reading, {})


def rebuilt(config: str) -> Any:
    """Return a transformer of this configuration, with random weights. FormatError if it names code or another model."""
    from transformers import AutoConfig, AutoModel

    values = json.loads(config)
    if named := [word for word in ("auto_map", "backbone") if word in json.dumps(values)]:
        raise FormatError("this configuration names code or another model", found=named)
    built = AutoConfig.for_model(values.pop("model_type"), **values)
    return AutoModel.from_config(built, trust_remote_code=False)


def pretrained(name: str, revision: str | None, width: int) -> Backbone:
    """Load a transformer from this machine, by name or folder: one that ``transformers`` builds itself, or published LUAR.

    MissingPart if it is not on this machine. FormatError if files are missing or cannot be loaded. InputError if the
    tokenizer belongs to another model or has no fast form, the model needs its own code, or cannot read a piece.
    """
    from safetensors.torch import load_file
    from transformers import AutoModel, AutoTokenizer
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING
    from transformers.utils import logging

    folder = model_folder(name, revision)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    logging.disable_progress_bar()
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        head: dict[str, torch.Tensor] = {}
        if config.get("model_type") == "LUAR":
            module, head = _published(load_file(folder / "model.safetensors"), folder)
        elif "auto_map" in config and config.get("model_type") not in CONFIG_MAPPING:
            raise InputError(
                "luar does not run a model's own code", file=folder, found=config.get("model_type")
            )
        else:
            module = AutoModel.from_pretrained(
                folder, local_files_only=True, use_safetensors=True
            ).float()
    except (OSError, ValueError, KeyError) as error:
        raise FormatError("Raven cannot load this model", file=folder, found=str(error)) from error
    finally:
        logging.enable_progress_bar()
    if not hasattr(tokenizer, "backend_tokenizer"):
        raise InputError(
            "this model's tokenizer has no fast form", file=folder, expected="a tokenizer.json"
        )
    check_vocabulary(len(tokenizer), module.get_input_embeddings().num_embeddings, folder)
    positions = getattr(module.config, "max_position_embeddings", None)
    if positions is not None and width > positions:
        raise InputError(
            "a piece is longer than this model reads", found=width, expected=f"at most {positions}"
        )
    before, after = (
        () if token is None else (int(token),)
        for token in (
            (
                tokenizer.cls_token_id
                if tokenizer.cls_token_id is not None
                else tokenizer.bos_token_id
            ),
            (
                tokenizer.sep_token_id
                if tokenizer.sep_token_id is not None
                else tokenizer.eos_token_id
            ),
        )
    )
    pad = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else 0
    reading = Reading(tokenizer.backend_tokenizer.to_str(), int(pad), before, after)
    return Backbone(module, json.dumps(module.config.to_dict(), sort_keys=True), reading, head)


def _published(
    tensors: dict[str, torch.Tensor], folder: Path
) -> tuple[Any, dict[str, torch.Tensor]]:
    """The DistilRoBERTa inside published LUAR weights, its shape read off the tensors, and the linear map."""
    from transformers import RobertaConfig, RobertaModel

    inner = {
        k.removeprefix("transformer."): v
        for k, v in tensors.items()
        if k.startswith("transformer.")
    }
    head = {k.removeprefix("linear."): v for k, v in tensors.items() if k.startswith("linear.")}
    try:
        words, positions = (
            inner[f"embeddings.{kind}_embeddings.weight"] for kind in ("word", "position")
        )
        width = inner["encoder.layer.0.intermediate.dense.weight"].shape[0]
        shapes = {
            "weight": (head["weight"].shape[0], words.shape[1]),
            "bias": (head["weight"].shape[0],),
        }
    except KeyError as error:
        raise FormatError(
            "these are not LUAR's weights", file=folder, found=f"no tensor {error}"
        ) from None
    if {name: tuple(tensor.shape) for name, tensor in head.items()} != shapes:
        raise FormatError(
            "these are not LUAR's weights", file=folder, expected=f"linear of shape {shapes}"
        )
    config = RobertaConfig(
        vocab_size=words.shape[0],
        hidden_size=words.shape[1],
        max_position_embeddings=positions.shape[0],
        intermediate_size=width,
        type_vocab_size=1,
        layer_norm_eps=1e-5,
        num_attention_heads=max(1, words.shape[1] // 64),
        num_hidden_layers=1
        + max(int(k.split(".")[2]) for k in inner if k.startswith("encoder.layer.")),
    )
    module = RobertaModel(config)
    inner.pop("embeddings.position_ids", None)
    missing, unexpected = module.load_state_dict(inner, strict=False)
    absent = [key for key in missing if not key.startswith("pooler.")]
    if absent or unexpected:
        raise FormatError(
            "these are not LUAR's weights",
            file=folder,
            found=f"missing {absent}, unknown {unexpected}",
        )
    return module, head
