"""Translation by OPUS-MT models converted for CTranslate2."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ravenbench.errors import MissingPart
from ravenbench.obfuscation.translators.base import Translator


@dataclass(eq=False, repr=False)
class CTranslate2(Translator):
    """Translates by converted OPUS-MT models through CTranslate2 and SentencePiece, beam search, no sampling.

    Parameters
    ----------
    folder : str
        Holds one folder a pair (``en-de``, ``de-fr``, ``fr-en``) with ``model.bin``, ``source.spm`` and
        ``target.spm``, as ``ct2-transformers-converter`` writes
        them with ``--copy_files source.spm target.spm``. Nothing is downloaded.
    beams : int
    """

    name = "ctranslate2"

    folder: str
    beams: int = 4

    @classmethod
    def here(cls) -> str:
        if find_spec("ctranslate2") is None or find_spec("sentencepiece") is None:
            return "not installed: pip install 'ravenbench[mt]'"
        return "pairs whose converted model lies in the folder given"

    def check_leg(self, source: str, target: str) -> None:
        _ctranslate2(str(Path(self.folder) / f"{source}-{target}"))

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str | None]:
        model, encode, decode = _ctranslate2(str(Path(self.folder) / f"{source}-{target}"))
        pieces = [[*encode.encode(text, out_type=str), "</s>"] for text in texts]
        results = model.translate_batch(pieces, beam_size=self.beams, max_batch_size=32)
        return [decode.decode(r.hypotheses[0]) or None for r in results]


@cache
def _ctranslate2(folder: str) -> tuple[Any, Any, Any]:
    try:
        import ctranslate2
        import sentencepiece
    except ModuleNotFoundError as error:
        raise MissingPart(
            f"the ctranslate2 translator needs {error.name}", fix="pip install 'ravenbench[mt]'"
        ) from None
    place = Path(folder)
    for name in ("model.bin", "source.spm", "target.spm"):
        if not (place / name).is_file():
            raise MissingPart(
                f"there is no translation model for {place.name}", found=str(place / name),
                fix=f"ct2-transformers-converter --model Helsinki-NLP/opus-mt-{place.name} --output_dir {place} "
                "--copy_files source.spm target.spm",
            )  # fmt: skip
    translator = ctranslate2.Translator(folder, device="cpu", intra_threads=1)
    load = sentencepiece.SentencePieceProcessor
    return translator, load(str(place / "source.spm")), load(str(place / "target.spm"))
