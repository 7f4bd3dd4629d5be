"""Known-truth checks of the topic tests: what they say of scorers whose reliance on topic is known (ours).

Every replicate is a fresh synthetic corpus, planned as a run is: pools with HITS and Random, the crossed probe with
its null. Style-only and topic-only are fitted once a training set, and every dose blends their standardised scores,
so a dose costs an AUC. All scores are kept, so the power of smaller designs (fewer pools, folds, repetitions or test
pairs) is read off parts of the same trials.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ravenbench import registry
from ravenbench.bench.run.probe import NEAR
from ravenbench.bench.simulate.spec import SimulateSpec
from ravenbench.metrics.auc import auc_of_scores
from ravenbench.problems import probe, sources
from ravenbench.problems.base import PairRule
from ravenbench.randomness import stream
from ravenbench.sampling.pools import draw_pools
from ravenbench.topics.levels import topic_similarity
from ravenbench.types import Bools, Corpus, Floats, Fold
from ravenbench.verifiers.controls.blend import Blend, mixed

Scored = tuple[Bools, Floats]
"""Truth (n,) and standardised style-only and topic-only scores (n, 2) of one test set."""


ENCODER = "lsa"
"""What topics are compared by."""
SETUPS = ("hits", "random")
FOUR = ("aa", "ab", "ba", "bb")
"""The test sets of one repetition of the probe, by training domain and test domain."""


@dataclass(frozen=True, eq=False)
class Trial:
    """All scores of one replicate.

    ``setups[pool]["hits"|"random"]`` lists the folds; ``gains[null]`` lists repetitions, each the four test sets by
    (training domain, test domain); ``pool_topics`` and ``probe_topics`` say what they share.
    """

    setups: list[dict[str, list[Scored]]]
    pool_topics: list[list[int]]
    gains: dict[bool, list[dict[str, Scored]]]
    probe_topics: list[list[int]]


def trial(design: SimulateSpec, seed: int) -> Trial:
    """The replicate whose draws have this seed, from texts to scores."""
    corpus = registry.parse("corpus", design.corpus).set_params(seed=seed).load()
    rule = registry.parse("pairs", design.pairs)
    similarity = topic_similarity(corpus, registry.parse("encoder", ENCODER))
    defaults: dict[str, Any] = dict(corpus.notes["defaults"])
    pools = draw_pools(len(similarity), defaults["m"], design.pools, 0.5, seed)
    setups = [
        {name: _setup(design, corpus, similarity, rule, pool, p, name, seed) for name in SETUPS}
        for p, pool in enumerate(pools)
    ]
    gains: dict[bool, list[dict[str, Scored]]] = {False: [], True: []}
    topics = []
    for null in gains:
        for r in range(design.repetitions):
            rng = stream(seed, "probe", r, int(null))
            tests = probe.room_for_tests(len(similarity), NEAR)
            pair = probe.domains(probe.permuted(similarity, rng) if null else similarity, tests, NEAR, rng)
            name = f"{'null' if null else 'probe'}-{r:02d}"
            folds = probe.crossed(corpus, pair, rule=rule, documents=defaults["documents"], seed=seed, name=name)
            gains[null].append(_four(folds))
            topics.append([int(t) for domain in pair for t in (*domain.test, *domain.train)])
    return Trial(setups, [pool.tolist() for pool in pools], gains, topics)


def _setup(
    design: SimulateSpec,
    corpus: Corpus,
    similarity: Floats,
    rule: PairRule,
    pool: Any,
    number: int,
    name: str,
    seed: int,
) -> list[Scored]:
    defaults: dict[str, Any] = dict(corpus.notes["defaults"])
    sampler = registry.parse("sampler", name)
    rng = stream(seed, "sampler", number, name)
    chosen = pool[sampler.select(similarity[np.ix_(pool, pool)], defaults["m"], rng).chosen]
    folds = sources.topics(
        corpus,
        chosen,
        k=design.folds,
        rule=rule,
        documents=defaults["documents"],
        seed=seed,
        name=f"p{number:02d}-{name}",
    )
    return [_scored(_fitted(fold), fold) for fold in folds]


def _four(folds: list[Fold]) -> dict[str, Scored]:
    fitted = {"a": _fitted(folds[0]), "b": _fitted(folds[2])}
    return {fold.name[-2:]: _scored(fitted[fold.name[-2]], fold) for fold in folds}


def _fitted(fold: Fold) -> Blend:
    """Fitted on what is not set apart to calibrate on, as a run does."""
    learn = np.ones(len(fold.train), dtype=bool) if fold.train.calibrate is None else ~fold.train.calibrate
    return Blend().fit(fold.train.select(learn), fold.train_same[learn])


def _scored(blend: Blend, fold: Fold) -> Scored:
    return fold.test_same, blend.standardised(fold.test)


def area(scored: Scored, dose: float, pairs: int | None = None) -> float | None:
    """AUC of a test set at a dose, on its first ``pairs`` pairs (they are in random order)."""
    same, parts = scored
    return auc_of_scores(same[:pairs], mixed(parts[:pairs], dose))
