"""``python -m benchmarks.accelerator``: every part runs small, and says what it lacks."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.extra


@pytest.fixture
def measured(monkeypatch, tmp_path, need_extra):
    """Rows and output of a tiny run with these arguments."""
    for module in ("torch", "transformers", "sentence_transformers"):
        need_extra(module)
    monkeypatch.syspath_prepend(str(Path(__file__).parents[4]))
    # What the run sets is put back.
    monkeypatch.setenv("RAVEN_CACHE", str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    from benchmarks.accelerator import main

    def run(*given):
        main(["--tiny", "--out", str(tmp_path / "out.json"), *given])
        return json.loads((tmp_path / "out.json").read_text("utf-8"))["rows"]

    return run


def written(path):
    """Nine authors who each repeat words of their own, on two topics each."""
    rng = np.random.default_rng(0)
    lines = []
    for author in range(9):
        own = [f"w{author}x{number}" for number in range(30)]
        for topic in ("one", "two"):
            for _ in range(3):
                words = rng.choice([*own, "the", "and", "of", "to", "in", "a"], 60)
                lines.append(
                    {
                        "source": "made",
                        "author": f"a{author}",
                        "topic": topic,
                        "text": " ".join(words),
                    }
                )
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    return path


def test_every_part_beside_its_peer(measured, tmp_path, capsys):
    rows = measured("--random-weights", "--texts", str(written(tmp_path / "texts.jsonl")))
    assert not [row for row in rows if {"failed", "missing", "not reached"} & set(row)]
    rated = [row for row in rows if "rate" in row]
    assert {row["part"] for row in rated} == {"training", "encoders"}
    assert all(row["rate"] == row["count"] / row["seconds"] > 0 for row in rated)
    for what in ("luar, training", "luar, encoding", "all-minilm", "e5-small"):
        assert len({row["who"] for row in rated if row["what"] == what}) == 2
    assert max(row["cosine_apart"] for row in rated if row["part"] == "encoders") < 1e-6
    last = {row["what"]: row["auc"]["made"] for row in rows if "auc" in row}
    assert all(one["folds"] == 3 and one["authors"] == 9 for one in last.values())
    assert {*last} >= {"luar, untrained", "char-ngram"}
    assert last["luar, untrained"]["auc"] > 0.9, "words of their own tell these authors apart"
    table = capsys.readouterr().out.partition("\n\n")[2]
    assert "torch" in table and "luar, training" in table
    assert max(map(len, table.splitlines())) <= 80


def test_what_is_missing_or_not_reached_is_said(measured):
    rows = measured("training", "authors")
    assert [row["part"] for row in rows if "missing" in row] == ["training", "authors"]
    assert [
        row["what"]
        for row in measured("training", "encoders", "--limit", "4")
        if "not reached" in row
    ] == [
        "training",
        "encoders",
    ]


def test_no_pair_has_one_topic_and_no_author_two_folds(measured):
    from benchmarks.accelerator import FOLDS, asked, dealt

    from ravenbench.types import Labels

    author = Labels.of(f"a{row % 7}" for row in range(70))
    topic = Labels.of(f"t{row % 7}{row % 2 if row % 7 < 4 else 0}" for row in range(70))
    fold = dealt(Labels.of(["s"] * 70), author, topic)
    assert len(fold) == 7 and all(np.isin(range(FOLDS), fold[:4])), (
        "authors of two topics stand in every fold"
    )
    a, b = asked(np.arange(70), author, topic)
    assert (topic.codes[a] != topic.codes[b]).all() and len({*zip(a, b, strict=True)}) == len(a)
    assert {*author.codes[a][author.codes[a] == author.codes[b]]} == {0, 1, 2, 3}
