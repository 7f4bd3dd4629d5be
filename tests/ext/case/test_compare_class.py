"""A class: every author's newest text against their own others; who wrote it, and that nobody judges themselves."""

import json
import shutil

import msgspec
import numpy as np
import pytest
from comparable import FAST, background, text, write

import ravenbench
from ravenbench.errors import CorpusError, SpecError, StoreError
from ravenbench.ext.case.compare.analysis import CaseFound, judged_by
from ravenbench.ext.case.compare.background import choose, fitting_shape
from ravenbench.ext.case.compare.classes import newest, read_class, written_dates
from ravenbench.ext.case.compare.model import read_scores
from ravenbench.ext.case.compare.record import (
    CaseRecord,
    CaseTextRecord,
    ComparePlan,
    Reason,
    Why,
)
from ravenbench.ext.case.compare.spec import build as spec_of
from ravenbench.ext.case.compare.task import Compare
from ravenbench.ext.case.like_case import Shape
from ravenbench.reading.load import load_corpus
from ravenbench.reports.report import analyse, write_report
from ravenbench.store.resume import _local_paths
from ravenbench.store.store import Store
from ravenbench.texts import TextTable
from ravenbench.types import Corpus, Labels

STRANGE, WRITER = 3, 70
"""The member whose last essay somebody else wrote, and who did."""


def class_of(folder, members=range(12), texts=4):
    """A folder of authors; the last text of one of them is by somebody else."""
    background(folder, members, texts)
    for member in members:
        write(
            folder / f"author{member:02d}" / "9.txt",
            text(WRITER if member == STRANGE else member, 50),
        )
    return folder


@pytest.fixture(autouse=True, scope="module")
def fewer_authors_do(few_authors_do):
    """Each of the twelve is judged by the eleven others, whose pairs decide as they were drawn."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ravenbench.ext.case.compare.background.LIKE", 8)
        patch.setattr("ravenbench.ext.case.compare.background.FEWEST_AUTHORS", 9)
        patch.setattr("ravenbench.ext.case.compare.analysis.SURE", 0.0)
        yield


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    place = tmp_path_factory.mktemp("class")
    result = ravenbench.compare(each=class_of(place / "class"), out=place / "out", **FAST)
    assert result.errors == ()
    return result.store


def test_the_essay_by_somebody_else_stands_out(done):
    found = {case.id: case for case in analyse(done).cases}
    llr = {name: case.scored.fused.llr for name, case in found.items()}
    assert (
        len(llr) == 12
        and min(llr, key=llr.get) == f"author{STRANGE:02d}"
        and min(llr.values()) < -0.3
    )
    assert sum(value > 0.3 for value in llr.values()) >= 8
    assert all(case.questioned.name == f"{name}/9.txt" for name, case in found.items())
    assert all(len(case.known) == 4 for case in found.values())


@pytest.mark.slow
def test_the_page_of_a_class_leads_from_what_needs_attention_to_every_answer(done):
    place = write_report(done).parent
    index, told = (
        (place / "index.html").read_text(),
        json.loads((place / "report.json").read_text()),
    )
    assert (
        told["cases"][0]["case"] == f"author{STRANGE:02d}"
        and '<a href="answer-1.html">author03</a>' in index
    )
    assert told["by_chance"] in index and "Of 12 texts by their own authors" in told["by_chance"]
    pages = [(place / f"answer-{number}.html").read_text() for number in range(1, 13)]
    for told_case, page in zip(told["cases"], pages, strict=True):
        assert (told_case["sentence"] or "Raven gives no answer") in page
    assert "author03/9.txt" in pages[0]
    assert "belongs to a class" in pages[0] and (place / "figures" / "place-12.svg").is_file()


def test_nobody_is_judged_by_what_learned_from_them_and_trainings_are_shared(done):
    plan = done.plan_as(ComparePlan)
    (shape,) = plan.shapes
    questioned = {text(WRITER if member == STRANGE else member, 50) for member in range(12)}
    own = {
        f"author{member:02d}": " ".join(text(member, number) for number in range(4))
        for member in range(12)
    }
    for name in shape.case_folds:
        fold = done.fold(name)
        first = name.removesuffix("-case") in plan.folds
        if first:
            own_fold = plan.folds[name.removesuffix("-case")]
            assert plan.folds[name].train_digest == own_fold.train_digest
        trained = [fold.train.texts[row] for row in fold.train.documents]
        assert not questioned & set(trained)
        number = int(name.removeprefix("s0-f").removesuffix("-case"))
        for case in plan.cases:
            if case.part == number % len(shape.folds):
                assert not any(one in own[case.id] for one in trained)
    assert len(shape.case_folds) == 2 * len({case.part for case in plan.cases})
    for case in analyse(done).cases:
        member = plan.background.authors.index(case.id)
        (record,) = [one for one in plan.cases if one.id == case.id]
        pairs = judged_by(record, read_scores(done, plan, shape)).pairs
        assert record.author == member and member not in pairs.authors
        assert len(np.unique(pairs.authors)) == 11
        assert analyse(done).pairs[case.pairs].same.tolist() == pairs.same.tolist()


def corpus_of(ids, **columns):
    texts = TextTable.collect(f"text {name}" for name in ids)[0]
    author = Labels.of(["ann"] * len(ids))
    return Corpus(
        "c", texts, tuple(ids), author, author, None, {k: Labels.of(v) for k, v in columns.items()}
    )


@pytest.mark.parametrize(
    ("ids", "columns", "which", "name", "how"),
    [
        (["a/essay2", "a/essay10", "a/essay9"], {}, None, "a/essay10", "last by name"),
        (
            ["a/z 2024-11-30", "a/b_20250102", "a/c 2024.12"],
            {},
            None,
            "a/b_20250102",
            "by the date in its name",
        ),
        (
            ["1", "2", "3"],
            {"Date": ["2024-05-01", "2026-01-01", "2025-01-01"]},
            None,
            "2",
            "by the column 'Date'",
        ),
        (
            ["a/draft1", "a/final1", "a/final2", "a/x"],
            {},
            "FINAL",
            "a/final2",
            "with 'FINAL' in its name",
        ),
        (["a/draft1", "a/x"], {}, "final", None, "no text has 'final' in its name"),
        (["a/2024-01-01", "a/essay"], {}, None, "a/essay", "last by name"),
    ],
)
def test_the_newest_text_is_the_one_in_question(ids, columns, which, name, how):
    corpus = corpus_of(ids, **columns)
    row, words = newest(corpus, range(len(ids)), which)
    assert (None if row is None else corpus.ids[row]) == name and how in words


@pytest.mark.slow
def test_essays_copied_from_one_another_are_not_compared(tmp_path):
    place = class_of(tmp_path / "class", range(10))
    write(place / "author01" / "9.txt", text(2, 50) + " And so.")
    found = analyse(ravenbench.compare(each=place, out=tmp_path / "out", **FAST).store).cases
    reasons = {case.id: " ".join(map(str, case.reasons)) for case in found if case.reasons}
    assert (
        "repeats that of author02" in reasons["author01"]
        and "repeats that of author01" in reasons["author02"]
    )


@pytest.mark.slow
def test_exact_copies_are_named_above_the_table(tmp_path):
    place = class_of(tmp_path / "class", range(10))
    write(place / "author01" / "9.txt", text(2, 50))
    found = ravenbench.compare(each=place, out=tmp_path / "out", **FAST)
    page = (write_report(found.store).parent / "index.html").read_text()
    said = page.index("Raven leaves out whole texts of two authors")
    assert said < page.index('id="table-cases"'), page[said : said + 300]
    assert "author01/9 and author02/9" in page[said : said + 300]


def test_a_background_beside_the_class_and_members_with_one_text(tmp_path):
    place = class_of(tmp_path / "class", range(6))
    write(place / "lone" / "1.txt", text(99, 1))
    others = background(tmp_path / "last-year", [1, *range(20, 30)])
    material = read_class(spec_of({"each": place, "background": others}))
    assert [case.id for case in material.cases] == [f"author{member:02d}" for member in range(6)]
    assert len(material.corpus.author.names) == 7 + 10 and not any(
        "9" in name for name in material.corpus.ids[:24]
    )
    assert any("no case for lone: only one text" in note for note in material.notes)
    assert any("their authors have names of class members" in note for note in material.notes)


def test_a_plan_refuses_what_the_run_refuses_and_in_the_same_words(tmp_path):
    """Four of the others in one part would leave eight; nobody else's texts are as alike as those of one member."""
    place = class_of(tmp_path / "class")
    for number in (0, 1, 2, 3, 9):
        write(place / "author05" / f"{number}.txt", text(5, number, topic=7))
    values = {"each": place, "out": tmp_path / "out", **FAST}
    planned = [note for note in Compare.plan(values).notes if "no answer" in note]
    cases = analyse(ravenbench.compare(**values).store).cases
    refused = [case for case in cases if not case.answered]
    assert [case.id for case in refused] == ["author05"] and len(cases) == 12
    assert "same-author pairs" in refused[0].sentence and refused[0].scored is None
    assert planned == [f"author05: no answer, because {refused[0].reasons[0]}."]


def test_a_shape_is_chosen_if_a_quarter_more_authors_than_needed_have_pairs(tmp_path):
    background(tmp_path, range(10), texts=3, words=300)
    background(tmp_path, range(10, 12), texts=3, words=150)
    corpus = load_corpus(tmp_path)
    shapes = []
    for fewest in (8, 9):
        chosen = choose(corpus, np.ones(len(corpus), dtype=np.bool_), 80, 0, fewest)
        shapes.append(fitting_shape(chosen, Shape((300,), 300)))
    assert [(shape.questioned > 250, len(able)) for shape, able in shapes] == [
        (True, 10),
        (False, 12),
    ]


def test_a_class_that_an_earlier_version_answered_is_refused_in_one_sentence(done, tmp_path):
    earlier = shutil.copytree(done.path, tmp_path / "earlier")
    for name in ("run.json", "plan.json"):
        told = (earlier / name).read_text()
        (earlier / name).write_text(told.replace('"format": 4', '"format": 3'))
    said = r"another version of Raven wrote this folder\s+found: format 3\s+expected: format 4"
    with pytest.raises(StoreError, match=said):
        analyse(Store.open(earlier))


def test_usage(tmp_path):
    place = class_of(tmp_path / "class", range(2))
    with pytest.raises(SpecError, match="a class already includes all texts"):
        ravenbench.compare(each=place, known=place, out=tmp_path / "out")
    with pytest.raises(CorpusError, match="no author has a questioned text"):
        ravenbench.compare(each=place, which="essay", out=tmp_path / "out")
    with pytest.raises(SpecError, match="'which' selects"):
        ravenbench.compare(which="essay", out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_short_texts_of_a_class_are_compared_among_themselves(tmp_path):
    place = class_of(tmp_path / "class", range(12))
    for number in range(4):
        write(place / "author05" / f"{number}.txt", text(5, number, 90))
    write(place / "author05" / "9.txt", text(5, 50, 80))
    store = ravenbench.compare(each=place, out=tmp_path / "out", **FAST).store
    plan = store.plan_as(ComparePlan)
    shapes = {shape.name: shape for shape in plan.shapes}
    by_case = {case.id: shapes[case.shape].questioned for case in plan.cases}
    assert len(shapes) == 2 and by_case["author05"] < min(
        by_case[f"author{i:02d}"] for i in range(12) if i != 5
    )
    assert np.isfinite(
        [case.scored.fused.llr for case in analyse(store).cases if case.scored]
    ).all()


def test_a_refusal_keeps_its_kind_and_copies_stand_first():
    text = CaseTextRecord(name="t", row=0, words=9, sha256="", coverage=0.5)
    reasons = [Reason(Why.COPIED, "it repeats another")]
    told = {"candidate": "p", "questioned": text, "known": [], "notes": []}
    case = CaseRecord(**told, id="c", shape=None, refusals=reasons)
    again = msgspec.json.decode(msgspec.json.encode(case), type=CaseRecord)
    assert again.refusals[0].why is Why.COPIED and str(again.refusals[0]) == "it repeats another"
    found = {"compared": None, "alike": None, "scored": None, "sentence": ""}
    assert CaseFound(**told, **found, id="c", reasons=reasons).attention == (0, 0.0)


@pytest.mark.parametrize(
    ("names", "dates"),
    [
        (["A 03.05.2024", "A 28.02.2024"], [(2024, 5, 3), (2024, 2, 28)]),
        (["A 05-03-2024", "A 02-28-2024"], [(2024, 5, 3), (2024, 2, 28)]),
        (
            ["15 March 2024", "Mar 3, 2024", "3. M\u00e4rz 2024"],
            [(2024, 3, 15), (2024, 3, 3), (2024, 3, 3)],
        ),
        (
            ["1er ao\u00fbt 2023", "2024_mai_3", "3 \u043c\u0430\u044f 2024"],
            [(2023, 8, 1), (2024, 5, 3), (2024, 5, 3)],
        ),
        (["2023-11-30", "20240201", "2024-02"], [(2023, 11, 30), (2024, 2, 1), (2024, 2, 0)]),
        (["Mark_2024", "chapter 1.2.3", "v1.2.24", "essay 99.99.2024"], [None] * 4),
    ],
)
def test_dates_are_read_as_people_write_them(names, dates):
    assert written_dates(names)[0] == dates


def test_dates_that_may_be_read_in_two_ways_are_said():
    assert "03/04/2024 as day, month and year" in written_dates(["03/04/2024", "05/06/2024"])[1]
    assert not written_dates(["03/04/2024", "25/06/2024"])[1]


def test_the_answer_may_stand_beside_the_class(tmp_path, monkeypatch):
    """As in ``raven compare --each essays/ -o class``: no background is named, and the folder is no input."""
    monkeypatch.chdir(tmp_path)
    class_of(tmp_path / "essays")
    task = Compare({"each": "essays", "out": "class", **FAST})
    task.resolve()
    assert task.folder.name == "class"
    assert [*_local_paths(task.spec.resolved())] == ["essays"]
