"""The spec of a run: one record that file, command line and Python all build (contract 11)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, cast

import msgspec

from ravenbench import registry
from ravenbench.components import Component, identity_hash, unknown_parameter
from ravenbench.errors import SpecError, did_you_mean

if TYPE_CHECKING:
    from ravenbench.sampling.base import Sampler

DEFAULT_VERIFIERS = "char-ngram, ppm, topic-fit"

AtLeastOne = Annotated[int, msgspec.Meta(ge=1)]
AtLeastTwo = Annotated[int, msgspec.Meta(ge=2)]
Share = Annotated[float, msgspec.Meta(gt=0, lt=1)]


class RunSpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What decides a run's answers. Values left None come from the corpus (its catalogue entry or its sizes).

    ``topics``, ``encoder`` and ``samplers`` may name several: a sweep over all their combinations, of which the first
    number of topics and the first encoder are the main design. ``workers``, ``engine`` and ``out`` decide nothing and
    are no part of it.
    """

    corpus: str | None = "synthetic"
    train: str | None = None
    test: str | None = None
    topic: str | None = None
    topics: AtLeastTwo | tuple[AtLeastTwo, ...] | None = None
    folds: AtLeastTwo | None = None
    pools: AtLeastOne | None = None
    pool_share: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.5
    samplers: str = "hits, random, anti"
    pairs: str = "matched"
    docs_per_topic: AtLeastTwo | None = None
    min_docs: AtLeastOne | None = None
    limit: AtLeastTwo | None = None
    calibration: Share = 0.2
    encoder: str = "lsa"
    probe: Literal["crossed", "none"] = "crossed"
    repetitions: AtLeastOne = 20
    verifiers: str = DEFAULT_VERIFIERS
    aliases: dict[str, str] = {}
    seed: int = 0

    def named_verifiers(self) -> dict[str, Component]:
        """Display name → component, in order; an alias is displayed under its own name.

        Raises
        ------
        SpecError
            If a verifier does not parse or a name occurs twice.
        """
        return registry.named("verifier", self.verifiers, self.aliases, DEFAULT_VERIFIERS)

    def every_m(self) -> tuple[int | None, ...]:
        """Numbers of topics to choose, the main one first; (None,) leaves it to the corpus."""
        return self.topics if isinstance(self.topics, tuple) else (self.topics,)

    def encoders(self) -> list[Component]:
        """Topic encoders, the main one first.

        Raises
        ------
        SpecError
            If one does not parse or is listed twice, or there is none.
        """
        return list(registry.named("encoder", self.encoder).values())

    def named_samplers(self) -> dict[str, Sampler]:
        """Setup name → sampler, in order: its short name, or all of it where another one shares that.

        Raises
        ------
        SpecError
            If one does not parse or is listed twice, or there is none.
        """
        found = cast("dict[str, Sampler]", registry.named("sampler", self.samplers))
        short = [component.name for component in found.values()]
        return {c.name if c.name and short.count(c.name) == 1 else full: c for full, c in found.items()}

    def resolved(self) -> dict[str, Any]:
        """JSON form."""
        return dict(msgspec.to_builtins(self))

    def hash(self) -> str:
        """Identity of the spec."""
        return identity_hash(self.resolved())


def build(given: Mapping[str, Any], file: Path | None = None) -> RunSpec:
    """A spec from a TOML file, if any, overridden by what was given (None = not given).

    Raises
    ------
    SpecError
        For a file that is not TOML, an unknown key (with a suggestion) or a bad value.
    """
    values = read_toml(file) if file is not None else {}
    values |= {key: value for key, value in given.items() if value is not None}
    if values.get("train") is not None or values.get("test") is not None:
        values.setdefault("corpus", None)
        if values.get("train") is None or values.get("test") is None or values["corpus"] is not None:
            raise SpecError("--train and --test belong together and replace CORPUS")
    for key in values:
        if key not in RunSpec.__struct_fields__:
            raise SpecError(f"unknown key {key!r}", file=file, fix=did_you_mean(key, RunSpec.__struct_fields__))
    if "topics" in values:
        values["topics"] = _sizes(values["topics"], file)
    spec = checked(values, RunSpec, file)
    if spec.train is not None and isinstance(spec.topics, tuple):
        raise SpecError("given problem sets have no topics to sweep over", found=f"--topics {values['topics']}")
    return spec


S = TypeVar("S", bound=msgspec.Struct)


def checked(values: Mapping[str, Any], shape: type[S], file: Path | None = None) -> S:
    """A spec of these values, whose types and bounds hold.

    Raises
    ------
    SpecError
        For the first value that does not fit, named by its key.
    """
    try:
        return msgspec.convert(values, shape, strict=False)
    except msgspec.ValidationError as error:
        what, _, place = str(error).partition(" - at `$")
        key = place.strip("`.").partition("[")[0].partition(".")[0]
        raise SpecError(f"{key}: {_plainly(what)}", file=file, found=values.get(key)) from None


_PLAIN = {"int": "a whole number", "float": "a number", "str": "text", "bool": "true or false", "array": "a list"}


def _plainly(what: str) -> str:
    """A message of the decoder in plain words: "Expected `int | null` >= 2, got `str`" and the like."""
    asked = re.match(r"Expected `([^`]+)`(?: (>=|>|<=|<) (\S+))?", what)
    if asked is None:
        return what[:1].lower() + what[1:]
    kinds = [_PLAIN.get(kind, kind) for kind in asked[1].split(" | ") if kind != "null"]
    bound = f" {asked[2]} {asked[3]}" if asked[2] else ""
    return f"expected {' or '.join(kinds)}{bound}"


def _sizes(value: Any, file: Path | None) -> Any:
    """One number as it is; several, a list or between commas, as a tuple: a sweep."""
    if value is None:
        return None
    parts = list(value) if isinstance(value, list | tuple) else str(value).split(",")
    try:
        found = [int(str(part)) for part in parts]
    except ValueError:
        found = []
    if not found or len(set(found)) < len(found):
        raise SpecError("topics: whole numbers are expected, each once", file=file, found=value, expected="25 or 25,10")
    return tuple(found) if len(found) > 1 else found[0]


def read_toml(file: Path) -> dict[str, Any]:
    """The keys of a spec file, long flags with - or _, lists joined, ``[verifiers.NAME]`` as aliases."""
    try:
        with file.open("rb") as handle:
            raw = tomllib.load(handle)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SpecError(f"not valid TOML: {error}", file=file) from None
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
