"""Imitation of the known author by texts made elsewhere: what verifiers make of it."""

from __future__ import annotations

import numpy as np
import pytest

import ravenbench
from ravenbench.formats.problems import write_pan_problems
from ravenbench.reports.report import report_of
from ravenbench.tasks.safety.analysis import imitation_row
from ravenbench.testing import toy_problems


def test_false_acceptance_and_shift():
    same = np.array([True, True, False, False, False])
    before, after = np.array([0.9, 0.2, 0.1, 0.2, 0.7]), np.array([0.9, 0.2, 0.6, 0.9, 0.7])
    imitated, sides = np.array([False, False, True, True, False]), np.arange(10).reshape(5, 2)
    row = imitation_row("m", "v", same, imitated, sides, before, after)
    assert (row.texts, row.genuine, row.strangers, row.imitated) == (2, 0.5, 0.0, 1.0)
    assert row.shift == pytest.approx(np.log10([1.5 * 9, 9 * 4]).mean()) and row.shift_interval is not None
    one = imitation_row("m", "v", same, imitated, np.zeros((5, 2), int), before, after)
    assert one.shift_interval is None and one.interval[0] < row.interval[0], "two texts that imitate one author"


def test_safety_shows_what_imitation_does(tmp_path):
    problems, same = toy_problems(16, known=2, words=30, seed=2)
    write_pan_problems(tmp_path / "toy" / "train", *toy_problems(16, known=2, words=30, seed=1))
    write_pan_problems(tmp_path / "toy" / "test", problems, same)
    (tmp_path / "made").mkdir()
    for name, truth in zip(problems.ids, same, strict=True):
        if not truth:
            (tmp_path / "made" / f"{name}.txt").write_text("ka re mi to su no la vi po de ha gu " * 3)
    result = ravenbench.safety(
        str(tmp_path / "toy"), train=str(tmp_path / "toy"), verifiers="length", attacks="none", workers=1,
        obfuscators=f"rewritings({str(tmp_path / 'made')!r}, imitates=True)", out=tmp_path / "run",
    )  # fmt: skip
    analysis = report_of(result).analysis
    (row,) = analysis.imitations
    assert row.error is None and row.texts == int((~same).sum()) and row.failed == 0
    assert not analysis.obfuscators and "imitations" in report_of(result).to_json()
    assert "Imitation of the known author" in ravenbench.write_report(result).read_text()
