"""No method names an author where it has nothing to go by; that is counted."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

from ravenbench import registry
from ravenbench.attribution.protocols import answer_problem, nothing_seen
from ravenbench.reading.load import load_corpus
from ravenbench.reading.pan_attribution import UNKNOWN, AttributionProblem
from ravenbench.reports.report import analyse, write_report
from ravenbench.tasks.api import attribute

BARE = ["", "123 !!! 456", "Привет, мир, как дела сегодня?", "我们今天去北京 " * 40]
OF_WORDS = {
    "arun-2009",
    "burrows-delta",
    "cosine-delta",
    "escalante-2011",
    "function-words",
    "koppel-2011",
    "maxent",
    "nb",
    "stamatatos-2006",
    "svm",
    "topic-words",
}
"""Methods that see nothing in words that they were not taught."""


@pytest.fixture(scope="module")
def corpus():
    return load_corpus("synthetic(authors=5, topics=3, documents=40, words=150)")


@pytest.mark.parametrize("name", sorted(set(registry.names("attributor")) - {"distorted"}))
def test_every_method_has_nothing_to_go_by_in_such_texts(corpus, name):
    method = clone(registry.parse("attributor", name))
    taught, more = (
        list(corpus.texts),
        [list(corpus.topic)] if getattr(method, "reads_topics", False) else [],
    )
    fitted = method.fit(taught, list(corpus.author), *more)
    texts = [*BARE, taught[0], taught[1][:80], "xqzw kkvvj"]
    seen = nothing_seen(fitted, texts, taught)
    assert seen[: len(BARE)].all() and not seen[len(BARE) : -1].any()
    assert seen[-1] or name not in OF_WORDS


def test_estimators_of_others_are_not_asked_for_more_than_they_have(corpus):
    fitted = make_pipeline(CountVectorizer(), MultinomialNB()).fit(
        list(corpus.texts), list(corpus.author)
    )
    assert nothing_seen(fitted, [*BARE, "one text"], list(corpus.texts)).tolist() == [True] * len(
        BARE
    ) + [False]


def test_it_is_counted_and_no_answer(tmp_path, corpus):
    rows = [{"author": one.author, "topic": one.topic, "text": one.text} for one in corpus]
    for place, text in ((3, "12345 67890"), (11, "Привет, мир! Это другой язык.")):
        rows[place]["text"] = text
    (tmp_path / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    found = attribute(
        tmp_path / "c.jsonl",
        methods="cosine-delta, ppm",
        protocol="k-fold",
        folds=2,
        min_docs=2,
        out=tmp_path / "run",
        workers=1,
    )
    scores = analyse(found.store).protocols[0]
    assert [m.unanswered for m in scores.methods] == [2, 2]
    write_report(found.store)
    page = (tmp_path / "run" / "report" / "index.html").read_text("utf-8")
    assert "nothing to use" in page
    told = json.loads((tmp_path / "run" / "report" / "report.json").read_text("utf-8"))
    assert '"unanswered": 2' in json.dumps(told)


def test_problems_of_pan_are_answered_with_unknown(corpus):
    people = {
        author: [d.text for d in corpus if d.author == author][:4] for author in set(corpus.author)
    }
    problem = AttributionProblem(
        "p", "en", people, {"a": "Привет, мир!", "b": people["a0001"][0]}, None
    )
    for reject in (0.0, 0.1):
        answers = answer_problem(problem, registry.parse("attributor", "cosine-delta"), reject)
        assert answers["a"] == UNKNOWN
    assert np.unique(list(answers.values())).size >= 1
