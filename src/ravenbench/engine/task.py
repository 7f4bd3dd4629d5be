"""Defines tasks: a spec, a draft of the plan, cells (single results), and a final step.

In: the values of a task's options, by name; how it is run (workers, engine, progress).
Out: ``run_task`` gives what the task returns, by default a ``RunResult`` with the folder of the run (``Store``) and
the errors of failed cells; ``plan`` a ``Preview`` (counts of problems, cells and fits); a command ends with an
``Ending`` (JSON, tables, exit code). InputError or SpecError if an input cannot be used. ``Work`` is a command
without cells; ``task_of``, ``tasks``, ``declared`` find them by name.

Raven makes from the class its function in Python, its command, the help of both (``engine.options``) and ``--plan``. It
locks the folder, continues an earlier run of the same spec and data, and computes the missing cells. Packages register
tasks by entry points in the group ``ravenbench.task``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from ravenbench import registry
from ravenbench.engine.options import Declared, Option, defaults_of, spec_of
from ravenbench.errors import SpecError
from ravenbench.files import location
from ravenbench.limits import LONGEST, TIMEOUT, RunLimits, within
from ravenbench.seams import DRAFT_GROUP, FORM_GROUP, loaded
from ravenbench.shown import Shown

if TYPE_CHECKING:
    from ravenbench.components import Component
    from ravenbench.engine.pool import Engine, Progress
    from ravenbench.store.records import CellPlace, Plan
    from ravenbench.store.store import Store
    from ravenbench.texts import TextTable
    from ravenbench.types import Floats, Fold, Labels


@dataclass(frozen=True, repr=False)
class RunResult(Shown):
    """A finished run of any task: its store, and the errors of failed cells as texts."""

    store: Store
    errors: tuple[str, ...]

    _shown_by = "reports.report:report_of"


@dataclass(frozen=True, repr=False)
class SeededRun(RunResult):
    """Runs of one spec by seed, shown pooled; ``store`` is that of the first run."""

    runs: Mapping[int, RunResult]

    _shown_by = "reports.seeds:of_seeds"

    @classmethod
    def of(cls, runs: Mapping[int, RunResult]) -> SeededRun:
        """Return the runs as one result."""
        every = tuple(error for run in runs.values() for error in run.errors)
        return cls(next(iter(runs.values())).store, every, runs)


@dataclass(frozen=True)
class Preview:
    """What a task would do, and how much of it is done; Raven wrote no folder and tried no method to find this out.

    All numbers are counts: ``problems`` by the set they are in, ``cells`` of the results that the task keeps one by
    one, ``done`` of the cells already in ``folder``, ``fits`` of the trainings still needed. ``notes`` are
    sentences.
    """

    task: str
    folder: str
    problems: Mapping[str, int]
    cells: int
    done: int
    fits: int
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """One object of plain values."""
        return asdict(self)


P = TypeVar("P", bound="Plan")


@dataclass(frozen=True, eq=False)
class Draft(Generic[P]):
    """A complete plan that is not written yet; further files as in ``save_plan``.

    Without texts it is only a plan. ``splits`` have the part of each row of the texts.
    """

    plan: P
    folds: Sequence[Fold] = ()
    texts: TextTable | None = None
    labels: Mapping[str, Labels | None] = field(default_factory=dict)
    ids: Sequence[str] | None = None
    arrays: Mapping[str, Floats] = field(default_factory=dict)
    splits: Mapping[str, Labels] = field(default_factory=dict)

    def shared_fold(self, name: str) -> Fold:
        """Return one of the folds."""
        return next(fold for fold in self.folds if fold.name == name)

    def write(self, store: Store, begin: Callable[[], None]) -> None:
        """Write it into a folder that ``begin`` makes."""
        from ravenbench.store.plans import save_plan

        if self.texts is None:
            begin()
            store.write_plan(self.plan)
        else:
            labels = {
                **self.labels,
                **{f"split {name}": labels for name, labels in self.splits.items()},
            }
            save_plan(
                store, begin, self.plan, self.folds, self.texts, labels, self.ids, self.arrays
            )


@dataclass(frozen=True)
class Ending:
    """What a command shows at its end: the object of ``--json``, the output for a terminal, a page to name, and the
    finding in a sentence. ``notes`` go to stderr. ``code`` is the exit code if the command could not do everything;
    ``after`` is the next step in a terminal.
    """

    json: dict[str, Any]
    parts: Sequence[Any]
    page: Path | None = None
    finding: str = ""
    notes: Sequence[str] = ()
    code: int = 0
    after: Callable[[], None] | None = None


def how_run(values: dict[str, Any]) -> dict[str, Any]:
    """Return how a task is run, removed from the given values."""
    return {name: values.pop(name, None) for name in ("workers", "engine", "progress")}


class Task(Declared):
    """One call of a task, with its values read and checked. A subclass declares the task. A class has, in addition to
    the attributes of every command,
        ``place``                   which of its own options is the task's folder
        ``report``                  ``module:Class`` of the task's report (``reports.report.Report``)
        ``answer``                  ``module:Class`` of what it states (``reports.answers.Answer``), kept in its folder
        ``failure``                 what the command says of failed cells: ``{count}``, ``{s}``, ``{have}``, ``{first}``
        ``freezes``                 whether its problems or splits are given: ``raven freeze`` takes them from its
                                    folder, and it has the options of each ``DraftCheck``
        ``pools_seeds``             whether several values of ``seed`` are as many runs, shown pooled
        ``offers``                  where another task's command does this one too (group ``ravenbench.form``), the
                                    options by which that is meant
    and a call ``spec``, ``data`` (identity of all data and methods by name), ``folder``, and ``inputs``: places of data
    that the spec does not name.
    """

    place: ClassVar[str] = "out"
    report: ClassVar[str] = ""
    answer: ClassVar[str] = ""
    failure: ClassVar[str] = "{count} cell{s} {have} no answers; the first: {first}"
    result: ClassVar[str] = "RunResult"
    cell_timeout: ClassVar[bool] = True
    freezes: ClassVar[bool] = True
    offers: ClassVar[tuple[Option, ...]] = ()
    pools_seeds: ClassVar[bool] = False

    spec: Any
    data: dict[str, str]
    folder: Path

    def __init__(
        self,
        values: Mapping[str, Any],
        *,
        workers: int | None = None,
        engine: Engine | None = None,
        progress: Progress | None = None,
    ) -> None:
        from ravenbench.engine import walls
        from ravenbench.engine.pool import local, shown_by_default

        if strange := sorted(set(values) - {option.name for option in self.options()}):
            raise TypeError(f"{self.name}() got an unexpected keyword argument {strange[0]!r}")
        self.values = {name: value for name, value in values.items() if value is not None}
        self.workers = workers
        self.engine = engine or local(workers)
        self.progress = shown_by_default(progress)
        self.inputs: list[str] = []
        walls.hide(self.values)
        self.resolve()

    @classmethod
    def option_table(cls) -> dict[str, Option]:
        named = super().option_table()
        named |= {option.name: option for form in forms_of(cls.name) for option in form.offers}
        named |= (
            {check.option.name: check.option for check in draft_checks()} if cls.freezes else {}
        ) | EVERY
        named = {name: option for name, option in named.items() if name not in cls._without()}
        if cls.pools_seeds:
            several = (
                f"{named['seed'].help.removesuffix('.')}. Raven runs several seeds one after"
                " another and pools them."
            )
            options = {
                "kind": str,
                "takes": "int | Sequence[int]",
                "metavar": "N[,N…]",
                "help": several,
            }
            named["seed"] = replace(named["seed"], **options)  # type: ignore[arg-type]
        return named

    @classmethod
    def _without(cls) -> set[str]:
        """Limits that do not apply to anything in the task."""
        return {
            *(() if cls.device else ("device",)),
            *(() if cls.cell_timeout else ("cell_timeout",)),
        }

    @classmethod
    def call(cls, values: Mapping[str, Any]) -> Any:
        values = dict(values)
        with bounded(values):
            settings = how_run(values)
            acting, _ = cls.acting(values)
            jobs = cls.jobs(values) if acting.pools_seeds else {"": values}
            runs = [run_task(cls, job, **settings) for job in jobs.values()]
        return (
            runs[0] if len(runs) == 1 else SeededRun.of({run.store.run.seed: run for run in runs})
        )

    @classmethod
    def plan(cls, values: Mapping[str, Any]) -> Preview:
        """Return what ``call`` would do."""
        values = dict(values)
        with bounded(values):
            settings = how_run(values)
            acting, arguments = cls.acting(values)
            jobs = list(acting.jobs(arguments).values()) if acting.pools_seeds else [arguments]
            if len(jobs) > 1:
                raise SpecError(
                    "a plan is for one seed",
                    found=f"{len(jobs)} seeds",
                    fix="each seed takes about as long",
                )
            return acting(jobs[0], **settings).preview()

    def resolve(self) -> None:
        """Read and check the given values: sets ``spec``, ``data`` and ``folder``, and everything that ``draft`` needs.
        Raises InputError if a value cannot be used; nothing is written then.
        """
        self.spec = spec_of(self.Spec, self.values)
        self.data = self.fingerprint()
        self.folder = self.place_or(
            f"{self.name}-{content_hash([self.spec.resolved(), self.data])}"
        )

    def fingerprint(self) -> dict[str, str]:
        """Return the identity of all data and methods by name; by default of each file, folder or corpus that the spec
        names."""
        from ravenbench.store.resume import data_hash

        corpora = registry.names("corpus")
        texts = {k: text for k, text in self.spec.resolved().items() if isinstance(text, str)}
        named = {
            k: text
            for k, text in texts.items()
            if Path(text).exists() or text.partition("(")[0].strip() in corpora
        }
        return {name: data_hash(value) for name, value in named.items()}

    def place_or(self, name: str) -> Path:
        """Return the given folder, or ``raven-runs/NAME``, so that the same spec and data find their earlier run."""
        from ravenbench import files

        folder = self.values.get(self.place)
        return Path("raven-runs") / name if folder is None else files.location(folder)

    def components(self) -> Mapping[str, Component]:
        """Return the methods by their names in the plan."""
        raise NotImplementedError

    def draft(self) -> Draft[Any]:
        """Return the plan for a new folder. Raises InputError if the data are too small for it."""
        raise NotImplementedError

    def write_plan(self, store: Store, begin: Callable[[], None]) -> None:
        """Write the plan of a new folder, which ``begin`` makes."""
        self.approved(self.draft()).write(store, begin)

    def approved(self, draft: Draft[Any]) -> Draft[Any]:
        """Return the draft if its problems are the requested ones. Raises InputError if they are not."""
        self.check_made(draft)
        return draft

    def check_made(self, made: Draft[Any] | Store) -> None:
        """Apply every check that an option requests to the problems of a draft or of an earlier folder."""
        for check in self.asked_checks():
            check.check(self.values[check.option.name], made, self.spec.resolved())

    def asked_checks(self) -> list[DraftCheck]:
        """Return the checks of problems that an option requests."""
        return [check for check in draft_checks() if check.option.name in self.values]

    def prepare(self) -> Store:
        """Return the planned folder: an earlier one of this spec and data, or a new one. Raises InputError if the
        folder contains other files or cannot be written.
        """
        from ravenbench.store.resume import open_or_create

        if self.asked_checks() and (earlier := self.earlier()) is not None:
            self.check_made(earlier)
        return open_or_create(
            self.folder, self.name, self.spec.resolved(), self.data, self.write_plan, self.inputs
        )

    def earlier(self) -> Store | None:
        """Return the planned folder that ``prepare`` would continue, None if it would start again."""
        from ravenbench.store.resume import earlier

        return earlier(self.folder, self.name, self.spec.resolved(), self.data)

    def cells(self, store: Store) -> list[str]:
        """Compute the cells that are missing, damaged or failed; return the errors of the cells that failed now."""
        from ravenbench.engine.cells import execute

        return execute(store, self.components(), self.engine, self.progress)

    def finish(self, store: Store, errors: list[str]) -> Any:
        """Return the result of the function after all cells were tried; the folder then has the answer of the task."""
        if self.answer:
            registry.load("answer", self.answer).computed(store)
        return RunResult(store, tuple(errors))

    def preview(self) -> Preview:
        """Return what would be done, without writing a folder. Raises InputError if an input cannot be used."""
        draft = self.approved(self.draft()) if self.asked_checks() else self.sketch()
        plan = draft.plan
        store = self.earlier()
        missing = plan.cells if store is None else store.unanswered(plan.cells)
        return Preview(
            task=self.name,
            folder=str(self.folder),
            problems=self.sizes(draft),
            cells=len(plan.cells),
            done=len(plan.cells) - len(missing),
            fits=self.fits(plan, missing),
            notes=tuple(self.notes(draft)),
        )

    def sketch(self) -> Draft[Any]:
        """Return the draft as far as a preview needs it."""
        return self.draft()

    def sizes(self, draft: Draft[Any]) -> Mapping[str, int]:
        """The number of problems in a plan, by set."""
        return {"test": size} if (size := sum(len(fold.test) for fold in draft.folds)) else {}

    def notes(self, draft: Draft[Any]) -> list[str]:
        """Return sentences on what a plan does."""
        return []

    def fits(self, plan: Plan, missing: Sequence[CellPlace]) -> int:
        """Return how many trainings these cells need."""
        return len({(cell.verifier, plan.folds[cell.fold].train_digest) for cell in missing})

    @classmethod
    def acting(cls, values: Mapping[str, Any]) -> tuple[type[Task], Mapping[str, Any]]:
        """Return the task for the given values, and its values: this task, unless another form is meant."""
        for form in forms_of(cls.name):
            if (converted := form.of_command(values)) is not None:
                return form, converted
        return cls, values

    @classmethod
    def of_command(cls, values: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """As a form of another command: return its values from those of that command, None if it is not meant."""
        return None

    @classmethod
    def jobs(cls, values: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """Return the jobs of the command in order, by name: one job, unless it has several data sets or seeds."""
        seeds = seeds_of(values["seed"]) if cls.pools_seeds and "seed" in values else ()
        if len(seeds) < 2:
            return {"": {**values, **({"seed": seeds[0]} if seeds else {})}}
        folder = values.get(cls.place)
        jobs = {}
        for seed in seeds:
            name = f"seed-{seed}"
            jobs[name] = {
                **values,
                "seed": seed,
                **({} if folder is None else {cls.place: location(folder) / name}),
            }
        return jobs

    @classmethod
    def check(cls, values: Mapping[str, Any]) -> None:
        """Raise InputError if a value is missing that the command needs and the function does not."""

    @classmethod
    def instead(cls, values: Mapping[str, Any]) -> str | None:
        """Return a sentence on what the command did instead of its task; None if it did the task."""
        return None

    @classmethod
    def direct(
        cls, values: Mapping[str, Any], plan: bool, progress: Progress
    ) -> Preview | Ending | None:
        """Return what to show if the task needs no folder (with ``plan``, what would be done); None if it is an
        ordinary task."""
        return None

    @classmethod
    def pooled(cls, stores: Mapping[str, Store], out: Path) -> Ending:
        """Show several jobs of one command together, written to ``out``, for a task that may have several ``jobs``."""
        raise NotImplementedError


def seeds_of(given: Any) -> tuple[int, ...]:
    """Return one seed or several, from ``0,1,2`` or a sequence. SpecError if one is not a number, or is repeated."""
    several = not isinstance(given, str | int) or "," in str(given)
    seed_texts = str(given).split(",") if isinstance(given, str | int) else [*map(str, given)]
    try:
        seeds = tuple(map(int, seed_texts))
    except ValueError:
        seeds = ()
    if not seeds or len(set(seeds)) < len(seeds):
        expected = "whole numbers without repetition, e.g. 0,1,2" if several else "a whole number"
        raise SpecError(f"seed: expected {expected}", found=given)
    return seeds


def forms_of(name: str) -> list[type[Task]]:
    """Return the tasks that are other forms of a command, without those that cannot be imported."""
    return list(loaded(FORM_GROUP, f"{name}.").values())


@dataclass(frozen=True)
class DraftCheck:
    """A check of given problems that an option requests before anything is computed: ``check`` gets the value of the
    option, a draft or an earlier folder, and the resolved spec, and raises InputError. Packages register checks in the
    group ``ravenbench.draft``."""

    option: Option
    check: Callable[[Any, Any, Mapping[str, Any]], None]


def draft_checks() -> list[DraftCheck]:
    """Return the checks of given problems from installed packages."""
    return list(loaded(DRAFT_GROUP).values())


EVERY = {
    option.name: option
    for option in (
        Option("workers", "Number of processes; default: all cores.", int),
        Option(
            "engine",
            "Where the work is done instead: see ``ravenbench.engine.pool``.",
            takes="Engine",
            command=False,
        ),
        Option(
            "progress",
            "Function called with (stage, done, total); default in a notebook: a bar.",
            takes="Progress",
            command=False,
        ),
        Option(
            "cell_timeout",
            (
                "Time limit in seconds for training a method, and again for answering one test"
                " set; a cell that takes longer fails, and the others continue."
            ),
            float,
            metavar="SECONDS",
            bounds=(1, LONGEST),
            variable=TIMEOUT,
        ),
        Option(
            "device",
            "Device for neural verifiers: auto (a GPU if there is one), cpu, cuda or cuda:1.",
        ),
    )
}
LIMITS = ("cell_timeout", "device")


def bounded(values: dict[str, Any]) -> AbstractContextManager[None]:
    """Apply the limits in these values and remove them from the values."""
    return within(RunLimits(**{name: values.pop(name, None) for name in LIMITS}))


def run_task(
    task: type[Task],
    values: Mapping[str, Any],
    *,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Any:
    """Run a task: lock its folder, continue an earlier run or begin one, compute what is missing, finish."""
    from ravenbench.store.resume import folder_lock

    task, values = task.acting(values)
    job = task(values, workers=workers, engine=engine, progress=progress)
    with folder_lock(job.folder):
        store = job.prepare()
        return job.finish(store, job.cells(store))


@cache
def task_of(name: str) -> type[Task]:
    """Return the task of this name, Raven's or a package's. Raises SpecError for an unknown name."""
    task = registry.load("task", name)
    if not (isinstance(task, type) and issubclass(task, Task)):
        raise TypeError(f"task {name!r} is not a subclass of ravenbench.engine.task.Task")
    return task


def tasks() -> list[str]:
    """Return the names of all tasks, Raven's first."""
    return list(registry.targets("task"))


class Work(Declared):
    """A command without cells: a function in Python, and what the command shows of its result. A subclass declares it,
    and is in the group ``ravenbench.work`` under the name of the function.

    A class has, in addition to the attributes of every command, ``function``                the function's name, where
    that is not the command's
        ``spared``                  what the function needs and the command can do without
        ``shows_defaults``          whether signature and help show the defaults of the spec's fields
        ``reports_progress``        whether the function has ``progress``
        ``work``                    what the function does and returns: takes a spec, and by name the values of ``own``
    """

    function: ClassVar[str] = ""
    spared: ClassVar[tuple[str, ...]] = ()
    shows_defaults: ClassVar[bool] = True
    plan_help: ClassVar[str] = ""
    reports_progress: ClassVar[bool] = True
    work: ClassVar[Callable[..., Any]]

    @classmethod
    def called(cls) -> str:
        return cls.function or cls.name

    @classmethod
    def option_table(cls) -> dict[str, Option]:
        named = super().option_table()
        if cls.shows_defaults:
            for name, default in defaults_of(cls.Spec).items():
                named[name] = replace(named[name], default=default)
        named |= {name: EVERY[name] for name in (("progress",) if cls.reports_progress else ())}
        named |= {"device": EVERY["device"]} if cls.device else {}
        return named

    @classmethod
    def call(cls, values: Mapping[str, Any]) -> Any:
        from ravenbench.engine.pool import shown_by_default

        spec_values = dict(values)
        limits = bounded(spec_values)
        task_values = {
            option.name: spec_values.pop(option.name)
            for option in cls.own
            if option.name in spec_values
        }
        if cls.reports_progress:
            task_values["progress"] = shown_by_default(spec_values.pop("progress", None))
        with limits:
            return cls.work(cls.read(spec_values), **task_values)

    @classmethod
    def plan(cls, values: Mapping[str, Any]) -> Preview:
        """Return what ``call`` would do."""
        return cls.preview(
            {name: value for name, value in values.items() if name not in ("progress", *LIMITS)}
        )

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> Any:
        """Return the spec of the given values."""
        return spec_of(cls.Spec, values)

    @classmethod
    def check(cls, values: Mapping[str, Any], json: bool) -> None:
        """Raise InputError before any work if the command cannot do what is asked."""

    @classmethod
    def preview(cls, values: Mapping[str, Any]) -> Preview:
        """Return what the command would do, if it has ``plan_help``."""
        raise NotImplementedError

    @classmethod
    def ending(cls, values: Mapping[str, Any], progress: Progress) -> Ending:
        """Carry out the command, and return what it shows."""
        raise NotImplementedError


@cache
def declared_of(name: str) -> type[Declared]:
    """Return the task of this name, or the work whose function has it. Raises SpecError for an unknown name."""
    return registry.load("work", name) if name in registry.targets("work") else task_of(name)  # type: ignore[no-any-return]


def declared() -> list[str]:
    """Return the names of the functions of all tasks and works."""
    return [*registry.targets("task"), *registry.targets("work")]


def content_hash(value: Any) -> str:
    """Return eight letters that represent a JSON value in the name of a folder."""
    from ravenbench.store.plans import content_key

    return content_key(value)[:8]


def slug(path: str) -> str:
    """Return the name of a file without its ending, with letters and digits only."""
    return re.sub(r"[^A-Za-z0-9]+", "-", Path(path).stem).strip("-")
