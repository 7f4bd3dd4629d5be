"""Two folds of 20 Newsgroups under classical and neural verifiers alike, with the shortcut test."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ravenbench import registry
from ravenbench.cli import main
from ravenbench.store.store import Store

pytestmark = [pytest.mark.extra, pytest.mark.data]
SMALL = {
    "luar": "luar(layers=1, hidden=32, heads=2, dimensions=32, vocabulary=1000, pieces=8, epochs=2)",
}


def test_newsgroups_under_all_verifiers(tmp_path, newsgroups_home, need_extra, capsys, monkeypatch):
    need_extra("transformers")
    neural = [spec for name, spec in SMALL.items() if name in registry.names("verifier")]
    names = [
        str(registry.parse("verifier", spec))
        for spec in ("char-ngram", "ppm", "topic-fit", *neural)
    ]
    options = "--topic group --folds 2 --pools 1 --topics 10 --docs-per-topic 30 --limit 80 --samplers hits,random"
    arguments = [
        "run",
        "newsgroups",
        "--verifiers",
        ", ".join(names),
        *options.split(),
        "--probe",
        "none",
    ]
    arguments += ["--workers", "1", "--device", "cpu", "--json", "--out", str(tmp_path / "run")]
    monkeypatch.setenv("RAVEN_DEVICE", "auto")
    monkeypatch.setattr("sys.argv", ["raven", *arguments])
    with pytest.raises(SystemExit) as end:
        main.run()
    assert not end.value.code
    found = json.loads(capsys.readouterr().out)
    assert not found["failed"]
    assert (
        {row["verifier"] for row in found["results"]}
        == {row["verifier"] for row in found["shortcut"]}
        == set(names)
    )
    store = Store.open(tmp_path / "run")
    learned = [
        store.cell(cell.verifier, cell.fold) for cell in store.plan.cells if "(" in cell.verifier
    ]
    assert len(learned) == 4 * len(neural)
    assert all(np.ptp(cell.scores) > 0 for cell in learned)
