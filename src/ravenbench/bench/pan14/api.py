"""``raven pan14``: every verifier trained on the train part and tested on the test part of every corpus given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ravenbench import files, registry
from ravenbench.bench.options import checked, documented
from ravenbench.bench.pan14.corpora import Parts, read_corpora
from ravenbench.bench.pan14.plan import Draft, draft
from ravenbench.bench.pan14.spec import DEFAULT_VERIFIERS, Pan14Spec
from ravenbench.bench.task import Outlook, RunResult
from ravenbench.components import Component
from ravenbench.engine.cells import execute
from ravenbench.engine.guard import smoke_test
from ravenbench.engine.pool import Engine, Progress, local, silent
from ravenbench.store.lock import folder_lock
from ravenbench.store.plans import content_key, decides
from ravenbench.store.resume import data_hash, earlier, open_or_create
from ravenbench.store.store import Store


@dataclass(frozen=True, eq=False)
class _Asked:
    """What was asked for, read and checked; nothing of it written."""

    spec: Pan14Spec
    components: dict[str, Component]
    hashes: dict[str, str]
    folder: Path
    corpora: list[Parts]

    def draft(self, progress: Progress) -> Draft:
        """The plan that a new folder would get."""
        return draft(self.corpora, self.components, self.spec.probe, progress)


@documented(Pan14Spec)
def pan14(
    data: str | Path | Sequence[str | Path],
    *,
    verifiers: str | Sequence[str | Component] | None = None,
    probe: str | None = None,
    encoding: str | None = None,
    out: str | Path | None = None,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: Progress = silent,
) -> RunResult:
    """Train and test every verifier on every corpus; resume where an earlier call stopped.

    Parameters
    ----------
    {options}
    out : path or URL, optional
        The run's folder; by default ``raven-runs/pan14-<hash>``.
    workers : int, optional
        Processes; all cores by default. Decides nothing but time.
    engine : Engine, optional
        Where units are worked on instead (see ``ravenbench.engine.pool``); its workers see the same folder.
    progress : callable, optional
        Called with (stage, done, total).

    Raises
    ------
    InputError
        Before any long work, if something cannot be used.
    """
    work = engine or local(workers)
    asked = _ask(data, verifiers, probe, encoding, out, progress)

    def plan(store: Store, begin: Callable[[], None]) -> None:
        asked.draft(progress).write(store, begin)

    with folder_lock(asked.folder):
        store = open_or_create(asked.folder, "pan14", asked.spec.resolved(), asked.hashes, plan, inputs=asked.spec.data)
        return RunResult(store, tuple(execute(store, asked.components, work, progress, isolate=True)))


def outlook(
    data: str | Path | Sequence[str | Path],
    *,
    verifiers: str | Sequence[str | Component] | None = None,
    probe: str | None = None,
    encoding: str | None = None,
    out: str | Path | None = None,
    progress: Progress = silent,
) -> Outlook:
    """What ``pan14`` would do with the same arguments; nothing is written and no method is run.

    Raises
    ------
    InputError
        If something cannot be used.
    """
    asked = _ask(data, verifiers, probe, encoding, out, progress)
    plan = asked.draft(progress).plan
    store = earlier(asked.folder, "pan14", asked.spec.resolved(), asked.hashes)
    missing = plan.cells if store is None else store.unanswered(plan.cells)
    parts = [(f"{c.name} {name}", part) for c in plan.corpora for name, part in (("train", c.train), ("test", c.test))]
    return Outlook(
        task="pan14",
        folder=str(asked.folder),
        problems={name: part.problems for name, part in parts},
        cells=len(plan.cells),
        done=len(plan.cells) - len(missing),
        fits=len({(cell.verifier, plan.folds[cell.fold].train_digest) for cell in missing}),
    )


def _ask(
    data: str | Path | Sequence[str | Path],
    verifiers: str | Sequence[str | Component] | None,
    probe: str | None,
    encoding: str | None,
    out: str | Path | None,
    progress: Progress,
) -> _Asked:
    components = registry.named("verifier", verifiers, default=DEFAULT_VERIFIERS)
    smoke_test(components)
    places = [str(place) for place in ([data] if isinstance(data, str | Path) else data)]
    asked = {key: value for key, value in (("probe", probe), ("encoding", encoding)) if value is not None}
    spec = checked({"data": places, "verifiers": ", ".join(components), **asked}, Pan14Spec)
    progress("reading the problems", 0, 0)
    corpora = read_corpora(spec.data, spec.encoding)
    hashes = {f"data {i}": data_hash(place) for i, place in enumerate(spec.data)}
    hashes["methods"] = content_key([decides(component) for component in components.values()])
    folder = spec.default_folder(hashes) if out is None else files.location(out)
    return _Asked(spec, components, hashes, folder, corpora)
