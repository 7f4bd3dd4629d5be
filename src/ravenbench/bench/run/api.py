"""``ravenbench.run``: the main job from Python."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ravenbench import files
from ravenbench.bench.run.spec import RunSpec, build
from ravenbench.bench.shared.engines import local
from ravenbench.bench.shared.execute import execute
from ravenbench.bench.shared.folder import changed, take_up
from ravenbench.bench.shared.progress import Progress, silent
from ravenbench.bench.shared.store import Store
from ravenbench.bench.shared.work import Engine
from ravenbench.components import Component
from ravenbench.errors import InputError


@dataclass(frozen=True)
class RunResult:
    """A finished run: its store, and the errors of cells that failed."""

    store: Store
    errors: tuple[str, ...]


def run(
    corpus: str | None = None,
    *,
    verifiers: str | Sequence[str | Component] | None = None,
    out: str | Path | None = None,
    spec: RunSpec | str | Path | None = None,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: Progress = silent,
    **options: Any,
) -> RunResult:
    """Sample topics, build folds and pairs, fit and answer; resume where an earlier call stopped.

    Parameters
    ----------
    corpus : str, optional
        A catalogue name such as ``"newsgroups"``, a component such as ``"synthetic(style=0)"``, or a path.
    verifiers : str or sequence, optional
        Comma-separated names, or components.
    out : path, optional
        The run's folder; by default ``raven-runs/<corpus>-<hash of the spec>``.
    spec : RunSpec or path of a TOML file, optional
        Overridden by the other arguments.
    workers : int, optional
        Processes; all cores by default. Decides nothing but time.
    **options
        Further keys of `RunSpec`.

    Raises
    ------
    InputError
        Before any long work, if something cannot be used.
    """
    if verifiers is not None and not isinstance(verifiers, str):
        verifiers = ", ".join(str(v) for v in verifiers)
    given = {"corpus": corpus, "verifiers": verifiers, **options}
    if isinstance(spec, RunSpec):
        spec_ = build({**spec.resolved(), **{k: v for k, v in given.items() if v is not None}})
    else:
        spec_ = build(given, None if spec is None else Path(spec))
    spec_.named_verifiers()
    work = engine or local(workers)
    store = prepare(spec_, files.location(out) if out is not None else default_folder(spec_), progress)
    errors = execute(store, spec_.named_verifiers(), work, progress)
    return RunResult(store, tuple(errors))


def default_folder(spec: RunSpec) -> Path:
    """``raven-runs/<corpus>-<hash>``: the same spec finds its own earlier run."""
    stem = Path(spec.corpus or spec.test or "given").stem
    return Path("raven-runs") / f"{re.sub(r'[^A-Za-z0-9]+', '-', stem).strip('-') or 'run'}-{spec.hash()[:8]}"


def prepare(spec: RunSpec, folder: Path, progress: Progress = silent) -> Store:
    """The run's folder, planned; an interrupted or finished run of the same spec is taken up again.

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
        write_plan(spec, store, begin, progress, unchanged)

    return take_up(folder, "run", spec.resolved(), data, plan, spec.seed)
