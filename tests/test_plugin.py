"""A verifier from outside: installed from a real package and found by name, or used as an object."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import extensions
import ravenbench
from ravenbench import registry
from ravenbench.testing import check_verifier, toy_problems
from ravenbench.verifiers.contract.base import Calibrated, Scorer

PACKAGE = Path(__file__).parent / "plugin_package"

BY_NAME = """
import ravenbench
from ravenbench import registry
from ravenbench.components import identity
from ravenbench.testing import check_verifier

assert "shared-words" in registry.names("verifier")
verifier = registry.parse("verifier", "shared-words(shortest=3)")
assert str(verifier) == "shared-words(shortest=3)"
assert type(verifier).__module__ == "raven_plugin.shared_words"
assert identity(verifier)["params"] == {"shortest": 3}
assert registry.parse("verifier", "raven_plugin.shared_words:SharedWords(shortest=3)") == verifier
check_verifier(verifier)
check_verifier(registry.parse("verifier", "distorted(shared-words, k=50)"))
print("found")
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder the plugin package was installed into by pip, with nothing fetched."""
    target = tmp_path_factory.mktemp("plugin")
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        "--no-build-isolation",
    ]
    done = subprocess.run(
        [*command, "--target", str(target), str(PACKAGE)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return target


def python(code: str, *paths: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))}
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment
    )


def test_an_installed_plugin_is_found_by_name(installed):
    done = python(BY_NAME, installed)
    assert done.stdout.strip() == "found", done.stderr


TASK = """
import sys
from pathlib import Path

from ravenbench import analyse
from ravenbench.tasks import api
from ravenbench.engine.task import task_of
from ravenbench.cli.main import build
from ravenbench.reading.problem_formats.pan_folders import write_pan_problems
from ravenbench.testing import check_task, toy_problems
from typer.testing import CliRunner

write_pan_problems(Path("toy/test"), *toy_problems(12))
check_task(task_of("lengths"), {"problems": "toy"})
assert api.lengths(problems="toy", measures="words", out="run").errors == ()
shown = CliRunner().invoke(build("lengths"), ["lengths", "toy", "--out", "all"])
assert shown.exit_code == 0 and "characters" in shown.output, shown.output
assert "--measures" in CliRunner().invoke(build("lengths"), ["lengths", "--help"]).output
assert "lengths of texts alone" in CliRunner().invoke(build(None), ["--help"]).output
report = CliRunner().invoke(build("report"), ["report", "run", "--json"])
assert report.exit_code == 0 and '"measure": "words"' in report.output, report.output
assert "What lengths alone tell" in Path("run/report/index.html").read_text()
print("lived")
"""


def test_a_package_brings_a_task(installed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = python(TASK, installed, *sys.path)
    assert done.stdout.strip() == "lived", done.stderr


DOORS = """
from pathlib import Path

from ravenbench.cli.main import build
from ravenbench.reading.documents import is_document, read_document
from typer.testing import CliRunner

Path("note.loud").write_text("I DID NOT SAY THAT.")
assert is_document(Path("note.loud")) and read_document("note.loud").text.strip() == "i did not say that."
assert "Count the words of a text." in CliRunner().invoke(build(None), ["--help"]).output
shown = CliRunner().invoke(build("count-words"), ["count-words", "note.loud"])
assert shown.exit_code == 0 and shown.output.strip() == "5", shown.output
print("open")
"""


def test_a_package_brings_a_command_and_a_kind_of_document(installed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = python(DOORS, installed, *sys.path)
    assert done.stdout.strip() == "open", done.stderr


def test_two_packages_with_one_name_are_refused(installed, tmp_path):
    folder = tmp_path / "rival-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: rival\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text("[ravenbench.verifier]\nshared-words = rival:Other\n")
    done = python(
        "from ravenbench import registry; registry.names('verifier')", installed, tmp_path
    )
    assert done.returncode != 0
    assert "two packages provide a verifier named 'shared-words'" in done.stderr


def test_an_object_needs_no_installation_and_no_name():
    verifier = SameEnding(letters=2)
    assert str(verifier) == f"{__name__}:SameEnding(letters=2)"
    check_verifier(verifier)
    problems, same = toy_problems(20)
    assert Calibrated(verifier).fit(problems, same).verify(problems.blind()).shape == (20,)


class SameEnding(Scorer):
    """Share of words of the questioned text that end like a word of the known text."""

    symmetric = False
    provenance = "ours"

    def __init__(self, letters: int = 1) -> None:
        self.letters = letters

    def fit(self, problems, same):
        return self

    def score(self, problems):
        ends = [[word[-self.letters :] for word in text.split()] for text in problems.texts]
        known, questioned = problems.known_index[problems.known_ptr[:-1]], problems.questioned_index
        pairs = [(set(ends[a]), ends[b]) for a, b in zip(known, questioned, strict=True)]
        return np.array(
            [sum(end in known for end in asked) / max(1, len(asked)) for known, asked in pairs]
        )

    def default_calibrator(self):
        return registry.parse("calibrator", "isotonic")


NEEDED = {
    "corpus": {"Corpus", "CorpusBuilder", "Document", "Labels", "TextTable", "load_corpus"},
    "problems": {"Problems", "PairRule", "Fold", "Truth", "read_problems"},
    "verifier": {"Scorer", "Verifier", "FoldFree", "Calibrated"},
    "calibrator": {
        "Calibrator",
        "LogOdds",
        "Logistic",
        "ScaledLogistic",
        "ThresholdBand",
    },
    "other methods": {
        "Attributor",
        "Encoder",
        "Mask",
        "Metric",
        "Sampler",
        "Segmenter",
        "Selection",
    },
    "obfuscator": {"Obfuscator", "ObfuscationTask", "Rewriting", "Translator"},
    "task": {
        "Task",
        "Spec",
        "Option",
        "about",
        "Draft",
        "Plan",
        "CellPlace",
        "CellUnit",
        "VerifierRecord",
        "Preview",
        "Store",
    },
    "report": {"Report", "Table", "table", "col"},
    "what extensions bring": extensions.names("NAMES"),
    "door": {"Command", "Component", "DocumentFormat", "InputError", "RavenError"},
}
"""What a package is written against, by what it brings: importable from ``ravenbench`` whatever moves below it."""


@pytest.mark.parametrize("part", NEEDED)
def test_what_a_package_needs_is_importable_from_the_top(part):
    assert not [name for name in sorted(NEEDED[part]) if not hasattr(ravenbench, name)]
    assert NEEDED[part] <= set(dir(ravenbench))
