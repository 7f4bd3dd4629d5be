"""Runs ``raven validate``: are the answers of ``compare`` valid for a kind of case, by a criterion fixed beforehand?

In: a ``ValidateSpec`` with the path of a background and of a table of conditions; the folder or URL of the result.
Out: a folder of the files below, from which the report makes a ``Validation``; cells (the scores of one verifier on one
fold) contain raw scores, one row for each pair, on each method's scale. With ``propose`` Raven only writes a table of
conditions. SpecError without conditions.

FOLDER/run.json, plan.json, texts/, folds/, cells/   as for a comparison; ``sN-fM`` are background pairs of a size, and
                                                     ``sN-fM-cK`` those of the same fold under condition K
FOLDER/report/dossier.json                           the input of ``raven compare --validated``
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ravenbench.engine.options import PATH, Option, spec_of
from ravenbench.engine.task import Draft, Task, content_hash
from ravenbench.errors import SpecError, counted
from ravenbench.ext.case.validate.spec import ValidateSpec

if TYPE_CHECKING:
    from ravenbench.components import Component
    from ravenbench.ext.case.compare.dossier import Condition
    from ravenbench.ext.case.validate.plan import TestedRecord, ValidatePlan
    from ravenbench.store.store import Store


class Validate(Task):
    """Are the answers of raven compare valid for a kind of case? A dossier with a criterion fixed beforehand.

    Each cell is a kind of case: the words on both sides, the number of known texts and, if the background has such
    labels, whether genre, topic, time or medium of the two sides are the same. Raven leaves out background authors in
    turn and measures the likelihood ratios that raven compare would give for pairs of their texts against the truth.

    Raven hashes criterion and conditions before it computes anything: --plan prints the hash and the page shows it.
    Raven refuses a folder whose criterion changed. raven compare --validated FOLDER cites the cell of its case.

        raven validate others/ --propose conditions.csv

        raven validate others/ --conditions conditions.csv --plan

        raven validate others/ --conditions conditions.csv -o dossier
    """

    name = "validate"
    in_spec = "text author skip_faulty authors folds donors most_devpav most_mean strong reach"
    first = "conditions propose out"
    report = "ravenbench.ext.case.validate.report:ValidateReport"
    answer = "ravenbench.ext.case.validate.analysis:Validation"
    freezes = False
    Spec = ValidateSpec
    own = (
        Option(
            "out", "The dossier's folder or URL; default raven-runs/validate-<hash>.", takes=PATH
        ),
        Option(
            "propose",
            "Only write a file of conditions that this background supports; then edit it.",
            takes=PATH,
            function=False,
        ),
    )
    arguments = ("background",)
    positional = ("background", "conditions")
    order = "background conditions propose"
    failure = "{count} part{s} failed, the first: {first}"
    spec: ValidateSpec

    def resolve(self) -> None:
        from ravenbench.ext.case.validate.conditions import read_conditions

        self.spec = spec = spec_of(ValidateSpec, self.values)
        if spec.conditions is None:
            raise SpecError(
                "nothing to validate: --conditions is missing",
                expected="a table of conditions with a row for each cell",
                fix="raven validate BACKGROUND --propose conditions.csv writes a first table",
            )
        self.conditions: list[Condition] = read_conditions(Path(spec.conditions))
        self.data = spec.compared().data({"conditions": Path(spec.conditions)})
        self.folder = self.place_or(f"validate-{content_hash([spec.resolved(), self.data])}")

    def draft(self) -> Draft[ValidatePlan]:
        from ravenbench.ext.case.validate.plan import draft

        return draft(self.spec, self.conditions, self.progress)

    def cells(self, store: Store) -> list[str]:
        from ravenbench.engine.pool import run_units
        from ravenbench.ext.case.compare.units import units_of

        return run_units(
            self.engine,
            units_of(store, self.spec.compared().components()),
            self.progress,
            "validating",
        )

    def notes(self, draft: Draft[Any]) -> list[str]:
        from ravenbench.ext.case.validate.plan import criterion_lines

        plan: ValidatePlan = draft.plan
        lines = [f"{one.condition.name}: {_tested(plan, one)}." for one in plan.tested]
        return [
            *plan.notes,
            *lines,
            *criterion_lines(plan.criterion),
            f"SHA-256 of criterion and conditions: {plan.fixed}",
        ]

    def components(self) -> Mapping[str, Component]:
        return self.spec.compared().components()

    @classmethod
    def instead(cls, values: Mapping[str, Any]) -> str | None:
        if (place := values.get("propose")) is None:
            return None
        from ravenbench.ext.case.validate.conditions import proposed, write_conditions
        from ravenbench.reading.load import load_corpus

        spec = spec_of(ValidateSpec, values)
        corpus = load_corpus(spec.background, **spec.reading())
        conditions = proposed(corpus, spec.authors, spec.seed)
        write_conditions(conditions, Path(place), [spec.background])
        return (
            f"{place}: {counted(len(conditions), 'condition')}; edit them, then: raven validate BACKGROUND"
            f" --conditions {place}"
        )


def _tested(plan: ValidatePlan, one: TestedRecord) -> str:
    if one.pairs is None:
        return f"not tested: {one.reason}"
    authors = len(one.pairs.authors)
    people = next(len(shape.authors) for shape in plan.shapes if shape.name == one.shape)
    said = [counted(authors, "author"), *plan.criterion.beforehand(people, authors)]
    return "; ".join(said)
