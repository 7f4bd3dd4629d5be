"""A task as a function in Python: its signature, its docstring, and the stub that type checkers and editors read."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable
from functools import cache
from inspect import Parameter, Signature, cleandoc
from pathlib import Path
from typing import Any

from ravenbench.bench.task import EVERY, Task, run_task, task_of
from ravenbench.builtin import BUILTIN


@cache
def function_of(task: type[Task]) -> Callable[..., Any]:
    """A task as a function in Python."""
    signature = signature_of(task)

    def function(*args: Any, **kwargs: Any) -> Any:
        values = signature.bind(*args, **kwargs).arguments
        how = {name: values.pop(name, None) for name in EVERY}
        return run_task(task, values, **how)

    function.__name__ = function.__qualname__ = task.name
    function.__module__ = "ravenbench.bench.api"
    function.__doc__ = docstring_of(task)
    function.__signature__ = signature  # type: ignore[attr-defined]
    return function


def signature_of(task: type[Task]) -> Signature:
    """The signature of a task's function; annotations are text."""
    parameters = []
    for option in task.options():
        if option.function:
            way = Parameter.POSITIONAL_OR_KEYWORD if option.name in task.by_position() else Parameter.KEYWORD_ONLY
            default = Parameter.empty if option.required else None
            parameters.append(Parameter(option.name, way, default=default, annotation=option.annotation))
    order = [*task.by_position()]
    parameters.sort(key=lambda p: order.index(p.name) if p.name in order else len(order))
    return Signature(parameters, return_annotation=task.result)


def docstring_of(task: type[Task]) -> str:
    """The docstring of a task's function: what the command says of itself, and its parameters."""
    about = cleandoc(task.__doc__ or "").split("\n\n")[0]
    by_name = {option.name: option for option in task.options()}
    lines = [about, "", *([*textwrap.wrap(task.note, 112), ""] if task.note else []), "Parameters", "----------"]
    for parameter in signature_of(task).parameters.values():
        lines.append(f"{parameter.name} : {parameter.annotation}")
        lines += textwrap.wrap(by_name[parameter.name].help, 108, initial_indent="    ", subsequent_indent="    ")
    lines += ["", "Raises", "------", "InputError", "    Before any long work, if something cannot be used."]
    return "\n".join(lines)


def stub_of(tasks: Iterable[type[Task]]) -> str:
    """The stub of ``bench.api``: the functions of tasks as type checkers and editors see them."""
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


_ABOUT = '"""The functions of tasks as type checkers see them, written by ``python -m ravenbench.bench.functions``."""'
_NAMES = {
    "Mapping": "collections.abc",
    "Sequence": "collections.abc",
    "Path": "pathlib",
    "Any": "typing",
    "ObfuscateResult": "ravenbench.bench.obfuscate.task",
    "RunSpec": "ravenbench.bench.run.spec",
    "Helpers": "ravenbench.bench.safety.measures",
    "RunResult": "ravenbench.bench.task",
    "Verified": "ravenbench.bench.verify.task",
    "Component": "ravenbench.components",
    "Engine": "ravenbench.engine.pool",
    "Progress": "ravenbench.engine.pool",
    "Obfuscator": "ravenbench.obfuscation.base",
    "Corpus": "ravenbench.types",
}
"""What stands in signatures, and where it comes from; in the order of the stub's imports."""

if __name__ == "__main__":
    Path(__file__).with_name("api.pyi").write_text(stub_of(map(task_of, BUILTIN["task"])), encoding="utf-8")
