"""Computes the results of a search: measures of every method with intervals, parts of the candidates, tests.

In: the folder (``Store``) of a search; for ``results`` also its plan, a method and a version of the queries.
Out: ``analyse_search``: a ``Search`` with a ``SearchRow`` for each method; success, recall, nDCG, MRR, AUC (higher =
better) and EER (lower = better) from 0 to 1 with 95 % intervals over authors, their differences from −1 to 1, differences
of ranks in log2 (1 = doubled), p from 0 to 1, ``bits`` binary logarithms of ranks (q,), lower = better. ``results``:
arrays by name, None if a part is missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ravenbench import files
from ravenbench.engine.options import checked
from ravenbench.ext.retrieval.measures import (
    Authors,
    auc_eer,
    compared,
    levels_of,
    of_queries,
    of_random,
    rank_content,
)
from ravenbench.ext.retrieval.pool import KINDS, OTHER, Pool, PoolParts
from ravenbench.ext.retrieval.search import added
from ravenbench.ext.retrieval.spec import RetrieveSpec
from ravenbench.ext.retrieval.task import RetrievePlan, stored_pool, version_of
from ravenbench.reports.content import confinement, exposure
from ravenbench.reports.view import value_of
from ravenbench.shown import Shown
from ravenbench.statistics.axes import Content
from ravenbench.statistics.estimates import Estimate, percentiles
from ravenbench.statistics.ranks import tie_groups
from ravenbench.store.store import Store
from ravenbench.text.splicing import BOTH
from ravenbench.types import Arrays, Bools, Floats, Ints

ALPHA = 0.05
Figures = dict[str, Estimate | None]
"""Means over queries with their intervals by key in JSON; None if there is none."""


@dataclass(frozen=True)
class SearchRow:
    """A method in a table: its figures (estimates by key, with 95 % intervals), and other ``known`` values, by
    key in JSON."""

    method: str
    figures: Figures
    known: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, repr=False)
class Search(Shown):
    """Everything a search shows.

    Attributes
    ----------
    authors, depth : int
        Number of authors of queries; the k of Success@k if only one is shown.
    methods : tuple of SearchRow
        Every method on all candidates; ``rank`` by MRR among methods that read texts, shared if no test separates them,
        None for a ``shortcut``.
    parts : tuple of SearchRow
        In a part of the candidates: ``success``, its value in as many candidates drawn at random (``random``), and
        their difference (``drop``).
    content : tuple of SearchRow
        On queries with other content: Success and MRR with their own content (``success``, ``mrr``) and with content off
        the true candidate's topic (``success_left``, ``mrr_left``), Success with content ``on`` it and the difference
        (``swing``), the ``verdict`` and its basis (``measures.rank_content``); all for the replacement of words
        that is worst for the method (``decided_by``).
    pairs : tuple of SearchRow
        Two methods by MRR: their ``difference``, ``p`` of a sign-flip test over authors, and p corrected by Holm.
    clean : tuple of SearchRow
        Success on all queries, and without queries with faulty labels.
    bits : mapping of str to (queries,) float64
        Binary logarithm of the expected rank of each query's best true candidate, by method.
    """

    plan: RetrievePlan
    spec: RetrieveSpec
    pool: Pool
    authors: int
    depth: int
    methods: tuple[SearchRow, ...]
    parts: tuple[SearchRow, ...]
    content: tuple[SearchRow, ...]
    pairs: tuple[SearchRow, ...]
    clean: tuple[SearchRow, ...]
    bits: Mapping[str, Floats] = field(repr=False)


def analyse_search(store: Store) -> Search:
    """Compute everything in the report, only from the store."""
    plan = store.plan_as(RetrievePlan)
    pool = stored_pool(store)
    spec = checked(dict(store.run.spec), RetrieveSpec)
    by_method = {
        v.name: one
        for v in plan.verifiers
        if (one := results(store, plan, v.name, "plain")) is not None
    }
    authors = Authors.of(pool.plain.queries.codes("author"), spec.seed)
    ptr = pool.plain.true_ptr
    depth = max(spec.k)
    values = {name: of_queries(one, ptr, spec.k) for name, one in by_method.items()}
    mrr = {name: values[name]["mrr"] for name in by_method if name not in plan.shortcuts}
    tests = compared(authors, mrr)
    ranks = _ranks({name: float(each.mean()) for name, each in mrr.items()}, tests)
    rows = [
        SearchRow(
            name,
            _figures(authors, values[name], by_method[name], ptr),
            {"shortcut": name in plan.shortcuts, "rank": ranks.get(name)},
        )
        for name in by_method
    ]
    rows.sort(key=lambda row: (row.known["shortcut"], -(value_of(row.figures["mrr"]) or 0.0)))
    names = [row.method for row in rows]
    pairs = (
        SearchRow(
            a, {"difference": authors.mean(mrr[a] - mrr[b])}, {"other": b, "p": p, "p_holm": q}
        )
        for (a, b), (p, q) in tests.items()
    )
    every = PoolParts.of(pool.plain, pool.candidates).names
    parts = (
        _part(authors, name, part, by_method[name], ptr, depth) for name in names for part in every
    )
    content = (
        _content(store, plan, pool, name, depth, spec.seed)
        for name in names
        if name not in plan.shortcuts
    )
    touched = files.read_array(store.path / "audit-touched.npy").astype(np.bool_)
    clean = (
        _clean(authors, name, values[name][f"success@{depth}"], touched)
        for name in names
        if touched.any()
    )
    return Search(
        plan,
        spec,
        pool,
        authors.count,
        depth,
        tuple(rows),
        tuple(filter(None, parts)),
        tuple(filter(None, content)),
        tuple(pairs),
        tuple(clean),
        {name: values[name]["bits"] for name in names},
    )


def results(store: Store, plan: RetrievePlan, method: str, version: str) -> Arrays | None:
    """Return a method's results for a version of the queries, over all shards; None if a cell is missing."""
    keys = [c.key for c in plan.cells if c.verifier == method and version_of(c.fold) == version]
    cells = [cell for cell in map(store.read_cell, keys) if cell is not None and cell.error is None]
    return (
        added([dict(cell.arrays) for cell in cells]) if cells and len(cells) == len(keys) else None
    )


def _means(authors: Authors, values: Mapping[str, Floats], *others: str) -> Figures:
    """Means with intervals; all but these ``others`` are values of 0 to 1."""
    return {key: authors.mean(each, share=key not in others) for key, each in values.items()}


def _figures(
    authors: Authors, values: Mapping[str, Floats], counts: Mapping[str, Any], ptr: Ints
) -> Figures:
    figures = _means(authors, values, "bits")
    if not len(counts["edges"]):
        return figures
    true, others = levels_of(counts, ptr)
    observed = auc_eer(true.sum(axis=0), others.sum(axis=0))
    drawn = auc_eer(authors.sums(true), authors.sums(others))
    for name, value, each in zip(("auc", "eer"), observed, drawn, strict=True):
        # Where every candidate is a true one there is nothing to tell it from.
        interval = percentiles(each, authors.count) if not np.isnan(value) else None
        figures[name] = None if interval is None else Estimate(float(value), None, interval, None)
    return figures


def _clean(authors: Authors, method: str, success: Floats, touched: Bools) -> SearchRow:
    clean = np.where(touched, np.nan, success)
    difference = None
    if not touched.all():
        drawn = percentiles(authors.means(clean) - authors.means(success), authors.count)
        difference = Estimate(float(np.nanmean(clean) - success.mean()), None, drawn, None)
    return SearchRow(
        method, _means(authors, {"success": success, "clean": clean}) | {"difference": difference}
    )


def _ranks(
    scores: Mapping[str, float], tests: Mapping[tuple[str, str], tuple[float, float]]
) -> dict[str, int]:
    names = list(scores)
    apart = np.zeros((len(names), len(names)), dtype=np.bool_)
    for (a, b), (_, corrected) in tests.items():
        i = names.index(a)
        j = names.index(b)
        apart[i, j] = apart[j, i] = corrected <= ALPHA
    return dict(zip(names, tie_groups(list(scores.values()), apart).tolist(), strict=True))


def _part(
    authors: Authors, method: str, part: str, counts: Mapping[str, Any], ptr: Ints, k: int
) -> SearchRow | None:
    values = of_queries(counts, ptr, (k,), part)
    success = values[f"success@{k}"]
    known = ~np.isnan(success)
    if not known.any():
        return None
    size = counts["size"][list(KINDS).index(part)]
    random = np.where(known, of_random(counts, ptr, k, size), np.nan)
    shown = {"success": success, "random": random, "drop": random - success, "mrr": values["mrr"]}
    sizes = {"queries": int(known.sum()), "median_candidates": int(np.median(size[known]))}
    return SearchRow(method, _means(authors, shown, "drop"), {"part": KINDS[part], **sizes})


def _content(
    store: Store, plan: RetrievePlan, pool: Pool, method: str, k: int, seed: int
) -> SearchRow | None:
    """A method's figures on queries with other content, by the replacement that speaks most against it; None where
    there are none, or a cell is missing."""
    by_version = {version: results(store, plan, method, version) for version in pool.versions}
    if not by_version or any(one is None for one in by_version.values()):
        return None
    questions = pool.questions("own")
    authors = Authors.of(questions.queries.codes("author"), seed)
    values = {
        version: of_queries(one or {}, questions.true_ptr, (k,))
        for version, one in by_version.items()
    }
    judged = []
    for way, of in BOTH.items():
        if f"{of}off2" in values:
            mine = {"own": values["own"]} | {name: values[of + name] for name in OTHER}
            bits = {version: one["bits"] for version, one in mine.items()}
            judged.append((*rank_content(authors, bits), way, mine))
    verdict, ranks, way, mine = min(judged, key=lambda one: list(Content).index(one[0]))
    success, mrr = ({v: one[name] for v, one in mine.items()} for name in (f"success@{k}", "mrr"))
    shown = {"success": success["own"], "mrr": mrr["own"], "on": success["on"]}
    shown |= {
        f"{key}_left": (each["off"] + each["off2"]) / 2
        for key, each in (("success", success), ("mrr", mrr))
    }
    shown["swing"] = shown["on"] - shown["success_left"]
    cells = [store.read_cell(c.key) for c in plan.cells if c.verifier == method]
    said: str = verdict
    if verdict is Content.LESS:
        barred = exposure(store, method, cells)
        confined = confinement(store, method, cells)
        said = (
            f"{Content.NO_VERDICT}: {barred}"
            if barred
            else f"{verdict} ({confined})"
            if confined
            else verdict
        )
    known = {"verdict": said, "decided_by": way}
    return SearchRow(method, _means(authors, shown, "swing") | ranks, known)
