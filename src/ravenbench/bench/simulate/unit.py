"""One replicate as a unit of work, and a trial as the arrays of its cell."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ravenbench.bench.shared.opened import open_store
from ravenbench.bench.shared.record import CellRecord, Seconds
from ravenbench.bench.shared.work import tell
from ravenbench.bench.simulate.plan import NAME
from ravenbench.bench.simulate.spec import SimulateSpec
from ravenbench.bench.simulate.trials import FOUR, SETUPS, Scored, Trial, trial
from ravenbench.components import identity
from ravenbench.verifiers.controls.blend import Blend


@dataclass(frozen=True)
class ReplicateUnit:
    """A fresh corpus, from texts to the scores of all its test sets."""

    run: Path
    spec: SimulateSpec
    fold: str
    seed: int
    key: str

    def work(self) -> list[str]:
        """Simulate it and commit its cell; an error becomes a failed cell."""
        store = open_store(self.run)
        info = store.plan.folds[self.fold]
        began = time.perf_counter()
        arrays: dict[str, NDArray[Any]] = {}
        wrong = None
        try:
            arrays = arrays_of(trial(self.spec, self.seed))
        except Exception as error:
            wrong = tell(error)
        record = CellRecord(
            key=self.key,
            verifier=NAME,
            identity=identity(Blend()),
            train_digest=info.train_digest,
            test_digest=info.test_digest,
            n=len(arrays.get("same", ())),
            seconds=Seconds(fit=time.perf_counter() - began, score=0.0),
            error=wrong,
        )
        store.write_cell(record, arrays)
        return [] if wrong is None else [f"{self.fold}: {wrong.splitlines()[0]}"]


def arrays_of(found: Trial) -> dict[str, NDArray[Any]]:
    """A trial's arrays: truth and scores of all test sets end to end, the sizes of each, and the topics used.

    Test sets come pool by pool, HITS before Random, fold by fold; then repetition by repetition of the probe, and
    those of its null, the four of each by training and test domain.
    """
    sets = [scored for setup in found.setups for name in SETUPS for scored in setup[name]]
    sets += [four[name] for null in (False, True) for four in found.gains[null] for name in FOUR]
    return {
        "same": np.concatenate([same for same, _ in sets]),
        "parts": np.concatenate([parts for _, parts in sets]),
        "sizes": np.array([len(same) for same, _ in sets], dtype=np.int64),
        "pool_topics": np.array(found.pool_topics, dtype=np.int64),
        "probe_topics": np.array(found.probe_topics, dtype=np.int64),
    }


def trial_of(spec: SimulateSpec, arrays: Mapping[str, NDArray[Any]]) -> Trial:
    """The trial that ``arrays_of`` took apart."""
    ends = np.cumsum(arrays["sizes"])
    sets = _sets(arrays, ends)
    setups = [{name: [next(sets) for _ in range(spec.folds)] for name in SETUPS} for _ in range(spec.pools)]
    gains = {null: [{name: next(sets) for name in FOUR} for _ in range(spec.repetitions)] for null in (False, True)}
    return Trial(setups, arrays["pool_topics"].tolist(), gains, arrays["probe_topics"].tolist())


def _sets(arrays: Mapping[str, NDArray[Any]], ends: NDArray[Any]) -> Iterator[Scored]:
    for size, end in zip(arrays["sizes"].tolist(), ends.tolist(), strict=True):
        yield arrays["same"][end - size : end], arrays["parts"][end - size : end]
