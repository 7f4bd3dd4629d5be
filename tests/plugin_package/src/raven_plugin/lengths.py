"""A task that uses only Raven's public contract: how well lengths of texts distinguish authors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from ravenbench import (
    CellPlace,
    CellUnit,
    Draft,
    Option,
    Plan,
    Report,
    Spec,
    Store,
    Table,
    Task,
    VerifierRecord,
    about,
    col,
    read_problems,
    registry,
    table,
)
from ravenbench.engine.cells import Filled
from ravenbench.engine.options import PATH
from ravenbench.engine.pool import run_units
from ravenbench.metrics.pan import auc
from ravenbench.problems.sources import given
from ravenbench.store.plans import content_key, fold_record, on_one_table

MEASURES = {"words": lambda text: len(text.split()), "characters": len}


class LengthsSpec(Spec, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What decides the answers."""

    problems: Annotated[str, about("Problems with truth, a PAN folder or zip.", takes=PATH)]
    measures: Annotated[
        str, about("What is counted: words, characters, or both. Default: both.")
    ] = "words, characters"


class LengthsPlan(Plan, frozen=True, kw_only=True):
    """The manifest: fold, measures, cells and the name of the problems."""

    corpus: str


@dataclass(frozen=True)
class CountUnit(CellUnit):
    """The length of the shorter side of each problem divided by that of the longer side, by one measure."""

    def learn(self, store: Store) -> dict[str, NDArray[Any]]:
        test = store.fold("test").test
        sizes = np.array(
            [self.method(test.texts[row]) for row in range(len(test.texts))], dtype=float
        )
        known = np.array([sizes[test.known(i)].mean() for i in range(len(test))])
        questioned = sizes[test.questioned_index]
        return {"scores": np.minimum(known, questioned) / np.maximum(known, questioned)}

    def size(self, store: Store, place: CellPlace, filled: Mapping[str, NDArray[Any]]) -> int:
        return len(filled.get("scores", ()))

    def answer(self, store: Store, learned: Any, place: CellPlace) -> Filled:
        return learned, {}


class Lengths(Task):
    """How well lengths of texts alone show whether one author wrote them.

    raven lengths pan14/en_essays.zip
    """

    name = "lengths"
    Spec = LengthsSpec
    own = (
        Option("out", "The run's folder or URL; default raven-runs/lengths-<hash>.", takes=PATH),
    )
    arguments = ("problems",)
    report = "raven_plugin.lengths:LengthsReport"
    spec: LengthsSpec

    def draft(self) -> Draft[LengthsPlan]:
        found = read_problems(self.spec.problems, "test")
        nothing = found.problems.select(np.arange(0))
        texts, (train, test) = on_one_table([nothing, found.problems.blind()])
        fold = given(train, np.zeros(0, dtype=bool), test, found.truth(), "test")
        record, names = fold_record(fold), registry.split(self.spec.measures)
        keys = {name: content_key([name, 1, record.test_digest]) for name in names}
        plan = LengthsPlan(
            folds={"test": record},
            verifiers=[
                VerifierRecord(name=name, spec=name, identity=name, version=1) for name in names
            ],
            cells=[CellPlace(key=key, verifier=name, fold="test") for name, key in keys.items()],
            corpus=found.name,
        )
        return Draft(plan, [fold], texts)

    def cells(self, store: Store) -> list[str]:
        units = [
            CountUnit(store.path, MEASURES[place.verifier], (place,))
            for place in store.unanswered()
        ]
        return run_units(self.engine, units, self.progress, "counting")


class LengthsReport(Report[dict[str, float | None]]):
    """The area under the curve of each measure."""

    kind = "lengths"
    title = "What lengths alone tell"

    def analyse(self) -> dict[str, float | None]:
        same, found = self.store.truth("test"), {}
        for place in self.store.plan.cells:
            cell = self.store.read_cell(place.key)
            found[place.verifier] = (
                None if cell is None or cell.scores is None else auc(same, cell.scores)
            )
        return found

    def tables(self) -> list[Table]:
        about = self.store.plan_as(LengthsPlan).corpus
        rows = self.analysis.items()
        measure = col("measure", lambda row: row[0], text=True, json="measure")
        return [
            table(
                "auc",
                f"Problems of {about}",
                rows,
                measure,
                col("AUC", lambda row: row[1], json="auc"),
            )
        ]
