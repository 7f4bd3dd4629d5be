"""Blocks of document pairs: however pairs are put into blocks, cells have the same answers."""

from __future__ import annotations

import numpy as np
import pytest

from ravenbench.engine import cells
from ravenbench.tasks.api import run
from small_run import SMALL
from stored import answers


@pytest.mark.parametrize(("partners", "grouped"), [(1000, False), (1, True)])
def test_blocks_of_neighbours_and_of_groups_of_documents_give_the_same_answers(
    tmp_path, monkeypatch, partners, grouped
):
    run(out=tmp_path / "whole", workers=1, verifiers="ppm", **SMALL)
    monkeypatch.setattr(cells, "BLOCK", 40)
    monkeypatch.setattr(cells, "PARTNERS", partners)
    monkeypatch.setattr(cells, "KEPT", 2)
    run(out=tmp_path / "cut", workers=1, verifiers="ppm", **SMALL)
    whole, cut = (np.load(tmp_path / name / "pairs" / "pairs.npy") for name in ("whole", "cut"))
    starts = np.load(tmp_path / "cut" / "pairs" / "starts.npy")
    assert len(starts) == len(list((tmp_path / "cut" / "pairs").glob("*.block"))) > 2
    assert not np.array_equal(whole, cut) and set(zip(*whole.tolist(), strict=True)) == set(
        zip(*cut.tolist(), strict=True)
    )
    assert grouped != np.array_equal(starts, np.arange(0, cut.shape[1], 40))
    assert answers(tmp_path / "whole") == answers(tmp_path / "cut")
