"""PAN's tasks on generated content: their formats, and answers to them as PAN's evaluator judges them."""

from __future__ import annotations

import html
import json

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, confusion_matrix, f1_score, roc_auc_score

import ravenbench
from ravenbench.errors import FormatError
from ravenbench.ext.machine.pan_generated import read_generated
from ravenbench.formats.answers import read_answers, read_truth
from ravenbench.tasks.evaluate.report import evaluation_page


def lines(path, *records):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_single_texts_with_genre_and_model(tmp_path):
    file = lines(
        tmp_path / "val.jsonl",
        {"id": "a", "text": "by hand", "model": "human", "label": 0, "genre": "essays"},
        {"id": "b", "text": "by wire", "model": "gpt-4o", "label": 1.0, "genre": "news"},
    )
    read = read_generated(file)
    assert read.texts == ("by hand", "by wire") and read.machine.tolist() == [False, True] and not read.pairs
    assert list(read.columns["genre"]) == ["essays", "news"] and list(read.columns["model"]) == ["human", "gpt-4o"]


def test_truth_beside_texts_and_six_mixtures(tmp_path):
    test = lines(tmp_path / "dataset.jsonl", *({"id": str(i), "text": f"text {i}"} for i in range(6)))
    lines(tmp_path / "test-truth.jsonl", *({"id": str(i), "label": i} for i in range(6)))
    read = read_generated(test)
    assert read.machine.tolist() == [False, True, True, True, True, True]
    assert next(iter(read.columns["mixture"])) == "fully human-written" and len(read.columns["mixture"].names) == 6


def test_pairs_and_what_is_learned_from(tmp_path):
    lines(tmp_path / "t" / "pairs.jsonl", {"id": "p", "text1": "one", "text2": "two"})
    lines(tmp_path / "t" / "truth.jsonl", {"id": "p", "label": [True, False]})
    assert read_generated(tmp_path / "t").machine.tolist() == [False, True], "as PAN's evaluator of 2025 takes it"
    lines(tmp_path / "t" / "truth.jsonl", {"id": "p", "is_human": [True, False]})
    read = read_generated(tmp_path / "t")
    assert read.pairs and read.ids == ("p/1", "p/2") and read.machine.tolist() == [False, True]
    lines(tmp_path / "l" / "human.jsonl", {"id": "x", "text": "own"})
    lines(tmp_path / "l" / "machines" / "gpt.jsonl", {"id": "x", "text": "made"})
    learned = read_generated(tmp_path / "l")
    assert dict(zip(learned.texts, learned.machine.tolist(), strict=True)) == {"own": False, "made": True}


@pytest.mark.parametrize("record", [
    {"id": "a", "text": "x"}, {"id": "a", "text": 3, "label": 1}, {"id": "a", "text": "x", "label": 6},
    {"id": "a", "text": "x", "label": "human"}, {"id": "a", "text1": "x", "text2": "y", "is_human": [True, True]},
    {"id": "a", "text1": "x", "text2": "y", "is_human": [[1], [0]]},
    {"id": "a", "label": 0}, {"text": "x", "label": 1},
])  # fmt: skip
def test_what_is_no_such_text(tmp_path, record):
    with pytest.raises(FormatError):
        read_generated(lines(tmp_path / "val.jsonl", record))


def test_a_table_is_told_what_is_read_instead(tmp_path):
    (tmp_path / "val.csv").write_text("id,text,label\na,x,1\n")
    with pytest.raises(FormatError, match=r"\.jsonl file"):
        read_generated(tmp_path / "val.csv")


def test_answers_are_judged_as_pans_evaluator_does(tmp_path):
    """The formulas of PAN's evaluator of 2025, as scikit-learn computes them; .5 is a machine to its FPR and FNR."""
    rng = np.random.default_rng(0)
    truth = rng.random(60) < 0.5
    answers = np.where(rng.random(60) < 0.2, 0.5, np.clip(truth * 0.4 + rng.random(60) * 0.6, 0, 1))
    truth_file = lines(tmp_path / "truth.jsonl", *({"id": f"t{i}", "label": int(y)} for i, y in enumerate(truth)))
    answer_file = lines(tmp_path / "ours.jsonl", *({"id": f"t{i}", "label": v} for i, v in enumerate(answers)))
    result = ravenbench.evaluate(
        truth_file, answer_file, metrics="c@1, f1_2024, overall_2024, fpr, fnr", replicates=50, trials=50
    )
    row = result.to_json()["systems"][0]
    (tn, fp), (fn, tp) = confusion_matrix(truth, answers >= 0.5)
    correct, open_ = (truth == (answers > 0.5))[answers != 0.5].sum(), (answers == 0.5).sum()
    theirs = {
        "auc": roc_auc_score(truth, answers), "brier": 1 - brier_score_loss(truth, answers),
        "c@1": (correct + open_ * correct / 60) / 60, "f1_2024": f1_score(truth, answers > 0.5),
        "fpr": fp / (fp + tn), "fnr": fn / (fn + tp),
    }  # fmt: skip
    assert {name: row[name] for name in theirs} == pytest.approx(theirs)
    shown = html.unescape(evaluation_page(result, {}))
    assert "texts are by a machine" in shown and "Chance that a machine's text is scored above a person's" in shown
    assert "share of machines' texts" in shown and "same-author" not in shown and "same author" not in shown
    assert row["overall_2024"] == pytest.approx(np.mean([*list(theirs.values())[:4], row["f05u"]]))


def test_truth_and_answers_of_pairs(tmp_path):
    truth = lines(
        tmp_path / "truth.jsonl", {"id": "p", "is_human": [True, False]}, {"id": "q", "is_human": [False, True]}
    )
    answers = lines(tmp_path / "ours.jsonl", {"id": "p", "is_human": 0.2}, {"id": "q", "is_human": 0.9})
    assert read_truth(truth).about == "machine pairs"
    assert read_truth(truth).same.tolist() == [False, True] and read_answers(answers).value.tolist() == [0.2, 0.9]
