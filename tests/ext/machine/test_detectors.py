"""Detectors: the published baselines, and what the report says of them first."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.svm import LinearSVC

import ravenbench
from ravenbench import registry
from ravenbench.errors import InputError
from ravenbench.ext.machine.detectors import as_problems, of_pair
from ravenbench.statistics.estimates import share_of
from ravenbench.testing import toy_problems

TEXTS = [f"{'people write so ' * (i % 5)} and so {i}" if i % 2 else f"as a model, {i} is {i % 3}" for i in range(40)]
MACHINE = np.arange(40) % 2 == 0


def test_tfidf_svm_is_the_published_pipeline():
    problems = as_problems(TEXTS, [str(i) for i in range(40)])
    fitted = registry.parse("detector", "tfidf-svm(undecided=0)").fit(problems.select(np.arange(30)), MACHINE[:30])
    words = TfidfVectorizer(ngram_range=(1, 4), max_features=1000).fit(TEXTS[:30])
    machine = LinearSVC(random_state=0).fit(words.transform(TEXTS[:30]), MACHINE[:30])
    decision = machine.decision_function(words.transform(TEXTS[30:]))
    np.testing.assert_allclose(fitted.verify(problems.select(np.arange(30, 40))), 1 / (1 + np.exp(-decision)))


@pytest.mark.extra
def test_compression_is_the_published_number(need_extra):
    pyppmd = need_extra("pyppmd")
    text = "He said that he would come, and he came. " * 5 + "She said nothing at all."
    sizes = [len(pyppmd.compress(part)) for part in (text[: len(text) // 2], text[len(text) // 2 :], text)]
    expected = (sizes[0] + sizes[1] - sizes[2]) / np.sqrt(sizes[0] * sizes[1])
    assert registry.parse("detector", "ppmd-halves").of_text(text) == pytest.approx(expected)


def test_a_pair_is_answered_by_the_more_human_text():
    assert of_pair(0.9, 0.2) == 0.9 and of_pair(0.2, 0.9) == 0.1 and of_pair(0.5, 0.5) == 0.5
    assert of_pair(0.3, 0.2) == 0.9 and of_pair(0.2, 0.3) == 0.1


def test_texts_of_one_author_are_not_independent():
    called = np.repeat([True, False, False, False], 10)
    alone, together = (share_of(called, groups)[1] for groups in (np.arange(40), np.repeat(np.arange(4), 10)))
    assert together[0] < alone[0] and together[1] > alone[1]
    never = np.zeros(40, dtype=bool)
    assert share_of(np.arange(40) < 1, np.repeat(np.arange(4), 10))[1][1] > 0.4, "nor one false alarm among four"
    assert share_of(never, np.zeros(40, dtype=int))[1][1] > 0.7, "one author who is never accused says little"


@pytest.fixture
def files(tmp_path):
    for name, part in (("train", slice(0, 24)), ("test", slice(24, 40))):
        rows = [
            {"id": f"{name}{i}", "text": t, "label": int(m)}
            for i, (t, m) in enumerate(zip(TEXTS[part], MACHINE[part], strict=True))
        ]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    people = [{"text": TEXTS[1].replace(" ", "  "), "author": "a1", "topic": "t", "native": "no"}] + [
              {"text": f"I wrote this in 19{i}, by hand and with a pen", "author": f"a{i % 7}", "topic": "t",
               "native": "yes" if i % 2 else "no"} for i in range(60)]  # fmt: skip
    (tmp_path / "people.jsonl").write_text("".join(json.dumps(row) + "\n" for row in people))
    return {name: str(tmp_path / f"{name}.jsonl") for name in ("train", "test", "people")}


def test_texts_of_one_kind_teach_nothing(files, tmp_path):
    rows = (tmp_path / "train.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "train.jsonl").write_text("".join(row for row in rows if '"label": 0' in row))
    with pytest.raises(InputError, match="one kind") as error:
        ravenbench.detect(files["test"], train=files["train"], people=files["people"], out=tmp_path / "run")
    assert "12 texts, all of them by people" in str(error.value) and not (tmp_path / "run").exists()


def test_false_alarms_come_first_and_nothing_is_shown_without_them(files, tmp_path):
    result = ravenbench.detect(
        files["test"], train=files["train"], people=f"{files['people']}, {files['people']}", by="native",
        out=tmp_path / "run", detectors="tfidf-svm, text-length", workers=1,
    )  # fmt: skip
    from ravenbench.reports.report import report_of

    report = report_of(result)
    assert [t.key for t in report.tables()][:3] == ["false-alarms", "scores", "shares"]
    alarms = [share for share in report.analysis.alarms if share.detector == "tfidf-svm"]
    assert {"all", "native yes", "native no"} <= {share.part for share in alarms} and alarms[0].texts == 60
    assert [share.part for share in alarms].count("all") == 1, "named twice, measured once"
    assert "Left out of people, since detectors learn from them: 1 text." in report.tables()[0].note
    assert "None of 60 texts that people wrote is called a machine's (tfidf-svm" in report.finding()
    for key in [
        place.key for place in result.store.plan.cells if place.fold != "test" and place.verifier == "tfidf-svm"
    ]:
        (result.store.path / "cells" / f"{key}.cell").unlink()
    lacking = report_of(result).analysis
    assert lacking.withheld == ("tfidf-svm",) and set(lacking.scores) == {"text-length"}


def test_texts_to_learn_from_are_not_asked_about(files, tmp_path):
    (tmp_path / "own.jsonl").write_text(
        "".join(json.dumps({"text": t, "author": "a", "topic": "t"}) + "\n" for t in TEXTS[1:24:2])
    )
    for change, said in (
        ({"train": files["test"]}, "among those to learn from"),
        ({"people": str(tmp_path / "own.jsonl")}, "every one of these texts"),
        ({"people": " , "}, "no texts by people"),
    ):
        with pytest.raises(InputError, match=said):
            ravenbench.detect(
                files["test"], **{"train": files["train"], "people": files["people"]} | change, out=tmp_path / "run"
            )


def test_toy_texts_pass_through_any_detector():
    problems, _ = toy_problems(12)
    fitted = registry.parse("detector", "text-length").fit(problems, np.arange(12) % 2 == 0)
    assert fitted.score(problems).shape == (12,)
