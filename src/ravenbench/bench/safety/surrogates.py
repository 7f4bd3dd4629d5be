"""The oracle of a search attack: verifiers that take no part in the evaluation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ravenbench.components import Component
from ravenbench.obfuscation.base import Oracle
from ravenbench.types import Bools, Floats, Problems
from ravenbench.verifiers.contract.base import as_verifier, fresh


def surrogate_oracle(verifiers: Sequence[Component], problems: Problems, same: Bools) -> Oracle:
    """Mean answers of verifiers fitted on training problems, for variants of one questioned text."""
    fitted = [as_verifier(fresh(v)).fit(problems, same) for v in verifiers]

    def scores(variants: Sequence[str], known: tuple[str, ...]) -> Floats:
        asked = Problems.of((str(i), known, text) for i, text in enumerate(variants))
        mean: Floats = np.mean([verifier.verify(asked) for verifier in fitted], axis=0)
        return mean

    return scores
