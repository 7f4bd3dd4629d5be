"""Translators for round trips: programs, models and servers that others keep."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ravenbench.errors import InputError, MissingPart, ProgramError, install
from ravenbench.obfuscation.translators import Translator, is_text
from ravenbench.services import Endpoint, leaves_machine

CODES = {
    "en": "eng", "es": "spa", "fr": "fra", "ca": "cat", "pt": "por", "it": "ita", "de": "deu", "gl": "glg",
    "oc": "oci", "eo": "epo", "ro": "ron", "sv": "swe", "da": "dan", "is": "isl", "cy": "cym", "br": "bre",
}  # fmt: skip
"""Languages as Apertium's newer packages call them (ISO 639-3); older ones use two letters."""
_PACKAGES = {
    frozenset(("en", "es")): "apertium-eng-spa", frozenset(("fr", "es")): "apertium-fr-es",
    frozenset(("en", "ca")): "apertium-eng-cat", frozenset(("fr", "ca")): "apertium-fra-cat",
    frozenset(("es", "ca")): "apertium-spa-cat", frozenset(("es", "pt")): "apertium-es-pt",
    frozenset(("es", "it")): "apertium-spa-ita", frozenset(("en", "gl")): "apertium-en-gl",
    frozenset(("es", "gl")): "apertium-es-gl",
}  # fmt: skip
_SENTENCES = 400
"""Sentences of one process."""
_TIMEOUT = 600


@dataclass(eq=False, repr=False)
class Apertium(Translator):
    """Translates by the program ``apertium``, many sentences a process.

    Words that it does not know come through as they are. Its pairs are those of the installed packages, such as
    ``apertium-eng-spa`` and ``apertium-fr-es``; there is none between English and German or English and French, so a
    round trip is, for example, ``chain=('en', 'es', 'fr', 'es', 'en')``.
    """

    name = "apertium"

    @classmethod
    def here(cls) -> str:
        pairs = [f"{source}→{target}" for source, target in sorted(_pairs())]
        if not pairs:
            return "not installed: apt install apertium apertium-eng-spa apertium-fr-es"
        return ", ".join(pairs)

    def check_leg(self, source: str, target: str) -> None:
        self._mode(source, target)

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str | None]:
        """Translate sentences; ProgramError where Apertium fails."""
        mode = self._mode(source, target)
        out: list[str | None] = []
        for start in range(0, len(texts), _SENTENCES):
            out += self._batch([" ".join(text.split()) for text in texts[start : start + _SENTENCES]], mode)
        return out

    def _batch(self, texts: list[str], mode: str) -> list[str | None]:
        try:
            done = subprocess.run(
                ["apertium", "-u", "-f", "txt", mode], input="\n\n".join(texts) + "\n", capture_output=True, text=True,
                timeout=_TIMEOUT, check=False, encoding="utf-8",
            )  # fmt: skip
        except (OSError, subprocess.SubprocessError) as error:
            raise ProgramError(f"apertium {mode}: {error}") from error
        lines = re.split(r"\n\n", done.stdout.rstrip("\n"))
        if done.returncode or len(lines) != len(texts):
            said = done.stderr.strip()[-200:] or f"{len(lines)} sentences for {len(texts)}"
            raise ProgramError(f"apertium {mode} failed (code {done.returncode}): {said}")
        return [re.sub(r"\s{2,}", " ", line).strip() or None for line in lines]

    def _mode(self, source: str, target: str) -> str:
        pairs = _pairs()
        if (source, target) in pairs:
            return pairs[source, target]
        package = _PACKAGES.get(frozenset((source, target)))
        known = ", ".join(f"{a}-{b}" for a, b in sorted(pairs)) or "none"
        raise MissingPart(
            f"apertium does not translate from {source} to {target} here", found=f"pairs: {known}",
            fix=f"apt install {package}" if package else "choose a chain of pairs that are here, or another translator",
        )  # fmt: skip


@cache
def _pairs() -> dict[tuple[str, str], str]:
    """(source, target) in two letters → mode, of all that is installed."""
    if shutil.which("apertium") is None:
        return {}
    listed = subprocess.run(["apertium", "-l"], capture_output=True, text=True, timeout=60, check=False).stdout.split()
    two = {three: short for short, three in CODES.items()} | {short: short for short in CODES}
    pairs: dict[tuple[str, str], str] = {}
    for mode in sorted(listed, key=lambda m: (len(m), m)):
        source, _, target = mode.partition("-")
        if source in two and target in two:
            pairs.setdefault((two[source], two[target]), mode)
    return pairs


class Argos(Translator):
    """Translates by Argos Translate, with direct packages only.

    Where a pair has no package of its own Argos silently translates by way of English, which undoes a round trip:
    such a pair is refused. Nothing is downloaded.
    """

    name = "argos"

    @classmethod
    def here(cls) -> str:
        if find_spec("argostranslate") is None:
            return "not installed: pip install argostranslate"
        return ", ".join(f"{a}→{b}" for a, b in _installed()) or "no packages: argospm install translate-en_de"

    def check_leg(self, source: str, target: str) -> None:
        _direct(source, target)

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str | None]:
        translation = _direct(source, target)
        return [translation.translate(text).strip() or None for text in texts]


@cache
def _direct(source: str, target: str) -> Any:
    try:
        from argostranslate import translate
    except ModuleNotFoundError as error:
        raise MissingPart(
            f"the argos translator needs {error.name!r}, which is not installed", fix="pip install argostranslate"
        ) from None
    pairs = _installed()
    if (source, target) not in pairs:
        raise MissingPart(
            f"Argos has no package that translates {source} to {target} directly, and would go by way of English",
            found=", ".join(f"{a}→{b}" for a, b in pairs) or "no packages",
            fix=f"argospm install translate-{source}_{target}, or another translator where there is none",
        )
    return translate.get_translation_from_codes(source, target)


def _installed() -> list[tuple[str, str]]:
    from argostranslate import package

    packages = (p for p in package.get_installed_packages() if getattr(p, "type", "") == "translate")
    return sorted((p.from_code, p.to_code) for p in packages)


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
            return f"not installed: {install('mt')}"
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
        raise MissingPart(f"the ctranslate2 translator needs {error.name}", fix=install("mt")) from None
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


@dataclass(eq=False, repr=False)
class LibreTranslate(Translator):
    """Translates by a LibreTranslate server over HTTP; the key, if any, comes from LIBRETRANSLATE_API_KEY.

    Such servers may pivot through English, which undoes a round trip: run one with a direct model of each pair.

    Parameters
    ----------
    url : str
    timeout : float
        Seconds.
    retries : int
    """

    name = "libretranslate"

    url: str
    timeout: float = 30.0
    retries: int = 2

    @classmethod
    def here(cls) -> str:
        return "what the server can: libretranslate(url='http://localhost:5000')"

    @property
    def remote(self) -> bool:  # type: ignore[override]
        """Whether the server is another machine."""
        return leaves_machine(self.url)

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str | None]:
        if not self.url.startswith(("http://", "https://")):
            raise InputError("not an address", found=self.url, expected="http://… or https://…")
        key = os.environ.get("LIBRETRANSLATE_API_KEY")
        with Endpoint(self.url, timeout=self.timeout, retries=self.retries) as endpoint:
            out: list[str | None] = []
            for text in texts:
                body = {"q": text, "source": source, "target": target, "format": "text"} | (
                    {"api_key": key} if key else {}
                )
                answer = endpoint.post("/translate", body)
                translation = answer.get("translatedText") if answer is not None else None
                out.append(translation if is_text(translation) else None)
            return out


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
            return f"not installed: {install('neural')} sentencepiece"
        return "pairs whose model is in the local cache: hf download Helsinki-NLP/opus-mt-en-de"

    def check_leg(self, source: str, target: str) -> None:
        _marian(self._model_name(source, target))

    def _model_name(self, source: str, target: str) -> str:
        return self.model.replace("{source}", source).replace("{target}", target)

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str | None]:
        tokenizer, model = _marian(self._model_name(source, target))
        out: list[str | None] = []
        for start in range(0, len(texts), 16):
            batch = tokenizer(list(texts[start : start + 16]), return_tensors="pt", padding=True, truncation=True)
            generated = model.generate(**batch, num_beams=self.beams, do_sample=False)
            out += [text or None for text in tokenizer.batch_decode(generated, skip_special_tokens=True)]
        return out


@cache
def _marian(name: str) -> tuple[Any, Any]:
    try:
        from transformers import MarianMTModel, MarianTokenizer
    except ImportError:
        raise MissingPart("the marian translator needs transformers", fix=install("neural")) from None
    try:
        tokenizer = MarianTokenizer.from_pretrained(name, local_files_only=True)
        return tokenizer, MarianMTModel.from_pretrained(name, local_files_only=True).eval()
    except (OSError, ImportError, TypeError, ValueError, AssertionError) as error:
        # A model that is not here shows as any of these: its vocabulary's path is None.
        reason = "" if isinstance(error, TypeError) else f" ({(str(error) or 'incomplete').splitlines()[0]})"
        raise MissingPart(f"the model {name} is not here{reason}", fix=f"hf download {name}") from None
