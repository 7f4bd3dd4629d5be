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
    (table,) = beside(
        [Beside("a", 0.5, None, 0.6), Beside("b", None, None, 0.6)], "a paper", "other data."
    )
    assert [row[0] for row in table.rows] == ["a"] and "other data" in table.note
    assert beside([Beside("b", None, None, 0.6)], "a paper", "") == []


def test_a_method_that_lacked_parts_is_not_compared():
    (table,) = beside(
        [Beside("a", 0.5, (0.1, 0.9), 0.6, lacked=True), Beside("b", 0.5, (0.1, 0.9), 0.6)],
        "paper",
        "data.",
    )
    assert [row[-1] for row in table.rows] == ["not compared", "within our interval"]
    assert "ran without parts that it needs" in table.note


def test_what_an_obfuscator_lacks_is_in_the_plan(tmp_path, monkeypatch):
    from ravenbench.obfuscation.recipes import mihaylova_2016
    from ravenbench.reading.problem_formats.pan_folders import write_pan_problems
    from ravenbench.tasks.safety.task import Safety
    from ravenbench.testing import toy_problems

    monkeypatch.setattr(mihaylova_2016, "missing", lambda name: f"{name} is not here; fix: get it")
    for split, seed in (("train", 1), ("test", 2)):
        write_pan_problems(tmp_path / "toys" / split, *toy_problems(8, known=2, seed=seed))
    asked = {
        "problems": str(tmp_path / "toys"),
        "train": str(tmp_path / "toys"),
        "obfuscators": "mihaylova-2016, identity",
    }
    task = Safety({**asked, "verifiers": "length", "out": str(tmp_path / "run")})
    task.resolve()
    notes = [
        note for note in task.preview().notes if note.startswith("mihaylova-2016 lacks a part: ")
    ]
    assert (
        len(notes) == 3
        and "no synonyms, glosses or spelling: wordnet is not here; fix: get it" in notes[0]
    )


def test_a_missing_tagger_is_found_before_any_work(monkeypatch):
    from ravenbench import registry
    from ravenbench.errors import MissingPart
    from ravenbench.ext.shelf.published import harvey_2014, moreau_2014

    def absent(name):
        raise MissingPart(f"{name} is not here")

    monkeypatch.setattr(harvey_2014, "find", absent)
    monkeypatch.setattr(moreau_2014, "find", absent)
    for name in ("harvey-2014", "moreau-2014(tags=True)"):
        with pytest.raises(MissingPart, match="perceptron_tagger"):
            registry.named("verifier", name)
    assert registry.named("verifier", "moreau-2014")


def test_a_run_of_a_collection_has_the_papers_figures_beside_its_own(tmp_path, monkeypatch):
    from ravenbench import run, write_report

    made = run(
        "synthetic(documents=120, authors=24, topics=8, words=60)",
        verifiers="char-ngram, length",
        topics=4,
        folds=2,
        pools=1,
        probe="none",
        out=tmp_path / "run",
        workers=1,
    )
    assert (
        report_of(made).published() == []
    )  # made-up texts, and one's own, have nothing to do with the paper's
    monkeypatch.setattr("ravenbench.reports.beside.MADE_UP", ())
    frame = made.to_polars("published")
    assert frame["figure"].to_list()[:2] == ["HITS: mean topic similarity", "HITS: highest"]
    by = dict(zip(frame["figure"], frame["printed"], strict=True))
    assert (
        by["HITS: overall of char-ngram"] == 0.926 and by["Random: overall of char-ngram"] == 0.927
    )
    page = write_report(made.store)
    assert (
        "fan fiction of PAN 2020" in page.read_text()
        and (page.parent / "tables" / "published.csv").is_file()
    )
    assert report_of(made).published()[0].note.startswith("Why they may differ: ")


def test_all_published_methods_have_one_name(tmp_path, monkeypatch):
    monkeypatch.setattr("ravenbench.ext.shelf.published.harvey_2014.find", lambda _: None)
    from ravenbench.reading.problem_formats.pan_folders import write_pan_problems
    from ravenbench.testing import toy_problems

    for split, seed in (("train", 1), ("test", 2)):
        write_pan_problems(tmp_path / "du_essays" / split, *toy_problems(6, known=2, seed=seed))
    task = Pan14({"data": (str(tmp_path),), "verifiers": "published"})
    task.resolve()
    assert list(task.named) == [name for name in PUBLISHED if name != "META-CLASSIFIER"]
