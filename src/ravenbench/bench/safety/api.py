"""``ravenbench.safety``: obfuscators against verifiers, as cells of one run.

    OUT/run.json, plan.json, texts/, folds/, cells/   as for a run; fold ``original`` and one for each obfuscator and
                                                      seed, ``oNN-sSEED``; of attacks, ``n-…``, ``m-…``, ``i-…``
    OUT/rewritings/KEY.json                           one rewriting each (or in the folder given)
    OUT/measures/KEY.json, index.json                 soundness, sensibleness and efficiency of one obfuscator and seed
    OUT/detection.json                                how well rewritings can be told from genuine texts
    OUT/grades.json                                   what people said of them, where grades were given

Verifiers learn from unobfuscated training problems once and answer every test set; the unobfuscated answers are a
cell like others. Only questioned texts of same-author problems are rewritten. Attribution methods (``methods``) learn
from the candidates' texts instead, and the questioned texts by a candidate are rewritten.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ravenbench import files
from ravenbench.bench.attribute.answers import name_methods
from ravenbench.bench.obfuscate.rewritings import kept_at, place_of, read_rewriting
from ravenbench.bench.options import documented
from ravenbench.bench.safety.attacked import method_units
from ravenbench.bench.safety.measures import NO_HELPERS, Helpers, detect, keep_grades, measure
from ravenbench.bench.safety.plan import SafetyPlanner
from ravenbench.bench.safety.record import SafetyPlan
from ravenbench.bench.safety.spec import SafetySpec, build, check_attacks, default_folder
from ravenbench.bench.task import RunResult
from ravenbench.components import Component
from ravenbench.engine.cells import execute
from ravenbench.engine.guard import smoke_test
from ravenbench.engine.pool import Engine, Progress, local, run_units, silent
from ravenbench.formats.output import check_folder_of_many
from ravenbench.formats.reviews import read_reviews
from ravenbench.obfuscation.base import Obfuscator
from ravenbench.store.lock import folder_lock
from ravenbench.store.resume import open_or_create
from ravenbench.store.store import Store


@documented(SafetySpec)
def safety(
    problems: str | Path,
    *,
    train: str | Path | None = None,
    obfuscators: str | Sequence[str | Obfuscator] | None = None,
    verifiers: str | Sequence[str | Component] | None = None,
    methods: str | Sequence[Any] | None = None,
    reject: float | None = None,
    seeds: str | Sequence[int] | None = None,
    attacks: str | Sequence[str] | None = None,
    normalise: str | None = None,
    surrogates: str | None = None,
    encoding: str | None = None,
    limit: int | None = None,
    out: str | Path | None = None,
    rewritings: str | Path | None = None,
    helpers: Helpers = NO_HELPERS,
    grades: str | Path | None = None,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: Progress = silent,
) -> RunResult:
    """Rewrite, answer, measure; resume where an earlier call stopped.

    Parameters
    ----------
    methods : str or sequence, optional
        Attribution methods to attack in place of verifiers: comma-separated names or ``module:Class``, or estimators
        over texts. They learn from the candidates' texts; ``problems`` are then PAN18/19 attribution problems, and
        ``train`` is what the surrogates of a search learn from.
    {options}
    out : path or URL, optional
        The run's folder; by default ``raven-runs/safety-<problems>-<hash of the spec>``.
    rewritings : path or URL, optional
        Where rewritings are stored and looked for; by default within ``out``.
    helpers : Helpers, optional
        A LanguageTool server (rewritten texts are then sent there), a sentence encoder, an inference model.
    grades : path, optional
        A folder of reviews that the viewer exported; kept with the run, in the place of earlier ones.
    workers : int, optional
        Processes; all cores by default. Decides nothing but time.
    engine : Engine, optional
        Where units of work are done instead (see ``ravenbench.engine.pool``).
    progress : callable, optional
        Called with (stage, done, total).

    Returns
    -------
    RunResult
        Its errors are those of obfuscators that could not be used and of cells that failed.

    Raises
    ------
    InputError
        Before any long work, if something cannot be used; once the texts are rewritten, if a grade is of another text.
    """
    given = {name: value for name, value in locals().items() if name in SafetySpec.__struct_fields__}
    named = {} if methods is None else name_methods(methods)
    spec = build({**given, "methods": ", ".join(named) or None})
    verifying = {} if named else spec.named_verifiers()
    smoke_test(verifying)
    check_attacks(spec, spec.named_obfuscators(), verifying)
    helpers.check()
    reviews = None if grades is None else read_reviews(Path(grades))
    work = engine or local(workers)
    folder = files.location(out) if out is not None else default_folder(spec)
    elsewhere = None if rewritings is None else files.location(rewritings)
    if elsewhere is not None:
        check_folder_of_many(elsewhere, [spec.problems, *([] if spec.train is None else [spec.train])])
    place = place_of(elsewhere)
    planner = SafetyPlanner(spec, kept_at(folder, place), place, work, progress, named)
    with folder_lock(folder):
        store = open_or_create(folder, "safety", spec.resolved(), spec.data(named), planner.write)
        kept = kept_at(folder, store.plan_as(SafetyPlan).rewritings, elsewhere)
        if (not planner.folds and any_unusable(store)) or not all_kept(store, kept):
            # Measures rest on rewritings: those that were lost are made again, and with them the plan. An obfuscator
            # that an earlier call could not use may find now what it lacked.
            planner.write(store, lambda: None)
            store = Store(folder)
        plan = store.plan_as(SafetyPlan)
        if reviews is not None:
            keep_grades(store, kept, reviews)
        if named:
            errors = run_units(work, method_units(store, named, spec.reject), progress, "attributing")
        else:
            errors = execute(store, verifying, work, progress)
        measure(store.path / "measures", kept, plan.obfuscators, work, helpers, progress)
        if not named:
            detect(store, kept, progress)
        unusable = (f"{entry.name}: {entry.error}" for entry in plan.obfuscators if entry.error is not None)
        return RunResult(store, (*unusable, *errors))


def any_unusable(store: Store) -> bool:
    """Whether the plan names an obfuscator that could not be used."""
    return any(entry.error is not None for entry in store.plan_as(SafetyPlan).obfuscators)


def all_kept(store: Store, kept: Path) -> bool:
    """Whether every rewriting that the plan names is there and whole."""
    sets = (done for entry in store.plan_as(SafetyPlan).obfuscators for done in entry.sets.values())
    return all(read_rewriting(kept, key) is not None for done in sets for key in done.rewritings.values())
