"""Reviews by people: what the viewer exports is matched with a run's rewritings, or refused with one clear error."""

import json
import shutil
from pathlib import Path

import pytest

from ravenbench.errors import FormatError, InputError
from ravenbench.ext.site.diff.comparison import diff_page
from ravenbench.ext.site.diff.pages import from_run
from ravenbench.reading.problem_formats.pan_folders import write_pan_problems
from ravenbench.reading.reviews import VERSION, read_reviews
from ravenbench.reports.report import analyse
from ravenbench.store.store import Store
from ravenbench.tasks.api import safety
from ravenbench.tasks.safety.measures import NAME
from ravenbench.tasks.safety.report import SafetyReport
from ravenbench.testing import toy_problems

pytestmark = pytest.mark.usefixtures("undrawn")

GRADES = {"anna": (1, 2, 3, 4, 5, 5), "ben": (1, 2, 3, 5, 5, 4)}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The keyword arguments of a small run that is done."""
    folder = tmp_path_factory.mktemp("graded")
    for name, seed in (("train", 1), ("test", 2)):
        problems, same = toy_problems(24, 2, seed=seed, words=120)
        write_pan_problems(folder / name, problems, same)
    given = {
        "problems": folder / "test",
        "train": folder / "train",
        "obfuscators": "identity, random(rate=0.9)",
        "verifiers": "length",
        "attacks": "none",
        "limit": 6,
        "out": folder / "run",
        "workers": 1,
    }
    assert safety(**given).errors == ()
    return given


def exported(run):
    """What the page of each rewriting would export of itself."""
    pages = (diff_page(c) for c in from_run(run["out"]))
    return [
        json.loads(p.partition('<script type="application/json" id="about">')[2].partition("<")[0])
        for p in pages
    ]


def review(about, **changes):
    rest = {
        "grader": "anna",
        "grade": 2,
        "graded_blind": True,
        "verdict": "passable",
        "faults": [],
        "notes": "",
    }
    return {**about, **rest, "reviewed": "2026-01-01T00:00:00Z", **changes}


@pytest.mark.parametrize("name", ["measures/index.json", "detection.json"])
def test_what_a_report_lacks_beside_cells_is_said(run, tmp_path, name):
    folder = Path(shutil.copytree(run["out"], tmp_path / "run"))
    assert SafetyReport(Store.open(folder)).gaps == []
    (folder / name).write_bytes((folder / name).read_bytes()[:-9])
    assert {gap.reason for gap in SafetyReport(Store.open(folder)).gaps} == {"missing or damaged"}
    assert (
        safety(**{**run, "out": folder}).errors == ()
        and SafetyReport(Store.open(folder)).gaps == []
    )


def test_grades_stand_beside_measures(run, tmp_path):
    pages = exported(run)
    assert len(pages) == 6 and all(about["review"] == VERSION for about in pages)
    for grader, grades in GRADES.items():
        (tmp_path / grader).mkdir()
        for i, (about, grade) in enumerate(zip(pages, grades, strict=True)):
            one = review(about, grader="", grade=grade, verdict=("correct", "incorrect")[grade > 3])
            (tmp_path / grader / f"{i}.json").write_text(json.dumps(one))
    store = safety(**run, grades=tmp_path).store
    found = analyse(store)
    (row,) = found.people.rows
    assert (row.obfuscator, row.texts, row.blind) == ("random(rate=0.9)", 6, 1)
    assert row.grade == pytest.approx(20 / 6)
    assert row.verdicts == {"correct": 0.5, "passable": 0, "incorrect": 0.5}
    assert row.graders == 2 and 0.8 < row.grade_alpha < 1 and row.verdict_alpha == 1
    assert row.grade_interval[0] < row.grade_alpha
    report = SafetyReport(store, found)
    (tmp_path / "report").mkdir()
    report.fill(tmp_path / "report")
    shown = (tmp_path / "report" / "index.html").read_text()
    assert "What readers said" in shown and "Too few problems to rank" in shown
    assert json.loads(json.dumps(report.to_json()))["people"]["graders"] == ["anna", "ben"]
    # Without grades, those that are kept stay.
    assert analyse(safety(**run).store).people == found.people
    (run["out"] / NAME).unlink()
    assert analyse(safety(**run).store).people is None


BAD = {
    "a grade of another scale": ({"grade": 6}, "this is not a grade"),
    "half a grade": ({"grade": 2.5}, "this is not a grade"),
    "a grade in words": ({"grade": "2"}, "not a complete review"),
    "an unknown verdict": ({"verdict": "fine"}, "not a complete review"),
    "nothing said": ({"grade": None, "verdict": None}, "contains neither a grade nor a verdict"),
    "unknown version": ({"review": 9}, "unknown version"),
    "nobody": ({"grader": " "}, "the grader has no name"),
    "a text that is not there": ({"id": "EN999"}, "not in this run"),
    "a system that is not there": ({"system": "somebody-2030"}, "not in this run"),
    "another version of a text": ({"rewritten": "0" * 64}, "another version of this text"),
}


@pytest.mark.parametrize(("changes", "told"), BAD.values(), ids=BAD)
def test_what_cannot_be_used_is_refused_whole(run, tmp_path, changes, told):
    first, second, *_ = exported(run)
    (tmp_path / "good.json").write_text(json.dumps(review(first)))
    (tmp_path / "odd.json").write_text(json.dumps(review(second, **changes)))
    with pytest.raises(InputError, match=told) as error:
        safety(**run, grades=tmp_path)
    assert "odd.json" in str(error.value)
    assert not (run["out"] / NAME).exists()


@pytest.mark.parametrize("data", [b'{"review": 1, "id', b"[" * 100_000, b"{}", b"", b"\xff"])
def test_damaged_files(tmp_path, data):
    (tmp_path / "a.json").write_bytes(data)
    with pytest.raises(FormatError, match=r"a\.json"):
        read_reviews(tmp_path)


def test_no_reviews_and_two_of_one(run, tmp_path):
    with pytest.raises(InputError, match="folder of reviews not found"):
        read_reviews(tmp_path / "none")
    with pytest.raises(InputError, match="no review found here"):
        read_reviews(tmp_path)
    for name in ("a", "b"):
        (tmp_path / f"{name}.json").write_text(json.dumps(review(exported(run)[0])))
    with pytest.raises(InputError, match="graded one text twice"):
        read_reviews(tmp_path)
