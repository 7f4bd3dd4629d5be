"""Tables of what people said."""

from __future__ import annotations

from collections.abc import Callable

from ravenbench.reports.safety.grades import People
from ravenbench.reports.view import Column, Table, range_of


def people_tables(found: People | None, title: Callable[[str], str]) -> list[Table]:
    """Grades by obfuscator, agreement between graders, measures against grades; without rows where nobody graded.

    ``title`` names a measure for readers.
    """
    return [_people(found), _agreement(found), _measures(found, title)]


def _people(found: People | None) -> Table:
    rows = tuple(
        (
            r.obfuscator, r.texts, r.grade, *(r.verdicts.get(v) for v in ("correct", "passable", "incorrect")),
            r.blind, r.sound, r.bits,
        )
        for r in (found.rows if found else ())
    )  # fmt: skip
    columns = (
        Column("obfuscator", text=True), Column("texts"), Column("grade", digits=2), Column("correct", digits=2),
        Column("passable", digits=2), Column("wrong", digits=2), Column("blind", digits=2), Column("sound", digits=2),
        Column("bits", digits=2, signed=True),
    )  # fmt: skip
    note = (
        f"By {len(found.graders) if found else 0} readers: grade 1 fluent … 5 unreadable; whether it says the same "
        "(correct, passable, wrong), as shares; blind: graded before the original was seen. Beside them, of the same "
        "texts, sound and bits as measured automatically."
    )
    return Table("people", "What readers said", columns, rows, note)


def _agreement(found: People | None) -> Table:
    rows = tuple(
        (a.question, a.graders, a.texts, a.alpha, range_of(a.interval)) for a in (found.agreement if found else ())
    )
    columns = (
        Column("question", text=True), Column("readers"), Column("texts"), Column("α", signed=True), Column("95 %"),
    )  # fmt: skip
    note = (
        "Krippendorff's α for ordered grades over texts that two read: 1 agreement, 0 chance. "
        "Below .667 grades are not to be relied on, from .800 on they are."
    )
    return Table("agreement", "Do readers agree?", columns, rows, note)


def _measures(found: People | None, title: Callable[[str], str]) -> Table:
    rows = tuple(
        (
            title(m.measure), m.grade.rho, range_of(m.grade.interval), m.verdict.rho, range_of(m.verdict.interval),
            max(m.grade.pairs, m.verdict.pairs),
        )
        for m in (found.measures if found else ())
    )  # fmt: skip
    columns = (
        Column("measure", text=True), Column("ρ grade", digits=2, signed=True), Column("95 %", digits=2),
        Column("ρ verdict", digits=2, signed=True), Column("95 % ", digits=2), Column("texts"),
    )  # fmt: skip
    note = (
        "Spearman's ρ with readers' means; a higher grade or verdict is a worse one, so a similarity that says the "
        f"same is is negative, a count of faults positive. Of {len(rows)} measures, some differ from 0 by chance."
    )
    return Table("measures-people", "Automatic measures against readers", columns, rows, note)
