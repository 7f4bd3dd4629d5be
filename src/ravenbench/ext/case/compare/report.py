"""Makes the report of ``raven compare``: tables, marked-up questioned text, page, JSON, terminal.

In: the folder (``Store``) of a comparison, which has a ``Comparison``; for the other functions a case or its evidence.
Out: a ``CompareReport``; all in log10 LRs (above 0 for the candidate), C_llr in bits, EER and other shares from 0 to 1.
``words_table`` and ``choices_table``: tables; ``heat``: signed percent of what all passages say; ``dossier_json``: JSON
values. StoreError if the note's file is damaged.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from markupsafe import Markup

from ravenbench.ext.case.choices import choice_table
from ravenbench.ext.case.compare.analysis import CaseFound, Comparison, LRLine
from ravenbench.ext.case.compare.dossier import Cited
from ravenbench.ext.case.compare.evidence import Evidence, MarkedPassage, MarkedToken
from ravenbench.ext.case.compare.model import DRAWS
from ravenbench.ext.case.compare.record import NOTE, FileNote, Why
from ravenbench.ext.case.content import contents_sentence, contents_table
from ravenbench.ext.case.figures import LR, pav_figure, place_figure, tippett_figure
from ravenbench.ext.case.report import AnswersReport, css_text
from ravenbench.ext.case.sentences import (
    NO_FINDING,
    NO_PROBABILITY,
    digits,
    misleading,
    propositions,
    say,
    sided,
    signed,
)
from ravenbench.files import write_json
from ravenbench.reports.view import Col, Column, Table, col, number, printable, public_json, table
from ravenbench.store.records import read_record

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType

WORTH_NOTE = (
    "C_llr: cost of the LRs, 0 if all are right and certain, 1 if they are uninformative; C_llr"
    " min: the cost after the best possible calibration; EER: equal error rate. Raven measured"
    " these on background pairs by methods that were trained on neither author."
)
VERIFIERS_NOTE = (
    "For readers who check whether the methods agree. All methods read the same texts and make the"
    " answer together, so none of them is further evidence. Bounds: this number of authors supports"
    f" no larger LR. {WORTH_NOTE}"
)
CHAIN_NOTE = (
    "The text is what Raven read from the file, as UTF-8, before it joined or cut texts to the"
    " sizes listed under Material. The same: the text has the same bytes as the file."
)
WORDS_NOTE = (
    "Rates per thousand words. Pull: the product of both sides' distances from the background in"
    " standard deviations, as a proportion of the whole (Cosine Delta); above 0 both sides differ"
    " from the background in the same direction."
)
PROMISED = {
    "cllr": ("C_llr", "C_llr: cost of the LRs (0: all right and certain, 1: uninformative)"),
    "mean_for": (
        "mean LR of different-author pairs",
        "mean LR of different-author pairs (at most 1 if LRs are well calibrated)",
    ),
    "mean_against": (
        "mean 1/LR of same-author pairs",
        "mean 1/LR of same-author pairs (at most 1 if LRs are well calibrated)",
    ),
}
"""Measures of quality, on a terminal and on a page."""
STEPS = (0.25, 0.6, 1.1)
"""The |log10 ratio| from which a token gets the first, second and third depth of colour."""


class CompareReport(AnswersReport[Comparison, CaseFound]):
    """Likelihood ratios of cases, how far to trust them, and their grounds."""

    kind = "compare"
    template = "ravenbench.ext.case.compare:template.html.j2"
    thing = "comparison"

    @cached_property
    def note(self) -> FileNote:
        """Reference, examiner and date, if given. Raises StoreError if their file is damaged."""
        place = self.store.path / NOTE
        return read_record(place, FileNote) if place.exists() else FileNote()

    @property
    def answers(self) -> Sequence[CaseFound]:
        return self.analysis.cases

    def summary(self) -> Table:
        lines = [case.line for case in self.answers if case.line is not None]
        shown_values = (value for line in lines for value in (line.llr, *line.interval))
        fine = max(map(digits, shown_values), default=1)
        members = self.analysis.members
        shown: dict[str, Col[CaseFound]] = {
            "words": col(
                "in words",
                lambda r: ". ".join(filter(None, (_in_words(r), self.odd_one(r)))),
                text=True,
            ),
            "llr": col(LR, lambda r: r.line and r.line.llr, digits=fine, signed=True),
            "interval": col(
                "95% interval", lambda r: r.line and r.line.interval, digits=fine, signed=True
            ),
            "text": col("questioned text", "questioned.name", text=True),
        }
        order = ("words", "llr", "interval", "text") if members else ("llr", "interval", "words")
        return table(
            "cases",
            "Answers",
            self.answers,
            col("author" if members else "case", "id", text=True),
            *(shown[name] for name in order),
            note=(
                f"Above 0: for the {'author listed' if members else 'candidate'}; below 0: for"
                " someone else. From −.300 to +.300, or if the interval includes 0, the findings"
                " support neither. Raven gives ±.300 where other background pairs might show no"
                " support."
            ),
        )

    def tables_of(self, one: CaseFound, mark: str) -> list[Table]:
        texts = [
            ("questioned", one.questioned),
            *((f"known, {one.candidate}", text) for text in one.known),
        ]
        left_out: Col[Any] = col("left out", lambda r: r[1].left_out or "nothing", text=True)
        name: Col[Any] = col("text", "1.name", text=True)
        made = [
            table(
                f"material{mark}",
                "Texts",
                texts,
                name,
                col("role", "0", text=True),
                col("words", "1.words"),
                col("common words", "1.coverage", digits=2),
                note="Common words: proportion of words among the 200 most frequent in the"
                " background.",
                section="material",
            ),
            table(
                f"chain{mark}",
                "From the file received to the text compared",
                texts,
                name,
                *([left_out] if any(text.left_out for _, text in texts) else []),
                col("SHA-256 of the file", "1.sha256", text=True),
                col("SHA-256 of the text", lambda r: self._hash(r[1]), text=True),
                note=CHAIN_NOTE,
                section="chain",
            ),
        ]
        if one.scored is None:
            return made
        # What single verifiers say is no answer where none is given.
        section = "verifiers" if one.answered else None
        lines = one.scored.verifiers
        made += [
            table(
                f"promise{mark}",
                "Quality of such likelihood ratios on authors left out",
                one.scored.promise.items(),
                col("measure", lambda r: PROMISED[r[0]][1], text=True),
                col("value", "1.value", digits=2),
                col("95% interval", lambda r: (r[1].low, r[1].high), digits=2),
                section="trust",
            ),
            verifier_table([*lines[-1:], *lines[:-1]], f"verifiers{mark}", section),
            contents_table(one.scored.verifiers_and_content, f"contents{mark}", section),
        ]
        if one.evidence is None:
            return made
        shown = [choices_table(one.evidence, mark)] if one.evidence.choices else []
        return [*made, *shown, words_table(one.evidence, mark)]

    def _hash(self, text: Any) -> str:
        own = hashlib.sha256(self.store.texts[text.row].encode()).hexdigest()
        return "the same" if own == text.sha256 else own

    def figures_of(self, one: CaseFound) -> dict[str, Figure]:
        if one.scored is None or one.alike is None:
            return {}
        pairs = self.analysis.pairs[one.pairs]
        line = one.scored.fused
        return {
            "place": place_figure(pairs, line.llr, line.interval, one.alike),
            "tippett": tippett_figure(pairs, line.llr),
            "calibration": pav_figure(pairs, line.llr),
        }

    def context(self) -> dict[str, Any]:
        return {
            "note": msgspec.to_builtins(self.note),
            "caution": "",
            "draws": DRAWS,
            "no_finding": NO_FINDING,
            "signed": signed,
            "sided": sided,
            "misleading": misleading,
            **super().context(),
        }

    def context_of(self, one: CaseFound) -> dict[str, Any]:
        hp, hd = propositions(one.candidate, one.questioned.name)
        title = f"Did {one.candidate} write {one.questioned.name}?"
        passages = () if one.evidence is None else one.evidence.passages
        caution = NO_PROBABILITY.format(name=one.candidate)
        said = {"title": title, "hp": hp, "hd": hd, "caution": caution}
        return {**said, "heat": heat(passages), "odd_one": self.odd_one(one)}

    def head(self, title: str) -> Markup:
        return css_text(", ".join(filter(None, (self.note.case, title))))

    def fill(self, folder: Path) -> None:
        """Also write ``case.json``, without how programs were run and what is missing."""
        super().fill(folder)
        write_json(folder / "case.json", public_json(self.to_json()))

    def to_json(self) -> dict[str, Any]:
        """Return an object of plain values; log10 LRs are above 0 for the candidate."""
        comparison = self.analysis
        background = msgspec.to_builtins(self.analysis.plan.background)
        del background["functions"]
        plain = {
            "cases": [
                case.to_json() | ({"odd_one": odd} if (odd := self.odd_one(case)) else {})
                for case in comparison.cases
            ],
            "file": msgspec.to_builtins(self.note),
            "background": background,
            "notes": [*self.analysis.plan.copies, *self.analysis.plan.notes],
            "failures": [asdict(failure) for failure in comparison.failures],
            "run": msgspec.to_builtins(comparison.run),
        }
        if comparison.members:
            plain["by_chance"] = comparison.by_chance
        if self.analysis.plan.validated is not None:
            plain["dossier"] = dossier_json(self.analysis.plan.validated)
        return plain

    def said_of_all(self) -> list[str]:
        plan = self.analysis.plan
        return [
            *(f"note: {note}" for note in plan.notes),
            *(f"left out of the background: {text}" for text in plan.background.left_out),
            *(
                f"failed: {f.verifier} on {f.fold}: {f.error.splitlines()[0]}"
                for f in self.analysis.failures
            ),
        ]

    def closing(self) -> list[RenderableType]:
        from rich.text import Text

        first = [f"{note}." for note in self.analysis.plan.copies]
        if self.analysis.by_chance:
            first.append(f"{NO_FINDING} {self.analysis.by_chance}")
        return [*map(Text, first * self.analysis.members), *super().closing()]

    def finding(self) -> str:
        refused = Counter(reason.short for case in self.answers for reason in case.reasons)
        if self.only is not None or not refused:
            return super().finding()
        why = "; ".join(f"{short} ({count})" for short, count in refused.most_common())
        return f"{super().finding()} Reasons for no answer: {why}."

    def odd_one(self, one: CaseFound) -> str:
        """Return the known text that is least similar to the others if they disagree; otherwise an empty text."""
        if one.scored is None or all(reason.why is not Why.DISAGREEING for reason in one.reasons):
            return ""
        names = next(case.known_names for case in self.analysis.plan.cases if case.id == one.id)
        least, name = min(zip(one.scored.known_against_others, names, strict=True))
        return say("odd one", name=name, least=least)

    def said(self, one: CaseFound) -> list[RenderableType]:
        from rich.text import Text

        if one.scored is None or not one.answered:
            # The finding, which ends what a terminal shows, gives the reasons.
            return [Text(odd)] if (odd := self.odd_one(one)) else []
        scored = one.scored
        promised = "; ".join(
            f"{PROMISED[key][0]} {one.value:.2f} [{one.low:.2f}, {one.high:.2f}]"
            for key, one in scored.promise.items()
        )
        lines = [
            NO_PROBABILITY.format(name=one.candidate),
            misleading(scored.misleading, scored.misleading_pairs, scored.fused.llr),
            *([] if scored.content is None else [scored.content.sentence]),
            contents_sentence(scored.verifiers_and_content),
            f"On held-out authors: {promised} (both means are at most 1 if LRs are well"
            " calibrated).",
            *([] if one.standing is None else [f"Validation: {one.standing.sentence}."]),
            *(f"note: {note}" for note in one.notes),
        ]
        return [Text(line) for line in lines]


def _in_words(case: CaseFound) -> str:
    """The step of the scale, or the first words of each reason; the whole stands on the case's page and in JSON."""
    if case.line is not None:
        return sided(case.line.llr, case.line.interval)
    return f"no answer: {'; '.join(reason.short for reason in case.reasons)}"


def verifier_table(lines: Sequence[LRLine], key: str, section: str | None) -> Table:
    """Return a table of every verifier's log10 LR, its bounds and its quality on background pairs."""
    return table(
        key,
        "Every verifier separately",
        lines,
        col("verifier", "name", text=True),
        col(LR, "llr", digits=2, signed=True),
        col("95% interval", "interval", digits=2, signed=True),
        col("bounds", "bounds", digits=2, signed=True),
        col("C_llr", "cllr", digits=2),
        col("C_llr min", "cllr_min", digits=2),
        col("EER", "eer", digits=2),
        note=VERIFIERS_NOTE,
        section=section,
    )


def words_table(evidence: Evidence, mark: str) -> Table:
    """Return a table of the common words with most pull in each direction."""
    return table(
        f"words{mark}",
        "Common words",
        evidence.words,
        col("word", "name", text=True),
        col("pull", "pull", digits=2, signed=True),
        col("questioned", "questioned", digits=1),
        col("known", "known", digits=1),
        col("background", "background", digits=1),
        col(
            "in the questioned text",
            lambda f: "{}[{}]{}".format(*f.context) if f.context else "",
            text=True,
        ),
        note=WORDS_NOTE,
        section="features",
    )


def choices_table(evidence: Evidence, mark: str) -> Table:
    """Return a table of authors' choices, with counts on both sides."""
    key = f"choices{mark}"
    return choice_table(evidence.choices, key, "questioned", title="Choices", section="features")


def dossier_json(cited: Cited) -> dict[str, Any]:
    """Return the cited dossier without its cells."""
    dossier = cited.dossier
    return {
        "folder": cited.folder,
        "sha256": cited.sha256,
        "fixed": dossier.fixed,
        "background": dossier.background,
        "raven": dossier.run.raven,
        "criterion": msgspec.to_builtins(dossier.criterion),
        "differs": cited.differs,
        "between": cited.between,
        "unvalidated_answered": cited.unvalidated,
    }


def heat(passages: Sequence[MarkedPassage]) -> list[dict[str, object]]:
    """Passages with their share (percent) of what all say, and their marked-up text.

    A share is signed, above 0 for the candidate, and shares add up to 100 % without their signs: the passages are one
    method's, so that their sum is not the answer.
    """
    whole = sum(abs(passage.log10) for passage in passages) or 1.0
    percent = Column("", digits=0, signed=True)
    return [
        {
            "share": f"{number(100 * passage.log10 / whole, percent)} %",
            "text": Markup("").join(_token(token) for token in passage.tokens),
        }
        for passage in passages
    ]


def _token(token: MarkedToken) -> Markup:
    depth = sum(abs(token.log10) >= step for step in STEPS)
    kinds = [f"{'for' if token.log10 > 0 else 'against'}{depth}"] if depth else []
    kinds += ["content"] if token.content else []
    before = " " if token.before.strip() == "" and token.before else printable(token.before)
    if not kinds:
        return Markup("{}{}").format(before, printable(token.text))
    return Markup('{}<span class="{}">{}</span>').format(
        before, " ".join(kinds), printable(token.text)
    )
