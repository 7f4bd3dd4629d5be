"""Translates by running the program Apertium (``Apertium``), for round trips.

In: for ``translate`` sentences and two languages by their codes (two letters), from and to; for ``check_leg`` the two
codes.
Out: ``translate`` returns the translations in the same order, None if there is none; ``check_leg`` nothing; ``here``
the installed pairs of languages (text). ProgramError if Apertium fails or takes over ten minutes, MissingPart if
it does not have the two languages.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from ravenbench.errors import MissingPart, ProgramError
from ravenbench.obfuscation.translators import Translator

CODES = {
    "en": "eng",
    "es": "spa",
    "fr": "fra",
    "ca": "cat",
    "pt": "por",
    "it": "ita",
    "de": "deu",
    "gl": "glg",
    "oc": "oci",
    "eo": "epo",
    "ro": "ron",
    "sv": "swe",
    "da": "dan",
    "is": "isl",
    "cy": "cym",
    "br": "bre",
}
"""Apertium's codes of languages in newer packages (ISO 639-3); older packages use two letters."""
_PACKAGES = {
    frozenset(("en", "es")): "apertium-eng-spa",
    frozenset(("fr", "es")): "apertium-fr-es",
    frozenset(("en", "ca")): "apertium-eng-cat",
    frozenset(("fr", "ca")): "apertium-fra-cat",
    frozenset(("es", "ca")): "apertium-spa-cat",
    frozenset(("es", "pt")): "apertium-es-pt",
    frozenset(("es", "it")): "apertium-spa-ita",
    frozenset(("en", "gl")): "apertium-en-gl",
    frozenset(("es", "gl")): "apertium-es-gl",
}
_SENTENCES = 400
"""Sentences of one process."""
_TIMEOUT = 600


@dataclass(eq=False, repr=False)
class Apertium(Translator):
    """Translates with the program ``apertium``, many sentences in each process.

    Unknown words are left unchanged. Its pairs are those of the installed packages, such as
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
        """Translate sentences; ProgramError if Apertium fails."""
        mode = self._mode(source, target)
        out: list[str | None] = []
        for start in range(0, len(texts), _SENTENCES):
            out += self._batch(
                [" ".join(text.split()) for text in texts[start : start + _SENTENCES]], mode
            )
        return out

    def _batch(self, texts: list[str], mode: str) -> list[str | None]:
        try:
            done = subprocess.run(
                ["apertium", "-u", "-f", "txt", mode],
                input="\n\n".join(texts) + "\n",
                capture_output=True,
                text=True,
                timeout=_TIMEOUT,
                check=False,
                encoding="utf-8",
            )
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
            f"apertium does not translate from {source} to {target} here",
            found=f"pairs: {known}",
            fix=(
                f"apt install {package}"
                if package
                else "choose a chain of installed pairs, or another translator"
            ),
        )


@cache
def _pairs() -> dict[tuple[str, str], str]:
    """(source, target) in two letters → mode, of all that is installed."""
    if shutil.which("apertium") is None:
        return {}
    listed = subprocess.run(
        ["apertium", "-l"], capture_output=True, text=True, timeout=60, check=False
    ).stdout.split()
    two = {three: short for short, three in CODES.items()} | {short: short for short in CODES}
    pairs: dict[tuple[str, str], str] = {}
    for mode in sorted(listed, key=lambda m: (len(m), m)):
        source, _, target = mode.partition("-")
        if source in two and target in two:
            pairs.setdefault((two[source], two[target]), mode)
    return pairs
