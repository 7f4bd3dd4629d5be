"""The tables of a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from markupsafe import Markup

from ravenbench.files import write_json
from ravenbench.randomness import stream
from ravenbench.reports.compare.analysis import (
    MOST_SHOWN,
    NO_PROBABILITY,
    Answer,
    CaseFound,
    Comparison,
    Line,
    Worth,
    sided,
    signed,
    support,
    times,
    verbal,
)
from ravenbench.reports.compare.analysis import analyse as analyse
from ravenbench.reports.compare.evidence import Evidence, Passage, Token
from ravenbench.reports.compare.model import FUSED
from ravenbench.reports.page import FAINT, INK, SETUP, canvas, inline, render, style
from ravenbench.reports.report import write_parts
from ravenbench.reports.view import Column, Range, Table, printable, public_json, to_html, without
from ravenbench.reports.view import for_terminal as shown
from ravenbench.reports.view import number as number_of
from ravenbench.statistics.likelihood_ratios import pav, tippett

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType


LR = "log10 LR"
WORTH_NOTE = (
    "C_llr: what the LRs cost, 0 where all are right and sure, 1 where they say nothing; C_llr min: what would be left "
    "of it if each LR were as strong as it should be; EER: share of errors where those of both kinds are equally many. "
    "Measured on background pairs by methods that knew neither author."
)
WORDS_NOTE = (
    "Rates in a thousand words. Pull: the product of both sides' distance from the background in standard deviations, "
    "as a share of the whole (Cosine Delta); above 0 both leave it the same way."
)
CHARACTERS_NOTE = (
    "Rates in a thousand four-character sequences (␣: a blank). Pull: overlap of questioned and known texts beyond "
    "that with the background. Content: share of its places within content words, where it may be topic."
)
IMPOSTORS_NOTE = (
    "Five characters; the overlap is held against that with the ten background texts most like the questioned one "
    "(impostors)."
)


def case_table(found: Comparison) -> Table:
    """Every case with its answer, or why it has none."""
    rows = []
    for case in found.cases:
        answer = case.answer if case.answered else None
        rows.append((
            case.record.id,
            None if answer is None else answer.fused.llr,
            None if answer is None else Range(*answer.fused.interval),
            "no answer: " + "; ".join(case.reasons) if answer is None else sided(answer.fused.llr),
        ))  # fmt: skip
    columns = (
        Column("case", text=True), Column(LR, digits=1, signed=True), Column("95% interval", digits=1, signed=True),
        Column("in words", text=True),
    )  # fmt: skip
    return Table("cases", "Answers", columns, tuple(rows), "Above 0: for the candidate; below 0: for someone else.")


def verifier_table(answer: Answer, key: str = "verifiers") -> Table:
    """Every verifier's own LR, its bounds and what it was worth on background pairs."""
    columns = (
        Column("verifier", text=True), Column(LR, digits=2, signed=True), Column("95% interval", digits=2, signed=True),
        Column("bounds", digits=2, signed=True), Column("C_llr", digits=2), Column("C_llr min", digits=2),
        Column("EER", digits=2),
    )  # fmt: skip
    rows = tuple(
        (
            line.name, line.llr, Range(*line.interval), Range(*line.bounds), line.worth.cllr, line.worth.cllr_min,
            line.worth.eer,
        )
        for line in sorted(answer.lines, key=lambda line: line.name != FUSED)
    )  # fmt: skip
    note = f"Bounds: no LR beyond them is supported by so many background pairs. {WORTH_NOTE}"
    return Table(key, "Every verifier's own likelihood ratio", columns, rows, note)


def slice_table(answer: Answer, key: str = "validation") -> Table:
    """What the fusion was worth on parts of the background pairs."""
    columns = (
        Column("background pairs", text=True), Column("same author"), Column("different"), Column("C_llr", digits=2),
        Column("C_llr min", digits=2), Column("EER", digits=2),
    )  # fmt: skip
    rows = tuple(
        (name, None, None, None, None, None)
        if one is None
        else (name, one.same, one.different, one.cllr, one.cllr_min, one.eer)
        for name, one in answer.slices
    )
    note = f"{WORTH_NOTE} n/a: fewer than ten pairs of a kind."
    return Table(key, "How good such likelihood ratios are", columns, rows, note)


def feature_tables(found: Evidence, mark: str) -> list[Table]:
    """What pulls most each way, by kind of feature."""
    columns = (
        Column("feature", text=True), Column("pull", digits=2, signed=True), Column("questioned", digits=1),
        Column("known", digits=1), Column("background", digits=1), Column("content", digits=2),
        Column("in the questioned text", text=True),
    )  # fmt: skip
    kinds = (
        ("words", "Common words", found.words, WORDS_NOTE),
        ("characters", "Character sequences", found.characters, CHARACTERS_NOTE),
        ("impostors", "Character sequences against impostors", found.impostors, IMPOSTORS_NOTE),
    )
    made = []
    for key, title, features, note in kinds:
        rows = tuple(
            (
                f.name, f.pull, f.questioned, f.known, f.background, f.content,
                "" if f.context is None else "{}[{}]{}".format(*f.context),
            )
            for f in features
        )  # fmt: skip
        table = Table(f"{key}{mark}", title, columns, rows, note)
        made.append(without(table, "content") if key == "words" else table)
    return made


def material_table(case: CaseFound, key: str = "material") -> Table:
    """The texts of a case."""
    columns = (
        Column("text", text=True), Column("role", text=True), Column("words"), Column("common words", digits=2),
        Column("SHA-256", text=True),
    )  # fmt: skip
    record = case.record
    rows = [
        (
            record.questioned.name,
            "questioned",
            record.questioned.words,
            record.questioned.coverage,
            record.questioned.sha256[:16],
        )
    ]
    rows += [
        (text.name, f"known, {record.candidate}", text.words, text.coverage, text.sha256[:16]) for text in record.known
    ]
    note = (
        "Common words: share of words that are among the background's 200 most frequent. SHA-256: the first 16 digits."
    )
    return Table(key, "Texts", columns, tuple(rows), note)


def to_json(found: Comparison) -> dict[str, Any]:
    """One object of plain values; log10 LRs are above 0 for the candidate."""
    background = msgspec.to_builtins(found.plan.background)
    return {
        "cases": [_case_json(case) for case in found.cases],
        "background": {key: value for key, value in background.items() if key != "functions"},
        "notes": list(found.plan.notes),
        "failures": [asdict(failure) for failure in found.failures],
        "run": msgspec.to_builtins(found.run),
    }


def _case_json(case: CaseFound) -> dict[str, Any]:
    record, answer = case.record, case.answer
    return {
        "case": record.id,
        "candidate": record.candidate,
        "questioned": msgspec.to_builtins(record.questioned),
        "known": [msgspec.to_builtins(text) for text in record.known],
        "answered": case.answered,
        "reasons": list(case.reasons),
        "notes": list(record.notes if answer is None else answer.notes),
        "log10_lr": answer.fused.llr if answer is not None and case.answered else None,
        "interval": list(answer.fused.interval) if answer is not None and case.answered else None,
        "verbal": verbal(answer.fused.llr) if answer is not None and case.answered else None,
        "sentence": support(answer.fused.llr, record.candidate) if answer is not None and case.answered else None,
        "caution": NO_PROBABILITY.format(name=record.candidate),
        "compared_as": None if case.shape is None else {"known": case.shape.known, "questioned": case.shape.questioned},
        "content_similarity": None if answer is None else answer.alike,
        "scored": None if answer is None else _answer_json(answer),
    }


def _answer_json(answer: Answer) -> dict[str, Any]:
    check = answer.content
    return {
        "verifiers": [_line_json(line) for line in answer.lines],
        "misleading": answer.misleading,
        "rank": answer.rank,
        "ranked": answer.ranked,
        "known_against_others": list(answer.known),
        "bootstrap_samples": answer.draws,
        "content": None
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
        },
        "validation": {name: None if worth is None else _worth(worth) for name, worth in answer.slices},
    }


def _line_json(line: Line) -> dict[str, Any]:
    return {
        "verifier": line.name,
        "log10_lr": line.llr,
        "log10_lr_unbounded": line.raw,
        "interval": list(line.interval),
        "bounds": list(line.bounds),
        **_worth(line.worth),
    }


def _worth(worth: Worth) -> dict[str, Any]:
    return asdict(worth)


SAME, DIFFERENT = SETUP["hits"], SETUP["random"]


def place_figure(answer: Answer) -> Figure:
    """Background pairs by the LR they would be given, one dot each, those as alike in content as the case large; the
    case is a line with its interval."""
    figure, (axes,) = canvas(5.0, 2.2)
    valid = answer.validated
    llr, same, alike = valid.llr[FUSED], valid.pairs.same, valid.pairs.content >= answer.alike
    jitter = stream(0, "compare-jitter").random(len(llr))
    for y, side, color in ((1, same, SAME), (0, ~same, DIFFERENT)):
        for chosen, size, alpha in ((side & ~alike, 6, 0.4), (side & alike, 16, 0.8)):
            axes.scatter(llr[chosen], y + 0.62 * (jitter[chosen] - 0.5), s=size, color=color, alpha=alpha, linewidths=0)
    axes.axvspan(*answer.fused.interval, color=INK, alpha=0.12, linewidth=0)
    axes.axvline(answer.fused.llr, color=INK, linewidth=1.6)
    axes.annotate("this case", (answer.fused.llr, 1.52), ha="center", va="bottom", fontsize=8, annotation_clip=False)
    axes.axvline(0, color=FAINT, linewidth=0.8)
    axes.set_yticks([0, 1], ["two authors", "one author"])
    axes.set_ylim(-0.5, 1.5)
    axes.set_xlabel("log10 LR")
    return figure


def tippett_figure(answer: Answer) -> Figure:
    """Shares of both kinds of pairs with at least each LR."""
    figure, (axes,) = canvas(3.6, 2.7)
    valid = answer.validated
    curve = tippett(valid.llr[FUSED], valid.pairs.same, valid.pairs.weight)
    axes.step(curve.llr, curve.same, where="pre", color=SAME, label="one author")
    axes.step(curve.llr, curve.different, where="pre", color=DIFFERENT, label="two authors")
    axes.axvline(answer.fused.llr, color=INK, linewidth=1.2)
    axes.axvline(0, color=FAINT, linewidth=0.8)
    axes.set_xlabel("log10 LR")
    axes.set_ylabel("share of pairs")
    axes.set_ylim(0, 1.02)
    axes.legend(fontsize=7.5, loc="lower left")
    return figure


def pav_figure(answer: Answer) -> Figure:
    """What LRs were given, against what they should have been; on the diagonal they are calibrated."""
    figure, (axes,) = canvas(3.6, 2.7)
    valid = answer.validated
    curve = pav(valid.llr[FUSED], valid.pairs.same, valid.pairs.weight)
    ends = float(np.floor(curve.llr.min() * 2) / 2), float(np.ceil(curve.llr.max() * 2) / 2)
    axes.plot(ends, ends, color=FAINT, linewidth=0.8)
    axes.plot(curve.llr, np.clip(curve.best, *ends), color=SETUP["hits"], linewidth=1.4)
    axes.axvline(answer.fused.llr, color=INK, linewidth=1.2)
    axes.set_xlim(*ends)
    axes.set_ylim(ends[0] - 0.05, ends[1] + 0.05)
    axes.set_xlabel("log10 LR given")
    axes.set_ylabel("log10 LR after PAV")
    return figure


STEPS = (0.25, 0.6, 1.1)
"""|log10 ratio| from which a token has the first, second and third depth of colour."""

_PERCENT = Column("", digits=0, signed=True)


def heat(found: Evidence | None) -> list[dict[str, object]]:
    """Passages with their share of what all say, and their marked-up text; empty where there is nothing to show.

    A share is signed, above 0 for the candidate, and shares add up to 100 % without their signs: the passages are one
    method's, so that their sum is not the answer.

    ``tell`` marks the two passages that speak most for the candidate and the two that speak most against.
    """
    if found is None:
        return []
    telling = _telling(found.passages)
    whole = sum(abs(passage.log10) for passage in found.passages) or 1.0
    return [
        {
            "share": f"{number_of(100 * passage.log10 / whole, _PERCENT)} %",
            "tell": telling.get(number, ""),
            "text": Markup("").join(_token(token) for token in passage.tokens),
        }
        for number, passage in enumerate(found.passages)
    ]


def _telling(passages: Sequence[Passage], most: int = 2) -> dict[int, str]:
    order = sorted(range(len(passages)), key=lambda i: -passages[i].log10)
    best = {i: "for" for i in order[:most] if passages[i].log10 > 0}
    return best | {i: "against" for i in order[::-1][:most] if passages[i].log10 < 0}


def _token(token: Token) -> Markup:
    depth = sum(abs(token.log10) >= step for step in STEPS)
    kinds = [f"{'for' if token.log10 > 0 else 'against'}{depth}"] if depth else []
    kinds += ["content"] if token.content else []
    before = " " if token.before.strip() == "" and token.before else printable(token.before)
    if not kinds:
        return Markup("{}{}").format(before, printable(token.text))
    return Markup('{}<span class="{}">{}</span>').format(before, " ".join(kinds), printable(token.text))


def write(found: Comparison, folder: Path) -> None:
    """Fill a report's folder."""
    tables: list[Table] = [case_table(found)]
    figures: dict[str, Figure] = {}
    cases = []
    for number, case in enumerate(found.cases[:MOST_SHOWN]):
        mark = "" if len(found.cases) == 1 else f"-{number + 1}"
        own = _tables(case, mark)
        drawn = _figures(case, mark)
        tables += own.values()
        figures |= drawn
        cases.append({
            "found": case,
            "mark": mark,
            "tables": {name: to_html(table) for name, table in own.items()},
            "figures": {name.removesuffix(mark): inline(figure, name) for name, figure in drawn.items()},
            "heat": heat(case.evidence),
            **_words(case),
        })  # fmt: skip
    page = render(
        "compare.html.j2",
        sections=_sections(found),
        found=found,
        cases=cases,
        case_table=to_html(tables[0]),
        run=msgspec.to_builtins(found.run),
        most=MOST_SHOWN,
        signed=signed,
    )
    told = to_json(found)
    write_json(folder / "case.json", public_json(told))
    write_parts(folder, kind="compare", page=page, json=told, tables=tables, figures=figures)


def terminal(found: Comparison) -> list[RenderableType]:
    """The answer in a few lines, or the table of cases."""
    from rich.text import Text

    parts: list[RenderableType] = []
    if len(found.cases) > 1:
        parts.append(shown(case_table(found)))
    for case in found.cases if len(found.cases) == 1 else ():
        parts += [Text(line) for line in _lines(case)]
        if case.answer is not None and case.answered:
            parts.append(shown(verifier_table(case.answer)))
    parts += [Text(f"note: {note}") for note in found.plan.notes]
    parts += [Text(f"left out of the background: {text}") for text in found.plan.background.left_out]
    parts += [Text(f"failed: {f.verifier} on {f.fold}: {f.error.splitlines()[0]}") for f in found.failures]
    return parts


def _lines(case: CaseFound) -> list[str]:
    answer, name = case.answer, case.record.candidate
    if answer is None or not case.answered:
        return ["No answer is given:", *(f"  {reason}" for reason in case.reasons)]
    llr, (low, high) = answer.fused.llr, answer.fused.interval
    lines = [
        support(llr, name),
        f"log10 LR {signed(llr)}, 95% interval {signed(low)} to {signed(high)} ({sided(llr)}).",
        NO_PROBABILITY.format(name=name),
    ]
    if answer.content is not None:
        lines.append(answer.content.sentence)
    return [*lines, *(f"note: {note}" for note in answer.notes)]


def _tables(case: CaseFound, mark: str) -> dict[str, Table]:
    own = {"material": material_table(case, f"material{mark}")}
    if case.answer is not None:
        own |= {
            "verifiers": verifier_table(case.answer, f"verifiers{mark}"),
            "validation": slice_table(case.answer, f"validation{mark}"),
        }
    if case.evidence is not None:
        own |= {table.key.removesuffix(mark): table for table in feature_tables(case.evidence, mark)}
    return own


def _figures(case: CaseFound, mark: str) -> dict[str, Figure]:
    if case.answer is None:
        return {}
    drawn = {"place": place_figure, "tippett": tippett_figure, "calibration": pav_figure}
    with style():
        return {f"{name}{mark}": draw(case.answer) for name, draw in drawn.items()}


def _words(case: CaseFound) -> dict[str, Any]:
    """Sentences about a case."""
    answer, name = case.answer, case.record.candidate
    if answer is None:
        return {"support": "", "verbal": "", "times": "", "likelier": "", "caution": NO_PROBABILITY.format(name=name)}
    llr = answer.fused.llr
    return {
        "support": support(llr, name),
        "verbal": sided(llr),
        "times": times(llr),
        "likelier": f"{name} wrote both" if llr > 0 else "two people wrote them",
        "caution": NO_PROBABILITY.format(name=name),
    }


def _sections(found: Comparison) -> list[tuple[str, str]]:
    if len(found.cases) == 1:
        names = [("answer", "Answer"), ("trust", "How far to trust it"), ("evidence", "What it rests on")]
        names = names if found.cases[0].answer is not None else [("answer", "Answer")]
        return [*names, ("material", "Material"), ("method", "Method"), ("provenance", "Provenance")]
    return [("cases", "Cases"), ("method", "Method"), ("provenance", "Provenance")]
