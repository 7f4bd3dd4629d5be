"""``ravenbench.simulate``: both axes of the verdict on scorers whose reliance on content is known.

OUT/run.json, plan.json, cells/   as for a run; a fold is a replicate, and its cell holds the figures of all scorers
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from ravenbench import files
from ravenbench.bench.options import documented
from ravenbench.bench.simulate.plan import draft, fingerprint, fits
from ravenbench.bench.simulate.record import SimulatePlan
from ravenbench.bench.simulate.spec import SimulateSpec, build
from ravenbench.bench.simulate.unit import ReplicateUnit
from ravenbench.bench.task import Outlook, RunResult
from ravenbench.engine.pool import Engine, Progress, local, run_units, silent
from ravenbench.store.lock import folder_lock
from ravenbench.store.resume import earlier, open_or_create
from ravenbench.store.store import Store


@documented(SimulateSpec)
def simulate(
    corpus: str | None = None,
    *,
    pairs: str | None = None,
    doses: str | Sequence[float] | None = None,
    replicates: int | None = None,
    pools: int | None = None,
    folds: int | None = None,
    repetitions: int | None = None,
    function_words: int | None = None,
    seed: int | None = None,
    out: str | Path | None = None,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: Progress = silent,
) -> RunResult:
    """Judge scorers of known reliance on both axes, in fresh worlds; resume where an earlier call stopped.

    Parameters
    ----------
    {options}
    out : path or URL, optional
        The simulation's folder; by default ``raven-runs/simulate-<hash of the spec>``.
    workers : int, optional
        Processes; all cores by default. Decides nothing but time.
    engine : Engine, optional
        Where replicates are simulated instead (see ``ravenbench.engine.pool``).
    progress : callable, optional
        Called with (stage, done, total).

    Raises
    ------
    InputError
        Before any long work, if something cannot be used.
    """
    given = {name: value for name, value in locals().items() if name in SimulateSpec.__struct_fields__}
    return carry(build(given), out, engine or local(workers), progress)


def carry(spec: SimulateSpec, out: str | Path | None, engine: Engine, progress: Progress = silent) -> RunResult:
    """Simulate what a spec says; arguments as those of ``simulate``."""

    def plan(store: Store, begin: Callable[[], None]) -> None:
        begin()
        store.write_plan(draft(spec))

    folder = _folder(spec, out)
    with folder_lock(folder):
        store = open_or_create(folder, "simulate", spec.resolved(), fingerprint(spec), plan, spec.seed)
        missing = {place.key for place in store.unanswered()}
        keys = {place.fold: place.key for place in store.plan.cells}
        units = [
            ReplicateUnit(store.path, spec, r.fold, r.seed, keys[r.fold])
            for r in store.plan_as(SimulatePlan).replicates
            if keys[r.fold] in missing
        ]
        return RunResult(store, tuple(run_units(engine, units, progress, "simulating")))


def outlook(spec: SimulateSpec, out: str | Path | None = None) -> Outlook:
    """What a simulation would do; nothing is written and nothing simulated.

    Raises
    ------
    InputError
        If the folder holds something else.
    """
    folder, plan = _folder(spec, out), draft(spec)
    store = earlier(folder, "simulate", spec.resolved(), fingerprint(spec), spec.seed)
    missing = len(plan.cells) if store is None else len(store.unanswered(plan.cells))
    return Outlook(
        task="simulate",
        folder=str(folder),
        problems={},
        cells=len(plan.cells),
        done=len(plan.cells) - missing,
        fits=missing * fits(spec),
    )


def _folder(spec: SimulateSpec, out: str | Path | None) -> Path:
    return spec.default_folder() if out is None else files.location(out)
