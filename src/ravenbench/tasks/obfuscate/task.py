"""Runs ``raven obfuscate``: texts rewritten so that their author is hidden, each rewriting kept as a file.

In: the values of the command's options by name: an obfuscator, and a text, a folder of texts or a problem set (of
which an ``ObfuscateSpec`` is made), and where the new texts go.
Out: an ``ObfuscateResult`` with one ``Rewriting`` a text (None where it failed), names of unchanged texts, errors as
texts, and files; SpecError if no place for the new texts is given:

FOLDER/run.json, plan.json       as for a run
FOLDER/rewritings/KEY.json       one rewriting each (or in the folder given)
OUT                              the new text, folder of texts or problem set, with parts beside each text
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ravenbench import files
from ravenbench.components import identity
from ravenbench.engine.options import PATH, Option, spec_of
from ravenbench.engine.task import Draft, Preview, RunResult, Task, content_hash
from ravenbench.errors import SpecError
from ravenbench.tasks.obfuscate.spec import ObfuscateSpec

if TYPE_CHECKING:
    from ravenbench.obfuscation.base import Rewriting
    from ravenbench.store.store import Store
    from ravenbench.tasks.obfuscate.rewritings import ObfuscatePlan


@dataclass(frozen=True, repr=False)
class ObfuscateResult(RunResult):
    """A finished obfuscation: its store, the errors met, and the rewritings in order of the plan's texts.

    If a text could not be rewritten, its rewriting is None, and nothing was written to ``out``. ``unchanged`` names the
    texts that came back unchanged and hide nothing; if these are all texts, nothing was written either.
    """

    rewritings: tuple[Rewriting | None, ...]
    unchanged: tuple[str, ...] = ()

    @property
    def written(self) -> bool:
        """Whether something was written."""
        return None not in self.rewritings and (
            not self.unchanged or len(self.unchanged) < len(self.rewritings)
        )


class Obfuscate(Task):
    """Rewrite questioned texts so that verifiers do not recognise their author.

    In a problem set, Raven rewrites only the questioned texts of same-author problems, as in the 2016 study. If the
    command is interrupted, repeat it: it continues where it stopped.

        raven obfuscate mihaylova-2016 essay.txt --out hidden.txt

        raven obfuscate mansoorizadeh-2016 pan14/en_essays.zip --split test --out hidden/
    """

    name = "obfuscate"
    first = "out seed split known"
    report = "ravenbench.tasks.obfuscate.report:ObfuscateReport"
    freezes = False
    Spec = ObfuscateSpec
    own = (
        Option(
            "out",
            "The new text, folder or problem set (path or URL); each text has a JSON file with its"
            " parts.",
            takes=PATH,
        ),
        Option(
            "folder",
            "The run's folder or URL; default raven-runs/obfuscate-<IN>-<hash>.",
            takes=PATH,
        ),
        Option(
            "rewritings",
            "Folder in which Raven keeps and reuses rewritings; default: in --folder.",
            takes=PATH,
        ),
    )
    place = "folder"
    arguments = ("obfuscator", "source")
    order = "obfuscator source out"
    note = "Without ``out`` Raven only keeps the rewritings."
    result = "ObfuscateResult"
    spec: ObfuscateSpec

    @classmethod
    def instead_of_missing(cls, words: Sequence[str]) -> SpecError | None:
        """Name the command that rewrites a person's text, if a text is given without a recipe."""
        given = [shlex.quote(word) for word in words if Path(word).exists()]
        if not given:
            return None
        text, known = (*given, "MY-OTHER-TEXTS")[:2]
        return SpecError(
            "OBFUSCATOR is missing: the recipe that rewrites the text",
            found=given[0],
            expected="OBFUSCATOR IN",
            fix=(
                f"for a text of your own: raven obfuscate raven-hide {text} --known {known} --out"
                " hidden.txt; other recipes: raven list obfuscator"
            ),
        )

    def resolve(self) -> None:
        from ravenbench.tasks.obfuscate.texts import read_source

        self.spec = spec = spec_of(ObfuscateSpec, self.values)
        self.recipe = spec.component()
        self.source = read_source(spec)
        self.data = self.fingerprint()
        stem = Path(files.local_copy(spec.source)).stem
        self.folder = self.place_or(
            f"obfuscate-{stem}-{content_hash([spec.resolved(), self.data])}"
        )
        place = self.values.get("rewritings")
        self.elsewhere = None if place is None else files.location(place)

    def fingerprint(self) -> dict[str, str]:
        """Identity of the texts, of the obfuscator, and of the resources that recipes use."""
        from ravenbench.store.plans import content_key
        from ravenbench.store.resume import data_hash
        from ravenbench.tasks.obfuscate.rewritings import resources_here

        spec = self.spec
        named = {
            "source": spec.source,
            **{f"known {i}": path for i, path in enumerate(spec.known, start=1)},
        }
        # The empty list: verifiers that a search of earlier versions asked.
        methods = [identity(self.recipe), [], *filter(None, [self.recipe.stamp()])]
        return {
            **{name: data_hash(path) for name, path in named.items()},
            "methods": content_key(methods),
            "resources": content_key(resources_here()),
        }

    def draft(self) -> Draft[ObfuscatePlan]:
        from ravenbench.tasks.obfuscate.rewritings import (
            ObfuscatePlan,
            TextRecord,
            keys_of,
            place_of,
        )
        from ravenbench.text.alignment import plain_words

        spec = self.spec
        recipe = self.recipe
        source = self.source
        keys = keys_of(recipe, spec.seed, source.tasks)
        plan = ObfuscatePlan(
            obfuscator=str(recipe),
            identity=identity(recipe),
            version=recipe.version,
            provenance=recipe.provenance,
            sends_text=recipe.sends_text,
            source=spec.source,
            language=spec.language
            or (None if source.problems is None else source.problems.language),
            texts=[
                TextRecord(id=task.id, words=len(plain_words(task.questioned)), key=key)
                for task, key in zip(source.tasks, keys, strict=True)
            ],
            rewritings=place_of(self.elsewhere),
            folds={},
            verifiers=[],
            cells=[],
        )
        return Draft(plan)

    def prepare(self) -> Store:
        """Prepare the planned folder, after a check that the new texts can be written."""
        from ravenbench.outputs import check_folder_of_many
        from ravenbench.store.resume import written
        from ravenbench.tasks.obfuscate.texts import check_out

        spec = self.spec
        out = self.values.get("out")
        self.product, self.written = (
            None if out is None else files.location(out),
            written(self.folder),
        )
        inputs = [spec.source, *spec.known]
        if self.elsewhere is not None:
            check_folder_of_many(self.elsewhere, inputs)
        if self.product is not None:
            check_out(self.product, self.source.single, inputs, self.written)
        return super().prepare()

    def cells(self, store: Store) -> list[str]:
        from ravenbench.tasks.obfuscate.rewritings import ObfuscatePlan, kept_at, rewrite

        stored = kept_at(self.folder, store.plan_as(ObfuscatePlan).rewritings, self.elsewhere)
        self.done = rewrite(
            stored, self.recipe, self.spec.seed, self.source.tasks, self.engine, self.progress
        )
        return [
            f"{one.id}: {str(one.error).splitlines()[0]}"
            for one in self.done
            if one.rewriting is None
        ]

    def finish(self, store: Store, errors: list[str]) -> ObfuscateResult:
        from ravenbench.store.resume import note
        from ravenbench.tasks.obfuscate.texts import write_product

        rewritings = tuple(one.rewriting for one in self.done)
        hides = self.recipe.hides
        same = tuple(
            o.id for o in self.done if hides and o.rewriting is not None and not o.rewriting.changed
        )
        result = ObfuscateResult(store, tuple(errors), rewritings, same)
        if self.product is not None and result.written:
            whole = [rewriting for rewriting in rewritings if rewriting is not None]
            write_product(
                self.product, self.source, whole, self.written, partial(note, self.folder)
            )
        return result

    def preview(self) -> Preview:
        from ravenbench.tasks.obfuscate.rewritings import kept_at, keys_of, place_of, read_rewriting

        self.earlier()
        cache = kept_at(self.folder, place_of(self.elsewhere))
        seed = self.spec.seed
        keys = keys_of(self.recipe, seed, self.source.tasks)
        stored = [read_rewriting(cache, key) for key in keys]
        done = sum(one is not None and one.rewriting is not None for one in stored)
        problems = {"texts": len(self.source.tasks)}
        return Preview(
            self.name, str(self.folder), problems, len(stored), done, int(done < len(stored)), ()
        )

    @classmethod
    def check(cls, values: Mapping[str, Any]) -> None:
        if "out" not in values:
            raise SpecError("no place for the new texts", fix="--out hidden.txt, or a new folder")
