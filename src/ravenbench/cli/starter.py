"""The files that ``raven new`` writes, and the commands that try them."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template

from ravenbench.errors import InputError
from ravenbench.files import write_text


@dataclass(frozen=True)
class Made:
    """What was written, and what to try next."""

    files: tuple[Path, ...]
    commands: tuple[str, ...]


# The interpreter by its path: what stands under "python" may be a shim that a confined program cannot follow.
_PROGRAMS = {"program": (".py", shlex.quote(sys.executable), "pairs"), "r": (".R", "Rscript", "problems")}
"""Programs of their own: ending of the file, what starts it, and the form in which it gets its problems."""


def make(kind: str, name: str, form: str, folder: Path) -> Made:
    """Write the files of a verifier or metric in one form: ``class``, ``program``, ``r`` or ``package``.

    Raises
    ------
    InputError
        If one of the files is there already; nothing is written then.
    """
    module = name.replace("-", "_").lower()
    own = "".join(part.capitalize() for part in module.split("_") if part)
    starter = "class" if kind == "verifier" else kind
    shown = 'raven run --metrics "{}"' if kind == "metric" else 'raven run --verifiers "{}, style-only, length"'
    fields = {"kind": kind, "module": module, "Class": own, "dashed": module.replace("_", "-")}
    if form in _PROGRAMS:
        suffix, program, fields["layout"] = _PROGRAMS[form]
        fields |= {"file": f"{module}{suffix}", "program": f"{program} {module}{suffix}"}
        wanted = {f"{module}{suffix}": f"{form}/program.txt", f"{module}.toml": "program/spec.txt"}
        commands = [f"raven run --spec {module}.toml"]
    elif form == "class":
        wanted = {f"{module}.py": f"{starter}/module.txt", f"test_{module}.py": f"{starter}/test.txt"}
        commands = [
            shown.format(f"{module}:{own}"),
            f"python -m pytest test_{module}.py      (after: pip install pytest)",
        ]
    else:
        wanted = {
            f"{name}/pyproject.toml": "package/pyproject.txt",
            f"{name}/src/{module}/__init__.py": f"{starter}/module.txt",
            f"{name}/tests/test_{module}.py": f"{starter}/test.txt",
        }
        commands = [
            f"pip install -e {shlex.quote(str(folder / name))}",
            shown.format(fields["dashed"]),
        ]
    if str(folder) != "." and form != "package":
        commands.insert(0, f"cd {shlex.quote(str(folder))}")
    return Made(_write(folder, wanted, fields), tuple(commands))


def _write(folder: Path, wanted: dict[str, str], fields: dict[str, str]) -> tuple[Path, ...]:
    there = [folder / path for path in wanted if (folder / path).exists()]
    if there:
        raise InputError("this file is there already", file=there[0], fix="choose another name, or move it away")
    starters = files("ravenbench.cli") / "starters"
    for path, source in wanted.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        write_text(folder / path, Template((starters / source).read_text(encoding="utf-8")).substitute(fields))
    return tuple(folder / path for path in wanted)
