"""The attribution report: tables, page, JSON, terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from ravenbench import __version__
from ravenbench.attribution.selection import Rules
from ravenbench.bench.attribute.answers import Attributed
from ravenbench.bench.attribute.collections import CollectionScores
from ravenbench.reports.attribute.analysis import AttributionAnalysis, ProtocolScore
from ravenbench.reports.attribute.analysis import analyse as analyse
from ravenbench.reports.page import FAINT, SETUP, canvas, inline, render, style
from ravenbench.reports.report import write_parts
from ravenbench.reports.view import Column, Measure, Range, Table, Value, to_html
from ravenbench.reports.view import for_terminal as rich_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType


TITLES = {"novel-topic": "Novel-topic", "k-fold": "K-fold"}


def methods(scores: ProtocolScore) -> Table:
    """Accuracy of each method with its spread and both standard errors."""
    means = [m.mean.mean for m in scores.methods if m.mean is not None]
    rows = []
    for m in sorted(scores.methods, key=lambda m: -(m.mean.mean if m.mean is not None else -1)):
        best = m.mean is not None and m.mean.mean == max(means)
        rows.append(
            (
                m.method,
                Measure(None if m.mean is None else m.mean.mean, best=best),
                None if m.mean is None else m.mean.std,
                None if m.mean is None else m.mean.se,
                None if m.mean is None else m.mean.se_published,
                m.macro_f1,
                sum(f.accuracy is not None for f in m.folds),
            )
        )
    columns = (Column("method", text=True), *map(Column, ("accuracy", "sd", "SE", "sd/√n", "macro F1", "folds")))
    unit = "topics" if scores.protocol == "novel-topic" else "folds"
    return Table(
        f"methods-{scores.protocol}",
        f"{TITLES[scores.protocol]} cross-validation",
        columns,
        tuple(rows),
        f"Means over {unit}, weighted by documents; sd unbiased. SE = sd·√Σw²; sd/√n, as published, is too small "
        f"where {unit} differ in size.",
    )


def pairs(scores: ProtocolScore, difference: float) -> Table:
    """Every pair of methods: difference, interval, tests, power."""
    unit = "topics" if scores.protocol == "novel-topic" else "folds"
    columns = (
        Column("methods", text=True),
        Column("difference", signed=True),
        Column("95 %", signed=True),
        Column("p Holm", probability=True),
        Column("p", probability=True),
        Column("p t", probability=True),
        Column("detectable"),
        Column(f"{unit} for {difference:g}"),
    )
    rows = tuple(
        (
            f"{p.a} − {p.b}",
            Measure(p.difference, mark="*" if p.distinguishable else ""),
            None if p.interval is None else Range(*p.interval),
            p.p_holm,
            p.p,
            p.p_t,
            p.detectable,
            p.needed,
        )
        for p in scores.pairs
    )
    return Table(
        f"pairs-{scores.protocol}",
        f"{TITLES[scores.protocol]}: methods compared",
        columns,
        rows,
        f"p: paired permutation over {unit}; p Holm: corrected for all pairs (* at most .05); p t: the paper's "
        f"unpaired t-test. Detectable: smallest difference found four times in five; last column: {unit} "
        f"needed to find one of {difference:g}.",
    )


def topics(analysis: AttributionAnalysis) -> Table:
    """Topics from the easiest to the hardest."""
    columns = (
        Column("topic", text=True),
        Column("accuracy"),
        Column("documents"),
        Column("dominant author", text=True),
        Column("share"),
    )
    rows = tuple(
        (t.topic, Measure(t.accuracy, mark="†" if t.owned else ""), t.documents, t.dominant, t.share)
        for t in analysis.topics
    )
    note = "Accuracy is the mean over methods. † one author wrote nearly all: says nothing about topic."
    return Table("topics", "Topics, easiest first", columns, rows, note)


def reliance(analysis: AttributionAnalysis) -> Table:
    """Novel-topic minus k-fold of each method."""
    columns = (Column("method", text=True), Column("k-fold"), Column("novel-topic"), Column("difference", signed=True))
    note = (
        "A description of each method, no comparison of protocols: a held-out topic also takes away those training "
        "documents in which its authors wrote most."
    )
    return Table("reliance", "Novel-topic beside k-fold", columns, tuple(analysis.reliance()), note)


def cues(analysis: AttributionAnalysis) -> list[Table]:
    """Features by how much held-out topics change their weights."""
    if analysis.result.cues is None:
        return []
    method, changed, kept = analysis.result.cues
    columns = (
        Column("feature", text=True),
        Column("weight"),
        Column("change"),
        Column("topic", text=True),
    )
    note = (
        "Weight: length over authors, all documents teaching. Change: the most one held-out topic moves it, as a share."
    )
    return [
        Table(key, f"{method}: {title}", columns, tuple((c.feature, c.weight, c.change, c.topic) for c in found), note)
        for key, title, found in (
            ("cues-changed", "weights that lean on one topic", changed),
            ("cues-kept", "weights that stay when any topic is held out", kept),
        )
    ]


def folds(scores: ProtocolScore) -> Table:
    """Accuracy of every method on every fold."""
    columns = (
        Column("topic" if scores.protocol == "novel-topic" else "fold", text=True),
        Column("documents"),
        *(Column(m.method) for m in scores.methods),
        Column("authors unseen", text=True),
    )
    rows: list[tuple[Value, ...]] = []
    for place, fold in enumerate(scores.methods[0].folds):
        values = [m.folds[place].accuracy for m in scores.methods]
        rows.append((fold.fold, fold.documents, *values, ", ".join(fold.unseen)))
    note = "Documents of authors unseen in training count as errors. n/a: the method failed there, or was not tried."
    return Table(f"folds-{scores.protocol}", f"{TITLES[scores.protocol]}, fold by fold", columns, tuple(rows), note)


def crosstab(analysis: AttributionAnalysis) -> Table:
    """Documents of authors by topics."""
    view = analysis.view
    columns = (Column("author", text=True), *(Column(t.topic) for t in view.topics), Column("all"))
    total = view.table.sum(axis=1)
    order = sorted(range(len(view.authors)), key=lambda a: (-int(total[a]), view.authors[a]))
    rows: list[tuple[Value, ...]] = [(view.authors[a], *(int(n) for n in view.table[a]), int(total[a])) for a in order]
    rows.append(("all", *(t.documents for t in view.topics), view.documents))
    return Table("crosstab", "Documents of authors by topics", columns, tuple(rows))


def sizes(analysis: AttributionAnalysis) -> Table:
    """Topics: documents, authors, words, dominant author."""
    columns = (
        Column("topic", text=True),
        Column("documents"),
        Column("authors"),
        Column("words a document", digits=0),
        Column("dominant author", text=True),
        Column("share"),
    )
    rows = tuple(
        (t.topic, t.documents, t.authors, t.words, t.dominant, Measure(t.share, mark="†" if t.owned else ""))
        for t in analysis.view.topics
    )
    return Table("sizes", "Topics", columns, rows, "† one author wrote nearly all of it.")


def authors(analysis: AttributionAnalysis) -> Table | None:
    """Precision, recall and F1 of both authors, where there are two."""
    names = analysis.result.documents.authors
    if len(names) != 2:
        return None
    columns = (Column("method", text=True), Column("author", text=True), *map(Column, ("precision", "recall", "F1")))
    rows = tuple(
        (m.method, name, *of) for m in analysis.main.methods for name, of in zip(names, m.by_author, strict=True)
    )
    return Table("authors", "Each of the two authors", columns, rows, "Over all folds together.")


def confusions(analysis: AttributionAnalysis, most: int = 15) -> Table:
    """The most frequent mistakes of the best method."""
    names = [*analysis.result.documents.authors, "none of them"]
    best = max(analysis.main.methods, key=lambda m: -1 if m.mean is None else m.mean.mean)
    wrong = [
        (int(best.confusion[a, b]), names[a], names[b])
        for a in range(best.confusion.shape[0])
        for b in range(best.confusion.shape[1])
        if a != b and best.confusion[a, b]
    ]
    rows = tuple((true, said, n) for n, true, said in sorted(wrong, key=lambda w: (-w[0], w[1], w[2]))[:most])
    columns = (Column("true author", text=True), Column("taken for", text=True), Column("documents"))
    note = f"Of {best.method}; {len(wrong)} kinds of mistake in all, the whole matrix is in report.json."
    return Table("confusions", "Most frequent mistakes", columns, rows, note)


def all_tables(analysis: AttributionAnalysis) -> list[Table]:
    """Every table with rows, in the order of the page."""
    found: list[Table | None] = []
    for scores in analysis.protocols:
        found += [methods(scores), pairs(scores, analysis.difference), folds(scores)]
    found += [topics(analysis), reliance(analysis), *cues(analysis), authors(analysis), confusions(analysis)]
    found += [sizes(analysis), crosstab(analysis)]
    return [table for table in found if table is not None and table.rows]


def settings(result: Attributed) -> dict[str, Any]:
    """What was asked for."""
    spec = result.spec
    return {
        "corpus": result.documents.name,
        "topic": spec.topic or "topic",
        "protocol": spec.protocol,
        "methods": list(result.methods),
        "folds": spec.folds,
        "rules": {name: getattr(spec, name) for name in Rules.__dataclass_fields__},
        "sampler": spec.sampler,
        "topics": spec.topics,
        "encoder": spec.encoder if spec.sampler else None,
        "seed": spec.seed,
    }


def to_json(analysis: AttributionAnalysis) -> dict[str, Any]:
    """The JSON object of ``raven attribute``; the main protocol stands at the top, k-fold beside it."""
    result = analysis.result
    other = analysis.protocol("k-fold") if analysis.main.protocol != "k-fold" else None
    return {
        **_protocol_json(analysis, analysis.main),
        "corpus": analysis.view.to_json(),
        "topics": [
            {"topic": t.topic, "documents": t.documents, "accuracy": t.accuracy, "dominant_author": t.dominant,
             "dominant_share": t.share, "owned": t.owned}
            for t in analysis.topics
        ],
        "k_fold": None if other is None else _protocol_json(analysis, other),
        "reliance": [
            {"method": m, "k_fold": k, "novel_topic": n, "difference": d} for m, k, n, d in analysis.reliance()
        ],
        "cues": None if result.cues is None else {
            "method": result.cues[0],
            "changed": [vars(c) for c in result.cues[1]],
            "kept": [vars(c) for c in result.cues[2]],
        },
        "settings": settings(result),
    }  # fmt: skip


def _protocol_json(analysis: AttributionAnalysis, scores: ProtocolScore) -> dict[str, Any]:
    two = len(analysis.result.documents.authors) == 2
    names = analysis.result.documents.authors
    return {
        "protocol": scores.protocol,
        "methods": [
            {
                "method": m.method,
                "accuracy": None if m.mean is None else m.mean.mean,
                "std": None if m.mean is None else m.mean.std,
                "se_published": None if m.mean is None else m.mean.se_published,
                "se": None if m.mean is None else m.mean.se,
                "macro_f1": m.macro_f1,
                "by_author": [
                    {"author": name, "precision": p, "recall": r, "f1": f}
                    for name, (p, r, f) in zip(names, m.by_author, strict=True)
                ] if two else None,
                "confusion": m.confusion.tolist(),
                "folds": [
                    {"fold": f.fold, "documents": f.documents, "accuracy": f.accuracy, "unseen": list(f.unseen),
                     "error": f.error}
                    for f in m.folds
                ],
                "seconds": m.seconds,
            }
            for m in scores.methods
        ],
        "pairs": [
            {"a": p.a, "b": p.b, "difference": p.difference, "interval": p.interval, "p": p.p, "p_holm": p.p_holm,
             "p_t": p.p_t, "detectable": p.detectable, "topics_needed": p.needed, "distinguishable": p.distinguishable}
            for p in scores.pairs
        ],
        "detectable": scores.detectable,
        "needed_for": analysis.difference,
        "verdict": f"{scores.leaders()} {scores.answerable()}",
    }  # fmt: skip


def collection_table(found: CollectionScores) -> Table:
    """Macro F1 of every method on every problem, and its mean."""
    columns = (Column("method", text=True), *(Column(p.name) for p in found.problems), Column("mean"))
    rows = tuple((name, *own.values(), found.mean(name)) for name, own in found.scores.items())
    note = "; ".join(f"{p.name}: {len(p.candidates)} candidates, {len(p.unknown)} texts" for p in found.problems)
    return Table("pan", "Macro F1 over true authors, without <UNK>", columns, rows, note)


def collection_json(found: CollectionScores) -> dict[str, Any]:
    """One object of plain values."""
    return {
        "problems": [
            {"problem": p.name, "language": p.language, "candidates": len(p.candidates), "texts": len(p.unknown),
             "open": p.open}
            for p in found.problems
        ],
        "reject": found.reject,
        "notes": found.notes,
        "methods": [
            {"method": name, "macro_f1": own, "mean": found.mean(name)} for name, own in found.scores.items()
        ],
    }  # fmt: skip


def page(analysis: AttributionAnalysis, figure: Figure) -> str:
    """The report as one self-contained page."""
    shown: dict[str, Markup] = {t.key: to_html(t) for t in all_tables(analysis)}
    sections = {
        "summary": "Findings",
        "comparison": "Comparison",
        "topics": "Topics" if analysis.topics else "",
        "reliance": "Topic reliance" if analysis.reliance() else "",
        "data": "Corpus",
        "folds": "Folds",
        "method": "Method",
    }
    return render(
        "attribute.html.j2",
        sections=[item for item in sections.items() if item[1]],
        view=analysis.view,
        settings=settings(analysis.result),
        protocols=analysis.protocols,
        novel=analysis.main.protocol == "novel-topic",
        difference=analysis.difference,
        titles=TITLES,
        tables=shown,
        figure=inline(figure, "accuracies"),
        version=__version__,
    )


def accuracies(analysis: AttributionAnalysis) -> Figure:
    """Accuracy of each method in every protocol, with bars of one standard error."""
    with style():
        figure, (axes,) = canvas(4.6, 1.1 + 0.4 * len(analysis.main.methods))
        spread = 0.16 if len(analysis.protocols) > 1 else 0.0
        names = [m.method for m in analysis.main.methods]
        for place, scores in enumerate(analysis.protocols):
            color, shape = (SETUP["random"], "s") if scores.protocol == "k-fold" else (SETUP["hits"], "o")
            label = TITLES[scores.protocol]
            for y, m in enumerate(scores.methods):
                if m.mean is None:
                    continue
                at = y + spread * (2 * place - 1 if spread else 0)
                error = m.mean.se or 0.0
                axes.plot([m.mean.mean - error, m.mean.mean + error], [at, at], color=color, linewidth=2, alpha=0.7)
                axes.plot([m.mean.mean], [at], shape, color=color, markersize=6, label=label)
                label = "_nolegend_"
        axes.set_yticks(range(len(names)), [n if len(n) <= 28 else n[:27] + "…" for n in names])
        axes.set_ylim(len(names) - 0.45, -0.55)
        axes.set_xlim(left=0)
        axes.set_xlabel("accuracy")
        axes.grid(axis="x", color=FAINT, alpha=0.25, linewidth=0.6)
        if spread:
            axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, fontsize=8)
    return figure


def write(analysis: AttributionAnalysis, folder: Path) -> None:
    """Fill a report's folder."""
    figure = accuracies(analysis)
    write_parts(
        folder,
        kind="attribute",
        page=page(analysis, figure),
        json=to_json(analysis),
        tables=all_tables(analysis),
        figures={"accuracies": figure},
    )


def terminal(analysis: AttributionAnalysis) -> list[RenderableType]:
    """The corpus in a line, its warnings, then scores and comparisons for 80 columns."""
    from rich.text import Text

    view = analysis.view
    dropped = ", ".join(f"{n:,} {reason}" for reason, n in view.dropped.items())
    shown: list[RenderableType] = [
        Text(f"{view.name}: {view.documents:,} documents, {len(view.authors)} authors, {len(view.topics)} topics"),
        *([Text(f"left out: {dropped}", style="dim")] if dropped else []),
        *(Text(f"• {sentence}") for sentence in view.advice()),
    ]
    for scores in analysis.protocols:
        shown.append(rich_table(methods(scores)))
        if scores.pairs:
            shown.append(rich_table(_short(pairs(scores, analysis.difference))))
        shown.append(Text(f"{scores.leaders()} {scores.answerable()}"))
        failed = [(m.method, f.fold, f.error) for m in scores.methods for f in m.folds if f.error is not None]
        if failed:
            shown.append(
                Text(f"{len(failed)} fits have no result, the first: {' on '.join(failed[0][:2])}: {failed[0][2]}")
            )
        unseen = [f for f in scores.methods[0].folds if f.unseen]
        if unseen:
            some = "; ".join(f"{f.fold}: {', '.join(f.unseen)}" for f in unseen[:5])
            shown.append(Text(f"{len(unseen)} folds hold authors unseen in training (counted as errors): {some}"))
    if analysis.topics:
        shown.append(rich_table(topics(analysis)))
    if analysis.reliance():
        shown.append(rich_table(reliance(analysis)))
    return shown


def _short(table: Table) -> Table:
    """The columns of a comparison that fit 80 characters."""
    kept = [0, 1, 2, 3, 7]
    rows = tuple(tuple(row[i] for i in kept) for row in table.rows)
    return Table(table.key, table.title, tuple(table.columns[i] for i in kept), rows, table.note.split(";")[0] + ".")
