"""``tira``: TIRA's own client takes the folder, and baseline and evaluator, as they are written there, do their work.

The client (``pip install tira datasets``) brings a package ``tests``, which hides this folder from other tests: install
it into an environment of its own, in which you run only this file.
"""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from ravenbench import InputError, evaluate, run, tira, verify
from ravenbench.reading.problem_formats.pan_folders import write_pan_problems
from ravenbench.reading.problem_formats.pan_pairs import write_pan_pairs
from ravenbench.testing import toy_problems
from ravenbench.types import Labels

CLIENT = "TIRA's client is not installed (see the beginning of this file)"
IMAGE = "registry.example.org/you/raven:0.1.0"


@pytest.fixture(scope="module")
def fold(tmp_path_factory):
    """A fold of a run, as ``raven export`` writes it: truth with authors, pairs with topics."""
    programs = pytest.importorskip("ravenbench.ext.programs.export")
    folder = tmp_path_factory.mktemp("exported")
    result = run(
        "synthetic(authors=30, topics=8, documents=240, words=60)",
        verifiers="length",
        topics=4,
        folds=2,
        pools=1,
        samplers="random",
        docs_per_topic=30,
        probe="none",
        out=folder / "run",
        workers=1,
    )
    name, *_ = programs.export(result.store, folder / "folds")
    return folder / "folds" / name


@pytest.fixture(scope="module")
def task(fold, tmp_path_factory):
    out = tmp_path_factory.mktemp("tira") / "av-2026-test"
    return tira(fold / "train", fold / "test", out, image=IMAGE)


def lines(file):
    """The records of a file of JSON lines."""
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def configured(folder):
    """The configuration in the front matter, as a reader of YAML finds it."""
    _, front, _ = (folder / "README.md").read_text("utf-8").split("---\n", 2)
    return pytest.importorskip("yaml").safe_load(front)


def performed(command, folder, **places):
    """Run a command of the configuration, as TIRA does: a shell knows the places."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, **{name: str(at) for name, at in places.items()}}
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.extra
def test_the_client_of_tira_takes_the_folder(task, tmp_path):
    pytest.importorskip("tira", reason=CLIENT)
    pytest.importorskip("datasets", reason=CLIENT)
    client = [sys.executable, "-c", "from tira.tira_cli import main; main()"]
    options = ["--path", str(task), "--task", "av", "--split", "test", "--dry-run"]
    done = subprocess.run(
        [*client, "dataset-submission", *options, "--skip-baseline"],
        env={**os.environ, "HOME": str(tmp_path), "HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "The system inputs are valid." in done.stdout
    assert "The truth data is valid." in done.stdout


@pytest.mark.extra
def test_baseline_and_evaluator_do_their_work(task, fold, tmp_path, need_extra):
    need_extra("yaml")
    tira_configs = configured(task)["tira_configs"]
    work, answers, scores = (tmp_path / name for name in ("work", "answers", "scores"))
    for folder in (work, answers, scores):
        folder.mkdir()
    baseline = tira_configs["baseline"]
    performed(baseline["command"], work, inputDataset=task / "inputs", outputDir=answers)
    assert [path.name for path in answers.iterdir()] == [tira_configs["default_upload_name"]]
    (fields,) = {tuple(one) for one in lines(answers / "answers.jsonl")}
    assert set(fields) >= set(baseline["format"]["config"]["required_fields"]) == {"id", "value"}
    expected = verify(
        "ppm",
        train=fold / "train",
        test=fold / "test",
        out=tmp_path / "expected.jsonl",
        folder=tmp_path / "verified",
    )
    values = {one["id"]: one["value"] for one in lines(answers / "answers.jsonl")}
    pairs = zip(expected.answers.ids.tolist(), expected.answers.value.tolist(), strict=True)
    assert values == dict(pairs)
    performed(
        tira_configs["evaluator"]["command"],
        work,
        inputDataset=task,
        inputRun=answers,
        outputDir=scores,
    )
    auc = json.loads((scores / "out.json").read_text())["auc"]
    evaluated = evaluate(fold / "test", tmp_path / "expected.jsonl", replicates=10, trials=10)
    assert auc == pytest.approx(evaluated.systems[0].scores["auc"], abs=1e-3)
    assert f'key: "auc"\n value: "{auc}"' in (scores / "evaluation.prototext").read_text()


@pytest.mark.extra
def test_a_line_without_its_fields_is_refused(task, tmp_path):
    formats = pytest.importorskip("tira.check_format", reason=CLIENT)
    wanted = configured(task)["tira_configs"]["truth_format"]
    (tmp_path / "truth.jsonl").write_text('{"id": "a"}\n{"id": "b"}\n')
    level, why = formats.check_format(tmp_path, wanted["name"], wanted["config"])
    assert level == formats._fmt.ERROR
    assert '"same"' in why


def test_inputs_have_no_truth_and_say_nothing_by_their_order(task, fold):
    files = {path.relative_to(task).as_posix() for path in task.rglob("*") if path.is_file()}
    assert files == {
        ".raven.json",
        "README.md",
        "Dockerfile",
        "inputs/pairs.jsonl",
        "inputs/train/pairs.jsonl",
        "inputs/train/truth.jsonl",
        "truth.jsonl",
    }
    pairs = lines(task / "inputs" / "pairs.jsonl")
    assert all(pair.keys() == {"id", "pair"} for pair in pairs)
    ids = [pair["id"] for pair in pairs]
    assert ids == sorted(ids)
    given = {one["id"]: one for one in lines(fold / "test" / "truth.jsonl")}
    truth = lines(task / "truth.jsonl")
    assert [one["id"] for one in truth] == ids
    assert {one["id"]: one for one in truth} == given
    assert lines(task / "inputs" / "train" / "truth.jsonl") == lines(fold / "train" / "truth.jsonl")
    assert (task / "Dockerfile").read_text() == f"FROM {IMAGE}\n"
    page = (task / "README.md").read_text()
    assert f"`pairs.jsonl` has {len(pairs):,} pairs" in page
    assert str(fold.parent) not in page
    assert IMAGE in page


def problem_set(folder, seed, **labels):
    problems, same = toy_problems(6, known=1, words=30, seed=seed)
    return write_pan_pairs(folder, replace(problems, **labels), same)


def test_it_is_written_again_and_hostile_names_stay_in_the_texts(tmp_path, hostile_text):
    problems, _ = toy_problems(6, known=1, words=30, seed=4)
    topics = Labels.of([hostile_text] * len(problems.texts))
    train = problem_set(tmp_path / "train", 3, topic=topics)
    test = problem_set(tmp_path / "test", 4, topic=topics)
    task = tira(train, test, tmp_path / "task", image=IMAGE, verifier="char-ngram")
    page = task / "README.md"
    before = page.read_bytes()
    assert tira(train, test, task, image=IMAGE, verifier="char-ngram") == task
    assert page.read_bytes() == before
    assert b"raven verify char-ngram --train" in before
    assert b"script" not in before
    assert "script" not in (task / "inputs" / "pairs.jsonl").read_text()


def test_what_is_refused(tmp_path):
    train = problem_set(tmp_path / "train", 3)
    test = problem_set(tmp_path / "test", 4)
    out = tmp_path / "task"
    for wrong in ("ppm; rm x", "char-ngram(n=3)", "$HOME", ""):
        with pytest.raises(InputError, match="characters that a command of TIRA cannot have"):
            tira(train, test, out, image=IMAGE, verifier=wrong)
        with pytest.raises(InputError, match="characters that a command of TIRA cannot have"):
            tira(train, test, out, image=f"{wrong}\nRUN x")
    several, same = toy_problems(6, known=2, words=30, seed=3)
    write_pan_problems(tmp_path / "several", several, same, "english", "essays")
    with pytest.raises(InputError, match="only problems with one known document"):
        tira(train, tmp_path / "several", out, image=IMAGE)
    with pytest.raises(InputError, match="test problems are also training problems") as caught:
        tira(train, train, out, image=IMAGE)
    assert (
        caught.value.fix == "give other problems to one side"
    )  # this function has no --allow-shared
    (test / "truth.jsonl").unlink()
    with pytest.raises(InputError, match="has no truth"):
        tira(train, test, out, image=IMAGE)
    with pytest.raises(InputError, match="not found"):
        tira(train, tmp_path / "none", out, image=IMAGE)
    with pytest.raises(InputError, match="input"):
        tira(train, test, test, image=IMAGE)
    assert not out.exists()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]
