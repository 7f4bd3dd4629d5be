"""WordNet, Brown, the stop words, the tagger and the language model: loaded once a process, never fetched."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ravenbench.errors import MissingPart, StoreError

_FILES = {
    "wordnet": "corpora/wordnet",
    "brown": "corpora/brown",
    "averaged_perceptron_tagger_eng": "taggers/averaged_perceptron_tagger_eng",
}


def find(resource: str) -> Any:
    """NLTK's pointer to a resource, unpacked or in its zip.

    Raises
    ------
    MissingPart
        If NLTK or the resource is not here, with the command that brings it.
    """
    return _find(resource, os.environ.get("NLTK_DATA", ""))


@cache
def _find(resource: str, folders: str) -> Any:
    try:
        import nltk
    except ModuleNotFoundError:
        raise MissingPart(f"{resource} is read through NLTK", fix="pip install 'ravenbench[obfuscation]'") from None
    paths = [p for p in folders.split(os.pathsep) if p] + list(nltk.data.path)
    inside = _FILES[resource]
    for place in (f"{inside}.zip/{resource}/", inside):
        try:
            return nltk.data.find(place, paths)
        except LookupError:
            continue
    raise MissingPart(f"the resource {resource} is not here", fix=f"python -m nltk.downloader {resource}")


def missing(resource: str) -> str | None:
    """The message of what is missing, or None where the resource is here (for recipes that run without it)."""
    return _missing(resource, os.environ.get("NLTK_DATA", ""))


@cache
def _missing(resource: str, folders: str) -> str | None:
    try:
        _find(resource, folders)
    except MissingPart as error:
        return str(error).replace("\n  ", "; ")
    return None


@cache
def wordnet() -> Any:
    """NLTK's reader of WordNet 3.0."""
    place = find("wordnet")
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    with warnings.catch_warnings():
        # It warns that other languages are not here, which nobody asks for.
        warnings.simplefilter("ignore")
        return WordNetCorpusReader(place, None)


@cache
def _tagger() -> Any:
    find("averaged_perceptron_tagger_eng")
    from nltk import data
    from nltk.tag.perceptron import PerceptronTagger

    extra = [p for p in os.environ.get("NLTK_DATA", "").split(os.pathsep) if p and p not in data.path]
    data.path[:0] = extra
    return PerceptronTagger(lang="eng")


def tag(tokens: Sequence[str]) -> list[str]:
    """Penn Treebank tags of tokens, in order."""
    return [name for _, name in _tagger().tag(list(tokens))] if tokens else []


@cache
def language_model() -> Any:
    """The 4-gram model of Brown, trained once and kept in the user's cache folder.

    Returns
    -------
    ravenbench.text.language_model.LanguageModel
    """
    place = find("brown")
    from ravenbench.text.language_model import LanguageModel

    folder = cache_folder() / "language-models" / "brown-4-v1"
    try:
        return LanguageModel.open(folder)
    except StoreError:
        pass
    from nltk.corpus.reader import TaggedCorpusReader

    reader = TaggedCorpusReader(place, r"c[a-r]\d\d", sep="/", encoding="ascii")
    model = LanguageModel.train([list(s) for s in reader.sents()])
    model.save(folder)
    return model


def cache_folder() -> Path:
    """Where derived resources are kept: ``RAVEN_CACHE``, or the user's cache folder."""
    given = os.environ.get("RAVEN_CACHE")
    if given:
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ravenbench"
