"""A sampler's choice within a pool, and the folds drawn on it: one entry of a plan's ``setups``."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from ravenbench.bench.run.record import PointRecord, SetupRecord
from ravenbench.bench.run.spec import RunSpec
from ravenbench.problems import sources
from ravenbench.problems.needs import Sizes
from ravenbench.problems.pair_rules import PairRule
from ravenbench.randomness import stream
from ravenbench.sampling.samplers import Random, Sampler
from ravenbench.types import Corpus, Floats, Fold, Ints

Place = tuple[int, tuple[int, ...], tuple[int, ...]]
"""Pool, chosen topics in ascending order, and what every topic of the corpus counts as."""


@dataclass
class Drawing:
    """What every setup of a run is drawn with, and what has been drawn.

    ``folds`` holds those of every setup so far; ``known`` finds them by choice, so that points of a sweep that choose
    alike share them, and by choice and setup, so that a point of the main design finds those of its own setup.
    """

    spec: RunSpec
    corpus: Corpus
    pools: list[Ints]
    rule: PairRule
    sizes: Sizes
    similarity: Floats
    folds: dict[str, Fold] = field(default_factory=dict)
    known: dict[tuple[Place, str | None], list[str]] = field(default_factory=dict)

    def main(self, pool: int, name: str, sampler: Sampler) -> SetupRecord:
        """The entry of a setup of the main design, on folds of its own; further draws of Random are that setup too."""
        setup = sampler.name if isinstance(sampler, Random) else name
        topics, merged = self._choice(pool, sampler, self.sizes.topics, self.similarity)
        drawn = self._draw(pool, setup, topics, merged, f"p{pool:02d}-{_slug(name)}")
        place = _place(pool, topics, merged)
        self.known[place, name] = drawn
        self.known.setdefault((place, None), drawn)
        similar = leakage(self.similarity, [self.folds[f] for f in drawn])
        return SetupRecord(
            pool=pool,
            setup=setup,
            topics=topics.tolist(),
            merged=_joined(merged),
            mean_similarity=similar.mean,
            max_similarity=similar.highest,
            folds=drawn,
        )

    def point(self, pool: int, name: str, sampler: Sampler, m: int, encoder: int, similarity: Floats) -> PointRecord:
        """The entry of a point of a sweep; ``similarity`` (T, T) is that of its ``encoder``."""
        topics, merged = self._choice(pool, sampler, m, similarity)
        place = _place(pool, topics, merged)
        drawn = self.known.get((place, name)) or self.known.get((place, None))
        if drawn is None:
            drawn = self._draw(pool, name, topics, merged, f"p{pool:02d}-m{m}-e{encoder}-{_slug(name)}")
            self.known[place, None] = drawn
        folds = [self.folds[f] for f in drawn]
        similar, own = leakage(self.similarity, folds), leakage(similarity, folds)
        return PointRecord(
            pool=pool,
            setup=name,
            topics=topics.tolist(),
            merged=_joined(merged),
            mean_similarity=similar.mean,
            max_similarity=similar.highest,
            folds=drawn,
            m=m,
            encoder=encoder,
            own_mean_similarity=own.mean,
            own_max_similarity=own.highest,
        )

    def _choice(self, pool: int, sampler: Sampler, m: int, similarity: Floats) -> tuple[Ints, Ints]:
        inside = self.pools[pool]
        # The same stream for every m: of a sampler that draws, smaller choices are parts of larger ones.
        rng = stream(self.spec.seed, "sampler", pool, str(sampler))
        chosen = sampler.select(similarity[np.ix_(inside, inside)], m, rng)
        merged: Ints = np.full(len(similarity), -1, dtype=np.int64)
        kept = chosen.merged >= 0
        merged[inside[kept]] = inside[chosen.merged[kept]]
        return inside[chosen.chosen], merged

    def _draw(self, pool: int, name: str, topics: Ints, merged: Ints, fold_name: str) -> list[str]:
        drawn = sources.topics(
            self.corpus,
            topics,
            merged,
            k=self.sizes.folds,
            rule=self.rule,
            documents=self.sizes.documents,
            calibration=self.spec.calibration,
            seed=self.spec.seed,
            name=fold_name,
            labels={"pool": pool, "setup": name},
            limit=self.spec.limit,
        )
        self.folds |= {fold.name: fold for fold in drawn}
        return [fold.name for fold in drawn]


class Leakage(NamedTuple):
    """Mean and highest cosine over train × test topic pairs of each fold, averaged over folds (Table 7)."""

    mean: float
    highest: float


def leakage(similarity: Floats, folds: list[Fold]) -> Leakage:
    """How alike the training and test topics of these folds are."""
    blocks = [similarity[np.ix_(f.counts["train_topics"], f.counts["test_topics"])] for f in folds]
    return Leakage(float(np.mean([b.mean() for b in blocks])), float(np.mean([b.max() for b in blocks])))


def _joined(merged: Ints) -> dict[int, int]:
    return {int(t): int(merged[t]) for t in np.flatnonzero(merged >= 0) if merged[t] != t}


def sizes_of_sweep(first: Sizes, others: list[Sizes]) -> Sizes:
    """The main design's sizes, with folds that fit every number of topics."""
    return replace(first, folds=min(s.folds for s in (first, *others)))


def _place(pool: int, topics: Ints, merged: Ints) -> Place:
    return pool, tuple(sorted(topics.tolist())), tuple(merged.tolist())


def _slug(name: str) -> str:
    """A setup's name as part of a file's."""
    return re.sub(r"[^A-Za-z0-9.-]+", "-", name).strip("-")
