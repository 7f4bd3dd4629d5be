"""The oracle of a search attack: verifiers that take no part in the evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from ravenbench import files, registry
from ravenbench.components import Component
from ravenbench.errors import InputError
from ravenbench.obfuscation.base import Oracle
from ravenbench.types import Bools, Floats, Problems
from ravenbench.verifiers.contract.base import Verifier, as_verifier, fresh


@dataclass(frozen=True)
class MeanAnswer:
    """The mean answer of fitted verifiers to variants of one questioned text."""

    verifiers: tuple[Verifier, ...]

    def __call__(self, variants: Sequence[str], known: tuple[str, ...]) -> Floats:
        asked = Problems.of((str(i), known, text) for i, text in enumerate(variants))
        mean: Floats = np.mean([verifier.verify(asked) for verifier in self.verifiers], axis=0)
        return mean


def surrogate_oracle(verifiers: Sequence[Component], problems: Problems, same: Bools) -> Oracle:
    """Mean answers of verifiers fitted on training problems, for variants of one questioned text."""
    return MeanAnswer(tuple(as_verifier(fresh(verifier)).fit(problems, same) for verifier in verifiers))


@dataclass(frozen=True, eq=False)
class Surrogates:
    """Verifiers that a search may ask, fitted when they are first asked.

    ``verifiers`` is their list as it was given; it enters the key of every rewriting that a search made.
    """

    verifiers: str
    problems: Problems
    same: Bools

    @cached_property
    def oracle(self) -> Oracle:
        """The mean answer of all of them."""
        return surrogate_oracle(registry.parse_list("verifier", self.verifiers), self.problems, self.same)


def read_surrogates(
    searching: str, verifiers: str | None, train: str | Path | None, encoding: str | None = None
) -> Surrogates:
    """Surrogates that learn from the problems at a path.

    Parameters
    ----------
    searching : str
        The obfuscator that asks them, for the message.

    Raises
    ------
    InputError
        If no verifiers or no training problems are given, or these cannot be read.
    """
    from ravenbench.formats.problems import read_problems

    if not verifiers or train is None:
        raise InputError(
            f"{searching} searches against surrogate verifiers", fix="--surrogates char-ngram --train PROBLEMS"
        )
    data = read_problems(files.local_copy(train), "train", encoding)
    return Surrogates(verifiers, data.problems, data.truth())
