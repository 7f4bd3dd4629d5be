"""Spec files: a run's options as TOML, with own names for verifiers."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from ravenbench import registry
from ravenbench.components import unknown_parameter
from ravenbench.errors import SpecError, did_you_mean


def read_toml(file: Path) -> dict[str, Any]:
    """The keys of a spec file, long flags with - or _, lists joined, ``[verifiers.NAME]`` as aliases."""
    try:
        with file.open("rb") as handle:
            raw = tomllib.load(handle)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SpecError(f"not valid TOML: {error}", file=file) from None
    except RecursionError:
        raise SpecError("tables or lists are nested too deep to be read", file=file) from None
    except OSError as error:
        raise SpecError(f"cannot be read: {error.strerror}", file=file) from None
    unknown = sorted(set(raw) - {"run", "verifiers"})
    if unknown:
        raise SpecError(f"unknown table [{unknown[0]}]", file=file, fix=did_you_mean(unknown[0], ["run", "verifiers"]))
    for name, table in raw.items():
        if not isinstance(table, dict):
            raise SpecError(f"{name} is not a table", file=file, found=table, expected=f"[{name}]")
    values: dict[str, Any] = {}
    for key, value in raw.get("run", {}).items():
        values[key.replace("-", "_")] = ", ".join(map(str, value)) if isinstance(value, list) else value
    aliases = {}
    for name, entry in raw.get("verifiers", {}).items():
        aliases[name] = _alias(name, entry, file)
    if aliases:
        values["aliases"] = aliases
    return values


def _alias(name: str, entry: Any, file: Path) -> str:
    """A verifier as its component string: ``is``, or the parameters of an outside command."""
    if isinstance(entry, dict) and set(entry) == {"is"} and isinstance(entry["is"], str):
        return str(entry["is"])
    if not isinstance(entry, dict) or not isinstance(entry.get("command"), str):
        raise SpecError(
            f"[verifiers.{name}] must hold one key 'is', or 'command' with its options", file=file, found=entry,
            expected="is = \"ppm(order=4)\", or command = \"program -i $inputDataset -o $outputDir\"",
        )  # fmt: skip
    program: type[Any] = registry.resolve("verifier", "command")
    for key in entry:
        if key not in program._parameters():
            found = unknown_parameter(program, key)
            raise SpecError(f"[verifiers.{name}]: {found.problem}", file=file, expected=found.expected, fix=found.fix)
    return str(program(**entry))
