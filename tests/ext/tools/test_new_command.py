"""``raven new verifier``: what it writes works at once, in each of its forms."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from ravenbench import registry
from ravenbench.cli.main import build
from ravenbench.errors import RavenError
from ravenbench.metrics import auc
from ravenbench.tasks.run.spec import read_toml
from ravenbench.testing import toy_problems


def new(*arguments: object):
    return CliRunner().invoke(build("new"), ["new", "verifier", *map(str, arguments)])


def test_a_class_and_its_own_test(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shown = new("my-idea")
    assert shown.exit_code == 0 and "my_idea:MyIdea" in shown.output, shown.output
    assert "pip install pytest" in shown.output
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "test_my_idea.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(("form", "program"), [("program", sys.executable), ("r", "Rscript")])
def test_a_program_answers_better_than_chance(tmp_path, monkeypatch, form, program):
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    monkeypatch.chdir(tmp_path)
    assert new("mine", "--as", form).exit_code == 0
    spoken = read_toml(Path("mine.toml"))["aliases"]["mine"]
    problems, same = toy_problems(40, seed=5, alphabet=("la", "mi", "ta", "so", "\u2028"))
    verifier = registry.parse("verifier", spoken).fit(problems, same)
    answers = verifier.verify(problems.blind())
    assert auc(same, answers) > 0.8 and np.ptp(answers) > 0.05


def test_a_package_names_its_entry_point(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert new("my-idea", "--as", "package").exit_code == 0
    told = (tmp_path / "my-idea" / "pyproject.toml").read_text()
    assert 'my-idea = "my_idea:MyIdea"' in told
    assert (tmp_path / "my-idea" / "src" / "my_idea" / "__init__.py").is_file()


def test_nothing_is_overwritten_and_names_are_checked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "test_mine.py").write_text("precious")
    with pytest.raises(RavenError, match="already exists"):
        build("new")(["new", "verifier", "mine"], standalone_mode=False)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["test_mine.py"]
    with pytest.raises(RavenError, match="cannot be"):
        build("new")(["new", "verifier", "../x"], standalone_mode=False)
    with pytest.raises(RavenError, match="expected: verifier or metric"):
        build("new")(["new", "corpus", "mine"], standalone_mode=False)


def test_a_vectorizer_of_scikit_learn_is_kept_with_a_trained_verifier(tmp_path):
    from sklearn.feature_extraction.text import TfidfVectorizer

    from ravenbench.verifiers.contract.persist import Reader, Writer

    made = TfidfVectorizer(analyzer="char", ngram_range=(2, 3)).fit(["one text", "another"])
    writer = Writer()
    kept = json.loads(json.dumps(writer.encode(made)))
    again = Reader(writer.arrays, frozenset()).decode(kept)
    assert (again.transform(["one more"]) != made.transform(["one more"])).nnz == 0


@pytest.mark.parametrize("name", ["class", "None", "numpy", "json", "../x", "=cmd()", "a" * 61])
def test_a_name_that_python_could_not_import_is_refused(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RavenError, match="name"):
        build("new")(["new", "verifier", name], standalone_mode=False)
    assert list(tmp_path.iterdir()) == []
