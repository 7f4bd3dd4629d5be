"""Draws the parts of a plan that use topics: setups, the crossed probe, a sweep (Sawatphol et al. 2024, §7).

In: a ``RunSpec``, a ``Corpus``, cosine similarities of topics (T, T) from −1 to 1, pools of topics, rules for pairs.
Out: records of the plan (``SetupRecord``, ``ProbeRecord``, ``SweepRecord`` or None), where topics are numbers from 0,
and ``Fold`` objects; ``leakage`` gives mean and highest cosine, ``sweep_sizes`` counts, ``pools_advice`` and
``no_choice`` text or None. CorpusError if a point of a sweep cannot be drawn; without data for a probe its record
gives the reason.

Points of a sweep that choose the same topics of a pool share their folds, and so their cells: Random is drawn once for
all encoders, and the points of the main design are those of the plan's setups.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np

from ravenbench.engine.pool import Progress
from ravenbench.errors import CorpusError
from ravenbench.problems import sources
from ravenbench.problems.needs import Sizes
from ravenbench.problems.probe import ProbeDomain, crossed, domains, permuted, room_for_tests
from ravenbench.sampling import Random, Sampler, more_pools
from ravenbench.tasks.run import record
from ravenbench.tasks.run.spec import RunSpec
from ravenbench.types import Corpus, Floats, Fold, Ints


def pools_advice(plan: record.RunPlan, share: float) -> str | None:
    """Return the options, as text, with which a plan of one pool would have several; None if it has too few topics (see
    ``more_pools``)."""
    chosen = [plan.m] if plan.sweep is None else plan.sweep.m
    return more_pools(len(plan.topics), max(chosen), plan.k, share, fixed=len(chosen) > 1)


def no_choice(plan: record.RunPlan) -> str | None:
    """Return a sentence on why HITS and Random of a plan cannot be compared; None if they can, or if one is missing.
    They choose the same topics if all topics are chosen.
    """
    if not {"hits", "random"} <= {setup.setup for setup in plan.setups}:
        return None
    if any(len(pool.topics) > plan.m for pool in plan.pools):
        return None
    size = plan.m
    cure = f"choose fewer than {size} with --topics, or give" if size > 2 else "give"
    return (
        f"HITS and Random cannot be compared: {size} of {size} topics are chosen, so both"
        f" choose the same topics and differ only by chance. To compare them, {cure} a column"
        " with more topics by --topic."
    )


Place = tuple[int, tuple[int, ...], tuple[int, ...]]
"""Pool, chosen topics in ascending order, and what every topic of the corpus counts as."""


@dataclass
class Drawing:
    """The inputs for drawing every setup of a run, and what has been drawn.

    ``folds`` has those of every setup so far; ``known`` finds them by choice, so that points of a sweep that choose
    alike share them, and by choice and setup, so that a point of the main design finds those of its own setup.
    """

    corpus: Corpus
    pools: list[Ints]
    pairing: sources.Pairing
    sizes: Sizes
    similarity: Floats
    folds: dict[str, Fold] = field(default_factory=dict)
    known: dict[tuple[Place, str | None], list[str]] = field(default_factory=dict)

    def main(self, pool: int, name: str, sampler: Sampler) -> record.SetupRecord:
        """The entry of a setup of the main design, on folds of its own; further draws of Random are that setup too."""
        setup = sampler.name if isinstance(sampler, Random) else name
        topics, merged = self._choice(pool, sampler, self.sizes.topics, self.similarity)
        drawn = self._draw(pool, setup, topics, merged, f"p{pool:02d}-{_slug(name)}")
        folder = _choice_key(pool, topics, merged)
        self.known[folder, name] = drawn
        self.known.setdefault((folder, None), drawn)
        return record.SetupRecord(**self._entry(pool, setup, topics, merged, drawn))

    def point(
        self, pool: int, name: str, sampler: Sampler, size: int, encoder: int, similarity: Floats
    ) -> record.PointRecord:
        """The entry of a point of a sweep; ``similarity`` (T, T) is that of its ``encoder``."""
        topics, merged = self._choice(pool, sampler, size, similarity)
        folder = _choice_key(pool, topics, merged)
        drawn = self.known.get((folder, name)) or self.known.get((folder, None))
        if drawn is None:
            drawn = self._draw(
                pool, name, topics, merged, f"p{pool:02d}-m{size}-e{encoder}-{_slug(name)}"
            )
            self.known[folder, None] = drawn
        mean, highest = leakage(similarity, [self.folds[fold] for fold in drawn])
        setup = self._entry(pool, name, topics, merged, drawn)
        return record.PointRecord(
            **setup, m=size, encoder=encoder, own_mean_similarity=mean, own_max_similarity=highest
        )

    def _entry(
        self, pool: int, setup: str, topics: Ints, merged: Ints, drawn: list[str]
    ) -> dict[str, Any]:
        mean, highest = leakage(self.similarity, [self.folds[fold] for fold in drawn])
        return {
            "pool": pool,
            "setup": setup,
            "topics": topics.tolist(),
            "merged": {
                int(topic): int(merged[topic])
                for topic in np.flatnonzero(merged >= 0)
                if merged[topic] != topic
            },
            "mean_similarity": mean,
            "max_similarity": highest,
            "folds": drawn,
        }

    def _choice(
        self, pool: int, sampler: Sampler, size: int, similarity: Floats
    ) -> tuple[Ints, Ints]:
        inside = self.pools[pool]
        # The same stream for every m: of a sampler that draws, smaller choices are parts of larger ones.
        rng = self.pairing.draws("sampler", pool, str(sampler))
        chosen = sampler.select(similarity[np.ix_(inside, inside)], size, rng)
        merged: Ints = np.full(len(similarity), -1, dtype=np.int64)
        survives = chosen.merged >= 0
        merged[inside[survives]] = inside[chosen.merged[survives]]
        return inside[chosen.chosen], merged

    def _draw(self, pool: int, name: str, topics: Ints, merged: Ints, fold_name: str) -> list[str]:
        drawn = sources.topics(
            self.corpus,
            topics,
            merged,
            k=self.sizes.folds,
            pairing=self.pairing,
            name=fold_name,
            labels={"pool": pool, "setup": name},
        )
        self.folds |= {fold.name: fold for fold in drawn}
        return [fold.name for fold in drawn]


def leakage(similarity: Floats, folds: list[Fold]) -> tuple[float, float]:
    """Return the mean and highest cosine (−1 to 1) over train × test topic pairs of each fold, averaged over folds
    (Table 7)."""
    blocks = [
        similarity[np.ix_(fold.counts["train_topics"], fold.counts["test_topics"])]
        for fold in folds
    ]
    return float(np.mean([block.mean() for block in blocks])), float(
        np.mean([block.max() for block in blocks])
    )


def sizes_of_sweep(main: Sizes, further: list[Sizes]) -> Sizes:
    """Return the sizes of the main design, with folds that fit every number of topics."""
    return replace(main, folds=min(sizes.folds for sizes in (main, *further)))


def _choice_key(pool: int, topics: Ints, merged: Ints) -> Place:
    return pool, tuple(sorted(topics.tolist())), tuple(merged.tolist())


def _slug(name: str) -> str:
    """A setup's name as part of a file's."""
    return re.sub(r"[^A-Za-z0-9.-]+", "-", name).strip("-")


NOT_ASKED = "not asked for"
NEAR = 2
"""Training topics for each test topic."""


def plan_probe(
    spec: RunSpec,
    corpus: Corpus,
    similarity: Floats,
    pairing: sources.Pairing,
    progress: Progress,
    pool_limit: int | None = None,
) -> tuple[record.ProbeRecord, list[Fold]]:
    """The plan's ``probe`` section and the folds it names.

    Repetitions whose sets yield no pairs are left out and counted; where topics are too few for any, the section
    says so under ``reason``. Nothing here raises for lack of data: a run without a probe gives no verdict. Of a
    ``few`` repetitions of each kind folds are drawn, of all where none is said; of the others only domains are.
    """
    tests = room_for_tests(len(similarity), NEAR) if spec.probe in ("crossed", "both") else 0
    planned = 2 * spec.repetitions if tests else 0
    left_out = 0
    reason = _reason(spec, len(similarity), tests)
    repetitions: list[record.RepetitionRecord] = []
    folds: list[Fold] = []
    for null in (False, True) if tests else ():
        tries = 0
        for number in range(spec.repetitions):
            progress("drawing the probe", number + null * spec.repetitions, planned)
            rng = pairing.draws("probe", number, int(null))
            pair = domains(permuted(similarity, rng) if null else similarity, tests, NEAR, rng)
            if tries == pool_limit:
                repetitions.append(_entry(number, null, pair, similarity, []))
                continue
            name = f"{'null' if null else 'probe'}-{number:02d}"
            try:
                labels: dict[str, str | int] = {
                    "setup": "probe",
                    "repetition": number,
                    "null": int(null),
                }
                drawn = crossed(corpus, pair, pairing, name=name, labels=labels)
            except CorpusError as error:
                left_out += 1
                reason = f"{name}: {error.problem}"
                continue
            folds += drawn
            tries += 1
            repetitions.append(_entry(number, null, pair, similarity, drawn))
    section = record.ProbeRecord(
        kind=spec.probe,
        tests=tests,
        near=NEAR,
        planned=planned,
        left_out=left_out,
        reason=reason,
        repetitions=repetitions,
    )
    return section, folds


def _reason(spec: RunSpec, topics: int, tests: int) -> str | None:
    if spec.probe in ("transplant", "none"):
        return NOT_ASKED
    needed = (
        f"two domains with one test topic each and {NEAR} training topics for it take "
        f"{2 * (1 + NEAR)}"
    )
    return f"{topics} topics are too few: {needed}" if tests == 0 else None


def _entry(
    number: int,
    null: bool,
    pair: tuple[ProbeDomain, ProbeDomain],
    similarity: Floats,
    folds: list[Fold],
) -> record.RepetitionRecord:
    blocks = {
        (i, j): similarity[np.ix_(pair[i].train, pair[j].test)].mean()
        for i in (0, 1)
        for j in (0, 1)
    }
    return record.RepetitionRecord(
        repetition=number,
        null=null,
        domains=[
            record.DomainRecord(test=domain.test.tolist(), train=domain.train.tolist())
            for domain in pair
        ],
        matched_similarity=float((blocks[0, 0] + blocks[1, 1]) / 2),
        mismatched_similarity=float((blocks[0, 1] + blocks[1, 0]) / 2),
        folds={fold.name[-2:]: fold.name for fold in folds},
    )


USUAL = ("hits", "random", "anti")


def plan_sweep(
    spec: RunSpec,
    drawing: Drawing,
    sizes: list[int],
    similarities: list[Floats],
    progress: Progress,
) -> record.SweepRecord | None:
    """The plan's ``sweep`` section, its folds drawn; None where there is but one design and no further sampler.

    ``sizes`` are every m, ``similarities`` (T, T) those of every encoder, the main one first in both. Raises
    CorpusError if a corpus of a point cannot be drawn.
    """
    samplers = spec.named_samplers()
    if len(sizes) == len(similarities) == 1 and {
        sampler.name for sampler in samplers.values()
    } <= set(USUAL):
        return None
    points = list(product(range(len(drawing.pools)), sizes, range(len(similarities)), samplers))
    setups = []
    for done, (pool, size, encoder, name) in enumerate(points):
        progress("drawing the sweep", done, len(points))
        setups.append(
            drawing.point(pool, name, samplers[name], size, encoder, similarities[encoder])
        )
    return record.SweepRecord(
        m=sizes,
        encoders=[str(encoder) for encoder in spec.encoders()],
        samplers={name: str(sampler) for name, sampler in samplers.items()},
        setups=setups,
    )


@dataclass(frozen=True)
class SweepSize:
    """A point of a sweep over all pools: counts of its folds and of those no earlier point has, mean count of pairs in
    train and test."""

    m: int
    encoder: str
    setup: str
    folds: int
    new: int
    train: float
    test: float


def sweep_sizes(
    section: record.SweepRecord | None, folds: Mapping[str, Fold]
) -> list[SweepSize] | None:
    """Return the size of every point of a sweep; None without a sweep."""
    if section is None:
        return None
    rows: dict[tuple[int, int, str], list[str]] = {}
    for setup_row in section.setups:
        rows.setdefault((setup_row.m, setup_row.encoder, setup_row.setup), []).extend(
            setup_row.folds
        )
    counted: set[str] = set()
    sizes = []
    for (size, encoder, setup), names in rows.items():
        train, test = (
            float(np.mean([len(getattr(folds[name], side)) for name in names]))
            for side in ("train", "test")
        )
        new = len(set(names) - counted)
        sizes.append(
            SweepSize(size, section.encoders[encoder], setup, len(names), new, train, test)
        )
        counted |= set(names)
    return sizes
