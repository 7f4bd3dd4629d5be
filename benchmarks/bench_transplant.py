"""Transplanting content: every fold of the default newsgroups run, against the plain reference on one of them."""

from __future__ import annotations

import resource
import time
from typing import Any

from tests.references.splicing import splice_reference

from benchmarks.measure import compare
from ravenbench.engine.pool import silent
from ravenbench.problems.transplant import Transplanter
from ravenbench.reading.load import load_corpus
from ravenbench.tasks.run.plan import draft
from ravenbench.tasks.run.spec import build
from ravenbench.text.splicing import Splicer
from ravenbench.topics.encoders import LSA
from ravenbench.topics.levels import topic_similarity

TEXTS = 400
"""Texts spliced by the plain reference."""


def rows() -> list[dict[str, Any]]:
    """CPU seconds of all folds, building included (topic vectors too); one text into another, by pieces and plainly."""
    corpus = load_corpus("newsgroups")
    folds = draft(
        build({"corpus": "newsgroups", "probe": "none", "verifiers": "length"}), silent
    ).folds
    start = time.process_time()
    maker = Transplanter(
        corpus.texts,
        author=corpus.author,
        topic=corpus.topic,
        similarity=topic_similarity(corpus, LSA()),
    )
    built = time.process_time() - start
    start = time.process_time()
    problems = sum(len(maker.transplant(fold.test, fold.test_same)) for fold in folds)
    whole = {
        "name": f"transplanting content, newsgroups' {len(folds)} folds, {3 * problems:,} texts",
        "ours_seconds": built + time.process_time() - start,
        "peer": None,
        "peer_seconds": None,
        "ratio": None,
        "spread": None,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    splicer = Splicer(corpus.texts)
    every = ((i, (7 * i + 1) % len(corpus.texts)) for i in range(2 * TEXTS))
    pairs = [(a, b) for a, b in every if splicer.cut(b).contents][:TEXTS]
    texts = [(corpus.texts[a], corpus.texts[b]) for a, b in pairs]
    beside = compare(
        f"one text into another, {TEXTS} times",
        lambda: [
            text.decode()
            for text in splicer.splice([(splicer.cut(a), [splicer.cut(b)]) for a, b in pairs])
        ],
        "plain reading, token by token",
        lambda: [splice_reference(a, [b], splicer.functions) for a, b in texts],
    )
    return [whole, beside]
