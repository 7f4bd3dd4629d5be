"""Runs ``raven pan14``: every verifier trained on the train part and tested on the test part of every corpus given.

In: the values of the command's options by name, of which a ``Pan14Spec`` is made (paths of data, verifiers, metrics).
Out: a ``RunResult`` whose ``Store`` has one cell (result) a verifier and corpus: answers (n,) from 0 to 1, higher =
same author, 0.5 = unanswered. SpecError if a metric takes raw scores.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from ravenbench import registry
from ravenbench.components import identity_hash
from ravenbench.engine.options import (
    COMPONENTS,
    PATH,
    PATHS,
    Encoding,
    Metrics,
    Option,
    Spec,
    about,
    spec_of,
)
from ravenbench.engine.task import Draft, Task
from ravenbench.errors import SpecError
from ravenbench.metrics.base import metrics_of

if TYPE_CHECKING:
    from ravenbench.components import Component
    from ravenbench.store.store import Store


DEFAULT_VERIFIERS = "raven-2026, impostors, cng-2013, ppm, char-ngram, function-words"
"""The meta-classifier needs no fit: the report averages the answers of all."""


class Pan14Spec(Spec, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Places of the corpora, and the verifiers that answer them."""

    data: Annotated[
        Annotated[tuple[str, ...], msgspec.Meta(min_length=1)],
        about(
            "Zips or folders that contain CORPUS/train and CORPUS/test, or folders of these zips.",
            takes=PATHS,
            many=True,
        ),
    ]
    verifiers: Annotated[
        str,
        about(
            "Verifiers to test, e.g. 'ppm, impostors'; published: all with printed figures."
            " Default: raven-2026 and five published methods.",
            takes=COMPONENTS,
        ),
    ] = DEFAULT_VERIFIERS
    metrics: Metrics = None
    encoding: Encoding = None
    probe: Annotated[
        Literal["transplant", "none"],
        about(
            "transplant: measure how far content changes the answers of a verifier; none."
            " Default: transplant."
        ),
    ] = "transplant"

    def resolved(self) -> dict[str, Any]:
        """JSON form of what decides answers: the place of the data does not; their hashes are next to it."""
        defaults = {"verifiers": self.verifiers, "probe": self.probe}
        further = {"encoding": self.encoding, "metrics": self.metrics}
        return defaults | {key: value for key, value in further.items() if value is not None}


class Pan14(Task):
    """Train and test verifiers on each corpus, and report the results as the PAN-2014 overview does.

    The report has AUC, c@1 and their product for each corpus, over all problems and as a mean over corpora, with
    intervals; the meta-classifier, pairwise tests and the ROC hull; and how far content changes the answers of each
    verifier. If the command is interrupted, the same command continues where it stopped.

        raven pan14 pan14/*.zip

        raven pan14 pan14/ --verifiers published
    """

    name = "pan14"
    first = "verifiers metrics out"
    report = "ravenbench.tasks.pan14.report:Pan14Report"
    answer = "ravenbench.tasks.pan14.analysis:Overview"
    Spec = Pan14Spec
    own = (Option("out", "Folder or URL of the run; default raven-runs/….", takes=PATH),)
    arguments = ("data",)
    order = "data verifiers metrics probe"
    device = True
    spec: Pan14Spec

    def resolve(self) -> None:
        from ravenbench.engine.guard import smoke_test
        from ravenbench.store.plans import content_key, decides
        from ravenbench.store.resume import data_hash
        from ravenbench.tasks.pan14.plan import read_corpora
        from ravenbench.tasks.pan14.published import PUBLISHED

        verifiers = self.values.get("verifiers")
        if verifiers == "published":
            verifiers = [
                n for n in PUBLISHED if n.partition("(")[0] in registry.targets("verifier")
            ]
        self.named = registry.named("verifier", verifiers, default=DEFAULT_VERIFIERS)
        smoke_test(self.named)
        self.spec = spec_of(Pan14Spec, {**self.values, "verifiers": ", ".join(self.named)})
        for metric in (
            metrics_of(self.spec.metrics).values() if self.spec.metrics is not None else ()
        ):
            if metric.reads == "scores":
                raise SpecError(
                    f"the metric {metric} needs raw scores", fix="use it with raven run"
                )
        self.progress("reading the problems", 0, 0)
        self.corpora = read_corpora(self.spec.data, self.spec.encoding)
        self.data = {f"data {i}": data_hash(path) for i, path in enumerate(self.spec.data)}
        self.data["methods"] = content_key(
            [decides(component) for component in self.named.values()]
        )
        self.inputs = list(self.spec.data)
        self.folder = self.place_or(f"pan14-{identity_hash([self.spec.resolved(), self.data])[:8]}")

    def draft(self) -> Draft[Any]:
        from ravenbench.tasks.pan14.plan import draft

        return draft(self.corpora, self.named, self.spec.probe, self.progress)

    def sketch(self) -> Draft[Any]:
        from ravenbench.tasks.pan14.plan import draft

        # The keys of an earlier run's cells are compared.
        return draft(
            self.corpora,
            self.named,
            self.spec.probe,
            self.progress,
            sketched=self.earlier() is None,
        )

    def components(self) -> Mapping[str, Component]:
        return self.named

    def cells(self, store: Store) -> list[str]:
        from ravenbench.engine.cells import execute

        return execute(store, self.named, self.engine, self.progress, isolate=True)

    def sizes(self, draft: Draft[Any]) -> dict[str, int]:
        return {
            f"{corpus.name} {name}": len(getattr(corpus, name).problems)
            for corpus in self.corpora
            for name in ("train", "test")
        }
