"""What decides a simulation's figures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec

from ravenbench import registry
from ravenbench.bench.shared.spec import AtLeastTwo, checked, told
from ravenbench.components import identity_hash
from ravenbench.errors import SpecError

Dose = Annotated[float, msgspec.Meta(ge=0, le=1)]
DOSES = (0.0, 0.05, 0.1, 0.2, 0.5, 1.0)


class SimulateSpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What decides a simulation's figures. Scores are kept of each replicate; the doses are mixed from them."""

    corpus: Annotated[
        str,
        told("The synthetic corpus and its dials; each replicate has its own seed. Default: synthetic(style=0.4)."),
    ] = "synthetic(style=0.4)"
    pairs: Annotated[
        str,
        told("Pair rule: matched (the default), under which alone runs give verdicts, controlled or reference."),
    ] = "matched"
    doses: Annotated[
        tuple[Dose, ...],
        told("Known reliance on topic, from 0 (style alone) to 1 (topic alone). Default: 0, .05, .1, .2, .5, 1."),
    ] = DOSES
    replicates: Annotated[AtLeastTwo, told("Fresh corpora, about ten seconds each. Default: 20.")] = 20
    pools: Annotated[AtLeastTwo, told("Pools a replicate. Default: 10.")] = 10
    folds: Annotated[AtLeastTwo, told("Folds a pool and setup. Default: 5.")] = 5
    repetitions: Annotated[AtLeastTwo, told("Repetitions of the probe, and of its null. Default: 20.")] = 20
    seed: Annotated[int, told("Seed of every draw. Default: 0.")] = 0

    def resolved(self) -> dict[str, Any]:
        """JSON form."""
        return dict(msgspec.to_builtins(self))

    def default_folder(self) -> Path:
        """``raven-runs/simulate-<hash>``: the same spec finds its own earlier simulation."""
        return Path("raven-runs") / f"simulate-{identity_hash(self.resolved())[:8]}"


def build(given: Mapping[str, Any]) -> SimulateSpec:
    """A spec of what was given (None = not given); doses in order, each once.

    Raises
    ------
    SpecError
        If a value does not fit, the corpus is not synthetic, or the pair rule does not exist.
    """
    values = {key: value for key, value in given.items() if value is not None}
    if "doses" in values:
        values["doses"] = _doses(values["doses"])
    spec = checked(values, SimulateSpec)
    from ravenbench.corpora.synthetic import Synthetic

    if not isinstance(registry.parse("corpus", spec.corpus), Synthetic):
        raise SpecError("truth is known of the synthetic corpus alone", found=spec.corpus, fix="synthetic(style=…)")
    registry.parse("pairs", spec.pairs)
    return spec


def _doses(given: Any) -> list[float]:
    parts = [part for part in given.split(",") if part.strip()] if isinstance(given, str) else list(given)
    try:
        found = sorted({float(part) for part in parts})
    except (TypeError, ValueError):
        found = []
    if not found or any(not 0 <= dose <= 1 for dose in found):
        raise SpecError("doses must be numbers in [0, 1]", found=given, expected="0, .1, .5, 1")
    return found
