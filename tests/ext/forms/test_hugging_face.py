"""``hugging_face``: huggingface_hub reads every value, each is what the result says, and none is without its interval."""

import re

import numpy as np
import pytest

from contracts.tasks import TASKS
from ravenbench import InputError, Truth, analyse, evaluate, hugging_face, run
from ravenbench.reports.content import badge
from ravenbench.types import name_array

SMALL = {
    "corpus": "synthetic(authors=60, topics=8, documents=320, words=50)",
    "topics": 4,
    "folds": 2,
    "pools": 1,
    "samplers": "random",
    "docs_per_topic": 40,
    "workers": 1,
}
DATASET = "owner/problems-2026"
SOURCE = "https://example.org/result.json"
INTERVAL = re.compile(r"^95% interval (\d\.\d{3}) to (\d\.\d{3}); ")


@pytest.fixture(scope="module")
def probed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("probed") / "run"
    return run(verifiers="topic-only, length", repetitions=1, out=folder, **SMALL)


@pytest.fixture(scope="module")
def written(probed, tmp_path_factory):
    out = tmp_path_factory.mktemp("hub") / "hub"
    return hugging_face(probed.store.path, out, dataset=DATASET, source=SOURCE)


def evaluated(systems, **options):
    """An evaluation of made-up answers to 40 problems."""
    same = np.arange(40) % 2 == 0
    rng = np.random.default_rng(3)
    answers = {name: np.clip(same * 0.3 + rng.random(40) * 0.7, 0, 1) for name in systems}
    truth = Truth(name_array([f"p{i}" for i in range(40)]), same)
    return evaluate(truth, answers, replicates=200, trials=200, **options)


def loaded(file):
    """What a reader of YAML finds in a file."""
    return pytest.importorskip("yaml").safe_load(file.read_text("utf-8"))


def entries(folder):
    """The values of each verifier as huggingface_hub reads them."""
    hub = pytest.importorskip("huggingface_hub")
    return {
        file.parts[-3]: hub.parse_eval_result_entries(loaded(file))
        for file in sorted(folder.glob("*/.eval_results/*.yaml"))
    }


@pytest.mark.extra
def test_huggingface_hub_reads_every_value_of_a_run(probed, written, need_extra):
    hub = need_extra("huggingface_hub")
    read = entries(written)
    rows = {row.verifier: row for row in analyse(probed).content.rows}
    assert read.keys() == rows.keys() == {"topic-only", "length"}
    for name, values in read.items():
        row = rows[name]
        expected = [row.misleads, row.helps, row.figures.style_left]
        assert [one.value for one in values] == [round(one.value, 4) for one in expected]
        for one, estimate in zip(values, expected, strict=True):
            limits = [float(limit) for limit in INTERVAL.search(one.notes).groups()]
            assert limits == pytest.approx(estimate.interval, abs=5e-4)
            assert (one.dataset_id, one.source_url) == (DATASET, SOURCE)
            assert one.verify_token is None
        (file,) = (written / name / ".eval_results").iterdir()
        assert file.name == "problems-2026.yaml"
        written_again = hub.eval_result_entries_to_yaml(values)
        assert written_again == loaded(file)
        assert all(badge(row.judged) in one.notes for one in values)


@pytest.mark.extra
def test_the_dataset_names_the_task_of_every_value(written, need_extra):
    need_extra("huggingface_hub")
    described = loaded(written / "eval.yaml")
    assert described.keys() == {"name", "description", "evaluation_framework", "tasks"}
    assert described["evaluation_framework"] == "ravenbench"
    tasks = [task["id"] for task in described["tasks"]]
    assert tasks == ["topic_misleads", "topic_helps", "style_left"]
    for values in entries(written).values():
        assert [one.task_id for one in values] == tasks
    assert all({"id", "config", "split"} == task.keys() for task in described["tasks"])


@pytest.mark.extra
def test_every_metric_of_an_evaluation_has_its_interval(tmp_path, need_extra):
    need_extra("huggingface_hub")
    found = evaluated(["first", "second"], level=0.9)
    read = entries(hugging_face(found, tmp_path / "hub", dataset=DATASET, source=SOURCE))
    for system in found.systems:
        values = {one.task_id: one for one in read[system.name]}
        stated = [metric for metric, interval in system.interval.items() if interval is not None]
        assert len(values) == len(stated) > 5
        assert values["auc"].value == round(system.scores["auc"], 4)
        assert values["c_at_1"].value == round(system.scores["c@1"], 4)
        assert all(one.notes.startswith("90% interval ") for one in values.values())
        low, high = system.interval["auc"]
        assert f" {low:.3f} to {high:.3f}; 40 problems; " in values["auc"].notes
        assert found.hashes()["truth"] in values["auc"].notes
    described = loaded(tmp_path / "hub" / "eval.yaml")
    assert {task["id"] for task in described["tasks"]} >= values.keys()


@pytest.mark.extra
def test_hostile_names_stay_in_their_places(tmp_path, hostile_text, need_extra):
    need_extra("huggingface_hub")
    names = [hostile_text, "../up", "../UP", "a: [b\u2028- c\uffff", "🐦 # no"]
    source = "https://example.org/#: {\u2028\uffff\"'"
    out = hugging_face(evaluated(names), tmp_path / "hub", dataset=DATASET, source=source)
    read = entries(out)
    assert len(read) == len(names)
    assert all(re.fullmatch(r"[a-z0-9-]+", name) for name in read)
    assert {one.source_url for values in read.values() for one in values} == {source}
    assert [path.name for path in tmp_path.iterdir()] == ["hub"]


def test_what_is_written_may_be_replaced_and_names_no_folder(probed, written, tmp_path):
    again = hugging_face(probed.store, tmp_path / "hub", dataset=DATASET, source=SOURCE)
    assert hugging_face(str(probed.store.path), again, dataset=DATASET, source=SOURCE) == again
    files = [file for file in sorted(again.rglob("*")) if file.is_file()]
    for file in files:
        assert file.read_bytes() == (written / file.relative_to(again)).read_bytes()
        assert str(probed.store.path.parent) not in file.read_text()
    assert len(files) == 4


def test_what_has_no_interval_is_refused(probed, given_run, finished, tmp_path):
    out = tmp_path / "hub"
    given = {"dataset": DATASET, "source": SOURCE}
    with pytest.raises(InputError, match=r"fix: give ravenbench\.evaluate\(RUN\)"):
        hugging_face(given_run, out, **given)
    for other in ("attribute", "pan14"):
        with pytest.raises(InputError, match="this run has no figures with intervals"):
            hugging_face(finished(TASKS[other]), out, **given)
    with pytest.raises(InputError):
        hugging_face(tmp_path / "none", out, **given)
    for wrong in ("name", "../up", "owner/../name", "owner/name\n", "a b/c", 'a/b"'):
        with pytest.raises(InputError, match="expected: owner/name"):
            hugging_face(probed.store, out, dataset=wrong, source=SOURCE)
    assert not out.exists()
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "note.txt").write_text("mine")
    with pytest.raises(InputError):
        hugging_face(probed.store, tmp_path / "taken", **given)
    assert [path.name for path in (tmp_path / "taken").iterdir()] == ["note.txt"]
    with pytest.raises(InputError):
        hugging_face(probed.store, probed.store.path, **given)
    assert (probed.store.path / "run.json").is_file()
