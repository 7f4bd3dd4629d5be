"""The command line of an outside program, with its folders and files in place."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path

from ravenbench.errors import InputError, SpecError


def arguments(command: str, folder: str, places: Mapping[str, str | Path], usual: str = "") -> list[str]:
    """Split a command as a shell does, without starting one, and put values for ``$name`` and ``${name}``.

    Parameters
    ----------
    command : str
        Program and arguments.
    folder : str
        Where files named in the command lie: arguments that name a file there become absolute.
    places : mapping
        Values by name.
    usual : str
        Arguments that are added where the command holds none of the names.

    Returns
    -------
    list of str
        The absolute path of the program, and its arguments.

    Raises
    ------
    SpecError
        If the command does not parse or is empty.
    InputError
        If the program is not there.
    """
    try:
        parts = shlex.split(command)
    except ValueError as error:
        raise SpecError(f"the command does not parse ({error})", found=command) from None
    if not parts:
        raise SpecError("the command is empty", expected="a program and its arguments")
    if not any(f"${name}" in command or f"${{{name}}}" in command for name in places):
        parts += shlex.split(usual)
    base = Path(folder).absolute()
    found = shutil.which(parts[0]) or shutil.which(str(base / parts[0]))
    if found is None:
        raise InputError(
            "the program is not there", found=parts[0], expected=f"a program on PATH, or a file below {base}"
        )
    rest = [str(base / part) if (base / part).is_file() else part for part in parts[1:]]
    for name, value in places.items():
        rest = [part.replace(f"${{{name}}}", str(value)).replace(f"${name}", str(value)) for part in rest]
    return [str(Path(found).absolute()), *rest]
