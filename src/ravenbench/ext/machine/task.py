"""``ravenbench.detect``: detectors of machine-written text, asked about texts by people first.

OUT/run.json, plan.json, texts/, folds/, cells/   as for a run: a fold of texts by people for each corpus, and ``test``
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import numpy as np

from ravenbench import registry
from ravenbench.engine.options import COMPONENTS, PATH, CorpusSpec, Option, about
from ravenbench.engine.task import Draft, Task
from ravenbench.errors import InputError, remark, remarks_gathered
from ravenbench.formats.documents import is_document
from ravenbench.randomness import stream
from ravenbench.store.records import Plan

if TYPE_CHECKING:
    from ravenbench.components import Component

TEST = "test"
LEAST = 10
"""Texts of a part below which no share is given."""


class DetectSpec(CorpusSpec, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What decides the answers."""

    texts: Annotated[
        str, about("Texts to answer, with labels: PAN 2024 (pairs), 2025, 2026; file, folder, zip.", takes=PATH)
    ]
    train: Annotated[str, about("Texts with labels to learn from, in the same formats.", takes=PATH)]
    people: Annotated[
        str,
        about(
            "Corpora of texts that people wrote before 2020, such as newsgroups or files, between commas: every "
            "detector's false alarms are measured there, and shown before anything else."
        ),
    ]
    detectors: Annotated[
        str, about("Detectors, see raven list detector. Default: tfidf-svm, text-length.", takes=COMPONENTS)
    ] = "tfidf-svm, text-length"
    by: Annotated[
        str | None,
        about("Columns of these corpora to break false alarms down by, such as 'topic, native'; length always is one."),
    ] = None
    most: Annotated[int, about("Texts of a corpus that are drawn at most. Default: 500.")] = 500
    seed: Annotated[int, about("Seed of all that is drawn. Default: 0.")] = 0


class DetectPlan(Plan, frozen=True, kw_only=True):
    """The manifest: beside folds, detectors and cells, by fold the corpora of people's texts and how many texts were
    left out, as they are learned from; whether texts are pairs. Each row of the parts belongs to the fold's problem of
    that place: corpus → column → (n,) names."""

    people: dict[str, str]
    learned: dict[str, int] = {}
    pairs: bool
    remarks: list[str] = []
    parts: dict[str, dict[str, list[str | None]]]


def _is_essay(place: Path) -> bool:
    """Whether a file is a text or a document, or a folder, such as a class's, holds nothing else."""
    if place.is_dir():
        inner = [each for each in place.rglob("*") if each.is_file() and not each.name.startswith(".")]
        return bool(inner) and all(map(_is_essay, inner))
    return place.is_file() and (place.suffix.lower() in (".txt", ".md") or is_document(place))


class Detect(Task):
    """How well do detectors tell machines' texts from people's, and how often do they accuse people?

    A detector answers of one text how probably a machine wrote it. Each is first asked about texts that people wrote
    before there were such machines: whatever it calls a machine's there is a false alarm. Then come PAN's measures on
    texts with labels. Raven does not check when a corpus was written.

        raven detect pan26/val.jsonl --train pan26/train.jsonl --people newsgroups

        raven detect test.jsonl --train train.jsonl --people "ebg(path='ebg.zip'), essays.csv" --by topic,native
    """

    name = "detect"
    first = "train people detectors out"
    Spec = DetectSpec
    own = (Option("out", "The run's folder or URL; default raven-runs/detect-<hash>.", takes=PATH),)
    pools_seeds = True
    arguments = ("texts",)
    report = "ravenbench.ext.machine.report:DetectReport"
    device = True
    spec: DetectSpec

    @classmethod
    def instead_of_missing(cls, words: Sequence[str]) -> InputError | None:
        """Whoever gives an essay asks who wrote it: what can be asked of it instead."""
        # A folder further on may be what an option names.
        given = [word for word in words if word == words[0] or not Path(word).is_dir()]
        essay = next((word for word in given if _is_essay(Path(word))), None)
        if essay is None:
            return None
        texts, ask = "a text without a label", "what other texts by the same person can answer: raven compare "
        ask += f"--questioned {shlex.quote(essay)} --known THEIR-TEXTS --background TEXTS-BY-OTHERS"
        if several := Path(essay).is_dir() and sum(each.is_file() for each in Path(essay).rglob("*")) > 1:
            texts = "texts without labels"
            ask = f"of a class, a folder for each person: raven compare --each {shlex.quote(essay)} -o class"
        return InputError(
            "from texts without labels it cannot be judged whether a machine wrote them"
            if several else "from one text it cannot be judged whether a machine wrote it",
            file=essay,
            found=f"{texts}; detectors accuse people too, and only texts whose writers are known say how often",
            expected="raven detect TEXTS --train TEXTS --people CORPUS, all of them with labels: it measures detectors",
            fix=f"ask {ask} (is it in their style?); or talk with the writer about the text",
        )  # fmt: skip

    def resolve(self) -> None:
        from ravenbench.store.resume import data_hash

        if (refusal := self.instead_of_missing([str(self.values.get("texts"))])) is not None:
            raise refusal
        super().resolve()
        people = self.corpora()
        if not people:
            raise InputError(
                "no texts by people are given, and without false alarms nothing else is shown",
                expected="--people with a corpus or more, such as newsgroups",
            )  # fmt: skip
        if self.spec.most < LEAST:
            raise InputError(
                "too few texts by people would be drawn to say how often they are accused", found=self.spec.most,
                expected=f"--most {LEAST} or more",
            )  # fmt: skip
        self.data |= {f"people {place}": data_hash(place) for place in people}
        self.components()  # they say what is missing before any work
        self.inputs += [place for place in people if ":" not in place and "(" not in place]

    def corpora(self) -> list[str]:
        """People's texts, as they are named; each once."""
        return list(dict.fromkeys(registry.split(self.spec.people)))

    def by(self) -> list[str]:
        """Columns by which false alarms are shown; a corpus may lack some."""
        return registry.split(self.spec.by) if self.spec.by else []

    def components(self) -> Mapping[str, Component]:
        return registry.named("detector", self.spec.detectors)

    def draft(self) -> Draft[DetectPlan]:
        with remarks_gathered() as remarks:
            draft = self._draft()
        return replace(draft, plan=msgspec.structs.replace(draft.plan, remarks=remarks))

    def _draft(self) -> Draft[DetectPlan]:
        from ravenbench.ext.machine.detectors import as_problems
        from ravenbench.ext.machine.pan_generated import read_generated
        from ravenbench.formats.collector import same_document
        from ravenbench.problems.sources import given
        from ravenbench.store.plans import cell_places, fold_record, on_one_table, verifier_record
        from ravenbench.text.copies import repeating

        spec, components = self.spec, self.components()
        learned, questioned = (
            read_generated(place, spec.encoding, spec.strip_shared) for place in (spec.train, spec.texts)
        )
        repeats = repeating(questioned.texts, learned.texts)
        shared = [(text, learned.texts[i]) for text, i in zip(questioned.texts, repeats, strict=True) if i is not None]
        exact = sum(same_document(*both) for both in shared)
        if exact or 2 * len(shared) > len(repeats):
            raise InputError(
                "texts to answer stand among those to learn from", file=spec.texts, fix="give other texts to one side",
                found=f"{len(shared):,} of {len(repeats):,}, {len(shared) - exact:,} of them cut or changed a little",
            )  # fmt: skip
        if shared:
            every = f"{len(shared):,} of {len(repeats):,} texts to answer"
            remark([f"{every} stand among those to learn from, cut or changed a little"])
        if len(set(learned.machine.tolist())) < 2:
            raise InputError(
                "detectors cannot learn from texts of one kind", file=spec.train,
                found=f"{len(learned.texts):,} texts, all of them by {'machines' if learned.machine[0] else 'people'}",
                expected="texts by people, and texts by machines",
            )  # fmt: skip
        sources, parts, people, left_out = (
            {TEST: as_problems(questioned.texts, questioned.ids)},
            {TEST: {column: list(labels) for column, labels in questioned.columns.items()}},
            dict[str, str](),
            dict[str, int](),
        )
        for number, corpus in enumerate(self.corpora(), start=1):
            name = f"people-{number}"
            people[name], sources[name], parts[name], left_out[name] = self._people(corpus, learned.texts)
        if absent := [name for name in self.by() if not any(name in parts[corpus] for corpus in people)]:
            raise InputError(
                "no corpus of texts by people has this column", found=absent[0],
                expected=f"one of: {', '.join(sorted({'topic', *(c for p in people for c in parts[p])} - {'author'}))}",
            )  # fmt: skip
        texts, (train, *tests) = on_one_table([as_problems(learned.texts, learned.ids), *sources.values()])
        folds = []
        for name, test in zip(sources, tests, strict=True):
            same = questioned.machine if name == TEST else np.zeros(len(test), dtype=bool)
            folds.append(given(train, learned.machine, test, same, name))
        records = {fold.name: fold_record(fold) for fold in folds}
        plan = DetectPlan(
            folds=records, verifiers=[verifier_record(name, component) for name, component in components.items()],
            cells=cell_places(components, records), people=people, learned=left_out, pairs=questioned.pairs,
            parts=parts,
        )  # fmt: skip
        return Draft(plan, folds, texts)

    def _people(self, what: str, learned: Sequence[str]) -> tuple[str, Any, dict[str, list[str | None]], int]:
        """Name of a corpus, its texts as problems, at most so many, their authors and columns, and how many texts were
        left out because detectors learn from them: there they would seem to accuse nobody."""
        from ravenbench.corpora.load import load_corpus
        from ravenbench.ext.machine.detectors import as_problems
        from ravenbench.text.copies import repeating

        corpus = load_corpus(what, **self.spec.reading(), pairs=False, level="extract()")  # or without topics
        if not len(corpus):
            raise InputError("a corpus of people's texts is empty", found=what)
        sources = repeating(corpus.texts, learned)
        rows = np.array([i for i, source in enumerate(sources) if source is None], dtype=int)
        left_out = len(corpus) - len(rows)
        if not len(rows):
            raise InputError(
                "every one of these texts by people stands among those to learn from, where false alarms mean nothing",
                file=what, found=f"{left_out:,} texts", fix="give texts by people that --train does not have",
            )  # fmt: skip
        if len(rows) < LEAST:
            raise InputError(
                "too few texts by people to say how often they are accused", file=what, found=f"{len(rows):,} texts",
                expected=f"{LEAST} or more, without those of --train",
            )  # fmt: skip
        if len(rows) > self.spec.most:
            rows = np.sort(stream(self.spec.seed, "people", what).choice(rows, self.spec.most, replace=False))
        columns = {"author": corpus.author}
        columns |= {name: corpus.at(name).topic for name in self.by() if name == "topic" or name in corpus.columns}
        texts = [corpus.texts[row] for row in rows]
        parts = {name: [labels[row] for row in rows] for name, labels in columns.items()}
        return corpus.name, as_problems(texts, [corpus.ids[row] for row in rows]), parts, left_out
