"""General impostors on the same problems, features and iterations as the bitig package, scores compared."""

from __future__ import annotations

import resource
from typing import Any

import numpy as np

from benchmarks.measure import compare, seconds
from ravenbench.ext.shelf.published.impostor_spaces import ImpostorSpace
from ravenbench.randomness import stream
from ravenbench.text.minmax import Measure, Vectors, drawn, norms, similarities
from ravenbench.types import Floats, Ints

PROBLEMS, POOL, WORDS, FEATURES = 10, 200, 450, 30_000
ITERATIONS, DRAW, SHARE, SEED = 100, 25, 0.5, 42


def texts(documents: int) -> list[str]:
    """Texts of Zipf-distributed words, each document with habits of its own."""
    rng = stream(0, "bench-impostors")
    letters, weights = list("etaoinshrdlucmfwypvbgk"), 1 / np.arange(2, 24)
    weights /= weights.sum()
    lengths = rng.integers(2, 10, 20_000)
    words = np.array(["".join(rng.choice(letters, n, p=weights)) for n in lengths])
    frequency = 1 / np.arange(5, 20_005)
    written = []
    for _ in range(documents):
        habit = frequency * rng.lognormal(0, 0.5, len(words))
        written.append(" ".join(rng.choice(words, WORDS, p=habit / habit.sum())))
    return written


def peer_draws(features: int, impostors: int) -> tuple[Any, Ints]:
    """The subsets and impostors that bitig's ``verify`` draws from its seed: the same for every problem."""
    rng = np.random.default_rng(SEED)
    masks = np.zeros((features, ITERATIONS), dtype=np.float32)
    chosen = np.empty((ITERATIONS, DRAW), dtype=np.int64)
    for t in range(ITERATIONS):
        masks[rng.choice(features, size=max(1, round(SHARE * features)), replace=False), t] = 1
        chosen[t] = rng.choice(impostors, size=DRAW, replace=False)
    return masks, chosen


def ours(questioned: Vectors, known: Vectors, pool: Vectors, measure: Measure) -> Floats:
    """Share of iterations in which the known document is nearer than every impostor, (problems,)."""
    masks, draws = peer_draws(pool.features, len(pool))
    every = np.arange(len(pool))
    size_u, size_k, size_p = (norms(v, masks, measure) for v in (questioned, known, pool))
    scores = np.empty(len(questioned))
    for i in range(len(questioned)):
        x = questioned.dense(i)
        pair = similarities(x, size_u[i], known, size_k, np.array([i]), masks, measure)[0]
        against = similarities(x, size_u[i], pool, size_p, every, masks, measure)
        scores[i] = (pair > drawn(against, draws).max(axis=1)).mean()
    return scores


def peer(questioned: Floats, known: Floats, pool: Floats, measure: Measure) -> Floats:
    """The same by bitig, (problems,)."""
    from bitig.features import FeatureMatrix  # type: ignore[import-not-found]
    from bitig.forensic import GeneralImpostors  # type: ignore[import-not-found]

    method = GeneralImpostors(
        n_iterations=ITERATIONS,
        feature_subsample_rate=SHARE,
        impostor_sample_size=DRAW,
        similarity=measure,
        seed=SEED,
    )
    names = [str(i) for i in range(pool.shape[1])]

    def matrix(rows: Floats) -> Any:
        return FeatureMatrix(rows, [str(i) for i in range(len(rows))], names, "char")

    impostors = matrix(pool)
    scores = [
        method.verify(
            questioned=matrix(q[None]), known=matrix(k[None]), impostors=impostors
        ).values["score"]
        for q, k in zip(questioned, known, strict=True)
    ]
    return np.array(scores)


def rows() -> list[dict[str, Any]]:
    """One row for minmax and one for cosine; the peer is left out, with the reason, where it is not installed."""
    written = texts(POOL + 2 * PROBLEMS)
    space = ImpostorSpace("char4", FEATURES).fit(written)
    readings = space.read(written, space.forest())
    parts = [
        np.arange(POOL, POOL + PROBLEMS),
        np.arange(POOL + PROBLEMS, len(written)),
        np.arange(POOL),
    ]
    sparse = [space.vectors(readings, part, max(map(len, written))) for part in parts]
    dense = [np.stack([v.dense(i) for i in range(len(v))]) for v in sparse]
    # Questioned documents lean on their known one, so that scores lie between 0 and 1.
    lean = stream(0, "bench-impostors-lean").random((PROBLEMS, 1)) * 0.3
    dense[0] = (1 - lean) * dense[0] + lean * dense[1]
    sparse[0] = Vectors.of(dense[0])
    found = []
    for measure in ("minmax", "cosine"):
        name = f"impostors, {measure}"

        def mine(measure: Measure = measure) -> Floats:
            return ours(*sparse, measure)  # type: ignore[arg-type]

        def theirs(measure: Measure = measure) -> Floats:
            return peer(*dense, measure)  # type: ignore[arg-type]

        try:
            expected = theirs()
        except ImportError as error:
            print(f"{name}: peer left out, bitig is not installed here ({error})")
            mine()
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            absent = dict.fromkeys(("peer", "peer_seconds", "ratio", "spread"))
            found.append({"name": name, "ours_seconds": seconds(mine), **absent, "peak_mb": peak})
            continue
        assert np.array_equal(mine(), expected), "scores differ from bitig's"
        assert 0.05 < expected.mean() < 0.95, "scores are too plain to compare"
        found.append(compare(name, mine, "bitig", theirs, rounds=3))
    return found
