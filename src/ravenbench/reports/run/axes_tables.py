"""The two axes as tables and in sentences: what content does to a verifier, and what its training domain does."""

from __future__ import annotations

from ravenbench.bench.run.probe import NOT_ASKED
from ravenbench.reports.run.content import ContentRow
from ravenbench.reports.run.probe import DomainRow
from ravenbench.reports.run.records import Analysis
from ravenbench.reports.shared.tables import Column, Range, Table, Value
from ravenbench.statistics.axes import Content, Domain, Judged, wrong_by_chance
from ravenbench.statistics.clustered import Figure


def badge(judged: Judged) -> str:
    """The outcome in words that stand alone."""
    margin = f"{judged.margin:.2f}".lstrip("0")
    # Outcomes of both axes compare as text, and two of them read alike.
    if isinstance(judged.outcome, Content):
        words = {Content.RELIES: "relies on content", Content.LESS: f"content moves it by less than {margin}"}
        return words.get(judged.outcome, f"content: {judged.outcome}")
    own = {
        Domain.DEPENDS: "depends on its training domain",
        Domain.LESS: f"its training domain matters by less than {margin}",
        Domain.CANNOT_ASK: "training domain: cannot be asked",
    }
    return own.get(judged.outcome, f"training domain: {judged.outcome}")


def content_table(analysis: Analysis) -> Table:
    """Style left and swing of every verifier: the first table of a report."""
    rows: list[tuple[Value, ...]] = []
    probe = analysis.content
    for row in () if probe is None or probe.section.reason is not None else probe.rows:
        f = row.figures
        rows.append(
            (
                row.verifier,
                _value(f.auc),
                *_both(f.style_left),
                *_both(f.swing),
                _value(f.share),
                _value(f.null_swing),
                badge(row.judged),
            )
        )
    columns = (
        Column("verifier", text=True),
        Column("AUC"),
        Column("style left"),
        Column("interval of style left"),
        Column("swing", signed=True),
        Column("interval of swing", signed=True),
        Column("on > off", digits=2),
        Column("null", signed=True),
        Column("verdict", text=True),
    )
    note = (
        "Style left: AUC when the questioned texts have other content; .5 is guessing. Swing: how far content alone "
        "moves AUC, 0 = not at all. 95 % intervals over authors and topics. Null: swing between two kinds of foreign "
        "content."
    )
    return Table("content", "What style alone reaches, and how far content moves it", columns, tuple(rows), note)


def domain_table(analysis: Analysis) -> Table:
    """Gains of the crossed probe."""
    rows: list[tuple[Value, ...]] = []
    probe = analysis.probe
    for row in () if probe is None or not probe.section.repetitions else probe.rows:
        rows.append((row.verifier, *_both(row.gain), _value(row.null), row.judged.shows, badge(row.judged)))
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


def content_sentence(row: ContentRow) -> str:
    """What the transplant found of a verifier; it claims no more than the intervals."""
    f, judged = row.figures, row.judged
    if f.style_left is None or f.swing is None:
        return f"No verdict on content: {judged.reason}."
    text = (
        f"With other content in the questioned texts AUC is {_plain(f.style_left.value)}{_interval(f.style_left)}; "
        f"content alone moves it by {_plain(f.swing.value)}{_interval(f.swing)}."
    )
    if judged.outcome is Content.NO_VERDICT:
        return f"{text} No verdict: {judged.reason}."
    if judged.outcome is Content.UNDECIDED:
        text += (
            f" The interval holds the margin of {_plain(judged.margin)}; about {judged.needed:,} problems would decide."
            if judged.needed
            else f" It lies next to the margin of {_plain(judged.margin)}: more problems would hardly decide."
        )
    return text if judged.reason is None else f"{text} Note: {judged.reason}."


def domain_sentence(row: DomainRow) -> str:
    """What the crossed probe found of a verifier."""
    gain, judged = row.gain, row.judged
    if judged.outcome is Domain.CANNOT_ASK:
        return "It answers alike after either training, so nothing can be said of its training domain."
    if gain is None or gain.interval is None:
        return f"No verdict on its training domain: {judged.reason}."
    size = _plain(abs(gain.value))
    moved = "leaves AUC as it is" if float(size) == 0 else f"{'raises' if gain.value > 0 else 'lowers'} AUC by {size}"
    text = f"Training near the test topics instead of near others {moved}{_interval(gain, signed=True)}."
    if judged.outcome is Domain.NO_VERDICT:
        return f"{text} No verdict: {judged.reason}."
    if judged.outcome is Domain.UNDECIDED:
        text += f" About {judged.needed:,} repetitions would decide." if judged.needed else ""
    return text if judged.reason is None else f"{text} Note: {judged.reason}."


def chance_sentence(analysis: Analysis) -> str:
    """How many of the verdicts on the page are expected to be wrong."""
    judged = [row.judged for row in (() if analysis.content is None else analysis.content.rows)]
    judged += [row.judged for row in (() if analysis.probe is None else analysis.probe.rows)]
    firm = (Content.RELIES, Content.LESS, Domain.DEPENDS, Domain.LESS)
    count = sum(j.outcome in firm for j in judged)
    if not count:
        return ""
    return (
        f"Each verdict concerns one verifier and does not depend on who else is listed; of the {count} firm ones here "
        f"at most {wrong_by_chance(count):.2g} are expected to be wrong by chance."
    )


def missing(analysis: Analysis) -> list[str]:
    """Sentences on what could not be asked: a probe that is not there, and verifiers without a verdict."""
    found = []
    if analysis.content is not None and (reason := analysis.content.section.reason) is not None:
        found.append(f"No verdict on content: {reason}.")
    elif analysis.content is not None:
        rows = analysis.content.rows
        found += [f"{r.verifier}: {r.judged.reason}." for r in rows if r.judged.outcome is Content.NO_VERDICT]
    probe = analysis.probe
    if probe is not None and not probe.section.repetitions and probe.section.reason != NOT_ASKED:
        found.append(f"Nothing on training domains: there is no crossed probe ({probe.section.reason}).")
    elif probe is not None:
        found += [f"{r.verifier}: {r.judged.reason}." for r in probe.rows if r.judged.outcome is Domain.NO_VERDICT]
    return found


def _value(figure: Figure | None) -> float | None:
    return None if figure is None else figure.value


def _both(figure: Figure | None) -> tuple[float | None, Range | None]:
    return _value(figure), None if figure is None or figure.interval is None else Range(*figure.interval)


def _interval(figure: Figure, *, signed: bool = False) -> str:
    if figure.interval is None:
        return ""
    low, high = (_plain(end, signed=signed) for end in figure.interval)
    return f" ({low} to {high})"


def _plain(value: float, *, signed: bool = False) -> str:
    shown = f"{value:+.3f}" if signed else f"{value:.3f}"
    shown = ".000" if float(shown) == 0 else shown
    return shown.replace("-", "−").replace("0.", ".", 1)
