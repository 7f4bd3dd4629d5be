"""What a search costs: ``python -m benchmarks.retrieval PART …``, CPU seconds on one core.

search [CANDIDATES [QUERIES]]   A tenth of the candidates and a fifth of the queries, by character 4-grams and by
                                scikit-learn's TfidfVectorizer and NearestNeighbors, in this order and in the other;
                                then all (100,000 of 350 words, 1,000): CPU seconds and peak memory of one process.
make FOLDER CANDIDATES QUERIES [SHORTEST LONGEST]
                                Files as AuthBench has them: texts of 100 to 350 words, ten candidates an author.
resample FOLDER CANDIDATES QUERIES [CORPUS [LEAST]]
                                The same from real texts (newsgroups): each author's are runs of four words of three
                                documents of at least so many words (100), drawn anew. 350 words a text.
measures [METRICS]              All measures from one matrix of scores, 500 queries and 5,000 candidates: by Raven, by
                                AuthBench's own evaluator (its file eval/metrics.py), by ranx and ir-measures where
                                they are installed; values must agree.
index [CANDIDATES [QUERIES]]    Vectors of 384 numbers: exact search, usearch and faiss, with recall of the first ten.

Texts of ``search`` and ``make`` are drawn from 30,000 made words by Zipf's law; those of ``make`` have a twentieth
of 20 words that are their author's.
"""

from __future__ import annotations

import importlib.util
import json
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from ravenbench.ext.retrieval.measures import auc_eer, levels_of, of_queries
from ravenbench.ext.retrieval.methods import CharNgramRetriever
from ravenbench.ext.retrieval.pool import Items, Pool, Questions
from ravenbench.ext.retrieval.search import search
from ravenbench.reading.load import load_corpus
from ravenbench.texts import TextTable

WORDS = 350
PER_AUTHOR = 10
RUN = 4
"""Words that follow each other in a resampled text as in the real one."""


def words() -> tuple[Any, Any]:
    """Made words, and where the chance of each ends."""
    rng = np.random.default_rng(0)
    parts = [
        a + b
        for a in "bcdfghklmnprstvw"
        for b in ("a", "e", "i", "o", "u", "an", "er", "is", "on", "ent")
    ]
    names = np.array(
        ["".join(rng.choice(parts, rng.integers(1, 5))) for _ in range(30_000)], dtype=object
    )
    chance = 1 / np.arange(1, len(names) + 1)
    return names, np.cumsum(chance / chance.sum())


def made(count: int) -> list[str]:
    """Texts of made words."""
    (names, ends), rng = words(), np.random.default_rng(1)
    return [" ".join(names[np.searchsorted(ends, rng.random(WORDS))]) for _ in range(count)]


def make(
    folder: str, candidates: str, queries: str, shortest: str = "100", longest: str = "350"
) -> None:
    """Write queries, candidates and truth, with texts of so many words."""
    (names, ends), rng = words(), np.random.default_rng(0)
    own = [rng.integers(0, len(names), 20) for _ in range(int(candidates) // PER_AUTHOR)]

    def text(author: int) -> str:
        size = int(rng.integers(int(shortest), int(longest) + 1))
        chosen = np.searchsorted(ends, rng.random(size))
        mine = rng.random(size) < 0.05
        chosen[mine] = own[author][rng.integers(0, len(own[author]), int(mine.sum()))]
        return " ".join(names[chosen])

    written(folder, len(own), int(queries), text)


def resample(
    folder: str, candidates: str, queries: str, corpus: str = "newsgroups", least: str = "100"
) -> None:
    """Write queries, candidates and truth of texts that are resampled from real ones."""
    rng, split = np.random.default_rng(0), [text.split() for text in load_corpus(corpus).texts]
    split = [words for words in split if len(words) >= int(least)]
    every = np.array([word for words in split for word in words], dtype=object)
    begins = np.cumsum([0, *map(len, split)])
    documents = rng.integers(0, len(split), (int(candidates) // PER_AUTHOR, 3))

    def text(author: int) -> str:
        of = documents[author][rng.integers(0, 3, WORDS // RUN + 1)]
        start = begins[of] + (rng.random(len(of)) * (begins[of + 1] - begins[of] - RUN + 1)).astype(
            np.int64
        )
        return " ".join(every[(start[:, None] + np.arange(RUN)).ravel()[:WORDS]])

    written(folder, len(documents), int(queries), text)


def written(folder: str, authors: int, queries: int, text: Callable[[int], str]) -> None:
    """Write texts by author, ten a candidate's and the first authors' once more as queries."""
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)

    def lines(name: str, records: Iterator[Mapping[str, Any]]) -> None:
        with (place / name).open("w") as file:
            file.writelines(json.dumps(record) + "\n" for record in records)

    def labels(author: int) -> dict[str, str]:
        return {
            "lang": "xx",
            "genre": ("mail", "post", "review")[author % 3],
            "source": f"s{author % 5}",
        }

    lines(
        "candidates.jsonl",
        (
            {"candidate_id": f"c{a}-{i}", "author_id": f"a{a}", **labels(a), "content": text(a)}
            for a in range(authors)
            for i in range(PER_AUTHOR)
        ),
    )
    lines(
        "queries.jsonl",
        ({"query_id": f"q{a}", **labels(a), "content": text(a)} for a in range(queries)),
    )
    lines(
        "ground_truth.jsonl",
        (
            {
                "query_id": f"q{a}",
                "positive_ids": [f"c{a}-{i}" for i in range(PER_AUTHOR)],
                "author_id": f"a{a}",
            }
            for a in range(queries)
        ),
    )


def pool_of(texts: TextTable, queries: int) -> Pool:
    """The first texts as queries, the others as candidates; the first candidates are the true ones."""

    def items(begin: int, end: int) -> Items:
        rows = np.arange(begin, end)
        return Items([str(i) for i in rows], np.arange(end - begin + 1), rows, {})

    nothing = np.zeros(queries + 1, np.int64), np.zeros(0, np.int64)
    asked = Questions(items(0, queries), np.arange(queries + 1), np.arange(queries), *nothing)
    return Pool(texts, asked, items(queries, len(texts)))


def searched(folder: str, queries: int) -> tuple[float, float]:
    """CPU seconds and peak memory in gigabytes of one search."""
    pool, began = pool_of(TextTable.open(folder), queries), time.process_time()
    ask = CharNgramRetriever().fit(pool).ask(pool.plain.queries)
    search(ask, pool.plain, pool.candidates, np.arange(len(pool.candidates)))
    return time.process_time() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def neighbours(texts: Sequence[str], queries: int) -> float:
    """CPU seconds of scikit-learn for the eight nearest candidates of each query."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.neighbors import NearestNeighbors

    began = time.process_time()
    weights = TfidfVectorizer(
        analyzer="char", ngram_range=(4, 4), max_features=20_000, dtype=np.float32
    )
    rows = weights.fit_transform(texts[queries:])
    NearestNeighbors(n_neighbors=8, metric="cosine", algorithm="brute").fit(rows).kneighbors(
        weights.transform(texts[:queries])
    )
    return time.process_time() - began


def whole(candidates: str = "100000", queries: str = "1000") -> None:
    """Compare searches of some, and measure one of all."""
    texts = made(int(candidates) + int(queries))
    with tempfile.TemporaryDirectory() as place:
        few, some = int(queries) // 5, int(candidates) // 10
        part = texts[: few + some]
        TextTable.collect(part)[0].save(Path(place) / "part")
        TextTable.collect(texts)[0].save(Path(place) / "whole")
        del texts
        searched(str(Path(place) / "part"), few)  # compiles
        ours, theirs = [], []
        for order in range(2):
            for mine in (order == 0, order == 1):
                if mine:
                    ours.append(searched(str(Path(place) / "part"), few)[0])
                else:
                    theirs.append(neighbours(part, few))
        print(
            f"{few:,} queries, {some:,} candidates: {min(ours):.1f} CPU s, scikit-learn {min(theirs):.1f} CPU s, "
            f"ratio {min(theirs) / min(ours):.1f}",
            flush=True,
        )
        del part
        with multiprocessing.get_context("fork").Pool(1) as one:
            seconds, memory = one.apply(searched, (str(Path(place) / "whole"), int(queries)))
        print(
            f"{int(queries):,} queries, {int(candidates):,} candidates: {seconds:.0f} CPU s, {memory:.2f} GB"
        )


KS = (1, 8)
Values = dict[str, float]


def measures(
    metrics: str | None = None, queries: int = 500, candidates: int = 5_000, true: int = 3
) -> None:
    """Compare measures and the time that they take, each twice."""
    rng = np.random.default_rng(0)
    keys = rng.random((queries, candidates))
    keys[:, :true] += 0.5
    # Whole numbers: nobody's rounding makes a tie.
    scores = keys.argsort(axis=1).argsort(axis=1).astype(np.float32)
    ways: dict[str, Callable[[], Values]] = {"raven": lambda: by_raven(scores, true)}
    if metrics is not None:
        ways["AuthBench"] = lambda: by_authbench(metrics, scores, true)
    named = named_of(scores, true)
    ways |= {"ranx": lambda: by_ranx(*named), "ir-measures": lambda: by_ir_measures(*named)}
    first: Values = {}
    for name, way in ways.items():
        with suppress(ImportError):
            way()  # compiles
            values, seconds = timed(way)
            first = first or values | {"seconds": seconds}
            off = max(abs(values[measure] - first[measure]) for measure in values)
            print(
                f"{name}: {seconds:.2f} CPU s, {seconds / first['seconds']:.0f} times Raven's; largest difference "
                f"of {', '.join(values)}: {off:.1e}",
                flush=True,
            )


def by_raven(scores: Any, true: int) -> Values:
    """All measures, EER and AUC among them, from a matrix whose first candidates are true."""
    queries, candidates = scores.shape
    ptr, nothing = (
        np.arange(queries + 1) * true,
        (np.zeros(queries + 1, np.int64), np.zeros(0, np.int64)),
    )
    items = [Items([""] * n, np.arange(n + 1), np.arange(n), {}) for n in (queries, candidates)]
    asked = Questions(items[0], ptr, np.tile(np.arange(true), queries), *nothing)
    found = search(lambda block: scores[:, block], asked, items[1], np.arange(candidates))
    area, error = auc_eer(*(level.sum(axis=0) for level in levels_of(found, ptr)))
    values = {
        name: float(value.mean())
        for name, value in of_queries(found, ptr, KS).items()
        if name != "bits"
    }
    return values | {"auc": float(area), "eer": float(error)}


def by_authbench(metrics: str, scores: Any, true: int) -> Values:
    """The same by AuthBench's own code."""
    import torch

    spec = importlib.util.spec_from_file_location("authbench_metrics", metrics)
    assert spec is not None and spec.loader is not None
    peer: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(peer)
    rows = [
        peer.ranking_metrics_for_query(torch.from_numpy(row), list(range(true)), (*KS, 10))
        for row in scores
    ]
    values = peer.aggregate_ranking_metrics(rows)
    own, others = (part.ravel().tolist() for part in (scores[:, :true], scores[:, true:]))
    named = ("success@1", "success@8", "recall@1", "recall@8", "mrr", "ndcg@10")
    areas = {"auc": peer.compute_roc_auc(own, others), "eer": peer.compute_eer(own, others)}
    return {name: values[name] for name in named} | areas


def named_of(
    scores: Any, true: int
) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Relevant candidates and scores by name, as peers take them."""
    names = [f"c{i}" for i in range(scores.shape[1])]
    run = {f"q{i}": dict(zip(names, row.tolist(), strict=True)) for i, row in enumerate(scores)}
    return {query: dict.fromkeys(names[:true], 1) for query in run}, run


def by_ranx(relevant: Any, run: Any) -> Values:
    """The same but EER and AUC by ranx."""
    from ranx import Qrels, Run, evaluate

    called = {
        "hit_rate@1": "success@1",
        "hit_rate@8": "success@8",
        "recall@8": "recall@8",
        "mrr": "mrr",
        "ndcg@10": "ndcg@10",
    }
    values = evaluate(Qrels(relevant), Run(run), list(called))
    return {ours: float(values[theirs]) for theirs, ours in called.items()}


def by_ir_measures(relevant: Any, run: Any) -> Values:
    """The same but EER and AUC by ir-measures, with pytrec_eval."""
    import ir_measures
    from ir_measures import RR, R, Success, nDCG

    called = {
        Success @ 1: "success@1",
        Success @ 8: "success@8",
        R @ 8: "recall@8",
        RR: "mrr",
        nDCG @ 10: "ndcg@10",
    }
    values = ir_measures.calc_aggregate(list(called), relevant, run)
    return {ours: float(values[theirs]) for theirs, ours in called.items()}


def index(
    candidates: str = "100000", queries: str = "1000", size: int = 384, depth: int = 10
) -> None:
    """Compare exact search with approximate ones: CPU seconds to build and to search, recall of the first ten."""
    import faiss
    from usearch.index import Index

    # 1,000 clusters: vectors without any would suit no index.
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((1_000, size), dtype=np.float32)

    def drawn(count: int) -> Any:
        vectors = centres[rng.integers(0, len(centres), count)] + rng.standard_normal(
            (count, size), dtype=np.float32
        )
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    vectors, asked = drawn(int(candidates)), drawn(int(queries))
    faiss.omp_set_num_threads(1)

    def exact() -> Any:
        best = [np.empty((len(asked), 0), np.int64), np.empty((len(asked), 0), np.float32)]
        for at in range(0, len(vectors), 2_048):
            scores = np.hstack([best[1], asked @ vectors[at : at + 2_048].T])
            ids = np.hstack(
                [best[0], np.tile(np.arange(at, min(at + 2_048, len(vectors))), (len(asked), 1))]
            )
            some = np.argpartition(-scores, depth, axis=1)[:, :depth]
            best = [np.take_along_axis(ids, some, 1), np.take_along_axis(scores, some, 1)]
        return best[0]

    def by_usearch() -> Any:
        graph = Index(ndim=size, metric="cos", dtype="f16")
        graph.add(np.arange(len(vectors)), vectors, threads=1)
        return lambda: graph.search(asked, depth, threads=1).keys

    def by_faiss() -> Any:
        lists = faiss.index_factory(
            size, f"IVF{int(4 * len(vectors) ** 0.5)},Flat", faiss.METRIC_INNER_PRODUCT
        )
        lists.train(vectors[:40_000])
        lists.add(vectors)
        lists.nprobe = 16
        return lambda: lists.search(asked, depth)[1]

    truth, seconds = timed(exact)
    print(f"exact: 0 + {seconds:.1f} CPU s", flush=True)
    for name, build in (("faiss, inverted lists", by_faiss), ("usearch, graph", by_usearch)):
        find, building = timed(build)
        found, searching = timed(find)
        recall = np.mean(
            [len(np.intersect1d(*pair)) / depth for pair in zip(found, truth, strict=True)]
        )
        print(f"{name}: {building:.1f} + {searching:.1f} CPU s, recall {recall:.3f}", flush=True)


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """What some work gives, and its CPU seconds."""
    began = time.process_time()
    return work(), time.process_time() - began


if __name__ == "__main__":
    part, *rest = sys.argv[1:] or ["search"]
    {"search": whole, "make": make, "resample": resample, "measures": measures, "index": index}[
        part
    ](*rest)  # type: ignore[operator]
