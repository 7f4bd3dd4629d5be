import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ravenbench.errors import FormatError, InputError
from ravenbench.reading.collector import identity_key
from ravenbench.reading.load import load_corpus
from ravenbench.reading.problem_formats.pan_folders import write_pan_problems
from ravenbench.reading.problems import read_problem_sets, read_problems
from ravenbench.types import Problems

TEXT = st.text(alphabet="abcé Ω,.\n", min_size=1).filter(str.strip)


def _write(root, name, known=("known text",), unknown="questioned text"):
    place = root / name
    place.mkdir(parents=True)
    for i, text in enumerate(known, start=1):
        (place / f"known{i:02d}.txt").write_text(text, encoding="utf-8")
    if unknown is not None:
        (place / "unknown.txt").write_text(unknown, encoding="utf-8")


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(
        st.tuples(st.lists(TEXT, min_size=1, max_size=4), TEXT, st.booleans()),
        min_size=1,
        max_size=5,
    )
)
def test_what_is_written_reads_back(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("w") / "set"
    problems = Problems.of(
        [(f"EN{i:03d}", known, unknown) for i, (known, unknown, _) in enumerate(rows)]
    )
    same = np.array([r[2] for r in rows])
    write_pan_problems(folder, problems, same, "greek", "articles")
    found = read_problems(folder)
    assert found.problems.digest() == problems.digest()
    assert found.same.tolist() == same.tolist()
    assert (found.name, found.language, found.genre, found.faults) == (
        "set",
        "greek",
        "articles",
        {},
    )


def test_one_bad_problem_stops_nothing(tmp_path):
    _write(tmp_path, "EN001")
    _write(tmp_path, "EN002", unknown=None)
    _write(tmp_path, "EN003", known=())
    _write(tmp_path, "EN004", unknown=" \n")
    _write(tmp_path, "EN005", known=("", "fine"), unknown="word")
    _write(tmp_path, "EN006", known=("",))
    _write(tmp_path, "EN007", known=("equal",), unknown="equal")
    _write(tmp_path, "EN008")
    (tmp_path / "EN008" / "unknown.txt").write_bytes(b"caf\xe9")
    _write(tmp_path, "EN010", known=[f"k{i}" for i in range(500)])
    _write(tmp_path, "EN011")
    lines = [f"EN{i:03d} {'Y' if i % 2 else 'N'}" for i in range(1, 11)] + ["../EN012 Y"]
    (tmp_path / "truth.txt").write_bytes(("\ufeff" + "\r\n".join(lines) + "\r\n\r\n").encode())
    found = read_problems(tmp_path)
    assert found.problems.ids.tolist() == ["EN001", "EN005", "EN007", "EN010"]
    assert found.same.tolist() == [True, True, True, False]
    assert found.problems.sizes.tolist() == [1, 1, 1, 500]
    reasons = {
        "EN002": "unknown.txt",
        "EN003": "no known",
        "EN004": "empty",
        "EN006": "empty",
        "EN008": "UTF-8",
        "EN009": "no folder",
        "EN011": "does not contain",
        "../EN012": "path",
    }
    assert set(found.faults) == set(reasons)
    for name, reason in reasons.items():
        assert reason in found.faults[name]
    assert found.fault_truth["EN002"] is False and "EN011" not in found.fault_truth
    notes = {note.code: note for note in found.notes}
    assert {"empty-known", "identical"} < notes.keys()
    assert (
        notes["unusable-problems"].count == 8 and notes["unusable-problems"].values["total"] == 12
    )


def test_structural_errors(tmp_path):
    with pytest.raises(FormatError, match="no verification problems"):
        read_problem_sets(tmp_path)
    _write(tmp_path, "EN001")
    with pytest.raises(FormatError, match="has no truth"):
        read_problems(tmp_path).truth()
    for text, message in (
        ("EN001 0.5\n", "swapped"),
        ("EN001\n", r"truth.txt:1"),
        ("", "empty"),
        ("EN001 Y\nEN001 N\n", r"truth.txt:2: duplicate id"),
    ):
        (tmp_path / "truth.txt").write_text(text)
        with pytest.raises(FormatError, match=message):
            read_problems(tmp_path)
    (tmp_path / "truth.txt").write_text("EN001 Y\n")
    (tmp_path / "contents.json").write_text("[")
    with pytest.raises(FormatError, match=r"contents.json:1: not JSON"):
        read_problems(tmp_path)
    with pytest.raises(FormatError, match="cannot read any problem of"):
        (tmp_path / "contents.json").unlink()
        (tmp_path / "EN001" / "unknown.txt").unlink()
        read_problems(tmp_path)


def test_an_id_that_is_a_path_is_not_written(tmp_path):
    with pytest.raises(InputError, match="a folder cannot have this problem id"):
        write_pan_problems(tmp_path / "o", Problems.of([("../x", ["a"], "b")]))
    assert list(tmp_path.iterdir()) == []


def test_several_corpora_and_splits_in_a_zip(tmp_path):
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for corpus in ("du", "gr"):
            for split in ("train", "test"):
                archive.writestr(f"{corpus}/{split}/A1/known01.txt", f"{corpus}{split}")
                archive.writestr(f"{corpus}/{split}/A1/unknown.txt", "u")
                archive.writestr(f"{corpus}/{split}/truth.txt", "A1 Y\r\n")
        archive.writestr("gr/distr.pdf", b"%PDF")
    found = read_problem_sets(tmp_path / "all.zip")
    assert [(s.name, s.split) for s in found] == [
        ("du", "test"),
        ("du", "train"),
        ("gr", "test"),
        ("gr", "train"),
    ]
    assert [s.name for s in read_problem_sets(tmp_path, "train")] == ["du", "gr"]
    with pytest.raises(FormatError, match="several sets"):
        read_problems(tmp_path / "all.zip", "test")
    for name in ("known01.txt", "unknown.txt"):
        (tmp_path / "x" / "train" / "A1").mkdir(parents=True, exist_ok=True)
        (tmp_path / "x" / "train" / "A1" / name).write_text("t")
    assert (s := read_problems(tmp_path / "x" / "train")).name == "x" and s.split == "train"


@pytest.mark.data
@pytest.mark.parametrize(
    "corpus, n, language",
    [("du_essays", 96, "dutch"), ("en_essays", 200, "english"), ("gr_articles", 100, "greek")],
)
def test_pan14_counts(pan14, corpus, n, language):
    for split in ("train", "test"):
        found = read_problems(pan14 / f"{corpus}.zip", split)
        assert (len(found), found.same.sum(), found.faults) == (n, n // 2, {})
        assert (found.name, found.split, found.language) == (corpus, split, language)
        assert not any(text.startswith("\ufeff") for text in found.problems.texts)


@pytest.mark.data
def test_143_english_essays_stand_in_both_splits(pan14):
    both = [
        {identity_key(t) for t in s.problems.texts}
        for s in read_problem_sets(pan14 / "en_essays.zip")
    ]
    assert len(both[0] & both[1]) == 143


def test_folders_of_known_texts_alone_are_no_problems(tmp_path):
    """A layout is told by its signs: without a questioned text, contents or truth these are authors' folders."""
    for candidate in ("candidate00001", "candidate00002"):
        (tmp_path / "c" / candidate).mkdir(parents=True)
        for number in (1, 2):
            (tmp_path / "c" / candidate / f"known{number:05d}.txt").write_text(
                f"{candidate} {number}."
            )
    corpus = load_corpus(tmp_path / "c", topic="none")
    assert sorted(one.author for one in corpus) == ["candidate00001"] * 2 + ["candidate00002"] * 2
    with pytest.raises(FormatError, match="no verification problems found here"):
        read_problem_sets(tmp_path / "c")
    for sign in ("candidate00001/unknown.txt", "truth.txt", "contents.json"):
        (tmp_path / "c" / sign).write_text("A text.")
        with pytest.raises(FormatError, match="these are verification problems"):
            load_corpus(tmp_path / "c", topic="none")
        (tmp_path / "c" / sign).unlink()
