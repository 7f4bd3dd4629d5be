"""``raven safety``: obfuscators against verifiers, as cells of one run.

    OUT/run.json, plan.json, texts/, folds/, cells/   as for a run; fold ``original`` and one for each obfuscator and
                                                      seed, ``oNN-sSEED``; of attacks, ``n-…``, ``m-…``, ``i-…``
    OUT/rewritings/KEY.json                           one rewriting each (or in the folder given)
    OUT/measures/KEY.json                             soundness, sensibleness and efficiency of one obfuscator and seed

Verifiers learn from unobfuscated training problems once and answer every test set; the unobfuscated answers are a
cell like others. Only questioned texts of same-author problems are rewritten.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ravenbench.bench.run.api import take_up
from ravenbench.bench.run.execute import Progress, execute, silent
from ravenbench.bench.run.plan import begin, data_hash, packages
from ravenbench.bench.safety.detection import detect
from ravenbench.bench.safety.measures import NO_HELPERS, Helpers, MeasureUnit, measures_key, read_measures
from ravenbench.bench.safety.plan import SafetyPlanner
from ravenbench.bench.safety.spec import SafetySpec, check_attacks, default_folder
from ravenbench.bench.shared.engines import Engine, local
from ravenbench.bench.shared.store import Store
from ravenbench.files import write_json


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
    helpers.check()
    folder = Path(out) if out is not None else default_folder(spec)
    kept = Path(rewritings) if rewritings is not None else folder / "rewritings"
    engine = local(workers)
    data = {"problems": data_hash(spec.problems), "train": data_hash(spec.train)}

    def write(store: Store, record: dict[str, Any]) -> None:
        begin(store, record | {"packages": packages(), "rewritings": str(kept.resolve())})
        SafetyPlanner(spec, store, kept, engine, progress).write(named, verifiers)

    store = take_up(folder, spec.resolved(), data, write)
    errors = execute(store, spec.run(), engine, progress)
    measure(store, kept, engine, helpers, progress)
    detect(store, kept, progress)
    return SafetyResult(store, tuple(errors))


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
