"""Options of the command line whose help is what the spec says of the field."""

from __future__ import annotations

from typing import Any

import msgspec
import typer

from ravenbench.bench.options import help_of


def option(spec: type[msgspec.Struct], field: str, *names: str, **how: Any) -> Any:
    """A Typer option for a field of a spec, explained as the field is."""
    return typer.Option(*names, help=help_of(spec, field), **how)
