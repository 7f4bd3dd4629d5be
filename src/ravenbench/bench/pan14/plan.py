"""From corpora to a manifest: a fold for every corpus, a cell for every verifier on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ravenbench.bench.pan14.corpora import Parts, shared_documents
from ravenbench.bench.pan14.record import CorpusRecord, Pan14Plan, PartRecord, SharedRecord
from ravenbench.components import Component
from ravenbench.engine.pool import Progress, silent
from ravenbench.engine.transplants import TransplantRecord, plan_given_transplants
from ravenbench.formats.problems import ProblemSet
from ravenbench.problems.sources import given
from ravenbench.store.plans import cell_places, fold_record, on_one_table, save_plan, verifier_record
from ravenbench.store.store import Store
from ravenbench.texts import TextTable
from ravenbench.types import Fold
from ravenbench.verifiers.contract.folds import collapsed


@dataclass(frozen=True, eq=False)
class Draft:
    """A whole plan, nothing of it written yet."""

    plan: Pan14Plan
    folds: list[Fold]
    texts: TextTable

    def write(self, store: Store, begin: Callable[[], None]) -> None:
        """Write it into a folder that ``begin`` makes."""
        save_plan(store, begin, self.plan, self.folds, self.texts, {})


def draft(
    corpora: Sequence[Parts],
    components: Mapping[str, Component],
    probe: str = "transplant",
    progress: Progress = silent,
) -> Draft:
    """The folds of these corpora and then of their probes, over one table of texts, and the plan that tells of them."""
    # At PAN-2014 nobody was told authors or topics: where files give them, verifiers do not see them.
    texts, sets = on_one_table([s.problems.blind() for c in corpora for s in (c.train, c.test)])
    folds = [
        given(sets[2 * i], c.train.truth(), sets[2 * i + 1], c.test.truth(), f"corpus-{i:02d}", setup=c.name)
        for i, c in enumerate(corpora)
    ]
    sections: dict[str, TransplantRecord] = {}
    if probe == "transplant":
        asked = [plan_given_transplants(fold, progress) for fold in folds]
        sections = {fold.name: found.section for fold, found in zip(folds, asked, strict=True)}
        made = [fold for found in asked for fold in found.folds]
        texts, tests = on_one_table([fold.test for fold in made], texts)
        folds += [replace(fold, test=test) for fold, test in zip(made, tests, strict=True)]
    records = {fold.name: fold_record(fold) for fold in folds}
    plan = Pan14Plan(
        folds=records,
        verifiers=[verifier_record(name, component) for name, component in components.items()],
        cells=cell_places(components, records),
        corpora=[_corpus_record(c, f.name, sections.get(f.name)) for c, f in zip(corpora, folds, strict=False)],
    )
    return Draft(plan, folds, texts)


def _corpus_record(corpus: Parts, fold: str, transplant: TransplantRecord | None) -> CorpusRecord:
    documents, touched = shared_documents(corpus.train.problems, corpus.test.problems)
    joined = collapsed(corpus.train.problems, corpus.train.truth())
    taught = [*corpus.train.notes, *([] if joined is None else [joined])]
    return CorpusRecord(
        name=corpus.name,
        fold=fold,
        language=corpus.test.language,
        genre=corpus.test.genre,
        train=_part_record(corpus.train),
        test=_part_record(corpus.test),
        faults=dict(corpus.test.faults),
        fault_truth=dict(corpus.test.fault_truth),
        left_out=dict(corpus.train.faults),
        notes=[*(f"train: {note}" for note in taught), *(f"test: {note}" for note in corpus.test.notes)],
        shared=SharedRecord(documents=documents, problems=corpus.test.problems.ids[touched].tolist()),
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
