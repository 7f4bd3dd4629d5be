"""Whether a language model has read some texts: the table and the finding of ``raven exposure``."""

from __future__ import annotations

from collections.abc import Sequence

from ravenbench.bench.exposure import Exposure
from ravenbench.reports.view import Table, col, table


def exposure_table(rows: Sequence[Exposure]) -> Table:
    """Whether a model has read some texts, against reference texts: a row a part or test."""
    return table(
        "read", "Has the model read these texts?", rows,
        col("compared", lambda r: r.part, text=True, json="part"),
        col("texts", lambda r: r.texts, json="texts"),
        col("reference", lambda r: r.reference, json="reference"),
        col("AUC", lambda r: r.auc, json="auc"),
        col("95 %", lambda r: r.interval, json="interval"),
        note="AUC: how often a text is better known than a reference text; .5 is no sign that the model has read them. "
        "It stands for reading only where the reference texts are of the same kind and later than the model. Intervals "
        "over authors, where they are known; n/a: fewer than five texts of a side have an answer.",
    )  # fmt: skip


def finding(rows: Sequence[Exposure], model: str) -> str:
    """What the first comparison, and any other test by heart, says."""
    told = [row for row in (rows if rows[0].part != "whole" else rows[:1]) if row.auc is not None and row.interval]
    if not told:
        return f"{model}: too few answers to say anything."
    best = max(told, key=lambda row: row.interval[0] if row.interval else 0.0)
    low, high = best.interval or (0.0, 1.0)
    figure = f"{best.part}: AUC {best.auc:.3f}, 95 % interval {low:.3f} to {high:.3f}"
    if low > 0.5:
        return f"{model} knows these texts better than the reference texts ({figure}): it has probably read some."
    return f"No sign that {model} has read these texts ({figure}), which is no proof that it has not."
