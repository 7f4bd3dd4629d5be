"""Makes the report of ``raven obfuscate``: which texts changed, by what, and how much.

In: the ``Store`` of rewritings.
Out: an ``Obfuscation`` (a ``TextRow`` a text: counts of words and operations, changed stretches for each 1,000 words
of the original, seconds, None where there is nothing), its ``Table`` objects, one row a text, JSON values and Rich
objects.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from ravenbench.engine.options import spec_of
from ravenbench.errors import counted
from ravenbench.obfuscation.measures.soundness import efficiency
from ravenbench.reports.report import Gap, Report
from ravenbench.reports.view import Table, col, public_head, rows_json, table
from ravenbench.shown import Shown
from ravenbench.store.records import Head
from ravenbench.tasks.obfuscate.rewritings import ObfuscatePlan, kept_at, read_rewriting
from ravenbench.tasks.obfuscate.spec import ObfuscateSpec

if TYPE_CHECKING:
    from rich.console import RenderableType

MOST_NOTES = 6
LOST = "the rewriting is missing or damaged: repeat the command"


@dataclass(frozen=True)
class TextRow:
    """One text: its number of words, whether and how much it changed, and why it was not rewritten (None if it was).

    ``changes_per_1000`` counts changed passages per 1,000 words of the original; ``operations`` are counts by name;
    ``seconds`` is the time of rewriting.
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
        """Counts of operations over all texts, by name."""
        total: Counter[str] = Counter()
        for row in self.texts:
            total.update(row.operations)
        return dict(sorted(total.items()))

    @property
    def notes(self) -> dict[str, int]:
        """The notes on the texts; each with the number of texts that have it."""
        return dict(Counter(note for row in self.texts for note in row.notes))

    @property
    def failed(self) -> dict[str, str]:
        """Texts that could not be rewritten, and why."""
        return {row.id: row.error for row in self.texts if row.error is not None}


NAMED = 10
"""Most texts that the command names if they failed or came back unchanged."""


class ObfuscateReport(Report[Obfuscation]):
    """Which texts changed, by what, and how much; nothing is rewritten here."""

    kind = "obfuscate"
    template = "ravenbench.tasks.obfuscate:template.html.j2"

    @classmethod
    def beforehand(cls, values: Mapping[str, Any]) -> list[str]:
        spec = spec_of(ObfuscateSpec, values)
        return (
            [f"{spec.obfuscator}: texts leave this machine"] if spec.component().sends_text else []
        )

    @classmethod
    def trouble(cls, result: Any, values: Mapping[str, Any], failure: str) -> str | None:
        out_folder = values["out"]
        errors = result.errors
        same = result.unchanged
        if errors:
            named = "; ".join(errors[:NAMED])
            return (
                f"Raven could not rewrite {counted(len(errors), 'text')}, so it wrote nothing to"
                f" {out_folder}: {named}"
            )
        if same:
            named = ", ".join(same[:NAMED]) + ("…" if len(same) > NAMED else "")
            outcome = (
                f"the other texts are in {out_folder}"
                if result.written
                else f"Raven wrote nothing to {out_folder}"
            )
            text = f"{len(same)} of {counted(len(result.rewritings), 'text')} came back unchanged and hide nothing"
            return f"{text}: {named}; {outcome}"
        return None

    @classmethod
    def farewell(cls, values: Mapping[str, Any], results: Sequence[Any]) -> str:
        stores = [result.store for result in results]
        places = [store.plan_as(ObfuscatePlan).rewritings for store in stores]
        folders = [
            str(store.path / folder) if folder == "rewritings" else folder
            for store, folder in zip(stores, places, strict=True)
        ]
        private = " and ".join(["the .json file next to each text", *folders])
        texts = [rewriting for result in results for rewriting in result.rewritings]
        short = ["; ".join(texts[0].notes)] if len(texts) == 1 and texts[0].notes else []
        look = " ".join(shlex.quote(str(values[name])) for name in ("source", "out"))
        return (
            f"rewritten: {values['out']}; the original is in {private}: do not pass these on\n"
            f"next: raven diff {look}" + "".join(f"\nin short: {line}" for line in short)
        )

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
                    changes_per_1000=(
                        None
                        if rewriting is None
                        else efficiency(rewriting.parts)["changes_per_1000"]
                    ),
                    operations={} if rewriting is None else rewriting.counts,
                    notes=() if rewriting is None else rewriting.notes,
                    seconds=0.0 if result is None else result.seconds,
                    error=error,
                )
            )
        return Obfuscation(plan, public_head(self.store.run), tuple(rows))

    @cached_property
    def gaps(self) -> list[Gap]:
        """The texts without a rewriting; this run has rewritings instead of cells."""
        failed = self.analysis.failed
        why = next(iter(failed.values()), "")
        reason = "missing or damaged" if why == LOST else why
        return (
            [Gap(self.analysis.plan.obfuscator, len(self.analysis.texts), tuple(failed), reason)]
            if failed
            else []
        )

    @cached_property
    def texts(self) -> Table:
        """Return a table of every text and how much of it changed."""
        return table(
            "texts",
            "Texts",
            self.analysis.texts,
            col("text", "id", text=True, json="id"),
            col("words", "words", json="words"),
            col(None, "changed", json="changed"),
            col("changes", "changes_per_1000", digits=0, json="changes_per_1000"),
            col(
                "operations",
                lambda row: dict(row.operations),
                show=lambda operation_counts: sum(operation_counts.values()),
                json="operations",
            ),
            col(None, "notes", json="notes"),
            col(None, "seconds", json="seconds"),
            col(None, "error", json="error"),
            col("note", lambda row: row.error or "; ".join(row.notes), text=True),
            note="Changes: changed passages per 1,000 words of the original.",
        )

    def tables(self) -> list[Table]:
        def counted(
            key: str, title: str, heads: tuple[str, str], counts: Mapping[str, int]
        ) -> Table:
            name, unit = heads
            return table(
                key,
                title,
                counts.items(),
                col(name, "0", text=True),
                col(unit, "1"),
            )

        analysis = self.analysis
        return [
            self.texts,
            counted(
                "operations",
                "Operations over all texts",
                ("operation", "times"),
                analysis.operations,
            ),
            counted("notes", "Notes", ("note", "texts"), analysis.notes),
        ]

    def finding(self) -> str:
        analysis = self.analysis
        return f"{analysis.plan.obfuscator}: {analysis.changed} of {counted(len(analysis.texts), 'text')} changed."

    def to_json(self) -> dict[str, Any]:
        analysis = self.analysis
        return {
            "obfuscator": analysis.plan.obfuscator,
            "version": analysis.plan.version,
            "seed": analysis.run.seed,
            "source": analysis.plan.source,
            "texts": len(analysis.texts),
            "changed": analysis.changed,
            "unchanged": [row.id for row in analysis.texts if not row.changed],
            "operations": analysis.operations,
            "notes": analysis.notes,
            "failed": analysis.failed,
            "each": rows_json(self.texts),
            "run": {
                key: value
                for key, value in msgspec.to_builtins(analysis.run).items()
                if key != "data"
            },
        }

    def closing(self) -> list[RenderableType]:
        from rich.text import Text

        analysis = self.analysis
        lines = [f"  {count:>7}  {name}" for name, count in analysis.operations.items()]
        # What is said of one text that changed the command ends with.
        notes = [] if len(analysis.texts) == analysis.changed == 1 else [*analysis.notes.items()]
        for note, count in notes[:MOST_NOTES]:
            lines.append(
                f"  note, {count} text{'s' * (count > 1)}: {note}"
                if len(analysis.texts) > 1
                else f"  {note}"
            )
        if len(notes) > MOST_NOTES:
            lines.append(f"  the report has {len(notes) - MOST_NOTES} more notes")
        if analysis.failed:
            name, error = next(iter(analysis.failed.items()))
            lines.append(
                f"Raven could not rewrite {counted(len(analysis.failed), 'text')}, the first:"
                f" {name} ({error})"
            )
        return [Text(line) for line in lines]
