"""Topics that are extracted for a run: lightly imported, and the same on two cores."""

import subprocess
import sys
from pathlib import Path

from ravenbench.tasks.run.spec import build
from ravenbench.tasks.run.task import Run
from small_run import SMALL


def test_it_is_imported_lightly():
    code = "import sys, ravenbench.ext.case.extract; print([m for m in ('sklearn', 'scipy', 'torch') if m in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip()
        == "[]"
    )


def test_a_plan_on_topics_of_its_own_is_the_same_on_two_cores(tmp_path):
    spec = build({**SMALL, "topic": "extract(clusters=8)", "verifiers": "length"})
    for cores in (1, 2):
        Run({"spec": spec, "out": tmp_path / str(cores)}, workers=cores).prepare()
    files = sorted(
        p.relative_to(tmp_path / "1") for p in (tmp_path / "1").rglob("*") if p.is_file()
    )
    assert Path("similarity2.npy") in files, "a second encoder is computed meanwhile"
    for file in files:
        assert (tmp_path / "1" / file).read_bytes() == (tmp_path / "2" / file).read_bytes(), file
