"""Problems as tasks of an obfuscator, and problems with the new texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ravenbench.obfuscation.base import ObfuscationTask
from ravenbench.types import Problems


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
