"""Part-of-speech tags of a text as one symbol a token."""

from __future__ import annotations

import os
from functools import cache, lru_cache
from typing import Any

from ravenbench.errors import MissingPart
from ravenbench.text.tokens import tokens

RESOURCE = "averaged_perceptron_tagger_eng"
_FIRST = ord("A")


def tag_symbols(text: str) -> str:
    """Penn Treebank tags of a text's tokens, each a character of its own.

    Raises
    ------
    MissingPart
        If NLTK or its English tagger is not here, with the command that brings it.
    """
    return _symbols(text, os.environ.get("NLTK_DATA", ""))


@lru_cache(maxsize=4096)
def _symbols(text: str, folders: str) -> str:
    tagger, symbol = _tagger(folders)
    found = tokens(text)
    return "".join(symbol[tag] for _, tag in tagger.tag(found)) if found else ""


@cache
def _tagger(folders: str) -> tuple[Any, dict[str, str]]:
    """The tagger, and the symbol of each of its tags in alphabetical order."""
    try:
        from nltk import data
        from nltk.tag.perceptron import PerceptronTagger
    except ModuleNotFoundError:
        raise MissingPart("harvey-2014 tags texts through NLTK", fix="pip install 'ravenbench[obfuscation]'") from None
    data.path[:0] = [folder for folder in folders.split(os.pathsep) if folder and folder not in data.path]
    try:
        tagger = PerceptronTagger(lang="eng")
    except LookupError:
        raise MissingPart(f"the resource {RESOURCE} is not here", fix=f"python -m nltk.downloader {RESOURCE}") from None
    known = {*tagger.classes, *tagger.tagdict.values()}
    return tagger, {tag: chr(_FIRST + i) for i, tag in enumerate(sorted(known))}
