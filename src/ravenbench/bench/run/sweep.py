"""A plan's sweep: every sampler at every number of topics and by every encoder (Sawatphol et al. 2024, §7).

Points that choose the same topics of a pool share their folds, and so their cells: Random is drawn once for all
encoders, and the points of the main design are those of the plan's setups.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ravenbench.bench.run.record import SweepRecord
from ravenbench.bench.run.setups import Drawing
from ravenbench.bench.run.spec import RunSpec
from ravenbench.engine.pool import Progress
from ravenbench.types import Floats, Fold

USUAL = ("hits", "random", "anti")


def plan_sweep(
    spec: RunSpec, drawing: Drawing, sizes: list[int], similarities: list[Floats], progress: Progress
) -> SweepRecord | None:
    """The plan's ``sweep`` section, its folds drawn; None where there is but one design and no further sampler.

    Parameters
    ----------
    sizes : list of int
        Every m, the main one first.
    similarities : list of (T, T) float64
        By every encoder, the main one first.

    Raises
    ------
    CorpusError
        If a corpus of a point cannot be drawn.
    """
    samplers = spec.named_samplers()
    if len(sizes) == len(similarities) == 1 and {s.name for s in samplers.values()} <= set(USUAL):
        return None
    points = [
        (pool, name, m, e)
        for pool in range(len(drawing.pools))
        for m in sizes
        for e in range(len(similarities))
        for name in samplers
    ]
    setups = []
    for done, (pool, name, m, e) in enumerate(points):
        progress("drawing the sweep", done, len(points))
        setups.append(drawing.point(pool, name, samplers[name], m, e, similarities[e]))
    return SweepRecord(
        m=sizes,
        encoders=[str(encoder) for encoder in spec.encoders()],
        samplers={name: str(sampler) for name, sampler in samplers.items()},
        setups=setups,
    )


@dataclass(frozen=True)
class SweepSize:
    """A point of a sweep over all pools: its folds, how many no earlier point has, mean pairs of train and test."""

    m: int
    encoder: str
    setup: str
    folds: int
    new: int
    train: float
    test: float


def sweep_sizes(section: SweepRecord | None, folds: Mapping[str, Fold]) -> list[SweepSize] | None:
    """The size of every point of a sweep; None where there is none."""
    if section is None:
        return None
    rows: dict[tuple[int, int, str], list[str]] = {}
    for entry in section.setups:
        rows.setdefault((entry.m, entry.encoder, entry.setup), []).extend(entry.folds)
    seen: set[str] = set()
    found = []
    for (m, encoder, setup), names in rows.items():
        found.append(
            SweepSize(
                m=m,
                encoder=section.encoders[encoder],
                setup=setup,
                folds=len(names),
                new=len(set(names) - seen),
                train=float(np.mean([len(folds[name].train) for name in names])),
                test=float(np.mean([len(folds[name].test) for name in names])),
            )
        )
        seen |= set(names)
    return found
