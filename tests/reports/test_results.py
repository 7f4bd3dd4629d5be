"""Corpora, problems and folds show themselves as runs do (``contracts.table.shows_itself``); tables for LaTeX fit."""

from __future__ import annotations

import pickle
import re

import pytest

from ravenbench.builtin import is_control
from ravenbench.errors import InputError
from ravenbench.reading.load import load_corpus
from ravenbench.reports.report import figures, frames
from ravenbench.reports.view import Measure, Range, col, table, to_latex
from ravenbench.store.store import Store
from ravenbench.tasks.run.report import RunReport, results
from ravenbench.testing import toy_problems
from ravenbench.types import Fold, Problems


def test_data_show_themselves(hostile_text: str) -> None:
    corpus = load_corpus("synthetic(documents=60, authors=12, topics=4, words=30)")
    problems, same = toy_problems(12, known=2, seed=1)
    odd = Problems.of([(hostile_text, ["one text"], "another text")])
    fold = Fold(hostile_text, problems, same, problems.blind(), same)
    for one, tables, told in (
        (corpus, {"authors", "topics", "documents"}, "60 documents by 12 authors on 4 topics"),
        (problems, {"problems"}, "12 problems; 36 distinct texts; 2 known documents each"),
        (odd, {"problems"}, "1 problem; 2 distinct texts; 1 known document each."),
        (fold, {"train", "test"}, "12 problems for training (6 same-author)"),
    ):
        assert told in repr(one) and len(repr(one)) <= 300 and repr(one).isprintable()
        html = one._repr_html_()
        assert "<svg" in html and not re.search(r"<(script|img)|\x1b|\u202e", html)
        assert set(frames(one)) == tables and all(frame.height for frame in frames(one).values())
        assert set(figures(one)) and type(one.figure()).__name__ == "Figure"
        again = pickle.loads(pickle.dumps(one))
        assert "_kept_view" not in again.__dict__ and repr(again) == repr(one)
        with pytest.raises(InputError, match="no table 'x'"):
            one.to_polars("x")
    assert corpus.to_polars().columns[:3] == ["id", "author", "topic"]
    assert len(repr([corpus.author, corpus.texts])) < 200


@pytest.mark.parametrize(
    ("columns", "environment"), [(4, "{table}"), (12, "{table*}")], ids=["column", "page"]
)
def test_a_table_takes_a_column_or_both(columns: int, environment: str) -> None:
    numbers = [col(f"metric {i}", lambda r, i=i: r[i]) for i in range(columns)]
    text = to_latex(table("t", "Scores", [[0.123] * columns], *numbers))
    assert (
        rf"\begin{environment}" in text
        and r"\caption{Scores.}" in text
        and text.count(".123") == columns
    )


def test_latex_is_whole(hostile_text: str) -> None:
    rows = [
        (f"{hostile_text} {i}", Measure(0.5, 0.25, "*" * i, best=True), Range(-0.5, 0.25))
        for i in range(3)
    ]
    cols = [
        col("method, √n", lambda r: r[0], text=True),
        col("AUC", lambda r: r[1]),
        col("95 %", lambda r: r[2], signed=True, terminal=False),
    ]
    note = "Long story, Δ → ≤ τ. * p < .05, ** p < .01; by a test."
    text = to_latex(table("t", "Scores", rows, *cols, note=note))
    body = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    assert body.count("{") - body.count(r"\{") == body.count("}") - body.count(r"\}")
    assert (
        body.count(r"\begin{") == body.count(r"\end{") == 3
        and r"\begin{tabular}{@{}lrr@{}}" in body
    )
    lines = [line for line in body.splitlines() if line.endswith(r" \\")]
    assert len(lines) == 4 and {len(re.findall(r"(?<!\\)&", line)) for line in lines} == {2}
    assert r"* p \textless{} .05, ** p \textless{} .01" in body
    assert r"\textbf{.500$\pm$.250**}" in body and "[$-$.500, +.250]" in body
    assert "Δ" not in body and "√" not in body, "pdflatex knows no such signs"


def test_controls_are_never_the_best(made_up: Store) -> None:
    assert (
        is_control("length")
        and is_control("calibrated(style-only, isotonic)")
        and not is_control("stacked(length)")
    )
    analysis = RunReport(made_up).analysis
    best = {
        row[0]
        for row in results(analysis).rows
        if any(isinstance(v, Measure) and v.best for v in row)
    }
    assert best and not any(is_control(name) for name in best)
