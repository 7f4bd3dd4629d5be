"""Makes the report of ``raven run``: tables numbered as in the paper (HITS and RAVEN, 2024), page, JSON, terminal,
forecast.

In: the ``Analysis`` of a run, or a ``Forecast``.
Out: ``Table`` objects with one row a verifier, setup, fold or topic pair (metrics and AUC from 0 to 1, differences and
ρ from −1 to 1, similarities are cosines, p-values, ranks from 1 = best, counts of pairs, seconds; "n/a" = undefined),
sentences, figures by name, JSON values, Rich objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from ravenbench import registry
from ravenbench.builtin import is_control
from ravenbench.errors import counted
from ravenbench.reading.account import ACCOUNT
from ravenbench.reports import view
from ravenbench.reports.beside import Beside, beside, of_collection
from ravenbench.reports.content import (
    badge,
    best_first,
    content_json,
    content_sentence,
    content_table,
    glance_table,
    headline,
    no_verdict,
    reference_sentences,
    reference_table,
    references_json,
    replacements_table,
    topic_sentence,
)
from ravenbench.reports.report import Report
from ravenbench.statistics.axes import EFFECTS, Content, Domain, Judged, wrong_by_chance
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
    """The report of ``raven run``: its tables, figures, JSON and terminal lines, made from an ``Analysis``."""

    kind = "run"
    template = "ravenbench.tasks.run:template.html.j2"
    takes_answers = True

    @classmethod
    def previewed(cls, preview: Forecast) -> Sequence[Any]:
        return lines(preview)

    @cached_property
    def every(self) -> dict[str, view.Table]:
        """All tables of page, files, terminal and JSON, by key: first the two axes and the shortcut test, then the
        tables of the paper and of a sweep."""
        analysis = self.analysis
        tables = (
            content_table(analysis.content),
            replacements_table(analysis.content),
            reference_table(analysis.content),
            domain_table(analysis.domain),
            shortcut(analysis),
            variants_of(analysis),
            results(analysis),
            strata_table(analysis.strata),
            ranks(analysis),
            stability(analysis),
            sizes(analysis),
            similarities(analysis),
            neighbours(analysis),
            lengths_table(analysis.lengths),
            *sweep_tables(analysis.sweep),
        )
        return {table.key: table for table in tables}

    def tables(self) -> list[view.Table]:
        return [table for table in self.every.values() if table.rows]

    def page_tables(self) -> list[view.Table]:
        return [*self.every.values()]

    def published(self) -> list[view.Table]:
        """Return the values of Tables 2, 4 and 7 of the paper with 70 topics that a run with one of its verifiers also
        has."""
        if not of_collection(self.store.run.spec) or PRINTED_HITS.keys().isdisjoint(
            self.analysis.verifiers
        ):
            return []
        return beside(_beside_hits(self.analysis), "HITS and RAVEN, 2024, with 70 topics", WHY_HITS)

    def listings(self) -> list[view.Table]:
        """Return the results by fold, and the failures."""
        return [
            table for table in (*fold_tables(self.analysis), failures(self.analysis)) if table.rows
        ]

    def figures(self) -> dict[str, Figure]:
        """See ``tasks.run.figures.draw``."""
        from ravenbench.tasks.run.figures import draw

        return draw(self.analysis)

    def finding(self) -> str:
        """Return the finding on content, or why there is none, with HITS against Random; otherwise methods against
        their reference, or the highest AUC."""
        analysis = self.analysis
        answering = {
            result.verifier
            for result in analysis.results
            if result.unanswered is None or result.unanswered < 1
        }
        if analysis.results and not answering:
            return "No verdict, because no verifier answered a problem."
        rows = () if analysis.content is None else analysis.content.rows
        silent = {row.judged.outcome for row in rows} == {Content.NO_VERDICT}
        text = (
            f"No verdict on content, because {rows[0].judged.reason}."
            if silent
            else headline(analysis.content)
        )
        aucs = [
            comparison
            for comparison in analysis.shortcut
            if comparison.metric == TESTED[0]
            and comparison.verifier in answering
            and comparison.difference is not None
        ]
        if aucs and (not text or (silent and any(auc.difference for auc in aucs))):
            several = f"AUC in HITS minus AUC in Random: {_differences(aucs)}."
            return f"{text} {several if len(aucs) > 1 else f'{aucs[0].verifier}: {finding(aucs[0])}'}".lstrip()
        if text:
            return text
        if analysis.variants is not None:
            return told_variants(analysis.variants)
        return view.highest(
            "AUC", ((result.verifier, result.mean["auc"]) for result in analysis.results)
        )

    def context(self) -> dict[str, Any]:
        """Return the values that the template puts into words."""
        analysis = self.analysis
        from ravenbench.topics.levels import parted_by

        plan = analysis.plan
        return {
            "parts": parted_by(plan.topics),
            "run": _resolved(msgspec.to_builtins(analysis.run)),
            "more_pools": pools_advice(plan, float(analysis.run.spec.get("pool_share", 0.5))),
            "missing": missing(analysis, each=False),
            "verdicts": _verdicts(analysis),
            "headline": headline(analysis.content),
            "lets": reference_sentences(analysis.content),
            "glance": view.to_html(glance_table(analysis.content)),
            "topic": [] if analysis.content is None else topic_sentence(analysis.content.rows[0]),
            "chance": chance_sentence(analysis),
            "finding": finding,
            "leading": TESTED[0],
            "title": title,
            "failure_table": view.to_html(_first_rows(failures(analysis))),
            "missing_cells": sum(len(gap.folds) for gap in self.gaps),
            "notes": {
                k: note for k, note in plan.corpus.notes.items() if k not in ("defaults", "levels")
            },
            "folds": [
                _fold_group(analysis, setup, table)
                for setup, table in zip(analysis.setups, fold_tables(analysis), strict=True)
            ],
        }

    def to_json(self) -> dict[str, Any]:
        """Return every key, with None if undefined.

        ``setups`` and ``stability`` always name hits, random and anti (None if a run does not have the setup) and
        further setups of the run. ``difference`` is HITS − Random. A table that is not named here is last.
        """
        analysis = self.analysis
        tables = {key: view.rows_json(table) for key, table in self.every.items()}
        names = [*ORDER, *(setup.name for setup in analysis.setups if setup.name not in ORDER)]
        setups = {
            setup.name: {
                "topics": [list(pool) for pool in setup.topics],
                "mean_similarity": setup.mean_similarity,
                "max_similarity": setup.max_similarity,
            }
            for setup in analysis.setups
        }
        values = {
            "run": analysis.path,
            "report": f"{analysis.path}/report/index.html",
            "pairs": analysis.plan.pairs,
            "metric": TESTED[0],
            "pools": analysis.pools,
            "composition": {key: analysis.composition.get(key) for key in ("same", "different")},
            "detectable": analysis.detectable,
            "setups": {name: setups.get(name) for name in names},
            "results": view.objects(analysis.results, *_result_cols(analysis)),
            "no_choice": analysis.no_choice,
            "shortcut": tables["shortcut"],
            "sweep": sweep_json(analysis.sweep),
            "lengths": view.objects(analysis.lengths, *LENGTHS),
            "variants": tables["variants"],
            "against": None if analysis.variants is None else analysis.variants.reference,
            "content": content_json(analysis.content),
            "content_references": references_json(analysis.content),
            "domain": tables["domain"],
            "strata": tables["strata"],
            "stability": {
                name: {metric: analysis.stability[name][metric] for metric in METRICS}
                if name in analysis.stability
                else None
                for name in names
            },
            "failed": [
                {"cell": failure.cell, "error": failure.error} for failure in analysis.failures
            ],
        }
        return values | {
            key: rows for key, rows in tables.items() if any(rows) and key not in values
        }

    def closing(self) -> list[RenderableType]:
        """Return the tables for a terminal, some with advice, then notes."""
        from rich.text import Text

        analysis = self.analysis
        compared = [] if analysis.no_choice is None else [analysis.no_choice]
        if analysis.detectable is not None:
            text = f"A true difference of {view.figure(analysis.detectable)} in AUC between HITS and Random"
            compared.append(f"{text} would be detected with 80 % power.")
        advice_of = {"domain": missing(analysis), "shortcut": compared}
        blocks: list[RenderableType] = []
        keys = [*self.every]
        keys.insert(
            keys.index("results"), keys.pop(keys.index("shortcut"))
        )  # here scores come first
        for key in keys:
            first = key == "content"
            table = glance_table(analysis.content) if first else self.every[key]
            if table.rows and table.terminal:
                blocks.append(view.for_terminal(table, tight=first))
            blocks += map(Text, advice_of.get(key, ()))
        blocks += [
            Text(f"note: {sentence}.") for sentence in analysis.plan.corpus.notes.get(ACCOUNT, ())
        ]
        if "training" in analysis.plan.corpus.notes:
            blocks.append(Text(f"training: {analysis.plan.corpus.notes['training']}."))
        return blocks


def sizes(analysis: Analysis) -> view.Table:
    """Table 1, one setup a column: numbers of topics, pairs, documents and authors, as means over folds."""
    rows = [("folds", "folds", "")]
    for quantity in ("split", "pairs", "documents", "authors"):
        rows += [
            (f"{'topics' if quantity == 'split' else quantity} in {side}", quantity, side)
            for side in ("train", "test")
        ]
    rows.append(("authors in both", "authors", "both"))
    rows += [
        (f"proportion of same-topic pairs, {kind} author", "composition", kind)
        for kind in ("same", "different")
    ]
    return view.table(
        "sizes",
        "Sizes of the setups",
        [
            row
            for row in rows
            if any(_size(setup, *row[1:]) is not None for setup in analysis.setups)
        ],
        view.col("per fold", lambda row: row[0], text=True),
        *view.each(
            analysis.setups,
            lambda setup: title(setup.name),
            lambda row, setup: _size(setup, *row[1:]),
            digits=2,
        ),
        note=(
            "Means over folds. Pairs in train are those for training and those for"
            " calibration; proportions are of test pairs."
        ),
        section="data",
        terminal=False,
    )


def _size(setup: Setup, quantity: str, side: str) -> float | None:
    size = getattr(setup, quantity)
    value: float | None = size.get(side) if side else size
    return value if value is None or quantity == "composition" else round(value)


def results(analysis: Analysis) -> view.Table:
    """Table 2: metrics (0 to 1), mean ± standard deviation; marks of the paper's t-test of HITS and Random."""
    by_setup = (
        analysis.result(verifier, setup.name)
        for verifier in analysis.verifiers
        for setup in analysis.setups
    )
    note = (
        "Mean ±standard deviation over folds."
        if any(result.folds > 1 for result in analysis.results)
        else "One fold."
    )
    if _partial(analysis):
        note += (
            " Folds: those with answers, of those planned; a row is the mean over the folds"
            " with answers."
        )
    for verifier in analysis.plan.verifiers:
        shares = [
            result.unanswered
            for result in analysis.results
            if result.verifier == verifier.name and result.unanswered is not None
        ]
        if shares and min(shares) > MOSTLY:
            share = "all" if min(shares) == 1 else f"at least {min(shares):.0%} of the"
            silent = 2 * _unanswered_problems(
                analysis, verifier.name, "no_score"
            ) > _unanswered_problems(analysis, verifier.name, "no_answer")
            why = "most of its scores are NaN (cannot tell)" if silent else _unanswering(verifier)
            note += f" {verifier.name} left {share} problems unanswered (0.5): {why}."
    if analysis.shortcut:
        note += (
            " Two-sided Student t-test of HITS folds against Random folds, p < .05: * lower,"
            " † higher in HITS. The test assumes independent folds, which these are not."
        )
    rows = [result for result in by_setup if result is not None]
    cols = _result_cols(analysis)
    return view.table(
        "results", "Scores by verifier and setup", rows, *cols, note=note, section="scores"
    )


def _result_cols(analysis: Analysis) -> list[view.Col[Result]]:
    controls = {verifier.name for verifier in analysis.plan.verifiers if is_control(verifier.spec)}

    def best_of(setup: str, metric: str) -> float | None:
        means = [
            result.mean[metric] or 0.0
            for result in analysis.results
            if result.setup == setup and result.verifier not in controls
        ]
        higher = metric not in analysis.chosen or analysis.chosen[metric].higher
        return (max if higher else min)(means, default=None)

    best = {
        (setup.name, metric): best_of(setup.name, metric)
        for setup in analysis.setups
        for metric in analysis.metrics
    }
    several = len(set(analysis.verifiers) - controls) > 1
    # 80 columns have no room for others beside those that were chosen.
    leading = ("auc", *analysis.chosen) if analysis.chosen else None

    def score(result: Result, metric: str) -> view.Measure:
        is_best = (
            several
            and result.verifier not in controls
            and result.mean[metric] == best[result.setup, metric]
        )
        return view.Measure(
            result.mean[metric],
            result.std[metric],
            _significance_mark(analysis, result, metric),
            is_best,
        )

    return [
        view.col("verifier", lambda result: result.verifier, text=True, json="verifier"),
        view.col("setup", lambda result: result.setup, text=True, json="setup", show=title),
        *(
            [view.col("folds", lambda result: f"{result.folds} of {result.planned}", text=True)]
            if _partial(analysis)
            else []
        ),
        *view.each(analysis.metrics, analysis.title, score, json=str, terminal=leading),
        view.col(None, lambda result: result.unanswered, json="unanswered"),
        view.col(
            None,
            lambda result: {metric: result.std[metric] for metric in analysis.metrics},
            json="std",
        ),
    ]


def _partial(analysis: Analysis) -> bool:
    return any(result.folds < result.planned for result in analysis.results)


def _unanswered_problems(analysis: Analysis, verifier: str, reason: str) -> float:
    """How many test problems got no score or no answer of a verifier, over all folds."""
    return sum(fold.metrics.get(verifier, {}).get(reason) or 0.0 for fold in analysis.folds)


def _unanswering(verifier: VerifierRecord) -> str:
    """Why a verifier may answer hardly anything; a calibrator that suits any scale is named where it has another."""
    scores = "its scores hardly differ"
    if ":" in verifier.spec:
        # One's own is not loaded for a report. It has the calibrator that suits any unless it names another.
        made = verifier.identity
        calibrator = made["params"].get("calibrator") if isinstance(made, dict) else None
        component = SUITS_ANY if calibrator is None else str(calibrator["component"])
    else:
        verifier_object = as_verifier(registry.parse("verifier", verifier.spec))
        if not isinstance(verifier_object, Calibrated):
            return scores
        component = str(
            (verifier_object.calibrator or verifier_object.scorer.default_calibrator()).name
        )
    return (
        scores
        if component == SUITS_ANY
        else f"{scores}, or {component} does not suit their scale ({SUITS_ANY} suits any)"
    )


def _significance_mark(analysis: Analysis, result: Result, metric: str) -> str:
    p_value = result.p[metric]
    random_result = analysis.result(result.verifier, "random")
    mean = result.mean[metric]
    random = None if random_result is None else random_result.mean[metric]
    if p_value is None or p_value >= SIGNIFICANT or mean is None or random is None:
        return ""
    return "*" if mean < random else "†"


def variants_of(analysis: Analysis) -> view.Table:
    """Return methods with all their seeds, each compared with one of them."""
    titles = {
        metric: metric_title
        for metric in analysis.metrics
        if (metric_title := analysis.title(metric)) is not None
    }
    return variants_table(
        analysis.variants,
        list(titles),
        titles | {setup.name: title(setup.name) for setup in analysis.setups},
    )


WHY_HITS = (
    "the published figures are for the fan fiction of PAN 2020 and 2021, ten folds,"
    " SentenceBERT topics and five verifiers; here the corpus, its topics, their encoder and"
    " the ranked verifiers are others, unless you chose the same."
)
PRINTED_HITS = {"char-ngram": (0.926, 0.927), "ppm": (0.913, 0.926)}
"""Overall in HITS and Random, Table 2."""


def _beside_hits(analysis: Analysis) -> Iterable[Beside]:
    for position, name in enumerate(("hits", "random")):
        for setup in (setup for setup in analysis.setups if setup.name == name):
            known = [
                rho for metric in SHOWN if (rho := analysis.stability[name][metric]) is not None
            ]
            stable = sum(known) / len(known) if known else None
            yield Beside(
                f"{title(name)}: mean topic similarity",
                setup.mean_similarity,
                None,
                (0.775, 0.841)[position],
            )
            yield Beside(
                f"{title(name)}: highest", setup.max_similarity, None, (0.862, 0.922)[position]
            )
            yield Beside(f"{title(name)}: ranking stability", stable, None, (0.92, 0.86)[position])
        for verifier, printed in PRINTED_HITS.items():
            if (result := analysis.result(verifier, name)) is not None:
                yield Beside(
                    f"{title(name)}: overall of {verifier}",
                    result.mean["overall"],
                    None,
                    printed[position],
                )


def stability(analysis: Analysis) -> view.Table:
    """Table 4: mean Spearman correlation, −1 to 1, of the rankings of verifiers on two folds."""

    def known(setup: Setup) -> list[float]:
        return [
            rho for metric in SHOWN if (rho := analysis.stability[setup.name][metric]) is not None
        ]

    return view.table(
        "stability",
        "Ranking stability",
        [setup for setup in analysis.setups if known(setup)],
        view.col("setup", lambda setup: title(setup.name), text=True),
        *view.each(SHOWN, title, lambda setup, metric: analysis.stability[setup.name][metric]),
        view.col("mean", lambda setup: sum(known(setup)) / len(known(setup))),
        note=(
            "Spearman’s ρ between the rankings of verifiers on two folds of a pool, mean over pairs"
            " of folds, then pools."
        ),
        section="scores",
        terminal=False,
    )


def ranks(analysis: Analysis) -> view.Table:
    """Table 5: mean ranks by overall, 1 = best."""
    ranked = len(analysis.verifiers) > 1 and any(result.planned > 1 for result in analysis.results)

    def rank(verifier: str, setup: Setup) -> float | None:
        result = analysis.result(verifier, setup.name)
        return None if result is None else result.rank

    return view.table(
        "ranks",
        "Mean ranks by overall",
        analysis.verifiers if ranked else (),
        view.col("verifier", lambda verifier: verifier, text=True),
        *view.each(analysis.setups, lambda setup: title(setup.name), rank, digits=2),
        note="1 = best; mean over folds, ties share a rank.",
        section="scores",
        terminal=False,
    )


def neighbours(analysis: Analysis) -> view.Table:
    """Table 6: the most similar topics of train and test, with their cosine."""
    return view.table(
        "neighbours",
        "Most similar topics of train and test",
        [(setup, pair) for setup in analysis.setups for pair in setup.neighbours],
        view.col("setup", lambda row: title(row[0].name), text=True),
        view.col("topic in train", lambda row: row[1][0], text=True),
        view.col("topic in test", lambda row: row[1][1], text=True),
        view.col("cosine", lambda row: row[1][2]),
        section="topics",
        terminal=False,
    )


def similarities(analysis: Analysis) -> view.Table:
    """Table 7: mean and highest cosine similarity between train and test topics, by setup."""
    note = (
        "Cosines over train × test topics of a fold, mean over folds; encoder"
        f" {analysis.plan.encoder}"
    )
    cols: list[view.Col[Setup]] = [
        view.col("setup", lambda setup: title(setup.name), text=True),
        view.col("mean", lambda setup: setup.mean_similarity),
        view.col("highest", lambda setup: setup.max_similarity),
    ]
    if analysis.plan.second_encoder is not None:
        cols.append(view.col("mean, second encoder", lambda setup: setup.mean_similarity2))
        cols.append(view.col("highest, second encoder", lambda setup: setup.max_similarity2))
        note += (
            f", second encoder {analysis.plan.second_encoder} (these topics were extracted in the"
            " first)"
        )
    rows = [setup for setup in analysis.setups if setup.mean_similarity is not None]
    return view.table(
        "similarities",
        "Similarity of train and test topics",
        rows,
        *cols,
        note=f"{note}.",
        section="topics",
        terminal=False,
    )


def shortcut(analysis: Analysis) -> view.Table:
    """Table 11: HITS against Random by verifier and metric (0 to 1), with what this run can tell."""
    return view.table(
        "shortcut",
        "Topic shortcut test",
        analysis.shortcut,
        view.col("verifier", lambda comparison: comparison.verifier, text=True, json="verifier"),
        view.col(
            "metric",
            lambda comparison: comparison.metric,
            text=True,
            json="metric",
            show=lambda metric: analysis.title(metric) or title(metric),
        ),
        view.col("HITS", lambda comparison: comparison.hits, json="hits"),
        view.col("Random", lambda comparison: comparison.random, json="random"),
        view.col(
            "HITS−Random", lambda comparison: comparison.difference, signed=True, json="difference"
        ),
        view.col("Diff", lambda comparison: comparison.diff, json="diff", terminal=False),
        view.col("interval", lambda comparison: comparison.interval, signed=True, json="interval"),
        view.col("detectable", lambda comparison: comparison.detectable),
        view.col(
            "≠ 0?",
            lambda comparison: comparison.distinguishable,
            text=True,
            json="distinguishable",
            terminal=False,
            show=lambda differs: {True: "yes", False: "no", None: "n/a"}[differs],
        ),
        note=(
            f"Means over folds, then over {analysis.pools} pools. Interval: 95 %, over pools,"
            " allowing for their overlap. Detectable: smallest difference detected with 80 %"
            " power."
            if analysis.pools > 1
            else "Means over folds. One pool of topics: an interval cannot be estimated."
        ),
    )


def failures(analysis: Analysis) -> view.Table:
    """Return the cells without answers."""
    return view.table(
        "failures",
        "Cells without answers",
        analysis.failures,
        view.col("verifier", lambda failure: failure.verifier, text=True),
        view.col("fold", lambda failure: failure.fold, text=True),
        view.col("error", lambda failure: failure.error, text=True),
    )


def fold_tables(analysis: Analysis) -> list[view.Table]:
    """Return the results of every verifier on every fold, a table for each setup."""
    metrics = dict.fromkeys((*SHOWN, *analysis.chosen))
    return [
        view.table(
            f"folds-{setup.name}",
            f"{title(setup.name)}, fold by fold",
            [
                (fold, verifier)
                for fold in analysis.folds
                if fold.setup == setup.name
                for verifier in analysis.verifiers
            ],
            view.col("fold", lambda row: row[0].name, text=True),
            view.col("verifier", lambda row: row[1], text=True),
            *view.each(
                metrics,
                analysis.title,
                lambda row, metric: row[0].metrics.get(row[1], {}).get(metric),
            ),
        )
        for setup in analysis.setups
    ]


def _first_rows(table: view.Table) -> view.Table:
    """What a page shows of a long table."""
    if len(table.rows) <= MOST_ROWS:
        return table
    note = (
        f"The first {MOST_ROWS} of {len(table.rows):,} rows; all of them are in"
        f" tables/{table.key}.csv."
    )
    return replace(table, rows=table.rows[:MOST_ROWS], note=note)


def _fold_group(analysis: Analysis, setup: Setup, table: view.Table) -> dict[str, Any]:
    first_rows = _first_rows(table)
    names = {row[0] for row in first_rows.rows}
    folds = [fold for fold in analysis.folds if fold.setup == setup.name and fold.name in names]
    rows = [{"name": fold.name, "info": _named_topics(analysis, fold)} for fold in folds]
    return {
        "title": title(setup.name),
        "rows": rows,
        "table": view.to_html(first_rows),
    }


def _named_topics(analysis: Analysis, fold: FoldRow) -> dict[str, Any]:
    names = analysis.plan.topics
    info: dict[str, Any] = msgspec.to_builtins(fold.info)
    for key in ("train_topics", "test_topics"):
        if info.get(key):
            info[key] = [names[topic] for topic in info[key]]
    if fold.info.counts is not None and not fold.info.counts.calibrate.total:
        info["counts"]["calibrate"] = "no pairs set aside: calibrated by cross-fitting"
    return {key.replace("_", " "): value for key, value in info.items()}


def _resolved(run: dict[str, Any]) -> dict[str, Any]:
    """Return the head with the options that it left open marked: the corpus decided it, and the page says how
    elsewhere."""
    spec = {
        key: "decided by the corpus" if value is None else value
        for key, value in run["spec"].items()
        if key not in ("train", "test") or value
    }
    return {**run, "spec": spec}


def finding(comparison: Shortcut) -> str:
    """Return a sentence on what a shortcut test found, within its interval."""
    if comparison.hits is None or comparison.random is None or comparison.difference is None:
        return "no fold is complete in both setups."
    size = view.figure(comparison.diff)
    text = (
        f"AUC {view.figure(comparison.hits)} in HITS, {view.figure(comparison.random)} in Random: "
    )
    text += (
        "no difference"
        if float(size) == 0
        else f"{size} {'lower' if comparison.difference < 0 else 'higher'} in HITS"
    )
    if comparison.interval is None:
        return text + ". With one pool no interval can be estimated."
    low, high = (view.figure(end, signed=True) for end in comparison.interval)
    text += f" (95 % interval {low} to {high}). "
    if comparison.distinguishable:
        return text + "The difference is statistically significant."
    if comparison.difference == 0:
        return text.rstrip()
    least = (
        ""
        if comparison.detectable is None
        else (
            f"; this run would detect a difference of {view.figure(comparison.detectable)} with 80"
            " % power"
        )
    )
    return text + f"It is not statistically significant{least}."


def _differences(aucs: Sequence[Shortcut]) -> str:
    """The difference of every verifier with its interval, and how many are significant."""
    each_one = []
    for auc in aucs:
        ends = [view.figure(end, signed=True) for end in auc.interval or ()]
        between = f" [{ends[0]}, {ends[1]}]" if ends else ""
        each_one.append(f"{auc.verifier} {view.figure(auc.difference, signed=True)}{between}")
    sure = f"statistically significant: {sum(bool(auc.distinguishable) for auc in aucs)} of {len(aucs)}"
    estimated = any(auc.interval is not None for auc in aucs)
    return (
        f"{', '.join(each_one)};"
        f" {sure if estimated else 'with one pool no interval can be estimated'}"
    )


def _verdicts(analysis: Analysis) -> list[dict[str, Any]]:
    """By verifier: a badge, the kind of outcome and a sentence for each axis that was measured."""
    verdicts = []
    rows = () if analysis.content is None else best_first(analysis.content.rows)
    for verifier in [row.verifier for row in rows] or analysis.verifiers:
        axes = []
        if analysis.content is not None and analysis.content.section.reason is None:
            row = analysis.content.row(verifier)
            if text := content_sentence(row, below_table=True):
                axes.append({"badge": "", "kind": "", "text": text})
        if analysis.domain is not None and analysis.domain.section.repetitions:
            domain_row = analysis.domain.row(verifier)
            axes.append(
                {
                    "badge": badge(domain_row.judged),
                    "kind": domain_row.judged.outcome.name,
                    "text": domain_sentence(domain_row),
                }
            )
        verdicts.append({"verifier": verifier, "axes": axes})
    return verdicts


def chance_sentence(analysis: Analysis) -> str:
    """Return how many of the verdicts on the page are expected to be wrong."""
    judged: list[Judged[Any]] = [
        row.judged for row in (() if analysis.content is None else analysis.content.rows)
    ]
    judged += [row.judged for row in (() if analysis.domain is None else analysis.domain.rows)]
    firm = (*EFFECTS, Content.FLOOR, Content.LESS, Domain.DEPENDS, Domain.LESS)
    count = sum(j.outcome in firm for j in judged)
    if not count:
        return ""
    return (
        "Each verdict concerns one verifier and does not depend on the other verifiers; of "
        f"{counted(count, 'firm verdict')} here at most {wrong_by_chance(count):.2g} are"
        " expected to be wrong by chance."
    )


def missing(analysis: Analysis, *, each: bool = True) -> list[str]:
    """Return sentences on what could not be measured: a missing probe, and with ``each``, every verifier without a
    verdict."""
    sentences = [
        (
            f"{name} gave no score (NaN) to {counted(int(silent), 'test problem')}, which count as"
            " unanswered (.5)."
        )
        for name in analysis.verifiers
        if (silent := _unanswered_problems(analysis, name, "no_score"))
    ]
    sentences += no_verdict(analysis.content, each=each)
    if analysis.no_strata is not None:
        sentences.append(f"No AUC where topic misleads: {analysis.no_strata}.")
    domain = analysis.domain
    if domain is not None and not domain.section.repetitions:
        if domain.section.reason != NOT_ASKED:
            sentences.append(
                "No verdict on training domains, because there is no crossed probe"
                f" ({domain.section.reason})."
            )
    elif domain is not None and each:
        sentences += [
            f"No verdict on the training domain of {row.verifier}: {row.judged.reason}."
            for row in domain.rows
            if row.judged.outcome is Domain.NO_VERDICT
        ]
    return sentences


def forecast_table(forecast: Forecast) -> view.Table:
    """Return the folds and pairs of each setup and of the probe."""
    setups = [(title(name), setup) for name, setup in forecast.setups.items()]
    if forecast.probe is not None:
        setups.append(("crossed probe", forecast.probe))
    if forecast.transplant is not None:
        setups.append(("other content", forecast.transplant))
    return view.table(
        "forecast",
        "Contents of this run",
        setups,
        view.col("setup", lambda row: row[0], text=True),
        view.col("folds", lambda row: row[1].folds),
        view.col("pairs in train", lambda row: round(row[1].train)),
        view.col("pairs in test", lambda row: round(row[1].test)),
        note=(
            f"{forecast.documents:,} documents {'on' if forecast.parts == 'topics' else 'in'}"
            f" {forecast.topics} {forecast.parts}. Pairs: means over folds."
        ),
    )


def cure(options: str | None) -> str:
    """Return how to get several pools, as found by ``tasks.run.setups.pools_advice``."""
    return (
        f"give {options}"
        if options
        else "there are too few topics for several pools; give a column with more topics by --topic"
    )


def lines(forecast: Forecast) -> list[RenderableType]:
    """Return what a run would contain and show."""
    from rich.text import Text

    blocks: list[RenderableType] = [
        view.for_terminal(forecast_table(forecast)),
        *([] if forecast.sweep is None else [view.for_terminal(planned_sweep(forecast.sweep))]),
        Text(f"{counted(forecast.fits, 'fit')}, {counted(forecast.cells, 'cell')}."),
    ]
    if forecast.detectable is not None:
        text = (
            "HITS against Random would detect a true difference of about "
            f"{view.figure(forecast.detectable)} in AUC"
        )
        blocks.append(Text(f"{text} with 80 % power, if only the test pairs varied."))
    elif forecast.no_choice is not None:
        blocks.append(Text(forecast.no_choice))
    elif forecast.topics and forecast.parts == "topics":
        blocks.append(
            Text(
                "With one pool, Raven cannot show a difference between HITS and Random: "
                f"{cure(forecast.more_pools)}."
            )
        )
    if forecast.transplant is not None:
        text = f"Raven replaces content in up to {forecast.transplant.folds} folds"
        blocks.append(
            Text(f"{text}, in at most {forecast.transplant.test:.0f} problems each on average.")
        )
    elif forecast.transplant_reason is not None:
        blocks.append(Text(f"No verdict on content: {forecast.transplant_reason}."))
    pairs = round(forecast.probe.test / 2) if forecast.probe is not None else FEWEST_PAIRS
    if forecast.detectable_gain is not None and pairs < FEWEST_PAIRS:
        text = (
            "The crossed probe would give no verdict, because a test set has about "
            f"{counted(pairs, 'pair')} of a class, and"
        )
        blocks.append(
            Text(
                f"{text} {FEWEST_PAIRS} are needed. More documents for each author and topic"
                " would help."
            )
        )
    elif forecast.detectable_gain is not None:
        gain = view.figure(forecast.detectable_gain)
        text = f"The crossed probe would detect a true gain of about {gain} in AUC with 80 %"
        blocks.append(
            Text(
                f"{text} power for a verifier that varies as much as style-only; for others"
                " the gain must be larger."
            )
        )
    elif forecast.probe_reason is not None:
        blocks.append(
            Text(f"No crossed probe ({forecast.probe_reason}), so no verdict on training domains.")
        )
    return blocks
