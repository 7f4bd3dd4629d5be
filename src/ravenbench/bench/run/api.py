"""``ravenbench.run``: the main job from Python."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ravenbench import __version__, files
from ravenbench.bench.run.execute import Progress, execute, silent
from ravenbench.bench.run.spec import RunSpec, build
from ravenbench.bench.shared.engines import Engine, local
from ravenbench.bench.shared.store import Store
from ravenbench.components import Component
from ravenbench.errors import InputError, StoreError
from ravenbench.formats.output import check_fresh


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
    errors = execute(store, spec_, work, progress)
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

    def unchanged() -> None:
        now = fingerprint(spec)
        if now != data:
            places = ", ".join(str(getattr(spec, key, key)) for key in _changed(data, now))
            again = "repeat the command when they are complete"
            raise InputError("the data changed while they were read", file=places, fix=again)

    def write(store: Store, record: dict[str, Any]) -> None:
        write_plan(spec, store, record, progress, unchanged)

    data = fingerprint(spec)
    return take_up(folder, spec.resolved(), data, write)


def take_up(
    folder: Path, spec: dict[str, Any], data: dict[str, str], write: Callable[[Store, dict[str, Any]], None]
) -> Store:
    """A planned folder for this spec and data: an earlier one, or a new one that ``write`` plans.

    Parameters
    ----------
    spec : dict
        Resolved spec, JSON values.
    data : dict
        Identity of the data by key of the spec, and of the methods.
    write : callable
        Given the store and the first entries of its ``run.json``; writes both and the manifest.

    Raises
    ------
    InputError
        If the folder holds something else or cannot be written.
    """
    store = Store(folder)
    files.check_reachable(folder)
    if folder.exists() and not folder.is_dir():
        raise InputError("the output is not a folder", file=folder, fix="give another --out")
    if (folder / "run.json").is_file():
        record = _record(store)
        if record.get("spec", spec) != spec:
            raise InputError(
                "this folder holds a run of another spec",
                file=folder,
                found=_differences(record["spec"], spec),
                fix="give another --out, or remove the folder",
            )
        if record.get("data", data) != data:
            raise InputError(
                "the data or the methods of this run have changed since it began",
                file=folder,
                found=", ".join(_changed(record["data"], data)),
                fix="give another --out, or remove the folder and run again",
            )
    elif folder.exists() and any(folder.iterdir()):
        raise InputError("this folder holds other files", file=folder, fix="give an empty or new folder as --out")
    if store.planned and _record(store):
        return store
    if not folder.exists() and not files.is_remote(folder):
        check_fresh(folder)
    write(store, {"spec": spec, "data": data, "raven": __version__})
    return Store(folder)


def _record(store: Store) -> dict[str, Any]:
    """``run.json``; empty where it is damaged, for cells are found by content and the plan can be made again."""
    try:
        return store.run
    except StoreError:
        return {}


def _changed(old: dict[str, str], new: dict[str, str]) -> list[str]:
    return [key for key in sorted({*old, *new}) if old.get(key) != new.get(key)]


def _differences(old: dict[str, Any], new: dict[str, Any]) -> str:
    keys = sorted(k for k in {*old, *new} if old.get(k) != new.get(k))
    return "; ".join(f"{k}: {old.get(k)!r} there, {new.get(k)!r} asked" for k in keys)
