"""What a run would hold, cost and be able to show, before any of it is computed (contract 7)."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar, cast

import numpy as np

from ravenbench.components import Component
from ravenbench.engine.estimate import CELL, megabytes
from ravenbench.engine.guard import isolated, runs_program, smoke_test, stdout_to_stderr
from ravenbench.engine.pool import Progress, silent
from ravenbench.engine.task import Draft
from ravenbench.engine.transplants import ARMS, BATCHES, REFERENCE_PROBLEMS, WORDS, Transplants, plan_transplants
from ravenbench.errors import RavenError, SpecError, said
from ravenbench.problems.references import References
from ravenbench.problems.transplant import Transplanted, Transplanter
from ravenbench.randomness import stream
from ravenbench.statistics.axes import DOMAIN_MARGIN
from ravenbench.statistics.estimates import correlation, detectable
from ravenbench.tasks.run.plan import draft
from ravenbench.tasks.run.record import RepetitionRecord, RunPlan
from ravenbench.tasks.run.setups import SweepSize, no_choice, pools_advice, sweep_sizes
from ravenbench.tasks.run.spec import RunSpec
from ravenbench.texts import TextTable
from ravenbench.topics import levels
from ravenbench.topics.levels import kept_in, parted_by
from ravenbench.types import Corpus, Fold, Ints
from ravenbench.verifiers.contract.base import FoldFree, Scorer, as_verifier, fresh

T = TypeVar("T")

START = 3.0
"""CPU seconds to load programs here and in a worker, measured on one machine."""
SAMPLE = 200
"""Document pairs timed of a fold-free scorer."""
PART, FEW = 150, 30
"""Problems of a fold that are transplanted, and that are scored by the probe's reference scorers, to time that."""
REPEATED = 5
"""Times that a quick verifier is timed, at most; the least counts."""
SOME = 700
"""Texts, about, by which the second encoder is timed."""
ITERATIONS = (2, 4, 10)
"""Iterations of the second encoder that are timed, after a first time in which all is loaded."""
STEADY = 0.3
"""Spread of a probe's gain against that of independent answers. Both trainings answer the same pairs; a simulated
style-only scorer varied by so much (docs/verdict.md), scorers that lean on topic by more."""


@dataclass(frozen=True)
class MeanSizes:
    """Folds, and the mean number of pairs in their training and test sets."""

    folds: int
    train: float
    test: float


@dataclass(frozen=True)
class Forecast:
    """Sizes are means over folds; seconds are of one core; detectable differences are in AUC.

    ``parts`` says what the topics are: topics, or groups of authors where the texts have none.

    ``segmented`` says how words are found where spaces do not part them.

    ``more_pools`` are options that give the plan several pools, None where there can be none.

    ``seconds`` by verifier; ``untimed`` are those that run outside programs or ask services, none of which is started
    or asked for a forecast. ``planning`` is what the run's planning takes, of which a part was timed, ``closing`` what
    start and report take beside it, ``megabytes`` what a worker holds.
    """

    documents: int
    topics: int
    parts: str
    setups: dict[str, MeanSizes]
    sweep: list[SweepSize] | None
    probe: MeanSizes | None
    probe_reason: str | None
    transplant: MeanSizes | None
    transplant_reason: str | None
    segmented: str
    cells: int
    fits: int
    seconds: dict[str, float]
    untimed: list[str]
    planning: float
    closing: float
    detectable: float | None
    no_choice: str | None
    more_pools: str | None
    detectable_gain: float | None
    megabytes: float

    def to_json(self) -> dict[str, Any]:
        """Every figure by name."""
        return {**asdict(self), "total_seconds": self.total, "cpu_seconds": self.total}

    @property
    def total(self) -> float:
        """Seconds of the whole run on one core."""
        return sum(self.seconds.values()) + self.planning + self.closing

    @property
    def cpu_seconds(self) -> float:
        """The same, as a plan of any task calls it."""
        return self.total


@dataclass
class SampledPlanning:
    """Does a part of what a run plans at length, and estimates what the rest of it takes.

    ``seconds`` are what a run's planning takes beyond what was spent here. ``share`` says how many times as many
    problems a run transplants, in ``folds_left`` further folds; ``sizes`` are those of all of them.
    """

    seconds: float = 0.0
    share: float = 1.0
    folds_left: int = 0
    sizes: MeanSizes | None = None

    def compare(self, work: Callable[..., T], *args: object) -> Callable[[], T]:
        """Compare topics (``args``: a corpus and an encoder), unless the vectors are kept, of a part of the texts in
        few iterations of an encoder that takes many; a forecast needs nothing but the time."""
        corpus, encoder = cast(tuple[Corpus, Any], args)
        rows = np.flatnonzero(corpus.topic.codes >= 0)
        if len([*kept_in(encoder, corpus.texts, rows).glob("*.npy")]) >= -(-len(rows) // levels.PART):
            return lambda: work(*args)
        step = max(1, len(corpus) // SOME)
        texts, timed, most = corpus.texts.view(np.arange(0, len(corpus.texts), step)), [], encoder.iterations
        for few in ITERATIONS:
            start = time.process_time()
            encoder.set_params(iterations=few).encode(texts)
            timed.append(time.process_time() - start)
        each = (timed[2] - timed[1]) / (ITERATIONS[2] - ITERATIONS[1])
        self.seconds += step * (timed[1] + each * (most - ITERATIONS[1])) - sum(timed)
        return lambda: np.zeros((0, 0))  # type: ignore[return-value]

    def transplant(
        self, transplanter: Transplanter, folds: Sequence[Fold], texts: TextTable, progress: Progress
    ) -> Transplants:
        """Transplant a part of the first folds; all of them where that leaves too few problems to say anything."""
        start = time.process_time()
        few = transplanter.transplant(folds[0].test.select(np.arange(min(FEW, len(folds[0].test)))))
        ready = time.process_time() - start
        for part in ([_part(fold) for fold in folds[:BATCHES]], folds):
            start = time.process_time()
            made = plan_transplants(transplanter, part, texts, progress, measure=False)
            if made.section.reason is None:
                break
        else:
            return made
        counts = [len(entry.rows) for entry in made.section.folds]
        tried, problems = sum(len(fold.test) for fold in part), sum(len(fold.test) for fold in folds)
        each = (time.process_time() - start) / tried
        self.share, self.folds_left = problems / tried, len(folds) - len(part)
        whole = _sizes(list(folds))
        self.sizes = MeanSizes(whole.folds, whole.train, whole.test * sum(counts) / tried)
        self.seconds += each * (problems - tried) + _measuring(transplanter, few, ready, each, problems)
        return made


def _measuring(transplanter: Transplanter, few: Transplanted, ready: float, each: float, problems: int) -> float:
    """Seconds that ``engine.transplants.references`` takes, from a few transplanted problems; ``ready`` seconds make a
    transplanter ready, and ``each`` problem takes so many to transplant."""
    start = time.process_time()
    scorers = References(transplanter)
    scorers.score(few.on)
    made = time.process_time() - start
    start = time.process_time()
    scorers.score(few.off)
    scorers.score(few.off2)
    scored = (time.process_time() - start) / max(1, 2 * len(few))
    again = len(WORDS) - 1
    return made + again * ready + min(problems, REFERENCE_PROBLEMS) * (again * each + 4 * len(WORDS) * scored)


def _part(fold: Fold) -> Fold:
    """A fold with a seeded part of its test problems."""
    rows = np.sort(stream(0, "forecast", fold.name).permutation(len(fold.test))[:PART])
    return replace(fold, test=fold.test.select(rows), test_same=fold.test_same[rows])


def forecast(spec: RunSpec, progress: Progress = silent) -> Forecast:
    """Plan a run without writing it, and time each verifier on one fold. Raises InputError if the data cannot fill what
    was asked.
    """
    components = spec.named_verifiers()
    smoke_test(components)
    start, sampled = time.process_time(), SampledPlanning()
    drafted = draft(spec, progress, sampled.compare, sampled.transplant)
    planning = time.process_time() - start + sampled.seconds
    plan, folds = drafted.plan, {fold.name: fold for fold in drafted.folds}
    fits = len({(cell.verifier, plan.folds[cell.fold].train_digest) for cell in plan.cells})
    seconds = {}
    for done, (name, component) in enumerate(components.items()):
        progress("timing verifiers", done, len(components))
        if runs_program(component):
            continue
        try:
            with stdout_to_stderr(), isolated():
                seconds[name] = _cost(component, drafted, list(folds.values()), sampled.share)
        except RavenError:
            raise
        except Exception as error:
            message = f"{type(error).__name__}: {said(error)}"
            raise SpecError(f"{name} fails on the first fold, so its cost is unknown", found=message) from error
    main = [folds[name] for setup in plan.setups for name in setup.folds]
    setups = {}
    for name in dict.fromkeys(setup.setup for setup in plan.setups):
        mine = [folds[f] for setup in plan.setups if setup.setup == name for f in setup.folds]
        setups[name] = _sizes(mine)
    section = plan.probe
    probes = [] if section is None else section.repetitions
    return Forecast(
        documents=plan.corpus.documents,
        topics=len(plan.topics),
        parts=parted_by(plan.topics),
        setups=setups,
        sweep=sweep_sizes(plan.sweep, folds),
        probe=_sizes([folds[f] for entry in probes for f in entry.folds.values()]) if probes else None,
        probe_reason=None if section is None else section.reason,
        transplant=sampled.sizes if plan.transplant is not None and plan.transplant.folds else None,
        transplant_reason=None if plan.transplant is None else plan.transplant.reason,
        segmented="" if plan.transplant is None else plan.transplant.segmented,
        cells=len(plan.cells) + sampled.folds_left * len(ARMS) * len(components),
        fits=fits,
        seconds=seconds,
        untimed=[name for name in components if name not in seconds],
        planning=planning,
        closing=START + CELL * (len(plan.cells) + sampled.folds_left * len(ARMS) * len(components)),
        detectable=_detectable(plan, main),
        no_choice=no_choice(plan),
        more_pools=pools_advice(plan, spec.pool_share),
        detectable_gain=_detectable_gain(probes, folds),
        megabytes=megabytes(drafted.texts),
    )


def chance_variance(fold: Fold) -> float:
    """Variance of the AUC of scores that say nothing: (a + b + 1) / 12ab for a and b pairs of the classes."""
    same = int(fold.test_same.sum())
    other = len(fold.test_same) - same
    return (same + other + 1) / (12 * same * other)


def _detectable(plan: RunPlan, folds: list[Fold]) -> float | None:
    """HITS − Random that would show, were test pairs all that varies."""
    pools = [pool.topics for pool in plan.pools]
    if len(pools) < 2:
        return None
    each = float(np.mean([chance_variance(fold) for fold in folds]))
    return detectable(math.sqrt(2 * each / plan.k), len(pools), correlation=correlation(pools))


def _detectable_gain(probes: list[RepetitionRecord], folds: dict[str, Fold]) -> float | None:
    if not probes:
        return None
    each = float(np.mean([chance_variance(folds[entry.folds[k]]) for entry in probes for k in ("aa", "bb")]))
    topics = [entry.topics for entry in probes]
    # Real and null repetitions both vary.
    sd = STEADY * math.sqrt(2 * each)
    gain = detectable(sd, len(probes) // 2, correlation=correlation(topics))
    return None if gain is None else DOMAIN_MARGIN + gain


def _sizes(folds: list[Fold]) -> MeanSizes:
    train, test = ([len(side) for side in sides] for sides in zip(*((f.train, f.test) for f in folds), strict=True))
    return MeanSizes(len(folds), float(np.mean(train)), float(np.mean(test)))


def _cost(component: Component, drafted: Draft[RunPlan], folds: list[Fold], share: float) -> float:
    """Seconds of all fits and answers of a verifier, from one fold and the number of others; there are ``share`` times
    as many transplanted problems as here."""
    if isinstance(component, FoldFree):
        return _pairs_cost(component, drafted, folds, share)
    fold = folds[0]
    learn = np.ones(len(fold.train), dtype=bool) if fold.train.calibrate is None else ~fold.train.calibrate
    problems, same = fold.train.select(learn), fold.train_same[learn]
    timed = list[tuple[float, float]]()
    # The first time kernels are loaded and texts counted; what is quick is timed again, for a busy machine is uneven.
    while len(timed) < 2 or (len(timed) < REPEATED and sum(map(sum, timed)) < 1):
        start = time.process_time()
        if isinstance(component, Scorer):
            scorer = fresh(component).fit(problems, same)
            fitted = time.process_time()
            scorer.score(fold.test)
        else:
            verifier = as_verifier(fresh(component)).fit(fold.train, fold.train_same)
            fitted = time.process_time()
            verifier.verify(fold.test)
        timed.append((fitted - start, time.process_time() - fitted))
    fit, score = (min(one[side] for one in timed[1:]) for side in (0, 1))
    trains = {drafted.plan.folds[f.name].train_digest: len(f.train) for f in folds}
    fitting = fit * sum(trains.values()) / max(1, len(fold.train))
    questions = sum(len(f.test) * (share if _is_arm(f) else 1) for f in folds)
    return fitting + score * questions / max(1, len(fold.test))


def _is_arm(fold: Fold) -> bool:
    """Whether a fold is one of those that a forecast makes a part of."""
    return fold.labels.get("transplanted") in ARMS


def _pairs_cost(component: FoldFree, drafted: Draft[RunPlan], folds: list[Fold], share: float) -> float:
    assert drafted.texts is not None
    texts, own, arms = drafted.texts, list[Ints](), list[Ints]()
    for fold in folds:
        calibrating = fold.train if fold.train.calibrate is None else fold.train.select(fold.train.calibrate)
        for problems, keys in ((calibrating, own), (fold.test, arms if _is_arm(fold) else own)):
            keys.append(problems.known_index * len(texts) + problems.questioned_index[problems.owner])
    distinct = np.unique(np.concatenate(own))
    pairs = len(distinct) + share * (len(np.unique(np.concatenate(arms))) if arms else 0)
    some = distinct[:: max(1, len(distinct) // SAMPLE)]
    known, questioned = some // len(texts), some % len(texts)
    component.pair_features(texts, known[:2], questioned[:2])
    start = time.process_time()
    component.pair_features(texts, known, questioned)
    return (time.process_time() - start) * pairs / len(some)
