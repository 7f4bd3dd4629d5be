"""A safety run: cells computed once, rewritings reused, resumed after damage, attacks played."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
from msgspec.structs import asdict
from typer.testing import CliRunner

from ravenbench.cli.main import build
from ravenbench.errors import InputError, MissingPart, SpecError, StoreError
from ravenbench.obfuscation.base import tasks_of
from ravenbench.obfuscation.recipes.controls import Identity, Random
from ravenbench.problems.rewritten import requestion, rewritten
from ravenbench.problems.sources import given
from ravenbench.reading.problem_formats.pan_folders import write_pan_problems
from ravenbench.registry import parse
from ravenbench.reports.report import analyse, report_of
from ravenbench.store.store import Store
from ravenbench.tasks.api import safety
from ravenbench.tasks.obfuscate.rewritings import rewrite, rewriting_key
from ravenbench.tasks.safety.attacks import mirrored, normalised, recovery, unsafe
from ravenbench.tasks.safety.record import SafetyPlan
from ravenbench.tasks.safety.report import SafetyReport
from ravenbench.tasks.safety.spec import SafetySpec
from ravenbench.tasks.safety.spec import build as build_spec
from ravenbench.testing import toy_problems
from ravenbench.text.normalisation import Normaliser
from stored import answers

pytestmark = pytest.mark.usefixtures("undrawn")

CHOSEN = "identity, random(rate=0.9), other-author"


@pytest.fixture(scope="module")
def sets(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sets")
    for name, seed in (("train", 1), ("test", 2)):
        problems, same = toy_problems(40, 2, seed=seed, words=150)
        write_pan_problems(folder / name, problems, same)
    return folder


@pytest.fixture(scope="module")
def spec(sets):
    return SafetySpec(
        problems=str(sets / "test"),
        train=str(sets / "train"),
        obfuscators=CHOSEN,
        verifiers="char-ngram, length",
        seeds=(0, 1),
        attacks=("normalise", "mirror"),
    )


@pytest.fixture(scope="module")
def done(spec, tmp_path_factory):
    return play(spec, out=tmp_path_factory.mktemp("out") / "run", workers=1)


def play(spec, *, changes=None, **options):
    """Run a spec with some of its fields changed."""
    return safety(**{**asdict(spec), **(changes or {})}, **options)


def cells(folder):
    return {name: data for name, data in answers(folder).items() if name.endswith("/answers")}


def test_results_and_contract(done):
    assert done.errors == ()
    analysis = analyse(done.store)
    found = {row.name: row for row in analysis.obfuscators}
    identity, other = found["identity"], found["other-author"]
    assert identity.average_impact == 0
    assert all(v.mean("delta_rest") == 0 for v in identity.counted)
    assert identity.soundness["words_lost"].value == 0
    assert identity.efficiency["changes_per_1000"].value == 0
    assert identity.survivors == 1
    assert other.average_impact > 0.3
    assert other.average_impact >= found["random(rate=0.9)"].average_impact
    assert other.survivors < 0.5
    assert other.interval[0] <= other.average_impact <= other.interval[1]
    out = SafetyReport(done.store, analysis).to_json()
    json.dumps(out, allow_nan=False)
    assert {"obfuscators", "hall_of_shame"} <= set(out)
    wanted = {
        "obfuscator",
        "average_impact",
        "interval",
        "verifiers",
        "soundness",
        "sensibleness",
        "changes_per_1000",
    }
    assert wanted <= set(out["obfuscators"][0])
    deltas = {"delta_acc", "delta_rec", "delta_tnr", "delta_auc", "delta_c@1", "delta_final"}
    assert {"verifier", "threshold", "impact", "excluded", *deltas} <= set(
        out["obfuscators"][0]["verifiers"][0]
    )


def test_unobfuscated_answers_are_one_cell(done):
    keys = done.store.keys
    assert (
        keys["char-ngram", "original"]
        == keys["char-ngram", "o00-s0"]
        == keys["char-ngram", "o00-s1"]
    )
    assert keys["char-ngram", "original"] != keys["char-ngram", "o02-s0"]


def test_a_run_in_which_no_verifier_counts_says_why(done, tmp_path):
    analysis = analyse(done.store)
    row = replace(analysis.obfuscators[0], average_impact=None, interval=None)
    without = replace(
        analysis, verifiers=dict.fromkeys(analysis.verifiers, "it is of no use"), obfuscators=(row,)
    )
    report = SafetyReport(done.store, without)
    assert "Mean over 0 verifiers" in report.impact().note
    assert f"Excluded (it is of no use): {', '.join(analysis.verifiers)}." in report.impact().note
    report.fill(tmp_path)
    assert "Raven cannot measure the impact" in (tmp_path / "index.html").read_text()


def test_attacks_are_played(done):
    rows = {
        row.name: {r.attack: r for r in row.recovery} for row in analyse(done.store).obfuscators
    }
    assert rows["identity"]["mirror"].unsafe is None
    assert set(rows["random(rate=0.9)"]) == {"normalise", "mirror"}
    assert rows["other-author"]["mirror"].why_not
    # Folds of one attack stand between those of another: every obfuscation is normalised none the less.
    assert all(row["normalise"].why_not is None for row in rows.values())


def test_detection_knows_identity_from_noise(done):
    rows = {row.name: row.detection for row in analyse(done.store).obfuscators}
    assert rows["random(rate=0.9)"].auc > 0.75
    assert rows["identity"].auc < 0.7


def test_repeating_changes_nothing_and_damage_is_mended(done, spec):
    folder = done.store.path
    before = cells(folder)
    times = {
        p: p.stat().st_mtime_ns
        for p in folder.rglob("*.json")
        if "report" not in p.parts and p.name != "index.json"
    }
    play(spec, out=folder, workers=1)
    assert {p: p.stat().st_mtime_ns for p in times} == times
    next(folder.glob("cells/*.cell")).write_bytes(b"damage")
    (folder / "plan.json").unlink()
    next((folder / "rewritings").glob("*.json")).write_text("{")
    play(spec, out=folder, workers=1)
    assert cells(folder) == before


def flipped(data):
    """One bit of the last digit before the middle turned."""
    place = next(i for i in range(len(data) // 2, -1, -1) if chr(data[i]).isdigit())
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


PATTERNS = (
    "run.json",
    "plan.json",
    "cells/*.cell",
    "rewritings/*.json",
    "measures/*.json",
    "measures/index.json",
    "detection.json",
)


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("how", ["flipped", "gone"])
def test_what_is_damaged_or_missing_is_made_again(small, spec, tmp_path, pattern, how):
    folder = tmp_path / "run"
    shutil.copytree(small, folder)
    untold = told(Store.open(small))
    for one in list(folder.glob(pattern))[:2]:
        if how == "gone":
            one.unlink()
        else:
            one.write_bytes(flipped(one.read_bytes()))
    if pattern in ("run.json", "plan.json") and how == "flipped":
        with pytest.raises(StoreError, match="damaged"):
            Store.open(folder)
    assert play(spec, changes=SMALL, out=folder, workers=1).errors == ()
    assert cells(folder) == cells(small)
    assert told(Store.open(folder)) == untold


SMALL = {
    "obfuscators": "identity, random(rate=0.9)",
    "attacks": ("normalise",),
    "seeds": (0,),
    "limit": 8,
}


@pytest.fixture(scope="module")
def small(spec, tmp_path_factory):
    return play(
        spec, changes=SMALL, out=tmp_path_factory.mktemp("small") / "run", workers=1
    ).store.path


def told(store):
    """Everything its report says but when it was made and how long it took."""
    found = report_of(store).to_json()
    return {
        **found,
        "run": None,
        "obfuscators": [{**row, "seconds": None} for row in found["obfuscators"]],
    }


def test_report_plan_and_diff_of_a_folder(small, spec, tmp_path, monkeypatch):
    def raven(command, *arguments):
        found = CliRunner().invoke(
            build(command), [command, *map(str, arguments)], catch_exceptions=False
        )
        assert found.exit_code == 0, found.output
        return found.stdout

    monkeypatch.chdir(tmp_path)
    assert json.loads(raven("report", small, "--json"))["attacked"] == 8
    assert json.loads((small / "report" / "report.json").read_text())["kind"] == "safety"
    asked = [
        spec.problems,
        "--train",
        spec.train,
        "--obfuscators",
        SMALL["obfuscators"],
        "--verifiers",
        spec.verifiers,
    ]
    asked += ["--limit", 8, "--plan", "--json"]
    before = json.loads(raven("safety", *asked))
    # Three folds and as many in plain form, two verifiers; sixteen texts.
    assert (before["cells"], before["done"], before["fits"]) == (6 * 2 + 16, 0, 4)
    assert list(tmp_path.iterdir()) == []
    after = json.loads(raven("safety", *asked, "--out", small))
    assert (after["cells"], after["done"], after["fits"]) == (28, 28, 0)
    assert "8 comparisons" in raven("diff", small, "--out", tmp_path / "pages")


@pytest.mark.slow
def test_workers_do_not_matter(spec, tmp_path):
    few = {"obfuscators": "random(rate=0.9)", "attacks": (), "seeds": (0,), "limit": 6}
    for workers in (1, 2):
        play(spec, changes=few, out=tmp_path / str(workers), workers=workers)
    assert cells(tmp_path / "1") == cells(tmp_path / "2")


def test_rewritings_are_shared_between_runs(done, spec, tmp_path):
    kept = done.store.path / "rewritings"
    times = {p: p.stat().st_mtime_ns for p in kept.iterdir()}
    smaller = {"obfuscators": "random(rate=0.9)", "attacks": (), "verifiers": "length"}
    play(spec, changes=smaller, out=tmp_path / "run", rewritings=kept, workers=1)
    assert {p: p.stat().st_mtime_ns for p in kept.iterdir()} == times


def test_failing_obfuscator_is_told_and_the_rest_goes_on(spec, tmp_path):
    update = {"obfuscators": "identity, bench_helpers_absent:Nothing", "attacks": ()}
    with pytest.raises(SpecError):
        play(spec, changes=update, out=tmp_path / "run", workers=1)

    problems, _ = toy_problems(4, 1)

    class Failing(Identity):
        name = "failing"

        def rewrite(self, task, seed):
            raise ValueError("boom")

    tasks = tasks_of(problems)
    stored = rewrite(
        tmp_path, Failing(), 0, tasks, lambda units: (u.work() for u in units), lambda *a: None
    )
    assert [one.rewriting for one in stored] == [None] * 4
    assert stored[0].error.startswith("ValueError: boom")


def test_an_obfuscator_that_could_not_be_used_is_tried_again(spec, tmp_path, monkeypatch):
    changes = {"obfuscators": "identity, random(rate=0.9)", "attacks": (), "seeds": (0,)}

    def lacking(self, tasks):
        raise MissingPart(
            "the resource wordnet is not installed", fix="python -m nltk.downloader wordnet"
        )

    with monkeypatch.context() as patch:
        patch.setattr(Random, "fit", lacking)
        first = play(spec, changes=changes, out=tmp_path / "run", workers=1)
    assert "the resource wordnet is not installed" in first.errors[0]
    again = play(spec, changes=changes, out=tmp_path / "run", workers=1)
    assert again.errors == ()
    assert [len(entry.sets) for entry in again.store.plan_as(SafetyPlan).obfuscators] == [1, 1]


def test_bad_options(spec):
    with pytest.raises(SpecError, match="unknown attack"):
        play(spec, changes={"attacks": ("guess",)})
    with pytest.raises(SpecError, match="whole numbers"):
        build_spec({"problems": "a", "train": "b", "seeds": "x"})
    with pytest.raises(SpecError, match="--seeds names one of them more than once"):
        build_spec({"problems": "a", "train": "b", "seeds": "0,0"})
    with pytest.raises(SpecError, match="--attacks names one of them more than once"):
        build_spec({"problems": "a", "train": "b", "attacks": "mirror,mirror"})
    with pytest.raises(SpecError, match="duplicate"):
        play(spec, changes={"obfuscators": "identity, identity"})


def test_rewriting_keys_tell_all_that_decides():
    problems, _ = toy_problems(2, 1)
    task = tasks_of(problems)[0]
    keys = {
        rewriting_key(parse("obfuscator", o), seed, task)
        for o in ("random", "random(rate=0.5)")
        for seed in (0, 1)
    }
    assert len(keys) == 4


def test_requestion_touches_named_problems_only():
    problems, same = toy_problems(6, 1)
    fold = given(problems, same, problems, same, "base")
    name = str(problems.ids[2])
    new = rewritten(fold, {name: "quite new"}, "new", obfuscator="x")
    texts = [new.test.texts[i] for i in new.test.questioned_index]
    assert texts[2] == "quite new"
    assert [t for i, t in enumerate(texts) if i != 2] == [
        problems.texts[q] for i, q in enumerate(problems.questioned_index) if i != 2
    ]
    assert new.labels["obfuscator"] == "x"
    with pytest.raises(InputError, match="not in this set"):
        requestion(problems, {"nobody": "text"})


def test_recovery_counts():
    same = np.array([True] * 4 + [False] * 4)
    original = np.array([0.9] * 4 + [0.1] * 4)
    hidden = np.array([0.1] * 4 + [0.1] * 4)
    attacked = np.array([0.9, 0.9, 0.9, 0.1, 0.9, 0.1, 0.1, 0.1])
    found = recovery(same, original, hidden, attacked)
    assert found.recovery == 0.75
    assert found.false_accepts == 0.25
    assert unsafe([found])
    assert recovery(same, original, original, attacked).recovery is None
    assert unsafe([recovery(same, original, original, original)]) is None


def test_normalising_undoes_surface_changes():
    plain = "I can not say that the colour is right, but it will not do. " * 3
    hidden = "However, I can't say that the  colour is right ,, but it won't do !!! " * 3
    normaliser = Normaliser(least=1).fit([plain])
    a, b = normaliser.transform([plain, hidden])
    assert a.replace(".", "").split() == b.replace("?", "").split()
    assert normaliser.transform(["The xylophone"]) == ["The xylophone"]
    assert Normaliser(least=1).fit(["their house"]).transform(["thier hose"])[0].endswith("house")
    assert normaliser.transform(["however,"]) == ["however,"]


def test_folds_of_attacks():
    problems, same = toy_problems(8, 2)
    fold = given(problems, same, problems, same, "o")
    hidden = normalised([fold], parse("transform", "frequency-mask(k=1)"))[0]
    assert "#" in hidden.train.texts[0] and "#" in hidden.test.texts[0]
    plain = normalised([fold, fold], Normaliser())
    assert [f.name for f in plain] == ["n-o", "n-o"]
    assert plain[0].train_digest() == plain[1].train_digest()

    def shout(tasks, seed):
        return {task.id: f"{task.questioned.upper()} {seed}" for task in tasks}

    found = mirrored(fold, shout, 0, (5, 6))
    assert (found.train.sizes == 4).all()
    assert (found.test.sizes == 4).all()
    texts = [found.test.texts[q] for q in found.test.questioned_index]
    assert all(
        text.isupper() and text.endswith(" 0") for text, y in zip(texts, same, strict=True) if not y
    )
    with pytest.raises(InputError, match="other seeds than the secret"):
        mirrored(fold, shout, 5, (5, 6))


def test_command_prints_json(spec, sets, tmp_path):
    arguments = [
        "safety",
        spec.problems,
        "--train",
        spec.train,
        "--obfuscators",
        "identity",
        "--verifiers",
        "char-ngram",
    ]
    arguments += [
        "--attacks",
        "none",
        "--limit",
        "10",
        "--out",
        str(tmp_path / "run"),
        "--workers",
        "1",
        "--json",
    ]
    result = CliRunner().invoke(build("safety"), arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    out = json.loads(result.stdout)
    assert out["attacked"] == 10
    assert out["obfuscators"][0]["average_impact"] == 0
    page = (tmp_path / "run" / "report" / "index.html").read_text()
    assert "Can authors hide?" in page
    assert "<script src" not in page


def test_the_folder_may_be_a_url(small, spec):
    pytest.importorskip("upath")
    done = play(spec, changes=SMALL, out="memory://safety/run", workers=1)
    assert done.errors == ()
    assert told(done.store) == told(Store.open(small))
    assert play(spec, changes=SMALL, out="memory://safety/run", workers=1).errors == ()


def test_options_of_reading_that_were_not_asked_for_are_no_part_of_a_spec():
    from ravenbench.engine.options import READING

    given = {"problems": "test", "obfuscators": "random"}
    assert not {*READING} & SafetySpec(**given).resolved().keys(), "runs of earlier versions go on"
    assert SafetySpec(**given, strip_shared=True).resolved()["strip_shared"] is True
