"""Hard pairs as a table."""

from __future__ import annotations

from ravenbench.reports.run.records import Analysis
from ravenbench.reports.view import Column, Range, Table, Value


def strata_table(analysis: Analysis) -> Table:
    """AUC and C_llr by what topics same-author and different-author pairs share."""
    rows: list[tuple[Value, ...]] = []
    for s in analysis.strata:
        auc = s.auc
        interval = None if auc is None or auc.interval is None else Range(*auc.interval)
        value = None if auc is None else auc.value
        rows.append((s.verifier, s.same_author, s.different_author, s.same, s.different, value, interval, s.cllr))
    columns = (
        Column("verifier", text=True),
        Column("same author on", text=True),
        Column("different authors on", text=True),
        Column("pairs"),
        Column("and"),
        Column("AUC"),
        Column("interval"),
        Column("C_llr"),
    )
    note = (
        "Random folds. Hardest is the row where one author writes on two topics and two authors on one. A description, "
        "no verdict: communities have styles too. C_llr: cost of the answers in bits, 1 = answering .5 throughout."
    )
    return Table("strata", "Hard pairs: who shares a topic", columns, tuple(rows), note)
