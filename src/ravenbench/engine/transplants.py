"""Plans the transplant probe: for folds that exist, test sets whose questioned texts have other texts' content words.

In: ``Fold`` objects over a ``TextTable``, a ``Transplanter``; ``plan_given_transplants`` takes one fold of given
problems.
Out: ``Transplants``: a ``TransplantRecord`` (counts of words and problems; shares and AUC from 0 to 1; ``reason`` =
why nothing was transplanted), further folds, and the table with their texts. Nothing is raised for lack of
texts to take content from. ``references`` gives AUCs of the reference scorers; ``most_transplants`` is for forecasts,
as if every problem could be transplanted.

Words are replaced in two ways, *fitted* and *free* (``text.splicing``), and in those that are asked for. The test sets
are folds like others (with the training set of the fold they come from), so the fits that exist answer them, as
ordinary cells. An arm of the probe is one set: *along* (same-author problems on topic, different-author ones off it),
*against* (the reverse) and *off* (all off it, with other donors), for an answer that depends on its batch would else
hide in it. One more set shows whether any does: a part of the problems in another order (``batch``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import numpy as np

from ravenbench.engine.apart import arm_id
from ravenbench.engine.pool import Progress
from ravenbench.problems.donors import ByContent
from ravenbench.problems.references import FromWhatStays, References
from ravenbench.problems.transplant import Transplanted, Transplanter, known_authors, shortage
from ravenbench.randomness import Draws
from ravenbench.statistics.content import ContentDesign, KeptFold, Versions, topic_aucs
from ravenbench.statistics.estimates import Estimate
from ravenbench.store.plans import on_one_table
from ravenbench.store.records import Record
from ravenbench.text.splicing import FITTED, FREE, FUNCTION_WORDS
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Floats, Fold, Interval, Ints, Labels, Problems, name_array

ARMS = ("along", "against", "off")
BATCHES = 2
"""Folds of which a part is answered again as another batch."""
IN_BATCH = 40
"""Problems answered again in each, at most; half of the fold's if these are fewer."""
REFERENCE_PROBLEMS = 800
"""Problems, in whole folds, from which on no more are taken to measure the reference scorers."""
WORDS = (100, 200, 500)
"""Numbers of frequent words that may stay of which the reference scorers are measured."""


Shown = Mapping[str, tuple[float, float | None, float | None]]
"""By name a value and its interval's ends."""


def estimate_of(shown: Shown, name: str) -> Estimate | None:
    """The figure of this name, with its interval; None where there is none."""
    if name not in shown:
        return None
    value, low, high = shown[name]
    return Estimate(value, None, None if low is None or high is None else (low, high), None)


class TransplantedFold(Record, frozen=True, kw_only=True):
    """A fold's arms by name, the rows of their test problems, and the fold that repeats some of them, for one
    ``replacement``.

    ``again`` has the places of these among ``rows``, in their order; of every second the questioned text is that of the
    arm *off*, of the others the original.
    """

    source: str
    arms: dict[str, str] = {}
    rows: list[int]
    left_out: dict[str, int]
    batch: str | None = None
    again: list[int] = []
    replacement: str = FITTED


class ReferenceRecord(Record, frozen=True, kw_only=True):
    """What the reference scorers reach, in AUC, where ``kept`` words stay of the ``function_words`` most frequent
    ones that may.

    ``content`` and ``lengths`` have, by name (auc, style_left, swing), a value and its interval's ends. ``named`` is
    the share of texts whose topic a classifier names from the words that stay.
    """

    function_words: int
    kept: int
    problems: int
    content: Shown
    lengths: Shown
    named: float | None

    def interval(self, scorer: str, name: str) -> Interval | None:
        """The interval (low, high), in AUC, of a figure of ``content`` or ``lengths``."""
        figure = estimate_of(getattr(self, scorer), name)
        return None if figure is None else figure.interval


class TransplantRecord(Record, frozen=True, kw_only=True):
    """The transplant probe: how donors were chosen, how many frequent words stay, counts of problems left out by
    reason.

    ``reason`` says why nothing was transplanted, ``kept_by`` what decided which words stay; ``named`` is the share of
    texts whose topic a classifier names from all frequent words, ``topics`` how many topics there are. ``segmenter``
    found the words, and ``segmented`` says why this segmenter; it is empty if spaces separate words.
    """

    by: str
    function_words: int
    reason: str | None
    left_out: dict[str, int]
    folds: list[TransplantedFold]
    kept_by: str = ""
    references: list[ReferenceRecord] = []
    named: float | None = None
    topics: int = 0
    segmenter: str = "spaces"
    segmented: str = ""

    def reference(self) -> ReferenceRecord | None:
        """The reference scorers with as many words staying as in the probe itself."""
        return next(
            (reference for reference in self.references if reference.kept == self.function_words),
            None,
        )


@dataclass(frozen=True, eq=False)
class Transplants:
    """A plan's section, its folds (over ``texts``), and the table of all texts, those of the plan first."""

    section: TransplantRecord
    folds: list[Fold]
    texts: TextTable


def plan_transplants(
    transplanter: Transplanter,
    folds: Sequence[Fold],
    texts: TextTable,
    progress: Progress,
    further: Sequence[str] = (),
) -> Transplants:
    """Transplant the test sets of these folds over ``texts``, also with ``further`` replacements; nothing here
    raises for lack of donors."""
    entries = list[TransplantedFold]()
    arm_folds = list[Fold]()
    first = list[Transplanted]()
    left_out = Counter[str]()
    same = 0
    different = 0
    others = list[TransplantedFold]()
    for done, fold in enumerate(folds):
        progress("transplanting content", done, len(folds))
        replaced = transplanter.transplant(fold.test, fold.test_same)
        if sum(map(len, first)) < REFERENCE_PROBLEMS:
            first.append(replaced)
        truth = fold.test_same[replaced.rows]
        left_out.update(replaced.left_out)
        if not len(replaced):
            continue
        same = same + int(truth.sum())
        different = different + int((~truth).sum())
        again = (
            _again(len(replaced), transplanter.draws, fold.name) if len(entries) < BATCHES else []
        )
        batch = f"{fold.name}-batch" if again else None
        entry, arms = _asked(fold, replaced, FITTED)
        entries.append(msgspec.structs.replace(entry, batch=batch, again=again))
        arm_folds += arms
        for replacement in (FREE, *further):
            part = transplanter.otherwise(fold.test, replaced, replacement)
            entry, arms = _asked(fold, part, replacement)
            others.append(entry)
            arm_folds += arms
        if batch is not None:
            spliced = np.arange(len(again)) % 2 == 1
            test = mixed(replaced.off2.select(again), replaced.plain.select(again), spliced)
            arm_folds.append(_arm(fold, batch, "batch", test, truth[again]))
    reason = transplanter.refusal or shortage(same, different, left_out)
    if reason is None:
        progress("measuring the content probe", 0, 0)
    else:
        arm_folds = []
    topics = transplanter.topic
    section = TransplantRecord(
        by=transplanter.by,
        function_words=len(transplanter.splicer.functions),
        reason=reason,
        left_out=dict(left_out),
        folds=[*entries, *others] if reason is None else [],
        kept_by=transplanter.splicer.by,
        references=references(transplanter, folds[: len(first)], first) if reason is None else [],
        named=transplanter.splicer.topics_named(False) if reason is None else None,
        topics=0 if topics is None else len(np.unique(topics.codes[topics.codes >= 0])),
        segmenter=str(transplanter.splicer.segmenter),
        segmented=transplanter.splicer.segmented,
    )
    table, tests = on_one_table([fold.test for fold in arm_folds], texts)
    return Transplants(
        section,
        [replace(arm_fold, test=test) for arm_fold, test in zip(arm_folds, tests, strict=True)],
        table,
    )


def _asked(
    fold: Fold, replaced: Transplanted, replacement: str
) -> tuple[TransplantedFold, list[Fold]]:
    """The entry of what was made of a fold's test set by a replacement, and the folds of its arms."""
    truth = fold.test_same[replaced.rows]
    tests = (
        mixed(replaced.on, replaced.off, truth),
        mixed(replaced.off, replaced.on, truth),
        replaced.off2,
    )
    labels = _labels(replacement)
    names = {arm: f"{fold.name}-{label}" for arm, label in labels.items()}
    entry = TransplantedFold(
        source=fold.name,
        arms=names,
        rows=replaced.rows.tolist(),
        left_out=dict(replaced.left_out),
        replacement=replacement,
    )
    arms = zip(labels.items(), tests, strict=True)
    return entry, [_arm(fold, names[arm], label, test, truth) for (arm, label), test in arms]


def _labels(replacement: str) -> dict[str, str]:
    """What the arms are called where words are replaced in this way."""
    return {arm: arm if replacement == FITTED else f"{replacement}-{arm}" for arm in ARMS}


def mixed(of_same: Problems, of_different: Problems, same: Bools) -> Problems:
    """Problems over one table whose questioned texts are those of the first where ``same``, else of the second."""
    return replace(
        of_same,
        questioned_index=np.where(same, of_same.questioned_index, of_different.questioned_index),
    )


def _arm(fold: Fold, name: str, arm: str, test: Problems, same: Bools) -> Fold:
    ids = (arm_id(name, i) for i in test.ids.tolist())
    labels = {"transplanted": arm, "source": fold.name}
    return replace(
        fold,
        name=name,
        test=replace(test, ids=name_array(ids)),
        test_same=same,
        labels=labels,
        counts={},
    )


def _again(size: int, draws: Draws, name: str) -> list[int]:
    """Places of the problems of the other batch, in its order; none where there are too few to make one."""
    rng = draws("transplant-batch", name)
    return rng.permutation(size)[: min(IN_BATCH, size // 2)].tolist() if size >= 4 else []


def references(
    transplanter: Transplanter, folds: Sequence[Fold], done: Sequence[Transplanted]
) -> list[ReferenceRecord]:
    """The reference scorers where 100, 200 and 500 words may stay; ``done`` has the folds that are transplanted
    already.

    Of a larger fold a seeded part is taken: what is measured is the probe, not a verifier.
    """
    scorers = References(transplanter)
    records = []
    for count in WORDS:
        maker = transplanter if count == FUNCTION_WORDS else transplanter.keeping(count)
        design = list[KeptFold]()
        scores = dict[str, list[Versions | None]]()
        for fold, transplanted in zip(folds, done, strict=True):
            rng = transplanter.draws("references", fold.name)
            some = np.sort(rng.permutation(transplanted.rows)[:REFERENCE_PROBLEMS])
            if maker is transplanter:
                test = transplanted.select(np.searchsorted(transplanted.rows, some))
            else:
                test = maker.transplant(fold.test.select(some), fold.test_same[some])
                test = replace(test, rows=some[test.rows])
            if not len(test):
                continue
            design.append(_kept_problems(transplanter, fold, test.rows, len(design)))
            each = [
                scorers.score(version) for version in (test.plain, test.on, test.off, test.off2)
            ]
            for name in each[0]:
                scores.setdefault(name, []).append(Versions(*(one[name] for one in each)))
        shown = ContentDesign(
            tuple(design), transplanter.similarity if transplanter.topic is not None else None
        )
        figures = {
            name: _shown(shown.figures(versions)._asdict(), "auc", "style_left", "swing")
            for name, versions in scores.items()
        }
        records.append(
            ReferenceRecord(
                function_words=count,
                kept=len(maker.splicer.functions),
                problems=sum(len(fold.same) for fold in design),
                content=figures.get("content", {}),
                lengths=figures.get("lengths", {}),
                named=maker.splicer.topics_named(True),
            )
        )
    return records


def _kept_problems(transplanter: Transplanter, fold: Fold, rows: Ints, number: int) -> KeptFold:
    """The problems of a fold that were transplanted, by authors and topics where the corpus names these, else by groups
    of linked problems, as verifiers' figures are."""
    test = fold.test
    same = fold.test_same
    row = transplanter.rows_here(test)
    pair = np.stack(
        [row[test.known_index[test.known_ptr[:-1]]], row[test.questioned_index]], axis=1
    )
    problem = (pair @ np.array([len(transplanter.texts), 1]))[rows]
    if transplanter.topic is None or transplanter.author is None:
        sides = np.repeat(test.groups(same)[:, None] + number * len(transplanter.texts), 2, axis=1)
        return KeptFold(same[rows], sides[rows], problem)
    topics = transplanter.topic.codes[pair[rows]]
    return KeptFold(
        same[rows],
        transplanter.author.codes[pair][rows],
        problem,
        topics if (topics >= 0).all() else None,
    )


def _shown(figures: Mapping[str, Estimate | None], *names: str) -> Shown:
    shown = {name: figure for name in names if (figure := figures[name]) is not None}
    return {
        name: (figure.value, *(figure.interval or (None, None))) for name, figure in shown.items()
    }


def topic_reference(transplanter: Transplanter, folds: Sequence[Fold]) -> Shown:
    """AUCs of a scorer that guesses topic from what stays, on evenly filled strata of untouched texts: where topic
    ``helps``, and where it ``misleads``. Of many folds the first are asked."""
    kept = list[KeptFold]()
    scores = list[Floats]()
    for fold in folds:
        if sum(map(len, scores)) >= REFERENCE_PROBLEMS:
            break
        kept.append(_kept_problems(transplanter, fold, np.arange(len(fold.test)), len(kept)))
        scores.append(FromWhatStays(transplanter.splicer, fold.train).score(fold.test))
    helps, misleads = topic_aucs(kept, scores, transplanter.similarity)
    return _shown({"helps": helps, "misleads": misleads}, "helps", "misleads")


def plan_given_transplants(
    fold: Fold,
    progress: Progress,
    draws: Draws = Draws(),
    further: Sequence[str] = (),
    tagger: Any = None,
) -> Transplants:
    """Transplant the test set of a fold of given problems, whose documents have no topics and maybe no authors.

    Donors are the fold's own documents, those to learn from and those to test on, by how alike they are in content;
    one that truth links with an author of a problem gives that problem nothing.
    """
    cited = np.union1d(fold.train.documents, fold.test.documents)
    texts, place = TextTable.of_blocks(fold.test.texts.blocks(cited))
    writers = known_authors([(fold.train, fold.train_same), (fold.test, fold.test_same)]).take(
        cited
    )
    codes = np.empty(len(texts), dtype=np.int64)
    codes[place] = writers.codes
    author = Labels(codes, writers.names)
    transplanter = Transplanter(texts, author=author, draws=draws, tagger=tagger)
    return plan_transplants(transplanter, [fold], fold.test.texts, progress, further)


def most_transplants(folds: Sequence[Fold], further: Sequence[str] = ()) -> Transplants:
    """What stands for transplants in a forecast: as many folds, as if every problem could be transplanted."""
    truth = np.concatenate([fold.test_same for fold in folds])
    same = int(truth.sum())
    reason = shortage(same, len(truth) - same, {})
    section = TransplantRecord(by="", function_words=0, reason=reason, left_out={}, folds=[])
    made = list[Fold]()
    for number, fold in enumerate(folds if reason is None else ()):
        made += [
            replace(fold, name=f"{fold.name}-{label}", labels={"transplanted": label})
            for replacement in (FITTED, FREE, *further)
            for label in _labels(replacement).values()
        ]
        if number < BATCHES:
            some = np.arange(min(IN_BATCH, len(fold.test) // 2))
            made.append(
                replace(
                    fold,
                    name=f"{fold.name}-batch",
                    test=fold.test.select(some),
                    test_same=fold.test_same[some],
                    labels={"transplanted": "batch"},
                )
            )
    return Transplants(section, made, folds[0].test.texts)


def nothing_to_ask(reason: str) -> TransplantRecord:
    """A plan's section that says why nothing could be transplanted."""
    return TransplantRecord(by=ByContent.by, function_words=0, reason=reason, left_out={}, folds=[])


def longer(labels: Labels | None, size: int) -> Labels | None:
    """Labels of a table that has grown to ``size`` texts: the further ones have none."""
    if labels is None:
        return None
    codes = np.pad(labels.codes, (0, size - len(labels.codes)), constant_values=-1)
    return Labels(codes, labels.names)
