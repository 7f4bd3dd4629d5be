"""Whether a language model has read some texts: the table and the finding of ``raven exposure``."""

from __future__ import annotations

from collections.abc import Sequence

from ravenbench.ext.machine.exposure import Exposure
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
        "over authors, where they are known; n/a: fewer than five texts of a side have an answer, or one author wrote "
        "them. The finding goes by the first row.",
    )  # fmt: skip


def finding(rows: Sequence[Exposure], model: str) -> str:
    """What the first comparison with an interval says."""
    row = next((row for row in rows if row.auc is not None and row.interval is not None), None)
    if row is None or row.interval is None:
        return f"{model}: too few answers, or authors, to say anything."
    low, high = row.interval
    figure = f"{row.part}: AUC {row.auc:.3f}, 95 % interval {low:.3f} to {high:.3f}"
    if low > 0.5:
        return f"{model} knows these texts better than the reference texts ({figure}): it has probably read some."
    return f"No sign that {model} has read these texts ({figure}), which is no proof that it has not."
