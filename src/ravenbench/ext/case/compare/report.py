"""Makes the report of ``raven compare``: tables, figures, marked-up questioned text, page, JSON, terminal.

In: the folder (``Store``) of a comparison, from which ``analyse`` makes a ``Comparison``; for the other functions one
case, its ``Answer`` or its ``Evidence``.
Out: a ``CompareReport``; all in log10 LRs (above 0 for the candidate), C_llr in bits, EER and other shares from 0 to 1.
Each ``…_table`` and ``…_figure`` function gives one table or figure, ``case_tables``, ``figures_of`` and
``case_context`` those of a case, ``worths`` estimates, ``heat`` signed percent of what all passages say,
``dossier_json`` JSON values, ``css_text`` escaped text. StoreError if the note's file is damaged.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from markupsafe import Markup

from ravenbench.ext.case.compare.analysis import Answer, CaseFound, Comparison, LRLine, analyse
from ravenbench.ext.case.compare.dossier import Cited, DossierStanding
from ravenbench.ext.case.compare.evidence import Evidence, MarkedPassage, MarkedToken
from ravenbench.ext.case.compare.material import COPIES
from ravenbench.ext.case.compare.model import FUSED
from ravenbench.ext.case.compare.record import NOTE, CaseTextRecord, FileNote
from ravenbench.ext.case.compare.sentences import (
    NO_FINDING,
    NO_PROBABILITY,
    digits,
    misleading,
    propositions,
    rank_sentence,
    sided,
    signed,
    verbal,
)
from ravenbench.ext.case.content import contents_json, contents_sentence, contents_table
from ravenbench.ext.case.likelihood_ratios import MeasureEstimate, pav, tippett
from ravenbench.files import write_json, write_text
from ravenbench.randomness import stream
from ravenbench.reports.page import FAINT, INK, SETUP, canvas, style
from ravenbench.reports.report import Report
from ravenbench.reports.view import (
    Col,
    Column,
    Table,
    col,
    for_terminal,
    number,
    objects,
    printable,
    public_json,
    table,
)
from ravenbench.store.records import read_record

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType

    from ravenbench.ext.case.compare.model import PairScores
    from ravenbench.store.store import Store
    from ravenbench.types import Floats

LR = "log10 LR"
WORTH_NOTE = (
    "C_llr: cost of the LRs, 0 if all are right and certain, 1 if they say nothing; C_llr min: the"
    " cost that remains after the best possible calibration; EER: equal error rate. Measured on"
    " background pairs by methods that were trained on neither author."
)
MOST_HEAD = 110
"""Characters of the running head of a printed page."""
WORDS_NOTE = (
    "Rates in a thousand words. Pull: the product of both sides' distance from the background in"
    " standard deviations, as a share of the whole (Cosine Delta); above 0 both leave it the same"
    " way."
)
CHARACTERS_NOTE = (
    "Rates in a thousand four-character sequences (␣: a blank). Pull: overlap of questioned and"
    " known texts beyond that with the background. Content: share of its places within content"
    " words, where it may be topic."
)
IMPOSTORS_NOTE = (
    "Five characters; the overlap is held against that with the ten background texts most like the"
    " questioned one (impostors)."
)
STEPS = (0.25, 0.6, 1.1)
"""|log10 ratio| from which a token has the first, second and third depth of colour."""
SAME = SETUP["hits"]
DIFFERENT = SETUP["random"]


class CompareReport(Report[Comparison]):
    """Likelihood ratios of cases, how far to trust them, and their grounds."""

    kind = "compare"
    template = "ravenbench.ext.case.compare:template.html.j2"

    def analyse(self) -> Comparison:
        return analyse(self.store)

    @cached_property
    def note(self) -> FileNote:
        """Reference, examiner and date, where they were given. StoreError if their file is damaged."""
        place = self.store.path / NOTE
        return read_record(place, FileNote) if place.exists() else FileNote()

    @cached_property
    def shown(self) -> list[tuple[str, CaseFound]]:
        """The cases, each with the mark of its names."""
        cases = self.analysis.cases
        return [("" if len(cases) == 1 else f"-{i}", case) for i, case in enumerate(cases, 1)]

    def tables(self) -> list[Table]:
        return [
            self.cases(),
            *(t for mark, case in self.shown for t in case_tables(case, mark, self.store)),
        ]

    def page_tables(self) -> list[Table]:
        return [self.cases()] if len(self.shown) > 1 else self.tables()

    def cases(self) -> Table:
        """Every case with its answer, or why it has none; each leads to its page."""
        comparison = self.analysis
        most = max(
            (digits(case.llr) for case in comparison.cases if case.llr is not None), default=1
        )
        llr: Col[CaseFound] = col(LR, lambda r: r.llr, digits=most, signed=True)
        ends = [end for case in comparison.cases for end in case.interval or ()]
        fine = (
            2 if any(end and not round(end, 1) for end in ends) else 1
        )  # the side of 0 is to be seen
        interval: Col[CaseFound] = col(
            "95% interval", lambda r: r.interval, digits=fine, signed=True
        )
        words: Col[CaseFound] = col("in words", _in_words, text=True)
        questioned: Col[CaseFound] = col(
            "text in question", lambda r: r.record.questioned.name, text=True
        )
        made = table(
            "cases",
            "Answers",
            comparison.cases,
            col("author" if comparison.members else "case", lambda r: r.record.id, text=True),
            *((words, llr, interval, questioned) if comparison.members else (llr, interval, words)),
            note=(
                f"Above 0: for the {'author named' if comparison.members else 'candidate'}; below"
                " 0: for someone else. Between −.3 and +.3, and where the interval holds 0, the"
                " findings support neither."
            ),
            section="" if len(comparison.cases) > 1 else None,
        )
        return replace(made, links=tuple(f"answer{mark}.html" for mark, _ in self.shown if mark))

    def copies(self) -> list[str]:
        """Notes on whole texts under two authors of a class: they stand first."""
        return [note for note in self.analysis.plan.notes if note.startswith(COPIES)]

    def figures(self) -> dict[str, Figure]:
        return {} if len(self.shown) > 1 else figures_of(*self.shown[0])

    def finding(self) -> str:
        cases = self.analysis.cases
        if len(cases) == 1:
            return cases[0].sentence
        return f"{sum(case.answered for case in cases)} of {len(cases)} comparisons have an answer."

    def context(self) -> dict[str, Any]:
        comparison = self.analysis
        single = {} if len(self.shown) > 1 else case_context(*self.shown[0], comparison)
        head = ", ".join(filter(None, (self.note.case, single.get("title"))))
        return {
            "case": None,
            "comparison": comparison,
            "copies": self.copies(),
            "run": msgspec.to_builtins(comparison.run),
            "note": msgspec.to_builtins(self.note),
            "head": css_text(head or f"{len(self.shown)} comparisons"),
            "caution": NO_PROBABILITY,
            "no_finding": NO_FINDING,
            "signed": signed,
            "sided": sided,
            "misleading": misleading,
            "rank_sentence": rank_sentence,
            **single,
        }

    def fill(self, folder: Path) -> None:
        """Also ``case.json``, without how programs were run and what is missing; and of several cases a page each."""
        super().fill(folder)
        write_json(folder / "case.json", public_json(self.to_json()))
        from ravenbench.reports.page import inline, render, write_figures

        for mark, case in self.shown if len(self.shown) > 1 else ():
            figures = figures_of(mark, case)
            own = case_context(mark, case, self.analysis)
            write_figures(folder, figures, self.forms)
            head = css_text(", ".join(filter(None, (self.note.case, own["title"]))))
            page = render(
                self.template,
                figures={name: inline(figure, name) for name, figure in figures.items()},
                tables=case_tables(case, mark, self.store),
                papers=self.papers(),
                **self.context() | {"head": head} | own,
            )
            write_text(folder / f"answer{mark}.html", page)

    def to_json(self) -> dict[str, Any]:
        """One object of plain values; log10 LRs are above 0 for the candidate."""
        comparison = self.analysis
        background = msgspec.to_builtins(comparison.plan.background)
        return {
            "cases": [_case_json(case) for case in comparison.cases],
            **({"by_chance": comparison.by_chance} if comparison.members else {}),
            "file": msgspec.to_builtins(self.note),
            "background": {key: value for key, value in background.items() if key != "functions"},
            "notes": list(comparison.plan.notes),
            **(
                {}
                if comparison.plan.validated is None
                else {"dossier": dossier_json(comparison.plan.validated)}
            ),
            "failures": [asdict(failure) for failure in comparison.failures],
            "run": msgspec.to_builtins(comparison.run),
        }

    def closing(self) -> list[RenderableType]:
        """The answer in a few lines, or the table of cases."""
        from rich.text import Text

        comparison = self.analysis
        parts: list[RenderableType] = []
        if comparison.members:
            parts += [Text(f"{note}.") for note in self.copies()]
            parts.append(Text(f"{NO_FINDING} {comparison.by_chance}".strip()))
        if len(comparison.cases) > 1:
            parts.append(for_terminal(self.cases()))
        for case in comparison.cases if len(comparison.cases) == 1 else ():
            parts += [Text(line) for line in _lines(case)]
        parts += [
            Text(f"note: {note}") for note in comparison.plan.notes if note not in self.copies()
        ]
        parts += [
            Text(f"left out of the background: {text}")
            for text in comparison.plan.background.left_out
        ]
        parts += [
            Text(f"failed: {f.verifier} on {f.fold}: {f.error.splitlines()[0]}")
            for f in comparison.failures
        ]
        return parts


def _lines(case: CaseFound) -> list[str]:
    answer = case.answer
    name = case.record.candidate
    if answer is None or not case.answered:
        return []  # the finding, which ends what a terminal shows, gives the reasons
    return [
        NO_PROBABILITY.format(name=name),
        misleading(answer.misleading, answer.misled, answer.fused.llr),
        *([] if answer.content is None else [answer.content.sentence]),
        contents_sentence(answer.contents),
        "On people left out: "
        + "; ".join(
            f"{name} {one.value:.2f} [{one.low:.2f}, {one.high:.2f}]"
            for name, one in worths(answer)
        )
        + " (means: at most 1 if LRs mean what they say).",
        *([] if case.standing is None else [f"Validation: {case.standing.sentence}."]),
        *(f"note: {note}" for note in answer.notes),
    ]


def worths(answer: Answer) -> list[tuple[str, MeasureEstimate]]:
    """What was promised of LRs (C_llr in bits, mean LRs), each estimate by a short name."""
    names = {
        "cllr": "C_llr",
        "mean_for": "mean LR of strangers",
        "mean_against": "mean 1/LR of own texts",
    }
    return [(names[key], one) for key, one in answer.promise.items()]


def _in_words(case: CaseFound) -> str:
    """The step of the scale, or the first words of each reason; the whole stands on the case's page and in JSON."""
    return (
        f"no answer: {'; '.join(reason.short for reason in case.reasons)}"
        if case.llr is None
        else sided(case.llr, case.interval)
    )


def css_text(text: str) -> Markup:
    """Text as a string of CSS; all but letters and digits are escaped, so that none ends the string or the style."""
    short = printable(text)[:MOST_HEAD]
    escaped = "".join(c if c.isascii() and c.isalnum() else f"\\{ord(c):06x}" for c in short)
    return Markup('"{}"').format(escaped)


def case_context(mark: str, case: CaseFound, comparison: Comparison) -> dict[str, Any]:
    """What the page of one case is given."""
    record = case.record
    hp, hd = propositions(record.candidate, record.questioned.name)
    return {
        "case": case,
        "mark": mark,
        "heat": heat(() if case.evidence is None else case.evidence.passages),
        "title": f"Did {record.candidate} write {record.questioned.name}?",
        "hp": hp,
        "hd": hd,
    }


def figures_of(mark: str, case: CaseFound) -> dict[str, Figure]:
    """The figures of one case."""
    answer = case.answer
    if answer is None:
        return {}
    valid = answer.validated
    shown = (valid.llr[FUSED], valid.pairs, answer.fused.llr)
    with style():
        return {
            f"place{mark}": place_figure(answer),
            f"tippett{mark}": tippett_figure(*shown),
            f"calibration{mark}": pav_figure(*shown),
        }


def case_tables(case: CaseFound, mark: str, store: Store) -> list[Table]:
    """The tables of one case; ``mark`` tells them from those of another."""
    made = [material_table(case, f"material{mark}"), chain_table(case, f"chain{mark}", store)]
    if case.answer is not None:
        made += [
            promise_table(case.answer, f"promise{mark}"),
            slice_table(case.answer, f"validation{mark}"),
        ]
        each = (
            verifier_table(case.answer, f"verifiers{mark}"),
            contents_table(case.answer.contents, f"contents{mark}"),
        )
        # What single verifiers say is no answer where none is given.
        made += [replace(one, section="" if case.answered else None) for one in each]
    return made if case.evidence is None else [*made, *feature_tables(case.evidence, mark)]


TITLES = {
    "cllr": "C_llr: cost of the LRs (0 all right and certain, 1 saying nothing)",
    "mean_for": "mean LR of pairs by two authors (at most 1 if LRs mean what they say)",
    "mean_against": "mean 1/LR of pairs by one author (at most 1 if LRs mean what they say)",
}


def promise_table(answer: Answer, key: str) -> Table:
    """What such LRs were worth on people left out of everything that made them."""
    return table(
        key,
        "What such likelihood ratios were worth on people left out",
        answer.promise.items(),
        col("measure", lambda r: TITLES[r[0]], text=True),
        col("value", lambda r: r[1].value, digits=2),
        col("95% interval", lambda r: (r[1].low, r[1].high), digits=2),
    )


_LINE: tuple[Col[LRLine], ...] = (
    col("verifier", lambda line: line.name, text=True, json="verifier"),
    col(LR, lambda line: line.llr, digits=2, signed=True, json="log10_lr"),
    col(None, lambda line: line.raw, json="log10_lr_unbounded"),
    col("95% interval", lambda line: line.interval, digits=2, signed=True, json="interval"),
    col("bounds", lambda line: line.bounds, digits=2, signed=True, json="bounds"),
    col(None, lambda line: line.worth.same, json="same"),
    col(None, lambda line: line.worth.different, json="different"),
    col("C_llr", lambda line: line.worth.cllr, digits=2, json="cllr"),
    col("C_llr min", lambda line: line.worth.cllr_min, digits=2, json="cllr_min"),
    col("EER", lambda line: line.worth.eer, digits=2, json="eer"),
)


def verifier_table(answer: Answer, key: str = "verifiers") -> Table:
    """Every verifier's own log10 LR, its bounds and what it was worth on background pairs."""
    lines = sorted(answer.lines, key=lambda line: line.name != FUSED)
    note = (
        "For whoever checks the methods: whether they agree. They see the same texts, so that each"
        " is no evidence beside the answer, which they make all together. Bounds: so many people"
        f" support no LR beyond. {WORTH_NOTE}"
    )
    return table(key, "Every verifier by itself", lines, *_LINE, note=note)


def slice_table(answer: Answer, key: str) -> Table:
    """What the fusion was worth on parts of the background pairs."""
    return table(
        key,
        "How good such likelihood ratios are",
        answer.slices,
        col("background pairs", lambda r: r[0], text=True),
        col("same author", lambda r: r[1] and r[1].same),
        col("different", lambda r: r[1] and r[1].different),
        col("C_llr", lambda r: r[1] and r[1].cllr, digits=2),
        col("C_llr min", lambda r: r[1] and r[1].cllr_min, digits=2),
        col("EER", lambda r: r[1] and r[1].eer, digits=2),
        note=f"{WORTH_NOTE} n/a: fewer than ten pairs of a kind.",
    )


def feature_tables(evidence: Evidence, mark: str) -> list[Table]:
    """What pulls most each way, by kind of feature."""
    return [
        table(
            f"{key}{mark}",
            title,
            features,
            col("feature", lambda f: f.name, text=True),
            col("pull", lambda f: f.pull, digits=2, signed=True),
            col("questioned", lambda f: f.questioned, digits=1),
            col("known", lambda f: f.known, digits=1),
            col("background", lambda f: f.background, digits=1),
            col(None if key == "words" else "content", lambda f: f.content, digits=2),
            col(
                "in the questioned text",
                lambda f: "{}[{}]{}".format(*f.context) if f.context else "",
                text=True,
            ),
            note=note,
        )
        for key, title, features, note in (
            ("words", "Common words", evidence.words, WORDS_NOTE),
            ("characters", "Character sequences", evidence.characters, CHARACTERS_NOTE),
            (
                "impostors",
                "Character sequences against impostors",
                evidence.impostors,
                IMPOSTORS_NOTE,
            ),
        )
    ]


def material_table(case: CaseFound, key: str) -> Table:
    """The texts of a case."""
    return table(
        key,
        "Texts",
        _texts(case),
        col("text", lambda r: r[1].name, text=True),
        col("role", lambda r: r[0], text=True),
        col("words", lambda r: r[1].words),
        col("common words", lambda r: r[1].coverage, digits=2),
        note="Common words: share of words that are among the background's 200 most frequent.",
    )


def chain_table(case: CaseFound, key: str, store: Store) -> Table:
    """From the file that was received to the text that was compared: hashes of both."""
    rows = [
        (role, text, hashlib.sha256(store.texts[text.row].encode()).hexdigest())
        for role, text in _texts(case)
    ]
    left_out = any(text.left_out for _, text, _ in rows)
    return table(
        key,
        "From the file received to the text compared",
        rows,
        col("text", lambda r: r[1].name, text=True),
        *([col("left out", lambda r: r[1].left_out or "nothing", text=True)] if left_out else []),
        col("SHA-256 of the file", lambda r: r[1].sha256, text=True),
        col(
            "SHA-256 of the text", lambda r: "the same" if r[2] == r[1].sha256 else r[2], text=True
        ),
        note=(
            "The text is what was read from the file, as UTF-8, before it was joined or cut to the"
            " size named under Material. The same: the file is read as it is, byte by byte."
        ),
    )


def _texts(case: CaseFound) -> list[tuple[str, CaseTextRecord]]:
    """The texts of a case, each with its role."""
    record = case.record
    return [
        ("questioned", record.questioned),
        *((f"known, {record.candidate}", text) for text in record.known),
    ]


def _case_json(case: CaseFound) -> dict[str, Any]:
    record = case.record
    answer = case.answer
    names = record.candidate, record.questioned.name
    fused = answer.fused if answer is not None and case.answered else None
    return {
        "case": record.id,
        "candidate": record.candidate,
        "questioned": msgspec.to_builtins(record.questioned),
        "known": [msgspec.to_builtins(text) for text in record.known],
        "answered": case.answered,
        "reasons": list(case.reasons),
        "notes": list(record.notes if answer is None else answer.notes),
        "log10_lr": None if fused is None else fused.llr,
        "interval": None if fused is None else list(fused.interval),
        "verbal": None if fused is None else verbal(fused.llr, fused.interval),
        "sentence": None if fused is None else case.sentence,
        "propositions": dict(zip(("hp", "hd"), propositions(*names), strict=True)),
        "caution": NO_PROBABILITY.format(name=record.candidate),
        "compared_as": (
            None
            if case.shape is None
            else {"known": case.shape.known, "questioned": case.shape.questioned}
        ),
        "content_similarity": None if answer is None else answer.alike,
        **({} if case.standing is None else {"validated": _standing_json(case.standing)}),
        "scored": None if answer is None else _answer_json(answer),
    }


def dossier_json(cited: Cited) -> dict[str, Any]:
    """The dossier that is cited, without its cells."""
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


def _standing_json(standing: DossierStanding) -> dict[str, Any]:
    cell = None if standing.cell is None else msgspec.to_builtins(standing.cell)
    return {"valid": standing.valid, "sentence": standing.sentence, "cell": cell}


def _answer_json(answer: Answer) -> dict[str, Any]:
    check = answer.content
    return {
        "verifiers": objects(answer.lines, *_LINE),
        "verifiers_and_content": contents_json(answer.contents),
        "misleading": answer.misleading,
        "misleading_pairs": list(answer.misled),
        "rank": answer.rank,
        "ranked": answer.ranked,
        "known_against_others": list(answer.known),
        "bootstrap_samples": answer.draws,
        "content": (
            None
            if check is None
            else {
                "outcome": check.outcome,
                "sentence": check.sentence,
                "log10_lr_written": check.written,
                "log10_lr_style": check.style,
                "versions": list(check.versions),
                "log10_lr_on_topic": check.on,
                "log10_lr_off_topic": check.off,
                "bounds": list(check.bounds),
                **asdict(check.worth),
            }
        ),
        "promise": {key: one._asdict() for key, one in answer.promise.items()},
        "validation": {
            name: None if worth is None else asdict(worth) for name, worth in answer.slices
        },
    }


def place_figure(answer: Answer) -> Figure:
    """Background pairs by the log10 LR they would be given, one dot each, those as alike in content as the case
    large; the case is a line with its interval."""
    figure, (axes,) = canvas(5.0, 2.2)
    valid = answer.validated
    llr = valid.as_cases()
    same = valid.pairs.same
    alike = valid.pairs.content >= answer.alike
    jitter = stream(0, "compare-jitter").random(len(llr))
    for y, side, color in ((1, same, SAME), (0, ~same, DIFFERENT)):
        for chosen, size, alpha in ((side & ~alike, 6, 0.4), (side & alike, 16, 0.8)):
            axes.scatter(
                llr[chosen],
                y + 0.62 * (jitter[chosen] - 0.5),
                s=size,
                color=color,
                alpha=alpha,
                linewidths=0,
            )
    axes.axvspan(*answer.fused.interval, color=INK, alpha=0.12, linewidth=0)
    axes.axvline(answer.fused.llr, color=INK, linewidth=1.6)
    axes.annotate(
        "this case",
        (answer.fused.llr, 1.52),
        ha="center",
        va="bottom",
        fontsize=8,
        annotation_clip=False,
    )
    axes.axvline(0, color=FAINT, linewidth=0.8)
    axes.set_yticks([0, 1], ["two authors", "one author"])
    axes.set_ylim(-0.5, 1.5)
    axes.set_xlabel("log10 LR")
    return figure


def tippett_figure(llr: Floats, pairs: PairScores, case_llr: float | None = None) -> Figure:
    """Shares of both kinds of pairs with at least each log10 LR (n,); a line at that of a case."""
    figure, (axes,) = canvas(3.3, 2.6)
    curve = tippett(llr, pairs.same, pairs.weight)
    axes.step(curve.llr, curve.same, where="pre", color=SAME, label="one author")
    axes.step(curve.llr, curve.different, where="pre", color=DIFFERENT, label="two authors")
    if case_llr is not None:
        axes.axvline(case_llr, color=INK, linewidth=1.2)
    axes.axvline(0, color=FAINT, linewidth=0.8)
    axes.set(xlabel="log10 LR, or more", ylabel="share of pairs", ylim=(0, 1.02))
    figure.legend(fontsize=7.5, loc="outside upper center", ncols=2)
    return figure


def pav_figure(llr: Floats, pairs: PairScores, case_llr: float | None = None) -> Figure:
    """What log10 LRs (n,) were given, against what they should have been; on the diagonal they are right."""
    figure, (axes,) = canvas(3.3, 2.6)
    curve = pav(llr, pairs.same, pairs.weight)
    ends = float(np.floor(llr.min() * 2) / 2), float(np.ceil(llr.max() * 2) / 2)
    axes.plot(ends, ends, color=FAINT, linewidth=0.8)
    axes.plot(curve.llr, np.clip(curve.best, *ends), color=SAME, linewidth=1.4)
    if case_llr is not None:
        axes.axvline(case_llr, color=INK, linewidth=1.2)
    axes.set(
        xlabel="log10 LR given",
        ylabel="log10 LR after PAV",
        xlim=ends,
        ylim=(ends[0] - 0.05, ends[1] + 0.05),
    )
    return figure


def heat(passages: Sequence[MarkedPassage]) -> list[dict[str, object]]:
    """Passages with their share (percent) of what all say, and their marked-up text.

    A share is signed, above 0 for the candidate, and shares add up to 100 % without their signs: the passages are one
    method's, so that their sum is not the answer.

    ``tell`` marks the two passages that speak most for the candidate and the two that speak most against.
    """
    telling = _telling(passages)
    whole = sum(abs(passage.log10) for passage in passages) or 1.0
    percent = Column("", digits=0, signed=True)
    return [
        {
            "share": f"{number(100 * passage.log10 / whole, percent)} %",
            "tell": telling.get(place, ""),
            "text": Markup("").join(_token(token) for token in passage.tokens),
        }
        for place, passage in enumerate(passages)
    ]


def _telling(passages: Sequence[MarkedPassage], most: int = 2) -> dict[int, str]:
    order = sorted(range(len(passages)), key=lambda i: -passages[i].log10)
    best = {i: "for" for i in order[:most] if passages[i].log10 > 0}
    return best | {i: "against" for i in order[::-1][:most] if passages[i].log10 < 0}


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
