"""What decides a safety run's answers, and whether it can be run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ravenbench import registry
from ravenbench.bench.run.spec import RunSpec, build
from ravenbench.bench.safety.recovery import ATTACKS
from ravenbench.components import Component, identity_hash
from ravenbench.errors import SpecError
from ravenbench.obfuscation.base import Obfuscator

DEFAULT_OBFUSCATORS = "identity, random, mihaylova-2016, mansoorizadeh-2016"
DEFAULT_VERIFIERS = "char-ngram, ppm, function-words, cng-2013"


class SafetySpec(BaseModel):
    """What decides a safety run's answers.

    ``limit`` keeps this many same-author and as many different-author test problems; ``attacks`` are those of
    ``bench.safety.recovery``; ``surrogates`` are verifiers that searching obfuscators may ask.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    problems: str
    train: str
    obfuscators: str = DEFAULT_OBFUSCATORS
    verifiers: str = DEFAULT_VERIFIERS
    seeds: tuple[int, ...] = Field((0,), min_length=1)
    attacks: tuple[str, ...] = ()
    surrogates: str | None = None
    limit: int | None = Field(None, ge=2)

    def named_obfuscators(self) -> dict[str, Obfuscator]:
        """Display name → component, in order.

        Raises
        ------
        SpecError
            If one does not parse or stands twice.
        """
        named: dict[str, Obfuscator] = {}
        for component in registry.parse_list("obfuscator", self.obfuscators):
            if str(component) in named:
                raise SpecError(f"obfuscator {str(component)!r} is listed twice")
            named[str(component)] = component
        if not named:
            raise SpecError("no obfuscator is given", expected="a comma-separated list", fix=DEFAULT_OBFUSCATORS)
        return named

    def run(self) -> RunSpec:
        """The part of it that concerns verifiers."""
        return build({"train": self.train, "test": self.problems, "verifiers": self.verifiers})

    def resolved(self) -> dict[str, Any]:
        """JSON form."""
        return self.model_dump(mode="json")


def safety_spec(*, seeds: str = "0", attacks: str = "none", **options: Any) -> SafetySpec:
    """A spec from command-line values; None means not given.

    Raises
    ------
    SpecError
        If a value does not fit.
    """
    given = {key: value for key, value in options.items() if value is not None}
    try:
        numbers = tuple(int(part) for part in registry.split(seeds))
    except ValueError:
        raise SpecError("--seeds are whole numbers", found=seeds, expected="0 or 0,1,2") from None
    names = () if attacks.strip() == "none" else tuple(registry.split(attacks))
    for option, values in (("--seeds", numbers), ("--attacks", names)):
        if len(set(values)) < len(values):
            raise SpecError(f"{option} names one twice", found=", ".join(map(str, values)))
    try:
        return SafetySpec(seeds=numbers, attacks=names, **given)
    except ValidationError as error:
        first = error.errors()[0]
        raise SpecError(f"{first['loc'][0]}: {first['msg']}", found=first["input"]) from None


def default_folder(spec: SafetySpec) -> Path:
    """``raven-runs/safety-<problems>-<hash>``: the same spec finds its own earlier run."""
    return Path("raven-runs") / f"safety-{Path(spec.problems).stem}-{identity_hash(spec.resolved())[:8]}"


def check_attacks(spec: SafetySpec, obfuscators: dict[str, Obfuscator], verifiers: dict[str, Component]) -> None:
    """Refuse attacks that do not exist, and searches without surrogates or with those under evaluation.

    Raises
    ------
    SpecError
    """
    for name in spec.attacks:
        if name not in ATTACKS:
            raise SpecError(f"there is no attack {name!r}", expected=" or ".join(ATTACKS))
    searching = [name for name, component in obfuscators.items() if component.needs_oracle]
    if searching and spec.surrogates is None:
        raise SpecError(f"{searching[0]} searches against surrogate verifiers", fix="--surrogates VERIFIER,…")
    both = {str(v) for v in registry.parse_list("verifier", spec.surrogates or "")} & {
        str(v) for v in verifiers.values()
    }
    if both:
        raise SpecError(
            "a surrogate may not be evaluated", found=", ".join(sorted(both)), fix="leave it out of --verifiers"
        )
