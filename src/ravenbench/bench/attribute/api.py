"""``ravenbench.attribute``: attribution methods on a corpus, under one protocol or both.

OUT/run.json, plan.json, texts/, cells/   as for a run; a fold is a split of a protocol, and a cell holds the
                                          authors that one method named on it
OUT/documents.npy, splits.npy             text, author and topic of each document; where it is held out
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ravenbench import files
from ravenbench.bench.attribute.answers import ALL, MovedUnit, SplitUnit, WeightsUnit, name_methods, save_documents
from ravenbench.bench.attribute.plan import draft, fingerprint
from ravenbench.bench.attribute.record import AttributePlan
from ravenbench.bench.attribute.spec import METHODS, AttributeSpec, build
from ravenbench.bench.options import documented
from ravenbench.bench.task import Outlook, RunResult
from ravenbench.engine.pool import Engine, Progress, local, run_units, silent
from ravenbench.store.lock import folder_lock
from ravenbench.store.records import CellPlace
from ravenbench.store.resume import earlier, open_or_create
from ravenbench.store.store import Store
from ravenbench.types import Corpus


@dataclass(frozen=True, eq=False)
class Task:
    """What was asked for: its spec, the methods by name, the corpus where it is in memory, hashes, and the folder."""

    spec: AttributeSpec
    methods: dict[str, Any]
    corpus: Corpus | None
    data: dict[str, str]
    folder: Path


@documented(AttributeSpec)
def attribute(
    corpus: str | Corpus,
    *,
    topic: str | None = None,
    protocol: str | None = None,
    methods: str | Sequence[Any] | None = None,
    folds: int | None = None,
    min_docs: int | None = None,
    min_topics: int | None = None,
    min_per_topic: int | None = None,
    min_topic_docs: int | None = None,
    docs_per_topic: int | None = None,
    merge_authors: bool | None = None,
    sampler: str | None = None,
    topics: int | None = None,
    encoder: str | None = None,
    difference: float | None = None,
    encoding: str | None = None,
    seed: int | None = None,
    out: str | Path | None = None,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: Progress = silent,
) -> RunResult:
    """Attribute held-out documents to their authors; resume where an earlier call stopped.

    Parameters
    ----------
    corpus : str or Corpus
        A name, a path, or a corpus in memory.
    methods : str or sequence
        Comma-separated names or ``module:Class``, or estimators over texts (``fit(texts, authors)``,
        ``predict(texts)``).
    {options}
    out : path or URL, optional
        The folder; by default ``raven-runs/attribute-<corpus>-<hash of spec and data>``.
    workers : int, optional
        Processes; all cores by default. Decides nothing but time.
    engine : Engine, optional
        Where methods are fitted instead (see ``ravenbench.engine.pool``).
    progress : callable, optional
        Called with (stage, done, total).

    Raises
    ------
    InputError
        Before any method is fitted, if something cannot be used.
    """
    given = {name: value for name, value in locals().items() if name in AttributeSpec.__struct_fields__}
    return carry(task(given, out), engine or local(workers), progress)


def task(given: dict[str, Any], out: str | Path | None = None) -> Task:
    """What arguments of ``attribute`` ask for, checked.

    Raises
    ------
    InputError
        If one of them cannot be used.
    """
    named = name_methods(METHODS if given.get("methods") is None else given["methods"])
    corpus = given["corpus"]
    loaded = corpus if isinstance(corpus, Corpus) else None
    name = str(corpus) if loaded is None else loaded.name
    spec = build({**given, "corpus": name, "methods": ", ".join(named)})
    data = fingerprint(spec, loaded, named)
    folder = spec.default_folder(data) if out is None else files.location(out)
    return Task(spec, named, loaded, data, folder)


def carry(asked: Task, engine: Engine, progress: Progress = silent) -> RunResult:
    """Do what was asked for, what is there already excepted."""
    spec, named = asked.spec, asked.methods

    def plan(store: Store, begin: Callable[[], None]) -> None:
        progress("reading the corpus", 0, 0)
        made = draft(spec, asked.corpus, named)
        begin()
        save_documents(store, made.documents, made.places)
        store.write_plan(made.plan)

    with folder_lock(asked.folder):
        store = open_or_create(asked.folder, "attribute", spec.resolved(), asked.data, plan, spec.seed)
        units = [SplitUnit(store.path, named[c.verifier], (c,)) for c in store.unanswered()]
        errors = run_units(engine, units, progress, "attributing")
        return RunResult(store, (*errors, *_compare_weights(store, named, engine, progress)))


def _compare_weights(store: Store, named: dict[str, Any], engine: Engine, progress: Progress) -> list[str]:
    plan = store.plan_as(AttributePlan)
    if plan.cues is None:
        return []
    name, base = plan.cues.method, plan.cues.base
    method, errors = named[name], []
    if _lacks(store, base):
        errors = run_units(
            engine,
            [WeightsUnit(store.path, method, (CellPlace(key=base, verifier=name, fold=ALL),))],
            progress,
            "weighing features",
        )
    if errors:
        return errors
    held_out = zip(plan.cues.moved, plan.protocols[0].splits, strict=True)
    units = [
        MovedUnit(store.path, method, (CellPlace(key=key, verifier=name, fold=split.fold),), base)
        for key, split in held_out
        if _lacks(store, key)
    ]
    return run_units(engine, units, progress, "comparing weights")


def _lacks(store: Store, key: str) -> bool:
    cell = store.read_cell(key)
    return cell is None or cell.error is not None


def outlook(asked: Task, progress: Progress = silent) -> Outlook:
    """What an attribution would do; nothing is written and no method is fitted.

    Raises
    ------
    InputError
        If the corpus or the folder cannot be used.
    """
    spec = asked.spec
    store = earlier(asked.folder, "attribute", spec.resolved(), asked.data, spec.seed)
    if store is None:
        progress("reading the corpus", 0, 0)
        plan = draft(spec, asked.corpus, asked.methods).plan
    else:
        plan = store.plan_as(AttributePlan)
    keys = [place.key for place in plan.cells]
    keys += [] if plan.cues is None else [plan.cues.base, *plan.cues.moved]
    missing = len(keys) if store is None else sum(_lacks(store, key) for key in keys)
    return Outlook(
        task="attribute",
        folder=str(asked.folder),
        problems={p.protocol: sum(split.documents for split in p.splits) for p in plan.protocols},
        cells=len(keys),
        done=len(keys) - missing,
        fits=missing,
    )
