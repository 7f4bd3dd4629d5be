"""One world, from texts to the figures of both axes for scorers of known reliance (ours).

Every fold's test set is transplanted, and the crossed probe is repeated; one fit a training set answers everything.
The figures are those of a run (``statistics.content``, ``statistics.axes``); they are judged afterwards. Beside
them stand the same with simpler errors: *alone* is the swing without topics among what is drawn, and the gain with
the error of independent repetitions. Their coverage shows what the fuller errors are for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.lab import worlds
from benchmarks.lab.spec import SimulateSpec
from benchmarks.lab.worlds import (
    BATCHED,
    COMPANY,
    Adversaries,
    Cosine,
    Scorers,
    World,
    draw,
    names,
    shown,
    words_of,
)
from ravenbench import registry
from ravenbench.engine.apart import Apart, divided, handed, pickled
from ravenbench.engine.cells import CellUnit
from ravenbench.engine.transplants import mixed
from ravenbench.problems.transplant import Transplanted, Transplanter
from ravenbench.randomness import Draws, stream
from ravenbench.statistics import axes
from ravenbench.statistics.axes import Crossed, Repetition, gain_figure, gain_of
from ravenbench.statistics.content import ContentDesign, ContentFigures, KeptFold, Versions, alike
from ravenbench.statistics.estimates import Estimate
from ravenbench.store.records import CellPlace
from ravenbench.store.store import Store
from ravenbench.text.counting import forget_counts
from ravenbench.text.segmenters import Segmenter
from ravenbench.types import Corpus, Floats, Ints, Problems

KEPT, NAMED = dict[tuple[str, ...], str](), dict[str, str]()
"""First texts of a process: by their words but for content, and by the name of a problem that asked about them."""


class Company:
    """Adversaries that look for the originals of spliced texts, asked as a run asks methods that are not its own.

    They go by content alone, that of the original where they find it, in a world of which the words ``functions``
    carry none. Handed all texts at once, in one process, they show no content effect; a run hands no more than problems
    cite, each call to a process that saw nothing else (``engine.apart``). ``seeker`` goes by the first text of the
    table that it is handed with the same words but for content, ``keeper`` by the first that it was ever handed,
    ``ids`` by what a problem of the same name asked first.
    """

    def __init__(self, functions: frozenset[str]) -> None:
        self.functions = functions
        self.content = Cosine(
            lambda text: [word for word in words_of(text) if word not in functions]
        )

    def score(self, problems: Problems) -> Floats:
        """Scores (n, 3) in the order of ``COMPANY``."""
        texts, here, rows = list(problems.texts), dict[tuple[str, ...], set[str]](), list[Any]()
        frames = [
            tuple(word for word in words_of(text) if word in self.functions) for text in texts
        ]
        for frame, text in zip(frames, texts, strict=True):
            here.setdefault(frame, set()).add(text)
            KEPT.setdefault(frame, text)
        for i, row in enumerate(problems.questioned_index.tolist()):
            frame, known = frames[row], [texts[k] for k in problems.known(i)]
            named = NAMED.setdefault(str(problems.ids[i]), texts[row])
            rows += [("", known, original) for original in (min(here[frame]), KEPT[frame], named)]
        return self.content.score(
            Problems.of([(f"{i}", *row[1:]) for i, row in enumerate(rows)])
        ).reshape(-1, 3)


def asked_apart(company: Company, problems: Problems, plain: Problems) -> Floats:
    """Scores (n, 3) of an arm that was made from ``plain`` problems, as a run asks."""
    given, learned = np.full((len(problems), len(COMPANY)), np.nan), Apart(pickled(company))
    place = {problems.texts.hash(row): row for row in problems.documents.tolist()}
    for rows in divided(
        problems, [place.get(plain.texts.hash(row), -1) for row in plain.questioned_index.tolist()]
    ):
        call, order = handed(problems.select(rows))
        with learned.process_for(None) as process:
            given[rows[order]] = process.ask(
                lambda one, call: (one, {"scores": one.score(call)}), call
            )["scores"]
    return given


@dataclass(frozen=True)
class Trial:
    """Figures of one scorer in one world.

    ``repetitions`` are those of the crossed probe that were complete, 0 where the probe does not apply; ``alike``
    says that both fits of every repetition answered alike. ``behind`` are the figures of its scores where these order
    problems otherwise than its answers.
    """

    content: ContentFigures
    behind: ContentFigures | None = None
    swing_alone: Estimate | None = None
    gain: Estimate | None = None
    gain_alone: Estimate | None = None
    repetitions: int = 0
    alike: bool = False


def trial(spec: SimulateSpec, number: int) -> dict[str, Trial]:
    """The figures of all scorers in the world of this number."""
    forget_counts()
    world, cosine = draw(spec, number), worlds.untrained()
    maker = Transplanter(
        world.corpus.texts,
        author=world.corpus.author,
        topic=world.corpus.topic,
        similarity=world.similarity,
        function_words=spec.function_words,
        draws=Draws(number),
        language=world.corpus.language,
        segmenter=None if spec.segmenter is None else registry.parse("segmenter", spec.segmenter),
    )
    transplants = [maker.transplant(fold.test) for fold in world.folds]
    results = _content(spec, world, transplants, cosine, maker.splicer.segmenter)
    for name, repetitions in _crossed(spec, world, cosine).items():
        results[name] = _with_gain(results[name], repetitions)
    return {name: results[name] for name in names(spec.doses)}


def _content(
    spec: SimulateSpec,
    world: World,
    made: Sequence[Transplanted],
    untrained: Cosine,
    segmenter: Segmenter,
) -> dict[str, Trial]:
    usable, versions = list[KeptFold](), dict[str, tuple[list[Versions], list[Versions]]]()
    hidden, batched, company = (
        Adversaries(spec, world, segmenter),
        set[str](),
        Company(worlds.functions(spec, world)),
    )
    numbers: dict[str, int] = {}
    for fold, done in zip(world.folds, made, strict=True):
        test, same = fold.test.select(done.rows), fold.test_same[done.rows]
        problem = np.array(
            [numbers.setdefault(name, len(numbers)) for name in test.ids.tolist()], dtype=np.int64
        )
        rows = np.stack([test.known_index, test.questioned_index], axis=1)
        corpus = world.corpus
        usable.append(KeptFold(same, corpus.author.codes[rows], problem, corpus.topic.codes[rows]))
        fitted = Scorers(world.legible(fold), untrained, spec.doses, world.number, hidden)
        arms = {
            "plain": test,
            "along": mixed(done.on, done.off, same),
            "against": mixed(done.off, done.on, same),
        }
        arms = {arm: world.read(problems) for arm, problems in (arms | {"off": done.off2}).items()}
        each = {arm: fitted.of_version(p, fold.name, arm, same) for arm, p in arms.items()}
        original = world.read(done.plain)
        for arm, problems in (arms | {"plain": original}).items():
            given = asked_apart(company, problems, original)
            answers = map(fitted.calibrators["content"].transform, given.T)
            each[arm] |= dict(zip(COMPANY, zip(given.T, answers, strict=True), strict=True))
        for name in each["plain"]:
            for kind, of_kind in enumerate(versions.setdefault(name, ([], []))):
                plain, along, against, off2 = (each[arm][name][kind] for arm in arms)
                of_kind.append(
                    Versions(
                        plain, np.where(same, along, against), np.where(same, against, along), off2
                    )
                )
        for dose in spec.doses:
            thin = stream(world.number, "study-thin", fold.name, str(dose)).random(len(same)) < dose
            both = versions.setdefault(f"texts {shown(dose)}", ([], []))
            for of_kind, (*_, (plain, on, off, off2)) in zip(
                both, versions["untrained topic"], strict=True
            ):
                of_kind.append(Versions(plain, np.where(thin, on, off2), off, off2))
        half = np.arange(len(same))[::2]
        again = fitted.of(arms["plain"].select(half), fold.name, "again", same[half])
        batched |= {
            n
            for n in BATCHED
            if not alike(again[n], each["plain"][n][0][half], each["plain"][n][0])
        }
    full = ContentDesign(tuple(usable), world.similarity)
    # Topics are left out of what is drawn, as where a corpus does not know how alike they are.
    authors = ContentDesign(tuple(usable))
    return {
        name: Trial(
            *full.judged(answers, scores, batched=name in batched), authors.figures(answers).swing
        )
        for name, (scores, answers) in versions.items()
    }


def _crossed(spec: SimulateSpec, world: World, untrained: Cosine) -> Mapping[str, list[Repetition]]:
    gathered: dict[str, list[Repetition]] = {}
    for folds in (list(map(world.legible, folds)) for folds in world.crossed(spec)):
        fits = {
            n: Scorers(fold, untrained, spec.doses, world.number)
            for n, fold in (("a", folds[0]), ("b", folds[2]))
        }
        each = {
            f.name[-2:]: fits[f.name[-2]].of(f.test, f.name, "plain", f.test_same) for f in folds
        }
        for name in each["aa"]:
            tests = [
                Crossed(
                    fold.test_same,
                    each[home][name],
                    each[away][name],
                    _topics(world.corpus, fold.test),
                )
                for fold, home, away in ((folds[0], "aa", "ba"), (folds[3], "bb", "ab"))
            ]
            gathered.setdefault(name, []).append((tests[0], tests[1]))
    return gathered


def _with_gain(trial: Trial, repetitions: Sequence[Repetition]) -> Trial:
    from scipy.special import stdtrit

    gains = np.array([gain for pair in repetitions if (gain := gain_of(pair)) is not None])
    if axes.alike(repetitions):
        return replace(trial, repetitions=len(gains), alike=True)
    alone = None
    if len(gains) > 1:
        mean, error = float(gains.mean()), float(gains.std(ddof=1) / np.sqrt(len(gains)))
        half = float(stdtrit(len(gains) - 1, 0.975)) * error
        alone = Estimate(mean, error, (mean - half, mean + half), len(gains) - 1.0)
    return replace(trial, gain=gain_figure(repetitions), gain_alone=alone, repetitions=len(gains))


def _topics(corpus: Corpus, problems: Problems) -> Ints:
    return corpus.topic.codes[np.stack([problems.known_index, problems.questioned_index], axis=1)]


CONTENT = (
    "auc",
    "style_left",
    "drop",
    "swing",
    "share",
    "sway",
    "shift",
    "turned",
    "silence",
    "null_swing",
    "null_share",
    "null_shift",
    "null_turned",
)
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


def arrays_of(trials: Sequence[Trial]) -> dict[str, NDArray[Any]]:
    """Arrays of s scorers.

    ``figures`` (s, 16, 5) has for each figure its value, error, interval's ends and degrees of freedom, NaN for None;
    ``behind`` (s, 13, 5) the same of scores that order problems otherwise than answers; ``counts`` (s, 8) the counts of
    the transplant, 1 where answers depend on the batch, the complete repetitions, and 1 where answers were alike.
    """
    figures = [
        [
            *(_numbers(getattr(one.content, name)) for name in CONTENT),
            *(_numbers(getattr(one, n)) for n in OTHERS),
        ]
        for one in trials
    ]
    behind = [[_numbers(getattr(one.behind, name, None)) for name in CONTENT] for one in trials]
    counts = [
        [*(int(getattr(one.content, name)) for name in COUNTS), one.repetitions, int(one.alike)]
        for one in trials
    ]
    return {
        "figures": np.array(figures, dtype=np.float64),
        "behind": np.array(behind, dtype=np.float64),
        "counts": np.array(counts, dtype=np.int64),
    }


def trials_of(arrays: Mapping[str, NDArray[Any]]) -> list[Trial]:
    """The scorers that ``arrays_of`` took apart."""
    results = []
    for figures, behind, counts in zip(
        *(arrays[name].tolist() for name in ("figures", "behind", "counts")), strict=True
    ):
        read = {
            name: _figure(numbers)
            for name, numbers in zip((*CONTENT, *OTHERS), figures, strict=True)
        }
        *counted, repetitions, alike = counts
        numbers = dict(zip(COUNTS, counted, strict=True))
        batched = bool(numbers.pop("batched"))
        fields: dict[str, Any] = {
            **{name: read[name] for name in CONTENT},
            **numbers,
            "batched": batched,
        }
        content = ContentFigures(**fields)
        scored: dict[str, Any] = {
            name: _figure(each) for name, each in zip(CONTENT, behind, strict=True)
        }
        raw = None if scored["auc"] is None else content._replace(**scored)
        alone, gain, gain_alone = (read[name] for name in OTHERS)
        results.append(Trial(content, raw, alone, gain, gain_alone, repetitions, bool(alike)))
    return results


def _numbers(figure: Estimate | None) -> list[float]:
    if figure is None:
        return [np.nan] * 5
    numbers = (figure.value, figure.error, *(figure.interval or (None, None)), figure.freedom)
    return [np.nan if value is None else value for value in numbers]


def _figure(numbers: Sequence[float]) -> Estimate | None:
    value, error, low, high, freedom = (None if np.isnan(number) else number for number in numbers)
    if value is None:
        return None
    return Estimate(value, error, None if low is None or high is None else (low, high), freedom)
