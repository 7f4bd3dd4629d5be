"""Selection rules, protocols, failures, and what the whole recovers on data of known topic reliance."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

from ravenbench.attribution.protocols import fewest, fit_split, k_fold, predict_split, splits
from ravenbench.attribution.selection import SelectionRules, choose, view
from ravenbench.errors import CorpusError, InputError, SpecError, StoreError
from ravenbench.reports.report import analyse, report_of, terminal, write_report
from ravenbench.reports.report import analyse as analyse_any
from ravenbench.store.store import Store
from ravenbench.tasks.api import attribute
from ravenbench.tasks.attribute.answers import open_splits, read_answers
from ravenbench.tasks.attribute.task import Attribute
from ravenbench.text.names import lookalikes
from ravenbench.texts import TextTable
from ravenbench.types import Corpus, Labels
from toy_topics import simulate

pytestmark = pytest.mark.usefixtures("undrawn")

LOW = SelectionRules(min_docs=1, min_topics=1)


def corpus(rows):
    texts, authors, topics = zip(*rows, strict=True)
    table, _ = TextTable.collect(texts)
    return Corpus(
        "small", table, tuple(map(str, range(len(rows)))), Labels.of(authors), Labels.of(topics)
    )


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


def test_authors_of_one_topic_or_few_documents_go():
    data = grid(
        ("x", "s", 3),
        ("x", "t", 3),
        ("w", "s", 3),
        ("w", "t", 3),
        ("y", "s", 2),
        ("y", "t", 1),
        ("z", "v", 4),
    )
    left = choose(data, SelectionRules(min_docs=4, min_topics=2))
    assert left.authors == ("w", "x") and left.topics == ("s", "t")
    assert left.dropped_authors == {"fewer than 4 documents": 1, "fewer than 2 topics": 1}
    assert sum(left.dropped.values()) + len(left) == len(data)


def test_author_of_one_topic_is_kept_on_request_and_counts_as_error():
    data = grid(("x", "s", 3), ("x", "t", 3), ("w", "s", 2), ("w", "t", 2), ("z", "t", 4))
    left = choose(data, replace(LOW, min_topics=1))
    parts = splits(left, "novel-topic")
    assert [p.unseen for p in parts] == [(), ("z",)]
    method = make_pipeline(CountVectorizer(), MultinomialNB())
    for part in parts:
        z = left.author[part.test] == left.authors.index("z")
        assert not (
            predict_split(left, part, fit_split(left, part, method)) == left.author[part.test]
        )[z].any()
    assert choose(data, SelectionRules(min_docs=1)).authors == ("w", "x")


def test_empty_documents_are_counted():
    rows = [
        ("!!! ???", "x", "s"),
        *((f"word {i}", "xw"[i % 2], "st"[i // 2 % 2]) for i in range(8)),
    ]
    left = choose(corpus(rows), LOW)
    assert left.dropped == {"empty once prepared": 1} and len(left) == 8


def test_names_that_may_be_one_persons():
    assert lookalikes(["Smith, J.", "J. Smith", "Jones"]) == [("Smith, J.", "J. Smith")]
    for other in (
        "Anne Bront\u00eb",
        "\u0410nne Bronte",
        "Anne Brontt",
        "Anne Bronter",
        "Anne Bonte",
    ):
        assert lookalikes(["Anne Bronte", other]), other
    assert not lookalikes(["J. Smith", "K. Smith", "Ann Lee", "Jan Lee", "writer 1", "writer 2"])
    assert not lookalikes(["x" * 100_000, "x" * 99_999 + "y"]), "compared by no letter"


@pytest.mark.parametrize(
    "cells",
    [
        [("x", "s", 9), ("y", "s", 9)],
        [("x", "s", 1), ("y", "t", 1)],
        [("x", "s", 9), ("x", "t", 9)],
    ],
)
def test_too_little_is_a_clear_error(cells):
    with pytest.raises(CorpusError, match="too few for attribution"):
        choose(grid(*cells), SelectionRules(min_docs=2))


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
    assert table[2].max() == 1, (
        "an author of fewer documents than folds never loses all of them at once"
    )
    assert np.array_equal(place, k_fold(author, 10)) and not np.array_equal(
        place, k_fold(author, 10, seed=1)
    )
    with pytest.raises(SpecError):
        k_fold(author, 1)


def test_numbers_of_training_texts_give_topics_away_unless_they_are_made_equal(tmp_path):
    # Each author has a topic of their own: held out, it leaves its author with the fewest texts.
    data = grid(*((a, t, 6 if a + t in ("xs", "yt", "zu") else 2) for a in "xyz" for t in "stu"))
    left = choose(data, LOW)
    plain, even = (splits(left, "novel-topic", equal_counts=e) for e in (False, True))
    assert (fewest(left, plain) == left.author).mean() == 0.6
    taught = [np.bincount(left.author[part.train]).tolist() for part in even]
    assert taught == [[4, 4, 4]] * 3
    for a, b in zip(plain, even, strict=True):
        assert set(b.train) <= set(a.train) and np.array_equal(a.test, b.test)
    for equal, share in ((False, 0.6), (True, 1 / 3)):
        result = attribute(
            data,
            methods="nb",
            min_docs=1,
            equal_counts=equal,
            workers=1,
            out=tmp_path / f"equal-{equal}",
        )
        assert [p.train.tolist() for p in open_splits(result.store).values()] == [
            p.train.tolist() for p in (even if equal else plain)
        ]
        control = analyse(result.store).main.control
        assert control.mean.mean == pytest.approx(share)
        assert ("--equal-counts" in analyse(result.store).main.given_away()) is not equal
        said = report_of(result.store)
        assert json.dumps(said.to_json()["control"]).count("fewest training texts")
        assert "fewest training texts (control, reads nothing)" in str(said.tables()[0].rows)


def test_near_equal_topics_on_request():
    left = choose(simulate(authors=3, topics=3, docs=4, words=20), replace(LOW, docs_per_topic=5))
    assert np.bincount(left.topic).tolist() == [5, 5, 5]


def test_corpus_view_flags_owned_topics_and_repeats():
    data = grid(("x", "s", 10), ("y", "s", 1), ("x", "t", 5), ("y", "t", 6))
    said = view(choose(data, LOW))
    owned = {t.topic: t.owned for t in said.topics}
    assert owned == {"s": True, "t": False}
    assert said.table.tolist() == [[10, 5], [1, 6]]
    assert "one author wrote" in said.advice()[0]
    assert said.to_json()["vocabulary"]["tokens"] == 6 * 22


def test_a_failed_fold_is_left_out_not_scored_as_wrong(tmp_path):
    data = grid(
        ("x", "s", 3), ("x", "t", 3), ("y", "s", 3), ("y", "t", 3), ("x", "u", 2), ("y", "u", 4)
    )
    result = attribute(
        data, methods=[Broken(), "nb"], min_docs=1, min_topics=1, workers=1, out=tmp_path / "run"
    )
    assert len(result.errors) == 1 and "ValueError: no t here" in result.errors[0]
    found = analyse(result.store)
    scores = found.main.methods[0]
    assert scores.folds[1].error.startswith("ValueError: no t here (test_protocols.py, line ")
    assert [f.error is not None for f in scores.folds] == [False, True, False]
    assert scores.mean.n == 2
    assert int(scores.confusion.sum()) == 12
    json.dumps(report_of(result.store, found).to_json(), allow_nan=False)


def test_known_topic_reliance_is_recovered(tmp_path):
    """Pet words move to another author with every topic: whoever reads them fails on new topics."""
    data = simulate(authors=5, topics=6, docs=4, words=160)
    methods = {
        "function-words(words=24)": "style",
        "maxent": "both",
        "topic-words(without=30)": "topic",
    }
    result = attribute(
        data, protocol="both", methods=", ".join(methods), folds=4, workers=1, out=tmp_path / "run"
    )
    analysis = analyse(result.store)
    novel = {methods[m.method]: m.mean.mean for m in analysis.protocol("novel-topic").methods}
    assert novel["style"] > novel["both"] > novel["topic"]
    drops = {methods[name]: difference for name, _, _, difference in analysis.reliance()}
    assert drops["style"] > drops["both"] > drops["topic"]
    assert drops["style"] > -0.05 and drops["topic"] < -0.15
    (ends,) = (p for p in analysis.main.pairs if {methods[p.a], methods[p.b]} == {"style", "topic"})
    assert ends.p == 2 / 2**6 and ends.interval[0] > 0
    method, changed, kept = analysis.cues
    assert methods[method] == "style" and max(c.change for c in kept) < min(
        c.change for c in changed
    )


def untimed(store):
    """A report's JSON without the seconds that methods took."""
    found = report_of(store).to_json()
    for part in (found, found["k_fold"] or {"methods": []}):
        for method in part["methods"]:
            del method["seconds"]
    return found


def test_workers_decide_nothing(tmp_path):
    data = simulate(authors=3, topics=2, docs=5, words=30)
    runs = [
        attribute(data, methods="cosine-delta, nb", workers=w, out=tmp_path / str(w))
        for w in (1, 2)
    ]
    one, two = (read_answers(run.store) for run in runs)
    for a, b in zip(one.protocols[0].methods, two.protocols[0].methods, strict=True):
        assert np.array_equal(a.predicted, b.predicted)
    assert untimed(runs[0].store) == untimed(runs[1].store)


def test_sampler_joins_or_cuts_topics(tmp_path):
    data = simulate(authors=3, topics=6, docs=4, words=60)
    how = {"topics": 3, "encoder": "lsa(dimensions=8)", "methods": "nb", "workers": 1}
    made = [attribute(data, sampler=s, out=tmp_path / s, **how).store for s in ("hits", "grouping")]
    cut, joined = (read_answers(store).documents for store in made)
    assert len(cut.topics) == len(joined.topics) == 3
    assert len(cut) < len(joined) == len(data)
    with pytest.raises(SpecError, match="number of topics"):
        attribute(data, sampler="hits", methods="nb", out=tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_few_topics_are_said_to_answer_nothing(tmp_path):
    data = simulate(authors=3, topics=4, docs=4, words=60)
    analysis = analyse(
        attribute(data, methods="nb, svm, cosine-delta", workers=1, out=tmp_path / "run").store
    )
    assert "cannot distinguish these methods" in analysis.main.answerable()


def test_bad_requests(tmp_path):
    data = simulate(authors=2, topics=2, docs=5, words=20)
    for change, message in (
        ({"protocol": "novel"}, "novel-topic"),
        ({"methods": "nb, nb"}, "duplicate method nb"),
        ({"methods": [object()]}, "is not an attribution method"),
        ({"methods": ""}, "no attribution method"),
        ({"folds": 1}, "folds: expected"),
        ({"min_docs": 0}, "min_docs: expected"),
    ):
        with pytest.raises(SpecError, match=message):
            attribute(data, workers=1, out=tmp_path / "run", **change)
    assert not (tmp_path / "run").exists()


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """A finished attribution under both protocols, with weights compared."""
    folder = tmp_path_factory.mktemp("attribute") / "run"
    return attribute(simulate(authors=3, topics=3, docs=4, words=40), **BOTH, out=folder).store


BOTH = {"protocol": "both", "methods": "nb, function-words(words=24)", "folds": 3, "workers": 1}


def test_an_interrupted_attribution_goes_on(both, tmp_path):
    data = simulate(authors=3, topics=3, docs=4, words=40)
    folder = tmp_path / "run"
    shutil.copytree(both.path, folder)
    cells = sorted((folder / "cells").iterdir())
    assert len(cells) == 2 * (3 + 3) + 1 + 3, (
        "a cell for each method and split; weights of all, and without a topic"
    )
    stamps = {p: p.stat().st_mtime_ns for p in cells[::2]}
    for place in cells[1::2]:
        place.unlink()
    seen = Attribute(
        {"corpus": data, "out": folder, **{k: v for k, v in BOTH.items() if k != "workers"}}
    ).preview()
    assert (seen.cells, seen.done, seen.fits) == (16, 8, 8)
    analyse(Store.open(folder))
    assert attribute(data, **{**BOTH, "workers": 2}, out=folder).errors == ()
    assert untimed(Store.open(folder)) == untimed(both)
    assert {p: p.stat().st_mtime_ns for p in stamps} == stamps, "what was there is kept"
    with pytest.raises(InputError, match="another spec"):
        attribute(data, **{**BOTH, "folds": 4}, out=folder)
    with pytest.raises(InputError, match="changed after"):
        attribute(simulate(authors=3, topics=3, docs=4, words=40, seed=1), **BOTH, out=folder)


def test_a_flipped_byte_is_noticed(both, tmp_path):
    data = simulate(authors=3, topics=3, docs=4, words=40)
    key = both.plan.cells[0].key
    inside = f"cells/{key}.cell"
    for name in ("run.json", "plan.json", "documents.npy", "splits.npy", "texts/texts.bin", inside):
        folder = tmp_path / name.replace("/", "-")
        shutil.copytree(both.path, folder)
        content = bytearray((folder / name).read_bytes())
        content[len(content) // 2] ^= 1
        (folder / name).write_bytes(content)
        if name == inside:
            assert Store.open(folder).read_cell(key) is None
        else:
            with pytest.raises(StoreError):
                Store.open(folder)
        attribute(data, **BOTH, out=folder)
        assert untimed(Store.open(folder)) == untimed(both)


def test_estimators_of_others_have_an_identity(tmp_path):
    data = simulate(authors=3, topics=2, docs=5, words=30)
    first = make_pipeline(CountVectorizer(ngram_range=(1, 2)), MultinomialNB())
    other = make_pipeline(CountVectorizer(), MultinomialNB())
    odd = make_pipeline(
        CountVectorizer(tokenizer=lambda text: text.split(), token_pattern=None), MultinomialNB()
    )
    keys = set()
    for number, method in enumerate((first, other, odd)):
        result = attribute(data, methods=[method], workers=1, out=tmp_path / str(number))
        assert result.errors == ()
        keys |= {place.key for place in result.store.plan.cells}
        assert attribute(data, methods=[method], workers=1, out=tmp_path / str(number)).errors == ()
    assert len(keys) == 6
    with pytest.raises(InputError):
        attribute(data, methods=[other], out=tmp_path / "0")


def test_report(tmp_path):
    data = simulate(authors=2, topics=3, docs=5, words=40)
    hostile = tuple(f"<script>{n}" for n in data.author.names)
    data = replace(data, author=replace(data.author, names=hostile))
    store = attribute(
        data, protocol="both", methods="nb, svm", folds=5, workers=1, out=tmp_path / "run"
    ).store
    analysis = analyse_any(Store.open(tmp_path / "run"))
    page = write_report(store)
    text = page.read_text()
    assert "<script>author" not in text and "&lt;script&gt;author" in text
    found = json.loads((page.parent / "report.json").read_text())
    assert found["kind"] == "attribute"
    assert {"protocol", "methods", "pairs", "detectable"} <= set(found)
    assert found["protocol"] == "novel-topic" and found["k_fold"]["protocol"] == "k-fold"
    assert {"method", "accuracy", "std", "se_published", "se", "macro_f1", "folds"} <= set(
        found["methods"][0]
    )
    assert [row["author"] for row in found["methods"][0]["by_author"]] == list(hostile)
    assert (
        (page.parent / "tables" / "methods-novel-topic.csv")
        .read_text()
        .startswith("method,accuracy")
    )
    assert terminal(report_of(store, analysis))
