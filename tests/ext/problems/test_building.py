"""Problems built from a corpus: balanced, matched, and silent about the truth."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.commands import raven
from ravenbench.errors import CorpusError, InputError
from ravenbench.ext.corpora.summary import table_one
from ravenbench.ext.problems.command import Built, Cross, build_problems
from ravenbench.reading.load import load_corpus
from ravenbench.reading.problems import read_problem_sets, read_problems
from ravenbench.texts import TextTable
from ravenbench.types import Corpus, Labels

pytestmark = pytest.mark.usefixtures("undrawn")


def corpus(authors: list[int], topics: list[int], bands: list[int] | None = None) -> Corpus:
    """Documents of so many words as their row, one for each entry."""
    n = len(authors)
    texts, _ = TextTable.collect(f"text{i} " + "word " * i for i in range(n))
    return Corpus(
        "toy",
        texts,
        tuple(f"d{i}" for i in range(n)),
        Labels.of(f"a{a}" for a in authors),
        Labels.of(f"t{t}" for t in topics),
        columns={"band": Labels.of(None if b < 0 else f"b{b}" for b in bands or [0] * n)},
    )


def check(source: Corpus, built: Built, match: tuple[str, ...], known: tuple[int, int]) -> None:
    """Every promise of the builder."""
    problems, same = built.problems, built.same
    columns = [source.at(name).topic for name in match]
    uses: dict[bool, Counter[int]] = {True: Counter(), False: Counter()}
    assert 2 * same.sum() == len(same) == len(problems) > 0
    for i, truth in enumerate(same.tolist()):
        own, asked = problems.known(i), int(problems.questioned_index[i])
        rows = [*own.tolist(), asked]
        assert known[0] <= len(own) <= known[1] and len(set(rows)) == len(rows)
        assert len(set(source.author.codes[own])) == 1
        assert (source.author.codes[asked] == source.author.codes[own[0]]) == truth
        assert all(
            len(set(labels.codes[rows])) == 1 and (labels.codes[rows] >= 0).all()
            for labels in columns
        )
        uses[truth].update(rows)
    assert max(uses[True].values()) == max(uses[False].values()) == 1
    assert Counter(problems.sizes[same].tolist()) == Counter(problems.sizes[~same].tolist())
    assert len(set(problems.ids.tolist())) == len(problems)


documents = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 2), st.integers(-1, 1)), min_size=4, max_size=60
)


@settings(max_examples=150, deadline=None)
@given(documents, st.integers(1, 3), st.integers(0, 2), st.integers(0, 3))
def test_promises(rows: list[tuple[int, int, int]], least: int, more: int, seed: int) -> None:
    source = corpus(*map(list, zip(*rows, strict=True)))  # type: ignore[arg-type]
    options = {
        "known": (least, least + more),
        "match": ("topic", "band"),
        "seed": seed,
    }
    try:
        built = build_problems(source, **options)  # type: ignore[arg-type]
    except CorpusError:
        return
    check(source, built, ("topic", "band"), (least, least + more))
    again = build_problems(source, **options)  # type: ignore[arg-type]
    assert again.problems.digest() == built.problems.digest() and (again.same == built.same).all()


@settings(max_examples=150, deadline=None)
@given(documents, st.integers(1, 3), st.integers(0, 2), st.booleans(), st.integers(0, 3))
def test_promises_across_a_column(
    rows: list[tuple[int, int, int]], least: int, more: int, one_way: bool, seed: int
) -> None:
    source = corpus(*map(list, zip(*rows, strict=True)))  # type: ignore[arg-type]
    cross = Cross("topic", ("t1", "t0") if one_way else None)
    options = {
        "known": (least, least + more),
        "match": ("topic", "band"),
        "seed": seed,
        "cross": cross,
    }
    try:
        built = build_problems(source, **options)  # type: ignore[arg-type]
    except (CorpusError, InputError):
        return
    check(source, built, ("band",), (least, least + more))
    sides: dict[bool, Counter[tuple[str | None, str | None]]] = {True: Counter(), False: Counter()}
    for i, truth in enumerate(built.same.tolist()):
        topics = {source.topic.names[c] for c in source.topic.codes[built.problems.known(i)]}
        asked = source.topic.names[source.topic.codes[built.problems.questioned_index[i]]]
        assert len(topics) == 1 and asked not in topics
        assert not one_way or (topics, asked) == ({"t1"}, "t0")
        sides[truth][topics.pop(), asked] += 1
    assert sides[True] == sides[False]


def test_across_a_column_every_author_who_can_takes_part() -> None:
    built = build_problems(
        corpus([0, 0, 1, 1, 2, 2, 3], [0, 1] * 3 + [0]), known=(1, 1), cross=Cross.parse("topic")
    )
    assert len(built.problems) == 6 and built.dropped["left over"] == 1


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "not a valid crossing"),
        ("topic=", "not a valid crossing"),
        ("topic=t0", "not a valid crossing"),
        ("topic=t0:t0", "not a valid crossing"),
        ("topic=t0:t9", "value not found"),
        ("season", "no column"),
    ],
)
def test_bad_crossings(text: str, fault: str) -> None:
    with pytest.raises(InputError, match=fault):
        build_problems(corpus([0, 0, 1, 1], [0, 1, 0, 1]), known=(1, 1), cross=Cross.parse(text))


def test_every_case_is_used_where_authors_are_even() -> None:
    built = build_problems(corpus([0, 0, 1, 1, 2, 2], [0] * 6), known=(1, 1))
    assert len(built.problems) == 6 and built.dropped["left over"] == 0


def test_known_numbers_are_spread_over_the_range() -> None:
    built = build_problems(corpus([a for a in range(40) for _ in range(12)], [0] * 480))
    assert set(built.problems.sizes.tolist()) == {1, 2, 3, 4, 5}
    assert abs(float(built.problems.sizes.mean()) - 3) < 0.5


def test_minimum_of_words_and_number_of_problems() -> None:
    source = corpus([a for a in range(10) for _ in range(4)], [0] * 40)
    built = build_problems(source, known=(1, 1), min_words=11, problems=8, seed=3)
    assert len(built.problems) == 8 and built.problems.documents.min() >= 10
    assert built.dropped["shorter than 11 words"] == 10
    other = build_problems(source, known=(1, 1), min_words=11, problems=8, seed=4)
    assert other.problems.digest() != built.problems.digest()


def test_order_and_ids_do_not_tell_the_truth() -> None:
    same = build_problems(
        corpus([a for a in range(50) for _ in range(4)], [0] * 200), known=(1, 1)
    ).same
    runs = 1 + np.count_nonzero(same[1:] != same[:-1])
    assert 0.35 < runs / len(same) < 0.65


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"known": (2, 1)}, InputError),
        ({"known": (0, 1)}, InputError),
        ({"problems": 3}, InputError),
        ({"match": ("season",)}, InputError),
        ({"problems": 1000}, CorpusError),
        ({"known": (9, 9)}, CorpusError),
        ({"min_words": 1000}, CorpusError),
    ],
)
def test_bad_input(options: dict[str, object], error: type[Exception]) -> None:
    with pytest.raises(error):
        build_problems(corpus([0, 0, 1, 1], [0] * 4), **options)  # type: ignore[arg-type]


def test_one_author_gives_nothing() -> None:
    with pytest.raises(CorpusError, match="cannot give problems"):
        build_problems(corpus([0] * 8, [0] * 8))


def test_command_writes_what_it_says(tmp_path: Path) -> None:
    table = tmp_path / "essays.csv"
    lines = [
        f"a{a},{b},{a % 2},text {a} {b} {'word ' * (a + b)}" for a in range(8) for b in range(5)
    ]
    table.write_text("\n".join(["author,topic,band,text", *lines]))
    options = ["--known", "1-2", "--match", "band", "--min-words", "4"]
    done = raven("problems", str(table), "-o", str(tmp_path / "out"), *options, "--json")
    assert done.code == 0, done.said
    told = json.loads(done.said)
    found = read_problems(tmp_path / "out")
    assert len(found) == told["table"]["problems"] and 2 * found.truth().sum() == len(found)
    assert told["known"] == [1, 2]
    info = raven("corpus", "info", str(tmp_path / "out"), "--json")
    row = json.loads(info.said)["problems"][0]
    assert {key: row[key] for key in told["table"]} == told["table"] and row["name"] == "out"
    shown = raven("corpus", "info", str(tmp_path / "out"))
    assert "known per problem" in shown.said
    crossed = raven(
        "problems",
        str(table),
        "-o",
        str(tmp_path / "x"),
        "--known",
        "1",
        "--match",
        "none",
        "--cross",
        "band",
        "--json",
    )
    assert crossed.code == 2 and "cannot give problems" in crossed.said
    for wrong in (
        ["--known", "few"],
        ["--cross", "band=0:2"],
        ["--match", "age"],
    ):
        refused = raven("problems", str(table), "-o", str(tmp_path / "no"), *wrong)
        assert (
            refused.code == 2
            and refused.said.startswith("error: ")
            and not (tmp_path / "no").exists()
        )


@pytest.mark.data
def test_table_one_of_the_overview(pan14: Path) -> None:
    """Stamatatos et al. 2014, Table 1: problems, documents, known documents a problem, words a document."""
    printed = {
        ("du_essays", "train"): (96, 268, 1.8, 412.4),
        ("du_essays", "test"): (96, 287, 2.0, 398.1),
        ("en_essays", "train"): (200, 729, 2.6, 848.0),
        ("en_essays", "test"): (200, 718, 2.6, 833.2),
        ("gr_articles", "train"): (100, 385, 2.9, 1404.0),
        ("gr_articles", "test"): (100, 368, 2.7, 1536.6),
    }
    for found in read_problem_sets(pan14):
        n, documents, known, words = printed[found.name, str(found.split)]
        row = table_one(found.problems)
        assert (row["problems"], row["documents"], round(row["known"], 1)) == (
            n,
            documents,
            pytest.approx(known, abs=0.1),
        )
        assert row["words"] == pytest.approx(words, rel=0.006)


@pytest.mark.data
def test_across_the_topics_of_a_real_corpus(ebg: Path) -> None:
    source = load_corpus(f"ebg(path='{ebg / 'extended-brennan-greenstadt.zip'}')")
    built = build_problems(source, known=(1, 5), cross=Cross.parse("topic"))
    topics, problems = source.topic.codes, built.problems
    known, asked = topics[problems.known_index], topics[problems.questioned_index]
    assert len(problems) > 200 and (known != asked[problems.owner]).all()
    author = source.author.codes
    truth = (
        author[problems.known_index[problems.known_ptr[:-1]]] == author[problems.questioned_index]
    )
    assert (truth == built.same).all()
