"""The report of ``raven obfuscate``: which texts changed, by what, and how much."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from ravenbench.obfuscation.measures.soundness import efficiency
from ravenbench.reports.report import Gap, Report
from ravenbench.reports.view import Table, col, public_head, rows_json, table
from ravenbench.shown import Shown
from ravenbench.store.records import Head
from ravenbench.tasks.obfuscate.rewritings import ObfuscatePlan, kept_at, read_rewriting

if TYPE_CHECKING:
    from rich.console import RenderableType

MOST_NOTES = 6
LOST = "its rewriting is missing or damaged: repeat the command"


@dataclass(frozen=True)
class TextRow:
    """One text: its words, whether and how much it changed, and why it was not rewritten (None where it was).

    ``changes_per_1000`` counts changed stretches for every 1,000 words of the original.
    """

    id: str
    words: int
    changed: bool
    changes_per_1000: float | None
    operations: Mapping[str, int]
    notes: tuple[str, ...]
    seconds: float
    error: str | None


@dataclass(frozen=True, repr=False)
class Obfuscation(Shown):
    """A whole obfuscation: its plan, and every text in the plan's order."""

    plan: ObfuscatePlan
    run: Head
    texts: tuple[TextRow, ...]

    @property
    def changed(self) -> int:
        """How many texts differ from their original."""
        return sum(row.changed for row in self.texts)

    @property
    def operations(self) -> dict[str, int]:
        """Operations over all texts, by name."""
        total: Counter[str] = Counter()
        for row in self.texts:
            total.update(row.operations)
        return dict(sorted(total.items()))

    @property
    def notes(self) -> dict[str, int]:
        """What a reader must know, as the texts have it; each note with the number of texts it was made on."""
        return dict(Counter(note for row in self.texts for note in row.notes))

    @property
    def failed(self) -> dict[str, str]:
        """Texts that could not be rewritten, and why."""
        return {row.id: row.error for row in self.texts if row.error is not None}


class ObfuscateReport(Report[Obfuscation]):
    """Which texts changed, by what, and how much; nothing is rewritten here."""

    kind = "obfuscate"
    template = "ravenbench.tasks.obfuscate:template.html.j2"

    def analyse(self) -> Obfuscation:
        plan = self.store.plan_as(ObfuscatePlan)
        folder = kept_at(self.store.path, plan.rewritings)
        rows = []
        for text in plan.texts:
            result = read_rewriting(folder, text.key)
            rewriting = None if result is None else result.rewriting
            error = None
            if result is None:
                error = LOST
            elif rewriting is None:
                error = str(result.error).splitlines()[0]
            rows.append(
                TextRow(
                    id=text.id,
                    words=text.words,
                    changed=rewriting is not None and rewriting.changed,
                    changes_per_1000=None if rewriting is None else efficiency(rewriting.parts)["changes_per_1000"],
                    operations={} if rewriting is None else rewriting.counts,
                    notes=() if rewriting is None else rewriting.notes,
                    seconds=0.0 if result is None else result.seconds,
                    error=error,
                )
            )
        return Obfuscation(plan, public_head(self.store.run), tuple(rows))

    @cached_property
    def gaps(self) -> list[Gap]:
        """The texts that it lacks: there are rewritings in the place of cells."""
        failed = self.analysis.failed
        why = next(iter(failed.values()), "")
        reason = "missing or damaged" if why == LOST else why
        return [Gap(self.analysis.plan.obfuscator, len(self.analysis.texts), tuple(failed), reason)] if failed else []

    @cached_property
    def texts(self) -> Table:
        """Every text and how much of it changed."""
        return table(
            "texts", "Texts", self.analysis.texts,
            col("text", lambda r: r.id, text=True, json="id"),
            col("words", lambda r: r.words, json="words"),
            col(None, lambda r: r.changed, json="changed"),
            col("changes", lambda r: r.changes_per_1000, digits=0, json="changes_per_1000"),
            col("operations", lambda r: dict(r.operations), show=lambda used: sum(used.values()), json="operations"),
            col(None, lambda r: r.notes, json="notes"),
            col(None, lambda r: r.seconds, json="seconds"),
            col(None, lambda r: r.error, json="error"),
            col("note", lambda r: r.error or "; ".join(r.notes), text=True),
            note="Changes: changed stretches per 1,000 words of the original.",
        )  # fmt: skip

    def tables(self) -> list[Table]:
        def counted(key: str, title: str, heads: tuple[str, str], counts: Mapping[str, int]) -> Table:
            name, unit = heads
            return table(
                key, title, counts.items(), col(name, lambda item: item[0], text=True), col(unit, lambda item: item[1])
            )

        a = self.analysis
        return [
            self.texts,
            counted("operations", "Operations over all texts", ("operation", "times"), a.operations),
            counted("notes", "Notes", ("note", "texts"), a.notes),
        ]

    def finding(self) -> str:
        a = self.analysis
        return f"{a.plan.obfuscator}: {a.changed} of {len(a.texts)} texts changed."

    def context(self) -> dict[str, Any]:
        return {"analysis": self.analysis, "run": msgspec.to_builtins(self.analysis.run)}

    def to_json(self) -> dict[str, Any]:
        a = self.analysis
        return {
            "obfuscator": a.plan.obfuscator,
            "version": a.plan.version,
            "seed": a.run.seed,
            "source": a.plan.source,
            "texts": len(a.texts),
            "changed": a.changed,
            "unchanged": [row.id for row in a.texts if not row.changed],
            "operations": a.operations,
            "notes": a.notes,
            "failed": a.failed,
            "each": rows_json(self.texts),
            "run": {key: value for key, value in msgspec.to_builtins(a.run).items() if key != "data"},
        }

    def closing(self) -> list[RenderableType]:
        from rich.text import Text

        a = self.analysis
        lines = [f"  {count:>7}  {name}" for name, count in a.operations.items()]
        # What is said of one text that changed the command ends with.
        notes = [] if len(a.texts) == a.changed == 1 else [*a.notes.items()]
        for note, count in notes[:MOST_NOTES]:
            lines.append(f"  note, {count} text{'s' * (count > 1)}: {note}" if len(a.texts) > 1 else f"  {note}")
        if len(notes) > MOST_NOTES:
            lines.append(f"  {len(notes) - MOST_NOTES} more notes stand in the report")
        if a.failed:
            name, error = next(iter(a.failed.items()))
            lines.append(f"{len(a.failed)} texts were not rewritten, the first: {name} ({error})")
        return [Text(line) for line in lines]
