"""raven verify: answers, trained verifiers, resuming, and every kind of bad problem."""

from __future__ import annotations

import json
import re
import shutil
import signal

import msgspec
import numpy as np
import pytest
from typer.testing import CliRunner

import ravenbench
from ravenbench.cli.main import build
from ravenbench.engine.guard import UNTAUGHT
from ravenbench.errors import (
    CorpusError,
    FormatError,
    InputError,
    RavenError,
    SpecError,
    StoreError,
)
from ravenbench.metrics.pan import scores
from ravenbench.reading.answers import read_answers
from ravenbench.reading.problem_formats.pan_folders import write_pan_problems
from ravenbench.reading.problem_formats.pan_pairs import write_pan_pairs
from ravenbench.store.records import FORMAT
from ravenbench.store.store import Store
from ravenbench.tasks.api import verify
from ravenbench.tasks.verify import plan, task
from ravenbench.tasks.verify.plan import VerifyPlan
from ravenbench.tasks.verify.task import Verify
from ravenbench.testing import toy_problems
from ravenbench.verifiers.baselines import Length

pytestmark = pytest.mark.usefixtures("undrawn")

METHOD = "char-ngram(size=300)"
GREEK = "Ο συγγραφέας δεν είναι εδώ, και το κείμενό του είναι γραμμένο με άλλα γράμματα. " * 8


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for part, n, seed in (("train", 24, 1), ("test", 12, 2)):
        problems, same = toy_problems(n, known=2, words=60, seed=seed)
        write_pan_problems(tmp_path / "corpus" / part, problems, same)
    return tmp_path / "corpus"


def run(*arguments):
    return CliRunner().invoke(build("verify"), ["verify", *map(str, arguments)])


def ask(corpus, out="answers.txt", method=METHOD, *more):
    return run(method, "--train", corpus, "--test", corpus, "--out", out, "--workers", 1, *more)


def result(done):
    assert done.exit_code == 0, (done.output, done.exception)
    return json.loads(done.stdout)


def spoil(corpus, name, files):
    folder = corpus / "test" / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for file, text in files.items():
        (folder / file).write_text(text)


def say(corpus, line):
    with (corpus / "test" / "truth.txt").open("a") as file:
        file.write(line + "\n")


def flip(file):
    """Change one digit of a text file, or one byte of another."""
    data = bytearray(file.read_bytes())
    at = next(
        i
        for i in range(len(data) // 2, len(data))
        if data[i : i + 1].isdigit() or file.suffix != ".json"
    )
    data[at] ^= 1
    file.write_bytes(bytes(data))


def test_answers_in_both_forms(corpus):
    done = ask(corpus)
    assert (
        done.exit_code == 0
        and "12 problems" in done.stdout
        and "answers: answers.txt" in done.stdout
    )
    told = result(ask(corpus, "answers.jsonl", METHOD, "--json"))
    assert told["problems"] == 12 and told["faults"] == {} and told["answers"] == "answers.jsonl"
    plain, lines = read_answers("answers.txt"), read_answers("answers.jsonl")
    assert plain.ids.tolist() == lines.ids.tolist() == sorted(plain.ids.tolist())
    assert np.array_equal(plain.value, lines.value)


def test_answers_are_no_table(corpus, tmp_path):
    done = ask(corpus, "answers.csv", "length")
    assert isinstance(done.exception, InputError) and "answers.jsonl" in str(done.exception)
    assert not (tmp_path / "answers.csv").exists()


def test_saved_and_loaded(corpus, tmp_path):
    ask(corpus, "a.txt", METHOD, "--save", "trained")
    done = run(METHOD, "--load", "trained", "--test", corpus / "test", "--out", "b.txt")
    assert done.exit_code == 0, done.exception
    assert (tmp_path / "a.txt").read_bytes() == (tmp_path / "b.txt").read_bytes()
    other = run("char-ngram(size=301)", "--load", "trained", "--test", corpus, "--out", "c.txt")
    assert isinstance(other.exception, SpecError)
    assert "size: 300 in the folder, 301 in the command" in str(other.exception)
    assert (
        ask(corpus, "a.txt", METHOD, "--save", "trained").exit_code == 0
    )  # its own earlier product
    (tmp_path / "trained" / "notes.txt").write_text("mine")
    again = ask(corpus, "a.txt", METHOD, "--save", "trained")
    assert isinstance(again.exception, InputError) and "not empty" in str(again.exception)


def test_any_number_of_workers_and_blocks(corpus, tmp_path, monkeypatch):
    whole = verify(METHOD, train=corpus, test=corpus, folder=tmp_path / "one", workers=1)
    monkeypatch.setattr(plan, "BLOCK", 5)
    parts = verify(METHOD, train=corpus, test=corpus, folder=tmp_path / "two", workers=2)
    assert np.array_equal(whole.answers.value, parts.answers.value)


def test_a_transductive_method_sees_all_problems_at_once(corpus, monkeypatch):
    monkeypatch.setattr(plan, "BLOCK", 5)
    monkeypatch.setattr(Length, "transductive", True)
    seen = []
    real = Length.pair_features

    def sees(self, texts, known, questioned):
        seen.append(len(questioned))
        return real(self, texts, known, questioned)

    monkeypatch.setattr(Length, "pair_features", sees)
    verify("length", train=corpus, test=corpus, workers=1)
    assert seen == [48, 24]


def test_goes_on_where_it_stopped(corpus, monkeypatch):
    monkeypatch.setattr(plan, "BLOCK", 5)
    real, calls = plan.answer_each, []

    def dies(verifier, test):
        calls.append(len(test))
        if len(calls) == 2:
            signal.raise_signal(signal.SIGINT)
        return real(verifier, test)

    monkeypatch.setattr(plan, "answer_each", dies)
    # Tests that run side by side ignore Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            verify(METHOD, train=corpus, test=corpus, workers=1)
    finally:
        signal.signal(signal.SIGINT, before)
    monkeypatch.setattr(task, "_fit", lambda *_: pytest.fail("trained again"))
    found = verify(METHOD, train=corpus, test=corpus, workers=1)
    assert calls == [5, 5, 5, 2] and found.seconds["fit"] is None
    assert np.array_equal(
        found.answers.value, verify(METHOD, train=corpus, test=corpus, workers=1).answers.value
    )
    assert len(calls) == 4


def test_bad_problems_are_recorded_non_answers(corpus):
    text = (corpus / "test" / "toy000" / "known01.txt").read_text()
    spoil(corpus, "toy000", {"known01.txt": text})
    spoil(corpus, "toy001", {"unknown.txt": text})
    spoil(corpus, "toy002", {"known01.txt": text, "unknown.txt": " \n"})
    spoil(corpus, "toy003", {"known01.txt": "\ufeff", "unknown.txt": text})
    spoil(corpus, "toy004", {"known01.txt": "word", "unknown.txt": text})
    spoil(corpus, "toy005", {"known01.txt": text, "unknown.txt": GREEK})
    spoil(corpus, "toy006", {"known01.txt": text, "unknown.txt": text.replace(" ", "\n ")})
    say(corpus, "absent Y")
    say(corpus, "../../elsewhere N")
    told = result(ask(corpus, "answers.jsonl", METHOD, "--json"))
    found = dict(
        zip(
            *(lambda a: (a.ids.tolist(), a.value.tolist()))(read_answers("answers.jsonl")),
            strict=True,
        )
    )
    assert told["faults"] == {
        "../../elsewhere": "its id is a path, not a name",
        "absent": "truth.txt or contents.json names it, but it has no folder",
        "toy000": "unknown.txt not found",
        "toy001": "no known document",
        "toy002": "the questioned document is empty",
        "toy003": "every known document is empty",
        "toy005": UNTAUGHT,
    }
    assert all(found[name] == 0.5 for name in told["faults"])
    assert len(found) == told["problems"] == 14
    notes = [
        note
        for note in told["notes"]
        if not re.search(" odd; |cannot be used|have a text that differs from", note)
    ]
    assert any(
        note.startswith("toy006: the questioned text is identical with a known text")
        for note in notes
    )
    assert any("toy004: the text is a single word" in note for note in notes)
    assert found["toy006"] > 0.5
    shown = ask(corpus, "answers.jsonl")
    assert "7 could not be answered:" in shown.stdout and "and 2 more" in shown.stdout


def test_problems_that_truth_does_not_name_are_not_counted_as_unanswered(corpus):
    truth = corpus / "test" / "truth.txt"
    lines = truth.read_text().splitlines()
    truth.write_text("\n".join(lines[:-3]))
    told = result(ask(corpus, "answers.jsonl", METHOD, "--json"))
    answers = read_answers("answers.jsonl")
    assert len(told["faults"]) == 3 and all(
        "does not answer or score it" in why for why in told["faults"].values()
    )
    judged = [
        value
        for name, value in zip(answers.ids.tolist(), answers.value, strict=True)
        if name not in told["faults"]
    ]
    assert told["unanswered"] == judged.count(0.5) and len(judged) == len(lines) - 3
    shown = " ".join(ask(corpus, "answers.jsonl").stdout.split())
    assert f"of {len(judged)} problems are unanswered; truth does not contain 3 more" in shown


@pytest.mark.parametrize(
    "method", ["ppm", "function-words", "cng-2013", "impostors(iterations=5)", "char-ngram"]
)
def test_odd_problems_through_methods(corpus, method):
    text = (corpus / "test" / "toy000" / "known01.txt").read_text()
    spoil(corpus, "toy000", {"known01.txt": "word", "unknown.txt": "word"})
    spoil(corpus, "toy001", {"known01.txt": GREEK, "unknown.txt": text})
    spoil(
        corpus,
        "toy002",
        {f"known{i:03d}.txt": f"{text} {i}" for i in range(100)} | {"unknown.txt": text},
    )
    told = result(ask(corpus, "answers.jsonl", method, "--json"))
    assert told["faults"] == {"toy001": UNTAUGHT} and told["problems"] == 12


def test_training_faults_are_left_out_and_named(corpus):
    shutil.rmtree(corpus / "train" / "toy000")
    told = result(ask(corpus, "answers.jsonl", METHOD, "--json"))
    assert list(told["left_out_of_training"]) == ["toy000"]


def test_texts_that_look_like_mail_or_are_damaged_are_said(corpus):
    place = next((corpus / "test").glob("*/unknown.txt"))
    place.write_text(
        "From: Ann\nSubject: <b>it</b>\n\n" + "<p>Words</p> " * 9 + place.read_text("utf-8"),
        "utf-8",
    )
    notes = " ".join(result(ask(corpus, "answers.jsonl", METHOD, "--json"))["notes"])
    assert "1 of " in notes and "the text contains HTML markup" in notes


def test_training_with_one_class(corpus):
    truth = corpus / "train" / "truth.txt"
    truth.write_text(truth.read_text().replace(" N", " Y"))
    error = ask(corpus).exception
    assert (
        isinstance(error, CorpusError)
        and "one class" in str(error)
        and "24 Y and 0 N" in str(error)
    )


def test_test_problems_need_no_truth(corpus):
    (corpus / "test" / "truth.txt").unlink()
    assert result(ask(corpus, "answers.txt", METHOD, "--json"))["problems"] == 12
    (corpus / "train" / "truth.txt").unlink()
    assert isinstance(ask(corpus).exception, FormatError)


def test_a_method_that_fails_on_one_problem(corpus, monkeypatch):
    victim = (corpus / "test" / "toy003" / "unknown.txt").read_text()
    real = Length.pair_features

    def fails(self, texts, known, questioned):
        if any(texts[row] == victim for row in questioned):
            raise ValueError("no luck")
        return real(self, texts, known, questioned)

    monkeypatch.setattr(Length, "pair_features", fails)
    told = result(ask(corpus, "answers.txt", "length", "--json"))
    assert told["faults"] == {"toy003": "the method failed (ValueError: no luck)"}
    monkeypatch.undo()


def test_a_method_that_fails_on_all_writes_nothing(corpus, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = verify("length", train=corpus, test=corpus, workers=1)
    shutil.rmtree(found.folder / "cells")

    def fails(*_):
        raise ValueError("no luck")

    monkeypatch.setattr(Length, "pair_features", fails)
    with pytest.raises(RavenError, match="no luck"):
        verify("length", train=corpus, test=corpus, workers=1, out="answers.txt")
    assert not (tmp_path / "answers.txt").exists()
    monkeypatch.setattr(plan, "trained_before", lambda *_: None)
    with pytest.raises(RavenError, match="failed in training"):
        verify("length", train=corpus, test=corpus, workers=1, folder=tmp_path / "new")


def test_pairs_of_2020(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for part, n in (("train", 24), ("test", 10)):
        problems, same = toy_problems(n, seed=n)
        write_pan_pairs(tmp_path / "pairs" / part, problems, same)
    assert result(ask(tmp_path / "pairs", "answers.jsonl", METHOD, "--json"))["problems"] == 10


def test_usage_and_places(corpus, tmp_path):
    for arguments in ((), ("--train", corpus, "--load", "x")):
        error = run(METHOD, "--test", corpus, "--out", "a.txt", *arguments).exception
        assert isinstance(error, SpecError) and "one of --train and --load" in str(error)
    assert "give the name of a file" in str(ask(corpus, tmp_path).exception)
    (tmp_path / "file").write_text("")
    refused = str(ask(corpus, tmp_path / "file" / "a.txt").exception)
    assert "cannot be written" in refused and "trial" not in refused
    assert "not a trained verifier" in str(
        run(METHOD, "--load", "x", "--test", corpus, "--out", "a.txt").exception
    )
    assert "unknown verifier" in str(ask(corpus, "a.txt", "pmp").exception)
    (corpus / "test" / "toy000").rename(corpus / "test" / "toy 000")
    truth = corpus / "test" / "truth.txt"
    truth.unlink()
    (corpus / "test" / "contents.json").unlink()
    assert "white space" in str(ask(corpus, "a.txt").exception)
    assert not (tmp_path / "raven-runs").exists()


def test_the_report_says_what_was_answered(corpus, tmp_path):
    text = (corpus / "test" / "toy000" / "known01.txt").read_text()
    spoil(corpus, "toy001", {"unknown.txt": text})
    shutil.rmtree(corpus / "train" / "toy000")
    told = result(ask(corpus, "answers.jsonl", METHOD, "--json", "--folder", "run"))
    answers = read_answers("answers.jsonl")
    known = dict(
        line.lstrip("\ufeff").split()
        for line in (corpus / "test" / "truth.txt").read_text().splitlines()
    )
    expected = scores([known[name] == "Y" for name in answers.ids.tolist()], answers.value)
    assert told["scores"] == {metric: expected[metric] for metric in ("auc", "c@1", "final")}
    assert told["unanswered"] == int((answers.value == 0.5).sum()) and told["seconds"]["fit"] > 0
    done = CliRunner().invoke(build("report"), ["report", "run"])
    assert done.exit_code == 0, done.exception
    assert (
        "12 problems" in done.stdout
        and "1 could not be answered:" in done.stdout
        and "final" in done.stdout
    )
    written = json.loads((tmp_path / "run" / "report" / "report.json").read_text())
    assert written == {"format": FORMAT, "kind": "verify"} | {
        key: value for key, value in told.items() if key not in ("answers", "saved")
    }
    page = (tmp_path / "run" / "report" / "index.html").read_text()
    assert "no known document" in page and "left out of training" in page
    found = ravenbench.analyse(Store.open("run"))
    assert found.faults == {"toy001": "no known document"} and list(found.plan.left_out) == [
        "toy000"
    ]
    error = CliRunner().invoke(build("evaluate"), ["evaluate", "run"]).exception
    assert isinstance(error, InputError) and "not a run of raven run" in str(error)


def test_without_truth_nothing_is_said_of_scores(corpus):
    (corpus / "test" / "truth.txt").unlink()
    found = verify(METHOD, train=corpus, test=corpus, workers=1)
    assert found.store.plan.folds["test"].counts is None
    assert ravenbench.analyse(found.store).scores is None
    page = ravenbench.write_report(found.store).read_text()
    assert "test problems have no truth" in page and "AUC" not in page


def test_cells_that_are_lost_or_damaged_are_computed_again(corpus, tmp_path, monkeypatch):
    monkeypatch.setattr(plan, "BLOCK", 5)
    options = {"train": corpus, "test": corpus, "folder": tmp_path / "run"}
    first = verify(METHOD, **options, workers=1)
    cells = first.store.plan_as(VerifyPlan).blocks
    first.store.cell_path(cells[0].key).unlink()
    flip(first.store.cell_path(cells[2].key))
    found = ravenbench.analyse(first.store)
    assert found.missing == {"problems 1 to 5": "not computed", "problems 11 to 12": "not computed"}
    assert (
        found.scores is None
        and "blocks of problems have no answers" in ravenbench.write_report(first.store).read_text()
    )
    told = Verify({"verifier": METHOD, **options}).preview()
    assert (told.problems, told.cells, told.done, told.fits) == ({"train": 24, "test": 12}, 3, 1, 0)
    again = verify(METHOD, **options, workers=1)
    assert again.seconds["fit"] is None and np.array_equal(first.answers.value, again.answers.value)


@pytest.mark.parametrize("file", ["run.json", "plan.json"])
def test_a_flipped_byte_is_noticed_and_mended(corpus, tmp_path, file):
    options = {"train": corpus, "test": corpus, "folder": tmp_path / "run", "workers": 1}
    first = verify(METHOD, **options)
    before = first.store.plan
    flip(tmp_path / "run" / file)
    done = CliRunner().invoke(build("report"), ["report", str(tmp_path / "run")])
    assert (
        isinstance(done.exception, StoreError)
        and file in str(done.exception)
        and "damaged" in str(done.exception)
    )
    again = verify(METHOD, **options)
    assert again.store.plan == before and np.array_equal(first.answers.value, again.answers.value)


@pytest.mark.parametrize("file", ["trained.json", "trained/verifier.json", "trained/arrays.npz"])
def test_a_damaged_trained_verifier_is_trained_again(corpus, tmp_path, file):
    options = {"train": corpus, "test": corpus, "folder": tmp_path / "run", "workers": 1}
    first = verify(METHOD, **options)
    shutil.rmtree(tmp_path / "run" / "cells")
    flip(tmp_path / "run" / file)
    again = verify(METHOD, **options)
    assert again.seconds["fit"] is not None and np.array_equal(
        first.answers.value, again.answers.value
    )
    shutil.rmtree(tmp_path / "run" / "cells")
    assert verify(METHOD, **options).seconds["fit"] is None


def test_the_plan_of_a_run_writes_nothing(corpus, tmp_path, monkeypatch):
    monkeypatch.setattr(Length, "pair_features", lambda *_: pytest.fail("a method was run"))
    before = sorted(tmp_path.rglob("*"))
    done = run("length", "--train", corpus, "--test", corpus, "--plan")
    assert done.exit_code == 0, done.exception
    assert (
        "train: 24 problems" in done.stdout
        and "cells: 1, 0 of them done; fits to do: 1" in done.stdout
    )
    assert "a fit is one training of one method" in " ".join(done.stdout.split())
    told = result(run("length", "--train", corpus, "--test", corpus, "--plan", "--json"))
    assert told["task"] == "verify" and told["problems"] == {"train": 24, "test": 12}
    assert sorted(tmp_path.rglob("*")) == before
    assert "--out" in str(run("length", "--train", corpus, "--test", corpus).exception)


def test_another_run_lies_there(corpus, tmp_path):
    verify(METHOD, train=corpus, test=corpus, folder=tmp_path / "run", workers=1)
    with pytest.raises(InputError, match="another spec"):
        verify("length", train=corpus, test=corpus, folder=tmp_path / "run", workers=1)


def test_a_plan_of_another_verifier_than_its_run_is_refused(corpus, tmp_path):
    options = {"train": corpus, "test": corpus, "folder": tmp_path / "run", "workers": 1}
    store = verify("length", **options).store
    changed = msgspec.structs.replace(store.plan.verifiers[0], spec="command('true')")
    store.write_plan(msgspec.structs.replace(store.plan, verifiers=[changed]))
    with pytest.raises(SpecError, match="names another verifier than the run") as refusal:
        verify("length", **options)
    assert "found: command('true')" in str(refusal.value)
    spec = tmp_path / "spec.toml"
    spec.write_text("[verify]\nfolder = 'run'\n")
    given = ("length", "--train", corpus, "--test", corpus, "--out", "a.txt", "--spec", spec)
    refused = run(*given)
    assert "another verify.folder (a key of a file for --spec)" in str(refused.exception)
    spec.write_text("[verify]\nfolder = 'another'\n")
    done = run(*given)
    assert done.exit_code == 0 and (tmp_path / "another" / "plan.json").is_file()


def test_a_class_that_was_edited_under_one_version_is_named(corpus, monkeypatch, caplog):
    monkeypatch.syspath_prepend(str(corpus.parent))
    file = corpus.parent / "edited_later.py"
    text = "from ravenbench.verifiers.baselines import Length\n\n\nclass Mine(Length):\n    name = None\n"
    file.write_text(text)
    for edit, told in (("", False), ("", False), ("# another line\n", True)):
        file.write_text(text + edit)
        caplog.clear()
        result(ask(corpus, "answers.txt", "edited_later:Mine", "--folder", "kept", "--json"))
        assert ("its file changed since this run began" in caplog.text) == told, caplog.text
        assert not told or "fix: if the change matters, raise `version`" in caplog.text


def test_a_class_with_a_name_of_its_own_is_found_again(corpus, monkeypatch):
    monkeypatch.syspath_prepend(str(corpus.parent))
    text = "from ravenbench.verifiers.baselines import Length\n\n\nclass Mine(Length):\n    name = 'my-own'\n"
    (corpus.parent / "named_for_verify.py").write_text(text)
    for _ in range(2):
        found = result(
            ask(corpus, "answers.txt", "named_for_verify:Mine", "--folder", "kept", "--json")
        )
        assert found["verifier"] == "named_for_verify:Mine"
