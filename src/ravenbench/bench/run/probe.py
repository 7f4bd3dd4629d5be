"""The crossed probe's part of a plan: its repetitions, those of its null, and their folds."""

from __future__ import annotations

import numpy as np

from ravenbench.bench.run.record import DomainRecord, ProbeRecord, RepetitionRecord
from ravenbench.bench.run.spec import RunSpec
from ravenbench.engine.pool import Progress
from ravenbench.errors import CorpusError
from ravenbench.problems.pair_rules import PairRule
from ravenbench.problems.probe import Domain, crossed, domains, permuted, room_for_tests
from ravenbench.randomness import stream
from ravenbench.types import Corpus, Floats, Fold

NOT_ASKED = "not asked for"
NEAR = 2
"""Training topics for each test topic."""


def plan_probe(
    spec: RunSpec, corpus: Corpus, similarity: Floats, rule: PairRule, documents: int, progress: Progress
) -> tuple[ProbeRecord, list[Fold]]:
    """The plan's ``probe`` section and the folds it names.

    Repetitions whose sets yield no pairs are left out and counted; where topics are too few for any, the section
    says so under ``reason``. Nothing here raises for lack of data: a run without a probe gives no verdict.
    """
    tests = room_for_tests(len(similarity), NEAR) if spec.probe in ("crossed", "both") else 0
    planned = 2 * spec.repetitions if tests else 0
    left_out, reason = 0, _reason(spec, len(similarity), tests)
    repetitions: list[RepetitionRecord] = []
    folds: list[Fold] = []
    for null in (False, True) if tests else ():
        for number in range(spec.repetitions):
            progress("drawing the probe", number + null * spec.repetitions, planned)
            rng = stream(spec.seed, "probe", number, int(null))
            pair = domains(permuted(similarity, rng) if null else similarity, tests, NEAR, rng)
            name = f"{'null' if null else 'probe'}-{number:02d}"
            try:
                drawn = crossed(
                    corpus,
                    pair,
                    rule=rule,
                    documents=documents,
                    calibration=spec.calibration,
                    seed=spec.seed,
                    name=name,
                    labels={"setup": "probe", "repetition": number, "null": int(null)},
                    limit=spec.limit,
                )
            except CorpusError as error:
                left_out += 1
                reason = f"{name}: {error.problem}"
                continue
            folds += drawn
            repetitions.append(_entry(number, null, pair, similarity, drawn))
    section = ProbeRecord(
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
    if tests == 0:
        return (
            f"{topics} topics are too few: two domains of one test topic and {NEAR} to train on take {2 * (1 + NEAR)}"
        )
    return None


def _entry(
    number: int, null: bool, pair: tuple[Domain, Domain], similarity: Floats, folds: list[Fold]
) -> RepetitionRecord:
    blocks = {(i, j): similarity[np.ix_(pair[i].train, pair[j].test)].mean() for i in (0, 1) for j in (0, 1)}
    return RepetitionRecord(
        repetition=number,
        null=null,
        domains=[DomainRecord(test=d.test.tolist(), train=d.train.tolist()) for d in pair],
        matched_similarity=float((blocks[0, 0] + blocks[1, 1]) / 2),
        mismatched_similarity=float((blocks[0, 1] + blocks[1, 0]) / 2),
        folds={fold.name[-2:]: fold.name for fold in folds},
    )
