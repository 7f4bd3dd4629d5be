"""Runs ``raven attribute``: attribution methods on a corpus, under one protocol or both.

In: the values of the command's options by name, of which an ``AttributeSpec`` is made.
Out: a ``RunResult`` whose ``Store`` has one cell (result) a method and split, with the number (from 0) of the author
named for each document, (n,), −1 where none; for PAN's problems an ``Ending`` with scores, no folder. SpecError where
options do not fit. The folder:

OUT/run.json, plan.json, texts/, cells/   as for a run; a fold is a split of a protocol, and a cell has the authors that
one method named on it OUT/documents.npy, splits.npy             text, author and topic of each document; where it is
held out
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ravenbench.engine.options import PATH, Option, refuse_of_tables
from ravenbench.engine.task import Ending, Preview, Task, content_hash, draft_checks, slug
from ravenbench.errors import SpecError
from ravenbench.tasks.attribute.spec import METHODS, AttributeSpec, build

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ravenbench.engine.pool import Progress
    from ravenbench.engine.task import Draft
    from ravenbench.store.store import Store


class Attribute(Task):
    """Name the author of unknown texts (--unknown), or measure how well methods name known authors on new topics.

    With --unknown, each text gets probabilities of the candidates and of none of them, or no answer and the reason. The
    report says how often the method is right on similar texts of known authors, and whether its answer stays the same
    when the content words are replaced by those of other texts.

        raven attribute --unknown anonymous.txt --candidates authors/

    Without it, methods name the known authors of a corpus, and Raven reports the statistics of this test. If the
    command is interrupted, the same command continues where it stopped.

        raven attribute newsgroups --topic group

        raven attribute mine.parquet --protocol both --methods maxent,svm,'distorted(svm)'

        raven attribute mine.csv --topic none --protocol k-fold

        raven attribute pan18.zip --methods svm,maxent --out answers
    """

    name = "attribute"
    in_spec = "text author min_topics docs_per_topic sampler topics encoder skip_faulty"
    first = "unknown candidates topic protocol methods seed out"
    report = "ravenbench.tasks.attribute.report:AttributeReport"
    answer = "ravenbench.tasks.attribute.analysis:AttributionAnalysis"
    Spec = AttributeSpec
    own = (
        Option(
            "reject",
            (
                "PAN problems: a text is <UNK> if the lead in probability is below this; PAN19"
                " used 0.1."
            ),
            float,
            default=0.0,
            function=False,
        ),
        Option(
            "lenient",
            "PAN problems: leave out problems that cannot be read, and list them.",
            bool,
            function=False,
        ),
        Option(
            "out",
            (
                "The folder or URL; default raven-runs/attribute-…. PAN problems: where Raven"
                " writes the answers."
            ),
            takes=PATH,
        ),
    )
    pools_seeds = True
    arguments = ("corpus",)
    order = (
        "corpus unknown candidates none text author topic encoding "
        "protocol methods folds min_docs min_topics "
        "docs_per_topic equal_counts sampler topics encoder reject lenient"
    )
    failure = "{count} cell{s} {have} no result; the first: {first}"
    plan_help = "Only show what Raven would do."
    spec: AttributeSpec

    @classmethod
    def direct(
        cls, values: Mapping[str, Any], plan: bool, progress: Progress
    ) -> Preview | Ending | None:
        """Answer PAN's attribution problems and show the scores."""
        from ravenbench.reports.view import for_terminal
        from ravenbench.tasks.attribute import collections
        from ravenbench.tasks.attribute.report import collection_json, collection_table

        path = values.get("corpus", "")
        if values.get("unknown") or not path or not collections.is_collection(path):
            return None
        refuse_of_tables(values, "these are PAN's problems, not a table")
        if named := [check.option.name for check in draft_checks() if check.option.name in values]:
            problem = f"--{named[0]} applies to a corpus, and these are PAN's problems"
            raise SpecError(problem, fix=f"leave out --{named[0]}")
        settings: dict[str, Any] = {
            name: values.get(name) for name in ("methods", "out", "lenient", "encoding")
        }
        settings["strip_shared"] = bool(values.get("strip_shared"))
        if plan:
            return collections.collection_preview(path, **settings)
        answered = collections.answer_collection(
            path, reject=values["reject"], progress=progress, **settings
        )
        return Ending(
            collection_json(answered), [for_terminal(collection_table(answered)), *answered.notes]
        )

    def resolve(self) -> None:
        from ravenbench.tasks.attribute.answers import name_methods
        from ravenbench.tasks.attribute.plan import fingerprint
        from ravenbench.types import Corpus

        corpus = self.values.get("corpus", "")
        self.named = name_methods(self.values.get("methods", METHODS))
        self.corpus = corpus if isinstance(corpus, Corpus) else None
        name = str(corpus) if self.corpus is None else self.corpus.name
        self.spec = spec = build({**self.values, "corpus": name, "methods": ", ".join(self.named)})
        self.data = fingerprint(spec, self.corpus, self.named)
        stem = slug(spec.corpus) or "corpus"
        self.folder = self.place_or(
            f"attribute-{stem}-{content_hash([spec.resolved(), self.data])}"
        )

    def draft(self) -> Draft[Any]:
        from ravenbench.tasks.attribute.plan import draft

        self.progress("reading the corpus", 0, 0)
        return draft(self.spec, self.corpus, self.named)

    def cells(self, store: Store) -> list[str]:
        from ravenbench.engine.pool import run_units
        from ravenbench.tasks.attribute.answers import SplitUnit

        units = [
            SplitUnit(store.path, self.named[cell.verifier], (cell,)) for cell in store.unanswered()
        ]
        errors = run_units(self.engine, units, self.progress, "attributing")
        return [*errors, *self._compare_weights(store)]

    def _compare_weights(self, store: Store) -> list[str]:
        """How much the weights of a linear method change when a topic is held out, if both protocols run."""
        from ravenbench.engine.pool import run_units
        from ravenbench.store.records import CellPlace
        from ravenbench.tasks.attribute.answers import ALL, AttributePlan, MovedUnit, WeightsUnit

        plan = store.plan_as(AttributePlan)
        if plan.cues is None:
            return []
        name = plan.cues.method
        base = CellPlace(key=plan.cues.base, verifier=plan.cues.method, fold=ALL)
        units = [
            WeightsUnit(store.path, self.named[name], (base_cell,))
            for base_cell in store.unanswered([base])
        ]
        if errors := run_units(self.engine, units, self.progress, "weighing features"):
            return errors
        held_out = [
            CellPlace(key=key, verifier=name, fold=split.fold)
            for key, split in zip(plan.cues.moved, plan.protocols[0].splits, strict=True)
        ]
        moved = [
            MovedUnit(store.path, self.named[name], (cell,), base.key)
            for cell in store.unanswered(held_out)
        ]
        return run_units(self.engine, moved, self.progress, "comparing weights")

    def preview(self) -> Preview:
        from ravenbench.store.records import CellPlace
        from ravenbench.tasks.attribute.answers import AttributePlan

        store = self.earlier()
        draft = self.approved(self.draft())
        plan: AttributePlan = draft.plan if store is None else store.plan_as(AttributePlan)
        keys = [] if plan.cues is None else [plan.cues.base, *plan.cues.moved]
        cells = [*plan.cells, *(CellPlace(key=key, verifier="", fold="") for key in keys)]
        missing = len(cells if store is None else store.unanswered(cells))
        problems = {
            protocol.protocol: sum(split.documents for split in protocol.splits)
            for protocol in plan.protocols
        }
        return Preview(
            self.name, str(self.folder), problems, len(cells), len(cells) - missing, missing
        )
