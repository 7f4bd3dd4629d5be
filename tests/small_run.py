"""What a run, and a check of a verifier's promises, is asked for where any small one will do."""

from __future__ import annotations

from ravenbench.testing import toy_problems
from ravenbench.types import Bools, Problems

SMALL = {
    "corpus": "synthetic(authors=40, topics=8, documents=240, words=60)",
    "topics": 4,
    "folds": 2,
    "pools": 1,
    "samplers": "hits, random",
    "docs_per_topic": 30,
    "probe": "none",
}


def few(known: int = 1) -> tuple[Problems, Bools]:
    """As many problems as show whether a verifier keeps its promises: to learn from and, blind, to be asked."""
    return toy_problems(24, known, seed=1)
