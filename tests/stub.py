"""The stub of ``ravenbench.tasks.api``, for type checkers and editors: ``python tests/stub.py`` writes it anew."""

import json
import re
import textwrap
from collections.abc import Iterable
from inspect import Parameter
from pathlib import Path

import ravenbench
from ravenbench import registry
from ravenbench.engine.options import Declared
from ravenbench.engine.task import declared_of
from ravenbench.tasks.functions import docstring_of, signature_of

PLACE = Path(ravenbench.__file__).parent / "tasks" / "api.pyi"


def stub_of(tasks: Iterable[type[Declared]]) -> str:
    """The stub of ``tasks.api``: the functions of tasks as type checkers and editors see them."""
    parts = []
    for task in tasks:
        signature = signature_of(task)
        lines, star = [f"def {task.called()}("], False
        for p in signature.parameters.values():
            if p.kind is Parameter.KEYWORD_ONLY and not star:
                lines.append("    *,")
                star = True
            takes = p.annotation
            if p.name not in _PLACES:
                takes = re.sub(r"\bPath\b", "Path | Tabular", takes)
            lines.append(f"    {p.name}: {takes}{_default(p)},")
        lines.append(f") -> {signature.return_annotation}:")
        about = docstring_of(task).split("\n\n")[0]
        parts.append("\n".join([*lines, *textwrap.indent(f'"""{about}"""', "    ").split("\n")]))
    body = "\n\n".join(parts)
    modules: dict[str, list[str]] = {}
    for name, module in _NAMES.items():
        if re.search(rf"\b{name}\b", re.sub(r'""".*?"""', "", _TABLES + body, flags=re.DOTALL)):
            modules.setdefault(module, []).append(name)
    lines = [
        f"from {module} import {', '.join(names)}" for module, names in sorted(modules.items())
    ]
    lines.sort(key=lambda line: "ravenbench" in line)
    first = next((i for i, line in enumerate(lines) if "ravenbench" in line), len(lines))
    return "\n".join([_ABOUT, "", *lines[:first], "", *lines[first:], _TABLES, body, ""])


def _default(parameter: Parameter) -> str:
    value = parameter.default
    return (
        ""
        if value is Parameter.empty
        else f" = {json.dumps(value)}"
        if isinstance(value, str)
        else f" = {value!r}"
    )


_ABOUT = (
    '"""The functions of tasks as type checkers see them, written by ``python tests/stub.py``."""'
)
_PLACES = ("out", "load", "save", "folder", "spec", "frozen")
"""Parameters of places alone; wherever else a path is taken, a table in memory may stand."""
_TABLES = """
class Frame(Protocol):
    \"\"\"A data frame of pandas or polars, or a table of pyarrow.\"\"\"

    @property
    def columns(self) -> Any: ...

Tabular = Frame | Sequence[Mapping[str, Any]]

def load_corpus(
    corpus: str | Path | Corpus | Tabular,
    *,
    encoding: str | None = "utf-8",
    level: str | None = None,
    pairs: bool = True,
    anonymous: bool = False,
    strip_shared: bool | None = False,
    **options: Any,
) -> Corpus:
    \"\"\"The corpus of a name, a path or a table in memory.\"\"\"

def read_problems(
    path: str | Path | Tabular,
    split: str | None = None,
    encoding: str | None = "utf-8",
    **options: bool,
) -> ProblemSet:
    \"\"\"The problems at a path, or of a table in memory.\"\"\"
"""
_NAMES = {
    "Mapping": "collections.abc",
    "Sequence": "collections.abc",
    "Path": "pathlib",
    "Any": "typing",
    "Protocol": "typing",
    "Component": "ravenbench.components",
    "Engine": "ravenbench.engine.pool",
    "Progress": "ravenbench.engine.pool",
    "RunResult": "ravenbench.engine.task",
    "Advice": "ravenbench.ext.case.advise.api",
    "TextContrast": "ravenbench.ext.contrast.report",
    "TextMap": "ravenbench.ext.map.report",
    "SystemAnswers": "ravenbench.reading.answers",
    "Truth": "ravenbench.reading.answers",
    "ProblemSet": "ravenbench.reading.problem_sets",
    "ProblemAttribute": "ravenbench.reading.tabular",
    "Metric": "ravenbench.metrics.base",
    "Obfuscator": "ravenbench.obfuscation.base",
    "Evaluation": "ravenbench.tasks.evaluate.evaluation",
    "ObfuscateResult": "ravenbench.tasks.obfuscate.task",
    "RunSpec": "ravenbench.tasks.run.spec",
    "Verified": "ravenbench.tasks.verify.task",
    "Corpus": "ravenbench.types",
}
"""What stands in signatures, and where it comes from; in the order of the stub's imports."""


def of_raven() -> list[str]:
    """The tasks and works that come with Raven: the bench's own, then its extensions'."""
    every = registry.targets("task") | registry.targets("work")
    return [name for name, target in every.items() if target.startswith("ravenbench.")]


def public() -> list[str]:
    """Those that come with Raven and that ``import ravenbench`` has."""
    return [name for name in of_raven() if name in dir(ravenbench)]


if __name__ == "__main__":
    PLACE.write_text(stub_of(map(declared_of, public())), encoding="utf-8")
