"""The two axes as tables and in sentences: what content does to a verifier, and what its training domain does."""

from __future__ import annotations

from ravenbench.bench.run.setups import NOT_ASKED
from ravenbench.reports.content import badge, interval_in_words, no_verdict, value_of, with_interval
from ravenbench.reports.run.probe import DomainRow
from ravenbench.reports.run.records import Analysis
from ravenbench.reports.view import Column, Table, Value, figure
from ravenbench.statistics.axes import FOUND, Content, Domain, wrong_by_chance


def domain_table(analysis: Analysis) -> Table:
    """Gains of the crossed probe."""
    rows: list[tuple[Value, ...]] = []
    probe = analysis.probe
    for row in () if probe is None or not probe.section.repetitions else probe.rows:
        rows.append((row.verifier, *with_interval(row.gain), value_of(row.null), row.judged.shows, badge(row.judged)))
    columns = (
        Column("verifier", text=True),
        Column("gain", signed=True),
        Column("interval", signed=True),
        Column("null", signed=True),
        Column("shows"),
        Column("verdict", text=True),
    )
    note = (
        "Gain: AUC won by training near the test topics, on the same test pairs, 95 % interval. Null: the same with "
        "similarities permuted. Shows: smallest true gain called dependence four times in five."
    )
    return Table("domain", "What the training domain is worth", columns, tuple(rows), note)


def domain_sentence(row: DomainRow) -> str:
    """What the crossed probe found of a verifier."""
    gain, judged = row.gain, row.judged
    if judged.outcome is Domain.CANNOT_ASK:
        return "It answers alike after either training: nothing is learned from it, so the question does not apply."
    if gain is None or gain.interval is None:
        return f"No verdict on its training domain: {judged.reason}."
    size = figure(abs(gain.value))
    moved = "leaves AUC as it is" if float(size) == 0 else f"{'raises' if gain.value > 0 else 'lowers'} AUC by {size}"
    text = f"Training near the test topics instead of near others {moved}{interval_in_words(gain, signed=True)}."
    if judged.outcome is Domain.NO_VERDICT:
        return f"{text} No verdict: {judged.reason}."
    if judged.outcome is Domain.UNDECIDED:
        text += f" About {judged.needed:,} repetitions would decide it four times in five." if judged.needed else ""
    return text if judged.reason is None else f"{text} Note: {judged.reason}."


def chance_sentence(analysis: Analysis) -> str:
    """How many of the verdicts on the page are expected to be wrong."""
    judged = [row.judged for row in (() if analysis.content is None else analysis.content.rows)]
    judged += [row.judged for row in (() if analysis.probe is None else analysis.probe.rows)]
    firm = (*FOUND, Content.LESS, Domain.DEPENDS, Domain.LESS)
    count = sum(j.outcome in firm for j in judged)
    if not count:
        return ""
    return (
        f"Each verdict concerns one verifier and does not depend on who else is listed; of {count} firm "
        f"{'verdict' if count == 1 else 'verdicts'} here at most {wrong_by_chance(count):.2g} are expected "
        "to be wrong by chance."
    )


def missing(analysis: Analysis) -> list[str]:
    """Sentences on what could not be asked: a probe that is not there, and verifiers without a verdict."""
    found = no_verdict(analysis.content)
    probe = analysis.probe
    if probe is not None and not probe.section.repetitions:
        if probe.section.reason != NOT_ASKED:
            found.append(f"Nothing on training domains: there is no crossed probe ({probe.section.reason}).")
    elif probe is not None:
        found += [f"{r.verifier}: {r.judged.reason}." for r in probe.rows if r.judged.outcome is Domain.NO_VERDICT]
    return found
