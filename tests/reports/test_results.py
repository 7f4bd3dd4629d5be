"""Corpora, problems and folds show themselves as runs do (``contracts.table.shows_itself``); tables for LaTeX fit."""

from __future__ import annotations

import pickle
import re

import pytest

from ravenbench.builtin import is_control
from ravenbench.corpora.load import load_corpus
from ravenbench.errors import InputError
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
        (odd, {"problems"}, "1 problems"),
        (fold, {"train", "test"}, "12 problems for training (6 by one author)"),
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
    ("columns", "environment"), [(4, "{table}"), (12, "{table*}"), (40, "too wide")], ids=["column", "page", "more"]
)
def test_a_table_takes_a_column_or_both(columns: int, environment: str) -> None:
    numbers = [col(f"metric {i}", lambda r, i=i: r[i]) for i in range(columns)]
    text = to_latex(table("t", "Scores", [[0.123] * columns], *numbers, note="A long note, † explained." * 9))
    assert environment in text and (columns == 40 or r"\caption{Scores.}" in text)
    assert all(line[0] == "%" for line in text.splitlines() if columns == 40 or "explained" in line)


def test_latex_is_whole_keeps_intervals_and_prints_what_it_says_of_marks(hostile_text: str) -> None:
    rows = [(f"{hostile_text} {i}", Measure(0.5, mark="*" * i), Range(-0.5, 0.25), 2.0, "Δ → ≤ τ") for i in range(3)]
    cols = [
        col("method, √n", lambda r: r[0], text=True), col("AUC", lambda r: r[1]),
        col("95 %", lambda r: r[2], signed=True, terminal=False), col("cost", lambda r: r[3], terminal=False),
        col("remarks", lambda r: r[4], text=True),
    ]  # fmt: skip
    note = "Long story. * p < .05, ** p < .01; by a test. More of it."
    for columns in (cols[:3], cols, [*cols, *cols[1:]]):
        text = to_latex(table("t", "Scores", rows, *columns, note=note))
        body = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
        assert body.count("{") - body.count(r"\{") == body.count("}") - body.count(r"\}")
        assert body.count(r"\begin{") == body.count(r"\end{") == 2
        spec = body.partition(r"\begin{tabular}{@{}")[2].partition("@{}}\n")[0]
        count = len(re.sub(r">\{.*?arraybackslash\}|\{\d+pt\}", "", spec))
        lines = [line for line in body.splitlines() if line.endswith(r" \\")]
        assert len(lines) == 4 and {len(re.findall(r"(?<!\\)&", line)) + 1 for line in lines} == {count}
        assert r"{\raggedright\scriptsize * p \textless{} .05, ** p \textless{} .01}" in body
        assert "[$-$.500, +.250]" in body and "Long story" not in body
        assert "Δ" not in body and "√" not in body, "pdflatex knows no such signs"


def test_latex_writes_numbers_as_the_page_does_and_breaks_spreads_and_texts_before_it_takes_both_columns() -> None:
    rows = [("a method with a long name", Measure(0.5, 0.25, "*", best=True), Range(-0.5, 0.25))] * 2
    cols = [
        col("method", lambda r: r[0], text=True),
        *(col(f"rate {i}", lambda r: r[1]) for i in range(3)),
        col("interval", lambda r: r[2], signed=True),
    ]
    text = to_latex(table("t", "Scores", rows, *cols))
    assert r"\begin{table}" in text and r"\textbf{\shortstack[r]{.500 \\ $\pm$.250*}}" in text
    assert "p{" in text and r"\usepackage{booktabs,array}" in text and "[$-$.500, +.250]" in text


def test_controls_are_never_the_best(made_up: Store) -> None:
    assert is_control("length") and is_control("calibrated(style-only, isotonic)") and not is_control("stacked(length)")
    analysis = RunReport(made_up).analysis
    best = {row[0] for row in results(analysis).rows if any(isinstance(v, Measure) and v.best for v in row)}
    assert best and not any(is_control(name) for name in best)
