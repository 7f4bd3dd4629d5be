"""Makes a command of a task: its options are those of its declaration and those that every task has.

In: the class of a ``Task`` or ``Work`` (a command that keeps no results one by one); for ``perform`` and ``work`` also
the values of its options by name.
Out: a function with annotated parameters, from which Typer makes a command. When called it prints on stdout; it exits
with 1 where a result failed, or with the code of the ``Ending``. Helpers make parameters of options and read values of
a spec file.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from ravenbench import files
from ravenbench.engine.options import CorpusSpec, Declared, Option, options_of, read_spec
from ravenbench.engine.task import Preview, Task, Work, bounded, declared_of, run_task
from ravenbench.errors import InputError, SpecKey, remarks_gathered

if TYPE_CHECKING:
    pass

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]


SHORT = {"out": ("--out", "-o")}
"""Options that are called alike, and in short, in every command."""


def __getattr__(name: str) -> Any:
    if name.startswith("_"):  # Python itself asks, in an import of what else is here
        raise AttributeError(name)
    return command_of(declared_of(name))


def command_of(task: type[Declared]) -> Any:
    """The function that Typer makes a command of."""

    def command(**values: Any) -> None:
        context = values.pop("context", None)
        if task.stray is not None and context.args:
            problem, expected, fix = task.stray
            raise InputError(problem, found=" ".join(context.args), expected=expected, fix=fix)
        given = of_file(
            task,
            {name: value for name, value in values.items() if value is not None and value != []},
        )
        with bounded(given):
            perform(task, given) if issubclass(task, Task) else work(task, given)  # type: ignore[arg-type]

    parameters = (
        [parameter("context", typer.Context, inspect.Parameter.empty)] if task.stray else []
    )
    spared = getattr(task, "spared", ())
    for option in (option for option in task.options() if option.command and not option.in_spec):
        needed = option.required and option.name not in spared
        positional = option.name in task.arguments
        heading = task.heading(option.name)
        parameters.append(of_option(replace(option, required=needed), positional, heading))
    command.instead_of_missing = task.instead_of_missing  # type: ignore[attr-defined]
    command.in_spec = (task.name, in_spec(task))  # type: ignore[attr-defined]
    keys = options_in_spec(task)
    command.spec_keys = {  # type: ignore[attr-defined]
        f"--{option.name.replace('_', '-')}": SpecKey(
            f"{task.name}.{option.name}", option.kind is bool
        )
        for option in keys
    }
    command.epilog = epilog(keys)  # type: ignore[attr-defined]
    command.declared = task  # type: ignore[attr-defined]
    command.takes_strays = task.stray is not None  # type: ignore[attr-defined]
    command.__doc__ = task.__doc__
    command.__annotations__ = {}
    command.__signature__ = inspect.Signature([*parameters, *_common(task)])  # type: ignore[attr-defined]
    return command


WHERE = (
    Option("engine", "local (processes) or dask (an existing cluster).", default="local"),
    Option("scheduler", "Address of the Dask scheduler."),
)
SPEC = Option(
    "spec",
    (
        "TOML file with options in a table named after the command; options on the command line"
        " override it."
    ),
    Path,
)


def options_in_spec(task: type[Declared]) -> list[Option]:
    """Options that are no flags of a command, but keys of its spec file."""
    where = WHERE if issubclass(task, Task) and task.name != "run" else ()
    return [*(option for option in task.options() if option.in_spec), *where]


def in_spec(task: type[Declared]) -> list[str]:
    """The names of ``options_in_spec``."""
    return [option.name for option in options_in_spec(task)]


def epilog(keys: Sequence[Option]) -> str | None:
    """What help ends with: the keys of a spec file, each with what it is."""
    if not keys:
        return None
    names = ", ".join(option.name for option in keys)
    explained = (f"{option.name}: {option.help}" for option in keys)
    return "\n\n".join([f"Keys in a file for --spec: {names}.", *explained])


def of_file(task: type[Declared], flags: dict[str, Any]) -> dict[str, Any]:
    """What was given by flags and, where there is one, by a spec file; and defaults of options that are not flags."""
    options = [option for option in task.options() if option.command and option.in_spec]
    defaults = {option.name: False if option.kind is bool else option.default for option in options}
    defaults = {name: default for name, default in defaults.items() if default is not None}
    if "spec" not in flags:
        return defaults | flags
    # A switch that was not given says nothing.
    given = {name: value for name, value in flags.items() if value is not False}
    if "spec" in task.option_table():  # it resolves the file itself
        from ravenbench.tasks.run.spec import beside_spec

        return beside_spec(given)
    file = given.pop("spec")
    switches = {name: False for name, value in flags.items() if value is False}
    return {**defaults, **switches, **read_spec(file, task, in_spec(task)), **given}


def parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
    )


def of_option(option: Option, positional: bool, heading: str | None = None) -> inspect.Parameter:
    kind: Any = list[str] if option.many else option.kind
    how: Any = {"help": option.help, "metavar": option.metavar, "envvar": option.variable}
    how |= dict(zip(("min", "max"), option.bounds, strict=True))
    # A flag that is false is not given.
    flags = (
        option.flags
        or SHORT.get(option.name)
        or ((f"--{option.name.replace('_', '-')}",) if kind is bool else ())
    )
    shown = (
        typer.Argument(**how)
        if positional
        else typer.Option(*flags, rich_help_panel=heading, **how)
    )
    if option.required:
        return parameter(option.name, Annotated[kind, shown], inspect.Parameter.empty)
    default = bool(option.default) if kind is bool else None if option.many else option.default
    return parameter(
        option.name, Annotated[kind if default is not None else kind | None, shown], default
    )


def reads(function: Callable[..., None]) -> Callable[..., None]:
    """A command with the options of every task that reads a corpus (``CorpusSpec``); it is handed them as ``reading``,
    the keywords of ``load_corpus``."""
    options = options_of(CorpusSpec)
    hints = get_type_hints(function, include_extras=True)
    parameters = inspect.signature(function).parameters
    own = [
        parameter(name, hints[name], p.default)
        for name, p in parameters.items()
        if name != "reading"
    ]
    shown = [*own[:-1], *(of_option(option, False) for option in options.values()), own[-1]]

    @wraps(function)
    def command(**values: Any) -> None:
        given = {name: value for name in options if (value := values.pop(name)) is not None}
        function(**values, reading=CorpusSpec(**given).reading())

    command.__annotations__ = {}
    command.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    return command


def _common(task: type[Declared]) -> list[inspect.Parameter]:
    """Options of many commands that the declaration does not name."""
    options = [
        *(WHERE if task.name == "run" else ()),
        *(() if "spec" in task.option_table() else (SPEC,)),
        *([Option("plan", task.plan_help, bool)] if task.plan_help else ()),
    ]
    parameters = [
        of_option(option, False, task.heading(option.name) if option in WHERE else None)
        for option in options
    ]
    return [*parameters, of_option(Option("json", "Print one JSON object on stdout.", bool), False)]


def perform(task: type[Task], values: dict[str, Any]) -> None:
    """Carry out a command: preview or run a task, and show what it found."""
    from ravenbench.cli.show import (
        print_json,
        progress_bar,
        say,
        show_answer,
        show_preview,
        show_report,
        show_seeds,
    )
    from ravenbench.engine import pool

    if (said := task.instead(values)) is not None:
        say(said)
        return
    engine = pool.engine(
        values.pop("engine", "local"), values.get("workers"), values.pop("scheduler", None)
    )
    how: Any = {"workers": values.pop("workers", None), "engine": engine}
    plan = values.pop("plan", False)
    json = values.pop("json", False)
    with progress_bar() as progress:
        direct = task.direct(values, plan, progress)
    if direct is not None:
        show_preview(direct, json) if isinstance(direct, Preview) else show_answer(direct, json)
        return
    from ravenbench.reports.report import Report, report_of_task

    task, given = task.acting(values)
    shows = report_of_task(task) or Report
    values = dict(given)
    jobs = task.jobs(values)
    for warning in shows.beforehand(next(iter(jobs.values()))):
        say(warning, fg="yellow", err=True)
    if plan:
        # Of seeds each costs about the same.
        planned = dict([*jobs.items()][:1]) if task.pools_seeds and not json else jobs
        previews = {}
        remarks = dict[str, list[Any]]()
        for name, job in planned.items():
            with progress_bar() as progress, remarks_gathered() as remarks[name]:
                previews[name] = task(job, **how, progress=progress).preview()
        if json:
            shown = {name: preview.to_json() for name, preview in previews.items()}
            for name, one in shown.items():
                one["notes"] = [*dict.fromkeys([*one.get("notes", ()), *map(str, remarks[name])])]
            print_json(shown if len(shown) > 1 else next(iter(shown.values())))
            return
        for preview in previews.values():
            show_preview(preview, False, shows.previewed(preview))
        if len(planned) < len(jobs):
            say(f"This is the first of {len(jobs)} seeds; each of them takes about as long.")
        return
    task.check(values)
    with progress_bar() as progress:
        results = {
            name: run_task(task, job, **how, progress=progress) for name, job in jobs.items()
        }
    if len(results) == 1:
        show_report(next(iter(results.values())).store, json, shows.products(values))
    elif task.pools_seeds:
        from ravenbench.reports.report import write_report

        seeds = [result.store for result in results.values()]
        place = values.get(task.place)
        for store in seeds:
            write_report(store)
        show_seeds(seeds, None if place is None else files.location(place), json)
    else:
        stores = {name: result.store for name, result in results.items()}
        show_answer(task.pooled(stores, files.location(values["out"])), json)
    for result in results.values():
        if trouble := shows.trouble(result, values, task.failure):
            say(trouble, fg="red", err=True)
            raise typer.Exit(1)
    if not json and (farewell := shows.farewell(values, [*results.values()])):
        say(farewell)


def work(task: type[Work], values: dict[str, Any]) -> None:
    """Carry out a command without cells, and show its result."""
    from ravenbench.cli.show import progress_bar, show_answer, show_preview

    json = values.pop("json", False)
    task.check(values, json)
    if values.pop("plan", False):
        show_preview(task.preview(values), json)
        return
    with progress_bar() as progress:
        ending = task.ending(values, progress)
    show_answer(ending, json)
    if ending.after is not None and not json:
        ending.after()
    if ending.code:
        raise typer.Exit(ending.code)
