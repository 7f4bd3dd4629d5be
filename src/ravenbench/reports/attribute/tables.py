"""Tables of an attribution report."""

from __future__ import annotations

from ravenbench.reports.attribute.records import AttributionAnalysis, ProtocolScore
from ravenbench.reports.view import Column, Measure, Range, Table, Value

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
