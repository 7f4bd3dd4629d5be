"""Defines options of tasks, each once: its field in a spec has type, default and meaning.

In: values by option name, from a command line, a spec file (TOML) or a call in Python; the class of a spec or task.
Out: a checked ``Spec`` (``spec_of``, ``checked``), plain values by name (``plain_of``, ``read_spec``), and for each
field an ``Option`` (``options_of``) from which command, function and stub are made; no measures. SpecError if a value
does not fit or, in ``checked`` and ``read_spec``, a key is unknown (``plain_of`` and ``spec_of`` leave it out);
KeyError for a field without a description.

A spec is a record of everything that decides the answers of a task. Raven makes the command line, the function in
Python with its docstring, and the stub for type checkers from its fields and from the options that decide nothing.
"""

from __future__ import annotations

import re
import types
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec
import msgspec.inspect
import msgspec.structs

from ravenbench.components import Component, printed
from ravenbench.errors import (
    InputError,
    SpecError,
    check_number,
    check_option,
    check_type,
    did_you_mean,
    writable,
)
from ravenbench.files import read_ordinary

AtLeastOne = Annotated[int, msgspec.Meta(ge=1)]
AtLeastTwo = Annotated[int, msgspec.Meta(ge=2)]

ENCODING = (
    "Encoding of texts and tables that are not UTF-8, e.g. cp1252 (Windows) or mac_roman;"
    " Raven always reads valid UTF-8 as UTF-8."
)
PATH = "str | Path"
PATHS = "str | Path | Sequence[str | Path]"
COMPONENT = "str | Component"
COMPONENTS = "str | Sequence[str | Component]"


class Spec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A record of everything that decides the answers of a task. If a field of ``later`` is not given, its JSON form
    does not have the key, as in specs from before the field existed."""

    later: ClassVar[tuple[str, ...]] = (
        "metrics",
        "group",
        "against",
        "equal_counts",
        "unquoted",
        "strip_shared",
        "skip_faulty",
        "allow_shared",
    )

    def resolved(self) -> dict[str, Any]:
        """Return the fields by name, as in JSON."""
        fields = dict(msgspec.to_builtins(self))
        return {
            key: value
            for key, value in fields.items()
            if key not in self.later or value not in (None, False)
        }


@dataclass(frozen=True)
class Option:
    """One option of a task.

    ``kind`` is the type of its word on the command line, ``takes`` its type in Python as an annotation (by default
    ``kind``). ``flags`` are its names on the command line if they are not ``--name``; ``many`` may be repeated there.
    ``command`` and ``function`` say which of the two have it; an option ``in_spec`` is not a flag of the command, but a
    key of its spec file. ``bounds`` are its least and greatest value on the command line, ``variable`` the environment
    variable with its default.
    """

    name: str
    help: str
    kind: type = str
    takes: str = ""
    flags: tuple[str, ...] = ()
    metavar: str | None = None
    many: bool = False
    required: bool = False
    command: bool = True
    function: bool = True
    in_spec: bool = False
    default: Any = None
    bounds: tuple[float | None, float | None] = (None, None)
    variable: str | None = None

    @property
    def annotation(self) -> str:
        """The type that Python takes, as written in a signature."""
        takes = self.takes or self.kind.__name__
        return takes if self.required or self.default is not None else f"{takes} | None"


def about(text: str, **special: Any) -> msgspec.Meta:
    """Describe a field of a spec, and its peculiarities as an option: ``takes``, ``flags``, ``metavar``,
    ``many`` or ``command`` of ``Option``."""
    return msgspec.Meta(description=text, extra=special)


Encoding = Annotated[str | None, about(ENCODING)]
AllowShared = Annotated[
    bool,
    about(
        "Also answer problems that are among the training problems; Raven counts them in any case."
    ),
]
READING = ("unquoted", "strip_shared", "skip_faulty")
"""Options of every command that reads texts."""
Metrics = Annotated[
    str | None,
    about(
        "More metrics to report, e.g. 'final, cllr, mine:Balanced' (raven list metric).",
        takes=COMPONENTS,
    ),
]


class TextsSpec(Spec, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A spec of a task that reads texts."""

    unquoted: Annotated[
        bool,
        about(
            "For a CSV or TSV written without quoting: quotation marks are part of the texts,"
            " and each line is a row."
        ),
    ] = False
    strip_shared: Annotated[
        bool,
        about(
            "Remove passages that are in texts of several authors, such as licences and headers."
        ),
    ] = False
    skip_faulty: Annotated[bool, about("Leave out faulty rows of a table, and count them.")] = False

    def flags(self) -> dict[str, bool]:
        """Return those of these options that are set."""
        return {name: True for name in READING if getattr(self, name)}


def refuse_of_tables(values: Mapping[str, Any], instead: str) -> None:
    """Raise SpecError if an option for reading a table is given although the input, as ``instead`` says, is not a
    table."""
    for name in ("text", "author", "topic", "unquoted", "skip_faulty"):
        if values.get(name):
            flag = f"--{name.replace('_', '-')}"
            raise SpecError(
                f"{instead}: {flag} determines how Raven reads a table", fix=f"leave out {flag}"
            )


class CorpusSpec(TextsSpec, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A spec of a task that reads a corpus, whose tables may have any column names."""

    later: ClassVar[tuple[str, ...]] = (*Spec.later, "text", "author", "topic")

    text: Annotated[
        str | None,
        about(
            "Column of a table with the texts; Raven finds it by name if you do not give it.",
            metavar="COLUMN",
        ),
    ] = None
    author: Annotated[
        str | None,
        about(
            "Column with the authors; Raven finds it by name if you do not give it.",
            metavar="COLUMN",
        ),
    ] = None
    topic: Annotated[
        str | None,
        about(
            "Column with the topics, or none; Raven finds it by name if you do not give it.",
            metavar="COLUMN",
        ),
    ] = None
    encoding: Encoding = None

    def reading(self) -> dict[str, Any]:
        """How ``reading.load.load_corpus`` is to read it."""
        named = {"text": self.text, "author": self.author, "topic": self.topic}
        options: dict[str, Any] = {
            role: column for role, column in named.items() if column is not None
        }
        options |= self.flags()
        return {
            "encoding": self.encoding,
            **options,
            **({"topic": None} if self.topic == "none" else {}),
        }


class LevelSpec(CorpusSpec, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A spec whose ``topic`` is a level: a column of topics, or how topics are made."""

    later: ClassVar[tuple[str, ...]] = (*Spec.later, "text", "author")

    def reading(self) -> dict[str, Any]:
        """How ``reading.load.load_corpus`` is to read it."""
        return {key: value for key, value in super().reading().items() if key != "topic"} | {
            "level": self.topic
        }


@cache
def options_of(spec: type[msgspec.Struct]) -> dict[str, Option]:
    """Return the fields of a spec as options, by name, in their order. Raises KeyError for a field without a
    description."""
    hints = get_type_hints(spec, include_extras=True)
    options = {}
    for field in msgspec.structs.fields(spec):
        meant = [m for m in getattr(hints[field.name], "__metadata__", ()) if m.description]
        if not meant:
            raise KeyError(f"the field {field.name} is not described")
        members = list(_members(hints[field.name]))
        one = members[0] if len(members) == 1 else str
        special = {
            "kind": one if one in (bool, int, float) else str,
            "command": dict not in members,
            **(meant[-1].extra or {}),
        }
        options[field.name] = Option(
            field.name, meant[-1].description, required=field.required, **special
        )
    return options


def defaults_of(spec: type[msgspec.Struct]) -> dict[str, Any]:
    """Return the default values of the fields of a spec, by name."""
    return {
        field.name: field.default for field in msgspec.structs.fields(spec) if not field.required
    }


HEADINGS = {
    "How texts and tables are read": (
        "text author topic column encoding unquoted strip_shared skip_faulty lenient"
    ),
    "Where Raven works, and limits": "workers engine scheduler",
}
"""Options of many commands, by their heading in help."""


ALWAYS_IN_SPEC = (
    "unquoted",
    "strip_shared",
    "allow_shared",
    "cell_timeout",
    "most_calls",
    "device",
)
"""Options that no command has as a flag, but for those that say so."""


class Declared:
    """The declaration of a command; Raven makes the command, its function in Python and the help of both from it. Its
    docstring is the help of the command; the first paragraph is also that of the function. A class has
        ``name``                    the command
        ``Spec``                    what decides its answers
        ``own``                     options that decide nothing
        ``arguments, positional``   options given by their place: on the command line; in Python, by default the same
        ``in_spec`` names options that are only in a spec file, beside those of ``ALWAYS_IN_SPEC``; ``flags``
                                    are those of these that are flags all the same
        ``order``                   names as ``--help`` orders them; by default the spec's fields, then ``own``
        ``first``                   names that a newcomer needs; with them help puts the others behind headings
        ``note``, ``result``        a sentence for the function's docstring, and the type that it returns
        ``stray``                   what the command says of bare words: the problem, what is expected, how to fix it
        ``device``                  whether it may run a network
        ``plan_help``               what ``--plan`` says of itself; empty where there is none
    """

    name: ClassVar[str]
    Spec: ClassVar[type[Spec]]
    own: ClassVar[tuple[Option, ...]] = ()
    arguments: ClassVar[tuple[str, ...]] = ()
    positional: ClassVar[tuple[str, ...] | None] = None
    in_spec: ClassVar[str] = ""
    flags: ClassVar[str] = ""
    order: ClassVar[str] = ""
    first: ClassVar[str] = ""
    note: ClassVar[str] = ""
    result: ClassVar[str] = "None"
    stray: ClassVar[tuple[str, str, str] | None] = None
    device: ClassVar[bool] = False
    plan_help: ClassVar[str] = "Only show what Raven would do, and what is already done."

    @classmethod
    def option_table(cls) -> dict[str, Option]:
        """Return all options by name."""
        return options_of(cls.Spec) | {option.name: option for option in cls.own}

    @classmethod
    def options(cls) -> list[Option]:
        """Return all options, in the order of ``--help``."""
        named = cls.option_table()
        first = cls.order.split()
        for name in {*ALWAYS_IN_SPEC, *cls.in_spec.split()} - {*cls.flags.split()}:
            if name in named and named[name].command:
                named[name] = replace(named[name], in_spec=True)
        return [named[name] for name in dict.fromkeys([*first, *named]) if name in named]

    @classmethod
    def heading(cls, name: str) -> str | None:
        """Return the heading of an option in ``--help``, None for the first options."""
        if name in cls.first.split() or not cls.first:
            return None
        return next(
            (heading for heading, names in HEADINGS.items() if name in names.split()),
            "Further options",
        )

    @classmethod
    def by_position(cls) -> tuple[str, ...]:
        """Return the parameters of the function that may be given by position."""
        return cls.arguments if cls.positional is None else cls.positional

    @classmethod
    def called(cls) -> str:
        """The name of the function in Python."""
        return cls.name

    @classmethod
    def call(cls, values: Mapping[str, Any]) -> Any:
        """Run the function and return its result."""
        raise NotImplementedError

    @classmethod
    def instead_of_missing(cls, words: Sequence[str]) -> InputError | None:
        """Return the message on bare words if a required option is missing; None for the usual message."""
        return None


def _members(hint: Any) -> Iterable[type]:
    """The plain types that a hint allows, without None."""
    origin = get_origin(hint)
    if origin is Annotated:
        yield from _members(get_args(hint)[0])
    elif origin in (Union, types.UnionType):
        for one in get_args(hint):
            yield from _members(one)
    elif hint is not type(None):
        yield str if origin is Literal else origin or hint


S = TypeVar("S", bound=msgspec.Struct)


def check_given(options: Iterable[Option], values: Mapping[str, Any]) -> None:
    """Raise SpecError for values of another type than an option takes, or implausible numbers."""
    for option in options:
        value = values.get(option.name)
        takes = option.takes or option.kind.__name__
        if value is None:
            continue
        if isinstance(value, str) and takes in ("int", "float", "bool"):
            raise SpecError(f"{option.name}: wrong type, str", found=value, expected=takes)
        check_type(option.name, takes, value)
        check_option(option.name, value)


def plain_of(shape: type[msgspec.Struct], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that are fields of a spec and not None, as plain values. Paths and components become text,
    several of them text with commas; the value of an option that may be repeated becomes a list of texts.
    """
    plain = {}
    check_given((option for option in options_of(shape).values() if option.takes), values)
    for name, option in options_of(shape).items():
        value = values.get(name)
        if value is None:
            continue
        if option.many:
            value = listed(value)
        elif isinstance(value, Path | Component):
            value = str(value)
        elif option.takes == COMPONENTS and not isinstance(value, str):
            value = ", ".join(part if isinstance(part, str) else printed(part) for part in value)
        plain[name] = value
    return plain


def spec_of(shape: type[S], values: Mapping[str, Any]) -> S:
    """Return a spec of those values that are its fields; None means not given. Raises SpecError for the first value
    that does not fit, named by its key.
    """
    return checked(plain_of(shape, values), shape)


def listed(value: str | Path | Iterable[str | Path]) -> tuple[str, ...]:
    """Return one or several paths as texts."""
    return (str(value),) if isinstance(value, str | Path) else tuple(map(str, value))


def checked(values: Mapping[str, Any], shape: type[S], file: Path | None = None) -> S:
    """Return a spec of these values, whose types and bounds are correct. Raises SpecError for the first value that does
    not fit, named by its key.
    """
    for key, value in values.items():
        if isinstance(value, str) and not writable(value):
            raise SpecError(f"{key}: this text cannot be written as UTF-8", file=file, found=value)
    try:
        spec = msgspec.convert(values, shape, strict=False)
        for name in spec.__struct_fields__:
            check_number(name, getattr(spec, name))
        return spec
    except msgspec.ValidationError as error:
        what, _, place = str(error).partition(" - at `$")
        key = place.strip("`.").partition("[")[0].partition(".")[0]
        argument = values.get(key)
        if choices := _choices(shape, key):
            raise SpecError(
                f"{key}: unknown value {argument!r}",
                file=file,
                expected=", ".join(choices),
                fix=did_you_mean(str(argument), choices, listing=False),
            ) from None
        raise SpecError(f"{key}: {_plainly(what)}", file=file, found=argument) from None


def _choices(shape: type[msgspec.Struct], key: str) -> tuple[str, ...]:
    """What a key that takes one of several words may be; empty for any other key."""
    fields = {field.name: field.type for field in msgspec.structs.fields(shape)}
    kind = msgspec.inspect.type_info(fields[key]) if key in fields else None
    while isinstance(kind, msgspec.inspect.Metadata):
        kind = kind.type
    return tuple(map(str, kind.values)) if isinstance(kind, msgspec.inspect.LiteralType) else ()


_PLAIN = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
}


def _plainly(what: str) -> str:
    """A message of the decoder in plain words: "Expected `int | null` >= 2, got `str`" and the like."""
    expected = re.match(r"Expected `([^`]+)`(?: (>=|>|<=|<) (\S+))?", what)
    if expected is None:
        return what[:1].lower() + what[1:]
    kinds = [_PLAIN.get(kind, kind) for kind in expected[1].split(" | ") if kind != "null"]
    bound = f" {expected[2]} {expected[3]}" if expected[2] else ""
    return f"expected {' or '.join(kinds)}{bound}"


_LONGEST_SPEC = 2**17


def read_tables(file: Path, names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the tables of a spec file. Raises SpecError for another table or an invalid file."""
    import tomllib  # takes longer to import than --help to answer

    try:
        data = read_ordinary(file)
        # Its reader takes time and memory by the square of a name's length.
        if len(data) > _LONGEST_SPEC or any(line.count(b".") > 500 for line in data.splitlines()):
            raise SpecError(
                "the spec file is too long",
                file=file,
                expected=f"at most {_LONGEST_SPEC:,} bytes",
            )
        raw = tomllib.loads(data.decode())
    except ValueError as error:
        raise SpecError(f"not valid TOML: {error}", file=file) from None
    except RecursionError:
        raise SpecError("tables or lists are nested too deeply", file=file) from None
    except OSError as error:
        raise SpecError(f"cannot be read: {error.strerror}", file=file) from None
    if unknown := sorted(set(raw) - set(names)):
        raise SpecError(
            f"unknown table [{unknown[0]}]", file=file, fix=did_you_mean(unknown[0], names)
        )
    for name, table in raw.items():
        if not isinstance(table, dict):
            raise SpecError(f"{name} is not a table", file=file, found=table, expected=f"[{name}]")
    return raw


def joined_lists(table: Mapping[str, Any], many: Iterable[str]) -> dict[str, Any]:
    """Keys with _ for -; a list is joined by commas, unless it is that of an option that may be repeated."""
    values = {key.replace("-", "_"): value for key, value in table.items()}
    return {
        key: ", ".join(map(str, value)) if isinstance(value, list) and key not in many else value
        for key, value in values.items()
    }


def read_spec(file: Path, task: type[Declared], further: Sequence[str] = ()) -> dict[str, Any]:
    """Return the table of a command in a spec file; its keys are the options of the command and some ``further`` ones.
    Raises SpecError for an unknown key (with a suggestion) or a value of another type."""
    options = {option.name: option for option in task.options() if option.command}
    many = [name for name, option in options.items() if option.many]
    values = joined_lists(read_tables(file, [task.name]).get(task.name, {}), many)
    known = [*options, *further]
    for key, value in values.items():
        if key not in known:
            raise SpecError(f"unknown key {key!r}", file=file, fix=did_you_mean(key, known))
        option = options.get(key)
        kind = str if option is None else option.kind
        numbers = kind is float and type(value) is int
        if option is not None and option.many:
            values[key] = [value] if isinstance(value, str) else value
        elif kind in (bool, int, float) and type(value) is not kind and not numbers:
            raise SpecError(f"{key}: expected {_PLAIN[kind.__name__]}", file=file, found=value)
        elif kind not in (bool, int, float):
            values[key] = str(value)
        low, high = (None, None) if option is None else option.bounds
        if (low is not None and value < low) or (high is not None and value > high):
            raise SpecError(
                f"{key}: this number is out of range",
                file=file,
                found=value,
                expected=f"{low} to {high}",
            )
    return values
