"""Translation by OPUS-MT models through transformers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from ravenbench.errors import MissingPart
from ravenbench.obfuscation.translators.base import Translator


@dataclass(eq=False, repr=False)
class Marian(Translator):
    """Translates by OPUS-MT models through transformers, from the local cache only.

    Parameters
    ----------
    model : str
        Name or folder with ``{source}`` and ``{target}`` in it.
    beams : int
    """

    name = "marian"

    model: str = "Helsinki-NLP/opus-mt-{source}-{target}"
    beams: int = 4

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str | None]:
        tokenizer, model = _marian(self.model.replace("{source}", source).replace("{target}", target))
        out: list[str | None] = []
        for start in range(0, len(texts), 16):
            batch = tokenizer(list(texts[start : start + 16]), return_tensors="pt", padding=True, truncation=True)
            made = model.generate(**batch, num_beams=self.beams, do_sample=False)
            out += [text or None for text in tokenizer.batch_decode(made, skip_special_tokens=True)]
        return out


@cache
def _marian(name: str) -> tuple[Any, Any]:
    try:
        from transformers import MarianMTModel, MarianTokenizer
    except ImportError:
        raise MissingPart("the marian translator needs transformers", fix="pip install 'ravenbench[neural]'") from None
    try:
        tokenizer = MarianTokenizer.from_pretrained(name, local_files_only=True)
        return tokenizer, MarianMTModel.from_pretrained(name, local_files_only=True).eval()
    except (OSError, ImportError) as error:
        raise MissingPart(
            f"the model {name} is not here ({str(error).splitlines()[0]})", fix=f"hf download {name}"
        ) from None
