"""raven pan14: the overview's tables from corpora with a train and a test part."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

import ravenbench
from ravenbench import registry
from ravenbench.cli.main import build
from ravenbench.errors import CorpusError, FormatError, InputError, SpecError, StoreError
from ravenbench.metrics.pan import scores
from ravenbench.reading.problem_formats.pan_folders import write_pan_problems
from ravenbench.reading.problems import read_problems
from ravenbench.reports.report import analyse, write_report
from ravenbench.store.records import FORMAT, write_record
from ravenbench.store.store import Store
from ravenbench.tasks.api import pan14
from ravenbench.tasks.evaluate.api import read_run
from ravenbench.tasks.pan14.analysis import META, Overview
from ravenbench.tasks.pan14.plan import Pan14Plan, read_corpora, shared_documents
from ravenbench.tasks.pan14.published import CORPORA, publication
from ravenbench.tasks.pan14.report import Pan14Report, published_tables
from ravenbench.tasks.pan14.task import Pan14
from ravenbench.testing import toy_problems
from ravenbench.verifiers.baselines import Length

pytestmark = pytest.mark.usefixtures("undrawn")

VERIFIERS = "char-ngram(size=300), length, chance"
ROW = {"auc", "c@1", "final", "unanswered", "seconds", "interval"}


def write_corpus(folder, seed):
    for part, n in (("train", 24), ("test", 16)):
        problems, same = toy_problems(n, known=2, words=60, seed=seed + n)
        write_pan_problems(folder / part, problems, same, "greek" if seed else "dutch", "essays")


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Two corpora and a finished run."""
    place = tmp_path_factory.mktemp("pan14")
    for number, name in enumerate(("du_essays", "gr <b>")):
        write_corpus(place / "data" / name, 100 * number)
    shutil.copy(
        place / "data" / "du_essays" / "train" / "toy000" / "unknown.txt",
        place / "data" / "du_essays" / "test" / "toy001" / "known02.txt",
    )
    shutil.rmtree(place / "data" / "du_essays" / "test" / "toy003")
    result = pan14([place / "data"], verifiers=VERIFIERS, out=place / "run", workers=1)
    assert result.errors == ()
    return place


@pytest.fixture(scope="module")
def overview(whole):
    return analyse(Store.open(whole / "run"))


def run(*arguments):
    return CliRunner().invoke(build("pan14"), ["pan14", *map(str, arguments)])


def flip(file):
    """Change one digit of a file."""
    data = file.read_bytes()
    at = next(i for i in range(len(data) // 2, len(data)) if data[i : i + 1].isdigit())
    file.write_bytes(data[:at] + b"%d" % ((int(data[at : at + 1]) + 1) % 10) + data[at + 1 :])


def test_json_has_the_schema_and_the_scores(whole, overview):
    found = json.loads(
        json.dumps(Pan14Report(Store.open(whole / "run"), overview).to_json(), allow_nan=False)
    )
    assert set(found["corpora"]) == {"du_essays", "gr <b>"}
    for rows in (found["micro"], found["macro"], *found["corpora"].values()):
        assert set(rows) == {"char-ngram(size=300)", "length", "chance", META}
        assert list(rows)[-1] == META
        for row in rows.values():
            assert set(row) == ROW and set(row["interval"]) == {"auc", "c@1", "final"}
    name = "char-ngram(size=300)"
    each = [rows[name] for rows in found["corpora"].values()]
    assert found["macro"][name]["final"] == pytest.approx(np.mean([row["final"] for row in each]))
    assert found["micro"][name]["seconds"] == pytest.approx(sum(row["seconds"] for row in each))
    assert found["corpora"]["gr <b>"][META]["seconds"] is None
    assert found["faults"]["du_essays"] == {
        "toy003": "truth.txt or contents.json names it, but it has no folder"
    }
    assert len(found["pairs"]) == 2 * 3 and {p["metric"] for p in found["pairs"]} == {
        "c@1",
        "final",
    }


def test_the_meta_classifier_is_the_mean_of_all_answers(whole, overview):
    store = Store.open(whole / "run")
    fold = store.fold("corpus-01")
    mean = np.mean([store.cell(v.name, fold.name).answers for v in store.plan.verifiers], axis=0)
    expected = scores(fold.test_same, mean)
    row = overview.corpora[1].rows[META]
    assert row.scores == {m: expected[m] for m in ("auc", "c@1", "final")}


def test_an_unreadable_problem_counts_as_unanswered(whole, overview):
    store = Store.open(whole / "run")
    cell = store.cell("length", "corpus-00")
    assert len(cell.answers) == 15
    value = np.append(cell.answers, 0.5)
    same = np.append(
        store.fold("corpus-00").test_same, store.plan_as(Pan14Plan).corpora[0].fault_truth["toy003"]
    )
    row = overview.corpora[0].rows["length"]
    assert row.scores["c@1"] == pytest.approx(scores(same, value)["c@1"])
    assert row.unanswered == int((value == 0.5).sum())


def test_shared_documents_are_told_and_left_out(whole, overview):
    shared = overview.corpora[0].info.shared
    assert (shared.documents, shared.problems) == (1, ["toy001"])
    store = Store.open(whole / "run")
    value = np.append(store.cell("length", "corpus-00").answers, 0.5)
    same = np.append(store.fold("corpus-00").test_same, False)
    keep = [
        i
        for i, name in enumerate([*store.fold("corpus-00").test.ids, "toy003"])
        if name != "toy001"
    ]
    assert overview.corpora[0].without_shared["length"].scores["auc"] == pytest.approx(
        scores(same[keep], value[keep])["auc"]
    )
    assert overview.corpora[1].without_shared == {}


def test_documents_are_shared_white_space_aside(tmp_path):
    corpus = tmp_path / "c"
    write_corpus(corpus, 0)
    text = (corpus / "train" / "toy002" / "known01.txt").read_text()
    (corpus / "test" / "toy004" / "unknown.txt").write_text(
        "\ufeff" + text.replace(" ", "\r\n\t") + "\n"
    )
    parts = read_corpora([corpus])[0]
    documents, touched = shared_documents(parts.train.problems, parts.test.problems)
    assert documents == 1 and parts.test.problems.ids[touched].tolist() == ["toy004"]


def test_the_page_and_its_folder(whole, overview):
    page = write_report(Store.open(whole / "run"), overview)
    text = page.read_text()
    assert "gr &lt;b&gt;" in text and "gr <b>" not in text
    assert "du_essays without shared documents" in text and "Published figures compared" in text
    assert "1 test problem could not be read" in text and "http:" not in text.replace(
        "http://www.w3.org", ""
    )
    names = {p.name for p in (whole / "run" / "report" / "tables").iterdir()}
    assert {
        "overall.csv",
        "corpus-1.tex",
        "shared-1.csv",
        "significance-c1.csv",
        "hull.csv",
        "data.csv",
    } <= names
    assert {p.name for p in (whole / "run" / "report" / "figures").iterdir()} == {
        "finals.svg",
        "roc.svg",
    }
    written = json.loads((whole / "run" / "report" / "report.json").read_text())
    told = Pan14Report(Store.open(whole / "run"), overview).to_json()
    assert written == {
        "format": FORMAT,
        "kind": "pan14",
        **told,
        "run": "run",
        "programs": [],
        "incomplete": [],
    }


def test_the_command_takes_a_finished_run_up(whole, monkeypatch):
    monkeypatch.setattr(Length, "pair_features", lambda *_: pytest.fail("computed again"))
    arguments = (whole / "data", "--verifiers", VERIFIERS, "--out", whole / "run", "--workers", 1)
    done = run(*arguments)
    assert done.exit_code == 0, done.exception
    assert "All problems" in done.stdout and "report:" in done.stdout
    assert max(map(len, done.stdout.splitlines()[:-1])) <= 80
    assert set(json.loads(run(*arguments, "--json").stdout)["corpora"]) == {"du_essays", "gr <b>"}
    other = run(whole / "data", "--verifiers", "length", "--out", whole / "run")
    assert isinstance(other.exception, InputError) and "another spec" in str(other.exception)


def test_raven_report_rebuilds_it_and_raven_evaluate_reads_it(whole):
    folder = whole / "run"
    shutil.rmtree(folder / "report", ignore_errors=True)
    done = CliRunner().invoke(build("report"), ["report", str(folder)])
    assert (
        done.exit_code == 0
        and "All problems" in done.stdout
        and (folder / "report" / "index.html").is_file()
    )
    truth, systems, _ = read_run(folder)
    assert len(truth) == 31 and truth.group.names == ("du_essays", "gr <b>")
    assert [s.system for s in systems] == ["char-ngram(size=300)", "length", "chance"]


def test_goes_on_where_it_stopped(whole, tmp_path, monkeypatch):
    from ravenbench.engine.cells import FitUnit

    real, calls = FitUnit.work, []

    def dies(unit):
        calls.append(unit.name)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(unit)

    monkeypatch.setattr(FitUnit, "work", dies)
    options = {"verifiers": VERIFIERS, "out": tmp_path / "run", "workers": 1}
    with pytest.raises(KeyboardInterrupt):
        pan14([whole / "data"], **options)
    store = pan14([whole / "data"], **options).store
    assert len(calls) == 7
    for cell in store.plan.cells:
        done = Store.open(whole / "run").cell(cell.verifier, cell.fold)
        assert np.array_equal(store.cell(cell.verifier, cell.fold).answers, done.answers)


def test_a_failed_cell_is_left_out_and_tried_again(whole, tmp_path, monkeypatch):
    def fails(*_):
        raise ValueError("no luck")

    arguments = (
        whole / "data",
        "--verifiers",
        "length, chance",
        "--out",
        tmp_path / "run",
        "--workers",
        1,
    )
    with monkeypatch.context() as patch:
        patch.setattr(Length, "pair_features", fails)
        done = run(*arguments, "--json")
    assert done.exit_code == 1 and "2 cells have no answers" in done.stderr
    found = json.loads(done.stdout)
    assert set(found["micro"]) == {"chance"} and len(found["failed"]) == 2
    assert "no luck" in found["failed"][0]["error"]
    done = run(*arguments, "--json")
    assert done.exit_code == 0 and set(json.loads(done.stdout)["micro"]) == {
        "length",
        "chance",
        META,
    }


def test_every_cell_failed(whole, tmp_path, monkeypatch):
    def fails(*_):
        raise ValueError("no luck")

    monkeypatch.setattr(Length, "pair_features", fails)
    done = run(
        whole / "data", "--verifiers", "length", "--out", tmp_path / "run", "--workers", 1, "--json"
    )
    assert done.exit_code == 1 and json.loads(done.stdout)["micro"] == {}


def test_one_corpus_one_verifier(whole, tmp_path):
    done = run(
        whole / "data" / "du_essays",
        "--verifiers",
        "length",
        "--out",
        tmp_path / "run",
        "--workers",
        1,
    )
    assert done.exit_code == 0, done.exception
    assert META not in done.stdout


def test_what_cannot_be_used(whole, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = whole / "data"
    for error, match, arguments in (
        (FormatError, "no corpus here has both", (data / "du_essays" / "test",)),
        (FormatError, "two corpora have the same name", (data, data / "du_essays")),
        (SpecError, "duplicate", (data, "--verifiers", "length, length")),
        (SpecError, "no verifier is given", (data, "--verifiers", " ")),
        (InputError, "nothing|not found|not exist", (tmp_path / "absent",)),
    ):
        with pytest.raises(error, match=match):
            raise run(*arguments).exception
    shutil.copytree(data / "du_essays", tmp_path / "c")
    truth = tmp_path / "c" / "train" / "truth.txt"
    truth.write_text(truth.read_text().replace("N", "Y"))
    with pytest.raises(CorpusError, match="one class"):
        raise run(tmp_path / "c").exception
    assert not (tmp_path / "raven-runs").exists()


def test_corpora_of_pairs_without_their_authors(tmp_path):
    from ravenbench.reading.problem_formats.pan_pairs import write_pan_pairs
    from ravenbench.types import Labels

    for part, n in (("train", 24), ("test", 16)):
        problems, same = toy_problems(n, words=60, seed=n)
        who = {}
        for i, y in enumerate(same):
            who[problems.known_index[i]], who[problems.questioned_index[i]] = (
                f"a{i}",
                f"a{i}" if y else f"b{i}",
            )
        labels = Labels.of(who[row] for row in range(len(problems.texts)))
        write_pan_pairs(tmp_path / "pairs" / part, replace(problems, author=labels), same)
    assert read_problems(tmp_path / "pairs", "train").problems.author is not None
    store = pan14([tmp_path / "pairs"], verifiers="length", out=tmp_path / "run", workers=1).store
    assert store.fold("corpus-00").train.author is None
    assert store.fold("corpus-00").train_digest() == store.plan.folds["corpus-00"].train_digest
    assert set(ravenbench.analyse(store).micro) == {"length"}


def test_another_run_is_refused(whole, tmp_path):
    shutil.copytree(whole / "run", tmp_path / "run")
    write_record(tmp_path / "run" / "run.json", "safety", Store.open(whole / "run").run)
    with pytest.raises(InputError, match="belongs to raven safety"):
        Overview.of(Store.open(tmp_path / "run"))


def test_cells_that_are_lost_or_damaged_are_computed_again(whole, tmp_path):
    shutil.copytree(whole / "run", tmp_path / "run")
    store = Store.open(tmp_path / "run")
    lost, damaged = store.plan.cells[0].key, store.plan.cells[3].key
    store.cell_path(lost).unlink()
    flip(store.cell_path(damaged))
    assert store.read_cell(damaged) is None
    options = {"verifiers": VERIFIERS, "out": tmp_path / "run"}
    found = Pan14({"data": [whole / "data"], **options}).preview()
    assert (found.cells, found.done, found.fits) == (6, 4, 2)
    assert found.problems == {
        "du_essays train": 24,
        "du_essays test": 15,
        "gr <b> train": 24,
        "gr <b> test": 16,
    }
    again = pan14([whole / "data"], **options, workers=1).store
    for cell in again.plan.cells:
        done = Store.open(whole / "run").read_cell(cell.key)
        assert np.array_equal(again.read_cell(cell.key).answers, done.answers)


@pytest.mark.parametrize("file", ["run.json", "plan.json"])
def test_a_flipped_byte_is_noticed_and_mended(whole, tmp_path, file):
    shutil.copytree(whole / "run", tmp_path / "run")
    flip(tmp_path / "run" / file)
    done = CliRunner().invoke(build("report"), ["report", str(tmp_path / "run")])
    assert (
        isinstance(done.exception, StoreError)
        and file in str(done.exception)
        and "damaged" in str(done.exception)
    )
    pan14([whole / "data"], verifiers=VERIFIERS, out=tmp_path / "run", workers=1)
    assert Store.open(tmp_path / "run").plan == Store.open(whole / "run").plan


def test_the_plan_of_a_run_writes_nothing(whole, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Length, "pair_features", lambda *_: pytest.fail("a method was run"))
    done = run(whole / "data" / "du_essays", "--verifiers", "length", "--plan")
    assert done.exit_code == 0 and "cells: 1, 0 of them done; fits to do: 1" in done.stdout
    told = json.loads(
        run(
            whole / "data", "--verifiers", VERIFIERS, "--out", whole / "run", "--plan", "--json"
        ).stdout
    )
    assert (told["task"], told["cells"], told["done"], told["fits"]) == ("pan14", 6, 6, 0)
    other = run(whole / "data", "--verifiers", "length", "--out", whole / "run", "--plan")
    assert isinstance(other.exception, InputError) and "another spec" in str(other.exception)
    assert list(tmp_path.iterdir()) == []


def test_data_may_move_and_a_single_path_is_enough(whole, tmp_path):
    shutil.copytree(whole / "data" / "du_essays", tmp_path / "elsewhere" / "du_essays")
    first = pan14(
        whole / "data" / "du_essays", verifiers=["length"], out=tmp_path / "run", workers=1
    )
    again = pan14(
        tmp_path / "elsewhere" / "du_essays", verifiers=[Length()], out=tmp_path / "run", workers=1
    )
    assert first.store.plan == again.store.plan


@pytest.mark.data
def test_essays_share_documents_between_their_parts(pan14):
    parts = [read_problems(pan14 / "en_essays.zip", split).problems for split in ("train", "test")]
    documents, touched = shared_documents(*parts)
    assert documents == 151 and int(touched.sum()) == 78, (
        "143 as they are, and 8 that were changed a little"
    )
    parts = [read_problems(pan14 / "du_essays.zip", split).problems for split in ("train", "test")]
    documents, touched = shared_documents(*parts)
    assert documents == 57 and int(touched.sum()) == 32, "essays that stand in longer ones"


SHELF = [
    *(
        "frery-2014",
        "castillo-2014",
        "moreau-2014",
        "mayor-2014",
        "zamani-2014",
        "satyam-2014",
        "modaresi-2014",
    ),
    *(
        "halvani-2014",
        "vartapetiance-2014",
        "layton-2014",
        "harvey-2014",
        "jankowska-2014",
        "cng-2013",
        "unmasking",
    ),
    *("glad-2015", "spatium-2015"),
]


def test_every_method_of_the_shelf_has_its_publication():
    for name in [
        *SHELF,
        META,
        *registry.named("verifier", 'impostors(variant="khonji-iraqi")'),
        "mayor-2014(iterations=5)",
    ]:
        found = publication(name)
        assert found is not None and found.why
        assert set(found.figures) in (set(CORPORA), set())
        for printed in found.figures.values():
            assert printed.final == pytest.approx(printed.auc * printed.c_at_1, abs=0.0011)
    assert publication("impostors") is None and publication("ppm") is None


def test_published_figures_stand_beside_ours(overview):
    # Only the meta-classifier of this run was at PAN-2014, and only one corpus has a name of it.
    table, why = published_tables(overview)
    ((name, corpus, final, interval, printed, place),) = table.rows
    assert (name, corpus, printed) == (META, "du_essays", 0.867)
    assert final == overview.corpora[0].rows[META].scores["final"]
    low, high = interval.low, interval.high
    stands = (
        "below ours" if printed < low else "above ours" if printed > high else "within our interval"
    )
    assert place == stands
    assert [row[0] for row in why.rows] == [META]
