"""The report of ``raven pan14``: the tables of the PAN-2014 overview, and what it lacks: macro means, intervals, shared
documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec

from ravenbench.builtin import is_control
from ravenbench.metrics.base import Metric, title_of
from ravenbench.reports import content
from ravenbench.reports.beside import theirs_is
from ravenbench.reports.page import FAINT, INK, SETUP, canvas, style
from ravenbench.reports.report import Report
from ravenbench.reports.view import Col, Measure, Table, col, for_terminal, highest, printable, table
from ravenbench.tasks.evaluate.evaluation import hull_table, significance_table
from ravenbench.tasks.pan14.analysis import META, METRICS, CorpusScores, Overview, Row, Rows, analyse
from ravenbench.tasks.pan14.published import CORPORA, publication

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType

IN_TERMINAL = ("content", "overall", "corpus-", "shared-", "published", "significance-c1", "reasons")
"""Beginnings of the keys of tables that the terminal shows."""
LONGEST = 28
"""Characters of a name in a figure."""
NOTE = "final = AUC · c@1; seconds to train and answer. Bootstrap over problems."


class Pan14Report(Report[Overview]):
    """The report of ``raven pan14``."""

    kind = "pan14"
    template = "ravenbench.tasks.pan14:template.html.j2"
    takes_answers = True

    def analyse(self) -> Overview:
        """See ``tasks.pan14.analysis.analyse``."""
        return analyse(self.store)

    def tables(self) -> list[Table]:
        """Those with rows, in the order of the page."""
        o = self.analysis
        tables = [
            data_table(o),
            overall_table(o),
            *content_tables(o),
            *(corpus_table(o, c, i) for i, c in enumerate(o.corpora)),
            *(without_shared_table(c, i) for i, c in enumerate(o.corpora) if c.without_shared),
            *published_tables(o),
        ]
        if o.pooled is not None:
            if len(o.pooled.systems) > 1:
                tables += [significance_table(o.pooled, metric) for metric in o.pooled.tests]
            tables.append(hull_table(o.pooled))
        reasons = reasons_table(o)
        return [*tables, *([reasons] if reasons.rows else [])]

    def figures(self) -> dict[str, Figure]:
        """``content``: style left and swing; ``finals``: final scores by corpus; ``roc``: curves over all problems."""
        from ravenbench.tasks.evaluate.report import roc

        o = self.analysis
        figures = {}
        with style():
            if o.content is not None and any(r.figures.swing is not None for r in o.content.rows):
                figures["content"] = content.content_figure(o.content)
            figures["finals"] = finals(o)
            if o.pooled is not None and o.pooled.hull is not None:
                figures["roc"] = roc(o.pooled)
        return figures

    def finding(self) -> str:
        """The highest final score over all problems, and how many verifiers go by content."""
        o = self.analysis
        text = highest("final score over all problems", ((n, r.scores["final"]) for n, r in o.micro.items()))
        return " ".join(filter(None, (text, content.headline(o.content))))

    def context(self) -> dict[str, Any]:
        """What the template says in words."""
        o = self.analysis
        return {
            "o": o,
            "run": msgspec.to_builtins(o.run),
            "meta": META,
            "verdicts": content.verdicts(o.content),
            "headline": content.headline(o.content),
            "lets": [{"name": c.name, "sentences": content.reference_sentences(c.content)} for c in o.corpora],
            "missing": [{"corpus": c.name, "text": text} for c in o.corpora for text in content.no_verdict(c.content)],
            "best": next(iter(o.micro), None),
            "answered": sum(any(v.name in c.rows for c in o.corpora) for v in o.plan.verifiers),
            "lost": sum(len(gap.folds) for gap in self.gaps),
            "problems": sum(len(c.info.fault_truth) + c.info.test.problems for c in o.corpora),
            "unread": sum(len(c.info.faults) for c in o.corpora),
        }

    def to_json(self) -> dict[str, Any]:
        """One object of plain values; undefined values are None."""
        o = self.analysis
        pooled = None if o.pooled is None else o.pooled.to_json()
        return {
            "run": o.path,
            "corpora": {c.name: _rows_json(c.rows) for c in o.corpora},
            "micro": _rows_json(o.micro),
            "macro": _rows_json(o.macro),
            "content": content.content_json(o.content),
            "content_by_corpus": {c.name: content.content_json(c.content) for c in o.corpora},
            "without_shared_documents": {
                c.name: {
                    "documents": c.info.shared.documents,
                    "problems": len(c.info.shared.problems),
                    "systems": _rows_json(c.without_shared),
                }
                for c in o.corpora
            },
            "pairs": [] if pooled is None else pooled["pairs"],
            "hull": [] if pooled is None else pooled["hull"],
            "faults": {c.name: dict(c.info.faults) for c in o.corpora},
            "left_out_of_training": {c.name: dict(c.info.left_out) for c in o.corpora},
            "failed": [{"cell": f.cell, "error": f.error.splitlines()[0]} for f in o.failures],
        }

    def closing(self) -> list[RenderableType]:
        """The tables of scores, and what could not be asked."""
        from rich.text import Text

        tables = [t for t in self.tables() if t.key.startswith(IN_TERMINAL) and t.rows]
        missing = [Text(f"{c.name}: {text}") for c in self.analysis.corpora for text in content.no_verdict(c.content)]
        return [*(for_terminal(t, tight=True) for t in tables), *missing]


def _rows_json(rows: Rows) -> dict[str, Any]:
    return {
        name: {
            **row.scores,
            "unanswered": row.unanswered,
            "seconds": row.seconds,
            "interval": {m: None if (r := row.interval[m]) is None else list(r) for m in row.interval},
        }
        for name, row in rows.items()
    }


def data_table(overview: Overview) -> Table:
    """Table 1: what the corpora hold."""
    rows = [
        (c, name, part, unread)
        for c in overview.corpora
        for name, part, unread in (("train", c.info.train, c.info.left_out), ("test", c.info.test, c.info.faults))
    ]
    return table(
        "data", "Corpora", rows,
        col("part", lambda r: f"{r[0].name} {r[1]}", text=True),
        col("language and genre", lambda r: _kind(r[0]), text=True),
        col("problems", lambda r: r[2].problems),
        col("same", lambda r: r[2].same),
        col("known", lambda r: r[2].known, digits=1),
        col("words", lambda r: round(r[2].words)),
        col("unreadable", lambda r: len(r[3])),
        note="Known documents a problem, words a document (means); unreadable problems count as unanswered in test.",
    )  # fmt: skip


def _kind(corpus: CorpusScores) -> str:
    return " ".join(word for word in (corpus.info.language, corpus.info.genre) if word) or "n/a"


System = tuple[str, Row]
NAME: Col[System] = col("system", lambda s: s[0], text=True)
FINAL: Col[System] = col("final", lambda s: s[1].scores["final"])
SECONDS: Col[System] = col("seconds", lambda s: s[1].seconds, digits=1, terminal=False)


def _scores(rows: Rows, chosen: Mapping[str, Metric]) -> tuple[Col[System], ...]:
    """A system's scores, the best of each column marked; the meta-classifier is made of the others and never best."""
    rivals = {name: row for name, row in rows.items() if name != META and not is_control(name)}

    def score(metric: str) -> Col[System]:
        better = max if metric not in chosen or chosen[metric].higher else min
        best = better((v for row in rivals.values() if (v := row.scores[metric]) is not None), default=None)

        def value(system: System) -> Measure:
            name, row = system
            return Measure(v := row.scores[metric], best=name in rivals and v is not None and v == best)

        title = title_of(chosen[metric]) if metric in chosen else {"auc": "AUC"}.get(metric, metric)
        return col(title, value)

    interval: Col[System] = col("95 % interval", lambda s: s[1].interval["final"])
    unanswered: Col[System] = col("unanswered", lambda s: s[1].unanswered)
    added = (score(metric) for metric in chosen if metric not in METRICS)
    return NAME, score("final"), interval, score("auc"), score("c@1"), *added, unanswered


def overall_table(overview: Overview) -> Table:
    """Table 2: all problems pooled, with the macro mean beside it."""
    macro = overview.macro
    return table(
        "overall", "All problems", overview.micro.items(),
        *_scores(overview.micro, overview.chosen),
        SECONDS,
        col("macro", lambda s: macro[s[0]].scores["final"]),
        col("macro interval", lambda s: macro[s[0]].interval["final"]),
        note=f"{NOTE} The macro mean gives each corpus the same weight. The meta-classifier is the mean of all "
        "answers.",
    )  # fmt: skip


def content_tables(overview: Overview) -> list[Table]:
    """What style alone reaches and how far content moves every verifier: over all corpora, and in each."""
    whole = replace(content.content_table(overview.content), title=f"{content.TITLE}: mean of the corpora")
    tables = [whole] if len(overview.corpora) > 1 else []
    for made in (content.content_table, content.reference_table):
        for i, c in enumerate(overview.corpora, 1):
            one = made(c.content)
            tables.append(replace(one, key=f"{one.key}-{i}", title=f"{one.title}: {c.name}", section="content"))
    return [t for t in tables if t.rows]


def corpus_table(overview: Overview, corpus: CorpusScores, number: int) -> Table:
    """Tables 3–8: one corpus."""
    problems = corpus.info.test.problems + len(corpus.info.fault_truth)
    title = f"{corpus.name}, {problems} problems"
    scores = _scores(corpus.rows, overview.chosen)
    return table(f"corpus-{number + 1}", title, corpus.rows.items(), *scores, SECONDS, note=NOTE, section="corpora")


def without_shared_table(corpus: CorpusScores, number: int) -> Table:
    """Scores without the test problems that touch a document seen in training."""
    shared = corpus.info.shared
    return table(
        f"shared-{number + 1}", f"{corpus.name} without shared documents", corpus.rows.items(),
        NAME,
        FINAL,
        col("interval", lambda s: s[1].interval["final"]),
        col("without", lambda s: corpus.without_shared[s[0]].scores["final"]),
        col("interval without", lambda s: corpus.without_shared[s[0]].interval["final"]),
        note=f"{shared.documents} documents stand in train and test; {len(shared.problems)} test problems touch one "
        "and are left out here.",
        section="corpora",
    )  # fmt: skip


def published_tables(overview: Overview) -> list[Table]:
    """Every method's final score beside the printed one, and why they may differ, where corpora bear its names."""
    corpora = [c for c in overview.corpora if c.name in CORPORA]
    names = sorted({name for c in corpora for name in c.rows}, key=lambda name: (name == META, name))
    methods = {name: printed for name in names if (printed := publication(name)) is not None}
    rows = [
        (name, c, c.rows[name], of.figures[c.name].final if c.name in of.figures else None)
        for name, of in methods.items()
        for c in corpora
        if name in c.rows
    ]
    if not rows:
        return []
    beside = table(
        "published", "Beside the published figures", rows,
        col("system", lambda r: r[0], text=True),
        col("corpus", lambda r: r[1].name, text=True),
        col("final", lambda r: r[2].scores["final"]),
        col("95 % interval", lambda r: r[2].interval["final"]),
        col("printed", lambda r: r[3]),
        col("theirs is", lambda r: theirs_is(r[3], r[2].scores["final"], r[2].interval["final"]), text=True),
        note="Printed: final scores of the overview, Tables 3–8; n/a where a method was published on other data.",
        section="corpora",
    )  # fmt: skip
    why = table(
        "published-why", "Why they may differ", methods.items(),
        col("system", lambda m: m[0], text=True),
        col("published as", lambda m: m[1].system, text=True),
        col("why figures may differ", lambda m: m[1].why, text=True),
        section="corpora",
    )  # fmt: skip
    return [beside, why]


def reasons_table(overview: Overview) -> Table:
    """Problems that could not be read, cells that failed, and remarks."""
    rows: list[tuple[str, str, str]] = []
    for c in overview.corpora:
        rows += [(c.name, f"test {name} unanswered", why) for name, why in c.info.faults.items()]
        rows += [(c.name, f"train {name} left out", why) for name, why in c.info.left_out.items()]
        rows += [(c.name, "remark", note) for note in c.info.notes]
    rows += [(f.fold, f"{f.verifier} failed", f.error.splitlines()[0]) for f in overview.failures]
    return table(
        "reasons", "Left out, unanswered, failed", rows,
        col("corpus", lambda r: r[0], text=True),
        col("what", lambda r: r[1], text=True),
        col("why", lambda r: r[2], text=True),
    )  # fmt: skip


def finals(overview: Overview) -> Figure:
    """One panel a corpus and one for all problems: final scores and their intervals."""
    panels: list[tuple[str, Rows]] = [(c.name, c.rows) for c in overview.corpora]
    if len(panels) > 1 and overview.micro:
        panels.append(("all problems", overview.micro))
    order = list(dict.fromkeys(name for rows in (overview.micro, *(r for _, r in panels)) for name in rows))
    order.sort(key=lambda name: name == META)
    figure, axes = canvas(7.2, 1.0 + 0.3 * len(order), columns=len(panels))
    for place, (ax, (title, rows)) in enumerate(zip(axes, panels, strict=True)):
        for y, name in enumerate(order):
            row = rows.get(name)
            if row is None or row.scores["final"] is None:
                continue
            color = SETUP["random"] if name == META else SETUP["hits"]
            if (interval := row.interval["final"]) is not None:
                ax.plot(interval, (y, y), color=color, linewidth=2, solid_capstyle="butt", alpha=0.6)
            ax.plot([row.scores["final"]], [y], "D" if name == META else "o", ms=5, color=color, clip_on=False)
        ax.set_title(printable(title), color=INK)
        ax.set_xlim(0, 1)
        ax.set_xticks((0, 0.5, 1), ("0", ".5", "1"))
        for label, side in zip(ax.get_xticklabels(), ("left", "center", "right"), strict=True):
            label.set_horizontalalignment(side)
        ax.grid(axis="x", color=FAINT, alpha=0.25, linewidth=0.6)
        names = [printable(n) if len(n) <= LONGEST else printable(n)[: LONGEST - 1] + "…" for n in order]
        ax.set_yticks(range(len(order)), names if place == 0 else [""] * len(order))
        ax.set_ylim(len(order) - 0.45, -0.55)
        ax.spines["left"].set_visible(False)
    return figure
