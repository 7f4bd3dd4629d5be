"""What decides an obfuscation."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from ravenbench import files, registry
from ravenbench.bench.obfuscate.rewritings import resources_here
from ravenbench.bench.options import Encoding, checked, told
from ravenbench.components import identity
from ravenbench.obfuscation.base import Obfuscator
from ravenbench.store.plans import content_key, decides
from ravenbench.store.resume import data_hash


class ObfuscateSpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What decides an obfuscation."""

    obfuscator: Annotated[str, told("The obfuscator, e.g. mihaylova-2016 or 'random(rate=0.2)'.")]
    source: Annotated[str, told("A text, a folder of .txt files, or a problem set.")]
    encoding: Encoding = None
    seed: Annotated[int, told("Secret of every random choice; default 0.")] = 0
    every: Annotated[bool, told("Of a problem set, rewrite different-author problems too.")] = False
    split: Annotated[
        Literal["train", "test"] | None, told("The part to take of a problem set that has both: train or test.")
    ] = None
    known: Annotated[tuple[str, ...], told("Texts by the author of the source, where that is no problem set.")] = ()
    language: Annotated[str | None, told("Language of the texts; problem sets usually say it.")] = None
    train: Annotated[str | None, told("Problems that surrogates learn from.")] = None
    surrogates: Annotated[str | None, told("Verifiers a search attack may ask; keep them out of your evaluation.")] = (
        None
    )

    def component(self) -> Obfuscator:
        """The obfuscator.

        Raises
        ------
        SpecError
            If there is none of this name, or it is given a parameter it has not.
        """
        found: Obfuscator = registry.parse("obfuscator", self.obfuscator)
        return found

    def resolved(self) -> dict[str, Any]:
        """JSON form."""
        return dict(msgspec.to_builtins(self))

    def data(self) -> dict[str, str]:
        """Identity of the texts, of the obfuscator and its surrogates, and of the resources that recipes use.

        Raises
        ------
        SpecError
            If a file is not there.
        """
        named = {"source": self.source, **{f"known {i}": path for i, path in enumerate(self.known, start=1)}}
        recipe = self.component()
        asked = registry.parse_list("verifier", self.surrogates or "")
        if self.train is not None:
            named["train"] = self.train
        return {name: data_hash(path) for name, path in named.items()} | {
            "methods": content_key(
                [identity(recipe), [decides(verifier) for verifier in asked], *filter(None, [recipe.stamp()])]
            ),
            "resources": content_key(resources_here()),
        }


def build(given: Mapping[str, Any]) -> ObfuscateSpec:
    """A spec from values by field, None meaning not given; paths and components become text.

    Raises
    ------
    SpecError
        If a value does not fit.
    """
    values = {name: value for name, value in given.items() if value is not None}
    for name in ("obfuscator", "source", "train"):
        if name in values:
            values[name] = str(values[name])
    values["known"] = tuple(map(str, values.get("known", ())))
    return checked(values, ObfuscateSpec)


def default_folder(spec: ObfuscateSpec, data: dict[str, str]) -> Path:
    """``raven-runs/obfuscate-<source>-<hash>``: the same texts, obfuscator and seed find their own earlier run."""
    stem = Path(files.local_copy(spec.source)).stem
    return Path("raven-runs") / f"obfuscate-{stem}-{content_key([spec.resolved(), data])[:8]}"
