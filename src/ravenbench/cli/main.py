"""Runs ``raven``: finds the command that is wanted and loads that one alone.

In: the arguments of a shell (``sys.argv``); for ``build`` the name of a command or None.
Out: text on stdout, progress and errors on stderr, and an exit code: 0 done, 1 finished with failures, 2 bad input or
usage, else 128 and the number of a signal. ``commands`` gives every command by name, ``build`` the Typer application;
the classes are how Typer shows and parses a command.
"""

from __future__ import annotations

import errno
import importlib
import inspect
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from ravenbench import __version__, seams
from ravenbench.cli import terminal
from ravenbench.errors import (
    ELSEWHERE,
    OPTIONS,
    RavenError,
    SpecError,
    check_option,
    listen,
    remedy,
    said,
    visible,
    with_keys,
)
from ravenbench.limits import collect_seldom


def _task(name: str) -> str:
    return f"ravenbench.cli.tasks:{name}"


COMMANDS: dict[str, seams.Command] = {
    "run": seams.Command(
        _task("run"),
        "Test verifiers: do they recognise style or only topic? Writes a report.",
        seams.TEST,
        0,
    ),
    "evaluate": seams.Command(
        _task("evaluate"), "Evaluate answers as PAN does, with intervals and tests.", seams.TEST, 1
    ),
    "pan14": seams.Command(
        _task("pan14"),
        "Test verifiers on the PAN-2014 corpora: the tables of the overview paper.",
        seams.TEST,
        2,
    ),
    "verify": seams.Command(
        _task("verify"),
        "Train one verifier on some problems and let it answer others.",
        seams.TEST,
        3,
    ),
    "attribute": seams.Command(
        _task("attribute"),
        "Name the author of unknown texts, or measure how well methods do so.",
        seams.TEST,
        4,
    ),
    "safety": seams.Command(
        _task("safety"),
        "Attack verifiers by obfuscation; measure safety, soundness and sense.",
        seams.TEST,
        5,
    ),
    "obfuscate": seams.Command(
        _task("obfuscate"),
        "Rewrite texts or a problem set to hide their authors.",
        seams.ONE_TEXT,
        3,
    ),
    "report": seams.Command(
        "ravenbench.cli.show:report",
        "Write the tables and the page of a finished run again.",
        seams.SHARE,
        0,
    ),
}
"""The bench's own; those of packages, Raven's extensions among them, come by entry points."""


def commands() -> dict[str, seams.Command]:
    """Every command by name, in the order of help: the bench's own, those of packages, and the tasks of packages."""
    every = {**_tasks_of_packages(), **seams.commands_of_packages(), **COMMANDS}
    return dict(
        sorted(
            every.items(),
            key=lambda command: (seams.PANELS.index(command[1].panel), command[1].rank),
        )
    )


class _Switches:
    """Help that shows only the name of a switch, because a switch takes no value."""

    def get_params(self, ctx: Any) -> list[Any]:
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            if getattr(param, "is_bool_flag", False):
                param.metavar = ""
        return params

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse as click does; escape control characters of the command line that an error quotes."""
        try:
            remaining: list[str] = super().parse_args(ctx, args)  # type: ignore[misc]
            return remaining
        except Exception as error:
            if hasattr(error, "message"):
                error.message = visible(error.message)
            raise


class ShownCommand(_Switches, TyperCommand):
    """A command of ``raven``; what is missing is said as every other error is."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        words = [word for word in args if not word.startswith("-")]
        OPTIONS.update(getattr(self.callback, "spec_keys", {}))
        for param in self.get_params(ctx):
            OPTIONS.update(dict.fromkeys((*param.opts, *param.secondary_opts)))
        ctx.call_on_close(OPTIONS.clear)
        try:
            remaining = super().parse_args(ctx, args)
            for name, value in ctx.params.items():
                check_option(f"--{name.replace('_', '-')}", value)
            return remaining
        except Exception as error:
            # Typer's releases have these classes in different places.
            if type(error).__name__ == "NoSuchOption":
                flag = getattr(error, "option_name", "")
                if (key := OPTIONS.get(flag)) is not None:
                    raise SpecError(
                        f"{ctx.command_path} has no option {flag}",
                        fix=f"write the line {key.line} in a file, and give the file with --spec",
                    ) from None
            if type(error).__name__ != "MissingParameter":
                raise
            missing: Any = error
            explain = getattr(self.callback, "instead_of_missing", None)
            if explain is not None and (refusal := explain(words)) is not None:
                raise refusal from None
            named = missing.param.param_type_name == "option"
            raise SpecError(
                f"{missing.param.opts[0] if named else missing.param.name.upper()} is missing",
                expected=missing.param.help,
                fix=f"{ctx.command_path} --help shows all options",
            ) from None


class Group(_Switches, TyperGroup):
    """``raven``, and the groups of commands in it."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """As click does; of what others call so it says what it is here, or where they read why it is not."""
        try:
            return super().resolve_command(ctx, args)
        except Exception as error:
            if args[0] in ELSEWHERE and hasattr(error, "message"):
                error.message = f"{error.message.rstrip('.')}: {ELSEWHERE[args[0]]}"
            raise


def build(wanted: str | None) -> typer.Typer:
    """The application, with only the wanted command's code imported."""
    app = typer.Typer(
        name="raven",
        cls=Group,
        help=(
            "Find out whether an authorship verifier recognises style or only topic, and"
            " whether it survives an author who hides.\n\nStart with [bold]raven run[/bold]:"
            " without arguments it tests five verifiers on texts that come with Raven."
        ),
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback()
    def main(
        version: bool = typer.Option(
            False, "--version", help="Print the version and exit.", is_eager=True
        ),
        progress: float = typer.Option(
            0, help="Seconds between two lines of progress if stderr is a file; default 30."
        ),
    ) -> None:
        if progress:
            from ravenbench.cli import show

            show.EVERY = progress
        if version:
            typer.echo(f"raven {__version__}")
            raise typer.Exit

    listed = COMMANDS if wanted in COMMANDS else commands()
    for name, command in listed.items():
        if name != wanted:
            app.command(
                name, help=command.line, rich_help_panel=str(command.panel), cls=ShownCommand
            )(_absent)
            continue
        module, _, attribute = command.target.partition(":")
        function = getattr(importlib.import_module(module), attribute)
        if isinstance(function, typer.Typer):
            for inner in function.registered_commands:
                inner.cls = ShownCommand
            app.add_typer(function, name=name, help=command.line, cls=Group)
        else:
            # Two bare file names are what anybody tries first: a task that says what it takes instead gets them.
            bare = {"allow_extra_args": getattr(function, "takes_strays", False)}
            about = _flowing(function.__doc__ or "")
            epilog = getattr(function, "epilog", None)
            app.command(name, help=about, epilog=epilog, context_settings=bare, cls=ShownCommand)(
                function
            )
    return app


def _tasks_of_packages() -> dict[str, seams.Command]:
    """The tasks of other packages as commands; one that does not import is listed all the same."""
    tasks = {}
    forms = {name.rpartition(".")[2] for name in seams.registered(seams.FORM_GROUP)}
    for name, point in seams.registered(seams.TASK_GROUP).items():
        if name in seams.commands_of_packages() or name in forms:
            continue
        try:
            about = (inspect.getdoc(point.load()) or "").partition("\n")[0]
        except Exception:
            about = ""
        line = about or f"A task of {point.value.partition(':')[0]}."
        tasks[name] = seams.Command(_task(name), line, seams.SHARE, 90)
    return tasks


def _flowing(text: str) -> str:
    """A docstring as help: its prose in whole paragraphs that break where the terminal does; examples as they are."""
    paragraphs = inspect.cleandoc(text).split("\n\n")
    return "\n\n".join(
        paragraph if paragraph.startswith(" ") else " ".join(paragraph.split("\n"))
        for paragraph in paragraphs
    )


def _absent() -> None:
    """Stands for a command that was not asked for, so that help can list it."""


def run() -> None:
    """Entry point: 0 done, 1 finished with failures, 2 bad input or usage, else 128 and the number of a signal."""
    terminal.listen()
    terminal.make_plain()
    try:
        try:
            _run()
            terminal.obey()
        except SystemExit:
            terminal.obey()
            raise
    except KeyboardInterrupt:
        # It came while something else was being told.
        sys.exit(terminal.farewell())
    finally:
        terminal.last()


def _note(sentence: str) -> None:
    """Print facts about the data."""
    typer.secho("note: ", fg="yellow", err=True, nl=False)
    typer.echo(f"{visible(with_keys(sentence))}.", err=True)


def _run() -> None:
    collect_seldom()
    arguments = sys.argv[1:]
    try:
        # A verifier of one's own, named module:Class, is looked for in the current folder too.
        sys.path.append(str(Path.cwd()))
    except FileNotFoundError:
        _fail(
            "the current folder no longer exists",
            "change to another folder and repeat the command",
        )
    # A number is the value of --progress.
    wanted = next((argument for argument in arguments if argument[:1].isalpha()), None)
    if arguments == ["--version"]:
        typer.echo(f"raven {__version__}")
        return
    # These two print notes on the data themselves.
    listen(*[_note] * (wanted not in ("corpus", "texts")))
    try:
        try:
            # Under one name, whatever started it.
            build(wanted)(prog_name="raven")
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException:
            if terminal.interrupted():
                raise KeyboardInterrupt from None
            raise
    except RavenError as error:
        typer.secho("error: ", fg="red", bold=True, err=True, nl=False)
        typer.echo(str(error), err=True)
        sys.exit(2)
    except OSError as error:
        if error.errno == errno.EPIPE:
            # Whoever read the output has left; nothing more can be said to them.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(1)
        prefix = f"{error.filename}: " if error.filename else ""
        _fail(f"{prefix}{error.strerror or error}", remedy(error))
    except UnicodeEncodeError as error:
        if sys.getfilesystemencoding() == "utf-8":
            raise
        where = (
            f"{sys.getfilesystemencoding()}, the encoding of this locale, does not have the"
            f" character {error.object[error.start]!a}"
        )
        _fail(where, "set the environment variable PYTHONUTF8=1, then repeat the command")
    except ValueError as error:
        if "integer string conversion" not in str(error):
            raise
        _fail(
            "a number in the input has more than 4,300 digits",
            "shorten the number, or write it as text",
        )
    except ModuleNotFoundError as error:
        if (
            name := seams.extension_of(error.name or "")
        ) is None or name not in seams.absent_extensions():
            raise
        _fail(
            f"this needs Raven's extension {name!r}, which is missing",
            "run raven doctor, which lists everything that is missing",
        )
    except RuntimeError as error:
        if getattr(error.__context__, "errno", None) != errno.ELOOP:
            raise
        _fail(str(error), "remove this link, or create the file or folder that it leads to")
    except MemoryError:
        _fail(
            "out of memory",
            "give the process more memory, fewer texts or fewer --workers",
        )
    except (KeyboardInterrupt, SystemExit) as end:
        # Typer turns an interruption within a command into an exit.
        if isinstance(end, SystemExit) and end.code != 130:
            raise
        code = terminal.farewell()
        with suppress(OSError):  # the terminal may be gone
            typer.echo(
                "interrupted; repeat the same command to continue where it stopped", err=True
            )
        sys.exit(code)
    except BaseException as error:
        # Rust's, which polars raises and which is no Exception.
        if type(error).__name__ != "PanicException":
            raise
        message = said(error).splitlines()[0]
        short = any(word in message.lower() for word in ("memory", "alloc", "thread"))
        _fail(
            f"polars failed ({message})",
            (
                "give the process more memory (ulimit -v), then repeat the command"
                if short
                else "report this message to the authors of Raven"
            ),
        )


def _fail(problem: str, fix: str) -> NoReturn:
    typer.secho("error: ", fg="red", bold=True, err=True, nl=False)
    typer.echo(f"{visible(problem)}\n  fix: {fix}", err=True)
    sys.exit(2)


if __name__ == "__main__":
    run()
