"""A task as a function in Python: its signature, its docstring, and the stub that type checkers and editors read."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from inspect import Parameter, Signature, cleandoc
from pathlib import Path
from typing import Any

from ravenbench import registry
from ravenbench.engine.options import Option, Spec, check_given, options_of
from ravenbench.engine.task import EVERY, Task, run_task, task_of
from ravenbench.former import check_there


@cache
def function_of(task: type[Task]) -> Callable[..., Any]:
    """A task as a function in Python."""
    signature = signature_of(task)

    def function(*args: Any, **kwargs: Any) -> Any:
        for name in kwargs.keys() - signature.parameters.keys():
            check_there(f"raven {task.name} --{name}")
        values = signature.bind(*args, **kwargs).arguments
        check_given([*EVERY.values(), *task.options()], values)
        how = {name: values.pop(name, None) for name in EVERY}
        return run_task(task, values, **how)

    function.__name__ = function.__qualname__ = task.name
    function.__module__ = "ravenbench.tasks.api"
    function.__doc__ = docstring_of(task)
    function.__signature__ = signature  # type: ignore[attr-defined]
    return function


def as_function(
    work: Callable[..., Any], name: str, spec: type[Spec], own: tuple[Option, ...], result: str
) -> Callable[..., Any]:
    """A function with a spec's options as keywords, and with ``own`` ones before them, told in its docstring."""
    options = {option.name: option for option in own} | options_of(spec) | {"progress": EVERY["progress"]}
    signature = _signature(list(options.values()), tuple(option.name for option in own), result)

    def function(*args: Any, **kwargs: Any) -> Any:
        return work(**signature.bind(*args, **kwargs).arguments)

    function.__name__ = function.__qualname__ = name
    function.__module__ = work.__module__
    function.__doc__ = _docstring(cleandoc(work.__doc__ or ""), options, signature)
    function.__signature__ = signature  # type: ignore[attr-defined]
    return function


def signature_of(task: type[Task]) -> Signature:
    """The signature of a task's function; annotations are text."""
    return _signature([option for option in task.options() if option.function], task.by_position(), task.result)


def _signature(options: Iterable[Option], by_position: tuple[str, ...], result: str) -> Signature:
    parameters = []
    for option in options:
        way = Parameter.POSITIONAL_OR_KEYWORD if option.name in by_position else Parameter.KEYWORD_ONLY
        default = Parameter.empty if option.required else None
        parameters.append(Parameter(option.name, way, default=default, annotation=option.annotation))
    order = [*by_position]
    parameters.sort(key=lambda p: order.index(p.name) if p.name in order else len(order))
    return Signature(parameters, return_annotation=result)


def docstring_of(task: type[Task]) -> str:
    """The docstring of a task's function: what the command says of itself, and its parameters."""
    about = cleandoc(task.__doc__ or "").split("\n\n")[0]
    if task.note:
        about += "\n\n" + textwrap.fill(task.note, 112)
    return _docstring(about, {option.name: option for option in task.options()}, signature_of(task))


def _docstring(about: str, options: Mapping[str, Option], signature: Signature) -> str:
    lines = [about, "", "Parameters", "----------"]
    for parameter in signature.parameters.values():
        lines.append(f"{parameter.name} : {parameter.annotation}")
        lines += textwrap.wrap(options[parameter.name].help, 108, initial_indent="    ", subsequent_indent="    ")
    lines += ["", "Raises", "------", "InputError", "    Before any long work, if something cannot be used."]
    return "\n".join(lines)


def stub_of(tasks: Iterable[type[Task]]) -> str:
    """The stub of ``tasks.api``: the functions of tasks as type checkers and editors see them."""
    parts = []
    for task in tasks:
        signature = signature_of(task)
        lines, star = [f"def {task.name}("], False
        for p in signature.parameters.values():
            if p.kind is Parameter.KEYWORD_ONLY and not star:
                lines.append("    *,")
                star = True
            lines.append(f"    {p.name}: {p.annotation}{'' if p.default is Parameter.empty else ' = None'},")
        lines.append(f") -> {signature.return_annotation}:")
        about = docstring_of(task).split("\n\n")[0]
        parts.append("\n".join([*lines, *textwrap.indent(f'"""{about}"""', "    ").split("\n")]))
    body = "\n\n".join(parts)
    modules: dict[str, list[str]] = {}
    for name, module in _NAMES.items():
        if re.search(rf"\b{name}\b", re.sub(r'""".*?"""', "", body, flags=re.DOTALL)):
            modules.setdefault(module, []).append(name)
    lines = [f"from {module} import {', '.join(names)}" for module, names in modules.items()]
    first = next((i for i, line in enumerate(lines) if "ravenbench" in line), len(lines))
    return "\n".join([_ABOUT, "", *lines[:first], "", *lines[first:], "", body, ""])


_ABOUT = '"""The functions of tasks as type checkers see them, written by ``python -m ravenbench.tasks.functions``."""'
_NAMES = {
    "Mapping": "collections.abc",
    "Sequence": "collections.abc",
    "Path": "pathlib",
    "Any": "typing",
    "Component": "ravenbench.components",
    "Engine": "ravenbench.engine.pool",
    "Progress": "ravenbench.engine.pool",
    "RunResult": "ravenbench.engine.task",
    "Obfuscator": "ravenbench.obfuscation.base",
    "ObfuscateResult": "ravenbench.tasks.obfuscate.task",
    "RunSpec": "ravenbench.tasks.run.spec",
    "Helpers": "ravenbench.tasks.safety.measures",
    "Verified": "ravenbench.tasks.verify.task",
    "Corpus": "ravenbench.types",
}
"""What stands in signatures, and where it comes from; in the order of the stub's imports."""


def of_raven() -> list[str]:
    """The tasks that come with Raven: the bench's own, then its extensions'."""
    return [name for name, target in registry.targets("task").items() if target.startswith("ravenbench.")]


if __name__ == "__main__":
    Path(__file__).with_name("api.pyi").write_text(stub_of(map(task_of, of_raven())), encoding="utf-8")
