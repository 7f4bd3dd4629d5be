"""Specs: records of what decides a task's answers, whose fields say what they mean.

The sentence about a field stands once, beside it (``Annotated[…, told("…")]``); the help of the command line and the
docstring of the function are made from it.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_type_hints

import msgspec
import msgspec.inspect
import msgspec.structs

from ravenbench.errors import SpecError, did_you_mean, writable

AtLeastOne = Annotated[int, msgspec.Meta(ge=1)]
AtLeastTwo = Annotated[int, msgspec.Meta(ge=2)]

ENCODING = (
    "How texts and tables are read that are not UTF-8, e.g. cp1252 (Windows) or mac_roman. Those that are UTF-8 are "
    "read as UTF-8 in any case."
)

F = TypeVar("F", bound=Callable[..., Any])


def told(text: str) -> msgspec.Meta:
    """The sentence that says what a field means."""
    return msgspec.Meta(description=text)


Encoding = Annotated[str | None, told(ENCODING)]


def help_of(spec: type[msgspec.Struct], field: str) -> str:
    """The sentence of a field.

    Raises
    ------
    KeyError
        If the spec has no such field, or nothing is said of it.
    """
    parts = getattr(get_type_hints(spec, include_extras=True)[field], "__metadata__", ())
    found = [meta.description for meta in parts if isinstance(meta, msgspec.Meta) and meta.description]
    if not found:
        raise KeyError(f"nothing is said of {field}")
    return str(found[-1])


def documented(spec: type[msgspec.Struct]) -> Callable[[F], F]:
    """Fill the line ``{options}`` of a function's docstring with those of its parameters that are fields of a spec."""

    def fill(function: F) -> F:
        lines = []
        for name, parameter in inspect.signature(function).parameters.items():
            if name in spec.__struct_fields__ and f"\n    {name} :" not in (function.__doc__ or ""):
                lines.append(f"    {name} : {parameter.annotation}")
                lines += textwrap.wrap(help_of(spec, name), 108, initial_indent=" " * 8, subsequent_indent=" " * 8)
        function.__doc__ = (function.__doc__ or "").replace("    {options}", "\n".join(lines))
        return function

    return fill


S = TypeVar("S", bound=msgspec.Struct)


def checked(values: Mapping[str, Any], shape: type[S], file: Path | None = None) -> S:
    """A spec of these values, whose types and bounds hold.

    Raises
    ------
    SpecError
        For the first value that does not fit, named by its key.
    """
    for key, value in values.items():
        if isinstance(value, str) and not writable(value):
            raise SpecError(f"{key}: this text cannot be written as UTF-8", file=file, found=value)
    try:
        return msgspec.convert(values, shape, strict=False)
    except msgspec.ValidationError as error:
        what, _, place = str(error).partition(" - at `$")
        key = place.strip("`.").partition("[")[0].partition(".")[0]
        found = values.get(key)
        if choices := _choices(shape, key):
            raise SpecError(
                f"{key}: there is no {found!r}",
                file=file,
                expected=", ".join(choices),
                fix=did_you_mean(str(found), choices, listing=False),
            ) from None
        raise SpecError(f"{key}: {_plainly(what)}", file=file, found=found) from None


def _choices(shape: type[msgspec.Struct], key: str) -> tuple[str, ...]:
    """What a key that takes one of several words may be; empty for any other key."""
    fields = {field.name: field.type for field in msgspec.structs.fields(shape)}
    kind = msgspec.inspect.type_info(fields[key]) if key in fields else None
    while isinstance(kind, msgspec.inspect.Metadata):
        kind = kind.type
    return tuple(map(str, kind.values)) if isinstance(kind, msgspec.inspect.LiteralType) else ()


_PLAIN = {"int": "a whole number", "float": "a number", "str": "text", "bool": "true or false", "array": "a list"}


def _plainly(what: str) -> str:
    """A message of the decoder in plain words: "Expected `int | null` >= 2, got `str`" and the like."""
    asked = re.match(r"Expected `([^`]+)`(?: (>=|>|<=|<) (\S+))?", what)
    if asked is None:
        return what[:1].lower() + what[1:]
    kinds = [_PLAIN.get(kind, kind) for kind in asked[1].split(" | ") if kind != "null"]
    bound = f" {asked[2]} {asked[3]}" if asked[2] else ""
    return f"expected {' or '.join(kinds)}{bound}"
