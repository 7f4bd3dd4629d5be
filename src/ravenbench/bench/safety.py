"""``raven safety``: obfuscators against verifiers, as cells of one run.

    OUT/run.json, plan.json, texts/, folds/, cells/   as for a run; fold ``original`` and one for each obfuscator and
                                                      seed, ``oNN-sSEED``; of attacks on them, ``n-…`` and ``m-…``
    OUT/rewritings/KEY.json                           one rewriting each (or in the folder given)
    OUT/measures/KEY.json                             soundness, sensibleness and efficiency of one obfuscator and seed

Verifiers learn from unobfuscated training problems once and answer every test set; the unobfuscated answers are a
cell like others. Only questioned texts of same-author problems are rewritten.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ravenbench import registry
from ravenbench.bench.api import take_up
from ravenbench.bench.detection import detect
from ravenbench.bench.engines import Engine, local
from ravenbench.bench.inversion import Restoration, invert, inverted, learn, restoration
from ravenbench.bench.keys import cell_key
from ravenbench.bench.plan import begin, data_hash, manifest, on_one_table, packages
from ravenbench.bench.preimage import is_deterministic, preimages
from ravenbench.bench.quality import Helpers, MeasureUnit, measures_key, read_measures
from ravenbench.bench.recovery import ATTACKS, RewriteTexts, mirrored, normalised
from ravenbench.bench.rewritings import Stored, rewrite
from ravenbench.bench.run import Progress, execute, silent
from ravenbench.bench.spec import RunSpec, build
from ravenbench.bench.store import Store
from ravenbench.bench.surrogates import surrogate_oracle
from ravenbench.components import Component, identity, identity_hash
from ravenbench.errors import CorpusError, InputError, SpecError
from ravenbench.files import write_json
from ravenbench.formats.problems import read_problems
from ravenbench.obfuscation.apply import tasks_of
from ravenbench.obfuscation.base import ObfuscationTask, Obfuscator, Oracle
from ravenbench.problems.rewritten import rewritten
from ravenbench.problems.sources import given
from ravenbench.randomness import stream
from ravenbench.types import Bools, Fold, Problems

DEFAULT_OBFUSCATORS = "identity, random, mihaylova-2016, mansoorizadeh-2016"
DEFAULT_VERIFIERS = "char-ngram, ppm, function-words, cng-2013"
NO_HELPERS = Helpers()
ATTACKER = (7919, 104729)
"""Seeds of the mirror attack's own rewritings."""


class SafetySpec(BaseModel):
    """What decides a safety run's answers.

    ``limit`` keeps this many same-author and as many different-author test problems; ``attacks`` are those of
    ``bench.recovery``; ``surrogates`` are verifiers that searching obfuscators may ask.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    problems: str
    train: str
    obfuscators: str = DEFAULT_OBFUSCATORS
    verifiers: str = DEFAULT_VERIFIERS
    seeds: tuple[int, ...] = Field((0,), min_length=1)
    attacks: tuple[str, ...] = ()
    surrogates: str | None = None
    limit: int | None = Field(None, ge=2)

    def named_obfuscators(self) -> dict[str, Obfuscator]:
        """Display name → component, in order.

        Raises
        ------
        SpecError
            If one does not parse or stands twice.
        """
        named: dict[str, Obfuscator] = {}
        for component in registry.parse_list("obfuscator", self.obfuscators):
            if str(component) in named:
                raise SpecError(f"obfuscator {str(component)!r} is listed twice")
            named[str(component)] = component
        if not named:
            raise SpecError("no obfuscator is given", expected="a comma-separated list", fix=DEFAULT_OBFUSCATORS)
        return named

    def run(self) -> RunSpec:
        """The part of it that concerns verifiers."""
        return build({"train": self.train, "test": self.problems, "verifiers": self.verifiers})

    def resolved(self) -> dict[str, Any]:
        """JSON form."""
        return self.model_dump(mode="json")


def safety_spec(*, seeds: str = "0", attacks: str = "none", **options: Any) -> SafetySpec:
    """A spec from command-line values; None means not given.

    Raises
    ------
    SpecError
        If a value does not fit.
    """
    given = {key: value for key, value in options.items() if value is not None}
    try:
        numbers = tuple(int(part) for part in registry.split(seeds))
    except ValueError:
        raise SpecError("--seeds are whole numbers", found=seeds, expected="0 or 0,1,2") from None
    names = tuple(part for part in registry.split(attacks) if part != "none")
    try:
        return SafetySpec(seeds=numbers, attacks=names, **given)
    except ValidationError as error:
        first = error.errors()[0]
        raise SpecError(f"{first['loc'][0]}: {first['msg']}", found=first["input"]) from None


@dataclass(frozen=True)
class SafetyResult:
    """A finished safety run: its store, and the errors of cells that failed."""

    store: Store
    errors: tuple[str, ...]


def safety(
    spec: SafetySpec,
    *,
    out: str | Path | None = None,
    rewritings: str | Path | None = None,
    helpers: Helpers = NO_HELPERS,
    workers: int | None = None,
    progress: Progress = silent,
) -> SafetyResult:
    """Rewrite, answer, measure; resume where an earlier call stopped.

    Parameters
    ----------
    out : path, optional
        The run's folder; by default ``raven-runs/safety-<problems>-<hash of the spec>``.
    rewritings : path, optional
        Where rewritings are stored and looked for; by default within ``out``.
    helpers : Helpers, optional
        A LanguageTool server (rewritten texts are then sent there), a sentence encoder, an inference model.
    workers : int, optional
        Processes; all cores by default. Decides nothing but time.

    Raises
    ------
    InputError
        Before any long work, if something cannot be used.
    """
    named, verifiers = spec.named_obfuscators(), spec.run().named_verifiers()
    check_attacks(spec, named, verifiers)
    folder = Path(out) if out is not None else default_folder(spec)
    kept = Path(rewritings) if rewritings is not None else folder / "rewritings"
    engine = local(workers)
    data = {"problems": data_hash(spec.problems), "train": data_hash(spec.train)}

    def write(store: Store, record: dict[str, Any]) -> None:
        begin(store, record | {"packages": packages(), "rewritings": str(kept.resolve())})
        _Planner(spec, store, kept, engine, progress).write(named, verifiers)

    store = take_up(folder, spec.resolved(), data, write)
    errors = execute(store, spec.run(), engine, progress)
    measure(store, kept, engine, helpers, progress)
    detect(store, kept, progress)
    return SafetyResult(store, tuple(errors))


def default_folder(spec: SafetySpec) -> Path:
    """``raven-runs/safety-<problems>-<hash>``: the same spec finds its own earlier run."""
    return Path("raven-runs") / f"safety-{Path(spec.problems).stem}-{identity_hash(spec.resolved())[:8]}"


def check_attacks(spec: SafetySpec, obfuscators: dict[str, Obfuscator], verifiers: dict[str, Component]) -> None:
    """Refuse attacks that do not exist, and searches without surrogates or with those under evaluation.

    Raises
    ------
    SpecError
    """
    for name in spec.attacks:
        if name not in ATTACKS:
            raise SpecError(f"there is no attack {name!r}", expected=" or ".join(ATTACKS))
    searching = [name for name, component in obfuscators.items() if component.needs_oracle]
    if searching and spec.surrogates is None:
        raise SpecError(f"{searching[0]} searches against surrogate verifiers", fix="--surrogates VERIFIER,…")
    both = {str(v) for v in registry.parse_list("verifier", spec.surrogates or "")} & {
        str(v) for v in verifiers.values()
    }
    if both:
        raise SpecError(
            "a surrogate may not be evaluated", found=", ".join(sorted(both)), fix="leave it out of --verifiers"
        )


def measure(store: Store, kept: Path, engine: Engine, helpers: Helpers, progress: Progress) -> None:
    """Measure the quality of every set of rewritings that is not measured yet; notes its address in the store."""
    folder = store.path / "measures"
    folder.mkdir(exist_ok=True)
    units, names = [], {}
    for entry in store.plan["obfuscators"]:
        for seed, info in entry["seeds"].items():
            keys = tuple(info["rewritings"].values())
            key = measures_key(keys, helpers)
            names[f"{entry['name']} {seed}"] = key
            if read_measures(folder, key) is None:
                units.append(MeasureUnit(folder, kept, key, keys, helpers))
    write_json(folder / "index.json", names)
    if units:
        progress("measuring rewritings", 0, len(units))
        for done, _ in enumerate(engine(units), start=1):
            progress("measuring rewritings", done, len(units))


@dataclass
class _Planner:
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
            self.folds += normalised(self.folds[: 1 + sum(len(e["seeds"]) for e in entries)])
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
