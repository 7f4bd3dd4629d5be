"""``ravenbench.obfuscate``: texts rewritten so that their author is hidden, each rewriting kept as a cell.

FOLDER/run.json, plan.json       as for a run
FOLDER/rewritings/KEY.json       one rewriting each (or in the folder given)
OUT                              the new text, folder of texts or problem set, with parts beside each text
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ravenbench import files
from ravenbench.bench.obfuscate.record import ObfuscatePlan, TextRecord
from ravenbench.bench.obfuscate.rewritings import kept_at, keys_of, place_of, read_surrogates, rewrite
from ravenbench.bench.obfuscate.spec import ObfuscateSpec, build, default_folder
from ravenbench.bench.obfuscate.texts import Source, check_out, read_source, write_product
from ravenbench.bench.options import documented
from ravenbench.bench.task import RunResult
from ravenbench.components import identity
from ravenbench.engine.pool import Engine, Progress, local, silent
from ravenbench.formats.archive import Split
from ravenbench.formats.output import check_folder_of_many
from ravenbench.obfuscation.base import Obfuscator, Rewriting
from ravenbench.store.lock import folder_lock
from ravenbench.store.resume import note, open_or_create, written
from ravenbench.store.store import Store
from ravenbench.text.alignment import plain_words


@dataclass(frozen=True)
class ObfuscateResult(RunResult):
    """A finished obfuscation: its store, the errors met, and the rewritings in order of the plan's texts.

    Where a text could not be rewritten its rewriting is None, and nothing was written to ``out``. ``unchanged`` names
    the texts that came back as they were, of which nothing is hidden; where these are all, nothing was written either.
    """

    rewritings: tuple[Rewriting | None, ...]
    unchanged: tuple[str, ...] = ()

    @property
    def written(self) -> bool:
        """Whether there was something to write."""
        return None not in self.rewritings and (not self.unchanged or len(self.unchanged) < len(self.rewritings))


@documented(ObfuscateSpec)
def obfuscate(
    obfuscator: str | Obfuscator,
    source: str | Path,
    *,
    encoding: str | None = None,
    seed: int | None = None,
    every: bool | None = None,
    split: Split | None = None,
    known: Sequence[str | Path] | None = None,
    language: str | None = None,
    train: str | Path | None = None,
    surrogates: str | None = None,
    out: str | Path | None = None,
    folder: str | Path | None = None,
    rewritings: str | Path | None = None,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: Progress = silent,
) -> ObfuscateResult:
    """Rewrite texts so that their author is hidden; resume where an earlier call stopped.

    Of a problem set the questioned texts of same-author problems are rewritten.

    Parameters
    ----------
    {options}
    out : path or URL, optional
        Where to write the new text, folder or problem set; without it, rewritings are only kept.
    folder : path or URL, optional
        The run's folder; by default ``raven-runs/obfuscate-<source>-<hash>``.
    rewritings : path or URL, optional
        Where rewritings are kept and looked for; by default within ``folder``.
    workers : int, optional
        Processes; all cores by default. Decides nothing but time.
    engine : Engine, optional
        Where texts are rewritten instead (see ``ravenbench.engine.pool``).
    progress : callable, optional
        Called with (stage, done, total).

    Raises
    ------
    InputError
        Before any long work, if something cannot be used.
    """
    spec = build({name: value for name, value in locals().items() if name in ObfuscateSpec.__struct_fields__})
    work = engine or local(workers)
    recipe, texts = spec.component(), read_source(spec)
    asked = read_surrogates(recipe.name, spec.surrogates, spec.train, spec.encoding) if recipe.needs_oracle else None
    data = spec.data()
    place = default_folder(spec, data) if folder is None else files.location(folder)
    elsewhere = None if rewritings is None else files.location(rewritings)
    product, ours = None if out is None else files.location(out), written(place)
    inputs = [spec.source, *spec.known, *([] if spec.train is None else [spec.train])]
    if elsewhere is not None:
        check_folder_of_many(elsewhere, inputs)
    if product is not None:
        check_out(product, texts.single, inputs, ours)

    def plan(store: Store, begin: Callable[[], None]) -> None:
        begin()
        store.write_plan(draft(spec, recipe, texts, place_of(elsewhere)))

    with folder_lock(place):
        store = open_or_create(place, "obfuscate", spec.resolved(), data, plan, spec.seed)
        kept = kept_at(place, store.plan_as(ObfuscatePlan).rewritings, elsewhere)
        done = rewrite(kept, recipe, spec.seed, texts.tasks, work, progress, asked)
        found = tuple(one.rewriting for one in done)
        whole = [one for one in found if one is not None]
        same = tuple(o.id for o in done if recipe.hides and o.rewriting is not None and not o.rewriting.changed)
        errors = tuple(f"{one.id}: {str(one.error).splitlines()[0]}" for one in done if one.rewriting is None)
        result = ObfuscateResult(store, errors, found, same)
        if product is not None and result.written:
            write_product(product, texts, whole, ours, partial(note, place))
        return result


def draft(spec: ObfuscateSpec, recipe: Obfuscator, source: Source, rewritings: str) -> ObfuscatePlan:
    """The plan: every text and the key of its rewriting."""
    keys = keys_of(recipe, spec.seed, source.tasks, spec.surrogates)
    return ObfuscatePlan(
        obfuscator=str(recipe),
        identity=identity(recipe),
        version=recipe.version,
        provenance=recipe.provenance,
        sends_text=recipe.sends_text,
        source=spec.source,
        language=spec.language or (None if source.problems is None else source.problems.language),
        texts=[
            TextRecord(id=task.id, words=len(plain_words(task.questioned)), key=key)
            for task, key in zip(source.tasks, keys, strict=True)
        ],
        rewritings=rewritings,
        folds={},
        verifiers=[],
        cells=[],
    )
