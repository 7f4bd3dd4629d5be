"""One table in four forms."""

from __future__ import annotations

import csv
import html
import io
from xml.etree import ElementTree

import pytest
from rich.console import Console

from ravenbench.reports import view
from ravenbench.reports.view import Column, Measure, Range, Table
from ravenbench.store.store import Store
from ravenbench.tasks.run.report import RunReport


def example(name: str = "a_b") -> Table:
    columns = (
        Column("who", text=True),
        Column("AUC"),
        Column("interval", signed=True),
        Column("n"),
    )
    rows = (
        (name, Measure(0.6784, 0.0121, "*", best=True), Range(-0.05, 0.0104), 1234),
        ("c", Measure(None), None, None),
    )
    return Table("example", "An example", columns, rows, "A note")


def test_a_name_breaks_at_its_seams_where_a_terminal_is_narrow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "46")
    columns = (Column("verifier", text=True), *(Column(f"figure {n}") for n in range(3)))
    shown = Console(width=46)
    with shown.capture() as caught:
        shown.print(
            view.for_terminal(Table("t", "T", columns, (("fw:WordCosine-only", 0.5, 0.25, 0.125),)))
        )
    lines = [line.split()[0] for line in caught.get().splitlines() if line.strip()]
    assert lines[-2:] == ["fw:WordCosine-", "only"], lines


def test_a_note_explains_the_columns_that_are_shown() -> None:
    about = "Ranks, null ranks: how far answers move."
    columns = (Column("who", text=True), Column("AUC"), Column("ranks", about=about))
    note = f"AUC: of all. {about} Null: nothing."
    shown = view.without(Table("t", "T", columns, (), note), "ranks")
    assert shown.note == "AUC: of all. Null: nothing."


def test_two_figures_of_a_comparison_differ() -> None:
    assert view.unlike(0.031, 0.034) == ("0.031", "0.034") and view.unlike(0.1, 0.9) == (
        "0.10",
        "0.90",
    )


@pytest.mark.parametrize(
    ("value", "column", "short", "text"),
    [
        (0.6784, Column(""), False, "0.678"),
        (0.6784, Column(""), True, ".678"),
        (-0.0004, Column("", signed=True), False, "0.000"),
        (-0.05, Column("", signed=True), True, "−.050"),
        (0.05, Column("", signed=True), False, "+0.050"),
        (1.0, Column(""), True, "1.000"),
        (1234, Column(""), False, "1,234"),
        (None, Column(""), False, "n/a"),
    ],
)
def test_numbers(value: float | None, column: Column, short: bool, text: str) -> None:
    assert view.number(value, column, short=short) == text


def test_csv_keeps_every_digit_and_splits_parts() -> None:
    rows = list(csv.DictReader(io.StringIO(view.to_csv(example()))))
    assert rows[0] == {
        "who": "a_b",
        "AUC": "0.6784",
        "AUC sd": "0.0121",
        "AUC mark": "*",
        "interval low": "-0.05",
        "interval high": "0.0104",
        "n": "1234",
    }
    assert rows[1]["AUC"] == rows[1]["interval low"] == rows[1]["n"] == ""


def test_latex_is_escaped(hostile_text: str) -> None:
    made = view.to_latex(example(hostile_text))
    assert r"\textbf{.678$\pm$.012*}" in made and "n/a" in made
    row = next(line for line in made.splitlines() if "onerror" in line)
    assert r"\{\{7*7\}\} \&amp;" in row and r"\_\%\#" in row and "\x1b" not in row
    assert r"\$\textbackslash{}frac\{1\}\$" in row


def test_html_is_escaped_and_well_formed(hostile_text: str) -> None:
    made = str(view.to_html(example(hostile_text)))
    assert "<script" not in made and "<img" not in made
    tree = ElementTree.fromstring(made)
    assert "".join(tree.find(".//tbody/tr/th").itertext()) == view.printable(hostile_text)  # type: ignore[union-attr]


def test_a_row_must_fit_its_columns() -> None:
    with pytest.raises(ValueError, match="does not fit"):
        Table("x", "x", (Column("a"), Column("b")), ((1,),))


def test_terminal_fits_80_columns(made_up: Store, hostile_run: Store) -> None:
    for store in (made_up, hostile_run):
        report = RunReport(store)
        console = Console(width=80, file=io.StringIO(), force_terminal=False)
        for part in (*report.closing(), *(view.for_terminal(t) for t in report.tables())):
            console.print(part)
        text = console.file.getvalue()  # type: ignore[attr-defined]
        assert max(map(len, text.splitlines())) <= 80
        assert "\x1b" not in text and "\u202e" not in text
    # Numbers are never cut, whatever the names are.
    assert ".500±.000" in text and "…" not in text


def test_a_name_that_a_spreadsheet_would_run_is_text_in_csv() -> None:
    names = ["=cmd()", "@x", "-x", "-1.5", "plain"]
    table = view.Table("t", "T", [view.Column("name", text=True)], [[name] for name in names])
    assert view.to_csv(table).splitlines()[1:] == ["'=cmd()", "'@x", "'-x", "-1.5", "plain"]


def test_probabilities_are_never_written_as_zero() -> None:
    column = Column("p", probability=True)
    table = Table("t", "t", (column,), ((0.0,), (0.0009,), (0.001,), (0.25,), (None,)))
    shown = [view.plain(row[0], column, short=True) for row in table.rows]
    assert shown == ["< .001", "< .001", ".001", ".250", "n/a"]
    assert "&lt; .001" in view.to_html(table) and r"\textless{} .001" in view.to_latex(table)
    assert view.to_csv(table).split() == ["p", "0.0", "0.0009", "0.001", "0.25", '""']


def test_a_column_that_is_left_out_is_not_explained():
    table = Table(
        "t",
        "T",
        (Column("a"), Column("null", about="Null: by chance.")),
        ((1.0, 2.0),),
        "A: 1 is best. Null: by chance. More below.",
    )
    assert view.without(table, "null").note == "A: 1 is best. More below."


def test_a_folder_is_shown_by_its_end() -> None:
    name, shown = (
        f"encoder(model='{folder}/model', precision='bf16')" for folder in ("/a/b/wheel", "…")
    )
    table = example(name)
    assert shown in html.unescape(view.to_html(table)).replace(
        "<wbr/>", ""
    ) and name not in view.to_latex(table)
    assert next(csv.DictReader(io.StringIO(view.to_csv(table))))["who"] == name.replace(
        "/a/b/wheel/", ""
    )


@pytest.mark.parametrize("name", ["char-ngram", "encoder(model='org/model')", "a='/b c/d"])
def test_other_names_are_shown_whole(name: str) -> None:
    assert view.named(name) == name


def test_one_line_says_all_of_a_number() -> None:
    rows = [("a", 0.5, (0.4, 0.6), True), ("b", -0.0, None, None)]
    made = view.table(
        "t",
        "T",
        rows,
        view.col("who", lambda r: r[0], text=True, json="who"),
        view.col("AUC", lambda r: Measure(r[1], best=r[1] == 0.5), json="auc"),
        view.col(
            "interval", lambda r: r[2], json="interval", terminal=False, about="Interval: 95 %."
        ),
        view.col(
            "sure",
            lambda r: r[3],
            text=True,
            json="sure",
            show=lambda sure: "yes" if sure else "n/a",
        ),
        view.col(None, lambda r: len(r), json="fields"),
        *view.each("xy", str.upper, lambda r, letter: letter * 2, json=str, terminal="x"),
        note="Sure: told.",
    )
    assert [c.title for c in made.columns] == ["who", "AUC", "interval", "sure", "X", "Y"]
    assert made.rows[0] == ("a", Measure(0.5, best=True), Range(0.4, 0.6), "yes", "xx", "yy")
    told = {
        "who": "b",
        "auc": -0.0,
        "interval": None,
        "sure": None,
        "fields": 4,
        "x": "xx",
        "y": "yy",
    }
    assert view.rows_json(made)[1] == told and list(view.rows_json(made)[1]) == list(told)
    assert str(view.rows_json(made)[1]["auc"]) == "-0.0" and view.rows_json(made)[0][
        "interval"
    ] == [0.4, 0.6]
    shown = view.for_terminal(made)
    assert [str(c.header) for c in shown.columns] == ["who", "AUC", "sure", "X"] and str(
        shown.caption
    ) == "Sure: told."
    assert view.objects(rows[:1], view.col("who", lambda r: r[0], json="who")) == [{"who": "a"}]


def test_names_of_classes_break_where_a_word_of_theirs_begins():
    from ravenbench.reports.view import _broken

    assert _broken("wordcosine:WordCosineSimilarity", 16).split("\n") == [
        "wordcosine:Word",
        "CosineSimilarity",
    ]


def test_packages_hand_in_rows_of_any_kind():
    import ravenbench

    cols = (
        ravenbench.col("name", lambda row: row[0], text=True),
        ravenbench.col("size", lambda row: row[1]),
    )
    for rows in ([("a", 1)], (("a", 1),), iter([("a", 1)]), {"a": 1}.items()):
        assert ravenbench.table("k", "t", rows, *cols).rows == (("a", 1),)
