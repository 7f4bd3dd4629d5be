"""Rewriting a whole document set in parallel, one text a job."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from ravenbench.obfuscation.base import ObfuscationTask, Obfuscator, Oracle, Rewriting
from ravenbench.types import Problems


def rewrite_all(
    obfuscator: Obfuscator,
    tasks: Sequence[ObfuscationTask],
    seed: int = 0,
    *,
    workers: int = 1,
    oracle: Oracle | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> list[Rewriting]:
    """Fit on the set, then rewrite each task; the result does not depend on ``workers``.

    Raises
    ------
    InputError
        As ``Obfuscator.obfuscate``.
    """
    from joblib import Parallel, delayed

    obfuscator.fit(tasks)
    size = max(1, min(8, -(-len(tasks) // (4 * max(1, workers)))))
    blocks = [tasks[i : i + size] for i in range(0, len(tasks), size)]
    jobs = (delayed(_block)(obfuscator, block, seed, oracle) for block in blocks)
    done: list[Rewriting] = []
    for block in Parallel(n_jobs=min(workers, max(1, len(blocks))), return_as="generator")(jobs):
        done += block
        if progress is not None:
            progress(f"rewriting: {obfuscator.name}", len(done), len(tasks))
    return done


def tasks_of(
    problems: Problems, which: Iterable[int] | None = None, language: str | None = None
) -> list[ObfuscationTask]:
    """Make the tasks of verification problems (all, or these), blind to authors and truth."""
    texts = problems.texts
    return [
        ObfuscationTask(
            str(problems.ids[i]), texts[problems.questioned_index[i]], tuple(texts.rows(problems.known(i))), language
        )
        for i in (range(len(problems)) if which is None else which)
    ]


def with_questioned(problems: Problems, which: Sequence[int], texts: Sequence[str]) -> Problems:
    """The same problems with new questioned texts for these; labels are dropped, calibration marks stay."""
    new = {int(i): text for i, text in zip(which, texts, strict=True)}
    rows = (
        (
            str(problems.ids[i]),
            problems.texts.rows(problems.known(i)),
            new[i] if i in new else problems.texts[problems.questioned_index[i]],
        )
        for i in range(len(problems))
    )
    return Problems.of(rows, calibrate=None if problems.calibrate is None else np.asarray(problems.calibrate))


def _block(
    obfuscator: Obfuscator, tasks: Sequence[ObfuscationTask], seed: int, oracle: Oracle | None
) -> list[Rewriting]:
    return [obfuscator.obfuscate(task, seed, oracle) for task in tasks]
