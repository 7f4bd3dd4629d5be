"""The functions of tasks as type checkers see them, written by ``python -m ravenbench.bench.functions``."""

from collections.abc import Sequence
from pathlib import Path

from ravenbench.bench.task import RunResult
from ravenbench.engine.pool import Engine, Progress

def simulate(
    corpus: str | None = None,
    *,
    replicates: int | None = None,
    pairs: str | None = None,
    doses: str | Sequence[float] | None = None,
    pools: int | None = None,
    folds: int | None = None,
    repetitions: int | None = None,
    function_words: int | None = None,
    seed: int | None = None,
    out: str | Path | None = None,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> RunResult:
    """Judge scorers whose reliance on content is known, on both axes of the verdict, in fresh worlds."""
