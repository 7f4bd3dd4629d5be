"""Runs ``raven compare``: did this person write this text? A likelihood ratio, and how far to trust it.

In: a ``CompareSpec`` with paths of questioned, known and background texts; the folder or URL of the result.
Out: a folder of the files below, from which ``analysis.analyse`` makes a ``Comparison`` with log10 LRs (unbounded,
above 0 for the candidate); ``draft``: a ``Draft`` of the plan.

FOLDER/run.json, plan.json, texts/, folds/, cells/   as for a run; ``sN-fM`` background pairs, ``sN-fM-case`` cases
FOLDER/note.json   reference, examiner and date for the page, where they were given
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ravenbench.engine.options import PATH, Option
from ravenbench.engine.task import Draft, Task, content_hash
from ravenbench.errors import counted
from ravenbench.ext.case.compare.record import NOTE, FileNote
from ravenbench.ext.case.compare.spec import CompareSpec, build
from ravenbench.reading.decoding import checked_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ravenbench.components import Component
    from ravenbench.ext.case.compare.record import ComparePlan
    from ravenbench.store.store import Store


class Compare(Task):
    """Did this person write this text? A likelihood ratio, how far to trust it, and what it rests on.

    Raven compares the questioned text with known texts of the candidate and with texts by other authors (the
    background). The background should be of the same kind, language and time: without it nobody can know how similar
    texts by different authors are. Best are forty authors with five texts each; Raven needs at least twenty.

    The answer is a likelihood ratio: how many times more probable the findings are if the candidate wrote the text than
    if someone else did. It is not a probability that the candidate wrote it. If the texts are too short or differ too
    much from the background, or if the background is too small, Raven gives no answer and reports the reason.

        raven compare --questioned letter.txt --known smith/ --background others/

        raven compare --questioned letter.txt --known anne=a/ --known bob=b/ ...

        raven compare --batch cases.csv --background others/ -o cases
    """

    name = "compare"
    in_spec = "skip_faulty text author topic authors folds donors unvalidated"
    first = "questioned known background out"
    report = "ravenbench.ext.case.compare.report:CompareReport"
    answer = "ravenbench.ext.case.compare.analysis:Comparison"
    freezes = False
    Spec = CompareSpec
    own = (
        Option("out", "The folder or URL; default raven-runs/compare-<text>-<hash>.", takes=PATH),
        Option(
            "case",
            "Reference of the case, for the page. This option and the next two do not change the"
            " answer.",
        ),
        Option("examiner", "Person responsible for the comparison, for the page."),
        Option("date", "Date of the report, for the page, in the form to print."),
    )
    positional = ("questioned", "known", "background")
    failure = "{count} part{s} failed, the first: {first}"
    note = (
        "``ravenbench.analyse(result.store)`` returns the likelihood ratios;"
        " ``ravenbench.write_report`` writes the page."
    )
    stray = (
        "raven compare needs an option before each text",
        "--questioned FILE --known FILE_OR_FOLDER --background FOLDER",
        (
            "give the questioned and the known text as in raven compare --help; the background"
            " folder contains texts by other authors"
        ),
    )
    spec: CompareSpec

    def resolve(self) -> None:
        from ravenbench.ext.case.compare.classes import read_class
        from ravenbench.ext.case.compare.dossier import cited
        from ravenbench.ext.case.compare.material import read_material

        for name, value in self._file_note().items():
            checked_name(value, f"--{name}")
        self.spec = spec = build(self.values)
        self.progress("reading the texts", 0, 0)
        self.material = read_material(spec) if spec.each is None else read_class(spec)
        self.data = data = spec.data(self.material.paths())
        self.citation = None
        if spec.validated is not None:
            about = spec.condition, spec.unvalidated, spec.resolved(), data
            self.citation = cited(spec.validated, *about)
        first = spec.each or spec.batch or (spec.questioned[0] if spec.questioned else "case")
        self.folder = self.place_or(
            f"compare-{Path(first).stem}-{content_hash([spec.resolved(), self.data])}"
        )

    def draft(self) -> Draft[ComparePlan]:
        from ravenbench.ext.case.compare.plan import draft

        return draft(self.spec, self.material, self.progress, citation=self.citation)

    def cells(self, store: Store) -> list[str]:
        from ravenbench.engine.pool import run_units
        from ravenbench.ext.case.compare.units import units_of

        return run_units(
            self.engine, units_of(store, self.spec.components()), self.progress, "comparing"
        )

    def finish(self, store: Store, errors: list[str]) -> Any:
        from ravenbench.store.records import record_or_none, write_record

        place = store.path / NOTE
        earlier = record_or_none(place, FileNote) or FileNote()
        note = msgspec.structs.replace(earlier, **self._file_note())
        if note != earlier:
            write_record(place, self.name, note)
        return super().finish(store, errors)

    def _file_note(self) -> dict[str, str]:
        return {
            name: str(self.values[name])
            for name in FileNote.__struct_fields__
            if name in self.values
        }

    def notes(self, draft: Draft[Any]) -> list[str]:
        return _told(draft.plan)

    def components(self) -> Mapping[str, Component]:
        return self.spec.components()


def _told(plan: ComparePlan) -> list[str]:
    """What is compared, in sentences."""
    from ravenbench.ext.case.compare.dossier import standing

    background = plan.background
    notes = [f"{counted(len(plan.cases), 'case')}. {background.described}"]
    for shape in plan.shapes:
        names = [case.id for case in plan.cases if case.shape == shape.name]
        cut = (
            ""
            if shape.wanted is None
            else " (longer than this background allows, so Raven cuts them)"
        )
        notes.append(
            f"{', '.join(names[:3])}{' …' * (len(names) > 3)}: {len(shape.known)} known and one"
            f" questioned text of up to {max(*shape.known, shape.questioned)} words{cut}, with"
            f" {counted(len(shape.authors), 'background author')}."
        )
        if plan.validated is not None:
            notes.append(standing(plan.validated, shape.known, shape.questioned).sentence + ".")
    refused = defaultdict[str, list[str]](list)
    for case in plan.cases:
        for reason in case.refusals:
            refused[str(reason)].append(case.id)
    notes += [f"{', '.join(ids)}: no answer, because {why}." for why, ids in refused.items()]
    notes += [f"Left out of the background: {text}." for text in background.left_out]
    return notes + [f"Note: {note}." for note in (*plan.copies, *plan.notes)]
