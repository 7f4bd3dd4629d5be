"""The content axis as a table and in words, for every report that has it."""

from __future__ import annotations

from ravenbench.reports.shared.content import ContentProbe, ContentRow
from ravenbench.reports.shared.tables import Column, Range, Table, Value, figure
from ravenbench.statistics.axes import Content, Domain, Judged
from ravenbench.statistics.clustered import Figure

TITLE = "What style alone reaches, and how far content moves it"
WIDE = ("on > off", "null", "interval of style left")
"""Columns that 80 characters do not hold."""


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


def content_table(probe: ContentProbe | None, key: str = "content", title: str = TITLE) -> Table:
    """Style left and swing of every verifier: the first table of a report."""
    rows: list[tuple[Value, ...]] = []
    for row in () if probe is None or probe.section.reason is not None else probe.rows:
        f = row.figures
        rows.append(
            (
                row.verifier,
                value_of(f.auc),
                *with_interval(f.style_left),
                *with_interval(f.swing),
                value_of(f.share),
                value_of(f.null_swing),
                badge(row.judged),
            )
        )
    columns = (
        Column("verifier", text=True),
        Column("AUC before"),
        Column("style left"),
        Column("interval of style left"),
        Column("swing", signed=True),
        Column("interval of swing", signed=True),
        Column("on > off", digits=2),
        Column("null", signed=True),
        Column("verdict", text=True),
    )
    note = (
        "AUC before: with their own content, of the problems that could be rewritten, mean over folds, before any "
        "answer is left open; tables of scores count all problems, and an open answer as .5. Style left: AUC when the "
        "questioned texts have other content; .5 is guessing. Swing: how far content alone moves AUC, 0 = not at all. "
        "95 % intervals over authors and topics. Null: swing between two kinds of foreign content."
    )
    return Table(key, title, columns, tuple(rows), note)


def content_sentence(row: ContentRow) -> str:
    """What the transplant found of a verifier; it claims no more than the intervals."""
    f, judged = row.figures, row.judged
    if f.style_left is None or f.swing is None:
        return f"No verdict on content: {judged.reason}."
    text = (
        "With other content in the questioned texts AUC is "
        f"{figure(f.style_left.value)}{interval_in_words(f.style_left)}; "
        f"content alone moves it by {figure(f.swing.value)}{interval_in_words(f.swing)}."
    )
    if judged.outcome is Content.NO_VERDICT:
        return f"{text} No verdict: {judged.reason}."
    if judged.outcome is Content.UNDECIDED:
        text += (
            f" The interval holds the margin of {figure(judged.margin)}; about {judged.needed:,} problems would decide."
            if judged.needed
            else f" It lies next to the margin of {figure(judged.margin)}: more problems would hardly decide."
        )
    return text if judged.reason is None else f"{text} Note: {judged.reason}."


def verdicts(probe: ContentProbe | None) -> list[dict[str, str]]:
    """By verifier: a badge, the kind of outcome, and a sentence; none where nothing could be asked."""
    rows = () if probe is None or probe.section.reason is not None else probe.rows
    return [
        {"verifier": r.verifier, "badge": badge(r.judged), "kind": r.judged.outcome.name, "text": content_sentence(r)}
        for r in rows
    ]


def no_verdict(probe: ContentProbe | None) -> list[str]:
    """Sentences on what could not be asked: the whole probe, or verifiers without a verdict."""
    if probe is None:
        return []
    if probe.section.reason is not None:
        return [f"No verdict on content: {probe.section.reason}."]
    return [f"{r.verifier}: {r.judged.reason}." for r in probe.rows if r.judged.outcome is Content.NO_VERDICT]


def value_of(figure: Figure | None) -> float | None:
    return None if figure is None else figure.value


def with_interval(figure: Figure | None) -> tuple[float | None, Range | None]:
    return value_of(figure), None if figure is None or figure.interval is None else Range(*figure.interval)


def interval_in_words(found: Figure, *, signed: bool = False) -> str:
    if found.interval is None:
        return ""
    low, high = (figure(end, signed=signed) for end in found.interval)
    return f" ({low} to {high})"
