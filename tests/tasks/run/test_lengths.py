"""Accuracy over length: folds at several lengths, and what the report says of them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from given_problems import made_up, write_made_up
from ravenbench.errors import SpecError
from ravenbench.problems.rewritten import FirstWords, at_length
from ravenbench.problems.sources import given
from ravenbench.reports.report import analyse, write_report
from ravenbench.tasks.api import build_problems, run
from ravenbench.tasks.run.probes import lengths_table
from ravenbench.tasks.run.record import RunPlan
from ravenbench.tasks.run.spec import build

pytestmark = pytest.mark.usefixtures("undrawn")


def test_texts_are_cut_after_so_many_words():
    cut = FirstWords(3).fit([])
    assert cut.transform(["one  two,\nthree four", "one two", "", " a b c "]) == [
        "one  two,\nthree",
        "one two",
        "",
        " a b c",
    ]


def test_a_fold_at_a_length_keeps_its_problems():
    train, same = made_up(8, size=20)
    fold = given(train, same, train, same, "f")
    short = at_length(fold, 5)
    assert short.name == "f-words-5" and short.counts["reached"] == 1.0
    assert short.test.ids.tolist() == fold.test.ids.tolist() and np.array_equal(
        short.test_same, fold.test_same
    )
    assert {len(short.train.texts[row].split()) for row in short.train.documents} == {5}
    assert at_length(fold, 21).counts["reached"] == 0.0


def test_given_problems_over_length(tmp_path):
    place = str(write_made_up(tmp_path / "made", n=(40, 60)))
    how = {
        "train": place,
        "test": place,
        "probe": "none",
        "verifiers": "function-words, length",
        "workers": 1,
    }
    found = run(**how, lengths="100,20", out=tmp_path / "run")
    assert found.errors == ()
    plan = found.store.plan_as(RunPlan)
    assert [(r.words, r.folds, r.reached) for r in plan.lengths] == [
        (20, ["given-words-20"], 1.0),
        (100, ["given-words-100"], 1.0),
    ]
    analysis = analyse(found.store)
    auc = {(row.verifier, row.words): row.auc.value for row in analysis.lengths}
    assert auc["function-words", 20] < auc["function-words", 100]
    assert all(row.problems == 60 and row.auc.interval is not None for row in analysis.lengths)
    table = lengths_table(analysis.lengths)
    assert [row[:2] for row in table.rows] == [
        (v, w) for v in ("function-words", "length") for w in (20, 100)
    ]
    page = write_report(found.store, analysis)
    assert (
        "How many words" in page.read_text() and (page.parent / "figures" / "lengths.svg").is_file()
    )
    said = json.loads((page.parent / "report.json").read_text())["lengths"]
    assert [(row["verifier"], row["words"]) for row in said[:2]] == [
        ("function-words", 20),
        ("length", 20),
    ]
    plain = run(**how, out=tmp_path / "plain")
    whole = {cell.verifier: cell.key for cell in plain.store.plan.cells}
    assert {c.verifier: c.key for c in found.store.plan.cells if c.fold == "given"} == whole
    assert analyse(plain.store).lengths == ()


def test_a_corpus_with_topics_over_length(tmp_path):
    found = run(
        corpus="synthetic(documents=300, authors=20, words=60, topics=12)",
        topics=6,
        folds=3,
        pools=1,
        probe="none",
        samplers="hits, random",
        verifiers="char-ngram",
        lengths=[30],
        workers=1,
        out=tmp_path / "run",
    )
    assert found.errors == ()
    plan = found.store.plan_as(RunPlan)
    (record,) = plan.lengths
    assert len(record.folds) == 3 and all("random" in name for name in record.folds)
    fold = found.store.fold(record.folds[0])
    authors = {fold.train.author[row] for row in fold.train.documents}
    assert None not in authors and len(authors) > 1
    (row,) = analyse(found.store).lengths
    assert row.words == 30 and 0 <= row.auc.value <= 1


@pytest.mark.parametrize("given", ["0", "x", "100,100", ""])
def test_lengths_are_whole_numbers(given):
    with pytest.raises(SpecError):
        build({"lengths": given})


def test_problems_of_a_length(tmp_path):
    place = tmp_path / "made"
    found = build_problems("synthetic", place, known="1-2", words=30, problems=20)
    texts = [path.read_text().split() for path in place.rglob("*known*.txt")]
    assert found["table"]["problems"] == 20 and len(texts) >= 40
    assert {len(words) for words in texts} == {30}
