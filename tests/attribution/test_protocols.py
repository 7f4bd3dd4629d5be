"""Selection rules, protocols, failures, and what the whole recovers on data of known topic reliance."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from toy_topics import simulate

from ravenbench.attribution.crosstab import view
from ravenbench.attribution.evaluate import answer
from ravenbench.attribution.protocols import k_fold, splits
from ravenbench.attribution.selection import Rules, choose, lookalikes
from ravenbench.bench.attribute.api import attribute
from ravenbench.errors import CorpusError, SpecError
from ravenbench.reports.attribute.analysis import analyse, to_json
from ravenbench.reports.attribute.page import page, terminal, write_attribution
from ravenbench.texts import TextTable
from ravenbench.types import Corpus, Labels

LOW = Rules(min_docs=1, min_topics=1)


def corpus(rows):
    texts, authors, topics = zip(*rows, strict=True)
    table, _ = TextTable.collect(texts)
    return Corpus("small", table, tuple(map(str, range(len(rows)))), Labels.of(authors), Labels.of(topics))


def grid(*cells):
    """Documents of (author, topic, number) cells, every text different."""
    rows = []
    for author, topic, number in cells:
        rows += [(f"{author} wrote {topic} number {i} today", author, topic) for i in range(number)]
    return corpus(rows)


class Broken:
    """Fails where asked to learn without author y's texts on topic t."""

    def get_params(self, deep=True):
        return {}

    def fit(self, texts, authors):
        if not any(" t " in f" {x} " for x in texts):
            raise ValueError("no t here")
        self.name = sorted(set(authors))[0]
        return self

    def predict(self, texts):
        return np.array([self.name] * len(texts))


def test_rules_fall_until_nothing_more_falls():
    # z goes for want of topics; topic u then falls below two documents, and so y, left with one topic.
    data = grid(("x", "s", 3), ("x", "t", 3), ("w", "s", 3), ("w", "t", 3), ("y", "s", 3), ("y", "u", 1), ("z", "u", 4))
    left = choose(data, Rules(min_docs=2, min_topics=2, min_topic_docs=2))
    assert left.authors == ("w", "x") and left.topics == ("s", "t")
    assert left.dropped_authors == {"fewer than 2 topics": 2}
    assert sum(left.dropped.values()) + len(left) == len(data)


def test_author_of_one_topic_is_kept_on_request_and_counts_as_error():
    data = grid(("x", "s", 3), ("x", "t", 3), ("w", "s", 2), ("w", "t", 2), ("z", "t", 4))
    left = choose(data, replace(LOW, min_topics=1))
    parts = splits(left, "novel-topic")
    assert [p.unseen for p in parts] == [(), ("z",)]
    (found,) = answer(left, parts, {"nb": make_pipeline(CountVectorizer(), MultinomialNB())})
    z = left.author == left.authors.index("z")
    assert not (found.predicted == left.author)[z].any()
    assert choose(data, Rules(min_docs=1)).authors == ("w", "x")


def test_empty_documents_are_counted():
    rows = [("!!! ???", "x", "s"), *((f"word {i}", "xw"[i % 2], "st"[i // 2 % 2]) for i in range(8))]
    left = choose(corpus(rows), LOW)
    assert left.dropped == {"empty once prepared": 1} and len(left) == 8


def test_author_names_equal_up_to_case_are_an_error_or_merged():
    data = grid(("Ann", "s", 3), ("Ann", "t", 2), ("ann ", "s", 2), ("Bob", "s", 3), ("Bob", "t", 3))
    with pytest.raises(CorpusError, match="case or white space"):
        choose(data, LOW)
    left = choose(data, replace(LOW, merge_authors=True))
    assert left.authors == ("Ann", "Bob") and left.merged == {"ann ": "Ann"}
    assert lookalikes(["Smith, J.", "J. Smith", "Jones"]) == [("Smith, J.", "J. Smith")]


@pytest.mark.parametrize(
    "cells", [[("x", "s", 9), ("y", "s", 9)], [("x", "s", 1), ("y", "t", 1)], [("x", "s", 9), ("x", "t", 9)]]
)
def test_too_little_is_a_clear_error(cells):
    with pytest.raises(CorpusError, match="too few for attribution"):
        choose(grid(*cells), Rules(min_docs=2))


def test_two_authors_with_one_document_each_cannot_teach():
    left = choose(grid(("x", "s", 1), ("y", "t", 1)), LOW)
    with pytest.raises(CorpusError, match="fewer than two authors"):
        splits(left, "novel-topic")


def test_k_fold_spreads_authors_and_the_last_takes_the_rest():
    author = np.repeat([0, 1, 2], [23, 10, 4])
    place = k_fold(author, 10)
    table = np.stack([np.bincount(place[author == a], minlength=10) for a in range(3)])
    assert table[0].tolist() == [2] * 9 + [5]
    assert table[1].tolist() == [1] * 10
    assert table[2].max() == 1, "an author of fewer documents than folds never loses all of them at once"
    assert np.array_equal(place, k_fold(author, 10)) and not np.array_equal(place, k_fold(author, 10, seed=1))
    with pytest.raises(SpecError):
        k_fold(author, 1)


def test_near_equal_topics_on_request():
    left = choose(simulate(authors=3, topics=3, docs=4, words=20), replace(LOW, docs_per_topic=5))
    assert np.bincount(left.topic).tolist() == [5, 5, 5]


def test_corpus_view_flags_owned_topics_and_repeats():
    data = grid(("x", "s", 10), ("y", "s", 1), ("x", "t", 5), ("y", "t", 6))
    said = view(choose(data, LOW))
    owned = {t.topic: t.owned for t in said.topics}
    assert owned == {"s": True, "t": False}
    assert said.table.tolist() == [[10, 5], [1, 6]]
    assert "belong to one author" in said.advice()[0]
    assert said.to_json()["vocabulary"]["tokens"] == 6 * 22


def test_a_failed_fold_is_left_out_not_scored_as_wrong():
    data = grid(("x", "s", 3), ("x", "t", 3), ("y", "s", 3), ("y", "t", 3), ("x", "u", 2), ("y", "u", 4))
    result = attribute(data, methods=[Broken(), "nb"], rules=LOW, workers=1)
    scores = analyse(result).main.methods[0]
    assert [f.error is not None for f in scores.folds] == [False, True, False]
    assert scores.mean.n == 2
    assert int(scores.confusion.sum()) == 12
    json.dumps(to_json(analyse(result)), allow_nan=False)


def test_known_topic_reliance_is_recovered():
    """Pet words move to another author with every topic: whoever reads them fails on new topics."""
    data = simulate(authors=5, topics=6, docs=4, words=160)
    methods = {"function-words(words=24)": "style", "maxent": "both", "topic-words(without=30)": "topic"}
    result = attribute(data, protocol="both", methods=", ".join(methods), folds=4, workers=1)
    analysis = analyse(result)
    novel = {methods[m.method]: m.mean.mean for m in analysis.protocol("novel-topic").methods}
    assert novel["style"] > novel["both"] > novel["topic"]
    drops = {methods[name]: difference for name, _, _, difference in analysis.reliance()}
    assert drops["style"] > drops["both"] > drops["topic"]
    assert drops["style"] > -0.05 and drops["topic"] < -0.15
    (ends,) = (p for p in analysis.main.pairs if {methods[p.a], methods[p.b]} == {"style", "topic"})
    assert ends.p == 2 / 2**6 and ends.interval[0] > 0
    method, changed, kept = result.cues
    assert methods[method] == "style" and max(c.change for c in kept) < min(c.change for c in changed)


def test_workers_decide_nothing():
    data = simulate(authors=3, topics=2, docs=5, words=30)
    one, two = (attribute(data, methods="cosine-delta, nb", workers=w) for w in (1, 2))
    for a, b in zip(one.protocols[0].methods, two.protocols[0].methods, strict=True):
        assert np.array_equal(a.predicted, b.predicted)


def test_sampler_joins_or_cuts_topics():
    data = simulate(authors=3, topics=6, docs=4, words=60)
    cut = attribute(data, sampler="hits", topics=3, encoder="lsa(dimensions=8)", methods="nb", workers=1)
    joined = attribute(data, sampler="grouping", topics=3, encoder="lsa(dimensions=8)", methods="nb", workers=1)
    assert len(cut.documents.topics) == len(joined.documents.topics) == 3
    assert len(cut.documents) < len(joined.documents) == len(data)
    with pytest.raises(SpecError, match="number of topics"):
        attribute(data, sampler="hits", methods="nb")


def test_few_topics_are_said_to_answer_nothing():
    data = simulate(authors=3, topics=4, docs=4, words=60)
    analysis = analyse(attribute(data, methods="nb, svm, cosine-delta", workers=1))
    assert "cannot tell these methods apart" in analysis.main.answerable()


def test_bad_requests():
    data = simulate(authors=2, topics=2, docs=5, words=20)
    for change, message in (
        ({"protocol": "novel"}, "novel-topic"),
        ({"methods": "nb, nb"}, "twice"),
        ({"methods": [object()]}, "no attribution method"),
        ({"methods": ""}, "no attribution method"),
    ):
        with pytest.raises(SpecError, match=message):
            attribute(data, workers=1, **change)


def test_report(tmp_path):
    data = simulate(authors=2, topics=3, docs=5, words=40)
    hostile = tuple(f"<script>{n}" for n in data.author.names)
    data = replace(data, author=replace(data.author, names=hostile))
    analysis = analyse(attribute(data, protocol="both", methods="nb, svm", folds=5, workers=1))
    assert page(analysis) == write_attribution(analysis, tmp_path).read_text()
    text = page(analysis)
    assert "<script>author" not in text and "&lt;script&gt;author" in text
    found = json.loads((tmp_path / "report.json").read_text())
    assert {"protocol", "methods", "pairs", "detectable"} <= set(found)
    assert found["protocol"] == "novel-topic" and found["k_fold"]["protocol"] == "k-fold"
    assert {"method", "accuracy", "std", "se_published", "se", "macro_f1", "folds"} <= set(found["methods"][0])
    assert [row["author"] for row in found["methods"][0]["by_author"]] == list(hostile)
    assert (tmp_path / "tables" / "methods-novel-topic.csv").read_text().startswith("method,accuracy")
    assert terminal(analysis)
