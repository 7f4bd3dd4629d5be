"""Retrieval: measures against all orders of ties, search against a plain loop, and the forms of files that are read."""

import json
from itertools import permutations

import numpy as np
import pytest

from ravenbench import registry
from ravenbench.errors import AnswerError, CorpusError, FormatError, InputError, remarks_gathered
from ravenbench.ext.retrieval.audit import audit
from ravenbench.ext.retrieval.content import with_content
from ravenbench.ext.retrieval.measures import (
    Authors,
    auc_eer,
    levels_of,
    of_queries,
    of_random,
    rank_content,
)
from ravenbench.ext.retrieval.methods import Retriever, Same, shortcuts
from ravenbench.ext.retrieval.pool import OTHER, OWN, Pool, PoolParts
from ravenbench.ext.retrieval.reading import of_corpus, pool_at, pool_of
from ravenbench.ext.retrieval.search import added, kept_apart, reranked, search, shards, training
from ravenbench.reading.load import load_corpus
from ravenbench.reading.queries import ItemRow
from ravenbench.statistics.axes import Content
from ravenbench.text.splicing import BOTH

KS = (1, 2)


@pytest.fixture(scope="module")
def corpus():
    return load_corpus("synthetic(documents=120, authors=24, topics=5, words=40)")


@pytest.fixture(scope="module")
def pool(corpus):
    return of_corpus(corpus, queries=12, candidates=None, across=False, seed=1)


def plainly(order, true, ks):
    """Measures of one order of candidates."""
    ranks = [place for place, one in enumerate(order, start=1) if one in true]
    gain = sum(1 / np.log2(rank + 1) for rank in ranks if rank <= 10)
    best = sum(1 / np.log2(rank + 1) for rank in range(1, min(len(true), 10) + 1))
    found = {f"success@{k}": float(ranks[0] <= k) for k in ks}
    found |= {f"recall@{k}": sum(rank <= k for rank in ranks) / len(true) for k in ks}
    return found | {"mrr": 1 / ranks[0], "ndcg@10": gain / best, "bits": np.log2(ranks[0])}


@pytest.mark.parametrize(
    "scores", [[3, 2, 2, 1, 2], [1, 1, 1, 1, 1], [0, 5, 4, 3, 2], [2, 2, 1, 1, 0]]
)
@pytest.mark.parametrize("true", [[0], [1, 3], [4]])
def test_ties_are_taken_by_expectation(scores, true):
    scores = np.array(scores, dtype=float)
    others = [i for i in range(5) if i not in true]
    found = {
        "score": scores[true],
        "inside": np.ones((3, len(true)), bool),
        "greater": np.tile([[(scores[others] > scores[t]).sum() for t in true]], (3, 1)),
        "equal": np.tile([[(scores[others] == scores[t]).sum() for t in true]], (3, 1)),
    }
    mine = of_queries(found, np.array([0, len(true)]), KS)
    orders = [order for order in permutations(range(5)) if all(np.diff(scores[list(order)]) <= 0)]
    every = [plainly(order, true, KS) for order in orders]
    for name, value in mine.items():
        assert value[0] == pytest.approx(np.mean([one[name] for one in every])), name


def test_blocks_and_shards_find_what_a_loop_finds(pool, monkeypatch):
    method = registry.parse("retriever", "char-ngrams(n=3, size=500)").fit(pool)
    ask, every = method.ask(pool.plain.queries), np.arange(len(pool.candidates))
    whole = search(ask, pool.plain, pool.candidates, every, top=5)
    scores, parts = ask(every), PoolParts.of(pool.plain, pool.candidates)
    for place, (query, true) in enumerate(zip(pool.plain.owner, pool.plain.true, strict=True)):
        others = np.setdiff1d(every, pool.plain.true[pool.plain.owner == query])
        assert (
            whole["greater"][0, place] == (scores[query, others] > scores[query, true] + 1e-6).sum()
        )
        near = others[parts.on[query, parts.topic[others]]]
        assert (
            whole["greater"][2, place] == (scores[query, near] > scores[query, true] + 1e-6).sum()
        )
        assert whole["size"][0, query] == len(others) and whole["size"][2, query] == len(near)
    assert (np.argsort(-scores, axis=1, kind="stable")[:, :5] == whole["best"]).all()
    assert whole["levels"].sum() == whole["size"][0].sum()
    monkeypatch.setattr("ravenbench.ext.retrieval.search.BLOCK", 7)
    monkeypatch.setattr("ravenbench.ext.retrieval.search.HELD", 0)
    both = added(
        [search(ask, pool.plain, pool.candidates, shard) for shard in shards(len(every), 40)]
    )
    for name in ("greater", "equal", "size", "inside"):
        assert (both[name] == whole[name]).all(), name
    whole = registry.parse("retriever", "delta").fit(pool).ask(pool.plain.queries)(every[5:9])
    shard = registry.parse("retriever", "delta").fit(pool, shard=every[5:9])
    assert (shard.ask(pool.plain.queries)(every[5:9]) == whole).all() and len(shard.vectors_) < len(
        every
    )


def test_auc_and_eer_are_those_of_all_pairs(pool):
    from sklearn.metrics import roc_auc_score, roc_curve

    every = np.arange(len(pool.candidates))
    ask = registry.parse("retriever", "words").fit(pool).ask(pool.plain.queries)
    found = search(ask, pool.plain, pool.candidates, every)
    true, others = levels_of(found, pool.plain.true_ptr)
    area, error = auc_eer(true.sum(axis=0), others.sum(axis=0))
    same = np.zeros((len(pool.plain.queries), len(every)), bool)
    same[pool.plain.owner, pool.plain.true] = True
    scores = ask(every).ravel()
    assert area == pytest.approx(roc_auc_score(same.ravel(), scores), abs=2e-3)
    false, hit, _ = roc_curve(same.ravel(), scores)
    assert error == pytest.approx(false[np.argmin(np.abs(false - (1 - hit)))], abs=0.03)


@pytest.mark.parametrize(
    ("true", "tied", "above", "total", "drawn", "k"),
    [
        (1, 0, 6, 12, 4, 2),
        (5, 60, 0, 233, 185, 8),
        (5, 60, 9, 233, 40, 8),
        (3, 30, 1, 40, 20, 2),
        (5, 15, 0, 90, 9, 1),
    ],
)
def test_what_as_many_at_random_would_give(true, tied, above, total, drawn, k):
    score, ptr = np.append(np.ones(true), 0.0), np.array([0, true + 1])
    found = {
        "score": score,
        "inside": np.ones((3, true + 1), bool),
        "greater": np.full((3, true + 1), above),
        "equal": np.full((3, true + 1), tied),
        "size": np.full((3, 1), total),
    }
    rng, others = (
        np.random.default_rng(0),
        np.repeat([2.0, 1.0, 0.0], [above, tied, total - above - tied]),
    )
    hits = 0
    for _ in range(4000):
        every = np.append(rng.choice(others, drawn, replace=False), score)
        best = np.lexsort((rng.random(len(every)), -every))[:k]
        hits += (best >= drawn).any()
    of_all, mine = (
        of_queries(found, ptr, (k,))[f"success@{k}"][0],
        of_random(found, ptr, k, np.array([drawn]))[0],
    )
    assert mine == pytest.approx(hits / 4000, abs=0.03) and mine >= of_all - 1e-9
    assert of_random(found, ptr, k, np.array([total]))[0] == pytest.approx(of_all)


@pytest.mark.parametrize("name", ["char-ngrams", "words", "delta", "ppm", "same('topic')"])
def test_every_method_finds_a_text_itself(corpus, name):
    pool = of_corpus(corpus, queries=6, candidates=40, across=False, seed=2)
    copy = Pool(pool.texts, pool.plain, pool.candidates)
    ask = registry.parse("retriever", name).fit(copy).ask(pool.candidates)
    scores = ask(np.arange(len(pool.candidates)))
    assert scores.dtype == np.float32 and (scores.diagonal() >= scores.max(axis=1) - 1e-5).all()


def test_a_class_of_ones_own_needs_embed_alone(pool):
    class Commas(Retriever):
        def embed(self, texts):
            return [[text.count(","), len(text)] for text in texts]

    class Broken(Retriever):
        def embed(self, texts):
            return np.full((len(texts), 2), np.nan)

    scores = Commas().fit(pool).ask(pool.plain.queries)(np.arange(5))
    assert scores.shape == (12, 5) and (scores <= 1 + 1e-6).all()
    with pytest.raises(AnswerError, match="finite numbers of shape"):
        Broken().fit(pool)


def test_across_topics_no_true_candidate_is_on_the_query_s(corpus):
    pool = of_corpus(corpus, queries=50, candidates=None, across=True, seed=0)
    topic = pool.candidates.codes("topic")[pool.plain.true]
    assert (topic != pool.plain.queries.codes("topic")[pool.plain.owner]).all()
    assert shortcuts(pool).keys() >= {"chance", "length", "topic alone"}
    found = search(
        Same("topic").fit(pool).ask(pool.plain.queries),
        pool.plain,
        pool.candidates,
        np.arange(len(topic)),
    )
    assert (of_queries(found, pool.plain.true_ptr, (8,))["success@8"] < 0.5).all()
    with pytest.raises(CorpusError, match="on two topics"):
        of_corpus(
            load_corpus("synthetic(documents=30, authors=5, topics=1)"),
            queries=5,
            candidates=None,
            across=True,
            seed=0,
        )


def lines(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_files_as_authbench_has_them(tmp_path):
    about = {"lang": "en", "genre": "blog", "source": "s", "token_length": 3}
    lines(
        tmp_path / "candidates.jsonl",
        *(
            {
                "candidate_id": f"c{i}",
                "author_id": f"a{i % 2}",
                "content": f"text number {i}",
                **about,
            }
            for i in range(4)
        ),
    )
    lines(
        tmp_path / "queries.jsonl",
        *({"query_id": f"q{i}", "content": f"asked {i}", **about} for i in range(4)),
    )
    lines(
        tmp_path / "ground_truth.jsonl",
        {"query_id": "q0", "positive_ids": ["c0", "c2"], "author_id": "a0"},
        {"query_id": "q1", "positive_ids": ["c9"], "author_id": "a7"},
        {"query_id": "q3", "positive_ids": ["c1"], "author_id": "a0"},
        {"query_id": "q3", "positive_ids": ["c3"], "relevance": 0},
        {"query_id": "q9", "positive_ids": ["c1"], "author_id": "a1"},
    )
    pool = pool_at(tmp_path)
    assert pool.plain.queries.ids == ["q0", "q3"]
    assert pool.faults == {
        "absent": ["c9"],
        "strangers": ["q9"],
        "without": ["q1", "q2"],
        "other": ["q3"],
        "unlisted": ["q3"],
    }
    assert sorted(pool.candidates.ids[i] for i in pool.plain.true) == ["c0", "c1", "c2"]
    assert (
        pool.plain.queries.labels["author"][0] == "a0"
        and pool.candidates.labels["genre"][0] == "blog"
    )
    again = Pool.of_arrays(pool.texts, pool.arrays().get)
    assert (
        again.candidates.ids == pool.candidates.ids and (again.plain.true == pool.plain.true).all()
    )
    (tmp_path / "queries.jsonl").write_text('{"query_id": "q0"}\n')
    with pytest.raises(FormatError, match=r"queries.jsonl:1: this line has no text"):
        pool_at(tmp_path)
    assert pool_at(tmp_path / "queries.jsonl") is None


@pytest.mark.parametrize(
    "spellings",
    [("Zo\u00e9 Lee", "Zoe\u0301 Lee"), ("Ann Lee", "ANN_LEE"), ("Ann Lee", "Ann\u200b Lee")],
)
def test_spellings_of_one_author_are_one(tmp_path, monkeypatch, spellings):
    """However the names are written, the author's candidates are true; people who are none have no true ones."""
    said = []
    monkeypatch.setattr(
        "ravenbench.ext.retrieval.reading.remark",
        lambda notes, source="": said.extend(map(str, notes)),
    )
    query = [
        {"query_id": n, "author_id": a, "content": f"Words of {n}."}
        for n, a in (("p", spellings[0]), ("q", "[deleted]"))
    ]
    pool = [
        ("c", spellings[1]),
        ("d", spellings[0]),
        ("e", "[deleted]"),
        ("f", "Anonymous"),
        ("g", "Bob Ross"),
    ]
    lines(tmp_path / "queries.jsonl", *query)
    lines(
        tmp_path / "candidates.jsonl",
        *({"candidate_id": n, "author_id": a, "content": f"Words of {n}."} for n, a in pool),
    )
    pool = pool_at(tmp_path)
    assert pool.plain.queries.ids == ["p"] and sorted(
        pool.candidates.ids[i] for i in pool.plain.true
    ) == ["c", "d"]
    assert pool.faults["without"] == ["q"]
    assert (
        "Raven joins different spellings of one author's name" in said[0]
        and "these authors are nobody in particular, so they have no true candidates: [deleted]"
        in said[1]
    )


def test_texts_of_an_author_are_an_episode_as_hiatus_has_them(tmp_path):
    for side, ids in (("queries", "authorIDs"), ("candidates", "authorSetIDs")):
        lines(
            tmp_path / f"trial_{side}.jsonl",
            *(
                {
                    "documentID": f"{side}{i}",
                    ids: [f"a{i % 2}"],
                    "fullText": f"{side} text {i} of it",
                }
                for i in range(4)
            ),
        )
    pool = pool_at(tmp_path)
    assert pool.plain.queries.ids == ["a0", "a1"] and pool.candidates.ptr.tolist() == [0, 2, 4]
    assert [pool.candidates.ids[i] for i in pool.plain.true] == ["a0", "a1"]
    for name in ("char-ngrams", "delta", "ppm"):
        scores = registry.parse("retriever", name).fit(pool).ask(pool.plain.queries)(np.arange(2))
        assert scores.shape == (2, 2) and np.isfinite(scores).all()
    lines(tmp_path / "trial_queries.jsonl", {"author_id": 7, "syms": ["one text", "two texts"]})
    lines(
        tmp_path / "trial_targets.jsonl",
        {"author_id": 7, "syms": ["x y"]},
        {"author_id": 8, "syms": ["z"]},
    )
    (tmp_path / "trial_candidates.jsonl").unlink()
    assert pool_at(tmp_path).plain.queries.ptr.tolist() == [0, 2]


def test_content_moves_a_retriever_of_content_and_not_one_that_reads_nothing(monkeypatch):
    corpus = load_corpus("synthetic(documents=300, authors=40, topics=8, words=80)")
    pool, left_out = with_content(
        of_corpus(corpus, queries=40, candidates=None, across=False, seed=1), 40, 0
    )
    assert (
        len(pool.transplanted) >= 20
        and list(pool.versions)
        == [*OWN]
        == ["own", "on", "off", "off2", "free_on", "free_off", "free_off2"]
        and isinstance(left_out, dict)
    )
    again = Pool.of_arrays(pool.texts, pool.arrays().get)
    own, off = again.questions("own"), again.questions("off")
    assert (own.queries.rows == again.plain.queries.rows[again.transplanted]).all() and (
        off.barred == own.barred
    ).all()
    texts = [pool.texts.rows(one.queries.rows) for one in (own, off)]
    assert all(a != b for a, b in zip(*texts, strict=True))
    assert not set(zip(off.owner, off.true, strict=True)) & set(
        zip(
            np.repeat(np.arange(len(off.queries)), np.diff(off.barred_ptr)), off.barred, strict=True
        )
    ), "a true candidate gives no content"
    free = pool.texts.rows(again.questions("free_off").queries.rows)
    assert all(a != b for a, b in zip(texts[1], free, strict=True)), (
        "the same words, put in otherwise"
    )
    every, outcomes = np.arange(len(pool.candidates)), {}
    for name in ("words", "same('topic')"):
        method, bits = registry.parse("retriever", name).fit(pool), {}
        for version in pool.versions:
            asked = pool.questions(version)
            found = search(method.ask(asked.queries), asked, pool.candidates, every, edges=False)
            bits[version] = of_queries(found, asked.true_ptr, (8,))["bits"]
        authors = Authors.of(own.queries.codes("author"))
        for way, of in BOTH.items():
            mine = {"own": bits["own"]} | {name: bits[of + name] for name in OTHER}
            outcomes[name, way], _ = rank_content(authors, mine)
    for way in BOTH:
        assert outcomes["words", way] == Content.RELIES
        assert outcomes["same('topic')", way] == Content.LESS, "it reads no text"
    few = of_corpus(corpus, queries=5, candidates=None, across=False, seed=1)
    assert with_content(few, 5, 0)[0].versions == {}
    monkeypatch.setattr("ravenbench.ext.retrieval.content.GIVERS", 40)
    part = with_content(
        of_corpus(corpus, queries=40, candidates=None, across=False, seed=1), 40, 0
    )[0]
    assert len(part.transplanted) >= 20 and 0 < len(np.unique(part.barred[1])) < len(
        np.unique(pool.barred[1])
    )


def test_labels_are_looked_through():
    rng = np.random.default_rng(0)

    def text(words=120):
        return " ".join(f"w{i}" for i in rng.integers(0, 5000, words))

    repeated, passage = text(), text(60)
    rows = [ItemRow(f"d{i}", (text(),), {"author": f"a{i % 40}", "topic": "t"}) for i in range(80)]
    rows += [ItemRow(f"h{i}", (text(),), {"author": "The News Team"}) for i in range(2)]
    queries = [
        ItemRow("copied", (repeated,), {"author": "a0"}),
        ItemRow("quoting", (f"{passage}\n> {text()}\n> no\nyes",), {"author": "a1"}),
        ItemRow("own", (f"{rows[2].texts[0]} more",), {"author": "a2"}),
        ItemRow("plain", (f"{text()} he says: “{text(60)}”.",), {"author": "a3"}),
        ItemRow("house", (text(),), {"author": "The News Team"}),
    ]
    candidates = [
        *rows,
        ItemRow("x", (f"{repeated} end",), {"author": "other"}),
        ItemRow("y", (f"{text()} {passage}",), {"author": "b"}),
    ]
    true = [
        [i for i, row in enumerate(candidates) if row.labels["author"] == q.labels["author"]]
        for q in queries
    ]
    found = audit(pool_of(queries, candidates, true, 0))
    named = {
        kind: [queries[i].id for i in np.flatnonzero(rows)] for kind, rows in found.queries.items()
    }
    assert named == {
        "copies": ["copied"],
        "quotations": ["quoting"],
        "lines": ["quoting"],
        "marks": ["plain"],
        "houses": ["house"],
        "own": ["own"],
    }
    assert found.candidates == {
        "copies": 1,
        "quotations": 1,
        "lines": 0,
        "marks": 0,
        "houses": 2,
        "own": 1,
    }
    assert found.named["houses"] == ["The News Team"] and found.named["copies"] == ["copied"]


def test_a_re_ranker_orders_the_first_alone(pool):
    every = np.arange(len(pool.candidates))
    ask = registry.parse("retriever", "words").fit(pool).ask(pool.plain.queries)
    found = search(ask, pool.plain, pool.candidates, every, top=10)
    asked = []

    def by_length(problems):
        asked.append(len(problems))
        return np.array(
            [len(problems.texts[problems.known(i)[0]]) for i in range(len(problems))], dtype=float
        )

    after = reranked(by_length, found, pool.plain, pool)
    assert asked == [120] and after["greater"].shape == found["greater"].shape
    for t, query in enumerate(pool.plain.owner):
        first = found["best"][query]
        true = pool.plain.true[pool.plain.owner == query]
        if pool.plain.true[t] in first:
            sizes = {c: len(pool.texts[pool.candidates.rows[c]]) for c in first}
            above = [c for c in first if sizes[c] > sizes[pool.plain.true[t]] and c not in true]
            assert after["greater"][0, t] == len(above)
        else:
            assert after["greater"][0, t] == found["greater"][0, t]
    lessons, same = training(pool, 0)
    assert same.sum() * 2 == len(lessons) and all(
        (lessons.author[lessons.known(i)[0]] == lessons.author[lessons.questioned_index[i]])
        == same[i]
        for i in range(len(lessons))
    )
    with pytest.raises(InputError, match="texts that Raven searches"):
        kept_apart(pool, pool, "train.jsonl")


def test_a_pool_of_two_languages_without_a_column_of_them_is_warned_of(tmp_path):
    words = {
        "English": "the of and to in is that it was for on with as his they at be this from have",
        "German": "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als",
    }
    rng = np.random.default_rng(0)

    def said(*languages, **labels):
        rows = [
            {
                "query_id": f"d{i}",
                "candidate_id": f"d{i}",
                "author_id": f"a{i // 2 % 8 * 2 + i % 2}",
                "content": " ".join(
                    rng.choice([*words[languages[i % len(languages)]].split(), f"w{i}"], 400)
                ),
                **labels,
            }
            for i in range(40)
        ]
        lines(tmp_path / "queries.jsonl", *rows[:16])
        lines(tmp_path / "candidates.jsonl", *rows[16:])
        with remarks_gathered() as notes:
            pool_at(tmp_path)
        return [note.count for note in notes if note.code == "languages"]

    assert said("English", "German") == [20]
    assert said("English") == said("English", "German", language="x") == []


def test_where_texts_have_no_words_content_is_not_measured_and_the_page_says_why():
    rows = [
        ItemRow(f"d{i}", ("1 2 3 no " * i,), {"author": f"a{i % 30}", "topic": f"t{i % 3}"})
        for i in range(1, 91)
    ]
    pool, why = with_content(pool_of(rows[:30], rows[30:], None, 0), 30, 0)
    assert not pool.versions and list(why) == [
        "the texts share too few words to compare topics; use longer texts"
    ]
