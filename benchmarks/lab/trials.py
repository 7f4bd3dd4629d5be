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
from ravenbench.engine.apart import Apart, divided, handed, load, pickled
from ravenbench.engine.cells import CellUnit
from ravenbench.engine.transplants import mixed
from ravenbench.problems.strata import even_fold
from ravenbench.problems.transplant import Transplanted, Transplanter
from ravenbench.randomness import Draws, stream
from ravenbench.statistics import axes
from ravenbench.statistics.axes import Crossed, Repetition, gain_figure, gain_of
from ravenbench.statistics.content import (
    ContentDesign,
    ContentFigures,
    KeptFold,
    Versions,
    alike,
    topic_aucs,
)
from ravenbench.statistics.estimates import Estimate
from ravenbench.store.records import CellPlace
from ravenbench.store.store import Store
from ravenbench.text.counting import forget_counts
from ravenbench.text.splicing import FITTED, FREE
from ravenbench.types import Bools, Corpus, Floats, Fold, Ints, Problems

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


_ANY = registry.parse("verifier", "chance")
"""Stands for a method whose parameters name no file."""


def asked_apart(company: Company, problems: Problems, plain: Problems) -> Floats:
    """Scores (n, 3) of an arm that was made from ``plain`` problems, as a run asks."""
    given, learned = (
        np.full((len(problems), len(COMPANY)), np.nan),
        Apart(_ANY, (load, pickled(company))),
    )
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
    problems otherwise than its answers; ``free`` are both where words were replaced freely, ``content`` and ``behind``
    where they were fitted. ``helps`` and ``misleads`` are AUCs on untouched texts, where topic does.
    """

    content: ContentFigures
    behind: ContentFigures | None = None
    free: tuple[ContentFigures, ContentFigures | None] | None = None
    helps: Estimate | None = None
    misleads: Estimate | None = None
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
    results = _content(spec, world, maker, cosine)
    for name, repetitions in _crossed(spec, world, cosine).items():
        results[name] = _with_gain(results[name], repetitions)
    return {name: results[name] for name in names(spec.doses, spec.company)}


Answered = dict[str, tuple[Floats, Floats]]
"""By scorer its scores and answers (n,)."""


@dataclass(frozen=True)
class Asking:
    """The scorers of one world, fitted on one fold, and how they are asked."""

    spec: SimulateSpec
    world: World
    fold: Fold
    fitted: Scorers
    company: Company

    def ask(self, problems: Problems, version: str, same: Bools, plain: Problems) -> Answered:
        """Scores and answers on a set that was made of ``plain`` problems."""
        read = self.world.read(problems)
        given = self.fitted.of_version(read, self.fold.name, version, same)
        if self.spec.company:
            scores = asked_apart(self.company, read, self.world.read(plain)).T
            answers = map(self.fitted.calibrators["content"].transform, scores)
            given |= dict(zip(COMPANY, zip(scores, answers, strict=True), strict=True))
        return given

    def versions(
        self, done: Transplanted, plain: Answered, replacement: str
    ) -> dict[str, tuple[Versions, Versions]]:
        """Of all scorers the versions of scores and answers; ``plain`` are those of the original texts."""
        same = self.fold.test_same[done.rows]
        arms = {
            "along": mixed(done.on, done.off, same),
            "against": mixed(done.off, done.on, same),
            "off": done.off2,
        }
        each = {
            arm: self.ask(problems, f"{replacement}-{arm}", same, done.plain)
            for arm, problems in arms.items()
        }

        def of(name: str, kind: int, original: Floats) -> Versions:
            along, against, off2 = (each[arm][name][kind] for arm in arms)
            on, off = np.where(same, along, against), np.where(same, against, along)
            return Versions(original, on, off, off2)

        made = {
            name: (of(name, 0, scores), of(name, 1, answers))
            for name, (scores, answers) in plain.items()
        }
        for dose in self.spec.doses:
            rng = stream(self.world.number, "study-thin", self.fold.name, str(dose))
            thin = rng.random(len(self.fold.test))[done.rows] < dose

            def thinned(versions: Versions, thin: Bools = thin) -> Versions:
                plain, on, off, off2 = versions
                return Versions(plain, np.where(thin, on, off2), off, off2)

            scores, answers = made["untrained topic"]
            made[f"texts {shown(dose)}"] = thinned(scores), thinned(answers)
        return made


def _content(
    spec: SimulateSpec, world: World, maker: Transplanter, untrained: Cosine
) -> dict[str, Trial]:
    """What both replacements of content words show, and topic on untouched texts."""
    hidden = Adversaries(spec, world, maker.splicer.segmenter)
    company = Company(worlds.functions(spec, world))
    corpus = world.corpus
    numbers = dict[str, int]()
    kept: dict[str, list[KeptFold]] = {FITTED: [], FREE: []}
    versions: dict[str, dict[str, list[tuple[Versions, Versions]]]] = {FITTED: {}, FREE: {}}
    batched = set[str]()
    even = dict[str, list[Floats]]()
    even_folds = list[KeptFold]()
    for fold in world.folds:
        done = maker.transplant(fold.test)
        test, same = fold.test.select(done.rows), fold.test_same[done.rows]
        whole = _kept(corpus, test, same, numbers)
        fitted = Scorers(
            world.legible(fold), untrained, spec.doses, world.number, hidden, maker.splicer
        )
        asking = Asking(spec, world, fold, fitted, company)
        plain = asking.ask(test, "plain", same, done.plain)
        for way, part in ((FITTED, done), (FREE, maker.otherwise(fold.test, done))):
            kept[way].append(whole)
            for name, both in asking.versions(part, plain, way).items():
                versions[way].setdefault(name, []).append(both)
        half = np.arange(len(same))[::2]
        again = fitted.of(world.read(test.select(half)), fold.name, "again", same[half])
        batched |= {
            name for name in BATCHED if not alike(again[name], plain[name][0][half], plain[name][0])
        }
        strata = even_fold(fold, corpus, Draws(world.number)("strata", fold.name))
        if strata is not None:
            given = asking.ask(strata.test, "strata", strata.test_same, strata.test)
            even_folds.append(_kept(corpus, strata.test, strata.test_same, numbers))
            for name, (_, published) in given.items():
                even.setdefault(name, []).append(published)
    full = {way: ContentDesign(tuple(folds), world.similarity) for way, folds in kept.items()}
    # Topics are left out of what is drawn, as where a corpus does not know how alike they are.
    authors = ContentDesign(tuple(kept[FITTED]))
    results = dict[str, Trial]()
    for name in versions[FITTED]:
        figures = {
            way: full[way].judged(
                *([pair[kind] for pair in versions[way][name]] for kind in (1, 0)),
                batched=name in batched,
            )
            for way in full
        }
        answers = [pair[1] for pair in versions[FITTED][name]]
        topical = (
            topic_aucs(even_folds, even[name], world.similarity) if name in even else (None, None)
        )
        results[name] = Trial(
            *figures[FITTED], figures[FREE], *topical, authors.figures(answers).swing
        )
    return results


def _kept(corpus: Corpus, test: Problems, same: Bools, numbers: dict[str, int]) -> KeptFold:
    problem = [numbers.setdefault(name, len(numbers)) for name in test.ids.tolist()]
    rows = np.stack([test.known_index, test.questioned_index], axis=1)
    topics = corpus.topic.codes[rows]
    return KeptFold(same, corpus.author.codes[rows], np.array(problem, dtype=np.int64), topics)


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
OTHERS = ("helps", "misleads", "swing_alone", "gain", "gain_alone")
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

    ``figures`` (s, 18, 5) has for each figure its value, error, interval's ends and degrees of freedom, NaN for None;
    ``behind`` (s, 13, 5) the same of scores that order problems otherwise than answers; ``free`` and ``free_behind``
    the same where words were replaced freely; ``counts`` and ``free_counts`` (s, 8) the counts of the transplant, 1
    where answers depend on the batch, the complete repetitions, and 1 where answers were alike.
    """
    arrays = dict[str, list[Any]]()
    for one in trials:
        assert one.free is not None
        for prefix, (content, behind) in {"": (one.content, one.behind), "free_": one.free}.items():
            others = [_numbers(getattr(one, name)) for name in OTHERS]
            each = {
                "figures": [*(_numbers(getattr(content, name)) for name in CONTENT), *others],
                "behind": [_numbers(getattr(behind, name, None)) for name in CONTENT],
                "counts": [
                    *(int(getattr(content, name)) for name in COUNTS),
                    one.repetitions,
                    int(one.alike),
                ],
            }
            for name, numbers in each.items():
                arrays.setdefault(prefix + name, []).append(numbers)
    return {
        name: np.array(rows, dtype=np.int64 if name.endswith("counts") else np.float64)
        for name, rows in arrays.items()
    }


def trials_of(arrays: Mapping[str, NDArray[Any]]) -> list[Trial]:
    """The scorers that ``arrays_of`` took apart."""
    results = []
    for number, figures in enumerate(arrays["figures"].tolist()):
        fitted, free = (
            _content_of(
                *(arrays[prefix + name][number] for name in ("figures", "behind", "counts"))
            )
            for prefix in ("", "free_")
        )
        others: dict[str, Any] = {
            name: _figure(each) for name, each in zip(OTHERS, figures[len(CONTENT) :], strict=True)
        }
        repetitions, alike = arrays["counts"][number, len(COUNTS) :].tolist()
        results.append(Trial(*fitted, free, **others, repetitions=repetitions, alike=bool(alike)))
    return results


def _content_of(
    figures: Floats, behind: Floats, counts: Ints
) -> tuple[ContentFigures, ContentFigures | None]:
    """The figures of answers, and of scores, by one replacement."""
    answered, scored = (
        {name: _figure(numbers) for name, numbers in zip(CONTENT, table.tolist(), strict=False)}
        for table in (figures, behind)
    )
    counted: dict[str, Any] = dict(zip(COUNTS, counts.tolist(), strict=False))
    counted["batched"] = bool(counted["batched"])
    known: dict[str, Any] = {**answered, **counted}
    content = ContentFigures(**known)
    again: dict[str, Any] = {**scored}
    return content, None if scored["auc"] is None else content._replace(**again)


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
