"""Where definitions agree, the impostors' kernels give bitig's scores exactly."""

from __future__ import annotations

import numpy as np
import pytest

from ravenbench.text.minmax import Measure, Vectors, drawn, norms, similarities


@pytest.mark.parametrize("measure", ["minmax", "cosine"])
def test_scores_equal_bitig(measure: Measure) -> None:
    forensic = pytest.importorskip(
        "bitig.forensic", reason="the peer package bitig is not installed"
    )
    from bitig.features import FeatureMatrix

    rng = np.random.default_rng(0)
    features, impostors, iterations, draw = 200, 30, 40, 6
    dense = np.where(
        rng.random((impostors + 2, features)) < 0.4, rng.random((impostors + 2, features)), 0.0
    )
    dense[0] = 0.97 * dense[0] + 0.03 * dense[1]

    def matrix(rows: np.ndarray) -> object:
        return FeatureMatrix(
            rows, [str(i) for i in range(len(rows))], [str(i) for i in range(features)], "x"
        )

    peer = forensic.GeneralImpostors(
        n_iterations=iterations, impostor_sample_size=draw, similarity=measure, seed=7
    ).verify(questioned=matrix(dense[:1]), known=matrix(dense[1:2]), impostors=matrix(dense[2:]))

    draws = np.random.default_rng(7)
    masks = np.zeros((features, iterations), dtype=np.float32)
    chosen = np.empty((iterations, draw), dtype=np.int64)
    for t in range(iterations):
        masks[draws.choice(features, size=features // 2, replace=False), t] = 1
        chosen[t] = draws.choice(impostors, size=draw, replace=False)
    vectors = Vectors.of(dense)
    size = norms(vectors, masks, measure)
    rows = np.arange(1, len(dense))
    found = similarities(vectors.dense(0), size[0], vectors, size, rows, masks, measure)
    score = (found[0] > drawn(found[1:], chosen).max(axis=1)).mean()
    assert score == peer.values["score"] and 0 < score < 1
