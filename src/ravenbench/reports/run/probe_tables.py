"""The crossed probe as a table and in sentences."""

from __future__ import annotations

from ravenbench.reports.run.records import Analysis, Probing, title
from ravenbench.reports.shared.tables import Column, Range, Table, Value
from ravenbench.statistics.verdict import Verdict


def probe_table(analysis: Analysis) -> Table:
    """Gains of every verifier against the null, AUC first, with the smallest gain this run could show."""
    rows: list[tuple[Value, ...]] = []
    probe = analysis.probe
    if probe is not None and probe.section.repetitions:
        for row in probe.rows:
            test, judged = row.test, probe.verdicts[row.verifier]
            lead = row.metric == "auc"
            rows.append(
                (
                    row.verifier,
                    title(row.metric),
                    test.gain,
                    None if test.interval is None else Range(*test.interval),
                    test.null,
                    test.detectable,
                    judged.p_holm if lead else None,
                    str(judged.verdict) if lead else "",
                )
            )
    columns = (
        Column("verifier", text=True),
        Column("metric", text=True),
        Column("gain", signed=True),
        Column("interval", signed=True),
        Column("null", signed=True),
        Column("shows"),
        Column("p Holm", probability=True),
        Column("verdict", text=True),
    )
    note = (
        "Gain: what training near the test topics is worth over training near another domain, same test pairs, 95 % "
        "interval. Null: the same with similarities permuted. Shows: smallest gain over the null found four times in "
        "five. Verdicts rest on AUC."
    )
    return Table("probe", "Crossed probe", columns, tuple(rows), note)


def verdicts(analysis: Analysis) -> Table:
    """The AUC rows alone, on which verdicts rest."""
    full = probe_table(analysis)
    rows = tuple(row for row in full.rows if row[1] == title("auc"))
    note = (
        "AUC gained by training near the test topics, 95 % interval; gain with permuted similarities; smallest shown."
    )
    return Table("verdicts", full.title, full.columns, rows, note)


def probe_sentence(probe: Probing, verifier: str) -> str:
    """What the probe found of a verifier; it claims no more than the test."""
    test, judged = probe.row(verifier, "auc").test, probe.verdicts[verifier]
    if test.gain is None or test.difference is None:
        return f"{judged.reason}."
    size = f"{abs(test.gain):.3f}"
    text = "Training near the test topics instead of near others "
    if float(size) == 0:
        text += "leaves AUC as it is"
    else:
        text += f"{'raises' if test.gain > 0 else 'lowers'} AUC by {size}"
    text += "" if test.interval is None else f" ({_signed(test.interval[0])} to {_signed(test.interval[1])})"
    text += (
        f"; with similarities permuted it is {_signed(test.null)}"
        if test.null is not None and round(test.null, 3)
        else ""
    )
    if judged.verdict is Verdict.NO_VERDICT:
        return f"{text}. No verdict: {judged.reason}."
    least = "" if test.detectable is None else f" A true gain of {test.detectable:.3f} would show four times in five."
    return f"{text}.{least}"


def reasons(analysis: Analysis) -> list[tuple[str, str]]:
    """Verifiers without a verdict, and why."""
    found = {} if analysis.probe is None else analysis.probe.verdicts
    return [(name, judged.reason) for name, judged in found.items() if judged.reason is not None]


def probe_missing(probe: Probing | None) -> str | None:
    """Why a run has no probe to speak of."""
    if probe is None or probe.section.repetitions:
        return None
    return str(probe.section.reason)


def _signed(value: float | None) -> str:
    shown = f"{value or 0.0:+.3f}"
    return ".000" if float(shown) == 0 else shown.replace("-", "−").replace("0.", ".", 1)
