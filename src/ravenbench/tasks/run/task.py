"""Runs ``raven run``, the main task: it chooses topics, builds folds and pairs, and runs every verifier on every fold.

In: the values of the command's options by name, of which a ``RunSpec`` is made.
Out: a ``RunResult`` whose ``Store`` has one cell (result) a verifier and fold: answers (n,) from 0 to 1, 0.5 =
unanswered, and raw scores, both higher = same author unless the verifier's scores are features; with ``--plan`` a
``Forecast``. InputError if the data changed while they were read.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ravenbench.engine.options import PATH, Option, plain_of
from ravenbench.engine.task import Draft, Task, slug
from ravenbench.errors import InputError
from ravenbench.metrics.base import metrics_of
from ravenbench.tasks.run.spec import RunSpec, beside_spec, build

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ravenbench.engine.pool import Aside
    from ravenbench.store.store import Store
    from ravenbench.tasks.run.forecast import Forecast
    from ravenbench.tasks.run.record import RunPlan


class Run(Task):
    """Test verifiers: do they recognise style or only topic? Choose topics, answer pairs, replace content, write a
    report.

    If the command is interrupted, the same command continues where it stopped.

        raven run                              the texts that come with Raven

        raven run newsgroups                   after raven corpus fetch newsgroups

        raven run mine.parquet --verifiers char-ngram,ppm

        raven run newsgroups --topics 25,10    several numbers of topics

        raven run newsgroups --plan            how many pairs, what it could detect

        raven run --train pan14/en_essays.zip --test pan14/en_essays.zip

        raven run --spec study.toml            all choices in a file
    """

    name = "run"
    first = "topic topics folds samplers verifiers probe seed out spec"
    report = "ravenbench.tasks.run.report:RunReport"
    answer = "ravenbench.tasks.run.analysis:Analysis"
    Spec = RunSpec
    own = (
        Option(
            "spec",
            (
                "TOML file with these options in the table run; options on the command line"
                " override it."
            ),
            Path,
            takes="RunSpec | str | Path",
        ),
        Option("out", "Folder or URL of the run; default raven-runs/<corpus>-<hash>.", takes=PATH),
    )
    failure = f"{Task.failure}\nThe section Failures of the page shows each with its trace."
    pools_seeds = True
    arguments = ("corpus",)
    order = (
        "corpus text author topic encoding topics folds pools pool_share pairs samplers"
        " docs_per_topic min_docs limit calibration encoder verifiers group against normalise"
        " metrics probe replace repetitions lengths seed"
    )
    device = True
    in_spec = (
        "pool_share pairs docs_per_topic limit calibration group against normalise repetitions"
        " lengths"
    )
    plan_help = "Only show what the run would contain and what it could detect."
    spec: RunSpec

    @classmethod
    def call(cls, values: Mapping[str, Any]) -> Any:
        return super().call(beside_spec(values))

    @classmethod
    def plan(cls, values: Mapping[str, Any]) -> Forecast:  # type: ignore[override]
        return super().plan(beside_spec(values))  # type: ignore[return-value]

    def resolve(self) -> None:
        from ravenbench.engine import walls

        options = plain_of(RunSpec, self.values)
        spec = self.values.get("spec")
        if isinstance(spec, RunSpec):
            self.spec = build({**spec.resolved(), **options}) if options else spec
        else:
            self.spec = build(options, None if spec is None else Path(spec))
        walls.hide(self.spec.resolved())
        self.named = self.spec.named_verifiers()
        if self.spec.metrics is not None:
            metrics_of(self.spec.metrics)
        stem = slug(self.spec.corpus or self.spec.test or "given") or "run"
        self.folder = self.place_or(f"{stem}-{self.spec.hash()[:8]}")

    def prepare(self) -> Store:
        from ravenbench.engine.guard import smoke_test
        from ravenbench.tasks.run.plan import fingerprint

        smoke_test(self.named)
        self.data = fingerprint(self.spec)
        return super().prepare()

    def draft(self, meanwhile: Aside | None = None) -> Draft[RunPlan]:
        from ravenbench.engine.pool import here
        from ravenbench.tasks.run.plan import draft

        return draft(self.spec, self.progress, meanwhile or here)

    def write_plan(self, store: Store, begin: Callable[[], None]) -> None:
        """Make the plan and write it, unless the files changed while they were read.

        With a second core, the kernels of verifiers are compiled meanwhile, where workers find them.
        """
        from ravenbench.engine.guard import rehearsable, warm_up_kernels
        from ravenbench.engine.pool import aside, usable_cores
        from ravenbench.store.resume import changed
        from ravenbench.tasks.run.plan import fingerprint

        with aside(usable_cores() if self.workers is None else self.workers) as meanwhile:
            if ours := rehearsable(self.named):
                meanwhile(warm_up_kernels, ours)
            draft = self.draft(meanwhile)
        if (data_now := fingerprint(self.spec)) != self.data:
            changed_paths = ", ".join(
                str(getattr(self.spec, key, key)) for key in changed(self.data, data_now)
            )
            again = "repeat the command when the files are complete"
            raise InputError(
                "the files changed while Raven read them", file=changed_paths, fix=again
            )
        self.approved(draft).write(store, begin)

    def cells(self, store: Store) -> list[str]:
        from ravenbench.engine.cells import execute

        return execute(store, self.named, self.engine, self.progress)

    def preview(self) -> Forecast:  # type: ignore[override]
        from ravenbench.tasks.run.forecast import forecast

        if self.asked_checks():
            self.approved(self.draft())
        return forecast(self.spec, self.progress)
