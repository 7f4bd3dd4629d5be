"""Makes the report of ``raven pan14``: tables of the PAN-2014 overview, and macro means, intervals, shared documents.

In: an ``Overview``.
Out: ``Table`` objects with one row a verifier, corpus or reason (AUC, c@1 and their product, 0 to 1, undefined =
"n/a"; counts of problems; seconds), matplotlib figures by name, JSON values and Rich objects.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ravenbench.builtin import is_control
from ravenbench.errors import counted
from ravenbench.metrics.base import Metric, title_of
from ravenbench.reports import content
from ravenbench.reports.beside import theirs_is
from ravenbench.reports.page import FAINT, INK, SETUP, canvas, style
from ravenbench.reports.report import Report
from ravenbench.reports.view import (
    Col,
    Measure,
    Table,
    col,
    highest,
    printable,
    table,
)
from ravenbench.tasks.evaluate.evaluation import hull_table, significance_table
from ravenbench.tasks.pan14.analysis import (
    META,
    METRICS,
    CorpusScores,
    Overview,
    Row,
    Rows,
)
from ravenbench.tasks.pan14.published import CORPORA, publication

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType

IN_TERMINAL = "c@1"
"""The metric whose tests a terminal shows."""
LONGEST = 28
"""Characters of a name in a figure."""
NOTE = "final = AUC · c@1; seconds are for training and answering. Bootstrap over problems."


class Pan14Report(Report[Overview]):
    """The report of ``raven pan14``: its tables, figures, JSON and terminal lines, made from an ``Overview``."""

    kind = "pan14"
    template = "ravenbench.tasks.pan14:template.html.j2"
    takes_answers = True
    tight = True

    def tables(self) -> list[Table]:
        """Those with rows, in the order of the page."""
        overview = self.analysis
        tables = [
            data_table(overview),
            overall_table(overview),
            *content_tables(overview),
            *(corpus_table(overview, corpus, i) for i, corpus in enumerate(overview.corpora)),
            *(
                without_shared_table(corpus, i)
                for i, corpus in enumerate(overview.corpora)
                if corpus.without_shared
            ),
            *published_tables(overview),
        ]
        if overview.pooled is not None:
            for metric in overview.pooled.tests if len(overview.pooled.systems) > 1 else ():
                table = significance_table(overview.pooled, metric)
                tables.append(replace(table, terminal=metric == IN_TERMINAL))
            tables.append(replace(hull_table(overview.pooled), terminal=False))
        reasons = reasons_table(overview)
        return [*tables, *([reasons] if reasons.rows else [])]

    def figures(self) -> dict[str, Figure]:
        """``content``: style left and swing; ``finals``: final scores by corpus; ``roc``: curves over all problems."""
        from ravenbench.tasks.evaluate.report import roc

        overview = self.analysis
        figures = {}
        with style():
            if overview.content is not None and any(
                row.figures.swing is not None for row in overview.content.rows
            ):
                figures["content"] = content.content_figure(overview.content)
            figures["finals"] = finals(overview)
            if overview.pooled is not None and overview.pooled.hull is not None:
                figures["roc"] = roc(overview.pooled)
        return figures

    def finding(self) -> str:
        """The highest final score over all problems, and how many verifiers go by content."""
        overview = self.analysis
        text = highest(
            "final score over all problems",
            ((n, row.scores["final"]) for n, row in overview.micro.items()),
        )
        return " ".join(filter(None, (text, content.headline(overview.content))))

    def context(self) -> dict[str, Any]:
        """What the template says in words."""
        overview = self.analysis
        return {
            "meta": META,
            "verdicts": content.verdicts(overview.content),
            "headline": content.headline(overview.content),
            "lets": [
                {"name": corpus.name, "sentences": content.reference_sentences(corpus.content)}
                for corpus in overview.corpora
            ],
            "missing": [
                {"corpus": corpus.name, "text": text}
                for corpus in overview.corpora
                for text in content.no_verdict(corpus.content)
            ],
            "answered": sum(
                any(verifier.name in corpus.rows for corpus in overview.corpora)
                for verifier in overview.plan.verifiers
            ),
            "lost": sum(len(gap.folds) for gap in self.gaps),
        }

    def to_json(self) -> dict[str, Any]:
        """One object of plain values; undefined values are None."""
        overview = self.analysis
        pooled = None if overview.pooled is None else overview.pooled.to_json()
        return {
            "run": overview.path,
            "corpora": {corpus.name: _rows_json(corpus.rows) for corpus in overview.corpora},
            "micro": _rows_json(overview.micro),
            "macro": _rows_json(overview.macro),
            "content": content.content_json(overview.content),
            "content_by_corpus": {
                corpus.name: content.content_json(corpus.content) for corpus in overview.corpora
            },
            "without_shared_documents": {
                corpus.name: {
                    "documents": corpus.info.shared.documents,
                    "problems": len(corpus.info.shared.problems),
                    "systems": _rows_json(corpus.without_shared),
                }
                for corpus in overview.corpora
            },
            "pairs": [] if pooled is None else pooled["pairs"],
            "hull": [] if pooled is None else pooled["hull"],
            "faults": {corpus.name: dict(corpus.info.faults) for corpus in overview.corpora},
            "left_out_of_training": {
                corpus.name: dict(corpus.info.left_out) for corpus in overview.corpora
            },
            "failed": [
                {"cell": failure.cell, "error": failure.error.splitlines()[0]}
                for failure in overview.failures
            ],
        }

    def closing(self) -> list[RenderableType]:
        """The tables of scores, and what could not be asked."""
        from rich.text import Text

        missing = [
            Text(f"{corpus.name}: {text}")
            for corpus in self.analysis.corpora
            for text in content.no_verdict(corpus.content)
        ]
        return [*super().closing(), *missing]


def _rows_json(rows: Rows) -> dict[str, Any]:
    return {
        name: {
            **row.scores,
            "unanswered": row.unanswered,
            "seconds": row.seconds,
            "interval": {
                metric: None if (interval := row.interval[metric]) is None else list(interval)
                for metric in row.interval
            },
        }
        for name, row in rows.items()
    }


def data_table(overview: Overview) -> Table:
    """Table 1: the content of the corpora."""
    rows = [
        (corpus, name, side, unread)
        for corpus in overview.corpora
        for name, side, unread in (
            ("train", corpus.info.train, corpus.info.left_out),
            ("test", corpus.info.test, corpus.info.faults),
        )
    ]
    return table(
        "data",
        "Corpora",
        rows,
        col("part", lambda row: f"{row[0].name} {row[1]}", text=True),
        col("language and genre", lambda row: _kind(row[0]), text=True),
        col("problems", "2.problems"),
        col("same", "2.same"),
        col("known", "2.known", digits=1),
        col("words", lambda row: round(row[2].words)),
        col("unreadable", lambda row: len(row[3])),
        note=(
            "Known documents of each problem, words of each document (means); unreadable test"
            " problems count as unanswered."
        ),
        terminal=False,
    )


def _kind(corpus: CorpusScores) -> str:
    return " ".join(word for word in (corpus.info.language, corpus.info.genre) if word) or "n/a"


System = tuple[str, Row]
NAME: Col[System] = col("system", "0", text=True)
FINAL: Col[System] = col("final", lambda row: row[1].scores["final"])
SECONDS: Col[System] = col("seconds", "1.seconds", digits=1, terminal=False)


def _scores(rows: Rows, chosen: Mapping[str, Metric]) -> tuple[Col[System], ...]:
    """A system's scores, the best of each column marked; the meta-classifier is made of the others and never best."""
    rivals = {name: row for name, row in rows.items() if name != META and not is_control(name)}

    def score(metric: str) -> Col[System]:
        better = max if metric not in chosen or chosen[metric].higher else min
        best = better(
            (score for row in rivals.values() if (score := row.scores[metric]) is not None),
            default=None,
        )

        def value(system: System) -> Measure:
            name, row = system
            return Measure(
                value := row.scores[metric],
                best=name in rivals and value is not None and value == best,
            )

        title = title_of(chosen[metric]) if metric in chosen else {"auc": "AUC"}.get(metric, metric)
        return col(title, value)

    interval: Col[System] = col("95 % interval", lambda row: row[1].interval["final"])
    unanswered: Col[System] = col("unanswered", "1.unanswered")
    added = (score(metric) for metric in chosen if metric not in METRICS)
    return NAME, score("final"), interval, score("auc"), score("c@1"), *added, unanswered


def overall_table(overview: Overview) -> Table:
    """Table 2: all problems pooled, with the macro mean beside it."""
    macro = overview.macro
    return table(
        "overall",
        "All problems",
        overview.micro.items(),
        *_scores(overview.micro, overview.chosen),
        SECONDS,
        col("macro", lambda row: macro[row[0]].scores["final"]),
        col("macro interval", lambda row: macro[row[0]].interval["final"]),
        note=(
            f"{NOTE} The macro mean gives each corpus the same weight. The meta-classifier is"
            " the mean of all answers."
        ),
    )


def content_tables(overview: Overview) -> list[Table]:
    """Tables of style left and content effect of every verifier: over all corpora, and for each corpus."""
    table = replace(
        content.content_table(overview.content), title=f"{content.TITLE}: mean of the corpora"
    )
    tables = [table] if len(overview.corpora) > 1 else []
    for make_table in (
        content.content_table,
        content.replacements_table,
        content.reference_table,
    ):
        for i, corpus in enumerate(overview.corpora, 1):
            corpus_table = make_table(corpus.content)
            tables.append(
                replace(
                    corpus_table,
                    key=f"{corpus_table.key}-{i}",
                    title=f"{corpus_table.title}: {corpus.name}",
                    section="content",
                )
            )
    return [table for table in tables if table.rows]


def corpus_table(overview: Overview, corpus: CorpusScores, number: int) -> Table:
    """Tables 3–8: one corpus."""
    problems = corpus.info.test.problems + len(corpus.info.fault_truth)
    title = f"{corpus.name}, {problems} problems"
    scores = _scores(corpus.rows, overview.chosen)
    return table(
        f"corpus-{number + 1}",
        title,
        corpus.rows.items(),
        *scores,
        SECONDS,
        note=NOTE,
        section="corpora",
    )


def without_shared_table(corpus: CorpusScores, number: int) -> Table:
    """Scores without the test problems that touch a document seen in training."""
    shared = corpus.info.shared
    return table(
        f"shared-{number + 1}",
        f"{corpus.name} without shared documents",
        corpus.rows.items(),
        NAME,
        FINAL,
        col("interval", lambda row: row[1].interval["final"]),
        col("without", lambda row: corpus.without_shared[row[0]].scores["final"]),
        col("interval without", lambda row: corpus.without_shared[row[0]].interval["final"]),
        note=(
            f"{counted(shared.documents, 'document')} in both train and test; this table"
            f" leaves out the {counted(len(shared.problems), 'test problem')} with one."
        ),
        section="corpora",
    )


def published_tables(overview: Overview) -> list[Table]:
    """Every method's final score beside the printed one, and why they may differ, for corpora with its names."""
    corpora = [corpus for corpus in overview.corpora if corpus.name in CORPORA]
    names = sorted(
        {name for corpus in corpora for name in corpus.rows}, key=lambda name: (name == META, name)
    )
    methods = {name: printed for name in names if (printed := publication(name)) is not None}
    rows = [
        (
            name,
            corpus,
            corpus.rows[name],
            method.figures[corpus.name].final if corpus.name in method.figures else None,
        )
        for name, method in methods.items()
        for corpus in corpora
        if name in corpus.rows
    ]
    if not rows:
        return []
    beside = table(
        "published",
        "Published figures compared",
        rows,
        col("system", "0", text=True),
        col("corpus", "1.name", text=True),
        col("final", lambda row: row[2].scores["final"]),
        col("95 % interval", lambda row: row[2].interval["final"]),
        col("printed", "3"),
        col(
            "theirs is",
            lambda row: theirs_is(row[3], row[2].scores["final"], row[2].interval["final"]),
            text=True,
        ),
        note=(
            "Printed: final scores of the overview, Tables 3–8; n/a if a method was published"
            " on other data."
        ),
        section="corpora",
    )
    why = table(
        "published-why",
        "Why they may differ",
        methods.items(),
        col("system", "0", text=True),
        col("published as", "1.system", text=True),
        col("why figures may differ", "1.why", text=True),
        section="corpora",
    )
    return [beside, why]


def reasons_table(overview: Overview) -> Table:
    """Problems that could not be read, cells that failed, and remarks."""
    rows: list[tuple[str, str, str]] = []
    for corpus in overview.corpora:
        rows += [
            (corpus.name, f"test {name} unanswered", why)
            for name, why in corpus.info.faults.items()
        ]
        rows += [
            (corpus.name, f"train {name} left out", why)
            for name, why in corpus.info.left_out.items()
        ]
        rows += [(corpus.name, "remark", note) for note in corpus.info.notes]
    rows += [
        (failure.fold, f"{failure.verifier} failed", failure.error.splitlines()[0])
        for failure in overview.failures
    ]
    return table(
        "reasons",
        "Left out, unanswered, failed",
        rows,
        col("corpus", "0", text=True),
        col("what", "1", text=True),
        col("why", "2", text=True),
    )


def finals(overview: Overview) -> Figure:
    """One panel a corpus and one for all problems: final scores and their intervals."""
    panels: list[tuple[str, Rows]] = [(corpus.name, corpus.rows) for corpus in overview.corpora]
    if len(panels) > 1 and overview.micro:
        panels.append(("all problems", overview.micro))
    order = list(
        dict.fromkeys(
            name for rows in (overview.micro, *(rows for _, rows in panels)) for name in rows
        )
    )
    order.sort(key=lambda name: name == META)
    figure, axes = canvas(7.2, 1.0 + 0.3 * len(order), columns=len(panels))
    for position, (ax, (title, rows)) in enumerate(zip(axes, panels, strict=True)):
        for row_index, name in enumerate(order):
            row = rows.get(name)
            if row is None or row.scores["final"] is None:
                continue
            color = SETUP["random"] if name == META else SETUP["hits"]
            if (interval := row.interval["final"]) is not None:
                ax.plot(
                    interval,
                    (row_index, row_index),
                    color=color,
                    linewidth=2,
                    solid_capstyle="butt",
                    alpha=0.6,
                )
            ax.plot(
                [row.scores["final"]],
                [row_index],
                "D" if name == META else "o",
                ms=5,
                color=color,
                clip_on=False,
            )
        ax.set_title(printable(title), color=INK)
        ax.set_xlim(0, 1)
        ax.set_xticks((0, 0.5, 1), ("0", ".5", "1"))
        for label, side in zip(ax.get_xticklabels(), ("left", "center", "right"), strict=True):
            label.set_horizontalalignment(side)
        ax.grid(axis="x", color=FAINT, alpha=0.25, linewidth=0.6)
        names = [
            printable(n) if len(n) <= LONGEST else printable(n)[: LONGEST - 1] + "…" for n in order
        ]
        ax.set_yticks(range(len(order)), names if position == 0 else [""] * len(order))
        ax.set_ylim(len(order) - 0.45, -0.55)
        ax.spines["left"].set_visible(False)
    return figure
