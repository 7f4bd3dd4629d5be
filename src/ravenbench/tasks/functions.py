"""Makes the Python function of a task with signature and docstring; ``plan`` says what a task would do.

In: the class of a ``Task`` or ``Work``; for ``plan`` and ``as_public`` a function, for ``plan`` also its arguments.
Out: ``function_of``: a function with annotated arguments, some of them also by position; ``as_public``: a function as
given that takes tables in memory for paths; ``signature_of``: its ``Signature``; ``docstring_of``: its docstring as
text; ``plan``: a ``Preview`` (counts of problems, cells, cells done, fits), and no folder of a run is written.
SpecError if a function has no plan, InputError if an input cannot be used, TypeError for unknown or missing arguments.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping
from functools import cache, wraps
from inspect import Parameter, Signature, cleandoc, signature
from itertools import zip_longest
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec

from ravenbench.engine.options import READING, Declared, Option, check_given
from ravenbench.errors import InputError, SpecError, check_type, did_you_mean

if TYPE_CHECKING:
    from ravenbench.engine.task import Preview

P = ParamSpec("P")


@cache
def function_of(task: type[Declared], does: str = "call") -> Callable[..., Any]:
    """Return a task or a work as a Python function, or the function for its ``plan``."""
    own_signature = signature_of(task)
    options = task.options()

    def function(*args: Any, **kwargs: Any) -> Any:
        try:
            bound = own_signature.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise _WrongArguments(f"{task.called()}(): {error}") from None
        values = {name: value for name, value in bound.items() if value is not None}
        check_given(options, values)
        return getattr(task, does)(values)

    function.task = task  # type: ignore[attr-defined]
    function.__name__ = function.__qualname__ = task.called()
    function.__module__ = "ravenbench.tasks.api"
    function.__doc__ = docstring_of(task)
    function.__signature__ = own_signature  # type: ignore[attr-defined]
    function.flags = _flags(options)  # type: ignore[attr-defined]
    return function


def plan(function: Callable[P, Any], *args: P.args, **kwargs: P.kwargs) -> Preview:
    """Return what a task would do with these arguments, without writing a folder.

    ``plan(ravenbench.compare, "letter.txt", "smith", "others")`` has ``cells``, ``fits`` and ``notes``; a plan of
    ``run`` also has what could be detected. ``to_json()`` has all. SpecError if the function has no plan; InputError if
    an input cannot be used.
    """
    task = getattr(function, "task", None)
    if task is None or not task.plan_help:
        raise SpecError(
            f"{getattr(function, '__name__', function)} has no plan, because it is not a long task"
        )
    planned: Preview = as_public(function_of(task, "plan"))(*args, **kwargs)
    return planned


def _flags(options: Iterable[Option]) -> dict[str, str]:
    """Names in Python of options that are called otherwise on the command line."""
    return {
        flag.lstrip("-"): option.name
        for option in options
        if option.function
        for flag in option.flags
    }


def as_public(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function as ``import ravenbench`` provides it: it takes tables in memory instead of paths
    (``reading.memory``), a misspelt argument gets a suggestion, and an InputError uses the Python names of options; its
    traceback ends where the function was called.
    """
    own_signature = signature(function)
    accepted = own_signature.parameters
    by_position = [one for one in accepted.values() if one.kind is Parameter.POSITIONAL_OR_KEYWORD]
    several = next((one for one in accepted.values() if one.kind is Parameter.VAR_POSITIONAL), None)
    of_task = hasattr(function, "flags")

    @wraps(function)
    def public(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True  # for notebooks and pytest
        refusal: Exception
        try:
            _check_names(function.__name__, kwargs, own_signature)
            given = {
                name: _as_place(value, accepted.get(name), of_task)
                for name, value in kwargs.items()
            }
            # What is too much is refused by the function itself.
            named = by_position[: len(args)] if several or len(args) <= len(by_position) else []
            each = zip_longest(args, named, fillvalue=several)
            return function(*(_as_place(value, one, of_task) for value, one in each), **given)
        except _WrongArguments as error:
            refusal = TypeError(str(error))
        except InputError as error:
            names = {name.replace("_", "-"): name for name in accepted} | getattr(
                function, "flags", {}
            )
            if any(parameter.kind is Parameter.VAR_KEYWORD for parameter in accepted.values()):
                read = ("text", "author", "topic", *READING)
                names |= {name.replace("_", "-"): name for name in read}
            refusal = _in_python(error, names)
        if sys.excepthook is sys.__excepthook__:
            sys.excepthook = _end_at_call
        raise refusal

    public.__module__ = "ravenbench"
    return public


class _WrongArguments(TypeError):
    """An argument that a function does not have, one too many, or one that is missing."""


def _check_names(function: str, arguments: Iterable[str], own_signature: Signature) -> None:
    parameters = own_signature.parameters
    if any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters.values()):
        return
    for unknown in (name for name in arguments if name not in parameters):
        how = f"use ravenbench.plan(ravenbench.{function}, …) to get a plan"
        near = how if unknown == "plan" else did_you_mean(unknown, parameters, cutoff=0.7)
        raise _WrongArguments(
            f"{function}() got an unexpected keyword argument {unknown!r}; {near}"
        )


LONGEST_NAME = 255
"""Bytes of a file's name that systems take."""
_SEVERAL = re.compile("Sequence|Mapping|tuple|Iterable|Component|Any")


def _as_place(value: Any, parameter: Parameter | None, of_task: bool) -> Any:
    """What a function is handed for a value; to a task None is what is not given."""
    default = None if parameter is None else parameter.default
    if value is None and (default is None or (of_task and default is not Parameter.empty)):
        return None
    name, takes = (
        ("table", "") if parameter is None else (parameter.name, str(parameter.annotation))
    )
    if getattr(value, "ndim", 2) < 2 and hasattr(
        value, "tolist"
    ):  # a number or a row of NumPy, a column of pandas
        value = value.tolist()
    if isinstance(value, Path) and takes == "str":
        value = str(value)
    if isinstance(value, str | Path) and "Path" in takes:
        parts = str(value).encode("utf-8", "replace").split(b"/")
        if {"\n", "\0"} & {*str(value)} or max(map(len, parts)) > LONGEST_NAME:
            raise InputError(
                f"{name}: expected the path of a file, but this is a text",
                found=str(value)[:60],
                expected="a path",
                fix="write it into a file: Path('text.txt').write_text(text, encoding='utf-8')",
            )
    if (
        not isinstance(value, str | Path | None) and "[R]" not in takes
    ):  # a table's rows are no table
        from ravenbench.reading.memory import as_place
        from ravenbench.reading.tabular import no_rows
        from ravenbench.types import Corpus

        if isinstance(value, list | tuple | Mapping) and not value and not _SEVERAL.search(takes):
            raise no_rows(f"the table {name!r}")
        if not (isinstance(value, Corpus) and "Corpus" in takes):
            value = as_place(value, name)
    if parameter is not None and isinstance(parameter.annotation, str):
        check_type(name, takes, value)
    return value


_FLAG = re.compile(r"--([a-z][a-z0-9-]*)(?: ([A-Z]+\b|\d+\b|'[^']*')| (none|k-fold)\b)?")
_WORD = re.compile(r"[^\s,;]+")
_IN_MEMORY = re.compile(r"/tables/([0-9a-f]{16})(?:/([^:/]+)(?:/answers.jsonl)?)?(?::(\d+))?")
"""A table or corpus in memory as ``reading.memory`` keeps it; the groups are its hash, its parameter and a line."""
IN_MEMORY = (
    "Instead of a path you can give a table of pandas, polars or pyarrow in memory, or a list"
    " of records."
)
_BY_HAND = {
    "repeat NAME=PATH": "give several in the dict",
    "Several: repeat.": "Several: a list.",
    "may be repeated": "several: a list",
    "May be repeated": "Several: a list",
    "NAME=PATH": "A dict {NAME: PATH}",
}
"""What help says of the command line, as it is done in Python."""


def _in_python(error: InputError, names: Mapping[str, str]) -> InputError:
    """The error with ``'out'`` for ``--out``; ``names`` are those of parameters by that of their option."""

    problem, expected, fix = (
        text and _by_parameters(_of_tables(text), names)
        for text in (error.problem, error.expected, error.fix)
    )
    fix = f"in a terminal: {error.fix}" if (error.fix or "").startswith("raven ") else fix
    file = error.file and _of_tables(str(error.file))
    line = error.line
    if line is not None and file != str(error.file):
        file = _of_tables(f"{error.file}:{line}")
        line = None
    value = _of_tables(error.found) if isinstance(error.found, str) else error.found
    return type(error)(problem or "", file=file, line=line, found=value, expected=expected, fix=fix)


def _by_parameters(text: str, names: Mapping[str, str]) -> str:
    """A text with parameters in place of options."""

    def named(match: re.Match[str]) -> str:
        name = names.get(match[1])
        value = match[2] or (match[3] and repr(match[3]))
        return match[0] if name is None else f"{name}={value}" if value else repr(name)

    return _FLAG.sub(named, text)


def _of_tables(text: str) -> str:
    """A text with the names of tables in memory, and what they call their rows, instead of their files."""
    from ravenbench.reading.memory import ROWS

    def named(word: re.Match[str]) -> str:
        place = _IN_MEMORY.search(word[0])
        if place is None:
            return word[0]
        key, name, line = place.groups()
        kind = f"the table {name.removesuffix('.jsonl')!r}" if name else "the corpus in memory"
        if line and key in ROWS:
            kind += f", row {ROWS[key][int(line) - 1]!r}"
        elif line:
            kind += f":{line}"
        return kind + word[0][place.end() :]

    return _WORD.sub(named, text)


def _end_at_call(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """As Python shows an uncaught exception, without the function ``public`` that only passes on what is refused."""
    step = trace
    while step is not None and step.tb_next is not None:
        last = step.tb_next
        if last.tb_next is None and last.tb_frame.f_code.co_filename == __file__:
            step.tb_next = None
        step = step.tb_next
    sys.__excepthook__(kind, error, trace)


def signature_of(task: type[Declared]) -> Signature:
    """Return the signature of a task's function; annotations are text."""
    by_position = [*task.by_position()]
    parameters = []
    for option in task.options():
        if option.function:
            way = (
                Parameter.POSITIONAL_OR_KEYWORD
                if option.name in by_position
                else Parameter.KEYWORD_ONLY
            )
            default = Parameter.empty if option.required else option.default
            parameters.append(
                Parameter(option.name, way, default=default, annotation=option.annotation)
            )
    parameters.sort(
        key=lambda p: by_position.index(p.name) if p.name in by_position else len(by_position)
    )
    return Signature(parameters, return_annotation=task.result)


def docstring_of(task: type[Declared]) -> str:
    """Return the docstring of a task's function: the description of the command, and the parameters."""
    lines = [cleandoc(task.__doc__ or "").split("\n\n")[0], ""]
    if task.note:
        lines += [textwrap.fill(task.note, 112), ""]
    options = {option.name: option for option in task.options()}
    names = {name.replace("_", "-"): name for name in options} | _flags(options.values())
    lines += ["Parameters", "----------"]
    for parameter in signature_of(task).parameters.values():
        lines.append(f"{parameter.name} : {parameter.annotation}")
        about = _by_parameters(options[parameter.name].help, names)
        for on_the_line, in_python in _BY_HAND.items():
            about = about.replace(on_the_line, in_python)
        lines += textwrap.wrap(about, 108, initial_indent="    ", subsequent_indent="    ")
    lines += ["", "Notes", "-----", IN_MEMORY]
    lines += [
        "",
        "Raises",
        "------",
        "InputError",
        "    Before any long work, if something cannot be used.",
    ]
    return "\n".join(lines)
