"""Plans a safety run: rewriting, the folds of obfuscations and of attacks on them, the manifest.

In: a ``SafetySpec``, a folder for rewritings, an engine, and a ``Store`` to fill.
Out: nothing is returned; the store gets its files: rewritings, ``Fold`` objects (one for each obfuscator and seed, and
those of attacks), and the ``SafetyPlan``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from ravenbench.components import Component, identity
from ravenbench.engine.pool import Engine, Progress
from ravenbench.errors import InputError, counted
from ravenbench.obfuscation.base import ObfuscationTask, Obfuscator
from ravenbench.problems.rewritten import rewritten
from ravenbench.store.plans import (
    cell_places,
    fold_record,
    on_one_table,
    save_plan,
    verifier_record,
)
from ravenbench.store.store import Store
from ravenbench.tasks.attribute.answers import method_record
from ravenbench.tasks.obfuscate.rewritings import Stored, rewrite
from ravenbench.tasks.safety.attacked import Attacked, method_cells, read_attacked
from ravenbench.tasks.safety.attacks import Attacks, normalised
from ravenbench.tasks.safety.record import (
    AttackedCorpus,
    ObfuscatorRecord,
    RewrittenSet,
    SafetyPlan,
)
from ravenbench.tasks.safety.spec import SafetySpec
from ravenbench.types import Fold, Problems


@dataclass
class SafetyPlanner:
    """Writes a run's plan into its store: rewritings, folds and manifest.

    ``rewritings_folder`` is the folder of rewritings, ``place`` its name in the plan, ``methods`` the attacked
    attribution methods by name, if any.
    """

    spec: SafetySpec
    rewritings_folder: Path
    place: str
    engine: Engine
    progress: Progress
    methods: Mapping[str, Any] = field(default_factory=dict)
    folds: list[Fold] = field(default_factory=list)

    def write(self, store: Store, begin: Callable[[], None]) -> None:
        """Read the problems, rewrite, then write folds and manifest."""
        named = self.spec.named_obfuscators()
        verifiers = {} if self.methods else self.spec.named_verifiers()
        material = read_attacked(self.spec)
        # Rewritings are kept in the run's folder while it is planned, so that folder has to know whose it is.
        begin()
        self.folds = [material.base]
        entries = [
            self._rewrite(number, name, component, material)
            for number, (name, component) in enumerate(named.items())
        ]
        if "normalise" in self.spec.attacks:
            self.folds += normalised(
                [fold for fold in self.folds if "attack" not in fold.labels], self.spec.normaliser()
            )
        plan = SafetyPlan(
            corpus=AttackedCorpus(
                name=material.test.name,
                language=material.test.language,
                faults=dict(material.test.faults),
                left_out_of_training={} if material.train is None else dict(material.train.faults),
                notes=list(material.notes),
            ),
            attacked=[task.id for task in material.tasks],
            attacks=list(self.spec.attacks),
            obfuscators=entries,
            rewritings=self.place,
            folds={},
            truth=list(material.truth),
            verifiers=[
                *(verifier_record(name, component) for name, component in verifiers.items()),
                *(method_record(name, method) for name, method in self.methods.items()),
            ],
            cells=[],
        )
        self._save(store, begin, plan, verifiers)

    def _rewrite(
        self, number: int, name: str, component: Obfuscator, attacked: Attacked
    ) -> ObfuscatorRecord:
        """Rewrite with every seed and add the folds; one that cannot be used is told, and the rest goes on."""
        entry = ObfuscatorRecord(
            name=name,
            identity=identity(component),
            version=component.version,
            provenance=component.provenance,
            sends_text=component.sends_text,
            sets={},
            error=None,
        )
        attacks = Attacks(self.spec.attacks, component, self._texts_by_id)
        sets: dict[int, RewrittenSet] = {}
        for seed in self.spec.seeds:
            try:
                done = rewrite(
                    self.rewritings_folder,
                    component,
                    seed,
                    attacked.tasks,
                    self.engine,
                    self.progress,
                )
            except InputError as error:
                return msgspec.structs.replace(entry, error=str(error).replace("\n  ", "; "))
            failed = {
                one.id: str(one.error).splitlines()[0] for one in done if one.rewriting is None
            }
            if len(failed) > len(done) / 10:
                reason = f"failed on {counted(len(failed), 'text')}, the first: {next(iter(failed.values()))}"
                return msgspec.structs.replace(entry, error=reason)
            if (
                component.hides
                and done
                and not any(one.rewriting is not None and one.rewriting.changed for one in done)
            ):
                first = next(
                    (
                        o.rewriting.notes[0]
                        for o in done
                        if o.rewriting is not None and o.rewriting.notes
                    ),
                    "",
                )
                reason = f"all {len(done)} texts came back unchanged" + (
                    f": {first}" if first else ""
                )
                return msgspec.structs.replace(entry, error=reason)
            texts = {one.id: one.rewriting.text for one in done if one.rewriting is not None}
            fold = rewritten(
                attacked.base, texts, f"o{number:02d}-s{seed}", obfuscator=name, seed=seed
            )
            played = attacks.play(seed, fold, attacked.tasks, done)
            self.folds += [fold, *played.folds]
            sets[seed] = msgspec.structs.replace(
                _summary(fold.name, done, failed),
                not_played=played.not_played,
                inversion=played.inversion,
                preimage=played.preimage,
            )
        return msgspec.structs.replace(entry, sets=sets)

    def _texts_by_id(
        self, component: Obfuscator, tasks: Sequence[ObfuscationTask], seed: int
    ) -> dict[str, str]:
        """New texts by id, from the store where they were rewritten; a text that failed stays as it is."""
        done = rewrite(self.rewritings_folder, component, seed, tasks, self.engine, self.progress)
        original = {task.id: task.questioned for task in tasks}
        return {o.id: original[o.id] if o.rewriting is None else o.rewriting.text for o in done}

    def _save(
        self,
        store: Store,
        begin: Callable[[], None],
        plan: SafetyPlan,
        verifiers: dict[str, Component],
    ) -> None:
        sets: list[Problems] = []
        for fold in self.folds:
            sets += [fold.train, fold.test]
        texts, sets = on_one_table(sets)
        folds = [
            replace(fold, train=sets[2 * i], test=sets[2 * i + 1])
            for i, fold in enumerate(self.folds)
        ]
        records = {fold.name: fold_record(fold) for fold in folds}
        cells = cell_places(verifiers, records) + method_cells(
            self.methods, self.spec.reject, folds[0], records
        )
        plan = msgspec.structs.replace(plan, folds=records, cells=cells)
        labels = {k: getattr(folds[0].train, k) for k in ("author", "topic", "language")}
        save_plan(store, begin, plan, folds, texts, labels)


def _summary(fold: str, done: Sequence[Stored], failed: dict[str, str]) -> RewrittenSet:
    notes: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for one in done:
        if one.rewriting is not None:
            notes.update(one.rewriting.notes)
            counts.update(one.rewriting.counts)
    return RewrittenSet(
        fold=fold,
        rewritings={one.id: one.key for one in done},
        changed=sum(one.rewriting is not None and one.rewriting.changed for one in done),
        seconds=float(sum(one.seconds for one in done)),
        notes=dict(sorted(notes.items())),
        counts=dict(sorted(counts.items())),
        failed=failed,
    )
