"""Defines what decides a safety run's answers, and checks whether it can be run.

In: options by name, the keys of a spec file or arguments (None = not given).
Out: one checked ``SafetySpec``; ``limit`` is a count of problems of each class, ``reject`` a difference of
probabilities in [0, 1), ``seeds`` integers; obfuscators and verifiers by name. SpecError where a value does not fit or
an attack does not exist, MissingPart if a component needs what is not installed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, cast

import msgspec

from ravenbench import registry
from ravenbench.components import Component, identity
from ravenbench.engine.options import (
    COMPONENTS,
    PATH,
    READING,
    AllowShared,
    AtLeastTwo,
    Encoding,
    TextsSpec,
    about,
    checked,
    plain_of,
)
from ravenbench.errors import SpecError
from ravenbench.obfuscation.base import Obfuscator
from ravenbench.store.plans import content_key, decides
from ravenbench.store.resume import data_hash
from ravenbench.tasks.attribute.answers import method_identity
from ravenbench.tasks.safety.attacks import ATTACKS

DEFAULT_OBFUSCATORS = "identity, random, mihaylova-2016, mansoorizadeh-2016"
DEFAULT_VERIFIERS = "char-ngram, ppm, function-words, cng-2013"


class SafetySpec(TextsSpec, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What decides a safety run's answers: problems, obfuscators, what they attack, seeds, attacks."""

    problems: Annotated[
        str,
        about(
            "Problems to attack, with truth (PAN folder, zip or pairs); with --methods, attribution"
            " problems (PAN18/19).",
            takes=PATH,
        ),
    ]
    train: Annotated[str | None, about("Problems from which the verifiers learn.", takes=PATH)] = (
        None
    )
    obfuscators: Annotated[
        str,
        about(
            "Obfuscators to test; default: identity, random, mihaylova-2016, mansoorizadeh-2016.",
            takes="str | Sequence[str | Obfuscator]",
        ),
    ] = DEFAULT_OBFUSCATORS
    verifiers: Annotated[
        str,
        about(
            "Verifiers to attack; default: char-ngram, ppm, function-words, cng-2013.",
            takes=COMPONENTS,
        ),
    ] = DEFAULT_VERIFIERS
    methods: Annotated[
        str | None,
        about(
            "Attribution methods to attack instead of verifiers, e.g. 'svm, ppm'; these learn from "
            "the candidates' texts.",
            takes="str | Sequence[Any]",
        ),
    ] = None
    reject: Annotated[
        float,
        msgspec.Meta(ge=0, lt=1),
        about(
            "With --methods: smallest lead in probability with which a method names a candidate; "
            "PAN19 uses 0.1. Default: 0."
        ),
    ] = 0.0
    seeds: Annotated[
        Annotated[tuple[int, ...], msgspec.Meta(min_length=1)],
        about(
            "Seeds of the rewritings; default: 0.",
            takes="str | Sequence[int]",
            metavar="SEED[,SEED…]",
        ),
    ] = (0,)
    attacks: Annotated[
        tuple[str, ...],
        about(
            "Attacks on the obfuscated texts: normalise, mirror, invert (mirror and invert rewrite "
            "many texts), preimage; or none. Default: normalise.",
            takes="str | Sequence[str]",
        ),
    ] = ("normalise",)
    normalise: Annotated[
        str,
        about(
            "Transform that the attack normalise applies to all texts: normaliser (plain form), or"
            " a mask, for example posnoise or frequency-mask. Default: normaliser.",
            metavar="MASK",
        ),
    ] = "normaliser"
    encoding: Encoding = None
    allow_shared: AllowShared = False
    limit: Annotated[AtLeastTwo | None, about("Use this many test problems of each class.")] = None

    def named_obfuscators(self) -> dict[str, Obfuscator]:
        """Display name → component, in order. Raises SpecError if one cannot be parsed, or two have the same name or
        label."""
        components = registry.named("obfuscator", self.obfuscators, default=DEFAULT_OBFUSCATORS)
        shown = {
            getattr(component, "label", "") or name: component
            for name, component in components.items()
        }
        if len(shown) < len(components):
            raise SpecError(
                "two obfuscators have the same label",
                found=", ".join(components),
                fix="label='…' for each",
            )
        return cast("dict[str, Obfuscator]", shown)

    def named_verifiers(self) -> dict[str, Component]:
        """Display name → component, in order. Raises SpecError if one cannot be parsed or is repeated."""
        return registry.named("verifier", self.verifiers, default=DEFAULT_VERIFIERS)

    def normaliser(self) -> Component:
        """The transform that the attack *normalise* applies to texts.

        Raises SpecError if it does not parse, MissingPart if it needs something that is not installed.
        """
        ((_, transform),) = registry.named("transform", [self.normalise]).items()
        return transform

    def resolved(self) -> dict[str, Any]:
        """Return plain values, so that earlier runs can be continued: they omit methods if there are none, and options
        of reading that were not given; ``surrogates`` is a field of earlier versions."""
        only = {*READING} - self.flags().keys() | (
            {"methods", "reject"} if self.methods is None else set()
        )
        fields: dict[str, Any] = {}
        for name, value in msgspec.to_builtins(self).items():
            fields |= {} if name in only else {name: value}
            fields |= {"surrogates": None} if name == "normalise" else {}
        return fields

    def data(self, methods: Mapping[str, Any]) -> dict[str, str]:
        """Return the identity of the problems, and of all methods on which answers depend.

        ``methods`` are attribution methods by name, none where verifiers are attacked. Raises SpecError if a file is
        missing.
        """
        recipes = self.named_obfuscators().values()
        rewriting = [
            *map(identity, recipes),
            *(stamp for recipe in recipes if (stamp := recipe.stamp())),
        ]
        verifiers = {} if methods else self.named_verifiers()
        answering: list[Any] = [decides(component) for component in verifiers.values()]
        answering += [method_identity(method) for method in methods.values()]
        return {
            "problems": data_hash(self.problems),
            **({} if self.train is None else {"train": data_hash(self.train)}),
            "methods": content_key([rewriting, answering, identity(self.normaliser())]),
        }


def build(given: Mapping[str, Any]) -> SafetySpec:
    """Make a spec from values by field (None = not given); lists may be text with commas. Raises SpecError if a value
    does not fit.
    """
    values = plain_of(SafetySpec, given)
    if not isinstance(values.get("obfuscators", ""), str):
        values["obfuscators"] = ", ".join(map(str, values["obfuscators"]))
    for name in ("seeds", "attacks"):
        if name in values:
            listed = values[name]
            values[name] = tuple(registry.split(listed) if isinstance(listed, str) else listed)
            if len(set(values[name])) < len(values[name]):
                raise SpecError(
                    f"--{name} names one of them more than once",
                    found=", ".join(map(str, values[name])),
                )
    if values.get("attacks") == ("none",) or ("methods" in values and "attacks" not in values):
        values["attacks"] = ()
    _check_sides(values)
    if not all(str(seed).removeprefix("-").isdecimal() for seed in values.get("seeds", ())):
        raise SpecError(
            "--seeds must be whole numbers", found=given["seeds"], expected="0 or 0,1,2"
        )
    return checked(values, SafetySpec)


def _check_sides(values: Mapping[str, Any]) -> None:
    """Refuse what does not go together: verifiers learn from training problems, methods from candidates' texts."""
    if "methods" not in values:
        if "train" not in values:
            raise SpecError(
                "verifiers need problems from which they learn",
                fix="--train PROBLEMS, or --methods to attack attribution",
            )
        if values.get("reject"):
            raise SpecError("--reject is an option for attribution", fix="give --methods too")
        return
    for name in ("verifiers", "attacks"):
        if values.get(name):
            raise SpecError(f"--{name} and --methods cannot be combined", fix=f"leave out --{name}")


def check_attacks(spec: SafetySpec) -> None:
    """Refuse attacks that do not exist. Raises SpecError if there is one."""
    spec.normaliser()
    for name in spec.attacks:
        if name not in ATTACKS:
            raise SpecError(f"unknown attack {name!r}", expected=" or ".join(ATTACKS))
