"""What papers print stands beside what was found, and which way they differ is said of theirs."""

import pytest

from ravenbench.reports.beside import Beside, beside, theirs_is
from ravenbench.reports.report import report_of
from ravenbench.tasks.pan14.published import PUBLISHED
from ravenbench.tasks.pan14.task import Pan14

pytestmark = pytest.mark.usefixtures("undrawn")


@pytest.mark.parametrize(
    ("printed", "ours", "interval", "said"),
    [
        (0.9, 0.7, (0.6, 0.8), "above ours"),
        (0.5, 0.7, (0.6, 0.8), "below ours"),
        (0.65, 0.7, (0.6, 0.8), "within our interval"),
        (0.9, 0.7, None, "above ours"),
        (0.7, 0.7, None, "the same"),
        (None, 0.7, None, "n/a"),
        (0.9, None, None, "n/a"),
    ],
)
def test_it_is_said_of_theirs(printed, ours, interval, said):
    assert theirs_is(printed, ours, interval) == said


def test_a_table_has_what_was_found_alone():
    (table,) = beside([Beside("a", 0.5, None, 0.6), Beside("b", None, None, 0.6)], "a paper", "other data.")
    assert [row[0] for row in table.rows] == ["a"] and "other data" in table.note
    assert beside([Beside("b", None, None, 0.6)], "a paper", "") == []


def test_a_run_of_a_collection_has_the_papers_figures_beside_its_own(tmp_path, monkeypatch):
    from ravenbench import run, write_report

    made = run(
        "synthetic(documents=120, authors=24, topics=8, words=60)", verifiers="char-ngram, length", topics=4, folds=2,
        pools=1, probe="none", out=tmp_path / "run", workers=1,
    )  # fmt: skip
    assert report_of(made).published() == []  # made-up texts, and one's own, have nothing to do with the paper's
    monkeypatch.setattr("ravenbench.reports.beside.MADE_UP", ())
    frame = made.to_polars("published")
    assert frame["figure"].to_list()[:2] == ["HITS: mean topic similarity", "HITS: highest"]
    by = dict(zip(frame["figure"], frame["printed"], strict=True))
    assert by["HITS: overall of char-ngram"] == 0.926 and by["Random: overall of char-ngram"] == 0.927
    page = write_report(made.store)
    assert "fan fiction of PAN 2020" in page.read_text() and (page.parent / "tables" / "published.csv").is_file()
    assert report_of(made).published()[0].note.startswith("Why they may differ: ")


def test_all_published_methods_have_one_name(tmp_path, monkeypatch):
    from ravenbench.formats.problems import write_pan_problems
    from ravenbench.testing import toy_problems

    for split, seed in (("train", 1), ("test", 2)):
        write_pan_problems(tmp_path / "du_essays" / split, *toy_problems(6, known=2, seed=seed))
    task = Pan14({"data": (str(tmp_path),), "verifiers": "published"})
    task.resolve()
    assert list(task.named) == [name for name in PUBLISHED if name != "META-CLASSIFIER"]
