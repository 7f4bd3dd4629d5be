"""PAN18/19 attribution problems: reading, answers, score, and what is wrong with them."""

from __future__ import annotations

import json
import shutil
import zipfile

import pytest
from sklearn.metrics import f1_score

from ravenbench.errors import FormatError
from ravenbench.reading.pan_attribution import (
    UNKNOWN,
    is_attribution,
    macro_f1,
    read_attribution,
    write_attribution_answers,
)


@pytest.fixture
def problem(tmp_path):
    root = tmp_path / "set"
    place = root / "problem00001"
    for name in ("candidate00001", "candidate00002", "unknown"):
        (place / name).mkdir(parents=True)
    for author, word in (("candidate00001", "red"), ("candidate00002", "blue")):
        for i in (1, 2):
            (place / author / f"known0000{i}.txt").write_text(
                f"\ufeff{word} {word} text {i}", encoding="utf-8"
            )
    for i, word in enumerate(("red", "blue", "green"), start=1):
        (place / "unknown" / f"unknown0000{i}.txt").write_text(f"{word} again\r\n", newline="")
    info = {
        "unknown-folder": "unknown",
        "candidate-authors": [{"author-name": f"candidate0000{i}"} for i in (1, 2)],
    }
    (place / "problem-info.json").write_text(json.dumps(info))
    truth = [
        ("unknown00001.txt", "candidate00001"),
        ("unknown00002.txt", "candidate00002"),
        ("unknown00003.txt", UNKNOWN),
    ]
    lines = [{"unknown-text": t, "true-author": a} for t, a in truth]
    (place / "ground-truth.json").write_text(json.dumps({"ground_truth": lines}))
    collection = [{"problem-name": "problem00001", "language": "en", "encoding": "UTF-8"}]
    (root / "collection-info.json").write_text(json.dumps(collection))
    return root


def test_folder_and_zip_read_alike(problem, tmp_path):
    (one,) = read_attribution(problem)
    assert (one.name, one.language, one.open) == ("problem00001", "en", True)
    assert one.candidates["candidate00002"] == ("blue blue text 1", "blue blue text 2")
    assert one.unknown["unknown00001.txt"] == "red again\n"
    packed = tmp_path / "set.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for file in sorted(problem.rglob("*")):
            archive.write(file, file.relative_to(problem.parent).as_posix())
    assert read_attribution(packed) == [one]
    assert (
        is_attribution(packed)
        and is_attribution(problem)
        and not is_attribution(problem / "problem00001/unknown")
    )
    (problem / "problem00001" / "ground-truth.json").unlink()
    (blind,) = read_attribution(problem)
    assert blind.truth is None and blind.open is None


def test_answers_are_written_as_pan_reads_them(tmp_path):
    path = write_attribution_answers(tmp_path / "new", "problem00001", {"b.txt": "y", "a.txt": "x"})
    assert path.name == "answers-problem00001.json"
    rows = json.loads(path.read_text())
    assert {row["unknown-text"]: row["predicted-author"] for row in rows} == {
        "a.txt": "x",
        "b.txt": "y",
    }


def test_macro_f1():
    truth = {"1": "a", "2": "a", "3": "b", "4": UNKNOWN, "5": "c"}
    said = {"1": "a", "2": "b", "3": "b", "4": "a", "5": "nobody known"}
    full = [said.get(t) if said.get(t) in ("a", "b", "c") else UNKNOWN for t in truth]
    peer = f1_score(
        list(truth.values()), full, labels=["a", "b", "c"], average="macro", zero_division=0
    )
    assert macro_f1(truth, said, ["a", "b", "c", "d"]) == pytest.approx(peer)
    assert macro_f1(truth, {}, ["a", "b", "c"]) == 0
    # d has no text: it is no part of the mean, but naming it costs nobody anything else.
    assert macro_f1({"1": "a"}, {"1": "a", "9": "d"}, ["a", "d"]) == 1


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("problem-info.json", "{", "not valid JSON"),
        ("problem-info.json", '{"n": ' + "1" * 5_000 + "}", "not valid JSON"),
        ("problem-info.json", "[" * 100_000, "not valid JSON"),
        ("problem-info.json", "[]", "no candidates"),
        ("problem-info.json", '{"candidate-authors": [{"name": 1}]}', "has no name"),
        ("problem-info.json", '{"candidate-authors": [{"author-name": "x"}]}', "no known texts"),
        (
            "problem-info.json",
            '{"candidate-authors": [{"author-name": "candidate00001"}]}',
            "two candidates",
        ),
        (
            "problem-info.json",
            '{"unknown-folder": "u", "candidate-authors": [{"author-name": "candidate00001"}, '
            '{"author-name": "candidate00002"}]}',
            "no unknown texts",
        ),
        ("ground-truth.json", '{"ground_truth": 3}', "list of objects"),
        (
            "ground-truth.json",
            '[{"unknown-text": "unknown00001.txt", "true-author": "z"}]',
            "not a candidate",
        ),
        (
            "ground-truth.json",
            '[{"unknown-text": "u9.txt", "true-author": "candidate00001"}]',
            "does not exist",
        ),
        ("ground-truth.json", "[]", "no entry for a text"),
        ("ground-truth.json", '[{"unknown-text": "unknown00001.txt"}]', "incomplete"),
    ],
)
def test_damage_is_named(problem, file, content, message):
    (problem / "problem00001" / file).write_text(content)
    with pytest.raises(FormatError, match=message) as caught:
        read_attribution(problem)
    assert file in str(caught.value) or "json" in str(caught.value)


def test_nothing_there(tmp_path):
    with pytest.raises(FormatError, match="no attribution problems"):
        read_attribution(tmp_path)


@pytest.mark.data
def test_the_two_problems_of_pan18(pan18):
    (archive,) = pan18.glob("*.zip")
    one, two = read_attribution(archive)
    assert (len(one.candidates), len(one.unknown), one.open) == (20, 105, False)
    assert (len(two.candidates), len(two.unknown), two.language) == (5, 21, "en")
    assert all(len(texts) == 7 for texts in one.candidates.values())


def test_names_that_stand_twice_are_remarked_on(problem):
    place = problem / "problem00001"
    info = json.loads((place / "problem-info.json").read_text())
    info["candidate-authors"].append(info["candidate-authors"][0])
    (place / "problem-info.json").write_text(json.dumps(info))
    truth = json.loads((place / "ground-truth.json").read_text())
    truth["ground_truth"].append(truth["ground_truth"][0])
    (place / "ground-truth.json").write_text(json.dumps(truth))
    (one,) = read_attribution(problem)
    assert len(one.candidates) == 2 and len(one.notes) == 2
    assert [note.code for note in one.notes] == ["candidate-twice", "truth-twice"]
    assert {note.values["problem"] for note in one.notes} == {"problem00001"}
    truth["ground_truth"].append({**truth["ground_truth"][0], "true-author": "candidate00002"})
    (place / "ground-truth.json").write_text(json.dumps(truth))
    with pytest.raises(FormatError, match="two true authors"):
        read_attribution(problem)


def test_lenient_leaves_out_what_cannot_be_read(problem):
    shutil.copytree(problem / "problem00001", problem / "problem00002")
    (problem / "problem00001" / "ground-truth.json").write_text("[]")
    with pytest.raises(FormatError, match="no entry for a text"):
        read_attribution(problem)
    left_out = {}
    (one,) = read_attribution(problem, lenient=True, left_out=left_out)
    assert (
        one.name == "problem00002"
        and [*left_out] == ["problem00001"]
        and "no entry for a text" in left_out["problem00001"]
    )
    (problem / "problem00002" / "ground-truth.json").write_text("[]")
    with pytest.raises(FormatError, match="no entry for a text"):
        read_attribution(problem, lenient=True)
