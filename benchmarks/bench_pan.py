"""The PAN-2023 baselines' own code on the same texts: the compressor's cross-entropies and cngdist's training."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from benchmarks.bench_ppm import DOCUMENTS, LENGTH, pronounceable
from benchmarks.checkout import f1_of_none, load
from benchmarks.measure import compare
from ravenbench.text.counting import forget_counts
from ravenbench.text.ppm import cross_entropies
from ravenbench.texts import TextTable
from ravenbench.types import Floats, Problems
from ravenbench.verifiers.baselines import CharNgram
from ravenbench.verifiers.calibrators import ThresholdBand

TASK = "clef23/authorship-verification"
PAIRS, CHARACTERS, NGRAM = 200, 4_000, 4


def rows(checkout: Path) -> list[dict[str, Any]]:
    """One row for each baseline."""
    return [compressor(checkout), cngdist(checkout)]


def compressor(checkout: Path) -> dict[str, Any]:
    """Seconds a pair, both directions, each document in two pairs; values agree to 1e-9 bits."""
    theirs = load(checkout, f"{TASK}/pan23-verif-baseline-compressor.py")
    texts, _ = TextTable.collect(pronounceable(seed, LENGTH) for seed in range(DOCUMENTS))
    a = np.arange(DOCUMENTS)
    b = np.roll(a, -1)
    ours = cross_entropies(texts, a, b)
    for i in range(4):
        for column, (known, questioned) in enumerate(((a[i], b[i]), (b[i], a[i]))):
            model = theirs.Model(5, 256)
            model.read(texts[known])
            assert abs(theirs.h(model, texts[questioned]) - ours[i, column]) <= 1e-9
    peer = "PAN23 compressor's distance(), unchanged"
    row = compare(
        "PAN23 compressor, a pair",
        lambda: cross_entropies(texts, a, b),
        peer,
        lambda: theirs.distance(texts[0], texts[1]),
        rounds=7,
    )
    row["ours_seconds"] /= len(a)
    row["ratio"] *= len(a)
    row["spread"] = [ratio * len(a) for ratio in row["spread"]]
    return row


def cngdist(checkout: Path) -> dict[str, Any]:
    """Training on pairs: vocabulary, cosines and the best of 4,753 bands by five metrics.

    Cosines agree to 1e-9, and both bands reach the same overall score, which the peer rounds.
    """
    evaluator = load(
        checkout, "clef22/authorship-verification/pan22_verif_evaluator.py", "pan22_verif_evaluator"
    )
    f1_of_none(evaluator)
    theirs = load(checkout, f"{TASK}/pan23-verif-baseline-cngdist.py")
    kept: list[Any] = []
    theirs.pickle = SimpleNamespace(dump=lambda thing, file: (kept.append(thing), file.close()))
    joined = [pronounceable(seed, CHARACTERS * PAIRS // 20) for seed in range(40)]
    texts = [text[i : i + CHARACTERS] for text in joined for i in range(0, len(text), CHARACTERS)]
    same = np.arange(PAIRS) % 2 == 0
    pairs = [
        (texts[2 * i], texts[2 * i + 1] if same[i] else texts[(2 * i + 41) % len(texts)])
        for i in range(PAIRS)
    ]
    problems = Problems.of([(str(i), [one], other) for i, (one, other) in enumerate(pairs)])
    size = untied([text for pair in pairs for text in pair], 3000)
    band = ThresholdBand(metrics=5)

    def mine() -> Floats:
        forget_counts()
        verifier = CharNgram(n=NGRAM, size=size, reference=True).fit(problems, same)
        scores = verifier.score(problems)
        band.fit(scores, same)
        return scores

    with tempfile.TemporaryDirectory() as folder:
        put = Path(folder)
        lines = [json.dumps({"id": str(i), "pair": pair}) for i, pair in enumerate(pairs)]
        truth = [json.dumps({"id": str(i), "same": bool(answer)}) for i, answer in enumerate(same)]
        (put / "pairs.jsonl").write_text("\n".join(lines), encoding="utf-8")
        (put / "truth.jsonl").write_text("\n".join(truth), encoding="utf-8")

        def train() -> None:
            kept.clear()
            with contextlib.redirect_stdout(io.StringIO()):
                theirs.train(put / "pairs.jsonl", put / "truth.jsonl", put, size, NGRAM, 0, 0.5)

        peer = "PAN23 cngdist's train(), pickling and F1 of no answers replaced"
        row = compare(f"PAN23 cngdist, training on {PAIRS} pairs", mine, peer, train, rounds=3)
    scores = mine()
    vectoriser, p1, p2 = kept
    found = [theirs.cosine_sim(*vectoriser.transform(pair).toarray()) for pair in pairs]
    assert np.abs(scores - found).max() <= 1e-9
    overall = [
        evaluator.evaluate_all(
            same.astype(float), np.array(list(theirs.correct_scores(found, *bounds)))
        )["overall"]
        for bounds in ((p1, p2), (band.p1_, band.p2_))
    ]
    assert overall[0] == overall[1], overall
    return row


def untied(texts: list[str], most: int) -> int:
    """The largest vocabulary up to ``most`` whose border no tie crosses, so that both sides keep the same n-grams."""
    from sklearn.feature_extraction.text import CountVectorizer

    counts = (
        CountVectorizer(analyzer="char", ngram_range=(NGRAM, NGRAM))
        .fit_transform(texts)
        .sum(axis=0)
    )
    ranked = np.sort(np.asarray(counts).ravel())[::-1]
    return int(np.flatnonzero(ranked[: most - 1] > ranked[1:most])[-1]) + 1
