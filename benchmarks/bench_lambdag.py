"""LambdaG on the same problems and draws as its authors' package, scores compared."""

from __future__ import annotations

import resource
from typing import Any

import numpy as np

from benchmarks.bench_impostors import texts
from benchmarks.measure import compare, seconds
from ravenbench.ext.shelf.published.grammar import sentences
from ravenbench.ext.shelf.published.lambdag import LambdaG
from ravenbench.randomness import stream
from ravenbench.types import Floats, Problems

AUTHORS, PROBLEMS, KNOWN, SENTENCE = 80, 3, 2, 18


def rows() -> list[dict[str, Any]]:
    """One row; the peer is left out, with the reason, where it is not installed."""
    written = [
        " ".join(
            f"{word}." if place % SENTENCE == SENTENCE - 1 else word
            for place, word in enumerate(text.split())
        )
        for text in texts(AUTHORS + PROBLEMS * (KNOWN + 1))
    ]
    train = Problems.of([(f"t{i}", [written[i]], written[i + 1]) for i in range(0, AUTHORS, 2)])
    rest = written[AUTHORS:]
    test = Problems.of(
        [
            (
                f"p{i}",
                rest[i * (KNOWN + 1) : (i + 1) * (KNOWN + 1) - 1],
                rest[(i + 1) * (KNOWN + 1) - 1],
            )
            for i in range(PROBLEMS)
        ]
    )
    ours = LambdaG().fit(train, np.zeros(len(train), dtype=bool))
    name = f"lambdag, {PROBLEMS} problems of {KNOWN} texts, {ours.references} reference models"

    def mine() -> Floats:
        return ours.score(test)

    try:
        from lambdag import LambdaGMethod
    except ImportError as error:
        print(f"{name}: peer left out, lambdag is not installed here ({error})")
        mine()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        absent = dict.fromkeys(("peer", "peer_seconds", "ratio", "spread"))
        return [{"name": name, "ours_seconds": seconds(mine), **absent, "peak_mb": peak}]
    peer = LambdaGMethod("tokens", ours.order, "kneser_ney", True, True, ours.references)
    pool = [tuple(sentence) for text in ours.population_.written_ for sentence in sentences(text)]

    def theirs() -> Floats:
        scores = []
        for i in range(len(test)):
            known, questioned = (
                " ".join(test.texts.rows(test.known(i))),
                test.texts[test.questioned_index[i]],
            )
            peer.random_gen = stream(ours.seed, "lambdag", str(test.ids[i]))
            sides = (peer._preprocess_text(text) for text in (known, questioned))
            scores.append(float(peer._lambdag_score(*sides, pool)))
        return np.array(scores)

    assert np.allclose(mine(), theirs(), rtol=0, atol=1e-9), (
        "scores differ from the authors' package's"
    )
    return [compare(name, mine, "lambdag", theirs, rounds=3)]
