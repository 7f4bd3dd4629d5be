"""From a spec to a manifest: a cell for every replicate."""

from __future__ import annotations

from ravenbench import registry
from ravenbench.bench.run.probe import NEAR
from ravenbench.bench.shared.keys import content_key, decides
from ravenbench.bench.shared.manifest import cell_places, verifier_record
from ravenbench.bench.shared.record import FoldRecord
from ravenbench.bench.simulate.record import ReplicateRecord, SimulatePlan
from ravenbench.bench.simulate.spec import SimulateSpec
from ravenbench.bench.simulate.trials import ENCODER, SETUPS
from ravenbench.components import identity
from ravenbench.randomness import stream
from ravenbench.verifiers.controls.blend import Blend
from ravenbench.verifiers.controls.style_only import StyleOnly
from ravenbench.verifiers.controls.topic_only import TopicOnly

NAME = "blend"


def drawing(spec: SimulateSpec) -> str:
    """Key of all that decides how training and test sets are drawn from a corpus, and what is fitted to them."""
    return content_key(
        [
            identity(registry.parse("pairs", spec.pairs)),
            identity(registry.parse("encoder", ENCODER)),
            [identity(registry.parse("sampler", name)) for name in SETUPS],
            identity([StyleOnly(), TopicOnly()]),
            {"pools": spec.pools, "folds": spec.folds, "repetitions": spec.repetitions, "near": NEAR},
        ]
    )


def fingerprint(spec: SimulateSpec) -> dict[str, str]:
    """Identity of the methods that a simulation uses."""
    corpus = registry.parse("corpus", spec.corpus)
    return {"methods": content_key([identity(corpus), drawing(spec), decides(Blend())])}


def draft(spec: SimulateSpec) -> SimulatePlan:
    """The plan of a simulation; keys hold all that decides the scores of a replicate, and no dose."""
    corpus, drawn = registry.parse("corpus", spec.corpus), drawing(spec)
    replicates, folds = [], {}
    for number in range(spec.replicates):
        seed = int(stream(spec.seed, "simulate", number).integers(2**31))
        name = f"replicate-{number:03d}"
        replicates.append(ReplicateRecord(number=number, seed=seed, fold=name))
        own = content_key(identity(corpus.set_params(seed=seed)))
        folds[name] = FoldRecord(train_digest=own, test_digest=drawn, seed=seed)
    return SimulatePlan(
        folds=folds,
        verifiers=[verifier_record(NAME, Blend())],
        cells=cell_places({NAME: Blend()}, folds),
        replicates=replicates,
    )


def fits(spec: SimulateSpec) -> int:
    """How many training sets a replicate has."""
    return len(SETUPS) * spec.pools * spec.folds + 2 * 2 * spec.repetitions
