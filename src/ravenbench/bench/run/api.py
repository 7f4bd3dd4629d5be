"""``ravenbench.run``: the main job from Python."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ravenbench import files
from ravenbench.bench.options import documented
from ravenbench.bench.run.spec import RunSpec, build
from ravenbench.bench.task import RunResult
from ravenbench.components import Component
from ravenbench.engine.cells import execute
from ravenbench.engine.guard import smoke_test
from ravenbench.engine.pool import Engine, Progress, local, silent, usable_cores
from ravenbench.errors import InputError
from ravenbench.store.lock import folder_lock
from ravenbench.store.resume import changed, open_or_create
from ravenbench.store.store import Store


@documented(RunSpec)
def run(
    corpus: str | None = None,
    *,
    verifiers: str | Sequence[str | Component] | None = None,
    train: str | None = None,
    test: str | None = None,
    topic: str | None = None,
    topics: int | str | Sequence[int] | None = None,
    folds: int | None = None,
    pools: int | None = None,
    pool_share: float | None = None,
    samplers: str | None = None,
    pairs: str | None = None,
    docs_per_topic: int | None = None,
    min_docs: int | None = None,
    limit: int | None = None,
    calibration: float | None = None,
    encoder: str | None = None,
    probe: str | None = None,
    repetitions: int | None = None,
    lengths: int | str | Sequence[int] | None = None,
    normalise: str | None = None,
    aliases: Mapping[str, str] | None = None,
    encoding: str | None = None,
    seed: int | None = None,
    spec: RunSpec | str | Path | None = None,
    out: str | Path | None = None,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: Progress = silent,
) -> RunResult:
    """Sample topics, build folds and pairs, fit and answer; resume where an earlier call stopped.

    Parameters
    ----------
    {options}
    spec : RunSpec or path of a TOML file, optional
        Holds any of the options above; those that are given here override it.
    out : path or URL, optional
        The run's folder; by default ``raven-runs/<corpus>-<hash of the spec>``.
    workers : int, optional
        Processes; all cores by default. Decides nothing but time.
    engine : Engine, optional
        Where units of work are done instead (see ``ravenbench.engine.pool``).
    progress : callable, optional
        Called with (stage, done, total).

    Raises
    ------
    InputError
        Before any long work, if something cannot be used.
    """
    given = {name: value for name, value in locals().items() if name in RunSpec.__struct_fields__}
    if verifiers is not None and not isinstance(verifiers, str):
        given["verifiers"] = ", ".join(str(v) for v in verifiers)
    if isinstance(spec, RunSpec):
        chosen = build({**spec.resolved(), **{k: v for k, v in given.items() if v is not None}})
    else:
        chosen = build(given, None if spec is None else Path(spec))
    named = chosen.named_verifiers()
    smoke_test(named)
    work = engine or local(workers)
    folder = files.location(out) if out is not None else default_folder(chosen)
    with folder_lock(folder):
        store = prepare(chosen, folder, progress, usable_cores() if workers is None else workers)
        return RunResult(store, tuple(execute(store, named, work, progress)))


def default_folder(spec: RunSpec) -> Path:
    """``raven-runs/<corpus>-<hash>``: the same spec finds its own earlier run."""
    stem = Path(spec.corpus or spec.test or "given").stem
    return Path("raven-runs") / f"{re.sub(r'[^A-Za-z0-9]+', '-', stem).strip('-') or 'run'}-{spec.hash()[:8]}"


def prepare(spec: RunSpec, folder: Path, progress: Progress = silent, cores: int = 1) -> Store:
    """The run's folder, planned on so many cores; an interrupted or finished run of the same spec is taken up again.

    Raises
    ------
    InputError
        If the folder holds something else or cannot be written.
    """
    from ravenbench.bench.run.plan import fingerprint, write_plan

    data = fingerprint(spec)

    def unchanged() -> None:
        now = fingerprint(spec)
        if now != data:
            places = ", ".join(str(getattr(spec, key, key)) for key in changed(data, now))
            again = "repeat the command when they are complete"
            raise InputError("the data changed while they were read", file=places, fix=again)

    def plan(store: Store, begin: Callable[[], None]) -> None:
        write_plan(spec, store, begin, progress, unchanged, cores)

    return open_or_create(folder, "run", spec.resolved(), data, plan, spec.seed)
