import json
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ravenbench.errors import FormatError, InputError
from ravenbench.reading.problem_formats.pan_pairs import write_pan_pairs
from ravenbench.reading.problems import read_problems
from ravenbench.types import Labels, Problems

TEXT = st.text(
    min_size=1, alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\r\ufeff\0")
).filter(str.strip)


def _lines(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in rows), encoding="utf-8"
    )


def _pair(i, a="first text", b="second text", **more):
    return {"id": f"p{i}", "fandoms": ["X", "Y"], "pair": [f"{a} {i}", f"{b} {i}"], **more}


def _truth(i, same=False):
    return {"id": f"p{i}", "same": same, "authors": ["a", "a" if same else "b"]}


ROWS = st.lists(
    st.tuples(TEXT, TEXT, st.booleans()),
    min_size=1,
    max_size=5,
    unique_by=lambda row: frozenset(row[:2]),
)
"""Two texts stand once: labelled twice, and each time otherwise, they are refused."""


@settings(max_examples=25, deadline=None)
@given(ROWS)
def test_what_is_written_reads_back(tmp_path_factory, rows):
    problems = Problems.of([(f"id{i}", [a], b) for i, (a, b, _) in enumerate(rows)])
    same = np.array([r[2] for r in rows])
    folder = write_pan_pairs(tmp_path_factory.mktemp("p"), problems, same)
    found = read_problems(folder)
    assert found.problems.digest() == problems.digest() and found.same.tolist() == same.tolist()


def test_labels_are_written_and_read(tmp_path):
    problems = Problems.of(
        [("x", ["a"], "b"), ("y", ["c"], "a")],
        author=Labels.of(["1", "1", "2"]),
        topic=Labels.of(["S", "T", "S"]),
    )
    same = np.array([True, False])
    write_pan_pairs(tmp_path, problems, same)
    found = read_problems(tmp_path)
    assert list(found.problems.author) == ["1", "1", "2"] and list(found.problems.topic) == [
        "S",
        "T",
        "S",
    ]
    write_pan_pairs(tmp_path / "blind", problems.blind())
    assert set(json.loads((tmp_path / "blind" / "pairs.jsonl").read_text().splitlines()[0])) == {
        "id",
        "pair",
    }
    with pytest.raises(InputError, match="one known document"):
        write_pan_pairs(tmp_path, Problems.of([("x", ["a", "b"], "c")]))


@pytest.mark.parametrize(
    "pairs, truth",
    [
        ("pairs.jsonl", "truth.jsonl"),
        ("small.jsonl", "small-truth.jsonl"),
        ("small.jsonl", "small_truth.jsonl"),
        ("tr-pairs.jsonl", "tr-truth.jsonl"),
    ],
)
def test_spellings_of_file_names(tmp_path, pairs, truth):
    _lines(tmp_path / "d" / pairs, [_pair(1), _pair(2)])
    _lines(tmp_path / "d" / truth, [_truth(1), _truth(2, True)])
    with zipfile.ZipFile(tmp_path / "z.zip", "w") as archive:
        for name in (pairs, truth):
            archive.write(tmp_path / "d" / name, f"inner/{name}")
    for path in (tmp_path / "d", tmp_path / "d" / pairs, tmp_path / "z.zip"):
        assert read_problems(path).same.tolist() == [False, True]


@pytest.mark.parametrize(
    "extra, topics",
    [
        ({"fandoms": ["A", "B"]}, ["A", "B"]),
        ({"discourse_types": ["essay", "email"]}, ["essay", "email"]),
        ({"discourse_type": "memo"}, ["memo", "memo"]),
        ({}, None),
    ],
)
def test_topics_of_every_year(tmp_path, extra, topics):
    _lines(tmp_path / "pairs.jsonl", [{"id": "p", "pair": ["s", "t"], **extra}])
    found = read_problems(tmp_path).problems.topic
    assert (None if found is None else list(found)) == topics


def test_faults_and_errors(tmp_path):
    path = tmp_path / "pairs.jsonl"
    _lines(
        path,
        [
            _pair(1),
            {"id": "p2", "pair": ["only"]},
            {"id": "p3", "pair": ["", "x"]},
            _pair(4),
            {"id": "p5", "pair": ["bad \ud800", "x"]},
        ],
    )
    _lines(tmp_path / "truth.jsonl", [_truth(i) for i in (1, 2, 3, 5, 6)])
    found = read_problems(tmp_path)
    assert found.problems.ids.tolist() == ["p1"] and set(found.faults) == {
        "p2",
        "p3",
        "p4",
        "p5",
        "p6",
    }
    assert found.fault_truth == {"p2": False, "p3": False, "p5": False, "p6": False}
    for rows, message in (
        ([_pair(1), "{oops"], r"pairs.jsonl:2: this line is not JSON"),
        ([_pair(1), {"pair": ["a", "b"]}], r"pairs.jsonl:2: no id in this line"),
        ([_pair(1), _pair(1)], r"pairs.jsonl:2: duplicate id"),
        ([_pair(1), "[1]"], r"pairs.jsonl:2: not a JSON object"),
    ):
        _lines(path, rows)
        with pytest.raises(FormatError, match=message):
            read_problems(tmp_path)
    with pytest.raises(FormatError, match="give the pairs file"):
        read_problems(tmp_path / "truth.jsonl")
    _lines(path, [_pair(1)])
    _lines(tmp_path / "truth.jsonl", [{"id": "p1", "same": True, "authors": ["a", "b"]}])
    with pytest.raises(FormatError, match="contradicts"):
        read_problems(tmp_path)


def test_a_text_under_two_authors_has_none(tmp_path):
    _lines(
        tmp_path / "pairs.jsonl",
        [{"id": "p1", "pair": ["s", "t"]}, {"id": "p2", "pair": ["s", "v"]}],
    )
    _lines(
        tmp_path / "truth.jsonl",
        [
            {"id": "p1", "same": False, "authors": ["a", "b"]},
            {"id": "p2", "same": False, "authors": ["c", "b"]},
        ],
    )
    assert list(read_problems(tmp_path).problems.author) == [None, "b", "b"]
