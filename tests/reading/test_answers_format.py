import json
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ravenbench.errors import FormatError, InputError
from ravenbench.reading import answers as reading
from ravenbench.reading.answers import align, read_answers, read_systems, read_truth, write_answers
from ravenbench.types import Answers

IDS = st.lists(
    st.from_regex(r"[A-Z]{2}[0-9]{3}", fullmatch=True), min_size=1, max_size=8, unique=True
)


@settings(deadline=None, max_examples=30)
@given(IDS, st.data(), st.sampled_from(["answers.jsonl", "answers.txt"]))
def test_answers_round_trip_exactly(tmp_path_factory, ids, data, name):
    values = data.draw(st.lists(st.floats(0, 1), min_size=len(ids), max_size=len(ids)))
    folder = tmp_path_factory.mktemp("a") / "sys"
    write_answers(folder / name, Answers(np.array(ids), np.array(values)))
    for path in (folder, folder / name):
        found = read_answers(path)
        assert (found.ids.tolist(), found.value.tolist(), found.system) == (ids, values, "sys")


def write_truth(path, ids, same):
    plain = path.suffix == ".txt"
    both = zip(ids, same.tolist(), strict=True)
    rows = [f"{i} {'NY'[y]}" if plain else json.dumps({"id": i, "same": y}) for i, y in both]
    path.write_text("".join(f"{row}\n" for row in rows), "utf-8")


@settings(deadline=None, max_examples=20)
@given(IDS, st.data(), st.sampled_from(["truth.jsonl", "truth.txt"]))
def test_truth_round_trips(tmp_path_factory, ids, data, name):
    same = np.array(data.draw(st.lists(st.booleans(), min_size=len(ids), max_size=len(ids))))
    folder = tmp_path_factory.mktemp("t")
    write_truth(folder / name, ids, same)
    found = read_truth(folder)
    assert (
        found.ids.tolist() == ids and found.same.tolist() == same.tolist() and found.authors is None
    )


@pytest.mark.parametrize(
    "line, message",
    [
        ("{oops", r"answers.jsonl:2: this line is not JSON"),
        ('{"value": 0.1}', r"answers.jsonl:2: no id in this line"),
        ('{"id": "b"}', r"answers.jsonl:2: this line has no value"),
        ('{"id": "b", "value": NaN}', "the value is NaN"),
        ('{"id": "b", "value": -Infinity}', "the value is infinite"),
        (
            '{"id": "b", "value": 1.01}',
            r"outside \[0, 1\]\n  found: 1.01\n  expected: a number from 0 to 1",
        ),
        ('{"id": "b", "value": 1' + "0" * 400 + "}", r"outside \[0, 1\]"),
        ('{"id": "b", "value": ' + "[" * 100_000, "this line is not JSON"),
        ('{"id": "b", "value": "0.5"}', "the value is a string"),
        ('{"id": "b", "value": true}', "the value is true or false"),
        ('{"id": "b", "value": null}', "the value is null"),
        ('{"id": "b", "value": [0.5]}', r"the value is a list[\s\S]*--lenient"),
        ('{"id": "a", "value": 0.5}', r"answers.jsonl:2: duplicate id in the answers"),
        ('{"id": ["b"], "value": 0.5}', "an id must be a string"),
        ('{"id": "b", "same": true}', r"this file contains truth, not answers[\s\S]*swapped"),
        ("[1]", "not a JSON object"),
    ],
)
def test_a_bad_line_of_answers_is_named(tmp_path, line, message):
    (tmp_path / "answers.jsonl").write_text('{"id": "a", "value": 0.1}\n' + line + "\n")
    with pytest.raises(FormatError, match=message) as found:
        read_answers(tmp_path)
    assert found.value.fix


def test_bom_crlf_and_blank_lines_are_accepted(tmp_path):
    (tmp_path / "answers.jsonl").write_bytes(
        b'\xef\xbb\xbf{"id": "a", "value": 1}\r\n\r\n{"id": "b", "value": 0}\r\n  \n'
    )
    assert read_answers(tmp_path).value.tolist() == [1.0, 0.0]
    (tmp_path / "empty.jsonl").write_bytes(b"\xef\xbb\xbf\n")
    with pytest.raises(FormatError, match="empty"):
        read_answers(tmp_path / "empty.jsonl")


def test_lenient_unwraps_one_number_and_says_so(tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text('{"id": "a", "value": [0.25]}\n')
    found = read_answers(path, lenient=True)
    assert (
        found.value.tolist() == [0.25]
        and found.notes[0].places == ("line 1",)
        and found.system == "mine"
    )
    path.write_text('{"id": "a", "value": [0.25, 0.5]}\n')
    with pytest.raises(FormatError, match="a list"):
        read_answers(path, lenient=True)


def test_pan13_keeps_decision_and_score(tmp_path):
    path = tmp_path / "s.txt"
    path.write_text("EN01 Y 0.30\nEN02 N\nEN03 -\r\nEN04 - 0.7\nEN05 0.9\n")
    found = read_answers(path)
    assert found.value.tolist() == [0.3, 0.0, 0.5, 0.7, 0.9]
    assert found.decision.tolist() == [1.0, 0.0, 0.5, 0.5, 1.0]
    path.write_text("EN01 0.30\n")
    assert read_answers(path).decision is None
    for text, message in (
        ("EN01\n", "s.txt:1: not an answer"),
        ("EN01 X 0.3\n", "not an answer"),
        ("EN01 high\n", "not a number"),
        ("EN01 Y 2\n", "outside"),
        ("EN01 nan\n", "NaN"),
        ("EN01 1\nEN01 0\n", "s.txt:2: duplicate id in the answers"),
    ):
        path.write_text(text)
        with pytest.raises(FormatError, match=message) as caught:
            read_answers(path)
        assert caught.value.fix


def test_swapped_truth_and_answers_are_recognised(tmp_path):
    (tmp_path / "truth.txt").write_text("EN01 Y\n")
    (tmp_path / "answers.txt").write_text("EN01 0.4\n")
    (tmp_path / "a.jsonl").write_text('{"id": "x", "value": 0.4}\n')
    with pytest.raises(FormatError, match="swapped"):
        read_answers(tmp_path / "truth.txt")
    for name in ("answers.txt", "a.jsonl"):
        with pytest.raises(FormatError, match="swapped"):
            read_truth(tmp_path / name)
    (tmp_path / "answers.txt").write_text("EN01 Y\n")
    with pytest.raises(FormatError, match="swapped"):
        read_truth(tmp_path / "answers.txt")


def test_systems_are_named_by_folder_or_file(tmp_path):
    for name in ("b", "a"):
        write_answers(
            tmp_path / "d" / name / "answers.jsonl", Answers(np.array(["x"]), np.array([0.5]))
        )
    (tmp_path / "d" / "truth.jsonl").write_text('{"id": "x", "same": true}\n')
    assert [s.system for s in read_systems(tmp_path / "d")] == ["a", "b"]
    with zipfile.ZipFile(tmp_path / "z.zip", "w") as archive:
        archive.writestr("answers.txt", "x 0.5\n")
    assert read_answers(tmp_path / "z.zip").system == "z"
    with pytest.raises(FormatError, match="not exactly one file"):
        read_answers(tmp_path / "d")
    for name in ("one.txt", "two.jsonl", "README.txt"):
        (tmp_path / "e").mkdir(exist_ok=True)
        text = {
            "one.txt": "x 0.4\n",
            "two.jsonl": '{"id": "x", "value": 1}\n',
            "README.txt": "Our systems.\n",
        }[name]
        (tmp_path / "e" / name).write_text(text)
    assert [s.system for s in read_systems(tmp_path / "e")] == ["one", "two"]


def test_align_fills_missing_and_refuses_strangers(tmp_path):
    write_truth(tmp_path / "truth.txt", ["EN1", "GR2", "EN3"], np.array([True, False, True]))
    truth = read_truth(tmp_path / "truth.txt")
    assert list(truth.group) == ["EN", "GR", "EN"]
    found = align(truth, Answers(np.array(["EN3", "EN1"]), np.array([0.9, 0.1])))
    assert found.value.tolist() == [0.1, 0.5, 0.9] and found.missing.tolist() == [
        False,
        True,
        False,
    ]
    with pytest.raises(InputError, match="answers a problem that truth does not contain"):
        align(truth, Answers(np.array(["EN9"]), np.array([0.9])))


def test_group_comes_from_contents(tmp_path):
    (tmp_path / "contents.json").write_text(json.dumps({"language": "dutch", "genre": "essays"}))
    write_truth(tmp_path / "truth.txt", ["DE001"], np.array([True]))
    for path in (tmp_path, tmp_path / "truth.txt"):
        assert list(read_truth(path).group) == ["dutch essays"]


@pytest.mark.data
def test_pan20_truth_and_five_systems(pan20):
    truth = read_truth(pan20 / "truth.jsonl")
    assert len(truth) == 14_311 and truth.authors.shape == (14_311, 2)
    assert np.array_equal(truth.authors[:, 0] == truth.authors[:, 1], truth.same)
    systems = read_systems(pan20)
    assert [s.system for s in systems] == [
        "boenninghoff20-small",
        "faber20-small",
        "halvani20-small",
        "niven20-small",
        "weerasinghe20-small",
    ]
    assert not any(align(truth, s).missing.any() for s in systems)


@pytest.mark.data
def test_pan14_truth(pan14):
    truth = read_truth(pan14 / "gr_articles.zip", "test")
    assert len(truth) == 100 and truth.group.names == ("greek articles",)


@pytest.mark.parametrize(
    "more", ["", "\n", '{"id": "c", "value": 1, "why": "so"}\n', '{"id": 7, "value": 0}\n']
)
def test_a_sound_file_read_at_once_is_read_as_line_by_line(tmp_path, monkeypatch, more):
    path = tmp_path / "answers.jsonl"
    path.write_text('{"id": "a", "value": 0.1}\n{"id": "é", "value": 1}\n' + more)
    at_once = read_answers(path)
    monkeypatch.setattr(reading, "_read_faultless", lambda *_: None)
    by_line = read_answers(path)
    for name in ("ids", "value", "lines"):
        np.testing.assert_array_equal(getattr(at_once, name), getattr(by_line, name))
    assert at_once.system == by_line.system and at_once.file == by_line.file


def test_a_line_that_is_no_json_hides_no_later_fault(tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_text(
        '{"id": "p0", "value": 2}\nnot json\n[1]\n{"id": "p1", "value": 0.2}\n{"id": "p1", "value": 0.3}\n'
    )
    with pytest.raises(InputError) as refusal:
        read_answers(file)
    assert [f":{line}: " in str(refusal.value) for line in range(1, 6)] == [
        True,
        True,
        True,
        False,
        True,
    ]
