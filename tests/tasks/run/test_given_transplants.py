"""The transplant probe on problems that are given: raven run --train --test, raven pan14, raven verify."""

from __future__ import annotations

import shlex
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

from given_problems import made_up, write_made_up
from ravenbench.cli.main import build
from ravenbench.problems.transplant import known_authors
from ravenbench.reading.problem_formats.pan_folders import write_pan_problems
from ravenbench.reports.report import analyse, report_of, write_report
from ravenbench.statistics.axes import EFFECTS, Content
from ravenbench.tasks.api import pan14, run, verify
from ravenbench.tasks.pan14.plan import Pan14Plan
from ravenbench.tasks.pan14.task import Pan14
from ravenbench.tasks.run.record import RunPlan
from ravenbench.tasks.verify.plan import VerifyPlan
from ravenbench.types import Problems
from ravenbench.verifiers.baselines import Length

pytestmark = pytest.mark.usefixtures("undrawn")

METHOD = "char-ngram(size=300)"
CONTENT = """
import os, sys
given, out = sys.argv[1:]
def words(path):
    return {w for w in open(path, encoding="utf-8").read().split() if len(w) > 7}
with open(out + "/answers.txt", "w") as file:
    for name in sorted(os.listdir(given)):
        place = os.path.join(given, name)
        if os.path.isdir(place):
            texts = {f: words(os.path.join(place, f)) for f in os.listdir(place)}
            u = texts.pop("unknown.txt")
            print(name, sum(len(u & k) / max(1, len(u | k)) for k in texts.values()) / len(texts), file=file)
"""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_made_up(tmp_path_factory.mktemp("given") / "es_essays")


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """A verifier that is told of content words alone: an outside program."""
    place = tmp_path_factory.mktemp("program") / "content.py"
    place.write_text(CONTENT)
    line = f"{shlex.quote(sys.executable)} {shlex.quote(str(place))} $inputDataset $outputDir"
    return f"command({line!r}, format='problems')"


def of(store, verifier):
    return next(row for row in report_of(store).to_json()["content"] if row["verifier"] == verifier)


def test_given_sets_with_several_known_documents(corpus, program, tmp_path):
    verifiers = f"{program}, function-words"
    done = run(
        train=str(corpus), test=str(corpus), verifiers=verifiers, out=tmp_path / "run", workers=1
    )
    assert done.errors == ()
    section = done.store.plan_as(RunPlan).transplant
    assert section.by == "content similarity" and section.reason is None
    entry, freely = section.folds
    assert (entry.replacement, freely.replacement) == ("fitted", "free")
    before, after = done.store.fold("given").test, done.store.fold(entry.arms["off"]).test
    assert (before.sizes == 2).all() and not set(after.ids.tolist()) & set(before.ids.tolist())
    known = [after.texts[row] for row in after.known_index]
    assert known == [before.texts[row] for i in entry.rows for row in before.known(i)]
    rows = analyse(done.store).content.rows
    assert rows[0].judged.outcome is Content.RELIES and rows[0].figures.swing.value > 0.5
    assert abs(rows[1].figures.swing.value) < 0.1
    assert [row.figures.batched for row in rows] == [False, False]
    cells = {p.name: p.stat().st_mtime_ns for p in (tmp_path / "run" / "cells").iterdir()}
    again = run(
        train=str(corpus), test=str(corpus), verifiers=verifiers, out=tmp_path / "run", workers=2
    )
    assert {p.name: p.stat().st_mtime_ns for p in (tmp_path / "run" / "cells").iterdir()} == cells
    assert of(again.store, "function-words") == of(done.store, "function-words")
    page = write_report(done.store).read_text()
    assert "a text with content most like the known texts" in page


def test_no_probe_where_none_is_asked_for(corpus, tmp_path):
    store = run(
        train=str(corpus), test=str(corpus), verifiers="length", probe="none", out=tmp_path / "a"
    ).store
    assert store.plan_as(RunPlan).transplant is None and len(store.plan.cells) == 1
    store = pan14(
        [corpus.parent], verifiers="length", probe="none", out=tmp_path / "b", workers=1
    ).store
    assert len(store.plan.cells) == 1 and analyse(store).content is None


def test_donors_are_nobody_that_truth_links_with_the_problem():
    texts = [f"text {i}" for i in range(8)]
    one = Problems.of([("a", texts[0:2], texts[2]), ("b", [texts[3]], texts[4])])
    code = known_authors([(one, np.array([True, False]))]).codes
    assert len(set(code[:3])) == 1 and len({code[0], code[3], code[4]}) == 3


@pytest.mark.slow
def test_pan14_reports_content_by_corpus_and_over_all(corpus, tmp_path):
    data = tmp_path / "data"
    for name, seed in (("es_essays", 0), ("gr", 1)):
        syllables = ("κα", "λος", "με", "ρα", "ότι", "σο", "φί", "τη", "γρά", "νω", "δε", "που")
        write_made_up(data / name, **({"syllables": syllables} if seed else {}))
    verifiers = "function-words, char-ngram(size=500)"
    store = pan14([data], verifiers=verifiers, out=tmp_path / "run", workers=1).store
    found = analyse(store)
    told = report_of(store, found).to_json()
    assert [row["verifier"] for row in told["content"]] == [
        "function-words",
        "char-ngram(size=500)",
    ]
    assert set(told["content_by_corpus"]) == {"es_essays", "gr"}
    for i, row in enumerate(told["content"]):
        each = [rows[i]["swing"] for rows in told["content_by_corpus"].values()]
        assert (
            row["swing"] == pytest.approx(np.mean(each))
            and row["interval"][0] < row["swing"] < row["interval"][1]
        )
    assert {c.transplant.by for c in store.plan_as(Pan14Plan).corpora} == {"content similarity"}
    keys = ("content", "content-1", "content-2")
    write_report(store)
    assert all((tmp_path / "run" / "report" / "tables" / f"{key}.csv").is_file() for key in keys)
    page = (tmp_path / "run" / "report" / "index.html").read_text()
    assert 'id="content"' in page and "these texts were chosen by content similarity" in page
    preview = Pan14({"data": [data], "verifiers": verifiers, "out": tmp_path / "run"}).preview()
    assert preview.done == len(store.plan.cells) == 32
    shown = CliRunner().invoke(
        build("pan14"),
        [
            "pan14",
            str(data),
            "--verifiers",
            verifiers,
            "--out",
            str(tmp_path / "run"),
            "--probe",
            "none",
        ],
    )
    assert "another spec" in str(shown.exception), "another probe is another run"


def test_texts_without_spaces_are_refused_with_the_reason(tmp_path):
    def glued(problems):
        rows = [
            (
                name,
                ["".join(problems.texts[r].split()) for r in problems.known(i)],
                "".join(problems.texts[int(problems.questioned_index[i])].split()),
            )
            for i, name in enumerate(problems.ids.tolist())
        ]
        return Problems.of(rows)

    for seed, part in enumerate(("train", "test")):
        problems, same = made_up(40, seed=seed)
        write_pan_problems(tmp_path / "one" / part, glued(problems), same, "english", "essays")
    store = pan14([tmp_path / "one"], verifiers="length", out=tmp_path / "run", workers=1).store
    found = analyse(store)
    assert "no spaces between words" in found.content.section.reason and found.corpora[0].rows
    assert found.content.row("length").judged.outcome is Content.NO_VERDICT
    assert "no spaces between words" in write_report(store).read_text()


def test_texts_that_cannot_be_transplanted_are_counted(tmp_path):
    test, same = made_up(60, seed=1)
    texts = [[test.texts[r] for r in test.known(i)] for i in range(60)]
    asked = [test.texts[int(r)] for r in test.questioned_index]
    every = " ".join(asked).split()
    common = sorted(set(every), key=every.count)[-60:]
    asked[0] = " ".join(word for word in common if len(word) < 6)
    asked[1] = " ".join(f"zz{a}{b}" for a in "abcdefghij" for b in "klmnopqrst")
    texts[2] = [asked[2], texts[2][1]]
    problems = Problems.of(zip(test.ids.tolist(), texts, asked, strict=True))
    write_pan_problems(tmp_path / "c" / "train", *made_up(40))
    write_pan_problems(tmp_path / "c" / "test", problems, same)
    store = pan14([tmp_path / "c"], verifiers="length", out=tmp_path / "run", workers=1).store
    left_out = store.plan_as(Pan14Plan).corpora[0].transplant.left_out
    assert sum(left_out.values()) == 3 and any("one of the known texts" in why for why in left_out)
    assert any("content words" in why for why in left_out) and any(
        "function words" in why for why in left_out
    )


def test_too_few_problems_give_no_verdict_and_the_run_goes_on(tmp_path):
    place = write_made_up(tmp_path / "few", n=(12, 16))
    found = analyse(pan14([place], verifiers="length", out=tmp_path / "run", workers=1).store)
    assert "20 of each are needed" in found.content.section.reason and found.corpora[0].rows


def test_verify_is_asked_on_demand_and_answers_stay_the_same(corpus, tmp_path):
    plain = verify(METHOD, train=corpus, test=corpus, folder=tmp_path / "a", workers=1)
    assert analyse(plain.store).content is None
    asked = verify(
        METHOD, train=corpus, test=corpus, folder=tmp_path / "b", probe="transplant", workers=1
    )
    assert np.array_equal(plain.answers.value, asked.answers.value)
    plan = asked.store.plan_as(VerifyPlan)
    arms = [f"test-{way}{arm}" for way in ("", "free-") for arm in ("along", "against", "off")]
    assert [b.fold for b in plan.blocks] == ["test", *arms, "test-batch"]
    row = of(asked.store, METHOD)
    assert row["problems"] == 60 and row["swing"] is not None and row["reason"] is None
    assert row["batch_matters"] is False
    write_report(asked.store)
    assert "Style left" in (tmp_path / "b" / "report" / "index.html").read_text()
    same = of(
        run(
            train=str(corpus), test=str(corpus), verifiers=METHOD, out=tmp_path / "c", workers=1
        ).store,
        METHOD,
    )
    assert same["swing"] == pytest.approx(row["swing"]), "both tasks ask the same"


def test_verify_without_truth_says_that_it_cannot(corpus, tmp_path):
    write_pan_problems(tmp_path / "blind", made_up(30, seed=3)[0])
    done = verify(
        "length",
        train=corpus,
        test=tmp_path / "blind",
        folder=tmp_path / "run",
        probe="transplant",
        workers=1,
    )
    assert "have no truth" in of(done.store, "length")["reason"]
    assert "have no truth" in write_report(done.store).read_text()


def test_a_verifier_that_refuses_odd_texts_leaves_the_axis_incomplete(
    corpus, tmp_path, monkeypatch
):
    honest = Length.pair_features
    plain = set(
        verify(
            "length", train=corpus, test=corpus, folder=tmp_path / "whole", workers=1
        ).store.texts
    )

    def refuse(odd):
        def fails(self, texts, known, questioned):
            if any(odd(texts[int(row)]) for row in questioned):
                raise ValueError("this text makes no sense")
            return honest(self, texts, known, questioned)

        monkeypatch.setattr(Length, "pair_features", fails)

    refuse(lambda text: text not in plain)
    done = pan14([corpus], verifiers="length, function-words", out=tmp_path / "all", workers=1)
    assert len(done.errors) == 7
    found = analyse(done.store)
    assert found.corpora[0].rows["length"].scores["auc"] is not None, "its own answers stand"
    judged = found.content.row("length").judged
    assert judged.outcome is Content.NO_VERDICT and "answers are missing" in judged.reason
    named = {f.fold for f in found.failures}
    arms = [f"{way}{arm}" for way in ("", "free-") for arm in ("along", "against", "off")]
    assert named == {f"es_essays, content {arm}" for arm in arms}
    assert found.content.row("function-words").judged.outcome is not Content.NO_VERDICT

    refuse(lambda text: text not in plain and sum(map(ord, text)) % 20 == 0)
    done = verify(
        "length", train=corpus, test=corpus, folder=tmp_path / "some", probe="transplant", workers=1
    )
    row = analyse(done.store).content.row("length")
    assert (
        0 < row.behind.refused < 30
        and f"{row.behind.refused} problems could not be answered" in row.judged.reason
    )
    assert row.figures.same + row.figures.different == 60, "what it leaves open counts as .5"
    assert row.behind.same + row.behind.different == 60 - row.behind.refused


@pytest.mark.extra
def test_a_neural_verifier_answers_transplanted_problems(corpus, tmp_path, need_extra):
    need_extra("torch")
    spec = "bagnall-2015(hidden=16, epochs=1, characters=3000, device='cpu', references=4)"
    done = run(train=str(corpus), test=str(corpus), verifiers=spec, out=tmp_path / "run", workers=1)
    assert done.errors == ()
    row = analyse(done.store).content.rows[0]
    assert row.figures.swing is not None and row.judged.outcome is not Content.NO_VERDICT


@pytest.mark.data
@pytest.mark.parametrize("name", ["du_essays", "en_essays", "gr_articles"])
def test_pan14_corpora(pan14, name, tmp_path):
    data = pan14 / f"{name}.zip"
    store = run(
        train=str(data), test=str(data), verifiers="style-only, char-ngram", out=tmp_path / "run"
    ).store
    section = store.plan_as(RunPlan).transplant
    assert section.reason is None and section.by == "content similarity"
    rows = {row.verifier: row for row in analyse(store).content.rows}
    assert rows["char-ngram"].judged.outcome is Content.RELIES
    assert rows["style-only"].judged.outcome not in EFFECTS
    assert abs(rows["style-only"].figures.drop.value) < 0.01, "a scorer of style is not hurt"
    assert rows["char-ngram"].figures.units >= 10
