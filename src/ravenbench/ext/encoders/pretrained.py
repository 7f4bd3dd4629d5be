"""Finds, checks and loads pretrained models on this machine, without downloading or unpickling anything.

In: for ``model_folder`` the name or folder of a model, optionally a revision; for ``is_static``, ``load_static`` and
``load_sentences`` its folder (the last also a device); for ``static_vectors`` a loaded model and n texts; for
``check_vocabulary`` counts of a tokenizer's entries and of a model's vectors.
Out: ``model_folder`` gives the folder, ``is_static`` True = vectors of tokens without a network, ``load_static`` and
``load_sentences`` the loaded model, ``static_vectors`` (n, d) float64, ``check_vocabulary`` nothing, ``missing`` an
error to raise; ``RECIPES`` has published models by name. MissingPart if model or library is absent, FormatError
if a model is incomplete or cannot be loaded, InputError for another model's tokenizer or a revision of a folder.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ravenbench.errors import FormatError, InputError, MissingPart, install
from ravenbench.types import Floats

_TOKENIZERS = (
    "tokenizer.json",
    "vocab.txt",
    "vocab.json",
    "tokenizer.model",
    "spiece.model",
    "sentencepiece.bpe.model",
)


class Recipe(NamedTuple):
    """The place of a published style model on the Hugging Face hub, and the verifier that reads it as its authors do.

    The revision has weights as safetensors; ``main`` if no commit with them is certain.
    """

    repository: str
    revision: str
    verifier: str


RECIPES = {
    "luar-mud": Recipe("rrivera1849/LUAR-MUD", "main", "luar(model='luar-mud', epochs=0)"),
    "luar-crud": Recipe("rrivera1849/LUAR-CRUD", "main", "luar(model='luar-crud', epochs=0)"),
    "style-embedding": Recipe(
        "AnnaWegmann/Style-Embedding", "refs/pr/10", "encoder(model='style-embedding')"
    ),
    "styledistance": Recipe(
        "StyleDistance/styledistance", "main", "encoder(model='styledistance')"
    ),
    "mstyledistance": Recipe(
        "StyleDistance/mstyledistance", "main", "encoder(model='mstyledistance')"
    ),
    "star": Recipe(
        "AIDA-UPM/star",
        "a2f607ade24a373b15bc86d4b2d0556d253bfaaa",
        "encoder(model='star', pooling='pooler')",
    ),
}
"""Published models, by the short name that can be used for them."""


def missing(error: ModuleNotFoundError, who: str) -> MissingPart:
    """Return the error for a library that is not installed."""
    return MissingPart(f"{who} needs {error.name!r}, which is not installed", fix=install("neural"))


def model_folder(name: str, revision: str | None = None) -> Path:
    """Return the folder of a model: a path, or a name in the local Hugging Face cache at this revision, or one of
    ``RECIPES``; its files are checked.

    MissingPart if it is not on this machine. FormatError if files are missing. InputError for a revision of a folder.
    """
    folder = Path(name)
    if not folder.is_dir():
        if name in RECIPES:
            name, revision = RECIPES[name].repository, revision or RECIPES[name].revision
        if folder.exists() or name.startswith(("/", ".")) or name.count("/") > 1:
            raise MissingPart(
                f"the model {name!r} is not on this machine", found="folder not found"
            )
        try:
            from huggingface_hub import snapshot_download

            folder = Path(snapshot_download(name, revision=revision, local_files_only=True))
        except ModuleNotFoundError as error:
            raise missing(error, f"the model {name!r}") from error
        except (OSError, ValueError) as error:
            at = "" if revision is None else f" --revision {revision}"
            raise MissingPart(
                f"the model {name!r} is not on this machine"
                + ("" if revision is None else f" at revision {revision}"),
                found=str(error),
                fix=(
                    f"hf download {name}{at} --exclude '*.bin'   (or give a folder: model='FOLDER')"
                ),
            ) from error
    elif revision is not None:
        raise InputError(
            "a folder has no revisions", file=folder, found=revision, fix="leave out revision"
        )
    _check_files(folder)
    return folder


def is_static(folder: Path) -> bool:
    """Return whether these are static embeddings: a vector for each token and no network (model2vec, or a similar model in
    a list of sentence-transformers modules)."""
    if (folder / "modules.json").exists():
        return any(
            "StaticEmbedding" in str(module.get("type"))
            for module in _read(folder / "modules.json")
        )
    return bool(_read(folder / "config.json").get("model_type") == "model2vec")


def load_static(folder: Path) -> Any:
    """Load a model of static embeddings as a ``model2vec.StaticModel``."""
    try:
        from model2vec import StaticModel
    except ModuleNotFoundError as error:
        raise missing(error, "a static model") from error
    try:
        return StaticModel.from_pretrained(str(folder))
    except (OSError, ValueError, KeyError) as error:
        raise FormatError(
            "Raven cannot load this static model", file=folder, found=str(error)
        ) from error


def static_vectors(model: Any, texts: Sequence[str]) -> Floats:
    """Return vectors of texts in static embeddings, (texts, d), as means over all tokens (nothing is cut)."""
    return np.asarray(
        model.encode(list(texts), max_length=None, use_multiprocessing=False), dtype=np.float64
    )


def load_sentences(
    folder: Path, device: str, remote_code: bool = False, pooler: bool = False
) -> Any:
    """Load a ``SentenceTransformer``; a plain transformer gets the mean of its last layer, or its own ``pooler``.

    FormatError if it cannot be loaded (a model's own code runs only with ``remote_code``), or is LUAR, which
    the verifier ``luar`` reads, or has no pooler. InputError if the tokenizer belongs to another model.
    """
    if pooler and ((folder / "modules.json").exists() or not _has_pooler(folder)):
        raise FormatError(
            "this model has no pooling layer of its own",
            file=folder,
            found="pooling='pooler'",
            expected="a plain transformer whose weights include pooler.dense.weight",
            fix="leave out pooling",
        )
    if (folder / "config.json").exists() and _read(folder / "config.json").get(
        "model_type"
    ) == "LUAR":
        raise FormatError(
            "published LUAR weights are not a sentence encoder: they pool episodes with code of"
            " their own",
            file=folder,
            expected="a sentence-transformers model or a plain transformer",
            fix=(
                f"the verifier luar(model={str(folder)!r}, epochs=0), which reads them without"
                " running that code"
            ),
        )
    try:
        from sentence_transformers import SentenceTransformer
    except ModuleNotFoundError as error:
        raise missing(error, "a sentence encoder") from error
    try:
        model = SentenceTransformer(
            str(folder),
            device=device,
            local_files_only=True,
            trust_remote_code=remote_code,
            model_kwargs={"use_safetensors": True},
        )
        embeddings = model[0].auto_model.get_input_embeddings().num_embeddings
    except (OSError, ValueError, KeyError, AttributeError, RuntimeError) as error:
        fix = (
            "remote_code=True runs it, if you trust it"
            if "trust_remote_code" in str(error)
            else None
        )
        raise FormatError(
            "Raven cannot load this model", file=folder, found=str(error), fix=fix
        ) from error
    check_vocabulary(len(model.tokenizer), embeddings, folder)
    if pooler:
        model[1] = _pooled(model[0].auto_model.pooler)
    return model


def _has_pooler(folder: Path) -> bool:
    """Whether the weights hold a pooling layer; ``transformers`` would make up one that is not there."""
    from safetensors import safe_open

    for file in folder.glob("*.safetensors"):
        with safe_open(file, "np") as tensors:
            if any(name.endswith("pooler.dense.weight") for name in tensors.keys()):  # noqa: SIM118
                return True
    return False


def _pooled(pooler: Any) -> Any:
    """A module that makes of the first token's state the vector of a text."""
    import torch

    class PooledEncoder(torch.nn.Module):
        def forward(self, features: dict[str, Any]) -> dict[str, Any]:
            states = features["token_embeddings"].to(pooler.dense.weight.dtype)
            return features | {"sentence_embedding": pooler(states)}

    return PooledEncoder()


def check_vocabulary(tokens: int, embeddings: int, folder: Path) -> None:
    """Raise an error for a tokenizer with numbers for which its model has no vector.

    InputError, because the tokenizer belongs to another model.
    """
    if tokens > embeddings:
        raise InputError(
            "the tokenizer does not belong to this model",
            file=folder,
            found=f"a tokenizer of {tokens} entries",
            expected=f"at most {embeddings}, as many as the model has vectors",
        )


def _check_files(folder: Path) -> None:
    first = folder
    if (folder / "modules.json").exists():
        parts = [folder / str(module["path"]) for module in _read(folder / "modules.json")]
        first = parts[0] if parts else folder
        # The last parts may have nothing to keep, and then have no folder, as Normalize.
        if not first.is_dir():
            raise FormatError(
                "this model folder is incomplete", file=folder, expected=f"the folder {first.name}"
            )
    wanted = {
        "config.json": (first / "config.json").exists() or (folder / "config.json").exists(),
        "weights (*.safetensors)": any(first.glob("*.safetensors")),
        "a tokenizer (tokenizer.json or a vocabulary)": (
            any((first / file).exists() for file in _TOKENIZERS)
            or any((folder / file).exists() for file in _TOKENIZERS)
        ),
    }
    lacking = [name for name, there in wanted.items() if not there]
    if lacking:
        pickled = any(first.glob("*.bin")) or any(first.glob("*.pt"))
        raise FormatError(
            "this model folder is incomplete",
            file=folder,
            found="without " + ", ".join(lacking),
            fix=(
                "its weights are pickled, which Raven does not read: save them as safetensors"
                if pickled
                else None
            ),
        )


def _read(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise FormatError(
            "Raven cannot read a file of this model", file=file, found=str(error)
        ) from error
