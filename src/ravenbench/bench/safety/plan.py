"""Planning a safety run: rewriting, the folds of obfuscations and of attacks on them, the manifest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ravenbench import registry
from ravenbench.bench.run.execute import Progress
from ravenbench.bench.run.plan import manifest, on_one_table
from ravenbench.bench.safety.inversion import Restoration, invert, inverted, learn, restoration
from ravenbench.bench.safety.preimage import is_deterministic, preimages
from ravenbench.bench.safety.recovery import RewriteTexts, mirrored, normalised
from ravenbench.bench.safety.rewritings import Stored, rewrite
from ravenbench.bench.safety.spec import SafetySpec
from ravenbench.bench.safety.surrogates import surrogate_oracle
from ravenbench.bench.shared.engines import Engine
from ravenbench.bench.shared.keys import cell_key
from ravenbench.bench.shared.store import Store
from ravenbench.components import Component, identity
from ravenbench.errors import CorpusError, InputError
from ravenbench.formats.problems import read_problems
from ravenbench.obfuscation.apply import tasks_of
from ravenbench.obfuscation.base import ObfuscationTask, Obfuscator, Oracle
from ravenbench.problems.rewritten import rewritten
from ravenbench.problems.sources import given
from ravenbench.randomness import stream
from ravenbench.types import Bools, Fold, Problems

ATTACKER = (7919, 104729)
"""Seeds of the mirror attack's own rewritings."""


@dataclass
class SafetyPlanner:
    """Writes a run's plan into its store."""

    spec: SafetySpec
    store: Store
    kept: Path
    engine: Engine
    progress: Progress
    folds: list[Fold] = field(default_factory=list)

    def write(self, named: dict[str, Obfuscator], verifiers: dict[str, Component]) -> None:
        """Rewrite, then write folds and manifest."""
        train, test = read_problems(self.spec.train, "train"), read_problems(self.spec.problems, "test")
        chosen = choose(test.truth(), self.spec.limit)
        if not test.truth()[chosen].any():
            raise CorpusError("no same-author problem is there to obfuscate", file=self.spec.problems)
        problems, same = test.problems.select(chosen), test.truth()[chosen]
        base = given(train.problems, train.truth(), problems, same, "original")
        tasks = tasks_of(base.test, np.flatnonzero(same).tolist(), test.language)
        oracle = None
        if any(component.needs_oracle for component in named.values()):
            surrogates = registry.parse_list("verifier", self.spec.surrogates or "")
            oracle = surrogate_oracle(surrogates, train.problems, train.truth())
        self.folds = [base]
        entries = [
            self._attack(number, name, component, base, tasks, oracle)
            for number, (name, component) in enumerate(named.items())
        ]
        if "normalise" in self.spec.attacks:
            self.folds += normalised([fold for fold in self.folds if "attack" not in fold.labels])
        plan = {
            "kind": "safety",
            "corpus": {"name": test.name, "language": test.language, "faults": dict(test.faults),
                       "left_out_of_training": dict(train.faults)},
            "attacked": [task.id for task in tasks],
            "obfuscators": entries,
            "verifiers": [
                {"name": name, "spec": str(c), "identity": identity(c), "version": c.version,
                 "provenance": getattr(c, "provenance", None)}
                for name, c in verifiers.items()
            ],
        }  # fmt: skip
        self._save(plan, verifiers)

    def _attack(
        self,
        number: int,
        name: str,
        component: Obfuscator,
        base: Fold,
        tasks: list[ObfuscationTask],
        oracle: Oracle | None,
    ) -> dict[str, Any]:
        entry: dict[str, Any] = {
            "name": name, "identity": identity(component), "version": component.version,
            "provenance": component.provenance, "sends_text": component.sends_text, "seeds": {}, "error": None,
        }  # fmt: skip
        asks = self.spec.surrogates or ""
        for seed in self.spec.seeds:
            try:
                done = rewrite(
                    self.kept, component, seed, tasks, self.engine, self.progress,
                    oracle if component.needs_oracle else None, asks if component.needs_oracle else "",
                )  # fmt: skip
            except InputError as error:
                return entry | {"seeds": {}, "error": str(error).replace("\n  ", "; ")}
            failed = {one.id: str(one.error).splitlines()[0] for one in done if one.rewriting is None}
            if len(failed) > len(done) / 10:
                return entry | {
                    "seeds": {},
                    "error": f"failed on {len(failed)} texts, first: {next(iter(failed.values()))}",
                }
            texts = {one.id: one.rewriting.text for one in done if one.rewriting is not None}
            fold = rewritten(base, texts, f"o{number:02d}-s{seed}", obfuscator=name, seed=seed)
            self.folds.append(fold)
            entry["seeds"][str(seed)] = {"fold": fold.name, **_summary(done), "failed": failed}
            if "mirror" in self.spec.attacks:
                entry["seeds"][str(seed)]["mirror"] = self._mirror(component, seed, fold)
            if {"invert", "preimage"} & set(self.spec.attacks):
                entry["seeds"][str(seed)] |= self._trace(component, seed, fold, tasks, done)
        return entry

    def _mirror(self, component: Obfuscator, seed: int, fold: Fold) -> str | None:
        """Add the mirror fold; why there is none, or None."""
        if component.needs_oracle:
            return "a search attack is not mirrored"
        try:
            attacker = [s for s in ATTACKER if s != seed]
            self.folds.append(mirrored(fold, self._maker(component), seed, attacker))
        except InputError as error:
            return str(error).replace("\n  ", "; ")
        return None

    def _trace(
        self, component: Obfuscator, seed: int, fold: Fold, tasks: list[ObfuscationTask], done: list[Stored]
    ) -> dict[str, Any]:
        """Add the inverted fold; what was restored and which preimages were found, or why there is nothing."""
        asked = [attack for attack in ("invert", "preimage") if attack in self.spec.attacks]
        if component.needs_oracle:
            return dict.fromkeys(asked, "a search attack is not inverted")
        by_id = {one.id: one.rewriting for one in done}
        pairs = [(task, r) for task in tasks if (r := by_id.get(task.id)) is not None and r.changed]
        if not pairs:
            return dict.fromkeys(asked, "nothing was changed")
        found: dict[str, Any] = {}
        own = next(s for s in ATTACKER if s != seed)
        try:
            channel = learn(fold.train, self._maker(component), own)
            if "invert" in asked:
                self.folds.append(inverted(fold, self._maker(component), seed, own, channel))
                total = Restoration(0, 0, 0)
                for task, rewriting in pairs:
                    attacked = invert(rewriting.text, task.known, channel)
                    total += restoration(task.questioned, rewriting.text, attacked)
                found["inversion"] = {"precision": total.precision, "recall": total.recall, "altered": total.altered}
            if "preimage" in asked and not is_deterministic(component, tasks):
                found["preimage"] = "it draws at random: there is no preimage to enumerate"
            elif "preimage" in asked:
                result = preimages(component, pairs, channel)
                found["preimages"] = {**asdict(result), "share": result.share}
        except InputError as error:
            return dict.fromkeys(asked, str(error).replace("\n  ", "; "))
        return found

    def _maker(self, component: Obfuscator) -> RewriteTexts:
        """Rewrites tasks, from the store where they were rewritten; a text that failed stays."""

        def texts(tasks: Sequence[ObfuscationTask], seed: int) -> dict[str, str]:
            done = rewrite(self.kept, component, seed, tasks, self.engine, self.progress)
            original = {task.id: task.questioned for task in tasks}
            return {o.id: original[o.id] if o.rewriting is None else o.rewriting.text for o in done}

        return texts

    def _save(self, plan: dict[str, Any], verifiers: dict[str, Component]) -> None:
        sets: list[Problems] = []
        for fold in self.folds:
            sets += [fold.train, fold.test]
        texts, sets = on_one_table(sets)
        folds = [replace(f, train=sets[2 * i], test=sets[2 * i + 1]) for i, f in enumerate(self.folds)]
        plan["folds"] = {fold.name: manifest(fold) for fold in folds}
        plan["cells"] = [
            {"key": cell_key(component, info["train_digest"], info["test_digest"]), "verifier": name, "fold": fold}
            for fold, info in plan["folds"].items()
            for name, component in verifiers.items()
        ]
        texts.save(self.store.path / "texts")
        labels = {k: getattr(folds[0].train, k) for k in ("author", "topic", "language")}
        self.store.save_labels([texts.hash(i).hex() for i in range(len(texts))], labels)
        for fold in folds:
            self.store.save_fold(fold)
        self.store.write_plan(plan)


def choose(same: Bools, limit: int | None) -> Any:
    """Rows of the test problems to use, ascending: all, or ``limit`` of each class drawn by a fixed seed."""
    if limit is None:
        return np.arange(len(same))
    rng = stream(0, "safety-limit", len(same))
    return np.sort(np.concatenate([rng.permutation(np.flatnonzero(same == y))[:limit] for y in (True, False)]))


def _summary(done: list[Stored]) -> dict[str, Any]:
    notes: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for one in done:
        if one.rewriting is not None:
            notes.update(one.rewriting.notes)
            counts.update(one.rewriting.counts)
    return {
        "rewritings": {one.id: one.key for one in done},
        "changed": sum(one.rewriting is not None and one.rewriting.changed for one in done),
        "seconds": sum(one.seconds for one in done),
        "notes": dict(sorted(notes.items())),
        "counts": dict(sorted(counts.items())),
    }
