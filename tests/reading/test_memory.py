"""Tables in memory are a corpus, problems, truth or answers, through the readers of files."""

import contextlib
import datetime
import json
import re
import subprocess
import sys
import types
from itertools import pairwise

import polars as pl
import pytest

import extensions
import ravenbench
from ravenbench.reading.account import ACCOUNT
from ravenbench.reading.memory import FOLDER, as_place

pytestmark = pytest.mark.usefixtures("undrawn")


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("RAVEN_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def corpus():
    return ravenbench.load_corpus("synthetic")


@pytest.fixture(scope="module")
def rows(corpus):
    return [{"id": d.id, "text": d.text, "author": d.author, "topic": d.topic} for d in corpus]


class Pandas:
    """What of pandas' data frame is asked for, with its ways of saying that nothing is there."""

    def __init__(self, rows):
        self.rows, self.columns = rows, list(rows[0])

    def to_dict(self, orient):
        assert orient == "records"
        return self.rows


class Arrow:
    """What of a table of pyarrow is asked for."""

    def __init__(self, rows):
        self.rows, self.column_names = rows, list(rows[0])

    def to_pylist(self):
        return self.rows


@pytest.mark.parametrize(
    "kind", [list, Pandas, Arrow, pl.DataFrame, pl.LazyFrame], ids=lambda kind: kind.__name__
)
def test_every_kind_of_table_is_the_same_corpus(kind, rows, corpus):
    assert ravenbench.load_corpus(kind(rows)).digest() == corpus.digest()


def test_pandas_and_pyarrow_themselves(rows, corpus):
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    assert ravenbench.load_corpus(pandas.DataFrame(rows)).digest() == corpus.digest()
    assert ravenbench.load_corpus(pyarrow.Table.from_pylist(rows)).digest() == corpus.digest()
    gaps = pandas.DataFrame([*rows, {**rows[0], "id": "gap", "text": float("nan")}])
    with pytest.raises(ravenbench.InputError, match="text is empty"):
        ravenbench.load_corpus(gaps)


def test_a_corpus_that_was_loaded_can_be_run(corpus, tmp_path):
    how = {"verifiers": "length", "samplers": "random", "folds": 2, "probe": "none", "workers": 1}
    result = ravenbench.run(corpus, **how, out=tmp_path / "run")
    assert result.to_polars("results")["verifier"].to_list() == ["length"]
    assert result.figure("results") is not None
    again = ravenbench.run(corpus, **how, out=tmp_path / "run")
    assert again.store.run.spec == result.store.run.spec


def test_problems_and_their_truth(rows, tmp_path):
    problems = [
        {
            "id": f"p{i}",
            "known": a["text"],
            "questioned": b["text"],
            "same": a["author"] == b["author"],
        }
        for i, (a, b) in enumerate(pairwise(rows[:61]))
    ]
    pairs = [
        {"id": p["id"], "pair": [p["known"], p["questioned"]], "same": p["same"]}
        for p in problems[30:]
    ]
    trained = ravenbench.verify(
        "length", train=pl.DataFrame(problems[:29]), test=pairs, workers=1, folder=tmp_path / "one"
    )
    assert len(trained.answers.value) == 30
    with pytest.raises(ravenbench.InputError, match="no truth") as refusal:
        ravenbench.verify(
            "length",
            train=[{k: v for k, v in p.items() if k != "same"} for p in problems[:29]],
            test=pairs,
        )
    assert "use these problems as 'test'" in str(refusal.value) and "--" not in str(refusal.value)


def test_truth_and_answers():
    truth = [{"id": f"p{i}", "same": i % 2 == 0} for i in range(40)]
    right = [{"id": one["id"], "value": 0.9 if one["same"] else 0.2} for one in truth]
    wrong = [{**one, "value": 1 - one["value"]} for one in right]
    both = [
        {"system": name, **one}
        for name, rows in (("right", right), ("wrong", wrong))
        for one in rows
    ]
    for answers in ({"right": pl.DataFrame(right), "wrong": wrong}, pl.DataFrame(both)):
        evaluation = ravenbench.evaluate(truth, answers, replicates=100)
        assert {s.name: s.scores["auc"] for s in evaluation.systems} == {"right": 1.0, "wrong": 0.0}


def test_a_damaged_copy_is_written_anew(rows, cache):
    place = as_place(rows, "mine")
    assert place.name == "mine.jsonl" and place.parent.parent == cache / FOLDER
    assert cache.stat().st_mode & 0o77 == 0
    whole = place.read_bytes()
    place.write_bytes(whole[:50])
    assert as_place(rows, "mine") == place and place.read_bytes() == whole


def test_a_damaged_corpus_is_written_anew(corpus):
    place = as_place(corpus)
    (place / "documents.parquet").write_bytes(b"")
    assert ravenbench.load_corpus(as_place(corpus)).digest() == corpus.digest()


def test_a_table_that_cannot_be_kept_says_where(rows, cache):
    cache.write_text("a file")
    with pytest.raises(ravenbench.InputError, match="a file stands where a folder belongs"):
        ravenbench.load_corpus(rows)


def test_tables_without_rows_are_refused():
    with pytest.raises(ravenbench.InputError, match="no rows"):
        ravenbench.load_corpus(pl.DataFrame())


def tables(rows, place):
    """The same rows in every form that has their types; those that a package does not take as they are left out."""
    (place / "t.jsonl").write_text("".join(json.dumps(row, default=str) + "\n" for row in rows))
    forms = {"list": rows, "jsonl": place / "t.jsonl", "fakes": Pandas(rows)}
    with contextlib.suppress(TypeError, ValueError, pl.exceptions.PolarsError):
        forms |= {
            "polars": pl.DataFrame(rows, strict=True),
            "lazy": pl.LazyFrame(rows, strict=True),
        }
        forms["polars"].write_parquet(place / "t.parquet")
        forms["parquet"] = place / "t.parquet"
    with contextlib.suppress(ImportError, TypeError, ValueError):
        import pandas
        import pyarrow

        forms |= {
            "pandas": pandas.DataFrame(rows, dtype=object),
            "pyarrow": pyarrow.Table.from_pylist(rows),
        }
    return forms


DAY = datetime.date(2020, 2, 3)
SAME = {
    "an author of a number": ("author", [1, 2, 1, 2], {"1", "2"}),
    "a number and its text": ("author", [1, "1", 2, "2"], {"1", "2"}),
    "dates as topics": ("topic", [DAY, DAY, DAY.replace(day=4), DAY], {"2020-02-03", "2020-02-04"}),
    "an author of a fraction": ("author", [1.5, 2.5, 1.5, 2.5], "author is not a name"),
    "an author who is true": ("author", [True, False, True, False], "author is not a name"),
    "a list": ("author", [["a"], ["b"], ["a"], ["b"]], "author is not a name"),
    "a missing author": ("author", [None, "b", "a", "b"], "1: author is empty"),
    "an author who is no number": ("author", [float("nan")] * 4, "author is empty"),
    "an empty author": ("author", ["", "b", "a", "b"], "1: author is empty"),
    "an author of blanks": ("author", [" ", "b", "a", "b"], "1: author is not a name"),
    "an author with NUL": ("author", ["a\0", "b", "a", "b"], "1: the author contains a NUL"),
    "a name of 501 characters": ("author", ["a" * 501, "b", "a", "b"], "1: the author is too long"),
    "a text with NUL": ("text", ["a\0", "b", "c", "d"], "1: the text contains a NUL character"),
    "a text of blanks": ("text", [" ", "b", "c", "d"], "1: the text is empty"),
    "Windows-1252": (
        "text",
        ["It\x92s.", "b", "c", "d"],
        "1: the text contains control characters",
    ),
    "an empty id": ("id", ["", "", "c", "d"], {"a", "b"}),
    "an empty further value": ("genre", ["", "g", "g", "g"], {"a", "b"}),
    "a list as a further value": ("genre", [["x"]] * 4, {"a", "b"}),
}


@pytest.mark.parametrize("kind", SAME)
def test_a_value_gives_one_result_in_every_form(kind, tmp_path):
    column, values, expected = SAME[kind]
    plain = [
        {"text": f"Words {i}.", "author": "ab"[i % 2], "topic": "xy"[i // 2]} for i in range(4)
    ]
    rows = [{**row, column: value} for row, value in zip(plain, values, strict=True)]
    told = {}
    for form, table in tables(rows, tmp_path).items():
        try:
            corpus = ravenbench.load_corpus(table)
        except ravenbench.InputError as error:
            # Files number their lines from 1, tables of Python their rows from 0.
            of_file = re.sub(
                r"the table 'corpus', row (\d)", lambda row: f"T:{int(row[1]) + 1}", str(error)
            )
            told[form] = re.sub(r"the table 'corpus'|\S+/t\.\w+", "T", of_file)
        else:
            told[form] = (corpus.digest(), *corpus.ids, *corpus.author.names, *corpus.topic.names)
            assert expected in ({*corpus.author.names}, {*corpus.topic.names})
    assert len({*told.values()}) == 1 and len(told) >= 3, told
    assert isinstance(expected, set) or expected in told["list"]


@pytest.mark.parametrize("column", ["author", "topic"])
def test_a_number_and_its_text_are_one_label_and_that_is_said(column, tmp_path):
    plain = [
        {"text": f"Words {i}.", "author": "ab"[i % 2], "topic": "xy"[i // 2]} for i in range(4)
    ]
    rows = [{**row, column: name} for row, name in zip(plain, [1, "1", 2, 3], strict=True)]
    forms = tables(rows, tmp_path)
    for table in (forms["list"], forms["fakes"], forms["jsonl"]):  # others make texts of both
        (note,) = ravenbench.load_corpus(table).notes[ACCOUNT]
        assert note.code == "types-joined" and note.places == (f"{column} 1",)
    assert ACCOUNT not in ravenbench.load_corpus(plain).notes


def test_bytes_are_no_name_and_no_text_and_otherwise_left_out(tmp_path):
    rows = [
        {"text": f"Words {i}.", "author": "ab"[i % 2], "topic": "x", "image": b"\xff"}
        for i in range(4)
    ]
    pl.DataFrame(rows).write_parquet(tmp_path / "t.parquet")
    corpora = [
        ravenbench.load_corpus(table)
        for table in (rows, pl.DataFrame(rows), tmp_path / "t.parquet")
    ]
    assert [corpus.notes["ignored columns"] for corpus in corpora] == [["image"]] * 3
    for column in ("author", "text"):
        with pytest.raises(ravenbench.InputError, match=f"{column} is not a"):
            ravenbench.load_corpus([{**row, column: b"ann"} for row in rows])


def test_text_of_pyarrow_that_is_none_is_said():
    pyarrow = pytest.importorskip("pyarrow")
    half = [None, pyarrow.py_buffer(b"\0\0\0\0\3\0\0\0"), pyarrow.py_buffer(b"\xed\xa0\xbd")]
    table = pyarrow.table({"text": pyarrow.Array.from_buffers(pyarrow.string(), 1, half)})
    with pytest.raises(
        ravenbench.InputError, match="the table 'corpus': Raven cannot read this table"
    ):
        ravenbench.load_corpus(table)


def test_systems_may_be_called_as_files_of_truth_and_answers_are():
    truth = [{"id": f"p{i}", "same": i % 2 == 0} for i in range(40)]
    answers = [
        {"system": s, "id": one["id"], "value": 0.3}
        for s in ("answers", "truth", 7)
        for one in truth
    ]
    evaluation = ravenbench.evaluate(truth, answers, replicates=10)
    assert sorted(system.name for system in evaluation.systems) == ["7", "answers", "truth"]
    for name in (None, " ", "a/b", ".a", 1.5):
        with pytest.raises(ravenbench.InputError, match="a folder cannot have this system's name"):
            ravenbench.evaluate(truth, [{**one, "system": name} for one in answers])
    with pytest.raises(ravenbench.InputError, match="duplicate column"):
        ravenbench.evaluate(truth, {1: answers, "1": answers})


def test_a_workbook_with_two_columns_of_one_name_is_refused(tmp_path):
    pytest.importorskip("python_calamine")
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in [("text", "author", "author"), ("One.", "ann", "bob"), ("Two.", "ann", "eve")]:
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    with pytest.raises(ravenbench.InputError, match=r"t\.xlsx:1: duplicate column"):
        ravenbench.load_corpus(tmp_path / "t.xlsx")


def test_other_values_are_left_alone():
    for value in (
        "newsgroups",
        3,
        None,
        ["a", "b"],
        {"a": "b"},
        [1, 2],
        types.SimpleNamespace(columns=[]),
    ):
        assert as_place(value) == value


def test_misspelt_arguments_get_a_suggestion():
    with pytest.raises(
        TypeError, match=r"run\(\) got an unexpected .* 'verifier'; did you mean 'verifiers'\?"
    ):
        ravenbench.run("synthetic", verifier="ppm")
    with pytest.raises(TypeError, match="positional"):
        ravenbench.load_corpus("synthetic", *range(20))
    with pytest.raises(TypeError, match="did you mean 'metrics'"):
        ravenbench.evaluate("truth.jsonl", "answers.jsonl", metric="auc")


@pytest.mark.parametrize(
    "call", ["run('no-such')", "run('synthetic', verifier='ppm')", "evaluate('x', 'y')"]
)
def test_a_traceback_ends_at_the_callers_line(call):
    said = subprocess.run(
        [sys.executable, "-c", f"import ravenbench\nravenbench.{call}"],
        capture_output=True,
        text=True,
    )
    assert said.stderr.count('  File "') == 1 and '  File "<string>", line 2' in said.stderr, (
        said.stderr
    )


def test_star_and_dir_show_what_is_public():
    here = {}
    exec("from ravenbench import *", here)
    names = {name for name in dir(ravenbench) if not name.startswith("_")}
    assert (
        names == here.keys() - {"__builtins__"}
        and {"run", "safety", *extensions.names("NAMES")} <= names
    )
    assert not names & {"Any", "annotations", "importlib"}


def _refusal(call):
    with pytest.raises(ravenbench.InputError) as refusal:
        call()
    return str(refusal.value)


def test_errors_about_tables_name_the_table_and_parameters_of_python():
    texts = [
        {"writer": "ab"[i % 2], "body": f"words of number {i}, and some more of them"}
        for i in range(8)
    ]
    message = _refusal(lambda: ravenbench.load_corpus(texts, text="body", author="writer"))
    assert (
        message.startswith("the table 'corpus'")
        and "topic='none'" in message
        and "--" not in message
    ), message
    assert not (
        ravenbench.load_corpus(texts, text="body", author="writer", topic="none").topic.codes >= 0
    ).any()
    truth = [{"id": "a", "same": True}, {"id": "b", "same": False}]
    message = _refusal(
        lambda: ravenbench.evaluate(truth, [{"id": "a", "valu": 0.5}, {"id": "b", "valu": 0.1}])
    )
    assert "the table" in message and str(FOLDER) + "/" not in message, message


def test_what_a_result_says_of_its_page_can_be_done(tmp_path):
    truth = [{"id": "a", "same": True}, {"id": "b", "same": False}]
    evaluation = ravenbench.evaluate(
        truth, [{"id": "a", "value": 0.9}, {"id": "b", "value": 0.1}], replicates=10
    )
    assert "evaluation.write(FOLDER)" in evaluation._repr_html_()
    assert evaluation.write(tmp_path / "page").read_text().startswith("<!doctype html>")


def test_docstrings_speak_of_python():
    for name in ("run", "evaluate", *extensions.names("SPEAK_OF_PYTHON")):
        text = getattr(ravenbench, name).__doc__
        assert "a list of records" in text and "NAME=PATH" not in text, name
        assert not re.search("everal: repeat|be repeated", text), name


def test_wrong_arguments_name_the_function_and_the_road():
    with pytest.raises(TypeError, match=r"plan\(ravenbench.run"):
        ravenbench.run("synthetic", plan=True)


TEXTS = [f"this is text {i} by one of the two and it is not long " * 5 for i in range(12)]


def frame(**columns):
    pandas = pytest.importorskip("pandas")
    first = {"author": ["Ann", "Bob"] * 6, "topic": ["x", "y", "z"] * 4, "text": TEXTS}
    return pandas.DataFrame({**first, **columns})


def test_numbers_of_a_column_with_a_missing_value_are_whole_again():
    numbers = ravenbench.load_corpus(frame(topic=[7, 8, None] * 4), pairs=False, skip_faulty=True)
    assert set(numbers.topic.names) == {"7", "8"}


def test_rows_are_called_as_the_frame_calls_them():
    table = frame(author=["Ann", None] + ["Bob"] * 10)
    table.index = [f"letter {i}" for i in range(12)]
    with pytest.raises(ravenbench.InputError, match=r"the table 'corpus', row 'letter 1': author"):
        ravenbench.load_corpus(table)
    rows = frame().to_dict("records")
    rows[3]["text"] = object()
    with pytest.raises(ravenbench.InputError, match=r"the table 'corpus', row 3: "):
        ravenbench.load_corpus(rows)
    faulty = frame(text=[*TEXTS[:10], 3, 4])
    with pytest.raises(ravenbench.InputError, match=r"row 10: the text") as refusal:
        ravenbench.load_corpus(faulty)
    assert "--" not in str(refusal.value) and "'skip_faulty'" in str(refusal.value)


@pytest.mark.parametrize("kind", [int, float])
def test_truth_may_be_ones_and_zeros(kind):
    truth = [{"id": f"p{i}", "same": kind(i % 2)} for i in range(20)]
    answers = [{"id": f"p{i}", "value": 0.1 + 0.8 * (i % 2)} for i in range(20)]
    evaluation = ravenbench.evaluate(truth, answers, trials=50, replicates=50)
    assert evaluation.systems[0].scores["auc"] == 1
    with pytest.raises(ravenbench.InputError, match="true or false"):
        ravenbench.evaluate([{**one, "same": 2} for one in truth], answers)


def test_what_is_no_table_is_told_how_it_becomes_one():
    class Dataset:
        def to_pandas(self):
            return frame()

    class Classifier:
        def fit(self, texts, authors):
            return self

    for value, way in (
        ({"author": ["a"], "text": ["b"]}, "pandas.DataFrame"),
        (Dataset(), "to_pandas()"),
        (b"texts.csv", "decode("),
    ):
        with pytest.raises(ravenbench.InputError, match=re.escape(way)):
            ravenbench.load_corpus(value)
    with pytest.raises(ravenbench.InputError, match=r"ravenbench\.Estimator\("):
        ravenbench.run("synthetic", verifiers=Classifier())
    with pytest.raises(ravenbench.InputError, match="decode them"):
        ravenbench.load_corpus(frame(text=[text.encode() for text in TEXTS]))
