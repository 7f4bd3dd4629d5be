"""About how long a comparison takes, from what its default methods took on a comparison of the usual size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ravenbench.store.records import CellPlace
from ravenbench.types import Fold, Problems

AROUND = 12.0
"""CPU seconds of planning and of the report."""
COMPILING = 40.0
"""CPU seconds that compiling the default methods' kernels takes, once on a machine."""
RATES: Mapping[str, tuple[float, float]] = {
    "raven-2026": (0.0055, 0.0022),
    "impostors": (0.0011, 0.0041),
    "masked(lambdag, frequency-mask)": (0.0004, 0.0047),
    "ppm": (0.0, 0.0002),
    "char-ngram": (0.0001, 0.0001),
    "function-words": (0.0001, 0.0001),
}
"""CPU seconds a thousand words of training problems, and of problems asked about: measured on a case of four texts of
500 words against 40 authors with five each, with compiled code ready."""


def cost(folds: Sequence[Fold], missing: Iterable[CellPlace]) -> float | None:
    """CPU seconds of the cells that are missing and of what goes around them, and of compiling where this machine never
    did; None where a method's rate is not known.

    A problem's words are those of all its texts, so a text counts as often as it is asked about.
    """
    by_name = {fold.name: fold for fold in folds}
    total, fitted = AROUND, set()
    for place in missing:
        if place.verifier not in RATES:
            return None
        learning, asking = RATES[place.verifier]
        fold = by_name[place.fold]
        total += asking * _thousands(fold.test)
        if (place.verifier, digest := fold.train_digest()) not in fitted:
            fitted.add((place.verifier, digest))
            total += learning * _thousands(fold.train)
    return total if compiled() or not fitted else total + COMPILING


def compiled() -> bool:
    """Whether kernels were compiled on this machine before, and are kept."""
    from ravenbench.text import ppm_kernels

    return any(Path(ppm_kernels.pack.stats.cache_path).glob("ppm_kernels.*.nbi"))


def _thousands(problems: Problems) -> float:
    """Words of all problems, in thousands."""
    words = {row: len(problems.texts[row].split()) for row in problems.documents.tolist()}
    rows = [*problems.known_index.tolist(), *problems.questioned_index.tolist()]
    return sum(words[row] for row in rows) / 1000
