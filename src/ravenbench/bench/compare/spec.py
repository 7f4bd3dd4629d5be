"""What decides a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec

from ravenbench import files, registry
from ravenbench.bench.options import AtLeastOne, AtLeastTwo, Encoding, checked, told
from ravenbench.components import Component, seeded
from ravenbench.store.plans import content_key, decides
from ravenbench.store.resume import data_hash

DEFAULT = "raven-2026,impostors,masked(lambdag, frequency-mask),ppm,char-ngram,function-words"
"""Able and fast: many features, contests with impostors, grammar alone, compression, characters, common words."""


class CompareSpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What decides a comparison."""

    questioned: Annotated[
        tuple[str, ...], told("The text whose author is in question: a UTF-8 .txt file. Several: repeat the option.")
    ] = ()
    known: Annotated[
        tuple[str, ...],
        told(
            "Texts the candidate wrote: a .txt file or a folder of them. NAME=PATH names the candidate; else the "
            "folder does. Several candidates: repeat NAME=PATH; one name with several paths is one candidate."
        ),
    ] = ()
    background: Annotated[
        str,
        told(
            "Texts by other people, of the same kind and language: a folder author/text.txt or Author_Title.txt, "
            "a table, an imported or named corpus."
        ),
    ] = ""
    batch: Annotated[
        str | None,
        told("Many cases: a .csv, .tsv or .jsonl with case, questioned, known (paths split by ;), candidate."),
    ] = None
    verifiers: Annotated[
        str, told("Methods that are calibrated and fused, separated by commas (raven list verifiers).")
    ] = DEFAULT
    authors: Annotated[AtLeastTwo, told("Most background authors used; of more, some are drawn. Default 80.")] = 80
    folds: Annotated[AtLeastTwo, told("Parts in which background authors are held out. Default 5.")] = 5
    donors: Annotated[AtLeastOne, told("How often the questioned text's content words are replaced. Default 4.")] = 4
    encoding: Encoding = None
    seed: Annotated[int, told("Seed of every random choice; default 0.")] = 0

    def components(self) -> dict[str, Component]:
        """The verifiers by the name they are shown under, with this seed.

        Raises
        ------
        SpecError
            If there is none of a name, or one is given twice.
        """
        named: dict[str, Component] = registry.named("verifier", self.verifiers)
        return {name: seeded(component, self.seed) for name, component in named.items()}

    def resolved(self) -> dict[str, Any]:
        """JSON form."""
        return dict(msgspec.to_builtins(self))

    def data(self, paths: Mapping[str, Path]) -> dict[str, str]:
        """Hashes of all texts by name, of the background and of the methods.

        Raises
        ------
        SpecError
            If the background is not there.
        """
        found = {name: files.sha256(path) for name, path in sorted(paths.items())}
        methods = [decides(component) for component in self.components().values()]
        return {**found, "background": data_hash(self.background), "methods": content_key(methods)}


def build(given: Mapping[str, Any]) -> CompareSpec:
    """A spec from values by field, None meaning not given; paths become text.

    Raises
    ------
    SpecError
        If a value does not fit.
    """
    values = {name: value for name, value in given.items() if value is not None}
    for name in ("background", "batch"):
        if name in values:
            values[name] = str(values[name])
    values["questioned"] = _listed(values.get("questioned", ()))
    known = values.get("known", ())
    if isinstance(known, Mapping):
        values["known"] = tuple(f"{name}={path}" for name, paths in known.items() for path in _listed(paths))
    else:
        values["known"] = _listed(known)
    if not isinstance(values.get("verifiers", ""), str):
        values["verifiers"] = ",".join(map(str, values["verifiers"]))
    return checked(values, CompareSpec)


def _listed(value: str | Path | Sequence[str | Path]) -> tuple[str, ...]:
    return (str(value),) if isinstance(value, str | Path) else tuple(map(str, value))


def default_folder(spec: CompareSpec, data: Mapping[str, str]) -> Path:
    """``raven-runs/compare-<text>-<hash>``: the same texts and settings find their own earlier run."""
    first = spec.batch or (spec.questioned[0] if spec.questioned else "case")
    return Path("raven-runs") / f"compare-{Path(first).stem}-{content_key([spec.resolved(), dict(data)])[:8]}"
