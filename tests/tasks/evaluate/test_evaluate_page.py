"""Page, figures, break-downs, runs as answers, and the Python call."""

from __future__ import annotations

import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import ravenbench
from ravenbench.errors import InputError
from ravenbench.metrics import scores
from ravenbench.reading.answers import Truth, read_truth
from ravenbench.reading.problem_formats.pan_pairs import write_pan_pairs
from ravenbench.reading.tabular import ProblemAttribute, quantiles, read_attribute
from ravenbench.store.store import Store
from ravenbench.tasks.evaluate.analysis import evaluate
from ravenbench.tasks.evaluate.api import is_run, read_run
from ravenbench.tasks.evaluate.report import write_evaluation
from ravenbench.tasks.run.record import RunPlan
from ravenbench.testing import toy_problems
from ravenbench.types import Floats, Labels

QUICK = {"replicates": 200, "trials": 200}


def simulated(names: list[str], n: int = 240, seed: int = 0) -> tuple[Truth, dict[str, Floats]]:
    rng = np.random.default_rng(seed)
    same = rng.random(n) < 0.5
    systems = {}
    for i, name in enumerate(names):
        value = np.clip(same * 0.1 * i + rng.random(n) * (1 - 0.1 * i), 0, 1)
        systems[name] = np.where(rng.random(n) < 0.1, 0.5, value)
    return Truth(np.array([f"p{i}" for i in range(n)]), same), systems


class Reader(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.addresses: list[str] = []
        self.handlers: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in ("src", "href", "xlink:href", "srcset"):
                self.addresses.append(value or "")
            if name.startswith("on"):
                self.handlers.append(name)

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    truth, systems = simulated([f"system {i}" for i in range(8)])
    by = ProblemAttribute("genre", Labels.of("ab"[i % 2] for i in range(len(truth))))
    found = evaluate(truth, systems, breakdowns=[by], **QUICK)  # type: ignore[arg-type]
    return write_evaluation(found, tmp_path_factory.mktemp("evaluation") / "out")


def test_page_stands_alone(page: Path) -> None:
    text = page.read_text()
    found = Reader(text)
    assert len(text.encode()) < 2_000_000
    assert all(a.startswith("#") for a in found.addresses)
    assert not re.search(r"@import|url\((?!#)", text)
    assert not {"link", "iframe", "object", "embed", "base", "form", "img"} & set(found.tags)
    assert len(found.ids) == len(set(found.ids))
    assert {a[1:] for a in found.addresses} <= set(found.ids)
    assert "prefers-color-scheme: dark" in text and "@media print" in text
    told = " ".join(found.text.split())
    for part in (
        "Rank 1",
        "ROC convex hull",
        "Least expected cost",
        "By genre",
        "macro mean",
        "meta-mean",
        "Holm",
    ):
        assert part in told, part


def test_hostile_names_are_inert(tmp_path: Path, hostile_text: str) -> None:
    truth, systems = simulated([hostile_text, "b" * 300, "_c&%$"])
    path = write_evaluation(evaluate(truth, systems, **QUICK), tmp_path / "out")  # type: ignore[arg-type]
    found = Reader(path.read_text())
    assert found.tags.count("script") == 1 and not found.handlers and "img" not in found.tags
    assert "\u202e" not in found.text and "{{7*7}}" in found.text
    for figure in (path.parent / "figures").glob("*.svg"):
        ElementTree.fromstring(figure.read_text())


def test_single_system_and_one_class(tmp_path: Path) -> None:
    truth, systems = simulated(["only"])
    text = Reader(
        write_evaluation(evaluate(truth, systems, **QUICK), tmp_path / "a").read_text()
    ).text  # type: ignore[arg-type]
    assert "Significance" not in text and "only on 240" in text
    one = Truth(truth.ids, np.ones(len(truth), dtype=bool))
    text = Reader(
        write_evaluation(evaluate(one, systems, **QUICK), tmp_path / "b").read_text()
    ).text  # type: ignore[arg-type]
    assert "by the same author, so AUC" in text and "ROC curves" not in text


def test_breakdown_scores_parts_and_their_mean() -> None:
    truth, systems = simulated(["x", "y"])
    part = Labels.of(None if i < 10 else "abc"[i % 3] for i in range(len(truth)))
    got = evaluate(truth, systems, breakdowns=[ProblemAttribute("kind", part)], **QUICK)  # type: ignore[arg-type]
    (found,) = got.breakdowns
    assert found.left_out == 10
    assert [p[0] for p in found.parts] == ["a", "b", "c"]
    for name in ("x", "meta-mean"):
        value = {"x": systems["x"], "meta-mean": (systems["x"] + systems["y"]) / 2}[name]
        for k, own in enumerate(found.systems[name]):
            rows = part.codes == k
            assert scores(truth.same[rows], value[rows]).items() <= own.scores.items()
            low, high = own.interval["auc"] or (1.0, 0.0)
            assert low < (own.scores["auc"] or 0) < high
        macro = found.macro[name]
        assert macro.scores["auc"] == pytest.approx(
            np.mean([s.scores["auc"] for s in found.systems[name]])
        )
        low, high = macro.interval["auc"] or (1.0, 0.0)
        widest = max((s.interval["auc"] or (0, 1)) for s in found.systems[name])
        assert low < (macro.scores["auc"] or 0) < high and high - low < 0.5, widest


def test_breakdown_of_an_undefined_part() -> None:
    truth, systems = simulated(["x"])
    part = Labels.of("one" if same else "both" for same in truth.same)
    (found,) = evaluate(
        truth, systems, breakdowns=[ProblemAttribute("kind", part)], **QUICK
    ).breakdowns  # type: ignore[arg-type]
    assert found.systems["x"][0].scores["auc"] is None and found.macro["x"].scores["auc"] is None
    assert found.macro["x"].interval["auc"] is None and found.macro["x"].scores["c@1"] is not None


def test_quantiles_keep_equal_values_together() -> None:
    assert quantiles(np.arange(8.0), 4).counts().tolist() == [2, 2, 2, 2]
    labels = quantiles(np.array([1.0, 1, 1, 1, 1, 2, 3, np.nan]), 4)
    assert labels.codes[-1] == -1
    assert len(set(labels.codes[:5])) == 1
    assert labels.counts().min() > 0
    assert quantiles(np.full(4, 7.0)).names == ("1: 7",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,x\na,1\n", "no id in this line"),
        ("id,x\na\n", "as many fields as the header"),
        ("id,x\na,1\na,2\n", "duplicate id"),
        ("id,x\na,nan\n", "finite"),
        ("id,x\nz,1\n", "no value for any problem"),
        ("id,y\na,1\n", "column 'x' not found here"),
        ('id,x\na,"1\n', "not a CSV"),
        ("id,x\n" + "".join(f"p{i},t{i}\n" for i in range(40)), "too many"),
    ],
)
def test_bad_attributes(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "more.csv").write_text(text)
    with pytest.raises(InputError, match=message):
        read_attribute(f"{tmp_path / 'more.csv'}:x", ["a", *(f"p{i}" for i in range(40))])


def test_attributes_from_jsonl_and_tsv(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(
        '{"id": "p", "x": 2}\n{"id": "q", "x": 5.5}\n{"id": "r", "x": null}\n'
    )
    (tmp_path / "a.tsv").write_text("x\tid\n2\tp\n5.5\tq\n\tr\n")
    for name in ("a.jsonl", "a.tsv"):
        found = read_attribute(f"{tmp_path / name}:x:2", ["q", "r", "p"])
        assert list(found.part) == ["2: 5.5", None, "1: 2"]


@pytest.fixture(scope="module")
def small_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small") / "run"
    ravenbench.run(
        "synthetic(authors=40, topics=8, documents=240, words=60)",
        topics=4,
        folds=2,
        pools=1,
        samplers="hits, random",
        docs_per_topic=30,
        limit=60,
        repetitions=1,
        verifiers="length, chance",
        out=folder,
        workers=1,
    )
    return folder


def test_run_folder(small_run: Path, tmp_path: Path) -> None:
    assert is_run(small_run) and not is_run(tmp_path)
    store = Store.open(small_run)
    truth, systems, notes = read_run(small_run)
    folds = [fold for setup in store.plan_as(RunPlan).setups for fold in setup.folds]
    assert set(folds) < set(store.plan.folds), "the probe's folds stay apart"
    assert [s.system for s in systems] == ["length", "chance"]
    assert len(truth) == sum(len(store.truth(f)) for f in folds)
    assert truth.ids[0].startswith(f"{folds[0]}/")
    assert truth.group is not None and set(truth.group.names) == {"hits", "random"}
    assert truth.authors is not None
    assert np.array_equal(truth.authors[:, 0] == truth.authors[:, 1], truth.same)
    assert "Raven pools 4 folds of run" in notes[0]
    found = ravenbench.evaluate(small_run, **QUICK)
    assert {s.missing for s in found.systems} == {0} and found.unit == "authors"
    assert [p[0] for p in found.breakdowns[0].parts] == ["hits", "random"]
    broken = tmp_path / "broken"
    shutil.copytree(small_run, broken)
    key = next(c.key for c in store.plan.cells if c.verifier == "chance" and c.fold == folds[0])
    (broken / "cells" / f"{key}.cell").unlink()
    fewer, _, told = read_run(broken)
    assert not any(i.startswith(f"{folds[0]}/") for i in fewer.ids) and folds[0] in told[-1]
    shutil.rmtree(broken / "cells")
    with pytest.raises(InputError, match="no fold of this run"):
        read_run(broken)


def test_run_over_given_problems_keeps_its_ids(tmp_path: Path) -> None:
    for name, seed in (("train", 1), ("test", 2)):
        problems, same = toy_problems(30, seed=seed)
        write_pan_pairs(tmp_path / name, problems, same)
    ravenbench.run(
        train=str(tmp_path / "train"),
        test=str(tmp_path / "test"),
        verifiers="length",
        out=tmp_path / "run",
        workers=1,
    )
    truth, _, notes = read_run(tmp_path / "run")
    assert not notes and truth.group is None
    assert sorted(truth.ids) == sorted(read_truth(tmp_path / "test").ids)
    outside = ravenbench.evaluate(tmp_path / "test", tmp_path / "run", **QUICK)
    inside = ravenbench.evaluate(tmp_path / "run", **QUICK)
    assert outside.systems[0].scores["auc"] == inside.systems[0].scores["auc"]


def test_python_call() -> None:
    truth, systems = simulated(["x", "y"])
    found = ravenbench.evaluate(
        truth,
        systems,
        by=[ProblemAttribute("half", Labels.of("ab"[i % 2] for i in range(240)))],
        **QUICK,
    )
    assert found.to_json()["breakdowns"][0]["by"] == "half"
    assert (
        any(t.title == "By half" for t in found.tables()) and "Highest c@1" in found._repr_html_()
    )
    with pytest.raises(InputError, match="no answers"):
        ravenbench.evaluate(truth)
    with pytest.raises(InputError, match="name of a meta-classifier"):
        evaluate(truth, {"meta-mean": systems["x"], "y": systems["y"]}, **QUICK)  # type: ignore[arg-type]


def test_2020_form_moves_everything_that_holds_f05u() -> None:
    truth, systems = simulated(["x", "y"])
    today, old = (
        evaluate(truth, systems, f05u_2020=f, metrics=("overall", "f05u"), **QUICK)  # type: ignore[arg-type]
        for f in (False, True)
    )
    a, b = today.systems[0].scores, old.systems[0].scores
    assert b["f05u"] == b["f05u_2020"] == a["f05u_2020"] != a["f05u"]
    for name, n in (("overall", 4), ("overall5", 5)):
        assert (b[name] or 0) - (a[name] or 0) == pytest.approx(
            ((b["f05u"] or 0) - (a["f05u"] or 0)) / n
        )
    assert old.tests == ("overall_2020", "f05u_2020")
    assert old.pairs[0].difference == pytest.approx(b["overall"] - old.systems[1].scores["overall"])  # type: ignore[operator]


def test_operating_point_follows_costs() -> None:
    truth, systems = simulated(["x", "y"])
    cautious = evaluate(truth, systems, costs=(20.0, 1.0), **QUICK).operating  # type: ignore[arg-type]
    eager = evaluate(truth, systems, costs=(1.0, 20.0), **QUICK).operating  # type: ignore[arg-type]
    assert cautious is not None and eager is not None
    assert cautious.fpr < eager.fpr and cautious.threshold > eager.threshold
