"""The tables of the PAN-2014 overview, and what it lacks: macro means, intervals, shared documents."""

from __future__ import annotations

from ravenbench.metrics.base import title_of
from ravenbench.reports.content import TITLE, content_table, reference_table
from ravenbench.reports.evaluate import evaluation as evaluation_tables
from ravenbench.reports.pan14.analysis import META, CorpusScores, Overview, Row, Rows
from ravenbench.reports.pan14.published import CORPORA, publication
from ravenbench.reports.view import Column, Measure, Range, Table, Value

_NAME = Column("system", text=True)
_SCORES = (Column("final"), Column("95 % interval"), Column("AUC"), Column("c@1"), Column("open"))
_NOTE = "final = AUC · c@1; “open”: unanswered problems; seconds to train and answer. Bootstrap over problems."


def all_tables(overview: Overview) -> tuple[Table, ...]:
    """Every table in the order of the page."""
    return (
        data_table(overview),
        overall_table(overview),
        *content_tables(overview),
        *(corpus_table(overview, c, i) for i, c in enumerate(overview.corpora)),
        *(apart_table(c, i) for i, c in enumerate(overview.corpora) if c.apart),
        *published_tables(overview),
        *significance_tables(overview),
        *([] if overview.pooled is None else [evaluation_tables.hull_table(overview.pooled)]),
        *([reasons] if (reasons := reasons_table(overview)).rows else []),
    )


def data_table(overview: Overview) -> Table:
    """Table 1: what the corpora hold."""
    rows: list[tuple[Value, ...]] = []
    for c in overview.corpora:
        info = c.info
        kind = " ".join(word for word in (info.language, info.genre) if word) or "n/a"
        for name, part, unread in (("train", info.train, info.left_out), ("test", info.test, info.faults)):
            sizes = (part.problems, part.same, part.known, round(part.words))
            rows.append((f"{c.name} {name}", kind, *sizes, len(unread)))
    columns = (
        Column("part", text=True),
        Column("language and genre", text=True),
        Column("problems"),
        Column("same"),
        Column("known", digits=1),
        Column("words"),
        Column("unreadable"),
    )
    note = "Known documents a problem, words a document (means); unreadable problems count as unanswered in test."
    return Table("data", "Corpora", columns, tuple(rows), note)


def overall_table(overview: Overview) -> Table:
    """Table 2: all problems pooled, with the macro mean beside it."""
    best = _best(overview.micro)
    rows = []
    for name, row in overview.micro.items():
        macro = overview.macro[name]
        own = (row.scores[m] for m in overview.chosen)
        rows.append((*_cells(name, row, best), *own, row.seconds, macro.scores["final"], _range(macro)))
    columns = (_NAME, *_SCORES, *_own(overview), Column("seconds", digits=1), Column("macro"), Column("macro interval"))
    note = f"{_NOTE} The macro mean gives each corpus the same weight. The meta-classifier is the mean of all answers."
    return Table("overall", "All problems", columns, tuple(rows), note)


def content_tables(overview: Overview) -> tuple[Table, ...]:
    """What style alone reaches and how far content moves every verifier: over all corpora, and in each."""
    several = len(overview.corpora) > 1
    made = [content_table(overview.content, "content", f"{TITLE}: mean of the corpora")] if several else []
    made += [content_table(c.content, f"content-{i + 1}", f"{TITLE}: {c.name}") for i, c in enumerate(overview.corpora)]
    made += [reference_table(c.content, f"references-{i + 1}", c.name) for i, c in enumerate(overview.corpora)]
    return tuple(table for table in made if table.rows)


def corpus_table(overview: Overview, corpus: CorpusScores, number: int) -> Table:
    """Tables 3–8: one corpus."""
    best = _best(corpus.rows)
    rows = tuple(
        (*_cells(name, row, best), *(row.scores[m] for m in overview.chosen), row.seconds)
        for name, row in corpus.rows.items()
    )
    problems = corpus.info.test.problems + len(corpus.info.fault_truth)
    title = f"{corpus.name}, {problems} problems"
    return Table(
        f"corpus-{number + 1}", title, (_NAME, *_SCORES, *_own(overview), Column("seconds", digits=1)), rows, _NOTE
    )


def apart_table(corpus: CorpusScores, number: int) -> Table:
    """Scores without the test problems that touch a document seen in training."""
    shared = corpus.info.shared
    problems, documents = len(shared.problems), shared.documents
    rows = []
    for name, row in corpus.rows.items():
        apart = corpus.apart[name]
        rows.append((name, row.scores["final"], _range(row), apart.scores["final"], _range(apart)))
    columns = (_NAME, Column("final"), Column("interval"), Column("without"), Column("interval without"))
    note = f"{documents} documents stand in train and test; {problems} test problems touch one and are left out here."
    return Table(f"shared-{number + 1}", f"{corpus.name} without shared documents", columns, tuple(rows), note)


def published_tables(overview: Overview) -> tuple[Table, ...]:
    """Every method's final score beside the printed one, and why they may differ, where corpora bear its names."""
    corpora = [c for c in overview.corpora if c.name in CORPORA]
    names = dict.fromkeys(name for c in corpora for name in c.rows if publication(name) is not None)
    rows: list[tuple[Value, ...]] = []
    reasons: list[tuple[Value, ...]] = []
    for name in sorted(names, key=lambda name: (name == META, name)):
        found = publication(name)
        assert found is not None
        reasons.append((name, found.system, found.why))
        for c in corpora:
            if (row := c.rows.get(name)) is not None:
                printed = found.figures.get(c.name)
                final = None if printed is None else printed.final
                rows.append((name, c.name, row.scores["final"], _range(row), final, _place(final, row)))
    if not rows:
        return ()
    columns = (_NAME, Column("corpus", text=True), *_SCORES[:2], Column("printed"), Column("it lies", text=True))
    note = "Printed: final scores of the overview, Tables 3–8; n/a where a method was published on other data."
    why = (_NAME, Column("published as", text=True), Column("why figures may differ", text=True))
    return (
        Table("published", "Beside the published figures", columns, tuple(rows), note),
        Table("published-why", "Why they may differ", why, tuple(reasons)),
    )


def _place(printed: float | None, row: Row) -> str:
    """Where a printed score lies by the interval of a row."""
    if printed is None or (interval := row.interval["final"]) is None:
        return "n/a"
    return "below" if printed < interval[0] else "above" if printed > interval[1] else "inside"


def significance_tables(overview: Overview) -> tuple[Table, ...]:
    """Table 9, in c@1 and in the final score."""
    pooled = overview.pooled
    if pooled is None or len(pooled.systems) < 2:
        return ()
    return tuple(evaluation_tables.significance_table(pooled, metric) for metric in pooled.tests)


def reasons_table(overview: Overview) -> Table:
    """Problems that could not be read, cells that failed, and remarks."""
    rows: list[tuple[Value, ...]] = []
    for c in overview.corpora:
        rows += [(c.name, f"test {name} unanswered", why) for name, why in c.info.faults.items()]
        rows += [(c.name, f"train {name} left out", why) for name, why in c.info.left_out.items()]
        rows += [(c.name, "remark", note) for note in c.info.notes]
    rows += [(f.fold, f"{f.verifier} failed", f.error.splitlines()[0]) for f in overview.failures]
    columns = (Column("corpus", text=True), Column("what", text=True), Column("why", text=True))
    return Table("reasons", "Left out, unanswered, failed", columns, tuple(rows))


def _own(overview: Overview) -> tuple[Column, ...]:
    """A column for each metric that the spec names."""
    return tuple(Column(title_of(metric)) for metric in overview.chosen.values())


def _best(rows: Rows) -> dict[str, float | None]:
    systems = [row for name, row in rows.items() if name != META]
    return {
        m: max((v for row in systems if (v := row.scores[m]) is not None), default=None)
        for m in ("final", "auc", "c@1")
    }


def _cells(name: str, row: Row, best: dict[str, float | None]) -> tuple[Value, ...]:
    final, auc, c_at_1 = (
        Measure(v := row.scores[m], best=name != META and v is not None and v == best[m])
        for m in ("final", "auc", "c@1")
    )
    return (name, final, _range(row), auc, c_at_1, row.unanswered)


def _range(row: Row) -> Range | None:
    interval = row.interval["final"]
    return None if interval is None else Range(*interval)
