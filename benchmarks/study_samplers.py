"""Topic samplers on known truth: ``python -m benchmarks.study_samplers [--worlds 20] [--m 10,20,30] [--json FILE]``

Which sampler's corpus reveals the true order of verifiers most reliably, and how well they truly do on topics unlike
all they were trained on? Every world is a fresh synthetic corpus, half of it to sample from, half to measure truth on.

- *Topics.* ``families``: the generator's own, in threes that share words. ``graded``: every topic holds documents of
  a few families in random shares, so that topics overlap more or less, as real ones do.
- *Samplers* choose m topics by LSA. Each topic, merged or not, gives as many documents: all corpora are equally large.
  Merged topics let authors be chosen who wrote more, which makes more pairs of as many documents; so all is told a
  second time with as many test pairs.
- *Models.* Style scores blurred by more and more noise; every second one has topic mixed in, the last is topic alone.
- *Truth.* AUC where no test family occurs in training, as many training documents; mean over splits and worlds. Topic
  is worth next to nothing there, so the models stand in their order; leakage lifts those that have some.

Of each sampler: leakage (share of test documents' families in training, as a multiple of what blind chance gives),
Spearman's ρ of its order of models with the true one, whether its best model truly is, mean and absolute error of its
AUCs, and the paper's ranking stability (ρ between folds), with 95 % intervals over worlds, paired against HITS.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import spearmanr

from benchmarks.lab.blend import Blend, mixed
from ravenbench import registry
from ravenbench.corpora.synthetic import Synthetic
from ravenbench.metrics.pan import auc_of_scores
from ravenbench.problems import sources
from ravenbench.problems.sources import Split, equalise
from ravenbench.randomness import Draws, stream
from ravenbench.statistics.estimates import pool_mean
from ravenbench.statistics.ranks import ranking_stability
from ravenbench.text.counting import forget_counts
from ravenbench.topics.encoders import LSA
from ravenbench.topics.levels import keep_topics, topic_similarity
from ravenbench.types import Bools, Corpus, Floats, Fold, Ints, Labels

SAMPLERS = "random, hits, grouping, hybrid(threshold=0.3), hybrid(threshold=0.6), anti"
MODELS = ((0.0, 0.0), (0.5, 0.3), (0.8, 0.0), (1.1, 0.3), (1.5, 0.0), (2.0, 0.3), (0.0, 1.0))
"""(noise added to a style score, dose of topic). Less noise is truly better; topic helps where topics leak alone."""
STRUCTURES = ("families", "graded")
FOLDS, DOCUMENTS, PAIRS, TRUTHS = 5, 40, 7, 8
"""Folds of a corpus; documents of a topic; test pairs for each of m where equal; splits of a truth."""
MEASURES = ("pairs", "leakage", "order", "best", "bias", "error", "stability")


@dataclass(frozen=True, eq=False)
class World:
    """A synthetic corpus of which one half is sampled from; truth is measured on the other, ``rest`` (n,).

    In ``sampled`` only documents of the first half have a topic; ``family`` and ``topic`` (n,) are those of all.
    """

    number: int
    sampled: Corpus
    topic: Ints
    family: Ints
    rest: Bools
    similarity: Floats


def draw_world(number: int, structure: str) -> World:
    """A fresh world: another language, other authors, other texts."""
    whole = Synthetic(
        documents=8000, authors=200, style=0.6, dependence=0.5, seed=10_000 + number
    ).load()
    family = whole.columns["family"].codes
    labels = whole.topic if structure == "families" else _graded(family, number)
    first = np.where(np.arange(len(whole)) < len(whole) // 2, labels.codes, -1)
    sampled = keep_topics(replace(whole, topic=Labels(first, labels.names)), DOCUMENTS)
    return World(number, sampled, labels.codes, family, first < 0, topic_similarity(sampled, LSA()))


def _graded(family: Ints, number: int, topics: int = 60) -> Labels:
    """Topics that take documents of every family in Dirichlet shares: mostly of one to three families each."""
    rng = stream(number, "study-graded")
    shares = rng.dirichlet(np.full(int(family.max()) + 1, 0.15), size=topics).T
    shares /= shares.sum(axis=1, keepdims=True)
    codes = [int(rng.choice(topics, p=shares[f])) for f in family]
    return Labels(np.array(codes, dtype=np.int64), tuple(f"t{i:02d}" for i in range(topics)))


def areas(fold: Fold, number: int, pairs: int | None = None) -> list[float]:
    """AUC of every model on a fold, or on its first test pairs (they are in random order), (models,)."""
    learn = (
        np.ones(len(fold.train), dtype=bool)
        if fold.train.calibrate is None
        else ~fold.train.calibrate
    )
    style, topic = (
        Blend().fit(fold.train.select(learn), fold.train_same[learn]).standardised(fold.test).T
    )
    found = []
    for noise, dose in MODELS:
        drawn = stream(number, "study-noise", fold.name, str(noise)).standard_normal(len(style))
        blurred = (style + noise * drawn) / np.hypot(1, noise)
        scores = mixed(np.stack([blurred, topic], axis=1), dose)
        area = auc_of_scores(fold.test_same[:pairs], scores[:pairs])
        assert area is not None
        found.append(area)
    return found


def pairing(w: World, documents: int | None) -> sources.Pairing:
    return sources.Pairing(registry.parse("pairs", "matched"), documents, draws=Draws(w.number))


def truth(w: World, m: int) -> Floats:
    """AUC of every model on families that are not in training, (splits, models); sizes as in a corpus of m topics."""
    found = []
    for number in range(TRUTHS):
        name = f"truth-{m}-{number}"
        families = stream(w.number, "study-truth", m, number).permutation(int(w.family.max()) + 1)
        tested = np.isin(w.family, families[: len(families) // FOLDS])
        split = Split(w.sampled, w.topic, pairing(w, None), name)
        train = _rows(w, w.rest & ~tested, m * (FOLDS - 1) // FOLDS, name)
        test = _rows(w, w.rest & tested, 2 * m // FOLDS, name)
        none = np.empty(0, dtype=np.int64)
        drawn = split.train(train), split.draw(test, "test", None)
        found.append(
            areas(sources.assemble(w.sampled, split.code, name, *drawn, none, none, {}), w.number)
        )
    return np.array(found)


def _rows(w: World, mask: Bools, topics: int, name: str) -> Ints:
    inside = np.flatnonzero(mask)
    rng = stream(w.number, "study-truth-rows", name, topics)
    return inside[
        equalise(w.sampled.author.codes[inside], np.zeros_like(inside), topics * DOCUMENTS, rng)
    ]


def corpus_of(w: World, text: str, m: int) -> dict[str, Any]:
    """AUC by fold and model on a sampler's corpus with all its test pairs and with few, leakage and test pairs."""
    selection = registry.parse("sampler", text).select(
        w.similarity, m, stream(w.number, "study-sampler", text)
    )
    folds = sources.topics(
        w.sampled,
        selection.chosen,
        selection.merged,
        k=FOLDS,
        pairing=pairing(w, DOCUMENTS),
        name=f"{text}-{m}",
    )
    leaks = []
    for fold in folds:
        train, test = (_shares(w.family[p.documents], w) for p in (fold.train, fold.test))
        leaks.append(float(train @ test) * len(train))
    return {
        "m": m,
        "sampler": text,
        "documents": [areas(fold, w.number) for fold in folds],
        "pairs": [areas(fold, w.number, PAIRS * m) for fold in folds],
        "leakage": float(np.mean(leaks)),
        "test_pairs": float(np.mean([len(fold.test) for fold in folds])),
    }


def _shares(family: Ints, w: World) -> Floats:
    return np.asarray(
        np.bincount(family, minlength=int(w.family.max()) + 1) / len(family), dtype=np.float64
    )


def study(
    number: int, structure: str, sizes: Sequence[int], samplers: Sequence[str]
) -> dict[str, Any]:
    """All of one world: truths by m, and the AUCs and leakage of every sampler's corpus."""
    forget_counts()
    began = time.process_time()
    w = draw_world(number, structure)
    rows = [corpus_of(w, text, m) for m, text in product(sizes, samplers)]
    truths = {str(m): truth(w, m).mean(axis=0).tolist() for m in sizes}
    cpu = time.process_time() - began
    return {
        "world": number,
        "structure": structure,
        "truth": truths,
        "rows": rows,
        "cpu_seconds": cpu,
    }


def measured(row: Mapping[str, Any], basis: str, true: Floats) -> dict[str, float]:
    """What a corpus reveals; ``true`` (models,)."""
    values = np.array(row[basis])
    mean = values.mean(axis=0)
    stability = ranking_stability(values).rho
    assert stability is not None
    return {
        "leakage": row["leakage"],
        "order": float(spearmanr(mean, true).statistic),
        "best": float(np.argmax(mean) == np.argmax(true)),
        "bias": float(np.mean(mean - true)),
        "error": float(np.mean(np.abs(mean - true))),
        "stability": stability,
        "pairs": row["test_pairs"] if basis == "documents" else PAIRS * row["m"],
    }


def summarise(worlds: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """A row for each structure, basis, m (None: mean over all) and sampler: means over worlds, and against HITS."""
    structures = dict.fromkeys(w["structure"] for w in worlds)
    sizes = list(dict.fromkeys(row["m"] for row in worlds[0]["rows"]))
    samplers = list(dict.fromkeys(row["sampler"] for row in worlds[0]["rows"]))
    for structure, basis in product(structures, ("documents", "pairs")):
        mine = [w for w in worlds if w["structure"] == structure]
        true = {m: np.mean([w["truth"][str(m)] for w in mine], axis=0) for m in sizes}
        found: dict[tuple[int, str], list[list[float]]] = {}
        for row in (row for w in mine for row in w["rows"]):
            values = measured(row, basis, true[row["m"]])
            found.setdefault((row["m"], row["sampler"]), []).append([values[k] for k in MEASURES])
        for m, sampler in product((None, *sizes), samplers):
            among = sizes if m is None else [m]
            own, base = (
                np.mean([found[i, name] for i in among], axis=0)
                for name in (sampler, "hits" if "hits" in samplers else sampler)
            )
            yield {
                "structure": structure,
                "equal": basis,
                "m": m,
                "sampler": sampler,
                "worlds": len(mine),
                **{k: _interval(own[:, i]) for i, k in enumerate(MEASURES)},
                "against_hits": {k: _interval((own - base)[:, i]) for i, k in enumerate(MEASURES)},
                "truth": {str(m): true[m].tolist() for m in among},
            }


def _interval(values: Floats) -> dict[str, Any]:
    found = pool_mean(values)
    return {"mean": found.mean, "interval": found.interval}


def show(rows: Sequence[Mapping[str, Any]]) -> None:
    """Markdown: what each sampler revealed and how that differs from HITS."""
    keys = ("structure", "equal", "m")
    for place in dict.fromkeys(tuple(row[k] for k in keys) for row in rows):
        mine = [row for row in rows if tuple(row[k] for k in keys) == place]
        which = "all m" if place[2] is None else f"m = {place[2]}"
        print(f"\n{place[0]}, equal {place[1]}, {which}, {mine[0]['worlds']} worlds; true AUC:")
        for m, truth in mine[0]["truth"].items():
            print(f"m = {m}: " + ", ".join(f"{value:.3f}" for value in truth))
        print("\n| sampler | " + " | ".join(MEASURES) + " | order − HITS | error − HITS |")
        print("|---" * (len(MEASURES) + 3) + "|")
        for row in mine:
            cells = [f"{row[k]['mean']:.{0 if k == 'pairs' else 3}f}" for k in MEASURES]
            cells += [_cell(row["against_hits"][k]) for k in ("order", "error")]
            print(f"| {row['sampler']} | " + " | ".join(cells) + " |")


def _cell(value: Mapping[str, Any]) -> str:
    if value["interval"] is None:
        return f"{value['mean']:+.3f}"
    low, high = value["interval"]
    return f"{value['mean']:+.3f} [{low:+.3f}, {high:+.3f}]"


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.study_samplers", description=__doc__
    )
    parser.add_argument("--worlds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0, help="number of the first world")
    parser.add_argument("--m", default="10,20,30")
    parser.add_argument("--structures", default=", ".join(STRUCTURES))
    parser.add_argument("--samplers", default=SAMPLERS)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="write every world's figures and the summary"
    )
    parser.add_argument(
        "--read",
        type=Path,
        metavar="FILE",
        help="summarise the worlds of an earlier --json instead",
    )
    options = parser.parse_args()
    if options.read is not None:
        worlds = json.loads(options.read.read_text())["worlds"]
    else:
        sizes, samplers = [int(m) for m in options.m.split(",")], registry.split(options.samplers)
        numbers = range(options.seed, options.seed + options.worlds)
        jobs = [
            delayed(study)(n, s, sizes, samplers)
            for n in numbers
            for s in registry.split(options.structures)
        ]
        worlds = []
        for one in Parallel(n_jobs=options.workers, return_as="generator")(jobs):
            worlds.append(one)
            print(f"{len(worlds)} of {len(jobs)}", file=sys.stderr, flush=True)
    rows = list(summarise(worlds))
    show(rows)
    print(f"\n{sum(w['cpu_seconds'] for w in worlds):.0f} s of CPU")
    if options.json is not None:
        options.json.write_text(json.dumps({"worlds": worlds, "models": MODELS, "summary": rows}))


if __name__ == "__main__":
    main()
