"""Finds NLTK's data (Raven never downloads them), and tags tokens with NLTK's English tagger.

In: the name of a resource, "wordnet", "brown" or ``TAGGER``; for ``tag`` tokens.
Out: ``find`` NLTK's path to it, ``missing`` the message of what is missing (None if it is here),
``get`` the command that brings it, ``tagger`` the tagger, ``tag`` Penn Treebank tags, one a token. MissingPart from
``find``, ``tagger`` and ``tag`` if NLTK or the resource is not here; KeyError for another name.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from typing import Any

from ravenbench.errors import MissingPart, install

TAGGER = "averaged_perceptron_tagger_eng"
_FILES = {"wordnet": "corpora/wordnet", "brown": "corpora/brown", TAGGER: f"taggers/{TAGGER}"}


def find(resource: str) -> Any:
    """Return NLTK's pointer to a resource, unpacked or in its zip; MissingPart, with the command that installs it, if
    it is missing."""
    resource_path, problem = _look(resource, os.environ.get("NLTK_DATA", ""))
    if problem is not None:
        raise problem.with_traceback(None)
    return resource_path


def missing(resource: str) -> str | None:
    """Return the message about a missing resource, or None if it is installed (for methods that run without it)."""
    problem = _look(resource, os.environ.get("NLTK_DATA", ""))[1]
    return None if problem is None else str(problem).replace("\n  ", "; ")


@cache
def _look(resource: str, folders: str) -> tuple[Any, MissingPart | None]:
    try:
        import nltk
    except ModuleNotFoundError:
        fix = f"{install('obfuscation')}, then {get(resource)}"
        return None, MissingPart(f"Raven reads {resource} through NLTK", fix=fix)
    paths = [folder for folder in folders.split(os.pathsep) if folder] + list(nltk.data.path)
    inside = _FILES[resource]
    for path_inside in (f"{inside}.zip/{resource}/", inside):
        with suppress(LookupError):
            return nltk.data.find(path_inside, paths), None
    return None, MissingPart(f"the resource {resource} is not installed", fix=get(resource))


def get(resource: str) -> str:
    """Return the command that installs a resource."""
    return f"python -m nltk.downloader {resource}"


def tagger() -> Any:
    """Load NLTK's English perceptron tagger; MissingPart if it is not here."""
    find(TAGGER)
    return _tagger()


@cache
def _tagger() -> Any:
    from nltk import data
    from nltk.tag.perceptron import PerceptronTagger

    data.path[:0] = [
        folder
        for folder in os.environ.get("NLTK_DATA", "").split(os.pathsep)
        if folder and folder not in data.path
    ]
    return PerceptronTagger(lang="eng")


def tag(tokens: Sequence[str]) -> list[str]:
    """Return the Penn Treebank tags of tokens, in order."""
    return [name for _, name in tagger().tag(list(tokens))] if tokens else []
