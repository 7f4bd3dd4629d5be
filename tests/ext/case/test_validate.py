"""A validation dossier: its criterion comes first, its LRs are those issue_llr, and a comparison cites or abstains."""

import csv
import json
import re

import numpy as np
import pytest
from comparable import FAST, background, case, text, write
from typer.testing import CliRunner

import ravenbench
from ravenbench.cli.main import build
from ravenbench.errors import CorpusError, FormatError, InputError, SpecError
from ravenbench.ext.case.compare.dossier import (
    Cited,
    Criterion,
    Dossier,
    cited,
    covering,
    parse_between,
    standing,
)
from ravenbench.ext.case.compare.model import FUSED, issue_llr, read_scores, validate
from ravenbench.ext.case.likelihood_ratios import MeasureEstimate as Figure
from ravenbench.ext.case.likelihood_ratios import cllr, mean_misleading, supported
from ravenbench.ext.case.validate.analysis import failing
from ravenbench.ext.case.validate.conditions import MOST_CELLS, read_conditions
from ravenbench.ext.case.validate.plan import ValidatePlan
from ravenbench.reports.report import analyse, report_of, write_report
from ravenbench.statistics.estimates import wilson
from ravenbench.store.records import read_record

pytestmark = pytest.mark.usefixtures("undrawn")

CONDITIONS = "name,questioned,known,texts,genre\nplain,220,220,2,any\nacross,220,220,1,different\none way,220,220,1,"
CONDITIONS += "letter>diary\nlong,3000,3000,2,\n"
LAX = {"most_devpav": 2.0, "most_misleading": 0.9}


@pytest.fixture(scope="module", autouse=True)
def few_draws():
    """Intervals from a few draws: what is asserted here is not how narrow they are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ravenbench.ext.case.compare.model.DRAWS", 20)
        patch.setattr("ravenbench.ext.case.likelihood_ratios.DRAWS", 40)
        yield


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A table of twelve authors with texts of two genres, and conditions."""
    folder = tmp_path_factory.mktemp("validate")
    rows = [
        {
            "id": f"{author}-{number}",
            "author": f"author{author:02d}",
            "genre": ("letter", "diary")[number % 2],
            "topic": f"topic{number % 3}",
            "text": text(author, number),
        }
        for author in range(12)
        for number in range(6)
    ]
    write(folder / "others.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    write(folder / "conditions.csv", CONDITIONS)
    return folder


@pytest.fixture(scope="module")
def done(place):
    result = ravenbench.validate(
        place / "others.jsonl", place / "conditions.csv", out=place / "d", **FAST, **LAX
    )
    assert result.errors == ()
    write_report(result.store)
    return result.store


def test_every_cell_has_its_measures_and_a_verdict(done):
    found = analyse(done)
    by_name = {cell.result.condition.name: cell.result for cell in found.cells}
    assert [by_name[name].verdict for name in ("plain", "across", "one way")] == ["passed"] * 3
    assert by_name["long"].verdict == "not tested" and "too few" in by_name["long"].reasons[0]
    for name in ("plain", "across", "one way"):
        assert {
            "cllr",
            "cllr_min",
            "eer",
            "devpav",
            "misleading_for",
        } <= set(by_name[name].measures)
        assert all(one.low <= one.value <= one.high for one in by_name[name].measures.values())
        assert by_name[name].authors >= 10 and by_name[name].measures["cllr"].value < 1


def test_a_cell_passes_by_the_ends_of_its_intervals(done):
    dossier = analyse(done).dossier
    kept = {key: Figure(value=0.01, low=0.0, high=0.02) for key in dossier.cells[0].measures}
    lax = dossier.criterion
    assert failing(kept, lax, 40) == []
    for key, one, reason in (
        ("cllr", Figure(value=0.9, low=0.8, high=lax.cllr), "C_llr may be"),
        ("devpav", Figure(value=0.1, low=0.1, high=lax.devpav + 0.1), "devPAV may be"),
        (
            "mean_for",
            Figure(value=1.2, low=0.9, high=lax.mean + 0.1),
            "mean LR of different-author pairs may be",
        ),
        (
            "mean_against",
            Figure(value=1.2, low=1.01, high=1.4),
            "mean 1/LR of same-author pairs is at least 1.010",
        ),
        (
            "misleading_against",
            Figure(value=0.0, low=0.0, high=lax.misleading + 0.01),
            "misleading LRs for different authors may be",
        ),
    ):
        (said,) = failing({**kept, key: one}, lax, 40)
        assert reason in said


def test_what_few_people_cannot_show_is_known_beforehand_and_not_failed():
    criterion = Criterion(cllr=1, devpav=0.3, mean=1.5, misleading=0.1, strong=1, reach=1.5)
    strong, shown = criterion.fewest_strong, criterion.fewest_shown
    assert (strong, shown) == (29, 35)
    assert supported(strong - 1) < criterion.strong <= supported(strong)
    assert wilson(0, shown)[1] <= criterion.misleading < wilson(0, shown - 1)[1]
    said = [criterion.beforehand(people, people) for people in (25, 31, 40)]
    assert "not applicable: 25 authors do not support such LRs, 29 would" in said[0][0]
    assert "35 authors are needed to show" in said[1][0] and not said[2]
    kept = _figures(
        devpav=(0.1, 0.1, 0.2), misleading_for=(0.0, 0.0, 0.13), misleading_against=(0.0, 0.0, 0.13)
    )
    assert failing(kept, criterion, 25) == []
    assert "rate of strongly misleading LRs for the same author" in failing(kept, criterion, 31)[0]
    narrow = _figures(devpav=(0.1, 0.05, 0.4))
    assert "about 90 authors like these would show it" in failing(narrow, criterion, 40)[0]


def test_pairs_lie_as_the_condition_says_and_training_is_shared(done, place):
    plan = done.plan_as(ValidatePlan)
    genre = {}
    for line in (place / "others.jsonl").read_text().splitlines():
        row = json.loads(line)
        genre[row["text"][:80]] = row["genre"]
    across, one_way = plan.tested[1].pairs, plan.tested[2].pairs
    for under, known, questioned in ((across, None, None), (one_way, "letter", "diary")):
        for name in under.folds:
            test, base = done.fold(name).test, done.fold(name.partition("-c")[0])
            assert done.fold(name).train_digest() == base.train_digest()
            for i in range(len(test)):
                rows = (int(test.known(i)[0]), int(test.questioned_index[i]))
                left, right = (genre[test.texts[row][:80]] for row in rows)
                assert left != right and (known is None or (left, right) == (known, questioned))
    authors = read_scores(done, plan, across).pairs.authors
    assert set(authors.ravel().tolist()) <= set(range(12))


def test_the_lrs_validated_are_those_of_the_comparison(done):
    plan = done.plan_as(ValidatePlan)
    shape = plan.tested[0].pairs
    pairs = read_scores(done, plan, shape).pairs
    valid, llr = validate(pairs), issue_llr(pairs, pairs)[FUSED]
    assert np.allclose(llr, valid.llr[FUSED])
    cell = analyse(done).cells[0]
    assert cell.result.measures["cllr"].value == pytest.approx(cllr(llr, pairs.same, pairs.weight))
    with (done.path / "report" / "tables" / "lrs.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["condition"] == "plain"]
    assert [float(row["log10 LR"]) for row in rows] == pytest.approx(llr.tolist())
    listed, weight = ([float(row[column]) for row in rows] for column in ("log10 LR", "weight"))
    measured = cell.result.measures
    assert measured["cllr"].value == pytest.approx(cllr(listed, pairs.same, weight))
    means = measured["mean_for"].value, measured["mean_against"].value
    assert means == pytest.approx(mean_misleading(listed, pairs.same, weight))
    assert [
        row["known texts by"] == row["questioned text by"] for row in rows
    ] == pairs.same.tolist()


def test_the_criterion_is_fixed_before(done, place):
    again = {"out": place / "d", **FAST, **LAX}
    assert (
        ravenbench.validate(place / "others.jsonl", place / "conditions.csv", **again).errors == ()
    )
    with pytest.raises(InputError, match="another spec"):
        ravenbench.validate(
            place / "others.jsonl", place / "conditions.csv", **again | {"most_devpav": 1.9}
        )
    other = write(place / "other.csv", CONDITIONS.replace("220,220,2,any", "220,220,3,any"))
    with pytest.raises(InputError, match="another"):
        ravenbench.validate(place / "others.jsonl", other, **again)
    fixed = done.plan_as(ValidatePlan).fixed
    planned = CliRunner().invoke(
        build("validate"),
        [
            "validate",
            str(place / "others.jsonl"),
            "--conditions",
            str(place / "conditions.csv"),
            "--plan",
            "--most-devpav",
            "2",
            "--most-misleading",
            "0.9",
            "--verifiers",
            FAST["verifiers"],
            "--folds",
            "3",
            "--donors",
            "2",
        ],
    )
    page = (done.path / "report" / "index.html").read_text()
    assert fixed in planned.output.replace("\n", "") and fixed in page and len(fixed) == 64


def test_a_comparison_cites_its_cell_and_abstains_elsewhere(done, place, tmp_path):
    questioned, known = case(tmp_path)
    how = {"background": place / "others.jsonl", "validated": done.path, **FAST}

    def compared(name, **more):
        store = ravenbench.compare(questioned, known, out=tmp_path / name, **{**how, **more}).store
        report = report_of(store)
        return store, report.analysis.cases[0], report.to_json()["cases"][0].get("validated")

    store, one, told = compared("inside")
    assert (
        one.answered
        and one.standing.valid
        and "“plain” of the dossier d, which passed" in one.standing.sentence
    )
    assert (
        told["cell"]["condition"]["name"] == "plain"
        and "which passed: rates of misleading LRs" in write_report(store).read_text()
    )
    with pytest.raises(SpecError, match=r"No cell of the dossier d passed .*genre same"):
        compared("none", condition="genre=same")
    store, one, _ = compared("across", condition="genre=different")
    assert not one.answered and store.plan.cells == []
    assert "tested no cell within a factor of 1.5 of 2 known texts" in str(one.reasons[-1])
    _, one, told = compared("anyway", seed=4, unvalidated=True)
    assert (
        one.answered and "because of --unvalidated" in one.standing.sentence and not told["valid"]
    )
    spec, data = store.run.spec, store.run.data
    for name, other, there, why in (
        ("seed", {"seed": 4}, {}, "the seed (dossier 0, here 4)"),
        ("folds", {"folds": 2}, {}, "the folds (dossier 3, here 2)"),
        ("methods", {}, {"methods": "other"}, "the verifiers (dossier"),
        ("background", {}, {"background": "other"}, "the background's texts"),
    ):
        system = {**spec, **other}, {**data, **there}
        found = standing(cited(done.path, None, True, *system), [215, 215], 215)
        assert not found.valid and why in found.sentence, name
        with pytest.raises(SpecError, match=re.escape(why)):
            cited(done.path, None, False, *system)


def test_what_a_comparison_refuses(done, place, tmp_path):
    questioned, known = case(tmp_path)
    how = {"background": place / "others.jsonl", **FAST}
    for more, why in (
        ({"validated": tmp_path}, "does not contain a validation dossier"),
        ({"validated": done.path, "condition": "genre"}, "does not describe the labels"),
        ({"validated": done.path, "condition": "gender=same"}, "no cell of the dossier"),
        ({"condition": "genre=same"}, "need a dossier"),
    ):
        with pytest.raises(InputError, match=why):
            ravenbench.compare(questioned, known, out=tmp_path / "no", **how, **more)
        assert not (tmp_path / "no").exists()
    file = done.path / "report" / "dossier.json"
    kept = file.read_bytes()
    file.write_bytes(kept.replace(b'"verdict": "not tested"', b'"verdict": "passed"'))
    try:
        with pytest.raises(ravenbench.RavenError, match="hash"):
            ravenbench.compare(questioned, known, out=tmp_path / "no", validated=done.path, **how)
    finally:
        file.write_bytes(kept)


def test_the_nearest_cell_within_reach_is_cited(done):
    dossier = read_record(done.path / "report" / "dossier.json", Dossier)
    cited = Cited(folder="d", sha256="", dossier=dossier, differs=[], between={}, unvalidated=False)
    across = Cited(
        folder="d",
        sha256="",
        dossier=dossier,
        differs=[],
        between={"genre": "different"},
        unvalidated=False,
    )
    assert covering(cited, [215, 215], 304).condition.name == "plain"
    for known, questioned in (([215, 215], 362), ([128, 128], 215), ([215], 215), ([215] * 4, 215)):
        assert covering(cited, known, questioned) is None
    assert (
        covering(across, [215], 215).condition.name == "across"
        and standing(across, [215], 215).valid
    )
    assert parse_between(" topic = different, genre=a>b,time=any") == {
        "topic": "different",
        "genre": "a>b",
    }


def test_a_background_proposes_what_it_can_support(place, tmp_path):
    out = tmp_path / "proposed.csv"
    command = ["validate", str(place / "others.jsonl"), "--propose", str(out)]
    assert CliRunner().invoke(build("validate"), command).exit_code == 0
    conditions = read_conditions(out)
    assert {"genre"} <= {name for one in conditions for name in one.between}
    assert max(one.questioned for one in conditions) <= 500
    refused = CliRunner().invoke(build("validate"), command)
    assert isinstance(refused.exception, InputError) and read_conditions(out) == conditions


HEAD = "questioned,known,texts,genre\n"


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("questioned,known\n200,200\n", "texts is not a possible number"),
        (HEAD + "20,200,2,\n", "questioned is not a possible number"),
        (HEAD + "200,2e3,2,\n", "known is not a possible number"),
        (HEAD + "200,200,99,\n", "texts is not a possible number"),
        (HEAD + "200,200,2,other\n", "unknown value of the label genre"),
        (HEAD + "200,200,2,letter>novel\n", "unknown value of the label genre"),
        ("questioned,known,texts,gnere\n200,200,2,same\n", "no label 'gnere'"),
        (HEAD + "200,200,2,same\n200,200,2,same\n", "two conditions have the same name"),
        (HEAD, "wrong number of conditions"),
        (
            HEAD + "".join(f"{200 + i},200,2,\n" for i in range(MOST_CELLS + 1)),
            "wrong number of conditions",
        ),
    ],
)
def test_conditions_that_cannot_be_used(place, tmp_path, body, why):
    file = write(tmp_path / "c.csv", body)
    with pytest.raises(InputError, match=why) as raised:
        ravenbench.validate(place / "others.jsonl", file, out=tmp_path / "no", **FAST)
    assert "c.csv" in str(raised.value) and not (tmp_path / "no").exists()


def test_no_conditions_and_too_small_a_background(place, tmp_path):
    with pytest.raises(SpecError, match="'conditions' is missing"):
        ravenbench.validate(place / "others.jsonl", out=tmp_path / "no")
    others = background(tmp_path / "few", authors=range(3), texts=2)
    with pytest.raises(CorpusError, match="too small for a dossier"):
        CliRunner().invoke(
            build("validate"),
            ["validate", str(others), "--propose", str(tmp_path / "c.csv")],
            catch_exceptions=False,
        )


def test_hostile_names_stay_names(place, tmp_path):
    body = (
        'name,questioned,known,texts\n"<script>alert(1)</script>",4000,4000,1\n=1+1,3000,3000,1\n'
    )
    conditions = write(tmp_path / "c.csv", body)
    store = ravenbench.validate(
        place / "others.jsonl", conditions, out=tmp_path / "d", **FAST
    ).store
    page = write_report(store).read_text()
    assert "<script>alert" not in page and "&lt;script&gt;" in page
    assert "'=1+1" in (store.path / "report" / "tables" / "cells.csv").read_text()


def test_a_table_of_too_many_conditions_is_refused(tmp_path):
    (tmp_path / "c.csv").write_text("questioned,known,texts\n" + "60,60,1\n" * 61)
    with pytest.raises(FormatError, match="wrong number of conditions"):
        read_conditions(tmp_path / "c.csv")


def test_a_fix_that_is_a_command_says_where_to_type_it():
    with pytest.raises(ravenbench.InputError, match="fix: in a terminal: raven validate"):
        ravenbench.validate("background")


def _figures(**given):
    plain = {
        "cllr": (0.4, 0.3, 0.5),
        "devpav": (0.5, 0.4, 0.97),
        "mean_for": (0.3, 0.2, 0.4),
        "mean_against": (0.5, 0.4, 0.6),
        "misleading_for": (0.0, 0.0, 0.08),
        "misleading_against": (0.01, 0.0, 0.08),
    }
    return {
        name: Figure(value=v, low=low, high=high)
        for name, (v, low, high) in {**plain, **given}.items()
    }


def test_a_cell_that_fails_says_by_which_figures():
    criterion = Criterion(cllr=1, devpav=0.3, mean=1.5, misleading=0.1, strong=1, reach=1.5)
    reasons = failing(_figures(), criterion, 40)
    assert reasons[0] == "devPAV may be as high as .970, but at most 0.3 is required"
