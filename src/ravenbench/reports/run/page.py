"""The page of a run."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
from markupsafe import Markup

from ravenbench.bench.run.setups import pools_advice
from ravenbench.reports.content import badge, content_sentence, headline, reference_sentences
from ravenbench.reports.page import inline, render
from ravenbench.reports.run.axes_tables import chance_sentence, domain_sentence, missing
from ravenbench.reports.run.fold_rows import SHOWN, FoldRow
from ravenbench.reports.run.records import TESTED, Analysis, Shortcut, title
from ravenbench.reports.run.tables import run_tables
from ravenbench.reports.view import Column, Table, figure, to_html

if TYPE_CHECKING:
    from matplotlib.figure import Figure


MOST_ROWS = 500
"""Rows of a table that a page shows; all are in its CSV file."""


def run_page(analysis: Analysis, figures: dict[str, Figure]) -> str:
    """The report of a run."""
    plan = analysis.plan
    tables = {key: Markup("") for key in ("content", "domain", "shortcut", "results", "strata", "stability", "ranks")}
    tables["references"] = Markup("")
    tables |= {key: Markup("") for key in ("sizes", "similarities", "neighbours", "lengths")}
    made = {table.key: to_html(table) for table in run_tables(analysis)}
    tables |= made
    tables["failures"] = to_html(_first_rows(failures(analysis)))
    tested = any(s.difference is not None for s in analysis.shortcut)
    probe = analysis.probe
    probed = probe is not None and bool(probe.section.repetitions)
    content = analysis.content
    asked = content is not None and content.section.reason is None
    sections = {
        "summary": "Findings",
        "content": "Content" if asked else "",
        "domain": "Training domain" if probed else "",
        "shortcut": "HITS and Random" if tested else "",
        "scores": "Scores",
        "topics": "Topics" if plan.topics else "",
        "lengths": "Length" if analysis.lengths else "",
        "sweep": "Sweep" if analysis.sweep is not None else "",
        "data": "Data",
        "folds": "Folds",
        "method": "Method",
        "provenance": "Provenance",
        "failures": "Failures" if analysis.failures else "",
    }
    sizes = sorted({len(pool.topics) for pool in plan.pools})
    return render(
        "run.html.j2",
        sections=[item for item in sections.items() if item[1]],
        plan=plan,
        run=_resolved(msgspec.to_builtins(analysis.run)),
        verifiers=analysis.verifiers,
        pools=analysis.pools,
        more_pools=pools_advice(plan, float(analysis.run.spec.get("pool_share", 0.5))),
        pool_sizes=" or ".join(map(str, sizes)),
        detectable=analysis.detectable,
        tested=tested,
        no_choice=analysis.no_choice,
        probe=probe,
        probed=probed,
        content=content,
        asked=asked,
        missing=missing(analysis),
        verdicts=_verdicts(analysis),
        headline=headline(content),
        lets=reference_sentences(content),
        chance=chance_sentence(analysis),
        spread=any(r.folds > 1 for r in analysis.results),
        anti=analysis.setup("anti") is not None,
        findings=[{"verifier": s.verifier, "text": finding(s)} for s in analysis.shortcut if s.metric == TESTED[0]],
        failures=analysis.failures,
        cells=len(plan.cells),
        figures={name: inline(figure, name) for name, figure in figures.items()},
        tables=tables,
        sweep=analysis.sweep,
        sweep_tables=[html for key, html in made.items() if key.startswith("sweep-")],
        setups=[{"title": title(s.name), "topics": s.topics} for s in analysis.setups],
        notes={k: v for k, v in plan.corpus.notes.items() if k not in ("defaults", "levels")},
        folds=[_fold_group(analysis, table) for table in fold_tables(analysis)],
    )


def _resolved(run: dict[str, Any]) -> dict[str, Any]:
    """The head with what it left open named as such: the corpus decided it, and the page says how elsewhere."""
    spec = {key: "left to the corpus" if value is None else value for key, value in run["spec"].items()}
    given = {key: value for key, value in spec.items() if key not in ("train", "test") or run["spec"][key]}
    return {**run, "spec": given}


def _verdicts(analysis: Analysis) -> list[dict[str, Any]]:
    """By verifier: a badge, the kind of outcome and a sentence for each axis that was asked."""
    found = []
    for verifier in analysis.verifiers:
        axes = []
        if analysis.content is not None:
            row = analysis.content.row(verifier)
            axes.append({"badge": badge(row.judged), "kind": row.judged.outcome.name, "text": content_sentence(row)})
        if analysis.probe is not None and analysis.probe.section.repetitions:
            own = analysis.probe.row(verifier)
            axes.append({"badge": badge(own.judged), "kind": own.judged.outcome.name, "text": domain_sentence(own)})
        found.append({"verifier": verifier, "axes": axes})
    return found


def finding(s: Shortcut) -> str:
    """What a shortcut test found, as a sentence; it claims no more than the interval."""
    if s.hits is None or s.random is None or s.difference is None:
        return "no fold is complete in both setups."
    size = figure(s.diff)
    text = f"AUC {figure(s.hits)} in HITS, {figure(s.random)} in Random: "
    text += "no difference" if float(size) == 0 else f"{size} {'lower' if s.difference < 0 else 'higher'} in HITS"
    if s.interval is None:
        return text + ". With one pool no interval can be estimated."
    text += f" (95 % interval {_signed(s.interval[0])} to {_signed(s.interval[1])}). "
    if s.distinguishable:
        return text + "The difference can be told from zero."
    if s.difference == 0:
        return text.rstrip()
    least = "" if s.detectable is None else f"; this run would show one of {figure(s.detectable)} four times in five"
    return text + f"It cannot be told from zero{least}."


def failures(analysis: Analysis) -> Table:
    """Cells without answers."""
    columns = tuple(Column(name, text=True) for name in ("verifier", "fold", "error"))
    rows = tuple((f.verifier, f.fold, f.error) for f in analysis.failures)
    return Table("failures", "Cells without answers", columns, rows)


def _signed(value: float) -> str:
    return figure(value, signed=True)


def fold_tables(analysis: Analysis) -> list[Table]:
    """Every verifier on every fold, a table for each setup."""
    columns = (Column("fold", text=True), Column("verifier", text=True), *(Column(title(m)) for m in SHOWN))
    found = []
    for setup in analysis.setups:
        rows = [f for f in analysis.folds if f.setup == setup.name]
        cells = [_fold_cells(f, verifier) for f in rows for verifier in analysis.verifiers]
        found.append(Table(f"folds-{setup.name}", f"{title(setup.name)}, fold by fold", columns, tuple(cells)))
    return found


def _first_rows(table: Table) -> Table:
    """What a page shows of a long table."""
    if len(table.rows) <= MOST_ROWS:
        return table
    note = f"The first {MOST_ROWS} of {len(table.rows):,} rows; all of them are in tables/{table.key}.csv."
    return replace(table, rows=table.rows[:MOST_ROWS], note=note)


def _fold_group(analysis: Analysis, table: Table) -> dict[str, Any]:
    few = _first_rows(table)
    shown = {row[0] for row in few.rows}
    mine = [f for f in analysis.folds if table.key == f"folds-{f.setup}" and f.name in shown]
    named = [{"name": f.name, "info": _named_topics(analysis, f)} for f in mine]
    return {"title": table.title.removesuffix(", fold by fold"), "rows": named, "table": to_html(few)}


def _fold_cells(fold: FoldRow, verifier: str) -> tuple[str | float | None, ...]:
    found = fold.scores.get(verifier, {})
    return (fold.name, verifier, *(found.get(m) for m in SHOWN))


def _named_topics(analysis: Analysis, fold: FoldRow) -> dict[str, Any]:
    names = analysis.plan.topics
    info: dict[str, Any] = msgspec.to_builtins(fold.info)
    for key in ("train_topics", "test_topics"):
        if info.get(key):
            info[key] = [names[t] for t in info[key]]
    return {key.replace("_", " "): value for key, value in info.items()}
