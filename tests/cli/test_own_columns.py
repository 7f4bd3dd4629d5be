"""Tables whose columns have names of their own go straight into every task that reads a corpus."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from msgspec.structs import fields
from typer.testing import CliRunner

import extensions
import ravenbench
from ravenbench.cli.main import build
from ravenbench.engine.options import CorpusSpec, LevelSpec, spec_of
from ravenbench.engine.task import task_of, tasks
from ravenbench.errors import FormatError
from ravenbench.reading.load import load_corpus
from ravenbench.topics.levels import at_level
from ravenbench.types import Corpus

GIVEN = {"text": "gesagt", "author": "wer", "topic": "anlass", "encoding": "cp1252"}
SPECS = {name: task_of(name).Spec for name in tasks()} | extensions.rows("SPECS")


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of Windows with columns that no guess finds."""
    path = tmp_path_factory.mktemp("table") / "aufsätze.csv"
    corpus = ravenbench.load_corpus("synthetic(documents=160, authors=40, topics=8, words=40)")
    with path.open("w", encoding="cp1252", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["nr", "wer", "anlass", "gesagt", "ort"])
        for row, (text, author, topic) in enumerate(
            zip(corpus.texts, corpus.author, corpus.topic, strict=True)
        ):
            rows.writerow([f"n{row}", author, topic, f"Grüße: {text}", "Köln"])
    return path


def test_every_task_that_reads_a_corpus_takes_its_columns(table: Path) -> None:
    specs = {name: spec for name, spec in SPECS.items() if issubclass(spec, CorpusSpec)}
    assert {"run", "attribute"} | extensions.names("COLUMNS") | extensions.rows(
        "SPECS"
    ).keys() <= set(specs)
    corpora: dict[str, Corpus] = {}
    for name, spec in specs.items():
        needed = {
            field.name: ["x"] if field.name == "unknown" else "x"
            for field in fields(spec)
            if field.required
        }
        made = spec_of(spec, {**needed, **GIVEN})
        reading = made.reading()
        if repr(reading) not in corpora:  # what is read alike is read once
            corpora[repr(reading)] = load_corpus(table, **reading)
        corpus = corpora[repr(reading)]
        assert (
            len(corpus) == 160
            and corpus.texts[0].startswith("Grüße")
            and len(corpus.topic.names) == 8
        ), name
        level = made.topic if issubclass(spec, LevelSpec) else "topic"
        assert len(at_level(corpus, level, {})[0].topic.names) == 8
        bare = spec_of(spec, needed).resolved()
        assert not {"text", "author"} & set(bare), (
            "a spec from before there were these keys is another one"
        )


def test_a_table_goes_into_a_run_without_an_import(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    given = [word for name, column in GIVEN.items() for word in (f"--{name}", column)]
    more = ["--verifiers", "length", "--probe", "none", "--plan"]
    shown = CliRunner().invoke(build("run"), ["run", str(table), *given, *more])
    assert shown.exit_code == 0, shown.output
    assert "160 documents on 8 topics" in shown.output


def test_topics_that_are_made_from_texts_need_no_column(table: Path) -> None:
    named = {"text": "gesagt", "author": "wer", "encoding": "cp1252"}
    corpus = load_corpus(table, **named, level="extract(clusters=4)")
    assert set(corpus.topic.codes) == {-1}
    with pytest.raises(
        FormatError,
        match=r"name it with --topic COLUMN if the command has this option; if there are none",
    ):
        load_corpus(table, **named)
