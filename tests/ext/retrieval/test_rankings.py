"""Rankings made elsewhere: judged as the method that made them, and every fault told at once."""

import json
import shutil

import numpy as np
import pytest

import ravenbench
from ravenbench import registry
from ravenbench.errors import RavenError
from ravenbench.ext.retrieval.rankings import Ranking
from ravenbench.ext.retrieval.reading import pool_at, pool_of
from ravenbench.ext.retrieval.search import search
from ravenbench.ext.retrieval.task import Retrieve, stored_pool
from ravenbench.ext.site.pages import site
from ravenbench.reading.decoding import Faults
from ravenbench.reading.queries import ItemRow
from ravenbench.reports.outside import with_answers
from ravenbench.reports.report import analyse

WORLD = "synthetic(documents=200, authors=40, topics=6, words=60)"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("rankings")


@pytest.fixture(scope="module")
def store(place):
    """A search by words, whose ranking is written as somebody would who has what was handed out."""
    store = ravenbench.retrieve(
        WORLD, methods="words, delta", topic="topic", content=40, out=place / "own", workers=1
    ).store
    assert Retrieve.export(store, place / "out") == ["candidates.jsonl", "queries.jsonl"]
    pool, lines, depth = stored_pool(store), [], 30
    method, every = registry.parse("retriever", "words").fit(pool), np.arange(len(pool.candidates))
    for version in ("plain", *pool.versions):
        asked = pool.questions(version).queries
        scores = method.ask(asked)(every)
        for name, row in zip(asked.ids, scores, strict=True):
            order = np.argsort(-row, kind="stable")
            lines.append(
                [
                    (name, pool.candidates.ids[c], rank, float(row[c]))
                    for rank, c in enumerate(order.tolist())
                ]
            )
    for file, shown in (
        ("whole", lines),
        ("plain", lines[: len(pool.plain.queries)]),
        ("cut", [q[:depth] for q in lines]),
    ):
        text = (
            f"{query} Q0 {one} {rank} {score!r} tag\n"
            for ranked in shown
            for query, one, rank, score in ranked
        )
        (place / f"{file}.run").write_text("".join(text))
    rows = ({"query_id": q[0][0], "candidate_ids": [one for _, one, _, _ in q]} for q in lines[:3])
    (place / "some.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return store


def rows_of(search, which):
    return {row.method: row for row in getattr(search, which)}


def test_a_ranking_of_a_method_is_judged_as_the_method(store, place):
    late = analyse(
        with_answers(
            store,
            {"late": place / "whole.run", "cut": place / "cut.run", "plain": place / "plain.run"},
        )
    )
    methods, content = rows_of(late, "methods"), rows_of(late, "content")
    for name, estimate in methods["words"].figures.items():
        mine = methods["late"].figures[name]
        assert mine.value == pytest.approx(
            estimate.value, abs=2e-3
        ) and mine.interval == pytest.approx(estimate.interval, abs=4e-3)
    assert "auc" not in methods["cut"].figures, "candidates without a score are on no scale"
    assert methods["cut"].figures["success@8"].value == pytest.approx(
        methods["words"].figures["success@8"].value, abs=0.01
    )
    assert methods["cut"].figures["mrr"].value == pytest.approx(
        methods["words"].figures["mrr"].value, abs=0.01
    )
    assert content["late"].figures["swing_in_rank"].value == pytest.approx(
        content["words"].figures["swing_in_rank"].value, abs=0.02
    )
    assert str(content["late"].known["verdict"]) == str(content["words"].known["verdict"])
    assert "plain" not in content, "it ranked no query with other content"
    assert {("words", "late"), ("late", "cut")} & {
        (row.method, row.known["other"]) for row in late.pairs
    }


def test_as_an_option_of_the_search_and_on_a_site(store, place, tmp_path):
    both = ravenbench.retrieve(
        WORLD,
        methods="words",
        topic="topic",
        content=0,
        out=tmp_path / "s",
        workers=1,
        rankings=[place / "plain.run", place / "some.jsonl"],
    )
    methods = rows_of(analyse(both.store), "methods")
    assert methods["plain"].figures["mrr"].value == pytest.approx(
        methods["words"].figures["mrr"].value, abs=2e-3
    )
    said = " ".join(both.store.plan_as(ravenbench.ext.retrieval.task.RetrievePlan).warnings)
    assert "some: queries (of 40) without a ranking, which count as chance: 37" in said
    assert methods["some"].figures["mrr"].value < methods["plain"].figures["mrr"].value
    site([place / "own"], tmp_path / "site", submitted={"<late>": place / "some.jsonl"})
    board = (tmp_path / "site" / "boards" / "own.html").read_text()
    assert (
        "&lt;late&gt;" in board
        and "(submitted)" in board
        and "queries (of 40) without a ranking" in board
    )
    (tmp_path / "bad.run").write_text("nobody Q0 c 1 1 t\n")
    with pytest.raises(RavenError, match="a query that the search does not contain"):
        site([place / "own"], tmp_path / "site", submitted={"late": tmp_path / "bad.run"})
    shutil.copy(place / "plain.run", tmp_path / "words.run")
    with pytest.raises(RavenError, match="has the name of a method"):
        ravenbench.retrieve(
            WORLD, methods="words", rankings=tmp_path / "words.run", out=tmp_path / "t"
        )


@pytest.fixture(scope="module")
def small():
    queries = [ItemRow(f"q{i}", (f"asked {i}",), {"author": f"a{i}"}) for i in range(3)]
    candidates = [ItemRow(f"c{i}", (f"text {i}",), {"author": f"a{i % 2}"}) for i in range(6)]
    return pool_of(queries, candidates, None, 0)


def greater(pool, text, tmp_path):
    (tmp_path / "r.run").write_text(text)
    ranking = Ranking(str(tmp_path / "r.run")).fit(pool)
    ask = ranking.ask(pool.plain.queries)
    counts = search(ask, pool.plain, pool.candidates, np.arange(6), edges=False, tolerance=0.0)
    names = [pool.candidates.ids[c] for c in pool.plain.true]
    return {
        name: (int(a), int(b))
        for name, a, b in zip(names, counts["greater"][0], counts["equal"][0], strict=True)
    }, ranking


def test_ties_and_what_is_not_listed_count_by_expectation(small, tmp_path):
    counts, ranking = greater(
        small, "q0 0 c1 1 9 t\nq0 0 c0 2 9 t\nq0 0 c3 3 1e-9 t\nq2 0 c0 1 1 t\n", tmp_path
    )
    assert counts["c0"] == (0, 1), "equal scores are a tie"
    assert counts["c2"] == counts["c4"] == (2, 1), "what is not listed shares the last place"
    assert counts["c1"] == counts["c3"] == counts["c5"] == (0, 3), (
        "a query without a line is chance"
    )
    assert ranking.notes("r") == [
        "r: queries (of 2) without a ranking, which count as chance: 1; candidates not listed for a query, which share "
        "its last place, of 6 (median): 3; lines with the same score as another candidate of the query, which are ties: "
        "2; lines left out, because their query has no true candidate: 1."
    ]


def test_scores_that_differ_by_the_last_digit_are_no_tie(small, tmp_path):
    counts, _ = greater(small, "q0 0 c1 1 1.0000000000000002 t\nq0 0 c0 2 1.0 t\n", tmp_path)
    assert counts["c0"] == (1, 0)


BAD = """q0 Q0 c0 1 5.0 t
q0 Q0 c0 2 4.0 t
q0 Q0 c99 3 3.0 t
nobody Q0 c0 3 3.0 t
q1 Q0 c0 1 nan t
q1 Q0 c0 2
q1 Q0 c1 1 0.5 t
q1 Q0 c2 2 0.7 t
nobody Q0 c1 4 1.0 t
"""


def test_every_kind_of_fault_is_told_at_once_with_line_count_and_cure(small, tmp_path):
    (tmp_path / "bad.run").write_text(BAD)
    with pytest.raises(RavenError) as refusal:
        Ranking(str(tmp_path / "bad.run")).fit(small)
    said = str(refusal.value)
    for wanted in (
        "6 faults",
        "bad.run:2: a duplicate candidate of a query, in 1 line",
        "bad.run:3: a candidate that the",
        "bad.run:4: a query that the search does not contain, in 2 lines",
        "bad.run:5: a rank or score that is not a number",
        "bad.run:6: not a line of a ranking",
        "bad.run:7: a better rank than a candidate",
        "found: nobody",
        "ids such as q0",
    ):
        assert wanted in said, said
    assert said.count("fix: ") == 6


@pytest.mark.parametrize(
    "text",
    [
        '{"query_id": "q0", "candidate_ids": "c0"}',
        '{"query_id": "q0", "candidate_ids": ["c0"], "scores": [NaN]}',
        "[1]",
        '{"candidate_ids": []}',
        '{"query_id": "q0", "candidate_ids": ["c0", "c1"], "scores": [1]}',
    ],
)
def test_json_lines_that_are_no_ranking_are_refused(small, tmp_path, text):
    (tmp_path / "bad.jsonl").write_text(text + "\n")
    faults = Faults()
    Ranking(str(tmp_path / "bad.jsonl")).read(small, faults)
    assert len(faults) == 1


def test_json_lines_go_by_scores_where_there_are_some(small, tmp_path):
    (tmp_path / "r.jsonl").write_text(
        '{"Query ID": "q0", "positive_ids": ["c1", "c0"], "scores": [2, 2]}\n'
    )
    ranking = Ranking(str(tmp_path / "r.jsonl")).fit(small)
    scores = ranking.ask(small.plain.queries)(np.arange(6))[0]
    values = dict(zip(small.candidates.ids, scores, strict=True))
    assert values["c1"] == values["c0"] > values["c2"] == 0 and not ranking.comparable


def test_what_is_handed_out_names_nobody(store, place):
    lines = [
        json.loads(line) for line in (place / "out" / "queries.jsonl").read_text().splitlines()
    ]
    assert {key for row in lines for key in row} == {"query_id", "texts"} and any(
        "/" in row["query_id"] for row in lines
    )
    with pytest.raises(RavenError, match="nothing to search for"):
        pool_at(place / "out")


def test_an_unknown_argument_suggests_nothing_that_is_merely_spelt_a_little_alike():
    with pytest.raises(TypeError, match=r"known: .*methods"):
        ravenbench.retrieve("texts", verifiers="char-ngram")
