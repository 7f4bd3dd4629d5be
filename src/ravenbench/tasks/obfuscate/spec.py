"""Defines what decides an obfuscation.

In: options by name, the keys of a spec file or arguments.
Out: one checked ``ObfuscateSpec`` (no field has a unit; ``seed`` is an integer), its JSON form, and from ``component``
the obfuscator; SpecError where a value does not fit or there is no obfuscator of the name.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from ravenbench import registry
from ravenbench.engine.options import PATH, PATHS, Encoding, Spec, about
from ravenbench.obfuscation.base import Obfuscator


class ObfuscateSpec(Spec, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What decides an obfuscation."""

    obfuscator: Annotated[
        str,
        about(
            "The obfuscator, e.g. mihaylova-2016 or 'random(rate=0.2)'.", takes="str | Obfuscator"
        ),
    ]
    source: Annotated[
        str, about("A text, a folder of .txt files, or a problem set.", takes=PATH, metavar="IN")
    ]
    encoding: Encoding = None
    seed: Annotated[int, about("Seed of every random choice; default 0.")] = 0
    every: Annotated[
        bool,
        about("Also rewrite the different-author problems of a problem set.", flags=("--all",)),
    ] = False
    split: Annotated[
        Literal["train", "test"] | None,
        about("The part of a problem set to rewrite, if it has both: train or test."),
    ] = None
    known: Annotated[
        tuple[str, ...],
        about(
            "Other texts by the author of the source, or their folder, unless the source is a"
            " problem set.",
            takes=PATHS,
            many=True,
        ),
    ] = ()
    language: Annotated[
        str | None, about("Language of the texts; most problem sets declare it.")
    ] = None

    def resolved(self) -> dict[str, Any]:
        """Return plain values, with fields of earlier versions, so that their folders can be continued."""
        return {**super().resolved(), "train": None, "surrogates": None}

    def component(self) -> Obfuscator:
        """Return the obfuscator. Raises SpecError if the name is unknown, or the obfuscator does not have a given
        parameter."""
        parsed: Obfuscator = registry.parse("obfuscator", self.obfuscator)
        return parsed
