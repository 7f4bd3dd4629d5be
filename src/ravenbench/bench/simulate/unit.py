"""One replicate as a unit of work, and a trial as the arrays of its cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ravenbench.bench.simulate.trials import Found, trial
from ravenbench.engine.cells import CellUnit
from ravenbench.statistics.content import ContentFigures
from ravenbench.statistics.estimates import Estimate
from ravenbench.store.records import CellPlace
from ravenbench.store.store import Store

CONTENT = ("auc", "style_left", "drop", "swing", "share", "sway", "silence", "null_swing", "null_share")
OTHERS = ("swing_alone", "gain", "gain_alone")
COUNTS = ("same", "different", "folds", "missing", "units", "batched")


@dataclass(frozen=True)
class ReplicateUnit(CellUnit):
    """A world, from texts to the figures of all scorers; the ``method`` is the spec of the simulation."""

    seed: int
    user_code = False

    def learn(self, store: Store) -> dict[str, NDArray[Any]]:
        return arrays_of(list(trial(self.method, self.seed).values()))

    def size(self, store: Store, place: CellPlace, filled: Mapping[str, NDArray[Any]]) -> int:
        return len(filled.get("counts", ()))

    def where(self, place: CellPlace) -> str:
        return f"{place.fold}: "


def arrays_of(found: Sequence[Found]) -> dict[str, NDArray[Any]]:
    """Arrays of s scorers.

    ``figures`` (s, 12, 5) has for each figure its value, error, interval's ends and degrees of freedom, NaN for None;
    ``counts`` (s, 8) the counts of the transplant, 1 where answers depend on the batch, the complete repetitions, and 1
    where answers were alike.
    """
    figures = [
        [*(_numbers(getattr(one.content, name)) for name in CONTENT), *(_numbers(getattr(one, n)) for n in OTHERS)]
        for one in found
    ]
    counts = [[*(int(getattr(one.content, name)) for name in COUNTS), one.repetitions, int(one.alike)] for one in found]
    return {"figures": np.array(figures, dtype=np.float64), "counts": np.array(counts, dtype=np.int64)}


def found_of(arrays: Mapping[str, NDArray[Any]]) -> list[Found]:
    """The scorers that ``arrays_of`` took apart."""
    found = []
    for figures, counts in zip(arrays["figures"].tolist(), arrays["counts"].tolist(), strict=True):
        read = {name: _figure(numbers) for name, numbers in zip((*CONTENT, *OTHERS), figures, strict=True)}
        *counted, repetitions, alike = counts
        numbers = dict(zip(COUNTS, counted, strict=True))
        batched = bool(numbers.pop("batched"))
        made: dict[str, Any] = {**{name: read[name] for name in CONTENT}, **numbers, "batched": batched}
        content = ContentFigures(**made)
        alone, gain, gain_alone = (read[name] for name in OTHERS)
        found.append(Found(content, alone, gain, gain_alone, repetitions, bool(alike)))
    return found


def _numbers(figure: Estimate | None) -> list[float]:
    if figure is None:
        return [np.nan] * 5
    given = (figure.value, figure.error, *(figure.interval or (None, None)), figure.freedom)
    return [np.nan if value is None else value for value in given]


def _figure(numbers: Sequence[float]) -> Estimate | None:
    value, error, low, high, freedom = (None if np.isnan(number) else number for number in numbers)
    if value is None:
        return None
    return Estimate(value, error, None if low is None or high is None else (low, high), freedom)
