"""Plans ``raven pan14``: a fold for every corpus, and a cell (result) for every verifier on it.

In: paths of corpora (``read_corpora``); their problems, verifiers by name and the kind of probe (``draft``).
Out: ``ProblemParts`` (problems to learn from and to answer, with truth); a ``Draft`` of a ``Pan14Plan``, whose numbers
are counts of problems and documents, or means of such; ``shared_documents`` a count and a mask (n,). InputError or
FormatError if a path has no corpus with both parts and truth, or two have the same name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ravenbench import files
from ravenbench.components import Component
from ravenbench.engine.pool import Progress, silent
from ravenbench.engine.task import Draft
from ravenbench.engine.transplants import TransplantRecord, most_transplants, plan_given_transplants
from ravenbench.errors import FormatError, remark
from ravenbench.problems.overlap import unlike_problems
from ravenbench.problems.sources import given
from ravenbench.reading.problem_sets import ProblemSet
from ravenbench.reading.problems import read_problem_sets
from ravenbench.store.plans import cell_places, fold_record, on_one_table, verifier_record
from ravenbench.store.records import Plan, Record
from ravenbench.tasks.verify.plan import check_classes
from ravenbench.text.common_words import CommonWords
from ravenbench.text.copies import repeating
from ravenbench.types import Bools, Problems
from ravenbench.verifiers.contract.folds import collapsed


class PartRecord(Record, frozen=True, kw_only=True):
    """The content of one part of a corpus: counts of problems and of same-author ones among them, and means of two
    sizes.

    ``known`` is the mean number of known documents in a problem, ``words`` the mean number of words in a document.
    """

    problems: int
    same: int
    known: float
    words: float


class SharedRecord(Record, frozen=True, kw_only=True):
    """Count of documents that are in both parts of a corpus, and the ids of the test problems that touch one."""

    documents: int
    problems: list[str]


class Pan14CorpusRecord(Record, frozen=True, kw_only=True):
    """One corpus and the fold it is.

    ``faults`` says why a test problem could not be read, ``fault_truth`` has the truth of those that the truth file
    names; ``left_out`` says why a training problem was not learned from. ``transplant`` is the transplant probe,
    None where it was not asked for.
    """

    name: str
    fold: str
    language: str | None
    genre: str | None
    train: PartRecord
    test: PartRecord
    faults: dict[str, str]
    fault_truth: dict[str, bool]
    left_out: dict[str, str]
    notes: list[str]
    shared: SharedRecord
    transplant: TransplantRecord | None = None


class Pan14Plan(Plan, frozen=True, kw_only=True):
    """The manifest of ``raven pan14``: folds, verifiers and cells, and the corpora in the order given."""

    corpora: list[Pan14CorpusRecord]


@dataclass(frozen=True, eq=False)
class ProblemParts:
    """A corpus: its training problems and its test problems, both with truth."""

    name: str
    train: ProblemSet
    test: ProblemSet


def read_corpora(data: Sequence[str], encoding: str | None = None) -> list[ProblemParts]:
    """Return every corpus with a train and a test part, in the order found. Raises InputError if a path has none, a
    part has no truth, two corpora have the same name, or all problems to learn from are of one class.
    """
    corpora: list[ProblemParts] = []
    for path in data:
        parts: dict[str, dict[str, ProblemSet]] = {}
        for one in read_problem_sets(files.local_copy(path), encoding=encoding):
            parts.setdefault(one.name, {})[one.split or "whole"] = one
        whole = {name: p for name, p in parts.items() if {"train", "test"} <= p.keys()}
        if not whole:
            seen = ", ".join(
                f"{name} ({', '.join(sorted(p))})" for name, p in sorted(parts.items())
            )
            raise FormatError(
                "no corpus here has both a train and a test part",
                file=path,
                found=seen,
                expected="CORPUS/train and CORPUS/test, each with truth.txt",
                fix="raven verify takes the two parts from different places",
            )
        for name, own in whole.items():
            own["train"].truth()
            own["test"].truth()
            corpora.append(ProblemParts(name, own["train"], own["test"]))
    twice = [name for name, count in Counter(c.name for c in corpora).items() if count > 1]
    if twice:
        raise FormatError(
            "two corpora have the same name",
            found=twice[0],
            fix="give only one of them, or rename its folder",
        )
    for corpus in corpora:
        check_classes(corpus.name, corpus.train.truth())
    return corpora


def shared_documents(train: Problems, test: Problems) -> tuple[int, Bools]:
    """Return the number of test documents that are also in training, possibly cut or changed a little, and which test
    problems contain one, (n,) bool."""
    rows = test.documents
    sources = repeating(
        [test.texts[row] for row in rows], [train.texts[row] for row in train.documents]
    )
    touched = np.zeros(len(test.texts), dtype=bool)
    touched[rows] = [source is not None for source in sources]
    problems = touched[test.questioned_index]
    problems[test.owner[touched[test.known_index]]] = True
    return int(touched.sum()), problems


def draft(
    corpora: Sequence[ProblemParts],
    components: Mapping[str, Component],
    probe: str = "transplant",
    progress: Progress = silent,
    sketched: bool = False,
) -> Draft[Pan14Plan]:
    """The folds of these corpora and then of their probes, over one table of texts, and the plan that describes them.

    ``sketched`` for a forecast: nothing is transplanted, and nothing compared.
    """
    # At PAN-2014 nobody was told authors or topics: where files give them, verifiers do not see them.
    texts, sets = on_one_table([s.problems.blind() for c in corpora for s in (c.train, c.test)])
    folds = [
        given(
            sets[2 * i],
            c.train.truth(),
            sets[2 * i + 1],
            c.test.truth(),
            f"corpus-{i:02d}",
            setup=c.name,
        )
        for i, c in enumerate(corpora)
    ]
    sections: dict[str, TransplantRecord] = {}
    if probe == "transplant":
        plans = [
            most_transplants([fold]) if sketched else plan_given_transplants(fold, progress)
            for fold in folds
        ]
        sections = {fold.name: plan.section for fold, plan in zip(folds, plans, strict=True)}
        transplanted = [fold for plan in plans for fold in plan.folds]
        texts, tests = on_one_table([fold.test for fold in transplanted], texts)
        folds += [replace(fold, test=test) for fold, test in zip(transplanted, tests, strict=True)]
    records = {fold.name: fold_record(fold) for fold in folds}
    plan = Pan14Plan(
        folds=records,
        verifiers=[verifier_record(name, component) for name, component in components.items()],
        cells=cell_places(components, records),
        corpora=(
            []
            if sketched
            else [
                _corpus_record(c, fold.name, sections.get(fold.name))
                for c, fold in zip(corpora, folds, strict=False)
            ]
        ),
    )
    return Draft(plan, folds, texts)


def _corpus_record(
    corpus: ProblemParts, fold: str, transplant: TransplantRecord | None
) -> Pan14CorpusRecord:
    documents, touched = shared_documents(corpus.train.problems, corpus.test.problems)
    joined = collapsed(corpus.train.problems, corpus.train.truth())
    taught = [*corpus.train.notes, *([] if joined is None else [joined])]
    common = [
        (
            f"{documents:,} test documents are also training documents, maybe cut or changed a"
            f" little; {int(touched.sum()):,} of {len(touched):,} problems contain one"
        )
    ][: bool(documents)]
    learned = corpus.train.problems
    common += unlike_problems(
        CommonWords.of(learned.texts[row] for row in learned.documents), corpus.test.problems
    )
    remark(f"{corpus.name}: {one}" for one in common)
    return Pan14CorpusRecord(
        name=corpus.name,
        fold=fold,
        language=corpus.test.language,
        genre=corpus.test.genre,
        train=_part_record(corpus.train),
        test=_part_record(corpus.test),
        faults=dict(corpus.test.faults),
        fault_truth=dict(corpus.test.fault_truth),
        left_out=dict(corpus.train.faults),
        notes=[
            *(f"train: {note}" for note in taught),
            *(f"test: {note}" for note in [*corpus.test.notes, *common]),
        ],
        shared=SharedRecord(
            documents=documents, problems=corpus.test.problems.ids[touched].tolist()
        ),
        transplant=transplant,
    )


def _part_record(part: ProblemSet) -> PartRecord:
    problems = part.problems
    words = [len(problems.texts[row].split()) for row in problems.documents]
    return PartRecord(
        problems=len(problems),
        same=int(part.truth().sum()),
        known=float(problems.sizes.mean()),
        words=float(np.mean(words)),
    )
