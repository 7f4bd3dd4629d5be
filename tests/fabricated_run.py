"""A made-up run folder, written as docs/architecture.md describes it: nothing in it was computed by Raven."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from ravenbench.files import write_array
from ravenbench.randomness import stream
from ravenbench.store.records import CellRecord, Head, write_record
from ravenbench.store.store import Store
from ravenbench.tasks.run.record import RunPlan
from ravenbench.texts import TextTable
from ravenbench.types import Labels

# AUC-like separations of same and different scores per setup.
STRENGTH = {
    "char-ngram": {"hits": 0.55, "random": 0.62, "anti": 0.7},
    "ppm": {"hits": 0.5, "random": 0.55, "anti": 0.6},
    "topic-fit": {"hits": 0.15, "random": 0.6, "anti": 1.0},
    "chance": {"hits": 0.0, "random": 0.0, "anti": 0.0},
    "length": {"hits": 0.1, "random": 0.1, "anti": 0.1},
}
SETUPS = ("hits", "random", "anti")


def topic_names(count: int) -> list[str]:
    """Names with what breaks careless pages in some of them."""
    plain = [f"subtopic {chr(97 + i % 26)}{i}" for i in range(count)]
    plain[0] = "rec.autos/engine & oil"
    plain[1] = "sci.space <orbit>"
    plain[2] = "talk_politics 100%"
    return plain


def write_run(
    path: Path,
    *,
    pools: int = 3,
    k: int = 4,
    m: int = 12,
    topics: int = 30,
    pairs: int = 120,
    verifiers: tuple[str, ...] = ("char-ngram", "ppm", "topic-fit", "chance"),
    failed: tuple[tuple[str, str], ...] = (),
    hostile: str | None = None,
) -> Store:
    """Write a run folder and open it.

    ``failed`` holds (verifier, fold id); ``hostile`` replaces one topic's and one verifier's name.
    """
    rng = stream(7, "fabricated")
    names = topic_names(topics)
    labels = {v: v for v in verifiers}
    if hostile is not None:
        names[3] = hostile
        labels[verifiers[0]] = hostile
    vectors = rng.normal(size=(topics, 8)) + 0.8 * rng.normal(size=(5, 8))[np.arange(topics) % 5]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    similarity = vectors @ vectors.T
    path.mkdir(parents=True)
    write_array(path / "similarity.npy", similarity)
    write_array(path / "similarity2.npy", np.clip(similarity * 0.8 + 0.1, -1, 1))
    (path / "folds").mkdir()
    run = {
        "spec": {"corpus": "made-up", "seed": 0, "pools": pools},
        "data": {"corpus": "ab" * 32},
        "raven": "0.1.0",
        "python": "3.11.2",
        "packages": {"numpy": np.__version__},
        "seed": 0,
    }
    write_record(path / "run.json", "run", msgspec.convert(run, Head))
    store = Store(path)
    texts, _ = TextTable.collect([f"made-up text {i}" for i in range(2 * pairs)])
    texts.save(path / "texts")
    # Pairs of even number have one author; topics are dealt out in turn.
    writers = [f"author {i % pairs if i < pairs or i % 2 == 0 else i}" for i in range(2 * pairs)]
    about = [names[i % topics] for i in range(2 * pairs)]
    store.save_labels(
        [f"d{i}" for i in range(2 * pairs)],
        {"author": Labels.of(writers), "topic": Labels.of(about)},
    )
    pool_list: list[dict[str, Any]] = []
    setups: list[dict[str, Any]] = []
    folds: dict[str, Any] = {}
    cells: list[dict[str, str]] = []
    for pool in range(pools):
        pool_topics = sorted(int(t) for t in rng.choice(topics, size=topics - 6, replace=False))
        for setup in SETUPS:
            mean = similarity[np.ix_(pool_topics, pool_topics)].mean(axis=1)
            order = np.argsort(mean) if setup == "hits" else np.argsort(-mean)
            if setup == "random":
                order = rng.permutation(len(pool_topics))
            chosen = [pool_topics[i] for i in order[:m]]
            ids = [f"p{pool:02d}-{setup}-{f}" for f in range(k)]
            means, maxima = [], []
            for f, fold in enumerate(ids):
                test = sorted(chosen[f::k])
                train = sorted(set(chosen) - set(test))
                block = similarity[np.ix_(train, test)]
                means.append(block.mean())
                maxima.append(block.max())
                same = np.arange(pairs) % 2 == 0
                arrays = {
                    "ids": np.array([f"{fold}/{i}" for i in range(pairs)]),
                    "ptr": np.arange(pairs + 1),
                    "known": np.arange(pairs),
                    "questioned": np.arange(pairs, 2 * pairs),
                    "same": same,
                }
                sides = {f"{side}_{n}": a for side in ("train", "test") for n, a in arrays.items()}
                np.savez(path / "folds" / f"{fold}.npz", **sides)
                folds[fold] = {
                    "pool": pool,
                    "setup": setup,
                    "fold": f,
                    "train_topics": train,
                    "test_topics": test,
                    "counts": {
                        "fit": {"same": 240, "different": 240},
                        "calibrate": {"same": 60, "different": 60},
                        "test": {"same": pairs // 2, "different": pairs // 2},
                    },
                    "documents": {"train": 540 + f, "test": 180 - f},
                    "authors": {"train": 210, "test": 90, "both": 12 + f},
                    "composition": {"same": 0.4, "different": 0.4},
                    "dropped": {"no partner in the same topic cells": 14 + f},
                    "train_digest": f"{pool}{f}" * 16,
                    "test_digest": f"{f}{pool}" * 16,
                }
                for verifier in verifiers:
                    key = f"{len(cells):032x}"
                    cells.append({"key": key, "verifier": labels[verifier], "fold": fold})
                    info: dict[str, Any] = {
                        "key": key,
                        "verifier": labels[verifier],
                        "identity": {},
                        "train_digest": folds[fold]["train_digest"],
                        "test_digest": folds[fold]["test_digest"],
                        "n": pairs,
                        "seconds": {"fit": 1.25, "score": 0.5},
                        "error": None,
                    }
                    if (verifier, fold) in failed:
                        error = {"error": "ValueError: <b>no</b> positives"}
                        store.write_cell(msgspec.convert(info | error, CellRecord), {})
                        continue
                    draw = stream(11, "answers", verifier, fold)
                    shift = STRENGTH[verifier][setup] + draw.normal(0, 0.05)
                    scores = draw.normal(size=pairs) + np.where(same, shift, -shift)
                    answers = 1 / (1 + np.exp(-scores))
                    answers[np.abs(answers - 0.5) < 0.02] = 0.5
                    if verifier == "chance":
                        answers = np.full(pairs, 0.5)
                    store.write_cell(
                        msgspec.convert(info, CellRecord), {"scores": scores, "answers": answers}
                    )
            setups.append(
                {
                    "pool": pool,
                    "setup": setup,
                    "topics": chosen,
                    "merged": {},
                    "mean_similarity": float(np.mean(means)),
                    "max_similarity": float(np.mean(maxima)),
                    "folds": ids,
                }
            )
        pool_list.append({"pool": pool, "topics": pool_topics})
    plan = {
        "corpus": {
            "name": "made-up posts",
            "documents": 3600,
            "authors": 900,
            "topics": topics,
            "notes": {
                "source": "written by a test",
                "licence": "CC0-1.0",
                "citation": "Nobody (2026). Nothing. <i>Journal of Fabrication</i>.",
                "cleaning": {"read": 5000, "without header": 4900, "at least 50 words": 3600},
            },
        },
        "topics": names,
        "encoder": "lsa(dimensions=100)",
        "second_encoder": "nmf",
        "pairs": "matched",
        "k": k,
        "m": m,
        "documents_per_topic": 60,
        "setups": setups,
        "pools": pool_list,
        "folds": folds,
        "verifiers": [
            {
                "name": labels[v],
                "spec": labels[v],
                "identity": {"component": v},
                "version": 1,
                "provenance": "sourced",
            }
            for v in verifiers
        ],
        "cells": cells,
        "sweep": None,
        "probe": None,
    }
    store.write_plan(msgspec.convert(plan, RunPlan))
    return Store.open(path)
