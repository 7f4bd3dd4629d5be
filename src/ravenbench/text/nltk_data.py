"""NLTK's resources, found and never fetched, and its English part-of-speech tagger."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from typing import Any

from ravenbench.errors import MissingPart

TAGGER = "averaged_perceptron_tagger_eng"
_FILES = {"wordnet": "corpora/wordnet", "brown": "corpora/brown", TAGGER: f"taggers/{TAGGER}"}


def find(resource: str) -> Any:
    """NLTK's pointer to a resource, unpacked or in its zip; MissingPart, with the command that brings it, if it is not
    here."""
    place, problem = _look(resource, os.environ.get("NLTK_DATA", ""))
    if problem is not None:
        raise problem.with_traceback(None)
    return place


def missing(resource: str) -> str | None:
    """The message of what is missing, or None where the resource is here (for methods that run without it)."""
    problem = _look(resource, os.environ.get("NLTK_DATA", ""))[1]
    return None if problem is None else str(problem).replace("\n  ", "; ")


@cache
def _look(resource: str, folders: str) -> tuple[Any, MissingPart | None]:
    try:
        import nltk
    except ModuleNotFoundError:
        return None, MissingPart(f"{resource} is read through NLTK", fix="pip install 'ravenbench[obfuscation]'")
    paths = [p for p in folders.split(os.pathsep) if p] + list(nltk.data.path)
    inside = _FILES[resource]
    for place in (f"{inside}.zip/{resource}/", inside):
        with suppress(LookupError):
            return nltk.data.find(place, paths), None
    fix = f"python -m nltk.downloader {resource}"
    return None, MissingPart(f"the resource {resource} is not here", fix=fix)


def tagger() -> Any:
    """Load NLTK's English perceptron tagger; MissingPart if it is not here."""
    find(TAGGER)
    return _tagger()


@cache
def _tagger() -> Any:
    from nltk import data
    from nltk.tag.perceptron import PerceptronTagger

    data.path[:0] = [p for p in os.environ.get("NLTK_DATA", "").split(os.pathsep) if p and p not in data.path]
    return PerceptronTagger(lang="eng")


def tag(tokens: Sequence[str]) -> list[str]:
    """Penn Treebank tags of tokens, in order."""
    return [name for _, name in tagger().tag(list(tokens))] if tokens else []
