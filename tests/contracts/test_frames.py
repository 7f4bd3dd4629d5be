"""Every function that ``import ravenbench`` gives and every parameter that takes a table, with tables in memory and
JSON files of which nobody can say what they hold: one error that says so, and nobody is merged. Rows are kinds, columns
functions and their parameters."""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

import ravenbench
from contracts.tasks import write_data
from contracts.test_wrong_types import FUNCTIONS, LONG, Begins, call
from ravenbench.engine.task import declared_of
from ravenbench.errors import InputError

HALF, WHOLE = "Ann\ud83d Lee", "Ann\U0001f600 Lee"
ROW = {"id": "d1", "text": "A text of some words.", "author": "Ann Lee", "topic": "a"}
TWICE = r"duplicate column\s+found: '{}'\s+expected: each name once\s+fix: rename or remove"
HALVED = r", row {}: {} is not valid Unicode: it contains a lone surrogate\s+found: .*\\ud83d.*\s+fix: write the whole"
EMPTY = "this table has no rows"


class Named:
    """A frame as pandas and pyarrow have it, whose columns may have one name."""

    def __init__(self, columns: list[Any], *rows: tuple[Any, ...], way: str = "to_dict") -> None:
        self.columns = self.column_names = columns
        setattr(self, way, lambda **_: [dict(zip(columns, row, strict=True)) for row in rows])


def objects(**columns: Any) -> pl.DataFrame:
    """A frame of polars that keeps texts as Python has them."""
    return pl.DataFrame(
        {name: pl.Series([value], dtype=pl.Object) for name, value in columns.items()}
    )


KINDS: dict[str, tuple[Callable[[], Any], str]] = {
    "half a character in an author": (
        lambda: [ROW, {**ROW, "author": HALF}],
        HALVED.format(1, "author"),
    ),
    "half a character in a text": (lambda: [{**ROW, "text": HALF}], HALVED.format(0, "text")),
    "half a character in a topic": (lambda: [{**ROW, "topic": HALF}], HALVED.format(0, "topic")),
    "half a character in an id": (lambda: [{"id": HALF, "same": True}], HALVED.format(0, "id")),
    "half a character in a pair": (
        lambda: [{"id": "p", "pair": ["a", HALF]}],
        HALVED.format(0, "pair"),
    ),
    "half a character in a known text": (
        lambda: [{"id": "p", "known": HALF, "questioned": "a"}],
        HALVED.format(0, "known"),
    ),
    "half a character in a list within a list": (
        lambda: [{**ROW, "tags": [[HALF]]}],
        HALVED.format(0, "tags"),
    ),
    "half a character in a mapping": (
        lambda: [{**ROW, "by": {"name": HALF}}],
        HALVED.format(0, "by"),
    ),
    "half a character in the name of a column": (
        lambda: [{**ROW, HALF: 1}],
        HALVED.format(0, "the name of a column"),
    ),
    "half a character in a system's name": (
        lambda: [{"system": HALF, "id": "p", "value": 0.5}],
        HALVED.format(0, "system"),
    ),
    "half a character in polars": (
        lambda: objects(**{**ROW, "author": HALF}),
        HALVED.format(0, "author"),
    ),
    "half a character in lazy polars": (
        lambda: objects(**{**ROW, "author": HALF}).lazy(),
        HALVED.format(0, "author"),
    ),
    "half a character in pandas": (
        lambda: Named(["id", "author"], ("d1", HALF)),
        HALVED.format(0, "author"),
    ),
    "two columns of one name in pandas": (
        lambda: Named(["author", "author"], ("a", "b")),
        TWICE.format("author"),
    ),
    "two columns of one name in pyarrow": (
        lambda: Named(["author", "author"], ("a", "b"), way="to_pylist"),
        TWICE.format("author"),
    ),
    "columns in two rows that become one": (
        lambda: Named([("a", "b"), ("a", "b")], (1, 2)),
        r"duplicate column\s+found: \"\('a', 'b'\)\"",
    ),
    "columns 1 and '1' in pandas": (lambda: Named([1, "1"], ("a", "b")), TWICE.format("1")),
    "columns 1 and '1' in a record": (lambda: [{**ROW, 1: "a", "1": "b"}], TWICE.format("1")),
    "keys 1 and '1' within a record": (
        lambda: [{**ROW, "by": {1: "a", "1": "b"}}],
        TWICE.format("1"),
    ),
    "systems 1 and '1'": (
        lambda: [{"system": name, "id": f"p{name!r}", "value": 0.5} for name in (1, "1")],
        r"duplicate system\s+found: '1'\s+expected: each name once",
    ),
    "systems True and 'True' in polars": (
        lambda: pl.DataFrame(
            {
                "system": pl.Series([True, "True"], dtype=pl.Object),
                "id": ["a", "b"],
                "value": [0.5, 0.5],
            }
        ),
        r"duplicate system\s+found: 'True'",
    ),
    "an object of no kind that tables have": (
        lambda: [{**ROW, "author": object()}],
        "author has a value that a table cannot store",
    ),
    "a set": (
        lambda: [{**ROW, "author": {"a"}}],
        "author has a value that a table cannot store: set",
    ),
    "a frame of polars without rows": (lambda: pl.DataFrame(ROW).clear(), EMPTY),
    "a lazy frame without rows": (lambda: pl.LazyFrame(ROW).limit(0), EMPTY),
    "a frame of pandas without rows": (lambda: Named(["text"]), EMPTY),
    "a table of pyarrow without rows": (lambda: Named(["text"], way="to_pylist"), EMPTY),
    "a record without columns": (lambda: [{}], EMPTY),
}


def parameters(takes: str) -> list[tuple[str, str]]:
    """Functions, each with a parameter whose annotation has this word."""
    return [
        (name, one.name)
        for name in FUNCTIONS
        for one in inspect.signature(getattr(ravenbench, name)).parameters.values()
        if re.search(takes, str(one.annotation)) and one.kind is not one.VAR_KEYWORD
    ]


TAKEN = parameters(r"\bPath\b|\bCorpus\b")
OF_TASKS = {
    "run",
    "verify",
    "evaluate",
    "pan14",
    "attribute",
    "obfuscate",
    "safety",
    "load_corpus",
    "read_problems",
}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_data(tmp_path_factory.mktemp("frames") / "data")


@pytest.fixture(autouse=True)
def undone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def begins(*_: object, **__: object) -> None:
        raise Begins

    monkeypatch.setattr("ravenbench.store.resume.folder_lock", begins)
    for name in {*LONG} & {*FUNCTIONS}:
        monkeypatch.setattr(declared_of(name), "work", begins)
    monkeypatch.setenv("RAVEN_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def test_every_function_of_tasks_is_here() -> None:
    assert {name for name, _ in TAKEN} >= OF_TASKS


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_of_which_nobody_can_say_what_it_holds_is_refused(
    kind: str, data: Path, tmp_path: Path
) -> None:
    make, expected = KINDS[kind]
    accepted = []
    for name, parameter in TAKEN:
        said = call(name, parameter, make(), data)
        if not isinstance(said, InputError) or not re.search(expected, str(said)):
            accepted.append(f"{name}({parameter}=): {type(said).__name__}: {said}")
    assert not accepted, "\n".join(accepted)
    assert not [file for file in tmp_path.rglob("*") if file.is_file()], (
        "something is written for it"
    )


def of_bench(name: str, *given: str, **options: Any) -> tuple[str, tuple[str, ...], dict[str, Any]]:
    """A call of a function: ``$`` begins names in the folder of data, ``$0`` is the file that holds nothing."""
    return name, given, options


TOY = {"train": "$toy/train", "test": "$toy/test"}
CASE = {"questioned": "$questioned.txt", "known": "$known", "background": "$others"}
READING = {
    "load_corpus": of_bench("load_corpus", "$0"),
    "read_problems": of_bench("read_problems", "$0"),
    "run": of_bench("run", "$0", verifiers="length"),
    "run, train": of_bench("run", **{**TOY, "train": "$0"}, verifiers="length", probe="none"),
    "run, test": of_bench("run", **{**TOY, "test": "$0"}, verifiers="length", probe="none"),
    "verify, train": of_bench("verify", "length", **{**TOY, "train": "$0"}),
    "verify, test": of_bench("verify", "length", **{**TOY, "test": "$0"}),
    "evaluate, truth": of_bench("evaluate", "$0", "$answers.jsonl"),
    "evaluate, answers": of_bench("evaluate", "$toy/test", "$0"),
    "evaluate, training": of_bench("evaluate", "$toy/test", "$answers.jsonl", training_truth="$0"),
    "pan14": of_bench("pan14", "$0", verifiers="length", probe="none"),
    "attribute": of_bench("attribute", "$0", methods="svm"),
    "attribute, candidates": of_bench("attribute", unknown="$questioned.txt", candidates="$0"),
    "obfuscate": of_bench("obfuscate", "identity", "$0"),
    "safety": of_bench(
        "safety", "$0", train="$toy/train", obfuscators="identity", verifiers="length"
    ),
    "safety, train": of_bench(
        "safety", "$toy/test", train="$0", obfuscators="identity", verifiers="length"
    ),
    "compare": of_bench("compare", **{**CASE, "background": "$0"}),
    "compare, batch": of_bench("compare", background="$others", batch="$0"),
    "validate": of_bench("validate", "$0", "$conditions.csv"),
    "validate, conditions": of_bench("validate", "$others", "$0"),
    "advise": of_bench("advise", "$questioned.txt", "$known", "$0"),
    "retrieve": of_bench("retrieve", "$0"),
    "map_texts": of_bench("map_texts", "$0"),
    "contrast": of_bench("contrast", "$0", "$others"),
    "contrast, corpus": of_bench("contrast", "a", corpus="$0"),
}
"""What reads tables as JSON, by function; those of extensions where they are here."""


@pytest.mark.parametrize("holds", ["[]", "{}", "[{}]"])
@pytest.mark.parametrize("ending", ["json", "jsonl"])
@pytest.mark.parametrize("row", READING)
def test_a_json_file_that_holds_nothing_has_no_rows(
    row: str, ending: str, holds: str, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, given, options = READING[row]
    if name not in FUNCTIONS:
        pytest.skip("the extension is not here")
    monkeypatch.undo()
    monkeypatch.setenv("RAVEN_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / f"table.{ending}").write_text(holds, "utf-8")
    (data / "answers.jsonl").write_text('{"id": "toy000", "value": 0.5}\n', "utf-8")

    def placed(value: Any) -> Any:
        return (
            f"table.{ending}"
            if value == "$0"
            else str(data / value[1:])
            if value[0] == "$"
            else value
        )

    with pytest.raises(InputError, match=f"table.{ending}: {EMPTY}"):
        getattr(ravenbench, name)(
            *map(placed, given), **{key: placed(one) for key, one in options.items()}
        )


def test_what_is_whole_is_taken() -> None:
    texts = [f"Text number {i} has some words of its own." for i in range(4)]
    rows = [
        {"text": text, "author": "AB"[i % 2] + WHOLE, "topic": "xy"[i // 2]}
        for i, text in enumerate(texts)
    ]
    assert sorted(ravenbench.load_corpus(rows).author.names) == [f"A{WHOLE}", f"B{WHOLE}"]
    assert json.loads(json.dumps(WHOLE)) == WHOLE


@pytest.mark.parametrize("takes", [list, tuple, dict])
def test_an_empty_list_is_a_table_without_rows_where_one_table_is_taken(takes: Any) -> None:
    for call_it in (
        ravenbench.load_corpus,
        ravenbench.read_problems,
        lambda one: ravenbench.evaluate(one, one),
    ):
        with pytest.raises(InputError, match=EMPTY):
            call_it(takes())
