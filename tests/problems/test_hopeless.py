"""Corpora that cannot give pairs are refused before topics are compared; none that can is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ravenbench.errors import CorpusError
from ravenbench.tasks.run import plan as planning
from ravenbench.tasks.run.forecast import forecast
from ravenbench.tasks.run.spec import build

OPTIONS = {
    "verifiers": "length",
    "samplers": "random",
    "probe": "none",
    "pools": 1,
    "docs_per_topic": 8,
}


def corpus(folder: Path, documents: list[tuple[str, str]]) -> str:
    """A table of documents given by author and topic."""
    rows = [
        {"text": f"Text {i} of words by some.", "author": a, "topic": t}
        for i, (a, t) in enumerate(documents)
    ]
    (folder / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(folder / "c.jsonl")


def lone(topics: int, each: int = 8) -> list[tuple[str, str]]:
    """Documents by as many authors."""
    return [(f"a{t}-{i}", f"t{t}") for t in range(topics) for i in range(each)]


RARELY_TWICE = [*lone(4), ("b", "rare"), ("b", "rare"), ("c", "rare")]
ONE_BUT_RARELY = [("b", f"t{t}") for t in range(4) for _ in range(8)] + [("c", "rare")]
ONCE_A_TOPIC = [(f"a{i}", f"t{t}") for t in range(6) for i in range(8)]
TWICE_A_TOPIC = [(f"a{i // 2}-{t}", f"t{t}") for t in range(6) for i in range(8)]


@pytest.mark.parametrize(
    ("documents", "options", "message"),
    [
        (
            [*lone(4), ("b", "rare"), ("b", "rare"), ("c", "rare")],
            {"topics": 4, "folds": 2},
            "no two of these documents",
        ),
        (
            [("b", f"t{t}") for t in range(4) for _ in range(8)] + [("c", "rare")],
            {"topics": 4, "folds": 2},
            "the same author",
        ),
        (
            ONCE_A_TOPIC,
            {"topics": 4, "folds": 4},
            "4 of 4 folds test on a single topic, but only 0 topics",
        ),
        (
            ONCE_A_TOPIC,
            {"topics": 6, "folds": 4},
            "2 of 4 folds test on a single topic, but only 0 topics",
        ),
    ],
)
def test_refused_before_topics_are_compared(documents, options, message, tmp_path, monkeypatch):
    monkeypatch.setattr(
        planning, "topic_similarity", lambda *a: pytest.fail("topics were compared")
    )
    with pytest.raises(CorpusError, match=message):
        forecast(build({**OPTIONS, "corpus": corpus(tmp_path, documents), **options}))


@pytest.mark.parametrize(
    ("documents", "options"),
    [
        (ONCE_A_TOPIC, {"topics": 6, "folds": 3}),
        (TWICE_A_TOPIC, {"topics": 4, "folds": 4}),
        (ONCE_A_TOPIC, {"topics": 3, "folds": 3, "samplers": "grouping"}),
    ],
)
def test_what_may_succeed_goes_on_to_compare_topics(documents, options, tmp_path, monkeypatch):
    class Reached(Exception):
        pass

    def compared(*_):
        raise Reached

    monkeypatch.setattr(planning, "topic_similarity", compared)
    with pytest.raises(Reached):
        forecast(build({**OPTIONS, "corpus": corpus(tmp_path, documents), **options}))
