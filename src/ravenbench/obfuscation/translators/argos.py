"""Translation by Argos Translate with packages that are on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any

from ravenbench.errors import MissingPart
from ravenbench.obfuscation.translators.base import Translator


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

    found = (p for p in package.get_installed_packages() if getattr(p, "type", "") == "translate")
    return sorted((p.from_code, p.to_code) for p in found)
