"""The tables of a comparison."""

from __future__ import annotations

from ravenbench.reports.compare.evidence import Evidence
from ravenbench.reports.compare.model import FUSED
from ravenbench.reports.compare.records import Answer, CaseFound, Comparison
from ravenbench.reports.compare.words import sided
from ravenbench.reports.view import Column, Range, Table, without

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
