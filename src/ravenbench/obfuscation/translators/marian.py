"""Translation by OPUS-MT models through transformers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
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

    @classmethod
    def here(cls) -> str:
        if find_spec("transformers") is None or find_spec("sentencepiece") is None:
            return "not installed: pip install 'ravenbench[neural]' sentencepiece"
        return "pairs whose model is in the local cache: hf download Helsinki-NLP/opus-mt-en-de"

    def check_leg(self, source: str, target: str) -> None:
        _marian(self._named(source, target))

    def _named(self, source: str, target: str) -> str:
        return self.model.replace("{source}", source).replace("{target}", target)

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str | None]:
        tokenizer, model = _marian(self._named(source, target))
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
    except (OSError, ImportError, TypeError, ValueError, AssertionError) as error:
        # A model that is not here shows as any of these: its vocabulary's path is None.
        reason = "" if isinstance(error, TypeError) else f" ({(str(error) or 'incomplete').splitlines()[0]})"
        raise MissingPart(f"the model {name} is not here{reason}", fix=f"hf download {name}") from None
