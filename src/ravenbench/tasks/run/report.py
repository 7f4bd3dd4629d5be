"""The report of a run: tables numbered as in the paper (HITS and RAVEN, 2024), page, JSON, terminal, forecast."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from ravenbench import registry
from ravenbench.builtin import is_control
from ravenbench.corpora.remarks import ACCOUNT
from ravenbench.errors import counted
from ravenbench.reports import view
from ravenbench.reports.beside import Beside, beside, of_collection
from ravenbench.reports.content import (
    badge,
    content_json,
    content_sentence,
    content_table,
    headline,
    no_verdict,
    reference_sentences,
    reference_table,
    references_json,
)
from ravenbench.reports.report import Report
from ravenbench.statistics.axes import EFFECTS, Content, Domain, wrong_by_chance
from ravenbench.tasks.run.analysis import (
    METRICS,
    ORDER,
    SHOWN,
    TESTED,
    Analysis,
    FoldRow,
    Result,
    Setup,
    Shortcut,
    analyse,
    title,
)
from ravenbench.tasks.run.probes import (
    FEWEST_PAIRS,
    LENGTHS,
    domain_sentence,
    domain_table,
    lengths_table,
    strata_table,
)
from ravenbench.tasks.run.setups import NOT_ASKED, pools_advice
from ravenbench.tasks.run.sweep import planned_sweep, sweep_json, sweep_tables
from ravenbench.tasks.run.variants import told_variants, variants_table
from ravenbench.verifiers.contract.base import Calibrated, as_verifier

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType

    from ravenbench.store.records import VerifierRecord
    from ravenbench.tasks.run.forecast import Forecast

SIGNIFICANT = 0.05
SUITS_ANY = "scaled-logistic"
MOSTLY = 0.5
"""Share of non-answers from which a verifier is said to say nothing."""
MOST_ROWS = 500
"""Rows of a table that a page shows; all are in its CSV file."""


class RunReport(Report[Analysis]):
    """The report of ``raven run``."""

    kind = "run"
    template = "ravenbench.tasks.run:template.html.j2"
    takes_answers = True

    def analyse(self) -> Analysis:
        """See ``tasks.run.analysis.analyse``."""
        return analyse(self.store)

    @cached_property
    def every(self) -> dict[str, view.Table]:
        """The one list of tables that page, files, terminal and JSON follow, by key: the two axes and the shortcut test
        first, then those of the paper and a sweep's."""
        a = self.analysis
        tables = (
            content_table(a.content),
            reference_table(a.content),
            domain_table(a.domain),
            shortcut(a),
            variants_of(a),
            results(a),
            strata_table(a.strata),
            ranks(a),
            stability(a),
            sizes(a),
            similarities(a),
            neighbours(a),
            lengths_table(a.lengths),
            *sweep_tables(a.sweep),
        )
        return {one.key: one for one in tables}

    def tables(self) -> list[view.Table]:
        return [one for one in self.every.values() if one.rows]

    def page_tables(self) -> list[view.Table]:
        return [*self.every.values()]

    def published(self) -> list[view.Table]:
        """Tables 2, 4 and 7 of the paper with 70 topics, for what a run with one of its verifiers has of them."""
        if not of_collection(self.store.run.spec) or PRINTED_HITS.keys().isdisjoint(self.analysis.verifiers):
            return []
        return beside(_beside_hits(self.analysis), "HITS and RAVEN, 2024, with 70 topics", WHY_HITS)

    def listings(self) -> list[view.Table]:
        """Fold by fold, and what failed."""
        return [one for one in (*fold_tables(self.analysis), failures(self.analysis)) if one.rows]

    def figures(self) -> dict[str, Figure]:
        """See ``tasks.run.figures.draw``."""
        from ravenbench.tasks.run.figures import draw

        return draw(self.analysis)

    def finding(self) -> str:
        """On content, or why not and HITS against Random; else methods against their reference, or the highest AUC."""
        a = self.analysis
        answering = {r.verifier for r in a.results if r.unanswered is None or r.unanswered < 1}
        if a.results and not answering:
            return "No verdict, because no verifier answered a problem."
        rows = () if a.content is None else a.content.rows
        silent = {row.judged.outcome for row in rows} == {Content.NO_VERDICT}
        text = f"No verdict on content, because {rows[0].judged.reason}." if silent else headline(a.content)
        aucs = [s for s in a.shortcut if s.metric == TESTED[0] and s.verifier in answering and s.difference is not None]
        if aucs and (not text or (silent and any(s.difference for s in aucs))):
            several = f"AUC in HITS less that in Random: {_differences(aucs)}."
            return f"{text} {several if len(aucs) > 1 else f'{aucs[0].verifier}: {finding(aucs[0])}'}".lstrip()
        if text:
            return text
        if a.variants is not None:
            return told_variants(a.variants)
        return view.highest("AUC", ((r.verifier, r.mean["auc"]) for r in a.results))

    def context(self) -> dict[str, Any]:
        """What the template says in words."""
        a = self.analysis
        from ravenbench.topics.levels import parted_by

        plan = a.plan
        return {
            "plan": plan,
            "parts": parted_by(plan.topics),
            "run": _resolved(msgspec.to_builtins(a.run)),
            "verifiers": a.verifiers,
            "pools": a.pools,
            "more_pools": pools_advice(plan, float(a.run.spec.get("pool_share", 0.5))),
            "pool_sizes": " or ".join(map(str, sorted({len(pool.topics) for pool in plan.pools}))),
            "detectable": a.detectable,
            "tested": any(s.difference is not None for s in a.shortcut),
            "no_choice": a.no_choice,
            "domain": a.domain,
            "probed": a.domain is not None and bool(a.domain.section.repetitions),
            "content": a.content,
            "content_probed": a.content is not None and a.content.section.reason is None,
            "missing": missing(a, each=False),
            "verdicts": _verdicts(a),
            "headline": headline(a.content),
            "lets": reference_sentences(a.content),
            "chance": chance_sentence(a),
            "spread": any(r.folds > 1 for r in a.results),
            "anti": a.setup("anti") is not None,
            "findings": [{"verifier": s.verifier, "text": finding(s)} for s in a.shortcut if s.metric == TESTED[0]],
            "variants": a.variants,
            "failures": a.failures,
            "failure_table": view.to_html(_first_rows(failures(a))),
            "cells": len(plan.cells),
            "missing_cells": sum(len(gap.folds) for gap in self.gaps),
            "sweep": a.sweep,
            "setups": [{"title": title(s.name), "topics": s.topics} for s in a.setups],
            "notes": {k: v for k, v in plan.corpus.notes.items() if k not in ("defaults", "levels")},
            "folds": [_fold_group(a, one) for one in fold_tables(a)],
        }

    def to_json(self) -> dict[str, Any]:
        """Every key always present; None where undefined.

        ``setups`` and ``stability`` always name hits, random and anti (None where a run has no such setup) and
        further setups where there are any. ``difference`` is HITS − Random. A table that is not named here stands last.
        """
        a, tables = self.analysis, {key: view.rows_json(one) for key, one in self.every.items()}
        names = [*ORDER, *(s.name for s in a.setups if s.name not in ORDER)]
        setups = {
            s.name: {
                "topics": [list(pool) for pool in s.topics],
                "mean_similarity": s.mean_similarity,
                "max_similarity": s.max_similarity,
            }
            for s in a.setups
        }
        values = {
            "run": a.path,
            "report": f"{a.path}/report/index.html",
            "pairs": a.plan.pairs,
            "metric": TESTED[0],
            "pools": a.pools,
            "composition": {key: a.composition.get(key) for key in ("same", "different")},
            "detectable": a.detectable,
            "setups": {name: setups.get(name) for name in names},
            "results": view.objects(a.results, *_result_cols(a)),
            "no_choice": a.no_choice,
            "shortcut": tables["shortcut"],
            "sweep": sweep_json(a.sweep),
            "lengths": view.objects(a.lengths, *LENGTHS),
            "variants": tables["variants"],
            "against": None if a.variants is None else a.variants.reference,
            "content": content_json(a.content),
            "content_references": references_json(a.content),
            "domain": tables["domain"],
            "strata": tables["strata"],
            "stability": {
                name: {m: a.stability[name][m] for m in METRICS} if name in a.stability else None for name in names
            },
            "failed": [{"cell": f.cell, "error": f.error} for f in a.failures],
        }
        return values | {key: rows for key, rows in tables.items() if any(rows) and key not in values}

    def closing(self) -> list[RenderableType]:
        """The tables that are for a terminal, with what is said after some, then remarks."""
        from rich.text import Text

        a = self.analysis
        compared = [] if a.no_choice is None else [a.no_choice]
        if a.detectable is not None:
            text = f"A true difference of {view.figure(a.detectable)} in AUC between HITS and Random"
            compared.append(f"{text} would be detected with 80 % power.")
        said = {"domain": missing(a), "shortcut": compared}
        parts: list[RenderableType] = []
        keys = [*self.every]
        keys.insert(keys.index("results"), keys.pop(keys.index("shortcut")))  # here scores come first
        for key in keys:
            one = self.every[key]
            parts += [view.for_terminal(one)] if one.rows and one.terminal else []
            parts += map(Text, said.get(key, ()))
        parts += [Text(f"Mind: {sentence}.") for sentence in a.plan.corpus.notes.get(ACCOUNT, ())]
        if "training" in a.plan.corpus.notes:
            parts.append(Text(f"training: {a.plan.corpus.notes['training']}."))
        return parts


def sizes(analysis: Analysis) -> view.Table:
    """Table 1, one setup a column: means over folds."""
    rows = [("folds", "folds", "")]
    for quantity in ("split", "pairs", "documents", "authors"):
        rows += [
            (f"{'topics' if quantity == 'split' else quantity} in {side}", quantity, side) for side in ("train", "test")
        ]
    rows.append(("authors in both", "authors", "both"))
    rows += [(f"share of same-topic pairs, {kind} author", "composition", kind) for kind in ("same", "different")]
    return view.table(
        "sizes",
        "Sizes of the setups",
        [row for row in rows if any(_size(s, *row[1:]) is not None for s in analysis.setups)],
        view.col("per fold", lambda row: row[0], text=True),
        *view.each(analysis.setups, lambda s: title(s.name), lambda row, s: _size(s, *row[1:]), digits=2),
        note="Means over folds. Pairs in train are those to fit and those to calibrate; shares are of test pairs.",
        section="data", terminal=False,
    )  # fmt: skip


def _size(setup: Setup, quantity: str, side: str) -> float | None:
    size = getattr(setup, quantity)
    value: float | None = size.get(side) if side else size
    return value if value is None or quantity == "composition" else round(value)


def results(analysis: Analysis) -> view.Table:
    """Table 2: mean ± standard deviation; marks where HITS and Random differ in the paper's t-test."""
    by_setup = (analysis.result(verifier, s.name) for verifier in analysis.verifiers for s in analysis.setups)
    note = "Mean ±standard deviation over folds." if any(r.folds > 1 for r in analysis.results) else "One fold."
    if _partial(analysis):
        note += " Folds: those with answers, of those planned; a row averages over the former alone."
    for verifier in analysis.plan.verifiers:
        shares = [r.unanswered for r in analysis.results if r.verifier == verifier.name and r.unanswered is not None]
        if shares and min(shares) > MOSTLY:
            much = "all" if min(shares) == 1 else f"at least {min(shares):.0%} of the"
            silent = 2 * _counted(analysis, verifier.name, "no_score") > _counted(analysis, verifier.name, "no_answer")
            why = "most of its scores are NaN (cannot tell)" if silent else _unanswering(verifier)
            note += f" {verifier.name} left {much} problems unanswered (0.5): {why}."
    if analysis.shortcut:
        note += (
            " Two-sided Student t-test of HITS folds against Random folds, p < .05: * lower, † higher in HITS;"
            " it takes folds for independent, which they are not."
        )
    rows = [r for r in by_setup if r is not None]
    cols = _result_cols(analysis)
    return view.table("results", "Scores by verifier and setup", rows, *cols, note=note, section="scores")


def _result_cols(analysis: Analysis) -> list[view.Col[Result]]:
    controls = {v.name for v in analysis.plan.verifiers if is_control(v.spec)}

    def best_of(setup: str, m: str) -> float | None:
        means = [r.mean[m] or 0.0 for r in analysis.results if r.setup == setup and r.verifier not in controls]
        higher = m not in analysis.chosen or analysis.chosen[m].higher
        return (max if higher else min)(means, default=None)

    best = {(s.name, m): best_of(s.name, m) for s in analysis.setups for m in analysis.metrics}
    several = len(set(analysis.verifiers) - controls) > 1
    # 80 columns have no room for others beside those that were chosen.
    leading = ("auc", *analysis.chosen) if analysis.chosen else None

    def score(r: Result, m: str) -> view.Measure:
        first = several and r.verifier not in controls and r.mean[m] == best[r.setup, m]
        return view.Measure(r.mean[m], r.std[m], _mark(analysis, r, m), first)

    return [
        view.col("verifier", lambda r: r.verifier, text=True, json="verifier"),
        view.col("setup", lambda r: r.setup, text=True, json="setup", show=title),
        *([view.col("folds", lambda r: f"{r.folds} of {r.planned}", text=True)] if _partial(analysis) else []),
        *view.each(analysis.metrics, analysis.title, score, json=str, terminal=leading),
        view.col(None, lambda r: r.unanswered, json="unanswered"),
        view.col(None, lambda r: {m: r.std[m] for m in analysis.metrics}, json="std"),
    ]


def _partial(analysis: Analysis) -> bool:
    return any(r.folds < r.planned for r in analysis.results)


def _counted(analysis: Analysis, verifier: str, what: str) -> float:
    """How many test problems got no score or no answer of a verifier, over all folds."""
    return sum(f.metrics.get(verifier, {}).get(what) or 0.0 for f in analysis.folds)


def _unanswering(verifier: VerifierRecord) -> str:
    """Why a verifier may answer hardly anything; a calibrator that suits any scale is named where it has another."""
    scores = "its scores hardly differ"
    if ":" in verifier.spec:
        # One's own is not loaded for a report. It has the calibrator that suits any unless it names another.
        calibrator = verifier.identity["params"].get("calibrator") if verifier.spec.startswith("calibrated(") else None
        used = SUITS_ANY if calibrator is None else str(calibrator["component"])
    else:
        verifier_object = as_verifier(registry.parse("verifier", verifier.spec))
        if not isinstance(verifier_object, Calibrated):
            return scores
        used = str((verifier_object.calibrator or verifier_object.scorer.default_calibrator()).name)
    return scores if used == SUITS_ANY else f"{scores}, or {used} does not suit their scale ({SUITS_ANY} suits any)"


def _mark(analysis: Analysis, r: Result, metric: str) -> str:
    p, other = r.p[metric], analysis.result(r.verifier, "random")
    own, random = r.mean[metric], None if other is None else other.mean[metric]
    if p is None or p >= SIGNIFICANT or own is None or random is None:
        return ""
    return "*" if own < random else "†"


def variants_of(analysis: Analysis) -> view.Table:
    """Methods with all their seeds, each against one of them."""
    titles = {m: own for m in analysis.metrics if (own := analysis.title(m)) is not None}
    return variants_table(analysis.variants, list(titles), titles | {s.name: title(s.name) for s in analysis.setups})


WHY_HITS = (
    "theirs are of the fan fiction of PAN 2020 and 2021, ten folds, SentenceBERT topics and five verifiers; here the "
    "corpus, its topics, their encoder and the verifiers that are ranked are others, unless you chose them so."
)
PRINTED_HITS = {"char-ngram": (0.926, 0.927), "ppm": (0.913, 0.926)}
"""Overall in HITS and Random, Table 2."""


def _beside_hits(analysis: Analysis) -> Iterable[Beside]:
    for place, name in enumerate(("hits", "random")):
        for s in (s for s in analysis.setups if s.name == name):
            known = [rho for m in SHOWN if (rho := analysis.stability[name][m]) is not None]
            stable = sum(known) / len(known) if known else None
            yield Beside(f"{title(name)}: mean topic similarity", s.mean_similarity, None, (0.775, 0.841)[place])
            yield Beside(f"{title(name)}: highest", s.max_similarity, None, (0.862, 0.922)[place])
            yield Beside(f"{title(name)}: ranking stability", stable, None, (0.92, 0.86)[place])
        for verifier, printed in PRINTED_HITS.items():
            if (own := analysis.result(verifier, name)) is not None:
                yield Beside(f"{title(name)}: overall of {verifier}", own.mean["overall"], None, printed[place])


def stability(analysis: Analysis) -> view.Table:
    """Table 4: mean Spearman correlation of rankings between folds."""

    def known(s: Setup) -> list[float]:
        return [rho for m in SHOWN if (rho := analysis.stability[s.name][m]) is not None]

    return view.table(
        "stability", "Ranking stability", [s for s in analysis.setups if known(s)],
        view.col("setup", lambda s: title(s.name), text=True),
        *view.each(SHOWN, title, lambda s, m: analysis.stability[s.name][m]),
        view.col("mean", lambda s: sum(known(s)) / len(known(s))),
        note="Spearman’s ρ between the rankings of verifiers on two folds of a pool, mean over pairs of folds, then "
        "pools.",
        section="scores", terminal=False,
    )  # fmt: skip


def ranks(analysis: Analysis) -> view.Table:
    """Table 5: mean ranks by overall."""
    ranked = len(analysis.verifiers) > 1 and any(r.planned > 1 for r in analysis.results)

    def rank(verifier: str, setup: Setup) -> float | None:
        result = analysis.result(verifier, setup.name)
        return None if result is None else result.rank

    return view.table(
        "ranks", "Mean ranks by overall", analysis.verifiers if ranked else (),
        view.col("verifier", lambda verifier: verifier, text=True),
        *view.each(analysis.setups, lambda s: title(s.name), rank, digits=2),
        note="1 = best; mean over folds, ties share a rank.",
        section="scores", terminal=False,
    )  # fmt: skip


def neighbours(analysis: Analysis) -> view.Table:
    """Table 6: the most similar topics of train and test."""
    return view.table(
        "neighbours",
        "Most similar topics of train and test",
        [(s, pair) for s in analysis.setups for pair in s.neighbours],
        view.col("setup", lambda r: title(r[0].name), text=True),
        view.col("topic in train", lambda r: r[1][0], text=True),
        view.col("topic in test", lambda r: r[1][1], text=True),
        view.col("cosine", lambda r: r[1][2]),
        section="topics", terminal=False,
    )  # fmt: skip


def similarities(analysis: Analysis) -> view.Table:
    """Table 7: mean and highest similarity between train and test topics."""
    note = f"Cosines over train × test topics of a fold, mean over folds; encoder {analysis.plan.encoder}"
    cols: list[view.Col[Setup]] = [
        view.col("setup", lambda s: title(s.name), text=True),
        view.col("mean", lambda s: s.mean_similarity),
        view.col("highest", lambda s: s.max_similarity),
    ]
    if analysis.plan.second_encoder is not None:
        cols.append(view.col("mean, second encoder", lambda s: s.mean_similarity2))
        cols.append(view.col("highest, second encoder", lambda s: s.max_similarity2))
        note += f", second encoder {analysis.plan.second_encoder} (these topics were extracted in the first)"
    rows = [s for s in analysis.setups if s.mean_similarity is not None]
    return view.table(
        "similarities", "Similarity of train and test topics", rows, *cols, note=f"{note}.", section="topics",
        terminal=False,
    )  # fmt: skip


def shortcut(analysis: Analysis) -> view.Table:
    """Table 11: HITS against Random, with what this run can tell."""
    return view.table(
        "shortcut", "Topic shortcut test", analysis.shortcut,
        view.col("verifier", lambda s: s.verifier, text=True, json="verifier"),
        view.col("metric", lambda s: s.metric, text=True, json="metric", show=lambda m: analysis.title(m) or title(m)),
        view.col("HITS", lambda s: s.hits, json="hits"),
        view.col("Random", lambda s: s.random, json="random"),
        view.col("HITS−Random", lambda s: s.difference, signed=True, json="difference"),
        view.col("Diff", lambda s: s.diff, json="diff", terminal=False),
        view.col("interval", lambda s: s.interval, signed=True, json="interval"),
        view.col("detectable", lambda s: s.detectable),
        view.col(
            "≠ 0?",
            lambda s: s.distinguishable,
            text=True,
            json="distinguishable",
            terminal=False,
            show=lambda differs: {True: "yes", False: "no", None: "n/a"}[differs],
        ),
        note=f"Means over folds, then over {analysis.pools} pools. Interval: 95 %, over pools, allowing for their "
        "overlap. Detectable: smallest difference detected with 80 % power."
        if analysis.pools > 1
        else "Means over folds. One pool of topics: an interval cannot be estimated.",
    )  # fmt: skip


def failures(analysis: Analysis) -> view.Table:
    """Cells without answers."""
    return view.table(
        "failures", "Cells without answers", analysis.failures,
        view.col("verifier", lambda f: f.verifier, text=True),
        view.col("fold", lambda f: f.fold, text=True),
        view.col("error", lambda f: f.error, text=True),
    )  # fmt: skip


def fold_tables(analysis: Analysis) -> list[view.Table]:
    """Every verifier on every fold, a table for each setup."""
    metrics = dict.fromkeys((*SHOWN, *analysis.chosen))
    return [
        view.table(
            f"folds-{setup.name}",
            f"{title(setup.name)}, fold by fold",
            [(f, verifier) for f in analysis.folds if f.setup == setup.name for verifier in analysis.verifiers],
            view.col("fold", lambda r: r[0].name, text=True),
            view.col("verifier", lambda r: r[1], text=True),
            *view.each(metrics, analysis.title, lambda r, m: r[0].metrics.get(r[1], {}).get(m)),
        )
        for setup in analysis.setups
    ]


def _first_rows(whole: view.Table) -> view.Table:
    """What a page shows of a long table."""
    if len(whole.rows) <= MOST_ROWS:
        return whole
    note = f"The first {MOST_ROWS} of {len(whole.rows):,} rows; all of them are in tables/{whole.key}.csv."
    return replace(whole, rows=whole.rows[:MOST_ROWS], note=note)


def _fold_group(analysis: Analysis, whole: view.Table) -> dict[str, Any]:
    few = _first_rows(whole)
    names = {row[0] for row in few.rows}
    folds = [f for f in analysis.folds if whole.key == f"folds-{f.setup}" and f.name in names]
    rows = [{"name": f.name, "info": _named_topics(analysis, f)} for f in folds]
    return {"title": whole.title.removesuffix(", fold by fold"), "rows": rows, "table": view.to_html(few)}


def _named_topics(analysis: Analysis, fold: FoldRow) -> dict[str, Any]:
    names = analysis.plan.topics
    info: dict[str, Any] = msgspec.to_builtins(fold.info)
    for key in ("train_topics", "test_topics"):
        if info.get(key):
            info[key] = [names[t] for t in info[key]]
    if fold.info.counts is not None and not fold.info.counts.calibrate.total:
        info["counts"]["calibrate"] = "no pairs set aside: calibrated by cross-fitting"
    return {key.replace("_", " "): value for key, value in info.items()}


def _resolved(run: dict[str, Any]) -> dict[str, Any]:
    """The head with what it left open named as such: the corpus decided it, and the page says how elsewhere."""
    spec = {
        key: "left to the corpus" if value is None else value
        for key, value in run["spec"].items()
        if key not in ("train", "test") or value
    }
    return {**run, "spec": spec}


def finding(s: Shortcut) -> str:
    """What a shortcut test found, as a sentence; it claims no more than the interval."""
    if s.hits is None or s.random is None or s.difference is None:
        return "no fold is complete in both setups."
    size = view.figure(s.diff)
    text = f"AUC {view.figure(s.hits)} in HITS, {view.figure(s.random)} in Random: "
    text += "no difference" if float(size) == 0 else f"{size} {'lower' if s.difference < 0 else 'higher'} in HITS"
    if s.interval is None:
        return text + ". With one pool no interval can be estimated."
    low, high = (view.figure(end, signed=True) for end in s.interval)
    text += f" (95 % interval {low} to {high}). "
    if s.distinguishable:
        return text + "The difference is statistically significant."
    if s.difference == 0:
        return text.rstrip()
    least = "" if s.detectable is None else f"; this run would find one of {view.figure(s.detectable)} with 80 % power"
    return text + f"It is not statistically significant{least}."


def _differences(aucs: Sequence[Shortcut]) -> str:
    """The difference of every verifier with its interval, and how many are significant."""
    each_one = []
    for s in aucs:
        ends = [view.figure(end, signed=True) for end in s.interval or ()]
        between = f" [{ends[0]}, {ends[1]}]" if ends else ""
        each_one.append(f"{s.verifier} {view.figure(s.difference, signed=True)}{between}")
    sure = f"statistically significant: {sum(bool(s.distinguishable) for s in aucs)} of {len(aucs)}"
    estimated = any(s.interval is not None for s in aucs)
    return f"{', '.join(each_one)}; {sure if estimated else 'with one pool no interval can be estimated'}"


def _verdicts(analysis: Analysis) -> list[dict[str, Any]]:
    """By verifier: a badge, the kind of outcome and a sentence for each axis that was measured."""
    verdicts = []
    for verifier in analysis.verifiers:
        axes = []
        if analysis.content is not None and analysis.content.section.reason is None:
            row = analysis.content.row(verifier)
            axes.append({"badge": badge(row.judged), "kind": row.judged.outcome.name, "text": content_sentence(row)})
        if analysis.domain is not None and analysis.domain.section.repetitions:
            own = analysis.domain.row(verifier)
            axes.append({"badge": badge(own.judged), "kind": own.judged.outcome.name, "text": domain_sentence(own)})
        verdicts.append({"verifier": verifier, "axes": axes})
    return verdicts


def chance_sentence(analysis: Analysis) -> str:
    """How many of the verdicts on the page are expected to be wrong."""
    judged = [row.judged for row in (() if analysis.content is None else analysis.content.rows)]
    judged += [row.judged for row in (() if analysis.domain is None else analysis.domain.rows)]
    firm = (*EFFECTS, Content.FLOOR, Content.LESS, Domain.DEPENDS, Domain.LESS)
    count = sum(j.outcome in firm for j in judged)
    if not count:
        return ""
    return (
        f"Each verdict concerns one verifier and does not depend on who else is listed; of {count} firm "
        f"{'verdict' if count == 1 else 'verdicts'} here at most {wrong_by_chance(count):.2g} are expected "
        "to be wrong by chance."
    )


def missing(analysis: Analysis, *, each: bool = True) -> list[str]:
    """Sentences on what could not be measured: a probe that is not there, and, unless verdicts stand beside it,
    ``each`` verifier without one."""
    sentences = [
        f"{name} gave no score (NaN) to {counted(int(silent), 'test problem')}: unanswered, they count as .5."
        for name in analysis.verifiers
        if (silent := _counted(analysis, name, "no_score"))
    ]
    sentences += no_verdict(analysis.content, each=each)
    domain = analysis.domain
    if domain is not None and not domain.section.repetitions:
        if domain.section.reason != NOT_ASKED:
            sentences.append(f"Nothing on training domains: there is no crossed probe ({domain.section.reason}).")
    elif domain is not None and each:
        sentences += [
            f"No verdict on the training domain of {r.verifier}: {r.judged.reason}."
            for r in domain.rows
            if r.judged.outcome is Domain.NO_VERDICT
        ]
    return sentences


def forecast_table(forecast: Forecast) -> view.Table:
    """Folds and pairs of each setup and of the probe."""
    parts = [(title(name), part) for name, part in forecast.setups.items()]
    if forecast.probe is not None:
        parts.append(("crossed probe", forecast.probe))
    if forecast.transplant is not None:
        parts.append(("other content", forecast.transplant))
    return view.table(
        "forecast", "This run would hold", parts,
        view.col("setup", lambda r: r[0], text=True),
        view.col("folds", lambda r: r[1].folds),
        view.col("pairs in train", lambda r: round(r[1].train)),
        view.col("pairs in test", lambda r: round(r[1].test)),
        note=f"{forecast.documents:,} documents {'on' if forecast.parts == 'topics' else 'in'} {forecast.topics} "
        f"{forecast.parts}. Pairs: means over folds.",
    )  # fmt: skip


def cure(options: str | None) -> str:
    """What gives several pools, as ``tasks.run.setups.pools_advice`` found it."""
    return f"give {options}" if options else "too few topics for several; give a column with more topics by --topic"


def lines(forecast: Forecast) -> list[RenderableType]:
    """What a run would hold, cost and show."""
    from rich.text import Text

    shares = ", ".join(f"{name} {value:.0f} s" for name, value in forecast.seconds.items())
    if forecast.untimed:
        shares += f"{', ' if shares else ''}outside programs and services not timed: {', '.join(forecast.untimed)}"
    parts: list[RenderableType] = [
        view.for_terminal(forecast_table(forecast)),
        *([] if forecast.sweep is None else [view.for_terminal(planned_sweep(forecast.sweep))]),
        Text(
            f"Cost: {forecast.fits} fits, {forecast.cells} cells, about {forecast.total:.0f} s on one core "
            f"({shares}, planning {forecast.planning:.0f} s, start and report {forecast.closing:.0f} s). These are "
            "seconds of CPU, timed now: a part of planning, every verifier on one fold. A first run also compiles "
            f"kernels, about 12 s; a busy machine takes longer. Memory: about {forecast.megabytes:,.0f} MB a worker."
        ),
    ]
    if forecast.detectable is not None:
        text = f"HITS against Random would find a true difference of about {view.figure(forecast.detectable)} in AUC"
        parts.append(Text(f"{text} with 80 % power, if only the test pairs varied."))
    elif forecast.no_choice is not None:
        parts.append(Text(forecast.no_choice))
    elif forecast.topics and forecast.parts == "topics":
        parts.append(
            Text(f"With one pool no difference between HITS and Random can be shown: {cure(forecast.more_pools)}.")
        )
    if forecast.transplant is not None:
        text = f"Content is transplanted in {forecast.transplant.folds} folds"
        words = f" {forecast.segmented}." if forecast.segmented else ""
        parts.append(Text(f"{text} of {forecast.transplant.test:.0f} problems on average.{words}"))
    elif forecast.transplant_reason is not None:
        parts.append(Text(f"No verdict on content: {forecast.transplant_reason}."))
    pairs = round(forecast.probe.test / 2) if forecast.probe is not None else FEWEST_PAIRS
    if forecast.detectable_gain is not None and pairs < FEWEST_PAIRS:
        text = f"The crossed probe would give no verdict: about {counted(pairs, 'pair')} of a class a test set, of"
        parts.append(Text(f"{text} {FEWEST_PAIRS} that it needs. More documents an author and topic would help."))
    elif forecast.detectable_gain is not None:
        gain = view.figure(forecast.detectable_gain)
        text = f"The crossed probe would call a true gain of about {gain} in AUC dependence with 80 %"
        parts.append(Text(f"{text} power, for a verifier that varies as style-only does; for others a larger one."))
    elif forecast.probe_reason is not None:
        parts.append(Text(f"No crossed probe ({forecast.probe_reason}), so nothing on training domains."))
    return parts
