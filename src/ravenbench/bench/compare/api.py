"""``ravenbench.compare``: did this person write this text? A likelihood ratio, and how far to trust it.

FOLDER/run.json, plan.json, texts/, folds/, cells/   as for a run; ``sN-fM`` hold background pairs, ``sN-case`` cases
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ravenbench import files
from ravenbench.bench.compare.material import Material, read_material
from ravenbench.bench.compare.plan import draft
from ravenbench.bench.compare.spec import CompareSpec, build, default_folder
from ravenbench.bench.compare.units import units_of
from ravenbench.bench.options import documented
from ravenbench.bench.task import RunResult
from ravenbench.engine.pool import Engine, Progress, local, run_units, silent
from ravenbench.store.lock import folder_lock
from ravenbench.store.resume import open_or_create
from ravenbench.store.store import Store

Paths = str | Path | Sequence[str | Path]


@documented(CompareSpec)
def compare(
    questioned: Paths = (),
    known: Paths | Mapping[str, Paths] = (),
    background: str | Path | None = None,
    *,
    batch: str | Path | None = None,
    verifiers: str | Sequence[str] | None = None,
    authors: int | None = None,
    folds: int | None = None,
    donors: int | None = None,
    encoding: str | None = None,
    seed: int | None = None,
    out: str | Path | None = None,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: Progress = silent,
) -> RunResult:
    """Compare questioned texts with known ones against a background; resume where an earlier call stopped.

    ``ravenbench.analyse(result.store)`` gives the likelihood ratios, ``ravenbench.write_report`` the page.

    Parameters
    ----------
    {options}
    out : path or URL, optional
        The comparison's folder; by default ``raven-runs/compare-<text>-<hash>``.
    workers : int, optional
        Processes; all cores by default. Decides nothing but time.
    engine : Engine, optional
        Where methods are run instead (see ``ravenbench.engine.pool``).
    progress : callable, optional
        Called with (stage, done, total).

    Raises
    ------
    InputError
        Before any long work, if something cannot be used.
    """
    spec, material, folder, data = asked(locals(), out)

    def planned(store: Store, begin: Callable[[], None]) -> None:
        draft(spec, material, progress).write(store, begin)

    with folder_lock(folder):
        store = open_or_create(folder, "compare", spec.resolved(), data, planned, spec.seed)
        errors = run_units(engine or local(workers), units_of(store, spec.components()), progress, "comparing")
        return RunResult(store, tuple(errors))


def asked(given: Mapping[str, object], out: str | Path | None) -> tuple[CompareSpec, Material, Path, dict[str, str]]:
    """What was asked for: the spec, the texts, the folder and the hashes of all data."""
    spec = build({name: value for name, value in given.items() if name in CompareSpec.__struct_fields__})
    material = read_material(spec)
    data = spec.data(material.paths())
    return spec, material, default_folder(spec, data) if out is None else files.location(out), data
