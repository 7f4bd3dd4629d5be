"""Known-truth checks of the topic tests: what they say of scorers whose reliance on topic is known (ours).

Every replicate is a fresh synthetic corpus, planned as a run is: pools with HITS and Random, the crossed probe with
its null. Style-only and topic-only are fitted once a training set, and every dose blends their standardised scores,
so a dose costs an AUC. All scores are kept, so the power of smaller designs (fewer pools, folds, repetitions or test
pairs) is read off parts of the same trials.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ravenbench import registry
from ravenbench.bench.run.probe import NEAR
from ravenbench.corpora.synthetic import Synthetic
from ravenbench.errors import SpecError
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


@dataclass(frozen=True)
class Design:
    """What is simulated; the corpus gets another seed each replicate."""

    corpus: str = "synthetic(style=0.4)"
    pairs: str = "matched"
    doses: tuple[float, ...] = (0.0, 0.05, 0.1, 0.2, 0.5, 1.0)
    pools: int = 10
    folds: int = 5
    repetitions: int = 20
    seed: int = 0


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


def check(design: Design) -> None:
    """Refuse what cannot be simulated.

    Raises
    ------
    SpecError
        If the corpus is not synthetic, a dose lies outside [0, 1], or there are too few pools or repetitions.
    """
    if not isinstance(registry.parse("corpus", design.corpus), Synthetic):
        raise SpecError("truth is known of the synthetic corpus alone", found=design.corpus, fix="synthetic(style=…)")
    registry.parse("pairs", design.pairs)
    if not design.doses or any(not 0 <= dose <= 1 for dose in design.doses):
        raise SpecError("doses must lie in [0, 1]", found=", ".join(map(str, design.doses)))
    if design.pools < 2 or design.repetitions < 2:
        raise SpecError("a simulation needs two pools and two repetitions", fix="raise --pools and --repetitions")


def trials(design: Design, replicates: int, workers: int, progress: Callable[[str, int, int], None]) -> Iterator[Trial]:
    """Replicates in order, whatever the number of workers."""
    from joblib import Parallel, delayed

    jobs = (delayed(trial)(design, number) for number in range(replicates))
    pool = Parallel(n_jobs=min(workers, replicates), return_as="generator")
    for done, one in enumerate(pool(jobs), start=1):
        progress("simulating", done, replicates)
        yield one


def trial(design: Design, number: int) -> Trial:
    """One replicate, from texts to scores."""
    base = registry.parse("corpus", design.corpus)
    seed = int(stream(design.seed, "simulate", number).integers(2**31))
    corpus = base.set_params(seed=seed).load()
    rule = registry.parse("pairs", design.pairs)
    similarity = topic_similarity(corpus, registry.parse("encoder", "lsa"))
    defaults: dict[str, Any] = dict(corpus.notes["defaults"])
    pools = draw_pools(len(similarity), defaults["m"], design.pools, 0.5, seed)
    setups = [
        {name: _setup(design, corpus, similarity, rule, pool, p, name, seed) for name in ("hits", "random")}
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
    design: Design,
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
