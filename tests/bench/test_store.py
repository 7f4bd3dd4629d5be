import json

import numpy as np
import pytest

from ravenbench.bench.shared.store import Store, rebase
from ravenbench.errors import InputError
from ravenbench.texts import TextTable
from ravenbench.types import Labels, Problems


def test_a_cell_is_there_only_when_its_mark_and_hashes_agree(tmp_path):
    store = Store(tmp_path)
    info = {"verifier": "v", "error": None}
    store.write_cell("k", info, np.array([0.3]), np.array([0.5]))
    cell = store.read_cell("k")
    assert cell.answers.tolist() == [0.5] and cell.error is None
    (tmp_path / "cells/k/answers.npy").write_bytes(b"")
    assert store.read_cell("k") is None
    store.write_cell("k", info, np.array([0.3]), np.array([0.5]))
    mark = tmp_path / "cells/k/cell.json"
    mark.write_text(mark.read_text()[:-20])
    assert store.read_cell("k") is None
    assert store.read_cell("unknown") is None


def test_a_failed_cell_keeps_its_error(tmp_path):
    store = Store(tmp_path)
    store.write_cell("k", {"verifier": "v", "error": "ValueError: no"}, None, None)
    assert store.read_cell("k").error == "ValueError: no"
    assert store.read_cell("k").answers is None


def test_open_says_what_is_no_run(tmp_path):
    with pytest.raises(InputError, match="not a run folder"):
        Store.open(tmp_path)
    (tmp_path / "run.json").write_text(json.dumps({}))
    with pytest.raises(InputError, match="interrupted before it was planned"):
        Store.open(tmp_path)


def test_rebase_moves_problems_and_labels_to_another_table():
    texts, _ = TextTable.collect(["z", "c", "b", "a"])
    problems = Problems.of([("p", ["a", "b"], "c")], author=Labels.of(["A", "B", "C"]))
    moved = rebase(problems, texts)
    assert [texts[i] for i in moved.known(0)] == ["a", "b"]
    assert texts[moved.questioned_index[0]] == "c"
    assert list(moved.author) == [None, "C", "B", "A"]
    assert moved.digest() == problems.digest()
