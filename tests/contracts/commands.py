"""Commands as users give them, in this process or in one of its own, and what their folders say afterwards."""

from __future__ import annotations

import contextlib
import gc
import io
import json
import multiprocessing
import os
import runpy
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ravenbench.limits import ENDING

WARM = {
    "ravenbench",
    "numpy",
    "numba",
    "scipy",
    "sklearn",
    "polars",
    "joblib",
    "rich",
    "jinja2",
    "matplotlib",
    "nltk",
}


@dataclass(frozen=True)
class Ended:
    """How a command ended: its exit code and all that it said."""

    code: int
    said: str


def in_spec(callback: Any, arguments: Sequence[str]) -> list[str]:
    """Arguments of a command with those options in a spec file that are no flags of it."""
    table, keys = getattr(callback, "in_spec", ("", ()))
    options = {option.name: option for option in callback.declared.options()} if keys else {}
    rest: list[str] = []
    said: dict[str, Any] = {}
    words = list(arguments)
    while words:
        word = words.pop(0)
        flag, _, value = word.partition("=")
        key = flag.removeprefix("--").replace("-", "_")
        if not (word.startswith("--") and key in keys):
            rest.append(word)
            continue
        kind = options[key].kind if key in options else str
        value = value or ("" if kind is bool else words.pop(0))
        if key in options and options[key].many:
            said.setdefault(key, []).append(value)
        else:
            said[key] = True if kind is bool else value if kind is str else json.loads(value)
    if not said:
        return rest
    lines = [f"{key} = {json.dumps(value)}" for key, value in said.items()]
    with tempfile.NamedTemporaryFile("w", suffix=".toml", delete=False) as file:
        file.write("\n".join([f"[{table}]", *lines]))
    return [*rest, "--spec", file.name]


AS_IT_IS: list[bool] = []
"""Not empty where a command is to have no flags but its own."""


@contextlib.contextmanager
def flags_in_spec() -> Iterator[None]:
    """Commands in this process take every option as a flag: those that are none are put into a spec file."""
    from ravenbench.cli.main import ShownCommand

    parse = ShownCommand.parse_args

    def parse_args(self: Any, ctx: Any, args: list[str]) -> list[str]:
        return parse(self, ctx, args if AS_IT_IS else in_spec(self.callback, args))

    ShownCommand.parse_args = parse_args
    try:
        yield
    finally:
        ShownCommand.parse_args = parse


def raven(*arguments: str, encoding: str = "utf-8", as_it_is: bool = False) -> Ended:
    """A command in this process, by the entry point that users have; one that leaves it by an error ends with 1.
    ``as_it_is``: with no options in a spec file."""
    AS_IT_IS[:] = [True] * as_it_is
    try:
        return _raven(*arguments, encoding=encoding)
    finally:
        AS_IT_IS.clear()


def _raven(*arguments: str, encoding: str) -> Ended:
    from ravenbench.cli import main

    kept = sys.argv, sys.path[:], gc.get_threshold()
    handlers = {number: signal.getsignal(number) for number in ENDING}
    raw = io.BytesIO()
    said = io.TextIOWrapper(raw, encoding=encoding, write_through=True)
    sys.argv, code = ["raven", *arguments], 0
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            try:
                main.run()
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else 1 if end.code else 0
            except Exception:
                code = 1
                raw.write(traceback.format_exc().encode())
    finally:
        sys.argv, sys.path[:] = kept[0], kept[1]
        gc.set_threshold(*kept[2])
        for number, handler in handlers.items():
            signal.signal(number, handler)
    return Ended(code, raw.getvalue().decode(encoding))


def command(arguments: Sequence[str]) -> None:
    """``raven`` as its script calls it."""
    from ravenbench.cli import main

    sys.argv = ["raven", *arguments]
    with flags_in_spec():
        main.run()


def script(place: Sequence[str]) -> None:
    """A file of Python, as ``python FILE`` would run it."""
    sys.argv = [*place]
    sys.path.insert(0, str(Path(place[0]).parent))
    runpy.run_path(place[0], run_name="__main__")


def on_one_core(arguments: Sequence[str], work: Callable[[Sequence[str]], None]) -> None:
    """Do it on one core: with two, each command would start processes for the second, which has tests of its own."""
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(
            0, {cores[int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:]) % len(cores)]}
        )
    work(arguments)


def _child(
    work: Callable[[Sequence[str]], None], arguments: list[str], said: str, settings: dict[str, str]
) -> None:
    # A signal that comes before the command begins waits until it does.
    waiting = {*ENDING}
    signal.pthread_sigmask(signal.SIG_BLOCK, waiting)
    os.setsid()
    sink = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(sink, 1)
    os.dup2(sink, 2)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    os.environ.update(settings)
    code = 0
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, waiting)
        work(arguments)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1 if end.code else 0
    except KeyboardInterrupt:
        code = 130
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def warm() -> list[str]:
    """Modules imported here that a process may begin with."""
    return sorted(name for name in list(sys.modules) if name.split(".")[0] in WARM)


class Starter:
    """Starts commands in processes of their own, forked from one that has imported these modules."""

    def __init__(self, modules: Iterable[str]) -> None:
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(sorted(modules))

    def start(
        self,
        arguments: list[str],
        said: Path,
        work: Callable[[Sequence[str]], None] = command,
        settings: Mapping[str, str] | None = None,
    ) -> Any:
        """A running ``command`` or ``script`` in this folder, which writes what it says to a file."""
        process = self._context.Process(
            target=_child, args=(work, arguments, str(said), dict(settings or {}))
        )
        process.start()
        return process


TIMES = (
    "seconds",
    "fit",
    "score",
    "cpu",
    "time",
    "times",
    "wall",
    "minutes",
    "took",
    "duration",
    "per_text",
)
"""Parts of names under which reports hold what the clock says."""


def told(folder: Path) -> Any:
    """All that a task's report says, without what the clock says."""
    return _timeless(json.loads((folder / "report" / "report.json").read_text("utf-8")))


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            k: _timeless(v)
            for k, v in value.items()
            if not any(part in k.lower().split("_") for part in TIMES)
        }
    return [_timeless(inner) for inner in value] if isinstance(value, list) else value


def answers(folder: Path) -> dict[str, bytes]:
    """Every cell's arrays by its key, through the public store; times are not among them."""
    from ravenbench.store.store import Store

    store = Store.open(folder)
    found = {}
    for place in store.plan.cells:
        cell = store.read_cell(place.key)
        if cell is not None:
            found[place.key] = b"".join(
                f"{n} {a.shape} ".encode() + a.tobytes() for n, a in sorted(cell.arrays.items())
            )
    return found


def contents(place: Path) -> dict[str, bytes]:
    """Every file of a folder (or one file) by name, but for what is hidden."""
    if place.is_file():
        return {place.name: place.read_bytes()}
    inner = (p for p in place.rglob("*") if p.is_file() and not p.name.startswith("."))
    return {p.relative_to(place).as_posix(): p.read_bytes() for p in sorted(inner)}


@contextlib.contextmanager
def umask(mode: int) -> Iterator[None]:
    """Files are made with this mask for a while."""
    before = os.umask(mode)
    try:
        yield
    finally:
        os.umask(before)
