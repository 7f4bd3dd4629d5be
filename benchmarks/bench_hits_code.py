"""The released HITS code's functions that can be run: pair building and the n-gram verifier's threshold grid.

As a whole it does not run: it imports ``src.preprocessing`` and ``hits.preprocessing``, which it does not contain, and
its topic selection (``run_sampling``) is not in the repository. Two of its modules are loaded here under the names the
others import.
"""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.bench_ppm import pronounceable
from benchmarks.checkout import f1_of_none, load
from benchmarks.measure import compare
from ravenbench.problems.pair_rules import Reference
from ravenbench.randomness import stream
from ravenbench.text.ngrams import CharNgrams
from ravenbench.text.tfidf import Tfidf, row_cosines
from ravenbench.texts import TextTable
from ravenbench.verifiers.calibrators import best_band

AUTHORS, EACH, CHARACTERS = 400, 5, 800


def rows(checkout: Path) -> list[dict[str, Any]]:
    """One row for pair building, one for the verifier; none where pandas, which that code needs, is not installed."""
    try:
        import pandas
    except ImportError as error:
        print(f"HITS code: left out, it needs a library that is not installed here ({error})")
        return []
    print("HITS code: selection is left out, its run_sampling module is not in the repository")
    pairing = load(checkout, "hits/utils/dset_utils.py", "hits.preprocessing.dset_utils")
    f1_of_none(load(checkout, "hits/utils/evaluate.py", "hits.preprocessing.evaluate"))
    verifier = load(checkout, "hits/av_methods/ngram_dist.py")
    verifier.trange = range
    joined = pronounceable(0, AUTHORS * EACH * CHARACTERS)
    texts = [joined[i : i + CHARACTERS] for i in range(0, len(joined), CHARACTERS)]
    author = np.repeat(np.arange(AUTHORS), EACH)
    frame = pandas.DataFrame({"author": author, "topic": 0, "text": texts})
    return [pair_building(pairing, frame, author), grid(verifier, pairing, frame)]


def pair_building(theirs: Any, frame: Any, author: Any) -> dict[str, Any]:
    """Two pairs a text; both sides draw as many of each class, by their own randomness."""
    documents, topic = np.arange(len(author)), np.zeros(len(author), np.int64)
    rule = Reference(faithful=True)

    def mine() -> Any:
        return rule.draw(documents, author, topic, stream(0, "bench-pairs"))

    expected = theirs.sample_pairs(frame)
    assert int(mine().same.sum()) == int(expected.label.sum()) and len(mine().same) == len(expected)
    name = f"pair building, {len(author):,} texts"
    return compare(
        name, mine, "HITS code's sample_pairs()", lambda: theirs.sample_pairs(frame), repeat=20
    )


def grid(theirs: Any, pairing: Any, frame: Any) -> dict[str, Any]:
    """Cosines of pairs and the best of 4,753 bands; cosines agree to 1e-9, the band is the same."""
    pairs = pairing.sample_pairs(frame).iloc[:1000]
    table, every = TextTable.collect([*pairs.text1, *pairs.text2])
    known, questioned = every[: len(pairs)], every[len(pairs) :]
    same = pairs.label.to_numpy() == 1
    model = theirs.NGramDist(3000, 4)
    with contextlib.redirect_stdout(io.StringIO()):
        model.fit_vectorizer(frame, 3000, 4, "char")
    ours = Tfidf(CharNgrams(4))
    ours.vocabulary_, ours.idf_ = (
        model.vectorizer.get_feature_names_out().tolist(),
        model.vectorizer.idf_,
    )

    def mine() -> Any:
        documents = np.unique(every)
        vectors = ours.transform(table, documents)
        scores = row_cosines(
            vectors, np.searchsorted(documents, known), np.searchsorted(documents, questioned)
        )
        return scores, best_band(scores, same)

    def peer() -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            model.select_threshold(pairs)

    name = f"n-gram cosines and threshold grid, {len(pairs):,} pairs"
    row = compare(
        name,
        mine,
        "HITS code's NGramDist.select_threshold(), loaded alone, F1 of no answers replaced",
        peer,
        rounds=2,
    )
    scores, (p1, p2, _) = mine()
    with contextlib.redirect_stdout(io.StringIO()):
        assert np.abs(scores - model.compute_similarity(pairs)).max() <= 1e-9
    assert abs(p1 - model.opt_p1) <= 1e-9 and abs(p2 - model.opt_p2) <= 1e-9, (
        p1,
        p2,
        model.opt_p1,
        model.opt_p2,
    )
    return row
